//! Operations of a training step under the roofs of one chip.

use egui::Ui;
use widgets::roofline::{Point, Roofline, RooflineState, Tab, show};
use widgets::timeline::Kind;

fn points(all: &[(&str, f64, f64, f64, Kind)]) -> Vec<Point> {
    let point = |&(name, flop_per_byte, tflop_per_s, share, kind): &(&str, f64, f64, f64, Kind)| Point {
        name: name.to_owned(),
        flop_per_byte,
        flop_per_s: tflop_per_s * 1e12,
        share,
        kind,
    };
    all.iter().map(point).collect()
}

pub(crate) fn model() -> Roofline {
    let hbm = points(&[
        ("up, gate", 1_180.0, 1_430.0, 0.31, Kind::Matmul),
        ("down", 980.0, 1_410.0, 0.16, Kind::Matmul),
        ("qkv", 690.0, 1_300.0, 0.09, Kind::Matmul),
        ("out", 560.0, 1_240.0, 0.07, Kind::Matmul),
        ("attention", 196.0, 750.0, 0.12, Kind::Attention),
        ("softmax", 5.2, 30.0, 0.03, Kind::Vector),
        ("embedding", 2.6, 15.0, 0.02, Kind::Hbm),
        ("norms", 1.4, 8.6, 0.03, Kind::Vector),
        ("optimizer", 0.72, 4.4, 0.05, Kind::Other),
    ]);
    let ici = points(&[
        ("all-gather W", 9_400.0, 1_420.0, 0.4, Kind::Collective),
        ("reduce-scatter", 2_100.0, 1_200.0, 0.1, Kind::Collective),
    ]);
    let tab = |name: &str, bytes_per_s: f64, points, idle: &str| Tab {
        name: name.to_owned(),
        bytes_per_s,
        points,
        idle: idle.to_owned(),
    };
    Roofline {
        name: "scenario B, one chip".to_owned(),
        peak_flop_per_s: 2.307e15,
        peak_name: "bf16 peak".to_owned(),
        reached: Some(0.62),
        tabs: vec![
            tab("HBM", 7.38e12, hbm, ""),
            tab("ICI", 6e11, ici, ""),
            tab("DCN", 1.25e10, Vec::new(), "one pod only"),
        ],
        stale: false,
    }
}

pub(crate) fn hbm(ui: &mut Ui) {
    show(ui, &model(), &mut RooflineState { tab: 0, selected: Some(0) });
}

pub(crate) fn ici(ui: &mut Ui) {
    show(ui, &model(), &mut RooflineState { tab: 1, selected: None });
}

pub(crate) fn idle(ui: &mut Ui) {
    show(ui, &model(), &mut RooflineState { tab: 2, selected: None });
}

pub(crate) fn stale(ui: &mut Ui) {
    show(ui, &Roofline { stale: true, ..model() }, &mut RooflineState::default());
}
