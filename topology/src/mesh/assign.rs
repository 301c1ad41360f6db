//! From torus axes to axes of a mesh.

use crate::mesh::{Device, DeviceAxis, Layout, MeshError, MeshOptions};
use crate::shape::{Coord, Shape};

/// The devices of a slice as a box, with the cores of a chip as a fourth axis where there are several.
pub(super) struct Physical {
    shape: Shape,
    per_chip: u16,
    axes: Vec<DeviceAxis>,
    sizes: Vec<usize>,
}

impl Physical {
    pub(super) fn new(shape: Shape, per_chip: u16) -> Self {
        let mut axes = vec![DeviceAxis::X, DeviceAxis::Y, DeviceAxis::Z];
        let mut sizes: Vec<usize> = shape.sizes3().map(usize::from).to_vec();
        if per_chip > 1 {
            axes.push(DeviceAxis::Core);
            sizes.push(per_chip.into());
        }
        Self { shape, per_chip, axes, sizes }
    }

    pub(super) fn n_devices(&self) -> usize {
        self.sizes.iter().product()
    }

    /// By their ids.
    pub(super) fn devices(&self) -> Vec<Device> {
        let of_chip = |chip: Coord| (0..self.per_chip).map(move |core| (chip, core));
        let all = self.shape.coords().flat_map(of_chip).enumerate();
        all.map(|(id, (chip, core))| Device { id, chip, core }).collect()
    }

    fn device(&self, place: &[usize]) -> Device {
        let along = |axis: usize| place.get(axis).map_or(0, |at| *at as u16);
        let (chip, core) = (Coord::new(along(0), along(1), along(2)), along(3));
        let id = self.shape.index_of(chip) * usize::from(self.per_chip) + usize::from(core);
        Device { id, chip, core }
    }
}

/// For each axis of the mesh the share that it takes of each axis of the devices; 1 is nothing.
type Shares = Vec<Vec<usize>>;

/// The order of the devices where torus axes carry axes of the mesh.
pub(super) fn layout(
    physical: &Physical,
    sizes: &[usize],
    options: MeshOptions,
) -> Result<(Vec<Device>, Layout), MeshError> {
    let turn = if options.contiguous { contiguous(physical, sizes)? } else { (0..physical.sizes.len()).collect() };
    let turned: Vec<usize> = turn.iter().map(|axis| physical.sizes[*axis]).collect();
    let shares = match whole(&turned, sizes) {
        Err(MeshError::NoAxes { .. }) if options.split => split(&turned, sizes)?,
        found => found?,
    };
    let carried = |taken: &Vec<usize>| {
        let axes = taken.iter().zip(&turn).filter(|(share, _)| **share > 1);
        axes.map(|(share, axis)| (physical.axes[*axis], *share)).collect()
    };
    let carried = shares.iter().map(carried).collect();
    let device = |index: usize| {
        let mut place = vec![0; turn.len()];
        for (axis, at) in turn.iter().zip(place_of(index, &shares)) {
            place[*axis] = at;
        }
        physical.device(&place)
    };
    Ok(((0..physical.n_devices()).map(device).collect(), Layout::Axes(carried)))
}

/// Where on the axes of the devices the n-th device of a mesh is, the last axis of the mesh fastest.
///
/// The place on an axis of the mesh is a number whose digits are its places on the shares that it takes, the last axis
/// of the devices fastest. On a shared axis of the devices, later axes of the mesh have the faster digits, so that those
/// that talk most are neighbours.
fn place_of(index: usize, shares: &Shares) -> Vec<usize> {
    let n_axes = shares.first().map_or(0, Vec::len);
    let mut place = vec![0; n_axes];
    let mut weight = vec![1; n_axes];
    let mut rest = index;
    for taken in shares.iter().rev() {
        for (axis, share) in taken.iter().enumerate().rev() {
            place[axis] += rest % share * weight[axis];
            weight[axis] *= share;
            rest /= share;
        }
    }
    place
}

/// Gives whole axes of the devices to axes of the mesh, from the last to the first: as many as possible, and of sets of
/// the same number the first in order. An axis of 1 takes axes of 1, if there are any left.
fn whole(physical: &[usize], sizes: &[usize]) -> Result<Shares, MeshError> {
    let mut remaining: Vec<Option<usize>> = physical.iter().copied().map(Some).collect();
    let sets = sets(physical.len());
    let mut shares = vec![vec![1; physical.len()]; sizes.len()];
    for (axis, size) in sizes.iter().copied().enumerate().rev() {
        let product = |set: &&Vec<usize>| set.iter().try_fold(1, |product, i| Some(product * remaining[*i]?));
        let Some(set) = sets.iter().find(|set| product(set) == Some(size)) else {
            if size == 1 {
                continue;
            }
            return Err(MeshError::NoAxes { axis, size, remaining });
        };
        for i in set {
            shares[axis][*i] = remaining[*i].take().unwrap_or(1);
        }
    }
    Ok(shares)
}

/// All sets of axes but the empty one, the larger first, then in the order of the axes.
fn sets(n_axes: usize) -> Vec<Vec<usize>> {
    let of_mask = |mask: usize| (0..n_axes).filter(|axis| mask >> axis & 1 == 1).collect();
    let mut sets: Vec<Vec<usize>> = (1..1 << n_axes).map(of_mask).collect();
    sets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    sets
}

/// Shares axes of the devices where whole ones do not do: of all ways the one with the largest product of whole axes, then
/// with the most whole axes, then with the most on axes that are shared already, then the one with the larger shares first.
fn split(physical: &[usize], sizes: &[usize]) -> Result<Shares, MeshError> {
    let mut shares = vec![vec![1; physical.len()]; sizes.len()];
    let mut taken = vec![1; physical.len()];
    for (axis, size) in sizes.iter().copied().enumerate().rev() {
        let free: Vec<usize> = physical.iter().zip(&taken).map(|(size, taken)| size / taken).collect();
        let mut ways = Vec::new();
        divide(size, &free, &mut Vec::new(), &mut ways);
        let preference = |way: &Vec<usize>| {
            let is_whole = |(share, size): &(&usize, &usize)| share == size;
            let whole = || way.iter().zip(physical).filter(is_whole).map(|(share, _)| *share);
            let shared = way.iter().zip(&taken).filter(|(_, taken)| **taken > 1).map(|(share, _)| *share);
            let n_whole = whole().filter(|share| *share > 1).count();
            (whole().product::<usize>(), n_whole, shared.product::<usize>(), way.clone())
        };
        let Some(best) = ways.into_iter().max_by_key(preference) else {
            return Err(MeshError::NoAxes { axis, size, remaining: free.into_iter().map(Some).collect() });
        };
        for (taken, share) in taken.iter_mut().zip(&best) {
            *taken *= share;
        }
        shares[axis] = best;
    }
    Ok(shares)
}

/// All ways to write a size as a product of divisors of what is free on each axis.
fn divide(size: usize, free: &[usize], way: &mut Vec<usize>, ways: &mut Vec<Vec<usize>>) {
    let Some((first, rest)) = free.split_first() else {
        if size == 1 {
            ways.push(way.clone());
        }
        return;
    };
    for share in (1..=*first).filter(|share| first.is_multiple_of(*share) && size.is_multiple_of(*share)) {
        way.push(share);
        divide(size / share, rest, way, ways);
        way.pop();
    }
}

/// A slice of which some meshes can keep hosts together.
struct Contiguous {
    slice: [usize; 3],
    meshes: &'static [&'static [usize]],
    /// Whether y and z change places for it.
    swaps: bool,
}

const fn contiguous_of(slice: [usize; 3], meshes: &'static [&'static [usize]], swaps: bool) -> Contiguous {
    Contiguous { slice, meshes, swaps }
}

const CONTIGUOUS: [Contiguous; 6] = [
    contiguous_of([2, 2, 1], &[&[2, 2]], false),
    contiguous_of([2, 2, 4], &[&[4, 4]], false),
    contiguous_of([4, 4, 4], &[&[16, 4]], true),
    contiguous_of([4, 8, 8], &[&[64, 4], &[4, 64]], true),
    contiguous_of([8, 8, 8], &[&[64, 8]], true),
    contiguous_of([8, 16, 16], &[&[256, 8], &[8, 256]], true),
];

/// The order of the axes of the devices that keeps hosts together.
fn contiguous(physical: &Physical, sizes: &[usize]) -> Result<Vec<usize>, MeshError> {
    let known = CONTIGUOUS.iter().find(|known| physical.sizes == known.slice);
    let meshes = known.map_or(&[][..], |known| known.meshes);
    let long: Vec<usize> = sizes.iter().copied().filter(|size| *size > 1).collect();
    if !meshes.contains(&long.as_slice()) {
        let available = meshes.iter().map(|mesh| mesh.to_vec()).collect();
        return Err(MeshError::NotContiguous { shape: physical.shape, available });
    }
    let swaps = known.is_some_and(|known| known.swaps);
    Ok(if swaps { vec![0, 2, 1] } else { vec![0, 1, 2] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_set_of_whole_axes_is_taken_first() {
        assert_eq!(whole(&[4, 4, 16], &[16, 16]).unwrap(), [[1, 1, 16], [4, 4, 1]]);
        assert_eq!(whole(&[4, 8, 1], &[4, 8]).unwrap(), [[4, 1, 1], [1, 8, 1]]);
        let error = whole(&[4, 4, 1], &[2, 2, 4]).unwrap_err();
        assert_eq!(error, MeshError::NoAxes { axis: 1, size: 2, remaining: vec![None, Some(4), None] });
    }

    #[test]
    fn an_axis_is_shared_only_where_whole_ones_do_not_do() {
        assert_eq!(split(&[4, 4, 1], &[2, 2, 4]).unwrap(), [[1, 2, 1], [1, 2, 1], [4, 1, 1]]);
        assert_eq!(split(&[8, 8, 1], &[2, 2, 16]).unwrap(), [[1, 2, 1], [1, 2, 1], [8, 2, 1]]);
    }

    #[test]
    fn every_place_is_there_once_in_whatever_shares() {
        for (physical, sizes) in
            [(vec![4, 4, 4], vec![2, 8, 4]), (vec![8, 16, 1, 2], vec![32, 8]), (vec![12, 4, 1], vec![6, 8])]
        {
            let shares = split(&physical, &sizes).unwrap();
            let n: usize = sizes.iter().product();
            let mut places: Vec<Vec<usize>> = (0..n).map(|index| place_of(index, &shares)).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), n);
            assert!(places.iter().flatten().zip(physical.iter().cycle()).all(|(at, size)| at < size));
        }
    }
}
