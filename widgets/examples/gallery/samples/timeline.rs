//! Steps of a training job as timelines.

use egui::Ui;
use widgets::timeline::{Kind, Lane, Span, SpanId, Stretch, Timeline, TimelineState, show};

/// Seconds of one layer, and what each lane does in it: name, start and length in milliseconds.
const LAYER_S: f64 = 3.43e-3;
const LAYERS: usize = 4;
type Op = (&'static str, f64, f64, Kind);
const MXU: [Op; 9] = [
    ("all-gather W", 0.0, 0.12, Kind::Exposed),
    ("qkv", 0.13, 0.29, Kind::Matmul),
    ("attention", 0.43, 0.42, Kind::Attention),
    ("out", 0.87, 0.23, Kind::Matmul),
    ("reduce-scatter", 1.11, 0.2, Kind::Exposed),
    ("norm", 1.32, 0.03, Kind::Vector),
    ("norm residual", 1.36, 0.03, Kind::Vector),
    ("up, gate", 1.52, 1.1, Kind::Matmul),
    ("down", 2.66, 0.54, Kind::Matmul),
];
const HBM: [Op; 5] = [
    ("W qkv", 0.13, 0.1, Kind::Hbm),
    ("KV", 0.43, 0.38, Kind::Hbm),
    ("W out", 0.87, 0.08, Kind::Hbm),
    ("W up, gate", 1.52, 0.36, Kind::Hbm),
    ("W down", 2.66, 0.2, Kind::Hbm),
];
const ICI_X: [Op; 2] =
    [("reduce-scatter", 1.11, 0.2, Kind::Collective), ("reduce-scatter down", 3.2, 0.22, Kind::Collective)];
const ICI_YZ: [Op; 1] = [("all-gather W of the next layer", 0.02, 2.9, Kind::Collective)];

fn lane(name: &str, ops: &[Op], idle: &str) -> Lane {
    let layer = |layer: usize| {
        ops.iter().map(move |&(name, start_ms, ms, kind)| Span {
            name: name.into(),
            start_s: layer as f64 * LAYER_S + start_ms * 1e-3,
            seconds: ms * 1e-3,
            kind,
        })
    };
    Lane { name: name.to_owned(), spans: (0..LAYERS).flat_map(layer).collect(), idle: idle.to_owned() }
}

fn stretch(name: &str, start_s: f64, seconds: f64) -> Stretch {
    Stretch { name: name.to_owned(), start_s, seconds }
}

/// Four layers of a forward pass, as on the board.
pub(crate) fn layers() -> Timeline {
    let total_s = LAYER_S * LAYERS as f64;
    Timeline {
        name: "step of scenario B, one chip of 2,048".to_owned(),
        whole: "Step".to_owned(),
        total_s,
        lanes: vec![
            lane("MXU", &MXU, ""),
            lane("HBM", &HBM, ""),
            lane("ICI x", &ICI_X, ""),
            lane("ICI y", &ICI_YZ, ""),
            lane("ICI z", &ICI_YZ, ""),
            lane("DCN", &[], "one pod only"),
        ],
        phases: vec![
            stretch("forward", 0.0, total_s * 0.4),
            stretch("backward", total_s * 0.4, total_s * 0.5),
            stretch("optimizer", total_s * 0.9, total_s * 0.1),
        ],
        groups: (0..LAYERS)
            .map(|n| stretch(&format!("layer {} forward", 27 + n), n as f64 * LAYER_S, LAYER_S))
            .collect(),
        stale: false,
        revision: 1,
    }
}

/// The part of the step in which one layer and a bit of the next run.
pub(crate) fn zoomed() -> TimelineState {
    TimelineState { view: [0.25, 0.58], ..TimelineState::default() }
}

pub(crate) fn layer(ui: &mut Ui) {
    show(ui, &layers(), &mut zoomed());
}

pub(crate) fn whole(ui: &mut Ui) {
    let mut state = TimelineState { selected: Some(SpanId { lane: 0, span: 7 }), ..TimelineState::default() };
    show(ui, &layers(), &mut state);
}

pub(crate) fn stale(ui: &mut Ui) {
    show(ui, &Timeline { stale: true, ..layers() }, &mut zoomed());
}

pub(crate) fn nothing(ui: &mut Ui) {
    show(ui, &Timeline { total_s: 0.0, lanes: Vec::new(), ..layers() }, &mut TimelineState::default());
}

/// As many spans as the widget is made for.
pub(crate) fn dense_model(spans: usize) -> Timeline {
    let per_lane = spans / 5;
    let total_s = 0.862;
    let step = total_s / per_lane as f64;
    let fine = |number: usize, name: &str| Lane {
        name: name.to_owned(),
        spans: (0..per_lane)
            .map(|n| {
                let wave = ((n * 2_654_435_761) >> 7) % 97;
                let quiet = n * 9 / per_lane % 3 == number % 3;
                let kind = Kind::ALL[(number + n * 23 / per_lane) % 6];
                let seconds = step * (0.3 + 0.007 * wave as f64) * if quiet { 0.35 } else { 1.0 };
                Span { name: format!("op {n}").into(), start_s: n as f64 * step, seconds, kind }
            })
            .collect(),
        idle: String::new(),
    };
    let names = ["MXU", "HBM", "ICI x", "ICI y", "ICI z"];
    Timeline {
        total_s,
        lanes: names.iter().enumerate().map(|(n, name)| fine(n, name)).collect(),
        phases: Vec::new(),
        groups: Vec::new(),
        ..layers()
    }
}

pub(crate) fn dense(ui: &mut Ui) {
    show(ui, &dense_model(100_000), &mut TimelineState::default());
}
