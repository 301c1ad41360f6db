//! Where a command writes to: answers to one side, progress and failures to the other.

use std::io::{self, BufWriter, Write};

use serde::Serialize;

use super::failure::Failure;

/// Version of the JSON keys; keys are added, never renamed, within a number.
pub const SCHEMA: u32 = 1;

/// Both sides, and in which form answers are wanted.
pub struct Output<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    json: bool,
    terminal: bool,
}

#[derive(Serialize)]
struct Answer<'a, T: Serialize> {
    schema: u32,
    command: &'a str,
    #[serde(flatten)]
    body: &'a T,
}

#[derive(Serialize)]
struct Refusal<'a> {
    schema: u32,
    error: &'a Failure,
}

impl<'a> Output<'a> {
    /// `json` asks for JSON instead of text.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, json: bool) -> Self {
        Self { out, err, json, terminal: false }
    }

    /// The same with progress as a bar, because a person looks on.
    pub fn on_terminal(self, terminal: bool) -> Self {
        Self { terminal, ..self }
    }

    /// Whether answers are wanted as JSON.
    pub const fn is_json(&self) -> bool {
        self.json
    }

    /// Tells how far long work is: a bar on a terminal, plain lines elsewhere.
    pub fn progress(&mut self, work: &'static str) -> Progress<'_> {
        Progress { err: &mut *self.err, terminal: self.terminal, work, told: 0 }
    }

    /// Writes an answer: as one JSON object, or as the text that `text` makes of it.
    pub fn answer<T: Serialize>(&mut self, command: &str, body: &T, text: impl FnOnce(&T) -> String) -> io::Result<()> {
        if self.json {
            self.json(&Answer { schema: SCHEMA, command, body })
        } else {
            write_shown(self.out, &text(body))
        }
    }

    /// Writes a failure: as text beside the answers, and with `--json` as JSON in their place too.
    pub fn failure(&mut self, failure: &Failure) -> io::Result<()> {
        let mut lines = vec![format!("error: {}", one_line(&failure.message))];
        lines.extend(failure.place.iter().map(|place| format!("  where: {}", one_line(place))));
        lines.extend(failure.hint.iter().map(|hint| format!("  hint: {}", one_line(hint))));
        write_shown(self.err, &(lines.join("\n") + "\n"))?;
        if self.json { self.json(&Refusal { schema: SCHEMA, error: failure }) } else { Ok(()) }
    }

    /// Writes a line of progress or explanation beside the answers.
    pub fn note(&mut self, text: &str) -> io::Result<()> {
        write_shown(self.err, &one_line(text))?;
        self.err.write_all(b"\n")
    }

    /// Writes bytes that are an answer as they are, such as a shell's completions.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.out.flush()
    }

    fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut shown = Shown(BufWriter::new(&mut *self.out));
        serde_json::to_writer_pretty(&mut shown, value)?;
        shown.0.write_all(b"\n")?;
        shown.0.flush()
    }
}

/// How far long work is. Writing it never fails the work itself.
pub struct Progress<'a> {
    err: &'a mut dyn Write,
    terminal: bool,
    work: &'static str,
    told: u64,
}

impl Progress<'_> {
    /// Twentieths of the work are told: no work is allowed to last so long that one takes more than seconds.
    const STEPS: u64 = 20;

    /// Tells that a share from 0 to 1 is done.
    pub fn tell(&mut self, share: f64) {
        let step = (share.clamp(0.0, 1.0) * Self::STEPS as f64) as u64;
        if step <= self.told {
            return;
        }
        self.told = step;
        let percent = step * 100 / Self::STEPS;
        let text = if self.terminal {
            let bar = "#".repeat(step as usize) + &".".repeat((Self::STEPS - step) as usize);
            let end = if step == Self::STEPS { "\n" } else { "" };
            format!("\r{} [{bar}] {percent} %{end}", self.work)
        } else {
            format!("{}: {percent} %\n", self.work)
        };
        self.err.write_all(text.as_bytes()).and_then(|()| self.err.flush()).ok();
    }
}

/// Whether a terminal shows the character and does nothing else: names from files could otherwise
/// move the cursor, set the title, turn the reading direction, break the line or hide a difference.
///
/// Besides control characters these are the format characters and the line and paragraph separators
/// of Unicode (The Unicode Standard, chapter 23).
fn is_safe(c: char) -> bool {
    let is_invisible = matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    );
    c == '\n' || !(c.is_control() || is_invisible)
}

/// A text from elsewhere as a part of one line: a name with a line break in it cannot forge a line.
pub fn one_line(text: &str) -> String {
    text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}

/// Writes JSON as it comes, with control characters in the way of JSON: they stand only inside strings.
struct Shown<W: Write>(W);

impl<W: Write> Write for Shown<W> {
    /// Takes whole characters, which is how the serializer writes.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.iter().all(|byte| (0x20..0x7f).contains(byte) || *byte == b'\n') {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        for c in std::str::from_utf8(bytes).map_err(io::Error::other)?.chars() {
            if is_safe(c) {
                write!(self.0, "{c}")?;
                continue;
            }
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(self.0, "\\u{unit:04x}")?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes text for a terminal. The no-break spaces of numbers become plain ones, as scripts expect.
fn write_shown(to: &mut dyn Write, text: &str) -> io::Result<()> {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{a0}' => shown.push(' '),
            c if is_safe(c) => shown.push(c),
            c => shown.extend(c.escape_unicode()),
        }
    }
    to.write_all(shown.as_bytes())?;
    to.flush()
}

/// Rows of cells as aligned columns two blanks apart; columns of numbers are flush right.
pub fn table(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths: Vec<usize> =
        (0..columns).map(|c| cells(c).map(|cell| cell.chars().count()).max().unwrap_or(0)).collect();
    // The first row may be a heading.
    let is_number = |cell: &String| {
        cell.is_empty() || cell == "—" || cell.starts_with(|c: char| c.is_ascii_digit() || "$-−".contains(c))
    };
    let right: Vec<bool> = (0..columns).map(|c| rows.len() > 1 && c > 0 && cells(c).skip(1).all(is_number)).collect();
    let mut text = String::new();
    for row in &rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let blanks = " ".repeat(widths[column] - cell.chars().count());
            let (first, second) =
                if right[column] { (blanks.as_str(), cell.as_str()) } else { (cell.as_str(), blanks.as_str()) };
            line.extend([first, second, "  "]);
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Facts one below the other: the name, then the value.
pub fn facts(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let lines = rows.iter().map(|(name, value)| format!("{name:width$}  {}", one_line(value)));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// A place in a file as `file:line:column`, as far as it is known.
pub fn place(file: &str, line: Option<usize>, column: Option<usize>) -> String {
    let numbers = [line, column].into_iter().flatten().map(|number| format!(":{number}"));
    file.to_owned() + &numbers.collect::<String>()
}
