//! Connectors between bars: only horizontal and vertical lines.

use std::collections::BTreeMap;

use egui::{Color32, Pos2, Rect, Shape, Stroke, pos2, vec2};

use super::Canvas;
use super::layout::{ROW, Row, dates};
use super::model::{Arrives, Link};

impl Canvas<'_> {
    /// All connectors, those of the critical path on top.
    pub(super) fn links(&self) {
        let ordered = [false, true].into_iter().flat_map(|critical| {
            self.model.links.iter().filter(move |link| (link.critical && self.model.show_critical) == critical)
        });
        let bars = self.bars_by_item();
        let body = self.layout.body.y_range();
        for link in ordered {
            if let (Some(from), Some(to)) = (bars.get(&link.from), bars.get(&link.to)) {
                // A connector between two bars above the view, or below it, cannot be seen.
                if from.union(*to).y_range().intersects(body) {
                    self.link(link, *from, *to);
                }
            }
        }
    }

    /// The bars of all items whose lane is open.
    fn bars_by_item(&self) -> BTreeMap<u64, Rect> {
        let bar = |&(row, top): &(Row, f32)| {
            let Row::Item(lane, n) = row else { return None };
            let item = self.model.lanes.get(lane)?.items.get(n)?;
            Some((item.id, self.layout.bar(dates(item, self.preview.as_ref()), top + ROW / 2.0)))
        };
        self.layout.rows.iter().filter_map(bar).collect()
    }

    fn link(&self, link: &Link, from: Rect, to: Rect) {
        let critical = link.critical && self.model.show_critical;
        let (color, width) = if critical { (self.tokens.text1, 1.75) } else { (self.tokens.line3, 1.0) };
        let (points, direction) = match link.arrives {
            Arrives::Start => to_start(from, to),
            Arrives::End => to_end(from, to),
        };
        if let Some(&tip) = points.last() {
            self.chart.add(Shape::line(points, Stroke::new(width, color)));
            arrow(self.chart, tip, direction, color);
        }
    }
}

/// From the end of one bar to the start of another; around the start where it lies before the end.
fn to_start(from: Rect, to: Rect) -> (Vec<Pos2>, egui::Vec2) {
    let (a, b) = (from.right_center(), to.left_center());
    let (out, into) = (a.x + 8.0, b.x - 5.0);
    let points = if into - 4.0 >= out {
        vec![a, pos2(out, a.y), pos2(out, b.y), pos2(into, b.y)]
    } else {
        let between = if b.y > a.y { b.y - 15.5 } else { b.y + 15.5 };
        let before = into - 6.0;
        vec![a, pos2(out, a.y), pos2(out, between), pos2(before, between), pos2(before, b.y), pos2(into, b.y)]
    };
    (points, vec2(1.0, 0.0))
}

/// From the end of one bar to the end of another, arriving from above or below.
fn to_end(from: Rect, to: Rect) -> (Vec<Pos2>, egui::Vec2) {
    let a = from.right_center();
    let x = to.right() - 4.0;
    let up = to.center().y < a.y;
    let y = if up { to.bottom() + 8.0 } else { to.top() - 8.0 };
    (vec![a, pos2(x, a.y), pos2(x, y)], vec2(0.0, if up { -1.0 } else { 1.0 }))
}

fn arrow(painter: &egui::Painter, from: Pos2, direction: egui::Vec2, color: Color32) {
    let across = vec2(direction.y, direction.x) * 4.0;
    let tip = from + direction * 5.0;
    painter.add(Shape::convex_polygon(vec![from - across, tip, from + across], color, Stroke::NONE));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: connectors turn only at right angles, also where the waiting bar begins before the other ends.
    #[test]
    fn connectors_are_orthogonal() {
        let bar = |x: f32, y: f32| Rect::from_min_size(pos2(x, y), vec2(80.0, 13.0));
        for to in [bar(200.0, 64.0), bar(40.0, 64.0), bar(40.0, -64.0), bar(84.0, 32.0)] {
            for (points, _) in [to_start(bar(0.0, 0.0), to), to_end(bar(0.0, 0.0), to)] {
                for pair in points.windows(2) {
                    assert!(pair[0].x == pair[1].x || pair[0].y == pair[1].y, "{points:?}");
                }
            }
        }
    }
}
