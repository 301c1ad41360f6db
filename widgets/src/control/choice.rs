//! One of several: the segmented control and the drop-down list.

use egui::{Align, Align2, Popup, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::Look;
use crate::icon;
use crate::paint::{Line, focus_ring, framed};
use crate::theme::{Tokens, Type, size};

/// A row of words of which one is chosen. `name` says what is chosen, such as "Period".
///
/// The response is `changed` when another option was taken.
pub fn segmented(ui: &mut Ui, name: &str, options: &[&str], chosen: &mut usize) -> Response {
    const INSET: f32 = 2.0;
    const PADDING: f32 = 9.0;
    let t = Tokens::of(ui.ctx());
    // The width is that of the wider weight, so nothing moves when the choice does.
    let width = |text: &str| Line::new(text, Type::SecondaryMedium, t.text1).width(ui.painter()).ceil() + 2.0 * PADDING;
    let widths: Vec<f32> = options.iter().map(|text| width(text)).collect();
    let wanted = vec2(widths.iter().sum::<f32>() + 2.0 * INSET, size::CONTROL);
    let (area, mut group) = ui.allocate_exact_size(wanted, Sense::hover());
    group.widget_info(|| WidgetInfo::labeled(Role::RadioGroup, group.enabled(), name));
    framed(ui.painter(), area, size::RADIUS, [t.bg0, t.line2]);
    let mut left = area.left() + INSET;
    for (n, (text, width)) in options.iter().zip(widths).enumerate() {
        let cell = Rect::from_min_size(pos2(left, area.top() + INSET), vec2(width, size::CONTROL_SMALL));
        left += width;
        let response = ui.interact(cell, group.id.with(n), Sense::click());
        let on = *chosen == n;
        response.widget_info(|| WidgetInfo::selected(Role::RadioButton, response.enabled(), on, text));
        if response.clicked() && !on {
            *chosen = n;
            group.mark_changed();
        }
        if on {
            ui.painter().rect_filled(cell, size::RADIUS_TAG, t.bg3);
        }
        let look = Look::of(&response);
        if look == Look::Focused {
            focus_ring(ui.painter(), cell.shrink(2.0), size::RADIUS_TAG, &t);
        }
        let style = if on { Type::SecondaryMedium } else { Type::Secondary };
        let ink = match look {
            Look::Disabled => t.text3,
            Look::Hovered | Look::Pressed => t.text1,
            _ if on => t.text1,
            _ => t.text2,
        };
        Line::new(text, style, ink).paint(ui.painter(), cell.center(), Align2::CENTER_CENTER);
    }
    group
}

/// A field that opens a list of options. `name` says what is chosen; `width` in points.
///
/// The response is `changed` when another option was taken.
pub fn select(ui: &mut Ui, name: &str, options: &[&str], chosen: &mut usize, width: f32) -> Response {
    let t = Tokens::of(ui.ctx());
    let (area, mut response) = ui.allocate_exact_size(vec2(width, size::CONTROL), Sense::click());
    let shown = options.get(*chosen).copied().unwrap_or_default();
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(shown.to_owned()),
        ..WidgetInfo::labeled(Role::ComboBox, response.enabled(), name)
    });
    let look = Look::of(&response);
    let edge = if matches!(look, Look::Hovered | Look::Pressed) { t.line3 } else { t.line2 };
    framed(ui.painter(), area, size::RADIUS, [t.bg0, edge]);
    if look == Look::Focused {
        focus_ring(ui.painter(), area, size::RADIUS, &t);
    }
    let ink = if look == Look::Disabled { t.text3 } else { t.text1 };
    let words = Rect::from_min_max(area.min + vec2(8.0, 0.0), area.max - vec2(26.0, 0.0));
    Line::new(shown, Type::Secondary, ink).within(ui.painter(), words, Align::Min);
    icon::CARET_DOWN.paint(ui.painter(), pos2(area.right() - 14.0, area.center().y), size::ICON_CHIP, t.text2);
    let taken = Popup::menu(&response).width(width).show(|ui| {
        options
            .iter()
            .enumerate()
            .filter_map(|(n, option)| ui.selectable_label(n == *chosen, *option).clicked().then_some(n))
            .last()
    });
    if let Some(n) = taken.and_then(|popup| popup.inner)
        && n != *chosen
    {
        *chosen = n;
        response.mark_changed();
    }
    response
}
