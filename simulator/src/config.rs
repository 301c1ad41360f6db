//! Reads a Hugging Face `config.json` into a [`Workload`].
//!
//! Knows the keys of Llama, Mistral, Mixtral, Qwen, Gemma and of GPT-2-like models; other keys are ignored. The text is
//! not trusted: its size, depth and every number are bounded.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::transformer::{Experts, Transformer};

/// A model read from a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Workload {
    /// "`model_type`" of the file, absent if it has none.
    pub model_type: Option<String>,
    /// Sizes.
    pub transformer: Transformer,
    /// Longest sequence that the model is made for, in tokens.
    pub max_sequence: Option<u64>,
    /// What was read in a simplified way, in words.
    pub notes: Vec<String>,
}

/// Why a text is not a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// Larger than any model description.
    #[error("the file has {bytes} bytes; a config.json has at most {MAX_BYTES}")]
    TooLarge {
        /// Size of the file.
        bytes: usize,
    },
    /// Not JSON, or nested too deeply.
    #[error("not JSON: {message} at {line}:{column}")]
    NotJson {
        /// What the reader says.
        message: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// The outermost value is not an object.
    #[error("expected an object with keys such as \"hidden_size\", found {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// A key is not there.
    #[error("\"{key}\" is missing; expected {expected}")]
    Missing {
        /// Which, in its most usual spelling.
        key: &'static str,
        /// What it should be.
        expected: String,
    },
    /// A key has a value that is not possible.
    #[error("\"{key}\" is {found}; expected {expected}")]
    Bad {
        /// Which.
        key: &'static str,
        /// Its value, shortened.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// A kind of model that this reader cannot do justice to.
    #[error("\"{key}\" says that the model has {what}, which is not supported")]
    Unsupported {
        /// The key that says so.
        key: &'static str,
        /// What it has.
        what: &'static str,
    },
}

/// Largest file that is read.
const MAX_BYTES: usize = 1 << 20;
/// Model types whose feed-forward block has no gate.
const UNGATED: [&str; 8] = ["gpt2", "gpt_neo", "gpt_neox", "gptj", "opt", "bloom", "phi", "starcoder2"];
/// Model types whose configuration ties embeddings unless it says otherwise.
const TIED: [&str; 8] = ["gemma", "gemma2", "gemma3", "gemma3_text", "gpt2", "gpt_neo", "opt", "bloom"];

/// Reads the bytes of a `config.json`.
///
/// # Errors
/// With the key that is missing or impossible and what was expected.
pub fn parse(bytes: &[u8]) -> Result<Workload, ConfigError> {
    if bytes.len() > MAX_BYTES {
        return Err(ConfigError::TooLarge { bytes: bytes.len() });
    }
    let value: Value = serde_json::from_slice(bytes).map_err(|error| {
        let text = error.to_string();
        let message = text.split(" at line ").next().unwrap_or_default().to_owned();
        ConfigError::NotJson { message, line: error.line(), column: error.column() }
    })?;
    let Value::Object(outer) = &value else { return Err(ConfigError::NotAnObject { found: kind(&value) }) };
    let mut notes = Vec::new();
    let inner = match outer.get("text_config") {
        Some(Value::Object(text)) if !outer.contains_key("hidden_size") => {
            notes.push("read \"text_config\"; other parts of the model are left out".to_owned());
            text
        }
        _ => outer,
    };
    read(&Keys(inner), notes)
}

fn read(keys: &Keys<'_>, mut notes: Vec<String>) -> Result<Workload, ConfigError> {
    let model_type = keys.text("model_type").map(|text| text.chars().take(40).collect::<String>());
    let is_one_of = |list: &[&str]| model_type.as_deref().is_some_and(|name| list.contains(&name));
    if keys.is_set("kv_lora_rank") {
        return Err(ConfigError::Unsupported { key: "kv_lora_rank", what: "latent attention" });
    }
    let d_model = keys.number(&["hidden_size", "n_embd", "d_model"], 1 << 20)?;
    let heads = keys.number(&["num_attention_heads", "n_head"], 1 << 16)?;
    let kv_heads = keys.optional(&["num_key_value_heads"], 1 << 16)?.unwrap_or(heads);
    if heads % kv_heads != 0 {
        let expected = format!("a divisor of \"num_attention_heads\", which is {heads}");
        return Err(ConfigError::Bad { key: "num_key_value_heads", found: kv_heads.to_string(), expected });
    }
    let head_dim = match keys.optional(&["head_dim"], 1 << 16)? {
        Some(size) => size,
        None if d_model.is_multiple_of(heads) => d_model / heads,
        None => {
            let expected = format!("the width of a head, since {heads} heads do not divide {d_model}");
            return Err(ConfigError::Missing { key: "head_dim", expected });
        }
    };
    let experts = experts(keys, &mut notes)?;
    let width: &[&'static str] = if experts.is_some() && keys.is_set("moe_intermediate_size") {
        &["moe_intermediate_size"]
    } else {
        &["intermediate_size", "n_inner", "ffn_dim"]
    };
    // GPT-2 leaves the width out where it is four times the model's.
    let four_times = (model_type.as_deref() == Some("gpt2") && !keys.is_set("n_inner")).then_some(4 * d_model);
    let d_ff = four_times.map_or_else(|| keys.number(width, 1 << 24), Ok)?;
    let tied = keys.flag("tie_word_embeddings").unwrap_or_else(|| is_one_of(&TIED));
    let max_sequence = keys.optional(&["max_position_embeddings", "n_positions"], 1 << 30)?.map(u64::from);
    let transformer = Transformer {
        layers: keys.number(&["num_hidden_layers", "n_layer"], 10_000)?,
        d_model,
        d_ff,
        heads,
        kv_heads,
        head_dim,
        vocab: keys.number(&["vocab_size"], 1 << 24)?,
        gated: !is_one_of(&UNGATED),
        tied_embeddings: tied,
        experts,
    };
    Ok(Workload { model_type, transformer, max_sequence, notes })
}

fn experts(keys: &Keys<'_>, notes: &mut Vec<String>) -> Result<Option<Experts>, ConfigError> {
    let names = ["num_local_experts", "num_experts", "n_routed_experts"];
    let Some(n) = keys.optional(&names, 1 << 16)? else { return Ok(None) };
    let top_k = keys.number(&["num_experts_per_tok"], 1 << 16)?;
    if top_k > n {
        let expected = format!("at most the number of experts, which is {n}");
        return Err(ConfigError::Bad { key: "num_experts_per_tok", found: top_k.to_string(), expected });
    }
    let shared_width = keys.optional(&["shared_expert_intermediate_size"], 1 << 24)?;
    let shared_count = keys.optional(&["n_shared_experts"], 1 << 10)?;
    let shared_d_ff = match (shared_width, shared_count) {
        (Some(width), _) => width,
        (None, Some(count)) => count.saturating_mul(keys.number(&["moe_intermediate_size"], 1 << 20)?),
        (None, None) => 0,
    };
    if keys.optional(&["first_k_dense_replace"], 10_000)?.is_some() || keys.list_is_filled("mlp_only_layers") {
        notes.push("some layers have no experts; all are counted as if they had".to_owned());
    }
    Ok(Some(Experts { n, top_k, shared_d_ff }))
}

/// An object of the file with readers that name the key.
struct Keys<'a>(&'a Map<String, Value>);

impl Keys<'_> {
    fn is_set(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(|value| !value.is_null())
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(Value::as_str)
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.0.get(key).and_then(Value::as_bool)
    }

    fn list_is_filled(&self, key: &str) -> bool {
        self.0.get(key).and_then(Value::as_array).is_some_and(|list| !list.is_empty())
    }

    /// A whole number from 1 to `max` under the first of the names that is there; null counts as absent, and so does
    /// 0 (some files write 0 for "none").
    fn optional(&self, names: &[&'static str], max: u32) -> Result<Option<u32>, ConfigError> {
        let Some((key, value)) = names.iter().find_map(|key| Some((*key, self.0.get(*key)?))) else { return Ok(None) };
        if value.is_null() || value.as_u64() == Some(0) {
            return Ok(None);
        }
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number <= max);
        number.map(Some).ok_or_else(|| {
            let found = value.to_string().chars().take(40).collect();
            ConfigError::Bad { key, found, expected: whole_number(max) }
        })
    }

    fn number(&self, names: &[&'static str], max: u32) -> Result<u32, ConfigError> {
        let missing = || ConfigError::Missing { key: names[0], expected: whole_number(max) };
        self.optional(names, max)?.ok_or_else(missing)
    }
}

fn whole_number(max: u32) -> String {
    format!("a whole number from 1 to {max}")
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests;
