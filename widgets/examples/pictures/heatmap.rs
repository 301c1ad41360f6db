//! The lower half of the Live view, and a legend with its histogram.

use egui::{Ui, vec2};
use widgets::colormap::Map;
use widgets::heatmap::{Alert, Gravity, Group, Heatmap, HeatmapState, Mark, MeanStrip, Tick, show};
use widgets::legend::{Histogram, Legend, Scale, histogram};

const COLUMNS: usize = 360;
const ROWS: usize = 64;

fn noise(n: usize) -> f32 {
    let mixed = (n as u32).wrapping_mul(0x9E37_79B9) ^ (n as u32 >> 7).wrapping_mul(0x85EB_CA6B);
    (mixed >> 8) as f32 / (1 << 24) as f32 - 0.5
}

fn value(row: usize, minute: usize) -> Option<f32> {
    if (210..214).contains(&minute) || row == 23 && (263..297).contains(&minute) {
        return None;
    }
    let base = match minute {
        170..=178 => 0.015,
        179..=183 => 0.18 + 0.09 * (minute - 179) as f32,
        _ if minute % 60 == 38 => 0.42,
        _ if minute % 60 == 39 => 0.5,
        _ => 0.655,
    };
    let slow = if row == 54 && minute >= 322 { -0.25 } else { 0.0 };
    Some((base + slow + noise(row * 977) * 0.02 + noise(row * COLUMNS + minute) * 0.05).clamp(0.0, 1.0))
}

pub(crate) fn time_by_cube(ui: &mut Ui) {
    let values: Vec<Option<f32>> =
        (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |minute| value(row, minute))).collect();
    let column = |minute: usize| {
        let mut present: Vec<f32> = (0..ROWS).filter_map(|row| values[row * COLUMNS + minute]).collect();
        present.sort_by(f32::total_cmp);
        present
    };
    let mean = MeanStrip {
        mean: (0..COLUMNS)
            .map(|minute| {
                let present = column(minute);
                (!present.is_empty()).then(|| present.iter().sum::<f32>() / present.len() as f32)
            })
            .collect(),
        band: (0..COLUMNS).map(|minute| Some([*column(minute).get(2)?, *column(minute).get(61)?])).collect(),
        axis: [(0.0, "0 %".to_owned()), (0.8, "80 %".to_owned())],
    };
    let alert = |column, gravity, label: &str| Alert { column, gravity, label: label.to_owned() };
    let model = Heatmap {
        name: "tensor core utilization by cube".to_owned(),
        columns: COLUMNS,
        rows: ROWS,
        scale: Scale::new(Map::Viridis, 0.2, 0.9),
        row_names: (0..ROWS).map(|n| format!("{}·{}·{}", n % 4, n / 4 % 4, n / 16)).collect(),
        groups: (0..4).map(|z| Group { label: format!("z {}–{}", z * 4, z * 4 + 3), rows: 16 }).collect(),
        row_title: "cube, torus order".to_owned(),
        mean: Some(mean),
        ticks: (0..6).map(|n| Tick { column: 18.0 + 60.0 * n as f32, label: format!("0{}:00", 5 + n) }).collect(),
        alerts: vec![
            alert(170.0, Gravity::Warn, "job restart, 9 min"),
            alert(212.0, Gravity::Warn, "collector restart"),
            alert(263.0, Gravity::Warn, "16 hosts silent"),
            alert(322.0, Gravity::Crit, "link −x slow"),
        ],
        marks: vec![Mark { row: 54, columns: [322, 360], label: "2·1·3".to_owned(), alerting: true }],
        shared_hover: Some((339, 54)),
        values,
        revision: 1,
    };
    show(ui, &model, &mut HeatmapState::default());
}

pub(crate) fn legend(ui: &mut Ui) {
    let legend = Legend {
        title: "core utilization".to_owned(),
        scale: Scale::new(Map::Viridis, 0.2, 0.9),
        full: [0.0, 1.0],
        ends: ["20 %".to_owned(), "90 %".to_owned()],
        fit: Some([0.3, 0.8]),
        missing: Some("16 chips missing".to_owned()),
    };
    let bins = (0..40).map(|n| match n {
        12..=19 => 40 - (n - 15_i32).pow(2) * 2,
        20..=30 => 800 - (n - 25_i32).pow(2) * 30,
        _ => 0,
    });
    let counts = Histogram {
        bins: bins.map(|n| n.max(0).unsigned_abs()).collect(),
        missing: 16,
        mark: Some((0.641, "median 64.1 %".to_owned())),
        ticks: vec![(0.0, "0 %".to_owned()), (0.5, "50 %".to_owned()), (1.0, "100 %".to_owned())],
    };
    ui.add_space(8.0);
    histogram(ui, &counts, &legend, vec2(280.0, 110.0));
    widgets::legend::show(ui, &legend, Some(280.0));
    ui.add_space(12.0);
    widgets::legend::show(ui, &legend, None);
}
