//! What it runs on: the links that work, how fast they are, and what joins slices.

use std::collections::BTreeMap;

use topology::chip::Generation;
use topology::graph::{Network, Outage};
use topology::slice::SliceModel;
use topology::torus::Link;
use topology::units::{BytePerSec, Fraction};

use super::{Calibration, CollectiveError, Links};
use crate::calibration::Calibrations;

/// Most slices of one job: as many as device numbers of six digits allow.
const MAX_SLICES: u32 = 9_999;

/// The data-centre network between slices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dcn {
    /// Rate of one chip in one direction.
    pub bytes_per_s: BytePerSec,
}

/// Links of one or several slices. A faulty fabric is a fabric.
#[derive(Debug, Clone)]
pub struct Fabric {
    /// The links of a slice that work.
    pub network: Network,
    /// How fast they are.
    pub links: Links,
    /// Links that work at a share of their rate.
    pub slow: BTreeMap<Link, Fraction>,
    /// What joins slices; absent where its rate is not known.
    pub dcn: Option<Dcn>,
    /// Slices of the same shape that work together.
    pub n_slices: u32,
    /// What measurements say.
    pub calibration: Calibration,
    /// Name of the generation, for messages.
    generation: String,
}

impl Fabric {
    /// One slice without what does not work.
    ///
    /// # Errors
    /// If the link rate of the generation is not known.
    pub fn new(model: &SliceModel<'_>, outage: Outage) -> Result<Self, CollectiveError> {
        Self::of_network(Network::new(model.torus, outage), model.generation)
    }

    /// Of any network with the links of a generation.
    ///
    /// # Errors
    /// If the link rate of the generation is not known.
    pub fn of_network(network: Network, generation: &Generation) -> Result<Self, CollectiveError> {
        let no_links = || CollectiveError::NoLinks { generation: generation.name.clone() };
        let links = Links::of(generation).ok_or_else(no_links)?;
        let dcn = generation.dcn_bytes_per_s.as_ref().filter(|rate| rate.value > BytePerSec::ZERO);
        Ok(Self {
            network,
            links,
            slow: BTreeMap::new(),
            dcn: dcn.map(|rate| Dcn { bytes_per_s: rate.value }),
            n_slices: 1,
            calibration: Calibration::of(&generation.id, Calibrations::embedded()),
            generation: generation.name.clone(),
        })
    }

    /// The same with slow links; shares of links that it does not have are ignored, and a link at nothing is lost.
    #[must_use]
    pub fn with_slow(mut self, slow: BTreeMap<Link, Fraction>) -> Self {
        let (dead, slow): (BTreeMap<_, _>, _) = slow.into_iter().partition(|(_, share)| *share == Fraction::ZERO);
        self.network = self.network.without(Outage { links: dead.into_keys().collect(), ..Outage::default() });
        self.slow = slow.into_iter().filter(|(_, share)| *share < Fraction::ONE).collect();
        self
    }

    /// Several such slices, joined by the data-centre network. Faults are the same in each.
    ///
    /// # Errors
    /// If there is no slice, too many, or the rate between them is not known.
    pub fn with_slices(mut self, n_slices: u32) -> Result<Self, CollectiveError> {
        if !(1..=MAX_SLICES).contains(&n_slices) {
            return Err(CollectiveError::Slices { n_slices, max: MAX_SLICES });
        }
        if n_slices > 1 && self.dcn.is_none() {
            return Err(CollectiveError::NoDcn { generation: self.generation });
        }
        self.n_slices = n_slices;
        Ok(self)
    }

    /// That every chip works: with one lost, the runtime starts no job on the slice.
    pub(crate) fn check_chips(&self) -> Result<(), CollectiveError> {
        let shape = self.network.torus().shape();
        let mut lost = self.network.outage().chips.iter().filter(|chip| shape.contains(**chip));
        match lost.next() {
            None => Ok(()),
            Some(chip) => Err(CollectiveError::ChipsLost { shape, n_chips: 1 + lost.count(), chip: *chip }),
        }
    }

    /// Whether every chip sees the same links.
    pub(crate) fn is_uniform(&self) -> bool {
        self.network.outage().is_empty() && self.slow.is_empty() && self.network.torus().is_symmetric()
    }
}
