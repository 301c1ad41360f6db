//! Rows of a tree. Which rows exist and which are open is the caller's model.

use egui::{Align, Align2, Key, Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo, pos2, vec2};

use crate::icon::{self, Icon};
use crate::paint::{Line, focus_ring, swatch};
use crate::status::Status;
use crate::theme::{SliceColor, Tokens, Type, size};

/// What stands before the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A kind of thing.
    Icon(Icon),
    /// A slice in its colour.
    Slice(SliceColor),
}

/// One row.
#[derive(Debug, Clone, Copy)]
#[must_use = "a row does nothing until it is shown"]
pub struct Row<'a> {
    /// How many ancestors it has.
    pub depth: u8,
    /// Whether its children are shown; nothing for a leaf.
    pub open: Option<bool>,
    /// Icon or swatch; nothing for words such as "13 more hosts".
    pub mark: Option<Mark>,
    /// The name.
    pub name: &'a str,
    /// A number at the right, such as the count of chips.
    pub count: &'a str,
    /// A state worth showing.
    pub status: Option<Status>,
    /// Part of the selection.
    pub selected: bool,
}

/// What happened to a row.
pub struct RowResponse {
    /// The row itself: `clicked` selects, `double_clicked` opens in its view.
    pub response: Response,
    /// Open it when it is closed, close it when it is open.
    pub toggled: bool,
}

impl Row<'_> {
    /// Adds the row, 24 high and as wide as there is room.
    pub fn show(self, ui: &mut Ui) -> RowResponse {
        let t = Tokens::of(ui.ctx());
        let (area, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::TREE_ROW), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::TreeItem, response.enabled(), self.selected, self.name));
        ui.accesskit_node_builder(response.id, |node| {
            node.set_level(usize::from(self.depth) + 1);
            if let Some(open) = self.open {
                node.set_expanded(open);
            }
        });
        let ground = match (self.selected, response.hovered()) {
            (true, _) => Some(t.accent_soft),
            (false, true) => Some(t.row_hover()),
            (false, false) => None,
        };
        if let Some(ground) = ground {
            ui.painter().rect_filled(area, 0.0, ground);
        }
        if response.has_focus() {
            focus_ring(ui.painter(), area.shrink(3.0), 0.0, &t);
        }
        let x = area.left() + 8.0 + f32::from(self.depth) * size::INDENT;
        let toggled = self.caret(ui, &response, pos2(x + 6.0, area.center().y), &t);
        self.paint(ui, area, x + 18.0, &t);
        RowResponse { response, toggled }
    }

    fn caret(&self, ui: &Ui, row: &Response, center: egui::Pos2, t: &Tokens) -> bool {
        let Some(open) = self.open else { return false };
        let target = Rect::from_center_size(center, Vec2::new(20.0, size::TREE_ROW));
        let caret = ui.interact(target, row.id.with("caret"), Sense::click());
        caret.widget_info(|| {
            let verb = if open { "Close" } else { "Open" };
            WidgetInfo::labeled(Role::Button, caret.enabled(), format!("{verb} {}", self.name))
        });
        let icon = if open { icon::CARET_DOWN } else { icon::CARET_RIGHT };
        icon.paint(ui.painter(), center, size::ICON_CHIP, if caret.hovered() { t.text1 } else { t.text3 });
        let key = if open { Key::ArrowLeft } else { Key::ArrowRight };
        caret.clicked() || (row.has_focus() && ui.input(|input| input.key_pressed(key)))
    }

    fn paint(&self, ui: &Ui, area: Rect, mut x: f32, t: &Tokens) {
        let painter = ui.painter();
        let middle = area.center().y;
        match self.mark {
            Some(Mark::Icon(icon)) => {
                icon.paint(painter, pos2(x + 7.0, middle), size::ICON_SMALL, t.text2);
                x += size::ICON_SMALL + 6.0;
            }
            Some(Mark::Slice(color)) => {
                swatch(painter, pos2(x + 7.0, middle), color, t);
                x += size::ICON_SMALL + 6.0;
            }
            None => {}
        }
        let mut right = area.right() - 10.0;
        if let Some(status) = self.status {
            status.icon().paint(painter, pos2(right - 6.0, middle), size::ICON_CHIP, status.color(t));
            right -= size::ICON_CHIP + 6.0;
        }
        if !self.count.is_empty() {
            let count = Line::new(self.count, Type::Caption, t.text3);
            right = count.paint(painter, pos2(right, middle), Align2::RIGHT_CENTER).left() - size::GAP;
        }
        let ink = if self.mark.is_some() { t.text1 } else { t.text3 };
        let room = Rect::from_min_max(pos2(x, area.top()), pos2(right.max(x), area.bottom()));
        Line::new(self.name, Type::Secondary, ink).within(painter, room, Align::Min);
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    const ROW: Row<'static> = Row {
        depth: 1,
        open: Some(false),
        mark: Some(Mark::Icon(icon::STACK)),
        name: "north-7x-1",
        count: "9,216",
        status: None,
        selected: false,
    };

    /// Protects: the caret opens without selecting, the row selects without opening, keys do both.
    #[test]
    fn caret_and_row_do_different_things() {
        let show = |ui: &mut Ui, (open, selected): &mut (bool, u32)| {
            let row = Row { open: Some(*open), ..ROW }.show(ui);
            *open ^= row.toggled;
            *selected += u32::from(row.response.clicked());
        };
        let builder = Harness::builder().with_context_setup(crate::theme::install);
        let mut harness = builder.build_ui_state(show, (false, 0));
        harness.get_by_label("Open north-7x-1").click();
        harness.run();
        assert_eq!(*harness.state(), (true, 0));
        harness.get_by_label("north-7x-1").click();
        harness.run();
        assert_eq!(*harness.state(), (true, 1));
        harness.get_by_label("north-7x-1").focus();
        harness.run();
        harness.key_press(Key::ArrowLeft);
        harness.run();
        assert_eq!(*harness.state(), (false, 1));
    }
}
