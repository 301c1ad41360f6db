//! One triangle: exact coverage in fixed point, then colour and texture along each row.
//!
//! Corners are rounded to 1/256 pixel. A pixel belongs to a triangle when its centre is inside,
//! or on an edge that is a top or a left one; so triangles that share an edge never paint a pixel
//! twice and never leave a gap. (The rule is that of Direct3D and of most graphics hardware.)

use egui::Color32;
use egui::epaint::Vertex;

use super::Picture;
use super::texture::Texture;

/// Steps of the fixed-point grid in one pixel.
const STEPS: i64 = 256;
/// Corners are kept within this many pixels, so that products of two coordinates fit 64 bits.
const FAR: f32 = 1e6;

/// A rectangle of whole pixels inside the picture; right and bottom are not part of it.
#[derive(Clone, Copy)]
pub(super) struct Clip {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

/// The part of a picture that is painted on.
pub(super) struct Target<'a> {
    pub(super) picture: &'a mut Picture,
    pub(super) clip: Clip,
}

/// A directed edge with the inside on its right as seen on screen: `a·x + b·y + c >= 0` inside.
#[derive(Clone, Copy)]
struct Edge {
    a: i64,
    b: i64,
    c: i64,
}

impl Edge {
    fn new(from: [i64; 2], to: [i64; 2]) -> Self {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let is_top_or_left = dy < 0 || (dy == 0 && dx > 0);
        Self { a: -dy, b: dx, c: dy * from[0] - dx * from[1] - i64::from(!is_top_or_left) }
    }

    /// Narrows a range of columns to those whose centres lie inside, in the row at height `y` (in steps).
    fn narrow(self, y: i64, columns: &mut [i64; 2]) {
        let at_first = self.b * y + self.a * (STEPS / 2) + self.c;
        let step = self.a * STEPS;
        match step.signum() {
            1 => columns[0] = columns[0].max(-(at_first.div_euclid(step))),
            -1 => columns[1] = columns[1].min(at_first.div_euclid(-step) + 1),
            _ if at_first < 0 => columns[1] = columns[0],
            _ => {}
        }
    }
}

/// A value that changes evenly over the triangle.
#[derive(Clone, Copy)]
struct Plane {
    at_corner: f32,
    per_x: f32,
    per_y: f32,
}

/// How planes are laid through three corner values.
struct Slope {
    origin: [f32; 2],
    second: [f32; 2],
    third: [f32; 2],
}

impl Slope {
    fn plane(&self, [first, second, third]: [f32; 3]) -> Plane {
        let (to_second, to_third) = (second - first, third - first);
        Plane {
            at_corner: first,
            per_x: to_second * self.second[0] + to_third * self.third[0],
            per_y: to_second * self.second[1] + to_third * self.third[1],
        }
    }

    fn value(&self, plane: Plane, x: i64, y: i64) -> f32 {
        let (dx, dy) = (x as f32 + 0.5 - self.origin[0], y as f32 + 0.5 - self.origin[1]);
        plane.at_corner + plane.per_x * dx + plane.per_y * dy
    }
}

/// What the pixels of a triangle are filled with.
enum Fill {
    Solid(Color32),
    Varying(Varying),
}

/// Colour or texture change over the triangle; what does not change has no planes.
struct Varying {
    slope: Slope,
    color: Color32,
    channels: Option<[Plane; 4]>,
    texel: Color32,
    uv: Option<[Plane; 2]>,
}

impl Varying {
    fn at(&self, x: i64, y: i64, texture: &Texture) -> Color32 {
        let value = |plane| self.slope.value(plane, x, y);
        let color = self.channels.map_or(self.color, |planes| {
            let [r, g, b, a] = planes.map(|plane| (value(plane) + 0.5).clamp(0.0, 255.0) as u8);
            Color32::from_rgba_premultiplied(r, g, b, a)
        });
        let texel = self.uv.map_or(self.texel, |[u, v]| texture.sample(value(u), value(v)));
        times(color, texel)
    }
}

impl Target<'_> {
    /// Paints one triangle; winding does not matter.
    pub(super) fn triangle(&mut self, mut corners: [Vertex; 3], texture: &Texture, pixels_per_point: f32) {
        let step = |points: f32| ((points * pixels_per_point).clamp(-FAR, FAR) * STEPS as f32).round() as i64;
        let mut at = corners.map(|corner| [step(corner.pos.x), step(corner.pos.y)]);
        let area = (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]) - (at[1][1] - at[0][1]) * (at[2][0] - at[0][0]);
        if area == 0 {
            return;
        }
        if area < 0 {
            corners.swap(1, 2);
            at.swap(1, 2);
        }
        let edges = [Edge::new(at[1], at[2]), Edge::new(at[2], at[0]), Edge::new(at[0], at[1])];
        let fill = fill(&corners, texture, || slope(at[0], &edges, area.abs()));
        let [left, right] = pixels(at.map(|[x, _]| x), self.clip.left, self.clip.right);
        let [top, bottom] = pixels(at.map(|[_, y]| y), self.clip.top, self.clip.bottom);
        for y in top..bottom {
            let mut columns = [left, right];
            for edge in edges {
                edge.narrow(y * STEPS + STEPS / 2, &mut columns);
            }
            if columns[0] < columns[1] {
                self.row(y, columns, &fill, texture);
            }
        }
    }

    fn row(&mut self, y: i64, [left, right]: [i64; 2], fill: &Fill, texture: &Texture) {
        let start = y as usize * self.picture.size[0];
        let pixels = &mut self.picture.pixels[start + left as usize..start + right as usize];
        match fill {
            Fill::Solid(color) if color.a() == u8::MAX => pixels.fill(*color),
            Fill::Solid(color) => pixels.iter_mut().for_each(|pixel| *pixel = over(*color, *pixel)),
            Fill::Varying(varying) => {
                for (pixel, x) in pixels.iter_mut().zip(left..) {
                    *pixel = over(varying.at(x, y, texture), *pixel);
                }
            }
        }
    }
}

/// First and past-the-last pixel whose centres can lie between three coordinates, within the clip.
fn pixels([a, b, c]: [i64; 3], from: i32, to: i32) -> [i64; 2] {
    let pixel = |step: i64| (step + STEPS / 2 - 1).div_euclid(STEPS);
    [pixel(a.min(b).min(c)).max(i64::from(from)), (pixel(a.max(b).max(c)) + 1).min(i64::from(to))]
}

fn slope(origin: [i64; 2], edges: &[Edge; 3], area: i64) -> Slope {
    let per_pixel = STEPS as f32 / area as f32;
    let weight = |edge: Edge| [edge.a as f32 * per_pixel, edge.b as f32 * per_pixel];
    Slope { origin: origin.map(|steps| steps as f32 / STEPS as f32), second: weight(edges[1]), third: weight(edges[2]) }
}

fn fill(corners: &[Vertex; 3], texture: &Texture, slope: impl FnOnce() -> Slope) -> Fill {
    let [a, b, c] = corners;
    let one_color = a.color == b.color && b.color == c.color;
    let one_texel = a.uv == b.uv && b.uv == c.uv;
    let texel = texture.nearest(a.uv.x, a.uv.y);
    if one_color && one_texel {
        return Fill::Solid(times(a.color, texel));
    }
    let slope = slope();
    let channel = |n: usize| slope.plane([a, b, c].map(|corner| f32::from(corner.color[n])));
    let channels = (!one_color).then(|| std::array::from_fn(channel));
    let axis = |n: usize| slope.plane([a, b, c].map(|corner| corner.uv[n]));
    let uv = (!one_texel).then(|| std::array::from_fn(axis));
    Fill::Varying(Varying { slope, color: a.color, channels, texel, uv })
}

/// `a · b / 255`, rounded to nearest.
fn scaled(a: u8, b: u8) -> u8 {
    let product = u32::from(a) * u32::from(b) + 128;
    ((product + (product >> 8)) >> 8) as u8
}

/// Vertex colour times texel.
fn times(color: Color32, texel: Color32) -> Color32 {
    if texel == Color32::WHITE {
        return color;
    }
    let [r, g, b, a] = std::array::from_fn(|n| scaled(color[n], texel[n]));
    Color32::from_rgba_premultiplied(r, g, b, a)
}

/// Premultiplied blending in gamma space, as egui's own back ends do it.
fn over(color: Color32, ground: Color32) -> Color32 {
    let through = u8::MAX - color.a();
    let [r, g, b, a] = std::array::from_fn(|n| color[n].saturating_add(scaled(ground[n], through)));
    Color32::from_rgba_premultiplied(r, g, b, a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: the integer division by 255 rounds to nearest for every pair of bytes.
    #[test]
    fn byte_products_are_rounded_exactly() {
        for a in 0..=u8::MAX {
            for b in 0..=u8::MAX {
                let exact = (f64::from(a) * f64::from(b) / 255.0).round() as u8;
                assert_eq!(scaled(a, b), exact);
            }
        }
    }
}
