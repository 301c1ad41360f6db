//! Colour bar with two handles, and the histogram above it.

use egui::{
    Align2, Color32, Mesh, Painter, Rect, Response, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2,
};

use crate::colormap::{Map, Range};
use crate::ink::{Keys, dashed, fitted, focus_ring, hatch, measure, words};
use crate::theme::{Tokens, Type};

/// How values become colours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Colours from low to high.
    pub map: Map,
    /// Values of the first and the last colour; values outside take the end colours.
    pub range: Range,
    /// Whether the values are older than their limit: colours turn grey.
    pub stale: bool,
}

impl Scale {
    /// Fresh values from `low` to `high`.
    pub fn new(map: Map, low: f32, high: f32) -> Self {
        Self { map, range: Range { low, high }, stale: false }
    }

    /// The colour of a value.
    pub fn color(&self, value: f32) -> Color32 {
        let fraction = self.range.fraction(value);
        if self.stale { self.map.stale(fraction) } else { self.map.color(fraction) }
    }
}

/// What a legend shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Legend {
    /// Name of the metric with its unit, such as "duty cycle, %".
    pub title: String,
    /// Colours and range; the handles stand at the ends of the range.
    pub scale: Scale,
    /// Values that the whole bar spans.
    pub full: [f32; 2],
    /// Texts of the two handles, such as "20 %" and "90 %".
    pub ends: [String; 2],
    /// Range that a double click sets, if it is known (P1 to P99).
    pub fit: Option<[f32; 2]>,
    /// Text of the entry for missing values, such as "16 missing"; none when nothing is missing.
    pub missing: Option<String>,
}

/// How often values occur, for the strip above a legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Histogram {
    /// Count per bin; bins divide [`Legend::full`] evenly.
    pub bins: Vec<u32>,
    /// Number of missing values.
    pub missing: u32,
    /// A marked value with its text, such as 0.641 and "median 64.1 %".
    pub mark: Option<(f32, String)>,
    /// Texts along the axis with their values.
    pub ticks: Vec<(f32, String)>,
}

/// What happened to a legend in this frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LegendOutput {
    /// The new range, while a handle is dragged, moved by keys, or fitted by a double click.
    pub range: Option<[f32; 2]>,
    /// Whether the gesture that changed the range has ended.
    pub done: bool,
}

/// Width of the bar at rest; it grows with the room.
const BAR: f32 = 200.0;
/// Height of the bar.
const BAR_HEIGHT: f32 = 10.0;
/// Size of a handle.
const HANDLE: Vec2 = vec2(8.0, 18.0);
/// Least share of the bar between the two handles.
const LEAST: f32 = 0.02;
/// Share of the bar that an arrow key moves a handle by.
const KEY_STEP: f32 = 0.01;

/// Draws a legend, `width` points wide; `None` takes the style guide's 200.
pub fn show(ui: &mut Ui, model: &Legend, width: Option<f32>) -> LegendOutput {
    let width = width.unwrap_or(BAR);
    let (rect, response) = ui.allocate_exact_size(vec2(width, 38.0), Sense::click());
    let bar = Rect::from_min_size(rect.min + vec2(HANDLE.x / 2.0, 4.0), vec2(width - HANDLE.x, BAR_HEIGHT));
    let mut output = LegendOutput::default();
    if response.double_clicked() && model.fit.is_some() {
        output = LegendOutput { range: model.fit, done: true };
    }
    let painter = ui.painter().clone();
    let tokens = Tokens::of(ui.ctx());
    color_bar(&painter, bar, model);
    for end in [0, 1] {
        handle(ui, (response.id, bar), model, end, &mut output);
    }
    let below = bar.bottom() + 16.0;
    let mut taken = Vec::new();
    for (end, anchor, x) in [(0, Align2::LEFT_CENTER, rect.left()), (1, Align2::RIGHT_CENTER, rect.right())] {
        taken.push(words(&painter, pos2(x, below), anchor, &model.ends[end], Type::Caption, tokens.text1));
    }
    let room = Rect::from_min_max(pos2(taken[0].right() + 8.0, below - 8.0), pos2(taken[1].left() - 8.0, below + 8.0));
    if room.width() > 24.0 {
        fitted_in_middle(&painter, room, &model.title, tokens.text3);
    }
    if let Some(missing) = &model.missing {
        let entry = ui.allocate_exact_size(vec2(width, 18.0), Sense::hover()).0;
        hatch(&painter, Rect::from_min_size(entry.min + vec2(0.0, 2.0), Vec2::splat(14.0)), &tokens);
        let at = pos2(entry.left() + 20.0, entry.center().y);
        words(&painter, at, Align2::LEFT_CENTER, missing, Type::Caption, tokens.text2);
    }
    let spoken = format!("Legend of {}, {} to {}", model.title, model.ends[0], model.ends[1]);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Group, true, spoken.clone()));
    output
}

fn fitted_in_middle(painter: &Painter, room: Rect, text: &str, color: Color32) {
    let width = measure(painter, text, Type::Caption).x.min(room.width());
    fitted(
        painter,
        Rect::from_center_size(room.center(), vec2(width + 0.5, room.height())),
        1,
        text,
        (Type::Caption, color),
    );
}

/// Where a value stands on the bar.
fn x_of(bar: Rect, full: [f32; 2], value: f32) -> f32 {
    let share = Range { low: full[0], high: full[1] }.fraction(value);
    bar.left() + share * bar.width()
}

/// The colours between the handles, and thin lines of the end colours beyond them.
pub(crate) fn color_bar(painter: &Painter, bar: Rect, model: &Legend) {
    let Range { low, high } = model.scale.range;
    let (from, to) = (x_of(bar, model.full, low), x_of(bar, model.full, high));
    let thin = |a: f32, b: f32| Rect::from_min_max(pos2(a, bar.center().y - 1.0), pos2(b, bar.center().y + 1.0));
    painter.rect_filled(thin(bar.left(), from), 0.0, model.scale.color(low));
    painter.rect_filled(thin(to, bar.right()), 0.0, model.scale.color(high));
    let mut mesh = Mesh::default();
    let steps = 64_u16;
    for n in 0..=steps {
        let share = f32::from(n) / f32::from(steps);
        let (x, color) = (from + (to - from) * share, model.scale.color(low + (high - low) * share));
        mesh.colored_vertex(pos2(x, bar.top()), color);
        mesh.colored_vertex(pos2(x, bar.bottom()), color);
        if n > 0 {
            let k = u32::from(n) * 2;
            mesh.add_triangle(k - 2, k - 1, k);
            mesh.add_triangle(k - 1, k, k + 1);
        }
    }
    painter.add(mesh);
}

/// One handle: drag, or arrows when it has the focus.
fn handle(ui: &Ui, (legend, bar): (egui::Id, Rect), model: &Legend, end: usize, output: &mut LegendOutput) {
    let Range { low, high } = model.scale.range;
    let ends = [low, high];
    let place = Rect::from_center_size(pos2(x_of(bar, model.full, ends[end]), bar.center().y), HANDLE);
    let id = legend.with(end);
    let response = ui.interact(place.expand2(vec2(8.0, 3.0)), id, Sense::click_and_drag());
    let span = model.full[1] - model.full[0];
    let keys = Keys::read(ui, &response);
    let by_key = keys.step[0] as f32 * KEY_STEP * span;
    let pointer = response.interact_pointer_pos().filter(|_| response.dragged());
    let by_drag = pointer.map(|p| model.full[0] + (p.x - bar.left()) / bar.width().max(1.0) * span);
    if let Some(value) = by_drag.or((by_key != 0.0).then_some(ends[end] + by_key)) {
        let least = LEAST * span;
        let mut range = ends;
        range[end] = if end == 0 {
            value.clamp(model.full[0], (high - least).max(model.full[0]))
        } else {
            value.clamp((low + least).min(model.full[1]), model.full[1])
        };
        *output = LegendOutput { range: Some(range), done: by_drag.is_none() };
    } else if response.drag_stopped() {
        *output = LegendOutput { range: Some(ends), done: true };
    }
    let tokens = Tokens::of(ui.ctx());
    ui.painter().rect(place, 2.0, tokens.text1, Stroke::new(1.0, tokens.bg1), StrokeKind::Middle);
    if response.has_focus() {
        focus_ring(ui.painter(), place, &tokens);
    }
    if response.hovered() || response.dragged() {
        ui.set_cursor_icon(egui::CursorIcon::ResizeHorizontal);
    }
    let name = ["lowest", "highest"][end];
    response.widget_info(|| WidgetInfo::slider(true, f64::from(ends[end]), format!("{}, {name} colour", model.title)));
}

/// Draws a histogram strip over the values that `model` spans; heights are square roots of the counts.
pub fn histogram(ui: &mut Ui, histogram: &Histogram, model: &Legend, size: Vec2) -> Response {
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let painter = ui.painter_at(rect);
    let tokens = Tokens::of(ui.ctx());
    let missing_room = if histogram.missing > 0 { 40.0 } else { 4.0 };
    let plot = Rect::from_min_max(rect.min + vec2(missing_room, 20.0), rect.max - vec2(4.0, 18.0));
    let most = histogram.bins.iter().copied().chain([histogram.missing, 1]).max().unwrap_or(1);
    let height = |count: u32| (count as f32 / most as f32).sqrt() * plot.height();
    let step = plot.width() / histogram.bins.len().max(1) as f32;
    let span = model.full[1] - model.full[0];
    for (n, &count) in histogram.bins.iter().enumerate().filter(|(_, count)| **count > 0) {
        let value = model.full[0] + (n as f32 + 0.5) / histogram.bins.len() as f32 * span;
        let left = plot.left() + n as f32 * step;
        let top = plot.bottom() - height(count).max(2.0);
        let bar = Rect::from_min_max(pos2(left, top), pos2(left + (step - 1.0).max(1.0), plot.bottom()));
        painter.rect_filled(bar, 0.0, model.scale.color(value));
    }
    if histogram.missing > 0 {
        let top = plot.bottom() - height(histogram.missing).max(4.0);
        let bar = Rect::from_min_max(pos2(rect.left() + 4.0, top), pos2(rect.left() + 18.0, plot.bottom()));
        hatch(&painter, bar, &tokens);
        let at = pos2(rect.left() + 11.0, plot.bottom() + 9.0);
        words(&painter, at, Align2::CENTER_CENTER, "n/a", Type::Caption, tokens.text3);
    }
    painter.hline(rect.left()..=rect.right(), plot.bottom() + 0.5, Stroke::new(1.0, tokens.line2));
    for (value, text) in &histogram.ticks {
        let half = measure(&painter, text, Type::Caption).x / 2.0;
        let x = x_of(plot, model.full, *value).clamp(plot.left() + half - 4.0, rect.right() - half);
        words(&painter, pos2(x, plot.bottom() + 9.0), Align2::CENTER_CENTER, text, Type::Caption, tokens.text3);
    }
    if let Some((value, text)) = &histogram.mark {
        mark(&painter, plot, x_of(plot, model.full, *value), text, &tokens);
    }
    let spoken =
        format!("Distribution of {}, {} bins, {} missing", model.title, histogram.bins.len(), histogram.missing);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, spoken.clone()));
    response
}

/// A dashed line over the bins with its text on the roomier side.
fn mark(painter: &Painter, plot: Rect, x: f32, text: &str, tokens: &Tokens) {
    let top = plot.top() - 18.0;
    dashed(painter, &[pos2(x, top), pos2(x, plot.bottom())], Stroke::new(1.0, tokens.text1), [3.0, 3.0]);
    let width = measure(painter, text, Type::Caption).x;
    let (at, anchor) =
        if x + 5.0 + width <= plot.right() + 4.0 { (x + 5.0, Align2::LEFT_TOP) } else { (x - 5.0, Align2::RIGHT_TOP) };
    words(painter, pos2(at, top), anchor, text, Type::Caption, tokens.text1);
}
