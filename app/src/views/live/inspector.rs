//! The chip under the pointer (or pinned), its links, the distribution, stragglers and missing data.

use egui::{ScrollArea, Ui};
use telemetry::Metric;
use telemetry::metric::Way;
use telemetry::stats::{quantiles, summary};
use topology::shape::Coord;
use topology::units::Fraction;
use widgets::control::{IconButton, select};
use widgets::format;
use widgets::icon;
use widgets::legend;
use widgets::panel::{Meter, Property, meter, section};
use widgets::plot::History;
use widgets::status::Status;
use widgets::theme::{Tokens, Type, size, text};

use super::{derive, full_range, value_text, with_source};
use crate::app::App;
use crate::view_state::ColorMap;
use crate::views::topology::fault_text;

/// Draws the pane.
pub(super) fn ui(app: &mut App, ui: &mut Ui) {
    let shown = app.hovered_chip.or(app.view.live.pinned);
    header(app, ui, shown);
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        if let Some(at) = shown {
            chip_ui(app, ui, at);
        }
        distribution_ui(app, ui);
        stragglers_ui(app, ui);
        missing_ui(app, ui);
    });
}

fn header(app: &mut App, ui: &mut Ui, shown: Option<Coord>) {
    let tokens = Tokens::of(ui.ctx());
    let (title, caption) = match (shown, app.view.live.pinned) {
        (Some(at), Some(_)) => (format!("Chip {at}"), "pinned"),
        (Some(at), None) => (format!("Chip {at}"), "hover · click to pin"),
        (None, _) => ("Slice".to_owned(), "hover a chip"),
    };
    super::super::bar(ui, "live inspector head", size::VIEW_HEADER, |ui| {
        ui.label(text(Type::Label, title));
        ui.label(text(Type::Secondary, caption).color(tokens.text3));
        if app.view.live.pinned.is_some() {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.add_space(size::GAP);
                if ui.add(IconButton::new(icon::PUSH_PIN, "Unpin chip").small().on(true)).clicked() {
                    app.view.live.pinned = None;
                }
            });
        }
    });
}

fn chip_ui(app: &mut App, ui: &mut Ui, at: Coord) {
    let Some((pod, map)) = app.model.shown_pod(&app.view) else { return };
    let Some(index) = app.model.shown_slice(&app.view) else { return };
    let shape = pod.slices[index].shape;
    if !shape.contains(at) {
        return;
    }
    let Some(chip) = map.slice_chips[index].get(shape.index_of(at)).map(|chip| *chip as usize) else { return };
    let moment = app.model.shown_moment(&app.view);
    let store = &app.model.store;
    section(ui, "Chip", |ui| {
        let place = pod.shape.coord_of(chip);
        Property::new("Pod position", &place.to_string()).show(ui);
        for metric in Metric::ALL {
            if store.origin(&pod.id, metric).is_none() {
                Property::new(&metric.name(), "not exported").status(Status::NotExported).muted().show(ui);
            } else {
                let value = store.value(&pod.id, metric, chip, moment);
                let words = value.map_or_else(|| "no data".to_owned(), |value| value_text(metric, value));
                let name = metric.name();
                let row = Property::new(&name, &words);
                let row = if value.is_none() { row.status(Status::Unknown).muted() } else { row };
                row.show(ui);
            }
        }
    });
    past_ui(app, ui, chip);
    links_ui(app, ui, chip);
}

/// The metric of one chip over the last hours.
fn past_ui(app: &App, ui: &mut Ui, chip: usize) {
    let Some((pod, _)) = app.model.shown_pod(&app.view) else { return };
    let metric = app.view.live.metric;
    let step_s = i64::from(app.model.store.step_seconds());
    let at = app.model.newest_moment();
    let frames: Vec<_> = app.model.store.frames(&pod.id, metric, at - super::WINDOW_S + step_s, at).collect();
    let values: Vec<Option<f32>> =
        frames.iter().map(|(_, frame)| frame.as_ref().and_then(|frame| frame.get(chip))).collect();
    let first_s = frames.first().map_or(at, |(first, _)| *first) + i64::from(app.model.now.offset_s);
    let name = format!("{}, last 6 h", metric.name());
    let range = full_range(app);
    section(ui, &name, |ui| {
        let text = |value| super::end_text(metric, value);
        History { name: &name, values: &values, first_s, step_s, range, text: &text }.show(ui, 96.0);
    });
}

fn links_ui(app: &App, ui: &mut Ui, chip: usize) {
    let Some((pod, _)) = app.model.shown_pod(&app.view) else { return };
    let (store, moment) = (&app.model.store, app.model.shown_moment(&app.view));
    let links: Vec<(Way, Option<f32>)> = Way::ALL
        .into_iter()
        .filter(|way| store.origin(&pod.id, Metric::IciWay(*way)).is_some())
        .map(|way| (way, store.value(&pod.id, Metric::IciWay(way), chip, moment)))
        .collect();
    // Single links are kept of the newest minutes only.
    if links.iter().any(|(_, value)| value.is_some()) {
        section(ui, "ICI links, one direction", |ui| {
            for (way, value) in links {
                let share = value.map(|value| Fraction::clamped(f64::from(value)));
                let words = share.map_or_else(|| "no data".to_owned(), |share| format::percent(share, 1));
                Property::new(&way.to_string(), &words).show(ui);
                meter(ui, &format!("Link {way}"), share, Meter::Plain);
            }
        });
    }
}

fn distribution_ui(app: &mut App, ui: &mut Ui) {
    let full = full_range(app);
    let values = with_source(app, derive::values).unwrap_or_default();
    let title = format!("Distribution, {}", crate::text::n_of(values.iter().flatten().count(), "chip"));
    section(ui, &title, |ui| {
        let metric = app.view.live.metric;
        let room = egui::vec2(ui.available_width(), 84.0);
        legend::histogram(ui, &derive::histogram(metric, &values, full), &super::legend_model(app), room);
        super::legend(app, ui);
        ui.add_space(size::GRID);
        let mut chosen = usize::from(app.view.live.colormap == ColorMap::Cividis);
        if select(ui, "Colour map", &["viridis", "cividis"], &mut chosen, 120.0).changed() {
            app.view.live.colormap = [ColorMap::Viridis, ColorMap::Cividis][chosen.min(1)];
        }
        if let (Some(summary), Some([median])) =
            (summary(values.iter().copied()), quantiles(values.iter().copied(), [0.5]))
        {
            Property::new("Mean of reporting", &value_text(metric, summary.mean as f32)).show(ui);
            Property::new("Median", &value_text(metric, median as f32)).show(ui);
            let (low, high) = (value_text(metric, summary.min as f32), value_text(metric, summary.max as f32));
            Property::new("Least, greatest", &format!("{low}, {high}")).show(ui);
        }
    });
}

fn stragglers_ui(app: &App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    let found = with_source(app, |source| {
        let units = source.map.units(source.pod, source.slice, crate::pod_map::Group::Host);
        let chips: Vec<Vec<u32>> = units.iter().map(|unit| unit.chips.clone()).collect();
        let lagging = derive::lagging(source, &chips);
        lagging
            .into_iter()
            .filter_map(|straggler| units.get(straggler.unit).map(|unit| (unit.name.clone(), straggler)))
            .collect::<Vec<_>>()
    })
    .unwrap_or_default();
    let rule = app.model.plan().thresholds.straggler_sigmas;
    let waits_for = app.shown_step().map(|step| step.slowest_chip);
    section(ui, "Stragglers", |ui| {
        if let Some(chip) = waits_for {
            // In a step all chips wait for the slowest, so it shows in the duty cycle and not in the utilization.
            Property::new("The step waits for", &format!("chip {chip}")).show(ui);
        }
        for fault in known_faults(app) {
            ui.add(egui::Label::new(text(Type::Secondary, fault).color(tokens.warn)).wrap());
        }
        if found.is_empty() {
            let words = format!("No host is more than {rule} σ below its slice.");
            ui.label(text(Type::Secondary, words).color(tokens.text3));
        }
        for (name, straggler) in found.iter().take(6) {
            let sigmas = straggler.sigmas.map_or_else(String::new, |s| format!(" · −{} σ", format::number(s)));
            let value = format!("{}{sigmas}", value_text(app.view.live.metric, straggler.mean as f32));
            Property::new(name, &value).status(Status::Watch).show(ui);
        }
        if found.len() > 6 {
            let more = format!("{} more", crate::text::n_of(found.len() - 6, "host"));
            ui.label(text(Type::Caption, more).color(tokens.text3));
        }
    });
}

/// What the plan says of slow and silent parts of the slice.
fn known_faults(app: &App) -> Vec<String> {
    let Some((pod, _)) = app.model.shown_pod(&app.view) else { return Vec::new() };
    let Some(slice) = app.model.shown_slice(&app.view).and_then(|index| pod.slices.get(index)) else {
        return Vec::new();
    };
    let of_slice = pod.faults.iter().filter(|fault| pod.touches(slice, fault.component));
    of_slice.take(6).map(|fault| format!("In the plan: {}", fault_text(fault))).collect()
}

/// Hosts of the slice of which nothing is heard now.
fn silent_hosts(app: &App) -> Vec<String> {
    with_source(app, |source| {
        let hosts = source.map.units(source.pod, source.slice, crate::pod_map::Group::Host);
        let silent = |unit: &crate::pod_map::Unit| {
            unit.chips.iter().all(|chip| derive::chip_value(source, *chip as usize).is_none())
        };
        hosts.iter().filter(|unit| silent(unit)).map(|unit| format!("{}, chip {}", unit.name, unit.at)).collect()
    })
    .unwrap_or_default()
}

fn missing_ui(app: &App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    let missing = with_source(app, derive::values).unwrap_or_default().iter().filter(|value| value.is_none()).count();
    section(ui, "Missing data", |ui| {
        Property::new("Not reporting now", &crate::text::n_of(missing, "chip")).show(ui);
        let hosts = if missing > 0 { silent_hosts(app) } else { Vec::new() };
        for host in hosts.iter().take(6) {
            ui.label(text(Type::Secondary, host).color(tokens.text2));
        }
        if hosts.len() > 6 {
            let more = format!("{} more", crate::text::n_of(hosts.len() - 6, "host"));
            ui.label(text(Type::Caption, more).color(tokens.text3));
        }
        let words = "Hatched, never drawn as zero, left out of means.";
        ui.label(text(Type::Caption, words).color(tokens.text3));
    });
}
