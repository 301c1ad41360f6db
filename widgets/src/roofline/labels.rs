//! Names beside points: none on another, none on a point, none across a roof.

use egui::{Pos2, Rect, Vec2, vec2};

/// Directions in which a name may stand, by preference.
const DIRECTIONS: [Vec2; 8] = [
    vec2(1.0, 0.0),
    vec2(-1.0, 0.0),
    vec2(0.7, 0.7),
    vec2(-0.7, 0.7),
    vec2(0.0, 1.0),
    vec2(0.0, -1.0),
    vec2(0.7, -0.7),
    vec2(-0.7, -0.7),
];
/// Distances from the edge of the point, in points; from the second on a line leads to the name.
const DISTANCES: [f32; 5] = [6.0, 20.0, 38.0, 60.0, 90.0];
/// Air around a name.
const AIR: f32 = 2.0;

/// What a name stands beside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Anchor {
    pub center: Pos2,
    pub radius: f32,
}

/// Where a name stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub rect: Rect,
    /// Ends of the line from the point to the name, where they stand apart.
    pub leader: Option<[Pos2; 2]>,
}

/// Keeps account of what is taken.
pub(super) struct Board<'a> {
    /// Names stay inside.
    pub bounds: Rect,
    /// Points that no name may cover.
    pub points: &'a [Anchor],
    /// Lines that no name may cross.
    pub lines: &'a [[Pos2; 2]],
    /// Names and other things that stand already.
    pub taken: Vec<Rect>,
    /// Lines that lead from points to names.
    pub leaders: Vec<[Pos2; 2]>,
}

impl Board<'_> {
    /// The best free place for a name of `size` beside a point; takes it.
    pub(super) fn place(&mut self, anchor: Anchor, size: Vec2) -> Option<Place> {
        let candidates = DISTANCES.iter().enumerate().flat_map(|(ring, distance)| {
            DIRECTIONS.iter().map(move |&direction| {
                let toward = anchor.center + direction * (anchor.radius + distance);
                let center = toward + vec2(sign(direction.x) * size.x, sign(direction.y) * size.y) * 0.5;
                let rect = Rect::from_center_size(center, size);
                let start = anchor.center + direction.normalized() * anchor.radius;
                Place { rect, leader: (ring > 0).then_some([start, toward]) }
            })
        });
        let found = candidates.into_iter().find(|place| self.is_free(place, anchor))?;
        self.taken.push(found.rect);
        self.leaders.extend(found.leader);
        Some(found)
    }

    /// The first of some places that is clear of points and of what stands already; takes it.
    pub(super) fn first_clear(&mut self, places: impl IntoIterator<Item = Rect>) -> Option<Rect> {
        let found = places.into_iter().find(|place| self.is_clear(*place))?;
        self.taken.push(found);
        Some(found)
    }

    fn is_clear(&self, rect: Rect) -> bool {
        let wide = rect.expand(AIR);
        self.bounds.contains_rect(rect)
            && self.taken.iter().all(|taken| !taken.intersects(wide))
            && self.points.iter().all(|point| wide.distance_to_pos(point.center) >= point.radius)
            && self.leaders.iter().all(|&leader| !crosses(wide, leader))
    }

    fn is_free(&self, place: &Place, own: Anchor) -> bool {
        let leads_clear = |line: [Pos2; 2]| {
            self.taken.iter().all(|&taken| !crosses(taken, line))
                && self.points.iter().all(|&point| point == own || distance(line, point.center) > point.radius + 1.0)
        };
        self.is_clear(place.rect)
            && self.lines.iter().all(|&line| !crosses(place.rect.expand(AIR), line))
            && place.leader.is_none_or(leads_clear)
    }
}

/// How far a point is from a line between two others.
fn distance([a, b]: [Pos2; 2], p: Pos2) -> f32 {
    let along = b - a;
    let share = ((p - a).dot(along) / along.length_sq().max(1e-6)).clamp(0.0, 1.0);
    (p - a - along * share).length()
}

fn sign(value: f32) -> f32 {
    if value.abs() < 0.1 { 0.0 } else { value.signum() }
}

/// Whether a line touches a rectangle.
fn crosses(rect: Rect, [a, b]: [Pos2; 2]) -> bool {
    // The part of the line whose x and y lie in the rectangle, as shares of its length.
    let (mut from, mut to) = (0.0_f32, 1.0_f32);
    for (start, end, range) in [(a.x, b.x, rect.x_range()), (a.y, b.y, rect.y_range())] {
        let length = end - start;
        if length.abs() < 1e-6 {
            if !range.contains(start) {
                return false;
            }
            continue;
        }
        let shares = [(range.min - start) / length, (range.max - start) / length];
        from = from.max(shares[0].min(shares[1]));
        to = to.min(shares[0].max(shares[1]));
    }
    from <= to
}

#[cfg(test)]
mod tests {
    use egui::pos2;

    use super::*;

    /// Protects: names lie neither on each other nor on points nor across roofs, and stay inside.
    #[test]
    fn names_keep_clear_of_everything() {
        let bounds = Rect::from_min_size(Pos2::ZERO, vec2(500.0, 400.0));
        let points: Vec<Anchor> = (0..24)
            .map(|n| Anchor { center: pos2(40.0 + (n * 83 % 420) as f32, 30.0 + (n * 59 % 340) as f32), radius: 6.0 })
            .collect();
        let lines = [[pos2(0.0, 400.0), pos2(300.0, 20.0)], [pos2(300.0, 20.0), pos2(500.0, 20.0)]];
        let mut board = Board { bounds, points: &points, lines: &lines, taken: Vec::new(), leaders: Vec::new() };
        let found: Vec<Place> = points.iter().filter_map(|&point| board.place(point, vec2(50.0, 14.0))).collect();
        assert!(found.len() >= 20, "only {} of 24 found room", found.len());
        for (n, place) in found.iter().enumerate() {
            assert!(bounds.contains_rect(place.rect));
            assert!(found[..n].iter().all(|other| !other.rect.intersects(place.rect)));
            assert!(points.iter().all(|point| place.rect.distance_to_pos(point.center) >= point.radius));
            assert!(lines.iter().all(|&line| !crosses(place.rect, line)));
            let others = found.iter().enumerate().filter(|(other, _)| *other != n);
            assert!(others.filter_map(|(_, other)| other.leader).all(|line| !crosses(place.rect, line)));
        }
    }

    /// Protects: a line counts as crossing when it ends inside, and not when only its extension would cross.
    #[test]
    fn a_line_crosses_where_it_is() {
        let rect = Rect::from_min_max(pos2(10.0, 10.0), pos2(20.0, 20.0));
        assert!(crosses(rect, [pos2(0.0, 0.0), pos2(15.0, 15.0)]));
        assert!(!crosses(rect, [pos2(0.0, 0.0), pos2(9.0, 9.0)]));
        assert!(crosses(rect, [pos2(15.0, 0.0), pos2(15.0, 30.0)]));
        assert!(!crosses(rect, [pos2(25.0, 0.0), pos2(25.0, 30.0)]));
    }
}
