//! `podium roadmap`: schedule, critical path, forecast and adherence of a roadmap.

use jiff::civil::Date;
use planning::forecast::{Outcome, Simulation, Target};
use planning::import::{self, Options, Record};
use planning::kpi::delivery;
use planning::roadmap::{Gate, Roadmap};
use planning::schedule::{self, Schedule};
use serde::Serialize;
use topology::finding::{Finding, Severity};

use super::args::RoadmapArgs;
use super::failure::{Failure, Status};
use super::import::severity_text;
use super::output::{self, Output, one_line};
use crate::document::{Sort, sort_of};
use crate::io::files::{READ_LIMIT_BYTES, read_text};

#[derive(Serialize)]
pub(super) struct Answer {
    as_of: Date,
    items: usize,
    end: Option<Date>,
    milestones: Vec<Milestone>,
    critical_path: Vec<String>,
    adherence_fraction: Option<f64>,
    adherence_closed_fraction: Option<f64>,
    cycle_time_days: Option<f64>,
    cycle_time_p85_days: Option<f64>,
    lead_time_days: Option<f64>,
    p50: Option<Date>,
    p85: Option<Date>,
    merge_bias_days: f64,
    items_without_estimate: usize,
    runs: u32,
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Milestone {
    name: String,
    baseline: Option<Date>,
    planned: Date,
    passed: Option<Date>,
    expected: Option<Date>,
    slip_days: Option<i32>,
    critical: bool,
    p50: Option<Date>,
    p85: Option<Date>,
    on_time_fraction: Option<f64>,
}

impl Answer {
    /// Strange rows are told; only what is impossible makes the command fail.
    pub(super) fn status(&self) -> Status {
        let faulty = self.findings.iter().any(|finding| finding.severity == Severity::Error);
        if faulty { Status::Found } else { Status::Done }
    }
}

pub(super) fn roadmap(args: &RoadmapArgs, output: &mut Output<'_>) -> Result<Answer, Failure> {
    let as_of = args.as_of.unwrap_or_else(|| crate::clock::Now::read().today);
    let (roadmap, records, findings) = read(args, as_of)?;
    let circle = |error: schedule::ScheduleError| {
        Failure::input("dependency_circle", error.to_string()).hint("Take one of these dependencies away")
    };
    let made = schedule::schedule(&roadmap, as_of).map_err(circle)?;
    let forecast =
        |error: planning::forecast::ForecastError| Failure::input("forecast", error.to_string()).at("--runs");
    let simulation = Simulation::new(&roadmap, as_of).map_err(forecast)?;
    simulation.check(args.runs).map_err(forecast)?;
    let mut progress = output.progress("forecast");
    let sample = simulation.run(0..args.runs, args.seed, &mut |done| {
        progress.tell(f64::from(done) / f64::from(args.runs));
        true
    });
    let outcome = simulation.outcome(&[sample.map_err(forecast)?]).map_err(forecast)?;
    Ok(answer(&roadmap, &records, (&made, &outcome), (as_of, findings)))
}

/// Plans give the roadmap; files of other tools are taken into it.
fn read(args: &RoadmapArgs, as_of: Date) -> Result<(Roadmap, Vec<Record>, Vec<Finding>), Failure> {
    let mut roadmap = Roadmap::default();
    let mut others = Vec::new();
    for path in &args.files {
        let text = read_text(path, READ_LIMIT_BYTES)?;
        if import::sniff(&text).is_none() && sort_of(&text) == Sort::Ours {
            roadmap = (*super::diff::plan(path)?.roadmap).clone();
        } else {
            others.push((path.display().to_string(), text));
        }
    }
    let files: Vec<(&str, &str)> = others.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    Ok(import::read_all(&roadmap, &files, &Options::default(), as_of))
}

fn answer(
    roadmap: &Roadmap,
    records: &[Record],
    (made, outcome): (&Schedule, &Outcome),
    (as_of, findings): (Date, Vec<Finding>),
) -> Answer {
    let end = outcome.targets.iter().find(|reached| reached.target == Target::End).map(|reached| reached.forecast);
    Answer {
        as_of,
        items: roadmap.items.len(),
        end: made.end,
        milestones: roadmap.gates.iter().map(|gate| milestone(gate, made, outcome)).collect(),
        critical_path: made.critical_path.iter().map(ToString::to_string).collect(),
        adherence_fraction: delivery::adherence(roadmap, as_of).value,
        adherence_closed_fraction: delivery::adherence_closed(roadmap, as_of).value,
        cycle_time_days: delivery::cycle_time(records, 0.5).value,
        cycle_time_p85_days: delivery::cycle_time(records, 0.85).value,
        lead_time_days: delivery::lead_time(records, 0.5).value,
        p50: end.map(|end| end.p50),
        p85: end.map(|end| end.p85),
        merge_bias_days: outcome.merge_bias_days,
        items_without_estimate: outcome.without_estimate.len(),
        runs: outcome.runs,
        findings,
    }
}

fn milestone(gate: &Gate, made: &Schedule, outcome: &Outcome) -> Milestone {
    let expected = made.gate(&gate.name);
    let target = Target::Gate(gate.name.clone());
    let reached = outcome.targets.iter().find(|reached| reached.target == target);
    Milestone {
        name: gate.name.clone(),
        baseline: gate.baseline,
        planned: gate.planned,
        passed: gate.passed,
        expected: expected.map(|expected| expected.expected),
        slip_days: expected.and_then(|expected| expected.late_days),
        critical: expected.is_some_and(|expected| expected.is_critical),
        p50: reached.map(|reached| reached.forecast.p50),
        p85: reached.map(|reached| reached.forecast.p85),
        on_time_fraction: reached.map(|reached| reached.share_by(gate.baseline.unwrap_or(gate.planned))),
    }
}

pub(super) fn text(answer: &Answer) -> String {
    let date = |date: Option<Date>| date.map_or_else(|| "—".to_owned(), |date| date.to_string());
    let share = |share: Option<f64>| share.map_or_else(|| "—".to_owned(), |share| format!("{:.1} %", share * 100.0));
    let days = |days: Option<f64>| days.map_or_else(|| "—".to_owned(), |days| format!("{days:.1} d"));
    let facts = output::facts(&[
        ("as of", answer.as_of.to_string()),
        ("items", answer.items.to_string()),
        ("end", date(answer.end)),
        ("P50 of the end", date(answer.p50)),
        ("P85 of the end", date(answer.p85)),
        ("adherence", share(answer.adherence_fraction)),
        ("adherence, closed only", share(answer.adherence_closed_fraction)),
        ("cycle time P50", days(answer.cycle_time_days)),
        ("lead time P50", days(answer.lead_time_days)),
        ("without estimate", answer.items_without_estimate.to_string()),
        ("critical path", answer.critical_path.join(" → ")),
    ]);
    let heading = ["milestone", "baseline", "planned", "expected", "slip", "P50", "P85", "on time"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(answer.milestones.iter().map(|row| {
        let slip = row.slip_days.map_or_else(|| "—".to_owned(), |days| format!("{days:+} d"));
        vec![
            row.name.clone(),
            date(row.baseline),
            row.planned.to_string(),
            date(row.passed.or(row.expected)),
            slip,
            date(row.p50),
            date(row.p85),
            share(row.on_time_fraction),
        ]
    }));
    let findings = answer.findings.iter().map(|finding| {
        let severity = severity_text(finding.severity);
        format!("{}: {severity}: {} [{}]\n", one_line(&finding.where_), one_line(&finding.message), finding.code)
    });
    format!("{facts}\n{}{}", output::table(&rows), findings.collect::<String>())
}
