//! A line with a band around it, for strips above maps and inside cards.

use egui::{Mesh, Painter, Pos2, Rangef, Rect, Shape, Stroke, pos2};

use crate::colormap::Range;
use crate::theme::{Tokens, translucent};

/// How strongly a band covers a busy ground.
const BAND: f32 = 0.25;

/// Values at even steps; gaps stay gaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strip<'a> {
    /// The line; absent where nothing is known.
    pub line: &'a [Option<f32>],
    /// Lower and upper edge of the band for each value of the line; may be empty.
    pub band: &'a [Option<[f32; 2]>],
    /// Values at the bottom and the top.
    pub range: Range,
}

impl Strip<'_> {
    /// Draws the strip into `area`. The first step begins at `steps.min`, the last ends at `steps.max`, in points.
    pub fn paint(&self, painter: &Painter, area: Rect, steps: Rangef, tokens: &Tokens) {
        let step = steps.span() / self.line.len().max(1) as f32;
        let x = |n: usize| steps.min + (n as f32 + 0.5) * step;
        let y = |value: f32| area.bottom() - self.range.fraction(value) * area.height();
        let band: Vec<Option<[Pos2; 2]>> =
            self.band.iter().enumerate().map(|(n, ends)| ends.map(|ends| ends.map(|end| pos2(x(n), y(end))))).collect();
        let mut mesh = Mesh::default();
        let color = translucent(tokens.accent, BAND);
        for pair in band.windows(2) {
            if let [Some([a, b]), Some([c, d])] = *pair {
                let n = mesh.vertices.len() as u32;
                for p in [a, b, c, d] {
                    mesh.colored_vertex(p, color);
                }
                mesh.add_triangle(n, n + 1, n + 2);
                mesh.add_triangle(n + 1, n + 2, n + 3);
            }
        }
        painter.add(mesh);
        let points = self.line.iter().enumerate().map(|(n, value)| value.map(|value| pos2(x(n), y(value))));
        for run in runs(points) {
            painter.add(Shape::line(run, Stroke::new(1.5, tokens.accent)));
        }
    }
}

/// Stretches without gaps.
fn runs(points: impl Iterator<Item = Option<Pos2>>) -> Vec<Vec<Pos2>> {
    let mut runs = vec![Vec::new()];
    for point in points {
        match (point, runs.last_mut()) {
            (Some(point), Some(run)) => run.push(point),
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| run.len() > 1);
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: a line never bridges a gap, and a lone value draws no line.
    #[test]
    fn gaps_stay_gaps() {
        let p = |x: f32| Some(pos2(x, 0.0));
        let found = runs([p(0.0), p(1.0), None, None, p(4.0), None, p(6.0), p(7.0), p(8.0)].into_iter());
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [2, 3]);
    }
}
