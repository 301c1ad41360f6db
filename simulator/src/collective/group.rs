//! Groups as they lie on the torus: parts of axes where they are that, else lists.

use topology::shape::{Axis, Coord, Shape};
use topology::torus::{Sign, Torus};

use super::{CollectiveError, Group};

/// An axis of the torus, or a part of it: places `stride` links apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Factor {
    pub(crate) axis: Axis,
    pub(crate) size: u16,
    pub(crate) stride: u16,
}

/// Groups, all of one size, that part the slice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Parts {
    /// Every group is a product of parts of axes; axes of one place are left out.
    Boxes(Vec<Factor>),
    /// Anything else, by chip.
    Lists(Vec<Vec<u32>>),
}

impl Factor {
    /// The place of a chip along it.
    pub(crate) const fn place_of(self, chip: Coord) -> u16 {
        chip.along(self.axis) / self.stride % self.size
    }

    /// The chip of the same group at another place.
    pub(crate) const fn at(self, chip: Coord, place: u16) -> Coord {
        let along = chip.along(self.axis) - self.place_of(chip) * self.stride + place * self.stride;
        match self.axis {
            Axis::X => Coord { x: along, ..chip },
            Axis::Y => Coord { y: along, ..chip },
            Axis::Z => Coord { z: along, ..chip },
        }
    }

    /// Whether it spans its whole axis.
    pub(crate) const fn spans(self, shape: Shape) -> bool {
        self.size * self.stride == shape.along(self.axis)
    }
}

impl Parts {
    /// The groups of a request on a torus.
    pub(crate) fn of(group: &Group, shape: Shape) -> Result<Self, CollectiveError> {
        match group {
            Group::Axes(axes) => of_axes(axes, shape),
            Group::Replicas(groups) => {
                check_partition(groups, shape)?;
                Ok(boxes(groups, shape).map_or_else(|| Self::Lists(listed(groups)), Self::Boxes))
            }
        }
    }

    /// Chips of a group.
    pub(crate) fn group_chips(&self) -> usize {
        match self {
            Self::Boxes(factors) => factors.iter().map(|factor| usize::from(factor.size)).product(),
            Self::Lists(lists) => lists.first().map_or(1, Vec::len),
        }
    }

    /// The members of the group of a chip, itself included, in device order for boxes and as listed for lists.
    pub(crate) fn members(&self, shape: Shape, chip: usize) -> Vec<u32> {
        match self {
            Self::Boxes(factors) => {
                let mut members = vec![shape.coord_of(chip)];
                for factor in factors {
                    let all = (0..factor.size).flat_map(|place| members.iter().map(move |at| factor.at(*at, place)));
                    members = all.collect();
                }
                members.into_iter().map(|chip| shape.index_of(chip) as u32).collect()
            }
            Self::Lists(lists) => lists.iter().find(|list| list.contains(&(chip as u32))).cloned().unwrap_or_default(),
        }
    }

    /// Whether two devices are in one group.
    pub(crate) fn are_together(&self, shape: Shape, a: usize, b: usize) -> bool {
        match self {
            Self::Boxes(factors) => {
                let (mut at, end) = (shape.coord_of(a), shape.coord_of(b));
                for factor in factors {
                    at = factor.at(at, factor.place_of(end));
                }
                at == end
            }
            Self::Lists(lists) => lists.iter().any(|list| list.contains(&(a as u32)) && list.contains(&(b as u32))),
        }
    }

    /// All groups, by their first chip.
    pub(crate) fn all(&self, shape: Shape) -> Vec<Vec<u32>> {
        match self {
            Self::Lists(lists) => lists.clone(),
            Self::Boxes(factors) => {
                let is_first = |chip: &Coord| factors.iter().all(|factor| factor.place_of(*chip) == 0);
                shape.coords().filter(is_first).map(|chip| self.members(shape, shape.index_of(chip))).collect()
            }
        }
    }

    /// Whether going round along each factor stays in the group, so that it is made of rings only. In a twisted torus
    /// that is so where the wrap of an axis comes back shifted along axes that the group holds whole.
    pub(crate) fn closes(&self, torus: &Torus) -> bool {
        let Self::Boxes(factors) = self else { return false };
        let shape = torus.shape();
        let holds =
            |axis: Axis| factors.iter().any(|factor| factor.axis == axis && factor.stride == 1 && factor.spans(shape));
        factors.iter().all(|factor| {
            let shifted = wrap_shift(torus, factor.axis);
            factor.spans(shape)
                && shifted.is_some_and(|shifted| shifted.into_iter().all(|axis| axis == factor.axis || holds(axis)))
        })
    }
}

/// The axes along which the positive wrap link of an axis comes back elsewhere; `None` without wrap.
pub(crate) fn wrap_shift(torus: &Torus, axis: Axis) -> Option<Vec<Axis>> {
    if !torus.wrap()[axis.index()] {
        return None;
    }
    let mut last = [0; 3];
    last[axis.index()] = torus.shape().along(axis) - 1;
    let step = torus.step(last.into(), axis, Sign::Plus)?;
    Some(Axis::ALL.into_iter().filter(|axis| step.to.along(*axis) != 0).collect())
}

fn of_axes(axes: &[Axis], shape: Shape) -> Result<Parts, CollectiveError> {
    if axes.is_empty() {
        return Err(CollectiveError::Nobody);
    }
    for (i, axis) in axes.iter().enumerate() {
        let refused = |reason| CollectiveError::Axis { axis: *axis, reason, shape };
        if axis.index() >= shape.rank() {
            return Err(refused("the slice does not have it"));
        }
        if axes[..i].contains(axis) {
            return Err(refused("it is named twice"));
        }
    }
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    let whole = axes.into_iter().map(|axis| Factor { axis, size: shape.along(axis), stride: 1 });
    Ok(Parts::Boxes(whole.filter(|factor| factor.size > 1).collect()))
}

fn check_partition(groups: &[Vec<usize>], shape: Shape) -> Result<(), CollectiveError> {
    let n_chips = shape.n_chips();
    let refused = |reason: String| CollectiveError::Groups { reason, n_chips };
    let size = groups.first().map_or(0, Vec::len);
    if size == 0 {
        return Err(CollectiveError::Nobody);
    }
    let mut seen = vec![false; n_chips];
    for group in groups {
        if group.len() != size {
            return Err(refused(format!("a group has {} devices, the first one {size}", group.len())));
        }
        for device in group {
            match seen.get_mut(*device) {
                None => return Err(refused(format!("there is no device {device}, they are counted from 0"))),
                Some(seen) if *seen => return Err(refused(format!("device {device} is named twice"))),
                Some(seen) => *seen = true,
            }
        }
    }
    match seen.iter().position(|seen| !seen) {
        Some(missing) => Err(refused(format!("device {missing} is in no group"))),
        None => Ok(()),
    }
}

/// Groups as products of parts of axes; `None` where they are not.
fn boxes(groups: &[Vec<usize>], shape: Shape) -> Option<Vec<Factor>> {
    let chips = |group: &[usize]| group.iter().map(|device| shape.coord_of(*device)).collect::<Vec<_>>();
    let first = chips(groups.first()?);
    let factor = |axis: Axis| {
        let mut places: Vec<u16> = first.iter().map(|chip| chip.along(axis)).collect();
        places.sort_unstable();
        places.dedup();
        let stride = if let [a, b, ..] = places[..] { b - a } else { 1 };
        Factor { axis, size: places.len() as u16, stride }
    };
    let factors: Vec<Factor> = Axis::ALL.into_iter().map(factor).collect();
    let fits = |factor: &Factor| shape.along(factor.axis).is_multiple_of(factor.size * factor.stride);
    let volume: usize = factors.iter().map(|factor| usize::from(factor.size)).product();
    if volume != first.len() || !factors.iter().all(fits) {
        return None;
    }
    // What all chips of a group share: where their part lies and where they lie between its places.
    let home = |chip: Coord| {
        Axis::ALL.map(|axis| {
            let Factor { size, stride, .. } = factors[axis.index()];
            let along = chip.along(axis);
            (along / (size * stride), along % stride)
        })
    };
    let together = |group: &[usize]| {
        let chips = chips(group);
        chips.iter().all(|chip| home(*chip) == home(chips[0]))
    };
    // As many different chips as places, all at home: each place is taken once.
    groups.iter().all(|group| together(group)).then(|| factors.into_iter().filter(|factor| factor.size > 1).collect())
}

fn listed(groups: &[Vec<usize>]) -> Vec<Vec<u32>> {
    groups.iter().map(|group| group.iter().map(|device| *device as u32).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups that are axes or parts of axes are known as such, so that they get the rings of the torus.
    #[test]
    fn replica_groups_are_recognised_where_they_are_parts_of_axes() {
        let shape = Shape::solid(4, 4, 2);
        let of = |groups: Vec<Vec<usize>>| Parts::of(&Group::Replicas(groups), shape).unwrap();
        let rows = (0..8).map(|row| (4 * row..4 * row + 4).collect()).collect();
        assert_eq!(of(rows), Parts::of(&Group::Axes(vec![Axis::X]), shape).unwrap());
        let strided = (0..8).flat_map(|row| [vec![4 * row, 4 * row + 2], vec![4 * row + 1, 4 * row + 3]]).collect();
        assert_eq!(of(strided), Parts::Boxes(vec![Factor { axis: Axis::X, size: 2, stride: 2 }]));
        let crossed = (0..8).flat_map(|row| [vec![4 * row, 4 * row + 3], vec![4 * row + 1, 4 * row + 2]]).collect();
        assert!(matches!(of(crossed), Parts::Lists(_)));
    }

    #[test]
    fn groups_that_do_not_part_the_slice_are_refused() {
        let shape = Shape::flat(2, 2);
        for groups in [
            vec![],
            vec![vec![]],
            vec![vec![0, 1]],
            vec![vec![0, 1], vec![1, 2]],
            vec![vec![0, 1], vec![2]],
            vec![vec![0, 1], vec![2, 9]],
        ] {
            assert!(Parts::of(&Group::Replicas(groups.clone()), shape).is_err(), "{groups:?}");
        }
        for axes in [vec![], vec![Axis::Z], vec![Axis::X, Axis::X]] {
            assert!(Parts::of(&Group::Axes(axes.clone()), shape).is_err(), "{axes:?}");
        }
    }

    #[test]
    fn a_twisted_axis_closes_only_with_those_that_it_shifts_along() {
        let torus = Torus::twisted(Shape::solid(4, 4, 8)).unwrap();
        let closes = |axes: &[Axis]| Parts::of(&Group::Axes(axes.to_vec()), torus.shape()).unwrap().closes(&torus);
        assert!(closes(&[Axis::Z]) && closes(&[Axis::X, Axis::Z]) && closes(&Axis::ALL));
        assert!(!closes(&[Axis::X]) && !closes(&[Axis::X, Axis::Y]));
    }
}
