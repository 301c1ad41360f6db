//! Orthographic camera that orbits a lattice, and the projection it gives.
//!
//! Lattice axes: x runs right and down on the screen, y left and down, z up. Sines and cosines come
//! from `libm`, so a picture has the same pixels on every machine.

use egui::{Pos2, Rect, Vec2, vec2};
use serde::{Deserialize, Serialize};

/// A point of the lattice, in cells along x, y and z.
pub type Point = [f32; 3];

/// Layers are drawn at 0.8 of their true distance: the pod stays wider than high, which leaves room for labels.
const HEIGHT: f32 = 0.8;
/// Pitch stays between 10° and 80°, so that no face of a cube ever vanishes.
const PITCH: [f32; 2] = [10.0 * DEGREE, 80.0 * DEGREE];
const DEGREE: f32 = std::f32::consts::PI / 180.0;
/// Least and greatest zoom; 1 shows the whole pod.
const ZOOM: [f32; 2] = [0.4, 40.0];
/// Radians of orbit per point of drag.
const ORBIT: f32 = 0.008;
/// Room left around a pod at zoom 1, in points: sides, above, below.
const MARGIN: [f32; 3] = [96.0, 24.0, 44.0];

/// Where a torus is looked at from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Camera {
    /// Turn about the vertical axis, in radians.
    pub yaw: f32,
    /// Height of the eye above the horizon, in radians, from 10° to 80°.
    pub pitch: f32,
    /// Magnification; 1 shows the whole pod.
    pub zoom: f32,
    /// Shift of the picture in points.
    pub pan: [f32; 2],
}

impl Default for Camera {
    /// The home view of the style guide, section 8: about (50, 26.5), (−62, 20.5) and (0, −58) points per cube.
    fn default() -> Self {
        Self { yaw: 51.1 * DEGREE, pitch: 24.6 * DEGREE, zoom: 1.0, pan: [0.0; 2] }
    }
}

impl Camera {
    /// Turns by a drag in points; what is in front follows the pointer.
    pub fn orbit(&mut self, drag: Vec2) {
        let turn = std::f32::consts::TAU;
        self.yaw = (self.yaw - drag.x * ORBIT).rem_euclid(turn);
        self.pitch = (self.pitch + drag.y * ORBIT).clamp(PITCH[0], PITCH[1]);
    }

    /// Magnifies by `factor` and keeps what lies under `pointer` there. `rect` is where the scene is drawn.
    pub fn zoom_at(&mut self, factor: f32, pointer: Pos2, rect: Rect) {
        let zoom = (self.zoom * factor).clamp(ZOOM[0], ZOOM[1]);
        let from_middle = pointer - middle_of(rect);
        self.pan = (from_middle - (from_middle - Vec2::from(self.pan)) * (zoom / self.zoom)).into();
        self.zoom = zoom;
    }

    /// The projection of a lattice of `cells` along x, y and z into `rect`.
    pub fn projection(&self, cells: [u16; 3], rect: Rect) -> Projection {
        let size = cells.map(f32::from);
        let scale = fit(size, rect) * self.zoom;
        let [x, y, z] = screen_axes(self.yaw, self.pitch).map(|axis| axis * scale);
        let middle = (x * size[0] + y * size[1] + z * size[2]) * 0.5;
        let origin = middle_of(rect) + Vec2::from(self.pan) - middle;
        let (sin_yaw, cos_yaw) = libm::sincosf(self.yaw);
        let (sin_pitch, cos_pitch) = libm::sincosf(self.pitch);
        let toward = [sin_yaw * cos_pitch, cos_yaw * cos_pitch, sin_pitch * HEIGHT];
        Projection { axes: [x, y, z], origin, toward, scale }
    }
}

/// Screen vectors of the three axes for one point per cell.
fn screen_axes(yaw: f32, pitch: f32) -> [Vec2; 3] {
    let (sin_yaw, cos_yaw) = libm::sincosf(yaw);
    let (sin_pitch, cos_pitch) = libm::sincosf(pitch);
    [vec2(cos_yaw, sin_yaw * sin_pitch), vec2(-sin_yaw, cos_yaw * sin_pitch), vec2(0.0, -cos_pitch * HEIGHT)]
}

/// Where the middle of the pod stands at home: a little high, for the labels below it.
fn middle_of(rect: Rect) -> Pos2 {
    rect.center() + vec2(0.0, (MARGIN[1] - MARGIN[2]) * 0.5)
}

/// Points per cell with which the home view of the lattice fills `rect`; orbiting does not change it.
fn fit(size: [f32; 3], rect: Rect) -> f32 {
    let home = Camera::default();
    let axes = screen_axes(home.yaw, home.pitch);
    let extent = axes.iter().zip(size).fold(Vec2::ZERO, |sum, (axis, n)| sum + axis.abs() * n);
    let room = rect.size() - vec2(MARGIN[0] * 2.0, MARGIN[1] + MARGIN[2]);
    (room.x / extent.x).min(room.y / extent.y).max(1.0)
}

/// How lattice points land on the screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Projection {
    /// Screen vectors of one cell along x, y and z, in points.
    pub axes: [Vec2; 3],
    /// Where the lattice point 0 0 0 lands.
    pub origin: Pos2,
    /// Direction from the lattice to the eye; its signs say which faces are seen.
    pub toward: Point,
    /// Points per cell on a line across the view.
    pub scale: f32,
}

impl Projection {
    /// Where a lattice point lands.
    pub fn at(&self, [x, y, z]: Point) -> Pos2 {
        self.origin + self.vector([x, y, z])
    }

    /// The screen vector of a lattice vector.
    pub fn vector(&self, [x, y, z]: Point) -> Vec2 {
        self.axes[0] * x + self.axes[1] * y + self.axes[2] * z
    }

    /// How near to the eye a point is: greater is nearer.
    pub fn nearness(&self, [x, y, z]: Point) -> f32 {
        self.toward[0] * x + self.toward[1] * y + self.toward[2] * z
    }

    /// Whether the face with the greater coordinate along `axis` (0, 1 or 2) is the one that is seen.
    pub fn sees_far_end(&self, axis: usize) -> bool {
        self.toward[axis] >= 0.0
    }

    /// The point with coordinate `value` along `axis` that lands at `pos`; `None` if that plane is seen edge on.
    pub fn back(&self, pos: Pos2, axis: usize, value: f32) -> Option<Point> {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (a, b) = (self.axes[u], self.axes[v]);
        let target = pos - self.origin - self.axes[axis] * value;
        let det = a.x * b.y - a.y * b.x;
        if det.abs() < 1e-4 {
            return None;
        }
        let mut point = [0.0; 3];
        point[axis] = value;
        point[u] = (target.x * b.y - target.y * b.x) / det;
        point[v] = (a.x * target.y - a.y * target.x) / det;
        Some(point)
    }

    /// Order in which to walk `n` cells along an axis so that far cells come first.
    pub fn far_first(&self, axis: usize, n: u16) -> Box<dyn Iterator<Item = u16>> {
        if self.sees_far_end(axis) { Box::new(0..n) } else { Box::new((0..n).rev()) }
    }
}

/// Whether `p` lies inside a convex polygon.
pub fn inside(polygon: &[Pos2], p: Pos2) -> bool {
    let mut signs = [false; 2];
    for (i, a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        let side = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
        signs[usize::from(side > 0.0)] |= side != 0.0;
    }
    !(signs[0] && signs[1])
}

#[cfg(test)]
mod tests {
    use egui::pos2;

    use super::*;

    const SCENE: Rect = Rect { min: pos2(0.0, 0.0), max: pos2(988.0, 636.0) };

    #[test]
    fn the_home_view_is_the_one_of_the_style_guide() {
        let projection = Camera::default().projection([4, 6, 6], SCENE);
        let wanted = [vec2(50.0, 26.5), vec2(-62.0, 20.5), vec2(0.0, -58.0)];
        for (axis, wanted) in projection.axes.iter().zip(wanted) {
            assert!((*axis - wanted).length() < 2.5, "{axis:?} instead of {wanted:?}");
        }
    }

    #[test]
    fn projection_and_its_inverse_agree_from_every_side() {
        for step in 0..24 {
            let camera =
                Camera { yaw: step as f32 * 0.26 + 0.05, pitch: 0.3 + step as f32 * 0.02, ..Camera::default() };
            let projection = camera.projection([4, 6, 6], SCENE);
            for axis in 0..3 {
                let point = [1.5, 2.25, 3.75];
                let back = projection.back(projection.at(point), axis, point[axis]).unwrap();
                for (a, b) in back.iter().zip(point) {
                    assert!((a - b).abs() < 1e-3, "{back:?} instead of {point:?}");
                }
            }
        }
    }

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let mut camera = Camera::default();
        let pointer = pos2(700.0, 200.0);
        let before = camera.projection([4, 6, 6], SCENE).back(pointer, 2, 3.0).unwrap();
        camera.zoom_at(3.0, pointer, SCENE);
        let after = camera.projection([4, 6, 6], SCENE).at(before);
        assert!((after - pointer).length() < 0.1, "{after:?}");
    }

    #[test]
    fn pitch_stays_between_10_and_80_degrees() {
        let mut camera = Camera::default();
        camera.orbit(vec2(0.0, 1e6));
        assert!((camera.pitch / DEGREE - 80.0).abs() < 1e-3);
        camera.orbit(vec2(0.0, -1e6));
        assert!((camera.pitch / DEGREE - 10.0).abs() < 1e-3);
    }
}
