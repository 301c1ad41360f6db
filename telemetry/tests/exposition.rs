//! Pages in the text formats: what is read, what is told, and that no page breaks or bloats the reader.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use proptest::prelude::*;
use telemetry::exposition::{FamilyKind, Format, Limits, Page, Reader, Sample, WriteError, Writer, read};
use telemetry::labels::Labels;

fn page(text: &str, format: Format) -> Page {
    read(text.as_bytes(), format, Limits::default())
}

fn findings(page: &Page) -> Vec<String> {
    page.findings.as_slice().iter().map(|f| format!("{} [{}] {}", f.code, f.where_, f.message)).collect()
}

/// A page with every type survives, and says what each series is.
#[test]
fn an_openmetrics_page_is_read() {
    let text = "# TYPE step_seconds histogram\n# UNIT step_seconds seconds\n# HELP step_seconds Time of a \\\"step\\\".\n\
        step_seconds_bucket{le=\"1.0\"} 2 # {trace=\"t1\"} 0.7 12.5\nstep_seconds_bucket{le=\"+Inf\"} 3\n\
        step_seconds_count 3\nstep_seconds_sum 4.5\nstep_seconds_created 1.5\n# TYPE sent counter\nsent_total 7 1.5\n# TYPE up gauge\nup 1\n# EOF\n";
    let page = page(text, Format::OpenMetrics);
    assert_eq!(findings(&page), [""; 0]);
    assert_eq!(page.samples.len(), 7);
    assert_eq!(page.family_of("step_seconds_bucket"), ("step_seconds", FamilyKind::Histogram));
    assert_eq!(page.family_of("sent_total"), ("sent", FamilyKind::Counter));
    assert_eq!(page.family_of("up_total"), ("up_total", FamilyKind::Unknown), "a gauge has no endings");
    let family = &page.families["step_seconds"];
    assert_eq!((family.help.as_deref(), family.unit.as_deref()), (Some("Time of a \"step\"."), Some("seconds")));
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_the_rest_is_kept() {
    let text = "a 1\nb{x=\"1\" 2\na 3\nh\u{e9} 4\n# TYPE h histogram\nh_bucket{le=\"1\"} 5\nh_bucket{le=\"2\"} 4\nh_count 9\nc 5";
    let page = page(text, Format::Text);
    assert_eq!(page.samples.iter().map(|s| s.line).collect::<Vec<_>>(), [1, 6, 7, 8, 9]);
    assert_eq!(
        findings(&page),
        [
            "bad-line [line 2, column 9] a comma or } is expected after a label",
            "bad-line [line 4, column 2] \"\u{e9}\" is no number",
            "no-end [line 9] the last line has no end: the page may have been cut off",
            "repeated-series [line 3] a is there twice; the first sample is kept",
            "bad-histogram [h] the counts of its buckets fall as le grows",
            "bad-histogram [h] it has no bucket with le=\"+Inf\"",
        ]
    );
}

#[test]
fn a_page_without_its_end_is_told() {
    assert_eq!(findings(&page("a 1\n", Format::OpenMetrics)).len(), 1);
    assert_eq!(
        findings(&page("a 1\n# EOF\nb 2\n", Format::OpenMetrics)),
        ["after-end [line 3] there is text after # EOF"]
    );
}

#[test]
fn limits_hold_with_their_figures() {
    let limits = Limits { line_bytes: 30, labels: 3, samples: 2, families: 1 };
    let long = format!("{{\"{}\"}} 1", "x".repeat(100));
    let text =
        format!("a 1\n{long}\nb{{a=\"1\",b=\"2\",c=\"3\"}} 1\nc 1\nd 1\n# TYPE a gauge\n# TYPE b gauge\n# EOF\n");
    let page = read(text.as_bytes(), Format::OpenMetrics, limits);
    assert_eq!(page.samples.len(), 2);
    assert_eq!(
        findings(&page),
        [
            "line-too-long [line 2] the line is longer than 30 bytes and was left out",
            "bad-line [line 3, column 15] a series has at most 3 labels",
            "too-many-families [line 7] more than 1 families; what is said of others is not kept",
            "too-many-samples [page] the page has 3 samples; the first 2 were read",
        ]
    );
}

#[test]
fn the_format_of_a_file_and_of_an_answer_is_known() {
    assert_eq!(
        Format::of_content_type("application/openmetrics-text; version=1.0.0; charset=utf-8"),
        Format::OpenMetrics
    );
    assert_eq!(Format::of_content_type("text/plain; version=0.0.4"), Format::Text);
    assert_eq!(Format::of_file(b"a 1 1796068967.363\n# EOF\n"), Format::OpenMetrics);
    assert_eq!(Format::of_file(b"a 1 1796068967363\n# EOF\n"), Format::Text, "milliseconds");
    assert_eq!(Format::of_file(b"a 1\n"), Format::Text);
}

#[test]
fn the_writer_refuses_what_prometheus_would_refuse() {
    let mut writer = Writer::new(String::new(), Format::OpenMetrics);
    writer.family("sent_total", FamilyKind::Counter, "", None).unwrap();
    let sent = Labels::new([("__name__", "sent_total")]);
    writer.sample(&sent, Some(1_000), 1.0).unwrap();
    assert!(matches!(writer.sample(&sent, Some(1_000), 1.0), Err(WriteError::Order { .. })));
    let other = Labels::new([("__name__", "received_total")]);
    assert!(matches!(writer.sample(&other, Some(2_000), 1.0), Err(WriteError::Stranger { .. })));
    assert!(matches!(writer.family("sent", FamilyKind::Gauge, "", None), Err(WriteError::Repeated(_))));
    assert_eq!(writer.finish().unwrap(), "# TYPE sent counter\nsent_total 1.0 1.000\n# EOF\n");
}

/// The same facts in 0.0.4: no end, counters with their whole name, quotes in help as they are, times in milliseconds.
#[test]
fn pages_are_written_in_both_formats() {
    let mut writer = Writer::new(String::new(), Format::Text);
    writer.family("sent_total", FamilyKind::Counter, "All that was \"sent\"", None).unwrap();
    let sent = Labels::new([("__name__", "sent_total"), ("a", "\"")]);
    writer.sample(&sent, None, 2.0).unwrap();
    assert!(matches!(writer.sample(&sent, None, 3.0), Err(WriteError::Order { .. })), "one value of a moment");
    writer.family("load", FamilyKind::Unknown, "", Some("x")).unwrap();
    writer.sample(&Labels::new([("__name__", "load")]), Some(-1_500), f64::INFINITY).unwrap();
    let text = writer.finish().unwrap();
    assert_eq!(
        text,
        "# TYPE sent_total counter\n# HELP sent_total All that was \"sent\"\nsent_total{a=\"\\\"\"} 2.0\n\
         # TYPE load untyped\nload +Inf -1500\n"
    );
    let page = page(&text, Format::Text);
    assert_eq!((findings(&page), page.samples.len()), (vec![], 2));
}

fn any_text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "\"", "\\", "\n", "é", ",", "}", " ", "=", "#", "{"]), 0..8)
        .prop_map(|parts| parts.concat())
}

proptest! {
    /// What the writer writes is read back equal: names, labels with any text, values to the last bit, times.
    #[test]
    fn what_is_written_is_read_back(
        series in prop::collection::btree_map(any_text(), prop::collection::btree_map(-10_000_000_000_000..10_000_000_000_000_i64, any::<f64>(), 1..4), 1..5),
        help in any_text(),
    ) {
        let mut writer = Writer::new(String::new(), Format::OpenMetrics);
        writer.family("m_bytes", FamilyKind::Gauge, &help, Some("bytes")).unwrap();
        let mut expected: Vec<(Labels, i64, u64)> = Vec::new();
        for (text, samples) in &series {
            let labels = Labels::new([("__name__", "m_bytes"), ("x", text.as_str())]);
            for (at, value) in samples {
                writer.sample(&labels, Some(*at), *value).unwrap();
                expected.push((labels.clone(), *at, if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }));
            }
        }
        let text = writer.finish().unwrap();
        let page = page(&text, Format::OpenMetrics);
        prop_assert_eq!(findings(&page), [""; 0]);
        let found: Vec<_> = page.samples.iter().map(|s| (s.labels.clone(), s.at_ms.unwrap(), if s.value.is_nan() { f64::NAN.to_bits() } else { s.value.to_bits() })).collect();
        prop_assert_eq!(found, expected);
        // Blanks before a help text separate it from the name.
        prop_assert_eq!(page.families["m_bytes"].help.clone().unwrap_or_default(), help.trim_start_matches(' '));
    }

    /// No bytes make the reader panic, and pieces of any size give what the whole gives.
    #[test]
    fn any_bytes_in_any_pieces(
        bytes in prop::collection::vec(prop::sample::select(b"ab_0{}=\",\\ \t\n#.e+-NTYPE\xc3\xa9\xff\r".to_vec()), 0..300),
        cuts in prop::collection::vec(0..300_usize, 0..6),
        open in any::<bool>(),
    ) {
        let format = if open { Format::OpenMetrics } else { Format::Text };
        let limits = Limits { line_bytes: 40, ..Limits::default() };
        let read_in = |cuts: &[usize]| -> (Vec<Sample>, usize) {
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let (mut reader, mut samples) = (Reader::new(format, limits), Vec::new());
            for pair in cuts.windows(2) {
                reader.push(&bytes[pair[0]..pair[1]], &mut samples);
            }
            let (_, findings) = reader.finish(&mut samples);
            (samples, findings.total())
        };
        let (whole, pieces) = (read_in(&[]), read_in(&cuts));
        prop_assert_eq!(format!("{whole:?}"), format!("{pieces:?}"));
        read(&bytes, format, limits);
        let detected = Format::of_file(&bytes);
        prop_assert!(matches!(detected, Format::Text | Format::OpenMetrics));
    }
}
