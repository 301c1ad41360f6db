//! Scenarios of the What-if view: copies, and those that are taken from the map.

use planning::edit::Edit;
use planning::plan::{Scenario, ScenarioId};
use simulator::dtype::Dtype;
use simulator::trial::{Gemm, Trial};
use topology::chip::GenerationId;
use topology::fleet::{Component, Pod, Slice};
use topology::shape::Shape;

use crate::app::App;
use crate::model::Severity;
use crate::view_state::View;

impl App {
    /// Adds a copy of the scenario that is shown, or a first one, and shows it.
    pub(super) fn add_scenario(&mut self) {
        let id = self.next_scenario();
        let scenario = match self.chosen_scenario() {
            Some(shown) => Scenario { id, name: copy_name(self, &shown.name), ..shown.clone() },
            None => Scenario {
                id,
                name: "One product".to_owned(),
                generation: GenerationId("v6e".to_owned()),
                shape: Shape::flat(2, 2),
                twisted: false,
                n_slices: 1,
                workload: None,
                trial: Some(Trial::Gemm(Gemm { m: 8192, k: 8192, n: 8192, dtype: Dtype::Bf16 })),
                faults: Vec::new(),
            },
        };
        self.show_scenario(scenario);
    }

    /// Adds a scenario of the selected slice, with what is broken in it now, and shows it.
    pub(super) fn take_slice(&mut self) {
        let Some((pod, slice)) = self.selected_slice() else {
            self.model.notify(Severity::Info, "Select a slice first", "What-if takes its size and its faults");
            return;
        };
        let scenario = Scenario {
            id: self.next_scenario(),
            name: copy_name(self, &slice.id.0),
            generation: pod.generation.clone(),
            shape: slice.shape,
            twisted: slice.twisted,
            n_slices: 1,
            workload: self
                .model
                .plan()
                .jobs
                .iter()
                .find(|job| job.pod == pod.id && job.slice == slice.id)
                .map(|job| job.workload.clone()),
            trial: self.chosen_scenario().and_then(|shown| shown.trial.clone()),
            faults: faults_of(pod, slice),
        };
        self.show_scenario(scenario);
    }

    fn show_scenario(&mut self, scenario: Scenario) {
        self.view.view = View::WhatIf;
        self.view.what_if.scenario = Some(scenario.id);
        self.edit(None, Edit::AddScenario(Box::new(scenario)));
    }

    fn next_scenario(&self) -> ScenarioId {
        let largest = self.model.plan().scenarios.iter().map(|scenario| scenario.id.0).max();
        ScenarioId(largest.map_or(1, |largest| largest.saturating_add(1)))
    }
}

/// A name that no scenario has: "moe-long", then "moe-long 2".
fn copy_name(app: &App, name: &str) -> String {
    let is_taken = |name: &str| app.model.plan().scenarios.iter().any(|scenario| scenario.name == name);
    let stem = match name.rsplit_once(' ') {
        Some((stem, number)) if number.parse::<u32>().is_ok() => stem,
        _ => name,
    };
    let numbered = (2..).map(|n: u32| format!("{stem} {n}"));
    let mut names = [name.to_owned()].into_iter().chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_else(|| name.to_owned())
}

/// What is down in a slice, in coordinates of the slice. Slow and silent components still work.
fn faults_of(pod: &Pod, slice: &Slice) -> Vec<Component> {
    let outage = pod.faults_of(slice).outage;
    let chips = outage.chips.into_iter().map(Component::Chip);
    chips.chain(outage.links.into_iter().map(|link| Component::Link(link.from, link.axis))).take(MOST_FAULTS).collect()
}

/// Faults that a scenario may hold; a file with more is refused.
const MOST_FAULTS: usize = 1_000;
