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

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;

    use super::*;
    use crate::control::Button;
    use crate::theme::{Tokens, install};

    /// Protects: image tests get exact pixels of what the harness shows, the same in every run.
    #[test]
    fn a_harness_renders_through_the_painter() {
        let shot = || {
            let builder = Harness::builder().with_size([120.0, 60.0]).with_theme(egui::Theme::Dark);
            let builder = builder.renderer(HarnessRenderer::default()).with_context_setup(install);
            let mut harness = builder.build_ui(|ui| {
                ui.add(Button::primary("Run"));
            });
            harness.run();
            harness.render().unwrap()
        };
        let picture = shot();
        assert_eq!(picture.dimensions(), (120, 60));
        let [r, g, b, _] = Tokens::for_theme(egui::Theme::Dark).accent_fill.to_array();
        let ground = picture.pixels().filter(|pixel| pixel.0 == [r, g, b, 255]).count();
        assert!(ground > 300, "only {ground} pixels have the colour of a primary button");
        assert!(picture == shot());
    }
}
