//! Small generations and a table reader for tests.

use topology::chip::{Basis, Generation, GenerationId, Sourced, Wiring};
use topology::shape::Shape;
use topology::units::{Byte, BytePerSec, FlopPerSec};

/// A figure of a test.
pub(crate) fn figure<T>(value: T) -> Option<Sourced<T>> {
    Some(Sourced { value, basis: Basis::Read, source: "test".to_owned(), note: None })
}

/// The figures that the simulator reads, as the catalogue has them for v5p, v6e and tpu7x.
pub(crate) fn generation(id: &str) -> Generation {
    let (wiring, bf16, int8, fp8, hbm_gib, hbm_gb, devices, cores, mxu, links) = match id {
        "v6e" => (Wiring::Flat, 918e12, 1836e12, 918e12, 32.0, 1638.0, 1, 1, 256, 4),
        "tpu7x" => (Wiring::Cubes, 2307e12, 0.0, 4614e12, 192.0, 7380.0, 2, 2, 256, 6),
        _ => (Wiring::Cubes, 459e12, 918e12, 459e12, 95.0, 2765.0, 1, 2, 128, 6),
    };
    let known = |rate: f64| (rate > 0.0).then(|| figure(FlopPerSec::new(rate))).flatten();
    Generation {
        id: GenerationId(id.to_owned()),
        name: id.to_owned(),
        wiring,
        peak_bf16_flop_per_s: known(bf16),
        peak_int8_flop_per_s: known(int8),
        peak_fp8_flop_per_s: known(fp8),
        hbm_bytes: figure(Byte::from_gib(hbm_gib)),
        hbm_bytes_per_s: figure(BytePerSec::from_gb(hbm_gb)),
        vmem_bytes: figure(Byte::from_mib(128.0)),
        ici_links: figure(links),
        ici_link_bytes_per_s: figure(BytePerSec::from_gb(100.0)),
        pod_shape: figure(if links == 4 { Shape::flat(16, 16) } else { Shape::solid(16, 24, 24) }),
        pod_chips: None,
        devices_per_chip: figure(devices),
        tensorcores_per_chip: figure(cores),
        chips_per_host: figure(4),
        mxu_dim: figure(mxu),
        mxus_per_tensorcore: None,
        clock_hz: None,
        tdp_watt: None,
        usd_per_chip_hour: None,
    }
}

/// Rows of a golden table: lines after the `#` comments and the header, split at commas.
pub(crate) fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}
