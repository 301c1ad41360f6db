use std::collections::BTreeSet;

use proptest::prelude::*;

use super::cells::Cells;
use super::engine::{Engine, Operands};
use super::*;
use crate::array::{Array, Dataflow, run};
use crate::cancel::Cancel;
use crate::dtype::Dtype;
use crate::execute::ExecuteError;
use crate::matmul::Matmul;
use crate::testing::rows;

const LOADINGS: [Loading; 2] = [Loading::BeforeEachFold, Loading::DoubleBuffered];

fn schedule(array: (u64, u64), dataflow: Dataflow, loading: Loading, matmul: &Matmul) -> Schedule {
    Schedule::new(Array::new(array.0, array.1).unwrap(), dataflow, loading, matmul)
}

fn done(schedule: &Schedule, matmul: &Matmul) -> Done {
    execute((schedule, matmul), 7, &Cancel::default(), &mut |_| {}).unwrap()
}

/// Largest difference from a plain product in binary64, in units of γ·Σ|a·b|; whole numbers must be exact.
fn check_result(found: &Done, matmul: &Matmul, roundings: u64) {
    let operands = Operands::<f32>::seeded(matmul, 7);
    let [m, k, n] = [matmul.m(), matmul.k(), matmul.n()].map(|size| size as usize);
    let nu = roundings as f64 * f64::from(f32::EPSILON / 2.0);
    let bound = if matmul.dtype().largest_integer().is_some() { 0.0 } else { nu / (1.0 - nu) };
    for (at, sum) in found.result.iter().enumerate() {
        let products =
            (0..k).map(|k2| f64::from(operands.left[at / n * k + k2]) * f64::from(operands.right[k2 * n + at % n]));
        let (exact, scale) = products.fold((0.0, 0.0), |(sum, scale), product| (sum + product, scale + product.abs()));
        assert!((sum - exact).abs() <= bound * scale, "{matmul:?} element {at}: {sum} and {exact}");
    }
    assert_eq!(found.result.len(), m * n);
}

/// Cycles of the worked problems W138 to W159, by id; the moving model does those of up to 2^30 steps of cells.
#[test]
fn worked_problems_come_out_by_id() {
    let mut executed = 0;
    for row in rows(include_str!("../../tests/golden/systolic.csv")).filter(|row| row[0].starts_with('W')) {
        let number = |at: usize| row[at].parse::<u64>().unwrap();
        // W159 is labelled wrongly in its source: its figure belongs to M and N exchanged.
        let (m, n) = if row[8] == "passed_exchanged" { (number(5), number(4)) } else { (number(4), number(5)) };
        let matmul = Matmul::new(m, number(6), n, Dtype::Int8).unwrap();
        let dataflow = row[3].parse().unwrap();
        let schedule = schedule((number(1), number(2)), dataflow, Loading::BeforeEachFold, &matmul);
        let passed = number(7) + u64::from(row[8] == "index");
        assert_eq!(schedule.cycles(), passed, "{}", row[0]);
        assert_eq!(run(schedule.array(), dataflow, &matmul).cycles + 1, passed, "{}", row[0]);
        if schedule.cycles() * schedule.array().rows() * schedule.array().cols() < 1 << 30 {
            assert_eq!(done(&schedule, &matmul).cycles, passed, "{}", row[0]);
            executed += 1;
        }
    }
    assert_eq!(executed, 15);
}

/// Every run of the large table is counted by the moving model, where it takes no more than 2^24 steps of cells.
#[test]
fn scale_sim_runs_are_counted_by_moving() {
    let Some(folder) = std::env::var_os("PODIUM_ORACLE_DIR") else { return };
    let table = std::fs::read_to_string(std::path::Path::new(&folder).join("scalesim.csv")).unwrap();
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let names = ["dataflow", "rows", "cols", "M", "N", "K", "total_cycles", "stall_cycles", "mode"];
    let columns = names.map(|name| header.iter().position(|column| *column == name).unwrap());
    let (mut seen, mut moved) = (BTreeSet::new(), 0);
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [flow, r, c, m, n, k, total, stall, mode] = columns.map(|column| cells[column]);
        let number = |text: &str| text.parse::<u64>().unwrap();
        let matmul = Matmul::new(number(m), number(k), number(n), Dtype::Int8).unwrap();
        let schedule = schedule((number(r), number(c)), flow.parse().unwrap(), Loading::BeforeEachFold, &matmul);
        let stalls = if mode == "CALC" { 0 } else { number(stall) };
        let passed = number(total) - stalls + 1;
        assert_eq!(schedule.cycles(), passed, "{line}");
        if schedule.cycles() * number(r) * number(c) > 1 << 24 {
            continue;
        }
        moved += 1;
        if seen.insert([flow, r, c, m, n, k].map(str::to_owned)) {
            assert_eq!(done(&schedule, &matmul).cycles, passed, "{line}");
        }
    }
    assert!(moved > 400 && seen.len() > 300, "{moved} rows, {} different", seen.len());
}

/// The formula of the double-buffered array, by hand: one load, one tile each max(M to 8, R) cycles, one pass.
#[test]
fn double_buffered_weights_show_one_bubble() {
    let cycles = |m, k, n| {
        let matmul = Matmul::new(m, k, n, Dtype::Int8).unwrap();
        let schedule = schedule((128, 128), Dataflow::Ws, Loading::DoubleBuffered, &matmul);
        (schedule.cycles(), schedule.period())
    };
    assert_eq!(cycles(1024, 1024, 1024), (128 + 64 * 1024 + 254, 1024));
    // A short stream waits for the weights: eight rows take as long as 128.
    assert_eq!(cycles(8, 1024, 1024), (128 + 63 * 128 + 8 + 254, 128));
    assert_eq!(cycles(1, 128, 128), cycles(8, 128, 128));
}

#[test]
fn too_large_and_cancelled_runs_are_refused() {
    let attempt = |m, k, n, cancel: &Cancel| {
        let matmul = Matmul::new(m, k, n, Dtype::Int4).unwrap();
        let schedule = schedule((128, 128), Dataflow::Ws, Loading::BeforeEachFold, &matmul);
        execute((&schedule, &matmul), 0, cancel, &mut |_| {}).unwrap_err()
    };
    let run = Cancel::default();
    assert_eq!(
        attempt(8192, 8192, 8192, &run).to_string(),
        "moving the operands takes 554251059200 steps of cells and rows, too many to execute; at most 68719476736"
    );
    assert!(matches!(attempt(1 << 20, 1 << 10, 8, &run), ExecuteError::TooManyElements { .. }));
    run.set();
    assert_eq!(attempt(8, 8, 8, &run), ExecuteError::Cancelled);
}

/// Phases of one fold of a 4x4 array, by hand.
#[test]
fn phases_follow_each_other() {
    let matmul = Matmul::new(3, 4, 4, Dtype::Bf16).unwrap();
    let schedule = schedule((4, 4), Dataflow::Ws, Loading::BeforeEachFold, &matmul);
    let phases: Vec<_> = (0..schedule.cycles()).map(|cycle| Snapshot::at(&schedule, cycle).unwrap()).collect();
    let count = |phase| phases.iter().filter(|snapshot| snapshot.phase == phase).count();
    assert_eq!([Phase::Load, Phase::Stream, Phase::Drain].map(count), [4, 3 + 3, 3]);
    assert_eq!(phases[3].loaded_rows, Some(4));
    assert_eq!((phases[4].busy, phases[4].mac(0, 0)), (1, Some(Mac { m: 0, k: 0, n: 0 })));
    assert_eq!(phases[12].mac(3, 3), Some(Mac { m: 2, k: 3, n: 3 }));
    assert!(Snapshot::at(&schedule, 13).is_none());
}

fn any_schedule() -> impl Strategy<Value = (Schedule, Matmul)> {
    let shape = (1u64..20, 1u64..20, 1u64..20);
    let array = (1u64..9, 1u64..9);
    let (flows, loadings) = (proptest::sample::select(&Dataflow::ALL), proptest::sample::select(&LOADINGS));
    let dtype = proptest::sample::select(&Dtype::ALL);
    (shape, array, flows, loadings, dtype).prop_map(|((m, k, n), array, flow, loading, dtype)| {
        let matmul = Matmul::new(m, k, n, dtype).unwrap();
        (schedule(array, flow, loading, &matmul), matmul)
    })
}

/// Whole runs on any array in any dataflow and format: counted cycles are the closed form's, the result is right.
fn check_run(schedule: &Schedule, matmul: &Matmul) {
    let found = done(schedule, matmul);
    assert_eq!(found.cycles, schedule.cycles());
    if schedule.loading() == Loading::BeforeEachFold {
        assert_eq!(found.cycles, run(schedule.array(), schedule.dataflow(), matmul).cycles + 1);
    }
    check_result(&found, matmul, matmul.k() + schedule.row_folds() + 1);
}

/// The smallest product, primes, and sizes beyond the array.
#[test]
fn corner_shapes_run() {
    for (m, k, n) in [(1, 1, 1), (13, 31, 7), (1, 64, 1), (40, 3, 50), (16, 16, 16)] {
        for (array, loading) in
            [((1, 1), LOADINGS[0]), ((5, 7), LOADINGS[0]), ((16, 16), LOADINGS[1]), ((1, 8), LOADINGS[1])]
        {
            for (dataflow, dtype) in Dataflow::ALL.into_iter().zip([Dtype::F32, Dtype::Bf16, Dtype::Int4]) {
                let matmul = Matmul::new(m, k, n, dtype).unwrap();
                check_run(&schedule(array, dataflow, loading, &matmul), &matmul);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_run_counts_the_closed_form_and_gives_the_product((schedule, matmul) in any_schedule()) {
        check_run(&schedule, &matmul);
    }

    /// Wavefronts are, register for register, what every cell on its own does; so is the state without a replay.
    #[test]
    fn cells_wavefronts_and_snapshots_agree((schedule, matmul) in any_schedule()) {
        let mut cells = Cells::new(schedule, Operands::seeded(&matmul, 7));
        let mut engine = Engine::<f32>::new(schedule, Operands::seeded(&matmul, 7));
        let (mut busy, mut macs) = (0, BTreeSet::new());
        while cells.step() {
            prop_assert!(engine.step());
            let snapshot = Snapshot::at(&schedule, cells.cycles - 1).unwrap();
            let (mut busy_now, mut moving_now) = (0, 0);
            for (r, row) in cells.grid.iter().enumerate() {
                for (c, cell) in row.iter().enumerate() {
                    let at = r * row.len() + c;
                    prop_assert_eq!(snapshot.fold_of(r as u64, c as u64), cell.east.map(|east| east.fold));
                    let mac = snapshot.mac(r as u64, c as u64);
                    prop_assert_eq!(mac.is_some(), cell.is_busy());
                    busy_now += u64::from(cell.is_busy());
                    let Some(east) = cell.east else { continue };
                    moving_now += u64::from(east.value.is_some());
                    prop_assert_eq!((engine.grid.east[at], engine.grid.sums[at]), (east.value.unwrap_or(0.0), cell.sum));
                    prop_assert!(mac.is_none_or(|mac| macs.insert(mac)), "no product is done twice");
                }
            }
            prop_assert_eq!((snapshot.busy, snapshot.moving), (busy_now, moving_now));
            busy += busy_now;
        }
        prop_assert!(!engine.step());
        prop_assert_eq!((engine.cycles, cells.cycles), (schedule.cycles(), schedule.cycles()));
        prop_assert!(Snapshot::at(&schedule, cells.cycles).is_none());
        prop_assert_eq!(busy, matmul.macs());
        prop_assert_eq!(engine.grid.result, cells.result);
    }
}
