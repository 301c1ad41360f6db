//! Pages of the charts of the What-if view.

use egui::{Pos2, Rect, Ui, UiBuilder, Vec2};
use widgets::panel::Panel;

use crate::samples::{compare, links, roofline, systolic, timeline};

/// Place, size, title, caption and contents of a panel.
type Part = ([f32; 2], [f32; 2], &'static str, &'static str, fn(&mut Ui));

const TIMELINES: [Part; 5] = [
    ([16.0, 16.0], [780.0, 360.0], "Step timeline", "one layer in view", timeline::layer),
    ([808.0, 16.0], [776.0, 360.0], "Whole", "a span is selected", timeline::whole),
    ([16.0, 392.0], [780.0, 340.0], "100,000 spans", "bands where spans are finer than the picture", timeline::dense),
    ([808.0, 392.0], [380.0, 340.0], "Stale", "newer numbers are on their way", timeline::stale),
    ([1200.0, 392.0], [384.0, 340.0], "Nothing yet", "", timeline::nothing),
];

const COMPARISONS: [Part; 4] = [
    ([16.0, 16.0], [560.0, 370.0], "Comparison", "simulated, ±8 % on step time", compare::four),
    ([592.0, 16.0], [560.0, 370.0], "New inputs", "two scenarios are computed anew", compare::stale),
    ([1168.0, 16.0], [416.0, 370.0], "Alone", "", compare::one),
    ([16.0, 402.0], [1136.0, 110.0], "Estimates", "value, low to high", compare::estimates),
];

pub(crate) fn comparisons(ui: &mut Ui) {
    panels(ui, &COMPARISONS);
}

const ROOFLINES: [Part; 4] = [
    ([16.0, 16.0], [700.0, 500.0], "Roofline", "area of a point is its share of the step", roofline::hbm),
    ([728.0, 16.0], [420.0, 320.0], "ICI", "", roofline::ici),
    ([1160.0, 16.0], [424.0, 320.0], "DCN", "nothing to show", roofline::idle),
    ([728.0, 352.0], [420.0, 320.0], "Stale", "newer numbers are on their way", roofline::stale),
];

pub(crate) fn rooflines(ui: &mut Ui) {
    panels(ui, &ROOFLINES);
}

const ARRAYS: [Part; 3] = [
    ([16.0, 16.0], [460.0, 420.0], "Systolic array", "12×16, a wave of work", systolic::wave),
    ([488.0, 16.0], [460.0, 420.0], "Motion reduced", "weights of the second fold", systolic::loading),
    ([960.0, 16.0], [460.0, 420.0], "256×256", "as large as they get", systolic::large),
];

pub(crate) fn arrays(ui: &mut Ui) {
    panels(ui, &ARRAYS);
}

const LINKS: [Part; 4] = [
    ([16.0, 16.0], [780.0, 560.0], "Traffic between cubes", "8×16×16", links::cubes),
    ([808.0, 16.0], [776.0, 560.0], "Traffic between chips", "4×4×8, wraps along z", links::chips),
    ([16.0, 592.0], [780.0, 560.0], "9,216 chips", "16×24×24", links::largest),
    ([808.0, 592.0], [776.0, 560.0], "Flat", "8×8, no wraps", links::flat),
];

pub(crate) fn traffic(ui: &mut Ui) {
    panels(ui, &LINKS);
}

pub(crate) fn timelines(ui: &mut Ui) {
    panels(ui, &TIMELINES);
}

fn panels(ui: &mut Ui, parts: &[Part]) {
    for &(min, size, title, caption, contents) in parts {
        let area = Rect::from_min_size(Pos2::from(min), Vec2::from(size));
        let place = UiBuilder::new().id_salt(min.map(f32::to_bits)).max_rect(area);
        ui.scope_builder(place, |ui| {
            let panel = Panel::new(title).caption(caption);
            let panel = if title == "Estimates" { panel } else { panel.flush() };
            panel.show(ui, contents);
        });
    }
}
