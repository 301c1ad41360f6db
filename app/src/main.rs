//! The program: the command line, and behind it the window.

use std::process::ExitCode;

use app::cli::failure::Failure;
use app::cli::{Entry, main as run};

fn main() -> ExitCode {
    const MISSING: fn() -> Failure = || Failure::input("not_built", "this build has no window and draws nothing");
    run(&Entry { run_window: |_| Err(MISSING()), render: |_| Err(MISSING()), bench: |_| Vec::new() })
}
