//! `podium collective` answers with its promised keys, as its models do, and refuses what cannot be.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use app::cli::failure::Status;
use looks::command_line::podium;
use serde_json::Value;

/// Standard output as JSON, and the status.
fn asked(arguments: &str) -> (Status, Value) {
    let mut words = vec!["collective", "--json"];
    words.extend(arguments.split(' '));
    let ran = podium(&words);
    (ran.status, serde_json::from_str(&ran.out).unwrap())
}

fn answered(arguments: &str) -> Value {
    let (status, answer) = asked(arguments);
    assert_eq!(status, Status::Done, "{arguments}: {answer}");
    answer
}

/// Protects scripts: keys may be added, never renamed.
#[test]
fn every_promised_key_is_there() {
    let answer = answered("all-reduce --slice v5p:8x8x8 --axes x,y,z --bytes 256MiB --links --fail link:0,0,0:x");
    let keys = "seconds seconds_low seconds_high bandwidth_seconds latency_seconds algorithm_bytes_per_s \
                busiest_link_bytes links degraded explain phases kind model hops events failed";
    for key in keys.split_whitespace() {
        assert!(answer.get(key).is_some(), "{key} is missing in {answer}");
    }
    assert_eq!(answer["degraded"][0]["what"], "line");
    assert_eq!(answer["failed"][0], "link 0 0 0 x");
    // Every direction of 3·512 links but one link.
    assert_eq!(answer["links"].as_array().unwrap().len(), 2 * (3 * 512 - 1));
}

/// W160 by its closed form, and both models alike on a healthy ring.
#[test]
fn both_models_give_the_known_time_of_a_ring() {
    for model in ["analytic", "event"] {
        let answer = answered(&format!("all-gather --slice v5p:16x16x16 --axes x --bytes 256MiB --model {model}"));
        let micros = answer["bandwidth_seconds"].as_f64().unwrap() * 1e6;
        assert!((micros / 1398.1 - 1.0).abs() < 1e-3, "{model}: {micros}");
        assert!((answer["seconds"].as_f64().unwrap() * 1e6 / 1398.1 - 1.0).abs() < 0.02, "{model}: {answer}");
    }
}

/// Protects whoever asks: topology changes the answer on the command line too.
#[test]
fn a_twist_changes_the_answer() {
    let seconds = |flag: &str| {
        let answer = answered(&format!("all-to-all --slice v4:4x4x8 {flag} --axes xyz --bytes 1GiB"));
        answer["bandwidth_seconds"].as_f64().unwrap()
    };
    assert!((seconds("--no-twist") / seconds("--twist") - 1.745).abs() < 0.01);
}

#[test]
fn what_cannot_be_is_refused_with_its_flag() {
    for (arguments, kind, place) in [
        ("all-gather --slice v5e:4x4 --axes z --bytes 1", "bad_axes", "--axes"),
        ("all-gather --slice v5e:4x4 --groups {{0,1},{2,3}} --bytes 1", "bad_groups", "--axes, --groups"),
        ("all-gather --slice v5e:4x4 --axes x --bytes 1e30", "usage", "--bytes"),
        ("all-gather --slice v5e:4x4 --axes x --bytes -5", "usage", "--bytes"),
        ("gather --slice v5e:4x4 --axes x --bytes 1", "usage", "KIND"),
        ("all-gather --slice v5e --axes x --bytes 1", "usage", "--slice"),
        ("permute --slice v5e:4x4 --axes x --bytes 1 --pairs {{0,5}}", "bad_pairs", "--pairs"),
        ("all-gather --slice v5e:4x4 --axes x --bytes 1 --fail chip:0,0,0", "not_runnable", "--fail"),
        ("all-gather --slice v5e:4x4 --axes x --bytes 1 --fail link:9,0,0:x", "bad_component", "--fail"),
        ("all-gather --slice v5e:4x4 --axes x --bytes 1 --slices 0", "bad_slices", "--slices"),
        (
            "all-to-all --slice v5p:16x16x16 --axes xyz --bytes 1 --model event --fail link:0,0,0:x",
            "too_long",
            "--model",
        ),
    ] {
        let (status, refusal) = asked(arguments);
        assert_ne!(status, Status::Done, "{arguments}");
        assert_eq!(
            (&refusal["error"]["kind"], &refusal["error"]["where"]),
            (&kind.into(), &place.into()),
            "{arguments}"
        );
    }
}

/// A person reads what faults did, and of which link.
#[test]
fn the_text_says_what_faults_did() {
    let words = "collective all-gather --slice v5e:16x16 --axes x --bytes 1MB --fail link:3,2,0:x --links";
    let text = podium(&words.split(' ').collect::<Vec<_>>()).out;
    assert!(text.contains("a ring along x became a line: its link after chip 3 2 0 is lost"), "{text}");
    assert!(text.contains("0,0,0:x") && !text.contains("\n3,2,0:x"), "{text}");
}
