//! A timeline under a pointer.

use egui::{Key, Pos2, pos2, vec2};

use super::*;
use crate::drive::{Do, drive};

const SIZE: egui::Vec2 = vec2(1000.0, 600.0);

fn model() -> Gantt {
    let day = |month, day| Day::from_civil(2026, month, day);
    let item = Item {
        id: 7,
        name: "Soak".to_owned(),
        start: day(6, 1),
        end: day(8, 31),
        baseline: None,
        percent: 0,
        p85: None,
        critical: false,
        slip: Slip::None,
    };
    Gantt {
        name: "Launch".to_owned(),
        from: day(1, 1),
        to: day(12, 31),
        today: day(11, 30),
        gates: Vec::new(),
        lanes: vec![Lane { name: "Network".to_owned(), summary: String::new(), items: vec![item] }],
        links: Vec::new(),
        baseline: None,
        show_critical: true,
        show_forecast: true,
        selected: None,
    }
}

/// Left end, middle and right end of the only bar, and points per day.
fn bar() -> ([Pos2; 3], f32) {
    let area = Rect::from_min_size(pos2(0.0, 0.0), SIZE);
    let layout = Layout::new(&model(), &mut GanttState::default(), area);
    let (_, top) = layout.rows[1];
    let item = &model().lanes[0].items[0];
    let bar = layout.bar([item.start, item.end], top + 16.0);
    ([bar.left_center() + vec2(1.0, 0.0), bar.center(), bar.right_center() - vec2(1.0, 0.0)], layout.day)
}

fn play(steps: &[Do]) -> Vec<GanttOutput> {
    let mut state = GanttState::default();
    drive(SIZE, steps, |ui| show(ui, &model(), &mut state))
}

/// Protects: a drag shows what it will do while it lasts, and asks once, when it ends.
#[test]
fn dragging_a_bar_proposes_while_it_lasts_and_commits_once() {
    let ([_, middle, _], day) = bar();
    let by = |days: f32| middle + vec2(days * day, 0.0);
    let seen = play(&[
        Do::Move(middle),
        Do::Press(middle),
        Do::Move(by(5.0)),
        Do::Move(by(10.0)),
        Do::Release(by(10.0)),
        Do::Wait,
    ]);
    let item = &model().lanes[0].items[0];
    let shifted = Proposal { item: 7, start: item.start.plus(10), end: item.end.plus(10), alone: false };
    assert_eq!(seen[3].preview, Some(shifted));
    assert_eq!(seen.iter().filter_map(|output| output.commit).collect::<Vec<_>>(), [shifted]);
}

/// Protects: the ends change one date; Escape leaves everything as it was.
#[test]
fn the_ends_change_one_date_and_escape_cancels() {
    let ([_, _, right], day) = bar();
    let to = right - vec2(20.0 * day, 0.0);
    let seen = play(&[Do::Move(right), Do::Press(right), Do::Move(to), Do::Release(to)]);
    let item = &model().lanes[0].items[0];
    let commit = seen.iter().find_map(|output| output.commit).unwrap();
    assert_eq!((commit.start, commit.end), (item.start, item.end.plus(-20)));
    let seen =
        play(&[Do::Move(right), Do::Press(right), Do::Move(to), Do::Key(Key::Escape), Do::Release(to), Do::Wait]);
    assert!(seen.iter().all(|output| output.commit.is_none()), "{seen:?}");
}

/// Protects: what the pointer can do to a date, the keyboard can.
#[test]
fn arrows_move_the_bar_that_has_the_focus_by_a_day() {
    let ([_, middle, _], _) = bar();
    let seen = play(&[Do::Move(middle), Do::Press(middle), Do::Release(middle), Do::Key(Key::ArrowLeft)]);
    assert_eq!(seen[2].clicked, Some(7));
    let item = &model().lanes[0].items[0];
    let commit = seen[3].commit.unwrap();
    assert_eq!((commit.start, commit.end), (item.start.plus(-1), item.end.plus(-1)));
}
