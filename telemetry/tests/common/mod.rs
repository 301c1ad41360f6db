//! Reading the recorded answers of real servers.

#![allow(
    unreachable_pub,
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "shared by several test programs"
)]

use std::path::PathBuf;

/// A file of the folder that `PODIUM_ORACLE_DIR` names; `None`, with the reason printed, where it is not set.
pub fn oracle(name: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("PODIUM_ORACLE_DIR") else {
        eprintln!("skipped: PODIUM_ORACLE_DIR is not set, so {name} is not compared");
        return None;
    };
    let path = PathBuf::from(folder).join(name);
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// Fields of the lines of a comma-separated text; fields may be quoted, and a quote in them is doubled.
pub fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().map(fields).collect()
}

fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let (mut quoted, mut chars) = (false, line.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => fields.last_mut().unwrap().extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().unwrap().push(c),
        }
    }
    fields
}
