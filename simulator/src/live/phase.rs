//! What one repetition of a job (a step, a decoding iteration) costs each chip.

use topology::chip::Generation;
use topology::shape::{Axis, Shape};
use topology::units::Byte;

use crate::collective::{Collective, Links, Ring, time};
use crate::dtype::Dtype;
use crate::explain::Term;
use crate::live::workload::Role;
use crate::matmul::Matmul;
use crate::roofline::{Engine, Operands, estimate};

/// Work of a chip.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Work {
    /// Time of the matrix units.
    pub(crate) compute_seconds: f64,
    /// Time of main memory that the matrix units do not hide.
    pub(crate) memory_seconds: f64,
    /// Operations of the matrix units.
    pub(crate) flop: f64,
    /// Main-memory traffic.
    pub(crate) hbm_bytes: f64,
}

impl Work {
    pub(crate) fn seconds(&self) -> f64 {
        self.compute_seconds + self.memory_seconds
    }

    pub(crate) fn times(self, factor: f64) -> Self {
        Self {
            compute_seconds: self.compute_seconds * factor,
            memory_seconds: self.memory_seconds * factor,
            flop: self.flop * factor,
            hbm_bytes: self.hbm_bytes * factor,
        }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            compute_seconds: self.compute_seconds + other.compute_seconds,
            memory_seconds: self.memory_seconds + other.memory_seconds,
            flop: self.flop + other.flop,
            hbm_bytes: self.hbm_bytes + other.hbm_bytes,
        }
    }
}

/// One repetition on one slice.
#[derive(Debug, Clone, Default)]
pub(crate) struct Phase {
    /// Work that is the same on each chip.
    pub(crate) base: Work,
    /// Work at load 1; a chip's load multiplies it.
    pub(crate) varying: Work,
    /// Work that only the last stage of a pipeline has (all chips, where there is none).
    pub(crate) last_stage: Work,
    /// Work at load 1 that hides under `base`: only what exceeds it is felt. Its operations count all the same.
    pub(crate) hidden: Work,
    /// Collectives that no chip can hide.
    pub(crate) exposed_seconds: f64,
    /// The repetition takes this many times its work: pipeline bubble, scheduler.
    pub(crate) stretch: f64,
    /// Bytes on a healthy link of each slice axis, one direction, per repetition.
    pub(crate) link_bytes: [f64; 3],
    /// Share of usable memory in use, apart from what follows load.
    pub(crate) memory_used: f64,
    /// Share of usable memory in use at load 1.
    pub(crate) memory_used_varying: f64,
    /// How it was made.
    pub(crate) terms: Vec<Term>,
}

/// The chips and links on which a job runs.
pub(crate) struct Site<'a> {
    pub(crate) generation: &'a Generation,
    pub(crate) engine: Engine,
    pub(crate) shape: Shape,
    pub(crate) wrap: [bool; 3],
    /// Gain of a twist for all-to-all over the whole slice; 1 without.
    pub(crate) twist_gain: f64,
    /// Rate of the slowest link along each slice axis.
    pub(crate) rates: [f64; 3],
    /// Whether a ring along each axis has lost a link.
    pub(crate) cut: [bool; 3],
    pub(crate) links: Links,
    pub(crate) hbm_bytes_per_s: f64,
    pub(crate) usable_bytes: f64,
    pub(crate) roles: [Role; 3],
}

/// Share of nominal bandwidth that element-wise streams reach (v6e, measured 0.69–0.79, cocossim tier-1 campaign).
const STREAM_SHARE: f64 = 0.72;

impl Site<'_> {
    /// Chips along all axes of a role.
    pub(crate) fn along(&self, role: Role) -> f64 {
        self.axes(&[role]).iter().map(|axis| f64::from(self.shape.along(*axis))).product()
    }

    /// The axes of some roles.
    pub(crate) fn axes(&self, roles: &[Role]) -> Vec<Axis> {
        self.shape.axes().iter().copied().filter(|axis| roles.contains(&self.roles[axis.index()])).collect()
    }

    pub(crate) fn peak(&self, dtype: Dtype) -> Result<f64, String> {
        self.engine.peak(dtype).map(|peak| peak.value.get()).map_err(|error| error.to_string())
    }

    /// One product, split into time of the matrix units and what memory adds.
    pub(crate) fn product(&self, (m, k, n): (f64, f64, f64), dtype: Dtype) -> Result<Work, String> {
        let size = |size: f64| (libm::ceil(size) as u64).max(1);
        let matmul = Matmul::new(size(m), size(k), size(n), dtype).map_err(|error| error.to_string())?;
        let found = estimate(&matmul, &self.engine, Operands::Hbm).map_err(|error| error.to_string())?;
        let compute = found.mxu_seconds.get();
        Ok(Work {
            compute_seconds: compute,
            memory_seconds: found.seconds.get() - compute,
            flop: found.flop.get(),
            hbm_bytes: found.hbm_bytes.get(),
        })
    }

    /// Bytes streamed through the vector units.
    pub(crate) fn stream(&self, bytes: f64) -> Work {
        let memory_seconds = bytes / (STREAM_SHARE * self.hbm_bytes_per_s);
        Work { memory_seconds, hbm_bytes: bytes, ..Work::default() }
    }

    /// A collective `count` times over all axes of some roles; adds the bytes to the links and gives the seconds.
    pub(crate) fn collective(
        &self,
        kind: Collective,
        (bytes, count): (f64, f64),
        roles: &[Role],
        link_bytes: &mut [f64; 3],
    ) -> f64 {
        let axes = self.axes(roles);
        let gain = if kind == Collective::AllToAll && axes.len() == self.shape.rank() { self.twist_gain } else { 1.0 };
        let mut rings = Ring::of(self.shape, self.wrap, &axes);
        let healthy = time(kind, Byte::new(bytes), &rings, self.links);
        let used = axes.iter().filter(|axis| self.shape.along(**axis) > 1);
        for (axis, ring) in used.zip(&mut rings) {
            link_bytes[axis.index()] += count * healthy.busiest_link_bytes.get() / gain;
            ring.rate = self.rates[axis.index()];
            ring.wraps &= !self.cut[axis.index()];
        }
        let bandwidth_bound = time(kind, Byte::new(bytes / gain), &rings, self.links);
        count * bandwidth_bound.seconds.get()
    }
}
