//! Live: every chip of a slice now, and every cube (or host) over the last hours.

pub mod derive;
mod inspector;

use egui::{Align, CentralPanel, Frame, Layout, Margin, Panel, Ui};
use telemetry::Metric;
use telemetry::metric::Unit as MetricUnit;
use telemetry::straggler::Rule;
use topology::fleet::{PodId, SliceId};
use topology::shape::Axis;
use topology::units::{Byte, Fraction};
use widgets::control::{segmented, select};
use widgets::legend::{Legend, Scale};
use widgets::panel::Panel as Card;
use widgets::theme::{SliceColor, Tokens, Type, size, text};
use widgets::{format, heatmap, icon, planes};

use crate::app::App;
use crate::command::Command;
use crate::intent::Intent;
use crate::pod_map::Group;
use crate::view_state::{LiveState, Selection, View};

/// Metrics that the picker offers; the simulator computes the first five, no public exporter has the others.
const PICKED: [Metric; 5] =
    [Metric::TensorcoreUtil, Metric::DutyCycle, Metric::HbmUsed, Metric::HbmBandwidth, Metric::IciLink];

/// Length of the history that is shown, in seconds.
pub(crate) const WINDOW_S: i64 = 6 * 3600;

/// Colours and range of the metric that is shown.
pub fn scale(state: &LiveState) -> Scale {
    Scale::new(state.colormap.map(), state.range[0], state.range[1])
}

/// Full range of a metric: a share, or the memory of a chip.
pub fn full_range(app: &App) -> [f32; 2] {
    match app.view.live.metric.unit() {
        MetricUnit::Fraction => [0.0, 1.0],
        MetricUnit::Byte => {
            let generation = app.model.shown_pod(&app.view).and_then(|(pod, _)| app.model.catalog.get(&pod.generation));
            [0.0, generation.and_then(|g| g.hbm_bytes.as_ref()).map_or(1e11, |hbm| hbm.value.get() as f32)]
        }
        MetricUnit::Celsius => [0.0, 110.0],
        MetricUnit::Watt => [0.0, 1000.0],
    }
}

/// A value with its unit: "55.9 %", "161 GiB".
pub fn value_text(metric: Metric, value: f32) -> String {
    match metric.unit() {
        MetricUnit::Fraction => format::percent(Fraction::clamped(f64::from(value)), 1),
        MetricUnit::Byte => format::capacity(Byte::new(f64::from(value.max(0.0)))),
        other => format!("{} {}", format::number(f64::from(value)), other.symbol()),
    }
}

/// Draws the view.
pub fn ui(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    super::inspector(app, ui, inspector::ui);
    super::bar(ui, "live tools", size::VIEW_HEADER, |ui| toolbar(app, ui));
    CentralPanel::default().frame(Frame::new().fill(tokens.bg0)).show(ui, |ui| {
        if app.model.shown_slice(&app.view).is_none() {
            nothing(app, ui);
            return;
        }
        ui.spacing_mut().item_spacing.y = 0.0;
        let height = (ui.available_height() * 0.44).round();
        Panel::top("live planes")
            .exact_size(height)
            .resizable(false)
            .show_separator_line(false)
            .frame(Frame::NONE)
            .show(ui, |ui| planes_ui(app, ui));
        CentralPanel::default().frame(Frame::NONE).show(ui, |ui| history_ui(app, ui));
    });
}

fn nothing(app: &mut App, ui: &mut Ui) {
    let page = widgets::empty::Empty {
        icon: icon::WAVEFORM,
        title: "No slice to watch",
        text: "This pod has no slices. Choose another pod, or open a plan that places some.",
        actions: &["Show Topology"],
    };
    if page.show(ui).is_some() {
        app.intents.run(Command::Go(View::Topology));
    }
}

fn toolbar(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    ui.spacing_mut().item_spacing.x = size::GAP;
    let slices: Vec<(PodId, SliceId)> = app
        .model
        .plan()
        .fleet
        .pods
        .iter()
        .flat_map(|pod| pod.slices.iter().map(|slice| (pod.id.clone(), slice.id.clone())))
        .collect();
    let shown = app.model.shown_pod(&app.view).zip(app.model.shown_slice(&app.view));
    let Some(((pod, _), index)) = shown else { return };
    let slice = pod.slices[index].clone();
    let pod_id = pod.id.clone();
    let (area, _) = ui.allocate_exact_size(egui::vec2(10.0, 10.0), egui::Sense::hover());
    let color = SliceColor::nth(super::topology::scene::color_index(&slice));
    widgets::paint::swatch(ui.painter(), area.center(), color, &tokens);
    let names: Vec<String> = slices.iter().map(|(pod, slice)| format!("{slice} · {pod}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut chosen = slices.iter().position(|(p, s)| *p == pod_id && *s == slice.id).unwrap_or(0);
    if select(ui, "Slice", &names, &mut chosen, 220.0).changed() {
        let (pod, slice) = slices[chosen].clone();
        app.intents.push(Intent::Select(Selection::Slice(pod, slice)));
    }
    let caption = format!("{} · {}", crate::text::shape(slice.shape), crate::text::n_of(slice.shape.n_chips(), "chip"));
    let wide = ui.available_width() > 700.0;
    if wide {
        ui.label(text(Type::Secondary, caption).color(tokens.text3));
    }
    let labels: Vec<String> = PICKED.iter().map(|metric| metric.name()).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut metric = PICKED.iter().position(|metric| *metric == app.view.live.metric).unwrap_or(0);
    let picked = if wide {
        segmented(ui, "Metric", &labels, &mut metric)
    } else {
        select(ui, "Metric", &labels, &mut metric, 160.0)
    };
    if picked.changed() {
        app.view.live.metric = PICKED[metric];
        app.view.live.range = full_range(app);
    }
}

/// Runs `draw` with everything the pictures are made from.
pub(crate) fn with_source<R>(app: &App, draw: impl FnOnce(&derive::Source<'_>) -> R) -> Option<R> {
    let (pod, map) = app.model.shown_pod(&app.view)?;
    let thresholds = &app.model.plan().thresholds;
    let source = derive::Source {
        store: &app.model.store,
        pod,
        map,
        slice: app.model.shown_slice(&app.view)?,
        metric: app.view.live.metric,
        at: app.model.shown_moment(&app.view),
        window_s: WINDOW_S,
        until: app.model.newest_moment(),
        scale: scale(&app.view.live),
        now: &app.model.now,
        rule: Rule {
            sigmas: thresholds.straggler_sigmas,
            min_seconds: thresholds.straggler_seconds,
            ..Rule::default()
        },
        revision: app.picture_revision(),
    };
    Some(draw(&source))
}

fn planes_ui(app: &mut App, ui: &mut Ui) {
    let rank = app
        .model
        .shown_pod(&app.view)
        .zip(app.model.shown_slice(&app.view))
        .map_or(3, |((pod, _), index)| pod.slices[index].shape.rank());
    let caption = if app.shown_step().is_some() {
        "chips by torus position"
    } else {
        "chips by torus position · no job of the plan runs here, so nothing is simulated"
    };
    Card::new("Planes").caption(caption).header(ui, |ui| {
        if rank == 3 {
            let mut axis = app.view.live.axis.index();
            segmented(ui, "Plane axis", &["x", "y", "z"], &mut axis);
            app.view.live.axis = Axis::ALL[axis.min(2)];
        }
        let mut group = match app.view.live.group {
            Group::Chip => 0,
            Group::Host => 1,
            Group::Cube => 2,
        };
        segmented(ui, "Group by", &["Chip", "Host", "Cube"], &mut group);
        app.view.live.group = [Group::Chip, Group::Host, Group::Cube][group.min(2)];
    });
    let (axis, group, pinned) = (app.view.live.axis, app.view.live.group, app.view.live.pinned);
    let axis = if rank == 2 { Axis::Z } else { axis };
    let model = with_source(app, |source| derive::planes(source, axis, group, pinned));
    let Some(model) = model else { return };
    let output = Frame::new()
        .inner_margin(Margin::symmetric(12, 8))
        .show(ui, |ui| planes::show(ui, &model, &mut app.view.live.planes))
        .inner;
    if let Some(clicked) = output.clicked {
        app.view.live.pinned = if app.view.live.pinned == Some(clicked) { None } else { Some(clicked) };
    }
    if app.hovered_chip != output.hovered {
        // The inspector stands before the planes in the frame: it shows the new chip in the next one.
        app.hovered_chip = output.hovered;
        ui.request_repaint();
    }
    app.hover = output.hovered.map(|at| {
        let value = with_source(app, |source| derive::value_at(source, at)).flatten();
        let value = value.map_or_else(|| "no data".to_owned(), |value| value_text(app.view.live.metric, value));
        format!("Hover: chip {at}, {value}")
    });
}

fn history_ui(app: &mut App, ui: &mut Ui) {
    let tokens = Tokens::of(ui.ctx());
    let area = ui.max_rect();
    ui.painter().hline(area.x_range(), area.top() + 0.5, (size::STROKE_LINE, tokens.line1));
    let Some(model) = app.history_picture() else { return };
    let n_rows = model.rows;
    let caption = format!("{n_rows} rows, {} min means, 6 h", app.model.store.step_seconds() / 60);
    Card::new("Time by unit").caption(&caption).header(ui, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |_| ());
    });
    let output = Frame::new()
        .inner_margin(Margin { left: 12, right: 12, top: 6, bottom: 6 })
        .show(ui, |ui| heatmap::show(ui, &model, &mut app.view.live.heatmap))
        .inner;
    let first = app.model.newest_moment() - WINDOW_S + i64::from(app.model.store.step_seconds());
    let moment = |column: usize| first + column as i64 * i64::from(app.model.store.step_seconds());
    if let Some((column, row)) = output.hovered {
        let name = model.row_names.get(row).map_or("", String::as_str);
        let value = output.hovered_value.map_or_else(|| "no data".to_owned(), |v| value_text(app.view.live.metric, v));
        app.hover = Some(format!("Hover: {name}, {}, {value}", app.model.now.clock_of(moment(column))));
    }
    if let Some((column, _)) = output.clicked {
        app.intents.push(Intent::Hold(Some(moment(column))));
    }
}

/// Colour bar with handles for the range of the metric.
pub fn legend(app: &mut App, ui: &mut Ui) {
    let model = legend_model(app);
    let output = widgets::legend::show(ui, &model, Some(ui.available_width()));
    if let Some(range) = output.range {
        app.view.live.range = range;
    }
}

/// The colour bar of the metric as a model.
pub fn legend_model(app: &App) -> Legend {
    let full = full_range(app);
    let metric = app.view.live.metric;
    Legend {
        title: metric.name(),
        scale: scale(&app.view.live),
        full,
        ends: app.view.live.range.map(|end| end_text(metric, end)),
        fit: with_source(app, |source| derive::fit(source, full)).flatten(),
        missing: None,
    }
}

fn end_text(metric: Metric, value: f32) -> String {
    match metric.unit() {
        MetricUnit::Fraction => format::percent(Fraction::clamped(f64::from(value)), 0),
        _ => value_text(metric, value),
    }
}
