//! A board under a pointer.

use egui::{Key, pos2, vec2};

use super::*;
use crate::drive::{Do, drive};

fn model() -> Board {
    let card = |id: u64| Card {
        id,
        key: format!("K-{id}"),
        title: "Title".to_owned(),
        gate: None,
        team: None,
        date: None,
        date_tone: Tone::Plain,
        age: None,
        age_tone: Tone::Plain,
        note: None,
        critical: false,
        done: false,
    };
    let column = |name: &str, ids: &[u64]| Column {
        name: name.to_owned(),
        count: ids.len(),
        limit: None,
        cards: ids.iter().map(|&id| card(id)).collect(),
    };
    Board { name: "b".to_owned(), columns: vec![column("Ready", &[1, 2]), column("Doing", &[3, 4])], selected: None }
}

fn play(steps: &[Do]) -> Vec<BoardOutput> {
    let mut state = BoardState::default();
    drive(vec2(700.0, 500.0), steps, |ui| show(ui, &model(), &mut state))
}

/// Protects: a dropped card asks for one move; one dropped where it was asks for none.
#[test]
fn a_card_that_is_dropped_elsewhere_asks_for_one_move() {
    let (first, between) = (pos2(100.0, 90.0), pos2(350.0, 140.0));
    let seen = play(&[
        Do::Move(first),
        Do::Press(first),
        Do::Move(between),
        Do::Move(between),
        Do::Release(between),
        Do::Wait,
    ]);
    let moves: Vec<Move> = seen.iter().filter_map(|output| output.moved).collect();
    assert_eq!(moves, [Move { card: 1, column: 1, position: 1 }]);
    let near = first + vec2(9.0, 4.0);
    let seen = play(&[Do::Move(first), Do::Press(first), Do::Move(near), Do::Move(near), Do::Release(near), Do::Wait]);
    assert!(seen.iter().all(|output| output.moved.is_none()), "{seen:?}");
}

/// Protects: cards can be moved without a pointer.
#[test]
fn alt_and_arrows_move_the_card_that_has_the_focus() {
    let first = pos2(100.0, 90.0);
    let seen = play(&[Do::Move(first), Do::Press(first), Do::Release(first), Do::Alt(Key::ArrowRight)]);
    assert_eq!(seen[2].clicked, Some(1));
    assert_eq!(seen[3].moved, Some(Move { card: 1, column: 1, position: 0 }));
    let seen = play(&[Do::Move(first), Do::Press(first), Do::Release(first), Do::Key(Key::ArrowDown)]);
    assert_eq!(seen[3].clicked, Some(2));
}
