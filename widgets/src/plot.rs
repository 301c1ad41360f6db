//! One value over time as a line: gaps stay gaps, the axis is the clock.

use egui::{Response, Role, TextStyle, Ui, WidgetInfo};
use egui_plot::{GridMark, Line, Plot, PlotPoints};

use crate::theme::{Tokens, Type, size};

/// A value over time.
pub struct History<'a> {
    /// What is shown, for screen readers.
    pub name: &'a str,
    /// One value per step, oldest first; absent where nothing was heard.
    pub values: &'a [Option<f32>],
    /// Moment of the first value, in seconds of local time.
    pub first_s: i64,
    /// Seconds from one value to the next.
    pub step_s: i64,
    /// Lowest and highest value of the axis.
    pub range: [f32; 2],
    /// A value as text, with its unit.
    pub text: &'a dyn Fn(f32) -> String,
}

/// Seconds between two times on the axis.
const HOUR_S: f64 = 3600.0;

impl History<'_> {
    /// Shows the line, as wide as there is room and `height` points high. Wheel and drags are left to the pane.
    pub fn show(&self, ui: &mut Ui, height: f32) -> Response {
        let tokens = Tokens::of(ui.ctx());
        let first = self.first_s as f64;
        let last = (self.first_s + self.step_s * self.values.len() as i64) as f64;
        let [low, high] = self.range.map(f64::from);
        let plot = still(self.name, height, &tokens)
            .x_grid_spacer(|input| hours(input.bounds.0, input.bounds.1))
            .y_grid_spacer(move |_| [low, f64::midpoint(low, high), high].map(|value| mark(value, high - low)).to_vec())
            .x_axis_formatter(|at, _| clock(at.value))
            .y_axis_formatter(|at, _| (self.text)(at.value as f32))
            .default_x_bounds(first, last)
            .default_y_bounds(low, high);
        let runs = self.runs();
        ui.style_mut().text_styles.insert(TextStyle::Body, Type::Caption.font());
        let response = plot
            .show(ui, |plot_ui| {
                // The plot remembers bounds by its name; these move with every sample.
                plot_ui.set_plot_bounds_x(first..=last);
                plot_ui.set_plot_bounds_y(low..=high);
                for run in runs {
                    let line =
                        Line::new(self.name, PlotPoints::from(run)).color(tokens.accent).width(size::STROKE_DATA);
                    plot_ui.line(line.allow_hover(false));
                }
            })
            .response;
        let newest = self.values.last().copied().flatten().map_or_else(|| "no data".to_owned(), self.text);
        response.widget_info(|| WidgetInfo::labeled(Role::Figure, true, format!("{}, now {newest}", self.name)));
        response
    }

    /// Stretches without a gap, as points of time and value.
    fn runs(&self) -> Vec<Vec<[f64; 2]>> {
        let mut runs: Vec<Vec<[f64; 2]>> = vec![Vec::new()];
        for (index, value) in self.values.iter().enumerate() {
            let at = (self.first_s + self.step_s * index as i64) as f64;
            match (value, runs.last_mut()) {
                (Some(value), Some(run)) => run.push([at, f64::from(*value)]),
                (None, Some(run)) if !run.is_empty() => runs.push(Vec::new()),
                _ => {}
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }
}

/// A plot of this height whose bounds are given: wheel and drags are left to the pane.
pub(crate) fn still<'a>(name: &str, height: f32, tokens: &Tokens) -> Plot<'a> {
    Plot::new(name)
        .height(height)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .show_background(false)
        .show_grid(true)
        .grid_color(tokens.line1)
        .y_axis_min_width(36.0)
        .label_formatter(|_| None)
}

fn mark(value: f64, step_size: f64) -> GridMark {
    GridMark { value, step_size: step_size.max(f64::MIN_POSITIVE) }
}

/// Every second full hour inside the bounds.
fn hours(from: f64, to: f64) -> Vec<GridMark> {
    let step = 2.0 * HOUR_S;
    let mut at = (from / step).ceil() * step;
    let mut marks = Vec::new();
    while at <= to && marks.len() < 24 {
        marks.push(mark(at, step));
        at += step;
    }
    marks
}

fn clock(second: f64) -> String {
    let minutes = (second / 60.0).round() as i64;
    format!("{:02}:{:02}", minutes.div_euclid(60).rem_euclid(24), minutes.rem_euclid(60))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: a line is never drawn across a gap, and never down to zero in it.
    #[test]
    fn a_gap_ends_a_line_and_begins_another() {
        let values = [None, Some(1.0), Some(2.0), None, None, Some(3.0), None];
        let history = History {
            name: "duty",
            values: &values,
            first_s: 0,
            step_s: 60,
            range: [0.0, 4.0],
            text: &|v| v.to_string(),
        };
        assert_eq!(history.runs(), [vec![[60.0, 1.0], [120.0, 2.0]], vec![[300.0, 3.0]]]);
    }

    #[test]
    fn hours_lie_inside_the_bounds_and_the_clock_turns_at_midnight() {
        let marks = hours(7100.0, 22_000.0);
        assert_eq!(marks.iter().map(|mark| mark.value).collect::<Vec<_>>(), [7200.0, 14_400.0, 21_600.0]);
        assert_eq!(clock(86_400.0 + 7_200.0), "02:00");
    }
}
