//! The form at the left: which scenario, what is tried, on which slice, and what is broken meanwhile.

use egui::{Key, Modifiers, ScrollArea, Ui};
use planning::edit::Edit;
use planning::history::Gesture;
use planning::plan::{Scenario, ScenarioId};
use simulator::collective::Collective;
use simulator::dtype::Dtype;
use simulator::trial::{Exchange, Gemm, Sharded, Trial};
use topology::fleet::Component;
use topology::rules::{Twistable, check_shape, legal_shapes};
use topology::shape::Shape;
use widgets::control::{Button, Field, IconButton, segmented, select, slider, switch};
use widgets::panel::{Panel as Card, section};
use widgets::theme::{Tokens, Type, size, text};
use widgets::{format, icon};

use super::draft::{Draft, FIELD, Row, Typed, labelled};
use crate::app::App;
use crate::command::Command;
use crate::intent::Intent;
use crate::quantity;

/// Kinds of work; the last two are not computed yet.
const KINDS: [&str; 5] = ["Matrix product (GEMM)", "Sharded product", "Collective", "Model", "Compiled program (HLO)"];

/// Draws the form of the chosen scenario.
pub(super) fn ui(app: &mut App, ui: &mut Ui) {
    ui.spacing_mut().item_spacing.y = 0.0;
    picker(app, ui);
    let Some(scenario) = app.chosen_scenario().cloned() else { return };
    egui::Panel::bottom("what-if run")
        .exact_size(size::TOP_BAR + size::GRID)
        .resizable(false)
        .show_separator_line(false)
        .show(ui, |ui| run_bar(app, ui, &scenario));
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let mut next = scenario.clone();
        section(ui, "Workload", |ui| workload(app, ui, &mut next));
        section(ui, "Slice", |ui| slice(app, ui, &mut next));
        section(ui, "If this fails", |ui| faults(app, ui, &mut next));
        // Choices and sliders; what is typed goes its own way, one undo step per field.
        if next != scenario {
            app.intents.push(Intent::Edit(Edit::SetScenario(Box::new(next))));
        }
    });
}

fn picker(app: &mut App, ui: &mut Ui) {
    let scenarios = &app.model.plan().scenarios;
    let ids: Vec<ScenarioId> = scenarios.iter().map(|scenario| scenario.id).collect();
    let names: Vec<String> = scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut chosen =
        app.chosen_scenario().and_then(|found| ids.iter().position(|id| *id == found.id)).unwrap_or_default();
    Card::new("Scenario").header(ui, |ui| {
        if !ids.is_empty() && ui.add(IconButton::new(icon::TRASH, "Delete scenario").small()).clicked() {
            app.intents.push(Intent::Edit(Edit::DeleteScenario(ids[chosen])));
        }
        if ui.add(IconButton::new(icon::COPY, "Duplicate scenario").small()).clicked() {
            app.intents.run(Command::AddScenario);
        }
        if !names.is_empty() && select(ui, "Scenario", &names, &mut chosen, 140.0).changed() {
            app.view.what_if.scenario = Some(ids[chosen]);
        }
    });
}

fn run_bar(app: &mut App, ui: &mut Ui, scenario: &Scenario) {
    let tokens = Tokens::of(ui.ctx());
    let area = ui.max_rect();
    ui.painter().hline(area.x_range(), area.top() + 0.5, (size::STROKE_LINE, tokens.line1));
    ui.horizontal_centered(|ui| {
        ui.add_space(size::PANEL_GAP);
        if app.trials.is_running() {
            if ui.add(Button::danger("Stop")).clicked() {
                app.intents.push(Intent::StopRun);
            }
            let share = app.trials.progress();
            ui.label(text(Type::Secondary, format::percent(share, 0)).color(tokens.text2));
        } else {
            let can_run = scenario.trial.is_some();
            let run = Button::primary("Run").icon(icon::PLAY_FILL).enabled(can_run);
            let pressed = ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter));
            if (ui.add(run).on_hover_text(run_text(scenario)).clicked() || pressed) && can_run {
                app.intents.push(Intent::RunScenario(scenario.id));
            }
        }
        if ui.add(Button::secondary("Add scenario").icon(icon::PLUS)).clicked() {
            app.intents.run(Command::AddScenario);
        }
    });
}

/// What Run does beyond the answer that is always there.
const fn run_text(scenario: &Scenario) -> &'static str {
    match scenario.trial {
        Some(Trial::Gemm(_)) => "Really compute the product through the modelled array, and check the result",
        Some(Trial::Sharded(_)) => "Really shard the arrays, compute and exchange them, and check the result",
        Some(Trial::Collective(_)) => "Move every chunk over every link in the event-driven model",
        None => "Choose what is tried first",
    }
}

fn workload(app: &mut App, ui: &mut Ui, next: &mut Scenario) {
    let mut kind = match &next.trial {
        Some(Trial::Gemm(_)) => 0,
        Some(Trial::Sharded(_)) => 1,
        Some(Trial::Collective(_)) => 2,
        None => app.view.what_if.later.unwrap_or(3),
    };
    let before = kind;
    labelled(ui, "Kind", |ui| select(ui, "Kind", &KINDS, &mut kind, FIELD));
    if kind != before {
        next.trial = Trial::first(kind);
        app.view.what_if.later = next.trial.is_none().then_some(kind);
    }
    ui.add_space(size::GRID);
    match next.trial.clone() {
        Some(Trial::Gemm(gemm)) => product(app, ui, next, gemm),
        Some(Trial::Sharded(sharded)) => sharded_product(app, ui, next, &sharded),
        Some(Trial::Collective(exchange)) => collective(app, ui, next, &exchange),
        None => not_yet(ui, kind),
    }
}

/// The first work of a kind, for a new scenario.
trait First: Sized {
    fn first(kind: usize) -> Option<Self>;
}

impl First for Trial {
    fn first(kind: usize) -> Option<Self> {
        let dtype = Dtype::Bf16;
        match kind {
            0 => Some(Self::Gemm(Gemm { m: 8192, k: 8192, n: 8192, dtype })),
            1 => Some(Self::Sharded(Sharded {
                product: "A[I_x,J] . B[J,K_y] -> C[I_x,K_y]".to_owned(),
                sizes: "I=65536,J=8192,K=32768".to_owned(),
                axes: "x=x,y=y".to_owned(),
                dtype,
                overlaps: false,
            })),
            2 => Some(Self::Collective(Exchange { kind: Collective::AllReduce, bytes: 1 << 28, axes: "x".to_owned() })),
            _ => None,
        }
    }
}

fn not_yet(ui: &mut Ui, kind: usize) {
    let tokens = Tokens::of(ui.ctx());
    let words = if kind == 4 {
        "A compiled program is not read yet; it comes with the reader of HLO texts."
    } else {
        "A whole training or serving step is not computed here yet. Its products can be tried one by one: open the \
         model's config.json to list them."
    };
    ui.add(egui::Label::new(text(Type::Secondary, words).color(tokens.text2)).wrap());
}

/// Takes what a field says: a value is one change of the field's gesture.
fn take<T>(app: &mut App, typed: Typed<T>, scenario: &Scenario, change: impl FnOnce(&mut Scenario, T)) {
    match typed {
        Typed::Value(value, gesture) => {
            let mut next = scenario.clone();
            change(&mut next, value);
            app.intents.push(Intent::EditDuring(gesture, Edit::SetScenario(Box::new(next))));
        }
        Typed::Left => app.intents.push(Intent::EndGesture),
        Typed::Nothing => {}
    }
}

/// A text row of the form.
fn row<T>(
    app: &mut App,
    ui: &mut Ui,
    scenario: &Scenario,
    row: &Row<'_>,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Typed<T> {
    let mut draft: Option<Draft> = app.view.what_if.draft.take();
    let typed = row.show(ui, (&mut draft, scenario.id), parse);
    app.view.what_if.draft = draft;
    typed
}

fn product(app: &mut App, ui: &mut Ui, next: &mut Scenario, gemm: Gemm) {
    type Set = fn(&mut Gemm, u64);
    let sizes: [(&'static str, u64, Set); 3] = [
        ("Rows M", gemm.m, |gemm, size| gemm.m = size),
        ("Depth K", gemm.k, |gemm, size| gemm.k = size),
        ("Columns N", gemm.n, |gemm, size| gemm.n = size),
    ];
    for (label, value, set) in sizes {
        let shown = value.to_string();
        let fields = Row { label, value: &shown, unit: "", problem: None };
        let typed = row(app, ui, next, &fields, quantity::whole);
        take(app, typed, next, |scenario, size| scenario.trial = Some(Trial::Gemm(with(gemm, set, size))));
        let slid = size_slider(ui, (label, value), 0.0..=17.0, next.id);
        take(app, slid, next, |scenario, size| scenario.trial = Some(Trial::Gemm(with(gemm, set, size))));
    }
    if let Some(dtype) = dtype_row(ui, gemm.dtype) {
        next.trial = Some(Trial::Gemm(Gemm { dtype, ..gemm }));
    }
}

/// A slider of powers of two below a field.
fn size_slider(
    ui: &mut Ui,
    (label, value): (&'static str, u64),
    range: std::ops::RangeInclusive<f32>,
    scenario: ScenarioId,
) -> Typed<u64> {
    let name = format!("{label}, slider");
    let before = (value.max(1) as f32).log2();
    let mut exponent = before;
    let response = ui
        .horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.add_space((ui.available_width() - FIELD).max(0.0));
            slider(ui, &name, &mut exponent, range, FIELD)
        })
        .inner;
    let gesture = Gesture(egui::Id::unique(("what-if slider", label, scenario.0)).value());
    if response.changed() {
        // Quarters of a doubling, so that round sizes are easy to hit.
        let size = ((exponent * 4.0).round() / 4.0).exp2().round() as u64;
        return Typed::Value(size.max(1), gesture);
    }
    if response.drag_stopped() || response.lost_focus() { Typed::Left } else { Typed::Nothing }
}

fn dtype_row(ui: &mut Ui, dtype: Dtype) -> Option<Dtype> {
    let names: Vec<&str> = Dtype::ALL.iter().map(|dtype| dtype.name()).collect();
    let mut chosen = Dtype::ALL.iter().position(|other| *other == dtype).unwrap_or(0);
    let response = labelled(ui, "Number format", |ui| select(ui, "Number format", &names, &mut chosen, FIELD));
    response.changed().then(|| Dtype::ALL[chosen])
}

fn sharded_product(app: &mut App, ui: &mut Ui, next: &mut Scenario, sharded: &Sharded) {
    type Set = fn(&mut Sharded, String);
    let fields: [(&'static str, &str, Set); 3] = [
        ("Product, as sharded", &sharded.product, |sharded, text| sharded.product = text),
        ("Sizes", &sharded.sizes, |sharded, text| sharded.sizes = text),
        ("Mesh axes on the torus", &sharded.axes, |sharded, text| sharded.axes = text),
    ];
    for (label, value, set) in fields {
        let mut draft = app.view.what_if.draft.take();
        let row = Row { label, value, unit: "", problem: None };
        let typed = row.show_wide(ui, (&mut draft, next.id), one_line);
        app.view.what_if.draft = draft;
        take(app, typed, next, |scenario, text| {
            let mut changed = sharded.clone();
            set(&mut changed, text);
            scenario.trial = Some(Trial::Sharded(changed));
        });
        ui.add_space(size::GRID);
    }
    if let Some(dtype) = dtype_row(ui, sharded.dtype) {
        next.trial = Some(Trial::Sharded(Sharded { dtype, ..sharded.clone() }));
    }
    let mut overlaps = sharded.overlaps;
    let overlap = switch(ui, "Overlap in parts", &mut overlaps);
    if overlap
        .on_hover_text("Collective matmul: the collective is cut into parts that overlap with the products")
        .changed()
    {
        next.trial = Some(Trial::Sharded(Sharded { overlaps, ..sharded.clone() }));
    }
}

/// What a plan can keep of a typed line.
fn one_line(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("Write something here".to_owned());
    }
    Ok(text.to_owned())
}

fn collective(app: &mut App, ui: &mut Ui, next: &mut Scenario, exchange: &Exchange) {
    let kinds = Collective::ALL;
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
    let mut chosen = kinds.iter().position(|kind| *kind == exchange.kind).unwrap_or(0);
    if labelled(ui, "Collective", |ui| select(ui, "Collective", &names, &mut chosen, FIELD)).changed() {
        next.trial = Some(Trial::Collective(Exchange { kind: kinds[chosen], ..exchange.clone() }));
    }
    let bytes = quantity::bytes_text(exchange.bytes);
    let fields = Row { label: "Gathered array", value: &bytes, unit: "", problem: None };
    let set = |scenario: &mut Scenario, bytes| {
        scenario.trial = Some(Trial::Collective(Exchange { bytes, ..exchange.clone() }));
    };
    let typed = row(app, ui, next, &fields, quantity::bytes);
    take(app, typed, next, set);
    let slid = size_slider(ui, ("Gathered array", exchange.bytes), 10.0..=40.0, next.id);
    take(app, slid, next, set);
    let axes = Row { label: "Axes or groups", value: &exchange.axes, unit: "", problem: None };
    let typed = row(app, ui, next, &axes, one_line);
    take(app, typed, next, |scenario, axes| {
        scenario.trial = Some(Trial::Collective(Exchange { axes, ..exchange.clone() }));
    });
}

fn slice(app: &mut App, ui: &mut Ui, next: &mut Scenario) {
    let catalog = std::sync::Arc::clone(&app.model.catalog);
    let ids: Vec<_> = catalog.generations.iter().map(|generation| generation.id.clone()).collect();
    let names: Vec<&str> = catalog.generations.iter().map(|generation| generation.name.as_str()).collect();
    let mut chosen = ids.iter().position(|id| *id == next.generation).unwrap_or(0);
    if labelled(ui, "Chip", |ui| select(ui, "Chip", &names, &mut chosen, FIELD)).changed() {
        next.generation = ids[chosen].clone();
    }
    let Some(generation) = catalog.get(&next.generation) else { return };
    let legal = check_shape(generation, next.shape);
    let problem = legal.as_ref().err().map(ToString::to_string);
    let shown = next.shape.to_string();
    let fields = Row { label: "Topology", value: &shown, unit: "", problem: problem.as_deref() };
    let typed = row(app, ui, next, &fields, |text| text.parse::<Shape>().map_err(|bad| bad.to_string()));
    take(app, typed, next, |scenario, shape| {
        scenario.shape = shape;
        scenario.twisted &= shape_twists(generation, shape);
    });
    match &legal {
        Err(illegal) => illegal_shape(ui, illegal, next),
        Ok(legal) if legal.twistable != Twistable::Never => twist(ui, next),
        Ok(_) => {}
    }
    same_size(ui, generation, next);
    let from_map = Button::secondary("Take the selected slice").icon(icon::CUBE);
    ui.add_space(size::GRID);
    if ui.add(from_map.enabled(app.selected_slice().is_some())).clicked() {
        app.intents.run(Command::TakeSlice);
    }
}

fn shape_twists(generation: &topology::chip::Generation, shape: Shape) -> bool {
    check_shape(generation, shape).is_ok_and(|legal| legal.twistable != Twistable::Never)
}

fn twist(ui: &mut Ui, next: &mut Scenario) {
    let mut twisted = usize::from(next.twisted);
    if labelled(ui, "Twist", |ui| segmented(ui, "Twist", &["Off", "On"], &mut twisted)).changed() {
        next.twisted = twisted == 1;
    }
}

/// Why a shape is not offered, and the nearest that are.
fn illegal_shape(ui: &mut Ui, illegal: &topology::rules::IllegalShape, next: &mut Scenario) {
    let tokens = Tokens::of(ui.ctx());
    ui.add(egui::Label::new(text(Type::Secondary, illegal.rule.to_string()).color(tokens.crit)).wrap());
    ui.horizontal_wrapped(|ui| {
        for shape in &illegal.nearest {
            let name = crate::text::shape(*shape);
            if ui.add(Button::secondary(&name).small()).clicked() {
                next.shape = *shape;
                next.twisted = false;
            }
        }
    });
}

/// Legal slices of as many chips, to compare with.
fn same_size(ui: &mut Ui, generation: &topology::chip::Generation, next: &mut Scenario) {
    let n_chips = next.shape.n_chips();
    let shapes: Vec<Shape> =
        legal_shapes(generation).iter().map(|legal| legal.shape).filter(|shape| shape.n_chips() == n_chips).collect();
    let Some(mut chosen) = shapes.iter().position(|shape| *shape == next.shape).filter(|_| shapes.len() > 1) else {
        return;
    };
    let names: Vec<String> = shapes.iter().map(|shape| crate::text::shape(*shape)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let label = format!("Of {} chips", format::count(n_chips as u64));
    if labelled(ui, &label, |ui| select(ui, "Shapes of as many chips", &names, &mut chosen, FIELD)).changed() {
        next.shape = shapes[chosen];
        next.twisted &= shape_twists(generation, next.shape);
    }
}

fn faults(app: &mut App, ui: &mut Ui, next: &mut Scenario) {
    let mut gone = None;
    ui.horizontal_wrapped(|ui| {
        for (index, fault) in next.faults.iter().enumerate() {
            let name = fault.to_string();
            let button = Button::secondary(&name).small().trailing(icon::X);
            if ui.add(button).on_hover_text("Make it work again").clicked() {
                gone = Some(index);
            }
        }
    });
    if let Some(index) = gone {
        next.faults.remove(index);
    }
    let typed = &mut app.view.what_if.fault;
    let read = typed.parse::<Component>();
    let error = read.as_ref().err().filter(|_| !typed.trim().is_empty()).map(ToString::to_string);
    let mut wanted = false;
    ui.horizontal(|ui| {
        let width = ui.available_width() - 52.0;
        let field = Field::new("Failed component", typed).hint("chip:0,0,0 or link:0,0,0:x").error(error.as_deref());
        let response = ui.add(field.width(width));
        wanted = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        wanted |= ui.add(Button::secondary("Add").enabled(read.is_ok())).clicked();
    });
    if wanted && let Ok(component) = read {
        typed.clear();
        next.faults.push(component);
    }
}

fn with(mut gemm: Gemm, set: fn(&mut Gemm, u64), size: u64) -> Gemm {
    set(&mut gemm, size);
    gemm
}
