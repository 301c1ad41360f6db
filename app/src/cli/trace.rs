//! `--trace`: the timeline of an answer as a file for a trace viewer.

use std::path::Path;

use simulator::trace::Trace;

use super::args::TraceArgs;
use super::failure::Failure;
use super::render::{refuse_existing, write};

/// Says early that the file exists, before long work is done for nothing.
pub(super) fn refuse(args: &TraceArgs) -> Result<(), Failure> {
    let flag = |failure: Failure| failure.at("--trace");
    args.trace.as_deref().map_or(Ok(()), |path| refuse_existing(path, args.force).map_err(flag))
}

/// Writes the trace where it was asked for, and tells the name of the file.
pub(super) fn save(args: &TraceArgs, trace: &Trace, title: &str) -> Result<Option<String>, Failure> {
    let Some(path) = args.trace.as_deref() else { return Ok(None) };
    let save = |path: &Path| write(path, trace.to_chrome_json(title).as_bytes(), args.force);
    save(path).map_err(|failure| failure.at("--trace"))?;
    Ok(Some(path.display().to_string()))
}
