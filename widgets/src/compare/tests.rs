//! What a comparison says, and how it answers to pointer and keyboard.

use egui::{Key, Vec2, vec2};

use super::model::Standing;
use super::*;
use crate::drive::{Do, drive};

const SIZE: Vec2 = vec2(540.0, 300.0);

fn metric(better: Better, change: Change, values: &[Option<f64>]) -> Metric {
    let cell = |value: f64| Cell { text: value.to_string(), value, band: None };
    Metric {
        name: "Step time".to_owned(),
        unit: "ms".to_owned(),
        better,
        change,
        cells: values.iter().map(|value| value.map(cell)).collect(),
    }
}

fn model(metrics: Vec<Metric>) -> Compare {
    let scenario = |name: &str| Scenario { name: name.to_owned(), lines: [String::new(), String::new()], stale: false };
    Compare {
        name: "scenarios".to_owned(),
        scenarios: vec![scenario("Baseline"), scenario("A")],
        metrics,
        chosen: None,
    }
}

fn said(metric: &Metric) -> Vec<String> {
    (0..metric.cells.len()).map(|n| metric.verdict(n).text().replace('\u{A0}', " ")).collect()
}

/// Protects: better and worse follow the direction of the metric, and the best is called so once there is a choice.
#[test]
fn better_and_worse_follow_the_direction() {
    let values = [Some(100.0), Some(57.0), Some(112.0), None];
    let lower = metric(Better::Lower, Change::Relative, &values);
    assert_eq!(said(&lower), ["", "−43 % best", "+12 % worse", ""]);
    let higher = metric(Better::Higher, Change::Amount(0), &values);
    assert_eq!(said(&higher), ["", "−43 worse", "+12 best", ""]);
    let neither = metric(Better::Neither, Change::Amount(1), &values);
    assert_eq!(said(&neither), ["", "−43.0", "+12.0", ""]);
    let share = metric(Better::Higher, Change::Points, &[Some(0.62), Some(0.436), Some(0.62)]);
    assert_eq!(said(&share), ["best", "−18.4 pp worse", "0 pp"]);
    assert_eq!(said(&metric(Better::Lower, Change::Relative, &[Some(1.0)])), [""], "alone nothing is best");
}

/// Protects: nothing is compared with a baseline that was not computed or is zero.
#[test]
fn there_is_no_change_without_a_baseline() {
    assert_eq!(said(&metric(Better::Lower, Change::Relative, &[None, Some(2.0), Some(1.0)])), ["", "", "best"]);
    let zero = metric(Better::Lower, Change::Relative, &[Some(0.0), Some(2.0)]);
    assert_eq!((zero.verdict(1).text(), zero.verdict(1).standing), (String::new(), Standing::Plain));
}

/// Protects: a difference that rounding hides is called neither better nor worse.
#[test]
fn what_rounds_to_nothing_is_no_change() {
    let tiny = metric(Better::Lower, Change::Relative, &[Some(100.0), Some(100.01)]);
    assert_eq!(said(&tiny), ["best", "0 %"]);
}

/// Protects: the cell under the pointer is the one drawn there, arrows lead to its neighbours, and each asks to be
/// explained by click and by Enter.
#[test]
fn cells_are_asked_about_by_click_and_by_keys() {
    let row = || metric(Better::Lower, Change::Relative, &[Some(2.0), Some(1.0)]);
    let model = model(vec![row(), row()]);
    let mut state = CompareState::default();
    let mut middle = egui::Pos2::ZERO;
    let find = CellId { metric: 0, scenario: 1 };
    drive(SIZE, &[Do::Wait], |ui| middle = Layout::new(ui, &model).cell(find).center());
    let steps = [Do::Move(middle), Do::Press(middle), Do::Release(middle)];
    let seen = drive(SIZE, &steps, |ui| show(ui, &model, &mut state));
    assert_eq!((seen[0].hovered, seen[2].clicked), (Some(find), Some(find)));
    assert_eq!(state.explained, Some(find));
    let steps = [Do::Key(Key::Tab), Do::Key(Key::Tab), Do::Key(Key::Tab), Do::Key(Key::ArrowDown), Do::Key(Key::Enter)];
    let seen = drive(SIZE, &steps, |ui| show(ui, &model, &mut state));
    let below = CellId { metric: 1, scenario: 1 };
    assert_eq!(state.focus, below);
    assert_eq!(seen[4].clicked, Some(below));
    assert_eq!(seen[4].explained.as_ref().map(|(at, _)| *at), Some(below));
    assert_eq!(describe(&model, below).replace('\u{A0}', " "), "Step time, A, 1 ms, −50 % best");
}

/// Protects: numbers are never cut: where columns are narrow the words go below, and then the table grows wider.
#[test]
fn columns_never_cut_a_number() {
    let row = metric(Better::Higher, Change::Points, &[Some(0.62), Some(0.436)]);
    let model = model(vec![row]);
    for width in [540.0, 200.0, 120.0, 40.0] {
        let mut layout = None;
        drive(vec2(width, 300.0), &[Do::Wait], |ui| layout = Some(Layout::new(ui, &model)));
        let layout = layout.unwrap();
        let needed = if layout.tight { 56.0 } else { 90.0 };
        assert!(layout.column >= needed, "{width}: {}", layout.column);
        assert_eq!(layout.tight, width < 300.0);
    }
}
