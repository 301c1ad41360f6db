//! `podium slice`, `slices`, `coords` and `route`: one slice, all slices, its chips, ways between them.

use serde::Serialize;
use topology::chip::Generation;
use topology::component::BadComponent;
use topology::fleet::Component;
use topology::graph::{Network, Outage};
use topology::name::{accelerator_type, hosts};
use topology::rules::{LegalShape, Twistable, legal_shapes};
use topology::shape::{Axis, BadCoord, Coord, Shape};
use topology::slice::{SliceError, SliceFacts, SliceModel};
use topology::torus::{Sign, Torus};
use widgets::format;

use super::args::{RouteArgs, SliceArgs};
use super::chips::find;
use super::failure::Failure;
use super::output;

impl From<SliceError> for Failure {
    fn from(error: SliceError) -> Self {
        match error {
            SliceError::Illegal(illegal) => {
                let nearest: Vec<String> = illegal.nearest.iter().map(Shape::to_string).collect();
                let hint = match &nearest[..] {
                    [] => "podium chips lists the generations with known slices".to_owned(),
                    some => format!("The nearest legal shapes are {}", some.join(", ")),
                };
                let message = format!("{} has no slice {}: {}", illegal.generation, illegal.shape, illegal.rule);
                Self { nearest: Some(nearest), ..Self::input("illegal_shape", message).at("SHAPE").hint(hint) }
            }
            error => Self::input("no_twist", error.to_string()).at("--twist").hint("Leave --twist out"),
        }
    }
}

fn model(args: &SliceArgs) -> Result<SliceModel<'static>, Failure> {
    let generation = find(&args.generation, "GENERATION")?;
    let shape = args.shape.parse::<Shape>();
    let shape = shape.map_err(|bad| Failure::input("bad_shape", bad.to_string()).at("SHAPE"))?;
    let twist = (args.twist || args.no_twist).then_some(args.twist);
    Ok(SliceModel::new(generation, shape, twist)?)
}

pub(super) fn facts(args: &SliceArgs) -> Result<SliceFacts, Failure> {
    Ok(model(args)?.facts())
}

fn plain<T: ToString>(value: Option<&T>) -> String {
    format::or_absent(value, ToString::to_string)
}

pub(super) fn facts_text(facts: &SliceFacts) -> String {
    let rate = |value: Option<topology::units::BytePerSec>| format::or_absent(value, format::byte_rate);
    let peak = |value: Option<topology::units::FlopPerSec>| format::or_absent(value, format::flop_rate);
    let twist = if facts.twisted { ", twisted" } else { "" };
    let wraps: Vec<&str> =
        Axis::ALL.into_iter().zip(&facts.wrap).filter(|(_, wraps)| **wraps).map(|(axis, _)| axis.name()).collect();
    let mut text = output::facts(&[
        ("slice", format!("{} {}{twist}", facts.generation, facts.shape)),
        ("chips", facts.chips.to_string()),
        ("hosts", facts.hosts.to_string()),
        ("cubes", plain(facts.cubes.as_ref())),
        ("TensorCores", plain(facts.tensorcores.as_ref())),
        ("accelerator type", plain(facts.accelerator_type.as_ref())),
        ("machine type", plain(facts.machine_type.as_ref())),
        ("GKE accelerator", plain(facts.gke_accelerator.as_ref())),
        ("wraps along", if wraps.is_empty() { "no axis".to_owned() } else { wraps.join(", ") }),
        ("links", facts.links.to_string()),
        ("diameter", format!("{} hops", facts.diameter_hops)),
        ("mean distance", format!("{:.3} hops", facts.mean_hops)),
        ("bisection", format::or_absent(facts.bisection_links, |n| format!("{n} links"))),
        ("bisection rate", rate(facts.bisection_bytes_per_s)),
        ("all-to-all, a chip", rate(facts.all_to_all_bytes_per_s_per_chip)),
        ("all-reduce, a chip", rate(facts.all_reduce_bytes_per_s_per_chip)),
        ("bf16 peak", peak(facts.peak_bf16_flop_per_s)),
        ("HBM", format::or_absent(facts.hbm_bytes, format::capacity)),
        ("price", format::or_absent(facts.usd_per_hour, |usd| format!("{}/h", format::money(usd.get(), "$")))),
    ]);
    for warning in &facts.warnings {
        text += "note: ";
        text += warning;
        text.push('\n');
    }
    text
}

#[derive(Serialize)]
pub(super) struct Slices {
    generation: String,
    slices: Vec<Short>,
}

/// A legal slice, without what takes long to compute.
#[derive(Serialize)]
struct Short {
    shape: String,
    chips: usize,
    hosts: usize,
    accelerator_type: Option<String>,
    machine_type: Option<String>,
    wrap: Vec<bool>,
    twistable: &'static str,
    usd_per_hour: Option<f64>,
}

pub(super) fn list(generation: &str, chips: Option<usize>) -> Result<Slices, Failure> {
    let generation = find(generation, "GENERATION")?;
    let legal = legal_shapes(generation);
    if legal.is_empty() {
        let message = format!("no source says which slices {} has", generation.name);
        return Err(Failure::input("no_slice_rule", message).at("GENERATION"));
    }
    let wanted = legal.iter().filter(|legal| chips.is_none_or(|chips| legal.shape.n_chips() == chips));
    let slices: Vec<Short> = wanted.map(|legal| short(generation, legal)).collect();
    if slices.is_empty() {
        let mut counts: Vec<usize> = legal.iter().map(|legal| legal.shape.n_chips()).collect();
        counts.dedup();
        let chips = chips.unwrap_or_default();
        counts.sort_by_key(|count| count.abs_diff(chips));
        let near: Vec<String> = counts.iter().take(3).map(usize::to_string).collect();
        let message = format!("{} has no slice of {chips} chips", generation.name);
        let hint = format!("The nearest sizes are {} chips", near.join(", "));
        return Err(Failure::input("no_such_slice", message).at("--chips").hint(hint));
    }
    Ok(Slices { generation: generation.id.0.clone(), slices })
}

fn short(generation: &Generation, legal: &LegalShape) -> Short {
    let shape = legal.shape;
    let hosts = hosts(generation, shape);
    let price = generation.usd_per_chip_hour.as_ref();
    Short {
        shape: shape.to_string(),
        chips: shape.n_chips(),
        hosts: hosts.n_hosts,
        accelerator_type: accelerator_type(generation, shape),
        machine_type: hosts.machine.map(|machine| machine.name),
        wrap: shape.axes().iter().map(|axis| legal.wrap[axis.index()]).collect(),
        twistable: match legal.twistable {
            Twistable::Never => "never",
            Twistable::OnRequest => "on_request",
            Twistable::ByDefault => "by_default",
        },
        usd_per_hour: price.map(|price| price.value.get() * shape.n_chips() as f64),
    }
}

pub(super) fn list_text(list: &Slices) -> String {
    let head = ["shape", "chips", "hosts", "accelerator type", "machine type", "wraps", "twist", "$/h"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(list.slices.iter().map(|slice| {
        let axes = Axis::ALL.into_iter().zip(&slice.wrap).filter(|(_, wraps)| **wraps);
        vec![
            slice.shape.clone(),
            slice.chips.to_string(),
            slice.hosts.to_string(),
            plain(slice.accelerator_type.as_ref()),
            plain(slice.machine_type.as_ref()),
            axes.map(|(axis, _)| axis.name()).collect::<String>(),
            slice.twistable.replace('_', " "),
            format::or_absent(slice.usd_per_hour, |usd| format::fixed(usd, 2)),
        ]
    }));
    output::table(&rows)
}

#[derive(Serialize)]
pub(super) struct Coords {
    generation: String,
    shape: String,
    twisted: bool,
    chips: Vec<Chip>,
}

#[derive(Serialize)]
struct Chip {
    id: usize,
    x: u16,
    y: u16,
    z: u16,
    host: usize,
    neighbours: Vec<Neighbour>,
}

#[derive(Serialize)]
struct Neighbour {
    id: usize,
    axis: &'static str,
    sign: &'static str,
    wraps: bool,
}

pub(super) fn coords(args: &SliceArgs) -> Result<Coords, Failure> {
    let model = model(args)?;
    let shape = model.torus.shape();
    let neighbours = |chip| {
        let neighbour = |step: topology::torus::Step| Neighbour {
            id: shape.index_of(step.to),
            axis: step.axis.name(),
            sign: sign_text(step.sign),
            wraps: step.wraps,
        };
        model.torus.neighbours(chip).map(neighbour).collect()
    };
    let chip = |chip: Coord| Chip {
        id: shape.index_of(chip),
        x: chip.x,
        y: chip.y,
        z: chip.z,
        host: model.host_of(chip),
        neighbours: neighbours(chip),
    };
    Ok(Coords {
        generation: model.generation.id.0.clone(),
        shape: shape.to_string(),
        twisted: model.torus.is_twisted(),
        chips: shape.coords().map(chip).collect(),
    })
}

const fn sign_text(sign: Sign) -> &'static str {
    match sign {
        Sign::Plus => "+",
        Sign::Minus => "-",
    }
}

pub(super) fn coords_text(coords: &Coords) -> String {
    let mut rows = vec![["id", "x", "y", "z", "host", "neighbours"].map(str::to_owned).to_vec()];
    rows.extend(coords.chips.iter().map(|chip| {
        let neighbours = chip.neighbours.iter().map(|n| format!("{}{}:{}", n.axis, n.sign, n.id));
        let mut row: Vec<String> =
            [chip.id, chip.x.into(), chip.y.into(), chip.z.into(), chip.host].map(|n| n.to_string()).to_vec();
        row.push(neighbours.collect::<Vec<_>>().join(" "));
        row
    }));
    output::table(&rows)
}

#[derive(Serialize)]
pub(super) struct Route {
    generation: String,
    shape: String,
    twisted: bool,
    reachable: bool,
    hops: Option<usize>,
    path: Vec<Place>,
}

#[derive(Serialize)]
struct Place {
    id: usize,
    x: u16,
    y: u16,
    z: u16,
}

pub(super) fn route(args: &RouteArgs) -> Result<Route, Failure> {
    let model = model(&args.slice)?;
    let torus = model.torus;
    let shape = torus.shape();
    let (from, to) = (coord(shape, &args.from, "FROM")?, coord(shape, &args.to, "TO")?);
    let mut outage = Outage::default();
    for part in &args.fail {
        fail(&torus, part, &mut outage)?;
    }
    let path = Network::new(torus, outage).route(from, to);
    let place = |c: &Coord| Place { id: shape.index_of(*c), x: c.x, y: c.y, z: c.z };
    Ok(Route {
        generation: model.generation.id.0.clone(),
        shape: shape.to_string(),
        twisted: torus.is_twisted(),
        reachable: path.is_some(),
        hops: path.as_ref().map(|path| path.len() - 1),
        path: path.iter().flatten().map(place).collect(),
    })
}

/// A chip of the slice.
fn coord(shape: Shape, text: &str, flag: &str) -> Result<Coord, Failure> {
    let coord: Coord =
        text.parse().map_err(|bad: BadCoord| Failure::input("bad_coordinate", bad.to_string()).at(flag))?;
    if shape.contains(coord) {
        return Ok(coord);
    }
    let message = format!("chip {coord} lies outside of {shape}");
    let hint = "Each number is counted from 0 and below the size of its axis";
    Err(Failure::input("bad_coordinate", message).at(flag).hint(hint))
}

/// Takes what a component consists of out of service.
fn fail(torus: &Torus, text: &str, outage: &mut Outage) -> Result<(), Failure> {
    let component: Component =
        text.parse().map_err(|bad: BadComponent| Failure::input("bad_component", bad.to_string()).at("--fail"))?;
    let chips: Vec<Coord> = component.chips(torus.shape()).collect();
    let mut links = component.links(torus.shape());
    links.retain(|link| torus.step(link.from, link.axis, Sign::Plus).is_some());
    if chips.is_empty() && links.is_empty() {
        let message = format!("the slice {} has no {component}", torus.shape());
        return Err(Failure::input("bad_component", message).at("--fail"));
    }
    outage.chips.extend(chips);
    outage.links.extend(links);
    Ok(())
}

pub(super) fn route_text(route: &Route) -> String {
    let Some(hops) = route.hops else { return "not reachable\n".to_owned() };
    let path: Vec<String> = route.path.iter().map(|p| format!("{},{},{}", p.x, p.y, p.z)).collect();
    output::facts(&[("hops", hops.to_string()), ("path", path.join(" > "))])
}
