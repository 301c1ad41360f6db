//! Tables as text: any of four separators, quoted line breaks, repeated headings, rows of uneven length, odd encodings.

use csv::{ReaderBuilder, StringRecord};
use topology::finding::Severity;

use super::Findings;

/// Most rows that are read of one table.
pub const MAX_ROWS: usize = 1_000_000;
/// Most columns of a table.
pub const MAX_COLUMNS: usize = 2_000;
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Bytes as text: UTF-8, UTF-16 with a byte order mark, and Windows-1252 where neither fits, which is told.
pub fn decode(bytes: &[u8]) -> (String, Option<&'static str>) {
    let utf_16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        (String::from_utf16_lossy(&units), Some("the text is UTF-16"))
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf_16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf_16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => decode(rest),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => (text.to_owned(), None),
            Err(_not_utf_8) => {
                let text = bytes.iter().map(|byte| windows_1252(*byte)).collect();
                (text, Some("the text is not UTF-8 and was read as Windows-1252; look at its special characters"))
            }
        },
    }
}

/// The upper half of Windows-1252 that differs from Latin-1, from 0x80.
const CP_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

fn windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9f => CP_1252[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

/// A row of a table: its number in the file, the heading being row 1, and its cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Number of the row, counted as a spreadsheet does: a quoted line break does not begin a row.
    pub number: usize,
    cells: StringRecord,
}

/// Rows under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns, left to right; a name may come again.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// Reads a table, and finds out by its heading what separates the cells.
    pub fn read(text: &str, findings: &mut Findings) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        // Excel writes such a line for itself.
        let text = text.strip_prefix("sep=").and_then(|rest| rest.split_once('\n')).map_or(text, |(_, rest)| rest);
        let mut reader = ReaderBuilder::new()
            .delimiter(separator(text))
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let mut records = reader.records();
        let heading = records.next().and_then(Result::ok).unwrap_or_default();
        let columns: Vec<String> = heading.iter().take(MAX_COLUMNS).map(|name| name.trim().to_owned()).collect();
        if heading.len() > MAX_COLUMNS {
            let message = format!("the table has {} columns; those after {MAX_COLUMNS} are not read", heading.len());
            findings.add(Severity::Warning, "too-many-columns", "row 1", message);
        }
        let mut rows = Vec::new();
        for (i, record) in records.enumerate() {
            let number = i + 2;
            if rows.len() == MAX_ROWS {
                let message = format!("only the first {MAX_ROWS} rows are read; split the table");
                findings.add(Severity::Error, "too-many-rows", format!("row {number}"), message);
                break;
            }
            match record {
                Ok(cells) if cells.iter().all(|cell| cell.trim().is_empty()) => {}
                Ok(cells) => {
                    if cells.len() != columns.len() {
                        let message = format!("the row has {} cells, the heading {}", cells.len(), columns.len());
                        findings.add(Severity::Warning, "uneven-row", format!("row {number}"), message);
                    }
                    rows.push(Row { number, cells });
                }
                Err(error) => findings.add(Severity::Error, "bad-row", format!("row {number}"), error.to_string()),
            }
        }
        Self { columns, rows }
    }

    /// The first column of one of these names, upper and lower case being the same.
    pub fn column(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.columns.iter().position(|column| column.eq_ignore_ascii_case(name)))
    }

    /// All columns of that name.
    pub fn all(&self, name: &str) -> Vec<usize> {
        let same = |column: &String| column.eq_ignore_ascii_case(name);
        self.columns.iter().enumerate().filter(|(_, column)| same(column)).map(|(i, _)| i).collect()
    }

    /// Names that head more than one column, sorted.
    pub fn repeated(&self) -> Vec<String> {
        let mut names: Vec<String> = self.columns.iter().filter(|name| self.all(name).len() > 1).cloned().collect();
        names.sort();
        names.dedup();
        names
    }

    /// The column of one of these names, or a finding that it is missing.
    pub fn required(&self, names: &[&str], findings: &mut Findings) -> Option<usize> {
        let found = self.column(names);
        if found.is_none() {
            let message = format!("there is no column {}; is this the right file?", names.join(" or "));
            findings.add(Severity::Error, "missing-column", "row 1", message);
        }
        found
    }
}

impl Row {
    /// The trimmed text of a cell; `None` if it is empty or there is none.
    pub fn cell(&self, column: Option<usize>) -> Option<&str> {
        self.cells.get(column?).map(str::trim).filter(|text| !text.is_empty())
    }

    /// The cells of several columns that hold something.
    pub fn cells<'a>(&'a self, columns: &'a [usize]) -> impl Iterator<Item = &'a str> + 'a {
        columns.iter().filter_map(|column| self.cell(Some(*column)))
    }

    /// A number; a finding if the cell holds something else. Digits may be grouped in no way.
    pub fn number(&self, (table, column): (&Table, Option<usize>), findings: &mut Findings) -> Option<f64> {
        let text = self.cell(column)?;
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        if number.is_none() {
            let name = column.map_or("", |column| table.columns[column].as_str());
            let message = format!("\"{}\" is not a number", short(text));
            findings.add(Severity::Error, "not-a-number", super::cell(self.number, name), message);
        }
        number
    }
}

/// The beginning of a text that may be long.
pub fn short(text: &str) -> String {
    const MAX: usize = 60;
    let cut: String = text.chars().take(MAX).collect();
    if text.chars().nth(MAX).is_some() { cut + "…" } else { cut }
}

/// What separates the cells of a heading: the separator that stands in its first row most often, outside of quotes.
fn separator(text: &str) -> u8 {
    let mut counts = [0_usize; 4];
    let mut quoted = false;
    for byte in text.bytes() {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            byte if !quoted => {
                for (count, separator) in counts.iter_mut().zip(SEPARATORS) {
                    *count += usize::from(byte == separator);
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    SEPARATORS[counts.iter().position(|count| *count == most).unwrap_or(0)]
}
