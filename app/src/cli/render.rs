//! `podium render` and `podium bench`: what the rest of the house draws and measures.

use std::path::Path;

use serde::Serialize;
use widgets::format;

use super::args::RenderArgs;
use super::failure::Failure;
use super::output;
use super::{Entry, Measured, Picture};
use crate::io::files::{save_atomic, save_new};

/// Largest width or height of a picture, in pixels.
const MAX_SIDE: u32 = 16_384;

#[derive(Serialize)]
pub(super) struct Rendered {
    view: String,
    width: u32,
    height: u32,
    output: String,
}

pub(super) fn render(args: &RenderArgs, entry: &Entry) -> Result<Rendered, Failure> {
    if args.output.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("png")) {
        let message = format!("{} is not a .png", args.output.display());
        return Err(Failure::usage(message, "-o").hint("Only PNG pictures can be made; let the name end in .png"));
    }
    let size = size(&args.size)?;
    refuse_existing(&args.output, args.force)?;
    let picture = Picture { file: args.file.clone(), view: args.view.clone(), theme: args.theme, size };
    write(&args.output, &(entry.render)(&picture)?, args.force)?;
    Ok(Rendered { view: args.view.clone(), width: size[0], height: size[1], output: args.output.display().to_string() })
}

fn size(text: &str) -> Result<[u32; 2], Failure> {
    let numbers = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    let possible = numbers.filter(|size| size.iter().all(|side| (1..=MAX_SIDE).contains(side)));
    possible.ok_or_else(|| {
        let hint = format!("Write width and height from 1 to {MAX_SIDE} joined by x, such as 1600x1000");
        Failure::usage(format!("\"{text}\" is not a size in pixels"), "--size").hint(hint)
    })
}

/// Says early that an output exists, before long work is done for nothing.
pub(super) fn refuse_existing(path: &Path, force: bool) -> Result<(), Failure> {
    if force || std::fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    let message = format!("{} exists", path.display());
    Err(Failure::input("exists", message).at("-o").hint("Choose another name, or replace it with --force"))
}

/// Writes an output atomically; without `force` only if nothing is there.
pub(super) fn write(path: &Path, bytes: &[u8], force: bool) -> Result<(), Failure> {
    if force {
        save_atomic(path, bytes, None)?
    } else {
        save_new(path, bytes)?
    };
    Ok(())
}

pub(super) fn text(rendered: &Rendered) -> String {
    format!("{}: {}, {} x {} pixels\n", rendered.output, rendered.view, rendered.width, rendered.height)
}

#[derive(Serialize)]
pub(super) struct Bench {
    pub(super) rows: Vec<Measured>,
}

pub(super) fn bench_text(bench: &Bench) -> String {
    let row = |row: &Measured| vec![row.name.clone(), format::number(row.value), row.unit.clone()];
    let mut rows = vec![["measured", "value", "unit"].map(str::to_owned).to_vec()];
    rows.extend(bench.rows.iter().map(row));
    output::table(&rows)
}
