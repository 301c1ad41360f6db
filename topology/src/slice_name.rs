//! How people and tools write a slice: `4x4x8`, `4x4x8_untwisted`, `v5p:4x4x8`, `tpuv5:4x4x8_twisted`.
//!
//! The suffixes are those of `gcloud … --topology` and of the runtime; the form with a colon is that of the runtime's
//! topology names (where `=` and `_` do as well) and of Pathways' instance types.

use std::fmt;
use std::str::FromStr;

use crate::shape::{BadShape, Shape};

/// A slice as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceName {
    /// The generation before the colon, as written; absent where there is no colon.
    pub generation: Option<String>,
    /// Sizes in chips.
    pub shape: Shape,
    /// What the suffix asks for; `None` without one, which leaves the twist to the rules.
    pub twist: Option<bool>,
}

/// What the suffix of a name asks for is not what is asked for beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name says {}, but {} is asked for as well", suffix(*.0), suffix(!*.0))]
pub struct TwistContradiction(
    /// What the suffix asks for.
    pub bool,
);

const fn suffix(twist: bool) -> &'static str {
    if twist { "twisted" } else { "untwisted" }
}

impl SliceName {
    /// The twist that is asked for in all, by the suffix or beside the name.
    ///
    /// # Errors
    /// If one asks for the opposite of the other.
    pub fn twist_with(&self, asked: Option<bool>) -> Result<Option<bool>, TwistContradiction> {
        match (self.twist, asked) {
            (Some(named), Some(asked)) if named != asked => Err(TwistContradiction(named)),
            (named, asked) => Ok(named.or(asked)),
        }
    }
}

impl fmt::Display for SliceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(generation) = &self.generation {
            write!(f, "{generation}:")?;
        }
        write!(f, "{}", self.shape)?;
        self.twist.map_or(Ok(()), |twist| write!(f, "_{}", suffix(twist)))
    }
}

/// A text without the suffix that says whether it is twisted, and what the suffix says.
fn split_suffix(text: &str) -> (&str, Option<bool>) {
    let known = text.rsplit_once('_').and_then(|(rest, suffix)| {
        let twist = match suffix.trim().to_ascii_lowercase().as_str() {
            "twisted" => true,
            "untwisted" => false,
            _ => return None,
        };
        Some((rest, Some(twist)))
    });
    known.unwrap_or((text, None))
}

/// The shape in the part of a text that starts after some characters.
fn sizes(text: &str, part: &str, before: usize) -> Result<Shape, BadShape> {
    part.parse().map_err(|bad: BadShape| BadShape {
        text: text.chars().take(40).collect(),
        position: before + bad.position,
        ..bad
    })
}

impl FromStr for SliceName {
    type Err = BadShape;

    fn from_str(text: &str) -> Result<Self, BadShape> {
        let bad = |reason, position| BadShape { text: text.chars().take(40).collect(), reason, position };
        let (rest, twist) = split_suffix(text);
        let Some(at) = rest.rfind([':', '=', '_']) else {
            return Ok(Self { generation: None, shape: sizes(text, rest, 0)?, twist });
        };
        let (name, sizes_text) = (rest[..at].trim(), &rest[at + 1..]);
        let before = rest[..=at].chars().count();
        if name.is_empty() {
            return Err(bad("a generation is missing", 1));
        }
        if rest[at..].starts_with('_') && !sizes_text.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
            return Err(bad("a suffix is neither _twisted nor _untwisted", before));
        }
        Ok(Self { generation: Some(name.to_owned()), shape: sizes(text, sizes_text, before)?, twist })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_spelling_is_read_and_written_again() {
        let cases = [
            ("4x4x8", None, None),
            ("4x4x8_twisted", None, Some(true)),
            ("4x4x8_untwisted", None, Some(false)),
            ("v5p:4x4x8", Some("v5p"), None),
            ("tpuv5:4x4x8_untwisted", Some("tpuv5"), Some(false)),
            ("v4=4x4x8", Some("v4"), None),
            ("v4_4x4x8_twisted", Some("v4"), Some(true)),
        ];
        for (text, generation, twist) in cases {
            let name: SliceName = text.parse().unwrap();
            assert_eq!((name.generation.as_deref(), name.twist), (generation, twist), "{text}");
            let written = text.replace('=', ":").replace("v4_", "v4:");
            assert_eq!((name.shape, name.to_string()), (Shape::solid(4, 4, 8), written));
        }
        assert_eq!(" TPU v5 lite : 4X4_TWISTED ".parse::<SliceName>().unwrap().to_string(), "TPU v5 lite:4x4_twisted");
    }

    #[test]
    fn a_bad_name_says_where_it_is_bad() {
        let cases = [
            ("", 1),
            ("v5p:", 5),
            (":4x4", 1),
            ("v5p:4x-4", 7),
            ("4x4x8_folded", 6),
            ("v4:4x4x8_", 9),
            ("v4:4x4x8x_twisted", 10),
            ("4x4_twisted_untwisted", 4),
            ("v4=2x2xq", 8),
        ];
        for (text, position) in cases {
            assert_eq!(text.parse::<SliceName>().unwrap_err().position, position, "{text}");
        }
    }

    #[test]
    fn a_suffix_and_a_wish_may_agree_but_not_contradict() {
        let name: SliceName = "4x4x8_twisted".parse().unwrap();
        assert_eq!((name.twist_with(None), name.twist_with(Some(true))), (Ok(Some(true)), Ok(Some(true))));
        let error = name.twist_with(Some(false)).unwrap_err();
        assert_eq!(error.to_string(), "the name says twisted, but untwisted is asked for as well");
        let plain: SliceName = "4x4x8".parse().unwrap();
        assert_eq!((plain.twist_with(None), plain.twist_with(Some(false))), (Ok(None), Ok(Some(false))));
    }
}
