use proptest::prelude::*;

use super::*;

fn id(name: &str) -> GenerationId {
    GenerationId(name.to_owned())
}

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn error(text: &str) -> String {
    Calibrations::read(text).unwrap_err().to_string()
}

const MINE: &str = r#"(fitted: [(generation: "v6e", part: Chip, t0_seconds: (value: 2e-6, low: 1e-6, high: 3e-6,
    date: "2026-12-01", source: "mine", points: 12, fit_error_fraction: 0.03))])"#;

/// The embedded file is well-formed, and what it holds is what the program computes with.
#[test]
fn the_embedded_constants_are_read() {
    let v6e = calibration(&id("v6e"));
    assert_eq!((v6e.t0_seconds, v6e.mxu_fraction, v6e.hbm_fraction, v6e.borrowed), (1.2e-6, 0.80, 0.86, false));
    let tpu7x = calibration(&id("tpu7x"));
    assert_eq!((tpu7x.serial_fraction, tpu7x.copy_fraction, tpu7x.borrowed), (0.3, 0.873, false));
    for entry in &Calibrations::embedded().fitted {
        for (key, constant) in entry.constants() {
            assert!(constant.points > 0 && !constant.source.is_empty(), "{} {key}", entry.generation);
        }
    }
}

/// Borrowed constants say so and get a wider range, whatever else is known of the generation.
#[test]
fn other_generations_borrow_with_a_wider_range() {
    for (name, from) in [("v5p", "v6e"), ("v5e", "v6e"), ("v4", "v6e"), ("tpu8t", "tpu7x"), ("mine", "v6e")] {
        let found = calibration(&id(name));
        assert_eq!((found.measured_on.as_str(), found.borrowed), (from, true), "{name}");
        assert!(found.range_factor > calibration(&id("v6e")).range_factor);
    }
    assert!(
        Calibrations::embedded().ici_of(&id("v5e")).is_some() && Calibrations::embedded().ici_of(&id("v4")).is_none()
    );
}

/// A file of the user's own replaces what it names and leaves the rest.
#[test]
fn a_file_of_the_users_own_goes_over_the_embedded_one() {
    let merged = Calibrations::embedded().merged(&Calibrations::read(MINE).unwrap());
    let found = merged.of(&id("v6e")).unwrap();
    assert_eq!((found.t0_seconds, found.mxu_fraction), (2e-6, 0.80));
    let other = MINE.replace("v6e", "lab");
    let merged = Calibrations::embedded().merged(&Calibrations::read(&other).unwrap());
    assert!(merged.of(&id("lab")).unwrap().borrowed, "t0 alone does not time a product");
}

/// Hostile files: each error names the generation, the key, the number and what is allowed.
#[test]
fn errors_say_what_and_where() {
    assert_eq!(error("(fitted: [(generation: 3)])"), "line 1, column 23: Expected string");
    assert_eq!(
        error(&MINE.replace("value: 2e-6", "value: NaN")),
        "t0_seconds of v6e is NaN; it must lie between 0 and 1"
    );
    assert_eq!(
        error(&MINE.replace("low: 1e-6", "low: 1")),
        "t0_seconds of v6e is 1; it must lie between 0 and 0.000002"
    );
    assert!(error(&MINE.replace("2026-12-01", "2026-02-30")).contains("is not a day; write it as 2026-11-30"));
    assert!(error(&MINE.replace("points", "pints")).contains("pints"));
    let constant = MINE.split_once("t0_seconds: ").unwrap().1.trim_end_matches(")])");
    let too_many =
        ["mxu_fraction", "hbm_fraction", "serial_fraction", "copy_fraction", "vector_fraction", "ici_fraction"].map(
            |key| format!("{key}: {}", constant.replace("2e-6, low: 1e-6, high: 3e-6", "0.5, low: 0.4, high: 0.6")),
        );
    let text = MINE.replace("t0_seconds:", &format!("{}, t0_seconds:", too_many.join(", ")));
    assert_eq!(error(&text), "v6e has 7 constants; at most 6 are allowed: leave some out");
}

/// Age is a matter of two given days, never of a clock.
#[test]
fn old_constants_are_stale() {
    let fitted = &Calibrations::read(MINE).unwrap().fitted[0];
    let constant = fitted.t0_seconds.as_ref().unwrap();
    assert!(!constant.is_stale(day("2027-12-01"), 365) && constant.is_stale(day("2027-12-02"), 365));
    assert_eq!(day("2024-02-28").days_until(day("2024-03-01")), 2);
    assert_eq!(day("1970-01-01").days_until(day("2026-12-01")), 20_788);
    for bad in [
        "",
        "2026-13-01",
        "2026-1-01",
        "0000-01-01",
        "2023-02-29",
        "2026-11-31",
        "2026/11/30",
        "20261130aa",
        "---------1",
    ] {
        assert!(bad.parse::<Date>().is_err(), "{bad}");
    }
}

proptest! {
    /// What is written is read again as it was.
    #[test]
    fn written_constants_are_read_again(value in 0.02f64..0.9, points in 1u32..1000, error in proptest::option::of(0.0f64..1.0)) {
        let mut entry = Fitted::empty("lab \"x\"", Part::Device);
        let source = "line\nbreak".to_owned();
        entry.mxu_fraction = Some(Constant {
            value, low: value / 2.0, high: value, date: day("2026-12-01"), source, points, fit_error_fraction: error,
        });
        let all = Calibrations { fitted: vec![entry] };
        prop_assert_eq!(Calibrations::read(&all.write().unwrap()).unwrap(), all);
    }
}
