//! Any other series: a table with a column of dates and a column of numbers, mapped by the user.

use std::collections::BTreeMap;

use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize};
use topology::finding::{Finding, Severity};

use crate::import::moment::{DayOrder, civil, order_of};
use crate::import::table::{Table, short};
use crate::import::{Findings, cell};

/// How numbers of one day are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Join {
    /// The last row of the day.
    #[default]
    Last,
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
}

/// Which columns mean what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// Heading of the column of dates.
    pub date: String,
    /// Heading of the column of numbers.
    pub value: String,
    /// A column and the text that rows must have in it.
    #[serde(default)]
    pub filter: Option<(String, String)>,
    /// How numbers of one day are joined.
    #[serde(default)]
    pub join: Join,
}

/// Numbers by day, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// The numbers.
    pub points: Vec<(Date, f64)>,
    /// What was strange.
    pub findings: Vec<Finding>,
}

/// Reads a series.
pub fn read(text: &str, mapping: &Mapping, order: Option<DayOrder>) -> Series {
    let mut findings = Findings::default();
    let table = Table::read(text, &mut findings);
    let [date, value] = [&mapping.date, &mapping.value].map(|name| table.required(&[name], &mut findings));
    let filter =
        mapping.filter.as_ref().map(|(column, text)| (table.required(&[column], &mut findings), text.as_str()));
    let order = order.or_else(|| order_of(table.rows.iter().filter_map(|row| row.cell(date))));
    let mut days: BTreeMap<Date, Vec<f64>> = BTreeMap::new();
    for row in &table.rows {
        if filter.is_some_and(|(column, text)| row.cell(column) != Some(text)) {
            continue;
        }
        let Some(text) = row.cell(date) else { continue };
        let Some(day) = civil(text, order).map(DateTime::date) else {
            let message = format!("\"{}\" is no date that can be read in one way", short(text));
            findings.add(Severity::Error, "bad-date", cell(row.number, &mapping.date), message);
            continue;
        };
        // An empty cell is a day without a number, not a zero.
        if let Some(number) = row.number((&table, value), &mut findings) {
            days.entry(day).or_default().push(number);
        }
    }
    let joined = |numbers: Vec<f64>| match mapping.join {
        Join::Last => numbers.last().copied().unwrap_or_default(),
        Join::Sum => numbers.iter().sum(),
        Join::Mean => numbers.iter().sum::<f64>() / numbers.len() as f64,
    };
    let points = days.into_iter().map(|(day, numbers)| (day, joined(numbers))).collect();
    Series { points, findings: findings.into_list() }
}

impl Series {
    /// The newest number at or before a day, with its day.
    pub fn at(&self, as_of: Date) -> Option<(Date, f64)> {
        self.points.iter().rev().find(|(day, _)| *day <= as_of).copied()
    }
}
