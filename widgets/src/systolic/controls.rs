//! Playing, stepping and scrubbing through the cycles.

use egui::{Key, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::model::{SPEEDS, Systolic, SystolicState};
use crate::control::{Button, IconButton};
use crate::format::{count, fixed};
use crate::icon;
use crate::paint::focus_ring;
use crate::theme::{Tokens, size};

/// Narrower than this, in points, the speed is left out.
const SPEED_FROM: f32 = 330.0;

/// Draws the row of controls; whether the cycle was set by hand.
pub(super) fn show(ui: &mut Ui, model: &Systolic<'_>, state: &mut SystolicState) -> bool {
    let before = state.cycle;
    let wide = ui.available_width() >= SPEED_FROM;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.add_space(8.0);
        buttons(ui, model, state);
        ui.add_space(6.0);
        let speed = if wide && !model.reduced_motion { 84.0 } else { 0.0 };
        track(ui, model, state, (ui.available_width() - speed - 12.0).max(60.0));
        if speed > 0.0 {
            let per_s = SPEEDS[state.speed.min(SPEEDS.len() - 1)];
            let text = format!("{} / s", fixed(f64::from(per_s), 0));
            if ui
                .add(Button::ghost(&text).small())
                .on_hover_text("Cycles per second; click for the next speed")
                .clicked()
            {
                state.speed = (state.speed + 1) % SPEEDS.len();
            }
        }
    });
    state.cycle != before
}

fn buttons(ui: &mut Ui, model: &Systolic<'_>, state: &mut SystolicState) {
    let last = model.cycles.saturating_sub(1);
    let phase = model.phase(state.cycle).unwrap_or_default();
    let begins = |n: usize| model.phases.get(n).map(|phase| phase.from);
    let at_begin = begins(phase) == Some(state.cycle);
    let earlier = if at_begin { phase.checked_sub(1).and_then(begins) } else { begins(phase) };
    let later = begins(phase + 1);
    let cycle = state.cycle;
    let go = |ui: &mut Ui, (picture, name): (icon::Icon, &str), to: Option<u64>, state: &mut SystolicState| {
        if ui.add(IconButton::new(picture, name).small().enabled(to.is_some())).clicked()
            && let Some(cycle) = to
        {
            state.go(cycle, model.cycles);
        }
    };
    go(ui, (icon::SKIP_BACK, "Previous phase"), earlier, state);
    go(ui, (icon::CARET_LEFT, "One cycle back"), cycle.checked_sub(1), state);
    play(ui, model, state);
    go(ui, (icon::CARET_RIGHT, "One cycle on"), Some(cycle + 1).filter(|&next| next <= last), state);
    go(ui, (icon::SKIP_FORWARD, "Next phase"), later, state);
}

/// Play or pause; at the end playing begins anew.
fn play(ui: &mut Ui, model: &Systolic<'_>, state: &mut SystolicState) {
    if model.reduced_motion {
        state.playing = false;
        let button = IconButton::new(icon::PLAY_FILL, "Play").small().enabled(false);
        ui.add(button).on_disabled_hover_text("Motion is reduced: step by phase or by cycle");
        return;
    }
    let (picture, name) = if state.playing { (icon::PAUSE_FILL, "Pause") } else { (icon::PLAY_FILL, "Play") };
    if ui.add(IconButton::new(picture, name).small().on(state.playing)).clicked() {
        if !state.playing && state.cycle + 1 >= model.cycles {
            state.cycle = 0;
        }
        state.playing = !state.playing;
    }
}

/// The track of all cycles, with a tick where a phase begins.
fn track(ui: &mut Ui, model: &Systolic<'_>, state: &mut SystolicState, width: f32) {
    let t = Tokens::of(ui.ctx());
    let (area, response) = ui.allocate_exact_size(vec2(width, size::CONTROL_SMALL), Sense::click_and_drag());
    let last = model.cycles.saturating_sub(1);
    let track = Rect::from_center_size(area.center(), vec2(area.width() - 10.0, 4.0));
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.dragged() || response.clicked()) {
        let share = f64::from(((pointer.x - track.left()) / track.width()).clamp(0.0, 1.0));
        state.go((share * last as f64).round() as u64, model.cycles);
        response.request_focus();
    }
    if response.has_focus() {
        let pressed = |key| ui.input(|input| input.key_pressed(key));
        let to = if pressed(Key::ArrowRight) {
            Some(state.cycle + 1)
        } else if pressed(Key::ArrowLeft) {
            Some(state.cycle.saturating_sub(1))
        } else if pressed(Key::Home) {
            Some(0)
        } else if pressed(Key::End) {
            Some(last)
        } else {
            None
        };
        if let Some(cycle) = to {
            state.go(cycle, model.cycles);
        }
    }
    let name = format!("Cycle {} of {}", count(state.cycle + 1), count(model.cycles));
    response.widget_info(|| WidgetInfo::slider(true, state.cycle as f64, &name));
    ui.accesskit_node_builder(response.id, |node| {
        node.set_role(Role::Slider);
        node.set_min_numeric_value(0.0);
        node.set_max_numeric_value(last as f64);
    });
    let painter = ui.painter();
    let x = |cycle: u64| track.left() + (cycle as f64 / last.max(1) as f64).min(1.0) as f32 * track.width();
    painter.rect_filled(track, 2.0, t.bg3);
    painter.rect_filled(track.with_max_x(x(state.cycle)), 2.0, t.accent);
    let mut free_from = f32::NEG_INFINITY;
    for phase in model.phases {
        let at = x(phase.from).round() + 0.5;
        if at >= free_from {
            painter.vline(at, track.bottom() + 2.0..=track.bottom() + 6.0, Stroke::new(size::STROKE_LINE, t.line3));
            free_from = at + 4.0;
        }
    }
    let handle = Rect::from_center_size(pos2(x(state.cycle).round(), track.center().y), vec2(10.0, 14.0));
    painter.rect_filled(handle, size::RADIUS_TAG, t.text1);
    if response.has_focus() {
        focus_ring(painter, handle, size::RADIUS_TAG, &t);
    }
}
