//! One training step of a transformer.
//!
//! Forward once, backward twice, and the recomputed share of forward again (scaling-book, training.md). Attention
//! scores run at a quarter of the peak and vector work at 0.72 of memory bandwidth, as measured on v6e (six-constant
//! step model, fitted on Qwen3-8B). Tensor-parallel collectives are chunked and overlap with their products except
//! for one chunk; parameter gathers and gradient scatters overlap with everything but the first layer; the
//! all-to-all of experts overlaps with the attention of the other half of the batch.

use crate::collective::Collective;
use crate::explain::Term;
use crate::live::phase::{Phase, Site, Work};
use crate::live::workload::{Role, Train};

/// Share of the peak that attention scores reach (v6e, JAX, mid-2026).
pub(crate) const ATTENTION_SHARE: f64 = 0.25;
/// Bytes of weights, gradients and Adam state that the optimizer moves per parameter: 16 to 28, the middle.
const OPTIMIZER_BYTES: f64 = 22.0;
/// Bytes kept per parameter: bf16 weights, f32 master and two moments.
pub(crate) const STATE_BYTES: f64 = 14.0;

/// Everything that the parts of a step need.
struct Split {
    /// Tokens that a group of tensor-parallel chips works on in one step.
    tokens: f64,
    tensor: f64,
    stages: f64,
    experts: f64,
    /// Forward passes that one step costs: 1 + 2 + recomputed share.
    passes: f64,
    layers: f64,
}

pub(crate) fn train(job: &Train, site: &Site<'_>) -> Result<Phase, String> {
    let (tensor, stages) = (site.along(Role::Tensor), site.along(Role::Pipeline));
    let split = Split {
        tokens: f64::from(job.tokens_per_chip) * tensor * stages,
        tensor,
        stages,
        experts: site.along(Role::Expert),
        passes: 3.0 + job.recompute.get(),
        layers: libm::ceil(f64::from(job.model.layers) / stages),
    };
    let products = layer_products(job, site, &split)?;
    let (routed, dense) = if job.model.experts.is_some() {
        (products.feed_forward, products.attention)
    } else {
        (Work::default(), products.attention.plus(products.feed_forward))
    };
    let scores = attention_scores(job, site, &split)?;
    let per_step = split.layers * split.passes;
    let vector = site.stream(vector_bytes(job, &split)).times(per_step);
    let chips = site.shape.n_chips() as f64;
    let optimizer = site.stream(job.model.params() / chips * OPTIMIZER_BYTES);
    let head = head(job, site, &split)?;
    // Loads multiply either the experts or the attention of packed documents.
    let (varying, fixed) = match (job.model.experts, job.packed) {
        (Some(_), _) => (routed, scores),
        (None, true) => (scores, Work::default()),
        (None, false) => (Work::default(), scores),
    };
    let base = dense.plus(fixed).times(per_step).plus(vector).plus(optimizer);
    let varying = varying.times(per_step);
    let busy = base.plus(varying).seconds();
    let mut link_bytes = [0.0; 3];
    let hiding = Hiding { all: busy, attention: if job.model.experts.is_some() { base.seconds() } else { 0.0 } };
    let (exposed_seconds, terms) = communication(job, site, &split, &hiding, &mut link_bytes);
    let bubble = (split.stages - 1.0) / f64::from(job.microbatches.max(1));
    Ok(Phase {
        base,
        varying,
        last_stage: head,
        exposed_seconds,
        stretch: 1.0 + bubble,
        link_bytes,
        memory_used: memory(job, &split, chips) / site.usable_bytes,
        terms,
        ..Phase::default()
    })
}

struct Products {
    attention: Work,
    feed_forward: Work,
}

/// Work behind which collectives can hide.
struct Hiding {
    /// All of a step.
    all: f64,
    /// The part without routed experts.
    attention: f64,
}

/// The products of one layer, one forward pass, one chip.
fn layer_products(job: &Train, site: &Site<'_>, split: &Split) -> Result<Products, String> {
    let model = &job.model;
    let [d, f, h] = [model.d_model, model.d_ff, model.head_dim].map(f64::from);
    let [n, kv] = [model.heads, model.kv_heads].map(|heads| f64::from(heads) * h / split.tensor);
    let product = |m: f64, k: f64, n: f64| site.product((m, k, n), job.dtype);
    let attention = product(split.tokens, d, n + 2.0 * kv)?.plus(product(split.tokens, n, d)?);
    let inner = f64::from(model.matrices() - 1);
    let block = |tokens: f64, width: f64| -> Result<Work, String> {
        Ok(product(tokens, d, inner * width / split.tensor)?.plus(product(tokens, width / split.tensor, d)?))
    };
    let feed_forward = match model.experts {
        None => block(split.tokens, f)?,
        Some(experts) => {
            let each = split.tokens * split.experts * f64::from(experts.top_k) / f64::from(experts.n);
            let local = f64::from(experts.n) / split.experts;
            let shared = if experts.shared_d_ff > 0 {
                block(split.tokens, f64::from(experts.shared_d_ff))?
            } else {
                Work::default()
            };
            block(each, f)?.times(local).plus(shared)
        }
    };
    Ok(Products { attention, feed_forward })
}

/// Causal attention scores of one layer, one forward pass, one chip, for unbroken sequences.
fn attention_scores(job: &Train, site: &Site<'_>, split: &Split) -> Result<Work, String> {
    let heads = f64::from(job.model.heads) * f64::from(job.model.head_dim) / split.tensor;
    let flop = 4.0 * split.tokens * f64::from(job.sequence) * heads / 2.0;
    let compute_seconds = flop / (ATTENTION_SHARE * site.peak(job.dtype)?);
    Ok(Work { compute_seconds, flop, ..Work::default() })
}

/// Bytes of norms, activations and residual adds of one layer, one forward pass, one chip.
fn vector_bytes(job: &Train, split: &Split) -> f64 {
    let model = &job.model;
    let [d, h] = [model.d_model, model.head_dim].map(f64::from);
    let active = model.experts.map_or(f64::from(model.d_ff), |experts| {
        f64::from(experts.top_k) * f64::from(model.d_ff) + f64::from(experts.shared_d_ff)
    });
    let heads = 2.0 * f64::from(model.heads + model.kv_heads) * h;
    // Sequence parallelism shards the residual stream along with the heads and the feed-forward width.
    2.0 * split.tokens / split.tensor * (10.0 * d + 3.0 * active + heads)
}

/// The vocabulary product, forward and backward.
fn head(job: &Train, site: &Site<'_>, split: &Split) -> Result<Work, String> {
    let vocab = f64::from(job.model.vocab) / split.tensor;
    Ok(site.product((split.tokens, f64::from(job.model.d_model), vocab), job.dtype)?.times(3.0))
}

/// Exposed seconds of all collectives of a step, and how they come about.
fn communication(
    job: &Train,
    site: &Site<'_>,
    split: &Split,
    hiding: &Hiding,
    link_bytes: &mut [f64; 3],
) -> (f64, Vec<Term>) {
    let (model, busy_seconds) = (&job.model, hiding.all);
    let activations = 2.0 * split.tokens * f64::from(model.d_model);
    // Forward two gathers and two scatters; backward the same; recomputation repeats the forward ones.
    let count = split.layers * 4.0 * (split.passes - 1.0);
    let tensor = site.collective(Collective::AllGather, (activations, count), &[Role::Tensor], link_bytes);
    let tensor_exposed = (tensor - busy_seconds).max(0.0) + tensor.min(busy_seconds) / split.tensor;
    let tensor_exposed = if split.tensor > 1.0 { tensor_exposed } else { 0.0 };

    // Weights twice, gradients once, two bytes each.
    let expert_params = if model.experts.is_some() { model.feed_forward_params() } else { 0.0 };
    let dense_params = model.attention_params() + model.feed_forward_params() - expert_params;
    let weights = |params: f64| (2.0 * params / split.tensor, split.layers * 3.0);
    let all_data = [Role::Data, Role::Expert];
    let mut fsdp = site.collective(Collective::AllGather, weights(dense_params), &all_data, link_bytes);
    fsdp += site.collective(Collective::AllGather, weights(expert_params / split.experts), &[Role::Data], link_bytes);
    let first_layer = fsdp / (3.0 * split.layers);
    let fsdp_exposed = (fsdp - busy_seconds).max(0.0) + first_layer;

    let mut routing = 0.0;
    if let Some(experts) = model.experts {
        let routed = activations * f64::from(experts.top_k) * split.experts;
        let count = split.layers * 2.0 * (split.passes - 1.0);
        routing = site.collective(Collective::AllToAll, (routed, count), &[Role::Expert], link_bytes);
    }
    // While the tokens of one half of the batch travel, the attention of the other half is computed.
    let routing_exposed = (routing - hiding.attention).max(0.0) + routing / (2.0 * split.layers);
    let source = "scaling-book training.md and sharding.md";
    let mut terms = Vec::new();
    let mut term = |name: &str, seconds: f64, formula: &str| {
        if seconds > 0.0 {
            terms.push(Term::new(name, (seconds, "s"), formula, source));
        }
    };
    term("Tensor-parallel collectives", tensor, "layers · 4 · (2 + recompute) · AG(2·T·D)");
    term("… exposed", tensor_exposed, "max(0, comm − busy) + min(comm, busy)/n");
    term("Parameter gathers, gradient scatters", fsdp, "layers · 3 · AG(2·params of a layer / n_tensor)");
    term("… exposed", fsdp_exposed, "max(0, comm − busy) + first gather");
    term("Expert all-to-all", routing, "layers · 2 · (2 + recompute) · A2A(2·T·D·k·n)");
    term("… exposed", routing_exposed, "max(0, comm − attention) + half a layer");
    (tensor_exposed + fsdp_exposed + routing_exposed, terms)
}

/// Bytes in use on one chip: state, saved activations, two gathered layers.
fn memory(job: &Train, split: &Split, chips: f64) -> f64 {
    let model = &job.model;
    let layers = f64::from(model.layers);
    let tokens = f64::from(job.tokens_per_chip);
    let block_inputs = 2.0 * layers * tokens * f64::from(model.d_model);
    let active = model.experts.map_or(1.0, |experts| f64::from(experts.top_k));
    let heads = f64::from(2 * model.heads + 2 * model.kv_heads) * f64::from(model.head_dim);
    let wide = f64::from(model.matrices()) * active * f64::from(model.d_ff);
    let all = 2.0 * layers * tokens * (4.0 * f64::from(model.d_model) + heads + wide);
    let saved = job.recompute.get() * block_inputs + (1.0 - job.recompute.get()) * all;
    let layer = model.attention_params() + model.feed_forward_params() / split.experts;
    let logits = 4.0 * split.tokens.min(8192.0) * f64::from(model.vocab) / split.tensor;
    STATE_BYTES * model.params() / chips + saved + 2.0 * 2.0 * layer / split.tensor + logits
}
