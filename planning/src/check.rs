//! What is wrong with a plan that can be read: names that lead nowhere, dates that contradict each other, fleets that
//! cannot exist. Findings, not errors: such a plan opens, and each finding says where.

use std::collections::BTreeSet;

use topology::check::check_fleet;
use topology::chip::Catalog;
use topology::finding::{Finding, Severity};
use topology::fleet::TeamId;

use crate::plan::{Anchor, Plan, SliceRef};
use crate::roadmap::{Item, Roadmap};
use crate::schedule::schedule;

/// Everything that is wrong with a plan: its fleet first, then the roadmap, scenarios and notes; nothing if all is well.
pub fn check_plan(plan: &Plan, catalog: &Catalog) -> Vec<Finding> {
    let mut findings = check_fleet(&plan.fleet, catalog);
    let mut check = Check { plan, catalog, findings: &mut findings };
    check.teams();
    check.jobs();
    check.roadmap_names();
    check.planning();
    for item in &plan.roadmap.items {
        check.item(item);
    }
    check.gates();
    check.scenarios();
    check.notes();
    check.sources();
    findings
}

struct Check<'a> {
    plan: &'a Plan,
    catalog: &'a Catalog,
    findings: &'a mut Vec<Finding>,
}

impl Check<'_> {
    fn report(&mut self, severity: Severity, code: &'static str, place: String, message: String) {
        self.findings.push(Finding::new(severity, code, place, message));
    }

    /// Reports each name that comes a second time.
    fn unique<'n>(&mut self, what: &str, code: &'static str, names: impl Iterator<Item = &'n str>) {
        let mut seen = BTreeSet::new();
        for name in names {
            if !seen.insert(name) {
                self.report(Severity::Error, code, format!("{what} {name}"), format!("two {what}s are called {name}"));
            }
        }
    }

    fn teams(&mut self) {
        let plan = self.plan;
        // A fleet file has no list of teams, so there is nothing that a name could be missing from.
        if plan.teams.is_empty() {
            return;
        }
        self.unique("team", "duplicate-team", plan.teams.iter().map(|team| team.id.0.as_str()));
        for pod in &plan.fleet.pods {
            for slice in &pod.slices {
                self.team(slice.team.as_ref(), &format!("pod {}, slice {}", pod.id, slice.id));
            }
        }
    }

    fn jobs(&mut self) {
        let mut seen = BTreeSet::new();
        for job in self.plan.jobs.iter() {
            let slice = SliceRef { pod: job.pod.clone(), slice: job.slice.clone() };
            let place = format!("job of slice {slice}");
            if !self.plan.has_slice(&slice) {
                let message = format!("there is no slice {slice}");
                self.report(Severity::Warning, "dangling-job", place.clone(), message);
            }
            if !seen.insert(slice) {
                self.report(Severity::Error, "two-jobs", place, "the slice has two jobs; a slice runs one".to_owned());
            }
        }
    }

    fn team(&mut self, team: Option<&TeamId>, place: &str) {
        if let Some(team) = team.filter(|team| self.plan.team_color(team).is_none()) {
            let message = format!("there is no team {team}");
            self.report(Severity::Warning, "unknown-team", place.to_owned(), message);
        }
    }

    fn roadmap_names(&mut self) {
        let roadmap: &Roadmap = &self.plan.roadmap;
        self.unique("item", "duplicate-item", roadmap.items.iter().map(|item| item.id.0.as_str()));
        self.unique("gate", "duplicate-gate", roadmap.gates.iter().map(|gate| gate.name.as_str()));
        self.unique("column", "duplicate-column", roadmap.columns.iter().map(|column| column.name.as_str()));
        self.unique("lane", "duplicate-lane", roadmap.lanes.iter().map(String::as_str));
        // Whether items wait for each other does not depend on the day.
        if let Err(circle) = schedule(roadmap, jiff::civil::Date::ZERO) {
            self.report(Severity::Error, "dependency-circle", "roadmap".to_owned(), circle.to_string());
        }
    }

    /// Calendars, risks, decisions and matrices.
    fn planning(&mut self) {
        let roadmap = &self.plan.roadmap;
        self.unique("calendar", "duplicate-calendar", roadmap.calendars.iter().map(|calendar| calendar.name.as_str()));
        self.unique("risk", "duplicate-risk", roadmap.risks.iter().map(|risk| risk.id.as_str()));
        self.unique("decision", "duplicate-decision", roadmap.decisions.iter().map(|decision| decision.id.as_str()));
        self.unique("matrix", "duplicate-matrix", roadmap.matrices.iter().map(|matrix| matrix.name.as_str()));
        for calendar in &roadmap.calendars {
            if let Err(error) = calendar.check() {
                self.report(Severity::Error, "bad-calendar", format!("calendar {}", calendar.name), error.to_string());
            }
        }
        let known = |name: &String| roadmap.calendars.iter().any(|calendar| calendar.name == *name);
        let own = roadmap.calendar.iter().map(|name| ("roadmap".to_owned(), name));
        let of_items =
            roadmap.items.iter().filter_map(|item| Some((format!("item {}", item.id), item.calendar.as_ref()?)));
        let dangling: Vec<_> = own.chain(of_items).filter(|(_, name)| !known(name)).collect();
        for (place, name) in dangling {
            self.report(Severity::Warning, "dangling-name", place, format!("there is no calendar {name}"));
        }
        for risk in &roadmap.risks {
            if let Some(gate) = risk.gate.as_ref().filter(|gate| roadmap.gate(gate).is_none()) {
                let message = format!("there is no gate {gate}");
                self.report(Severity::Warning, "dangling-name", format!("risk {}", risk.id), message);
            }
        }
    }

    fn item(&mut self, item: &Item) {
        let place = format!("item {}", item.id);
        let roadmap = &self.plan.roadmap;
        self.team(item.team.as_ref(), &place);
        let refers = [
            ("lane", item.lane.as_ref().filter(|lane| !roadmap.lanes.contains(lane))),
            ("gate", item.gate.as_ref().filter(|gate| roadmap.gate(gate).is_none())),
            ("column", item.column.as_ref().filter(|column| roadmap.column(column).is_none())),
        ];
        for (what, name) in refers {
            if let Some(name) = name {
                self.report(Severity::Warning, "dangling-name", place.clone(), format!("there is no {what} {name}"));
            }
        }
        for link in item.depends_on.iter().filter(|link| roadmap.item(&link.on).is_none()) {
            let message = format!("it waits for {}, which does not exist", link.on);
            self.report(Severity::Warning, "dangling-dependency", place.clone(), message);
        }
        let has_bad_baseline = item.baseline.is_some_and(|baseline| baseline.finish < baseline.start);
        let has_bad_dates = item.start.zip(item.finish).is_some_and(|(start, finish)| finish < start);
        if has_bad_dates || has_bad_baseline {
            let what = if has_bad_dates { "it" } else { "its baseline" };
            let message = format!("{what} ends before it starts");
            self.report(Severity::Error, "ends-before-start", place.clone(), message);
        }
        if item.start.is_some() != item.finish.is_some() {
            let message = "it has only one of start and finish, so it has no bar".to_owned();
            self.report(Severity::Warning, "half-dated", place.clone(), message);
        }
        if item.forecast.is_some_and(|forecast| forecast.p85 < forecast.p50) {
            let message = "its P85 lies before its P50".to_owned();
            self.report(Severity::Error, "forecast-order", place, message);
        }
    }

    fn gates(&mut self) {
        let roadmap = &self.plan.roadmap;
        for gate in &roadmap.gates {
            let place = format!("gate {}", gate.name);
            self.team(gate.team.as_ref(), &place);
            for need in gate.needs.iter().filter(|need| roadmap.item(need).is_none()) {
                let message = format!("it needs {need}, which does not exist");
                self.report(Severity::Warning, "dangling-need", place.clone(), message);
            }
            if gate.forecast.is_some_and(|forecast| forecast.p85 < forecast.p50) {
                let message = "its P85 lies before its P50".to_owned();
                self.report(Severity::Error, "forecast-order", place, message);
            }
        }
    }

    fn scenarios(&mut self) {
        let plan = self.plan;
        let mut seen = BTreeSet::new();
        for scenario in plan.scenarios.iter() {
            let place = format!("scenario {}", scenario.name);
            if !seen.insert(scenario.id) {
                let message = format!("two scenarios have the number {}", scenario.id.0);
                self.report(Severity::Error, "duplicate-scenario", place.clone(), message);
            }
            match self.catalog.get(&scenario.generation) {
                None => {
                    let message = format!("the catalogue has no generation \"{}\"", scenario.generation);
                    self.report(Severity::Warning, "unknown-generation", place, message);
                }
                Some(generation) => {
                    if let Err(illegal) = topology::rules::check_shape(generation, scenario.shape) {
                        self.report(Severity::Warning, "illegal-shape", place, illegal.to_string());
                    }
                }
            }
        }
    }

    fn sources(&mut self) {
        let plan = self.plan;
        self.unique("source", "duplicate-source", plan.sources.iter().map(|source| source.name.as_str()));
        for source in plan.sources.iter() {
            for binding in &source.mapping.manual {
                let pod = plan.fleet.pod(&binding.pod);
                if pod.is_none_or(|pod| !pod.shape.contains(binding.chip)) {
                    let message = format!(
                        "{} is bound to chip {} of pod {}, which does not exist",
                        binding.labels, binding.chip, binding.pod
                    );
                    self.report(Severity::Warning, "dangling-binding", format!("source {}", source.name), message);
                }
            }
        }
    }

    fn notes(&mut self) {
        let plan = self.plan;
        let mut seen = BTreeSet::new();
        for note in plan.notes.iter() {
            let place = format!("note {}", note.id.0);
            if !seen.insert(note.id) {
                let message = format!("two notes have the number {}", note.id.0);
                self.report(Severity::Error, "duplicate-note", place.clone(), message);
            }
            let missing = match &note.anchor {
                Some(Anchor::Pod(id)) if plan.fleet.pod(id).is_none() => format!("pod {id}"),
                Some(Anchor::Slice(slice)) if !plan.has_slice(slice) => format!("slice {slice}"),
                Some(Anchor::Item(id)) if plan.roadmap.item(id).is_none() => format!("item {id}"),
                Some(Anchor::Gate(name)) if plan.roadmap.gate(name).is_none() => format!("gate {name}"),
                _ => continue,
            };
            let message = format!("it is pinned to {missing}, which does not exist");
            self.report(Severity::Warning, "dangling-note", place, message);
        }
    }
}
