//! `podium serve-metrics`: the embedded simulator, for Prometheus or as a recording.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

use planning::plan::Plan;
use serde::Serialize;
use simulator::live::LiveInput;
use telemetry::registry::Registry;
use telemetry::tsdb::{Bounds, Tsdb};
use topology::chip::Catalog;

use super::args::ServeArgs;
use super::failure::{Failure, Status};
use super::output::{Output, one_line};
use super::render::{refuse_existing, write};
use super::{Outcome, Stop};
use crate::clock::Now;
use crate::document::{self, Loaded};
use crate::metrics_server::Naming;
use crate::metrics_server::endpoint::{Endpoint, METRICS};
use crate::metrics_server::exporter::Exporter;
use crate::metrics_server::socket::{Limits, process_ends, serve};

/// Where it listens, or what was written.
#[derive(Serialize)]
struct Answer {
    plan: String,
    chips: usize,
    series: usize,
    names: Naming,
    /// Bound address; null for a recording.
    address: Option<SocketAddr>,
    url: Option<String>,
    speed: f64,
    output: Option<String>,
    samples: Option<usize>,
    findings: Vec<String>,
}

/// Fastest that time may pass.
const MOST_SPEED: f64 = 86_400.0;

pub(super) fn run(args: &ServeArgs, output: &mut Output<'_>) -> Outcome {
    if !(args.speed > 0.0 && args.speed <= MOST_SPEED) {
        let message = format!("{} is no speed above 0 and up to {MOST_SPEED}", args.speed);
        return Err(Failure::usage(message, "--speed").hint("1 is real time, 60 a minute in a second").into());
    }
    let address = args.bind.as_deref().map(|text| address_of(text, args.allow_remote)).transpose()?;
    if let Some(output) = &args.output {
        refuse_existing(output, args.force)?;
    }
    let plan = plan_of(args.plan.as_deref())?;
    let epoch = plan.live.epoch_unix_seconds;
    let input = LiveInput {
        fleet: Arc::clone(&plan.fleet),
        catalog: Arc::new(Catalog::embedded().clone()),
        jobs: plan.jobs.to_vec(),
        seed: plan.live.seed,
    };
    let exporter = Exporter::new(&input, epoch, args.names).map_err(|error| {
        Failure::input("simulation", error.to_string()).at("--plan").hint("Try `podium check` on the plan")
    })?;
    let answer = Answer {
        plan: plan.name.clone(),
        chips: plan.fleet.n_chips(),
        series: exporter.n_series(),
        names: args.names,
        address: None,
        url: None,
        speed: args.speed,
        output: None,
        samples: None,
        findings: exporter.findings.clone(),
    };
    match (&args.output, address) {
        (Some(file), _) => record(args, &exporter, (file, answer), output),
        (None, Some(address)) => listen(exporter, address, answer, output),
        // The command line asks for one of them.
        (None, None) => Err(Failure::usage("an address is missing", "--bind").into()),
    }
}

fn plan_of(file: Option<&Path>) -> Result<Plan, Failure> {
    let Some(file) = file else { return Ok(planning::sample()) };
    match document::load(file)? {
        Loaded::Plan { plan, .. } | Loaded::Inventory { plan, .. } => Ok(plan),
        Loaded::Workload { .. } => {
            let message = format!("{} is no plan or fleet", file.display());
            Err(Failure::input("content", message).at("--plan").hint("Give a plan, a fleet or an inventory"))
        }
    }
}

/// The address of `--bind`; one that other machines reach has to be asked for.
fn address_of(text: &str, allow_remote: bool) -> Result<SocketAddr, Failure> {
    let numbers = text.strip_prefix("localhost:").map_or_else(|| text.to_owned(), |port| format!("127.0.0.1:{port}"));
    let address: SocketAddr = numbers.parse().map_err(|_not_one| {
        let message = format!("\"{text}\" is no address with a port");
        Failure::usage(message, "--bind").hint("Write it as 127.0.0.1:9400; port 0 takes any free one")
    })?;
    if address.ip().is_loopback() || allow_remote {
        return Ok(address);
    }
    let message = format!("{address} can be reached from other machines");
    Err(Failure::usage(message, "--bind").hint("Listen at 127.0.0.1, or allow it knowingly with --allow-remote"))
}

fn listen(exporter: Exporter, address: SocketAddr, answer: Answer, output: &mut Output<'_>) -> Outcome {
    let failed = |error: &std::io::Error| {
        let hint = "Choose another port; port 0 takes any free one";
        Stop::from(Failure::input("bind", format!("{address}: {error}")).at("--bind").hint(hint))
    };
    let listener = TcpListener::bind(address).map_err(|error| failed(&error))?;
    let bound = listener.local_addr().map_err(|error| failed(&error))?;
    let (begin, speed) = (Now::read().unix_s as f64, answer.speed);
    let answer = Answer { address: Some(bound), url: Some(format!("http://{bound}{METRICS}")), ..answer };
    output.answer("serve-metrics", &answer, text)?;
    let page = move |at: f64, format| exporter.page(begin + at * speed, format).map_err(|error| error.to_string());
    serve(listener, Endpoint::new(Box::new(page)), process_ends(), Limits::default())
        .map_err(|error| failed(&error))?;
    Ok(Status::Done)
}

fn record(args: &ServeArgs, exporter: &Exporter, (file, answer): (&Path, Answer), output: &mut Output<'_>) -> Outcome {
    let until = args.until.map_or_else(|| Now::read().unix_s, jiff::Timestamp::as_second);
    let mut store = Tsdb::new(Bounds::default());
    let mut progress = output.progress("simulated");
    for minute in 0..args.minutes {
        let at = until - 60 * i64::from(args.minutes - 1 - minute);
        let taken = exporter.record(&mut store, at);
        taken.map_err(|error| {
            Failure::input("too_many_series", error.to_string()).at("--plan").hint("Give a plan with fewer chips")
        })?;
        progress.tell(f64::from(minute + 1) / f64::from(args.minutes));
    }
    let text = store
        .write_openmetrics(String::new(), Registry::embedded())
        .map_err(|error| Failure::input("bug", error.to_string()).at("-o"))?;
    write(file, text.as_bytes(), args.force)?;
    let answer = Answer { output: Some(file.display().to_string()), samples: Some(store.n_samples()), ..answer };
    output.answer("serve-metrics", &answer, self::text)?;
    Ok(Status::Done)
}

fn text(answer: &Answer) -> String {
    let count = |n: usize| widgets::format::count(n as u64);
    let what = match (&answer.url, &answer.output) {
        (Some(url), _) => format!("Serving {url} until Ctrl+C"),
        (None, output) => format!(
            "{}: {} samples",
            one_line(output.as_deref().unwrap_or_default()),
            count(answer.samples.unwrap_or_default())
        ),
    };
    let mut lines = vec![what];
    lines.push(format!(
        "Simulated: {}, {} chips, {} series",
        one_line(&answer.plan),
        count(answer.chips),
        count(answer.series)
    ));
    lines.extend(answer.findings.iter().map(|finding| format!("Not simulated: {}", one_line(finding))));
    lines.join("\n") + "\n"
}
