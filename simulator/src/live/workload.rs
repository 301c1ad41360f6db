//! What a slice runs: descriptions that a plan file can hold.

use serde::{Deserialize, Serialize};
use topology::fleet::{PodId, SliceId};
use topology::units::{Byte, Fraction};

use crate::dtype::Dtype;
use crate::transformer::Transformer;

/// A workload on a slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The pod.
    pub pod: PodId,
    /// The slice on it.
    pub slice: SliceId,
    /// What runs there.
    pub workload: LiveWorkload,
}

/// What runs on a slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LiveWorkload {
    /// Training of a transformer.
    Train(Train),
    /// Serving a transformer: prompts and decoding with continuous batching.
    Serve(Serve),
    /// Evaluation: suites of prompts one after another.
    Evaluate(Evaluate),
    /// A recommender: large embedding tables, small dense layers.
    Embedding(Embedding),
    /// One matrix product over and over on each chip, as in a burn-in.
    Matmul(MatmulLoop),
}

/// What an axis of the slice is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Batch and parameters are sharded along it (fully sharded data parallelism), or it holds replicas when serving.
    Data,
    /// Every layer is split along it.
    Tensor,
    /// As `Data`, and experts are split along it.
    Expert,
    /// Layers are split along it in stages.
    Pipeline,
}

/// Training of a transformer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Train {
    /// The model.
    pub model: Transformer,
    /// What each axis of the slice is used for, x first; axes that are not named are `Data`.
    pub axes: Vec<Role>,
    /// Tokens of one step divided by chips.
    pub tokens_per_chip: u32,
    /// Length of a sequence, in tokens.
    pub sequence: u32,
    /// Whether a sequence is packed with documents of different length, each attending only to itself.
    #[serde(default)]
    pub packed: bool,
    /// Number format of the matrix products.
    pub dtype: Dtype,
    /// Share of the forward pass that is done again in the backward pass to save memory.
    pub recompute: Fraction,
    /// Microbatches of a pipeline; 1 without one.
    pub microbatches: u32,
    /// Steps between checkpoints.
    pub checkpoint_every_steps: u32,
    /// Steps after which the input pipeline opens its next set of files; the checkpoint interval is a multiple.
    pub input_shard_steps: u32,
}

/// Serving of a transformer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Serve {
    /// The model.
    pub model: Transformer,
    /// What each axis is used for: `Tensor` axes make up one replica, the others hold replicas.
    pub axes: Vec<Role>,
    /// Number format of weights and products.
    pub dtype: Dtype,
    /// Most sequences that one replica decodes at once.
    pub sequences_per_replica: u32,
    /// Mean length of a prompt, in tokens.
    pub prompt_tokens: u32,
    /// Mean length of an answer, in tokens.
    pub output_tokens: u32,
    /// Demand in the quietest hour of the day as a share of the busiest.
    pub trough: Fraction,
    /// Hour of the busiest moment, counted from the epoch of the plan.
    pub peak_hour: f32,
}

/// Evaluation in suites.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluate {
    /// The model.
    pub model: Transformer,
    /// As in [`Serve::axes`].
    pub axes: Vec<Role>,
    /// Number format of weights and products.
    pub dtype: Dtype,
    /// The suites, repeated for ever; weights are loaded anew before each.
    pub suites: Vec<Suite>,
}

/// One suite of an evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suite {
    /// Length of a prompt, in tokens.
    pub prompt_tokens: u32,
    /// Tokens generated per prompt; 1 for multiple choice.
    pub output_tokens: u32,
    /// Sequences that one replica works on at once.
    pub sequences_per_replica: u32,
    /// Duration.
    pub minutes: u32,
}

/// Training of a recommender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// All embedding tables together, spread over all chips.
    pub table_bytes: Byte,
    /// Rows that one sample reads (and updates).
    pub lookups_per_sample: u32,
    /// Bytes of one row.
    pub row_bytes: u32,
    /// Multiply-adds of the dense layers per sample, forward.
    pub dense_macs_per_sample: u64,
    /// Samples of one step divided by chips.
    pub samples_per_chip: u32,
    /// Steps between checkpoints.
    pub checkpoint_every_steps: u32,
}

/// A matrix product over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatmulLoop {
    /// Rows of the result.
    pub m: u32,
    /// The summed dimension.
    pub k: u32,
    /// Columns of the result.
    pub n: u32,
    /// Number format.
    pub dtype: Dtype,
}
