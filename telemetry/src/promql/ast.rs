//! A query as a tree.

use regex::Regex;

use crate::labels::Labels;

/// A query that was read.
#[derive(Debug, Clone)]
pub struct Expr {
    pub(super) kind: ExprKind,
    pub(super) at: usize,
}

#[derive(Debug, Clone)]
pub(super) enum ExprKind {
    Number(f64),
    Selector(Selector),
    Negative(Box<Expr>),
    Call(Function, Vec<Expr>),
    Aggregate(Aggregation, Grouping, Box<Expr>),
    Binary(Box<Binary>),
}

/// What an expression gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Scalar,
    Instant,
    Range,
}

impl Expr {
    pub(super) fn type_of(&self) -> Type {
        match &self.kind {
            ExprKind::Number(_) | ExprKind::Call(Function::Scalar | Function::Time, _) => Type::Scalar,
            ExprKind::Selector(selector) if selector.range_ms.is_some() => Type::Range,
            ExprKind::Selector(_) | ExprKind::Aggregate(..) | ExprKind::Call(..) => Type::Instant,
            ExprKind::Negative(inner) => inner.type_of(),
            ExprKind::Binary(binary) => match (binary.left.type_of(), binary.right.type_of()) {
                (Type::Scalar, Type::Scalar) => Type::Scalar,
                _ => Type::Instant,
            },
        }
    }

    /// Names of the metrics that it reads, where selectors say them.
    pub fn metric_names(&self) -> Vec<&str> {
        match &self.kind {
            ExprKind::Number(_) => Vec::new(),
            ExprKind::Selector(selector) => selector.matchers.iter().filter_map(Matcher::name).collect(),
            ExprKind::Negative(inner) | ExprKind::Aggregate(.., inner) => inner.metric_names(),
            ExprKind::Call(_, arguments) => arguments.iter().flat_map(Self::metric_names).collect(),
            ExprKind::Binary(binary) => {
                let mut names = binary.left.metric_names();
                names.extend(binary.right.metric_names());
                names
            }
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Selector {
    pub(super) matchers: Vec<Matcher>,
    pub(super) range_ms: Option<i64>,
    pub(super) offset_ms: i64,
}

impl Selector {
    pub(super) fn takes(&self, labels: &Labels) -> bool {
        self.matchers.iter().all(|matcher| matcher.takes(labels))
    }
}

#[derive(Debug, Clone)]
pub(super) enum Test {
    Equal(String),
    NotEqual(String),
    Like(Regex),
    NotLike(Regex),
}

#[derive(Debug, Clone)]
pub(super) struct Matcher {
    pub(super) label: String,
    pub(super) test: Test,
}

impl Matcher {
    fn takes(&self, labels: &Labels) -> bool {
        let value = labels.get(&self.label).unwrap_or_default();
        match &self.test {
            Test::Equal(text) => value == text,
            Test::NotEqual(text) => value != text,
            Test::Like(regex) => regex.is_match(value),
            Test::NotLike(regex) => !regex.is_match(value),
        }
    }

    /// Whether a series without the label passes.
    pub(super) fn takes_nothing(&self) -> bool {
        self.takes(&Labels::default())
    }

    fn name(&self) -> Option<&str> {
        match &self.test {
            Test::Equal(text) if self.label == crate::labels::NAME => Some(text),
            _ => None,
        }
    }

    /// Label and value of an equality, for the labels of `absent`.
    pub(super) fn equality(&self) -> Option<(&str, &str)> {
        match &self.test {
            Test::Equal(text) if self.label != crate::labels::NAME => Some((&self.label, text)),
            _ => None,
        }
    }
}

/// Names in the text and what they stand for.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($word:literal => $variant:ident,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum $name { $($variant,)* }
        impl $name {
            pub(super) fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

words! { Aggregation {
    "sum" => Sum, "avg" => Avg, "min" => Min, "max" => Max, "count" => Count, "stddev" => Stddev,
} }

words! { Function {
    "rate" => Rate, "increase" => Increase, "delta" => Delta, "changes" => Changes, "resets" => Resets,
    "avg_over_time" => AvgOverTime, "min_over_time" => MinOverTime, "max_over_time" => MaxOverTime,
    "sum_over_time" => SumOverTime, "count_over_time" => CountOverTime, "last_over_time" => LastOverTime,
    "stddev_over_time" => StddevOverTime, "absent" => Absent, "abs" => Abs, "ceil" => Ceil, "floor" => Floor,
    "clamp_min" => ClampMin, "clamp_max" => ClampMax, "vector" => Vector, "scalar" => Scalar, "time" => Time,
} }

impl Function {
    /// Types of its arguments.
    pub(super) const fn arguments(self) -> &'static [Type] {
        match self {
            Self::Absent | Self::Abs | Self::Ceil | Self::Floor | Self::Scalar => &[Type::Instant],
            Self::ClampMin | Self::ClampMax => &[Type::Instant, Type::Scalar],
            Self::Vector => &[Type::Scalar],
            Self::Time => &[],
            _ => &[Type::Range],
        }
    }
}

words! { Operator {
    "+" => Add, "-" => Sub, "*" => Mul, "/" => Div, "%" => Mod, "^" => Pow,
    "==" => Equal, "!=" => NotEqual, ">" => Greater, "<" => Less, ">=" => GreaterEqual, "<=" => LessEqual,
    "and" => And, "or" => Or, "unless" => Unless,
} }

impl Operator {
    pub(super) const fn is_comparison(self) -> bool {
        use Operator::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        matches!(self, Equal | NotEqual | Greater | Less | GreaterEqual | LessEqual)
    }

    pub(super) const fn is_set(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Unless)
    }

    /// Larger binds closer.
    pub(super) const fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And | Self::Unless => 2,
            Self::Add | Self::Sub => 4,
            Self::Mul | Self::Div | Self::Mod => 5,
            Self::Pow => 6,
            _ => 3,
        }
    }
}

/// Which labels stay in an aggregate, or join two sides.
#[derive(Debug, Clone)]
pub(super) enum Grouping {
    /// These only: `by`, `on`.
    Only(Vec<String>),
    /// All others but the name: `without`, `ignoring`.
    Without(Vec<String>),
}

impl Grouping {
    pub(super) fn of(&self, labels: &Labels) -> Labels {
        let is_listed = |list: &[String], name: &str| list.iter().any(|listed| listed == name);
        match self {
            Self::Only(list) => labels.keep(|name| is_listed(list, name)),
            Self::Without(list) => labels.keep(|name| name != crate::labels::NAME && !is_listed(list, name)),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Binary {
    pub(super) operator: Operator,
    pub(super) left: Expr,
    pub(super) right: Expr,
    pub(super) returns_bool: bool,
    pub(super) matching: Grouping,
}
