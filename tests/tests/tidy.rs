//! Rules about the code and its papers that no compiler checks.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const CRATES: [&str; 7] = ["topology", "simulator", "telemetry", "planning", "widgets", "app", "tests"];
/// These do no input or output and know no clock, thread or window.
const PURE: [&str; 4] = ["topology", "simulator", "telemetry", "planning"];
const MAX_LINES: usize = 600;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Files under a folder with one of the extensions, as paths from the root; none if there is no such folder.
fn files(folder: &str, extensions: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|e| extensions.iter().any(|wanted| *wanted == e)) {
                found.push(path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

fn sources(crates: &[&str]) -> Vec<(String, String)> {
    let paths = crates.iter().flat_map(|name| files(name, &["rs"]));
    paths.map(|path| (path.clone(), read(&path))).collect()
}

/// The lines of a source before its unit tests, numbered from 1, without comments.
fn product_lines(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let code = source.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    code.enumerate().map(|(i, line)| (i + 1, line)).filter(|(_, line)| !line.trim_start().starts_with("//"))
}

fn none(findings: &[String], rule: &str) {
    assert!(findings.is_empty(), "{rule}:\n{}", findings.join("\n"));
}

/// Names in backticks.
fn ticked(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Rows of the table of crates: name, our crates, other crates.
fn dependency_table(text: &str) -> BTreeMap<String, [BTreeSet<String>; 2]> {
    let mut rows = text.lines().skip_while(|line| !line.starts_with("| crate | ours | others |")).skip(2);
    let mut table = BTreeMap::new();
    while let Some(row) = rows.next().filter(|row| row.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').skip(1).collect();
        table.insert(ticked(cells[0]).pop_first().unwrap(), [ticked(cells[1]), ticked(cells[2])]);
    }
    table
}

/// Names under `[dependencies]` of a crate.
fn dependencies(crate_name: &str) -> BTreeSet<String> {
    let manifest = read(&format!("{crate_name}/Cargo.toml"));
    let section = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let lines = section.take_while(|line| !line.starts_with('[')).filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| Some(line.split_once(['.', '=', ' '])?.0.to_owned())).collect()
}

#[test]
fn crates_use_what_the_architecture_says_and_nothing_else() {
    let table = dependency_table(&read("ARCHITECTURE.md"));
    assert_eq!(table.keys().map(String::as_str).collect::<BTreeSet<_>>(), CRATES.into());
    for (name, [ours, others]) in &table {
        let (used_ours, used_others): (BTreeSet<_>, BTreeSet<_>) =
            dependencies(name).into_iter().partition(|used| CRATES.contains(&used.as_str()));
        assert_eq!((ours, others), (&used_ours, &used_others), "{name}: the paper (left) and its Cargo.toml (right)");
    }
}

#[test]
fn colours_are_written_down_in_the_theme_only() {
    let is_home = |path: &str| {
        ["widgets/src/theme", "widgets/src/colormap", "widgets/src/raster", "widgets/examples"]
            .iter()
            .any(|home| path.starts_with(home))
    };
    let mut found = Vec::new();
    for (path, source) in sources(&["widgets", "app"]).iter().filter(|(path, _)| !is_home(path)) {
        for (number, line) in product_lines(source) {
            let names_colour = ["Color32::from_", "hex_color!", "Rgba::from_"].iter().any(|maker| line.contains(maker));
            // White and black stand for "no tint" and for mixing; all other names are colours.
            let named = line.split("Color32::").skip(1).any(|rest| {
                let name: String = rest.chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').collect();
                name.len() > 1 && !["WHITE", "BLACK", "TRANSPARENT", "PLACEHOLDER"].contains(&name.as_str())
            });
            if names_colour || named || has_hex_colour(line) {
                found.push(format!("{path}:{number}: {}", line.trim()));
            }
        }
    }
    none(&found, "a colour belongs into assets/theme and widgets/src/theme.rs");
}

/// A text such as "#0C0F13".
fn has_hex_colour(line: &str) -> bool {
    line.split("\"#").skip(1).any(|rest| {
        let digits = rest.chars().take_while(char::is_ascii_hexdigit).count();
        [3, 6, 8].contains(&digits) && rest[digits..].starts_with('"')
    })
}

#[test]
fn files_stay_readable_in_one_sitting() {
    let lengths = sources(&CRATES).into_iter().map(|(path, source)| (source.lines().count(), path));
    let long: Vec<_> = lengths.filter(|(n, _)| *n > MAX_LINES).map(|(n, path)| format!("{path}: {n} lines")).collect();
    none(&long, "split what belongs apart");
}

#[test]
fn nothing_is_left_for_later() {
    let words = ["TODO", "FIXME", "XXX"];
    let marks = ["dbg!", "#[ignore", "#[should_panic", "todo!(", "unimplemented!("];
    // As words of their own: a calendar has parts called VTODO.
    let is_marked = |line: &str| {
        marks.iter().any(|mark| line.contains(mark))
            || line.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
    };
    let mut found = Vec::new();
    for (path, source) in sources(&CRATES).iter().filter(|(path, _)| path != "tests/tests/tidy.rs") {
        for (i, line) in source.lines().enumerate() {
            if is_marked(line) {
                found.push(format!("{path}:{}: {}", i + 1, line.trim()));
            }
        }
    }
    none(&found, "do it, or open an issue");
}

#[test]
fn pure_crates_touch_nothing() {
    let doors =
        ["std::fs", "std::net", "std::thread", "std::process", "Instant::now", "SystemTime", "egui::", "rand::"];
    let mut found = Vec::new();
    let of_product = |path: &str| path.contains("/src/") && !path.ends_with("/tests.rs");
    for (path, source) in sources(&PURE).iter().filter(|(path, _)| of_product(path)) {
        for (number, line) in product_lines(source) {
            if doors.iter().any(|door| line.contains(door)) {
                found.push(format!("{path}:{number}: {}", line.trim()));
            }
        }
    }
    none(&found, "files, clocks, threads and windows belong into app");
}

/// Different machines round these functions differently in their own library.
#[test]
fn the_simulator_gives_the_same_bits_everywhere() {
    let functions =
        ["powf", "powi", "exp", "exp2", "ln", "log2", "log10", "sin", "cos", "tan", "atan2", "tanh", "cbrt"];
    let mut found = Vec::new();
    for (path, source) in sources(&["simulator"]).iter().filter(|(path, _)| path.contains("/src/")) {
        for (number, line) in product_lines(source) {
            if functions.iter().any(|name| line.contains(&format!(".{name}("))) {
                found.push(format!("{path}:{number}: {}", line.trim()));
            }
        }
    }
    none(&found, "use libm's function");
}

/// Quoted texts of a list in deny.toml that begins with a line.
fn quoted_list(begin: &str, key: &str) -> BTreeSet<String> {
    let text = read("deny.toml");
    let lines = text.lines().skip_while(|line| !line.starts_with(begin)).skip(1).take_while(|line| *line != "]");
    let values = lines.filter_map(|line| line.trim().split_once(key)?.1.split('"').nth(1));
    values.map(str::to_owned).collect()
}

#[test]
fn nothing_banned_is_in_the_lock_file() {
    let banned = quoted_list("deny = [", "crate = ");
    assert!(banned.contains("openssl-sys"), "{banned:?}");
    let lock = read("Cargo.lock");
    let names = lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let found: Vec<String> = names.filter(|name| banned.contains(*name)).map(str::to_owned).collect();
    none(&found, "deny.toml says why not");
}

#[test]
fn every_licence_is_one_that_we_accept() {
    let allowed = quoted_list("allow = [", "");
    assert!(allowed.contains("MIT"), "{allowed:?}");
    let refused: Vec<String> = packages()
        .into_iter()
        .filter(|(_, licence)| !is_allowed(licence, &allowed))
        .map(|(name, licence)| format!("{name}: {licence}"))
        .collect();
    none(&refused, "the licence is not in deny.toml");
}

/// Name and licence of every package that is compiled for this machine.
fn packages() -> Vec<(String, String)> {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let arguments = ["metadata", "--locked", "--format-version", "1", "--filter-platform", host];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let field = |package: &serde_json::Value, name: &str| package[name].as_str().unwrap_or("none given").to_owned();
    metadata["packages"].as_array().unwrap().iter().map(|p| (field(p, "name"), field(p, "license"))).collect()
}

/// Whether an SPDX expression without nested parentheses can be met by the allowed licences.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ");
    // "(A OR B) AND C" binds its parentheses first; without them AND binds first.
    if let Some((choice, rest)) = expression.strip_prefix('(').and_then(|rest| rest.split_once(") AND ")) {
        return is_allowed(choice, allowed) && is_allowed(rest, allowed);
    }
    let all = |part: &str| part.split(" AND ").all(|licence| allowed.contains(licence.trim_matches(['(', ')', ' '])));
    expression.split(" OR ").any(all)
}

#[test]
fn a_licence_expression_is_read_as_it_is_meant() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Unicode-3.0".to_owned()]);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-2.0-only", false),
        ("Apache-2.0 OR MIT", true),
        ("Apache-2.0/MIT", true),
        ("Apache-2.0 AND MIT", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0-only", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}

#[test]
fn the_samples_load_without_a_finding() {
    for path in files("sample-data", &["ron"]) {
        let opened = planning::file::read(&read(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(opened.warnings.is_empty(), "{path}: {:?}", opened.warnings);
        let findings = topology::check::check_fleet(&opened.plan.fleet, topology::chip::Catalog::embedded());
        assert!(findings.is_empty(), "{path}: {findings:?}");
    }
}

#[test]
fn every_asset_is_well_formed() {
    for path in files("assets", &["ron"]) {
        ron::from_str::<ron::Value>(&read(&path)).unwrap_or_else(|error| panic!("{path}:{error}"));
    }
    for path in files("assets", &["json"]) {
        serde_json::from_str::<serde_json::Value>(&read(&path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    for path in files("assets", &["ttf"]) {
        assert_eq!(fs::read(root().join(&path)).unwrap()[..4], [0, 1, 0, 0], "{path} is no TrueType font");
    }
}
/// Protects the papers: a command that they show exists and has the options that they show.
#[test]
fn the_papers_show_commands_that_exist() {
    use clap::CommandFactory as _;
    let known = app::cli::args::Arguments::command();
    for paper in ["README.md", "CONTRIBUTING.md"] {
        let text = read(paper);
        let calls = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("podium "))
            .chain(text.split('`').skip(1).step_by(2).filter_map(|code| code.strip_prefix("podium ")));
        for call in calls {
            let mut words = call.split('#').next().unwrap().split_whitespace();
            let first = words.next().unwrap();
            // A file opens the window.
            if first.contains('.') {
                continue;
            }
            let command = known.find_subcommand(first).unwrap_or_else(|| panic!("{paper}: podium {first}"));
            for flag in words.filter_map(|word| word.strip_prefix("--")) {
                let exists = command.get_arguments().chain(known.get_arguments()).any(|a| a.get_long() == Some(flag));
                assert!(exists, "{paper}: podium {first} --{flag}");
            }
        }
    }
}
