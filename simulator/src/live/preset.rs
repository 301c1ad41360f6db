//! Workloads with names, sized for slices from 64 to 4096 chips.
//!
//! The models are of published kind and size, not any one published model; the comments say what they resemble.

use topology::units::{Byte, Fraction};

use crate::dtype::Dtype;
use crate::live::workload::{Embedding, Evaluate, LiveWorkload, MatmulLoop, Role, Serve, Suite, Train};
use crate::transformer::{Experts, Transformer};

/// Dense, 405 billion parameters: the sizes of Llama 3.1 405B (Meta, arXiv:2407.21783, Table 3).
const DENSE_405B: Transformer = Transformer {
    layers: 126,
    d_model: 16384,
    d_ff: 53248,
    heads: 128,
    kv_heads: 8,
    head_dim: 128,
    vocab: 128_256,
    gated: true,
    tied_embeddings: false,
    experts: None,
};

/// Dense, 70 billion parameters: the sizes of Llama 3.1 70B (same table).
const DENSE_70B: Transformer = Transformer { layers: 80, d_model: 8192, d_ff: 28672, heads: 64, ..DENSE_405B };

/// Dense, 8 billion parameters: the sizes of Llama 3.1 8B (same table).
const DENSE_8B: Transformer = Transformer { layers: 32, d_model: 4096, d_ff: 14336, heads: 32, ..DENSE_405B };

/// Mixture of 128 experts, 8 per token, 235 billion parameters, 22 active: the sizes of Qwen3-235B-A22B (its model card).
const MOE_235B: Transformer = Transformer {
    layers: 94,
    d_model: 4096,
    d_ff: 1536,
    heads: 64,
    kv_heads: 4,
    head_dim: 128,
    vocab: 151_936,
    gated: true,
    tied_embeddings: false,
    experts: Some(Experts { n: 128, top_k: 8, shared_d_ff: 0 }),
};

/// Vision transformer of 22 billion parameters: the sizes of ViT-22B (Dehghani et al., arXiv:2302.05442, Table 1).
const VISION_22B: Transformer = Transformer {
    layers: 48,
    d_model: 6144,
    d_ff: 24576,
    heads: 48,
    kv_heads: 48,
    head_dim: 128,
    vocab: 1000,
    gated: false,
    tied_embeddings: false,
    experts: None,
};

/// Speech model of 2 billion parameters in plain transformer sizes, about those of Google USM (arXiv:2303.01037).
const SPEECH_2B: Transformer = Transformer {
    layers: 32,
    d_model: 1536,
    d_ff: 6144,
    heads: 16,
    kv_heads: 16,
    head_dim: 96,
    vocab: 16_384,
    gated: false,
    ..VISION_22B
};

/// Makes a workload.
pub type Maker = fn() -> LiveWorkload;

impl LiveWorkload {
    /// All presets by name, so that a file or a menu can name them.
    pub const PRESETS: [(&'static str, Maker); 13] = [
        ("pretrain-dense-405b", Self::pretrain_dense_405b),
        ("pretrain-dense-70b", Self::pretrain_dense_70b),
        ("pretrain-pipeline-70b", Self::pretrain_pipeline_70b),
        ("pretrain-moe-235b", Self::pretrain_moe_235b),
        ("pretrain-vision-22b", Self::pretrain_vision_22b),
        ("finetune-speech-2b", Self::finetune_speech_2b),
        ("finetune-dense-8b", Self::finetune_dense_8b),
        ("serve-dense-70b", Self::serve_dense_70b),
        ("serve-dense-8b", Self::serve_dense_8b),
        ("evaluate-dense-70b", Self::evaluate_dense_70b),
        ("evaluate-dense-8b", Self::evaluate_dense_8b),
        ("recommender", Self::recommender),
        ("burn-in", Self::burn_in),
    ];

    /// The preset of a name in [`Self::PRESETS`].
    pub fn preset(name: &str) -> Option<Self> {
        Self::PRESETS.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
    }

    /// Dense pre-training of 405 billion parameters, fully sharded; for thousands of chips.
    pub fn pretrain_dense_405b() -> Self {
        let base = train(DENSE_405B, Vec::new());
        Self::Train(Train { tokens_per_chip: 4096, checkpoint_every_steps: 120, input_shard_steps: 40, ..base })
    }

    /// Dense pre-training of 70 billion parameters without tensor parallelism; for hundreds of chips.
    pub fn pretrain_dense_70b() -> Self {
        Self::Train(train(DENSE_70B, Vec::new()))
    }

    /// The same in stages along the last of three axes.
    pub fn pretrain_pipeline_70b() -> Self {
        let axes = vec![Role::Data, Role::Data, Role::Pipeline];
        Self::Train(Train { microbatches: 32, ..train(DENSE_70B, axes) })
    }

    /// Pre-training of a mixture of experts at long context, experts along x.
    pub fn pretrain_moe_235b() -> Self {
        let axes = vec![Role::Expert];
        let base = train(MOE_235B, axes);
        Self::Train(Train { sequence: 32_768, tokens_per_chip: 32_768, recompute: Fraction::clamped(0.7), ..base })
    }

    /// Pre-training of a large vision transformer.
    pub fn pretrain_vision_22b() -> Self {
        let base = train(VISION_22B, Vec::new());
        Self::Train(Train { sequence: 1024, packed: false, recompute: Fraction::ZERO, tokens_per_chip: 16_384, ..base })
    }

    /// Fine-tuning of a speech model: small products, much input.
    pub fn finetune_speech_2b() -> Self {
        let base = train(SPEECH_2B, Vec::new());
        let base = Train { sequence: 2048, packed: false, tokens_per_chip: 8192, ..base };
        Self::Train(Train { recompute: Fraction::ZERO, checkpoint_every_steps: 9000, input_shard_steps: 600, ..base })
    }

    /// Fine-tuning of 8 billion parameters.
    pub fn finetune_dense_8b() -> Self {
        let base = train(DENSE_8B, Vec::new());
        Self::Train(Train { recompute: Fraction::ZERO, checkpoint_every_steps: 2000, input_shard_steps: 500, ..base })
    }

    /// Serving of 70 billion parameters, one replica per row along x.
    pub fn serve_dense_70b() -> Self {
        Self::Serve(Serve {
            model: DENSE_70B,
            axes: vec![Role::Tensor],
            dtype: Dtype::Bf16,
            sequences_per_replica: 256,
            prompt_tokens: 2048,
            output_tokens: 128,
            trough: Fraction::clamped(0.4),
            peak_hour: 10.0,
        })
    }

    /// Serving of 8 billion parameters, one replica per chip.
    pub fn serve_dense_8b() -> Self {
        Self::Serve(Serve {
            model: DENSE_8B,
            axes: Vec::new(),
            dtype: Dtype::Bf16,
            sequences_per_replica: 40,
            prompt_tokens: 2048,
            output_tokens: 128,
            trough: Fraction::clamped(0.35),
            peak_hour: 10.0,
        })
    }

    /// Evaluation of 70 billion parameters, one replica per chip of 192 GB: multiple choice, long answers, long prompts.
    pub fn evaluate_dense_70b() -> Self {
        let suites = vec![suite(1024, 1, 64, 22), suite(512, 512, 96, 41), suite(8192, 64, 12, 17)];
        Self::Evaluate(Evaluate { model: DENSE_70B, axes: Vec::new(), dtype: Dtype::Bf16, suites })
    }

    /// Evaluation of 8 billion parameters, one replica per chip of 32 GB.
    pub fn evaluate_dense_8b() -> Self {
        let suites = vec![suite(1024, 1, 32, 22), suite(512, 512, 64, 41), suite(8192, 64, 8, 17)];
        Self::Evaluate(Evaluate { model: DENSE_8B, axes: Vec::new(), dtype: Dtype::Bf16, suites })
    }

    /// A large product over and over on each chip.
    pub fn burn_in() -> Self {
        Self::Matmul(MatmulLoop { m: 8192, k: 8192, n: 8192, dtype: Dtype::Bf16 })
    }

    /// A recommender with 4 TB of embedding tables.
    pub fn recommender() -> Self {
        Self::Embedding(Embedding {
            table_bytes: Byte::new(4e12),
            lookups_per_sample: 800,
            row_bytes: 256,
            dense_macs_per_sample: 150_000_000,
            samples_per_chip: 4096,
            checkpoint_every_steps: 60_000,
        })
    }
}

const fn suite(prompt_tokens: u32, output_tokens: u32, sequences_per_replica: u32, minutes: u32) -> Suite {
    Suite { prompt_tokens, output_tokens, sequences_per_replica, minutes }
}

/// What the training presets share.
fn train(model: Transformer, axes: Vec<Role>) -> Train {
    Train {
        model,
        axes,
        tokens_per_chip: 8192,
        sequence: 8192,
        packed: true,
        dtype: Dtype::Bf16,
        recompute: Fraction::ONE,
        microbatches: 1,
        checkpoint_every_steps: 100,
        input_shard_steps: 50,
    }
}
