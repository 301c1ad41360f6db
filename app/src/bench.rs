//! `podium bench`: speed of the engine and of a frame, measured here and now.
//!
//! A frame is everything that the processor does for it before the graphics driver: layout, drawing and
//! tessellation of the whole window at 1920×1080. Each figure is a median of several runs on one thread.

use egui::{Context, FullOutput, Pos2, RawInput, Rect, Ui, Vec2, vec2};
use simulator::array::{Array, Dataflow};
use simulator::cancel::Cancel;
use simulator::dtype::Dtype;
use simulator::execute::execute;
use simulator::matmul::Matmul;
use topology::chip::Catalog;
use topology::shape::Shape;
use topology::slice::SliceFacts;
use widgets::torus::{Detail, naive_paint};

use crate::app::App;
use crate::cli::{Measured, Progress};
use crate::clock::Stopwatch;
use crate::render;
use crate::view_state::View;

const SIZE: Vec2 = vec2(1920.0, 1080.0);
/// Runs of which the median is taken.
const RUNS: usize = 15;

/// Measures everything; calls back before each part.
pub fn run(progress: &mut Progress<'_>) -> Vec<Measured> {
    let mut rows = Vec::new();
    progress("time to the first frame");
    rows.push(first_frame());
    progress("six hours of the sample fleet");
    let mut app = render::still(planning::sample());
    frames(&mut app, progress, &mut rows);
    engine(&app, progress, &mut rows);
    rows
}

fn row(name: &str, value: f64, unit: &str) -> Measured {
    Measured { name: name.to_owned(), value, unit: unit.to_owned() }
}

fn median(mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let watch = Stopwatch::start();
            run();
            watch.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[RUNS / 2]
}

fn input(time: f64) -> RawInput {
    RawInput { screen_rect: Some(Rect::from_min_size(Pos2::ZERO, SIZE)), time: Some(time), ..RawInput::default() }
}

fn finish(ctx: &Context, output: FullOutput) {
    let shapes = output.shapes.clone();
    output.drop_without_applying_deltas();
    std::hint::black_box(ctx.tessellate(shapes, 1.0));
}

/// Reading catalogue and sample, fonts, and a whole frame with an empty history: what a start costs beside the window.
fn first_frame() -> Measured {
    let watch = Stopwatch::start();
    let plan = planning::sample();
    let now = render::moment_of(&plan);
    let catalog = std::sync::Arc::new(Catalog::embedded().clone());
    let mut app = App::new(plan, catalog, crate::app::Clock::Fixed(now));
    let ctx = Context::default();
    widgets::theme::install(&ctx);
    let output = ctx.run_ui(input(0.0), |ui| app.ui(ui));
    finish(&ctx, output);
    row("first frame, from nothing", watch.elapsed().as_secs_f64() * 1e3, "ms")
}

fn frames(app: &mut App, progress: &mut Progress<'_>, rows: &mut Vec<Measured>) {
    let ctx = Context::default();
    widgets::theme::install(&ctx);
    let mut time = 0.0;
    let mut frame = |app: &mut App| {
        time += 0.1;
        let output = ctx.run_ui(input(time), |ui| app.ui(ui));
        app.intents.take();
        finish(&ctx, output);
    };
    for view in View::BUILT {
        progress(view.label());
        app.view.view = view;
        frame(app);
        let name = format!("{} view, nothing changes", view.label());
        rows.push(row(&name, median(|| frame(app)), "ms/frame"));
    }
    progress("9,216 chips");
    app.view.view = View::Topology;
    app.view.topology.torus.detail = Detail::Chips;
    frame(app);
    let still = median(|| frame(app));
    rows.push(row("Topology view, 9,216 chips, nothing changes", still, "ms/frame"));
    let whole = median(|| {
        app.view.topology.torus.camera.orbit(vec2(3.0, 1.0));
        frame(app);
    });
    rows.push(row("Topology view, 9,216 chips, orbiting", whole, "ms/frame"));
    compare(app, rows);
}

/// The lattice alone, ours and drawn naively, in the same run.
fn compare(app: &mut App, rows: &mut Vec<Measured>) {
    let Some(model) = crate::views::topology::picture(app) else { return };
    let ctx = Context::default();
    widgets::theme::install(&ctx);
    let mut state = app.view.topology.torus;
    let mut time = 0.0;
    let mut frame = |draw: &mut dyn FnMut(&mut Ui)| {
        time += 0.1;
        let output = ctx.run_ui(input(time), |ui| draw(ui));
        finish(&ctx, output);
    };
    let ours = median(|| {
        state.camera.orbit(vec2(3.0, 1.0));
        frame(&mut |ui| {
            widgets::torus::show(ui, &model, &mut state);
        });
    });
    let naive = median(|| {
        state.camera.orbit(vec2(3.0, 1.0));
        frame(&mut |ui| naive_paint(ui.painter(), ui.max_rect(), &model, &state.camera));
    });
    rows.push(row("lattice of 9,216 chips, orbiting", ours, "ms/frame"));
    rows.push(row("the same, one shape per chip, sorted", naive, "ms/frame"));
    rows.push(row("naive over ours", naive / ours, "times"));
}

fn engine(app: &App, progress: &mut Progress<'_>, rows: &mut Vec<Measured>) {
    progress("simulator");
    if let Some(sim) = app.simulation() {
        let mut at = 0.0;
        let sample = median(|| {
            at += 60.0;
            std::hint::black_box(sim.sample(at));
        });
        rows.push(row("one sample of 23,296 chips", sample, "ms"));
    }
    if let Some(tpu7x) = Catalog::embedded().generations.iter().find(|generation| generation.id.0 == "tpu7x") {
        let facts = median(|| {
            std::hint::black_box(SliceFacts::new(tpu7x, Shape::solid(16, 24, 24), None).ok());
        });
        rows.push(row("facts of slice 16x24x24", facts * 1e3, "µs"));
    }
    progress("matrix product");
    if let Ok(matmul) = Matmul::new(1024, 1024, 1024, Dtype::Bf16) {
        let watch = Stopwatch::start();
        let done = Array::new(256, 256)
            .ok()
            .map(|array| execute(&matmul, (array, Dataflow::Ws), 0, &Cancel::default(), &mut |_| ()));
        std::hint::black_box(done.is_some_and(|done| done.is_ok()));
        rows.push(row("1024x1024x1024 bf16, executed and checked", watch.elapsed().as_secs_f64() * 1e3, "ms"));
    }
}
