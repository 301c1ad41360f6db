//! Fitting the constants of one chip to measured products.
//!
//! Least mean `|ln(model / measured)|` (so that single bad rows weigh little), searched for by Nelder and Mead's simplex
//! ("A simplex method for function minimization", 1965) from fixed starts: the same rows give the same constants on
//! every machine. Every second row is also predicted by a fit on the others: that error is what to expect of new rows.

mod simplex;

use crate::calibration::{Calibration, Constant, Date, Fitted, Part};
use crate::matmul::Matmul;
use crate::roofline::{Engine, Operands, RooflineError, time};

/// One measured product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurement {
    /// What was computed.
    pub product: Matmul,
    /// Where its operands were.
    pub operands: Operands,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// The constants that are fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Values {
    /// t0, in seconds.
    pub t0_seconds: f64,
    /// η.
    pub mxu_fraction: f64,
    /// β.
    pub hbm_fraction: f64,
    /// ω.
    pub serial_fraction: f64,
}

/// Mean and largest `|model / measured − 1|`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// Mean over the rows.
    pub mean_fraction: f64,
    /// Largest of them.
    pub max_fraction: f64,
}

/// What a fit found.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The constants.
    pub values: Values,
    /// Smallest of the fits on all rows, on the even and on the odd ones, for each constant.
    pub low: Values,
    /// Largest of those fits.
    pub high: Values,
    /// Rows.
    pub points: usize,
    /// Errors with the constants that were in use.
    pub before: Errors,
    /// Errors with the new ones.
    pub after: Errors,
    /// Mean error of even rows under constants from odd ones, and the other way round.
    pub cross_validation_fraction: f64,
    /// Nineteen of twenty rows lie within the estimate divided and multiplied by this.
    pub range_factor: f64,
}

/// Why nothing was fitted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// Four constants need more rows.
    #[error("{rows} rows are too few for four constants; at least {min} are needed", min = MIN_ROWS)]
    TooFew {
        /// How many there are.
        rows: usize,
    },
    /// A search over so many rows takes too long.
    #[error("{rows} rows are too many for a fit; at most {max} are taken", max = MAX_ROWS)]
    TooMany {
        /// How many there are.
        rows: usize,
    },
    /// A time that cannot be.
    #[error("row {row} took {seconds} s; a time is above 0 and finite")]
    Time {
        /// Which one, counted from 1.
        row: usize,
        /// What it says.
        seconds: f64,
    },
    /// A product that the chip cannot do.
    #[error(transparent)]
    Roofline(#[from] RooflineError),
}

/// Fewest rows: twice the constants, so that each half still has as many rows as constants.
pub const MIN_ROWS: usize = 8;
/// Most rows.
pub const MAX_ROWS: usize = 4096;

/// A row as the search sees it: times at full peak and full bandwidth.
#[derive(Clone, Copy)]
struct Point {
    mxu: f64,
    hbm: f64,
    seconds: f64,
}

impl Values {
    fn of(calibration: &Calibration) -> Self {
        Self {
            t0_seconds: calibration.t0_seconds,
            mxu_fraction: calibration.mxu_fraction,
            hbm_fraction: calibration.hbm_fraction,
            serial_fraction: calibration.serial_fraction,
        }
    }

    /// The same constants in a calibration that keeps all else.
    pub fn on(self, calibration: Calibration) -> Calibration {
        Calibration {
            t0_seconds: self.t0_seconds,
            mxu_fraction: self.mxu_fraction,
            hbm_fraction: self.hbm_fraction,
            serial_fraction: self.serial_fraction,
            ..calibration
        }
    }

    /// From places between 0 and 1 on scales of each constant's own.
    fn at(place: [f64; 4]) -> Self {
        let [t0, mxu, hbm, serial] = place.map(|x| x.clamp(0.0, 1.0));
        Self {
            t0_seconds: libm::pow(10.0, -8.0 + 5.0 * t0),
            mxu_fraction: libm::pow(10.0, 1.7 * (mxu - 1.0)),
            hbm_fraction: libm::pow(10.0, 1.7 * (hbm - 1.0)),
            serial_fraction: serial,
        }
    }

    fn seconds(&self, point: Point) -> f64 {
        let (mxu, hbm) = (point.mxu / self.mxu_fraction, point.hbm / self.hbm_fraction);
        self.t0_seconds + mxu.max(hbm) + self.serial_fraction * mxu.min(hbm)
    }

    fn errors(&self, points: &[Point]) -> Errors {
        let each = points.iter().map(|point| (self.seconds(*point) / point.seconds - 1.0).abs());
        let (sum, max) = each.fold((0.0, 0.0), |(sum, max): (f64, f64), error| (sum + error, max.max(error)));
        Errors { mean_fraction: sum / points.len() as f64, max_fraction: max }
    }

    fn each(self, other: Self, choose: fn(f64, f64) -> f64) -> Self {
        Self {
            t0_seconds: choose(self.t0_seconds, other.t0_seconds),
            mxu_fraction: choose(self.mxu_fraction, other.mxu_fraction),
            hbm_fraction: choose(self.hbm_fraction, other.hbm_fraction),
            serial_fraction: choose(self.serial_fraction, other.serial_fraction),
        }
    }
}

/// Fits the constants of an engine to measured products. The order of the rows decides only which half each is in.
///
/// # Errors
/// If there are too few or too many rows, a time that cannot be, or no peak for a number format.
pub fn fit(rows: &[Measurement], engine: &Engine) -> Result<Fit, FitError> {
    if rows.len() < MIN_ROWS {
        return Err(FitError::TooFew { rows: rows.len() });
    }
    if rows.len() > MAX_ROWS {
        return Err(FitError::TooMany { rows: rows.len() });
    }
    let points = points(rows, engine)?;
    let (overlapped, free) = (Halves::of(&points, false), Halves::of(&points, true));
    // A fourth constant has to earn its place on rows that it has not seen.
    let chosen = if free.crossed < GAIN * overlapped.crossed { free } else { overlapped };
    let values = chosen.all;
    let mut ratios: Vec<f64> = points.iter().map(|point| off_by(values.seconds(*point), point.seconds)).collect();
    ratios.sort_by(f64::total_cmp);
    Ok(Fit {
        values,
        low: values.each(chosen.even, f64::min).each(chosen.odd, f64::min),
        high: values.each(chosen.even, f64::max).each(chosen.odd, f64::max),
        points: points.len(),
        before: Values::of(engine.calibration()).errors(&points),
        after: values.errors(&points),
        cross_validation_fraction: chosen.crossed,
        range_factor: ratios[(ratios.len() * 19 / 20).min(ratios.len() - 1)].clamp(1.05, 10.0),
    })
}

/// ω is kept only if it brings the error on rows left out below this share of what it is without.
const GAIN: f64 = 0.9;

/// Fits on all rows, on the even and on the odd ones.
struct Halves {
    all: Values,
    even: Values,
    odd: Values,
    /// Mean error of each half under the constants of the other.
    crossed: f64,
}

impl Halves {
    fn of(points: &[Point], with_serial: bool) -> Self {
        let half = |parity: usize| -> Vec<Point> { points.iter().skip(parity).step_by(2).copied().collect() };
        let (even, odd) = (half(0), half(1));
        let (by_even, by_odd) = (search(&even, with_serial), search(&odd, with_serial));
        let errors = |values: Values, rows: &[Point]| values.errors(rows).mean_fraction * rows.len() as f64;
        let crossed = (errors(by_even, &odd) + errors(by_odd, &even)) / points.len() as f64;
        Self { all: search(points, with_serial), even: by_even, odd: by_odd, crossed }
    }
}

impl Fit {
    /// The entry of a calibration file for what was fitted.
    pub fn entry(&self, (generation, part): (&str, Part), date: Date, source: &str) -> Fitted {
        let constant = |of: fn(&Values) -> f64| {
            Some(Constant {
                value: of(&self.values),
                low: of(&self.low),
                high: of(&self.high),
                date,
                source: source.to_owned(),
                points: self.points as u32,
                fit_error_fraction: Some(self.after.mean_fraction),
            })
        };
        Fitted {
            range_factor: Some(self.range_factor),
            t0_seconds: constant(|values| values.t0_seconds),
            mxu_fraction: constant(|values| values.mxu_fraction),
            hbm_fraction: constant(|values| values.hbm_fraction),
            serial_fraction: constant(|values| values.serial_fraction).filter(|serial| serial.high > 0.0),
            ..Fitted::empty(generation, part)
        }
    }
}

fn off_by(model: f64, measured: f64) -> f64 {
    (model / measured).max(measured / model)
}

fn points(rows: &[Measurement], engine: &Engine) -> Result<Vec<Point>, FitError> {
    let full = Values { t0_seconds: 0.0, mxu_fraction: 1.0, hbm_fraction: 1.0, serial_fraction: 0.0 };
    let engine = engine.clone().with_calibration(Some(full.on(engine.calibration().clone())));
    let point = |(i, row): (usize, &Measurement)| {
        if !(row.seconds.is_finite() && row.seconds > 0.0) {
            return Err(FitError::Time { row: i + 1, seconds: row.seconds });
        }
        let found = time(&row.product, &engine, row.operands)?;
        Ok(Point { mxu: found.mxu_seconds.get(), hbm: found.hbm_seconds.get(), seconds: row.seconds })
    };
    rows.iter().enumerate().map(point).collect()
}

fn search(points: &[Point], with_serial: bool) -> Values {
    let values_at =
        |[t0, mxu, hbm, serial]: [f64; 4]| Values::at([t0, mxu, hbm, if with_serial { serial } else { 0.0 }]);
    let cost = |place: [f64; 4]| {
        let values = values_at(place);
        let off = points.iter().map(|point| libm::log(off_by(values.seconds(*point), point.seconds)));
        // Where the rows do not tell, full overlap; and no place outside the scales.
        let outside: f64 = place.iter().map(|x| (x - x.clamp(0.0, 1.0)).abs()).sum();
        off.sum::<f64>() / points.len() as f64 + 1e-4 * values.serial_fraction + outside
    };
    let mut best = ([0.5; 4], f64::INFINITY);
    for t0 in [0.35, 0.65] {
        for mxu in [0.75, 0.95] {
            for hbm in [0.75, 0.95] {
                for serial in [0.0, 0.4].into_iter().take(if with_serial { 2 } else { 1 }) {
                    let found = simplex::minimise(&cost, [t0, mxu, hbm, serial]);
                    if found.1 < best.1 {
                        best = found;
                    }
                }
            }
        }
    }
    values_at(best.0)
}

#[cfg(test)]
mod tests;
