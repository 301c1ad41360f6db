//! Reads the notation of sharded products; every complaint has its place.

use super::notation::{Array, AxisName, BadProduct, Dim, Product};

type Parsed<T> = Result<T, BadProduct>;

/// Reads a product and checks that its dimensions fit together.
pub(super) fn product(text: &str) -> Parsed<Product> {
    let chars: Vec<char> = text.chars().take(Product::MAX_CHARS + 1).collect();
    let mut reader = Reader { chars, at: 0 };
    if reader.chars.len() > Product::MAX_CHARS {
        return Err(bad(format!("the text is longer than {} characters", Product::MAX_CHARS), Product::MAX_CHARS));
    }
    let left = reader.array()?;
    reader.sign(&["·", "⋅", ".", "*", "@", "×", "\\cdot", "\\times"], "a product sign such as \".\"")?;
    let right = reader.array()?;
    reader.sign(&["→", "->", "=>", "\\to", "\\rightarrow"], "an arrow \"->\" and the result")?;
    let result = reader.array()?;
    reader.blanks();
    if reader.at < reader.chars.len() {
        return Err(reader.bad("nothing more is expected"));
    }
    check(&left, &right, &result)?;
    Ok(Product { left: left.array, right: right.array, result: result.array })
}

fn bad(reason: impl Into<String>, at: usize) -> BadProduct {
    BadProduct { reason: reason.into(), position: at + 1 }
}

/// An array with the places of its parts.
struct Placed {
    array: Array,
    /// Where each dimension stands.
    dims: Vec<usize>,
    /// Where the marks of partial sums begin.
    marks: usize,
}

/// Each dimension is summed or kept, and partial sums are left only in the result.
fn check(left: &Placed, right: &Placed, result: &Placed) -> Parsed<()> {
    for operand in [left, right] {
        if !operand.array.unreduced.is_empty() {
            let reason = "an operand cannot be a partial sum: reduce it first, and mark only the result with {U_…}";
            return Err(bad(reason, operand.marks));
        }
    }
    for (operand, other) in [(left, right), (right, left)] {
        for (dim, at) in operand.array.dims.iter().zip(&operand.dims) {
            let kept = result.array.dim(&dim.name).is_some();
            match (other.array.dim(&dim.name).is_some(), kept) {
                (true, true) => {
                    let reason = format!(
                        "{} is in both operands and in the result: that is a batch of products, not one; leave it out \
                         and count one product of the batch",
                        dim.name
                    );
                    return Err(bad(reason, *at));
                }
                (false, false) => {
                    let reason = format!(
                        "{} is in one operand only and not in the result: write it in the other operand to sum over \
                         it, or in the result to keep it",
                        dim.name
                    );
                    return Err(bad(reason, *at));
                }
                _ => {}
            }
        }
    }
    if let Some((dim, at)) = result
        .array
        .dims
        .iter()
        .zip(&result.dims)
        .find(|(dim, _)| left.array.dim(&dim.name).is_none() && right.array.dim(&dim.name).is_none())
    {
        return Err(bad(format!("{} of the result is in no operand", dim.name), *at));
    }
    if !left.array.dims.iter().any(|dim| right.array.dim(&dim.name).is_some()) {
        return Err(bad("the operands share no dimension to sum over", right.dims.first().copied().unwrap_or(0)));
    }
    Ok(())
}

struct Reader {
    chars: Vec<char>,
    at: usize,
}

impl Reader {
    fn bad(&self, reason: impl Into<String>) -> BadProduct {
        bad(reason, self.at)
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Takes a character after blanks, if it is the next; a backslash before a brace is as good as none.
    fn takes(&mut self, wanted: char) -> bool {
        self.blanks();
        let escaped =
            self.peek() == Some('\\') && self.chars.get(self.at + 1) == Some(&wanted) && "{}".contains(wanted);
        if !escaped && self.peek() != Some(wanted) {
            return false;
        }
        self.at += if escaped { 2 } else { 1 };
        true
    }

    fn expect(&mut self, wanted: char, what: &str) -> Parsed<()> {
        if self.takes(wanted) { Ok(()) } else { Err(self.bad(format!("{what} is expected"))) }
    }

    /// Takes one of several signs.
    fn sign(&mut self, signs: &[&str], what: &str) -> Parsed<()> {
        self.blanks();
        let rest = &self.chars[self.at..];
        let found = signs.iter().find(|sign| {
            let word = sign.chars().count();
            // `\to` is no part of `\top`.
            let ends = !sign.starts_with('\\') || !rest.get(word).is_some_and(char::is_ascii_lowercase);
            rest.iter().take(word).copied().eq(sign.chars()) && ends
        });
        let Some(sign) = found else { return Err(self.bad(format!("{what} is expected"))) };
        self.at += sign.chars().count();
        Ok(())
    }

    /// Letters and digits, a letter first.
    fn name(&mut self, what: &str) -> Parsed<String> {
        self.blanks();
        if !self.peek().is_some_and(char::is_alphabetic) {
            return Err(self.bad(format!("{what} is expected, a letter first")));
        }
        let name: String = self.chars[self.at..].iter().take_while(|c| c.is_alphanumeric()).collect();
        self.at += name.chars().count();
        Ok(name)
    }

    fn array(&mut self) -> Parsed<Placed> {
        let name = self.name("the name of an array")?;
        self.expect('[', "\"[\" and the dimensions of the array")?;
        let (mut dims, mut places, mut seen) = (Vec::<Dim>::new(), Vec::new(), Vec::new());
        loop {
            self.blanks();
            let place = self.at;
            let dim = self.name("the name of a dimension")?;
            if dims.iter().any(|other| other.name == dim) {
                return Err(bad(format!("{dim} is written twice in {name}; a dimension is in an array once"), place));
            }
            if dims.len() == Product::MAX_DIMS {
                return Err(bad(format!("an array has at most {} dimensions", Product::MAX_DIMS), place));
            }
            let axes = if self.takes('_') { self.subscript(&name, &mut seen)? } else { Vec::new() };
            dims.push(Dim { name: dim, axes });
            places.push(place);
            if !self.takes(',') {
                break;
            }
        }
        self.expect(']', "\",\" or \"]\"")?;
        self.blanks();
        let marks = self.at;
        let unreduced = if self.takes('{') { self.marks(&name, &mut seen)? } else { Vec::new() };
        Ok(Placed { array: Array { name, dims, unreduced }, dims: places, marks })
    }

    /// `U_x}`, `U_{xy}}` or `U_x, U_y}`: the brace before is taken.
    fn marks(&mut self, array: &str, seen: &mut Vec<AxisName>) -> Parsed<Vec<AxisName>> {
        let mut axes = Vec::new();
        loop {
            self.blanks();
            if !self.takes('U') && !self.takes('u') {
                return Err(self.bad("a mark of partial sums such as U_x is expected"));
            }
            self.expect('_', "\"_\" and the axes of the partial sums")?;
            axes.extend(self.subscript(array, seen)?);
            if !self.takes(',') {
                break;
            }
        }
        self.expect('}', "\",\" or \"}\"")?;
        Ok(axes)
    }

    /// Axes behind a `_`, bare or in braces, none of which the array has named before.
    fn subscript(&mut self, array: &str, seen: &mut Vec<AxisName>) -> Parsed<Vec<AxisName>> {
        let braced = self.takes('{');
        let mut axes = Vec::new();
        loop {
            if braced {
                self.blanks();
            }
            let place = self.at;
            let Some(letter) = self.peek().filter(char::is_ascii_alphabetic) else {
                if axes.is_empty() || (self.peek().is_some_and(char::is_alphanumeric) && !braced) {
                    return Err(self.bad("an axis of the mesh is expected: a letter, perhaps with digits after it"));
                }
                break;
            };
            self.at += 1;
            let digits: String = self.chars[self.at..].iter().take_while(|c| c.is_ascii_digit()).collect();
            self.at += digits.len();
            let axis = AxisName(format!("{}{digits}", letter.to_ascii_lowercase()));
            if seen.contains(&axis) {
                let reason = format!("{array} is sharded twice over the axis {axis}; leave it at one dimension");
                return Err(bad(reason, place));
            }
            seen.push(axis.clone());
            axes.push(axis);
            if braced {
                self.takes(',');
            }
        }
        if braced {
            self.expect('}', "an axis or \"}\"")?;
        }
        Ok(axes)
    }
}
