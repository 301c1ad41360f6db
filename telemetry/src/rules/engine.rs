//! The state of alerts as time goes on.

use std::collections::BTreeMap;

use crate::labels::{Labels, NAME};
use crate::promql::{EvalError, Expr, Value, eval};
use crate::rules::anomaly::{Past, group};
use crate::rules::{AlertRule, Condition, Deviation, RuleError, Side, query};
use crate::tsdb::Tsdb;

/// What happened to an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Its condition holds, but not for long enough.
    Pending,
    /// It fires from now on.
    Fired,
    /// It does not hold any more.
    Resolved,
}

/// An alert that fires.
#[derive(Debug, Clone, PartialEq)]
pub struct FiringAlert {
    /// Labels: of the series, of the rule, and `alertname`.
    pub labels: Labels,
    /// Annotations with their values filled in.
    pub annotations: Labels,
    /// Since when its condition holds, Unix milliseconds.
    pub since_ms: i64,
    /// Value of the newest moment at which it held.
    pub value: f64,
}

/// A rule could not be computed; its alerts stay as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepError {
    /// Name of the rule.
    pub name: String,
    /// Why.
    pub error: EvalError,
}

#[derive(Debug, Clone)]
struct State {
    since_ms: i64,
    /// Since when it holds no more, while it goes on firing.
    ended_ms: Option<i64>,
    /// Whether it holds at this moment.
    holds: bool,
    value: f64,
    fires: bool,
}

#[derive(Debug, Clone)]
enum Compiled {
    Query(Expr),
    /// Side, limit and clear.
    Threshold(Expr, Side, (f64, f64)),
    Anomaly(Expr, Deviation, Side),
    /// Long, short, largest share of bad events.
    Burn(Vec<(Expr, Expr, f64)>),
}

#[derive(Debug, Clone)]
struct Prepared {
    rule: AlertRule,
    condition: Compiled,
    states: BTreeMap<Labels, State>,
    past: BTreeMap<Labels, Past>,
}

/// Rules with the state of their alerts.
#[derive(Debug, Clone)]
pub struct Engine {
    rules: Vec<Prepared>,
}

impl Engine {
    /// Rules of which nothing has fired yet.
    ///
    /// # Errors
    /// If a query is not supported or a number makes no sense.
    pub fn new(rules: Vec<AlertRule>) -> Result<Self, RuleError> {
        let prepare = |rule: AlertRule| {
            let condition = compile(&rule)?;
            Ok(Prepared { rule, condition, states: BTreeMap::new(), past: BTreeMap::new() })
        };
        Ok(Self { rules: rules.into_iter().map(prepare).collect::<Result<_, RuleError>>()? })
    }

    /// Looks at the facts of a moment; says what changed, and which rules could not be computed.
    pub fn step(&mut self, store: &Tsdb, at_ms: i64) -> (Vec<(Change, Labels)>, Vec<StepError>) {
        let (mut changes, mut errors) = (Vec::new(), Vec::new());
        for rule in &mut self.rules {
            match rule.holding(store, at_ms) {
                Ok(holding) => rule.take(holding, at_ms, &mut changes),
                Err(error) => errors.push(StepError { name: rule.rule.name.clone(), error }),
            }
        }
        (changes, errors)
    }

    /// What fires now, in the order of rules and labels.
    pub fn firing(&self) -> Vec<FiringAlert> {
        self.rules.iter().flat_map(Prepared::firing).collect()
    }

    /// The rules.
    pub fn rules(&self) -> impl Iterator<Item = &AlertRule> {
        self.rules.iter().map(|rule| &rule.rule)
    }
}

fn compile(rule: &AlertRule) -> Result<Compiled, RuleError> {
    let fault = |what: Option<&'static str>| match what {
        Some(what) => Err(RuleError::Senseless { name: rule.name.clone(), what }),
        None => Ok(()),
    };
    let is_time = |seconds: f64| (0.0..1e10).contains(&seconds);
    fault((!is_time(rule.for_seconds) || !is_time(rule.keep_firing_seconds)).then_some("durations are not negative"))?;
    match &rule.condition {
        Condition::Query(text) => Ok(Compiled::Query(query(&rule.name, text)?)),
        Condition::Threshold { query: text, side, limit, clear } => {
            let clear = clear.unwrap_or(*limit);
            let is_wrong = match side {
                Side::Below => clear < *limit,
                Side::Above => clear > *limit,
                Side::Both => true,
            };
            fault(
                (is_wrong || !limit.is_finite())
                    .then_some("a threshold has one side, and clear lies on the healthy side of the limit"),
            )?;
            Ok(Compiled::Threshold(query(&rule.name, text)?, *side, (*limit, clear)))
        }
        Condition::Anomaly { query: text, deviation, side } => {
            fault(deviation.fault())?;
            Ok(Compiled::Anomaly(query(&rule.name, text)?, *deviation, *side))
        }
        Condition::BurnRate { objective, windows } => {
            fault(objective.fault())?;
            fault(windows.is_empty().then_some("a burn rate needs at least one pair of windows"))?;
            let allowed = objective.allowed_fraction();
            let pair = |window: &crate::rules::BurnWindow| {
                let of = |seconds| query(&rule.name, &objective.error_query(seconds));
                Ok((of(window.long_seconds)?, of(window.short_seconds)?, window.burn_rate * allowed))
            };
            Ok(Compiled::Burn(windows.iter().map(pair).collect::<Result<_, RuleError>>()?))
        }
    }
}

impl Prepared {
    /// Series for which the condition holds, with their values.
    fn holding(&mut self, store: &Tsdb, at_ms: i64) -> Result<Vec<(Labels, f64)>, EvalError> {
        let vector = |expr: &Expr| eval(expr, store, at_ms).map(Value::into_vector);
        match &self.condition {
            Compiled::Query(expr) => vector(expr),
            Compiled::Threshold(expr, side, (limit, clear)) => {
                let states = &self.states;
                let rule = &self.rule;
                let holds = |(labels, value): &(Labels, f64)| {
                    let is_in_trouble = states.contains_key(&alert_labels(rule, labels));
                    let bound = if is_in_trouble { *clear } else { *limit };
                    if *side == Side::Below { *value < bound } else { *value > bound }
                };
                Ok(vector(expr)?.into_iter().filter(holds).collect())
            }
            Compiled::Anomaly(expr, deviation, side) => {
                let found = vector(expr)?;
                Ok(unusual(found, *deviation, *side, &mut self.past))
            }
            Compiled::Burn(windows) => {
                let mut found: BTreeMap<Labels, f64> = BTreeMap::new();
                for (long, short, bound) in windows {
                    let short: BTreeMap<Labels, f64> = vector(short)?.into_iter().collect();
                    for (labels, share) in vector(long)? {
                        if share > *bound && short.get(&labels).is_some_and(|share| share > bound) {
                            found.entry(labels).or_insert(share);
                        }
                    }
                }
                Ok(found.into_iter().collect())
            }
        }
    }

    fn take(&mut self, holding: Vec<(Labels, f64)>, at_ms: i64, changes: &mut Vec<(Change, Labels)>) {
        let for_ms = (self.rule.for_seconds * 1_000.0) as i64;
        let keep_ms = (self.rule.keep_firing_seconds * 1_000.0) as i64;
        for state in self.states.values_mut() {
            state.holds = false;
        }
        for (labels, value) in holding {
            let labels = alert_labels(&self.rule, &labels);
            let state = self.states.entry(labels.clone()).or_insert_with(|| {
                changes.push((Change::Pending, labels.clone()));
                State { since_ms: at_ms, ended_ms: None, holds: true, value, fires: false }
            });
            (state.holds, state.ended_ms, state.value) = (true, None, value);
            if !state.fires && at_ms.saturating_sub(state.since_ms) >= for_ms {
                state.fires = true;
                changes.push((Change::Fired, labels));
            }
        }
        self.states.retain(|labels, state| {
            let ended = *state.ended_ms.get_or_insert(at_ms);
            if state.holds {
                state.ended_ms = None;
            }
            let stays = state.holds || (state.fires && at_ms.saturating_sub(ended) < keep_ms);
            if !stays {
                changes.push((Change::Resolved, labels.clone()));
            }
            stays
        });
    }

    fn firing(&self) -> impl Iterator<Item = FiringAlert> + '_ {
        self.states.iter().filter(|(_, state)| state.fires).map(|(labels, state)| {
            let filled = |(name, text): (&str, &str)| (name.to_owned(), fill(text, labels, state.value));
            let annotations = Labels::new(self.rule.annotations.iter().map(filled));
            FiringAlert { labels: labels.clone(), annotations, since_ms: state.since_ms, value: state.value }
        })
    }
}

/// Labels of an alert: those of the series without its name, then those of the rule, then the name of the alert.
fn alert_labels(rule: &AlertRule, series: &Labels) -> Labels {
    let own = rule.labels.iter().filter(|(name, _)| *name != "alertname");
    // The first of two equal names wins.
    let series = series.iter().filter(|(name, _)| *name != NAME && *name != "alertname");
    Labels::new([("alertname", rule.name.as_str())].into_iter().chain(own).chain(series))
}

fn unusual(
    found: Vec<(Labels, f64)>,
    deviation: Deviation,
    side: Side,
    past: &mut BTreeMap<Labels, Past>,
) -> Vec<(Labels, f64)> {
    let found: Vec<(Labels, f64)> = found.into_iter().filter(|(_, value)| value.is_finite()).collect();
    match deviation {
        Deviation::Group { sigmas, min_series } => {
            let values: Vec<f64> = found.iter().map(|(_, value)| *value).collect();
            let scores = group(&values, min_series);
            let judged = found.into_iter().zip(scores);
            judged.filter(|(_, z)| z.is_some_and(|z| side.counts(z, sigmas))).map(|(found, _)| found).collect()
        }
        Deviation::Past { sigmas, weight, warm_up } => {
            let judge = |(labels, value): &(Labels, f64)| {
                let distance = past.entry(labels.clone()).or_default().judge(*value, (weight, warm_up, sigmas));
                distance.is_some_and(|distance| side.counts(distance, sigmas))
            };
            found.into_iter().filter(judge).collect()
        }
    }
}

/// Fills `{{ $labels.x }}` and `{{ $value }}` in; other templates stay as they are written.
fn fill(text: &str, labels: &Labels, value: f64) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((inside, behind)) = after.split_once("}}") else {
            out.push_str("{{");
            rest = after;
            continue;
        };
        match inside.trim() {
            "$value" => out.push_str(&value.to_string()),
            name => match name.strip_prefix("$labels.") {
                Some(label) => out.push_str(labels.get(label).unwrap_or_default()),
                None => out.extend(["{{", inside, "}}"]),
            },
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}
