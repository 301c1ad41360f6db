//! Two measures of several choices against each other, both better the smaller they are, with the front that no other
//! choice beats.

use egui::{Align2, Role, TextStyle, Ui, WidgetInfo};
use egui_plot::{GridMark, Line, PlotPoint, PlotPoints, Points, Text};

use crate::format;
use crate::plot::still;
use crate::theme::{Tokens, Type, size, text};
use crate::ticks;

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Tradeoff {
    /// What is shown, for the accessible description, such as "cost against time of 4 scenarios".
    pub name: String,
    /// The measure to the right with its unit, such as "Time, ms".
    pub x_name: String,
    /// The measure upwards with its unit, such as "Cost of a million, $".
    pub y_name: String,
    /// The choices.
    pub points: Vec<Point>,
    /// The choice that the rest of the view shows.
    pub chosen: Option<usize>,
}

/// One choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// In the unit of [`Tradeoff::x_name`].
    pub x: f64,
    /// In the unit of [`Tradeoff::y_name`].
    pub y: f64,
}

/// Points of the picture from the pointer at which a choice is hit.
const REACH: f32 = 14.0;
/// Round values on an axis.
const MOST_MARKS: usize = 5;
/// Longest name beside a point, in characters.
const NAME: usize = 22;

impl Tradeoff {
    /// The choices that no other beats in one measure without losing in the other, by rising x. Of equal choices the
    /// first stands for all. O(n log n).
    pub fn front(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        let place = |n: usize| (self.points[n].x, self.points[n].y);
        order.sort_by(|a, b| {
            let (a, b) = (place(*a), place(*b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        let mut least = f64::INFINITY;
        order.retain(|n| {
            let is_less = self.points[*n].y < least;
            least = least.min(self.points[*n].y);
            is_less
        });
        order
    }

    /// From a bit below the smallest to a bit above the largest, with room for names.
    fn bounds(&self, of: fn(&Point) -> f64) -> [f64; 2] {
        let values = self.points.iter().map(of);
        let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let room = ((high - low) * 0.25).max(high * 0.08).max(f64::MIN_POSITIVE);
        [(low - room).max(0.0), high + room]
    }

    /// Draws it as wide as there is room and `height` points high; gives the choice that was clicked.
    pub fn show(&self, ui: &mut Ui, height: f32) -> Option<usize> {
        let tokens = Tokens::of(ui.ctx());
        let front = self.front();
        let [left, right] = self.bounds(|point| point.x);
        let [bottom, top] = self.bounds(|point| point.y);
        ui.label(text(Type::Caption, &self.y_name).color(tokens.text2));
        ui.style_mut().text_styles.insert(TextStyle::Body, Type::Caption.font());
        let output = still(&self.name, height, &tokens)
            .show_crosshair(false)
            .x_grid_spacer(move |_| marks(left, right))
            .y_grid_spacer(move |_| marks(bottom, top))
            .x_axis_formatter(|at, _| format::number(at.value))
            .y_axis_formatter(|at, _| format::number(at.value))
            .show(ui, |plot| {
                plot.set_plot_bounds_x(left..=right);
                plot.set_plot_bounds_y(bottom..=top);
                let corners: Vec<[f64; 2]> = front.iter().map(|n| [self.points[*n].x, self.points[*n].y]).collect();
                plot.line(
                    Line::new("front", PlotPoints::new(corners))
                        .color(tokens.text3)
                        .width(size::STROKE_LINE)
                        .allow_hover(false),
                );
                for (n, point) in self.points.iter().enumerate() {
                    self.draw(plot, (n, point), front.contains(&n), &tokens);
                }
                plot.pointer_coordinate().filter(|_| plot.response().clicked()).and_then(|at| {
                    let at = plot.screen_from_plot(at);
                    let far = |point: &Point| plot.screen_from_plot(PlotPoint::new(point.x, point.y)).distance(at);
                    let near =
                        (0..self.points.len()).min_by(|a, b| far(&self.points[*a]).total_cmp(&far(&self.points[*b])));
                    near.filter(|n| far(&self.points[*n]) <= REACH)
                })
            });
        ui.vertical_centered(|ui| ui.label(text(Type::Caption, &self.x_name).color(tokens.text2)));
        output.response.widget_info(|| WidgetInfo::labeled(Role::Image, true, self.described()));
        output.inner
    }

    fn draw(&self, plot: &mut egui_plot::PlotUi<'_>, (n, point): (usize, &Point), on_front: bool, tokens: &Tokens) {
        let is_chosen = self.chosen == Some(n);
        let color = match (is_chosen, on_front) {
            (true, _) => tokens.accent,
            (false, true) => tokens.text1,
            (false, false) => tokens.text3,
        };
        let radius = if is_chosen { 5.0 } else { 4.0 };
        // A choice on the front is a disc, any other a ring: the difference is not one of colour alone.
        let dot = Points::new(point.name.clone(), [point.x, point.y]).color(color).radius(radius).filled(on_front);
        plot.points(dot.allow_hover(false));
        let name: String = point.name.chars().take(NAME).collect();
        let name = if name.len() < point.name.len() { name + "…" } else { name };
        let [left, right] = self.bounds(|point| point.x);
        let is_right = point.x > f64::midpoint(left, right);
        // The chosen name hangs below its point, the others stand above theirs, so that neighbours stay readable.
        let (anchor, words) = match (is_right, is_chosen) {
            (true, true) => (Align2::RIGHT_TOP, name + "  "),
            (true, false) => (Align2::RIGHT_BOTTOM, name + "  "),
            (false, true) => (Align2::LEFT_TOP, format!("  {name}")),
            (false, false) => (Align2::LEFT_BOTTOM, format!("  {name}")),
        };
        let label =
            Text::new(point.name.clone(), PlotPoint::new(point.x, point.y), text(Type::Caption, words).color(color));
        plot.text(label.anchor(anchor).allow_hover(false));
    }

    /// All choices in words.
    fn described(&self) -> String {
        let front = self.front();
        let point = |(n, point): (usize, &Point)| {
            let mark = if front.contains(&n) { ", on the front" } else { "" };
            format!("{}: {} and {}{mark}", point.name, format::number(point.x), format::number(point.y))
        };
        let points: Vec<String> = self.points.iter().enumerate().map(point).collect();
        format!("{}, {} against {}. {}", self.name, self.y_name, self.x_name, points.join("; "))
    }
}

/// Round values of an axis.
fn marks(low: f64, high: f64) -> Vec<GridMark> {
    let step = ticks::step(high - low, MOST_MARKS);
    let all = step.into_iter().flat_map(|step| ticks::multiples(low, high, step).map(move |value| (value, step)));
    // A mark is labelled by how large its step is; these are all alike.
    all.map(|(value, step)| GridMark { value, step_size: step * 10.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(places: &[(u8, u8)]) -> Tradeoff {
        let point = |(n, (x, y)): (usize, &(u8, u8))| Point { name: n.to_string(), x: (*x).into(), y: (*y).into() };
        Tradeoff {
            name: "choices".to_owned(),
            x_name: "Time, s".to_owned(),
            y_name: "Cost, $".to_owned(),
            points: places.iter().enumerate().map(point).collect(),
            chosen: None,
        }
    }

    /// Protects the front, on every set of places of a 4x3 grid: no choice beats one of it, and every other is beaten by
    /// one of it.
    #[test]
    fn the_front_is_what_nothing_beats() {
        let beats = |a: (u8, u8), b: (u8, u8)| a.0 <= b.0 && a.1 <= b.1 && a != b;
        for set in 0..1_u32 << 12 {
            let chosen = (0..12_u8).filter(|n| set >> n & 1 == 1);
            let places: Vec<(u8, u8)> = chosen.map(|n| (n * 7 % 4, n * 5 % 12 / 4)).collect();
            let front = choices(&places).front();
            for (n, place) in places.iter().enumerate() {
                let is_beaten = places.iter().any(|other| beats(*other, *place));
                let is_double = places[..n].contains(place);
                assert_eq!(front.contains(&n), !is_beaten && !is_double, "{places:?}");
            }
        }
    }
}
