//! A roadmap as bars over months: gates above, lanes of items below, header and labels always in view.

mod axis;
mod bars;
mod date;
mod gates;
mod input;
mod layout;
mod links;
mod model;
#[cfg(test)]
mod tests;

use egui::{Painter, Rect, Sense, Stroke, Ui, WidgetInfo, pos2};

use crate::theme::Tokens;
pub use date::{Day, MONTHS};
use layout::{AXIS, GATES, LABELS, Layout, Row};
pub use model::*;

/// What one frame is drawn from.
struct Canvas<'a> {
    /// Clips to the whole picture, or to its scrolling part.
    painter: &'a Painter,
    /// Clips to the part right of the labels.
    chart: &'a Painter,
    layout: &'a Layout,
    model: &'a Gantt,
    tokens: &'a Tokens,
    preview: Option<Proposal>,
}

/// Draws a timeline into the room that is left and returns what was pointed at and what a drag asks for.
pub fn show(ui: &mut Ui, model: &Gantt, state: &mut GanttState) -> GanttOutput {
    let (area, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
    let mut output = GanttOutput::default();
    if !ui.is_rect_visible(area) {
        return output;
    }
    let label = format!("Timeline of {}, {} gates, {} lanes", model.name, model.gates.len(), model.lanes.len());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Pane, true, &label));
    input::navigate(ui, &response, model, state, area);
    let layout = Layout::new(model, state, area);
    let tokens = Tokens::of(ui.ctx());
    let painter = ui.painter_at(area);
    let gate_places = gates::places(&painter, &layout, model);
    if response.clicked() {
        output.clicked_nothing = true;
    }
    input::rows(ui, model, state, &layout, &mut output);
    input::gates(ui, (model, &layout), &gate_places, &mut output);

    painter.rect_filled(area, 0.0, tokens.bg0);
    let body = painter.with_clip_rect(layout.body.intersect(painter.clip_rect()));
    let bars = painter.with_clip_rect(
        Rect::from_min_max(pos2(layout.chart.left(), layout.body.top()), layout.body.max)
            .intersect(painter.clip_rect()),
    );
    let canvas =
        Canvas { painter: &body, chart: &bars, layout: &layout, model, tokens: &tokens, preview: output.preview };
    let head = Rect::from_min_max(area.min, pos2(area.right(), area.top() + AXIS + GATES));
    painter.rect_filled(head, 0.0, tokens.bg1);
    let side =
        Rect::from_min_max(pos2(area.left(), layout.body.top()), pos2(layout.chart.left(), layout.body.bottom()));
    painter.rect_filled(side, 0.0, tokens.bg1);
    axis::grid(&painter, &layout, &tokens);
    body_rows(&canvas, state, &output);
    let chart = painter.with_clip_rect(layout.chart.intersect(painter.clip_rect()));
    axis::header(&painter, &layout, model, &tokens);
    let top = Canvas { painter: &chart, chart: &chart, ..canvas };
    for (gate, place) in model.gates.iter().zip(&gate_places) {
        gates::draw(&top, gate, place);
    }
    gates::label(&painter, &layout, &tokens);
    painter.vline(
        layout.chart.left() - 0.5,
        area.top() + 24.0..=layout.end.min(layout.body.bottom()),
        Stroke::new(1.0, tokens.line2),
    );
    axis::today(&chart, &layout, model, &tokens);
    Canvas { painter: &painter, ..top }.foot();
    output
}

/// Labels, connectors and bars of the rows in view.
fn body_rows(canvas: &Canvas<'_>, state: &GanttState, output: &GanttOutput) {
    let seen = |top: f32| top + LABELS > canvas.layout.body.top() && top < canvas.layout.body.bottom();
    let rows = || canvas.layout.rows.iter().copied().filter(move |&(_, top)| seen(top));
    let item = |lane: usize, n: usize| canvas.model.lanes.get(lane).and_then(|lane| lane.items.get(n));
    for (row, top) in rows() {
        match row {
            Row::Lane(n) => {
                let lane = &canvas.model.lanes[n];
                canvas.lane(lane, top, state.folded.contains(&lane.name));
            }
            Row::Item(lane, n) => {
                if let Some(item) = item(lane, n) {
                    canvas.label(item, top, output.hovered == Some(item.id));
                }
            }
        }
    }
    canvas.links();
    let items = || {
        rows().filter_map(|(row, top)| if let Row::Item(lane, n) = row { Some((item(lane, n)?, top)) } else { None })
    };
    for (item, top) in items() {
        canvas.bar(item, top);
    }
    for (item, top) in items() {
        canvas.proposal(item, top);
    }
}
