use proptest::prelude::*;

use super::*;
use crate::calibration::Part;
use crate::roofline::Operands;

const HEADER: &str = "id,kind,chip,slice,workload_parameters,measured_quantity,value,unit,source,confidence,suggested_tolerance_pct,note\n";

fn report() -> Report {
    validate(&embedded().unwrap(), Calibrations::embedded())
}

fn group(report: &Report, group: Group) -> GroupReport {
    *report.groups.iter().find(|found| found.group == group).unwrap()
}

/// What becomes of one row of the long form.
fn outcome_of(row: &str) -> Outcome {
    let rows = table::read(&(HEADER.to_owned() + row)).unwrap();
    validate(&rows, Calibrations::embedded()).rows.remove(0).outcome
}

fn one(row: &str) -> Compared {
    match outcome_of(row) {
        Outcome::Compared(mut found) => found.remove(0),
        other => panic!("{row}: {other:?}"),
    }
}

fn error(text: &str) -> String {
    table::read(text).unwrap_err().to_string()
}

/// Every group of the embedded rows passes its gate, with the errors that docs/models.md prints.
#[test]
fn the_gates_are_passed_with_the_documented_errors() {
    let found = report();
    let documented = [
        (Group::Systolic, 18, 0.0, 0.0),
        (Group::WorkedRoofline, 18, 0.022, 0.193),
        (Group::WorkedCollectives, 19, 0.009, 0.072),
        (Group::WorkedSlices, 11, 0.0005, 0.004),
        (Group::Gemm, 50, 0.060, 0.213),
        (Group::GemmCore, 16, 0.085, 0.185),
        (Group::Hbm, 11, 0.019, 0.098),
        (Group::Collectives, 10, 0.008, 0.019),
        (Group::CollectivesUncalibrated, 10, 0.301, 0.625),
    ];
    assert_eq!(found.groups.len(), documented.len(), "{:?}", found.groups);
    for (name, rows, mean, max) in documented {
        let found = group(&found, name);
        assert!(found.passed, "{found:?}");
        assert_eq!(found.rows, rows, "{found:?}");
        assert!((found.mape_fraction - mean).abs() < 0.002 && (found.max_fraction - max).abs() < 0.002, "{found:?}");
    }
}

/// The constants must beat a model without them, and one with a single efficiency.
#[test]
fn constants_beat_the_null_models() {
    let found = report();
    for name in [Group::Gemm, Group::GemmCore, Group::Hbm, Group::Collectives] {
        let found = group(&found, name);
        let (roofline, constant) =
            (found.null_model_mape_fraction.unwrap(), found.constant_efficiency_mape_fraction.unwrap());
        assert!(found.mape_fraction < 0.6 * constant && constant <= roofline, "{found:?}");
    }
}

/// Rows whose source is wrong are named and count nowhere; rows that nothing here computes count nowhere either.
#[test]
fn wrong_and_foreign_rows_are_set_aside_by_name() {
    let found = report();
    let ids = |wanted: &Outcome| {
        let rows = found.rows.iter().filter(|judged| judged.outcome == *wanted);
        rows.map(|judged| judged.row.id.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&Outcome::Excluded), ["W031", "W097", "W159"]);
    assert_eq!(ids(&Outcome::NotModelled), ["W052"]);
    for foreign in [
        "a,measured,v5e,v5e-256,model=default-16B;pdb=4,MFU,50,%,s,A,10,",
        "a,measured,v6e,v6e-1,attention decode paged;S=512;B=8;heads=32;kv_heads=8;hd=128;bf16,kernel time,98.8,us,s,B,30,",
        "a,measured,v6e,multislice,psum bf16 17408x17408 over DCN,bandwidth,4.1,GB/s,s,A,30,",
        "a,measured,v6e,v6e-1,Qwen3-8B bf16 prefill;seq=512;batch=1;L=36;D=4096;F=12288;N=32;K=8;H=128;V=151936,device time,17,ms,s,B,20,",
        "a,worked,any,-,F=4D;D=NH,attention/matmul FLOPs ratio,T/(8D),formula,s,A,0,",
        "a,measured,no such chip,1 chip,GEMM;M=8;K=8;N=8,time,1,us,s,A,1,",
        "a,measured,v6e,1 chip,GEMM;M=0;K=8;N=8,time,1,us,s,A,1,",
        "a,measured,v6e,1 chip,GEMM;M=8;K=8;N=8,time,0,us,s,A,1,",
    ] {
        assert_eq!(outcome_of(foreign), Outcome::NotModelled, "{foreign}");
    }
}

/// Rows of the same kinds in other words are understood: quantities in other units, sizes in other spellings.
#[test]
fn the_same_row_in_other_words_gives_the_same_answer() {
    let seconds =
        one("a,measured,v6e,v6e-1,GEMM bf16;M=4096;K=4096;N=4096,device time per op,176.882,us,s,B,20,").model;
    for (row, scale) in [
        ("a,measured,TPU v6e,1 chip,matmul;M=N=K=4096;dtype=bf16,time,0.176882,ms,s,B,20,", 1e3),
        (
            "a,measured,Trillium,1 chip,GEMM bf16 4096^3;device trace time,time | throughput,0.177 | 776,ms | TFLOP/s,s,A,5,",
            1e3,
        ),
        ("a,measured,v6e,v6e-1,bf16 matmul 4096x4096x4096,latency,1.76882e-4,s,s,B,20,", 1e6),
    ] {
        assert!((one(row).model * scale / seconds - 1.0).abs() < 1e-9, "{row}");
    }
    let rate = one("a,measured,v6e,1 chip,GEMM bf16;M=N=K=4096,throughput,777,TFLOP/s,s,B,20,").model;
    assert!((rate * 1e12 * seconds * 1e-6 / (2.0 * 4096.0 * 4096.0 * 4096.0) - 1.0).abs() < 1e-9);
}

/// A loop that beats main memory is computed with its operands in VMEM, and says so; a row may also say it itself.
#[test]
fn a_loop_faster_than_memory_is_taken_to_be_in_vmem() {
    let resident = one("a,measured,v6e,v6e-1,elementwise add bf16;elements=8388608,time per op,6,us,s,B,20,");
    assert!(resident.remark.contains("VMEM") && resident.group == Group::ElementWise, "{resident:?}");
    let streamed = one("a,measured,v6e,v6e-1,elementwise add bf16;elements=8388608,time per op,42,us,s,B,20,");
    assert!(
        streamed.remark.is_empty() && streamed.is_within() && streamed.model > 5.0 * resident.model,
        "{streamed:?}"
    );
    let told = one("a,measured,v6e,v6e-1,elementwise add bf16;elements=8388608;resident=yes,time per op,42,us,s,B,20,");
    assert_eq!(told.model, resident.model);
}

/// Topology changes the answer: a ring against a line, and one axis against two.
#[test]
fn topology_matters() {
    let of = |slice: &str, workload: &str| one(&format!("a,worked,v5p,{slice},{workload},time,100,us,s,D,1,")).model;
    let gather = "AllGather over one 8-long axis;V=268435456 B;W_oneway=9e10";
    assert_eq!(of("8x8x8 no wrap", gather), 2.0 * of("8x8x8 wrap", gather));
    assert!(of("8x8x8 wrap", &gather.replace("one", "two")) < of("8x8x8 wrap", gather));
}

/// A user's short table gives measured products, per part of the chip, ready to be fitted.
#[test]
fn a_short_table_of_products_is_read() {
    let text = "chip,M,K,N,dtype,seconds,part\nv6e,1024,2048,4096,bf16,3e-5,\ntpu7x,512,512,512,fp8,2.5e-6,device\n";
    let rows = table::read(text).unwrap();
    let found: Vec<_> = rows.iter().filter_map(measurement).collect();
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].0.0.as_str(), found[0].1, found[0].2.seconds), ("v6e", Part::Chip, 3e-5));
    assert_eq!((found[0].2.product.m(), found[0].2.product.k(), found[0].2.product.n()), (1024, 2048, 4096));
    assert_eq!(
        (found[1].1, found[1].2.product.dtype(), found[1].2.operands),
        (Part::Device, crate::dtype::Dtype::Fp8, Operands::Hbm)
    );
}

/// Errors name the row and the column, and say what is expected there.
#[test]
fn errors_of_tables_name_row_and_column() {
    assert!(error("").starts_with("the table is empty"));
    assert_eq!(error("chip,value\n"), "the header has no column \"workload_parameters\"");
    assert_eq!(
        error(&(HEADER.to_owned() + "a,b\n")),
        "row 2 has 2 cells, the header 12; put cells with commas in double quotes"
    );
    assert_eq!(error(&(HEADER.to_owned() + "a,\"b\n\n")), "row 2: a double quote is never closed");
    assert_eq!(
        error(&(HEADER.to_owned() + "a,measured,v6e,s,w,q,1,us,s,A,lots,")),
        "row 2, column suggested_tolerance_pct: \"lots\" is not a percentage from 0 to 1000"
    );
    assert_eq!(error(&(HEADER.to_owned() + "a,measured,,s,w,q,1,us,s,A,,")), "row 2, column chip: is empty");
    let short = |row: &str| error(&format!("# mine\nchip,m,k,n,dtype,seconds\n{row}\n"));
    assert_eq!(short("v6e,0,1,1,bf16,1"), "row 3, column m: \"0\" is not a size from 1 to 16777216");
    assert_eq!(short("v6e,1,1,1,bf16,-1"), "row 3, column seconds: \"-1\" is not a time above 0");
    assert!(short("v6e,1,1,1,fp17,1").starts_with("row 3, column dtype: \"fp17\" is not a number format"));
}

/// Quoted cells hold commas, quotes and line breaks.
#[test]
fn quoted_cells_are_read() {
    let rows = table::read(&(HEADER.to_owned() + "a,measured,v6e,\"x, \"\"y\"\"\nz\",w,q,1,us,s,A,,")).unwrap();
    assert_eq!(rows[0].slice, "x, \"y\"\nz");
}

#[test]
fn numbers_in_words_are_read() {
    use words::number;
    assert_eq!(number("3*1.8e11"), Some(5.4e11));
    assert_eq!((number("1us"), number("1.5e10/chip"), number("134MB")), (Some(1e-6), Some(1.5e10), Some(1.34e8)));
    for bad in ["", "2BD/16", "e", "-", "1e999", "x4", "(3)", "1*", "nan", "inf"] {
        assert_eq!(number(bad), None, "{bad}");
    }
    assert_eq!(words::tokens("A=b[1,2];c d,(e f)").collect::<Vec<_>>(), ["A=b[1,2]", "c", "d", "(e f)"]);
}

proptest! {
    /// No text stops the reader or the engine.
    #[test]
    fn any_text_is_answered(
        chip in "(v6e|tpu7x|v5e|v4 \\(core\\)|\\PC{0,6})",
        slice in "(1 device|4x4|mesh X8 Y4|v6e-16|mesh|x|-|\\PC{0,8})",
        words in proptest::collection::vec("(GEMM|M=|N=9e9|K=1|AllGather_XY|AllToAll|psum|copy|relu|bf16|\\[|\\)|=|8\\^9|0x0|B=1|D=0|V=0|W=0|peak=0|hbm=0|\\PC{0,6})", 0..8),
        quantity in "(time|B_crit|compute cycles|T_math|HBM per pod|time ratio|latency bound buffer|\\PC{0,8})",
        value in "(1|0|-1|1e308|NaN|1 \\| 2|\\PC{0,4})",
        unit in "(us|TFLOP/s|GB/s|\\PC{0,4})",
        worked in any::<bool>(),
    ) {
        let row = Row {
            line: 1, id: "a".to_owned(), is_worked: worked, chip, slice, workload: words.join(";"), quantity, value, unit,
            source: String::new(), tolerance_fraction: None, note: String::new(),
        };
        let report = validate(std::slice::from_ref(&row), Calibrations::embedded());
        for group in report.groups {
            prop_assert!(group.mape_fraction.is_finite());
        }
        prop_assert!(measurement(&row).is_none_or(|(_, _, found)| found.seconds.is_finite()));
        let text = format!("{HEADER}{}", row.workload);
        prop_assert!(table::read(&text).is_ok_and(|rows| rows.is_empty()) || table::read(&text).is_err());
    }
}
