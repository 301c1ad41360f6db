//! Where values stand on the two logarithmic axes.

use egui::{Pos2, Rect, pos2};

use super::model::{Roofline, Tab};

/// Room for the axis numbers and titles: left, above, right, below.
const LEFT: f32 = 56.0;
const ABOVE: f32 = 28.0;
const RIGHT: f32 = 16.0;
const BELOW: f32 = 44.0;
/// Air around the outermost values, in decades.
const AIR: f64 = 0.3;
/// Least length of an axis, in decades.
const LEAST: f64 = 2.0;
/// Radius of a point that takes the whole time, and of the smallest one.
const RADIUS: [f32; 2] = [26.0, 4.0];

/// The places of one chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layout {
    /// The room of the data.
    pub plot: Rect,
    /// Lowest and highest intensity, as powers of ten of FLOP per byte.
    pub x: [f64; 2],
    /// Lowest and highest rate, as powers of ten of FLOP/s.
    pub y: [f64; 2],
}

/// From the lowest to the highest of some positive values in decades, with air around them.
fn decades(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let ends = values
        .map(libm::log10)
        .filter(|power| power.is_finite())
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], power| [low.min(power), high.max(power)]);
    if ends[0] > ends[1] {
        return [0.0, LEAST];
    }
    let missing = (LEAST - (ends[1] - ends[0] + 2.0 * AIR)).max(0.0) / 2.0;
    [ends[0] - AIR - missing, ends[1] + AIR + missing]
}

impl Layout {
    pub(super) fn new(model: &Roofline, tab: &Tab, area: Rect) -> Self {
        let plot = Rect::from_min_max(
            pos2((area.left() + LEFT).round(), (area.top() + ABOVE).round()),
            pos2((area.right() - RIGHT).round().max(area.left() + LEFT + 1.0), area.bottom().round() - BELOW),
        );
        let points = || tab.points.iter().filter(|point| point.has_place());
        let knee = model.knee(tab);
        let x = decades(points().map(|point| point.flop_per_byte).chain([knee / 10.0, knee * 5.0]));
        // The roof at the left edge is in view, so that its diagonal begins there.
        let y = decades(
            points().map(|point| point.flop_per_s).chain([model.peak_flop_per_s, model.roof(tab, knee / 10.0)]),
        );
        Self { plot, x, y }
    }

    /// Where a value stands.
    pub(super) fn at(&self, flop_per_byte: f64, flop_per_s: f64) -> Pos2 {
        let share = |value: f64, [low, high]: [f64; 2]| ((libm::log10(value) - low) / (high - low)) as f32;
        pos2(
            self.plot.left() + share(flop_per_byte, self.x) * self.plot.width(),
            self.plot.bottom() - share(flop_per_s, self.y) * self.plot.height(),
        )
    }

    /// The roof, at a share of it: left edge, knee, right edge.
    pub(super) fn roof(&self, model: &Roofline, tab: &Tab, share: f64) -> [Pos2; 3] {
        [self.x[0], libm::log10(model.knee(tab)), self.x[1]].map(|power| {
            let intensity = libm::exp10(power);
            self.at(intensity, model.roof(tab, intensity) * share)
        })
    }

    /// Radius of a point: its area is its share of the time. Points are smaller in small charts.
    pub(super) fn radius(&self, share: f64) -> f32 {
        let largest = RADIUS[0].min(self.plot.width() * 0.06);
        (largest * libm::sqrt(share.clamp(0.0, 1.0)) as f32).max(RADIUS[1])
    }
}
