//! Panels, sections and property rows: the boxes that views are made of.

use egui::{
    Align, Align2, CornerRadius, Frame, Layout, Margin, Rect, Response, Role, Sense, Stroke, Ui, UiBuilder, WidgetInfo,
    pos2, vec2,
};

use crate::icon::Icon;
use crate::paint::{Line, underline};
use crate::status::Status;
use crate::theme::{Tokens, Type, size, text};

/// A framed box with a header.
#[derive(Clone, Copy)]
#[must_use = "a panel does nothing until it is shown"]
pub struct Panel<'a> {
    title: &'a str,
    caption: &'a str,
    icon: Option<Icon>,
    padding: i8,
}

impl<'a> Panel<'a> {
    /// A panel with a title.
    pub fn new(title: &'a str) -> Self {
        Self { title, caption: "", icon: None, padding: 12 }
    }

    /// A quieter remark after the title.
    pub fn caption(mut self, caption: &'a str) -> Self {
        self.caption = caption;
        self
    }

    /// An icon before the title.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// No padding, for tables, trees and pictures that reach the frame.
    pub fn flush(mut self) -> Self {
        self.padding = 0;
        self
    }

    /// Shows the panel as wide as there is room, as high as its contents.
    pub fn show<R>(self, ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
        self.show_with(ui, |_| (), contents)
    }

    /// Shows the panel with actions at the right of its header, added from right to left.
    pub fn show_with<R>(self, ui: &mut Ui, actions: impl FnOnce(&mut Ui), contents: impl FnOnce(&mut Ui) -> R) -> R {
        let t = Tokens::of(ui.ctx());
        Frame::new()
            .fill(t.bg1)
            .stroke(Stroke::new(size::STROKE_LINE, t.line1))
            .corner_radius(CornerRadius::same(6))
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                ui.set_min_width(ui.available_width());
                self.header(ui, actions);
                Frame::new().inner_margin(Margin::same(self.padding)).show(ui, |ui| {
                    ui.spacing_mut().item_spacing.y = size::GRID;
                    ui.set_min_width(ui.available_width());
                    contents(ui)
                })
            })
            .inner
            .inner
    }

    /// The header alone, 36 high and as wide as there is room, for tiles that are no frames.
    pub fn header(self, ui: &mut Ui, actions: impl FnOnce(&mut Ui)) {
        let t = Tokens::of(ui.ctx());
        let (_, area) = ui.allocate_space(vec2(ui.available_width(), size::PANEL_HEADER));
        underline(ui.painter(), area, t.line1);
        let inside = area.shrink2(vec2(size::PANEL_GAP, 0.0));
        let layout = Layout::right_to_left(Align::Center);
        let mut left = ui.new_child(UiBuilder::new().max_rect(inside).layout(layout));
        left.spacing_mut().item_spacing.x = size::GRID;
        actions(&mut left);
        let end = if left.min_rect().width() > 0.0 { left.min_rect().left() - size::GAP } else { inside.right() };
        let mut x = inside.left();
        if let Some(icon) = self.icon {
            icon.paint(ui.painter(), pos2(x + 8.0, area.center().y), size::ICON, t.text2);
            x += size::ICON + size::GAP;
        }
        let room = |x: f32| Rect::from_min_max(pos2(x, area.top()), pos2(end.max(x), area.bottom() - 1.0));
        let title = Line::new(self.title, Type::Label, t.text1).within(ui.painter(), room(x), Align::Min);
        if !self.caption.is_empty() {
            let room = room(title.right() + size::GAP);
            Line::new(self.caption, Type::Secondary, t.text3).within(ui.painter(), room, Align::Min);
        }
        let heading = ui.interact(title, ui.scope_id().with(self.title), Sense::hover());
        heading.widget_info(|| WidgetInfo::labeled(Role::Heading, true, self.title));
    }
}

/// A part of a pane with its own small title and a line below it.
pub fn section<R>(ui: &mut Ui, title: &str, contents: impl FnOnce(&mut Ui) -> R) -> R {
    let t = Tokens::of(ui.ctx());
    let margin = Margin { left: 12, right: 12, top: 10, bottom: 12 };
    let shown = Frame::new().inner_margin(margin).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        ui.set_min_width(ui.available_width());
        ui.label(text(Type::SecondaryStrong, title).color(t.text1));
        ui.add_space(6.0);
        contents(ui)
    });
    underline(ui.painter(), shown.response.rect, t.line1);
    shown.inner
}

/// One fact: a label at the left and its value at the right, 22 high.
#[derive(Clone, Copy)]
#[must_use = "a property does nothing until it is shown"]
pub struct Property<'a> {
    label: &'a str,
    value: &'a str,
    status: Option<Status>,
    muted: bool,
    explained: bool,
}

impl<'a> Property<'a> {
    /// A fact; the value comes formatted with its unit.
    pub fn new(label: &'a str, value: &'a str) -> Self {
        Self { label, value, status: None, muted: false, explained: false }
    }

    /// The shape of a state before the value.
    pub fn status(mut self, status: Status) -> Self {
        self.status = Some(status);
        self
    }

    /// The value is stale: it stays, in grey.
    pub fn muted(mut self) -> Self {
        self.muted = true;
        self
    }

    /// Underlined: a click asks where the value comes from.
    pub fn explained(mut self) -> Self {
        self.explained = true;
        self
    }

    /// Adds the row; `clicked` is a wish to have the value explained.
    pub fn show(self, ui: &mut Ui) -> Response {
        let t = Tokens::of(ui.ctx());
        let sense = if self.explained { Sense::click() } else { Sense::hover() };
        let (area, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::PROPERTY), sense);
        let role = if self.explained { Role::Link } else { Role::Label };
        response.widget_info(|| WidgetInfo::labeled(role, true, format!("{}: {}", self.label, self.value)));
        let painter = ui.painter();
        let ink = if self.muted { t.text3 } else { t.text1 };
        let value = Line::new(self.value, Type::Secondary, ink);
        let place = value.paint(painter, area.right_center(), Align2::RIGHT_CENTER);
        if self.explained {
            let y = place.bottom() - 0.5;
            let color = if response.hovered() || response.has_focus() { t.accent } else { t.line3 };
            painter.hline(place.x_range(), y, Stroke::new(1.0, color));
        }
        let mut end = place.left() - size::GAP;
        if let Some(status) = self.status {
            let center = pos2(end - 6.0, area.center().y);
            status.icon().paint(painter, center, size::ICON_CHIP, status.color(&t));
            end -= size::ICON_CHIP + size::GAP;
        }
        let room = Rect::from_min_max(area.min, pos2(end.max(area.left()), area.bottom()));
        Line::new(self.label, Type::Secondary, t.text2).within(painter, room, Align::Min);
        response
    }
}

/// A bar that fills: budget left, progress, utilization. An unknown share shows an empty hatch.
pub fn meter(ui: &mut Ui, name: &str, share: Option<topology::units::Fraction>, tone: Meter) -> Response {
    let t = Tokens::of(ui.ctx());
    let (area, response) = ui.allocate_exact_size(vec2(ui.available_width(), 6.0), Sense::hover());
    response.widget_info(|| WidgetInfo {
        value: share.map(topology::units::Fraction::get),
        ..WidgetInfo::labeled(Role::ProgressIndicator, true, name)
    });
    let Some(share) = share else {
        crate::paint::hatch(ui.painter(), area, &t);
        return response;
    };
    ui.painter().rect_filled(area, 3.0, t.bg3);
    let width = (area.width() * share.get() as f32).round();
    if width > 0.0 {
        let color = match tone {
            Meter::Plain => t.accent_fill,
            Meter::Status(status) => status.color(&t),
        };
        let filled = Rect::from_min_size(area.min, vec2(width, area.height()));
        ui.painter().rect_filled(filled, 3.0, color);
    }
    response
}

/// What the filled part of a [`meter`] says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meter {
    /// Only how much.
    Plain,
    /// How much, and how that stands.
    Status(Status),
}
