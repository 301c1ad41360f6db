//! `podium validate`: the model against published figures, and constants fitted to measured ones.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use simulator::calibration::{Calibrations, Date, Part};
use simulator::fit::{Fit, Measurement, Values, fit};
use simulator::roofline::{Engine, RooflineError};
use simulator::validate::table::{self, Row};
use simulator::validate::{GroupReport, Judged, Outcome, Report, embedded, measurement, validate};
use topology::chip::GenerationId;
use widgets::format;

use super::args::ValidateArgs;
use super::chips::find;
use super::failure::{Failure, Status};
use super::output;
use super::render::{refuse_existing, write};
use crate::clock::Now;
use crate::io::files::{READ_LIMIT_BYTES, read_text};

/// Constants older than this are called stale.
const STALE_DAYS: i64 = 365;

#[derive(Serialize)]
pub(super) struct Answer {
    groups: Vec<GroupAnswer>,
    /// Only with `--rows`.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<RowAnswer>>,
    not_modelled: Vec<Unjudged>,
    excluded: Vec<Unjudged>,
    stale: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fits: Vec<FitAnswer>,
    output: Option<String>,
}

/// A group of rows of one table.
#[derive(Serialize)]
struct GroupAnswer {
    table: &'static str,
    name: &'static str,
    rows: usize,
    within: usize,
    mape_fraction: f64,
    max_fraction: f64,
    null_model_mape_fraction: Option<f64>,
    constant_efficiency_mape_fraction: Option<f64>,
    gate_fraction: Option<f64>,
    max_gate_fraction: Option<f64>,
    passed: bool,
}

#[derive(Serialize)]
struct RowAnswer {
    table: &'static str,
    id: String,
    group: &'static str,
    quantity: String,
    unit: String,
    published: f64,
    model: f64,
    null_model: Option<f64>,
    error_fraction: f64,
    tolerance_fraction: f64,
    within: bool,
    remark: &'static str,
    source: String,
}

/// A row that was not compared.
#[derive(Serialize)]
struct Unjudged {
    table: &'static str,
    id: String,
    quantity: String,
    note: String,
}

#[derive(Serialize)]
struct FitAnswer {
    chip: String,
    part: &'static str,
    points: usize,
    #[serde(flatten)]
    found: Option<Found>,
    /// Why nothing was fitted.
    problem: Option<String>,
}

#[derive(Serialize)]
struct Found {
    t0_seconds: f64,
    mxu_fraction: f64,
    hbm_fraction: f64,
    serial_fraction: f64,
    range_factor: f64,
    mape_before_fraction: f64,
    mape_fraction: f64,
    max_fraction: f64,
    cross_validation_mape_fraction: f64,
}

impl Answer {
    /// A gate that is missed is a fault that was found.
    pub(super) fn status(&self) -> Status {
        if self.groups.iter().all(|group| group.passed) { Status::Done } else { Status::Found }
    }
}

pub(super) fn run(args: &ValidateArgs) -> Result<Answer, Failure> {
    if let Some(output) = &args.output {
        refuse_existing(output, args.force)?;
    }
    let calibrations = calibrations(args.calibration.as_deref())?;
    let own = embedded().map_err(|error| table_failure(&error, Path::new("embedded rows")))?;
    let more = args.csv.as_deref().map(rows_of).transpose()?;
    let mut reports = vec![("embedded", validate(&own, &calibrations))];
    reports.extend(more.as_ref().map(|rows| ("csv", validate(rows, &calibrations))));
    let today = today()?;
    let fits = if args.fit { fits(more.as_ref().unwrap_or(&own), &calibrations)? } else { Vec::new() };
    let output = args.output.as_deref().map(|output| save(output, args, &fits, today)).transpose()?;
    Ok(Answer {
        groups: reports.iter().flat_map(|(table, report)| groups(table, report)).collect(),
        rows: args.rows.then(|| reports.iter().flat_map(|(table, report)| compared(table, report)).collect()),
        not_modelled: unjudged(&reports, &Outcome::NotModelled),
        excluded: unjudged(&reports, &Outcome::Excluded),
        stale: stale(&calibrations, today),
        fits: fits.iter().map(FitAnswer::of).collect(),
        output,
    })
}

fn today() -> Result<Date, Failure> {
    let today = Now::read().today.to_string();
    today.parse().map_err(|_bad| Failure::input("clock", format!("the clock says {today}")).hint("Set the clock"))
}

/// The embedded constants, with a file of the user's own over them.
fn calibrations(path: Option<&Path>) -> Result<Calibrations, Failure> {
    let Some(path) = path else { return Ok(Calibrations::embedded().clone()) };
    let text = read_text(path, READ_LIMIT_BYTES)?;
    let merged = Calibrations::read(&text).map(|own| Calibrations::embedded().merged(&own));
    merged.map_err(|error| {
        let hint = "docs/formats.md describes the file; podium validate --fit -o FILE writes one";
        Failure::input("calibration", error.to_string()).at(path.display().to_string()).hint(hint)
    })
}

fn rows_of(path: &Path) -> Result<Vec<Row>, Failure> {
    let text = read_text(path, READ_LIMIT_BYTES)?;
    table::read(&text).map_err(|error| table_failure(&error, path))
}

fn table_failure(error: &table::TableError, path: &Path) -> Failure {
    let hint = "docs/formats.md describes the columns";
    Failure::input("table", error.to_string()).at(path.display().to_string()).hint(hint)
}

fn groups(table: &'static str, report: &Report) -> Vec<GroupAnswer> {
    let one = |report: &GroupReport| GroupAnswer {
        table,
        name: report.group.name(),
        rows: report.rows,
        within: report.within,
        mape_fraction: report.mape_fraction,
        max_fraction: report.max_fraction,
        null_model_mape_fraction: report.null_model_mape_fraction,
        constant_efficiency_mape_fraction: report.constant_efficiency_mape_fraction,
        gate_fraction: report.group.gate_fraction(),
        max_gate_fraction: report.group.max_gate_fraction(),
        passed: report.passed,
    };
    report.groups.iter().map(one).collect()
}

fn compared(table: &'static str, report: &Report) -> Vec<RowAnswer> {
    let mut rows = Vec::new();
    for Judged { row, outcome } in &report.rows {
        let Outcome::Compared(all) = outcome else { continue };
        rows.extend(all.iter().map(|one| RowAnswer {
            table,
            id: row.id.clone(),
            group: one.group.name(),
            quantity: row.quantity.clone(),
            unit: row.unit.clone(),
            published: one.published,
            model: one.model,
            null_model: one.null_model,
            error_fraction: one.error_fraction(),
            tolerance_fraction: one.tolerance_fraction,
            within: one.is_within(),
            remark: one.remark,
            source: row.source.clone(),
        }));
    }
    rows
}

fn unjudged(reports: &[(&'static str, Report)], wanted: &Outcome) -> Vec<Unjudged> {
    let one = |table: &'static str, Judged { row, .. }: &Judged| Unjudged {
        table,
        id: row.id.clone(),
        quantity: row.quantity.clone(),
        note: row.note.clone(),
    };
    let rows = reports.iter().flat_map(|(table, report)| report.rows.iter().map(move |judged| (*table, judged)));
    rows.filter(|(_, judged)| judged.outcome == *wanted).map(|(table, judged)| one(table, judged)).collect()
}

/// The constants that are older than a year.
fn stale(calibrations: &Calibrations, today: Date) -> Vec<String> {
    let each = |entry: &simulator::calibration::Fitted| {
        let old = entry.constants().into_iter().filter(|(_, constant)| constant.is_stale(today, STALE_DAYS));
        let named = old.map(|(key, constant)| format!("{} {key} of {}", entry.generation, constant.date));
        named.collect::<Vec<_>>()
    };
    calibrations.fitted.iter().flat_map(each).collect()
}

/// What was found for one part of one generation, or why nothing was.
struct Fitting {
    chip: GenerationId,
    part: Part,
    points: usize,
    found: Result<Fit, String>,
}

fn fits(rows: &[Row], calibrations: &Calibrations) -> Result<Vec<Fitting>, Failure> {
    let mut by_chip: BTreeMap<(GenerationId, Part), Vec<Measurement>> = BTreeMap::new();
    for (chip, part, row) in rows.iter().filter_map(measurement) {
        by_chip.entry((chip, part)).or_default().push(row);
    }
    if by_chip.is_empty() {
        let message = "there is no measured product in the table, so there is nothing to fit";
        return Err(Failure::input("nothing_to_fit", message)
            .at("--fit")
            .hint("docs/formats.md describes the columns"));
    }
    let one = |((chip, part), rows): ((GenerationId, Part), Vec<Measurement>)| {
        let engine = engine(&chip, part, calibrations)?;
        let found = engine.map_err(|error| error.to_string());
        let found = found.and_then(|engine| fit(&rows, &engine).map_err(|error| error.to_string()));
        Ok(Fitting { chip, part, points: rows.len(), found })
    };
    by_chip.into_iter().map(one).collect()
}

fn engine(
    chip: &GenerationId,
    part: Part,
    calibrations: &Calibrations,
) -> Result<Result<Engine, RooflineError>, Failure> {
    let generation = find(&chip.0, "--csv")?;
    let (engine, constants) = match part {
        Part::Chip => (Engine::chip(generation), calibrations.of(chip)),
        Part::Device => (Engine::device(generation), calibrations.of(chip)),
        Part::TensorCore => (Engine::core(generation), calibrations.of_core(chip)),
    };
    Ok(engine.map(|engine| engine.with_calibration(constants)))
}

/// Writes what was fitted as a calibration file.
fn save(path: &Path, args: &ValidateArgs, fits: &[Fitting], today: Date) -> Result<String, Failure> {
    let table = args.csv.as_ref().and_then(|csv| csv.file_name());
    let source = table.map_or("embedded rows".to_owned(), |name| name.to_string_lossy().into_owned());
    let entry = |fitting: &Fitting| {
        let found = fitting.found.as_ref().ok()?;
        Some(found.entry((&fitting.chip.0, fitting.part), today, &source))
    };
    let fitted = Calibrations { fitted: fits.iter().filter_map(entry).collect() };
    if fitted.fitted.is_empty() {
        let why = fits.iter().find_map(|fitting| fitting.found.as_ref().err().cloned()).unwrap_or_default();
        let message = format!("nothing was fitted, so {} was not written: {why}", path.display());
        return Err(Failure::input("nothing_to_fit", message).at("-o").hint("Add rows of measured products"));
    }
    let text = fitted.write().map_err(|error| Failure::input("calibration", error.to_string()).at("-o"))?;
    write(path, text.as_bytes(), args.force)?;
    Ok(path.display().to_string())
}

impl FitAnswer {
    fn of(fitting: &Fitting) -> Self {
        let found = fitting.found.as_ref().ok().map(|fit| {
            let Values { t0_seconds, mxu_fraction, hbm_fraction, serial_fraction } = fit.values;
            Found {
                t0_seconds,
                mxu_fraction,
                hbm_fraction,
                serial_fraction,
                range_factor: fit.range_factor,
                mape_before_fraction: fit.before.mean_fraction,
                mape_fraction: fit.after.mean_fraction,
                max_fraction: fit.after.max_fraction,
                cross_validation_mape_fraction: fit.cross_validation_fraction,
            }
        });
        Self {
            chip: fitting.chip.0.clone(),
            part: fitting.part.name(),
            points: fitting.points,
            found,
            problem: fitting.found.as_ref().err().cloned(),
        }
    }
}

fn percent(fraction: f64) -> String {
    format::fixed(fraction * 100.0, 1) + " %"
}

fn optional(fraction: Option<f64>) -> String {
    fraction.map_or_else(|| "—".to_owned(), percent)
}

pub(super) fn text(answer: &Answer) -> String {
    let heading = ["group", "table", "rows", "within", "mean", "largest", "roofline", "constant", "gate", "passed"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(answer.groups.iter().map(|group| {
        let gate = group.gate_fraction.map_or_else(|| "each row".to_owned(), percent);
        let verdict = if group.passed { "yes" } else { "NO" };
        vec![
            group.name.to_owned(),
            group.table.to_owned(),
            group.rows.to_string(),
            group.within.to_string(),
            percent(group.mape_fraction),
            percent(group.max_fraction),
            optional(group.null_model_mape_fraction),
            optional(group.constant_efficiency_mape_fraction),
            gate,
            verdict.to_owned(),
        ]
    }));
    let mut text = output::table(&rows);
    text += "mean, largest: |model ÷ published − 1|; roofline: the same without constants; constant: roofline times the best factor\n";
    text += &list("not modelled", &answer.not_modelled);
    text += &list("excluded, the source is wrong", &answer.excluded);
    if !answer.stale.is_empty() {
        text.extend(["stale constants, older than a year: ", &answer.stale.join(", "), "\n"]);
    }
    text += &answer.rows.as_deref().map_or_else(String::new, rows_text);
    text += &fits_text(&answer.fits);
    text += &answer.output.as_ref().map_or_else(String::new, |path| format!("written to {}\n", output::one_line(path)));
    text
}

fn list(what: &str, rows: &[Unjudged]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let names: Vec<String> = rows.iter().map(|row| output::one_line(&row.id)).collect();
    format!("{what}: {} rows: {}\n", rows.len(), names.join(", "))
}

fn rows_text(rows: &[RowAnswer]) -> String {
    let heading = ["row", "group", "unit", "published", "model", "error", "tolerance", "within"];
    let mut table = vec![heading.map(str::to_owned).to_vec()];
    table.extend(rows.iter().map(|row| {
        vec![
            row.id.clone(),
            row.group.to_owned(),
            row.unit.clone(),
            format::number(row.published),
            format::number(row.model),
            percent(row.error_fraction),
            percent(row.tolerance_fraction),
            if row.within { "yes" } else { "NO" }.to_owned(),
        ]
    }));
    output::table(&table)
}

fn fits_text(fits: &[FitAnswer]) -> String {
    fits.iter().map(fit_text).collect()
}

fn fit_text(fit: &FitAnswer) -> String {
    let head = format!("fit of {}, {}, {} rows: ", output::one_line(&fit.chip), fit.part, fit.points);
    let Some(found) = &fit.found else {
        return format!("{head}{}\n", fit.problem.as_deref().unwrap_or("nothing was fitted"));
    };
    let [mxu, hbm, serial] =
        [found.mxu_fraction, found.hbm_fraction, found.serial_fraction].map(|x| format::fixed(x, 3));
    format!(
        "{head}t0 {}, η {mxu}, β {hbm}, ω {serial}\n  mean error {} before, {} after, {} on rows left out; largest {}\n",
        format::si(found.t0_seconds, "s"),
        percent(found.mape_before_fraction),
        percent(found.mape_fraction),
        percent(found.cross_validation_mape_fraction),
        percent(found.max_fraction),
    )
}
