//! One decoding iteration of a replica, with the prompts that come in meanwhile; also evaluation and a plain loop.
//!
//! `iteration = KV bytes / bandwidth + max(2·B·P / peak, weight bytes / bandwidth) + prompts + collectives`
//! (scaling-book, inference.md). Serving stacks reach 0.4 to 0.8 of this bound (Llama-3.3-70B on v6e-8: 0.52 at 64
//! users); 0.6 is taken, and the rest is the scheduler's.

use crate::collective::Collective;
use crate::dtype::Dtype;
use crate::explain::Term;
use crate::live::phase::{Phase, Site, Work};
use crate::live::train::ATTENTION_SHARE;
use crate::live::workload::{MatmulLoop, Role};
use crate::transformer::Transformer;

/// Share of the bound that serving stacks reach.
const SERVING_SHARE: f64 = 0.6;

/// A decoding loop.
pub(crate) struct Decode<'a> {
    pub(crate) model: &'a Transformer,
    pub(crate) dtype: Dtype,
    pub(crate) sequences: f64,
    pub(crate) prompt_tokens: f64,
    pub(crate) output_tokens: f64,
}

pub(crate) fn decode(job: &Decode<'_>, site: &Site<'_>) -> Result<Phase, String> {
    let model = job.model;
    let chips = site.along(Role::Tensor);
    let constants = site.engine.calibration();
    let peak = constants.mxu_fraction * site.peak(job.dtype)?;
    let bandwidth = constants.hbm_fraction * site.hbm_bytes_per_s;
    let context = job.prompt_tokens + job.output_tokens / 2.0;
    let weight_bytes = model.params() * job.dtype.bytes() / chips;
    let kv_bytes = job.sequences * context * model.kv_bytes_per_token() / chips;
    let decode_flop = 2.0 * job.sequences * model.active_params() / chips;
    // In the steady state as many sequences end as begin: B/G of them per iteration.
    let prompts = job.sequences / job.output_tokens.max(1.0);
    let prompt_flop = prompts * 2.0 * model.active_params() * job.prompt_tokens / chips;
    let heads = f64::from(model.heads) * f64::from(model.head_dim) * f64::from(model.layers);
    let score_flop = prompts * 2.0 * heads * job.prompt_tokens * job.prompt_tokens / chips;
    let base = Work { memory_seconds: weight_bytes / bandwidth, hbm_bytes: weight_bytes, ..Work::default() };
    let varying = Work {
        compute_seconds: prompt_flop / peak + score_flop / (ATTENTION_SHARE * site.peak(job.dtype)?),
        memory_seconds: kv_bytes / bandwidth,
        flop: prompt_flop + score_flop,
        // Activations of prompts move too, behind the products that they feed.
        hbm_bytes: kv_bytes + activation_bytes(job, prompts) / chips,
    };
    let hidden = Work { compute_seconds: decode_flop / peak, flop: decode_flop, ..Work::default() };
    let mut link_bytes = [0.0; 3];
    let tokens = job.sequences + prompts * job.prompt_tokens;
    let reduced = (2.0 * tokens * f64::from(model.d_model), 2.0 * f64::from(model.layers));
    let collectives = site.collective(Collective::AllReduce, reduced, &[Role::Tensor], &mut link_bytes);
    // Prompts are long enough for chunks to overlap with their products; decoding alone is not.
    let hiding = varying.compute_seconds;
    let exposed_seconds = (collectives - hiding).max(0.0) + collectives.min(hiding) / chips;
    let source = "scaling-book inference.md";
    Ok(Phase {
        base,
        varying,
        hidden,
        exposed_seconds,
        stretch: 1.0 / SERVING_SHARE,
        link_bytes,
        memory_used: weight_bytes / site.usable_bytes,
        memory_used_varying: kv_bytes / site.usable_bytes,
        terms: vec![
            Term::new("Weights", (base.memory_seconds, "s"), "weight bytes / (β·bandwidth)", source),
            Term::new("Key-value cache", (varying.memory_seconds, "s"), "B·context·KV bytes / (β·bandwidth)", source),
            Term::new(
                "Prompts",
                (varying.compute_seconds, "s"),
                "B/G·2·P·prompt / (η·peak) + scores / (0.25·peak)",
                source,
            ),
            Term::new("Collectives", (collectives, "s"), "layers · 2 · AR(2·tokens·D)", source),
            Term::new("… exposed", (exposed_seconds, "s"), "max(0, comm − prompts) + min(comm, prompts)/n", source),
            Term::new("Share of the bound", (SERVING_SHARE, ""), "measured 0.4 to 0.8", "Llama-3.3-70B, v6e-8, vLLM"),
        ],
        ..Phase::default()
    })
}

/// Bytes that the products of the prompts of one iteration read and write beside weights: per token and layer the
/// inputs and outputs of Q, K, V, of the output projection, and of the feed-forward products that a token takes.
fn activation_bytes(job: &Decode<'_>, prompts: f64) -> f64 {
    let model = job.model;
    let [d, heads, kv_heads, head_dim] = [model.d_model, model.heads, model.kv_heads, model.head_dim].map(f64::from);
    let attention = 2.0 * d + (2.0 * heads + 2.0 * kv_heads) * head_dim;
    let taken = model.experts.as_ref().map_or(1.0, |experts| f64::from(experts.top_k));
    let up = if model.gated { 2.0 } else { 1.0 };
    let feed_forward = taken * (2.0 * d + (up + 1.0) * f64::from(model.d_ff));
    prompts * job.prompt_tokens * f64::from(model.layers) * job.dtype.bytes() * (attention + feed_forward)
}

/// A product over and over, with nothing between.
pub(crate) fn matmul_loop(job: &MatmulLoop, site: &Site<'_>) -> Result<Phase, String> {
    let [m, k, n] = [job.m, job.k, job.n].map(f64::from);
    let base = site.product((m, k, n), job.dtype)?;
    let bytes = job.dtype.bytes() * (m * k + k * n + m * n);
    Ok(Phase { base, stretch: 1.0, memory_used: bytes / site.usable_bytes, ..Phase::default() })
}
