//! Groups of rows and the gates that they must pass.

use super::{Compared, off};

/// A group of rows of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Cycles of the bare systolic array.
    Systolic,
    /// Worked examples of the roofline.
    WorkedRoofline,
    /// Worked examples of collectives.
    WorkedCollectives,
    /// Worked figures of whole slices and pods.
    WorkedSlices,
    /// Measured products on one chip or device.
    Gemm,
    /// Measured products on one `TensorCore`.
    GemmCore,
    /// Measured copies through main memory.
    Hbm,
    /// Measured element-wise operations.
    ElementWise,
    /// Measured collectives, with the constants of their generation.
    Collectives,
    /// The same without constants.
    CollectivesUncalibrated,
}

impl Group {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Systolic,
        Self::WorkedRoofline,
        Self::WorkedCollectives,
        Self::WorkedSlices,
        Self::Gemm,
        Self::GemmCore,
        Self::Hbm,
        Self::ElementWise,
        Self::Collectives,
        Self::CollectivesUncalibrated,
    ];

    /// Stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Systolic => "systolic cycles",
            Self::WorkedRoofline => "worked roofline",
            Self::WorkedCollectives => "worked collectives",
            Self::WorkedSlices => "worked slices",
            Self::Gemm => "gemm",
            Self::GemmCore => "gemm, one core",
            Self::Hbm => "hbm copies",
            Self::ElementWise => "element-wise",
            Self::Collectives => "collectives",
            Self::CollectivesUncalibrated => "collectives, uncalibrated",
        }
    }

    /// Largest mean error; `None` where instead each row must be within its own tolerance.
    pub const fn gate_fraction(self) -> Option<f64> {
        match self {
            Self::Systolic => Some(0.0),
            Self::WorkedRoofline | Self::WorkedCollectives | Self::WorkedSlices => None,
            Self::Gemm => Some(0.08),
            Self::GemmCore | Self::ElementWise => Some(0.20),
            Self::Hbm => Some(0.05),
            Self::Collectives => Some(0.10),
            Self::CollectivesUncalibrated => Some(0.35),
        }
    }

    /// Largest error of a single row; `None` where none is set.
    pub const fn max_gate_fraction(self) -> Option<f64> {
        match self {
            Self::Gemm => Some(0.30),
            _ => None,
        }
    }

    /// How far a row may be off if it does not say so itself.
    pub(super) const fn default_tolerance(self) -> f64 {
        match self.gate_fraction() {
            Some(gate) => gate,
            None => 0.01,
        }
    }
}

/// How well the model does on a group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupReport {
    /// Which group.
    pub group: Group,
    /// Rows in it.
    pub rows: usize,
    /// Rows within their own tolerance.
    pub within: usize,
    /// Mean of `|model / published − 1|`.
    pub mape_fraction: f64,
    /// Largest of them.
    pub max_fraction: f64,
    /// Mean error of the model without constants; `None` where a row has none.
    pub null_model_mape_fraction: Option<f64>,
    /// Mean error of that model times the one factor that fits these rows best: constant efficiency.
    pub constant_efficiency_mape_fraction: Option<f64>,
    /// Whether the gates are passed.
    pub passed: bool,
}

/// Reports of the groups that have rows.
pub(super) fn reports(all: &[&Compared]) -> Vec<GroupReport> {
    let of = |group: Group| all.iter().copied().filter(move |one| one.group == group).collect::<Vec<_>>();
    Group::ALL.into_iter().map(|group| (group, of(group))).filter(|(_, rows)| !rows.is_empty()).map(report).collect()
}

fn report((group, rows): (Group, Vec<&Compared>)) -> GroupReport {
    let mean = |each: &mut dyn Iterator<Item = f64>| each.sum::<f64>() / rows.len() as f64;
    let mape_fraction = mean(&mut rows.iter().map(|row| row.error_fraction()));
    let max_fraction = rows.iter().map(|row| row.error_fraction()).fold(0.0, f64::max);
    let within = rows.iter().filter(|row| row.is_within()).count();
    let null: Option<Vec<(f64, f64)>> = rows.iter().map(|row| Some((row.null_model?, row.published))).collect();
    let with_factor = |factor: f64, pairs: &[(f64, f64)]| mean(&mut pairs.iter().map(|(n, p)| off(n * factor, *p)));
    let passed = match group.gate_fraction() {
        Some(gate) => mape_fraction <= gate && group.max_gate_fraction().is_none_or(|max| max_fraction <= max),
        None => within == rows.len(),
    };
    GroupReport {
        group,
        rows: rows.len(),
        within,
        mape_fraction,
        max_fraction,
        null_model_mape_fraction: null.as_deref().map(|pairs| with_factor(1.0, pairs)),
        constant_efficiency_mape_fraction: null.as_deref().map(|pairs| best_factor(pairs, with_factor)),
        passed,
    }
}

/// Least mean error over all factors: one of the rows' own is always among the best.
fn best_factor(pairs: &[(f64, f64)], error: impl Fn(f64, &[(f64, f64)]) -> f64) -> f64 {
    // Beyond so many rows, every n-th factor is as good.
    let step = pairs.len().div_ceil(500);
    let factors = pairs.iter().step_by(step).map(|(null, published)| published / null);
    factors.map(|factor| error(factor, pairs)).fold(f64::INFINITY, f64::min)
}
