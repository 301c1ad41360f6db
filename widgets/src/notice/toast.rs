//! Toasts: short messages at the lower right, at most three.

use egui::accesskit::Live;
use egui::{Align, Align2, Area, Context, Id, Order, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::icon;
use crate::paint::{Line, focus_ring, framed};
use crate::status::Status;
use crate::theme::{Tokens, Type, shadow, size};

/// One message. How long it stays is the caller's business: 8 s, errors until they are closed.
#[derive(Debug, Clone, Copy)]
pub struct Toast<'a> {
    /// Told back in events.
    pub id: u64,
    /// How bad it is.
    pub status: Status,
    /// What happened.
    pub text: &'a str,
    /// A verb such as "Undo".
    pub action: Option<&'a str>,
    /// Seconds until it goes, when it does.
    pub seconds_left: Option<u8>,
}

/// What was clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToastEvent {
    /// The verb of the toast with this id.
    Action(u64),
    /// The cross of the toast with this id.
    Close(u64),
}

/// Most toasts on screen; of more, the newest are shown.
const MOST: usize = 3;
const SIZE: egui::Vec2 = vec2(364.0, 32.0);

/// Shows the newest toasts above the status bar; `all` from the oldest to the newest.
pub fn toasts(ctx: &Context, all: &[Toast<'_>]) -> Option<ToastEvent> {
    if all.is_empty() {
        return None;
    }
    let lift = size::STATUS_BAR + 40.0;
    Area::new(Id::unique("toasts"))
        .order(Order::Foreground)
        .anchor(Align2::RIGHT_BOTTOM, vec2(-size::PANEL_GAP, -lift))
        .show(ctx, |ui| {
            ui.spacing_mut().item_spacing.y = 6.0;
            all[all.len().saturating_sub(MOST)..].iter().filter_map(|toast| toast.show(ui)).last()
        })
        .inner
}

impl Toast<'_> {
    /// Adds one toast to a pane; [`toasts`] places them over the window.
    pub fn show(&self, ui: &mut Ui) -> Option<ToastEvent> {
        let t = Tokens::of(ui.ctx());
        let bad = self.status == Status::Critical;
        let (area, response) = ui.allocate_exact_size(SIZE, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Alert, true, self.text));
        ui.accesskit_node_builder(response.id, |node| {
            node.set_live(if bad { Live::Assertive } else { Live::Polite });
        });
        ui.painter().add(shadow(&t).as_shape(area, 6));
        let colors = if bad { [t.crit_soft, t.crit] } else { [t.bg2, t.line2] };
        framed(ui.painter(), area, size::RADIUS_PANEL, colors);
        let mut event = None;
        let mut right = area.right() - 10.0;
        if self.seconds_left.is_none() {
            let cross = Rect::from_center_size(pos2(right - 6.0, area.center().y), egui::Vec2::splat(24.0));
            let close = ui.interact(cross, response.id.with("close"), Sense::click());
            close.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Close message"));
            let ink = if close.hovered() { t.text1 } else { t.text2 };
            icon::X.paint(ui.painter(), cross.center(), size::ICON_CHIP, ink);
            ring(ui, &close, &t);
            if close.clicked() {
                event = Some(ToastEvent::Close(self.id));
            }
            right -= 20.0;
        }
        if let Some(seconds) = self.seconds_left {
            let line = format!("{seconds}{}s", crate::format::NBSP);
            let line = Line::new(&line, Type::Secondary, t.text3);
            right = line.paint(ui.painter(), pos2(right, area.center().y), Align2::RIGHT_CENTER).left() - size::GAP;
        }
        if let Some(action) = self.action {
            let (response, left) = self.verb(ui, action, pos2(right, area.center().y), &response);
            right = left - size::GAP;
            if response.clicked() {
                event = Some(ToastEvent::Action(self.id));
            }
        }
        let sign = pos2(area.left() + 17.0, area.center().y);
        self.status.icon().paint(ui.painter(), sign, size::ICON_SMALL, self.status.color(&t));
        let room = Rect::from_min_max(pos2(area.left() + 32.0, area.top()), pos2(right, area.bottom()));
        Line::new(self.text, Type::Secondary, t.text1).within(ui.painter(), room, Align::Min);
        response.on_hover_text(self.text);
        event
    }

    fn verb(&self, ui: &Ui, action: &str, right: egui::Pos2, toast: &Response) -> (Response, f32) {
        let t = Tokens::of(ui.ctx());
        let ink = if self.status == Status::Critical { t.text1 } else { t.accent };
        let line = Line::new(action, Type::SecondaryMedium, ink);
        let place = line.paint(ui.painter(), right, Align2::RIGHT_CENTER);
        let target = Rect::from_center_size(place.center(), vec2(place.width() + 8.0, 24.0));
        let response = ui.interact(target, toast.id.with("action"), Sense::click());
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, action));
        if response.hovered() {
            ui.painter().hline(place.x_range(), place.bottom() - 0.5, egui::Stroke::new(1.0, ink));
        }
        ring(ui, &response, &t);
        (response, place.left())
    }
}

fn ring(ui: &Ui, response: &Response, t: &Tokens) {
    if response.has_focus() {
        focus_ring(ui.painter(), response.rect.shrink(3.0), size::RADIUS_TAG, t);
    }
}
