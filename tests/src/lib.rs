//! What several test programs share.

pub mod command_line;

/// A document that tells which it is and whether it is whole: many equal lines between a head and an end.
pub fn saved_text(turn: u64) -> String {
    let line = format!("turn {turn}\n");
    line.repeat(200 + (turn % 7) as usize * 300) + "end\n"
}

/// Whether a text is one of [`saved_text`], and of which turn.
pub fn saved_turn(text: &str) -> Option<u64> {
    let turn = text.lines().next()?.strip_prefix("turn ")?.parse().ok()?;
    (saved_text(turn) == text).then_some(turn)
}
