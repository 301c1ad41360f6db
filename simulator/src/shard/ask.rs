//! Prices all ways to do a sharded product and tells the quickest, the others, and how the numbers were made.

use topology::chip::Generation;
use topology::graph::{Network, Outage};
use topology::units::Byte;

use super::ShardError;
use super::answer::{Answer, AxisCase, Case, Overlap, Plan};
use super::choice::choices;
use super::plan::{Machine, price};
use super::problem::{Problem, Role};
use super::timeline::timeline;
use crate::collective::Fabric;
use crate::explain::Term;

/// Answers a sharded product on the chips of a generation; the mesh of the problem lies on the torus of the slice.
///
/// # Errors
/// If the generation lacks a figure, or no way to do the product cuts every dimension equally.
pub fn answer(problem: &Problem, generation: &Generation, overlap: Overlap) -> Result<Answer, ShardError> {
    ask(problem, generation, &Machine::new(generation, overlap)?)
}

/// The same where something of the slice does not work: the bytes of every link are counted around it.
///
/// # Errors
/// As [`answer()`], and if a chip of the slice is lost or a collective has no way left.
pub fn answer_under_faults(
    problem: &Problem,
    generation: &Generation,
    overlap: Overlap,
    outage: Outage,
) -> Result<Answer, ShardError> {
    let fabric = Fabric::of_network(Network::new(*problem.mesh().torus(), outage), generation)?;
    fabric.check_chips()?;
    let machine = Machine { fabric: Some(fabric), ..Machine::new(generation, overlap)? };
    ask(problem, generation, &machine)
}

fn ask(problem: &Problem, generation: &Generation, machine: &Machine) -> Result<Answer, ShardError> {
    let priced = choices(problem).iter().map(|choice| price(problem, choice, machine)).collect::<Result<_, _>>();
    let mut plans: Vec<Plan> = priced?;
    // Stable: of equal ones the first stays first.
    plans.sort_by(|a, b| {
        let key = |plan: &Plan| (plan.total.mid.get(), plan.memory_bytes.get(), plan.collectives.len() as f64);
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2))
    });
    let mut rest = plans.into_iter();
    let best = rest.next().ok_or(ShardError::NoWay)?;
    let axis_cases = axis_cases(problem);
    let case = axis_cases.iter().map(|found| found.case).max().unwrap_or(Case::One);
    let hbm_bytes = usable(generation);
    let fits = hbm_bytes.map(|hbm| best.memory_bytes <= hbm);
    let alternatives: Vec<Plan> = rest.take(Answer::MAX_ALTERNATIVES).collect();
    Ok(Answer {
        product: problem.product().to_string(),
        mesh: problem.mesh().to_string(),
        case,
        axis_cases,
        replicas: problem.mesh().replicas(),
        notes: notes(problem, &best, (fits, machine.overlap)),
        explain: explain(problem, &best, machine)?,
        trace: timeline(&best, &machine.engine),
        best,
        alternatives,
        hbm_bytes,
        fits,
    })
}

/// What programs can use of a chip's main memory, or all of it where that is not known.
fn usable(generation: &Generation) -> Option<Byte> {
    let devices = generation.devices_per_chip.as_ref().map_or(1, |devices| devices.value);
    let usable = generation.hbm_usable_bytes_per_device.as_ref().map(|bytes| bytes.value * f64::from(devices));
    usable.or_else(|| generation.hbm_bytes.as_ref().map(|bytes| bytes.value))
}

/// The case of each axis that shards an operand.
fn axis_cases(problem: &Problem) -> Vec<AxisCase> {
    let cut = |role: Role, axis: usize| {
        let mut dims = problem.dims(role).iter().zip(&problem.layout(role).dims);
        dims.find(|(_, axes)| axes.contains(&axis)).map(|(dim, _)| (*dim, problem.is_summed(*dim)))
    };
    let case = |axis: usize| match (cut(Role::Left, axis), cut(Role::Right, axis)) {
        (None, None) => None,
        (Some((a, true)), Some((b, true))) if a == b => Some(Case::Three),
        (Some((_, true)), Some((_, true))) | (Some((_, false)), Some((_, false))) => Some(Case::Four),
        (Some((_, true)), _) | (_, Some((_, true))) => Some(Case::Two),
        _ => Some(Case::One),
    };
    let axes = problem.mesh().axes().iter().enumerate();
    axes.filter_map(|(i, axis)| Some(AxisCase { axis: axis.name.clone(), case: case(i)? })).collect()
}

fn notes(problem: &Problem, best: &Plan, (fits, overlap): (Option<bool>, Overlap)) -> Vec<String> {
    let mut notes = Vec::new();
    let mesh = problem.mesh();
    if mesh.replicas() > 1 {
        notes
            .push(format!("{} chips do the same as each other: no axis of the mesh tells them apart", mesh.replicas()));
    }
    for step in &best.collectives {
        notes.extend(step.degraded.iter().map(|what| format!("{}: {what}", step.name())));
    }
    if mesh.torus().is_twisted() {
        notes
            .push("The wrap links of the short axes of a twisted torus close no ring: they are left unused".to_owned());
    }
    let factors = mesh.axes().iter().flat_map(|axis| &axis.factors);
    if factors.clone().any(|factor| factor.stride > 1) {
        notes
            .push("Chips of a group that are not neighbours share their links with the groups between them".to_owned());
    }
    if fits == Some(false) {
        notes.push(
            "The arrays do not fit in the main memory of a chip: shard more, or choose another format".to_owned(),
        );
    }
    if overlap == Overlap::CollectiveMatmul && best.chunks == 1 {
        notes.push(
            "Nothing overlaps: there is no all-gather before the products and no reduce-scatter after".to_owned(),
        );
    }
    notes
}

const BOOK: &str = "scaling-book sharding.md";

fn explain(problem: &Problem, best: &Plan, machine: &Machine) -> Result<Vec<Term>, ShardError> {
    let peak = machine.engine.peak(problem.dtype())?;
    let mut terms = vec![
        Term::new("Operations of a chip", (best.flop.get(), "FLOP"), best.local_product.clone(), BOOK),
        Term::new(
            "Least time at the peak",
            (best.flop.get() / peak.value.get(), "s"),
            "operations of a chip / peak",
            &*peak.source,
        ),
    ];
    for step in &best.collectives {
        let formula = format!("{}: {} → {}; {}", step.name(), step.from, step.to, step.time.formula);
        terms.push(Term::new("Gathered bytes of a group", (step.bytes.get(), "B"), formula.clone(), BOOK));
        terms.push(Term::new("Time of the collective", (step.time.seconds.get(), "s"), formula, BOOK));
    }
    let formula = if best.chunks > 1 {
        format!(
            "{} parts · time of a part, each of {} x {} x {}",
            best.chunks,
            best.chunk.m(),
            best.chunk.k(),
            best.chunk.n()
        )
    } else {
        "time of the local product".to_owned()
    };
    terms.push(Term::new("Time of the local products", (best.compute.mid.get(), "s"), formula, "calibrated roofline"));
    let formula = if best.chunks > 1 {
        "max(T_math, T_comm) + min(T_math, T_comm) / parts + what does not overlap"
    } else {
        "time of the local product + collectives, one after the other"
    };
    terms.push(Term::new("Time", (best.total.mid.get(), "s"), formula, "collective matmul: pipeline of equal parts"));
    terms.extend(best.estimate.explain.iter().cloned());
    Ok(terms)
}
