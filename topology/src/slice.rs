//! What is known of one slice: size, names, hosts, torus, rates and price.

use serde::Serialize;

use crate::chip::{Basis, Generation, GenerationId};
use crate::fleet::CUBE_SIDE;
use crate::name::{Hosts, accelerator_type, hosts};
use crate::rules::{IllegalShape, LegalShape, Twistable, check_shape, rule_is_assumed};
use crate::shape::{Axis, Coord, Shape};
use crate::torus::{Torus, TwistForm};
use crate::traffic::{CutMethod, all_to_all_load, bisection, hops};
use crate::units::{Byte, BytePerSec, FlopPerSec, UsdPerHour};

/// Why a slice cannot be described.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SliceError {
    /// The generation does not offer the shape.
    #[error(transparent)]
    Illegal(#[from] IllegalShape),
    /// The shape cannot be twisted.
    #[error("{generation} {shape} cannot be twisted")]
    NoTwist {
        /// Name of the generation for people.
        generation: String,
        /// The shape.
        shape: Shape,
    },
}

/// A legal slice of a generation, with its torus.
#[derive(Debug, Clone)]
pub struct SliceModel<'a> {
    /// The generation.
    pub generation: &'a Generation,
    /// What the rules say of the shape.
    pub legal: LegalShape,
    /// Its links.
    pub torus: Torus,
    /// Its machines.
    pub hosts: Hosts,
    /// Whether nothing was said about the twist, so that the usual was taken.
    pub twist_assumed: bool,
}

impl<'a> SliceModel<'a> {
    /// The slice of that shape, twisted as asked, or as is usual where nothing is asked.
    ///
    /// # Errors
    /// If the generation does not offer the shape, or not the twist.
    pub fn new(generation: &'a Generation, shape: Shape, twist: Option<bool>) -> Result<Self, SliceError> {
        let legal = check_shape(generation, shape)?;
        let no_twist = || SliceError::NoTwist { generation: generation.name.clone(), shape };
        let torus = match (twist, legal.twistable) {
            (Some(true), Twistable::Never) => return Err(no_twist()),
            // A catalogue of the user's own may list a shape of a form that no twist has.
            (Some(true), _) | (None, Twistable::ByDefault) => Torus::twisted(shape).map_err(|_form| no_twist())?,
            _ => Torus::plain(shape, legal.wrap),
        };
        Ok(Self { generation, legal, torus, hosts: hosts(generation, shape), twist_assumed: twist.is_none() })
    }

    /// Number of the host of a chip.
    ///
    /// # Panics
    /// If the chip lies outside.
    pub fn host_of(&self, chip: Coord) -> usize {
        self.hosts.host_of(self.torus.shape(), chip)
    }

    /// Whether a program on one chip can write to another directly; on a large v5e slice only over 1, 2, 4 or 8 hops
    /// along one axis (JAX documents, `pallas/tpu/distributed.md`).
    ///
    /// # Panics
    /// If a chip lies outside.
    pub fn reaches_directly(&self, from: Coord, to: Coord) -> bool {
        let offset = self.torus.offset(from, to);
        let mut hops = offset.into_iter().filter(|hops| *hops != 0).map(i32::unsigned_abs);
        match (hops.next(), hops.next()) {
            _ if !self.limits_reach() => true,
            (None, _) => true,
            (Some(hops), None) => hops.is_power_of_two(),
            (Some(_), Some(_)) => false,
        }
    }

    fn limits_reach(&self) -> bool {
        let rule = self.generation.slice_rule.as_ref();
        rule.is_some_and(|rule| rule.value.limits_reach(self.torus.shape()))
    }

    /// Everything that is known of it, in the form of `podium slice`.
    pub fn facts(&self) -> SliceFacts {
        let (generation, shape) = (self.generation, self.torus.shape());
        let n_chips = shape.n_chips();
        let n = n_chips as f64;
        let hops = hops(&self.torus);
        let cut = bisection(&self.torus);
        let link_rate = generation.ici_link_bytes_per_s.as_ref().map(|rate| rate.value);
        let machine = self.hosts.machine.as_ref();
        let tensorcores = generation.tensorcores_per_chip.as_ref();
        let all_to_all = all_to_all_load(&self.torus).map(|load| (n - 1.0) / load);
        let axes = shape.axes();
        SliceFacts {
            generation: generation.id.clone(),
            shape,
            twisted: self.torus.is_twisted(),
            chips: n_chips,
            hosts: self.hosts.n_hosts,
            cubes: n_cubes(shape),
            tensorcores: tensorcores.map(|cores| n_chips * cores.value as usize),
            devices: generation.devices_per_chip.as_ref().map(|devices| n_chips * devices.value as usize),
            accelerator_type: accelerator_type(generation, shape),
            machine_type: machine.map(|machine| machine.name.clone()),
            gke_accelerator: machine.map(|machine| machine.gke_accelerator.clone()),
            wrap: axes.iter().map(|axis| self.torus.wrap()[axis.index()]).collect(),
            links: self.torus.n_links(),
            diameter_hops: hops.diameter,
            mean_hops: hops.mean,
            bisection_links: cut.map(|cut| cut.links),
            bisection_method: cut.map(|cut| cut.method),
            bisection_bytes_per_s: cut.zip(link_rate).map(|(cut, rate)| rate * cut.links as f64),
            all_to_all_bytes_per_s_per_chip: all_to_all.zip(link_rate).map(|(links, rate)| rate * links),
            all_reduce_bytes_per_s_per_chip: link_rate.map(|rate| rate * f64::from(ring_links(&self.torus))),
            peak_bf16_flop_per_s: generation.peak_bf16_flop_per_s.as_ref().map(|peak| peak.value * n),
            peak_int8_flop_per_s: generation.peak_int8_flop_per_s.as_ref().map(|peak| peak.value * n),
            peak_fp8_flop_per_s: generation.peak_fp8_flop_per_s.as_ref().map(|peak| peak.value * n),
            hbm_bytes: generation.hbm_bytes.as_ref().map(|hbm| hbm.value * n),
            usd_per_hour: generation.usd_per_chip_hour.as_ref().map(|price| price.value * n),
            warnings: self.warnings(),
        }
    }

    fn warnings(&self) -> Vec<String> {
        let (generation, shape) = (self.generation, self.torus.shape());
        let mut warnings = Vec::new();
        if self.twist_assumed && self.legal.twistable == Twistable::ByDefault {
            warnings.push(format!("{shape} is taken as twisted, as the runtime does for the plain name"));
        }
        if self.twist_assumed && self.legal.twistable == Twistable::OnRequest {
            warnings.push(format!("{shape} is taken as not twisted; the runtime twists it only on request"));
        }
        if self.torus.twist_form() == Some(TwistForm::Assumed) {
            warnings.push(format!(
                "ASSUMED TWIST: no source gives the offsets of the wrap links of {shape}; the wrap along the shortest axis \
                 is assumed to come back half of the middle axis further, so hops, cuts and rates of this slice are not \
                 facts"
            ));
        }
        if self.torus.is_twisted() {
            warnings.push("The bisection of a twisted torus is the best plane cut, an upper bound".to_owned());
        }
        if rule_is_assumed(generation) {
            warnings.push(format!("No source lists the slices of {}; its rule is an assumption", generation.name));
        }
        if self.hosts.block.n_chips() > 4 {
            let message = "One machine of 8 chips is taken; of machines of 4 chips it has two hosts, as the runtime counts by default";
            warnings.push(message.to_owned());
        }
        if generation.chips_per_host.is_none() {
            warnings.push(format!("No source gives the chips of a {} host; four are assumed", generation.name));
        }
        if self.limits_reach() {
            warnings.push("Programs can write directly only to chips 1, 2, 4 or 8 away along one axis".to_owned());
        }
        if let Some(max) = generation.max_slice_chips.as_ref().filter(|max| shape.n_chips() > max.value as usize) {
            warnings.push(format!("One job is documented to get at most {} chips", max.value));
        }
        if let Some(price) = generation.usd_per_chip_hour.as_ref().filter(|price| price.basis == Basis::Unverified) {
            let note = price.note.as_deref().unwrap_or("no source confirms it");
            warnings.push(format!("The price is unverified: {note}"));
        }
        if generation.naming.is_some() && self.hosts.machine.is_none() && generation.chips_per_host.is_some() {
            warnings.push("No machine type is known for this slice".to_owned());
        }
        warnings
    }
}

/// Facts of a slice; `None` is unknown. Rates count payload of one direction at the physical link rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SliceFacts {
    /// The generation.
    pub generation: GenerationId,
    /// Size in chips.
    pub shape: Shape,
    /// Whether it is twisted.
    pub twisted: bool,
    /// Number of chips.
    pub chips: usize,
    /// Number of hosts (virtual machines); where no source gives their chips, four are assumed and a warning says so.
    pub hosts: usize,
    /// Number of 4x4x4 cubes; absent for a part of a cube and where there are no cubes.
    pub cubes: Option<usize>,
    /// Number of `TensorCores`.
    pub tensorcores: Option<usize>,
    /// Number of devices that JAX sees: two for a chip of v2, v3 and tpu7x, one elsewhere (v4 in megacore mode).
    pub devices: Option<usize>,
    /// Name such as "v5p-128".
    pub accelerator_type: Option<String>,
    /// Name of the machine type of its hosts.
    pub machine_type: Option<String>,
    /// Value of the GKE accelerator label.
    pub gke_accelerator: Option<String>,
    /// Which axes have wrap links, one entry per axis of the shape.
    pub wrap: Vec<bool>,
    /// Number of ICI links.
    pub links: usize,
    /// Longest shortest route.
    pub diameter_hops: u32,
    /// Mean shortest route over ordered pairs of different chips; 0 for one chip.
    pub mean_hops: f64,
    /// Links cut by the smallest known cut into halves; absent for one chip.
    pub bisection_links: Option<usize>,
    /// Whether that is the smallest cut.
    pub bisection_method: Option<CutMethod>,
    /// Rate over that cut in one direction.
    pub bisection_bytes_per_s: Option<BytePerSec>,
    /// What each chip can send when all send equally to all, over all shortest routes evenly.
    pub all_to_all_bytes_per_s_per_chip: Option<BytePerSec>,
    /// What each chip can send in rings along all axes: two links of a wrapped axis, one of a line, which a ring uses
    /// there and back. Google's "all-reduce bandwidth per pod" is this times the chips.
    pub all_reduce_bytes_per_s_per_chip: Option<BytePerSec>,
    /// Dense bf16 peak of the slice.
    pub peak_bf16_flop_per_s: Option<FlopPerSec>,
    /// Dense int8 peak of the slice.
    pub peak_int8_flop_per_s: Option<FlopPerSec>,
    /// Dense fp8 peak of the slice.
    pub peak_fp8_flop_per_s: Option<FlopPerSec>,
    /// Main memory of the slice.
    pub hbm_bytes: Option<Byte>,
    /// On-demand list price of the slice.
    pub usd_per_hour: Option<UsdPerHour>,
    /// What a reader should know.
    pub warnings: Vec<String>,
}

impl SliceFacts {
    /// Facts of a slice, twisted as asked, or as is usual where nothing is asked.
    ///
    /// # Errors
    /// If the generation does not offer the shape, or not the twist.
    pub fn new(generation: &Generation, shape: Shape, twist: Option<bool>) -> Result<Self, SliceError> {
        Ok(SliceModel::new(generation, shape, twist)?.facts())
    }
}

/// Number of whole cubes; `None` if the shape is not made of them.
pub fn n_cubes(shape: Shape) -> Option<usize> {
    let whole = shape.rank() == 3 && shape.sizes().iter().all(|size| size.is_multiple_of(CUBE_SIDE));
    whole.then(|| shape.n_chips() / usize::from(CUBE_SIDE).pow(3))
}

/// Links that rings along all axes keep busy at each chip, in one direction.
fn ring_links(torus: &Torus) -> u32 {
    let along = |axis: Axis| match (torus.wrap()[axis.index()], torus.shape().along(axis)) {
        (_, 1) => 0,
        (true, _) => 2,
        (false, _) => 1,
    };
    Axis::ALL.into_iter().map(along).sum()
}
