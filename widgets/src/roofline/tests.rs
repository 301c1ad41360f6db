//! Where the roof and the points stand, and how the chart answers.

use egui::{Key, Rect, Vec2, pos2, vec2};

use super::*;
use crate::drive::{Do, drive};
use crate::timeline::Kind;

const SIZE: Vec2 = vec2(600.0, 400.0);

fn model() -> Roofline {
    let point = |name: &str, flop_per_byte: f64, flop_per_s: f64, share: f64| Point {
        name: name.to_owned(),
        flop_per_byte,
        flop_per_s,
        share,
        kind: Kind::Matmul,
    };
    Roofline {
        name: "one chip".to_owned(),
        peak_flop_per_s: 2.307e15,
        peak_name: "bf16 peak".to_owned(),
        reached: Some(0.62),
        tabs: vec![Tab {
            name: "HBM".to_owned(),
            bytes_per_s: 7.38e12,
            points: vec![
                point("down", 1000.0, 1.4e15, 0.5),
                point("norm", 2.0, 9e12, 0.01),
                point("inside", 1000.0, 1.4e15, 0.01),
                point("no traffic", f64::INFINITY, 1e15, 0.1),
            ],
            idle: String::new(),
        }],
        stale: false,
    }
}

fn layout(model: &Roofline) -> Layout {
    Layout::new(model, &model.tabs[0], Rect::from_min_size(pos2(0.0, 0.0), SIZE))
}

/// Protects: the roof is min(peak, intensity · bandwidth), with the knee where both meet.
#[test]
fn the_roof_bends_at_the_knee() {
    let model = model();
    let tab = &model.tabs[0];
    let knee = model.knee(tab);
    assert!((knee - 312.6).abs() < 0.1, "{knee}");
    assert_eq!(model.roof(tab, knee * 4.0), 2.307e15);
    assert!((model.roof(tab, 10.0) - 7.38e13).abs() < 1.0);
    let [left, at_knee, right] = layout(&model).roof(&model, tab, 1.0);
    assert_eq!(at_knee.y, right.y);
    assert!(left.x < at_knee.x && left.y > at_knee.y);
}

/// Protects: a decade has the same length everywhere, and everything with a place stands inside.
#[test]
fn decades_are_even_and_everything_is_inside() {
    let model = model();
    let layout = layout(&model);
    let x = |power: f64| layout.at(libm::exp10(power), 1e14).x;
    assert!((x(1.0) - x(0.0) - (x(3.0) - x(2.0))).abs() < 0.01);
    for point in model.tabs[0].points.iter().filter(|point| point.has_place()) {
        assert!(layout.plot.contains(layout.at(point.flop_per_byte, point.flop_per_s)), "{}", point.name);
    }
    assert!((layout.radius(0.5) / layout.radius(0.125) - 2.0).abs() < 1e-3, "areas are shares");
}

/// Protects: a small point before a large one is the one that is picked; what has no place is never picked or walked to.
#[test]
fn points_are_picked_and_walked_through() {
    let model = model();
    let mut state = RooflineState::default();
    let p = layout(&model).at(1000.0, 1.4e15);
    let aside = p + vec2(14.0, 0.0);
    let steps = [Do::Move(p), Do::Press(aside), Do::Release(aside), Do::Key(Key::ArrowLeft), Do::Key(Key::Enter)];
    let seen = drive(SIZE, &steps, |ui| show(ui, &model, &mut state));
    assert_eq!(seen[0].hovered, Some(2));
    assert_eq!(seen[2].clicked, Some(0));
    assert_eq!(seen[4].clicked, Some(1));
    let steps = [Do::Key(Key::ArrowRight); 8];
    drive(SIZE, &[&[Do::Press(aside), Do::Release(aside)], &steps[..]].concat(), |ui| show(ui, &model, &mut state));
    assert_eq!(state.selected, Some(2));
    let text = describe(&model, 0, Some(1)).replace('\u{A0}', " ");
    assert_eq!(text, "norm, 9.00 TFLOP/s at 2.00 FLOP per byte, 61 % of its HBM roof, 1 % of the time");
}
