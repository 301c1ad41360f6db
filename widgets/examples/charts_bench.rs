//! How long a frame of the large charts takes on the processor; run with `--release`.
//!
//! `kept` draws the same picture again, `moved` one whose view has changed; both with tessellation, as the window does.

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "it measures time and prints a table")]

#[path = "gallery/samples/links.rs"]
#[expect(dead_code, reason = "the gallery shows more of them")]
mod links;
#[path = "gallery/samples/timeline.rs"]
#[expect(dead_code, reason = "the gallery shows more of them")]
mod timeline;

use std::time::{Duration, Instant};

use egui::{Context, Event, Pos2, RawInput, Rect, Ui, Vec2, pos2, vec2};
use topology::shape::Shape;
use widgets::theme::install;
use widgets::timeline::TimelineState;
use widgets::torus::{Detail, TorusState};

/// Frames of each row; the median counts.
const FRAMES: usize = 60;

fn main() {
    println!("{:<44}{:>12}{:>12}{:>14}", "picture", "kept, ms", "moved, ms", "triangles");
    for spans in [1_000, 100_000] {
        let model = timeline::dense_model(spans);
        row(&format!("timeline of {spans} spans"), vec2(700.0, 360.0), |ui, frame| {
            let mut state = TimelineState::default();
            state.zoom(1.0 + frame as f64 * 1e-3, 0.5);
            widgets::timeline::show(ui, &model, &mut state);
        });
    }
    let torus = links::slice(Shape::solid(16, 24, 24), [true; 3]);
    for (name, detail, zoom) in [
        ("links between 9,216 chips, joined", Detail::Chips, 1.0),
        ("links between 9,216 chips, apart", Detail::Chips, 1.6),
        ("links between 144 cubes", Detail::Cubes, 1.0),
    ] {
        row(name, vec2(988.0, 636.0), |ui, frame| {
            let mut state = TorusState { detail, ..TorusState::default() };
            state.camera.zoom = zoom;
            state.camera.yaw += frame as f32 * 1e-3;
            widgets::torus::show(ui, &torus, &mut state);
        });
    }
}

/// Times frames of one picture: `draw` gets a number that changes when the view shall change.
fn row(name: &str, size: Vec2, mut draw: impl FnMut(&mut Ui, usize)) {
    let ctx = Context::default();
    install(&ctx);
    let mut triangles = 0;
    let [kept, moved] = [0, 1].map(|step| {
        let mut times: Vec<Duration> = (0..FRAMES)
            .map(|n| {
                let begin = Instant::now();
                let output = ctx.run_ui(input(size, step * FRAMES + n), |ui| draw(ui, n * step));
                let meshes = ctx.tessellate(output.shapes.clone(), 1.0);
                let time = begin.elapsed();
                triangles = meshes.iter().map(|mesh| count(&mesh.primitive)).sum();
                output.drop_without_applying_deltas();
                time
            })
            .collect();
        times.sort_unstable();
        times[FRAMES / 2].as_secs_f64() * 1e3
    });
    println!("{name:<44}{kept:>12.2}{moved:>12.2}{triangles:>14}");
}

fn count(primitive: &egui::epaint::Primitive) -> usize {
    match primitive {
        egui::epaint::Primitive::Mesh(mesh) => mesh.indices.len() / 3,
        egui::epaint::Primitive::Callback(_) => 0,
    }
}

/// A frame with the pointer on the picture, where it moves a little.
fn input(size: Vec2, frame: usize) -> RawInput {
    let pointer = size.to_pos2() * 0.5 + vec2((frame % 7) as f32, 0.0);
    RawInput {
        screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
        time: Some(frame as f64 / 60.0),
        events: vec![Event::PointerMoved(pos2(pointer.x, pointer.y))],
        ..RawInput::default()
    }
}
