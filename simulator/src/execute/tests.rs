use proptest::prelude::*;

use super::*;

fn done(sizes: (u64, u64, u64), dtype: Dtype, array: (u64, u64)) -> Execution {
    let matmul = Matmul::new(sizes.0, sizes.1, sizes.2, dtype).unwrap();
    let array = Array::new(array.0, array.1).unwrap();
    execute(&matmul, (array, Dataflow::Ws), 7, &Cancel::default(), &mut |_| {}).unwrap()
}

/// Every format meets its bound on a product with edges on all sides; int8 is exact.
#[test]
fn each_format_agrees_with_the_plain_product() {
    for dtype in Dtype::ALL {
        let found = done((133, 300, 77), dtype, (128, 128));
        assert_eq!(found.checked_elements, 133 * 77);
        assert!(found.within_bound, "{dtype}: {found:?}");
        match dtype {
            Dtype::Int8 | Dtype::Int4 => assert_eq!((found.max_abs_error, found.rel_error_bound), (0.0, 0.0)),
            Dtype::Bf16 | Dtype::F32 => assert!(found.max_rel_error > 0.0, "{dtype}: rounding is seen"),
            // Sums of so few products of 4-bit mantissas fit in 24 bits.
            Dtype::Fp8 => assert_eq!(found.max_abs_error, 0.0),
        }
    }
}

/// The check is not blind: a single wrong partial sum is found.
#[test]
fn a_wrong_element_is_found() {
    let matmul = Matmul::new(9, 40, 17, Dtype::Bf16).unwrap();
    let operands = Operands::new(&matmul, (Array::new(8, 8).unwrap(), Dataflow::Ws), 1).unwrap();
    let mut sums = multiply::<f32>(&operands, &Cancel::default(), &mut |_| {}).unwrap();
    let mut found = done((9, 40, 17), Dtype::Bf16, (8, 8));
    sums[3 * 17 + 5] += 1e-3;
    found.check(&operands, &Sums::Rounded(sums), 3, 5);
    assert!(!found.within_bound);
}

/// Large products are checked on a seeded sample that includes the corners.
#[test]
fn large_products_are_sampled() {
    let matmul = Matmul::new(700, 700, 700, Dtype::Bf16).unwrap();
    let operands = Operands::new(&matmul, (Array::new(128, 128).unwrap(), Dataflow::Ws), 1).unwrap();
    let sample = operands.sample(1);
    assert!(sample.contains(&(699, 699)) && sample.contains(&(0, 0)));
    assert_eq!(sample, operands.sample(1));
    let found = done((700, 700, 700), Dtype::Bf16, (128, 128));
    assert!(!found.checked_all && found.within_bound && found.checked_elements < 700 * 700);
}

#[test]
fn too_large_and_cancelled_products_are_refused() {
    let attempt = |m, k, n, dtype, cancel: &Cancel| {
        let matmul = Matmul::new(m, k, n, dtype).unwrap();
        execute(&matmul, (Array::new(128, 128).unwrap(), Dataflow::Ws), 0, cancel, &mut |_| {}).unwrap_err().to_string()
    };
    let run = Cancel::default();
    assert_eq!(
        attempt(1 << 20, 1 << 20, 1 << 20, Dtype::Bf16, &run),
        "1152921504606846976 multiply-adds are too many to execute; at most 549755813888"
    );
    let many = Matmul::new(4096, 4096, 4096, Dtype::Bf16).unwrap();
    let refused =
        execute(&many, (Array::new(1, 1).unwrap(), Dataflow::Ws), 0, &run, &mut |_| {}).unwrap_err().to_string();
    assert_eq!(
        refused,
        "68719476736 passes of a row through a fold (folds times M) are too many to execute; at most 2500000000"
    );
    let flat =
        execute(&many, (Array::new(1, 128).unwrap(), Dataflow::Ws), 0, &run, &mut |_| {}).unwrap_err().to_string();
    assert_eq!(
        flat,
        "8589934592 passes of a row through a panel of 8 columns are too many to execute; at most 7500000000"
    );
    assert!(attempt(1 << 20, 1 << 10, 8, Dtype::Bf16, &run).starts_with("the matrices have 1"));
    assert_eq!(
        attempt(1, 200_000, 1, Dtype::Int8, &run),
        "with int8, K is at most 133143, so that sums fit in 32 bits; here it is 200000"
    );
    run.set();
    assert_eq!(attempt(64, 64, 64, Dtype::Bf16, &run), "cancelled");
}

#[test]
fn progress_ends_at_one_and_never_falls() {
    let matmul = Matmul::new(64, 512, 512, Dtype::Bf16).unwrap();
    let mut told = Vec::new();
    execute(&matmul, (Array::new(128, 128).unwrap(), Dataflow::Ws), 0, &Cancel::default(), &mut |share| {
        told.push(share);
    })
    .unwrap();
    assert!(told.is_sorted() && told.len() > 4 && told.last() == Some(&1.0));
}

/// One fold can be the whole product: it tells how far it is, and stops, on the way.
#[test]
fn a_large_fold_is_told_in_parts() {
    let matmul = Matmul::new(4096, 512, 512, Dtype::Bf16).unwrap();
    let cancel = Cancel::default();
    let mut told = Vec::new();
    let array = Array::new(512, 512).unwrap();
    let done = execute(&matmul, (array, Dataflow::Ws), 0, &cancel, &mut |share| {
        told.push(share);
        if share > 0.0 {
            cancel.set();
        }
    });
    assert_eq!((done, told), (Err(ExecuteError::Cancelled), vec![0.0, 0.25]));
}

proptest! {
    /// Any size on any array in any dataflow: within the bound, and whole numbers exact.
    #[test]
    fn any_product_on_any_array(
        (m, k, n) in (1u64..40, 1u64..90, 1u64..40),
        (rows, cols) in (1u64..40, 1u64..40),
        dtype in proptest::sample::select(&Dtype::ALL),
        dataflow in proptest::sample::select(&Dataflow::ALL),
    ) {
        let matmul = Matmul::new(m, k, n, dtype).unwrap();
        let array = Array::new(rows, cols).unwrap();
        let found = execute(&matmul, (array, dataflow), 7, &Cancel::default(), &mut |_| {}).unwrap();
        prop_assert!(found.within_bound && found.checked_elements == m * n, "{found:?}");
        prop_assert!(dtype.largest_integer().is_none() || found.max_abs_error == 0.0);
        prop_assert_eq!(found.array, run(array, dataflow, &matmul));
    }
}
