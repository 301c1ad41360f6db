//! The command line: the same answers as in the window, for scripts, tests and footnotes.
//!
//! [`args`] says what can be written, one file per family of commands computes a plain serializable
//! body and its text form, and [`output`] writes either. Nothing here prints by itself, so a test
//! calls [`run`] with its own writers.

pub mod args;
mod check;
mod chips;
mod collective;
mod coords;
mod diff;
pub mod failure;
mod import;
mod matmul;
mod observe;
pub mod output;
mod render;
mod roadmap;
mod route;
pub mod rules;
mod serve;
mod shard;
mod slice;
mod trace;
mod validate;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Arguments, Command, RulesCommand, Theme};
use failure::{Failure, Status};
use output::Output;

/// What the command line asks of the rest of the house; `main` fills it in.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Opens the window on a file, or on the sample; returns when it is closed.
    pub run_window: fn(Option<&Path>) -> Result<Shown, Failure>,
    /// Draws a view as the bytes of a PNG picture.
    pub render: fn(&Picture) -> Result<Vec<u8>, Failure>,
    /// Measures the speed of the engine and of a frame; calls back with a line of progress.
    pub bench: fn(&mut Progress<'_>) -> Vec<Measured>,
}

/// Takes one line that says how far long work is.
pub type Progress<'a> = dyn FnMut(&str) + 'a;

/// What became of the wish for a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// A window was open, and was closed.
    Window,
    /// There is no display; these pictures were written instead.
    Pictures(Vec<PathBuf>),
}

/// A view to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Plan or fleet; the sample if absent.
    pub file: Option<PathBuf>,
    /// Name of the view, as the user wrote it.
    pub view: String,
    /// Colours.
    pub theme: Theme,
    /// Width and height in pixels.
    pub size: [u32; 2],
}

/// A measured speed.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Measured {
    /// What was measured.
    pub name: String,
    /// How much.
    pub value: f64,
    /// Of what: "ms", "frames/s".
    pub unit: String,
}

/// Runs the program with the process's own arguments and streams.
pub fn main(entry: &Entry) -> ExitCode {
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    let terminal = err.is_terminal();
    let status = run_on(terminal, std::env::args_os(), entry, (&mut out, &mut err));
    ExitCode::from(status as u8)
}

/// Runs one command; `arguments` begins with the name of the program.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    entry: &Entry,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Status {
    run_on(false, arguments, entry, (out, err))
}

fn run_on(
    terminal: bool,
    arguments: impl IntoIterator<Item = OsString>,
    entry: &Entry,
    (out, err): (&mut dyn Write, &mut dyn Write),
) -> Status {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let json = arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json");
    let mut output = Output::new(out, err, json).on_terminal(terminal);
    let done = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => dispatch(arguments, entry, &mut output),
        Err(error) if error.use_stderr() => Err(Stop::Failed(usage(&error))),
        Err(help) => output
            .raw((help.to_string().trim_end().to_owned() + "\n").as_bytes())
            .map(|()| Status::Done)
            .map_err(Stop::Unwritten),
    };
    match done {
        Ok(status) => status,
        Err(Stop::Failed(failure)) => match output.failure(&failure) {
            Ok(()) => failure.status,
            Err(_nobody_listens) => failure.status,
        },
        // Whoever read the answer has had enough of it, as `head` does.
        Err(Stop::Unwritten(error)) if error.kind() == io::ErrorKind::BrokenPipe => Status::Done,
        Err(Stop::Unwritten(error)) => {
            let failure = Failure::input("output", format!("the answer could not be written: {error}"));
            output.failure(&failure).ok();
            Status::Found
        }
    }
}

/// Why a command ended early.
enum Stop {
    /// It could not do what was asked.
    Failed(Failure),
    /// It could not say its answer.
    Unwritten(io::Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}
impl From<crate::io::problem::FileProblem> for Stop {
    fn from(problem: crate::io::problem::FileProblem) -> Self {
        Self::Failed(problem.into())
    }
}
impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Unwritten(error)
    }
}

type Outcome = Result<Status, Stop>;

fn dispatch(arguments: Arguments, entry: &Entry, output: &mut Output<'_>) -> Outcome {
    let Some(command) = arguments.command else { return window(arguments.file.as_deref(), entry, output) };
    let name = command.name();
    if let Some(file) = arguments.file {
        let message = format!("there is no command {}", file.display());
        return Err(Failure::usage(message, "COMMAND").hint(format!("Did you mean `podium {name} …`?")).into());
    }
    match command {
        Command::Chips { generation } => output.answer(name, &chips::chips(generation.as_deref())?, chips::text)?,
        Command::Slice(slice) => output.answer(name, &slice::facts(&slice)?, slice::facts_text)?,
        Command::Slices { generation, chips } => {
            output.answer(name, &slice::list(&generation, chips)?, slice::list_text)?;
        }
        Command::Coords(args) => output.answer(name, &coords::coords(&args)?, coords::coords_text)?,
        Command::Route(args) => output.answer(name, &route::route(&args)?, route::route_text)?,
        Command::Matmul(args) => {
            let answer = matmul::matmul(&args, output)?;
            output.answer(name, &answer, matmul::text)?;
            return Ok(answer.status());
        }
        Command::Collective(args) => {
            let answer = collective::collective(&args, output)?;
            output.answer(name, &answer, collective::text)?;
        }
        Command::Validate(args) => {
            let answer = validate::run(&args)?;
            output.answer(name, &answer, validate::text)?;
            return Ok(answer.status());
        }
        Command::Shard(args) => {
            let answer = shard::shard(&args, output)?;
            output.answer(name, &answer, shard::text)?;
            return Ok(answer.status());
        }
        Command::Check { files } => {
            let report = check::check(&files);
            output.answer(name, &report, check::text)?;
            return Ok(report.status());
        }
        Command::Roadmap(args) => {
            let answer = roadmap::roadmap(&args, output)?;
            output.answer(name, &answer, roadmap::text)?;
            return Ok(answer.status());
        }
        Command::Diff { before, after } => output.answer(name, &diff::diff(&before, &after)?, diff::text)?,
        Command::Import(import) => {
            let imported = import::import(&import)?;
            output.answer(name, &imported, import::text)?;
            return Ok(imported.status());
        }
        Command::Rules(rules) => {
            let RulesCommand::Test { file } = rules.command;
            let tested = rules::test(&file)?;
            output.answer(name, &tested, rules::text)?;
            return Ok(tested.status());
        }
        Command::ServeMetrics(args) => return serve::run(&args, output),
        Command::Observe(args) => {
            let observed = observe::run(&args)?;
            output.answer(name, &observed, observe::text)?;
            return Ok(observed.status());
        }
        Command::Render(render) => output.answer(name, &render::render(&render, entry)?, render::text)?,
        Command::Bench => {
            let mut progress = |line: &str| drop(output.note(line));
            let bench = render::Bench { rows: (entry.bench)(&mut progress) };
            output.answer(name, &bench, render::bench_text)?;
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "podium", &mut script);
            output.raw(&script)?;
        }
    }
    Ok(Status::Done)
}

fn window(file: Option<&Path>, entry: &Entry, output: &mut Output<'_>) -> Outcome {
    if let Some(file) = file.filter(|file| !file.exists()) {
        let message = format!("there is no file {}, and no such command", file.display());
        return Err(Failure::input("not_found", message)
            .at("FILE")
            .hint("Check the path; `podium help` lists the commands")
            .into());
    }
    if let Shown::Pictures(files) = (entry.run_window)(file)? {
        if output.is_json() {
            let pictures = files.iter().map(|file| file.display().to_string()).collect();
            output.answer("podium", &render::Pictures { pictures }, |_pictures| String::new())?;
            return Ok(Status::Done);
        }
        output.note("There is no display, so the views were drawn into pictures:")?;
        for file in files {
            output.note(&format!("  {}", file.display()))?;
        }
    }
    Ok(Status::Done)
}

/// What the parser of the command line found wrong, with the flag and the remedy apart.
fn usage(error: &clap::Error) -> Failure {
    use clap::error::{ContextKind, ContextValue};
    let text = error.to_string();
    let (message, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
    let message = message.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ");
    let place = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(flag)) => Some(flag.clone()),
        Some(ContextValue::Strings(flags)) => Some(flags.join(", ")),
        _ => None,
    };
    let mut hints: Vec<&str> = rest.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    hints.retain(|line| !line.starts_with("For more information"));
    let hint = if hints.is_empty() { "See `podium help`".to_owned() } else { hints.join("; ") };
    Failure { place, status: Status::Usage, ..Failure::input("usage", message) }.hint(hint)
}
