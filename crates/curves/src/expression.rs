//! Small expressions over the columns of a table: conditions and formulas.
//!
//! `king_safety >= 50 and stage < 30` is a condition; `total - bishop` and
//! `progress * attackers` are formulas. Truth counts as 1 and 0 wherever a number
//! is wanted, so that `(golds = 4) - (their_golds = 4)` is a formula as well.
//! From loose to tight: `or`, `and`, `not`, comparisons, `+ -`, `* /`, the sign;
//! `abs(x)` is the one function. A name with other letters stands between
//! backticks. Relations side by side are a configuration of GLEM: `a1=1 b1=2` is
//! `a1 = 1 and b1 = 2`. Invariant: a row without a number in a column that an expression
//! uses fulfils no condition and has no value.

mod parse;
mod program;

pub use evalsmith_core::column_name::quoted;
pub use parse::ExpressionError;
pub(crate) use program::{Answers, BLOCK, Program, WORDS};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// An expression, ready to be asked row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    root: Node,
    names: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    /// The place of a name in [`Expression::names`].
    Column(usize),
    Negate(Box<Self>),
    Absolute(Box<Self>),
    Arithmetic(Arithmetic, Box<Self>, Box<Self>),
    Compare(Comparison, Box<Self>, Box<Self>),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    Unequal,
}

impl Expression {
    /// Reads a condition: something that holds or does not.
    ///
    /// ```
    /// use evalsmith_curves::Expression;
    /// let condition = Expression::condition("king >= 50 and stage < 30")?;
    /// assert_eq!(condition.names(), ["king", "stage"]);
    /// assert!(Expression::condition("king >= ").unwrap_err().to_string().contains('^'));
    /// # Ok::<(), evalsmith_curves::ExpressionError>(())
    /// ```
    ///
    /// # Errors
    /// When the text is no expression, with the place, or gives a number.
    pub fn condition(text: &str) -> Result<Self, ExpressionError> {
        let found = parse::parse(text)?;
        if found.root.is_truth() {
            Ok(found)
        } else {
            Err(ExpressionError::new(text, 0, "this is a number; compare it, as in `x >= 50`"))
        }
    }

    /// Reads a formula: something that gives a number.
    ///
    /// # Errors
    /// When the text is no expression, with the place.
    pub fn formula(text: &str) -> Result<Self, ExpressionError> {
        parse::parse(text)
    }

    /// A column by its name, whatever letters that has.
    pub fn column(name: &str) -> Self {
        Self { text: quoted(name), root: Node::Column(0), names: vec![name.to_owned()] }
    }

    /// The condition that all of these comparisons of a column with a number hold. It
    /// compares with the numbers as they are, whatever its text.
    ///
    /// # Panics
    /// When there is no comparison.
    pub(crate) fn all_of(parts: &[(&str, Comparison, f64)]) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut compare = |&(name, by, limit): &(&str, Comparison, f64)| {
            let column = names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            });
            Node::Compare(by, Box::new(Node::Column(column)), Box::new(Node::Number(limit)))
        };
        let nodes: Vec<Node> = parts.iter().map(&mut compare).collect();
        let and = |all: Node, one: Node| Node::And(Box::new(all), Box::new(one));
        let root = nodes.into_iter().reduce(and).expect("there is a comparison");
        let text = |&(name, by, limit): &(&str, Comparison, f64)| {
            let (by, limit) = by.finite(limit);
            format!("{} {} {limit}", quoted(name), by.sign())
        };
        let text = parts.iter().map(text).collect::<Vec<_>>().join(" and ");
        Self { text, root, names }
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The columns it asks for, each once.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Where it holds. `columns` are those of [`names`](Self::names), in order,
    /// and as long as `holds`.
    pub fn holds(&self, columns: &[&[f64]], holds: &mut [bool]) {
        self.root.truth(columns, holds);
        for column in columns {
            for (hold, x) in holds.iter_mut().zip(*column) {
                *hold &= !x.is_nan();
            }
        }
    }

    /// Its values, not a number where a column has none.
    pub fn values(&self, columns: &[&[f64]], values: &mut [f64]) {
        self.root.number(columns, values);
        for column in columns {
            for (value, x) in values.iter_mut().zip(*column) {
                if x.is_nan() {
                    *value = f64::NAN;
                }
            }
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// As its text.
impl Serialize for Expression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::formula(&text).map_err(serde::de::Error::custom)
    }
}

impl Node {
    fn is_truth(&self) -> bool {
        matches!(self, Self::Compare(..) | Self::Not(_) | Self::And(..) | Self::Or(..))
    }

    fn truth(&self, columns: &[&[f64]], holds: &mut [bool]) {
        let combine = |other: &Self, holds: &mut [bool], both: fn(&mut bool, bool)| {
            let mut others = vec![false; holds.len()];
            other.truth(columns, &mut others);
            holds.iter_mut().zip(others).for_each(|(hold, other)| both(hold, other));
        };
        match self {
            Self::And(a, b) => {
                a.truth(columns, holds);
                combine(b, holds, |hold, other| *hold &= other);
            }
            Self::Or(a, b) => {
                a.truth(columns, holds);
                combine(b, holds, |hold, other| *hold |= other);
            }
            Self::Not(a) => {
                a.truth(columns, holds);
                for hold in holds {
                    *hold = !*hold;
                }
            }
            Self::Compare(by, a, b) => {
                // What nearly every condition is made of, without copies.
                if let (Self::Column(i), Self::Number(limit)) = (&**a, &**b) {
                    by.against(columns[*i], *limit, holds);
                    return;
                }
                let (mut left, mut right) = (vec![0.0; holds.len()], vec![0.0; holds.len()]);
                a.number(columns, &mut left);
                b.number(columns, &mut right);
                for ((hold, a), b) in holds.iter_mut().zip(left).zip(right) {
                    *hold = by.holds(a, b);
                }
            }
            _ => {
                let mut numbers = vec![0.0; holds.len()];
                self.number(columns, &mut numbers);
                holds.iter_mut().zip(numbers).for_each(|(hold, x)| *hold = x != 0.0);
            }
        }
    }

    fn number(&self, columns: &[&[f64]], values: &mut [f64]) {
        match self {
            Self::Number(x) => values.fill(*x),
            Self::Column(i) => values.copy_from_slice(columns[*i]),
            Self::Negate(a) => {
                a.number(columns, values);
                for x in values {
                    *x = -*x;
                }
            }
            Self::Absolute(a) => {
                a.number(columns, values);
                for x in values {
                    *x = x.abs();
                }
            }
            Self::Arithmetic(by, a, b) => {
                let mut others = vec![0.0; values.len()];
                a.number(columns, values);
                b.number(columns, &mut others);
                for (x, y) in values.iter_mut().zip(others) {
                    *x = by.of(*x, y);
                }
            }
            _ => {
                let mut holds = vec![false; values.len()];
                self.truth(columns, &mut holds);
                values.iter_mut().zip(holds).for_each(|(x, hold)| *x = f64::from(u8::from(hold)));
            }
        }
    }
}

impl Arithmetic {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Divide => a / b,
        }
    }
}

impl Comparison {
    const fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Equal => "=",
            Self::Unequal => "!=",
        }
    }

    /// The same comparison with a number that can be written: beyond the largest one lies
    /// only infinity.
    fn finite(self, limit: f64) -> (Self, f64) {
        match self {
            Self::GreaterOrEqual if limit == f64::INFINITY => (Self::Greater, f64::MAX),
            Self::Less if limit == f64::INFINITY => (Self::LessOrEqual, f64::MAX),
            _ => (self, limit),
        }
    }

    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Less => a < b,
            Self::LessOrEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterOrEqual => a >= b,
            Self::Equal => a == b,
            Self::Unequal => a != b,
        }
    }

    /// One loop a comparison, so that each runs in parallel lanes.
    fn against(self, column: &[f64], limit: f64, holds: &mut [bool]) {
        macro_rules! each {
            ($test:expr) => {
                holds.iter_mut().zip(column).for_each(|(hold, &x)| *hold = $test(x, limit))
            };
        }
        match self {
            Self::Less => each!(|x, y| x < y),
            Self::LessOrEqual => each!(|x, y| x <= y),
            Self::Greater => each!(|x, y| x > y),
            Self::GreaterOrEqual => each!(|x, y| x >= y),
            Self::Equal => each!(|x, y| x == y),
            Self::Unequal => each!(|x, y| x != y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds(text: &str, columns: &[&[f64]]) -> Vec<bool> {
        let condition = Expression::condition(text).unwrap_or_else(|e| panic!("{e}"));
        let mut holds = vec![false; columns[0].len()];
        condition.holds(columns, &mut holds);
        holds
    }

    fn value(text: &str, columns: &[&[f64]]) -> f64 {
        let mut values = vec![0.0; 1];
        Expression::formula(text).unwrap_or_else(|e| panic!("{e}")).values(columns, &mut values);
        values[0]
    }

    #[test]
    fn operators_bind_as_on_paper() {
        for (text, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("10 - 4 - 3", 3.0),
            ("8 / 4 / 2", 1.0),
            ("-2 * -3", 6.0),
            ("abs(2 - 5)", 3.0),
            ("1 < 2 and not 3 < 2 or 1 > 2", 1.0),
            ("not 1 < 2 or 2 = 2", 1.0),
            ("(2 >= 2) - (1 != 1)", 1.0),
            ("2e3 + .5", 2000.5),
        ] {
            assert_eq!(value(text, &[]), expected, "{text}");
        }
    }

    #[test]
    fn conditions_hold_row_by_row() {
        let (king, stage) = ([60.0, 60.0, 40.0, f64::NAN], [10.0, 40.0, 10.0, 10.0]);
        assert_eq!(
            holds("king >= 50 and stage < 30", &[&king, &stage]),
            [true, false, false, false]
        );
        assert_eq!(holds("not `king` > 50", &[&king]), [false, false, true, false]);
        assert_eq!(holds("king != 60", &[&king]), [false, false, true, false]);
        assert_eq!(holds("50 <= king", &[&king]), [true, true, false, false]);
        assert!(value("king + 1", &[&[f64::NAN]]).is_nan());
        assert!(value("king > 1", &[&[f64::NAN]]).is_nan(), "nothing is known of it");
    }

    proptest! {
        #[test]
        fn comparisons_with_numbers_equal_those_of_columns(
            column in prop::collection::vec(-3_i8..4, 1..50), limit in -3_i8..4, by in 0..6,
        ) {
            let by = ["<", "<=", ">", ">=", "=", "!="][by as usize];
            let x: Vec<f64> = column.iter().map(|&x| f64::from(x)).collect();
            let y = vec![f64::from(limit); x.len()];
            let fast = holds(&format!("x {by} {limit}"), &[&x]);
            prop_assert_eq!(fast, holds(&format!("x {by} y"), &[&x, &y]));
        }
    }
}
