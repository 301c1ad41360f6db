//! Moments along the time axis as short texts with one unit.

use crate::format::{NBSP, fixed};
use crate::ticks;

/// Units of time from large to small, with their seconds.
const UNITS: [(&str, f64); 4] = [("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)];
/// More decimals than this are cut by counting from a moment in view.
const MOST_DECIMALS: usize = 3;

/// The texts of a time axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    /// Moments in seconds with their texts.
    pub ticks: Vec<(f64, String)>,
    /// The unit of the texts; after a moment that they count from, if there is one: "433 ms + µs".
    pub unit: String,
}

impl Axis {
    /// The axis for a view in seconds, with at most `most` steps.
    pub(super) fn new(view_s: [f64; 2], most: usize) -> Self {
        let Some(step) = ticks::step(view_s[1] - view_s[0], most) else {
            return Self { ticks: Vec::new(), unit: String::new() };
        };
        let (unit, seconds) = unit_of(view_s[1].abs().max(view_s[0].abs()));
        let decimals = ticks::decimals(step / seconds);
        if decimals <= MOST_DECIMALS {
            let text = |moment: f64| fixed(moment / seconds, decimals);
            let ticks = ticks::multiples(view_s[0], view_s[1], step).map(|moment| (moment, text(moment))).collect();
            return Self { ticks, unit: unit.to_owned() };
        }
        let (fine, fine_s) = unit_of(step * 999.0);
        let large = fine_s * 1e3;
        let base = libm::floor(view_s[0] / large + 1e-9) * large;
        let decimals = ticks::decimals(step / fine_s);
        let text = |moment: f64| format!("+{}", fixed((moment - base) / fine_s, decimals));
        let moments = ticks::multiples(view_s[0] - base, view_s[1] - base, step).map(|after| base + after);
        let from = fixed(base / seconds, ticks::decimals(large / seconds));
        Self {
            ticks: moments.map(|moment| (moment, text(moment))).collect(),
            unit: format!("{from}{NBSP}{unit} + {fine}"),
        }
    }
}

/// The unit in which a time is at least 1; the smallest one for shorter times.
fn unit_of(time: f64) -> (&'static str, f64) {
    UNITS.into_iter().find(|&(_, seconds)| time >= seconds * (1.0 - 1e-9)).unwrap_or(UNITS[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(view_s: [f64; 2]) -> (Vec<String>, String) {
        let axis = Axis::new(view_s, 5);
        (axis.ticks.into_iter().map(|(_, text)| text).collect(), axis.unit.replace(NBSP, " "))
    }

    /// Protects: round numbers in the unit that keeps them short, wherever one looks.
    #[test]
    fn an_axis_is_short_at_every_magnification() {
        let words = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(texts([0.0, 0.862]), (words(&["0", "200", "400", "600", "800"]), "ms".to_owned()));
        assert_eq!(texts([0.0, 1.6]), (words(&["0.0", "0.5", "1.0", "1.5"]), "s".to_owned()));
        assert_eq!(
            texts([0.4331, 0.4336]),
            (words(&["433.1", "433.2", "433.3", "433.4", "433.5", "433.6"]), "ms".to_owned())
        );
        let (ticks, unit) = texts([0.433_001_2, 0.433_001_6]);
        assert_eq!((ticks[0].as_str(), unit.as_str()), ("+1.2", "433 ms + µs"));
        assert_eq!(ticks.len(), 5);
        assert_eq!(texts([1.0, 1.0]).0.len(), 0);
    }
}
