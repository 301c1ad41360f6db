//! Strokes, hatches, words and keys that several pictures share.

use egui::{
    Align2, Color32, CornerRadius, EventFilter, Key, Painter, Pos2, Rect, Response, Shape, Stroke, StrokeKind, Ui,
};
use egui::{Theme, pos2};

use crate::theme::{Tokens, Type};

/// Distance of the lines of the missing hatch.
const HATCH_STEP: f32 = 5.0;

/// Writes a line of text and returns what it covers.
pub(crate) fn words(painter: &Painter, at: Pos2, anchor: Align2, text: &str, style: Type, color: Color32) -> Rect {
    painter.text(at, anchor, text, style.font(), color)
}

/// Width and height of a line of text.
pub(crate) fn measure(painter: &Painter, text: &str, style: Type) -> egui::Vec2 {
    painter.layout_no_wrap(text.to_owned(), style.font(), Color32::PLACEHOLDER).size()
}

/// Writes a text from its left middle in at most `rows` lines of `width`, ending in "…" when it is cut.
pub(crate) fn fitted(painter: &Painter, area: Rect, rows: usize, text: &str, ink: (Type, Color32)) -> Rect {
    let mut job = egui::text::LayoutJob::single_section(text.to_owned(), ink.0.format(ink.1));
    job.wrap = egui::text::TextWrapping { max_width: area.width(), max_rows: rows, ..Default::default() };
    job.wrap.break_anywhere = rows == 1;
    let galley = painter.layout_job(job);
    let top = if rows == 1 { area.center().y - galley.size().y * 0.5 } else { area.top() };
    let covered = Rect::from_min_size(pos2(area.left(), top), galley.size());
    painter.galley(covered.min, galley, ink.1);
    covered
}

/// A dashed line along points.
pub(crate) fn dashed(painter: &Painter, points: &[Pos2], stroke: impl Into<Stroke>, dash: [f32; 2]) {
    painter.extend(Shape::dashed_line(points, stroke, dash[0], dash[1]));
}

/// The hatch for values that are missing.
pub(crate) fn hatch(painter: &Painter, rect: Rect, tokens: &Tokens) {
    painter.rect_filled(rect, 0.0, tokens.missing);
    let painter = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
    let stroke = Stroke::new(1.2, tokens.missing_hatch);
    // Lines stand on a grid of the whole screen, so neighbouring cells join without a seam.
    let first = ((rect.left() + rect.top()) / HATCH_STEP / 1.414).floor() as i32;
    let last = ((rect.right() + rect.bottom()) / HATCH_STEP / 1.414).ceil() as i32;
    for n in first..=last {
        let sum = n as f32 * HATCH_STEP * 1.414;
        painter.line_segment([pos2(sum - rect.top(), rect.top()), pos2(sum - rect.bottom(), rect.bottom())], stroke);
    }
}

/// The outline of something selected on data: light inside dark, seen on every map colour.
pub(crate) fn two_tone(painter: &Painter, rect: Rect, radius: f32) {
    let dark = Tokens::for_theme(Theme::Dark).bg0;
    painter.rect_stroke(rect, radius, Stroke::new(3.5, dark), StrokeKind::Middle);
    painter.rect_stroke(rect, radius, Stroke::new(1.5, Color32::WHITE), StrokeKind::Middle);
}

/// One line of the crosshair: white dashes on a dark ground line, seen on every map colour.
pub(crate) fn cross_line(painter: &Painter, from: Pos2, to: Pos2) {
    let dark = Tokens::for_theme(Theme::Dark).bg0;
    painter.line_segment([from, to], Stroke::new(1.0, dark.gamma_multiply(0.5)));
    dashed(painter, &[from, to], Stroke::new(1.0, Color32::WHITE), [2.0, 2.0]);
}

/// A line with a halo under it, for lines that cross data.
pub(crate) fn haloed(painter: &Painter, points: &[Pos2], stroke: Stroke, halo: Color32) {
    painter.add(Shape::line(points.to_vec(), Stroke::new(4.0, halo)));
    painter.add(Shape::line(points.to_vec(), stroke));
}

/// The ring around whatever has the keyboard: 2 points of accent after a gap of 1.
pub(crate) fn focus_ring(painter: &Painter, rect: Rect, tokens: &Tokens) {
    let stroke = Stroke::new(2.0, tokens.accent);
    painter.rect_stroke(rect.expand(1.0), CornerRadius::same(4), stroke, StrokeKind::Outside);
}

/// What the keyboard asks of a picture that has the focus.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Keys {
    /// Steps to the right, down, and to the next layer.
    pub step: [i32; 3],
    /// Back to the home view.
    pub home: bool,
    /// Magnification; 1 when no key asks for any.
    pub zoom: f32,
    /// Enter or space.
    pub enter: bool,
    /// Escape.
    pub escape: bool,
}

impl Keys {
    /// Reads the keys if `response` has the focus; keeps arrows from moving the focus away. Ctrl makes a step four.
    pub(crate) fn read(ui: &Ui, response: &Response) -> Self {
        if !response.has_focus() {
            return Self { zoom: 1.0, ..Self::default() };
        }
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        ui.input(|input| {
            let pressed = |key| i32::from(input.key_pressed(key));
            let stride = if input.modifiers.command { 4 } else { 1 };
            let step = [
                (pressed(Key::ArrowRight) - pressed(Key::ArrowLeft)) * stride,
                (pressed(Key::ArrowDown) - pressed(Key::ArrowUp)) * stride,
                pressed(Key::PageUp) - pressed(Key::PageDown),
            ];
            let closer = pressed(Key::Plus) + pressed(Key::Equals) - pressed(Key::Minus);
            Self {
                step,
                home: input.key_pressed(Key::Home),
                zoom: [0.8, 1.0, 1.25][(closer.clamp(-1, 1) + 1) as usize],
                enter: input.key_pressed(Key::Enter) || input.key_pressed(Key::Space),
                escape: input.key_pressed(Key::Escape),
            }
        })
    }

    /// Whether a key asks for a step.
    pub(crate) fn moves(&self) -> bool {
        self.step != [0; 3]
    }
}

/// `value` moved by `step` inside `0..n`.
pub(crate) fn stepped(value: u16, step: i32, n: u16) -> u16 {
    (i32::from(value) + step).clamp(0, i32::from(n) - 1) as u16
}

/// The texture of a picture, made anew only when `key` changes; cells keep hard edges.
pub(crate) fn kept_texture(
    ui: &Ui,
    id: egui::Id,
    key: u64,
    make: impl FnOnce() -> egui::ColorImage,
) -> egui::TextureId {
    type Kept = (u64, egui::TextureHandle);
    let kept = ui.data(|data| data.get_temp::<Kept>(id));
    let handle = match kept {
        Some((old, handle)) if old == key => return handle.id(),
        Some((_, mut handle)) => {
            handle.set(make(), egui::TextureOptions::NEAREST);
            handle
        }
        None => ui.load_texture("cells", make(), egui::TextureOptions::NEAREST),
    };
    let texture = handle.id();
    ui.data_mut(|data| data.insert_temp::<Kept>(id, (key, handle)));
    texture
}
