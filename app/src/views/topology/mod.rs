//! Topology: the pod as a lattice of cubes with its slices, and unrolled in planes below.

mod inspector;
mod outline;
pub mod scene;

pub use inspector::fault_text;

use egui::{Align, CentralPanel, Frame, Layout, Panel, Ui, UiBuilder};
use topology::fleet::{Pod, PodId};
use topology::shape::{Axis, Coord};
use widgets::control::{Button, IconButton, segmented, select};
use widgets::legend::Scale;
use widgets::panel;
use widgets::theme::{Tokens, Type, size, text};
use widgets::torus::Detail;
use widgets::{icon, planes, torus};

use crate::app::App;
use crate::command::Command;
use crate::intent::Intent;
use crate::pod_map::Use;
use crate::view_state::{ColorBy, Selection, View};

const OUTLINE_WIDTH: f32 = 236.0;
const PLANES_HEIGHT: f32 = 256.0;

/// Draws the view.
pub fn ui(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    if app.view.outline {
        Panel::left("outline")
            .exact_size(OUTLINE_WIDTH)
            .resizable(false)
            .show_separator_line(false)
            .frame(Frame::new().fill(tokens.bg1))
            .show(ui, |ui| {
                let area = ui.max_rect();
                ui.painter().vline(area.right() - 0.5, area.y_range(), (size::STROKE_LINE, tokens.line1));
                outline::ui(app, ui);
            });
    }
    super::inspector(app, ui, inspector::ui);
    super::bar(ui, "topology tools", size::VIEW_HEADER, |ui| toolbar(app, ui));
    if app.model.shown_pod(&app.view).is_none() {
        no_pod(app, ui);
        return;
    }
    Panel::bottom("planes")
        .exact_size(PLANES_HEIGHT)
        .resizable(false)
        .show_separator_line(false)
        .frame(Frame::new().fill(tokens.bg0))
        .show(ui, |ui| planes_ui(app, ui));
    CentralPanel::default().frame(Frame::new().fill(tokens.bg0)).show(ui, |ui| lattice_ui(app, ui));
}

fn no_pod(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    CentralPanel::default().frame(Frame::new().fill(tokens.bg0)).show(ui, |ui| {
        let page = widgets::empty::Empty {
            icon: icon::CUBE,
            title: "This plan has no pods",
            text: "Open an inventory such as the output of kubectl get nodes -o json, or begin with the sample fleet.",
            actions: &["Open sample fleet", "Open file"],
        };
        match page.show(ui) {
            Some(0) => app.intents.run(Command::Sample),
            Some(_) => app.intents.run(Command::Open),
            None => {}
        }
    });
}

fn toolbar(app: &mut App, ui: &mut Ui) {
    ui.spacing_mut().item_spacing.x = size::GAP;
    let pods: Vec<PodId> = app.model.plan().fleet.pods.iter().map(|pod| pod.id.clone()).collect();
    let names: Vec<&str> = pods.iter().map(|id| id.0.as_str()).collect();
    let mut chosen =
        app.model.shown_pod(&app.view).and_then(|(pod, _)| pods.iter().position(|id| *id == pod.id)).unwrap_or(0);
    if !names.is_empty() && select(ui, "Pod", &names, &mut chosen, 148.0).changed() {
        app.intents.push(Intent::ShowPod(pods[chosen].clone()));
    }
    let wide = ui.available_width() > 640.0;
    if let Some((pod, _)) = app.model.shown_pod(&app.view).filter(|_| wide) {
        let tokens = Tokens::of(ui.ctx());
        let generation = app.model.catalog.get(&pod.generation).map_or(pod.generation.0.as_str(), |g| g.name.as_str());
        let facts = format!(
            "{generation} · {} · {}",
            crate::text::shape(pod.shape),
            crate::text::n_of(pod.shape.n_chips(), "chip")
        );
        ui.label(text(Type::Secondary, facts).color(tokens.text3));
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.add_space(size::PANEL_GAP);
        if ui.add(IconButton::new(icon::CORNERS_OUT, "Home camera")).clicked() {
            app.intents.run(Command::HomeCamera);
        }
        let wraps = IconButton::new(icon::REPEAT, "Wrap links").on(app.view.topology.wrap_links);
        if ui.add(wraps).clicked() {
            app.intents.run(Command::WrapLinks);
        }
        let mut color_by = usize::from(app.view.topology.color_by == ColorBy::Metric);
        let metric = app.view.live.metric.name();
        if segmented(ui, "Colour by", &["Slice", &metric], &mut color_by).changed() {
            app.view.topology.color_by = if color_by == 1 { ColorBy::Metric } else { ColorBy::Slice };
        }
        let mut detail = match app.view.topology.torus.detail {
            Detail::Auto => 0,
            Detail::Cubes => 1,
            Detail::Chips => 2,
        };
        if segmented(ui, "Detail", &["Auto", "Cubes", "Chips"], &mut detail).changed() {
            app.view.topology.torus.detail = [Detail::Auto, Detail::Cubes, Detail::Chips][detail];
        }
    });
}

/// Values of the shown pod at the shown moment, where colours show them.
fn values(app: &App, pod: &Pod) -> Option<Vec<Option<f32>>> {
    if app.view.topology.color_by == ColorBy::Slice {
        return None;
    }
    let at = app.model.shown_moment(&app.view);
    let frame = app.model.store.frame(&pod.id, app.view.live.metric, at);
    Some(frame.map_or_else(|| vec![None; pod.shape.n_chips()], |frame| frame.values().collect()))
}

/// Runs `draw` with everything the pictures are made from.
fn with_source<R>(
    app: &mut App,
    draw: impl FnOnce(&scene::Source<'_>, &mut crate::view_state::TopologyState) -> R,
) -> Option<R> {
    let mut state = app.view.topology.clone();
    let (pod, map) = app.model.shown_pod(&app.view)?;
    let values = values(app, pod);
    let scale = super::live::scale(&app.view.live);
    let moment = if values.is_some() {
        app.model.store.revision() ^ (app.model.shown_moment(&app.view) as u64) << 20
    } else {
        0
    };
    let source = scene::Source {
        plan: app.model.plan(),
        catalog: &app.model.catalog,
        pod,
        map,
        selection: &app.view.selection,
        values: values.as_deref().map(|values| (values, scale)),
        wrap_links: state.wrap_links,
        revision: fingerprint(app, moment, scale),
    };
    let drawn = draw(&source, &mut state);
    app.view.topology = state;
    Some(drawn)
}

/// Changes whenever a picture of this view does.
fn fingerprint(app: &App, moment: u64, scale: Scale) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    (app.model.plan_revision(), moment, app.view.topology.wrap_links).hash(&mut hasher);
    (scale.range.low.to_bits(), scale.range.high.to_bits(), scale.map.name()).hash(&mut hasher);
    (&app.view.pod, format!("{:?}", app.view.selection)).hash(&mut hasher);
    hasher.finish()
}

/// The lattice that the view shows, for `podium bench`.
pub fn picture(app: &mut App) -> Option<torus::Torus> {
    with_source(app, |source, _state| scene::torus(source))
}

fn lattice_ui(app: &mut App, ui: &mut Ui) {
    let output = with_source(app, |source, state| torus::show(ui, &scene::torus(source), &mut state.torus));
    let Some((output, pod)) = output.zip(app.model.shown_pod(&app.view).map(|(pod, _)| pod.id.clone())) else { return };
    if let Some(hit) = output.clicked {
        pick(app, &pod, hit.cell, hit.chip);
    } else if output.clicked_nothing {
        app.intents.push(Intent::Select(Selection::None));
    }
    if let Some(hit) = output.double_clicked {
        open_in_live(app, &pod, hit.cell);
    }
    app.hover = output.hovered.map(|hit| hover_text(app, &pod, hit.cell, hit.chip));
    legend(app, ui);
}

/// The first click selects the slice, a click on the selected slice goes down to the cube or chip.
fn pick(app: &mut App, id: &PodId, cell: Coord, chip: Option<Coord>) {
    let Some((pod, map)) = app.model.pod(id) else { return };
    let selected = scene::selected_slice(pod, map, &app.view.selection);
    let selection = match map.cells[map.lattice.index_of(cell)] {
        Use::Slice(index) if selected != Some(index) => {
            pod.slices.get(index).map_or(Selection::None, |slice| Selection::Slice(id.clone(), slice.id.clone()))
        }
        _ => match chip.or((pod.shape.rank() == 2).then_some(cell)) {
            Some(chip) => Selection::Chip(id.clone(), chip),
            None => Selection::Cube(id.clone(), cell),
        },
    };
    app.intents.push(Intent::Select(selection));
}

fn open_in_live(app: &mut App, id: &PodId, cell: Coord) {
    let Some((pod, map)) = app.model.pod(id) else { return };
    if let Use::Slice(index) = map.cells[map.lattice.index_of(cell)]
        && let Some(slice) = pod.slices.get(index)
    {
        app.intents.push(Intent::ShowSlice(id.clone(), slice.id.clone(), View::Live));
    }
}

fn hover_text(app: &App, id: &PodId, cell: Coord, chip: Option<Coord>) -> String {
    let Some((pod, map)) = app.model.pod(id) else { return String::new() };
    if !map.lattice.contains(cell) {
        return String::new();
    }
    let place = match chip {
        Some(chip) => format!("chip {chip}"),
        None if pod.shape.rank() == 2 => format!("chip {} {}", cell.x, cell.y),
        None => format!("cube {}", crate::text::cube(cell)),
    };
    let used = match map.cells[map.lattice.index_of(cell)] {
        Use::Slice(index) => pod.slices.get(index).map_or("", |slice| slice.id.0.as_str()),
        Use::Free => "free",
        Use::Spare => "spare",
        Use::InRepair => "in repair",
    };
    format!("Hover: {place}, {used}")
}

fn legend(app: &mut App, ui: &mut Ui) {
    if app.view.topology.color_by == ColorBy::Slice {
        return;
    }
    let corner = ui.max_rect().left_bottom() + egui::vec2(16.0, -56.0);
    let area = egui::Rect::from_min_size(corner, egui::vec2(280.0, 48.0));
    ui.scope_builder(UiBuilder::new().max_rect(area), |ui| super::live::legend(app, ui));
}

fn planes_ui(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    let area = ui.max_rect();
    ui.painter().hline(area.x_range(), area.top() + 0.5, (size::STROKE_LINE, tokens.line1));
    ui.spacing_mut().item_spacing.y = 0.0;
    let mut axis = app.view.topology.axis.index();
    let rank = app.model.shown_pod(&app.view).map_or(3, |(pod, _)| pod.shape.rank());
    let unit = if rank == 3 { "one layer of cubes each" } else { "chips of the pod" };
    panel::Panel::new("Planes").caption(unit).header(ui, |ui| {
        if rank == 3 {
            segmented(ui, "Plane axis", &["x", "y", "z"], &mut axis);
        }
    });
    app.view.topology.axis = Axis::ALL[axis.min(2)];
    let legend_height = 28.0;
    let room = egui::vec2(ui.available_width(), ui.available_height() - legend_height);
    let inner = ui.allocate_ui(room, |ui| {
        Frame::new().inner_margin(egui::Margin::symmetric(12, 6)).show(ui, |ui| {
            with_source(app, |source, state| {
                let axis = if source.pod.shape.rank() == 2 { Axis::Z } else { state.axis };
                planes::show(ui, &scene::planes(source, axis), &mut state.planes)
            })
        })
    });
    let output = inner.inner.inner;
    let pod = app.model.shown_pod(&app.view).map(|(pod, _)| pod.id.clone());
    if let (Some(output), Some(pod)) = (output, pod) {
        if let Some(cell) = output.clicked {
            pick(app, &pod, cell, None);
        }
        if let Some(cell) = output.hovered {
            app.hover = Some(hover_text(app, &pod, cell, None));
        }
    }
    footer(app, ui, rank);
}

/// What the cells of the planes mean beside the slices' own colours.
fn key_to_planes(ui: &mut Ui, tokens: &Tokens) {
    let cells = [
        ("selected", tokens.bg3, tokens.text1, ""),
        ("free", tokens.bg0, tokens.line3, ""),
        ("spare", tokens.bg3, tokens.bg3, "S"),
        ("in repair", tokens.crit_soft, tokens.crit, "×"),
    ];
    for (name, fill, edge, letter) in cells {
        let (area, _) = ui.allocate_exact_size(egui::vec2(12.0, 12.0), egui::Sense::hover());
        ui.painter().rect(area, 0.0, fill, (1.0, edge), egui::StrokeKind::Inside);
        let ink = if name == "in repair" { tokens.crit } else { tokens.text2 };
        ui.painter().text(area.center(), egui::Align2::CENTER_CENTER, letter, Type::Caption.font(), ink);
        ui.label(text(Type::Caption, name).color(tokens.text2));
    }
    ui.add_space(size::PANEL_GAP);
}

fn footer(app: &mut App, ui: &mut Ui, rank: usize) {
    let tokens = Tokens::of(ui.ctx());
    ui.horizontal(|ui| {
        ui.add_space(size::PANEL_GAP);
        key_to_planes(ui, &tokens);
        let words = if rank == 3 {
            "Cubes are joined by optical switches, so a slice needs free cubes, not neighbours. Places shown here are logical."
        } else {
            "A slice of this pod needs neighbouring chips: nothing but an axis of 16 wraps."
        };
        let label = egui::Label::new(text(Type::Caption, words).color(tokens.text3)).truncate();
        ui.add(label).on_hover_text(words);
        if app.view.selection != Selection::None {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.add_space(size::PANEL_GAP);
                if ui.add(Button::ghost("Clear selection").small()).clicked() {
                    app.intents.run(Command::ClearSelection);
                }
            });
        }
    });
}
