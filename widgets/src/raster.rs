//! Pictures without a window: egui's triangles painted by the processor.
//!
//! For exports, reports and image tests. Coverage is decided in integers and colours are mixed
//! with plain `f32` steps, so the same shapes give the same bytes on every machine.

#[cfg(any(test, feature = "kittest"))]
mod harness;
mod painter;
mod texture;
mod triangle;

use egui::{Color32, Context, RawInput, Rect, Theme, Ui, Vec2, pos2};

#[cfg(any(test, feature = "kittest"))]
pub use harness::HarnessRenderer;
pub use painter::Painter;

use crate::theme::{Tokens, install};

/// A finished picture, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Colours with premultiplied alpha, `size[0] * size[1]` of them.
    pub pixels: Vec<Color32>,
}

impl Picture {
    /// A picture of one colour.
    pub fn filled(size: [usize; 2], color: Color32) -> Self {
        Self { size, pixels: vec![color; size[0] * size[1]] }
    }

    /// The colour at a place, or `None` outside.
    pub fn pixel(&self, x: usize, y: usize) -> Option<Color32> {
        let [width, height] = self.size;
        (x < width && y < height).then(|| self.pixels[y * width + x])
    }

    /// Bytes for an encoder: red, green, blue and straight alpha for each pixel.
    pub fn to_rgba(&self) -> Vec<u8> {
        self.pixels.iter().flat_map(Color32::to_srgba_unmultiplied).collect()
    }
}

/// Runs a piece of interface in a fresh context with the program's fonts, and paints it.
///
/// The interface runs three times before the picture is taken, so that sizes which depend on the
/// pass before have settled. `size` is in points; the ground is `bg0` of the theme.
pub fn render(size: Vec2, pixels_per_point: f32, theme: Theme, mut contents: impl FnMut(&mut Ui)) -> Picture {
    const PASSES: u8 = 3;
    let ctx = Context::default();
    install(&ctx);
    ctx.set_theme(theme);
    ctx.all_styles_mut(|style| style.animation_time = 0.0);
    let mut painter = Painter::default();
    let mut shapes = Vec::new();
    for pass in 0..PASSES {
        let mut output = ctx.run_ui(input(size, pixels_per_point, pass), &mut contents);
        painter.apply(&mut output.textures_delta);
        shapes = output.shapes;
    }
    let pixels = (size * pixels_per_point).round();
    let mut picture = Picture::filled([pixels.x as usize, pixels.y as usize], Tokens::for_theme(theme).bg0);
    painter.paint(&mut picture, &ctx.tessellate(shapes, pixels_per_point), pixels_per_point);
    picture
}

fn input(size: Vec2, pixels_per_point: f32, pass: u8) -> RawInput {
    let mut input = RawInput {
        screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), size)),
        max_texture_side: Some(16_384),
        time: Some(f64::from(pass)),
        focused: true,
        ..RawInput::default()
    };
    if let Some(viewport) = input.viewports.get_mut(&input.viewport_id) {
        viewport.native_pixels_per_point = Some(pixels_per_point);
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::{Type, text};

    fn page(ui: &mut Ui) {
        ui.label(text(Type::Title, "55.9 % of 9,216 chips"));
        ui.painter().circle_filled(pos2(40.0, 60.0), 17.5, Color32::from_rgb(200, 60, 30));
        ui.button("Run").on_hover_text("starts it");
    }

    /// Protects: exports of the same page are the same bytes.
    #[test]
    fn a_page_is_painted_the_same_twice() {
        let one = render(Vec2::new(200.0, 90.0), 2.0, Theme::Dark, page);
        let two = render(Vec2::new(200.0, 90.0), 2.0, Theme::Dark, page);
        assert_eq!(one.size, [400, 180]);
        assert!(one == two);
        assert_eq!(one.to_rgba().len(), 400 * 180 * 4);
    }

    /// Protects: fonts load, the theme is the one asked for, and something is drawn.
    #[test]
    fn both_themes_draw_text_on_their_own_ground() {
        for theme in [Theme::Dark, Theme::Light] {
            let picture = render(Vec2::new(200.0, 90.0), 1.0, theme, page);
            let ground = Tokens::for_theme(theme).bg0;
            assert_eq!(picture.pixel(199, 89), Some(ground));
            let drawn = picture.pixels.iter().filter(|&&pixel| pixel != ground).count();
            assert!(drawn > 1_000, "{theme:?}: only {drawn} pixels differ from the ground");
        }
    }

    /// Protects: encoders expect straight alpha.
    #[test]
    fn bytes_are_not_premultiplied() {
        let picture = Picture::filled([1, 1], Color32::from_rgba_unmultiplied(200, 100, 0, 128));
        let [r, g, b, a] = picture.to_rgba()[..] else { panic!("one pixel has four bytes") };
        assert!(r.abs_diff(200) <= 1 && g.abs_diff(100) <= 1 && b == 0 && a == 128);
    }
}
