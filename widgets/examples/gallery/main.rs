//! Every component in every state and both themes, as PNG files: the style guide as it really is.
//!
//! `cargo run -p podium-widgets --example gallery -- out-dir`

mod charts;
mod components;
mod samples;
mod window;

use std::error::Error;
use std::path::PathBuf;

use egui::{Pos2, Rect, Theme, Ui, UiBuilder, Vec2, vec2};
use widgets::raster::render;

type Page = (&'static str, Vec2, fn(&mut Ui));

const PAGES: [Page; 10] = [
    ("components", vec2(1600.0, 820.0), components::page),
    ("window", vec2(1600.0, 700.0), window::page),
    ("palette", vec2(1600.0, 560.0), window::palette),
    ("states", vec2(1600.0, 620.0), window::states),
    ("confirm", vec2(640.0, 320.0), window::confirm),
    ("comparisons", vec2(1600.0, 530.0), charts::comparisons),
    ("rooflines", vec2(1600.0, 690.0), charts::rooflines),
    ("arrays", vec2(1440.0, 452.0), charts::arrays),
    ("traffic", vec2(1600.0, 1168.0), charts::traffic),
    ("timelines", vec2(1600.0, 748.0), charts::timelines),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("usage: gallery OUT-DIR")?);
    std::fs::create_dir_all(&folder)?;
    for (theme, suffix) in [(Theme::Dark, "dark"), (Theme::Light, "light")] {
        for (name, size, page) in PAGES {
            let picture = render(size, 1.0, theme, page);
            let [width, height] = picture.size.map(|side| side as u32);
            let file = folder.join(format!("{name}-{suffix}.png"));
            image::save_buffer(file, &picture.to_rgba(), width, height, image::ColorType::Rgba8)?;
        }
    }
    Ok(())
}

/// Shows something in a fixed place of the page.
fn place(ui: &mut Ui, min: [f32; 2], size: [f32; 2], contents: impl FnOnce(&mut Ui)) {
    let area = Rect::from_min_size(Pos2::from(min), Vec2::from(size));
    ui.scope_builder(UiBuilder::new().id_salt(min.map(f32::to_bits)).max_rect(area), contents);
}
