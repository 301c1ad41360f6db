//! From words to a tree.

use regex::{Regex, RegexBuilder};

use crate::labels::NAME;
use crate::promql::ParseError;
use crate::promql::ast::{
    Aggregation, Binary, Expr, ExprKind, Function, Grouping, Matcher, Operator, Selector, Test, Type,
};
use crate::promql::lex::{Token, error_at, tokens};

/// Deepest nesting of brackets.
const MAX_DEPTH: usize = 64;
/// Most operators of a query, because each lies inside the next.
const MAX_OPERATORS: usize = 256;
/// Largest compiled regular expression, in bytes.
const MAX_REGEX: usize = 1 << 18;

type Parsed<T> = Result<T, ParseError>;

pub(super) fn parse(text: &str) -> Parsed<Expr> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens, at: 0, depth: 0, n_operators: 0 };
    let expr = parser.binary(0)?;
    if parser.at < parser.tokens.len() {
        return parser.bad("the end of the query is expected");
    }
    if expr.type_of() == Type::Range {
        return Err(error_at(text, expr.at, "a range such as [5m] only stands inside a function"));
    }
    Ok(expr)
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(usize, Token)>,
    at: usize,
    depth: usize,
    n_operators: usize,
}

impl Parser<'_> {
    fn place(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |(at, _)| *at)
    }

    fn bad<T>(&self, what: impl Into<String>) -> Parsed<T> {
        Err(error_at(self.text, self.place(), what))
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Sign(have)) if *have == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn need_sign(&mut self, sign: &str) -> Parsed<()> {
        if self.take_sign(sign) { Ok(()) } else { self.bad(format!("{sign} is expected")) }
    }

    fn peek_word(&self) -> Option<&str> {
        match self.peek() {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let is_next = self.peek_word().is_some_and(|word| word.eq_ignore_ascii_case(wanted));
        self.at += usize::from(is_next);
        is_next
    }

    fn operator(&self) -> Option<Operator> {
        match self.peek()? {
            Token::Sign(sign) => Operator::parse(sign),
            Token::Word(word) => Operator::parse(&word.to_ascii_lowercase()),
            _ => None,
        }
    }

    /// Operators that bind at least this closely.
    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.bad(format!("the query is nested deeper than {MAX_DEPTH}"));
        }
        let mut left = self.unary()?;
        while let Some(operator) = self.operator().filter(|operator| operator.precedence() >= least.max(1)) {
            let at = self.place();
            self.at += 1;
            self.n_operators += 1;
            if self.n_operators > MAX_OPERATORS {
                return Err(error_at(self.text, at, format!("a query has at most {MAX_OPERATORS} operators")));
            }
            let returns_bool = self.take_word("bool");
            if returns_bool && !operator.is_comparison() {
                return Err(error_at(self.text, at, "bool only stands after a comparison"));
            }
            let matching = self.matching()?;
            // Powers bind to the right.
            let next = operator.precedence() + u8::from(operator != Operator::Pow);
            let right = self.binary(next)?;
            self.check_sides(at, operator, returns_bool, [&left, &right])?;
            let place = left.at;
            let kind = ExprKind::Binary(Box::new(Binary { operator, left, right, returns_bool, matching }));
            left = Expr { kind, at: place };
        }
        self.depth -= 1;
        Ok(left)
    }

    fn check_sides(&self, at: usize, operator: Operator, returns_bool: bool, sides: [&Expr; 2]) -> Parsed<()> {
        let types = sides.map(Expr::type_of);
        let what = if types.contains(&Type::Range) {
            "a range such as [5m] cannot be computed with; a function has to make a number of it"
        } else if operator.is_set() && types != [Type::Instant, Type::Instant] {
            "and, or and unless join series, not numbers"
        } else if operator.is_comparison() && !returns_bool && types == [Type::Scalar, Type::Scalar] {
            "a comparison of two numbers needs bool"
        } else {
            return Ok(());
        };
        Err(error_at(self.text, at, what))
    }

    fn matching(&mut self) -> Parsed<Grouping> {
        let is_on = self.take_word("on");
        let matching = if is_on || self.take_word("ignoring") {
            let names = self.names()?;
            if is_on { Grouping::Only(names) } else { Grouping::Without(names) }
        } else {
            Grouping::Without(Vec::new())
        };
        if matches!(self.peek_word(), Some("group_left" | "group_right")) {
            return self.bad("group_left and group_right are not supported: sides are joined one to one");
        }
        Ok(matching)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let at = self.place();
        let expr = if self.take_sign("-") {
            // The sign binds less closely than a power.
            let inner = self.binary(Operator::Pow.precedence())?;
            if inner.type_of() == Type::Range {
                return Err(error_at(self.text, at, "a range such as [5m] cannot be computed with"));
            }
            Expr { kind: ExprKind::Negative(Box::new(inner)), at }
        } else if self.take_sign("+") {
            self.binary(Operator::Pow.precedence())?
        } else {
            self.primary()?
        };
        Ok(expr)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let at = self.place();
        match self.peek().cloned() {
            Some(Token::Number(number)) => {
                self.at += 1;
                Ok(Expr { kind: ExprKind::Number(number), at })
            }
            Some(Token::Sign("(")) => {
                self.at += 1;
                let inner = self.binary(0)?;
                self.need_sign(")")?;
                if matches!(self.peek(), Some(Token::Sign("["))) {
                    return self.bad("subqueries are not supported");
                }
                Ok(inner)
            }
            Some(Token::Sign("{")) => self.selector(None),
            Some(Token::Word(word)) => self.word(&word),
            Some(Token::Text(_)) => self.bad("texts are not supported as values"),
            Some(Token::Duration(_)) => self.bad("a duration only stands in brackets or after offset"),
            Some(Token::Sign(_)) | None => self.bad("a number, a name or a bracket is expected"),
        }
    }

    fn word(&mut self, word: &str) -> Parsed<Expr> {
        let at = self.place();
        let lower = word.to_ascii_lowercase();
        if matches!(lower.as_str(), "inf" | "nan") {
            self.at += 1;
            let number = if lower == "inf" { f64::INFINITY } else { f64::NAN };
            return Ok(Expr { kind: ExprKind::Number(number), at });
        }
        let next = self.tokens.get(self.at + 1).map(|(_, token)| token);
        let is_called = next == Some(&Token::Sign("("));
        let has_group = matches!(next, Some(Token::Word(word)) if word == "by" || word == "without");
        if let Some(aggregation) = Aggregation::parse(&lower).filter(|_| is_called || has_group) {
            self.at += 1;
            return self.aggregate(aggregation, at);
        }
        if !is_called {
            self.at += 1;
            return self.selector(Some((word, at)));
        }
        let Some(function) = Function::parse(word) else {
            return self.bad(format!("{word} is not supported here; see the list of functions"));
        };
        self.at += 2;
        let mut arguments = Vec::new();
        while !self.take_sign(")") {
            arguments.push(self.binary(0)?);
            if !self.take_sign(",") && self.peek() != Some(&Token::Sign(")")) {
                return self.bad("a comma or ) is expected");
            }
        }
        self.check_arguments(word, function, &arguments, at)?;
        Ok(Expr { kind: ExprKind::Call(function, arguments), at })
    }

    fn check_arguments(&self, name: &str, function: Function, arguments: &[Expr], at: usize) -> Parsed<()> {
        let wanted = function.arguments();
        if arguments.len() != wanted.len() {
            let what = format!("{name} takes {} arguments, not {}", wanted.len(), arguments.len());
            return Err(error_at(self.text, at, what));
        }
        let wrong = arguments.iter().zip(wanted).find(|(argument, wanted)| argument.type_of() != **wanted);
        let Some((argument, wanted)) = wrong else { return Ok(()) };
        let wanted = match wanted {
            Type::Range => "a range such as x[5m]",
            Type::Instant => "series without a range",
            Type::Scalar => "a number",
        };
        Err(error_at(self.text, argument.at, format!("{name} wants {wanted}")))
    }

    fn aggregate(&mut self, aggregation: Aggregation, at: usize) -> Parsed<Expr> {
        let before = self.grouping()?;
        self.need_sign("(")?;
        let inner = self.binary(0)?;
        if self.peek() == Some(&Token::Sign(",")) {
            return self.bad("this aggregation takes one argument");
        }
        self.need_sign(")")?;
        if inner.type_of() != Type::Instant {
            return Err(error_at(self.text, inner.at, "an aggregation wants series without a range"));
        }
        let after = if before.is_none() { self.grouping()? } else { None };
        let grouping = before.or(after).unwrap_or(Grouping::Only(Vec::new()));
        Ok(Expr { kind: ExprKind::Aggregate(aggregation, grouping, Box::new(inner)), at })
    }

    fn grouping(&mut self) -> Parsed<Option<Grouping>> {
        if self.take_word("by") {
            return Ok(Some(Grouping::Only(self.names()?)));
        }
        if self.take_word("without") {
            return Ok(Some(Grouping::Without(self.names()?)));
        }
        Ok(None)
    }

    /// `(a, b)`
    fn names(&mut self) -> Parsed<Vec<String>> {
        self.need_sign("(")?;
        let mut names = Vec::new();
        while !self.take_sign(")") {
            let Some(name) = self.peek_word().map(str::to_owned) else {
                return self.bad("the name of a label is expected");
            };
            self.at += 1;
            names.push(name);
            if !self.take_sign(",") && self.peek() != Some(&Token::Sign(")")) {
                return self.bad("a comma or ) is expected");
            }
        }
        Ok(names)
    }

    fn selector(&mut self, name: Option<(&str, usize)>) -> Parsed<Expr> {
        let at = name.map_or_else(|| self.place(), |(_, at)| at);
        let equal = |name: &str| Matcher { label: NAME.to_owned(), test: Test::Equal(name.to_owned()) };
        let mut matchers: Vec<Matcher> = name.iter().map(|(name, _)| equal(name)).collect();
        if self.take_sign("{") {
            while !self.take_sign("}") {
                matchers.push(self.matcher()?);
                if !self.take_sign(",") && self.peek() != Some(&Token::Sign("}")) {
                    return self.bad("a comma or } is expected");
                }
            }
        }
        if matchers.iter().all(Matcher::takes_nothing) {
            return Err(error_at(self.text, at, "a selector needs a name or a matcher that not everything passes"));
        }
        let range_ms = self.range()?;
        let offset_ms = self.offset()?;
        if matches!(self.peek(), Some(Token::Sign("@"))) {
            return self.bad("@ is not supported");
        }
        Ok(Expr { kind: ExprKind::Selector(Selector { matchers, range_ms, offset_ms }), at })
    }

    fn matcher(&mut self) -> Parsed<Matcher> {
        let label = match self.peek().cloned() {
            Some(Token::Word(word)) => word,
            // Prometheus 3 writes names of series in quotes.
            Some(Token::Text(name)) => {
                self.at += 1;
                let is_name = !matches!(self.peek(), Some(Token::Sign("=" | "!=" | "=~" | "!~")));
                if is_name {
                    return Ok(Matcher { label: NAME.to_owned(), test: Test::Equal(name) });
                }
                self.at -= 1;
                name
            }
            _ => return self.bad("the name of a label is expected"),
        };
        self.at += 1;
        let Some(Token::Sign(sign @ ("=" | "!=" | "=~" | "!~"))) = self.peek().cloned() else {
            return self.bad("=, !=, =~ or !~ is expected");
        };
        self.at += 1;
        let Some(Token::Text(value)) = self.peek().cloned() else { return self.bad("a value in quotes is expected") };
        let test = match sign {
            "=" => Test::Equal(value),
            "!=" => Test::NotEqual(value),
            "=~" => Test::Like(self.regex(&value)?),
            _ => Test::NotLike(self.regex(&value)?),
        };
        self.at += 1;
        Ok(Matcher { label, test })
    }

    /// A regular expression of the whole value.
    fn regex(&self, value: &str) -> Parsed<Regex> {
        let built = RegexBuilder::new(&format!("^(?s:{value})$")).size_limit(MAX_REGEX).build();
        built.or_else(|_| self.bad("the regular expression is not valid, or too large"))
    }

    fn range(&mut self) -> Parsed<Option<i64>> {
        if !self.take_sign("[") {
            return Ok(None);
        }
        let Some(Token::Duration(ms)) = self.peek().cloned().filter(|token| *token != Token::Duration(0)) else {
            return self.bad("a duration such as 5m is expected");
        };
        self.at += 1;
        if matches!(self.peek(), Some(Token::Sign(":"))) {
            return self.bad("subqueries are not supported");
        }
        self.need_sign("]")?;
        Ok(Some(ms))
    }

    fn offset(&mut self) -> Parsed<i64> {
        if !self.take_word("offset") {
            return Ok(0);
        }
        let sign = if self.take_sign("-") { -1 } else { 1 };
        let Some(Token::Duration(ms)) = self.peek().cloned() else {
            return self.bad("a duration such as 5m is expected");
        };
        self.at += 1;
        Ok(sign * ms)
    }
}
