//! The tree of the fleet at the left: pods, slices, cubes; spare, free and in repair counted.

use egui::{ScrollArea, Ui};
use topology::fleet::{Pod, PodId};
use topology::shape::Coord;
use widgets::control::Field;
use widgets::format;
use widgets::icon;
use widgets::status::Status;
use widgets::theme::{SliceColor, Tokens, Type, size, text};
use widgets::tree::{Mark, Row};

use super::scene;
use crate::app::App;
use crate::intent::Intent;
use crate::pod_map::{Group, PodMap, Use};
use crate::text::cube;
use crate::view_state::{Selection, View};

/// Children that a long run shows before it is folded.
const SHOWN: usize = 3;

/// One row with what a click on it means.
struct Entry {
    row_name: String,
    count: String,
    depth: u8,
    open: Option<bool>,
    branch: String,
    mark: Option<Mark>,
    status: Option<Status>,
    selection: Selection,
}

/// Draws the outline.
pub(super) fn ui(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    ui.spacing_mut().item_spacing.y = 0.0;
    ui.add_space(size::GAP);
    ui.horizontal(|ui| {
        ui.add_space(size::GAP);
        let width = ui.available_width() - size::GAP;
        let field = Field::new("Find in the outline", &mut app.view.outline_filter)
            .hint("Find pod, slice")
            .icon(icon::MAGNIFYING_GLASS)
            .width(width);
        ui.add(field);
    });
    ui.add_space(6.0);
    ui.horizontal(|ui| {
        ui.add_space(size::GAP);
        ui.label(text(Type::Caption, "Outline").color(tokens.text3));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.add_space(10.0);
            ui.label(text(Type::Caption, "chips").color(tokens.text3));
        });
    });
    ui.add_space(2.0);
    let entries = entries(app);
    ScrollArea::vertical().auto_shrink([false, false]).show_rows(ui, size::TREE_ROW, entries.len(), |ui, range| {
        for entry in &entries[range] {
            show(app, ui, entry);
        }
    });
}

fn show(app: &mut App, ui: &mut Ui, entry: &Entry) {
    let selected = entry.selection != Selection::None && entry.selection == app.view.selection;
    let row = Row {
        depth: entry.depth,
        open: entry.open,
        mark: entry.mark,
        name: &entry.row_name,
        count: &entry.count,
        status: entry.status,
        selected,
    };
    let happened = ui.push_id((&entry.branch, &entry.row_name), |ui| row.show(ui)).inner;
    if happened.toggled && !app.view.unfolded.remove(&entry.branch) {
        app.view.unfolded.insert(entry.branch.clone());
    }
    if happened.response.double_clicked()
        && let Selection::Slice(pod, slice) = &entry.selection
    {
        app.intents.push(Intent::ShowSlice(pod.clone(), slice.clone(), View::Live));
    } else if happened.response.clicked() {
        match &entry.selection {
            Selection::None => {}
            Selection::Pod(pod) => app.intents.push(Intent::ShowPod(pod.clone())),
            other => app.intents.push(Intent::Select(other.clone())),
        }
    }
}

fn entries(app: &App) -> Vec<Entry> {
    let plan = app.model.plan();
    let needle = app.view.outline_filter.trim().to_lowercase();
    let mut entries = vec![Entry {
        row_name: if plan.fleet.name.is_empty() { app.model.document_name() } else { plan.fleet.name.clone() },
        count: format::count(plan.fleet.n_chips() as u64),
        depth: 0,
        open: None,
        branch: "fleet".to_owned(),
        mark: Some(Mark::Icon(icon::GLOBE)),
        status: None,
        selection: Selection::None,
    }];
    let shown = app.model.shown_pod(&app.view).map(|(pod, _)| pod.id.clone());
    for pod in &plan.fleet.pods {
        let Some((_, map)) = app.model.pod(&pod.id) else { continue };
        let pod_matches = pod.id.0.to_lowercase().contains(&needle);
        let any = pod.slices.iter().any(|slice| slice.id.0.to_lowercase().contains(&needle));
        if !needle.is_empty() && !pod_matches && !any {
            continue;
        }
        let branch = pod.id.to_string();
        // The pod that is shown is open unless it was closed; the others are closed unless opened.
        let open = app.view.unfolded.contains(&branch) != (shown.as_ref() == Some(&pod.id)) || !needle.is_empty();
        entries.push(Entry {
            row_name: branch.clone(),
            count: format::count(pod.shape.n_chips() as u64),
            depth: 1,
            open: Some(open),
            branch,
            mark: Some(Mark::Icon(icon::STACK)),
            status: None,
            selection: Selection::Pod(pod.id.clone()),
        });
        if open {
            pod_entries(app, pod, map, if pod_matches { "" } else { &needle }, &mut entries);
        }
    }
    entries
}

fn pod_entries(app: &App, pod: &Pod, map: &PodMap, needle: &str, entries: &mut Vec<Entry>) {
    for (index, slice) in pod.slices.iter().enumerate() {
        if !slice.id.0.to_lowercase().contains(needle) {
            continue;
        }
        let branch = format!("{}/{}", pod.id, slice.id);
        let selection = Selection::Slice(pod.id.clone(), slice.id.clone());
        let open = app.view.unfolded.contains(&branch);
        let ailing = app.model.slice_facts(&pod.id, index).is_some_and(Result::is_err);
        entries.push(Entry {
            row_name: slice.id.to_string(),
            count: format::count(slice.shape.n_chips() as u64),
            depth: 2,
            open: Some(open),
            branch: branch.clone(),
            mark: Some(Mark::Slice(SliceColor::nth(scene::color_index(slice)))),
            status: ailing.then_some(Status::Watch),
            selection,
        });
        if open {
            cube_entries(pod, map, index, &branch, entries);
        }
    }
    if needle.is_empty() {
        rest_entries(pod, map, entries);
    }
}

fn cube_entries(pod: &Pod, map: &PodMap, slice: usize, branch: &str, entries: &mut Vec<Entry>) {
    let units = map.units(pod, slice, Group::Cube);
    for unit in units.iter().take(SHOWN) {
        let Some(chip) = unit.chips.first().map(|chip| pod.shape.coord_of(*chip as usize)) else { continue };
        let at = scene::cell_of(pod, chip);
        let (name, selection) = place(&pod.id, pod, at, chip);
        entries.push(Entry {
            row_name: name,
            count: format::count(unit.chips.len() as u64),
            depth: 3,
            open: None,
            branch: branch.to_owned(),
            mark: Some(Mark::Icon(icon::CUBE)),
            status: None,
            selection,
        });
    }
    if units.len() > SHOWN {
        entries.push(words(3, branch, format!("{} more", crate::text::n_of(units.len() - SHOWN, "cube"))));
    }
}

fn place(id: &PodId, pod: &Pod, cell: Coord, chip: Coord) -> (String, Selection) {
    if pod.shape.rank() == 3 {
        (format!("Cube {}", cube(cell)), Selection::Cube(id.clone(), cell))
    } else {
        (format!("Chips from {} {}", chip.x, chip.y), Selection::Chip(id.clone(), chip))
    }
}

fn words(depth: u8, branch: &str, text: String) -> Entry {
    Entry {
        row_name: text,
        count: String::new(),
        depth,
        open: None,
        branch: branch.to_owned(),
        mark: None,
        status: None,
        selection: Selection::None,
    }
}

fn rest_entries(pod: &Pod, map: &PodMap, entries: &mut Vec<Entry>) {
    let per_cell = (pod.shape.n_chips() / map.lattice.n_chips().max(1)) as u64;
    let kinds = [
        ("Spare", Use::Spare, icon::PACKAGE),
        ("Free", Use::Free, icon::CIRCLE_DASHED),
        ("In repair", Use::InRepair, icon::WRENCH),
    ];
    for (name, used, mark) in kinds {
        let cells = map.count(used) as u64;
        if cells > 0 {
            entries.push(Entry {
                row_name: name.to_owned(),
                count: format::count(cells * per_cell),
                depth: 2,
                open: None,
                branch: format!("{}/{name}", pod.id),
                mark: Some(Mark::Icon(mark)),
                status: None,
                selection: Selection::None,
            });
        }
    }
}
