//! Time by counting: the busiest link of each pass decides.

use super::ask::Asked;
use super::load::Counted;
use super::report::{Report, Run};
use super::{Answer, CollectiveError, CollectiveModel, Fabric, Order, Request};
use crate::cancel::Cancel;

/// The bytes of every link counted exactly along the plan, no queues: `max(bytes of the busiest link / W, hops · hop
/// time)`, scatter and gather one after the other.
///
/// On whole axes without faults that is the closed form of [`super::time`], where its orders of axes can be balanced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Analytic;

impl CollectiveModel for Analytic {
    fn answer(
        &self,
        request: &Request,
        fabric: &Fabric,
        cancel: &Cancel,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Answer, CollectiveError> {
        let asked = Asked::new(request, fabric)?;
        let wires = Counted::wires(request, &asked.parts, fabric);
        let counted = Counted::of((request, asked.slice_bytes), &asked.parts, (fabric, &wires), Order::Rotated)?;
        if cancel.is_set() {
            return Err(CollectiveError::Cancelled);
        }
        progress(1.0);
        let latency = fabric.links.hop_seconds.get() * f64::from(counted.hops) * counted.passes.len() as f64;
        let run = Run::counted(&counted, &asked, (fabric, &wires), latency);
        Ok(Report { request, asked: &asked, fabric, wires: &wires, counted: &counted }.answer(run))
    }
}
