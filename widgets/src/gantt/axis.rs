//! Months, quarters and years, the grid below them, and the line of today.

use egui::{Align2, Painter, Rangef, Rect, Stroke, pos2, vec2};

use super::date::{Day, MONTHS};
use super::layout::{AXIS, GATES, Layout};
use super::model::Gantt;
use crate::ink::{measure, words};
use crate::theme::{Tokens, Type};

/// Months narrower than this have no name.
const NAMED_FROM: f32 = 30.0;

/// Vertical lines: quarters stronger than months.
pub(super) fn grid(painter: &Painter, layout: &Layout, tokens: &Tokens) {
    let bottom = layout.end.min(layout.chart.bottom());
    for month in layout.months() {
        let x = layout.x(month).round() + 0.5;
        if x < layout.chart.left() {
            continue;
        }
        let quarter = month.civil().1 % 3 == 1;
        let color = if quarter { tokens.line2 } else { tokens.line1 };
        painter.vline(x, Rangef::new(layout.area.top() + 24.0, bottom), Stroke::new(1.0, color));
    }
}

/// Names of months, quarters and years, and today's pill.
pub(super) fn header(painter: &Painter, layout: &Layout, model: &Gantt, tokens: &Tokens) {
    let top = layout.area.top();
    let pill = pill_place(painter, layout, model);
    let months: Vec<Day> = layout.months().collect();
    let width = layout.day * 30.4;
    for (n, &month) in months.iter().enumerate() {
        let (year, number, _) = month.civil();
        let x = layout.x(month).max(layout.chart.left()) + 6.0;
        if width >= NAMED_FROM && layout.x(month) + width > x + 20.0 {
            let at = pos2(x, top + 34.0);
            words(painter, at, Align2::LEFT_CENTER, MONTHS[number as usize - 1], Type::Caption, tokens.text2);
        }
        let above = if n == 0 || number == 1 {
            Some((year.to_string(), Type::CaptionStrong, tokens.text1))
        } else if number % 3 == 1 && width * 3.0 >= NAMED_FROM {
            Some((format!("Q{}", number / 3 + 1), Type::Caption, tokens.text3))
        } else {
            None
        };
        if let Some((text, style, color)) = above {
            let place = Rect::from_min_size(pos2(x, top + 6.0), vec2(measure(painter, &text, style).x + 6.0, 16.0));
            let next_year = months.get(n + 1).filter(|next| next.civil().1 == 1).map(|&next| layout.x(next));
            let free = pill.is_none_or(|pill| !pill.intersects(place)) && next_year.is_none_or(|x| place.right() < x);
            if free {
                words(painter, pos2(x, top + 14.0), Align2::LEFT_CENTER, &text, style, color);
            }
        }
    }
    painter.hline(layout.area.x_range(), top + AXIS - 0.5, Stroke::new(1.0, tokens.line1));
    painter.hline(layout.area.x_range(), top + AXIS + GATES - 0.5, Stroke::new(1.0, tokens.line2));
}

fn today_text(model: &Gantt) -> String {
    let (_, month, day) = model.today.civil();
    format!("today {day} {}", MONTHS[month as usize - 1])
}

/// Where today's pill stands; nowhere when today is out of view.
fn pill_place(painter: &Painter, layout: &Layout, model: &Gantt) -> Option<Rect> {
    let x = layout.x(model.today);
    let width = measure(painter, &today_text(model), Type::CaptionStrong).x + 16.0;
    let least = layout.chart.left() + width / 2.0 + 2.0;
    let center = pos2(x.clamp(least, (layout.chart.right() - width / 2.0 - 2.0).max(least)), layout.area.top() + 13.0);
    layout.chart.x_range().contains(x).then(|| Rect::from_center_size(center, vec2(width, 20.0)))
}

/// The line of today over everything, with its pill.
pub(super) fn today(painter: &Painter, layout: &Layout, model: &Gantt, tokens: &Tokens) {
    let Some(pill) = pill_place(painter, layout, model) else { return };
    let bottom = layout.end.min(layout.chart.bottom());
    let x = layout.x(model.today);
    painter.vline(x, Rangef::new(pill.bottom(), bottom), Stroke::new(1.5, tokens.accent));
    painter.rect_filled(pill, 3.0, tokens.accent_fill);
    let text = today_text(model);
    words(painter, pill.center(), Align2::CENTER_CENTER, &text, Type::CaptionStrong, tokens.on_accent);
}
