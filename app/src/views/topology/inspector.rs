//! Facts of what is selected in the Topology view, each with its unit.

use egui::{ScrollArea, Ui};
use planning::edit::Edit;
use planning::plan::SliceRef;
use topology::chip::{Basis, Catalog, Sourced};
use topology::fleet::{Effect, Fault, Pod, Slice};
use topology::shape::{Axis, Coord};
use topology::slice::SliceFacts;
use widgets::control::{Button, Chip, IconButton};
use widgets::explain::Explanation;
use widgets::format;
use widgets::icon;
use widgets::panel::{Property, section};
use widgets::status::Status;
use widgets::theme::{SliceColor, Tokens, Type, size, text};

use super::scene;
use crate::app::App;
use crate::command::Command;
use crate::intent::Intent;
use crate::pod_map::{PodMap, Use};
use crate::text::{cube, shape};
use crate::view_state::{Selection, View};

/// Where figures of a whole slice come from.
const CATALOGUE: &str = "The figure of one chip is in the catalogue: select the pod to see its source.";

/// Draws the pane.
pub(super) fn ui(app: &mut App, ui: &mut Ui) {
    let Some((pod, map)) = app.model.shown_pod(&app.view).map(|(pod, map)| (pod.clone(), map.clone())) else { return };
    let slice = scene::selected_slice(&pod, &map, &app.view.selection);
    header(app, ui, &pod, slice);
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        match app.view.selection.clone() {
            Selection::Chip(_, chip) if pod.shape.contains(chip) => chip_ui(app, ui, &pod, &map, chip),
            Selection::Cube(_, at) if map.lattice.contains(at) => cube_ui(app, ui, &pod, &map, at),
            _ => {}
        }
        match slice.and_then(|index| pod.slices.get(index).map(|slice| (index, slice))) {
            Some((index, slice)) => slice_ui(app, ui, &pod, index, slice),
            None => pod_ui(app, ui, &pod, &map),
        }
    });
}

fn header(app: &mut App, ui: &mut Ui, pod: &Pod, slice: Option<usize>) {
    let tokens = Tokens::of(ui.ctx());
    let (title, kind) = match (&app.view.selection, slice.and_then(|index| pod.slices.get(index))) {
        (Selection::Chip(_, chip), _) => (format!("Chip {chip}"), "Chip"),
        (Selection::Cube(_, at), _) => (format!("Cube {}", cube(*at)), "Cube"),
        (_, Some(slice)) => (slice.id.to_string(), "Slice"),
        _ => (pod.id.to_string(), "Pod"),
    };
    super::super::bar(ui, "inspector head", size::VIEW_HEADER, |ui| {
        if let Some(slice) = slice.and_then(|index| pod.slices.get(index)) {
            let (area, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), egui::Sense::hover());
            widgets::paint::swatch(ui.painter(), area.center(), SliceColor::nth(scene::color_index(slice)), &tokens);
        }
        ui.label(text(Type::Label, title));
        ui.label(text(Type::Secondary, kind).color(tokens.text3));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(size::GAP);
            if ui.add(IconButton::new(icon::X, "Close inspector").small()).clicked() {
                app.intents.run(Command::Inspector);
            }
        });
    });
}

fn fact(ui: &mut Ui, label: &str, value: impl AsRef<str>) {
    Property::new(label, value.as_ref()).show(ui);
}

/// A figure of the catalogue; a click says where it comes from.
fn figure<T: Copy>(
    ui: &mut Ui,
    catalog: &Catalog,
    label: &str,
    figure: Option<&Sourced<T>>,
    write: impl FnOnce(T) -> String,
) {
    let Some(figure) = figure else {
        fact(ui, label, format::ABSENT);
        return;
    };
    let value = write(figure.value);
    let row = Property::new(label, &value).explained().show(ui);
    let how = match figure.basis {
        Basis::Read => "Read in",
        Basis::Derived => "Derived from",
        Basis::Unverified => "Unverified, low confidence:",
    };
    let reference = catalog.source(&figure.source).unwrap_or(&figure.source);
    let note = figure.note.as_ref().map_or_else(String::new, |note| format!(" {note}."));
    let source = format!("{how} {reference}.{note} Catalogue of {}.", catalog.as_of);
    Explanation { title: label, value: &value, formula: "", inputs: &[], worked: "", source: &source }.popover(&row);
}

/// A figure of a slice; a click says how it is computed.
fn computed(ui: &mut Ui, label: &str, value: &str, formula: &str, source: &str) {
    let row = Property::new(label, value).explained().show(ui);
    Explanation { title: label, value, formula, inputs: &[], worked: "", source }.popover(&row);
}

fn slice_ui(app: &mut App, ui: &mut Ui, pod: &Pod, index: usize, slice: &Slice) {
    let facts = app.model.slice_facts(&pod.id, index).cloned();
    let generation = app.model.catalog.get(&pod.generation).map_or(pod.generation.to_string(), |g| g.name.clone());
    section(ui, "Identity", |ui| {
        fact(ui, "Pod", format!("{} · {generation}", pod.id));
        fact(ui, "Team", slice.team.as_ref().map_or(format::ABSENT.to_owned(), ToString::to_string));
        fact(ui, "Shape", format!("{}{}", shape(slice.shape), if slice.twisted { " twisted" } else { "" }));
        if let Some(Ok(facts)) = &facts {
            identity(ui, facts);
        }
    });
    match facts {
        Some(Ok(facts)) => {
            torus_ui(ui, &facts);
            checks(app, ui, pod, slice, &facts);
        }
        Some(Err(reason)) => section(ui, "Checks", |ui| {
            check(ui, Status::Watch, &reason);
        }),
        None => {}
    }
    step_ui(app, ui, pod, slice);
    ui.add_space(size::PANEL_GAP);
    ui.horizontal(|ui| {
        ui.add_space(size::PANEL_GAP);
        if ui.add(Button::secondary("Live").icon(icon::WAVEFORM)).clicked() {
            app.intents.push(Intent::ShowSlice(pod.id.clone(), slice.id.clone(), View::Live));
        }
        let edit = Edit::RemoveSlice(SliceRef { pod: pod.id.clone(), slice: slice.id.clone() });
        if ui.add(Button::danger("Remove from sketch").icon(icon::TRASH)).clicked() {
            app.intents.push(Intent::Edit(edit));
        }
    });
    ui.add_space(size::PANEL_GAP);
}

fn identity(ui: &mut Ui, facts: &SliceFacts) {
    let cubes = facts.cubes.map_or_else(|| format::ABSENT.to_owned(), |n| format::count(n as u64));
    fact(
        ui,
        "Chips · hosts · cubes",
        format!("{} · {} · {cubes}", format::count(facts.chips as u64), format::count(facts.hosts as u64)),
    );
    let peak = format::or_absent(facts.peak_bf16_flop_per_s, format::flop_rate);
    computed(ui, "Peak, bf16", &peak, "chips · peak of a chip", CATALOGUE);
    let memory = format::or_absent(facts.hbm_bytes, format::capacity);
    computed(ui, "HBM", &memory, "chips · HBM of a chip", CATALOGUE);
    fact(
        ui,
        "List price",
        format::or_absent(facts.usd_per_hour, |usd| format!("${} / h", format::fixed(usd.get(), 0))),
    );
    if let Some(name) = &facts.accelerator_type {
        fact(ui, "Accelerator type", name);
    }
}

fn torus_ui(ui: &mut Ui, facts: &SliceFacts) {
    let tokens = Tokens::of(ui.ctx());
    section(ui, "Torus", |ui| {
        ui.horizontal(|ui| {
            ui.set_height(size::CONTROL_SMALL);
            ui.label(text(Type::Secondary, "Wrap axes").color(tokens.text2));
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.spacing_mut().item_spacing.x = size::GRID;
                for (axis, wraps) in Axis::ALL.iter().zip(&facts.wrap).rev() {
                    let word = format!("{} {}", axis.name(), facts.shape.along(*axis));
                    let chip = if *wraps {
                        Chip::status(Status::Ok, &word).icon(icon::REPEAT)
                    } else {
                        Chip::new(&word).icon(icon::MINUS)
                    };
                    ui.add(chip);
                }
            });
        });
        let hops = "Shortest routes over the slice's own links; see docs/models.md, hops, cuts and loads.";
        computed(ui, "Diameter, hops", &facts.diameter_hops.to_string(), "max over pairs of shortest route", hops);
        let mean = format::number(facts.mean_hops);
        computed(ui, "Mean distance, hops", &mean, "mean over ordered pairs of different chips", hops);
        fact(ui, "Links", format::count(facts.links as u64));
        let rate = |rate| format::or_absent(rate, format::byte_rate);
        let loads = "Rate of one link in one direction, from the catalogue; loads are counted, not assumed even.";
        let all_to_all = rate(facts.all_to_all_bytes_per_s_per_chip);
        computed(ui, "All-to-all per chip", &all_to_all, "(chips − 1) · link rate / load of the busiest link", loads);
        let all_reduce = rate(facts.all_reduce_bytes_per_s_per_chip);
        computed(ui, "Ring links per chip", &all_reduce, "links that form rings · link rate", loads);
        let cut = rate(facts.bisection_bytes_per_s);
        computed(ui, "Bisection, one direction", &cut, "links cut by the best halving · link rate", loads);
        if let Some(method) = facts.bisection_method {
            fact(ui, "Bisection method", method.name());
        }
        ui.add_space(size::GRID);
        ui.label(
            text(Type::Caption, "Rates are of one direction of a link. Bisection counts each cut link once.")
                .color(tokens.text3),
        );
    });
}

fn check(ui: &mut Ui, status: Status, words: &str) {
    let tokens = Tokens::of(ui.ctx());
    ui.horizontal_top(|ui| {
        let (area, _) = ui.allocate_exact_size(egui::vec2(16.0, 20.0), egui::Sense::hover());
        status.icon().paint(ui.painter(), area.center(), size::ICON_SMALL, status.color(&tokens));
        ui.add(egui::Label::new(text(Type::Secondary, words).color(tokens.text1)).wrap());
    });
}

fn checks(app: &App, ui: &mut Ui, pod: &Pod, slice: &Slice, facts: &SliceFacts) {
    section(ui, "Checks", |ui| {
        let [wrapped, axes] = [facts.wrap.iter().filter(|wraps| **wraps).count(), facts.wrap.len()];
        if wrapped == axes {
            check(ui, Status::Ok, "All axes wrap");
        } else {
            check(ui, Status::Info, &format!("{wrapped} of {axes} axes wrap"));
        }
        let twists = app
            .model
            .catalog
            .get(&pod.generation)
            .and_then(|generation| SliceFacts::new(generation, slice.shape, None).ok())
            .is_some_and(|plain_name| plain_name.twisted && !slice.twisted);
        if twists {
            check(ui, Status::Info, "Twist is off, though the runtime twists this shape unless told otherwise");
        }
        for warning in &facts.warnings {
            check(ui, Status::Watch, warning);
        }
        for fault in pod.faults.iter().filter(|fault| pod.touches(slice, fault.component)) {
            check(ui, Status::Watch, &fault_text(fault));
        }
    });
}

/// A fault in one sentence: "host 8 4 13 runs at 52 %".
pub fn fault_text(fault: &Fault) -> String {
    let how = match fault.effect {
        Effect::Down => "is down".to_owned(),
        Effect::InRepair => "is in repair".to_owned(),
        Effect::Slow(share) => format!("runs at {}", format::percent(share, 0)),
        Effect::Silent => "reports nothing".to_owned(),
    };
    let note = fault.note.as_ref().map_or(String::new(), |note| format!("; {note}"));
    format!("{} {how}{note}", fault.component)
}

/// Faults that a list shows before it is cut.
const MOST_FAULTS: usize = 8;

fn faults_ui(ui: &mut Ui, pod: &Pod) {
    if pod.faults.is_empty() {
        return;
    }
    section(ui, "Faults", |ui| {
        for fault in pod.faults.iter().take(MOST_FAULTS) {
            check(ui, Status::Watch, &fault_text(fault));
        }
        if pod.faults.len() > MOST_FAULTS {
            check(ui, Status::Info, &format!("{} more", pod.faults.len() - MOST_FAULTS));
        }
    });
}

/// What the embedded simulator computes for the slice's workload; each part can be explained.
fn step_ui(app: &App, ui: &mut Ui, pod: &Pod, slice: &Slice) {
    let Some(step) = app.step_of(&pod.id, &slice.id) else { return };
    section(ui, "Step, simulated", |ui| {
        fact(ui, "Whole step", format::duration(step.step_seconds));
        fact(ui, "Compute", format::duration(step.compute_seconds));
        fact(ui, "Memory beyond that", format::duration(step.memory_seconds));
        fact(ui, "Collectives, exposed", format::duration(step.exposed_collective_seconds));
        fact(ui, "Bubble or scheduler", format::duration(step.overhead_seconds));
        fact(ui, "Slowest chip", step.slowest_chip.to_string());
    });
    explain_ui(ui, &step.explain);
}

/// How the numbers of a step were made, folded until asked for.
fn explain_ui(ui: &mut Ui, terms: &[simulator::explain::Term]) {
    let tokens = Tokens::of(ui.ctx());
    egui::Frame::new().inner_margin(egui::Margin::symmetric(12, 6)).show(ui, |ui| {
        egui::CollapsingHeader::new(text(Type::Secondary, "How these were computed")).show(ui, |ui| {
            for term in terms {
                let value =
                    if term.unit.is_empty() { format::number(term.value) } else { format::si(term.value, term.unit) };
                ui.add(egui::Label::new(text(Type::SecondaryMedium, format!("{}: {value}", term.name))).wrap());
                ui.add(egui::Label::new(text(Type::Mono, &term.formula)).wrap());
                ui.add(egui::Label::new(text(Type::Caption, &term.source).color(tokens.text3)).wrap());
                ui.add_space(size::GRID);
            }
        });
    });
}

fn pod_ui(app: &App, ui: &mut Ui, pod: &Pod, map: &PodMap) {
    let generation = app.model.catalog.get(&pod.generation);
    section(ui, "Pod", |ui| {
        fact(ui, "Generation", generation.map_or(pod.generation.to_string(), |generation| generation.name.clone()));
        fact(ui, "Size", shape(pod.shape));
        fact(ui, "Chips", format::count(pod.shape.n_chips() as u64));
        fact(ui, "Slices", format::count(pod.slices.len() as u64));
        let word = if pod.shape.rank() == 3 { "cube" } else { "chip" };
        for (label, used) in [("Free", Use::Free), ("Spare", Use::Spare), ("In repair", Use::InRepair)] {
            fact(ui, label, crate::text::n_of(map.count(used), word));
        }
    });
    faults_ui(ui, pod);
    if let Some(generation) = generation {
        section(ui, "Chip", |ui| {
            let catalog = &app.model.catalog;
            figure(ui, catalog, "Peak, bf16", generation.peak_bf16_flop_per_s.as_ref(), format::flop_rate);
            figure(ui, catalog, "HBM", generation.hbm_bytes.as_ref(), format::capacity);
            figure(ui, catalog, "HBM bandwidth", generation.hbm_bytes_per_s.as_ref(), format::byte_rate);
            figure(ui, catalog, "ICI link, one direction", generation.ici_link_bytes_per_s.as_ref(), format::byte_rate);
            figure(ui, catalog, "List price", generation.usd_per_chip_hour.as_ref(), format::usd_per_chip_hour);
        });
    }
}

fn cube_ui(app: &App, ui: &mut Ui, pod: &Pod, map: &PodMap, at: Coord) {
    section(ui, "Cube", |ui| {
        let used = match map.cells[map.lattice.index_of(at)] {
            Use::Slice(index) => pod.slices.get(index).map_or_else(String::new, |slice| slice.id.to_string()),
            Use::Free => "free".to_owned(),
            Use::Spare => "spare".to_owned(),
            Use::InRepair => "in repair".to_owned(),
        };
        fact(ui, "Used by", used);
        fact(
            ui,
            "Chips",
            format!(
                "{0}–{1}, {2}–{3}, {4}–{5}",
                at.x * 4,
                at.x * 4 + 3,
                at.y * 4,
                at.y * 4 + 3,
                at.z * 4,
                at.z * 4 + 3
            ),
        );
        let chips: Vec<u32> = pod
            .shape
            .coords()
            .enumerate()
            .filter(|(_, chip)| scene::cell_of(pod, *chip) == at)
            .map(|(index, _)| index as u32)
            .collect();
        now_values(app, ui, pod, &chips);
    });
}

fn chip_ui(app: &App, ui: &mut Ui, pod: &Pod, map: &PodMap, chip: Coord) {
    section(ui, "Chip", |ui| {
        let index = pod.shape.index_of(chip);
        if pod.shape.rank() == 3 {
            fact(ui, "Cube", cube(scene::cell_of(pod, chip)));
        }
        let owner = map.owner[index].and_then(|owner| pod.slices.get(owner));
        fact(ui, "Used by", owner.map_or_else(|| "nobody".to_owned(), |slice| slice.id.to_string()));
        now_values(app, ui, pod, &[index as u32]);
    });
}

/// What was heard of these chips at the shown moment.
fn now_values(app: &App, ui: &mut Ui, pod: &Pod, chips: &[u32]) {
    let at = app.model.shown_moment(&app.view);
    for metric in telemetry::Metric::ALL {
        let Some(frame) = app.model.store.frame(&pod.id, metric, at) else { continue };
        let summary = telemetry::stats::summary(frame.of(chips));
        let value = summary.map(|summary| super::super::live::value_text(metric, summary.mean as f32));
        fact(ui, &metric.name(), value.unwrap_or_else(|| "no data".to_owned()));
    }
}
