//! What the embedded simulator reports at a moment, as a page for scrapers or as samples of a recording.

use std::sync::Arc;

use simulator::live::{Frame, LiveError, LiveInput, LiveSim, Measure, PodFrame};
use telemetry::exposition::{FamilyKind, Format, WriteError, Writer};
use telemetry::labels::Labels;
use telemetry::registry::{Registry, SourceUnit};
use telemetry::tsdb::{TooManySeries, Tsdb};
use topology::chip::Catalog;
use topology::fleet::Pod;
use topology::shape::Axis;

use super::names::{Family, Holds, Naming, chips};
use crate::feed::usable_hbm_bytes;

/// One series: its labels and where its values come from.
#[derive(Debug)]
struct Series {
    labels: Labels,
    pod: usize,
    chip: usize,
    /// Memory that programs can use on the chip; absent where it is not known.
    memory_bytes: Option<f64>,
    /// Axes along which it has links.
    axes: &'static [Axis],
}

#[derive(Debug)]
struct FamilySeries {
    family: Family,
    unit: SourceUnit,
    about: &'static str,
    series: Vec<Series>,
}

/// A simulated fleet with the names of all its series.
#[derive(Debug)]
pub struct Exporter {
    sim: LiveSim,
    epoch_unix_s: i64,
    families: Vec<FamilySeries>,
    /// What could not be simulated.
    pub findings: Vec<String>,
}

impl Exporter {
    /// Prepares the simulation; `epoch_unix_s` is the moment that its time zero stands for.
    ///
    /// # Errors
    /// If it cannot be simulated.
    pub fn new(input: &LiveInput, epoch_unix_s: i64, naming: Naming) -> Result<Self, LiveError> {
        let (sim, findings) = LiveSim::new(input)?;
        let findings = findings.into_iter().map(|finding| finding.message).collect();
        let families = naming.families().map(|family| series_of(input, family, naming));
        Ok(Self { sim, epoch_unix_s, families: families.into(), findings })
    }

    /// Series that can be on a page; those of silent chips are left out of it.
    pub fn n_series(&self) -> usize {
        self.families.iter().map(|family| family.series.len()).sum()
    }

    /// The page at a moment in Unix seconds.
    ///
    /// # Errors
    /// None while the plan names each pod and slice once.
    pub fn page(&self, unix_s: f64, format: Format) -> Result<String, WriteError> {
        let frame = self.frame(unix_s);
        let mut writer = Writer::new(String::with_capacity(200 * self.n_series()), format);
        for family in &self.families {
            writer.family(family.family.name, FamilyKind::Gauge, family.about, None)?;
            for (series, value) in family.values(&frame) {
                writer.sample(&series.labels, None, value)?;
            }
        }
        writer.finish()
    }

    /// Puts what is reported at a moment, in Unix seconds, into a store.
    ///
    /// # Errors
    /// If the store takes no more series.
    pub fn record(&self, store: &mut Tsdb, unix_s: i64) -> Result<(), TooManySeries> {
        let frame = self.frame(unix_s as f64);
        for family in &self.families {
            for (series, value) in family.values(&frame) {
                let id = store.series_id(&series.labels)?;
                store.append(id, unix_s.saturating_mul(1_000), value);
            }
        }
        Ok(())
    }

    fn frame(&self, unix_s: f64) -> Frame {
        self.sim.sample(unix_s - self.epoch_unix_s as f64)
    }
}

fn series_of(input: &LiveInput, family: Family, naming: Naming) -> FamilySeries {
    let known = Registry::embedded().find(family.name);
    let spec = known.map(|known| known.spec);
    let space = spec.and_then(|spec| spec.id_space);
    let memory: Vec<Option<f64>> = input.fleet.pods.iter().map(|pod| memory_of(&input.catalog, pod)).collect();
    let works: Vec<Vec<bool>> = input.fleet.pods.iter().map(|pod| works(input, pod)).collect();
    let of_family = chips(&input.fleet, &input.catalog, naming).into_iter();
    let series = of_family.filter(|chip| !family.needs_job || works[chip.pod][chip.index]).map(|chip| Series {
        labels: chip.labels(family.name, space),
        pod: chip.pod,
        chip: chip.index,
        memory_bytes: memory[chip.pod],
        axes: input.fleet.pods[chip.pod].shape.axes(),
    });
    let unit = spec.map_or(SourceUnit::Fraction, |spec| spec.unit);
    FamilySeries { family, unit, about: spec.map_or("", |spec| &spec.about), series: series.collect() }
}

fn memory_of(catalog: &Arc<Catalog>, pod: &Pod) -> Option<f64> {
    catalog.get(&pod.generation).and_then(usable_hbm_bytes).map(f64::from)
}

/// For each chip of a pod whether a job of the plan runs on it.
fn works(input: &LiveInput, pod: &Pod) -> Vec<bool> {
    let has_job = |slice: usize| {
        let id = pod.slices.get(slice).map(|slice| &slice.id);
        input.jobs.iter().any(|job| job.pod == pod.id && Some(&job.slice) == id)
    };
    let by_slice: Vec<bool> = (0..pod.slices.len()).map(has_job).collect();
    pod.occupancy().into_iter().map(|owner| owner.is_some_and(|slice| by_slice[slice])).collect()
}

impl FamilySeries {
    /// Series of which something is known, with their values in the unit of the family.
    fn values<'a>(&'a self, frame: &'a Frame) -> impl Iterator<Item = (&'a Series, f64)> {
        self.series.iter().filter_map(|series| Some((series, self.value(series, frame.pods.get(series.pod)?)?)))
    }

    fn value(&self, series: &Series, pod: &PodFrame) -> Option<f64> {
        let share = match self.family.holds {
            Holds::Measured(measure) => f64::from(pod.column(measure).get(series.chip)?),
            Holds::MemorySize => {
                // A silent chip says nothing of its size either.
                pod.column(Measure::HbmUsed).get(series.chip)?;
                1.0
            }
            Holds::Links => mean_link(pod, series)?,
        };
        match self.unit {
            SourceUnit::Percent => Some((share * 10_000.0).round() / 100.0),
            SourceUnit::Bytes => Some((share * series.memory_bytes?).round()),
            _ => Some((share * 1e5).round() / 1e5),
        }
    }
}

fn mean_link(pod: &PodFrame, series: &Series) -> Option<f64> {
    let loads = series.axes.iter().filter_map(|axis| pod.column(Measure::Ici(*axis)).get(series.chip));
    let loads: Vec<f64> = loads.map(f64::from).collect();
    (!loads.is_empty()).then(|| loads.iter().sum::<f64>() / loads.len() as f64)
}
