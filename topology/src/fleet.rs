//! A fleet: pods of one generation each, the slices placed on them, and what is broken.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::chip::GenerationId;
use crate::shape::{Axis, Coord, Shape};
use crate::units::Fraction;

/// Side of a cube in chips; a cube is the unit that optical switches join.
pub const CUBE_SIDE: u16 = 4;

/// Chips of the largest pod or slice that a file may name: several times the largest that exists, and few enough that
/// one value per chip is always affordable.
pub const MAX_CHIPS: usize = 65_536;

/// Reads a shape of at most [`MAX_CHIPS`] chips.
fn affordable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
    let shape = Shape::deserialize(deserializer)?;
    if shape.n_chips() > MAX_CHIPS {
        return Err(D::Error::custom(format!("{shape} has more than {MAX_CHIPS} chips")));
    }
    Ok(shape)
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    )*};
}

names! {
    /// Name of a pod, unique in its fleet.
    PodId;
    /// Name of a slice, unique in its pod.
    SliceId;
    /// Name of an owning team.
    TeamId;
}

/// Pods and what is on them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Fleet {
    /// Name for people.
    pub name: String,
    /// The pods, in the order in which they are shown.
    pub pods: Vec<Pod>,
}

impl Fleet {
    /// The pod of that name.
    pub fn pod(&self, id: &PodId) -> Option<&Pod> {
        self.pods.iter().find(|pod| pod.id == *id)
    }

    /// Chips of all pods.
    pub fn n_chips(&self) -> usize {
        self.pods.iter().map(|pod| pod.shape.n_chips()).sum()
    }
}

/// Chips of one generation in one lattice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pod {
    /// Unique name.
    pub id: PodId,
    /// Chip generation.
    pub generation: GenerationId,
    /// Size in chips along each axis.
    #[serde(deserialize_with = "affordable")]
    pub shape: Shape,
    /// Slices; they never overlap (see `check`).
    #[serde(default)]
    pub slices: Vec<Slice>,
    /// Cubes held back to replace failed ones.
    #[serde(default)]
    pub spares: Vec<Coord>,
    /// What is broken or silent.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// Which machines stand where, as far as it is known; measurements are bound to chips by it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostIdentity>,
}

/// A host by all its names. Names of nodes come back after a repair with another machine; the identifier of the instance
/// and of the node do not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HostIdentity {
    /// Its first chip on the pod.
    pub at: Coord,
    /// Its chips as a box.
    pub block: Shape,
    /// Name of the node or virtual machine.
    pub node: String,
    /// Identifier of the node in its cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uid: Option<String>,
    /// Identifier of the instance, as text, because nineteen digits do not fit a floating-point number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
    /// Name of its cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

impl HostIdentity {
    /// Whether a chip of the pod is one of its chips.
    pub fn has(&self, chip: Coord) -> bool {
        let within = |axis: Axis| {
            chip.along(axis).checked_sub(self.at.along(axis)).is_some_and(|offset| offset < self.block.along(axis))
        };
        Axis::ALL.into_iter().all(within)
    }

    /// Its chips on the pod, x fastest, which is the order of the devices on the machine.
    pub fn chips(&self) -> impl Iterator<Item = Coord> {
        let (at, block) = (self.at, self.block);
        block
            .coords()
            .map(move |c| Coord::new(at.x.saturating_add(c.x), at.y.saturating_add(c.y), at.z.saturating_add(c.z)))
    }
}

impl Pod {
    /// The host that a chip is on, where it is known.
    pub fn host_of(&self, chip: Coord) -> Option<&HostIdentity> {
        self.hosts.iter().find(|host| host.has(chip))
    }
}

/// A set of chips that is given to one job as one torus or mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Name, unique in its pod.
    pub id: SliceId,
    /// Owning team, absent if nobody took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// Identity colour, 1 to 8; larger numbers repeat with a stripe.
    pub color: u8,
    /// Size of the slice's own torus in chips.
    #[serde(deserialize_with = "affordable")]
    pub shape: Shape,
    /// Whether the torus is twisted.
    #[serde(default)]
    pub twisted: bool,
    /// Where it is.
    pub place: Place,
}

/// Where a slice is on its pod.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Place {
    /// One box of chips.
    Block {
        /// The chip of the box with the smallest coordinates.
        at: Coord,
        /// Size of the box in pod axes: the slice's shape, perhaps with its axes turned.
        size: Shape,
    },
    /// Whole cubes anywhere on the pod, joined by optical switches, in row-major order of the
    /// slice's own lattice of cubes.
    Cubes(
        /// Cube coordinates.
        Vec<Coord>,
    ),
}

/// Something that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Component {
    /// One chip, by its pod coordinate.
    Chip(Coord),
    /// The host of which this chip is the first, by pod coordinate.
    Host(Coord),
    /// One cube, by its cube coordinate.
    Cube(Coord),
    /// The ICI link from this chip in the positive direction of the axis.
    Link(Coord, Axis),
    /// The optical switch of an axis at a place of the cube's face.
    Switch(Axis, u8, u8),
}

/// How a component fails.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Effect {
    /// It does not work.
    Down,
    /// It is out of service for repair.
    InRepair,
    /// It works at this share of its normal speed.
    Slow(Fraction),
    /// It works, but nothing is heard of it.
    Silent,
}

/// A broken, slow or silent component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// What.
    pub component: Component,
    /// How.
    pub effect: Effect,
    /// What is known, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_found_by_its_chips_and_its_names_are_written_only_where_known() {
        let text = "(id:\"a\",generation:\"v4\",shape:\"4x4x4\",slices:[],spares:[],faults:[],\
                    hosts:[(at:(2,0,1),block:\"2x2x1\",node:\"n\",instance_id:Some(\"7310029384756610021\"))])";
        let pod = ron::from_str::<Pod>(text).unwrap();
        assert_eq!(ron::to_string(&pod).unwrap(), text);
        let host = pod.host_of(Coord::new(3, 1, 1)).unwrap();
        assert_eq!(host.chips().last(), Some(Coord::new(3, 1, 1)));
        assert!(host.chips().all(|chip| host.has(chip)));
        assert_eq!(pod.host_of(Coord::new(3, 2, 1)), None);
        assert!(!ron::to_string(&Pod { hosts: Vec::new(), ..pod }).unwrap().contains("hosts"));
    }

    #[test]
    fn a_file_cannot_name_a_pod_that_does_not_fit_into_memory() {
        let text = "(name: \"f\", pods: [(id: \"a\", generation: \"v4\",\n shape: \"4096x4096x4096\")])";
        let error = ron::from_str::<Fleet>(text).unwrap_err();
        assert_eq!(error.to_string(), "2:10-2:25: 4096x4096x4096 has more than 65536 chips");
        let fleet = ron::from_str::<Fleet>(&text.replace("4096x4096x4096", "16x16x16")).unwrap();
        assert_eq!(fleet.n_chips(), 4096);
    }
}
