//! The charts as pictures: they may not change unseen, in any state, theme or size of text.
//!
//! `UPDATE_SNAPSHOTS=1 cargo test -p podium-widgets pictures` takes new pictures over, to be looked at.

#[path = "../examples/gallery/samples/mod.rs"]
mod samples;

use egui::{Pos2, Theme, Ui, Vec2, pos2, vec2};
use egui_kittest::{Harness, try_image_snapshot};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _, RgbaImage};

use crate::raster::HarnessRenderer;
use crate::theme::{Tokens, install};
use samples::{compare, links, roofline, systolic, timeline};

/// Largest file that keeps a picture.
const MOST_KIB: u64 = 20;

/// A picture: its name, size in points, theme, pixels per point, where the pointer is, and what draws it.
struct Shot {
    name: &'static str,
    size: Vec2,
    theme: Theme,
    scale: f32,
    pointer: Option<Pos2>,
    draw: fn(&mut Ui),
}

const fn shot(name: &'static str, size: Vec2, draw: fn(&mut Ui)) -> Shot {
    Shot { name, size, theme: Theme::Dark, scale: 1.0, pointer: None, draw }
}

impl Shot {
    const fn light(self) -> Self {
        Self { theme: Theme::Light, ..self }
    }

    const fn doubled(self) -> Self {
        Self { scale: 2.0, ..self }
    }

    const fn hovered(self, x: f32, y: f32) -> Self {
        Self { pointer: Some(pos2(x, y)), ..self }
    }

    fn take(&self) -> RgbaImage {
        let draw = self.draw;
        let mut harness = Harness::builder()
            .with_size(self.size)
            .with_theme(self.theme)
            .with_pixels_per_point(self.scale)
            .renderer(HarnessRenderer::default())
            .with_context_setup(install)
            .build_ui(move |ui| {
                let ground = ui.ctx().content_rect();
                ui.painter().rect_filled(ground, 0.0, Tokens::of(ui.ctx()).bg0);
                draw(ui);
            });
        if let Some(pointer) = self.pointer {
            harness.hover_at(pointer);
        }
        harness.run();
        harness.render().unwrap()
    }
}

/// Takes every picture, then says which differ from what is kept.
fn compare_all(shots: &[Shot]) {
    let differing: Vec<String> =
        shots.iter().filter_map(|shot| Some(try_image_snapshot(&shot.take(), shot.name).err()?.to_string())).collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    let large = shots.iter().filter_map(|Shot { name, .. }| {
        let path = format!("{}/tests/snapshots/{name}.png", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
            pack(&path);
        }
        let kib = std::fs::metadata(&path).unwrap().len().div_ceil(1024);
        (kib > MOST_KIB).then(|| format!("{path} has {kib} KiB"))
    });
    let large: Vec<String> = large.collect();
    assert!(large.is_empty(), "{}", large.join("\n"));
}

/// Writes the same pixels tightly: unfiltered rows are smallest for flat colours and text.
fn pack(path: &str) {
    let image = image::open(path).unwrap().to_rgb8();
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut bytes, CompressionType::Best, FilterType::NoFilter);
    encoder.write_image(&image, image.width(), image.height(), ExtendedColorType::Rgb8).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Protects: what a step looks like, zoomed, whole, dense, stale and empty, and what stands under the pointer.
#[test]
fn timelines_look_as_they_did() {
    compare_all(&[
        shot("timeline_layer", vec2(540.0, 300.0), timeline::layer),
        shot("timeline_layer_light", vec2(540.0, 300.0), timeline::layer).light(),
        shot("timeline_hovered", vec2(330.0, 280.0), timeline::layer).hovered(190.0, 84.0),
        shot("timeline_doubled", vec2(200.0, 250.0), timeline::whole).doubled(),
        shot("timeline_dense", vec2(480.0, 280.0), timeline::dense),
        shot("timeline_dense_hovered", vec2(400.0, 270.0), timeline::dense).hovered(120.0, 100.0),
        shot("timeline_stale", vec2(360.0, 300.0), timeline::stale),
        shot("timeline_nothing", vec2(240.0, 120.0), timeline::nothing),
    ]);
}

/// Protects: how scenarios compare, alone and in four, with new inputs, and how sure their numbers are.
#[test]
fn comparisons_look_as_they_did() {
    compare_all(&[
        shot("compare_four", vec2(540.0, 205.0), compare::four),
        shot("compare_four_light", vec2(540.0, 205.0), compare::four).light(),
        shot("compare_hovered", vec2(380.0, 205.0), compare::stale).hovered(250.0, 100.0),
        shot("compare_doubled", vec2(250.0, 150.0), compare::stale).doubled(),
        shot("compare_alone", vec2(320.0, 300.0), compare::one),
        shot("estimates", vec2(360.0, 100.0), compare::estimates),
        shot("estimates_light", vec2(360.0, 100.0), compare::estimates).light(),
    ]);
}

/// Protects: what operations look like under their roofs, crowded, idle, stale, and under the pointer.
#[test]
fn rooflines_look_as_they_did() {
    compare_all(&[
        shot("roofline", vec2(440.0, 300.0), roofline::hbm),
        shot("roofline_light", vec2(440.0, 300.0), roofline::hbm).light(),
        shot("roofline_hovered", vec2(420.0, 300.0), roofline::ici).hovered(306.0, 110.0),
        shot("roofline_roof", vec2(420.0, 300.0), roofline::ici).hovered(180.0, 180.0),
        shot("roofline_doubled", vec2(170.0, 160.0), roofline::hbm).doubled(),
        shot("roofline_idle", vec2(420.0, 240.0), roofline::idle),
        shot("roofline_stale", vec2(400.0, 280.0), roofline::stale),
    ]);
}

/// Protects: what an array looks like while it loads and while a wave runs through it, small and large.
#[test]
fn arrays_look_as_they_did() {
    compare_all(&[
        shot("systolic", vec2(420.0, 380.0), systolic::wave),
        shot("systolic_light", vec2(420.0, 380.0), systolic::wave).light(),
        shot("systolic_hovered", vec2(420.0, 380.0), systolic::wave).hovered(200.0, 160.0),
        shot("systolic_reduced", vec2(420.0, 380.0), systolic::loading),
        shot("systolic_large", vec2(360.0, 380.0), systolic::large),
        shot("systolic_doubled", vec2(230.0, 230.0), systolic::large).doubled(),
    ]);
}

/// Protects: what traffic looks like between cubes and between chips, flat and in the largest pod.
#[test]
fn traffic_looks_as_it_did() {
    compare_all(&[
        shot("links_cubes", vec2(340.0, 260.0), links::cubes),
        shot("links_cubes_light", vec2(340.0, 260.0), links::cubes).light(),
        shot("links_chips", vec2(300.0, 260.0), links::chips),
        shot("links_largest", vec2(240.0, 180.0), links::largest),
        shot("links_flat", vec2(450.0, 310.0), links::flat),
        shot("links_flat_hovered", vec2(360.0, 220.0), links::flat).hovered(182.0, 110.0),
    ]);
}
