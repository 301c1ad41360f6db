//! Reading tables of published or measured figures: comma-separated text under a header, in the columns of
//! docs/formats.md.

use crate::dtype::{BadDtype, Dtype};
use crate::matmul::Matmul;

/// Most rows of a table.
pub const MAX_ROWS: usize = 100_000;
/// Longest cell, in bytes.
const MAX_CELL: usize = 10_000;

/// One figure that somebody published or measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Line of the table, counted from 1.
    pub line: usize,
    /// Name of the row; "line N" if the table gives none.
    pub id: String,
    /// "worked" for an example that was computed by hand, else "measured".
    pub is_worked: bool,
    /// Chip generation, perhaps with a remark in brackets.
    pub chip: String,
    /// Slice, mesh or array.
    pub slice: String,
    /// What was done, as `key=value;…` with words between.
    pub workload: String,
    /// What was measured; parts are joined by " | ".
    pub quantity: String,
    /// The figure as it stands there; parts are joined by " | ".
    pub value: String,
    /// Its unit; parts are joined by " | ".
    pub unit: String,
    /// Who published it.
    pub source: String,
    /// How far the row may be off, as a share; `None` if the table does not say.
    pub tolerance_fraction: Option<f64>,
    /// Remark.
    pub note: String,
}

/// Why a table cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// Nothing there.
    #[error(
        "the table is empty; it begins with a header such as chip,workload_parameters,measured_quantity,value,unit"
    )]
    Empty,
    /// A column that is needed is not there.
    #[error("the header has no column \"{column}\"")]
    NoColumn {
        /// Which one.
        column: &'static str,
    },
    /// A row has another number of cells than the header.
    #[error("row {line} has {found} cells, the header {expected}; put cells with commas in double quotes")]
    Cells {
        /// Line, counted from 1.
        line: usize,
        /// Cells in it.
        found: usize,
        /// Cells in the header.
        expected: usize,
    },
    /// A quoted cell has no end.
    #[error("row {line}: a double quote is never closed")]
    Quote {
        /// Line on which it opens.
        line: usize,
    },
    /// A cell cannot be understood.
    #[error("row {line}, column {column}: {problem}")]
    Cell {
        /// Line, counted from 1.
        line: usize,
        /// Name of the column.
        column: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// More rows than anyone measures.
    #[error("the table has more than {MAX_ROWS} rows")]
    TooManyRows,
}

/// Reads a table. Two forms are understood: published figures, with the columns below, and measured products, with the
/// columns `chip`, `m`, `k`, `n` and `seconds`, and `dtype` (else bf16), `part` (else the chip) and `id` if there.
///
/// Of published figures `chip`, `workload_parameters`, `measured_quantity`, `value` and `unit` must be there; `id`, `kind`,
/// `slice`, `source`, `suggested_tolerance_pct` and `note` may be; other columns are not looked at. Lines that begin with
/// `#` are remarks.
///
/// # Errors
/// The first row and column that is not right.
pub fn read(text: &str) -> Result<Vec<Row>, TableError> {
    let mut records = records(text.trim_start_matches('\u{feff}'))?.into_iter();
    let (_, header) = records.next().ok_or(TableError::Empty)?;
    if let Some(products) = Products::of(&header)? {
        return records.map(|(line, cells)| products.row(line, &cells, header.len())).collect();
    }
    let columns = Columns::of(&header)?;
    records.map(|(line, cells)| columns.row(line, &cells, header.len())).collect()
}

/// Places of the columns in a header.
struct Columns {
    id: Option<usize>,
    kind: Option<usize>,
    chip: usize,
    slice: Option<usize>,
    workload: usize,
    quantity: usize,
    value: usize,
    unit: usize,
    source: Option<usize>,
    tolerance: Option<usize>,
    note: Option<usize>,
}

impl Columns {
    fn of(header: &[String]) -> Result<Self, TableError> {
        let may = |name: &str| header.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
        let must = |column: &'static str| may(column).ok_or(TableError::NoColumn { column });
        Ok(Self {
            id: may("id"),
            kind: may("kind"),
            chip: must("chip")?,
            slice: may("slice"),
            workload: must("workload_parameters")?,
            quantity: must("measured_quantity")?,
            value: must("value")?,
            unit: must("unit")?,
            source: may("source"),
            tolerance: may("suggested_tolerance_pct"),
            note: may("note"),
        })
    }

    fn row(&self, line: usize, cells: &[String], expected: usize) -> Result<Row, TableError> {
        if cells.len() != expected {
            return Err(TableError::Cells { line, found: cells.len(), expected });
        }
        let cell = |place: Option<usize>| place.map_or_else(String::new, |place| cells[place].trim().to_owned());
        let must = |place: usize, column: &'static str| match cells[place].trim() {
            "" => Err(TableError::Cell { line, column, problem: "is empty".to_owned() }),
            text => Ok(text.to_owned()),
        };
        let id = Some(cell(self.id)).filter(|id| !id.is_empty()).unwrap_or_else(|| format!("line {line}"));
        Ok(Row {
            line,
            id,
            is_worked: cell(self.kind).eq_ignore_ascii_case("worked"),
            chip: must(self.chip, "chip")?,
            slice: cell(self.slice),
            workload: must(self.workload, "workload_parameters")?,
            quantity: must(self.quantity, "measured_quantity")?,
            value: must(self.value, "value")?,
            unit: cell(Some(self.unit)),
            source: cell(self.source),
            tolerance_fraction: tolerance(line, &cell(self.tolerance))?,
            note: cell(self.note),
        })
    }
}

/// Places of the columns in a header of measured products.
struct Products {
    id: Option<usize>,
    chip: usize,
    sizes: [usize; 3],
    dtype: Option<usize>,
    part: Option<usize>,
    seconds: usize,
}

impl Products {
    /// `None` for a table of the other form.
    fn of(header: &[String]) -> Result<Option<Self>, TableError> {
        let may = |name: &str| header.iter().position(|cell| cell.trim().eq_ignore_ascii_case(name));
        let Some(seconds) = may("seconds") else { return Ok(None) };
        let must = |column: &'static str| may(column).ok_or(TableError::NoColumn { column });
        Ok(Some(Self {
            id: may("id"),
            chip: must("chip")?,
            sizes: [must("m")?, must("k")?, must("n")?],
            dtype: may("dtype"),
            part: may("part"),
            seconds,
        }))
    }

    fn row(&self, line: usize, cells: &[String], expected: usize) -> Result<Row, TableError> {
        if cells.len() != expected {
            return Err(TableError::Cells { line, found: cells.len(), expected });
        }
        let cell = |place: Option<usize>| place.map_or("", |place| cells[place].trim());
        let bad = |column: &'static str, wanted: &str, text: &str| {
            let problem = format!("\"{}\" is not {wanted}", shortened(text));
            TableError::Cell { line, column, problem }
        };
        let mut workload = "GEMM".to_owned();
        for (column, place) in ["m", "k", "n"].into_iter().zip(self.sizes) {
            let size = cells[place].trim();
            let is_size = size.parse::<u64>().is_ok_and(|size| (1..=Matmul::MAX_SIZE).contains(&size));
            if !is_size {
                return Err(bad(column, &format!("a size from 1 to {}", Matmul::MAX_SIZE), size));
            }
            workload.extend([";", &column.to_uppercase(), "=", size]);
        }
        let dtype = Some(cell(self.dtype)).filter(|text| !text.is_empty()).unwrap_or("bf16");
        let dtype: Dtype = dtype.parse().map_err(|error: BadDtype| TableError::Cell {
            line,
            column: "dtype",
            problem: error.to_string(),
        })?;
        let seconds = cells[self.seconds].trim();
        if !seconds.parse::<f64>().is_ok_and(|seconds| seconds > 0.0 && seconds.is_finite()) {
            return Err(bad("seconds", "a time above 0", seconds));
        }
        let slice = match cell(self.part).to_lowercase().as_str() {
            "" | "chip" => "1 chip",
            "device" => "1 device",
            "core" | "tensorcore" => "1 core",
            other => return Err(bad("part", "chip, device or core", other)),
        };
        let id = Some(cell(self.id)).filter(|id| !id.is_empty()).map_or_else(|| format!("line {line}"), str::to_owned);
        Ok(Row {
            line,
            id,
            is_worked: false,
            chip: cells[self.chip].trim().to_owned(),
            slice: slice.to_owned(),
            workload: format!("{workload};dtype={dtype}"),
            quantity: "time".to_owned(),
            value: seconds.to_owned(),
            unit: "s".to_owned(),
            source: String::new(),
            tolerance_fraction: None,
            note: String::new(),
        })
    }
}

fn tolerance(line: usize, text: &str) -> Result<Option<f64>, TableError> {
    if text.is_empty() {
        return Ok(None);
    }
    match text.parse::<f64>() {
        Ok(percent) if (0.0..=1000.0).contains(&percent) => Ok(Some(percent / 100.0)),
        _ => {
            let problem = format!("\"{}\" is not a percentage from 0 to 1000", shortened(text));
            Err(TableError::Cell { line, column: "suggested_tolerance_pct", problem })
        }
    }
}

/// At most forty characters of a text, for a message.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Cells of each line that is no remark, with the number of the line; cells may be quoted and hold line breaks.
fn records(text: &str) -> Result<Vec<(usize, Vec<String>)>, TableError> {
    let mut found: Vec<(usize, Vec<String>)> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((i, first)) = lines.next() {
        if first.trim().is_empty() || first.starts_with('#') {
            continue;
        }
        let mut cells = Cells::default();
        cells.take(first);
        while cells.quoted {
            let (_, more) = lines.next().ok_or(TableError::Quote { line: i + 1 })?;
            cells.push('\n');
            cells.take(more);
        }
        if found.len() > MAX_ROWS {
            return Err(TableError::TooManyRows);
        }
        found.push((i + 1, cells.finish()));
    }
    Ok(found)
}

/// Cells of a record as its characters come.
#[derive(Default)]
struct Cells {
    done: Vec<String>,
    open: String,
    quoted: bool,
    /// A quote was just closed; a second one means a quote inside the cell.
    closed: bool,
}

impl Cells {
    fn take(&mut self, line: &str) {
        for c in line.chars() {
            let closed = std::mem::take(&mut self.closed);
            match c {
                '"' if self.quoted => {
                    self.quoted = false;
                    self.closed = true;
                }
                '"' if closed => {
                    self.push('"');
                    self.quoted = true;
                }
                '"' => self.quoted = true,
                ',' if !self.quoted => self.done.push(std::mem::take(&mut self.open)),
                c => self.push(c),
            }
        }
    }

    fn push(&mut self, c: char) {
        if self.open.len() < MAX_CELL {
            self.open.push(c);
        }
    }

    fn finish(mut self) -> Vec<String> {
        self.done.push(self.open);
        self.done
    }
}
