//! Plain models of the pictures: what the widgets draw follows from answers alone.

use std::sync::Arc;

use planning::plan::{Scenario, ScenarioId};
use simulator::trace::{Resource, SpanKind, Trace};
use simulator::trial::{Answer, Trial, TrialError};
use topology::shape::Axis;
use widgets::compare::{self, Better, Cell, Change, Compare};
use widgets::format;
use widgets::roofline::{self, Roofline};
use widgets::timeline::{self, Timeline};
use widgets::tradeoff::{self, Tradeoff};

use crate::trials::Trials;

/// Most scenarios side by side.
const MOST: usize = 4;

/// The scenarios that are compared with the chosen one: those with the same kind of work, the first of the plan as the
/// baseline, then the chosen one and those next to it.
pub fn compared<'a>(scenarios: &'a [Scenario], chosen: &Scenario) -> Vec<&'a Scenario> {
    let kind = |scenario: &Scenario| scenario.trial.as_ref().map(Trial::name);
    let alike: Vec<&Scenario> =
        scenarios.iter().filter(|scenario| scenario.trial.is_some() && kind(scenario) == kind(chosen)).collect();
    let Some(place) = alike.iter().position(|scenario| scenario.id == chosen.id) else { return Vec::new() };
    let Some((baseline, others)) = alike.split_first() else { return Vec::new() };
    // A window of the others that holds the chosen one.
    let first = place.saturating_sub(MOST - 1).min(others.len().saturating_sub(MOST - 1));
    [*baseline].into_iter().chain(others.iter().copied().skip(first).take(MOST - 1)).collect()
}

/// Lanes that are always there, so that an idle one says so.
const LANES: [Resource; 6] = [
    Resource::Mxu,
    Resource::Hbm,
    Resource::Ici(Axis::X),
    Resource::Ici(Axis::Y),
    Resource::Ici(Axis::Z),
    Resource::Dcn,
];

/// The timeline of an answer. `revision` changes whenever the answer does.
pub fn timeline(scenario: &Scenario, answer: &Answer, is_stale: bool, revision: u64) -> Timeline {
    let rank = scenario.shape.rank();
    let lanes = LANES.into_iter().filter(|lane| !matches!(lane, Resource::Ici(axis) if axis.index() >= rank));
    Timeline {
        name: format!("{}, one chip of {}", scenario.name, format::count(scenario.shape.n_chips() as u64)),
        whole: "All".to_owned(),
        total_s: answer.seconds.get(),
        lanes: lanes.map(|resource| lane(resource, &answer.trace, scenario)).collect(),
        phases: Vec::new(),
        groups: Vec::new(),
        stale: is_stale,
        revision,
    }
}

fn lane(resource: Resource, trace: &Trace, scenario: &Scenario) -> timeline::Lane {
    let span = |span: &simulator::trace::Span| timeline::Span {
        name: Arc::from(span.name.as_str()),
        start_s: span.start.get(),
        seconds: span.seconds.get(),
        kind: match span.kind {
            _ if span.is_exposed => timeline::Kind::Exposed,
            SpanKind::Matmul => timeline::Kind::Matmul,
            SpanKind::HbmRead | SpanKind::HbmWrite => timeline::Kind::Hbm,
            SpanKind::Collective => timeline::Kind::Collective,
            SpanKind::Launch => timeline::Kind::Other,
        },
    };
    timeline::Lane {
        name: resource.name().to_owned(),
        spans: trace.lane(resource).iter().map(span).collect(),
        idle: idle(resource, scenario).to_owned(),
    }
}

/// Why a lane has nothing to do.
fn idle(resource: Resource, scenario: &Scenario) -> &'static str {
    match (resource, &scenario.trial) {
        (Resource::Dcn, _) if scenario.n_slices < 2 => "one slice only",
        (Resource::Ici(_), Some(Trial::Gemm(_))) => "one chip only",
        (Resource::Ici(_), _) => "nothing is sent along it",
        (Resource::Mxu | Resource::Hbm, Some(Trial::Collective(_))) => "links only",
        _ => "nothing to do",
    }
}

/// The rooflines of an answer; nothing where nothing is computed.
pub fn roofline(scenario: &Scenario, answer: &Answer, is_stale: bool) -> Option<Roofline> {
    let first = answer.rooflines.first()?;
    let point = |point: &simulator::trial::Point| roofline::Point {
        name: point.name.clone(),
        flop_per_byte: point.flop_per_byte,
        flop_per_s: point.rate.get(),
        share: point.share,
        kind: timeline::Kind::Matmul,
    };
    let tab = |roof: &simulator::trial::Roofline| roofline::Tab {
        name: roof.memory.to_owned(),
        bytes_per_s: roof.bandwidth.get(),
        points: roof.points.iter().map(point).collect(),
        idle: "nothing moves".to_owned(),
    };
    Some(Roofline {
        name: format!("{}, one chip", scenario.name),
        peak_flop_per_s: first.peak.get(),
        peak_name: "peak".to_owned(),
        reached: Some(first.reached_fraction),
        tabs: answer.rooflines.iter().map(tab).collect(),
        stale: is_stale,
    })
}

/// One scenario with its answer.
pub struct Column<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// What it takes; absent until it is computed or where it cannot be.
    pub answer: Option<&'a Answer>,
    /// Newer numbers are on their way.
    pub is_stale: bool,
}

/// The compared scenarios with what is known of them.
pub fn columns<'a>(scenarios: &'a [Scenario], chosen: &Scenario, trials: &'a Trials) -> Vec<Column<'a>> {
    let column = |scenario: &'a Scenario| {
        let found = trials.answer(scenario);
        let answer = found.and_then(|found| found.result.as_ref().ok()).map(Arc::as_ref);
        Column { scenario, answer, is_stale: found.is_none_or(|found| found.is_stale) }
    };
    compared(scenarios, chosen).into_iter().map(column).collect()
}

/// A row of the comparison: how a value is taken from an answer and shown.
pub struct Row {
    /// Name of the metric.
    pub name: &'static str,
    /// Name of the term of the explanation that makes it, if one does.
    pub term: &'static str,
    /// How it is reckoned, in words, where no term does.
    pub formula: &'static str,
    unit: Unit,
    better: Better,
    value: fn(&Answer) -> Option<[f64; 3]>,
}

/// How the values of a row are written.
#[derive(Clone, Copy)]
enum Unit {
    /// With one prefix for the whole row: "s", "B", "B/s".
    Si(&'static str),
    /// A share as percent.
    Percent,
    /// As they are.
    Plain(&'static str),
}

fn exact(value: Option<f64>) -> Option<[f64; 3]> {
    value.map(|value| [value; 3])
}

/// All rows; those without any value are left out.
pub const ROWS: [Row; 10] = [
    Row {
        name: "Time",
        term: "Time",
        formula: "",
        unit: Unit::Si("s"),
        better: Better::Lower,
        value: |answer| Some([answer.seconds_low.get(), answer.seconds.get(), answer.seconds_high.get()]),
    },
    Row {
        name: "Share of peak",
        term: "",
        formula: "useful operations of a chip ÷ (time · peak of a chip)",
        unit: Unit::Percent,
        better: Better::Higher,
        value: |answer| {
            let peak = answer.peak_flop_per_s?.get();
            let share = |seconds: f64| answer.flop.map(|flop| flop.get() / (seconds * peak));
            let [low, mid, high] = [answer.seconds_high, answer.seconds, answer.seconds_low].map(|s| share(s.get()));
            Some([low?, mid?, high?])
        },
    },
    Row {
        name: "Compute",
        term: "",
        formula: "time in which a chip computes; see the explanation of its product",
        unit: Unit::Si("s"),
        better: Better::Lower,
        value: |answer| {
            answer.exposed?;
            answer.compute.map(|band| [band.low.get(), band.mid.get(), band.high.get()])
        },
    },
    Row {
        name: "Exposed communication",
        term: "",
        formula: "communication that nothing hides ÷ time",
        unit: Unit::Percent,
        better: Better::Lower,
        value: |answer| {
            answer.compute?;
            exact(answer.exposed?.mid.ratio(answer.seconds))
        },
    },
    Row {
        name: "Algorithm bandwidth",
        term: "",
        formula: "what benchmarks call algorithm bandwidth: for all-gather V·(1 − 1/n) ÷ time, see docs/models.md",
        unit: Unit::Si("B/s"),
        better: Better::Higher,
        value: |answer| exact(answer.algorithm_bytes_per_s.map(f64::from)),
    },
    Row {
        name: "Busiest link",
        term: "",
        formula: "bytes over the busiest link in one direction, counted along the plan",
        unit: Unit::Si("B"),
        better: Better::Lower,
        value: |answer| exact(answer.busiest_link_bytes.map(f64::from)),
    },
    Row {
        name: "HBM traffic per chip",
        term: "Memory traffic",
        formula: "",
        unit: Unit::Si("B"),
        better: Better::Lower,
        value: |answer| exact(answer.hbm_bytes.map(f64::from)),
    },
    Row {
        name: "HBM taken per chip",
        term: "",
        formula: "operands, gathered copies, partial sums and result on one chip",
        unit: Unit::Si("B"),
        better: Better::Lower,
        value: |answer| exact(answer.memory.map(|(taken, _)| taken.get())),
    },
    Row {
        name: "Cost of a million",
        term: "",
        formula: "time · chips · list price of a chip-hour ÷ 3,600 s · 1,000,000",
        unit: Unit::Plain("$"),
        better: Better::Lower,
        value: |answer| exact(answer.usd.map(|usd| usd.get() * 1e6)),
    },
    Row {
        name: "Chips",
        term: "",
        formula: "chips that are paid for meanwhile",
        unit: Unit::Plain(""),
        better: Better::Neither,
        value: |answer| exact(Some(answer.n_chips as f64)),
    },
];

/// The comparison, with the rows that it has.
pub fn comparison(columns: &[Column<'_>], chosen: ScenarioId) -> (Compare, Vec<&'static Row>) {
    let names = ["Baseline", "A", "B", "C"];
    let heads = columns.iter().zip(names).map(|(column, name)| compare::Scenario {
        name: name.to_owned(),
        lines: [column.scenario.name.clone(), slice_line(column.scenario)],
        stale: column.is_stale,
    });
    let mut rows = Vec::new();
    let mut metrics = Vec::new();
    for row in &ROWS {
        let values: Vec<Option<[f64; 3]>> = columns.iter().map(|column| (row.value)(column.answer?)).collect();
        let Some(largest) = values.iter().flatten().map(|[_, mid, _]| *mid).reduce(f64::max) else { continue };
        rows.push(row);
        metrics.push(metric(row, &values, largest));
    }
    let compare = Compare {
        name: format!("{} scenarios", columns.len()),
        scenarios: heads.collect(),
        metrics,
        chosen: columns.iter().position(|column| column.scenario.id == chosen),
    };
    (compare, rows)
}

/// `TPU7x 8×16×16 T · 2 slices`.
pub fn slice_line(scenario: &Scenario) -> String {
    let twist = if scenario.twisted { " T" } else { "" };
    let slices = if scenario.n_slices > 1 { format!(" · {} slices", scenario.n_slices) } else { String::new() };
    format!("{} {}{twist}{slices}", scenario.generation, crate::text::shape(scenario.shape))
}

fn metric(row: &Row, values: &[Option<[f64; 3]>], largest: f64) -> compare::Metric {
    let (scale, unit, change) = match row.unit {
        Unit::Si(unit) => {
            let (prefix, scale) = format::prefix(largest);
            (scale, format!("{prefix}{unit}"), Change::Relative)
        }
        Unit::Percent => (0.01, "%".to_owned(), Change::Points),
        Unit::Plain(unit) => (1.0, unit.to_owned(), Change::Relative),
    };
    let is_share = matches!(row.unit, Unit::Percent);
    let cell = |value: &Option<[f64; 3]>| {
        value.map(|[low, mid, high]| {
            // The table compares shares as shares, and everything else in the unit of the text.
            let compared = |value: f64| if is_share { value } else { value / scale };
            let text = if is_share { format::fixed(mid / scale, 1) } else { format::number(mid / scale) };
            let text = if row.name == "Chips" { format::count(mid as u64) } else { text };
            Cell { text, value: compared(mid), band: (low < high).then(|| [compared(low), compared(high)]) }
        })
    };
    let cells = values.iter().map(cell).collect();
    compare::Metric { name: row.name.to_owned(), unit, better: row.better, change, cells }
}

/// Cost against time of all scenarios with the same kind of work, and which of them each point is; nothing where fewer
/// than two have a price.
pub fn tradeoff(scenarios: &[Scenario], chosen: &Scenario, trials: &Trials) -> Option<(Tradeoff, Vec<ScenarioId>)> {
    let kind = chosen.trial.as_ref().map(Trial::name)?;
    let alike = scenarios.iter().filter(|scenario| scenario.trial.as_ref().map(Trial::name) == Some(kind));
    let priced = |scenario: &Scenario| {
        let answer = trials.answer(scenario)?.result.as_ref().ok()?;
        Some((scenario.id, scenario.name.clone(), answer.seconds.get(), answer.usd?.get() * 1e6))
    };
    let found: Vec<(ScenarioId, String, f64, f64)> = alike.filter_map(priced).collect();
    if found.len() < 2 {
        return None;
    }
    let longest = found.iter().map(|(_, _, seconds, _)| *seconds).fold(0.0, f64::max);
    let (prefix, scale) = format::prefix(longest);
    let ids: Vec<ScenarioId> = found.iter().map(|(id, ..)| *id).collect();
    let model = Tradeoff {
        name: format!("Cost against time of {} scenarios", found.len()),
        x_name: format!("Time, {prefix}s"),
        y_name: "Cost of a million runs, $, at list price".to_owned(),
        chosen: ids.iter().position(|id| *id == chosen.id),
        points: found.into_iter().map(|(_, name, x, y)| tradeoff::Point { name, x: x / scale, y }).collect(),
    };
    Some((model, ids))
}

/// The command that gives the same numbers.
pub fn command_line(scenario: &Scenario) -> Option<String> {
    let slice = format!("--slice {}:{}", scenario.generation, scenario.shape);
    let twist = if scenario.twisted { " --twist" } else { " --no-twist" };
    let line = match scenario.trial.as_ref()? {
        Trial::Gemm(gemm) => format!(
            "podium matmul --chip {} -m {} -k {} -n {} --dtype {}",
            scenario.generation, gemm.m, gemm.k, gemm.n, gemm.dtype
        ),
        Trial::Sharded(sharded) => {
            let overlap = if sharded.overlaps { " --overlap collective-matmul" } else { "" };
            let [product, sizes, axes] = [&sharded.product, &sharded.sizes, &sharded.axes].map(|text| quoted(text));
            format!(
                "podium shard {product} --size {sizes} {slice}{twist} --axes {axes} --dtype {}{overlap}",
                sharded.dtype
            )
        }
        Trial::Collective(exchange) => format!(
            "podium collective {} {slice}{twist} {} {} --bytes {}{}",
            exchange.kind.name(),
            if exchange.has_groups() { "--groups" } else { "--axes" },
            quoted(&exchange.axes),
            exchange.bytes,
            if scenario.n_slices > 1 { format!(" --slices {}", scenario.n_slices) } else { String::new() }
        ),
    };
    let faults: Vec<String> = match scenario.trial {
        Some(Trial::Collective(_) | Trial::Sharded(_)) => {
            scenario.faults.iter().map(|fault| quoted(&fault.to_string())).collect()
        }
        _ => Vec::new(),
    };
    Some(faults.iter().fold(line, |line, fault| line + " --fail " + fault))
}

/// A text as one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ',' | '=' | '.' | '_' | '-' | ':');
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// Why there is no answer, as one sentence.
pub fn reason(error: &TrialError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use simulator::trial::Trial;

    use super::*;

    fn scenario(id: u32, trial: Option<Trial>) -> Scenario {
        let mut scenario = planning::sample().scenarios[0].clone();
        scenario.id = ScenarioId(id);
        scenario.trial = trial;
        scenario
    }

    /// Protects: like is compared with like, the baseline comes first and the chosen one is always there.
    #[test]
    fn only_the_same_kind_of_work_is_compared() {
        use simulator::dtype::Dtype;
        use simulator::trial::{Exchange, Gemm};
        let gemm = || Some(Trial::Gemm(Gemm { m: 8, k: 8, n: 8, dtype: Dtype::Bf16 }));
        let exchange = Exchange { kind: simulator::collective::Collective::AllGather, bytes: 1, axes: "x".to_owned() };
        let all: Vec<Scenario> = (1..=7)
            .map(|id| scenario(id, if id == 3 { Some(Trial::Collective(exchange.clone())) } else { gemm() }))
            .collect();
        let ids = |chosen: usize| -> Vec<u32> { compared(&all, &all[chosen]).iter().map(|found| found.id.0).collect() };
        assert_eq!(ids(0), [1, 2, 4, 5]);
        assert_eq!(ids(6), [1, 5, 6, 7]);
        assert_eq!(ids(2), [3]);
        assert!(compared(&all, &scenario(9, None)).is_empty());
    }

    /// Protects: a hostile text cannot leave its word on the command line.
    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted("x=x,y=yz"), "x=x,y=yz");
        assert_eq!(quoted("A[I_x,J]; rm 'b'"), r"'A[I_x,J]; rm '\''b'\'''");
        assert_eq!(quoted(""), "''");
    }
}
