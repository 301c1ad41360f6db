//! Textures of the painter: nearest and bilinear lookup, and the wrap modes.

use egui::epaint::{ImageData, ImageDelta};
use egui::{Color32, TextureFilter, TextureWrapMode};

pub(super) struct Texture {
    size: [usize; 2],
    texels: Vec<Color32>,
    smooth: bool,
    wrap: TextureWrapMode,
}

impl Texture {
    /// A texture from a delta that replaces everything.
    pub(super) fn new(delta: ImageDelta) -> Self {
        let ImageData::Color(image) = delta.image;
        Self {
            size: image.size,
            texels: image.pixels.clone(),
            smooth: delta.options.magnification == TextureFilter::Linear,
            wrap: delta.options.wrap_mode,
        }
    }

    /// Copies a smaller picture into this one; what would fall outside is left out.
    pub(super) fn patch(&mut self, [left, top]: [usize; 2], delta: &ImageDelta) {
        let ImageData::Color(image) = &delta.image;
        let width = image.size[0].min(self.size[0].saturating_sub(left));
        for (row, source) in image.pixels.chunks_exact(image.size[0].max(1)).enumerate() {
            let start = (top + row) * self.size[0] + left;
            if let Some(target) = self.texels.get_mut(start..start + width) {
                target.copy_from_slice(&source[..width]);
            }
        }
    }

    /// The texel at whole coordinates, wrapped or clamped into the texture.
    fn texel(&self, x: i32, y: i32) -> Color32 {
        let inside = |at: i32, side: usize| {
            let side = side as i32;
            let at = match self.wrap {
                TextureWrapMode::ClampToEdge => at.clamp(0, side - 1),
                TextureWrapMode::Repeat => at.rem_euclid(side),
                TextureWrapMode::MirroredRepeat => {
                    let twice = at.rem_euclid(2 * side);
                    twice.min(2 * side - 1 - twice)
                }
            };
            at as usize
        };
        self.texels[inside(y, self.size[1]) * self.size[0] + inside(x, self.size[0])]
    }

    /// The texel that a coordinate (0 to 1 in both directions) falls into.
    pub(super) fn nearest(&self, u: f32, v: f32) -> Color32 {
        self.texel((u * self.size[0] as f32).floor() as i32, (v * self.size[1] as f32).floor() as i32)
    }

    /// Lookup as the texture asks for it. Weights have eight bits, so a texel centre gives that texel exactly.
    pub(super) fn sample(&self, u: f32, v: f32) -> Color32 {
        if !self.smooth {
            return self.nearest(u, v);
        }
        let fixed = |at: f32, side: usize| ((at * side as f32 - 0.5) * 256.0).round() as i32;
        let (x, y) = (fixed(u, self.size[0]), fixed(v, self.size[1]));
        let (column, row) = (x >> 8, y >> 8);
        let (right, down) = ((x & 255) as u32, (y & 255) as u32);
        if right == 0 && down == 0 {
            return self.texel(column, row);
        }
        let corner = |dx: i32, dy: i32| self.texel(column + dx, row + dy).to_array().map(u32::from);
        let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1));
        let [r, g, b, a] = std::array::from_fn(|n| {
            let upper = a[n] * (256 - right) + b[n] * right;
            let lower = c[n] * (256 - right) + d[n] * right;
            ((upper * (256 - down) + lower * down + (1 << 15)) >> 16) as u8
        });
        Color32::from_rgba_premultiplied(r, g, b, a)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use egui::{ColorImage, TextureOptions};

    use super::*;

    fn two_by_one(options: TextureOptions) -> Texture {
        let pixels = vec![Color32::BLACK, Color32::WHITE];
        Texture::new(ImageDelta::full(ImageData::Color(Arc::new(ColorImage::new([2, 1], pixels))), options))
    }

    /// Protects: a heat map cell never bleeds into its neighbour.
    #[test]
    fn nearest_takes_one_texel() {
        let texture = two_by_one(TextureOptions::NEAREST);
        assert_eq!([0.01, 0.49, 0.51, 0.99].map(|u| texture.sample(u, 0.5).r()), [0, 0, 255, 255]);
    }

    /// Protects: glyphs land unblurred on whole pixels, and the middle is the mean.
    #[test]
    fn bilinear_is_exact_at_centres_and_even_between() {
        let texture = two_by_one(TextureOptions::LINEAR);
        assert_eq!([0.25, 0.375, 0.5, 0.75, 1.0].map(|u| texture.sample(u, 0.5).r()), [0, 64, 128, 255, 255]);
    }

    /// Protects: the three ways to leave a texture.
    #[test]
    fn wrap_modes() {
        for (mode, expected) in [
            (TextureWrapMode::ClampToEdge, [0, 255, 255]),
            (TextureWrapMode::Repeat, [255, 0, 255]),
            (TextureWrapMode::MirroredRepeat, [0, 255, 0]),
        ] {
            let texture = two_by_one(TextureOptions { wrap_mode: mode, ..TextureOptions::NEAREST });
            assert_eq!([-0.25, 1.25, 1.75].map(|u| texture.nearest(u, 0.5).r()), expected, "{mode:?}");
        }
    }

    /// Protects: partial updates of the font texture.
    #[test]
    fn a_patch_changes_only_its_place() {
        let mut texture = two_by_one(TextureOptions::NEAREST);
        let red = ColorImage::new([1, 1], vec![Color32::RED]);
        texture.patch([1, 0], &ImageDelta::full(ImageData::Color(Arc::new(red)), TextureOptions::NEAREST));
        assert_eq!([texture.texel(0, 0), texture.texel(1, 0)], [Color32::BLACK, Color32::RED]);
    }
}
