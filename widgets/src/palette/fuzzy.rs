//! Search by letters in their order: "evmx" finds "eval-mix".

/// An entry that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Index of the entry.
    pub index: usize,
    /// Positions (in characters) of the letters that were found in the label.
    pub letters: Vec<usize>,
    score: i32,
}

/// Entries whose label contains the letters of a query in order, best first within a group.
///
/// Takes group and label of each entry. Groups keep the order of their first entry. An empty query
/// finds everything in the given order. Costs O(letters of the query × letters of the label) an entry.
pub fn search<'a>(query: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Found> {
    let wanted: Vec<char> =
        query.chars().filter(|letter| !letter.is_whitespace()).flat_map(char::to_lowercase).collect();
    let mut groups: Vec<&str> = Vec::new();
    let mut found: Vec<(usize, Found)> = Vec::new();
    for (index, (group, label)) in entries.enumerate() {
        let rank = groups.iter().position(|&known| known == group).unwrap_or_else(|| {
            groups.push(group);
            groups.len() - 1
        });
        if let Some((letters, score)) = find(&wanted, label) {
            found.push((rank, Found { index, letters, score }));
        }
    }
    found.sort_by_key(|(rank, hit)| (*rank, -hit.score, hit.index));
    found.into_iter().map(|(_, hit)| hit).collect()
}

/// Points for a letter at the start of a word.
const START: i32 = 8;
/// Points for a label that was typed in full.
const WHOLE: i32 = 1;
/// Points for a letter right behind the letter found before it.
const RUN: i32 = 10;

/// The best places for the wanted letters, and how good they are.
fn find(wanted: &[char], label: &str) -> Option<(Vec<usize>, i32)> {
    let letters: Vec<char> = label.chars().collect();
    let small = |n: usize| letters[n].to_lowercase().next().unwrap_or(letters[n]);
    let starts = |n: usize| n == 0 || (letters[n].is_alphanumeric() && !letters[n - 1].is_alphanumeric());
    // best[k][n]: the best score with the first k+1 letters placed, the last of them at n, and where the one before is.
    let mut best: Vec<Vec<Option<(i32, usize)>>> = Vec::with_capacity(wanted.len());
    for (k, &letter) in wanted.iter().enumerate() {
        let mut row = vec![None; letters.len()];
        let mut before: Option<(i32, usize)> = (k == 0).then_some((0, 0));
        for (n, cell) in row.iter_mut().enumerate() {
            if k > 0
                && n > 0
                && let Some((score, _)) = best[k - 1][n - 1]
                && before.is_none_or(|(known, _)| score >= known)
            {
                before = Some((score, n - 1));
            }
            if small(n) != letter {
                continue;
            }
            let own = if starts(n) { START } else { 0 };
            let jump = before.map(|(score, from)| (score + own, from));
            let run =
                (k > 0 && n > 0).then(|| best[k - 1][n - 1].map(|(score, _)| (score + own + RUN, n - 1))).flatten();
            *cell = jump.max(run);
        }
        best.push(row);
    }
    let Some(last) = best.last() else { return Some((Vec::new(), 0)) };
    let (end, (score, _)) = last
        .iter()
        .enumerate()
        .filter_map(|(n, cell)| cell.map(|cell| (n, cell)))
        .max_by_key(|(n, (score, _))| (*score, std::cmp::Reverse(*n)))?;
    let mut places = vec![end];
    for row in best[1..].iter().rev() {
        let from = row[places[places.len() - 1]].map(|(_, from)| from)?;
        places.push(from);
    }
    places.reverse();
    // Nothing is closer than the whole label; other equal matches keep the order of the caller.
    let whole = if places.len() == letters.len() { WHOLE } else { 0 };
    Some((places, score + whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: [(&str, &str); 7] = [
        ("Go to", "eval-mix"),
        ("Go to", "pretrain-main"),
        ("Go to", "eval-nightly"),
        ("Do", "Twist eval-mix"),
        ("Do", "Save"),
        ("Read", "How all-to-all is evaluated"),
        ("Go to", "Überlauf"),
    ];

    fn labels(query: &str) -> Vec<&'static str> {
        search(query, ENTRIES.into_iter()).into_iter().map(|hit| ENTRIES[hit.index].1).collect()
    }

    /// Protects: groups stay together and in order; within a group the closest label comes first.
    #[test]
    fn finds_in_groups_and_by_closeness() {
        let expected = ["eval-mix", "eval-nightly", "Twist eval-mix", "How all-to-all is evaluated"];
        assert_eq!(labels("eval"), expected);
        assert_eq!(labels("EV MX"), ["eval-mix", "Twist eval-mix"]);
        assert_eq!(labels("pm"), ["pretrain-main"]);
        assert_eq!(labels("überl"), ["Überlauf"]);
        assert!(labels("zzz").is_empty());
        assert_eq!(labels("").len(), ENTRIES.len());
    }

    /// Protects: the letters shown in bold are a run when there is one, not the first that fit.
    #[test]
    fn letters_are_those_of_the_best_match() {
        let hit = &search("eval", [("Read", "How all-to-all is evaluated")].into_iter())[0];
        assert_eq!(hit.letters, [18, 19, 20, 21]);
        let hit = &search("wm", [("Do", "what-if from eval-mix")].into_iter())[0];
        assert_eq!(hit.letters, [0, 18]);
    }
}
