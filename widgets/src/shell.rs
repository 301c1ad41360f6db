//! The frame of the window: navigation rail and status bar.

use egui::{Align, Align2, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::icon::Icon;
use crate::paint::{Line, focus_ring};
use crate::status::Status;
use crate::theme::{Tokens, Type, size};

/// One place to go to.
#[derive(Debug, Clone, Copy)]
pub struct RailItem<'a> {
    /// Its picture.
    pub icon: Icon,
    /// Its name.
    pub label: &'a str,
    /// A line separates it from the one before.
    pub apart: bool,
}

/// The navigation rail at the left edge of the window.
#[derive(Debug, Clone, Copy)]
pub struct Rail<'a> {
    /// The views.
    pub items: &'a [RailItem<'a>],
    /// Icons at the foot, such as settings and help.
    pub foot: &'a [RailItem<'a>],
    /// The view that is shown.
    pub chosen: usize,
    /// Only icons, 48 wide, for narrow windows.
    pub narrow: bool,
}

/// What was clicked on the rail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RailClick {
    /// A view.
    Item(usize),
    /// An icon at the foot.
    Foot(usize),
}

/// Height of an icon at the foot.
const FOOT: f32 = 44.0;

impl Rail<'_> {
    /// Width in points, with the line at its right edge.
    pub fn width(&self) -> f32 {
        if self.narrow { size::RAIL_NARROW } else { size::RAIL }
    }

    /// Shows the rail over the whole height there is.
    pub fn show(&self, ui: &mut Ui) -> Option<RailClick> {
        let t = Tokens::of(ui.ctx());
        let (_, area) = ui.allocate_space(vec2(self.width(), ui.available_height()));
        ui.painter().rect_filled(area, 0.0, t.bg1);
        let line = Rect::from_min_max(pos2(area.right() - 1.0, area.top()), area.max);
        ui.painter().rect_filled(line, 0.0, t.line1);
        let width = self.width() - 1.0;
        let height = if self.narrow { FOOT } else { size::RAIL_ITEM };
        let mut top = area.top() + 6.0;
        let mut clicked = None;
        for (n, item) in self.items.iter().enumerate() {
            if item.apart {
                let y = top + 6.5;
                ui.painter().hline(area.left() + 12.0..=area.right() - 13.0, y, egui::Stroke::new(1.0, t.line1));
                top += 13.0;
            }
            let place = Rect::from_min_size(pos2(area.left(), top), vec2(width, height));
            if item.show(ui, place, n == self.chosen, !self.narrow).clicked() {
                clicked = Some(RailClick::Item(n));
            }
            top += height;
        }
        let mut bottom = area.bottom() - 4.0;
        for (n, item) in self.foot.iter().enumerate().rev() {
            bottom -= FOOT;
            let place = Rect::from_min_size(pos2(area.left(), bottom), vec2(width, FOOT));
            if item.show(ui, place, false, false).clicked() {
                clicked = Some(RailClick::Foot(n));
            }
        }
        clicked
    }
}

impl RailItem<'_> {
    fn show(&self, ui: &Ui, place: Rect, chosen: bool, worded: bool) -> Response {
        let t = Tokens::of(ui.ctx());
        let response = ui.interact(place, ui.scope_id().with(self.label), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::Tab, response.enabled(), chosen, self.label));
        let painter = ui.painter();
        let [icon, words] = match (chosen, response.hovered()) {
            (true, _) => [t.accent, t.text1],
            (false, true) => [t.text1, t.text1],
            (false, false) => [t.text2, t.text2],
        };
        if chosen {
            painter.rect_filled(place, 0.0, t.accent_soft);
            painter.rect_filled(Rect::from_min_size(place.min, vec2(2.0, place.height())), 0.0, t.accent);
        } else if response.hovered() {
            painter.rect_filled(place, 0.0, t.row_hover());
        }
        if response.has_focus() {
            focus_ring(painter, place.shrink(4.0), 1.0, &t);
        }
        if worded {
            // 20 icon, 4 gap and 14 text stand in the middle of 56.
            self.icon.paint(painter, pos2(place.center().x, place.top() + 19.0), size::ICON_RAIL, icon);
            let line = Line::new(self.label, Type::Caption, words);
            line.paint(painter, pos2(place.center().x, place.top() + 40.0), Align2::CENTER_CENTER);
            response
        } else {
            self.icon.paint(painter, place.center(), size::ICON_RAIL, icon);
            response.on_hover_text(self.label)
        }
    }
}

/// A number at the right of the status bar: "Frame **6.8 ms**".
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    /// An icon instead of words, such as the bell.
    pub icon: Option<Icon>,
    /// Words before the number.
    pub before: &'a str,
    /// The number with its unit.
    pub value: &'a str,
    /// Words after the number.
    pub after: &'a str,
}

/// The strip along the lower edge of the window.
#[derive(Debug, Clone, Copy)]
pub struct StatusBar<'a> {
    /// Shape before the message.
    pub status: Status,
    /// The last thing that happened.
    pub message: &'a str,
    /// What is selected and what is under the pointer.
    pub selection: &'a str,
    /// Numbers, from left to right.
    pub segments: &'a [Segment<'a>],
}

/// Between two parts, on each side of the bar.
const PART_GAP: f32 = 14.0;

impl StatusBar<'_> {
    /// Shows the bar over the whole width there is, 24 high; the number of the segment that was clicked.
    pub fn show(&self, ui: &mut Ui) -> Option<usize> {
        let t = Tokens::of(ui.ctx());
        let (id, area) = ui.allocate_space(vec2(ui.available_width(), size::STATUS_BAR));
        ui.painter().rect_filled(area, 0.0, t.bg1);
        ui.painter().hline(area.x_range(), area.top() + 0.5, egui::Stroke::new(1.0, t.line1));
        ui.accesskit_node_builder(id, |node| {
            node.set_role(Role::Status);
            node.set_label(format!("{}. {}", self.message, self.selection));
        });
        let middle = area.center().y;
        let mut right = area.right() - 12.0;
        let mut clicked = None;
        for (n, segment) in self.segments.iter().enumerate().rev() {
            let width = segment.width(ui);
            let place = Rect::from_min_size(pos2(right - width, area.top()), vec2(width, area.height()));
            if segment.show(ui, place, n).clicked() {
                clicked = Some(n);
            }
            right -= width + PART_GAP;
            if n > 0 {
                divider(ui, pos2(right, middle), &t);
                right -= PART_GAP;
            }
        }
        let sign = pos2(area.left() + 18.0, middle);
        self.status.icon().paint(ui.painter(), sign, size::ICON_CHIP, self.status.color(&t));
        let message = Line::new(self.message, Type::Caption, t.text2);
        let mut x = message.paint(ui.painter(), sign + vec2(12.0, 0.0), Align2::LEFT_CENTER).right() + PART_GAP;
        if self.selection.is_empty() {
            return clicked;
        }
        divider(ui, pos2(x, middle), &t);
        x += PART_GAP;
        let room = Rect::from_min_max(pos2(x, area.top()), pos2(right, area.bottom()));
        if room.is_positive() {
            Line::new(self.selection, Type::Caption, t.text2).within(ui.painter(), room, Align::Min);
        }
        clicked
    }
}

fn divider(ui: &Ui, center: egui::Pos2, t: &Tokens) {
    let area = Rect::from_center_size(pos2(center.x.floor() + 0.5, center.y), vec2(1.0, 12.0));
    ui.painter().rect_filled(area, 0.0, t.line2);
}

impl Segment<'_> {
    fn lines(&self, t: &Tokens) -> [(bool, Line<'_>); 3] {
        [(self.before, t.text2), (self.value, t.text1), (self.after, t.text2)]
            .map(|(text, ink)| (!text.is_empty(), Line::new(text, Type::Caption, ink)))
    }

    fn width(&self, ui: &Ui) -> f32 {
        let t = Tokens::of(ui.ctx());
        let lines = self.lines(&t);
        let shown = lines.iter().filter(|(shown, _)| *shown);
        let words: f32 = shown.clone().map(|(_, line)| line.width(ui.painter())).sum();
        let icon = self.icon.map_or(0.0, |_| size::ICON_CHIP + 4.0);
        (words + icon + 3.0 * (shown.count().max(1) - 1) as f32).ceil()
    }

    fn show(&self, ui: &Ui, place: Rect, n: usize) -> Response {
        let t = Tokens::of(ui.ctx());
        let response = ui.interact(place, ui.scope_id().with(("segment", n)), Sense::click());
        let words = [self.before, self.value, self.after].join(" ");
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, words.trim()));
        let mut at = place.left_center();
        if let Some(icon) = self.icon {
            icon.paint(ui.painter(), at + vec2(6.0, 0.0), size::ICON_CHIP, t.text2);
            at.x += size::ICON_CHIP + 4.0;
        }
        for (shown, line) in self.lines(&t) {
            if shown {
                at.x = line.paint(ui.painter(), at, Align2::LEFT_CENTER).right() + 3.0;
            }
        }
        if response.has_focus() {
            focus_ring(ui.painter(), place.shrink2(vec2(0.0, 4.0)), size::RADIUS_TAG, &t);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::icon;

    /// Protects: wide or narrow, every place of the rail has its name and tells its own number.
    #[test]
    fn rail_items_are_found_by_name() {
        const fn item(label: &str) -> RailItem<'_> {
            RailItem { icon: icon::CUBE, label, apart: false }
        }
        for narrow in [false, true] {
            let show = move |ui: &mut Ui, clicked: &mut Vec<RailClick>| {
                let (items, foot) = ([item("Overview"), item("Topology")], [item("Settings"), item("Help")]);
                clicked.extend(Rail { items: &items, foot: &foot, chosen: 0, narrow }.show(ui));
            };
            let builder = Harness::builder().with_size([300.0, 400.0]).with_context_setup(crate::theme::install);
            let mut harness = builder.build_ui_state(show, Vec::new());
            for label in ["Topology", "Help"] {
                harness.get_by_label(label).click();
                harness.run();
            }
            assert_eq!(*harness.state(), [RailClick::Item(1), RailClick::Foot(1)]);
        }
    }
}
