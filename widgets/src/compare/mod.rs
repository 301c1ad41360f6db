//! Metrics of a few scenarios side by side: the change against the baseline, which way is better, and how sure.

mod draw;
mod model;
#[cfg(test)]
mod tests;

use egui::{Rect, Response, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::ink::{Keys, measure};
use crate::theme::{Tokens, Type, size};
pub use model::*;

/// Least and greatest width of the column of metric names, the latter as a share of the whole.
const NAMES: f32 = 84.0;
const NAMES_SHARE: f32 = 0.32;
/// Greatest width of a column: beyond it value and head would drift apart.
const COLUMN: f32 = 168.0;
/// Height of the heads, of a row, and of a row with bands.
const HEAD: f32 = 60.0;
const ROW: f32 = 40.0;
const ROW_WITH_BAND: f32 = 48.0;

/// Height that the words below a value need on a line of their own.
const WORD: f32 = 14.0;
/// Between the edge of a column and its texts.
const PAD: f32 = 8.0;

/// Where the columns and rows stand.
#[derive(Debug, Clone)]
struct Layout {
    area: Rect,
    names: f32,
    column: f32,
    /// Whether "better" and "worse" stand below the change because a column has no room for both.
    tight: bool,
    /// Upper edges of the rows, and the lower edge of the last.
    rows: Vec<f32>,
}

impl Layout {
    /// The layout in the room that is left; wider than that if numbers would be cut.
    fn new(ui: &Ui, model: &Compare) -> Self {
        let room = ui.available_rect_before_wrap();
        let width = |text: &str, style| measure(ui.painter(), text, style).x;
        let widest = model.metrics.iter().map(|metric| width(&metric.name, Type::SecondaryMedium));
        let most = (room.width() * NAMES_SHARE).max(NAMES);
        let names = (widest.fold(0.0, f32::max) + 2.0 * size::PANEL_GAP).clamp(NAMES, most).ceil();
        let [wide, narrow] = [false, true].map(|tight| {
            let cells = model.metrics.iter().flat_map(|metric| {
                let verdicts = (0..metric.cells.len()).flat_map(move |n| below(metric, n, tight));
                let values = metric.cells.iter().flatten().map(|cell| width(&cell.text, Type::SecondaryStrong));
                values.chain(verdicts.map(|line| width(&line, Type::Caption)))
            });
            let heads = model.scenarios.iter().flat_map(|scenario| {
                // Where it is tight the lines of the heads may be cut: they are whole under the pointer.
                let lines = scenario.lines.iter().filter(|_| !tight).map(|line| width(line, Type::Caption));
                lines.chain([width(&scenario.name, Type::SecondaryStrong) + if scenario.stale { 18.0 } else { 0.0 }])
            });
            (cells.chain(heads).fold(40.0, f32::max) + 2.0 * PAD).ceil()
        });
        let fair = ((room.width() - names) / model.scenarios.len().max(1) as f32).floor();
        let tight = fair < wide;
        let column = fair.clamp(narrow, COLUMN.max(narrow));
        let mut rows = vec![room.top() + HEAD];
        for metric in &model.metrics {
            let height = if metric.axis().is_some() { ROW_WITH_BAND } else { ROW };
            rows.push(rows[rows.len() - 1] + height + if tight { WORD } else { 0.0 });
        }
        let needed = names + column * model.scenarios.len() as f32;
        let corner = pos2(room.left() + room.width().max(needed), rows[rows.len() - 1]);
        Self { area: Rect::from_min_max(room.min, corner), names, column, tight, rows }
    }

    fn left(&self, scenario: usize) -> f32 {
        self.area.left() + self.names + scenario as f32 * self.column
    }

    fn head(&self, scenario: usize) -> Rect {
        Rect::from_min_size(pos2(self.left(scenario), self.area.top()), vec2(self.column, HEAD))
    }

    fn name(&self, metric: usize) -> Rect {
        Rect::from_min_max(
            pos2(self.area.left(), self.rows[metric]),
            pos2(self.area.left() + self.names, self.rows[metric + 1]),
        )
    }

    fn cell(&self, CellId { metric, scenario }: CellId) -> Rect {
        Rect::from_x_y_ranges(
            self.left(scenario)..=self.left(scenario) + self.column,
            self.rows[metric]..=self.rows[metric + 1],
        )
    }
}

/// The lines below a value.
fn below(metric: &Metric, scenario: usize, tight: bool) -> Vec<String> {
    if metric.cell(scenario).is_none() {
        let lines: &[&str] = if tight { &["not", "computed"] } else { &["not computed"] };
        return lines.iter().map(|&line| line.to_owned()).collect();
    }
    let verdict = metric.verdict(scenario);
    if tight && !verdict.change.is_empty() {
        return vec![verdict.change, verdict.word.to_owned()];
    }
    vec![verdict.text()]
}

/// Draws the table as wide as the room that is left and as high as its rows need. A table with too little room for its
/// numbers scrolls sideways.
pub fn show(ui: &mut Ui, model: &Compare, state: &mut CompareState) -> CompareOutput {
    let layout = Layout::new(ui, model);
    if layout.area.width() <= ui.available_width() + 0.5 {
        return table(ui, model, state);
    }
    ScrollArea::horizontal().auto_shrink([false, true]).show(ui, |ui| table(ui, model, state)).inner
}

fn table(ui: &mut Ui, model: &Compare, state: &mut CompareState) -> CompareOutput {
    let layout = Layout::new(ui, model);
    let (id, area) = ui.allocate_space(layout.area.size());
    let mut output = CompareOutput::default();
    if !ui.is_rect_visible(area) {
        return output;
    }
    ui.accesskit_node_builder(id, |node| {
        node.set_role(Role::Table);
        node.set_label(format!("Comparison of {}", model.name));
    });
    state.focus.metric = state.focus.metric.min(model.metrics.len().saturating_sub(1));
    state.focus.scenario = state.focus.scenario.min(model.scenarios.len().saturating_sub(1));
    let heads: Vec<Response> = (0..model.scenarios.len()).map(|n| head(ui, (id, &layout), model, n)).collect();
    output.chosen = heads.iter().position(Response::clicked);
    let mut cells = Vec::new();
    for metric in 0..model.metrics.len() {
        for scenario in 0..model.scenarios.len() {
            let at = CellId { metric, scenario };
            let response = cell(ui, (id, &layout), (model, at), (state, &mut output));
            cells.push((at, response));
        }
    }
    let tokens = Tokens::of(ui.ctx());
    draw::Frame { ui, model, layout: &layout, tokens: &tokens, output: &output, state }.draw(&heads, &cells);
    for (n, metric) in model.metrics.iter().enumerate() {
        draw::name_in_full(ui, layout.name(n), id.with(("name", n)), &metric.name);
    }
    output.explained = state.explained.and_then(|at| cells.into_iter().find(|(other, _)| *other == at));
    output
}

/// The head of a column: a click chooses its scenario.
fn head(ui: &Ui, (id, layout): (egui::Id, &Layout), model: &Compare, scenario: usize) -> Response {
    let response = ui.interact(layout.head(scenario), id.with(("head", scenario)), Sense::click());
    let Scenario { name, lines, stale } = &model.scenarios[scenario];
    let old = if *stale { ", newer numbers on their way" } else { "" };
    let label = format!("Scenario {name}, {}, {}{old}", lines[0], lines[1]);
    let chosen = model.chosen == Some(scenario);
    response.widget_info(|| WidgetInfo::selected(Role::ColumnHeader, true, chosen, &label));
    if layout.tight { response.on_hover_text(label) } else { response }
}

/// One cell: a click asks where its value comes from, arrows lead to its neighbours.
fn cell(
    ui: &Ui,
    (id, layout): (egui::Id, &Layout),
    (model, at): (&Compare, CellId),
    (state, output): (&mut CompareState, &mut CompareOutput),
) -> Response {
    // Only one cell is a stop of the Tab key; arrows lead to the others.
    let sense = if state.focus == at { Sense::click() } else { Sense::CLICK };
    let cell_id = |at: CellId| id.with((at.metric, at.scenario));
    let response = ui.interact(layout.cell(at), cell_id(at), sense);
    response.widget_info(|| WidgetInfo::labeled(Role::Cell, true, describe(model, at)));
    if response.contains_pointer() {
        output.hovered = Some(at);
    }
    let keys = Keys::read(ui, &response);
    if keys.moves() {
        let step = |n: usize, step: i32, count: usize| n.saturating_add_signed(step as isize).min(count - 1);
        state.focus = CellId {
            metric: step(at.metric, keys.step[1], model.metrics.len()),
            scenario: step(at.scenario, keys.step[0], model.scenarios.len()),
        };
        ui.memory_mut(|memory| memory.request_focus(cell_id(state.focus)));
    }
    if response.clicked() || response.secondary_clicked() {
        state.focus = at;
        state.explained = Some(at);
        output.clicked = Some(at);
    }
    response
}

/// One sentence about a cell, such as "Step time, B, 862 ms, −43 % better".
pub fn describe(model: &Compare, at: CellId) -> String {
    let (Some(metric), Some(scenario)) = (model.metrics.get(at.metric), model.scenarios.get(at.scenario)) else {
        return "not there".to_owned();
    };
    let mut text = format!("{}, {}, ", metric.name, scenario.name);
    match metric.cell(at.scenario) {
        None => text += "not computed",
        Some(cell) => text += format!("{} {}", cell.text, metric.unit).trim_end(),
    }
    let verdict = metric.verdict(at.scenario).text();
    if !verdict.is_empty() {
        text = format!("{text}, {verdict}");
    }
    if scenario.stale {
        text += ", newer numbers on their way";
    }
    text
}
