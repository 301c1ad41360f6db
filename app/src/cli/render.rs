//! `podium render` and `podium bench`: what the rest of the house draws and measures.

use std::path::Path;

use serde::Serialize;
use widgets::format;

use super::args::RenderArgs;
use super::failure::Failure;
use super::output;
use super::{Entry, Measured, Picture};
use crate::io::files::{save_atomic, save_new};
use crate::render::{is_view, unknown_view};

/// Largest width or height of a picture, in pixels.
const MAX_SIDE: u32 = 16_384;
/// Most pixels of a picture: drawing takes some eight bytes for each.
const MAX_PIXELS: u64 = 64_000_000;

/// What was drawn because there is no display.
#[derive(Serialize)]
pub(super) struct Pictures {
    pub(super) pictures: Vec<String>,
}

#[derive(Serialize)]
pub(super) struct Rendered {
    view: String,
    width: u32,
    height: u32,
    output: String,
}

pub(super) fn render(args: &RenderArgs, entry: &Entry) -> Result<Rendered, Failure> {
    refuse_other_format(&args.output)?;
    let size = size(&args.size)?;
    refuse_unknown_view(&args.view)?;
    refuse_missing_folder(&args.output)?;
    refuse_existing(&args.output, args.force)?;
    let picture = Picture { file: args.file.clone(), view: args.view.clone(), theme: args.theme, size };
    write(&args.output, &(entry.render)(&picture)?, args.force)?;
    Ok(Rendered { view: args.view.clone(), width: size[0], height: size[1], output: args.output.display().to_string() })
}

fn size(text: &str) -> Result<[u32; 2], Failure> {
    let numbers = text.split_once('x').and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    let possible = numbers.filter(|size| size.iter().all(|side| (1..=MAX_SIDE).contains(side)));
    let size: [u32; 2] = possible.ok_or_else(|| {
        let hint = format!("Write width and height from 1 to {MAX_SIDE} joined by x, such as 1600x1000");
        Failure::usage(format!("\"{text}\" is not a size in pixels"), "--size").hint(hint)
    })?;
    let pixels = size.into_iter().map(u64::from).product::<u64>();
    if pixels > MAX_PIXELS {
        let [mega, limit] = [pixels, MAX_PIXELS].map(|pixels| pixels.div_ceil(1_000_000));
        let message = format!("{text} is too large: {mega} megapixels, the limit is {limit}");
        return Err(Failure::usage(message, "--size").hint("Choose a smaller width or height"));
    }
    Ok(size)
}

fn refuse_other_format(path: &Path) -> Result<(), Failure> {
    if path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".png")) {
        let message = format!("{} has no name before its ending", path.display());
        return Err(Failure::usage(message, "-o").hint("Write a name before the ending, such as topology.png"));
    }
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("png")) {
        let message = format!("{} is not a .png", path.display());
        return Err(Failure::usage(message, "-o").hint("Only PNG pictures can be made; let the name end in .png"));
    }
    Ok(())
}

/// Says early that there is no such view, before a file is read.
fn refuse_unknown_view(name: &str) -> Result<(), Failure> {
    if is_view(name) { Ok(()) } else { Err(unknown_view(name)) }
}

/// Says early that an output has no folder to be in.
fn refuse_missing_folder(path: &Path) -> Result<(), Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.is_dir()) {
        None => Ok(()),
        Some(folder) => {
            let message = format!("there is no folder {}", folder.display());
            Err(Failure::input("not_found", message).at("-o").hint("Make the folder, or save elsewhere"))
        }
    }
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
    let output = output::one_line(&rendered.output);
    format!("{output}: {}, {} x {} pixels\n", rendered.view, rendered.width, rendered.height)
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
