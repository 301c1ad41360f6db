//! Edits of scenarios.

use std::sync::Arc;

use crate::edit::{EditError, one_line};
use crate::plan::{Plan, Scenario, ScenarioId};

pub(super) fn add(plan: &mut Plan, scenario: Scenario) -> Result<(), EditError> {
    if plan.scenario(scenario.id).is_some() {
        return Err(EditError::Taken { what: "scenario", name: scenario.id.0.to_string() });
    }
    let scenario = checked(scenario)?;
    Arc::make_mut(&mut plan.scenarios).push(scenario);
    Ok(())
}

pub(super) fn set(plan: &mut Plan, scenario: Scenario) -> Result<(), EditError> {
    let index = plan.scenarios.iter().position(|other| other.id == scenario.id).ok_or_else(|| missing(scenario.id))?;
    let scenario = checked(scenario)?;
    Arc::make_mut(&mut plan.scenarios)[index] = scenario;
    Ok(())
}

pub(super) fn delete(plan: &mut Plan, id: ScenarioId) -> Result<(), EditError> {
    plan.scenario(id).ok_or_else(|| missing(id))?;
    Arc::make_mut(&mut plan.scenarios).retain(|scenario| scenario.id != id);
    Ok(())
}

fn missing(id: ScenarioId) -> EditError {
    EditError::Missing { what: "scenario", name: id.0.to_string() }
}

/// What a file could not hold is not taken up.
fn checked(mut scenario: Scenario) -> Result<Scenario, EditError> {
    scenario.name = one_line("name", scenario.name)?;
    if let Some(trial) = &scenario.trial {
        for text in trial.texts().filter(|text| !text.is_empty()) {
            one_line("text", text.to_owned())?;
        }
    }
    scenario.faults.sort_unstable();
    scenario.faults.dedup();
    Ok(scenario)
}
