//! The questions of the HTTP API of Prometheus and of Alertmanager.

use std::collections::BTreeMap;

use telemetry::labels::Labels;
use telemetry::prometheus::{self, Alert, Answer, Limits, Metadata, QueryData, RuleGroup};
use telemetry::tsdb::ClockOffset;
use url::Url;

use crate::net::door::{Door, Reply, Request, Wants};
use crate::net::error::{NetError, NetErrorKind};

type Form = Vec<(&'static str, String)>;

/// A server that is being asked; keeps what its replies say of its clock.
pub(super) struct Server<'a> {
    door: &'a Door,
    base: Url,
    /// The server's clock.
    pub(super) clock: ClockOffset,
    /// Requests that were answered.
    pub(super) requests: usize,
}

impl<'a> Server<'a> {
    pub(super) fn new(door: &'a Door) -> Result<Self, NetError> {
        Ok(Self { door, base: door.base()?, clock: ClockOffset::default(), requests: 0 })
    }

    /// Name of the server, to tell dialects apart.
    pub(super) fn is_managed(&self) -> bool {
        self.base.host_str() == Some("monitoring.googleapis.com")
    }

    /// `{prefix}/api/{version}/{path}`; a prefix that already ends so is taken as it is.
    fn url(&self, version: &str, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        url.set_fragment(None);
        let own = url.path().trim_end_matches('/').trim_end_matches(&format!("/api/{version}")).to_owned();
        url.set_path(&own);
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(["api", version]).extend(path);
        }
        url
    }

    async fn send(&mut self, url: Url, form: Form, wants: Wants) -> Result<Reply, NetError> {
        let mut request = Request { url, form, wants };
        let reply = match self.door.fetch(&request).await {
            // Some proxies in front of a server let only GET through.
            Err(error) if matches!(error.http_status, Some(405 | 501)) && !request.form.is_empty() => {
                let fields = std::mem::take(&mut request.form);
                request.url.query_pairs_mut().extend_pairs(&fields);
                self.door.fetch(&request).await?
            }
            other => other?,
        };
        self.requests += 1;
        if let Some((sent_ms, received_ms, date_s)) = reply.heard {
            self.clock.observe(sent_ms, received_ms, date_s);
        }
        Ok(reply)
    }

    async fn api(&mut self, path: &[&str], form: Form) -> Result<String, NetError> {
        Ok(self.send(self.url("v1", path), form, Wants::Json).await?.text)
    }

    /// A page of an exporter.
    pub(super) async fn page(&mut self) -> Result<Reply, NetError> {
        self.send(self.base.clone(), Form::new(), Wants::Page).await
    }

    /// Values at a moment, Unix seconds; by the server's clock if there is none.
    pub(super) async fn query(&mut self, query: &str, at_s: Option<i64>) -> Result<Answer<QueryData>, NetError> {
        let mut form = vec![("query", query.to_owned())];
        form.extend(at_s.map(|at| ("time", at.to_string())));
        let text = self.api(&["query"], form).await?;
        Ok(prometheus::query(&text, Limits::default())?)
    }

    /// Values over time: first and last moment in Unix seconds, step in seconds.
    pub(super) async fn query_range(
        &mut self,
        query: &str,
        (from_s, to_s): (i64, i64),
        step_s: u32,
    ) -> Result<Answer<QueryData>, NetError> {
        let form = vec![
            ("query", query.to_owned()),
            ("start", from_s.to_string()),
            ("end", to_s.to_string()),
            ("step", step_s.to_string()),
        ];
        let text = self.api(&["query_range"], form).await?;
        Ok(prometheus::query(&text, Limits::default())?)
    }

    /// Labels of the series of a selector in a time.
    pub(super) async fn series(
        &mut self,
        selector: &str,
        (from_s, to_s): (i64, i64),
    ) -> Result<Answer<Vec<Labels>>, NetError> {
        let form = vec![("match[]", selector.to_owned()), ("start", from_s.to_string()), ("end", to_s.to_string())];
        let text = self.api(&["series"], form).await?;
        Ok(prometheus::series(&text, Limits::default())?)
    }

    /// Values of a label.
    pub(super) async fn label_values(&mut self, label: &str) -> Result<Answer<Vec<String>>, NetError> {
        let text = self.api(&["label", label, "values"], Form::new()).await?;
        Ok(prometheus::names(&text, Limits::default())?)
    }

    /// What exporters say of their metrics.
    pub(super) async fn metadata(&mut self) -> Result<BTreeMap<String, Vec<Metadata>>, NetError> {
        let text = self.api(&["metadata"], Form::new()).await?;
        Ok(prometheus::metadata(&text)?.data)
    }

    /// Alerts that wait or fire.
    pub(super) async fn alerts(&mut self) -> Result<Answer<Vec<Alert>>, NetError> {
        let text = self.api(&["alerts"], Form::new()).await?;
        Ok(prometheus::alerts(&text)?)
    }

    /// Rules with their state.
    pub(super) async fn rules(&mut self) -> Result<Answer<Vec<RuleGroup>>, NetError> {
        let text = self.api(&["rules"], Form::new()).await?;
        Ok(prometheus::rules(&text)?)
    }

    /// Alerts of Alertmanager.
    pub(super) async fn managed_alerts(&mut self) -> Result<Answer<Vec<Alert>>, NetError> {
        let reply = self.send(self.url("v2", &["alerts"]), Form::new(), Wants::Json).await?;
        Ok(prometheus::alertmanager_alerts(&reply.text)?)
    }
}

/// Text of a regular expression that means exactly this text, as `PromQL` wants it inside quotes.
pub(super) fn exactly(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            out.push_str("\\\\");
        }
        if c == '\\' || c == '"' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Refuses a number of series that is too large, with the figure.
pub(super) fn check_size(n_series: u64, most: u64) -> Result<(), NetError> {
    if n_series <= most {
        return Ok(());
    }
    // About 256 bytes a series with one sample, as `telemetry::prometheus::plan` reckons.
    let megabytes = (n_series * 300).div_ceil(1_000_000);
    let message = format!("that would be {n_series} series, about {megabytes} MB; at most {most} are asked for");
    let hint = "Ask with --query for an aggregate by host or slice, or raise --most-series";
    Err(NetError::new(NetErrorKind::TooLarge, message, hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: a name of a host is no pattern, and cannot end the quotes.
    #[test]
    fn names_in_patterns_mean_themselves() {
        assert_eq!(exactly("gke-a.b"), "gke-a\\\\.b");
        assert_eq!(exactly("a\"b\\"), "a\\\"b\\\\\\\\");
    }
}
