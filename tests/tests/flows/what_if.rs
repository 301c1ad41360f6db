//! What-if: work is chosen, sized, broken, really done and compared, by keyboard and by mouse.

use app::view_state::{Lower, View};
use egui::{Key, Modifiers, Role};
use egui_kittest::kittest::Queryable as _;
use planning::plan::{Scenario, ScenarioId};
use simulator::collective::Collective;
use simulator::dtype::Dtype;
use simulator::trial::{Exchange, Gemm, Trial};
use topology::shape::Shape;

use crate::drive::*;

/// The sample's roadmap with these scenarios alone, in What-if.
fn what_if(scenarios: Vec<Scenario>) -> Window {
    let mut plan = roadmap_plan();
    plan.scenarios = scenarios.into();
    let mut window = window(app_of(plan));
    ctrl(&mut window, Key::Num4);
    window
}

fn scenario(id: u32, generation: &str, shape: Shape, trial: Trial) -> Scenario {
    let mut scenario = planning::sample().scenarios[0].clone();
    scenario.id = ScenarioId(id);
    scenario.name = format!("scenario {id}");
    scenario.generation = topology::chip::GenerationId(generation.to_owned());
    scenario.shape = shape;
    scenario.twisted = false;
    scenario.trial = Some(trial);
    scenario
}

fn gemm(m: u64) -> Trial {
    Trial::Gemm(Gemm { m, k: 256, n: 256, dtype: Dtype::Bf16 })
}

fn seconds(window: &Window) -> Option<f64> {
    let app = window.state();
    let found = app.trials.answer(app.chosen_scenario()?)?;
    (!found.is_stale).then(|| found.result.as_ref().map(|answer| answer.seconds.get()).ok())?
}

/// Replaces what stands in a field.
fn retype(window: &mut Window, name: &str, text: &str) {
    window.get_by_role_and_label(Role::TextInput, name).focus();
    window.run();
    ctrl(window, Key::A);
    type_into(window, name, text);
}

/// Protects: the answer follows what is typed, a size is one undo step however many digits it has, and a text that is
/// no size is kept with its reason instead of being lost.
#[test]
fn the_answer_follows_a_typed_size_and_undo_brings_it_back() {
    let mut window = what_if(vec![scenario(1, "v6e", Shape::flat(1, 1), gemm(8192))]);
    let before = seconds(&window).unwrap();
    retype(&mut window, "Rows M", "65,536");
    wait_until(&mut window, "the new answer is there", |window| seconds(window).is_some_and(|now| now > 2.0 * before));
    assert_eq!(window.state().chosen_scenario().unwrap().trial, Some(gemm(65_536)));
    retype(&mut window, "Rows M", "many");
    assert_eq!(
        window.state().chosen_scenario().unwrap().trial,
        Some(gemm(65_536)),
        "the plan keeps the last sound size"
    );
    assert!(says(&window, "many"), "what was typed stays");
    window.get_by_role_and_label(Role::TextInput, "Failed component").focus();
    window.run();
    starting_with(&window, Role::Button, "Undo").click();
    window.run();
    assert_eq!(window.state().chosen_scenario().unwrap().trial, Some(gemm(8192)), "one step back");
}

/// Protects: Ctrl+Enter really computes the product and says that the result is right.
#[test]
fn a_product_is_really_done() {
    let mut window = what_if(vec![scenario(1, "v6e", Shape::flat(1, 1), gemm(300))]);
    window.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    window.run();
    wait_until(&mut window, "it is done", |window| says(window, "The result is right"));
    assert!(!window.state().trials.is_running());
    assert!(says(&window, "76,800, all"), "300 x 256 elements are checked");
}

/// Protects: a failed link is typed once, changes the answer, and says what it did; a lost chip is an error with its
/// remedy, never a number.
#[test]
fn a_fault_changes_the_answer_and_says_how() {
    let exchange = Exchange { kind: Collective::AllGather, bytes: 1 << 28, axes: "x".to_owned() };
    let mut window = what_if(vec![scenario(1, "v5p", Shape::solid(4, 4, 4), Trial::Collective(exchange))]);
    let before = seconds(&window).unwrap();
    type_into(&mut window, "Failed component", "link:0,0,0:x");
    button(&mut window, "Add");
    wait_until(&mut window, "the ring is a line", |window| seconds(window).is_some_and(|now| now > 1.5 * before));
    assert!(says(&window, "became a line"));
    type_into(&mut window, "Failed component", "chip:1,1,1");
    button(&mut window, "Add");
    wait_until(&mut window, "the slice cannot run it", |window| says(window, "do not work"));
    assert_eq!(seconds(&window), None);
    button(&mut window, "chip 1 1 1");
    wait_until(&mut window, "it runs again", |window| seconds(window).is_some_and(|now| now > 1.5 * before));
}

/// Protects: every picture of every kind of work of the sample can be looked at.
#[test]
fn every_sample_scenario_has_its_pictures() {
    let scenarios = planning::sample().scenarios.to_vec();
    let ids: Vec<ScenarioId> = scenarios.iter().map(|scenario| scenario.id).collect();
    let mut window = what_if(scenarios);
    for id in ids {
        window.state_mut().view.what_if.scenario = Some(id);
        for lower in [Lower::Roofline, Lower::Links, Lower::Array] {
            window.state_mut().view.what_if.lower = lower;
            window.run();
            assert!(seconds(&window).is_some(), "{id:?} has an answer");
            assert!(says(&window, "podium "), "{id:?} has its command");
        }
    }
}

/// Protects: a scenario is added as a copy and compared with the first one, and is taken from the map with its slice.
#[test]
fn scenarios_are_added_and_taken_from_the_map() {
    let mut plan = small_plan();
    plan.scenarios = vec![scenario(1, "v6e", Shape::flat(1, 1), gemm(512))].into();
    let mut window = window(app_of(plan));
    ctrl(&mut window, Key::Num4);
    button(&mut window, "Add scenario");
    assert_eq!(window.state().model.plan().scenarios.len(), 2);
    wait_until(&mut window, "both are answered", |window| seconds(window).is_some());
    assert!(says(&window, "scenario 1 2") || says(&window, "Baseline"));
    ctrl(&mut window, Key::Num2);
    press(&mut window, Key::W);
    assert!(says(&window, "Select a slice first"));
    let pod = window.state().model.plan().fleet.pods[0].clone();
    let slice = pod.slices[0].clone();
    window
        .state_mut()
        .intents
        .push(app::intent::Intent::Select(app::view_state::Selection::Slice(pod.id.clone(), slice.id.clone())));
    window.run();
    press(&mut window, Key::W);
    assert_eq!(window.state().view.view, View::WhatIf);
    let taken = window.state().chosen_scenario().unwrap();
    assert_eq!((taken.shape, taken.twisted), (slice.shape, slice.twisted));
    assert_eq!(taken.generation, pod.generation);
}
