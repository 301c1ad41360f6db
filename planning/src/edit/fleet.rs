//! Edits of the fleet: slices and faults, held to the same rules as a check of the file.

use std::sync::Arc;

use simulator::live::{Job, LiveWorkload};
use topology::check::check_fleet;
use topology::chip::Catalog;
use topology::finding::{Finding, Severity};
use topology::fleet::{Component, Fault, Fleet, Place, Pod, PodId, Slice, SliceId};

use crate::edit::{EditError, one_line, release_notes};
use crate::plan::{Anchor, Plan, SliceRef};

pub(super) fn replace(plan: &mut Plan, fleet: Arc<Fleet>) {
    plan.fleet = fleet;
    if plan.jobs.iter().any(|job| !has_slice_of(plan, job)) {
        let jobs = plan.jobs.iter().filter(|job| has_slice_of(plan, job)).cloned().collect();
        plan.jobs = Arc::new(jobs);
    }
    let now = Plan { fleet: Arc::clone(&plan.fleet), ..Plan::default() };
    release_notes(plan, |anchor| match anchor {
        Anchor::Pod(pod) => now.fleet.pod(pod).is_none(),
        Anchor::Slice(slice) => !now.has_slice(slice),
        Anchor::Item(_) | Anchor::Gate(_) => false,
    });
}

pub(super) fn place(plan: &mut Plan, pod: &PodId, mut slice: Slice) -> Result<(), EditError> {
    slice.id = SliceId(one_line("name", slice.id.0)?);
    let pod = pod_mut(plan, pod)?;
    free_name(pod, &slice.id)?;
    by_the_rules(pod, |pod| pod.slices.push(slice))
}

pub(super) fn move_slice(plan: &mut Plan, slice: &SliceRef, place: Place) -> Result<(), EditError> {
    let (pod, index) = slice_mut(plan, slice)?;
    by_the_rules(pod, |pod| pod.slices[index].place = place)
}

pub(super) fn remove(plan: &mut Plan, slice: &SliceRef) -> Result<(), EditError> {
    let (pod, index) = slice_mut(plan, slice)?;
    pod.slices.remove(index);
    release_notes(plan, |anchor| *anchor == Anchor::Slice(slice.clone()));
    if plan.workload(slice).is_some() {
        Arc::make_mut(&mut plan.jobs).retain(|job| !slice.is_of(job));
    }
    Ok(())
}

pub(super) fn set_workload(plan: &mut Plan, slice: &SliceRef, workload: Option<LiveWorkload>) -> Result<(), EditError> {
    if !plan.has_slice(slice) {
        return Err(EditError::Missing { what: "slice", name: slice.to_string() });
    }
    let jobs = Arc::make_mut(&mut plan.jobs);
    match (jobs.iter_mut().find(|job| slice.is_of(job)), workload) {
        (Some(job), Some(workload)) => job.workload = workload,
        (None, Some(workload)) => {
            jobs.push(Job { pod: slice.pod.clone(), slice: slice.slice.clone(), workload });
        }
        (_, None) => jobs.retain(|job| !slice.is_of(job)),
    }
    Ok(())
}

fn has_slice_of(plan: &Plan, job: &Job) -> bool {
    plan.has_slice(&SliceRef { pod: job.pod.clone(), slice: job.slice.clone() })
}

pub(super) fn rename(plan: &mut Plan, slice: &SliceRef, name: SliceId) -> Result<(), EditError> {
    let name = SliceId(one_line("name", name.0)?);
    let (pod, index) = slice_mut(plan, slice)?;
    if name == slice.slice {
        return Ok(());
    }
    free_name(pod, &name)?;
    pod.slices[index].id = name.clone();
    if plan.workload(slice).is_some() {
        for job in Arc::make_mut(&mut plan.jobs).iter_mut().filter(|job| slice.is_of(job)) {
            job.slice = name.clone();
        }
    }
    let (old, new) = (Anchor::Slice(slice.clone()), SliceRef { slice: name, ..slice.clone() });
    if plan.notes.iter().any(|note| note.anchor.as_ref() == Some(&old)) {
        for note in Arc::make_mut(&mut plan.notes).iter_mut().filter(|note| note.anchor.as_ref() == Some(&old)) {
            note.anchor = Some(Anchor::Slice(new.clone()));
        }
    }
    Ok(())
}

pub(super) fn set_fault(plan: &mut Plan, pod: &PodId, fault: Fault) -> Result<(), EditError> {
    by_the_rules(pod_mut(plan, pod)?, |pod| match pod.faults.iter_mut().find(|old| old.component == fault.component) {
        Some(old) => *old = fault,
        None => pod.faults.push(fault),
    })
}

pub(super) fn clear_fault(plan: &mut Plan, pod: &PodId, component: Component) -> Result<(), EditError> {
    let pod = pod_mut(plan, pod)?;
    let before = pod.faults.len();
    pod.faults.retain(|fault| fault.component != component);
    if pod.faults.len() == before {
        return Err(EditError::Missing { what: "fault", name: format!("of that component on {}", pod.id) });
    }
    Ok(())
}

fn pod_mut<'a>(plan: &'a mut Plan, id: &PodId) -> Result<&'a mut Pod, EditError> {
    let pod = Arc::make_mut(&mut plan.fleet).pods.iter_mut().find(|pod| pod.id == *id);
    pod.ok_or_else(|| EditError::Missing { what: "pod", name: id.0.clone() })
}

fn slice_mut<'a>(plan: &'a mut Plan, slice: &SliceRef) -> Result<(&'a mut Pod, usize), EditError> {
    let pod = pod_mut(plan, &slice.pod)?;
    let index = pod.slices.iter().position(|other| other.id == slice.slice);
    let index = index.ok_or_else(|| EditError::Missing { what: "slice", name: slice.to_string() })?;
    Ok((pod, index))
}

fn free_name(pod: &Pod, name: &SliceId) -> Result<(), EditError> {
    let is_taken = pod.slices.iter().any(|slice| slice.id == *name);
    if is_taken { Err(EditError::Taken { what: "slice", name: name.0.clone() }) } else { Ok(()) }
}

/// Makes a change that must not break a rule that held before; what was already broken may stay so.
fn by_the_rules(pod: &mut Pod, change: impl FnOnce(&mut Pod)) -> Result<(), EditError> {
    let before = errors(pod);
    change(pod);
    match errors(pod).into_iter().find(|finding| !before.contains(finding)) {
        None => Ok(()),
        Some(broken) => {
            Err(EditError::Rule { code: broken.code, reason: format!("{}: {}", broken.where_, broken.message) })
        }
    }
}

fn errors(pod: &Pod) -> Vec<Finding> {
    let fleet = Fleet { name: String::new(), pods: vec![pod.clone()] };
    let findings = check_fleet(&fleet, Catalog::embedded());
    findings.into_iter().filter(|finding| finding.severity == Severity::Error).collect()
}
