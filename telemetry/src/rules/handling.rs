//! What people do with alerts, as data that a plan can save: acknowledge, silence, annotate.

use serde::{Deserialize, Serialize};

use crate::labels::Labels;

/// A label that a silence looks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matcher {
    /// Label.
    pub name: String,
    /// Value.
    pub value: String,
    /// Whether the value must be equal; else it must differ.
    #[serde(default = "yes")]
    pub is_equal: bool,
}

const fn yes() -> bool {
    true
}

/// Somebody has seen an alert and works on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledgement {
    /// Labels of the alert.
    pub alert: Labels,
    /// Who.
    pub by: String,
    /// When, Unix seconds; counts for alerts that began before.
    pub at_unix_seconds: i64,
    /// What is known.
    #[serde(default)]
    pub note: String,
}

/// Alerts that are not shown as alarms for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Silence {
    /// Labels that all must match; a silence without any silences nothing.
    pub matchers: Vec<Matcher>,
    /// From when, Unix seconds.
    pub from_unix_seconds: i64,
    /// Until when, Unix seconds; a silence always ends.
    pub until_unix_seconds: i64,
    /// Who.
    pub by: String,
    /// Why.
    #[serde(default)]
    pub why: String,
}

/// A remark at an element and a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Annotation {
    /// Element, as "pod a" or "pod a, slice train"; absent for the whole fleet.
    #[serde(default)]
    pub element: Option<String>,
    /// From when, Unix seconds.
    pub from_unix_seconds: i64,
    /// Until when, Unix seconds; absent for a moment.
    #[serde(default)]
    pub until_unix_seconds: Option<i64>,
    /// The remark.
    pub text: String,
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Handling {
    /// Acknowledged alerts.
    pub acknowledged: Vec<Acknowledgement>,
    /// Silences.
    pub silences: Vec<Silence>,
    /// Remarks.
    pub annotations: Vec<Annotation>,
}

/// How an alert is to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown<'a> {
    /// As an alarm.
    Loud,
    /// As known.
    Acknowledged(&'a Acknowledgement),
    /// Quietly, with the end of the silence; it is never hidden.
    Silenced(&'a Silence),
}

impl Silence {
    fn takes(&self, labels: &Labels, now_s: i64) -> bool {
        let fits = |m: &Matcher| (labels.get(&m.name).unwrap_or_default() == m.value) == m.is_equal;
        let is_now = (self.from_unix_seconds..self.until_unix_seconds).contains(&now_s);
        is_now && !self.matchers.is_empty() && self.matchers.iter().all(fits)
    }
}

impl Handling {
    /// How an alert that began at `since_s` is to be shown at `now_s`, both in Unix seconds. An alert that ended and came again
    /// is not acknowledged any more.
    pub fn shown(&self, alert: &Labels, since_s: i64, now_s: i64) -> Shown<'_> {
        if let Some(silence) = self.silences.iter().find(|silence| silence.takes(alert, now_s)) {
            return Shown::Silenced(silence);
        }
        let is_of = |a: &&Acknowledgement| a.alert == *alert && (since_s..=now_s).contains(&a.at_unix_seconds);
        self.acknowledged.iter().rev().find(is_of).map_or(Shown::Loud, Shown::Acknowledged)
    }
}
