//! The painter as a renderer of `egui_kittest`, so that image tests need no graphics card.

use egui::{Color32, Context, FullOutput, TexturesDelta};
use egui_kittest::TestRenderer;

use super::{Painter, Picture};

/// Give it to the harness builder's `renderer`.
#[derive(Default)]
pub struct HarnessRenderer(Painter);

impl TestRenderer for HarnessRenderer {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        self.0.apply(delta);
    }

    fn render(&mut self, ctx: &Context, output: &FullOutput) -> Result<image::RgbaImage, String> {
        let scale = output.pixels_per_point;
        let size = (ctx.content_rect().size() * scale).round();
        let mut picture = Picture::filled([size.x as usize, size.y as usize], Color32::TRANSPARENT);
        self.0.paint(&mut picture, &ctx.tessellate(output.shapes.clone(), scale), scale);
        image::RgbaImage::from_raw(size.x as u32, size.y as u32, picture.to_rgba())
            .ok_or_else(|| format!("the picture of {size:?} pixels has another number of bytes"))
    }
}
