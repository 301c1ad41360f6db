//! Reading `query` and `query_range` in one pass, without a tree in between: an answer of a pod has tens of megabytes.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::findings::Findings;
use crate::labels::Labels;
use crate::prometheus::error::{not_an_answer, refused};
use crate::prometheus::{Answer, ApiError, Limits, QueryData, Series};

/// Reads the answer to `query` or `query_range`.
///
/// # Errors
/// If the server refused, or the text is no such answer or holds more than the limits allow.
pub fn query(body: &str, limits: Limits) -> Result<Answer<QueryData>, ApiError> {
    let mut state = State { limits, ..State::default() };
    let mut json = serde_json::Deserializer::from_str(body);
    let read = Envelope(&mut state).deserialize(&mut json).and_then(|()| json.end());
    if let Err(error) = read {
        return Err(state.too_large.take().unwrap_or_else(|| not_an_answer(body, &error)));
    }
    state.finish()
}

#[derive(Default)]
struct State {
    limits: Limits,
    status: String,
    error_type: String,
    error: String,
    result_type: String,
    series: Vec<Series>,
    scalar: (Option<f64>, Option<String>),
    n_samples: usize,
    n_histograms: usize,
    n_lossy: usize,
    warnings: Vec<String>,
    infos: Vec<String>,
    is_partial: bool,
    too_large: Option<ApiError>,
}

impl State {
    fn count(&mut self) -> Result<(), &'static str> {
        self.n_samples += 1;
        if self.n_samples > self.limits.samples {
            self.too_large = Some(ApiError::TooLarge { what: "samples", limit: self.limits.samples });
            return Err("too many samples");
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Answer<QueryData>, ApiError> {
        match self.status.as_str() {
            "success" => {}
            "error" => return Err(refused(&self.error_type, &self.error)),
            _ => return Err(ApiError::NotAnAnswer { what: "it has no status".to_owned() }),
        }
        let mut findings = Findings::default();
        if self.n_histograms > 0 {
            let message = format!("{} native histograms are not read; everything else is kept", self.n_histograms);
            findings.warn("native-histogram", "answer", message);
        }
        if self.n_lossy > 0 {
            let message = format!("{} labels are numbers that may have lost digits on their way", self.n_lossy);
            findings.error("lossy-label", "answer", message);
        }
        for series in &mut self.series {
            if series.samples.windows(2).any(|pair| pair[1].0 <= pair[0].0) {
                series.samples.sort_by_key(|(at, _)| *at);
                series.samples.dedup_by_key(|(at, _)| *at);
                findings.warn(
                    "out-of-order",
                    series.labels.to_string(),
                    "its samples came out of order and were sorted",
                );
            }
        }
        let mut partial = std::mem::take(&mut self.warnings);
        if self.is_partial {
            partial.push("the server marked the answer as partial".to_owned());
        }
        let data = self.data()?;
        Ok(Answer { data, partial, infos: self.infos, findings })
    }

    fn data(&mut self) -> Result<QueryData, ApiError> {
        let at_ms = self.scalar.0.and_then(to_ms);
        match (self.result_type.as_str(), at_ms, self.scalar.1.take()) {
            ("vector", ..) => Ok(QueryData::Vector(std::mem::take(&mut self.series))),
            ("matrix", ..) => Ok(QueryData::Matrix(std::mem::take(&mut self.series))),
            ("string", Some(at), Some(text)) => Ok(QueryData::Text(at, text)),
            ("scalar", Some(at), Some(text)) => {
                let bad = |_| ApiError::NotAnAnswer { what: "its number is no number".to_owned() };
                Ok(QueryData::Scalar(at, text.parse().map_err(bad)?))
            }
            (kind, ..) => {
                let kind: String = kind.chars().take(40).collect();
                Err(ApiError::NotAnAnswer { what: format!("its result is of the type \"{kind}\"") })
            }
        }
    }
}

/// Seconds of the API as Unix milliseconds.
fn to_ms(seconds: f64) -> Option<i64> {
    let ms = (seconds * 1000.0).round();
    (ms.abs() < 9e15).then_some(ms as i64)
}

/// Reads a JSON object and hands each key to a method.
macro_rules! object {
    ($seed:ident, $what:literal, |$state:ident, $key:ident, $map:ident| $body:block) => {
        struct $seed<'s>(&'s mut State);

        impl<'de> DeserializeSeed<'de> for $seed<'_> {
            type Value = ();
            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_any(self)
            }
        }
        impl<'de> Visitor<'de> for $seed<'_> {
            type Value = ();
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($what)
            }
            fn visit_unit<E>(self) -> Result<(), E> {
                Ok(())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut $map: A) -> Result<(), A::Error> {
                let $state = self.0;
                while let Some(key) = $map.next_key::<Cow<'de, str>>()? {
                    let $key: &str = &key;
                    $body
                }
                Ok(())
            }
        }
    };
}

object!(Envelope, "an answer", |state, key, map| {
    match key {
        "status" => state.status = map.next_value()?,
        "errorType" => state.error_type = map.next_value()?,
        "error" => state.error = map.next_value()?,
        "warnings" => state.warnings = map.next_value::<Option<_>>()?.unwrap_or_default(),
        "infos" => state.infos = map.next_value::<Option<_>>()?.unwrap_or_default(),
        "isPartial" => state.is_partial = map.next_value()?,
        "data" => map.next_value_seed(Data(state))?,
        _ => drop(map.next_value::<IgnoredAny>()?),
    }
});

object!(Data, "the data of an answer", |state, key, map| {
    match key {
        "resultType" => state.result_type = map.next_value()?,
        "result" => map.next_value_seed(Results(state))?,
        _ => drop(map.next_value::<IgnoredAny>()?),
    }
});

/// The list of series, or time and value of a scalar or text.
struct Results<'s>(&'s mut State);

impl<'de> DeserializeSeed<'de> for Results<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Results<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of results")
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Item(self.0))?.is_some() {
            if self.0.series.len() > self.0.limits.series {
                self.0.too_large = Some(ApiError::TooLarge { what: "series", limit: self.0.limits.series });
                return Err(A::Error::custom("too many series"));
            }
        }
        Ok(())
    }
}

/// One series, or one half of a scalar or text.
struct Item<'s>(&'s mut State);

impl<'de> DeserializeSeed<'de> for Item<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Item<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a series")
    }
    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.0.scalar.0 = Some(value);
        Ok(())
    }
    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }
    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.visit_f64(value as f64)
    }
    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.0.scalar.1 = Some(value.to_owned());
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let state = self.0;
        let mut series = Series::default();
        let mut n_histograms = 0;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "metric" => series.labels = map.next_value_seed(LabelSet(state))?,
                "value" => {
                    let sample = map.next_value::<Sample>()?;
                    state.count().map_err(A::Error::custom)?;
                    series.samples.push(sample.0);
                }
                "values" => map.next_value_seed(Samples(&mut series.samples, state))?,
                "histogram" => {
                    map.next_value::<IgnoredAny>()?;
                    n_histograms += 1;
                }
                "histograms" => n_histograms += map.next_value::<Vec<IgnoredAny>>()?.len(),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        state.n_histograms += n_histograms;
        if n_histograms == 0 || !series.samples.is_empty() {
            state.series.push(series);
        }
        Ok(())
    }
}

/// Samples of a series.
struct Samples<'s>(&'s mut Vec<(i64, f64)>, &'s mut State);

impl<'de> DeserializeSeed<'de> for Samples<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Samples<'_> {
    type Value = ();
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of samples")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(Sample(sample)) = seq.next_element()? {
            self.1.count().map_err(A::Error::custom)?;
            self.0.push(sample);
        }
        Ok(())
    }
}

/// `[1796068967.363, "NaN"]`
struct Sample((i64, f64));

impl<'de> serde::Deserialize<'de> for Sample {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (seconds, Number(value)) = <(f64, Number)>::deserialize(deserializer)?;
        let at_ms = to_ms(seconds).ok_or_else(|| D::Error::custom(format!("{seconds} is no possible time")))?;
        Ok(Self((at_ms, value)))
    }
}

/// A number as a text, or plainly as some servers write it.
struct Number(f64);

impl<'de> serde::Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberText)
    }
}

struct NumberText;

impl Visitor<'_> for NumberText {
    type Value = Number;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number as a text")
    }
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Number, E> {
        let bad = |_| E::custom("a value that is no number");
        text.parse().map(Number).map_err(bad)
    }
    fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
        Ok(Number(value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
        Ok(Number(value as f64))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
        Ok(Number(value as f64))
    }
}

/// Labels, whose values are texts; whole numbers are kept digit by digit.
struct LabelSet<'s>(&'s mut State);

impl<'de> DeserializeSeed<'de> for LabelSet<'_> {
    type Value = Labels;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Labels, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for LabelSet<'_> {
    type Value = Labels;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("labels")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Labels, A::Error> {
        let mut pairs: Vec<(String, String)> = Vec::with_capacity(map.size_hint().unwrap_or(8).min(64));
        while let Some((name, value)) = map.next_entry::<String, LabelText>()? {
            self.0.n_lossy += usize::from(value.is_lossy);
            pairs.push((name, value.text));
        }
        Ok(Labels::new(pairs))
    }
}

/// A label value; whether it was a number that does not fit 64 bits.
pub(super) struct LabelText {
    pub(super) text: String,
    pub(super) is_lossy: bool,
}

impl<'de> serde::Deserialize<'de> for LabelText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LabelVisitor)
    }
}

struct LabelVisitor;

impl LabelVisitor {
    fn exact(text: &impl ToString) -> LabelText {
        LabelText { text: text.to_string(), is_lossy: false }
    }
}

impl Visitor<'_> for LabelVisitor {
    type Value = LabelText;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value of a label")
    }
    fn visit_str<E>(self, text: &str) -> Result<LabelText, E> {
        Ok(Self::exact(&text))
    }
    fn visit_bool<E>(self, value: bool) -> Result<LabelText, E> {
        Ok(Self::exact(&value))
    }
    fn visit_u64<E>(self, value: u64) -> Result<LabelText, E> {
        Ok(Self::exact(&value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<LabelText, E> {
        Ok(Self::exact(&value))
    }
    fn visit_f64<E>(self, value: f64) -> Result<LabelText, E> {
        Ok(LabelText { text: value.to_string(), is_lossy: value.fract() == 0.0 })
    }
}
