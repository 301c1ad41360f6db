//! `podium collective`: a collective on a slice, by counting or by simulation.

use serde::Serialize;
use simulator::cancel::Cancel;
use simulator::collective::{
    self, Analytic, BadText, CollectiveError, CollectiveModel, Degraded, EventDriven, Fabric, Group, LinkTraffic,
    Order, Phase, Request, Routing,
};
use simulator::explain::Term;
use simulator::trace::Trace;
use topology::graph::Outage;
use topology::units::BytePerSec;
use widgets::format;

use super::args::{CollectiveArgs, CollectiveBy, RouteBy};
use super::coords::sign_text;
use super::failure::Failure;
use super::output::{self, Output};
use super::{route, slice, trace};

#[derive(Serialize)]
pub(super) struct Answer {
    kind: &'static str,
    generation: String,
    shape: String,
    twisted: bool,
    slices: u32,
    model: &'static str,
    bytes: f64,
    group_chips: usize,
    groups: usize,
    seconds: f64,
    seconds_low: f64,
    seconds_high: f64,
    bandwidth_seconds: f64,
    latency_seconds: f64,
    /// Null where it takes no time.
    algorithm_bytes_per_s: Option<f64>,
    busiest_link_bytes: f64,
    hops: u32,
    /// Null where nothing was simulated.
    events: Option<u64>,
    failed: Vec<String>,
    degraded: Vec<Told>,
    phases: Vec<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<OneWay>>,
    explain: Vec<Term>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
}

/// What faults did, and in words.
#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    what: Degraded,
    message: String,
}

#[derive(Serialize)]
struct Part {
    name: String,
    axis: Option<&'static str>,
    start_seconds: f64,
    seconds: f64,
    bytes: f64,
}

/// One direction of a link, by the chip at its negative end.
#[derive(Serialize)]
struct OneWay {
    x: u16,
    y: u16,
    z: u16,
    axis: &'static str,
    sign: &'static str,
    bytes: f64,
    busy_seconds: f64,
    idle_seconds: f64,
}

pub(super) fn collective(args: &CollectiveArgs, output: &mut Output<'_>) -> Result<Answer, Failure> {
    let request = request(args)?;
    trace::refuse(&args.trace)?;
    let model = slice::named(&args.slice)?;
    let mut outage = Outage::default();
    let failed =
        args.fail.iter().map(|part| route::fail(&model.torus, part, &mut outage)).collect::<Result<Vec<_>, _>>()?;
    let fabric = Fabric::new(&model, outage).and_then(|fabric| fabric.with_slices(args.slices));
    let fabric = fabric.map_err(|error| refused(&error))?;
    let simulated = EventDriven {
        n_chunks: args.chunks,
        routing: match args.routing {
            RouteBy::Adaptive => Routing::Adaptive,
            RouteBy::Ordered => Routing::DimensionOrdered,
        },
        order: Order::default(),
    };
    let (by, name): (&dyn CollectiveModel, _) = match args.model {
        CollectiveBy::Analytic => (&Analytic, "analytic"),
        CollectiveBy::Event => (&simulated, "event"),
    };
    let mut progress = output.progress("simulating");
    // Only a long simulation tells that it is not done yet.
    let mut calls = 0_u32;
    let mut tell = |share: f64| {
        calls += 1;
        if calls > LONG_CALLS && share < 1.0 {
            progress.tell(share);
        }
    };
    let found = by.answer(&request, &fabric, &Cancel::default(), &mut tell).map_err(|error| refused(&error))?;
    let timeline = Trace::of_phases(&found.phases, model.torus.shape(), found.time.seconds);
    let title = format!("{} on {} {}", request.kind, model.generation.name, model.torus.shape());
    let trace = trace::save(&args.trace, &timeline, &title)?;
    let slice = Named { generation: model.generation.id.0.clone(), shape: model.torus.shape().to_string(), failed };
    Ok(Answer { trace, ..answer(args, (&request, slice, name), model.torus.is_twisted(), found) })
}

/// Moments of a simulation that take about a second.
const LONG_CALLS: u32 = 2_000_000;

struct Named {
    generation: String,
    shape: String,
    failed: Vec<String>,
}

fn request(args: &CollectiveArgs) -> Result<Request, Failure> {
    let at = |flag: &'static str| move |bad: BadText| Failure::usage(bad.to_string(), flag);
    let group = match (&args.axes, &args.groups) {
        (_, Some(groups)) => Group::Replicas(collective::groups(groups).map_err(at("--groups"))?),
        (axes, None) => Group::Axes(collective::axes(axes.as_deref().unwrap_or_default()).map_err(at("--axes"))?),
    };
    Ok(Request {
        kind: args.kind.parse().map_err(at("KIND"))?,
        bytes: collective::bytes(&args.bytes).map_err(at("--bytes"))?,
        group,
        pairs: args.pairs.as_deref().map(collective::pairs).transpose().map_err(at("--pairs"))?,
    })
}

fn refused(error: &CollectiveError) -> Failure {
    let (kind, place, hint) = match error {
        CollectiveError::NoLinks { .. } => ("unknown_figure", "--slice", "See `podium chips` for what is known"),
        CollectiveError::NoDcn { .. } => ("unknown_figure", "--slices", "Leave --slices out"),
        CollectiveError::Slices { .. } => ("bad_slices", "--slices", "Choose fewer"),
        CollectiveError::ChipsLost { .. } | CollectiveError::Parted(_) => {
            ("not_runnable", "--fail", "See `podium route` for what still reaches what")
        }
        CollectiveError::Axis { .. } => ("bad_axes", "--axes", "Name axes of the slice, each once"),
        CollectiveError::Nobody | CollectiveError::Groups { .. } => {
            ("bad_groups", "--axes, --groups", "Every device of the slice stands in one group; all have the same size")
        }
        CollectiveError::Pairs { .. } => {
            ("bad_pairs", "--pairs", "Each device sends once and receives once, in its group")
        }
        CollectiveError::TooManyBytes { .. } => ("too_many_bytes", "--bytes", "Give the bytes of one gathered array"),
        CollectiveError::TooManyEvents { .. } => {
            ("too_long", "--model", "Leave --model out, or choose a smaller slice")
        }
        CollectiveError::Cancelled => ("cancelled", "--model", "Start it again"),
    };
    Failure::input(kind, error.to_string()).at(place).hint(hint)
}

fn answer(
    args: &CollectiveArgs,
    (request, slice, model): (&Request, Named, &'static str),
    twisted: bool,
    found: collective::Answer,
) -> Answer {
    let Named { generation, shape, failed } = slice;
    Answer {
        kind: request.kind.name(),
        generation,
        shape,
        twisted,
        slices: args.slices,
        model,
        bytes: request.bytes.get(),
        group_chips: found.group_chips,
        groups: found.n_groups,
        seconds: found.time.seconds.get(),
        seconds_low: found.time.seconds_low.get(),
        seconds_high: found.time.seconds_high.get(),
        bandwidth_seconds: found.time.bandwidth_seconds.get(),
        latency_seconds: found.time.latency_seconds.get(),
        algorithm_bytes_per_s: found.algorithm_bytes_per_s.map(BytePerSec::get),
        busiest_link_bytes: found.time.busiest_link_bytes.get(),
        hops: found.hops,
        events: found.n_events,
        failed,
        degraded: found.degraded.iter().map(|what| Told { what: *what, message: what.to_string() }).collect(),
        phases: found.phases.into_iter().map(part).collect(),
        links: args.links.then(|| found.links.iter().map(one_way).collect()),
        explain: found.explain,
        trace: None,
    }
}

fn part(phase: Phase) -> Part {
    Part {
        name: phase.name,
        axis: phase.axis.map(topology::shape::Axis::name),
        start_seconds: phase.start_seconds.get(),
        seconds: phase.seconds.get(),
        bytes: phase.bytes.get(),
    }
}

const fn one_way(traffic: &LinkTraffic) -> OneWay {
    let from = traffic.link.from;
    OneWay {
        x: from.x,
        y: from.y,
        z: from.z,
        axis: traffic.link.axis.name(),
        sign: sign_text(traffic.sign),
        bytes: traffic.bytes.get(),
        busy_seconds: traffic.busy_seconds.get(),
        idle_seconds: traffic.idle_seconds.get(),
    }
}

pub(super) fn text(answer: &Answer) -> String {
    let twist = if answer.twisted { ", twisted" } else { "" };
    let slices = if answer.slices > 1 { format!(", {} slices", answer.slices) } else { String::new() };
    let [seconds, low, high] =
        [answer.seconds, answer.seconds_low, answer.seconds_high].map(|seconds| format::si(seconds, "s"));
    let mut rows = vec![
        ("collective", format!("{} of {}", answer.kind, format::si(answer.bytes, "B"))),
        ("slice", format!("{} {}{twist}{slices}", answer.generation, answer.shape)),
        ("groups", format!("{} of {} chips", answer.groups, answer.group_chips)),
        ("time", format!("{seconds} ({low} to {high})")),
        ("bandwidth", format::si(answer.bandwidth_seconds, "s")),
        ("latency", format!("{}, {} hops", format::si(answer.latency_seconds, "s"), answer.hops)),
        ("algorithm rate", format::or_absent(answer.algorithm_bytes_per_s, |rate| format::si(rate, "B/s"))),
        ("busiest link", format::si(answer.busiest_link_bytes, "B")),
    ];
    if let Some(events) = answer.events {
        rows.push(("simulated", format!("{events} hops of chunks")));
    }
    rows.extend(answer.degraded.iter().map(|told| ("faults", told.message.clone())));
    rows.extend(answer.trace.iter().map(|path| ("trace", path.clone())));
    let mut text = output::facts(&rows);
    let heading = ["", "from", "for", "bytes a chip"].map(str::to_owned).to_vec();
    let part = |part: &Part| {
        let [from, seconds] = [part.start_seconds, part.seconds].map(|seconds| format::si(seconds, "s"));
        vec![part.name.clone(), from, seconds, format::si(part.bytes, "B")]
    };
    let parts: Vec<Vec<String>> = std::iter::once(heading).chain(answer.phases.iter().map(part)).collect();
    text += "\n";
    text += &output::table(&parts);
    if let Some(links) = &answer.links {
        let heading = ["link", "way", "bytes", "busy", "idle"].map(str::to_owned).to_vec();
        let link = |link: &OneWay| {
            let [busy, idle] = [link.busy_seconds, link.idle_seconds].map(|seconds| format::si(seconds, "s"));
            let name = format!("{},{},{}:{}", link.x, link.y, link.z, link.axis);
            vec![name, link.sign.to_owned(), format::si(link.bytes, "B"), busy, idle]
        };
        let links: Vec<Vec<String>> = std::iter::once(heading).chain(links.iter().map(link)).collect();
        text += "\n";
        text += &output::table(&links);
    }
    text
}
