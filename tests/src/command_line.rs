//! Runs a command of `podium` inside the test, with a window and pictures that are only pretended.

use app::cli::failure::{Failure, Status};
use app::cli::{Entry, Measured, Shown};

/// What a command did.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    /// Exit status.
    pub status: Status,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// A house without a display: a window becomes one picture, a picture its own description.
pub const HOUSE: Entry = Entry {
    run_window: |_file| Ok(Shown::Pictures(vec!["podium-out/topology.png".into()])),
    render: |picture| match picture.view.as_str() {
        "topology" => Ok(format!("{picture:?}").into_bytes()),
        other => Err(Failure::usage(format!("there is no view \"{other}\""), "--view")),
    },
    bench: |progress| {
        progress("frame…");
        vec![Measured { name: "frame".to_owned(), value: 12.5, unit: "ms".to_owned() }]
    },
};

/// Runs `podium` with these arguments.
pub fn podium(arguments: &[&str]) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let all = ["podium"].iter().chain(arguments).map(Into::into);
    let status = app::cli::run(all, &HOUSE, &mut out, &mut err);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran { status, out: text(out), err: text(err) }
}
