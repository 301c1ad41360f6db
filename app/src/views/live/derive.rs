//! From the store of facts to the pictures of the Live view: pure, and the same for window and export.

use telemetry::metric::Unit as MetricUnit;
use telemetry::stats::{self, quantiles, summary};
use telemetry::straggler::{Rule, Straggler, stragglers};
use telemetry::{Metric, Store};
use topology::fleet::Pod;
use topology::shape::{Axis, Coord};
use widgets::heatmap::{Alert, Gravity, Group as RowGroup, Heatmap, Mark, MeanStrip, Tick};
use widgets::legend::{Histogram, Scale};
use widgets::planes::{Outline, OutlineKind, Planes, Tile};

use crate::clock::Now;
use crate::pod_map::{Group, PodMap, Unit};
use crate::text;
use crate::views::live::value_text;

/// What the pictures are made from.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// Facts.
    pub store: &'a Store,
    /// The pod that is shown.
    pub pod: &'a Pod,
    /// The same, indexed.
    pub map: &'a PodMap,
    /// Slice, by index into the pod's slices.
    pub slice: usize,
    /// What is shown.
    pub metric: Metric,
    /// The moment that is shown, in Unix seconds.
    pub at: i64,
    /// Length of the history in seconds.
    pub window_s: i64,
    /// Last moment of the history, which stays where it is while an earlier moment is held.
    pub until: i64,
    /// Colours and range.
    pub scale: Scale,
    /// For wall-clock texts.
    pub now: &'a Now,
    /// When a unit counts as a straggler.
    pub rule: Rule,
    /// Changes whenever anything above changes.
    pub revision: u64,
}

/// The newest frame of the source that is not older than one bucket.
fn frame<'a>(source: &Source<'a>) -> Option<telemetry::Frame<'a>> {
    source.store.frame(&source.pod.id, source.metric, source.at)
}

/// Values of the slice's chips now, in the slice's own row-major order.
pub fn values(source: &Source<'_>) -> Vec<Option<f32>> {
    let chips = source.map.slice_chips.get(source.slice).map_or(&[][..], Vec::as_slice);
    match frame(source) {
        Some(frame) => frame.of(chips).collect(),
        None => vec![None; chips.len()],
    }
}

/// Chips of the slice by torus position, one map per layer of `axis`, averaged over `group`.
pub fn planes(source: &Source<'_>, axis: Axis, group: Group, pinned: Option<Coord>) -> Planes {
    let Some(slice) = source.pod.slices.get(source.slice) else { return empty_planes(axis) };
    let mut values = values(source);
    if group != Group::Chip {
        spread_means(source, group, &mut values);
    }
    let cells = values.into_iter().map(|value| value.map_or(Tile::Missing, Tile::Value)).collect();
    let outlines = pinned.map(|at| Outline { at, size: [1, 1, 1], kind: OutlineKind::Selected });
    Planes {
        name: format!("{}, {}", slice.id, source.metric.name()),
        size: slice.shape.sizes3(),
        axis,
        step: 1,
        cells,
        scale: Some(source.scale),
        outlines: outlines.into_iter().collect(),
        shared_hover: None,
        revision: source.revision,
    }
}

fn empty_planes(axis: Axis) -> Planes {
    Planes {
        name: String::new(),
        size: [0; 3],
        axis,
        step: 1,
        cells: Vec::new(),
        scale: None,
        outlines: Vec::new(),
        shared_hover: None,
        revision: 0,
    }
}

/// Gives every chip of a unit the mean of those that reported.
fn spread_means(source: &Source<'_>, group: Group, values: &mut [Option<f32>]) {
    let Some(chips) = source.map.slice_chips.get(source.slice) else { return };
    let place: std::collections::BTreeMap<u32, usize> = chips.iter().enumerate().map(|(i, chip)| (*chip, i)).collect();
    for unit in source.map.units(source.pod, source.slice, group) {
        let places: Vec<usize> = unit.chips.iter().filter_map(|chip| place.get(chip).copied()).collect();
        let mean = summary(places.iter().map(|i| values[*i])).map(|summary| summary.mean as f32);
        for i in places {
            values[i] = mean;
        }
    }
}

/// How the rows of the time map are cut: cubes, hosts below 256 chips, chips below 32.
pub fn row_group(n_chips: usize) -> Group {
    match n_chips {
        0..=32 => Group::Chip,
        33..=256 => Group::Host,
        _ => Group::Cube,
    }
}

/// The units that the time map has as rows.
pub fn rows(source: &Source<'_>) -> Vec<Unit> {
    let n_chips = source.map.slice_chips.get(source.slice).map_or(0, Vec::len);
    source.map.units(source.pod, source.slice, row_group(n_chips))
}

/// Mean of each unit over time, with the mean of all above.
pub fn heatmap(source: &Source<'_>, units: &[Unit], alerts: Vec<Alert>) -> Heatmap {
    let step = i64::from(source.store.step_seconds());
    let from = source.until - source.window_s + step;
    let frames: Vec<_> = source.store.frames(&source.pod.id, source.metric, from, source.until).collect();
    let (columns, rows) = (frames.len(), units.len());
    let mut values = vec![None; columns * rows];
    let (mut mean, mut band) = (Vec::with_capacity(columns), Vec::with_capacity(columns));
    for (column, (_, frame)) in frames.iter().enumerate() {
        for (row, unit) in units.iter().enumerate() {
            let value = frame.as_ref().and_then(|frame| mean_of(frame, &unit.chips));
            values[row * columns + column] = value;
        }
        let column_values = || (0..rows).map(|row| values[row * columns + column]);
        mean.push(summary(column_values()).map(|summary| summary.mean as f32));
        band.push(quantiles(column_values(), [0.03, 0.97]).map(|[low, high]| [low as f32, high as f32]));
    }
    let first = frames.first().map_or(from, |(at, _)| *at);
    let all: Vec<Vec<u32>> = units.iter().map(|unit| unit.chips.clone()).collect();
    Heatmap {
        name: format!("{} by {}", source.metric.name(), unit_word(units)),
        columns,
        rows,
        values,
        scale: source.scale,
        row_names: units.iter().map(|unit| unit.name.clone()).collect(),
        groups: row_groups(units),
        row_title: format!("{}, torus order", unit_word(units)),
        mean: Some(MeanStrip { mean, band, axis: strip_axis(source.metric, source.scale) }),
        ticks: ticks(source.now, first, columns, step),
        alerts,
        marks: marks(source, &all, units, first, columns),
        shared_hover: held_column(source, first, columns),
        revision: source.revision,
    }
}

/// The column of the held moment; none while the newest is shown.
fn held_column(source: &Source<'_>, first: i64, columns: usize) -> Option<(usize, usize)> {
    let step = i64::from(source.store.step_seconds());
    let column = usize::try_from((source.at - first).div_euclid(step)).ok()?;
    (column + 1 < columns).then_some((column, 0))
}

fn mean_of(frame: &telemetry::Frame<'_>, chips: &[u32]) -> Option<f32> {
    let (mut sum, mut present) = (0.0_f32, 0_u32);
    for value in frame.of(chips).flatten() {
        sum += value;
        present += 1;
    }
    (present > 0).then(|| sum / present as f32)
}

fn unit_word(units: &[Unit]) -> &'static str {
    match units.first().map(|unit| unit.name.as_bytes().first().copied()) {
        Some(Some(b'C')) if units[0].chips.len() > 1 => "cube",
        Some(Some(b'H')) => "host",
        _ => "chip",
    }
}

fn strip_axis(metric: Metric, scale: Scale) -> [(f32, String); 2] {
    [0.0, scale.range.high].map(|value| (value, value_text(metric, value)))
}

/// Rows with the same z of their first chip belong together.
fn row_groups(units: &[Unit]) -> Vec<RowGroup> {
    let mut groups: Vec<(u16, RowGroup)> = Vec::new();
    for unit in units {
        match groups.last_mut() {
            Some((z, group)) if *z == unit.at.z => group.rows += 1,
            _ => groups.push((unit.at.z, RowGroup { label: String::new(), rows: 1 })),
        }
    }
    let starts: Vec<u16> = groups.iter().map(|(z, _)| *z).collect();
    let step = starts.get(1).map_or(4, |second| second - starts[0]);
    for (z, group) in &mut groups {
        group.label = if step > 1 { format!("z {z}–{}", *z + step - 1) } else { format!("z {z}") };
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// A text at each full hour, or at each tenth minute of a short history.
fn ticks(now: &Now, first: i64, columns: usize, step: i64) -> Vec<Tick> {
    let span = columns as i64 * step;
    let every = if span > 2 * 3600 { 3600 } else { 600 };
    let offset = i64::from(now.offset_s);
    let mut at = (first + offset).div_euclid(every) * every + every - offset;
    let mut ticks = Vec::new();
    while at < first + span {
        let label = now.clock_of(at);
        ticks.push(Tick { column: ((at - first) as f32) / step as f32, label: label[..5].to_owned() });
        at += every;
    }
    ticks
}

fn marks(source: &Source<'_>, all: &[Vec<u32>], units: &[Unit], first: i64, columns: usize) -> Vec<Mark> {
    let step = i64::from(source.store.step_seconds());
    lagging(source, all)
        .into_iter()
        .take(8)
        .map(|straggler| Mark {
            row: straggler.unit,
            columns: [(((straggler.since - first) / step).max(0) as usize).min(columns), columns],
            label: units.get(straggler.unit).map_or_else(String::new, |unit| text::after_word(&unit.name)),
            alerting: true,
        })
        .collect()
}

/// Units that lag behind the slice, worst first.
pub fn lagging(source: &Source<'_>, units: &[Vec<u32>]) -> Vec<Straggler> {
    let found = stragglers(source.store, (&source.pod.id, source.metric), units, source.at, source.rule);
    found.into_iter().filter(|straggler| (straggler.mean - straggler.others_mean).abs() >= least_gap(source)).collect()
}

/// Smaller gaps are no reason to look at a unit, however steady the others are: 2 points, or 2 % of the full range.
fn least_gap(source: &Source<'_>) -> f64 {
    match source.metric.unit() {
        MetricUnit::Fraction => 0.02,
        _ => f64::from(source.scale.range.high) * 0.02,
    }
}

/// How often values occur among the slice's chips, for the inspector.
pub fn histogram(metric: Metric, values: &[Option<f32>], full: [f32; 2]) -> Histogram {
    const BINS: usize = 40;
    let counted = stats::histogram(values.iter().copied(), f64::from(full[0]), f64::from(full[1]), BINS);
    let median = quantiles(values.iter().copied(), [0.5]).map(|[median]| median as f32);
    let tick = |share: f32| {
        let value = full[0] + (full[1] - full[0]) * share;
        (value, value_text(metric, value))
    };
    Histogram {
        bins: counted.bins.iter().map(|n| *n as u32).collect(),
        missing: counted.n_missing as u32,
        mark: median.map(|median| (median, format!("median {}", value_text(metric, median)))),
        ticks: vec![tick(0.0), tick(0.5), tick(1.0)],
    }
}

/// P1 to P99 of the slice's chips, rounded outwards to 5 % of the full range.
pub fn fit(source: &Source<'_>, full: [f32; 2]) -> Option<[f32; 2]> {
    let [low, high] = quantiles(values(source), [0.01, 0.99])?;
    let step = f64::from(full[1] - full[0]) / 20.0;
    let low = (low / step).floor() * step;
    let high = ((high / step).ceil() * step).max(low + step);
    Some([low as f32, high as f32])
}

/// The value of a chip of the pod now, by its row-major index.
pub fn chip_value(source: &Source<'_>, chip: usize) -> Option<f32> {
    frame(source)?.get(chip)
}

/// The value of one chip of the slice now.
pub fn value_at(source: &Source<'_>, at: Coord) -> Option<f32> {
    let shape = source.pod.slices.get(source.slice)?.shape;
    let chip = source.map.slice_chips.get(source.slice)?.get(shape.contains(at).then(|| shape.index_of(at))?)?;
    frame(source)?.get(*chip as usize)
}

/// What happened to the slice in its history: when it stood still, and since when a host lags behind.
pub fn alerts(source: &Source<'_>) -> Vec<Alert> {
    let step = i64::from(source.store.step_seconds());
    let from = source.until - source.window_s + step;
    let chips = source.map.slice_chips.get(source.slice).map_or(&[][..], Vec::as_slice);
    // Some chips tell whether a slice stands still: its chips work in step.
    let sample: Vec<u32> = chips.iter().step_by((chips.len() / 64).max(1)).copied().collect();
    let frames: Vec<_> = source.store.frames(&source.pod.id, source.metric, from, source.until).collect();
    let first = frames.first().map_or(from, |(at, _)| *at);
    let means: Vec<Option<f32>> =
        frames.iter().map(|(_, frame)| frame.as_ref().and_then(|frame| mean_of(frame, &sample))).collect();
    // A phase without memory traffic is no standstill: only the chips' own work tells.
    let tells = matches!(source.metric, Metric::TensorcoreUtil | Metric::DutyCycle);
    let mut alerts = if tells { standstills(&means, step) } else { Vec::new() };
    let hosts = source.map.units(source.pod, source.slice, Group::Host);
    let units: Vec<Vec<u32>> = hosts.iter().map(|unit| unit.chips.clone()).collect();
    if let Some(worst) = lagging(source, &units).first()
        && worst.since >= first
    {
        let name = hosts.get(worst.unit).map_or("host", |unit| unit.name.as_str());
        let column = (worst.since - first) as f32 / step as f32;
        alerts.push(Alert { column, gravity: Gravity::Crit, label: format!("{name} lags behind") });
    }
    alerts
}

/// Stretches in which the mean falls below a tenth of its median.
fn standstills(means: &[Option<f32>], step: i64) -> Vec<Alert> {
    let Some([median]) = quantiles(means.iter().copied(), [0.5]) else { return Vec::new() };
    let stands = |mean: &Option<f32>| mean.is_some_and(|mean| f64::from(mean) < median * 0.1);
    let mut alerts = Vec::new();
    let mut column = 0;
    while column < means.len() {
        let length = means[column..].iter().take_while(|mean| stands(mean)).count();
        if length > 0 {
            let minutes = length as i64 * step / 60;
            let label = format!("stood still, {minutes}\u{a0}min");
            alerts.push(Alert { column: column as f32, gravity: Gravity::Warn, label });
        }
        column += length.max(1);
    }
    alerts
}
