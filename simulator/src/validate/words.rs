//! Numbers, sizes and names in the free text of a table.

use topology::chip::{Catalog, Generation};
use topology::shape::{Axis, Shape};

use super::table::Row;
use crate::dtype::Dtype;

/// Rates, sizes and times that can be meant; what is computed from them stays finite.
const REASONABLE: std::ops::Range<f64> = 1e-12..1e24;

/// What a row says, ready to be asked.
pub(super) struct Words<'a> {
    row: &'a Row,
    /// `key=value` of the workload, in their order.
    pairs: Vec<(&'a str, &'a str)>,
    lower: String,
}

/// An array that is written as bf16[8,128].
pub(super) struct Array {
    pub(super) dtype: Dtype,
    /// Sizes above 0; 32 bits each, so that products of a few stay finite.
    pub(super) sizes: Vec<u32>,
}

impl Array {
    pub(super) fn elements(&self) -> f64 {
        self.sizes.iter().map(|size| f64::from(*size)).product()
    }

    pub(super) fn bytes(&self) -> f64 {
        self.elements() * self.dtype.bytes()
    }
}

impl<'a> Words<'a> {
    pub(super) fn of(row: &'a Row) -> Self {
        let mut pairs = Vec::new();
        for token in tokens(&row.workload) {
            let parts: Vec<&str> = token.split('=').collect();
            // `M=N=K=128` gives all three the same; `a=1GB=(n-1)*b` gives a the first that is a number.
            let value = parts[1..].iter().copied().find(|part| number(part).is_some());
            let Some(value) = value.or(parts.get(1).copied()) else { continue };
            pairs.extend(parts.iter().take(parts.len() - 1).map(|key| (key.trim(), value.trim())));
        }
        Self { row, pairs, lower: format!("{} {} {}", row.workload, row.slice, row.quantity).to_lowercase() }
    }

    pub(super) fn row(&self) -> &Row {
        self.row
    }

    /// Whether workload, slice or quantity contain a word, whatever the case.
    pub(super) fn has(&self, word: &str) -> bool {
        self.lower.contains(word)
    }

    /// Text after `key=`.
    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.pairs.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }

    /// Number above 0 after the first of some keys that has one; products such as `3*1.8e11` are taken.
    pub(super) fn number(&self, keys: &[&str]) -> Option<f64> {
        keys.iter().find_map(|key| number(self.text(key)?)).filter(|n| REASONABLE.contains(n))
    }

    /// A whole number after the first of some keys that has one.
    pub(super) fn whole(&self, keys: &[&str]) -> Option<u64> {
        self.number(keys).filter(|n| *n >= 1.0 && *n <= 9e15 && n.fract() == 0.0).map(|n| n as u64)
    }

    /// Number format: of `dtype=`, or the first that is named in the workload.
    pub(super) fn dtype(&self) -> Option<Dtype> {
        let words = || self.row.workload.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let named = self.text("dtype").and_then(|text| text.split('x').next()?.parse().ok());
        named.or_else(|| words().find_map(|word| word.parse().ok()))
    }

    /// An array such as `bf16[8,128,8192]` after `key=`: its format and sizes; unknown letters are left out.
    pub(super) fn array(&self, key: &str) -> Option<Array> {
        let text = self.text(key)?;
        let (dtype, sizes) = text.split_once(']')?.0.split_once('[')?;
        let sizes = sizes.split(',').filter_map(|size| size.trim().parse().ok()).filter(|size| *size > 0).collect();
        Some(Array { dtype: dtype.parse().ok()?, sizes })
    }

    /// Sizes that are joined by x in the workload, such as 17408x17408 or 8192^3.
    pub(super) fn joined_sizes(&self) -> Option<Vec<u64>> {
        let size = |text: &str| text.parse::<u32>().ok().filter(|size| *size > 0).map(u64::from);
        tokens(&self.row.workload).find_map(|token| {
            if let Some((one, power)) = token.split_once('^') {
                return Some(vec![size(one)?; power.parse::<usize>().ok().filter(|p| (2..=3).contains(p))?]);
            }
            let sizes: Option<Vec<u64>> = token.split(['x', '×']).map(size).collect();
            sizes.filter(|sizes| (2..=3).contains(&sizes.len()))
        })
    }

    /// The number right before a word of the workload, such as 134 in "134 MB" or 256 in "256 chips".
    pub(super) fn before(&self, words: &[&str]) -> Option<f64> {
        let all: Vec<&str> = tokens(&self.row.workload).collect();
        all.windows(2)
            .find(|pair| words.iter().any(|word| pair[1].starts_with(word)))
            .and_then(|pair| number(pair[0]).filter(|n| REASONABLE.contains(n)))
    }

    /// The generation, if the catalogue has it; "v4p" is what the scaling book calls v4.
    pub(super) fn generation(&self) -> Option<&'static Generation> {
        let name = self.row.chip.split('(').next()?.trim();
        Catalog::embedded().find(if name == "v4p" { "v4" } else { name }).ok()
    }

    /// The slice: "4x4x8", "mesh X8 Y4" or the number of chips in "v6e-256".
    pub(super) fn shape(&self) -> Option<Shape> {
        let words: Vec<&str> = self.row.slice.split_whitespace().collect();
        if let Some(shape) = words.iter().find_map(|word| word.contains('x').then(|| word.parse().ok()).flatten()) {
            return Some(shape);
        }
        if words.first() == Some(&"mesh") {
            let sizes = words[1..].iter().filter_map(|word| word.get(1..)).collect::<Vec<_>>();
            return sizes.join("x").parse().ok();
        }
        let chips: usize = words.first()?.rsplit_once('-')?.1.parse().ok()?;
        let legal = topology::rules::legal_shapes(self.generation()?);
        legal.into_iter().find(|legal| legal.shape.n_chips() == chips).map(|legal| legal.shape)
    }

    /// Which axes wrap: as the text says, else as the rules of the generation have it.
    pub(super) fn wrap(&self, shape: Shape) -> [bool; 3] {
        if self.has("no wrap") || self.has("line") {
            return [false; 3];
        }
        if self.has("wrap") {
            return [true; 3];
        }
        let legal = self.generation().and_then(|generation| topology::rules::check_shape(generation, shape).ok());
        legal.map_or([false; 3], |legal| legal.wrap)
    }

    /// Axes after the underscore of a collective, as in `AllGather_XY`.
    pub(super) fn named_axes(&self) -> Option<Vec<Axis>> {
        let (_, rest) = self.row.workload.split_once('_')?;
        let named: Vec<Axis> = rest
            .chars()
            .map_while(|c| match c {
                'X' => Some(Axis::X),
                'Y' => Some(Axis::Y),
                'Z' => Some(Axis::Z),
                _ => None,
            })
            .collect();
        (!named.is_empty()).then_some(named)
    }
}

/// Words of a text, cut at semicolons, commas and blanks outside brackets.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let parts = text.split(move |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        depth <= 0 && (c == ';' || c == ',' || c.is_whitespace())
    });
    parts.filter(|part| !part.is_empty())
}

/// A number, perhaps with a unit of time or bytes, which is taken into account; factors joined by `*` are multiplied. `None`
/// for anything else.
pub(super) fn number(text: &str) -> Option<f64> {
    let mut product = 1.0;
    for factor in text.split('*') {
        let factor = factor.trim();
        let end = factor
            .char_indices()
            .find(|(i, c)| {
                let after_e = *i > 0 && factor.as_bytes()[i - 1].eq_ignore_ascii_case(&b'e');
                !(c.is_ascii_digit()
                    || *c == '.'
                    || (*c == 'e' && *i > 0)
                    || ((*c == '-' || *c == '+') && (*i == 0 || after_e)))
            })
            .map_or(factor.len(), |(i, _)| i);
        let value: f64 = factor[..end].parse().ok()?;
        let unit = factor[end..].trim();
        // "2BD" is no number.
        let scale = if unit.is_empty() || unit.starts_with(['/', '%']) { 1.0 } else { scale(unit)? };
        product *= value * scale;
    }
    product.is_finite().then_some(product)
}

/// Seconds, bytes, operations, or their rates, in a unit that is written with a prefix; `None` for other units.
pub(super) fn scale(unit: &str) -> Option<f64> {
    let unit = unit.split('/').next()?.trim();
    Some(match unit {
        "ns" => 1e-9,
        "us" | "µs" | "μs" => 1e-6,
        "ms" => 1e-3,
        "s" | "B" | "bytes" | "FLOP" | "byte" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        "KB" | "kB" => 1e3,
        "MB" | "MFLOP" => 1e6,
        "GB" | "GFLOP" => 1e9,
        "TB" | "TFLOP" => 1e12,
        "PFLOP" | "PB" => 1e15,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "GiB" => 1_073_741_824.0,
        _ => return None,
    })
}
