//! The box that a cube or chip is drawn as: eight corners, three visible faces.

use egui::{Pos2, Vec2};

use crate::camera::{Projection, inside};

/// A box seen from the camera. All boxes of one size have the same shape on screen, only elsewhere.
#[derive(Debug, Clone, Copy)]
pub(super) struct Brick {
    /// Corners relative to the cell's origin; bit 0 of the index is x, bit 1 y, bit 2 z.
    corners: [Vec2; 8],
    /// For each axis, the corners of its visible face, in order around it.
    faces: [[usize; 4]; 3],
    /// Middle relative to the cell's origin.
    pub middle: Vec2,
    /// Square of the distance from the middle to the farthest corner.
    reach_sq: f32,
}

impl Brick {
    /// The box from `low` to `high`, in cells.
    pub(super) fn new(projection: &Projection, low: [f32; 3], high: [f32; 3]) -> Self {
        let mut corners = [Vec2::ZERO; 8];
        for (i, corner) in corners.iter_mut().enumerate() {
            let pick = |axis: usize| if i >> axis & 1 == 1 { high[axis] } else { low[axis] };
            *corner = projection.vector([pick(0), pick(1), pick(2)]);
        }
        let faces = [0, 1, 2].map(|axis| {
            let base = usize::from(projection.sees_far_end(axis)) << axis;
            let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            [base, base | u, base | u | v, base | v]
        });
        let middle = (corners[0] + corners[7]) * 0.5;
        let reach_sq = corners.iter().map(|&corner| (corner - middle).length_sq()).fold(0.0, f32::max);
        Self { corners, faces, middle, reach_sq }
    }

    /// The visible face of an axis for a cell whose origin lands at `origin`.
    pub(super) fn face(&self, origin: Pos2, axis: usize) -> [Pos2; 4] {
        self.faces[axis].map(|corner| origin + self.corners[corner])
    }

    /// Whether a point lies on the drawn box.
    pub(super) fn covers(&self, origin: Pos2, p: Pos2) -> bool {
        (p - origin - self.middle).length_sq() <= self.reach_sq
            && (0..3).any(|axis| inside(&self.face(origin, axis), p))
    }
}

/// A point of a face: from its first corner `u` of the way to the second and `v` of the way to the fourth.
pub(super) fn on_face(face: &[Pos2; 4], u: f32, v: f32) -> Pos2 {
    face[0] + (face[1] - face[0]) * u + (face[3] - face[0]) * v
}
