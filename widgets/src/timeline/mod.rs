//! What happens when, on lanes: a small map of the whole above, the part in view below.
//!
//! Spans that are finer than the picture share a band whose height is the busy share. Blocks and
//! bands are one mesh, kept until the model, the view or the theme changes.

mod axis;
mod bars;
mod draw;
mod index;
mod input;
mod layout;
mod merge;
mod model;
#[cfg(test)]
mod tests;

use egui::{Rect, Response, Role, Sense, Ui, WidgetInfo};
use topology::units::Seconds;

use crate::format;
use crate::theme::Tokens;
pub(crate) use bars::Palette;
use index::Index;
use layout::Layout;
pub use model::*;

/// Draws a timeline into the room that is left; taller than that if lanes would become too thin to be read.
pub fn show(ui: &mut Ui, model: &Timeline, state: &mut TimelineState) -> TimelineOutput {
    let room = Rect::from_min_size(ui.available_rect_before_wrap().min, ui.available_size());
    let id = ui.next_auto_id();
    let index = Index::kept(ui, id, model);
    let measured = Layout::new(ui.painter(), (model, &index), state, room);
    let (area, response) = ui.allocate_exact_size(measured.area.size(), Sense::click_and_drag());
    let mut output = TimelineOutput::default();
    if !ui.is_rect_visible(area) {
        return output;
    }
    if model.total_s > 0.0 {
        input::navigate(&response, model, &measured, state);
        input::map(ui, response.id, (model, &measured), state);
        let keys = input::keys(ui, &response, (model, Some(&index)), state);
        if keys.enter {
            output.clicked = state.selected;
        }
    }
    let layout = Layout::new(ui.painter(), (model, &index), state, room);
    output.hovered = hovered(model, &index, &layout, &response);
    input::clicks(&response, model, state, &mut output);
    let tokens = Tokens::of(ui.ctx());
    let frame = draw::Frame { model, index: &index, layout: &layout, response: &response, tokens: &tokens };
    frame.draw(ui, state, &output);
    let spoken = describe(model, state.selected.filter(|_| response.has_focus()).or(output.hovered));
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(spoken.clone()),
        ..WidgetInfo::labeled(Role::Canvas, true, format!("Timeline of {}", model.name))
    });
    output
}

/// The span under the pointer.
fn hovered(model: &Timeline, index: &Index, layout: &Layout, response: &Response) -> Option<SpanId> {
    let pointer = response.hover_pos()?;
    let lane = layout.lane_at(pointer)?;
    let reach = layout.ruler.point_s() * f64::from(input::REACH);
    index.at(model, lane, layout.ruler.moment(pointer.x), reach).map(|span| SpanId { lane, span })
}

/// One sentence about a span, such as "up, gate on MXU, matmul, 1.02 ms from 4.31 ms"; about everything for `None`.
pub fn describe(model: &Timeline, id: Option<SpanId>) -> String {
    let Some((id, span)) = id.and_then(|id| Some((id, model.span(id)?))) else {
        let spans: usize = model.lanes.iter().map(|lane| lane.spans.len()).sum();
        let total = time_text(model.total_s);
        return format!("{} lanes, {} spans, {total}", model.lanes.len(), format::count(spans as u64));
    };
    let lane = &model.lanes[id.lane].name;
    let [length, start] = [span.seconds, span.start_s].map(time_text);
    format!("{} on {lane}, {}, {length} from {start}", span.name, span.kind.word())
}

/// A time in seconds as text.
fn time_text(seconds: f64) -> String {
    format::duration(Seconds::new(seconds))
}
