//! Notices at the lower right: they go by themselves, errors stay.

use egui::Context;
use widgets::notice::{Toast, ToastEvent, toasts};
use widgets::status::Status;

use crate::app::App;
use crate::command::Command;
use crate::intent::Intent;
use crate::model::Severity;

/// Seconds that a notice stays.
const STAYS_S: f64 = 8.0;
/// Seconds that a word about something done stays.
const DONE_STAYS_S: f64 = 4.0;

/// Draws the notices, and lets old ones go.
pub(super) fn ui(app: &mut App, ctx: &Context) {
    let time = ctx.input(|input| input.time);
    for notice in &mut app.model.notices {
        notice.since.get_or_insert(time);
    }
    app.model.notices.retain(|notice| {
        let stays = match notice.severity {
            Severity::Error => f64::INFINITY,
            Severity::Done => DONE_STAYS_S,
            Severity::Info | Severity::Warning => STAYS_S,
        };
        time - notice.since.unwrap_or(time) < stays
    });
    let texts: Vec<String> = app
        .model
        .notices
        .iter()
        .map(|notice| {
            if notice.detail.is_empty() { notice.title.clone() } else { format!("{}: {}", notice.title, notice.detail) }
        })
        .collect();
    let all: Vec<Toast<'_>> = app
        .model
        .notices
        .iter()
        .zip(&texts)
        .map(|(notice, text)| Toast {
            id: notice.id,
            status: match notice.severity {
                Severity::Done => Status::Ok,
                Severity::Info => Status::Info,
                Severity::Warning => Status::Watch,
                Severity::Error => Status::Critical,
            },
            text,
            action: None,
            seconds_left: None,
        })
        .collect();
    match toasts(ctx, &all) {
        Some(ToastEvent::Close(id)) => app.intents.push(Intent::CloseNotice(id)),
        Some(ToastEvent::Action(_)) => app.intents.run(Command::Undo),
        None => {}
    }
}
