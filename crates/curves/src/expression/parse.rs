//! From text to expression, by recursive descent.
//!
//! Invariant: any text is read or refused with the place of the first letter that
//! cannot be, and nesting is bounded, so that no text exhausts the stack.

use super::{Arithmetic, Comparison, Expression, Node};
use evalsmith_core::column_name::{begins_name, continues_name};
use std::fmt;

/// Deeper nesting than this is refused.
const DEEPEST: usize = 64;
/// More words than this are refused: a chain of sums is nested as well.
const LONGEST: usize = 1000;

/// A text that is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    text: String,
    /// The byte at which reading stopped.
    at: usize,
    reason: String,
}

impl ExpressionError {
    pub(super) fn new(text: &str, at: usize, reason: impl Into<String>) -> Self {
        Self { text: text.to_owned(), at, reason: reason.into() }
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (one_line, before) =
            (self.text.replace(['\n', '\r', '\t'], " "), &self.text[..self.at]);
        let indent = " ".repeat(before.chars().count());
        write!(f, "{}\n  {one_line}\n  {indent}^", self.reason)
    }
}

impl std::error::Error for ExpressionError {}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Name(String),
    Word(Word),
    Compare(Comparison),
    Arithmetic(Arithmetic),
    Open,
    Close,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    And,
    Or,
    Not,
    Abs,
}

pub(super) fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { text, tokens, next: 0, depth: 0, names: Vec::new() };
    let root = parser.any()?;
    if *parser.peek() != Token::End {
        return Err(parser.refuse("expected `and`, `or`, an operator or the end"));
    }
    Ok(Expression { text: text.trim().to_owned(), root, names: parser.names })
}

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        if letter.is_whitespace() {
            at += letter.len_utf8();
            continue;
        }
        if tokens.len() == LONGEST {
            return Err(ExpressionError::new(text, at, "this is longer than 1000 words"));
        }
        let (token, length) = token(text, at, letter)?;
        tokens.push((at, token));
        at += length;
    }
    tokens.push((text.len(), Token::End));
    Ok(tokens)
}

/// The token at a place, and its bytes.
fn token(text: &str, at: usize, letter: char) -> Result<(Token, usize), ExpressionError> {
    let rest = &text[at..];
    let two = |second: char| rest[letter.len_utf8()..].starts_with(second);
    Ok(match letter {
        '(' => (Token::Open, 1),
        ')' => (Token::Close, 1),
        '+' => (Token::Arithmetic(Arithmetic::Add), 1),
        '-' => (Token::Arithmetic(Arithmetic::Subtract), 1),
        '*' => (Token::Arithmetic(Arithmetic::Multiply), 1),
        '/' => (Token::Arithmetic(Arithmetic::Divide), 1),
        '<' if two('=') => (Token::Compare(Comparison::LessOrEqual), 2),
        '<' => (Token::Compare(Comparison::Less), 1),
        '>' if two('=') => (Token::Compare(Comparison::GreaterOrEqual), 2),
        '>' => (Token::Compare(Comparison::Greater), 1),
        '=' if two('=') => (Token::Compare(Comparison::Equal), 2),
        '=' => (Token::Compare(Comparison::Equal), 1),
        '!' if two('=') => (Token::Compare(Comparison::Unequal), 2),
        '&' if two('&') => (Token::Word(Word::And), 2),
        '|' if two('|') => (Token::Word(Word::Or), 2),
        '`' => {
            let Some(end) = rest[1..].find('`') else {
                return Err(ExpressionError::new(text, at, "this backtick is never closed"));
            };
            (Token::Name(rest[1..=end].to_owned()), end + 2)
        }
        letter if letter.is_ascii_digit() || letter == '.' => number(text, at)?,
        letter if begins_name(letter) => {
            let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
            let name = &rest[..length];
            let token = match name.to_ascii_lowercase().as_str() {
                "and" => Token::Word(Word::And),
                "or" => Token::Word(Word::Or),
                "not" => Token::Word(Word::Not),
                "abs" => Token::Word(Word::Abs),
                _ => Token::Name(name.to_owned()),
            };
            (token, length)
        }
        other => {
            let reason = format!("{other:?} means nothing here; put odd names between backticks");
            return Err(ExpressionError::new(text, at, reason));
        }
    })
}

fn number(text: &str, at: usize) -> Result<(Token, usize), ExpressionError> {
    let rest = &text.as_bytes()[at..];
    let mut length = 0;
    while let Some(&byte) = rest.get(length) {
        let exponent =
            matches!(byte, b'+' | b'-') && length > 0 && matches!(rest[length - 1], b'e' | b'E');
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || exponent) {
            break;
        }
        length += 1;
    }
    let found = text[at..at + length].parse::<f64>().ok().filter(|x| x.is_finite());
    let number = found.ok_or_else(|| ExpressionError::new(text, at, "this is no number"))?;
    Ok((Token::Number(number), length))
}

/// Whether the last part is a relation of a configuration, `name = number`.
fn ends_in_relation(node: &Node) -> bool {
    match node {
        Node::Compare(Comparison::Equal, left, right) => {
            matches!((&**left, &**right), (Node::Column(_), Node::Number(_)))
        }
        Node::And(_, last) => ends_in_relation(last),
        _ => false,
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(usize, Token)>,
    next: usize,
    depth: usize,
    names: Vec<String>,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].1
    }

    fn take(&mut self) {
        self.next = (self.next + 1).min(self.tokens.len() - 1);
    }

    fn taken(&mut self, token: &Token) -> bool {
        let same = self.peek() == token;
        if same {
            self.take();
        }
        same
    }

    fn refuse(&self, reason: &str) -> ExpressionError {
        ExpressionError::new(self.text, self.tokens[self.next].0, reason)
    }

    fn any(&mut self) -> Result<Node, ExpressionError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.refuse("this is nested too deeply"));
        }
        let mut node = self.all()?;
        while self.taken(&Token::Word(Word::Or)) {
            node = Node::Or(Box::new(node), Box::new(self.all()?));
        }
        self.depth -= 1;
        Ok(node)
    }

    fn all(&mut self) -> Result<Node, ExpressionError> {
        let mut node = self.negation()?;
        loop {
            if self.taken(&Token::Word(Word::And)) {
                node = Node::And(Box::new(node), Box::new(self.negation()?));
            } else if ends_in_relation(&node) && matches!(self.peek(), Token::Name(_)) {
                let begin = self.next;
                let relation = self.comparison()?;
                if !ends_in_relation(&relation) {
                    self.next = begin;
                    return Err(self.refuse(
                        "a configuration goes on with a relation like `b1=2`; else write `and`",
                    ));
                }
                node = Node::And(Box::new(node), Box::new(relation));
            } else {
                return Ok(node);
            }
        }
    }

    fn negation(&mut self) -> Result<Node, ExpressionError> {
        let mut denied = false;
        let mut any = false;
        while self.taken(&Token::Word(Word::Not)) {
            denied = !denied;
            any = true;
        }
        let node = self.comparison()?;
        Ok(match (any, denied) {
            (false, _) => node,
            (true, true) => Node::Not(Box::new(node)),
            (true, false) => Node::Not(Box::new(Node::Not(Box::new(node)))),
        })
    }

    fn comparison(&mut self) -> Result<Node, ExpressionError> {
        let left = self.sum()?;
        let Token::Compare(by) = *self.peek() else { return Ok(left) };
        self.take();
        let right = self.sum()?;
        if matches!(self.peek(), Token::Compare(_)) {
            return Err(self.refuse("comparisons do not chain; write `a < b and b < c`"));
        }
        Ok(Node::Compare(by, Box::new(left), Box::new(right)))
    }

    fn sum(&mut self) -> Result<Node, ExpressionError> {
        let mut node = self.product()?;
        while let Token::Arithmetic(by @ (Arithmetic::Add | Arithmetic::Subtract)) = *self.peek() {
            self.take();
            node = Node::Arithmetic(by, Box::new(node), Box::new(self.product()?));
        }
        Ok(node)
    }

    fn product(&mut self) -> Result<Node, ExpressionError> {
        let mut node = self.signed()?;
        while let Token::Arithmetic(by @ (Arithmetic::Multiply | Arithmetic::Divide)) = *self.peek()
        {
            self.take();
            node = Node::Arithmetic(by, Box::new(node), Box::new(self.signed()?));
        }
        Ok(node)
    }

    fn signed(&mut self) -> Result<Node, ExpressionError> {
        let mut negative = false;
        while self.taken(&Token::Arithmetic(Arithmetic::Subtract)) {
            negative = !negative;
        }
        let node = self.atom()?;
        Ok(match node {
            Node::Number(x) if negative => Node::Number(-x),
            node if negative => Node::Negate(Box::new(node)),
            node => node,
        })
    }

    fn atom(&mut self) -> Result<Node, ExpressionError> {
        match self.peek().clone() {
            Token::Number(x) => {
                self.take();
                Ok(Node::Number(x))
            }
            Token::Name(name) => {
                self.take();
                let place = self.names.iter().position(|known| *known == name);
                Ok(Node::Column(place.unwrap_or_else(|| {
                    self.names.push(name);
                    self.names.len() - 1
                })))
            }
            Token::Word(Word::Abs) => {
                self.take();
                if *self.peek() != Token::Open {
                    return Err(self.refuse("expected `(` after abs"));
                }
                Ok(Node::Absolute(Box::new(self.atom()?)))
            }
            Token::Open => {
                self.take();
                let node = self.any()?;
                if self.taken(&Token::Close) { Ok(node) } else { Err(self.refuse("expected `)`")) }
            }
            _ => Err(self.refuse("expected a column, a number or `(`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn faults_point_at_their_place() {
        for (text, at, words) in [
            ("", 0, "expected a column"),
            ("king >=", 7, "expected a column"),
            ("king >= 50 and", 14, "expected a column"),
            ("king >= 50 stage", 11, "expected `and`"),
            ("(king > 1", 9, "expected `)`"),
            ("1 < x < 2", 6, "do not chain"),
            ("king ? 3", 5, "means nothing"),
            ("king > 5x", 7, "no number"),
            ("`king > 5", 0, "never closed"),
            ("abs 3", 4, "after abs"),
            ("a1=1 b1>2", 5, "`and`"),
            ("a1=1 b1", 5, "`and`"),
            ("not a1=1 b1=2", 9, "`and`"),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.at, at, "{text}: {error}");
            assert!(error.to_string().contains(words), "{text}: {error}");
            let pointer = error.to_string().lines().last().map(str::len);
            assert_eq!(pointer, Some(at + 3), "{error}");
        }
        assert!(parse(&"(".repeat(500)).expect_err("deep").to_string().contains("deeply"));
        assert!(parse(&"1+".repeat(10_000)).expect_err("long").to_string().contains("longer"));
        assert!(Expression::condition("king + 1").is_err());
    }

    #[test]
    fn relations_side_by_side_are_a_configuration() {
        let root = |text: &str| parse(text).expect(text).root;
        assert_eq!(root("a1=1 b1=2 `5c`=-1"), root("a1 = 1 and b1 = 2 and `5c` = -1"));
        assert_eq!(root("x < 3 and a1=1 b1=0 or y"), root("x < 3 and a1 = 1 and b1 = 0 or y"));
    }

    #[test]
    fn names_are_words_or_stand_between_backticks() {
        let names = |text: &str| parse(text).expect(text).names;
        assert_eq!(names("a.b_1 > é and a.b_1 < 3"), ["a.b_1", "é"]);
        assert_eq!(names("`passed pawn` > 1 AND x == 2 || y = 1"), ["passed pawn", "x", "y"]);
    }

    proptest! {
        #[test]
        fn no_text_panics(
            text in any::<String>(),
            like in "((x|y1|`q w`|3|-|\\+|\\*|/|<|<=|=|!=|and|or|not|abs|\\(|\\)|é) ?){0,30}",
        ) {
            for text in [text, like] {
                match parse(&text) {
                    Ok(found) => prop_assert_eq!(parse(found.text()).map(|e| e.root), Ok(found.root)),
                    Err(e) => prop_assert!(!e.to_string().is_empty()),
                }
            }
        }
    }
}
