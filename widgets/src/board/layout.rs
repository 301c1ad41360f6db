//! Where columns and cards stand, and where a dragged card would go.

use egui::{Pos2, Rect, pos2, vec2};

use super::model::{Board, BoardState, Card, Column, Move};

/// Width of a column, and from one to the next.
const WIDTH: f32 = 236.0;
const PITCH: f32 = 242.0;
/// Margin around the columns.
const MARGIN: f32 = 8.0;
/// Height of a column's header.
pub(super) const HEADER: f32 = 36.0;
/// Room at the sides of a card, and between cards.
const INSET: f32 = 6.0;
const GAP: f32 = 8.0;
/// Height of a card without and with a note.
const HEIGHT: [f32; 2] = [86.0, 106.0];
/// Room below the last card for the line "8 more".
const MORE: f32 = 28.0;

/// Height of a card.
pub(super) fn height(card: &Card) -> f32 {
    HEIGHT[usize::from(card.note.is_some())]
}

/// A column on the screen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnPlace {
    /// Frame of the column.
    pub frame: Rect,
    /// Part of the frame in which cards scroll.
    pub inside: Rect,
    /// Places of its cards, scrolled; the card that is dragged has none.
    pub cards: Vec<(u64, Rect)>,
    /// Where the dragged card would go, if here.
    pub hole: Option<Rect>,
    /// Where the line "8 more" begins.
    pub end: f32,
}

/// Lays out all columns; keeps scrolling within bounds and leaves a hole for the card that is dragged.
pub(super) fn places(
    board: &Board,
    state: &mut BoardState,
    area: Rect,
    dragged: Option<(Move, f32)>,
) -> Vec<ColumnPlace> {
    let width = MARGIN * 2.0 + PITCH * board.columns.len() as f32 - (PITCH - WIDTH);
    state.scroll_x = state.scroll_x.clamp(0.0, (width - area.width()).max(0.0));
    state.scroll.resize(board.columns.len(), 0.0);
    let corner = area.min + vec2(MARGIN + 2.0 - state.scroll_x, MARGIN);
    let columns = board.columns.iter().zip(&mut state.scroll).enumerate();
    let place = |(n, (column, scroll)): (usize, (&Column, &mut f32))| {
        let frame = Rect::from_min_size(
            corner + vec2(n as f32 * PITCH, 0.0),
            vec2(WIDTH, (area.height() - MARGIN * 2.0).max(HEADER)),
        );
        let hole = dragged.filter(|(goal, _)| goal.column == n);
        let held = dragged.map(|(goal, _)| goal.card);
        column_place(column, scroll, frame, (held, hole.map(|(goal, height)| (goal.position, height))))
    };
    columns.map(place).collect()
}

/// One column; `held` is the card that is dragged, `hole` the position and the height that it would take here.
fn column_place(
    column: &Column,
    scroll: &mut f32,
    frame: Rect,
    (held, hole): (Option<u64>, Option<(usize, f32)>),
) -> ColumnPlace {
    let inside = Rect::from_min_max(frame.min + vec2(1.0, HEADER), frame.max - vec2(1.0, 1.0));
    let shown = || column.cards.iter().filter(|card| held != Some(card.id));
    let more = if column.count > column.cards.len() { MORE } else { 0.0 };
    let holes = hole.map_or(0.0, |(_, height)| height + GAP);
    let total: f32 = shown().map(|card| height(card) + GAP).sum::<f32>() + holes + more + 2.0;
    *scroll = scroll.clamp(0.0, (total - inside.height()).max(0.0));
    let mut y = inside.top() + 2.0 - *scroll;
    let mut next = |height: f32| {
        let rect = Rect::from_min_size(pos2(frame.left() + INSET, y), vec2(WIDTH - INSET * 2.0, height));
        y += height + GAP;
        rect
    };
    let mut place = ColumnPlace { frame, inside, cards: Vec::new(), hole: None, end: 0.0 };
    for (n, card) in shown().enumerate() {
        if let Some((_, height)) = hole.filter(|(position, _)| *position == n) {
            place.hole = Some(next(height));
        }
        place.cards.push((card.id, next(height(card))));
    }
    if let (Some((_, height)), None) = (hole, place.hole) {
        place.hole = Some(next(height));
    }
    place.end = y;
    place
}

/// Where a card would go whose middle is at `p`; `places` are those at rest.
pub(super) fn goal(places: &[ColumnPlace], card: u64, p: Pos2) -> Option<Move> {
    let distance = |place: &ColumnPlace| (place.frame.center().x - p.x).abs();
    let (column, place) = places.iter().enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))?;
    let position = place.cards.iter().filter(|(id, rect)| *id != card && rect.center().y < p.y).count();
    Some(Move { card, column, position })
}

/// Column and position of a card.
pub(super) fn find(board: &Board, card: u64) -> Option<(usize, usize)> {
    board
        .columns
        .iter()
        .enumerate()
        .find_map(|(n, column)| Some((n, column.cards.iter().position(|other| other.id == card)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Tone;

    fn card(id: u64) -> Card {
        Card {
            id,
            key: String::new(),
            title: String::new(),
            gate: None,
            team: None,
            date: None,
            date_tone: Tone::Plain,
            age: None,
            age_tone: Tone::Plain,
            note: None,
            critical: false,
            done: false,
        }
    }

    fn board() -> Board {
        let column = |ids: &[u64]| Column {
            name: String::new(),
            count: ids.len(),
            limit: None,
            cards: ids.iter().map(|&id| card(id)).collect(),
        };
        Board { name: String::new(), columns: vec![column(&[1, 2, 3]), column(&[4, 5])], selected: None }
    }

    fn area() -> Rect {
        Rect::from_min_size(pos2(0.0, 0.0), vec2(600.0, 700.0))
    }

    /// Protects: a card dropped where it already is goes nowhere, and between two others it goes between them.
    #[test]
    fn a_drop_lands_where_the_hole_is() {
        let (board, mut state) = (board(), BoardState::default());
        let before = places(&board, &mut state, area(), None);
        let middle =
            |id| before.iter().flat_map(|place| &place.cards).find(|(other, _)| *other == id).unwrap().1.center();
        assert_eq!(goal(&before, 2, middle(2)), Some(Move { card: 2, column: 0, position: 1 }));
        assert_eq!(goal(&before, 2, middle(5) - vec2(0.0, 5.0)), Some(Move { card: 2, column: 1, position: 1 }));
        assert_eq!(goal(&before, 2, middle(5) + vec2(0.0, 500.0)), Some(Move { card: 2, column: 1, position: 2 }));
        let with_hole = places(&board, &mut state, area(), Some((Move { card: 2, column: 1, position: 1 }, 86.0)));
        let hole = with_hole[1].hole.unwrap();
        assert!(with_hole[1].cards[0].1.bottom() < hole.top() && hole.bottom() < with_hole[1].cards[1].1.top());
    }

    /// Protects: cards of a column never overlap and keep to their column, also when scrolled.
    #[test]
    fn cards_do_not_overlap() {
        let (board, mut state) = (board(), BoardState { scroll: vec![1e6, 0.0], ..BoardState::default() });
        let low = Rect::from_min_size(pos2(0.0, 0.0), vec2(600.0, 200.0));
        let found = places(&board, &mut state, low, None);
        for place in &found {
            for pair in place.cards.windows(2) {
                assert!(pair[0].1.bottom() < pair[1].1.top());
            }
            assert!(place.cards.iter().all(|(_, rect)| place.frame.x_range().contains(rect.right())));
        }
        let last = found[0].cards[2].1;
        assert!(last.bottom() <= found[0].inside.bottom(), "scrolling stops at the last card");
    }
}
