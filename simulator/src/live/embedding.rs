//! One training step of a recommender: rows read and updated where they lie, vectors exchanged, small dense layers.

use crate::collective::Collective;
use crate::dtype::Dtype;
use crate::explain::Term;
use crate::live::phase::{Phase, Site, Work};
use crate::live::workload::{Embedding, Role};

/// Share of memory bandwidth that scattered rows reach; an assumption, half of streams.
const GATHER_SHARE: f64 = 0.36;
/// Rows are read, their gradients added, and written back.
const ROW_PASSES: f64 = 3.0;
/// Rows that are summed into one vector before they are sent.
const POOLING: f64 = 8.0;

pub(crate) fn embedding(job: &Embedding, site: &Site<'_>) -> Result<Phase, String> {
    let samples = f64::from(job.samples_per_chip);
    let chips = site.shape.n_chips() as f64;
    let row_bytes = samples * f64::from(job.lookups_per_sample) * f64::from(job.row_bytes);
    let lookups = ROW_PASSES * row_bytes;
    let varying =
        Work { memory_seconds: lookups / (GATHER_SHARE * site.hbm_bytes_per_s), hbm_bytes: lookups, ..Work::default() };
    let flop = 6.0 * samples * job.dense_macs_per_sample as f64;
    let compute_seconds = flop / (site.engine.calibration().mxu_fraction * site.peak(Dtype::Bf16)?);
    let mut link_bytes = [0.0; 3];
    // Vectors forward and their gradients backward.
    let exchanged = (row_bytes / POOLING * chips, 2.0);
    let roles = [Role::Data, Role::Expert, Role::Tensor, Role::Pipeline];
    let exposed_seconds = site.collective(Collective::AllToAll, exchanged, &roles, &mut link_bytes);
    Ok(Phase {
        base: Work { compute_seconds, flop, ..Work::default() },
        varying,
        exposed_seconds,
        stretch: 1.0,
        link_bytes,
        memory_used: job.table_bytes.get() / chips / site.usable_bytes,
        terms: vec![
            Term::new("Row look-ups", (varying.memory_seconds, "s"), "3·rows / (0.36·bandwidth)", "assumed share"),
            Term::new("Dense layers", (compute_seconds, "s"), "6·samples·macs / (η·peak)", "calibrated roofline"),
            Term::new("Exchange of vectors", (exposed_seconds, "s"), "2·A2A(rows / 8)", "scaling-book sharding.md"),
        ],
        ..Phase::default()
    })
}
