//! `podium route`: a way between two chips of a slice, around what does not work.

use serde::Serialize;
use topology::component::BadComponent;
use topology::fleet::Component;
use topology::graph::{Network, NoRoute, Outage, RouteKind};
use topology::shape::{BadCoord, Coord, Shape};
use topology::torus::{Sign, Torus};

use super::args::RouteArgs;
use super::coords::sign_text;
use super::failure::Failure;
use super::output;
use super::slice::model;

#[derive(Serialize)]
pub(super) struct Answer {
    generation: String,
    shape: String,
    twisted: bool,
    /// What was taken out of service.
    failed: Vec<String>,
    reachable: bool,
    /// Why there is no route.
    reason: Option<String>,
    hops: Option<usize>,
    kind: Option<RouteKind>,
    /// Hops more than where nothing is broken.
    extra_hops: Option<u32>,
    /// How many ways are as short; null where they are more than 2^128.
    shortest_routes: Option<u128>,
    /// The first hops of all of them.
    next: Vec<Hop>,
    path: Vec<Place>,
}

#[derive(Serialize)]
struct Hop {
    id: usize,
    axis: &'static str,
    sign: &'static str,
}

#[derive(Serialize)]
struct Place {
    id: usize,
    x: u16,
    y: u16,
    z: u16,
}

pub(super) fn route(args: &RouteArgs) -> Result<Answer, Failure> {
    let model = model(&args.slice)?;
    let torus = model.torus;
    let shape = torus.shape();
    let (from, to) = (coord(shape, &args.from, "FROM")?, coord(shape, &args.to, "TO")?);
    let mut outage = Outage::default();
    let failed = args.fail.iter().map(|part| fail(&torus, part, &mut outage)).collect::<Result<_, _>>()?;
    let network = Network::new(torus, outage);
    let mut answer = Answer {
        generation: model.generation.id.0.clone(),
        shape: shape.to_string(),
        twisted: torus.is_twisted(),
        failed,
        reachable: false,
        reason: None,
        hops: None,
        kind: None,
        extra_hops: None,
        shortest_routes: None,
        next: Vec::new(),
        path: Vec::new(),
    };
    if let Err(reason) = fill(&mut answer, &network, from, to) {
        answer.reason = Some(reason.to_string());
    }
    Ok(answer)
}

fn fill(answer: &mut Answer, network: &Network, from: Coord, to: Coord) -> Result<(), NoRoute> {
    let shape = network.torus().shape();
    let route = network.route(from, to)?;
    let all = network.shortest_routes(from, to)?;
    answer.reachable = true;
    answer.hops = Some(route.path.len() - 1);
    answer.kind = Some(route.kind);
    answer.extra_hops = Some(route.extra_hops);
    answer.shortest_routes = all.n_routes;
    let hop = |((axis, sign), chip): ((topology::shape::Axis, Sign), Coord)| Hop {
        id: shape.index_of(chip),
        axis: axis.name(),
        sign: sign_text(sign),
    };
    answer.next = all.next_hops(from).map(hop).collect();
    let place = |c: &Coord| Place { id: shape.index_of(*c), x: c.x, y: c.y, z: c.z };
    answer.path = route.path.iter().map(place).collect();
    Ok(())
}

/// A chip of the slice.
fn coord(shape: Shape, text: &str, flag: &str) -> Result<Coord, Failure> {
    let coord: Coord = text.parse().map_err(|bad: BadCoord| Failure::usage(bad.to_string(), flag))?;
    if shape.contains(coord) {
        return Ok(coord);
    }
    let message = format!("chip {coord} lies outside of {shape}");
    let hint = "Each number is counted from 0 and below the size of its axis";
    Err(Failure::input("bad_coordinate", message).at(flag).hint(hint))
}

/// Takes what a component consists of out of service, and names it.
pub(super) fn fail(torus: &Torus, text: &str, outage: &mut Outage) -> Result<String, Failure> {
    let component: Component = text.parse().map_err(|bad: BadComponent| Failure::usage(bad.to_string(), "--fail"))?;
    let chips: Vec<Coord> = component.chips(torus.shape()).collect();
    let mut links = component.links(torus.shape());
    links.retain(|link| torus.step(link.from, link.axis, Sign::Plus).is_some());
    if chips.is_empty() && links.is_empty() {
        let message = format!("the slice {} has no {component}", torus.shape());
        return Err(Failure::input("bad_component", message).at("--fail"));
    }
    outage.chips.extend(chips);
    outage.links.extend(links);
    Ok(component.to_string())
}

pub(super) fn route_text(answer: &Answer) -> String {
    let Some(hops) = answer.hops else {
        return format!("not reachable: {}\n", answer.reason.as_deref().unwrap_or("no way is left"));
    };
    let way = match (answer.kind, answer.extra_hops) {
        (Some(RouteKind::SameLength), _) => "another of the same length",
        (Some(RouteKind::Detour), Some(1)) => "detour of 1 hop",
        (Some(RouteKind::Detour), Some(extra)) => &format!("detour of {extra} hops"),
        _ => "dimension-ordered",
    };
    let path: Vec<String> = answer.path.iter().map(|p| format!("{},{},{}", p.x, p.y, p.z)).collect();
    let next: Vec<String> = answer.next.iter().map(|hop| format!("{}{}", hop.axis, hop.sign)).collect();
    let mut rows = vec![("hops", hops.to_string()), ("way", way.to_owned())];
    if let Some(n) = answer.shortest_routes.filter(|_| hops > 0) {
        rows.push(("as short", format!("{n} ways, first hop {}", next.join(" or "))));
    }
    rows.push(("path", path.join(" > ")));
    output::facts(&rows)
}
