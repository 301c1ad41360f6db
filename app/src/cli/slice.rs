//! `podium slice`, `slices` and `coords`: one slice, all slices, its chips.

use serde::Serialize;
use topology::chip::{Catalog, Generation};
use topology::name::{BadAcceleratorType, accelerator_type, parse_accelerator_type};
use topology::rules::{LegalShape, Twistable, legal_shapes};
use topology::shape::{Axis, BadShape, Shape};
use topology::slice::{SliceError, SliceFacts, SliceModel, n_cubes};
use topology::slice_name::SliceName;
use topology::traffic::{bisection, hops};
use widgets::format;

use super::args::{NamedSliceArgs, SliceArgs};
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
                    some => {
                        let part = illegal.part_of.map(|whole| format!("; a part of {whole} would do"));
                        format!("The nearest legal shapes are {}{}", some.join(", "), part.unwrap_or_default())
                    }
                };
                let message = format!("{} has no slice {}: {}", illegal.generation, illegal.shape, illegal.rule);
                Self { nearest: Some(nearest), ..Self::input("illegal_shape", message).at("SHAPE").hint(hint) }
            }
            error @ SliceError::NoTwist { .. } => {
                let hint = "Leave the twist out; podium slices says which shapes can be twisted";
                Self::input("no_twist", error.to_string()).at("--twist").hint(hint)
            }
        }
    }
}

/// The slice that generation, shape and flags name together; none of them may contradict another.
pub(super) fn model(args: &SliceArgs) -> Result<SliceModel<'static>, Failure> {
    let generation = find(&args.generation, "GENERATION")?;
    let name: SliceName = args.shape.parse().map_err(|bad: BadShape| Failure::usage(bad.to_string(), "SHAPE"))?;
    if let Some(text) = &name.generation {
        let named = find(text, "SHAPE")?;
        if named.id != generation.id {
            let message = format!("the shape is one of {}, but {} is asked for", named.name, generation.name);
            return Err(Failure::usage(message, "SHAPE").hint("Name one generation"));
        }
    }
    let asked = (args.twist || args.no_twist).then_some(args.twist);
    let flag = if args.twist { "--twist" } else { "--no-twist" };
    let twist = name.twist_with(asked);
    let twist = twist.map_err(|error| Failure::usage(error.to_string(), flag).hint("Leave one of the two out"))?;
    let model = SliceModel::new(generation, name.shape, twist)?;
    match chips_of_type(&args.generation)? {
        Some(n_chips) if n_chips != name.shape.n_chips() => {
            let has = name.shape.n_chips();
            let message = format!("{} has {n_chips} chips, but {} has {has}", args.generation.trim(), name.shape);
            Err(Failure::usage(message, "SHAPE").hint(format!("podium slices {} lists its shapes", generation.id)))
        }
        _ => Ok(model),
    }
}

/// The slice that one name such as `v5p:4x4x8_twisted` and flags name together.
pub(super) fn named(args: &NamedSliceArgs) -> Result<SliceModel<'static>, Failure> {
    let name: SliceName = args.slice.parse().map_err(|bad: BadShape| Failure::usage(bad.to_string(), "--slice"))?;
    let missing = || Failure::usage("the slice names no generation", "--slice").hint("Write it such as v5p:4x4x8");
    let generation = name.generation.ok_or_else(missing)?;
    let whole = SliceArgs { generation, shape: args.slice.clone(), twist: args.twist, no_twist: args.no_twist };
    model(&whole).map_err(|failure| match failure.place.as_deref() {
        Some("SHAPE" | "GENERATION") => failure.at("--slice"),
        _ => failure,
    })
}

/// The chips that an accelerator type such as "tpu7x-2048" stands for; `None` for the plain name of a generation.
fn chips_of_type(text: &str) -> Result<Option<usize>, Failure> {
    let number = text.trim().rsplit_once('-').map_or("", |(_, number)| number);
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(None);
    }
    match parse_accelerator_type(Catalog::embedded(), text) {
        Ok(found) => Ok(Some(found.n_chips as usize)),
        Err(BadAcceleratorType::Generation(_)) => Ok(None),
        Err(bad) => Err(Failure::input("bad_accelerator_type", bad.to_string()).at("GENERATION")),
    }
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
        ("JAX devices", plain(facts.devices.as_ref())),
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
#[expect(clippy::struct_field_names, reason = "the promised key of the JSON")]
pub(super) struct Slices {
    generation: String,
    /// Above so many chips one job does not get a slice; null where no source says so.
    max_job_chips: Option<u32>,
    slices: Vec<Short>,
}

/// A legal slice in short, as its plain name means it.
#[derive(Serialize)]
struct Short {
    shape: String,
    twisted: bool,
    chips: usize,
    hosts: usize,
    cubes: Option<usize>,
    tensorcores: Option<usize>,
    devices: Option<usize>,
    accelerator_type: Option<String>,
    machine_type: Option<String>,
    gke_accelerator: Option<String>,
    wrap: Vec<bool>,
    twistable: &'static str,
    links: usize,
    diameter_hops: u32,
    mean_hops: f64,
    bisection_links: Option<usize>,
    usd_per_hour: Option<f64>,
}

pub(super) fn list(generation: &str, chips: Option<usize>) -> Result<Slices, Failure> {
    let of_type = chips_of_type(generation)?;
    if let (Some(of_type), Some(asked)) = (of_type, chips)
        && of_type != asked
    {
        let message = format!("{} has {of_type} chips, but {asked} are asked for", generation.trim());
        return Err(Failure::usage(message, "--chips").hint("Leave one of the two out"));
    }
    let chips = chips.or(of_type);
    let generation = find(generation, "GENERATION")?;
    let legal = legal_shapes(generation);
    if legal.is_empty() {
        let message = format!("no source says which slices {} has", generation.name);
        return Err(Failure::input("no_slice_rule", message).at("GENERATION"));
    }
    let wanted = legal.iter().filter(|legal| chips.is_none_or(|chips| legal.shape.n_chips() == chips));
    let slices: Vec<Short> = wanted.map(|legal| short(generation, legal)).collect::<Result<_, _>>()?;
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
    let max_job_chips = generation.max_slice_chips.as_ref().map(|max| max.value);
    Ok(Slices { generation: generation.id.0.clone(), max_job_chips, slices })
}

fn short(generation: &'static Generation, legal: &LegalShape) -> Result<Short, Failure> {
    let SliceModel { torus, hosts, .. } = SliceModel::new(generation, legal.shape, None)?;
    let shape = legal.shape;
    let (hops, price) = (hops(&torus), generation.usd_per_chip_hour.as_ref());
    let cores = generation.tensorcores_per_chip.as_ref();
    Ok(Short {
        shape: shape.to_string(),
        twisted: torus.is_twisted(),
        chips: shape.n_chips(),
        hosts: hosts.n_hosts,
        cubes: n_cubes(shape),
        tensorcores: cores.map(|cores| cores.value as usize * shape.n_chips()),
        devices: generation.devices_per_chip.as_ref().map(|devices| devices.value as usize * shape.n_chips()),
        accelerator_type: accelerator_type(generation, shape),
        machine_type: hosts.machine.as_ref().map(|machine| machine.name.clone()),
        gke_accelerator: hosts.machine.map(|machine| machine.gke_accelerator),
        wrap: shape.axes().iter().map(|axis| legal.wrap[axis.index()]).collect(),
        twistable: match legal.twistable {
            Twistable::Never => "never",
            Twistable::OnRequest => "on_request",
            Twistable::ByDefault => "by_default",
        },
        links: torus.n_links(),
        diameter_hops: hops.diameter,
        mean_hops: hops.mean,
        bisection_links: bisection(&torus).map(|cut| cut.links),
        usd_per_hour: price.map(|price| price.value.get() * shape.n_chips() as f64),
    })
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
    let is_beyond = |max: &u32| list.slices.iter().any(|slice| slice.chips > *max as usize);
    let note = list.max_job_chips.filter(is_beyond).map_or_else(String::new, |max| {
        format!("note: One job is documented to get at most {max} chips; larger ones only fit the pod\n")
    });
    output::table(&rows) + &note
}
