//! Traffic of the links, on the torus of the slice: how busy each direction is, and what is broken.

use planning::plan::Scenario;
use simulator::trial::Answer;
use topology::fleet::{CUBE_SIDE, Component};
use topology::graph::{Network, Outage};
use topology::shape::{Axis, Coord, Shape};
use topology::torus::{Sign, Torus};
use widgets::colormap::Map;
use widgets::format;
use widgets::legend::{Legend, Scale};
use widgets::torus::{self as picture, Cell, CellState, Hit, LinkHit, LinkValue, Links, Paint};

/// The slice with the share of the time that each direction of a link sends; nothing where nothing is sent.
/// `revision` changes whenever the answer does.
pub(super) fn torus(scenario: &Scenario, answer: &Answer, revision: u64) -> Option<picture::Torus> {
    if answer.links.is_empty() {
        return None;
    }
    let shape = scenario.shape;
    let network = Network::new(torus_of(scenario)?, Outage::of(shape, &scenario.faults));
    let (values, n_lost) = values(&network, answer);
    let legend = Legend {
        title: "busy, share of the time".to_owned(),
        scale: Scale::new(Map::Viridis, 0.0, 1.0),
        full: [0.0, 1.0],
        ends: ["0 %".to_owned(), "100 %".to_owned()],
        fit: None,
        missing: (n_lost > 0).then(|| format!("{} down", format::count(n_lost as u64))),
    };
    let slice = picture::Slice {
        name: scenario.name.clone(),
        label: scenario.name.clone(),
        color: 0,
        wrap: network.torus().wrap(),
        selected: false,
    };
    Some(picture::Torus {
        pod: scenario.name.clone(),
        shape,
        cells: cells(&network),
        chip_values: Vec::new(),
        slices: vec![slice],
        ghost: None,
        paint: Paint::BySlice,
        wrap_links: false,
        links: Some(Links { values, legend }),
        shared_hover: None,
        revision,
    })
}

fn torus_of(scenario: &Scenario) -> Option<Torus> {
    let catalog = topology::chip::Catalog::embedded();
    let generation = catalog.get(&scenario.generation)?;
    let model = topology::slice::SliceModel::new(generation, scenario.shape, Some(scenario.twisted)).ok()?;
    Some(model.torus)
}

/// A value for every direction of a link, and how many links are down.
fn values(network: &Network, answer: &Answer) -> (Vec<LinkValue>, usize) {
    let torus = network.torus();
    let shape = torus.shape();
    let mut values = vec![LinkValue::Absent; Links::count(shape)];
    let mut n_lost = 0;
    for from in shape.coords() {
        for step in torus.neighbours(from) {
            let link = Torus::link_of(from, step);
            let outage = network.outage();
            let is_lost =
                outage.links.contains(&link) || outage.chips.contains(&from) || outage.chips.contains(&step.to);
            n_lost += usize::from(is_lost && step.sign == Sign::Plus);
            let value = if is_lost { LinkValue::Missing } else { LinkValue::Value(0.0) };
            values[Links::index(shape, from, step.axis, step.sign)] = value;
        }
    }
    for traffic in &answer.links {
        let Some(from) = sender(torus, traffic.link.from, traffic.link.axis, traffic.sign) else { continue };
        let whole = traffic.busy_seconds + traffic.idle_seconds;
        let share = traffic.busy_seconds.ratio(whole).unwrap_or(0.0);
        values[Links::index(shape, from, traffic.link.axis, traffic.sign)] = LinkValue::Value(share as f32);
    }
    (values, n_lost)
}

/// The chip that sends in a direction of the link that leaves `from` towards larger coordinates.
fn sender(torus: &Torus, from: Coord, axis: Axis, sign: Sign) -> Option<Coord> {
    match sign {
        Sign::Plus => Some(from),
        Sign::Minus => torus.step(from, axis, Sign::Plus).map(|step| step.to),
    }
}

/// Cubes, or the chips of a flat slice; those with a chip that is down are in repair.
fn cells(network: &Network) -> Vec<Cell> {
    let shape = network.torus().shape();
    let side = if shape.rank() == 3 { CUBE_SIDE } else { 1 };
    let [x, y, z] = shape.sizes3().map(|size| size.div_ceil(side));
    let lattice = Shape::solid(x, y, z);
    let cell_of = |chip: &Coord| Coord::new(chip.x / side, chip.y / side, chip.z / side);
    let broken: std::collections::BTreeSet<Coord> = network.outage().chips.iter().map(cell_of).collect();
    let state = |at: &Coord| if broken.contains(at) { CellState::InRepair } else { CellState::Allocated };
    lattice.coords().map(|at| Cell { at, owner: Some(0), state: state(&at), value: None }).collect()
}

/// What a click means: a link where one is under the pointer, else a chip, or the whole cube where chips are not drawn.
pub(super) fn component(scenario: &Scenario, hit: Hit, link: Option<LinkHit>) -> Option<Component> {
    if let Some(link) = link.filter(|link| link.of_chips) {
        let from = match link.sign {
            Sign::Plus => link.from,
            Sign::Minus => torus_of(scenario)?.step(link.from, link.axis, Sign::Minus)?.to,
        };
        return Some(Component::Link(from, link.axis));
    }
    let is_flat = scenario.shape.rank() == 2;
    Some(match hit.chip.or(is_flat.then_some(hit.cell)) {
        Some(chip) => Component::Chip(chip),
        None => Component::Cube(hit.cell),
    })
}

/// What is known of the link under the pointer.
pub(super) fn readout(answer: &Answer, hit: &LinkHit) -> String {
    let sign = if hit.sign == Sign::Plus { "+" } else { "−" };
    let place = if hit.of_chips { "chip" } else { "cube" };
    let name = format!("Hover: link {sign}{} of {place} {}", hit.axis.name(), hit.from);
    match hit.value {
        LinkValue::Absent => format!("{name}, no link"),
        LinkValue::Missing => format!("{name}, down"),
        LinkValue::Value(share) => {
            let seconds = answer.seconds.get() * f64::from(share);
            let percent = format::percent(topology::units::Fraction::clamped(f64::from(share)), 1);
            format!("{name}, busy {percent} of the time, {}, simulated", format::si(seconds, "s"))
        }
    }
}

#[cfg(test)]
mod tests {
    use simulator::cancel::Cancel;
    use simulator::collective::Collective;
    use simulator::trial::{Exchange, Setting, Trial, answer};

    use super::*;

    /// Protects: a picture of the links never shows a dead link as idle, and shows every direction that sends.
    #[test]
    fn a_dead_link_is_missing_and_never_zero() {
        let mut scenario = planning::sample().scenarios[0].clone();
        scenario.generation = topology::chip::GenerationId("v5p".to_owned());
        scenario.shape = Shape::solid(4, 4, 4);
        scenario.twisted = false;
        let dead = Component::Link(Coord::new(3, 0, 0), Axis::X);
        scenario.faults = vec![dead];
        let exchange = Exchange { kind: Collective::AllGather, bytes: 1 << 26, axes: "x".to_owned() };
        let generation = topology::chip::Catalog::embedded().find("v5p").unwrap();
        let setting =
            Setting { generation, shape: scenario.shape, twisted: false, n_slices: 1, faults: &scenario.faults };
        let found = answer(&Trial::Collective(exchange), &setting, &Cancel::default()).unwrap();
        let drawn = torus(&scenario, &found, 1).unwrap();
        let links = drawn.links.unwrap();
        let at = |from: Coord, sign| links.values[Links::index(scenario.shape, from, Axis::X, sign)];
        assert_eq!(at(Coord::new(3, 0, 0), Sign::Plus), LinkValue::Missing);
        assert_eq!(at(Coord::new(0, 0, 0), Sign::Minus), LinkValue::Missing);
        let sending = links.values.iter().filter(|value| matches!(value, LinkValue::Value(share) if *share > 0.0));
        assert_eq!(sending.count(), found.links.len());
        assert_eq!(links.legend.missing.as_deref(), Some("1 down"));
        let link = LinkHit {
            from: Coord::new(0, 0, 0),
            of_chips: true,
            axis: Axis::X,
            sign: Sign::Minus,
            value: LinkValue::Missing,
        };
        let hit = Hit { cell: Coord::new(0, 0, 0), chip: None };
        assert_eq!(component(&scenario, hit, Some(link)), Some(dead), "either direction names the link");
    }
}
