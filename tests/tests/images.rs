//! Every view that is built, as a picture, pixel by pixel.
//!
//! The painter is our own and the moment is fixed by the plan, so a picture that differs shows a change that somebody
//! made. `UPDATE_SNAPSHOTS=1 cargo test -p podium-tests --test images` takes the new pictures over, to be looked at.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use app::app::App;
use app::intent::Intent;
use app::render::{picture, still};
use app::view_state::{RoadmapMode, Selection, Theme, View};
use egui::{Vec2, vec2};
use egui_kittest::try_image_snapshot;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _, RgbaImage};
use topology::fleet::{PodId, SliceId};

/// The size of the design.
const DESIGN: Vec2 = vec2(1600.0, 1000.0);
/// The smallest window.
const SMALLEST: Vec2 = vec2(1180.0, 720.0);

fn shot(app: &mut App, size: Vec2) -> RgbaImage {
    let picture = picture(app, size, 1.0);
    let [width, height] = picture.size.map(|side| side as u32);
    RgbaImage::from_raw(width, height, picture.to_rgba()).unwrap()
}

/// All pictures of one program, in order; each says what it shows. The history is simulated once.
fn shots(app: &mut App) -> Vec<(&'static str, RgbaImage)> {
    let mut shots = Vec::new();
    shots.push(("topology_start", shot(app, DESIGN)));
    let (pod, slice) = (PodId("north-7x-1".to_owned()), SliceId("eval-mix".to_owned()));
    app.intents.push(Intent::ShowSlice(pod, slice, View::Topology));
    app.logic(&egui::Context::default());
    shots.push(("topology_slice", shot(app, DESIGN)));
    app.view.theme = Theme::Light;
    shots.push(("topology_slice_light", shot(app, DESIGN)));
    app.view.theme = Theme::Dark;
    app.view.view = View::Live;
    app.view.time.held = app.model.store.newest().map(|newest| newest - 3600);
    shots.push(("live_held", shot(app, DESIGN)));
    shots.push(("live_held_smallest", shot(app, SMALLEST)));
    app.view.theme = Theme::Light;
    shots.push(("live_held_light", shot(app, DESIGN)));
    app.view.view = View::Roadmap;
    app.view.selection = Selection::None;
    shots.push(("roadmap_light", shot(app, DESIGN)));
    app.view.theme = Theme::Dark;
    shots.push(("roadmap", shot(app, DESIGN)));
    app.view.roadmap.mode = RoadmapMode::Board;
    shots.push(("board", shot(app, DESIGN)));
    app.view.view = View::WhatIf;
    shots.push(("what_if", shot(app, DESIGN)));
    app.view.what_if.scenario = Some(planning::plan::ScenarioId(10));
    app.view.what_if.lower = app::view_state::Lower::Links;
    app.view.theme = Theme::Light;
    shots.push(("what_if_links_light", shot(app, DESIGN)));
    app.view.theme = Theme::Dark;
    app.view.view = View::Capacity;
    shots.push(("capacity_pending", shot(app, SMALLEST)));
    shots
}

/// Protects: what a person sees, in both themes and in the smallest window; and that few and small files keep it.
#[test]
fn the_views_look_as_they_did() {
    let mut app = still(planning::sample());
    let shots = shots(&mut app);
    let compared = shots.iter().map(|(name, image)| try_image_snapshot(image, *name));
    let differing: Vec<String> = compared.filter_map(|result| Some(result.err()?.to_string())).collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(shots.len() <= 12);
    for (name, _) in shots {
        let path = format!("{}/tests/snapshots/{name}.png", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            pack(&path);
        }
        let kib = std::fs::metadata(&path).unwrap().len() / 1024;
        assert!(kib <= 400, "{path} has {kib} KiB");
    }
}

/// Writes the same pixels as tightly as PNG can.
fn pack(path: &str) {
    let image = image::open(path).unwrap().to_rgb8();
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, FilterType::Adaptive);
    encoder.write_image(&image, image.width(), image.height(), ExtendedColorType::Rgb8).unwrap();
    std::fs::write(path, bytes).unwrap();
}
