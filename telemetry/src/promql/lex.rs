//! Words of a query with their places.

use crate::promql::ParseError;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// Name, keyword or function.
    Word(String),
    Number(f64),
    /// Milliseconds.
    Duration(i64),
    Text(String),
    /// Operators and brackets.
    Sign(&'static str),
}

/// Signs, longer ones first.
const SIGNS: [&str; 25] = [
    "=~", "!~", "==", "!=", ">=", "<=", "(", ")", "{", "}", "[", "]", ",", "=", ">", "<", "+", "-", "*", "/", "%", "^",
    "@", ":", ";",
];

/// The error at a byte of a text.
pub(super) fn error_at(text: &str, at: usize, what: impl Into<String>) -> ParseError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    ParseError { line, column, what: what.into() }
}

/// Tokens with the byte at which they begin.
pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ParseError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if c == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if matches!(c, '"' | '\'' | '`') {
            let (text, length) = quoted(rest, c).ok_or_else(|| error_at(text, at, "the closing quote is missing"))?;
            found.push((at, Token::Text(text)));
            at += length;
        } else if c.is_ascii_digit() || (c == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            let (token, length) =
                number(rest).ok_or_else(|| error_at(text, at, "a number or a duration such as 5m is expected"))?;
            found.push((at, token));
            at += length;
        } else if c.is_ascii_alphabetic()
            || c == '_'
            || (c == ':' && !found.iter().any(|(_, t)| *t == Token::Sign("[")))
        {
            let word = word(rest);
            found.push((at, Token::Word(word.to_owned())));
            at += word.len();
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push((at, Token::Sign(sign)));
            at += sign.len();
        } else {
            return Err(error_at(text, at, format!("{c:?} is not expected here")));
        }
    }
    Ok(found)
}

fn word(rest: &str) -> &str {
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
    &rest[..end]
}

/// A text in quotes and its length with them; in back quotes nothing is escaped.
fn quoted(rest: &str, quote: char) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        match c {
            c if c == quote => return Some((text, i + 1)),
            '\\' if quote != '`' => match chars.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                c @ ('\\' | '"' | '\'') => text.push(c),
                c => text.extend(['\\', c]),
            },
            c => text.push(c),
        }
    }
    None
}

/// A number or a duration, and its length.
fn number(rest: &str) -> Option<(Token, usize)> {
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let word = &rest[..end];
    if let Some(ms) = duration_ms(word) {
        return Some((Token::Duration(ms), word.len()));
    }
    let is_part = |(i, c): &(usize, char)| {
        let after_exponent = *i > 0 && rest[..*i].ends_with(['e', 'E']) && !rest.starts_with("0x");
        c.is_ascii_alphanumeric() || *c == '.' || (matches!(c, '+' | '-') && after_exponent)
    };
    let length: usize = rest.char_indices().take_while(is_part).map(|(_, c)| c.len_utf8()).sum();
    let number = rest[..length].parse().ok()?;
    Some((Token::Number(number), length))
}

/// Milliseconds of a duration such as "1h30m" or "90s"; units fall and come once.
pub(crate) fn duration_ms(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 7] = [
        ("y", 31_536_000_000),
        ("w", 604_800_000),
        ("d", 86_400_000),
        ("h", 3_600_000),
        ("m", 60_000),
        ("s", 1_000),
        ("ms", 1),
    ];
    let (mut rest, mut sum, mut smallest) = (text, 0_i64, i64::MAX);
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let n: i64 = rest[..digits].parse().ok()?;
        let letters = rest[digits..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let unit = UNITS.iter().find(|(name, _)| *name == &rest[digits..digits + letters])?.1;
        if unit >= smallest {
            return None;
        }
        smallest = unit;
        sum = sum.checked_add(n.checked_mul(unit)?)?;
        rest = &rest[digits + letters..];
    }
    (smallest < i64::MAX).then_some(sum)
}
