//! The program: the command line, and behind it the window.

use std::process::ExitCode;

use app::cli::{Entry, main as run};

fn main() -> ExitCode {
    run(&Entry { run_window: app::window::run, render: app::render::command, bench: app::bench::run })
}
