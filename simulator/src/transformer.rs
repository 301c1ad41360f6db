//! A decoder-only transformer by its sizes: parameters, and the matrix products of its layers.
//!
//! Counts follow the scaling book (transformers.md): attention `D·H·(2N + 2K)`, feed-forward `n·D·F` per expert with
//! n = 3 where gated, router `D·E`, vocabulary `V·D` once or twice. Norms and biases are left out (below 0.1 %).

use serde::{Deserialize, Serialize};

use crate::dtype::Dtype;
use crate::matmul::{BadMatmul, Matmul};

/// Sizes of a decoder-only transformer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transformer {
    /// Number of layers.
    pub layers: u32,
    /// D: width of the residual stream.
    pub d_model: u32,
    /// F: width of one feed-forward block or one expert.
    pub d_ff: u32,
    /// N: query heads.
    pub heads: u32,
    /// K: key and value heads.
    pub kv_heads: u32,
    /// H: width of one head.
    pub head_dim: u32,
    /// V: entries of the vocabulary.
    pub vocab: u32,
    /// Whether the feed-forward block has a gate (three matrices instead of two).
    #[serde(default = "yes")]
    pub gated: bool,
    /// Whether input and output embeddings are one matrix.
    #[serde(default)]
    pub tied_embeddings: bool,
    /// Mixture of experts; absent in a dense model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experts: Option<Experts>,
}

const fn yes() -> bool {
    true
}

/// A mixture of experts in every layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experts {
    /// Experts of one layer.
    pub n: u32,
    /// Experts that each token goes to.
    pub top_k: u32,
    /// Feed-forward width that every token passes beside its experts; 0 where there is none.
    #[serde(default)]
    pub shared_d_ff: u32,
}

/// One matrix product of a forward pass.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedMatmul {
    /// "q", "k", "v", "o", "gate", "up", "down", "router", "expert gate" … or "`lm_head`".
    pub name: &'static str,
    /// How often it is done in one forward pass.
    pub count: u64,
    /// The product.
    pub matmul: Matmul,
}

impl Transformer {
    /// Parameters of the attention of one layer.
    pub fn attention_params(&self) -> f64 {
        let heads = 2.0 * f64::from(self.heads) + 2.0 * f64::from(self.kv_heads);
        f64::from(self.d_model) * f64::from(self.head_dim) * heads
    }

    /// Parameters of one feed-forward block of the given width.
    fn block_params(&self, width: u32) -> f64 {
        f64::from(self.matrices()) * f64::from(self.d_model) * f64::from(width)
    }

    /// Parameters of all feed-forward blocks of one layer, with router.
    pub fn feed_forward_params(&self) -> f64 {
        self.experts.map_or_else(
            || self.block_params(self.d_ff),
            |experts| {
                let router = f64::from(self.d_model) * f64::from(experts.n);
                f64::from(experts.n) * self.block_params(self.d_ff) + self.block_params(experts.shared_d_ff) + router
            },
        )
    }

    /// Feed-forward parameters that one token meets in one layer.
    pub fn active_feed_forward_params(&self) -> f64 {
        self.experts.map_or_else(
            || self.block_params(self.d_ff),
            |experts| {
                let router = f64::from(self.d_model) * f64::from(experts.n);
                f64::from(experts.top_k) * self.block_params(self.d_ff)
                    + self.block_params(experts.shared_d_ff)
                    + router
            },
        )
    }

    /// Parameters of the embeddings.
    pub fn embedding_params(&self) -> f64 {
        f64::from(self.vocab) * f64::from(self.d_model) * if self.tied_embeddings { 1.0 } else { 2.0 }
    }

    /// All parameters.
    pub fn params(&self) -> f64 {
        f64::from(self.layers) * (self.attention_params() + self.feed_forward_params()) + self.embedding_params()
    }

    /// Parameters that one token meets in matrix products: all but the input embedding and the idle experts.
    pub fn active_params(&self) -> f64 {
        let layer = self.attention_params() + self.active_feed_forward_params();
        f64::from(self.layers) * layer + f64::from(self.vocab) * f64::from(self.d_model)
    }

    /// Bytes that one token leaves in the key-value cache of all layers, two bytes per number.
    pub fn kv_bytes_per_token(&self) -> f64 {
        4.0 * f64::from(self.kv_heads) * f64::from(self.head_dim) * f64::from(self.layers)
    }

    /// Matrices of one feed-forward block: 3 with a gate, else 2.
    pub const fn matrices(&self) -> u32 {
        if self.gated { 3 } else { 2 }
    }

    /// The matrix products of one forward pass over `tokens` tokens on one chip; attention scores are not among them.
    ///
    /// Each expert gets `⌈tokens·top_k / n⌉` tokens, as with a balanced router.
    ///
    /// # Errors
    /// If a product would be too large, or a size is 0.
    pub fn matmuls(&self, tokens: u64, dtype: Dtype) -> Result<Vec<NamedMatmul>, BadMatmul> {
        let size = u64::from;
        let (d, heads_dim) = (size(self.d_model), size(self.heads) * size(self.head_dim));
        let kv_dim = size(self.kv_heads) * size(self.head_dim);
        let layers = size(self.layers);
        let mut list = Vec::new();
        let mut add = |name, count, (m, k, n)| {
            Matmul::new(m, k, n, dtype).map(|matmul| list.push(NamedMatmul { name, count, matmul }))
        };
        for (name, k, n) in [("q", d, heads_dim), ("k", d, kv_dim), ("v", d, kv_dim), ("o", heads_dim, d)] {
            add(name, layers, (tokens, k, n))?;
        }
        if let Some(experts) = self.experts {
            let each = (tokens * size(experts.top_k)).div_ceil(size(experts.n).max(1));
            add("router", layers, (tokens, d, size(experts.n)))?;
            let names = ["expert gate", "expert up", "expert down"];
            for (name, k, n) in self.block(names, self.d_ff) {
                add(name, layers * size(experts.n), (each, k, n))?;
            }
        }
        let dense = self.experts.map_or(self.d_ff, |experts| experts.shared_d_ff);
        if dense > 0 {
            for (name, k, n) in self.block(["gate", "up", "down"], dense) {
                add(name, layers, (tokens, k, n))?;
            }
        }
        add("lm_head", 1, (tokens, d, size(self.vocab)))?;
        Ok(list)
    }

    /// Name, K and N of the matrices of one block.
    fn block(&self, names: [&'static str; 3], width: u32) -> impl Iterator<Item = (&'static str, u64, u64)> {
        let (d, f) = (u64::from(self.d_model), u64::from(width));
        let all = [(names[0], d, f), (names[1], d, f), (names[2], f, d)];
        all.into_iter().skip(usize::from(!self.gated))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LLAMA3_8B: Transformer = Transformer {
        layers: 32,
        d_model: 4096,
        d_ff: 14336,
        heads: 32,
        kv_heads: 8,
        head_dim: 128,
        vocab: 128_256,
        gated: true,
        tied_embeddings: false,
        experts: None,
    };

    /// Published parameter counts: Llama 3.1 8B has 8.03 billion, Mixtral 8x22B 141 with 39 active.
    #[test]
    fn parameters_are_those_of_the_published_models() {
        assert!((LLAMA3_8B.params() / 8.03e9 - 1.0).abs() < 0.001);
        let mixtral = Transformer {
            layers: 56,
            d_model: 6144,
            d_ff: 16384,
            heads: 48,
            vocab: 32_000,
            experts: Some(Experts { n: 8, top_k: 2, shared_d_ff: 0 }),
            ..LLAMA3_8B
        };
        assert!((mixtral.params() / 140.6e9 - 1.0).abs() < 0.001);
        assert!((mixtral.active_params() / 39.0e9 - 1.0).abs() < 0.01);
    }

    /// The listed products do `2 × active parameters` per token.
    #[test]
    fn products_add_up_to_the_active_parameters() {
        let list = LLAMA3_8B.matmuls(1024, Dtype::Bf16).unwrap();
        let flop: f64 = list.iter().map(|product| product.count as f64 * product.matmul.flop().get()).sum();
        assert_eq!(flop, 2.0 * 1024.0 * LLAMA3_8B.active_params());
        assert_eq!(LLAMA3_8B.kv_bytes_per_token(), 131_072.0);
    }
}
