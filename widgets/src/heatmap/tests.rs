//! A heat map under a pointer.

use egui::{Key, Rect, pos2, vec2};

use super::*;
use crate::colormap::Map;
use crate::drive::{Do, drive};
use crate::legend::Scale;

const SIZE: egui::Vec2 = vec2(900.0, 400.0);

fn model() -> Heatmap {
    Heatmap {
        name: "load by cube".to_owned(),
        columns: 100,
        rows: 8,
        values: (0..800).map(|n| (n != 205).then_some(n as f32 / 800.0)).collect(),
        scale: Scale::new(Map::Viridis, 0.0, 1.0),
        row_names: (0..8).map(|n| format!("cube {n}")).collect(),
        groups: vec![Group { label: "all".to_owned(), rows: 8 }],
        row_title: "cube".to_owned(),
        mean: None,
        ticks: Vec::new(),
        alerts: Vec::new(),
        marks: Vec::new(),
        shared_hover: None,
        revision: 1,
    }
}

/// The middle of a cell.
fn middle(column: usize, row: usize) -> egui::Pos2 {
    let layout = Layout::new(&model(), &HeatmapState::default(), Rect::from_min_size(pos2(0.0, 0.0), SIZE));
    layout.stretch(row, [column, column + 1]).center()
}

/// Protects: the cell under the pointer is the one that is drawn there, and a missing one has no value.
#[test]
fn the_pointer_finds_the_cell_that_is_drawn() {
    let mut state = HeatmapState::default();
    let steps = [Do::Move(middle(40, 3)), Do::Move(middle(5, 2)), Do::Move(pos2(5.0, 5.0))];
    let seen = drive(SIZE, &steps, |ui| show(ui, &model(), &mut state));
    assert_eq!((seen[0].hovered, seen[0].hovered_value), (Some((40, 3)), Some(340.0 / 800.0)));
    assert_eq!((seen[1].hovered, seen[1].hovered_value), (Some((5, 2)), None));
    assert_eq!(seen[2].hovered, None);
}

/// Protects: a drag along the time axis zooms to its range, and Home shows everything again.
#[test]
fn a_drag_zooms_to_its_range_and_home_goes_back() {
    let mut state = HeatmapState::default();
    let (from, to) = (middle(20, 1), middle(59, 6));
    let steps = [Do::Move(from), Do::Press(from), Do::Move(to), Do::Release(to), Do::Wait];
    let seen = drive(SIZE, &steps, |ui| show(ui, &model(), &mut state));
    assert_eq!(seen.iter().find_map(|output| output.range), Some([20, 60]));
    assert!((state.view[0] - 0.2).abs() < 0.011 && (state.view[1] - 0.6).abs() < 0.011, "{:?}", state.view);
    let click = [Do::Press(from), Do::Release(from), Do::Key(Key::Home), Do::Wait];
    drive(SIZE, &click, |ui| show(ui, &model(), &mut state));
    assert_eq!(state.view, [0.0, 1.0]);
}
