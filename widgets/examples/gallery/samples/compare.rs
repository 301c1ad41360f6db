//! Scenarios of a training job side by side, with figures that are made up.

use egui::Ui;
use widgets::compare::{Better, Cell, CellId, Change, Compare, CompareState, Metric, Scenario, show};
use widgets::estimate::{Band, Estimate};

fn scenario(name: &str, chip: &str, shape: &str) -> Scenario {
    Scenario { name: name.to_owned(), lines: [chip.to_owned(), shape.to_owned()], stale: false }
}

/// A row; `scale` leads from the texts to the values that are compared, `band` is the half width of the band as a
/// share of the value.
fn metric(
    name: &str,
    unit: &str,
    how: (Better, Change),
    cells: [Option<&str>; 4],
    (scale, band): (f64, f64),
) -> Metric {
    let cell = |text: &str| {
        let value = text.replace(',', "").parse::<f64>().unwrap_or_default() * scale;
        let band = (band > 0.0).then_some([value * (1.0 - band), value * (1.0 + band)]);
        Cell { text: text.to_owned(), value, band }
    };
    Metric {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better: how.0,
        change: how.1,
        cells: cells.iter().map(|text| text.map(cell)).collect(),
    }
}

pub(crate) fn model() -> Compare {
    let lower = (Better::Lower, Change::Relative);
    let row = [Some("1,523"), Some("1,226"), Some("862"), Some("566")];
    Compare {
        name: "pretrain-main".to_owned(),
        scenarios: vec![
            scenario("Baseline", "v5p · 4,096", "16×16×16"),
            scenario("A", "v5p · 6,144", "16×16×24"),
            scenario("B", "TPU7x · 2,048", "8×16×16 twisted"),
            scenario("C", "TPU7x · 4,096", "16×16×16"),
        ],
        metrics: vec![
            metric("Step time", "ms", lower, row, (1.0, 0.08)),
            metric("Energy", "GWh", lower, [Some("4.05"), Some("5.01"), None, Some("2.71")], (1.0, 0.0)),
            metric(
                "MFU",
                "%",
                (Better::Higher, Change::Points),
                [Some("62.0"), Some("51.4"), Some("43.6"), Some("33.2")],
                (0.01, 0.0),
            ),
            metric(
                "HBM per chip",
                "GiB",
                (Better::Neither, Change::Amount(1)),
                [Some("7.9"), Some("5.6"), Some("13.1"), Some("7.9")],
                (1.0, 0.0),
            ),
            metric("Cost per run", "$ M", lower, [Some("28.0"), Some("34.6"), Some("22.4"), Some("30.0")], (1.0, 0.12)),
        ],
        chosen: Some(2),
    }
}

pub(crate) fn four(ui: &mut Ui) {
    let explained = Some(CellId { metric: 2, scenario: 2 });
    let mut state = CompareState { explained, ..CompareState::default() };
    show(ui, &model(), &mut state);
}

/// The first scenarios of the model.
pub(crate) fn first(ui: &mut Ui, count: usize) {
    let mut model = model();
    model.scenarios.truncate(count);
    for metric in &mut model.metrics {
        metric.cells.truncate(count);
    }
    model.chosen = Some(0);
    show(ui, &model, &mut CompareState::default());
}

pub(crate) fn one(ui: &mut Ui) {
    first(ui, 1);
}

/// Narrow, and two scenarios have new inputs.
pub(crate) fn stale(ui: &mut Ui) {
    let mut model = model();
    model.scenarios[2].stale = true;
    model.scenarios[3].stale = true;
    show(ui, &model, &mut CompareState::default());
}

pub(crate) fn estimates(ui: &mut Ui) {
    let step = |low: f64, mid: f64, high: f64| Some(Band { low, mid, high });
    let axis = Some([0.0, 1e-3]);
    let all = [
        Estimate { name: "Step", band: step(793e-3, 862e-3, 931e-3), unit: "s", axis: None, stale: false },
        Estimate { name: "all-gather", band: step(151e-6, 188e-6, 235e-6), unit: "s", axis, stale: false },
        Estimate { name: "reduce-scatter", band: step(310e-6, 402e-6, 620e-6), unit: "s", axis, stale: false },
        Estimate { name: "Older", band: step(310e-6, 402e-6, 620e-6), unit: "s", axis, stale: true },
        Estimate { name: "Hidden", band: None, unit: "s", axis: None, stale: false },
    ];
    ui.spacing_mut().item_spacing.x = 24.0;
    ui.horizontal_wrapped(|ui| {
        for estimate in all {
            ui.add(estimate);
        }
    });
}
