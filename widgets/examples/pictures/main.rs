//! Draws every picture with sample models, in both themes, into PNG files.
//!
//! `cargo run -p podium-widgets --example pictures -- target/pictures [name]`

mod board;
mod gantt;
mod heatmap;
mod planes;
mod torus;

use std::error::Error;
use std::path::{Path, PathBuf};

use egui::{Theme, Ui, Vec2, vec2};
use widgets::raster::{Picture, render};

/// A picture: its name, its size, and what draws it.
struct Sample {
    name: &'static str,
    size: Vec2,
    draw: fn(&mut Ui),
}

const SAMPLES: &[Sample] = &[
    Sample { name: "torus", size: vec2(988.0, 636.0), draw: torus::placing },
    Sample { name: "torus-turned", size: vec2(988.0, 636.0), draw: torus::turned },
    Sample { name: "torus-values", size: vec2(988.0, 636.0), draw: torus::values },
    Sample { name: "torus-chips", size: vec2(988.0, 636.0), draw: torus::chips },
    Sample { name: "torus-flat", size: vec2(700.0, 420.0), draw: torus::flat },
    Sample { name: "planes-cubes", size: vec2(988.0, 220.0), draw: planes::cubes },
    Sample { name: "planes-chips", size: vec2(1224.0, 340.0), draw: planes::chips },
    Sample { name: "heatmap", size: vec2(1224.0, 480.0), draw: heatmap::time_by_cube },
    Sample { name: "legend", size: vec2(300.0, 270.0), draw: heatmap::legend },
    Sample { name: "gantt", size: vec2(1224.0, 892.0), draw: gantt::board },
    Sample { name: "gantt-zoomed", size: vec2(1000.0, 600.0), draw: gantt::zoomed },
    Sample { name: "board", size: vec2(1224.0, 660.0), draw: board::board },
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| "target/pictures".to_owned()));
    let only = arguments.next();
    std::fs::create_dir_all(&folder)?;
    for sample in SAMPLES.iter().filter(|sample| only.as_deref().is_none_or(|only| sample.name.starts_with(only))) {
        for (theme, suffix) in [(Theme::Dark, "dark"), (Theme::Light, "light")] {
            let picture = render(sample.size, 1.0, theme, sample.draw);
            save(&picture, &folder.join(format!("{}-{suffix}.png", sample.name)))?;
        }
    }
    Ok(())
}

fn save(picture: &Picture, path: &Path) -> Result<(), Box<dyn Error>> {
    let [width, height] = picture.size.map(|n| n as u32);
    image::save_buffer(path, &picture.to_rgba(), width, height, image::ColorType::Rgba8)?;
    Ok(())
}
