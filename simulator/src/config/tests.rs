use proptest::prelude::*;

use super::*;

const LLAMA: &str = include_str!("../../../sample-data/workloads/llama-3.1-8b.json");
const MIXTRAL: &str = include_str!("../../../sample-data/workloads/mixtral-8x7b.json");
const GEMMA: &str = include_str!("../../../sample-data/workloads/gemma-2b.json");

/// A sample with one key changed (or, with `Null`, as good as taken away).
fn changed(sample: &str, key: &str, value: Value) -> Result<Workload, ConfigError> {
    let mut object: Map<String, Value> = serde_json::from_str(sample).unwrap();
    object.insert(key.to_owned(), value);
    parse(&serde_json::to_vec(&object).unwrap())
}

fn message(sample: &str, key: &str, value: Value) -> String {
    changed(sample, key, value).unwrap_err().to_string()
}

/// Parameter counts of the samples are the published ones.
#[test]
fn samples_have_the_published_number_of_parameters() {
    for (sample, billions) in [(LLAMA, 8.03), (MIXTRAL, 46.7), (GEMMA, 2.51)] {
        let params = parse(sample.as_bytes()).unwrap().transformer.params();
        assert!((params / (billions * 1e9) - 1.0).abs() < 0.005, "{params} for {billions} billion");
    }
}

#[test]
fn absent_keys_have_their_usual_meaning() {
    let llama = parse(LLAMA.as_bytes()).unwrap().transformer;
    assert_eq!(llama.head_dim, 128, "hidden_size / heads");
    assert_eq!(changed(LLAMA, "num_key_value_heads", Value::Null).unwrap().transformer.kv_heads, 32);
    assert!(parse(GEMMA.as_bytes()).unwrap().transformer.tied_embeddings, "Gemma ties embeddings by default");
    assert!(!llama.tied_embeddings);
}

/// Multimodal files keep the language model one level deeper.
#[test]
fn a_nested_text_config_is_read() {
    let nested = format!("{{\"model_type\": \"gemma3\", \"text_config\": {GEMMA}}}");
    let found = parse(nested.as_bytes()).unwrap();
    assert_eq!(found.transformer, parse(GEMMA.as_bytes()).unwrap().transformer);
    assert_eq!(found.notes, ["read \"text_config\"; other parts of the model are left out"]);
}

#[test]
fn an_error_names_the_key_and_what_was_expected() {
    let whole = "expected a whole number from 1 to 1048576";
    assert_eq!(message(LLAMA, "hidden_size", Value::Null), format!("\"hidden_size\" is missing; {whole}"));
    for bad in ["-3", "1e300", "4096.5", "\"4096\"", "18446744073709551615"] {
        let value: Value = serde_json::from_str(bad).unwrap();
        let found = value.to_string();
        assert_eq!(message(LLAMA, "hidden_size", value), format!("\"hidden_size\" is {found}; {whole}"));
    }
    assert_eq!(
        message(LLAMA, "num_attention_heads", 7.into()),
        "\"num_key_value_heads\" is 8; expected a divisor of \"num_attention_heads\", which is 7"
    );
    assert_eq!(
        message(MIXTRAL, "num_experts_per_tok", 9.into()),
        "\"num_experts_per_tok\" is 9; expected at most the number of experts, which is 8"
    );
    assert_eq!(
        message(LLAMA, "kv_lora_rank", 512.into()),
        "\"kv_lora_rank\" says that the model has latent attention, which is not supported"
    );
}

#[test]
fn hostile_texts_are_refused() {
    let error = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
    assert_eq!(error(&vec![b' '; MAX_BYTES + 1]), "the file has 1048577 bytes; a config.json has at most 1048576");
    assert_eq!(error(b"[]"), "expected an object with keys such as \"hidden_size\", found a list");
    assert_eq!(error(b"{\"a\":"), "not JSON: EOF while parsing a value at 1:5");
    assert!(error("[".repeat(100_000).as_bytes()).starts_with("not JSON: recursion limit exceeded"));
}

proptest! {
    /// No bytes make the reader panic.
    #[test]
    fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200), number in any::<f64>()) {
        prop_assert!(parse(&bytes).is_err());
        // Whatever one number is, the answer is a model or an error.
        prop_assert!(changed(MIXTRAL, "num_local_experts", number.into()).map_or(true, |found| found.transformer.params() > 0.0));
    }
}
