//! The cells that are drawn are those of the cycle, and the controls walk through all cycles.

use egui::{Theme, Ui, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

use super::*;
use crate::raster::render;

const SIZE: Vec2 = vec2(360.0, 320.0);

/// A diagonal that runs through four by six cells in two folds.
fn with_model<T>(reduced_motion: bool, size: [usize; 2], run: impl FnOnce(&Systolic<'_>) -> T) -> T {
    let phase = |name: &str, from, fold| Phase { name: name.to_owned(), from, fold };
    let phases = [phase("load", 0, 0), phase("stream", 4, 0), phase("load", 20, 1), phase("stream", 24, 1)];
    run(&Systolic {
        name: "test",
        size,
        cycles: 40,
        cell: &|cycle, row, column| if (row + column) as u64 == cycle { Cell::Busy } else { Cell::Empty },
        passes: &|cycle, edge, n| edge == Edge::Left && n as u64 == cycle,
        edges: ["activations", "weights", "sums"],
        phases: &phases,
        folds: 2,
        reduced_motion,
        revision: 1,
    })
}

/// Protects: exactly the busy cells of the cycle are drawn as busy, also where a cell is finer than a pixel is wide.
#[test]
fn the_cells_of_the_cycle_are_drawn() {
    for cycle in [0, 3, 8, 30] {
        let mut state = SystolicState { cycle, ..SystolicState::default() };
        let picture = with_model(false, [4, 6], |model| {
            render(SIZE, 1.0, Theme::Dark, |ui| {
                show(ui, model, &mut state);
            })
        });
        let busy = Cell::Busy.color(&Tokens::for_theme(Theme::Dark));
        let area = egui::Rect::from_min_size(egui::pos2(8.0, 8.0), SIZE - vec2(16.0, 16.0 + 36.0));
        let layout = Layout::new([4, 6], area);
        for row in 0..4 {
            for column in 0..6 {
                let middle = layout.place([row, column]).center();
                let is_busy = picture.pixel(middle.x as usize, middle.y as usize) == Some(busy);
                assert_eq!(is_busy, (row + column) as u64 == cycle, "cycle {cycle}, cell {row} {column}");
            }
        }
    }
    let fine = Layout::new([256, 256], egui::Rect::from_min_size(egui::Pos2::ZERO, SIZE));
    assert_eq!(fine.at(fine.place([255, 255]).center()), Some([255, 255]));
    assert!(fine.area.contains_rect(fine.grid));
}

/// Protects: steps of a cycle and of a phase, and where they end.
#[test]
fn buttons_walk_through_cycles_and_phases() {
    let draw = |ui: &mut Ui, state: &mut SystolicState| {
        with_model(true, [4, 6], |model| show(ui, model, state));
    };
    let builder = Harness::builder().with_size(SIZE).with_context_setup(crate::theme::install);
    let mut harness = builder.build_ui_state(draw, SystolicState::default());
    for (button, expected) in [
        ("Next phase", 4),
        ("One cycle on", 5),
        ("Previous phase", 4),
        ("Previous phase", 0),
        ("Next phase", 4),
        ("Next phase", 20),
        ("One cycle back", 19),
        ("Play", 19),
    ] {
        harness.get_by_label(button).click();
        harness.run();
        assert_eq!(harness.state().cycle, expected, "{button}");
    }
    assert!(!harness.state().playing, "motion is reduced");
    harness.get_by_label("Cycle 20 of 40");
}

/// Protects: playing follows the time, loses no part of a cycle, and ends with the last one.
#[test]
fn playing_follows_the_time_and_ends() {
    let mut state = SystolicState { playing: true, speed: 0, ..SystolicState::default() };
    for _ in 0..10 {
        state.pass(0.1, 40);
    }
    assert_eq!(state.cycle, 8, "one second at 8 cycles per second");
    state.pass(100.0, 40);
    assert_eq!((state.cycle, state.playing), (39, false));
    state.pass(1.0, 40);
    assert_eq!(state.cycle, 39);
}
