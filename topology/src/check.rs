//! Whether a fleet can exist: shapes, places, names and faults against the rules.

use std::collections::{BTreeMap, BTreeSet};

use crate::chip::{Catalog, Generation};
use crate::finding::{Finding, Severity};
use crate::fleet::{CUBE_SIDE, Component, Fleet, Place, Pod, Slice};
use crate::occupancy::turn;
use crate::place::alignment;
use crate::rules::{Twistable, check_shape};
use crate::shape::Axis;
use crate::slice::n_cubes;

/// Everything that is wrong with a fleet, pod by pod in their order; nothing if all is well.
///
/// Takes time in proportion to the chips of all slices.
pub fn check_fleet(fleet: &Fleet, catalog: &Catalog) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut names = BTreeSet::new();
    for pod in &fleet.pods {
        if !names.insert(&pod.id) {
            let message = format!("two pods are called {}", pod.id);
            findings.push(Finding::new(Severity::Error, "duplicate-pod", format!("pod {}", pod.id), message));
        }
        let mut check = PodCheck { pod, findings: &mut findings };
        check.generation(catalog);
        check.slices();
        check.overlaps();
        check.spares();
        check.faults();
        check.hosts();
    }
    findings
}

/// No machine has more chips; a box beyond it is not looked through.
const MAX_HOST_CHIPS: usize = 64;

struct PodCheck<'a> {
    pod: &'a Pod,
    findings: &'a mut Vec<Finding>,
}

impl PodCheck<'_> {
    fn report(&mut self, severity: Severity, code: &'static str, message: impl Into<String>) {
        self.findings.push(Finding::new(severity, code, format!("pod {}", self.pod.id), message));
    }

    fn report_slice(&mut self, severity: Severity, code: &'static str, slice: &Slice, message: impl Into<String>) {
        let place = format!("pod {}, slice {}", self.pod.id, slice.id);
        self.findings.push(Finding::new(severity, code, place, message));
    }

    fn generation(&mut self, catalog: &Catalog) {
        let pod = self.pod;
        let generation = match catalog.require(&pod.generation) {
            Ok(generation) => generation,
            Err(unknown) => return self.report(Severity::Error, "unknown-generation", unknown.to_string()),
        };
        if let Some(dims) = generation.torus_dims().filter(|dims| *dims != pod.shape.rank()) {
            let message = format!("{} pods have {dims} axes, not {}", generation.name, pod.shape.rank());
            self.report(Severity::Error, "pod-axes", message);
        }
        if let Some(max) = generation.pod_chips.as_ref().filter(|max| pod.shape.n_chips() > max.value as usize) {
            let message = format!(
                "{} chips are more than the {} of the largest {} pod",
                pod.shape.n_chips(),
                max.value,
                generation.name
            );
            self.report(Severity::Warning, "pod-too-large", message);
        }
        for slice in &pod.slices {
            self.legality(slice, generation);
        }
    }

    fn legality(&mut self, slice: &Slice, generation: &Generation) {
        match check_shape(generation, slice.shape) {
            Err(illegal) => self.report_slice(Severity::Error, "illegal-shape", slice, illegal.to_string()),
            Ok(legal) if slice.twisted && legal.twistable == Twistable::Never => {
                let message = format!("{} {} cannot be twisted", generation.name, slice.shape);
                self.report_slice(Severity::Error, "no-twist", slice, message);
            }
            Ok(_) => {}
        }
        if let Place::Block { at, size } = &slice.place {
            let step = alignment(generation, *size);
            if Axis::ALL.into_iter().any(|axis| !at.along(axis).is_multiple_of(step.along(axis))) {
                let message = format!("it starts at {at}, which is not a multiple of {step}");
                self.report_slice(Severity::Error, "misaligned", slice, message);
            }
        }
    }

    fn slices(&mut self) {
        let pod = self.pod;
        let mut names = BTreeSet::new();
        for slice in &pod.slices {
            if !names.insert(&slice.id) {
                let message = format!("two slices are called {}", slice.id);
                self.report_slice(Severity::Error, "duplicate-slice", slice, message);
            }
            self.place(slice);
        }
    }

    fn place(&mut self, slice: &Slice) {
        let pod = self.pod;
        match &slice.place {
            Place::Block { size, .. } => {
                if turn(slice.shape, *size).is_none() {
                    let message = format!("a box of {size} cannot hold {} in any direction", slice.shape);
                    return self.report_slice(Severity::Error, "wrong-size", slice, message);
                }
            }
            Place::Cubes(cubes) => {
                let Some(needed) = n_cubes(slice.shape).filter(|_| pod.shape.rank() == 3) else {
                    let message = format!("{} is not made of whole cubes", slice.shape);
                    return self.report_slice(Severity::Error, "not-cubes", slice, message);
                };
                if cubes.len() != needed {
                    let message = format!("{} needs {needed} cubes, has {}", slice.shape, cubes.len());
                    return self.report_slice(Severity::Error, "wrong-cube-count", slice, message);
                }
                let mut seen = BTreeSet::new();
                if let Some(twice) = cubes.iter().find(|cube| !seen.insert(**cube)) {
                    let message = format!("it has the cube {twice} twice");
                    self.report_slice(Severity::Error, "cube-twice", slice, message);
                }
            }
        }
        let outside = slice.shape.n_chips() - pod.slice_chips(slice).count();
        if outside > 0 {
            let message = format!("{outside} of its {} chips lie outside the pod {}", slice.shape.n_chips(), pod.shape);
            self.report_slice(Severity::Error, "outside-pod", slice, message);
        }
    }

    fn overlaps(&mut self) {
        let pod = self.pod;
        let mut owners: Vec<Option<usize>> = vec![None; pod.shape.n_chips()];
        for (index, slice) in pod.slices.iter().enumerate() {
            let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
            for (_, chip) in pod.slice_chips(slice) {
                let owner = owners[pod.shape.index_of(chip)].get_or_insert(index);
                if *owner != index {
                    *shared.entry(*owner).or_default() += 1;
                }
            }
            for (owner, chips) in shared {
                let message = format!("it shares {chips} chips with slice {}", pod.slices[owner].id);
                self.report_slice(Severity::Error, "slices-overlap", slice, message);
            }
        }
    }

    fn spares(&mut self) {
        let pod = self.pod;
        let owners = pod.occupancy();
        let mut seen = BTreeSet::new();
        for cube in &pod.spares {
            if !pod.cubes().is_some_and(|cubes| cubes.contains(*cube)) {
                self.report(Severity::Error, "spare-outside", format!("the spare cube {cube} lies outside the pod"));
            } else if !seen.insert(*cube) {
                self.report(Severity::Warning, "spare-twice", format!("the spare cube {cube} is listed twice"));
            }
            let users: BTreeSet<usize> =
                pod.chips_of_cube(*cube).filter_map(|chip| owners[pod.shape.index_of(chip)]).collect();
            for user in users {
                let message = format!("the spare cube {cube} is used by slice {}", pod.slices[user].id);
                self.report(Severity::Error, "spare-in-use", message);
            }
        }
    }

    fn faults(&mut self) {
        let pod = self.pod;
        for fault in &pod.faults {
            let inside = match fault.component {
                Component::Chip(chip) | Component::Host(chip) => pod.shape.contains(chip),
                Component::Link(chip, axis) => pod.shape.contains(chip) && pod.shape.axes().contains(&axis),
                Component::Cube(cube) => pod.cubes().is_some_and(|cubes| cubes.contains(cube)),
                Component::Switch(_, i, j) => {
                    u16::from(i) < CUBE_SIDE && u16::from(j) < CUBE_SIDE && pod.cubes().is_some()
                }
            };
            if !inside {
                let message = format!("a fault names {}, which this pod does not have", fault.component);
                self.report(Severity::Error, "fault-outside", message);
            }
        }
    }
}

impl PodCheck<'_> {
    /// Machines must lie inside, on chips of their own, under names of their own.
    fn hosts(&mut self) {
        let pod = self.pod;
        let mut owners: Vec<Option<usize>> = vec![None; pod.shape.n_chips()];
        let mut names = BTreeSet::new();
        for (index, host) in pod.hosts.iter().enumerate() {
            let is_small = host.block.n_chips() <= MAX_HOST_CHIPS;
            if !is_small || !host.chips().all(|chip| pod.shape.contains(chip)) {
                let message =
                    format!("the machine {} at {} of {} lies outside the pod", host.node, host.at, host.block);
                self.report(Severity::Error, "host-outside", message);
                continue;
            }
            if !names.insert((&host.cluster, &host.node)) {
                self.report(Severity::Warning, "host-twice", format!("the machine {} is listed twice", host.node));
            }
            let mut other = None;
            for chip in host.chips() {
                let owner = *owners[pod.shape.index_of(chip)].get_or_insert(index);
                other = other.or(Some(owner).filter(|owner| *owner != index));
            }
            if let Some(other) = other {
                let message = format!("the machines {} and {} have a chip in common", pod.hosts[other].node, host.node);
                self.report(Severity::Error, "hosts-overlap", message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet::Effect;
    use crate::occupancy::tests::{block, fault, pod, slice};
    use crate::shape::{Coord, Shape};

    fn findings(pods: Vec<Pod>) -> String {
        let fleet = Fleet { name: "f".to_owned(), pods };
        let found = check_fleet(&fleet, Catalog::embedded());
        let line = |f: &Finding| format!("{:?} {} ({}): {}\n", f.severity, f.code, f.where_, f.message);
        found.iter().map(line).collect()
    }

    #[test]
    fn a_fleet_within_the_rules_has_no_findings() {
        let mut pod = pod();
        pod.slices = vec![block("a", "4x4x8", [0, 0, 0]), block("b", "2x2x2", [4, 4, 0])];
        pod.slices[0].twisted = true;
        pod.spares = vec![Coord::new(1, 1, 3)];
        assert_eq!(findings(vec![pod]), "");
    }

    #[test]
    fn each_broken_rule_is_said_with_its_place() {
        let mut pod = pod();
        pod.slices = vec![
            block("a", "4x4x8", [0, 0, 0]),
            block("a", "4x4x4", [0, 0, 4]),
            slice("order", "4x8x4", Place::Block { at: Coord::new(4, 0, 0), size: Shape::solid(4, 8, 4) }),
            slice("count", "4x8x8", Place::Cubes([1, 2, 3].map(|z| Coord::new(0, 0, z)).to_vec())),
            slice("twice", "4x4x8", Place::Cubes(vec![Coord::new(1, 1, 2); 2])),
            slice("box", "4x4x8", Place::Block { at: Coord::new(4, 0, 8), size: Shape::solid(4, 4, 4) }),
            block("out", "4x4x8", [4, 0, 12]),
            block("odd", "4x4x4", [4, 2, 4]),
        ];
        pod.slices[1].twisted = true;
        pod.spares = vec![Coord::new(0, 0, 1), Coord::new(9, 0, 0)];
        pod.faults = vec![
            fault(Component::Chip(Coord::new(8, 0, 0)), Effect::Down),
            fault(Component::Switch(Axis::X, 4, 0), Effect::Down),
        ];
        expect_test::expect![[r#"
            Error no-twist (pod a, slice a): TPU v5p 4x4x4 cannot be twisted
            Error illegal-shape (pod a, slice order): TPU v5p has no slice 4x8x4: sizes must go from the smallest to the largest; the nearest are 4x4x8, 4x4x12, 4x4x4, 4x4x16
            Error misaligned (pod a, slice odd): it starts at 4 2 4, which is not a multiple of 4x4x4
            Error duplicate-slice (pod a, slice a): two slices are called a
            Error wrong-cube-count (pod a, slice count): 4x8x8 needs 4 cubes, has 3
            Error cube-twice (pod a, slice twice): it has the cube 1 1 2 twice
            Error wrong-size (pod a, slice box): a box of 4x4x4 cannot hold 4x4x8 in any direction
            Error outside-pod (pod a, slice out): 64 of its 128 chips lie outside the pod 8x8x16
            Error slices-overlap (pod a, slice a): it shares 64 chips with slice a
            Error slices-overlap (pod a, slice count): it shares 64 chips with slice a
            Error spare-in-use (pod a): the spare cube 0 0 1 is used by slice a
            Error spare-outside (pod a): the spare cube 9 0 0 lies outside the pod
            Error fault-outside (pod a): a fault names chip 8 0 0, which this pod does not have
            Error fault-outside (pod a): a fault names switch x 4 0, which this pod does not have
        "#]].assert_eq(&findings(vec![pod]));
    }

    #[test]
    fn machines_are_held_against_the_pod_and_one_another() {
        let host = |node: &str, [x, y, z]: [u16; 3], block: &str| crate::fleet::HostIdentity {
            at: Coord::new(x, y, z),
            block: block.parse().unwrap(),
            node: node.to_owned(),
            uid: None,
            instance_id: None,
            cluster: None,
        };
        let good = vec![host("a", [0, 0, 0], "2x2x1"), host("b", [2, 0, 0], "2x2x1")];
        assert_eq!(findings(vec![Pod { hosts: good, ..pod() }]), "");
        let hosts = vec![
            host("a", [0, 0, 0], "2x2x1"),
            host("b", [1, 1, 0], "2x2x1"),
            host("b", [4, 0, 0], "2x2x1"),
            host("c", [7, 0, 0], "2x2x1"),
            host("d", [0, 0, 0], "4096x4096x4096"),
            host("e", [65535, 0, 0], "2x2x1"),
        ];
        expect_test::expect![[r#"
            Error hosts-overlap (pod a): the machines a and b have a chip in common
            Warning host-twice (pod a): the machine b is listed twice
            Error host-outside (pod a): the machine c at 7 0 0 of 2x2x1 lies outside the pod
            Error host-outside (pod a): the machine d at 0 0 0 of 4096x4096x4096 lies outside the pod
            Error host-outside (pod a): the machine e at 65535 0 0 of 2x2x1 lies outside the pod
        "#]]
        .assert_eq(&findings(vec![Pod { hosts, ..pod() }]));
    }

    #[test]
    fn pods_are_held_against_their_generation() {
        let named = |id: &str, generation: &str, shape| {
            let generation = crate::chip::GenerationId(generation.to_owned());
            Pod { id: id.into(), generation, shape, ..pod() }
        };
        expect_test::expect![[r#"
            Error unknown-generation (pod a): there is no chip generation "v5q"; did you mean v5e or v5p?
            Error duplicate-pod (pod a): two pods are called a
            Error pod-axes (pod a): TPU v5e pods have 2 axes, not 3
            Warning pod-too-large (pod b): 512 chips are more than the 256 of the largest TPU v6e pod
        "#]]
        .assert_eq(&findings(vec![
            named("a", "v5q", Shape::flat(4, 4)),
            named("a", "v5e", Shape::solid(4, 4, 4)),
            named("b", "v6e", Shape::flat(32, 16)),
        ]));
    }
}
