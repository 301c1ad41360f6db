//! The store against a plain model: a map from bucket to values.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use telemetry::{Batch, Metric, Origin, Store, Warning};
use topology::fleet::PodId;

const CAPACITY: usize = 7;
const STEP: i64 = 10;

proptest! {
    /// Whatever comes in whatever order, the store holds what the model holds: the newest value of each bucket, no
    /// older than its capacity, and absence where nothing was heard.
    #[test]
    fn behaves_like_a_map(batches in prop::collection::vec((-200..200_i64, [prop::option::of(0.0..1.0_f32), prop::option::of(0.0..1.0_f32)]), 0..60)) {
        let (mut store, pod) = (Store::new(STEP as u32, CAPACITY), PodId::from("p"));
        let mut model: BTreeMap<i64, [Option<f32>; 2]> = BTreeMap::new();
        // Mostly forwards, as sources are.
        let mut clock = 0;
        for (jump, values) in batches {
            let at = clock + jump / 8;
            let bucket = at.div_euclid(STEP);
            let is_late = model.last_key_value().is_some_and(|(newest, _)| bucket < *newest);
            let batch = Batch { pod: &pod, origin: Origin::Observed, at, metric: Metric::DutyCycle, values: &values };
            let warnings = store.ingest(batch);
            if is_late {
                let is_told = matches!(warnings[..], [Warning::OutOfOrder { .. }]);
                prop_assert!(is_told);
            } else {
                prop_assert_eq!(warnings, []);
                let kept = model.entry(bucket).or_default();
                for (kept, value) in kept.iter_mut().zip(values) {
                    *kept = value.or(*kept);
                }
                model.retain(|old, _| *old > bucket - CAPACITY as i64);
                clock = at;
            }
        }
        for bucket in -40..200 {
            for chip in 0..2 {
                let expected = model.get(&bucket).and_then(|values| values[chip]);
                let found = store.value(&pod, Metric::DutyCycle, chip, bucket * STEP + STEP - 1);
                prop_assert_eq!(found.is_some(), expected.is_some());
                prop_assert!((found.unwrap_or(0.0) - expected.unwrap_or(0.0)).abs() < 1.01e-5);
            }
        }
        let starts = (model.first_key_value(), model.last_key_value());
        let span = starts.0.zip(starts.1).map(|(first, last)| (first.0 * STEP, last.0 * STEP));
        prop_assert_eq!(store.span(&pod, Metric::DutyCycle), span);
    }
}
