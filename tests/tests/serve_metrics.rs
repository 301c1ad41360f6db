//! `podium serve-metrics`: what a scraper gets over a real socket, and what is refused before one is opened.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use app::cli::failure::Status;
use app::metrics_server::Naming;
use app::metrics_server::endpoint::Endpoint;
use app::metrics_server::exporter::Exporter;
use app::metrics_server::socket::{Limits, serve};
use looks::command_line::podium;
use simulator::live::LiveInput;
use telemetry::bind::{How, Inventory, Mapping, bind};
use telemetry::exposition::{self, Format, Page, read};
use telemetry::labels::Labels;
use telemetry::registry::Registry;
use topology::chip::Catalog;

/// The sample, simulated, and its epoch.
fn exporter(naming: Naming) -> (Exporter, f64) {
    let plan = planning::sample();
    let epoch = plan.live.epoch_unix_seconds;
    let catalog = Arc::new(Catalog::embedded().clone());
    let input = LiveInput { fleet: Arc::clone(&plan.fleet), catalog, jobs: plan.jobs.to_vec(), seed: plan.live.seed };
    (Exporter::new(&input, epoch, naming).unwrap(), epoch as f64)
}

fn page_of(text: &str, format: Format) -> Page {
    let page = read(text.as_bytes(), format, exposition::Limits::default());
    assert_eq!(page.findings.as_slice(), [], "the page is right to the last line");
    page
}

/// A server on a free port of the loopback, with one line of text that names its second.
struct Server {
    address: SocketAddr,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<JoinHandle<std::io::Result<()>>>,
}

impl Server {
    fn start(limits: Limits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let run = move || {
            let endpoint = Endpoint::new(Box::new(|_at, _format| Ok("up 1\n".to_owned())));
            serve(listener, endpoint, async { drop(stopped.await) }, limits)
        };
        let thread = Builder::new().name("server".to_owned()).spawn(run).unwrap();
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    /// Sends these bytes and reads until the server closes.
    fn exchange(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A server that refuses a request may close before all of it was taken.
        stream.read_to_end(&mut answer).ok();
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn end(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        self.thread.take().unwrap().join().unwrap().unwrap();
    }
}

#[test]
fn a_scraper_gets_the_page_and_the_server_ends_when_it_is_told() {
    let server = Server::start(Limits::default());
    let get = server.exchange("GET /metrics?x=1 HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(get.starts_with("HTTP/1.1 200 OK\r\n") && get.ends_with("\r\n\r\nup 1\n"), "{get}");
    assert!(get.contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n"), "{get}");
    let head = server.exchange("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(head.contains("content-length: 5\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    let post = server.exchange("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
    assert!(post.starts_with("HTTP/1.1 405") && post.contains("allow: GET, HEAD\r\n"), "{post}");
    let lost = server.exchange("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(lost.starts_with("HTTP/1.1 404") && lost.contains("try /metrics"), "{lost}");
    server.end();
}

/// Hostile clients cost one connection for a bounded time, and nobody else anything.
#[test]
fn slow_and_endless_requests_are_ended() {
    let limits = Limits { connections: 2, request: Duration::from_millis(200), connection: Duration::from_secs(5) };
    let server = Server::start(limits);
    let slow: Vec<TcpStream> = (0..4).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    // All places are taken by clients that say nothing; this one waits for its turn.
    let get = server.exchange("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(get.ends_with("up 1\n"), "{get}");
    for mut stream in slow {
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
        assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    }
    let long = format!("GET /metrics HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "a".repeat(100_000));
    assert!(!server.exchange(&long).contains("200 OK"));
    assert!(server.exchange("\u{1}\u{2}nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    server.end();
}

/// Values by series of a page.
fn values(page: &Page) -> BTreeMap<Labels, f64> {
    page.samples.iter().map(|sample| (sample.labels.clone(), sample.value)).collect()
}

/// The page is what the simulator says: in both formats alike, other at another time, the same at the same time.
#[test]
fn pages_follow_the_simulator() {
    let (exporter, epoch) = exporter(Naming::Gke);
    let text = |minute: f64, format| exporter.page(epoch + 60.0 * minute, format).unwrap();
    let page = page_of(&text(10.0, Format::Text), Format::Text);
    let open = page_of(&text(10.0, Format::OpenMetrics), Format::OpenMetrics);
    assert_eq!(values(&page), values(&open));
    assert_eq!(page.families.len(), 5);
    assert!(page.samples.len() > 20_000 && page.samples.len() <= exporter.n_series(), "{}", page.samples.len());
    assert_eq!(text(10.0, Format::Text), text(10.0, Format::Text));
    let later = page_of(&text(75.0, Format::Text), Format::Text);
    assert_ne!(values(&page), values(&later), "an hour later all is not the same");
    let registry = Registry::embedded();
    for sample in &page.samples {
        let known = registry.find(sample.labels.name()).unwrap();
        let range = known.spec.range.unwrap();
        assert!(range.min.is_none_or(|min| sample.value >= min) && range.max.is_none_or(|max| sample.value <= max));
        assert_eq!(sample.labels.get("origin"), Some("simulated"), "nobody takes it for a real fleet");
        assert!(sample.labels.get("accelerator_id").is_some() && sample.labels.get("node_name").is_some());
    }
}

/// Podium's own names come back to the chips that they were made of.
#[test]
fn own_names_are_bound_to_their_chips() {
    let (exporter, epoch) = exporter(Naming::Podium);
    let page = page_of(&exporter.page(epoch + 600.0, Format::Text).unwrap(), Format::Text);
    let series: Vec<Labels> = page.samples.iter().map(|sample| sample.labels.clone()).collect();
    let inventory = Inventory::of_fleet(&planning::sample().fleet);
    let binding = bind(&series, &inventory, &Mapping::default(), Registry::embedded());
    assert_eq!(binding.report.bound, BTreeMap::from([(How::Coordinate, series.len())]));
    assert_eq!(binding.report.unplaced, []);
}

#[test]
fn what_cannot_be_served_is_refused() {
    for (arguments, status, words) in [
        (&["--bind", "0.0.0.0:0"][..], Status::Usage, "with --allow-remote"),
        (&["--bind", "9400"], Status::Usage, "127.0.0.1:9400"),
        (&["--bind", "127.0.0.1:0", "--speed", "0"], Status::Usage, "no speed above 0"),
        (&["--bind", "127.0.0.1:0", "--speed", "nan"], Status::Usage, "no speed above 0"),
        (&[], Status::Usage, "--bind"),
        (&["--bind", "127.0.0.1:0", "--plan", "no-such.ron"], Status::Found, "there is no such file"),
    ] {
        let ran = podium(&[&["serve-metrics"], arguments].concat());
        assert_eq!((ran.status, ran.out.as_str()), (status, ""), "{arguments:?}");
        assert!(ran.err.contains(words), "{arguments:?}: {}", ran.err);
    }
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = podium(&["serve-metrics", "--bind", &address]);
    assert!(ran.status == Status::Found && ran.err.contains("port 0 takes any free one"), "{}", ran.err);
}

/// A recording is the same for the same moment, is read without a finding, and is not replaced unasked.
#[test]
fn a_recording_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.om");
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../sample-data/plans/fleet-north.ron");
    let arguments =
        ["serve-metrics", "--json", "--plan", plan, "-o", file.to_str().unwrap(), "--minutes", "2", "--until"];
    let record = |more: &[&str]| podium(&[&arguments[..], &["2026-11-30T06:00:00Z"], more].concat());
    let ran = record(&[]);
    assert_eq!(ran.status, Status::Done, "{}", ran.err);
    let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    let page = page_of(&text, Format::of_file(text.as_bytes()));
    assert_eq!(answer["samples"], page.samples.len());
    assert_eq!(page.samples[1].at_ms, Some(1_796_018_400_000));
    assert_eq!(record(&[]).status, Status::Found);
    assert_eq!(record(&["--force"]).status, Status::Done);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}
