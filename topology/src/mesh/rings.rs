//! Ring orders of slices that are so small that one ring goes through all of them.

use crate::mesh::assign::Physical;
use crate::mesh::{Device, Layout};
use crate::shape::Shape;
use crate::slice::SliceModel;

/// Around the four chips of a host.
const SQUARE: [usize; 4] = [0, 1, 3, 2];
/// Around the eight cores of a 2x2 tray, the two cores of a chip after one another.
const CORES: [usize; 8] = [0, 1, 2, 3, 6, 7, 4, 5];
/// Up one side of a 2x4 tray and down the other, two chips wide.
const PINCER: [usize; 8] = [0, 1, 2, 3, 7, 6, 5, 4];
/// Around the corners of a cube of eight chips.
const CORNERS: [usize; 8] = [0, 1, 3, 2, 6, 7, 5, 4];
/// Around a 4x4 square.
const LARGE_SQUARE: [usize; 16] = [0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4];

/// The order of a slice that has one of its own.
pub(super) fn order(model: &SliceModel<'_>, physical: &Physical, sizes: &[usize]) -> Option<(Vec<Device>, Layout)> {
    let shape = model.torus.shape();
    let listed = || {
        let mut devices = physical.devices();
        devices.sort_by_key(|device| (model.host_of(device.chip), device.id));
        devices
    };
    let (devices, ring): (_, &[usize]) = match model.generation.id.0.as_str() {
        "v2" | "v3" => {
            let in_rings = physical.n_devices() == CORES.len() || sizes.last() == Some(&CORES.len());
            if !in_rings {
                return Some((listed(), Layout::Listed));
            }
            (listed(), &CORES)
        }
        "v5e" | "v6e" => {
            let longest = sizes.iter().max().copied().unwrap_or(1);
            let ring: &[usize] = match physical.n_devices() {
                4 if shape == Shape::flat(2, 2) => &SQUARE,
                8 => &PINCER,
                16 if shape == Shape::flat(4, 4) && longest == LARGE_SQUARE.len() => &LARGE_SQUARE,
                _ => return None,
            };
            (physical.devices(), ring)
        }
        "v5p" if shape == Shape::solid(2, 2, 2) => (physical.devices(), &CORNERS),
        "tpu7x" => {
            let [x, y, _] = shape.sizes3();
            let n = physical.n_devices();
            if !n.is_multiple_of(CORES.len()) || n > 4 * CORES.len() || x > 2 || y > 2 {
                return None;
            }
            (listed(), &CORES)
        }
        _ => return None,
    };
    let turned = devices.chunks(ring.len()).flat_map(|tray| ring.iter().filter_map(|place| tray.get(*place)));
    Some((turned.copied().collect(), Layout::Ring))
}
