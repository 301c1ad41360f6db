//! `podium chips`: the catalogue.

use serde::Serialize;
use topology::chip::{Basis, Catalog, Generation, Sourced};
use widgets::format;

use super::failure::Failure;
use super::output;

#[derive(Serialize)]
pub(super) struct Chips {
    as_of: &'static str,
    generations: Vec<Row>,
}

/// One generation; unknown figures are null.
#[derive(Serialize)]
struct Row {
    id: String,
    name: String,
    peak_bf16_flop_per_s: Option<f64>,
    peak_int8_flop_per_s: Option<f64>,
    peak_fp8_flop_per_s: Option<f64>,
    hbm_bytes: Option<f64>,
    hbm_bytes_per_s: Option<f64>,
    vmem_bytes: Option<f64>,
    ici_links: Option<u32>,
    ici_link_bytes_per_s: Option<f64>,
    torus_dims: Option<usize>,
    pod_shape: Option<String>,
    pod_chips: Option<u32>,
    devices_per_chip: Option<u32>,
    chips_per_host: Option<u32>,
    mxu_dim: Option<u32>,
    tdp_watt: Option<f64>,
    usd_per_chip_hour: Option<f64>,
    sources: Vec<Origin>,
}

/// Where one figure comes from.
#[derive(Serialize)]
struct Origin {
    figure: &'static str,
    basis: &'static str,
    source: String,
    note: Option<String>,
}

/// Finds a generation by any of its names.
pub(super) fn find(name: &str, flag: &str) -> Result<&'static Generation, Failure> {
    Catalog::embedded().find(name).map_err(|unknown| {
        let hint = "List all with `podium chips`";
        Failure::input("unknown_generation", unknown.to_string()).at(flag).hint(hint)
    })
}

pub(super) fn chips(name: Option<&str>) -> Result<Chips, Failure> {
    let catalog = Catalog::embedded();
    let generations = match name {
        Some(name) => vec![chip(find(name, "GENERATION")?, catalog)],
        None => catalog.generations.iter().map(|generation| chip(generation, catalog)).collect(),
    };
    Ok(Chips { as_of: &catalog.as_of, generations })
}

/// Takes figures apart into numbers and notes of where they come from.
struct Figures<'a> {
    catalog: &'a Catalog,
    sources: Vec<Origin>,
}

impl Figures<'_> {
    fn take<T: Clone>(&mut self, figure: &'static str, sourced: Option<&Sourced<T>>) -> Option<T> {
        let sourced = sourced?;
        let reference = self.catalog.source(&sourced.source).unwrap_or(&sourced.source);
        self.sources.push(Origin {
            figure,
            basis: basis(sourced.basis),
            source: reference.to_owned(),
            note: sourced.note.clone(),
        });
        Some(sourced.value.clone())
    }

    fn number<T: Clone + Into<f64>>(&mut self, figure: &'static str, sourced: Option<&Sourced<T>>) -> Option<f64> {
        self.take(figure, sourced).map(Into::into)
    }
}

fn chip(g: &Generation, catalog: &Catalog) -> Row {
    let mut from = Figures { catalog, sources: Vec::new() };
    Row {
        id: g.id.0.clone(),
        name: g.name.clone(),
        peak_bf16_flop_per_s: from.number("peak_bf16_flop_per_s", g.peak_bf16_flop_per_s.as_ref()),
        peak_int8_flop_per_s: from.number("peak_int8_flop_per_s", g.peak_int8_flop_per_s.as_ref()),
        peak_fp8_flop_per_s: from.number("peak_fp8_flop_per_s", g.peak_fp8_flop_per_s.as_ref()),
        hbm_bytes: from.number("hbm_bytes", g.hbm_bytes.as_ref()),
        hbm_bytes_per_s: from.number("hbm_bytes_per_s", g.hbm_bytes_per_s.as_ref()),
        vmem_bytes: from.number("vmem_bytes", g.vmem_bytes.as_ref()),
        ici_links: from.take("ici_links", g.ici_links.as_ref()),
        ici_link_bytes_per_s: from.number("ici_link_bytes_per_s", g.ici_link_bytes_per_s.as_ref()),
        torus_dims: g.torus_dims(),
        pod_shape: from.take("pod_shape", g.pod_shape.as_ref()).map(|shape| shape.to_string()),
        pod_chips: from.take("pod_chips", g.pod_chips.as_ref()),
        devices_per_chip: from.take("devices_per_chip", g.devices_per_chip.as_ref()),
        chips_per_host: from.take("chips_per_host", g.chips_per_host.as_ref()),
        mxu_dim: from.take("mxu_dim", g.mxu_dim.as_ref()),
        tdp_watt: from.number("tdp_watt", g.tdp_watt.as_ref()),
        usd_per_chip_hour: from.number("usd_per_chip_hour", g.usd_per_chip_hour.as_ref()),
        sources: from.sources,
    }
}

const fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Read => "read",
        Basis::Derived => "derived",
        Basis::Unverified => "unverified",
    }
}

pub(super) fn text(chips: &Chips) -> String {
    match &chips.generations[..] {
        [one] => one.text(),
        all => overview(all),
    }
}

fn si(value: Option<f64>, unit: &str) -> String {
    format::or_absent(value, |value| format::si(value, unit))
}

fn capacity(value: Option<f64>) -> String {
    format::or_absent(value, |value| format::capacity(topology::units::Byte::new(value)))
}

fn plain<T: ToString>(value: Option<T>) -> String {
    format::or_absent(value, |value| value.to_string())
}

fn overview(chips: &[Row]) -> String {
    let head = ["id", "name", "bf16", "HBM", "HBM rate", "link rate", "pod", "chips", "$/chip-h"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(chips.iter().map(|chip| {
        vec![
            chip.id.clone(),
            chip.name.clone(),
            si(chip.peak_bf16_flop_per_s, "FLOP/s"),
            capacity(chip.hbm_bytes),
            si(chip.hbm_bytes_per_s, "B/s"),
            si(chip.ici_link_bytes_per_s, "B/s"),
            plain(chip.pod_shape.as_deref()),
            plain(chip.pod_chips),
            format::or_absent(chip.usd_per_chip_hour, |price| format::fixed(price, 2)),
        ]
    }));
    output::table(&rows)
}

impl Row {
    fn text(&self) -> String {
        let figures = [
            ("generation", "", format!("{} ({})", self.name, self.id)),
            ("bf16 peak", "peak_bf16_flop_per_s", si(self.peak_bf16_flop_per_s, "FLOP/s")),
            ("int8 peak", "peak_int8_flop_per_s", si(self.peak_int8_flop_per_s, "OP/s")),
            ("fp8 peak", "peak_fp8_flop_per_s", si(self.peak_fp8_flop_per_s, "FLOP/s")),
            ("HBM", "hbm_bytes", capacity(self.hbm_bytes)),
            ("HBM rate", "hbm_bytes_per_s", si(self.hbm_bytes_per_s, "B/s")),
            ("VMEM", "vmem_bytes", capacity(self.vmem_bytes)),
            ("ICI links", "ici_links", plain(self.ici_links)),
            ("link rate", "ici_link_bytes_per_s", si(self.ici_link_bytes_per_s, "B/s")),
            ("torus axes", "", plain(self.torus_dims)),
            ("pod", "pod_shape", plain(self.pod_shape.as_deref())),
            ("pod chips", "pod_chips", plain(self.pod_chips)),
            ("devices per chip", "devices_per_chip", plain(self.devices_per_chip)),
            ("chips per host", "chips_per_host", plain(self.chips_per_host)),
            ("matrix unit", "mxu_dim", format::or_absent(self.mxu_dim, |side| format!("{side}x{side}"))),
            ("design power", "tdp_watt", si(self.tdp_watt, "W")),
            ("price", "usd_per_chip_hour", format::or_absent(self.usd_per_chip_hour, |usd| format!("${usd:.2}/h"))),
        ];
        let source = |figure: &str| self.sources.iter().find(|source| source.figure == figure);
        let rows: Vec<_> = figures
            .into_iter()
            .map(|(name, figure, value)| {
                vec![name.to_owned(), value, source(figure).map_or_else(String::new, Origin::text)]
            })
            .collect();
        output::table(&rows)
    }
}

impl Origin {
    fn text(&self) -> String {
        if self.basis == basis(Basis::Read) { self.source.clone() } else { format!("{}: {}", self.basis, self.source) }
    }
}
