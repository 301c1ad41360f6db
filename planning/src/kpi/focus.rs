//! Cost per training run and per token from FOCUS tables (`FinOps` Open Cost and Usage Specification 1.0 to 1.2).
//!
//! `EffectiveCost` is summed, which spreads a commitment over the time that it is for; `BilledCost` would count it in
//! the month in which it was bought. Unused commitment stands apart. Corrections and purchases belong to no job.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use topology::finding::{Finding, Severity};

use super::{Measured, Row};
use crate::import::table::{Row as Line, Table, short};
use crate::import::{Findings, cell};

/// What a job is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// One training run.
    Training,
    /// Serving.
    Serving,
    /// Anything else.
    Other,
}

/// A rule that users may edit: the first that fits decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// A column of the table, or "job" for the job's name.
    pub column: String,
    /// What stands in it; `*` stands for any text.
    pub pattern: String,
    /// What the job is for.
    pub purpose: Purpose,
}

/// How rows become jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// Key of `Tags` that names the job.
    pub job_tag: String,
    /// What each job is for.
    pub rules: Vec<Rule>,
}

impl Default for Mapping {
    fn default() -> Self {
        let rule = |pattern: &str, purpose| Rule { column: "job".to_owned(), pattern: pattern.to_owned(), purpose };
        let rules = vec![rule("run-*", Purpose::Training), rule("serve-*", Purpose::Serving)];
        Self { job_tag: "job".to_owned(), rules }
    }
}

/// Name of what was bought and not used.
pub const UNUSED: &str = "__unused_commitment__";
/// Name of usage without a job.
pub const UNTAGGED: &str = "__untagged__";

/// Cost and chip hours of one job.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Name.
    pub name: String,
    /// What it is for; absent for what is no job.
    pub purpose: Option<Purpose>,
    /// Sum of `EffectiveCost`.
    pub effective_usd: f64,
    /// Sum of `PricingQuantity`, hours of chips where that is the pricing unit.
    pub chip_hours: f64,
}

/// What a table says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Costs {
    /// Sum of all rows of `BilledCost`.
    pub billed_usd: f64,
    /// Sum of all rows of `EffectiveCost`.
    pub effective_usd: f64,
    /// Sum of all rows of `ListCost`.
    pub list_usd: f64,
    /// Sum of all rows of `ContractedCost`.
    pub contracted_usd: f64,
    /// Jobs by name, with [`UNUSED`] and [`UNTAGGED`].
    pub jobs: Vec<Job>,
    /// Used and unused quantity of commitments.
    pub commitment: (f64, f64),
    /// Rows.
    pub n_rows: usize,
    /// What was strange.
    pub findings: Vec<Finding>,
}

/// Reads a table.
pub fn read(text: &str, mapping: &Mapping) -> Costs {
    let mut findings = Findings::default();
    let table = Table::read(text, &mut findings);
    let mut costs = Costs { n_rows: table.rows.len(), ..Costs::default() };
    let mut column = |name: &str| table.required(&[name], &mut findings);
    let sums = ["BilledCost", "EffectiveCost", "ListCost", "ContractedCost"].map(&mut column);
    let (category, quantity) = (column("ChargeCategory"), column("PricingQuantity"));
    let [class, status, committed, tags, currency] =
        ["ChargeClass", "CommitmentDiscountStatus", "CommitmentDiscountQuantity", "Tags", "BillingCurrency"]
            .map(|name| table.column(&[name]));
    let mut jobs: BTreeMap<String, Job> = BTreeMap::new();
    for row in &table.rows {
        let mut number = |column| row.number((&table, column), &mut findings).unwrap_or(0.0);
        let [billed, effective, list, contracted] = sums.map(&mut number);
        let (hours, committed) = (number(quantity), number(committed));
        costs.billed_usd += billed;
        costs.effective_usd += effective;
        costs.list_usd += list;
        costs.contracted_usd += contracted;
        if let Some(other) = row.cell(currency).filter(|currency| *currency != "USD") {
            let message = format!("the amount is in {}, and is added up as if it were USD", short(other));
            findings.add(Severity::Error, "other-currency", cell(row.number, "BillingCurrency"), message);
        }
        if row.cell(category) != Some("Usage") || row.cell(class).is_some() {
            continue;
        }
        match row.cell(status) {
            Some("Used") => costs.commitment.0 += committed,
            Some("Unused") => costs.commitment.1 += committed,
            _ => {}
        }
        let tagged = job_of((row, tags), mapping, &mut findings);
        let fallback = if row.cell(status) == Some("Unused") { UNUSED } else { UNTAGGED };
        let name = tagged.clone().unwrap_or_else(|| fallback.to_owned());
        let purpose = tagged.map(|job| purpose_of((&table, row), &job, mapping));
        let new = || Job { name: name.clone(), purpose, effective_usd: 0.0, chip_hours: 0.0 };
        let job = jobs.entry(name.clone()).or_insert_with(new);
        job.effective_usd += effective;
        job.chip_hours += hours;
    }
    costs.jobs = jobs.into_values().collect();
    costs.findings = findings.into_list();
    costs
}

fn job_of((row, tags): (&Line, Option<usize>), mapping: &Mapping, findings: &mut Findings) -> Option<String> {
    let text = row.cell(tags)?;
    match serde_json::from_str::<BTreeMap<String, serde_json::Value>>(text) {
        Ok(tags) => tags.get(&mapping.job_tag)?.as_str().map(str::to_owned),
        Err(error) => {
            let message = format!("\"{}\" is no JSON object: {error}", short(text));
            findings.add(Severity::Error, "bad-tags", cell(row.number, "Tags"), message);
            None
        }
    }
}

fn purpose_of((table, row): (&Table, &Line), job: &str, mapping: &Mapping) -> Purpose {
    let fits = |rule: &&Rule| {
        let text = if rule.column == "job" { Some(job) } else { row.cell(table.column(&[&rule.column])) };
        text.is_some_and(|text| matches(&rule.pattern, text))
    };
    mapping.rules.iter().find(fits).map_or(Purpose::Other, |rule| rule.purpose)
}

/// Whether a text fits a pattern in which `*` stands for any text. O(pattern × text).
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

impl Costs {
    /// The job of that name.
    pub fn job(&self, name: &str) -> Option<&Job> {
        self.jobs.iter().find(|job| job.name == name)
    }

    fn rows(&self, purpose: Purpose) -> Vec<Row> {
        let jobs = self.jobs.iter().filter(|job| job.purpose == Some(purpose));
        let row = |job: &Job| Row {
            label: job.name.clone(),
            value: Some(job.effective_usd),
            is_good: None,
            remark: format!("{} chip hours", job.chip_hours),
        };
        jobs.map(row).collect()
    }

    /// Mean cost of a training run in USD, with each run.
    pub fn per_run(&self) -> Measured {
        let rows = self.rows(Purpose::Training);
        let sum: f64 = rows.iter().filter_map(|row| row.value).sum();
        Measured { value: (!rows.is_empty()).then(|| sum / rows.len() as f64), rows }
    }

    /// Cost of serving in USD per `unit` of a count, such as a million tokens; absent if nothing was served.
    pub fn per_served(&self, count: f64, unit: f64) -> Measured {
        let rows = self.rows(Purpose::Serving);
        let sum: f64 = rows.iter().filter_map(|row| row.value).sum();
        Measured { value: (!rows.is_empty() && count > 0.0).then(|| sum / (count / unit)), rows }
    }

    /// Used share of commitments; absent without one.
    pub fn commitment_utilization(&self) -> Option<f64> {
        let (used, unused) = self.commitment;
        (used + unused > 0.0).then(|| used / (used + unused))
    }
}

/// Sums of a table of serving counters.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Served {
    /// Requests.
    pub requests: f64,
    /// Tokens read.
    pub input_tokens: f64,
    /// Tokens written.
    pub output_tokens: f64,
}

/// Reads a table with the columns `requests`, `input_tokens` and `output_tokens`.
pub fn served(text: &str) -> (Served, Vec<Finding>) {
    let mut findings = Findings::default();
    let table = Table::read(text, &mut findings);
    let columns = ["requests", "input_tokens", "output_tokens"].map(|name| table.required(&[name], &mut findings));
    let [requests, input_tokens, output_tokens] = columns
        .map(|column| table.rows.iter().filter_map(|row| row.number((&table, column), &mut findings)).sum::<f64>());
    (Served { requests, input_tokens, output_tokens }, findings.into_list())
}
