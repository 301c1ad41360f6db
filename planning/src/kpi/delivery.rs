//! Adherence to milestones, cycle and lead time, throughput.

use jiff::civil::Date;

use super::{Measured, Row};
use crate::import::record::{Record, Standing};
use crate::roadmap::{Roadmap, days_between};

fn gate_row(name: &str, days: i32, is_good: bool, is_open: bool) -> Row {
    let remark = match (is_open, days) {
        (true, _) => format!("open, {days} days overdue"),
        (false, 0) => "on its day".to_owned(),
        (false, 1..) => format!("{days} days late"),
        (false, _) => format!("{} days early", -days),
    };
    Row { label: name.to_owned(), value: Some(f64::from(days)), is_good: Some(is_good), remark }
}

/// Gates whose baseline lies at or before the as-of date: passed in time, of all. An open one is a miss. Rows carry the
/// slip in days.
pub fn adherence(roadmap: &Roadmap, as_of: Date) -> Measured {
    let due = roadmap.gates.iter().filter_map(|gate| Some((gate, gate.baseline.filter(|due| *due <= as_of)?)));
    let rows = due.map(|(gate, due)| {
        let passed = gate.passed.filter(|passed| *passed <= as_of);
        let slip = days_between(due, passed.unwrap_or(as_of));
        gate_row(&gate.name, slip, passed.is_some() && slip <= 0, passed.is_none())
    });
    Measured::share(rows.collect())
}

/// Gates that were passed: in time, of all passed ones with a baseline.
pub fn adherence_closed(roadmap: &Roadmap, as_of: Date) -> Measured {
    let passed =
        roadmap.gates.iter().filter_map(|gate| Some((gate, gate.baseline?, gate.passed.filter(|p| *p <= as_of)?)));
    let rows = passed.map(|(gate, due, passed)| {
        let slip = days_between(due, passed);
        gate_row(&gate.name, slip, slip <= 0, false)
    });
    Measured::share(rows.collect())
}

/// Mean and median slip in days of passed gates; absent if there is none.
pub fn slip_days(roadmap: &Roadmap, as_of: Date) -> Option<(f64, f64)> {
    let mut slips: Vec<f64> = adherence_closed(roadmap, as_of).rows.iter().filter_map(|row| row.value).collect();
    slips.sort_by(f64::total_cmp);
    let n = slips.len();
    let median = (slips.get(n / 2)? + slips.get(n.saturating_sub(1) / 2)?) / 2.0;
    Some((slips.iter().sum::<f64>() / n as f64, median))
}

/// Open gates whose planned day lies before the as-of date, with the days since.
pub fn overdue(roadmap: &Roadmap, as_of: Date) -> Vec<(&str, i32)> {
    let open = roadmap.gates.iter().filter(|gate| gate.passed.is_none() && gate.planned < as_of);
    open.map(|gate| (gate.name.as_str(), days_between(gate.planned, as_of))).collect()
}

fn times(records: &[Record], days: impl Fn(&Record) -> Option<f64>, share: f64) -> Measured {
    let done = records.iter().filter(|record| record.standing == Standing::Done);
    let rows = done.filter_map(|record| {
        let value = Some(days(record).filter(|days| *days >= 0.0)?);
        Some(Row { label: record.key.clone(), value, is_good: None, remark: record.title.clone() })
    });
    Measured::quantile(rows.collect(), share)
}

/// That quantile of cycle times in days.
pub fn cycle_time(records: &[Record], share: f64) -> Measured {
    times(records, Record::cycle_days, share)
}

/// That quantile of lead times in days.
pub fn lead_time(records: &[Record], share: f64) -> Measured {
    times(records, Record::lead_days, share)
}

/// Items of the roadmap that were closed in the seven days up to the as-of date; absent if none has a real end at all.
pub fn throughput(roadmap: &Roadmap, as_of: Date) -> Measured {
    let closed = || roadmap.items.iter().filter_map(|item| Some((item, item.closed?)));
    let rows: Vec<Row> = closed()
        .filter(|(_, closed)| (0..7).contains(&days_between(*closed, as_of)))
        .map(|(item, closed)| Row {
            label: item.id.0.clone(),
            value: None,
            is_good: None,
            remark: format!("{}, closed {closed}", item.title),
        })
        .collect();
    Measured { value: closed().next().map(|_| rows.len() as f64), rows }
}
