//! Many conditions asked together: every part that several share is asked once,
//! and the answers of 64 rows stand in one word.
//!
//! Invariant: a condition holds here exactly where [`Expression::holds`] says so.

#![expect(clippy::inline_always, reason = "inlined into code compiled for the processor")]

use super::{Arithmetic, Comparison, Expression, Node};

/// Rows asked at a time: their numbers stay in the first-level cache.
pub(crate) const BLOCK: usize = 1024;
/// The words of a block.
pub(crate) const WORDS: usize = BLOCK / 64;

type Truth = [u64; WORDS];
type Numbers = [f64; BLOCK];

/// A part of a condition; the numbers are places of earlier parts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Number(f64),
    Column(usize),
    Negate(usize),
    Absolute(usize),
    Arithmetic(Arithmetic, usize, usize),
    /// Truth as 1 and 0.
    Counted(usize),
    /// A column with a number: what nearly every condition is made of.
    Against(Comparison, usize, f64),
    Compare(Comparison, usize, usize),
    Nonzero(usize),
    Known(usize),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
}

/// Conditions, ready to be asked block by block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    parts: Vec<Part>,
    roots: Vec<usize>,
}

/// What the parts of a program answered last.
#[derive(Clone, Debug)]
pub(crate) struct Answers {
    truths: Vec<Truth>,
    numbers: Vec<Numbers>,
    /// Of each part, its place among the truths or the numbers.
    places: Vec<usize>,
}

/// One loop a comparison, so that each runs in parallel lanes.
macro_rules! by_each {
    ($comparison:expr, $words:ident($($of:expr),*)) => {
        match $comparison {
            Comparison::Less => $words($($of),*, |a, b| a < b),
            Comparison::LessOrEqual => $words($($of),*, |a, b| a <= b),
            Comparison::Greater => $words($($of),*, |a, b| a > b),
            Comparison::GreaterOrEqual => $words($($of),*, |a, b| a >= b),
            Comparison::Equal => $words($($of),*, |a, b| a == b),
            Comparison::Unequal => $words($($of),*, |a, b| a != b),
        }
    };
}

impl Program {
    /// Makes a program of conditions on the columns of these names.
    pub(crate) fn new(conditions: &[Expression], names: &[String]) -> Self {
        let mut program = Self::default();
        for condition in conditions {
            let place = |name: &String| names.iter().position(|n| n == name);
            let columns: Vec<usize> = condition.names().iter().filter_map(place).collect();
            let mut root = program.truth(&condition.root, &columns);
            for &column in &columns {
                let known = program.part(Part::Known(column));
                root = program.part(Part::And(root, known));
            }
            program.roots.push(root);
        }
        program
    }

    /// The place of a part, the old one where there is such a part already.
    fn part(&mut self, part: Part) -> usize {
        self.parts.iter().position(|p| *p == part).unwrap_or_else(|| {
            self.parts.push(part);
            self.parts.len() - 1
        })
    }

    fn truth(&mut self, node: &Node, columns: &[usize]) -> usize {
        let part = match node {
            Node::And(a, b) => Part::And(self.truth(a, columns), self.truth(b, columns)),
            Node::Or(a, b) => Part::Or(self.truth(a, columns), self.truth(b, columns)),
            Node::Not(a) => Part::Not(self.truth(a, columns)),
            Node::Compare(by, a, b) => match (&**a, &**b) {
                (Node::Column(i), Node::Number(limit)) => Part::Against(*by, columns[*i], *limit),
                (a, b) => Part::Compare(*by, self.number(a, columns), self.number(b, columns)),
            },
            number => Part::Nonzero(self.number(number, columns)),
        };
        self.part(part)
    }

    fn number(&mut self, node: &Node, columns: &[usize]) -> usize {
        let part = match node {
            Node::Number(x) => Part::Number(*x),
            Node::Column(i) => Part::Column(columns[*i]),
            Node::Negate(a) => Part::Negate(self.number(a, columns)),
            Node::Absolute(a) => Part::Absolute(self.number(a, columns)),
            Node::Arithmetic(by, a, b) => {
                Part::Arithmetic(*by, self.number(a, columns), self.number(b, columns))
            }
            truth => Part::Counted(self.truth(truth, columns)),
        };
        self.part(part)
    }

    /// Room for answers.
    pub(crate) fn answers(&self) -> Answers {
        let (mut truths, mut numbers) = (0, 0);
        let place = |part: &Part| {
            let count = if part.is_number() { &mut numbers } else { &mut truths };
            *count += 1;
            *count - 1
        };
        let places = self.parts.iter().map(place).collect();
        Answers { truths: vec![[0; WORDS]; truths], numbers: vec![[0.0; BLOCK]; numbers], places }
    }

    /// Asks all conditions of the rows from `first` on, as many as a block or the
    /// columns have. Inlined, as all it is made of, into callers compiled for more
    /// than the least of processors.
    #[inline(always)]
    pub(crate) fn run(&self, columns: &[Vec<f64>], first: usize, answers: &mut Answers) {
        let slice = |column: &usize| {
            let column = &columns[*column][first..];
            &column[..column.len().min(BLOCK)]
        };
        let Answers { truths, numbers, places } = answers;
        for (at, part) in self.parts.iter().enumerate() {
            let place = |part: &usize| places[*part];
            if part.is_number() {
                // A part's operands stand before it.
                let (before, rest) = numbers.split_at_mut(places[at]);
                let (to, of) = (&mut rest[0], |part: &usize| &before[place(part)]);
                match part {
                    Part::Column(i) => to[..slice(i).len()].copy_from_slice(slice(i)),
                    Part::Negate(a) => each(to, of(a), |x| -x),
                    Part::Absolute(a) => each(to, of(a), f64::abs),
                    Part::Arithmetic(by, a, b) => {
                        for ((to, a), b) in to.iter_mut().zip(of(a)).zip(of(b)) {
                            *to = by.of(*a, *b);
                        }
                    }
                    Part::Counted(a) => {
                        for (to, row) in to.iter_mut().zip(0..) {
                            *to = (truths[place(a)][row / 64] >> (row % 64) & 1) as f64;
                        }
                    }
                    Part::Number(x) => to.fill(*x),
                    _ => unreachable!("the other parts are truths"),
                }
            } else {
                let (before, rest) = truths.split_at_mut(places[at]);
                let (to, of) = (&mut rest[0], |part: &usize| before[place(part)]);
                match part {
                    Part::Against(by, i, limit) => {
                        by_each!(by, words_against(slice(i), *limit, to));
                    }
                    Part::Known(i) => words(slice(i), to, |x| !x.is_nan()),
                    Part::Nonzero(a) => words(&numbers[place(a)], to, |x| x != 0.0),
                    Part::Compare(by, a, b) => {
                        let (a, b) = (&numbers[place(a)], &numbers[place(b)]);
                        by_each!(by, words_of_two(a, b, to));
                    }
                    Part::Not(a) => *to = of(a).map(|word| !word),
                    Part::And(a, b) => join(to, of(a), of(b), |a, b| a & b),
                    Part::Or(a, b) => join(to, of(a), of(b), |a, b| a | b),
                    _ => unreachable!("the other parts are numbers"),
                }
            }
        }
    }

    /// The word of each condition for 64 rows of the block asked last.
    #[inline(always)]
    pub(crate) fn words<'a>(
        &'a self,
        answers: &'a Answers,
        word: usize,
    ) -> impl Iterator<Item = u64> + 'a {
        self.roots.iter().map(move |&root| answers.truths[answers.places[root]][word])
    }
}

impl Part {
    fn is_number(self) -> bool {
        matches!(
            self,
            Self::Number(_)
                | Self::Column(_)
                | Self::Negate(_)
                | Self::Absolute(_)
                | Self::Arithmetic(..)
                | Self::Counted(_)
        )
    }
}

/// A bit for each row; none for rows beyond the last.
#[inline(always)]
fn words(rows: &[f64], to: &mut Truth, test: impl Fn(f64) -> bool) {
    to.fill(0);
    let (whole, rest) = rows.as_chunks::<64>();
    for (word, rows) in to.iter_mut().zip(whole) {
        *word = bits(|row| test(rows[row]));
    }
    for (row, &x) in rest.iter().enumerate() {
        to[whole.len()] |= u64::from(test(x)) << row;
    }
}

#[inline(always)]
fn words_against(rows: &[f64], limit: f64, to: &mut Truth, test: impl Fn(f64, f64) -> bool) {
    words(rows, to, |x| test(x, limit));
}

#[inline(always)]
fn words_of_two(a: &Numbers, b: &Numbers, to: &mut Truth, test: impl Fn(f64, f64) -> bool) {
    let pairs = a.as_chunks::<64>().0.iter().zip(b.as_chunks::<64>().0);
    for (word, (a, b)) in to.iter_mut().zip(pairs) {
        *word = bits(|row| test(a[row], b[row]));
    }
}

/// A bit for each of 64 rows.
#[inline(always)]
fn bits(test: impl Fn(usize) -> bool) -> u64 {
    let mut bytes = [0; 64];
    for (row, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from(test(row));
    }
    let mut word = 0;
    for (place, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        // Eight bytes of 0 or 1 side by side in the product's top byte.
        let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        word |= bits << (8 * place);
    }
    word
}

#[inline(always)]
fn each(to: &mut Numbers, from: &Numbers, of: impl Fn(f64) -> f64) {
    to.iter_mut().zip(from).for_each(|(to, &x)| *to = of(x));
}

#[inline(always)]
fn join(to: &mut Truth, a: Truth, b: Truth, of: impl Fn(u64, u64) -> u64) {
    to.iter_mut().zip(a).zip(b).for_each(|((to, a), b)| *to = of(a, b));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CONDITIONS: [&str; 9] = [
        "x >= 1",
        "x >= 1 and y < 2",
        "not y < 2 or x = 0",
        "abs(x - y) > 1 and x != y",
        "-x * 2 <= y / 3 + 1",
        "(x > 0) + (y > 0) = 1",
        "2 > x",
        "(x - y) and y",
        "x + 1 >= 1 and x + 1 >= 2",
    ];

    proptest! {
        #[test]
        fn a_program_holds_where_its_expressions_do(
            rows in prop::collection::vec((-3_i8..4, -3_i8..4, 0_u8..9), 1..2500),
        ) {
            let number = |x: i8, gap: bool| if gap { f64::NAN } else { f64::from(x) };
            let x: Vec<f64> = rows.iter().map(|r| number(r.0, r.2 == 0)).collect();
            let y: Vec<f64> = rows.iter().map(|r| number(r.1, r.2 == 1)).collect();
            let conditions: Vec<_> =
                CONDITIONS.iter().map(|c| Expression::condition(c).unwrap()).collect();
            let columns = [y.clone(), x.clone()];
            let program = Program::new(&conditions, &["y".into(), "x".into()]);
            let mut answers = program.answers();
            for first in (0..rows.len()).step_by(BLOCK) {
                program.run(&columns, first, &mut answers);
                for word in 0..WORDS {
                    let found: Vec<u64> = program.words(&answers, word).collect();
                    for (condition, found) in conditions.iter().zip(found) {
                        for bit in 0..64 {
                            let row = first + 64 * word + bit;
                            if row >= rows.len() {
                                continue;
                            }
                            let cells: Vec<&[f64]> = condition.names().iter()
                                .map(|n| if n == "x" { &x[row..=row] } else { &y[row..=row] })
                                .collect();
                            let mut holds = [false];
                            condition.holds(&cells, &mut holds);
                            prop_assert_eq!(found >> bit & 1 == 1, holds[0], "{} {}", condition, row);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn shared_parts_are_asked_once() {
        let both = ["x >= 1 and y < 2", "x >= 2 and y < 2", "x >= 1"];
        let conditions: Vec<_> = both.iter().map(|c| Expression::condition(c).unwrap()).collect();
        let program = Program::new(&conditions, &["x".into(), "y".into()]);
        let compared = program.parts.iter().filter(|p| matches!(p, Part::Against(..))).count();
        assert_eq!((compared, program.roots.len()), (3, 3));
    }
}
