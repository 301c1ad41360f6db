//! Reading the catalogue of generations and finding one by any of its usual spellings.

use std::sync::OnceLock;

use ron::extensions::Extensions;

use crate::chip::{Catalog, Generation, GenerationId};

const EMBEDDED: &str = include_str!("../../assets/catalog/generations.ron");

/// Why a text is not a catalogue, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct CatalogError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// No generation has such a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no chip generation \"{name}\"; did you mean {}?", near.join(" or "))]
pub struct UnknownGeneration {
    /// The name that was looked for, shortened where it is long.
    pub name: String,
    /// Ids of the generations with the most similar names, best first; never empty in a catalogue that holds any.
    pub near: Vec<String>,
}

impl Catalog {
    /// Reads a catalogue from RON; its keys are the fields of [`Catalog`], and an absent key is an unknown figure.
    ///
    /// # Errors
    /// The first place that is not right, also where two generations share an id.
    pub fn parse(text: &str) -> Result<Self, CatalogError> {
        let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
        let catalog = options.from_str::<Self>(text).map_err(|error| CatalogError {
            line: error.span.start.line,
            column: error.span.start.col,
            message: error.code.to_string(),
        })?;
        for (i, generation) in catalog.generations.iter().enumerate() {
            if catalog.generations[..i].iter().any(|earlier| earlier.id == generation.id) {
                let (line, column) = place_of_second(text, &format!("id: \"{}\"", generation.id));
                let message = format!("the generation \"{}\" is there twice", generation.id);
                return Err(CatalogError { line, column, message });
            }
        }
        Ok(catalog)
    }

    /// The catalogue that is built in, `assets/catalog/generations.ron`; read once.
    ///
    /// # Panics
    /// If the embedded file is broken, which a test excludes.
    pub fn embedded() -> &'static Self {
        static CATALOG: OnceLock<Catalog> = OnceLock::new();
        #[expect(clippy::expect_used, reason = "the file is part of the program and a test reads it")]
        CATALOG.get_or_init(|| Self::parse(EMBEDDED).expect("the embedded catalogue is well-formed"))
    }

    /// The generation of that name, by id, alias or name for people; case, blanks, hyphens, a leading "TPU" and a
    /// trailing "slice" or chip count do not matter: "v5p", "TPU v5p", "tpu-v5p-slice", "v5litepod-16", "Ironwood".
    ///
    /// # Errors
    /// With the nearest ids if there is none.
    pub fn find(&self, name: &str) -> Result<&Generation, UnknownGeneration> {
        let wanted = plain(name);
        let without_count =
            name.rsplit_once('-').filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit())).map(|(n, _)| plain(n));
        let known = |generation: &&Generation| {
            let spellings = spellings(generation);
            spellings.contains(&wanted) || without_count.as_ref().is_some_and(|name| spellings.contains(name))
        };
        self.generations.iter().find(known).ok_or_else(|| self.unknown(name, &wanted))
    }

    fn unknown(&self, name: &str, wanted: &str) -> UnknownGeneration {
        let distance = |generation: &Generation| spellings(generation).iter().map(|s| edits(s, wanted)).min();
        let mut near: Vec<_> =
            self.generations.iter().map(|g| (distance(g).unwrap_or(usize::MAX), g.id.0.clone())).collect();
        near.sort_by_key(|(distance, _)| *distance);
        let best = near.first().map_or(0, |(distance, _)| *distance);
        let near = near.into_iter().take_while(|(distance, _)| *distance == best).take(4).map(|(_, id)| id).collect();
        UnknownGeneration { name: name.chars().take(40).collect(), near }
    }

    /// Full reference of a source key.
    pub fn source(&self, key: &str) -> Option<&str> {
        self.sources.iter().find(|(known, _)| known == key).map(|(_, reference)| reference.as_str())
    }

    /// The generation of that id, as an error with near names where there is none.
    ///
    /// # Errors
    /// If there is none.
    pub fn require(&self, id: &GenerationId) -> Result<&Generation, UnknownGeneration> {
        self.get(id).ok_or_else(|| self.unknown(&id.0, &plain(&id.0)))
    }
}

/// Small letters and digits of a name without its leading "tpu" and trailing "slice".
fn plain(name: &str) -> String {
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let name = name.strip_prefix("google").unwrap_or(&name);
    let name = name.strip_prefix("cloud").unwrap_or(name);
    let name = name.strip_prefix("tpu").filter(|rest| !rest.is_empty()).unwrap_or(name);
    name.strip_suffix("slice").filter(|rest| !rest.is_empty()).unwrap_or(name).to_owned()
}

fn spellings(generation: &Generation) -> Vec<String> {
    [&generation.id.0, &generation.name].into_iter().chain(&generation.aliases).map(|name| plain(name)).collect()
}

/// Levenshtein distance in bytes; the names are short.
fn edits(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let kept = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = kept.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Line and column of the second occurrence of a text, or of the beginning.
fn place_of_second(text: &str, part: &str) -> (usize, usize) {
    let at = text.match_indices(part).nth(1).map_or(0, |(at, _)| at);
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_catalogue_is_read_and_names_only_sources_it_lists() {
        let catalog = Catalog::embedded();
        let ids: Vec<&str> = catalog.generations.iter().map(|generation| generation.id.0.as_str()).collect();
        assert_eq!(ids, ["v2", "v3", "v4", "v5e", "v5p", "v6e", "tpu7x", "tpu8t", "tpu8i"]);
        for part in EMBEDDED.split("source: \"").skip(1) {
            let key = part.split('"').next().unwrap();
            assert!(catalog.source(key).is_some(), "{key}");
        }
    }

    #[test]
    fn a_generation_is_found_by_every_usual_spelling() {
        let spellings = [
            ("v5p", "v5p TPU-v5p tpu-v5p-slice v5p-128 tpuv5p"),
            ("v5e", "v5e v5litepod v5litepod-16 v5e-16 tpu-v5-lite-podslice tpu_v5_lite"),
            ("v6e", "v6e Trillium tpu-v6e-slice v6e-256 TPU_V6_LITEPOD"),
            ("tpu7x", "tpu7x 7x Ironwood TPU_7X tpu7x-128 v7x TPU7x"),
            ("v4", "v4 tpu-v4-podslice v4-8"),
            ("v3", "v3-8 tpu-v3-slice tpu-v3-device"),
            ("tpu8i", "8i TPU8i"),
        ];
        for (id, names) in spellings {
            for name in names.split(' ') {
                assert_eq!(Catalog::embedded().find(name).map(|found| found.id.0.as_str()), Ok(id), "{name}");
            }
        }
        assert_eq!(Catalog::embedded().find("TPU v5 lite").unwrap().id.0, "v5e");
    }

    #[test]
    fn no_spelling_means_two_generations() {
        let all = Catalog::embedded().generations.iter().flat_map(|generation| {
            let own: std::collections::BTreeSet<String> = spellings(generation).into_iter().collect();
            own.into_iter().map(|name| (name, &generation.id))
        });
        let mut seen = std::collections::BTreeMap::new();
        for (name, id) in all {
            assert_eq!(seen.insert(name.clone(), id), None, "{name}");
        }
    }

    #[test]
    fn an_unknown_generation_comes_with_near_names() {
        let error = Catalog::embedded().find("v5q").unwrap_err();
        assert_eq!(error.to_string(), "there is no chip generation \"v5q\"; did you mean v5e or v5p?");
        assert!(!Catalog::embedded().find("").unwrap_err().near.is_empty());
    }

    #[test]
    fn a_broken_catalogue_is_refused_with_the_place() {
        let text = "(\n as_of: \"2026\",\n sources: [],\n generations: [(id: \"a\", name: 3, wiring: Flat)])";
        let error = Catalog::parse(text).unwrap_err();
        assert_eq!((error.line, error.column), (4, 31), "{error}");
        let twice = "(as_of: \"\", sources: [], generations: [\n(id: \"a\", name: \"A\", wiring: Flat),\n(id: \"a\", name: \"A\", wiring: Flat)])";
        assert_eq!(
            Catalog::parse(twice).unwrap_err().to_string(),
            "line 3, column 2: the generation \"a\" is there twice"
        );
    }
}
