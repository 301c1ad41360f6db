//! Columns of cards with limits on work in progress.

mod draw;
mod layout;
mod model;
#[cfg(test)]
mod tests;

use egui::{CursorIcon, Pos2, Rect, Response, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::icon;
use crate::ink::{Keys, focus_ring};
use crate::theme::{Tokens, shadow};
use draw::Standing;
pub use model::*;

/// Draws a board into the room that is left and returns what was pointed at and which move is asked for.
pub fn show(ui: &mut Ui, model: &Board, state: &mut BoardState) -> BoardOutput {
    let (area, response) = ui.allocate_exact_size(ui.available_size(), Sense::click());
    let mut output = BoardOutput::default();
    if !ui.is_rect_visible(area) {
        return output;
    }
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Pane, true, format!("Board of {}", model.name)));
    let tokens = Tokens::of(ui.ctx());
    scroll(ui, model, state, area);
    let dragged = dragged(ui, model, state, area);
    let goal = dragged.as_ref().map(|dragged| (dragged.goal, dragged.rect.height()));
    let places = layout::places(model, state, area, goal);
    let painter = ui.painter_at(area);
    for (n, (column, place)) in model.columns.iter().zip(&places).enumerate() {
        let add = draw::column(&painter, column, place, &tokens);
        plus(ui, (n, &column.name), add.intersect(area), &mut output);
        let inside = painter.with_clip_rect(place.inside.intersect(painter.clip_rect()));
        draw::rest(&inside, column, place, &tokens);
        for (id, rect) in &place.cards {
            if !rect.intersects(place.inside) {
                continue;
            }
            let Some(card) = column.cards.iter().find(|card| card.id == *id) else { continue };
            let response = touch(ui, model, (card, rect.intersect(place.inside), *rect), state, &mut output);
            let standing = Standing { selected: model.selected == Some(*id), hovered: response.contains_pointer() };
            draw::card(&inside, card, *rect, standing, &tokens);
            if response.has_focus() {
                focus_ring(&inside, rect.shrink(2.0), &tokens);
            }
        }
    }
    if let Some(dragged) = dragged {
        let above = ui.painter();
        above.add(shadow(&tokens).as_shape(dragged.rect, 6));
        draw::card(above, dragged.card, dragged.rect, Standing { selected: true, hovered: true }, &tokens);
        finish(ui, model, state, &dragged, &mut output);
    }
    output
}

/// The card that is dragged.
struct Dragged<'a> {
    card: &'a Card,
    rect: Rect,
    goal: Move,
}

/// The wheel scrolls the column under the pointer; sideways or with Shift, the board.
fn scroll(ui: &Ui, model: &Board, state: &mut BoardState, area: Rect) {
    if !ui.rect_contains_pointer(area) {
        return;
    }
    let Some(pointer) = ui.input(|input| input.pointer.hover_pos()) else { return };
    let (wheel, shift) = ui.input(|input| (input.smooth_scroll_delta(), input.modifiers.shift));
    let places = layout::places(model, state, area, None);
    state.scroll_x -= if shift && wheel.x == 0.0 { wheel.y } else { wheel.x };
    let under = places.iter().position(|place| place.frame.x_range().contains(pointer.x));
    if let Some(scroll) = under.and_then(|n| state.scroll.get_mut(n)).filter(|_| !shift) {
        *scroll -= wheel.y;
    }
}

/// Where the dragged card is and would go; Escape puts it back.
fn dragged<'a>(ui: &Ui, model: &'a Board, state: &mut BoardState, area: Rect) -> Option<Dragged<'a>> {
    if ui.input(|input| input.key_pressed(egui::Key::Escape)) {
        state.drag = None;
    }
    let (id, grab) = state.drag?;
    let card = model.columns.iter().flat_map(|column| &column.cards).find(|card| card.id == id)?;
    let pointer: Pos2 = ui.input(|input| input.pointer.latest_pos())?;
    let rect = Rect::from_min_size(pointer - grab, vec2(224.0, layout::height(card)));
    // Held against the layout at rest, so that the hole does not run away from the pointer.
    let still = layout::places(model, state, area, None);
    let goal = layout::goal(&still, id, rect.center())?;
    Some(Dragged { card, rect, goal })
}

fn finish(ui: &Ui, model: &Board, state: &mut BoardState, dragged: &Dragged<'_>, output: &mut BoardOutput) {
    ui.set_cursor_icon(CursorIcon::Grabbing);
    if ui.input(|input| !input.pointer.any_down()) {
        state.drag = None;
        let from = layout::find(model, dragged.card.id);
        let moved = from != Some((dragged.goal.column, dragged.goal.position));
        output.moved = moved.then_some(dragged.goal);
    }
}

fn plus(ui: &Ui, (n, name): (usize, &str), rect: Rect, output: &mut BoardOutput) {
    if !rect.is_positive() {
        return;
    }
    let response = ui.interact(rect, ui.scope_id().with(("board plus", n)), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Add a card to {name}")));
    if response.hovered() {
        let tokens = Tokens::of(ui.ctx());
        ui.painter().rect_filled(rect, 4.0, tokens.line2);
        icon::PLUS.paint(ui.painter(), rect.center(), 14.0, tokens.text1);
    }
    if response.clicked() {
        output.add_to = Some(n);
    }
}

/// Click, double click, drag and keys of a card: arrows go to another card, with Alt they move this one.
fn touch(
    ui: &Ui,
    model: &Board,
    (card, seen, whole): (&Card, Rect, Rect),
    state: &mut BoardState,
    output: &mut BoardOutput,
) -> Response {
    let id = |card: u64| ui.scope_id().with(("board card", card));
    let response = ui.interact(seen, id(card.id), Sense::click_and_drag());
    response.widget_info(|| {
        let label = describe(card);
        WidgetInfo::selected(egui::Role::ListItem, true, model.selected == Some(card.id), label)
    });
    if response.contains_pointer() {
        output.hovered = Some(card.id);
    }
    if response.clicked() {
        response.request_focus();
        output.clicked = Some(card.id);
    }
    if response.double_clicked() {
        output.double_clicked = Some(card.id);
    }
    if response.drag_started() {
        let origin = ui.input(|input| input.pointer.press_origin()).unwrap_or(pos2(whole.left(), whole.top()));
        state.drag = Some((card.id, origin - whole.min));
        output.clicked = Some(card.id);
    }
    let keys = Keys::read(ui, &response);
    if keys.enter {
        output.clicked = Some(card.id);
    }
    if keys.moves() {
        let alt = ui.input(|input| input.modifiers.alt);
        if alt {
            output.moved = beside(model, card.id, &keys, true);
        } else if let Some(next) = beside(model, card.id, &keys, false).and_then(|goal| at(model, goal)) {
            output.clicked = Some(next);
            ui.memory_mut(|memory| memory.request_focus(id(next)));
        }
    }
    response
}

/// The place one step away, if the board has it. A card that moves may also go behind the last one.
fn beside(model: &Board, card: u64, keys: &Keys, moving: bool) -> Option<Move> {
    let (column, position) = layout::find(model, card)?;
    let to = column.checked_add_signed(keys.step[0].signum() as isize)?;
    let len = model.columns.get(to)?.cards.len();
    if to != column {
        let last = if moving { len } else { len.checked_sub(1)? };
        return Some(Move { card, column: to, position: position.min(last) });
    }
    let position = position.checked_add_signed(keys.step[1].signum() as isize).filter(|&n| n < len)?;
    (keys.step[1] != 0).then_some(Move { card, column, position })
}

fn at(model: &Board, goal: Move) -> Option<u64> {
    model.columns.get(goal.column)?.cards.get(goal.position).map(|card| card.id)
}

/// A card in words.
fn describe(card: &Card) -> String {
    let mut parts = vec![format!("{} {}", card.key, card.title)];
    parts.extend(card.team.clone());
    parts.extend(card.date.clone());
    parts.extend(card.note.as_ref().map(|note| note.text.clone()));
    if card.critical {
        parts.push("on the critical path".to_owned());
    }
    if card.done {
        parts.push("done".to_owned());
    }
    parts.join(", ")
}
