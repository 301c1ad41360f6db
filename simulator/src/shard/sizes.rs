//! Sizes of the dimensions of a product, as they are typed: `I=8192,J=4096,K=1024`.

use std::fmt;
use std::str::FromStr;

use crate::matmul::Matmul;

/// The size of each dimension, in the order in which they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(Vec<(String, u64)>);

/// Why a text does not give sizes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at character {position}; sizes are written such as I=8192,J=4096,K=1024")]
pub struct BadSizes {
    /// What is wrong and what would be right.
    pub reason: String,
    /// Where, counted in characters from 1.
    pub position: usize,
}

impl Sizes {
    /// Longest text that is read, in characters.
    pub const MAX_CHARS: usize = 1000;

    /// The size of a dimension.
    pub fn get(&self, dim: &str) -> Option<u64> {
        self.0.iter().find(|(name, _)| name == dim).map(|(_, size)| *size)
    }

    /// Names and sizes in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, size)| (name.as_str(), *size))
    }
}

impl FromStr for Sizes {
    type Err = BadSizes;

    fn from_str(text: &str) -> Result<Self, BadSizes> {
        let bad = |reason: String, at: usize| BadSizes { reason, position: at + 1 };
        if text.chars().count() > Self::MAX_CHARS {
            return Err(bad(format!("the text is longer than {} characters", Self::MAX_CHARS), Self::MAX_CHARS));
        }
        let mut sizes = Vec::<(String, u64)>::new();
        let mut at = 0;
        for part in text.split(',') {
            let start = at + part.chars().take_while(|c| c.is_whitespace()).count();
            at += part.chars().count() + 1;
            let Some((name, size)) = part.split_once('=') else {
                return Err(bad("a dimension, \"=\" and its size are expected".to_owned(), start));
            };
            let (name, value) = (name.trim(), size.trim());
            if name.is_empty() || !name.chars().all(char::is_alphanumeric) {
                return Err(bad("the name of a dimension is expected: letters and digits".to_owned(), start));
            }
            if sizes.iter().any(|(other, _)| other == name) {
                return Err(bad(format!("{name} is given twice"), start));
            }
            let size = value.parse::<u64>().ok().filter(|size| (1..=Matmul::MAX_SIZE).contains(size));
            let size = size.ok_or_else(|| {
                let equals = part.chars().take_while(|c| *c != '=').count() + 1;
                let reason = format!("the size of {name} has to be a whole number from 1 to {}", Matmul::MAX_SIZE);
                bad(reason, at - 1 - part.chars().count() + equals)
            })?;
            sizes.push((name.to_owned(), size));
        }
        Ok(Self(sizes))
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|(name, size)| format!("{name}={size}")).collect();
        f.write_str(&parts.join(","))
    }
}
