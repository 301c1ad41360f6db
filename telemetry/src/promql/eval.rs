//! From a tree and a store to numbers.

use std::collections::BTreeMap;

use crate::labels::{Labels, NAME};
use crate::promql::ast::{Aggregation, Binary, Expr, ExprKind, Function, Grouping, Matcher, Operator, Selector, Type};
use crate::promql::window::over;
use crate::promql::{EvalError, LOOKBACK_MS, MAX_SAMPLES, STALE, Value};
use crate::tsdb::Tsdb;

type Vector = Vec<(Labels, f64)>;

pub(super) struct Evaluator<'a> {
    store: &'a Tsdb,
    at_ms: i64,
    n_samples: u64,
}

impl<'a> Evaluator<'a> {
    pub(super) const fn new(store: &'a Tsdb, at_ms: i64) -> Self {
        Self { store, at_ms, n_samples: 0 }
    }

    pub(super) fn eval(&mut self, expr: &Expr) -> Result<Value, EvalError> {
        match &expr.kind {
            ExprKind::Number(number) => Ok(Value::Scalar(*number)),
            ExprKind::Selector(selector) => Ok(Value::Vector(self.instant(selector)?)),
            ExprKind::Negative(inner) => Ok(match self.eval(inner)? {
                Value::Scalar(value) => Value::Scalar(-value),
                Value::Vector(vector) => Value::Vector(unnamed(vector, |value| -value)?),
            }),
            ExprKind::Call(function, arguments) => self.call(*function, arguments),
            ExprKind::Aggregate(aggregation, grouping, inner) => {
                let vector = self.eval(inner)?.into_vector();
                Ok(Value::Vector(aggregate(*aggregation, grouping, vector)))
            }
            ExprKind::Binary(binary) => self.binary(binary),
        }
    }

    fn count(&mut self, n: usize) -> Result<(), EvalError> {
        self.n_samples += n as u64;
        if self.n_samples > MAX_SAMPLES { Err(EvalError::TooMuch { limit: MAX_SAMPLES }) } else { Ok(()) }
    }

    /// The newest sample of each series that is not older than the look-back and no marker of its end.
    fn instant(&mut self, selector: &Selector) -> Result<Vector, EvalError> {
        let at = self.at_ms.saturating_sub(selector.offset_ms);
        let mut vector = Vec::new();
        for (id, labels) in self.store.iter().filter(|(_, labels)| selector.takes(labels)) {
            let newest = self.store.range(id, at.saturating_sub(LOOKBACK_MS - 1), at).last();
            if let Some((_, value)) = newest.filter(|(_, value)| value.to_bits() != STALE) {
                vector.push((labels.clone(), value));
            }
        }
        self.count(vector.len())?;
        Ok(vector)
    }

    /// A function over the window of each series.
    fn windows(&mut self, function: Function, selector: &Selector) -> Result<Vector, EvalError> {
        let to = self.at_ms.saturating_sub(selector.offset_ms);
        let from = to.saturating_sub(selector.range_ms.unwrap_or(LOOKBACK_MS));
        let mut vector = Vec::new();
        for (id, labels) in self.store.iter().filter(|(_, labels)| selector.takes(labels)) {
            let samples = self.store.range(id, from.saturating_add(1), to);
            let samples: Vec<(i64, f64)> = samples.filter(|(_, value)| value.to_bits() != STALE).collect();
            self.count(samples.len())?;
            if let Some(value) = over(function, &samples, (from, to)) {
                let keeps_name = function == Function::LastOverTime;
                vector.push((if keeps_name { labels.clone() } else { labels.with(NAME, "") }, value));
            }
        }
        sorted(vector)
    }

    fn call(&mut self, function: Function, arguments: &[Expr]) -> Result<Value, EvalError> {
        let Some(first) = arguments.first() else {
            return Ok(Value::Scalar(self.at_ms as f64 / 1_000.0));
        };
        if let (ExprKind::Selector(selector), Type::Range) = (&first.kind, first.type_of()) {
            return Ok(Value::Vector(self.windows(function, selector)?));
        }
        let value = self.eval(first)?;
        let bound = match arguments.get(1) {
            Some(second) => scalar(self.eval(second)?),
            None => f64::NAN,
        };
        Ok(match function {
            Function::Vector => Value::Vector(value.into_vector()),
            Function::Scalar => Value::Scalar(scalar(value)),
            Function::Absent => Value::Vector(absent(&first.kind, &value.into_vector())),
            Function::Abs => Value::Vector(unnamed(value.into_vector(), f64::abs)?),
            Function::Ceil => Value::Vector(unnamed(value.into_vector(), f64::ceil)?),
            Function::Floor => Value::Vector(unnamed(value.into_vector(), f64::floor)?),
            Function::ClampMin => Value::Vector(unnamed(value.into_vector(), |value| value.max(bound))?),
            Function::ClampMax => Value::Vector(unnamed(value.into_vector(), |value| value.min(bound))?),
            _ => value,
        })
    }

    fn binary(&mut self, binary: &Binary) -> Result<Value, EvalError> {
        let (left, right) = (self.eval(&binary.left)?, self.eval(&binary.right)?);
        match (left, right) {
            (Value::Scalar(a), Value::Scalar(b)) => Ok(Value::Scalar(compute(binary.operator, a, b))),
            (Value::Vector(vector), Value::Scalar(b)) => with_scalar(binary, vector, |a| (a, b), |a| a),
            (Value::Scalar(a), Value::Vector(vector)) => with_scalar(binary, vector, |b| (a, b), |b| b),
            (Value::Vector(left), Value::Vector(right)) if binary.operator.is_set() => {
                Ok(Value::Vector(set(binary, left, &right)?))
            }
            (Value::Vector(left), Value::Vector(right)) => join(binary, left, right),
        }
    }
}

/// A vector in order; two series with the same labels are an error.
fn sorted(mut vector: Vector) -> Result<Vector, EvalError> {
    vector.sort_by(|a, b| a.0.cmp(&b.0));
    let same = vector.windows(2).find(|pair| pair[0].0 == pair[1].0);
    match same {
        Some(pair) => Err(EvalError::SameLabels { labels: pair[0].0.to_string() }),
        None => Ok(vector),
    }
}

/// Each value changed; such values are no longer the metric's.
fn unnamed(vector: Vector, change: impl Fn(f64) -> f64) -> Result<Vector, EvalError> {
    sorted(vector.into_iter().map(|(labels, value)| (labels.with(NAME, ""), change(value))).collect())
}

/// The value of the only series, else not a number.
fn scalar(value: Value) -> f64 {
    match value {
        Value::Scalar(value) => value,
        Value::Vector(vector) if vector.len() == 1 => vector[0].1,
        Value::Vector(_) => f64::NAN,
    }
}

fn absent(argument: &ExprKind, vector: &[(Labels, f64)]) -> Vector {
    if !vector.is_empty() {
        return Vec::new();
    }
    let labels = match argument {
        ExprKind::Selector(selector) => Labels::new(selector.matchers.iter().filter_map(Matcher::equality)),
        _ => Labels::default(),
    };
    vec![(labels, 1.0)]
}

fn aggregate(aggregation: Aggregation, grouping: &Grouping, vector: Vector) -> Vector {
    let mut groups: BTreeMap<Labels, Vec<f64>> = BTreeMap::new();
    for (labels, value) in vector {
        groups.entry(grouping.of(&labels)).or_default().push(value);
    }
    let result = |values: &[f64]| -> f64 {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        // Comparisons with NaN are false, so that it only stays where nothing else is.
        let pick = |better: fn(f64, f64) -> bool| {
            let first = values.first().copied().unwrap_or(f64::NAN);
            values.iter().fold(first, |best, value| if better(*value, best) || best.is_nan() { *value } else { best })
        };
        match aggregation {
            Aggregation::Sum => values.iter().sum(),
            Aggregation::Avg => mean,
            Aggregation::Count => n,
            Aggregation::Min => pick(|a, b| a < b),
            Aggregation::Max => pick(|a, b| a > b),
            Aggregation::Stddev => (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt(),
        }
    };
    groups.into_iter().map(|(labels, values)| (labels, result(&values))).collect()
}

fn compute(operator: Operator, a: f64, b: f64) -> f64 {
    match operator {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mul => a * b,
        Operator::Div => a / b,
        Operator::Mod => a % b,
        Operator::Pow => a.powf(b),
        _ => f64::from(u8::from(holds(operator, a, b))),
    }
}

fn holds(operator: Operator, a: f64, b: f64) -> bool {
    match operator {
        Operator::Equal => a == b,
        Operator::NotEqual => a != b,
        Operator::Greater => a > b,
        Operator::Less => a < b,
        Operator::GreaterEqual => a >= b,
        Operator::LessEqual => a <= b,
        _ => false,
    }
}

fn with_scalar(
    binary: &Binary,
    vector: Vector,
    sides: impl Fn(f64) -> (f64, f64),
    kept: impl Fn(f64) -> f64,
) -> Result<Value, EvalError> {
    let operator = binary.operator;
    if operator.is_comparison() && !binary.returns_bool {
        let passes = |value: f64| {
            let (a, b) = sides(value);
            holds(operator, a, b)
        };
        let vector = vector.into_iter().filter(|(_, value)| passes(*value)).map(|(l, value)| (l, kept(value)));
        return Ok(Value::Vector(vector.collect()));
    }
    let change = |value| {
        let (a, b) = sides(value);
        compute(operator, a, b)
    };
    Ok(Value::Vector(unnamed(vector, change)?))
}

/// Series by the labels that join; an error where two of a side have the same.
fn by_key(matching: &Grouping, vector: Vector) -> Result<BTreeMap<Labels, (Labels, f64)>, EvalError> {
    let mut map = BTreeMap::new();
    for (labels, value) in vector {
        let key = matching.of(&labels);
        let text = key.to_string();
        if map.insert(key, (labels, value)).is_some() {
            return Err(EvalError::ManyToMany { labels: text });
        }
    }
    Ok(map)
}

fn join(binary: &Binary, left: Vector, right: Vector) -> Result<Value, EvalError> {
    let right = by_key(&binary.matching, right)?;
    let mut vector = Vec::new();
    for (key, (labels, a)) in by_key(&binary.matching, left)? {
        let Some((_, b)) = right.get(&key) else { continue };
        let is_filter = binary.operator.is_comparison() && !binary.returns_bool;
        if is_filter && !holds(binary.operator, a, *b) {
            continue;
        }
        let name = if is_filter && matches!(binary.matching, Grouping::Without(_)) { labels.name() } else { "" };
        let value = if is_filter { a } else { compute(binary.operator, a, *b) };
        vector.push((key.with(NAME, name), value));
    }
    Ok(Value::Vector(sorted(vector)?))
}

fn set(binary: &Binary, left: Vector, right: &[(Labels, f64)]) -> Result<Vector, EvalError> {
    let keys = |vector: &[(Labels, f64)]| -> std::collections::BTreeSet<Labels> {
        vector.iter().map(|(labels, _)| binary.matching.of(labels)).collect()
    };
    if binary.operator == Operator::Or {
        let have = keys(&left);
        let others = right.iter().filter(|(labels, _)| !have.contains(&binary.matching.of(labels))).cloned();
        return sorted(left.into_iter().chain(others).collect());
    }
    let (of_right, wanted) = (keys(right), binary.operator == Operator::And);
    Ok(left.into_iter().filter(|(labels, _)| of_right.contains(&binary.matching.of(labels)) == wanted).collect())
}
