//! The painter itself: keeps textures, walks meshes, clips.

use std::collections::HashMap;

use egui::epaint::{ClippedPrimitive, ImageDelta, Mesh, Primitive};
use egui::{Rect, TextureId, TexturesDelta};

use super::Picture;
use super::texture::Texture;
use super::triangle::{Clip, Target};

/// Paints tessellated egui output; keep one for as long as its context lives, for the textures.
#[derive(Default)]
pub struct Painter {
    textures: HashMap<TextureId, Texture>,
    released: Vec<TextureId>,
}

impl Painter {
    /// Takes over all texture changes of a pass and empties the delta. Textures that the pass gave
    /// up may still be in its shapes, so they are kept until the next call.
    #[expect(clippy::iter_over_hash_type, reason = "textures are independent, so their order does not matter")]
    pub fn apply(&mut self, delta: &mut TexturesDelta) {
        for id in self.released.drain(..) {
            self.textures.remove(&id);
        }
        for (id, images) in delta.set.drain() {
            for image in images {
                self.set(id, image);
            }
        }
        self.released.extend(delta.free.drain());
    }

    fn set(&mut self, id: TextureId, delta: ImageDelta) {
        match delta.pos {
            None => {
                self.textures.insert(id, Texture::new(delta));
            }
            Some(place) => {
                if let Some(texture) = self.textures.get_mut(&id) {
                    texture.patch(place, &delta);
                }
            }
        }
    }

    /// Paints over a picture. Meshes with an unknown texture and paint callbacks are left out.
    pub fn paint(&self, picture: &mut Picture, primitives: &[ClippedPrimitive], pixels_per_point: f32) {
        for primitive in primitives {
            if let Primitive::Mesh(mesh) = &primitive.primitive
                && let Some(texture) = self.textures.get(&mesh.texture_id)
                && let Some(clip) = clip(primitive.clip_rect, pixels_per_point, picture.size)
            {
                paint_mesh(&mut Target { picture, clip }, mesh, texture, pixels_per_point);
            }
        }
    }
}

fn clip(rect: Rect, pixels_per_point: f32, [width, height]: [usize; 2]) -> Option<Clip> {
    let pixel = |points: f32, side: usize| ((points * pixels_per_point).round() as i32).clamp(0, side as i32);
    let clip = Clip {
        left: pixel(rect.min.x, width),
        top: pixel(rect.min.y, height),
        right: pixel(rect.max.x, width),
        bottom: pixel(rect.max.y, height),
    };
    (clip.left < clip.right && clip.top < clip.bottom).then_some(clip)
}

fn paint_mesh(target: &mut Target<'_>, mesh: &Mesh, texture: &Texture, pixels_per_point: f32) {
    for corners in mesh.indices.chunks_exact(3) {
        let corner = |n: usize| mesh.vertices[corners[n] as usize];
        target.triangle([corner(0), corner(1), corner(2)], texture, pixels_per_point);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use egui::epaint::{ImageData, Vertex, WHITE_UV};
    use egui::{Color32, ColorImage, Pos2, TextureOptions, pos2};

    use super::*;

    const WHITE: TextureId = TextureId::Managed(0);

    fn painter() -> Painter {
        let mut painter = Painter::default();
        let image = ColorImage::new([1, 1], vec![Color32::WHITE]);
        painter.set(WHITE, ImageDelta::full(ImageData::Color(Arc::new(image)), TextureOptions::LINEAR));
        painter
    }

    fn polygon(corners: &[Pos2], color: Color32) -> Mesh {
        let mut mesh = Mesh::with_texture(WHITE);
        mesh.vertices.extend(corners.iter().map(|&pos| Vertex { pos, uv: WHITE_UV, color }));
        for n in 2..corners.len() as u32 {
            mesh.add_triangle(0, n - 1, n);
        }
        mesh
    }

    fn paint(mesh: Mesh, clip_rect: Rect, pixels_per_point: f32) -> Picture {
        let mut picture = Picture::filled([8, 8], Color32::BLACK);
        let primitive = ClippedPrimitive { clip_rect, primitive: Primitive::Mesh(mesh) };
        painter().paint(&mut picture, &[primitive], pixels_per_point);
        picture
    }

    /// The picture as text: '#' where it was painted.
    fn drawn(picture: &Picture) -> String {
        let mark = |pixel: &Color32| if *pixel == Color32::BLACK { '.' } else { '#' };
        picture.pixels.chunks(8).map(|row| row.iter().map(mark).collect::<String>() + "\n").collect()
    }

    fn rect(left: f32, top: f32, right: f32, bottom: f32) -> [Pos2; 4] {
        [pos2(left, top), pos2(right, top), pos2(right, bottom), pos2(left, bottom)]
    }

    /// Protects: a rectangle on whole pixels covers exactly those, at one and two pixels a point.
    #[test]
    fn rectangles_cover_whole_pixels() {
        let picture = paint(polygon(&rect(1.0, 2.0, 5.0, 4.0), Color32::RED), Rect::EVERYTHING, 1.0);
        assert_eq!(drawn(&picture), "........\n........\n.####...\n.####...\n........\n........\n........\n........\n");
        let picture = paint(polygon(&rect(0.5, 1.0, 2.5, 2.0), Color32::RED), Rect::EVERYTHING, 2.0);
        assert_eq!(drawn(&picture), "........\n........\n.####...\n.####...\n........\n........\n........\n........\n");
    }

    /// Protects: pixels on a shared edge belong to one triangle only, whatever the winding.
    #[test]
    fn a_fan_of_triangles_covers_each_pixel_once() {
        let half = Color32::from_rgba_premultiplied(100, 0, 0, 100);
        let corners = [pos2(4.0, 4.0), pos2(0.5, 0.5), pos2(7.5, 0.5), pos2(7.5, 7.5), pos2(0.5, 7.5), pos2(0.5, 0.5)];
        let mut backwards = polygon(&corners, half);
        backwards.indices.reverse();
        for mesh in [polygon(&corners, half), backwards] {
            let picture = paint(mesh, Rect::EVERYTHING, 1.0);
            let painted: Vec<u8> = picture.pixels.iter().map(Color32::r).collect();
            assert!(painted.iter().all(|&red| red == 0 || red == 100), "a pixel was blended twice");
            // Pixel centres from 0.5 to 6.5 are inside or on the top and left edges, 7.5 is on the far edges.
            assert_eq!(painted.into_iter().map(u32::from).sum::<u32>(), 49 * 100);
        }
    }

    /// Protects: premultiplied blending, `source + (1 - alpha) * ground`.
    #[test]
    fn colours_blend_premultiplied() {
        let mut picture = Picture::filled([8, 8], Color32::from_rgb(0, 200, 100));
        let mesh = polygon(&rect(0.0, 0.0, 8.0, 8.0), Color32::from_rgba_premultiplied(64, 0, 0, 128));
        let primitive = ClippedPrimitive { clip_rect: Rect::EVERYTHING, primitive: Primitive::Mesh(mesh) };
        painter().paint(&mut picture, &[primitive], 1.0);
        assert_eq!(picture.pixel(3, 3), Some(Color32::from_rgb(64, 100, 50)));
    }

    /// Protects: nothing is painted outside the clip rectangle, nor outside the picture.
    #[test]
    fn clipping_cuts_at_pixels() {
        let clip = Rect::from_min_max(pos2(2.0, -50.0), pos2(4.0, 3.0));
        let picture = paint(polygon(&rect(-1e9, -1e9, 1e9, 1e9), Color32::RED), clip, 1.0);
        assert_eq!(drawn(&picture), "..##....\n..##....\n..##....\n........\n........\n........\n........\n........\n");
        let outside = Rect::from_min_max(pos2(9.0, 0.0), pos2(12.0, 3.0));
        let picture = paint(polygon(&rect(0.0, 0.0, 20.0, 20.0), Color32::RED), outside, 1.0);
        assert!(!drawn(&picture).contains('#'));
    }

    /// Protects: colours run evenly between corners (anti-aliased edges depend on it).
    #[test]
    fn colours_are_interpolated() {
        let mut mesh = polygon(&rect(0.0, 0.0, 8.0, 8.0), Color32::BLACK);
        for vertex in &mut mesh.vertices {
            vertex.color = Color32::from_gray(if vertex.pos.x > 4.0 { 240 } else { 0 });
        }
        let picture = paint(mesh, Rect::EVERYTHING, 1.0);
        let row: Vec<u8> = (0..8).filter_map(|x| picture.pixel(x, 5)).map(|pixel| pixel.g()).collect();
        assert_eq!(row, [15, 45, 75, 105, 135, 165, 195, 225]);
    }
}
