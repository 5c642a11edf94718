//! Estimates by any patterns of squares, fitted elsewhere, with their own weights for
//! every number of discs.
//!
//! The index of a pattern is a number in base three: its own discs count one, the
//! opponent's two. So the indices of all patterns are `a + 2 b`, where `a` is a sum
//! over the mover's discs and `b` over the opponent's. Both are looked up four squares
//! at a time, in rows that hold every pattern's share: 32 additions of rows for a
//! board, whatever stands on it, a few vector instructions each.

mod fitted;

use crate::judge::{DISC, Judge, OfChildren, Term};
use crate::zeroed;
use evalsmith_othello::{Board, Kernel};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Patterns there is room for.
const LANES: usize = 56;
/// Squares looked up at a time.
const AT_ONCE: usize = 4;

/// One number for every pattern, four to a word. Indices stay below 3^10, so adding
/// words adds the numbers: nothing is carried from one to the next.
type Row = [u64; LANES / IN_WORD];
/// Weights of a group that there is room for, and a zero.
const ROOM: usize = 1 << 20;
/// Three more, as the kernel's sums want it.
type Group = [i8; ROOM + 3];
/// The coarsest step of a weight in discs: far below what a position's weights are off
/// together, and bytes lie closer in the caches than wider numbers. So weights of more
/// than 16 discs, about a hundred of a group's, are cut.
const COARSEST: f32 = 0.125;
/// Numbers in a word.
const IN_WORD: usize = 4;

/// What a [`SquareJudge`] is made of.
#[derive(Clone, Debug)]
pub struct SquareTables<'w> {
    /// The squares of every instance of a pattern, the one that counts least first.
    pub instances: Vec<Vec<u8>>,
    /// What each instance is called.
    pub names: Vec<String>,
    /// Where the weights of each instance begin.
    pub bases: Vec<u32>,
    /// The smallest and largest difference of moves with a weight, and where those
    /// weights begin.
    pub moves: Option<(i16, i16, u32)>,
    /// The weights of one group, groups one after the other.
    pub weights: Cow<'w, [i16]>,
    /// The group of each number of discs.
    pub group_of_discs: [u8; 65],
    /// What a step of a weight is worth in each group, in discs.
    pub discs_a_step: Vec<f32>,
}

/// Why tables make no judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(&'static str);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Unfit {}

/// The judge by such tables.
#[derive(Clone, Debug)]
pub struct SquareJudge {
    /// Names and squares, for explaining.
    instances: Vec<(String, u64)>,
    rows: Box<[[Row; 1 << AT_ONCE]; 64 / AT_ONCE]>,
    /// The share of each square alone.
    squares: Box<[Row; 64]>,
    /// Where the weights of each pattern begin; lanes without one look at a zero.
    bases: [[u32; IN_WORD]; LANES / IN_WORD],
    moves: Option<(i32, i32, usize)>,
    groups: Arc<Box<[Group]>>,
    group_of_discs: [u8; 65],
    scales: Vec<f32>,
}

impl SquareJudge {
    /// Takes tables over.
    ///
    /// # Errors
    /// When there are more patterns than fit, one names a square twice or none, or an
    /// index could point beyond its weights.
    pub fn new(tables: SquareTables<'_>) -> Result<Self, Unfit> {
        let SquareTables { instances, names, bases, moves, weights, group_of_discs, discs_a_step } =
            tables;
        if instances.len() > LANES {
            return Err(Unfit("there are more patterns than fit"));
        }
        if instances.len() != bases.len() || instances.len() != names.len() {
            return Err(Unfit("a pattern has no name or no weights"));
        }
        let groups = discs_a_step.len();
        if groups == 0 || group_of_discs.iter().any(|&group| usize::from(group) >= groups) {
            return Err(Unfit("a number of discs has no weights"));
        }
        let stride = weights.len() / groups;
        if stride == 0 || stride >= ROOM {
            return Err(Unfit("there are more weights than fit"));
        }
        let mut rows: Box<[[Row; 1 << AT_ONCE]; 64 / AT_ONCE]> =
            vec![[[0; LANES / IN_WORD]; 1 << AT_ONCE]; 64 / AT_ONCE]
                .into_boxed_slice()
                .try_into()
                .expect("as many as were asked for");
        let mut named = Vec::with_capacity(names.len());
        for (lane, ((squares, &base), name)) in instances.iter().zip(&bases).zip(names).enumerate()
        {
            let mut seen = 0_u64;
            let mut power = 1_u32;
            for &square in squares {
                if square > 63 || seen >> square & 1 != 0 || power > 3_u32.pow(9) {
                    return Err(Unfit("a pattern is no set of up to ten squares"));
                }
                seen |= 1 << square;
                let (part, bit) = (usize::from(square) / AT_ONCE, usize::from(square) % AT_ONCE);
                for (bits, row) in rows[part].iter_mut().enumerate() {
                    let share = (bits >> bit & 1) as u64 * u64::from(power);
                    row[lane / IN_WORD] += share << (16 * (lane % IN_WORD));
                }
                power *= 3;
            }
            if base as usize + power as usize > stride {
                return Err(Unfit("a pattern has fewer weights than states"));
            }
            named.push((name, seen));
        }
        let moves = match moves {
            None => None,
            Some((low, high, base)) => {
                let (low, high) = (i32::from(low), i32::from(high));
                if low > high || base as usize + (high - low) as usize >= stride {
                    return Err(Unfit("a difference of moves has no weight"));
                }
                Some((low, high, base as usize))
            }
        };
        let alone = |square: usize| rows[square / AT_ONCE][1 << (square % AT_ONCE)];
        let squares = Box::new(std::array::from_fn(alone));
        // Lanes without a pattern look at the zero behind the last weight.
        let base = |lane: usize| bases.get(lane).copied().unwrap_or(stride as u32);
        let bases = std::array::from_fn(|word| std::array::from_fn(|i| base(IN_WORD * word + i)));
        let mut tables = zeroed::exactly::<Group>(groups).map_err(|_| Unfit("memory is short"))?;
        let mut scales = Vec::with_capacity(groups);
        let of_group = weights.chunks_exact(stride).zip(discs_a_step);
        for (table, (steps, discs_a_step)) in tables.iter_mut().zip(of_group) {
            let most = steps.iter().map(|step| step.unsigned_abs()).max().unwrap_or(0);
            let most = f32::from(most) * discs_a_step;
            let discs = (most / f32::from(i8::MAX)).clamp(f32::MIN_POSITIVE, COARSEST);
            for (byte, &step) in table.iter_mut().zip(steps) {
                // To the nearest: what is cut off is cut towards zero, and what is beyond
                // the type becomes its greatest or least value.
                let steps = f32::from(step) * discs_a_step / discs;
                *byte = (steps + 0.5_f32.copysign(steps)) as i8;
            }
            scales.push(discs * DISC as f32);
        }
        let groups = Arc::new(tables);
        Ok(Self { instances: named, rows, squares, bases, moves, groups, group_of_discs, scales })
    }

    #[cfg(test)]
    pub(crate) fn shares_weights_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.groups, &other.groups)
    }

    #[inline(always)]
    fn sum(&self, set: u64) -> Row {
        let mut sum: Row = [0; LANES / IN_WORD];
        for (part, rows) in self.rows.iter().enumerate() {
            add(&mut sum, &rows[(set >> (AT_ONCE * part)) as usize & ((1 << AT_ONCE) - 1)]);
        }
        sum
    }

    /// What the value of a position is made of: the patterns, and the moves where they
    /// have a weight. The terms add up to the value but for its rounding.
    pub fn explain<K: Kernel>(&self, board: &Board<K>) -> Vec<Term> {
        let indices = indices(self.sum(board.own()), &self.sum(board.opp()));
        let group = self.group(board);
        let weights = &self.groups[group];
        let discs =
            |weight: i8| f64::from(weight) * f64::from(self.scales[group]) / f64::from(DISC);
        let mut terms: Vec<Term> = Vec::with_capacity(self.instances.len() + 1);
        for (lane, (name, squares)) in self.instances.iter().enumerate() {
            let index = (indices[lane / IN_WORD] >> (16 * (lane % IN_WORD))) as u16;
            let weight = weights[self.bases.as_flattened()[lane] as usize + usize::from(index)];
            terms.push(Term { name: name.clone(), squares: *squares, discs: discs(weight) });
        }
        if let Some(place) = self.place_of_moves(board, board.mobility()) {
            let name = "difference of moves".to_owned();
            terms.push(Term { name, squares: 0, discs: discs(weights[place]) });
        }
        terms
    }

    #[inline(always)]
    fn group<K: Kernel>(&self, board: &Board<K>) -> usize {
        usize::from(self.group_of_discs[64 - board.empty().count_ones() as usize])
    }

    /// Where the weight of the difference of moves stands, if there is one.
    #[inline(always)]
    fn place_of_moves<K: Kernel>(&self, board: &Board<K>, moves: u64) -> Option<usize> {
        let (low, high, base) = self.moves?;
        let theirs = board.opponent_mobility().count_ones() as i32;
        let difference = (moves.count_ones() as i32 - theirs).clamp(low, high);
        Some(base + (difference - low) as usize)
    }

    /// What the patterns with these indices say, and the moves.
    #[inline(always)]
    fn weigh<K: Kernel>(&self, indices: &Row, board: &Board<K>, moves: u64) -> i32 {
        let group = self.group(board);
        let weights = &self.groups[group];
        let mut sum = board.kernel().sum_at(weights, &self.bases, indices);
        if let Some(place) = self.place_of_moves(board, moves) {
            sum += i32::from(weights[place & (ROOM - 1)]);
        }
        (sum as f32 * self.scales[group]) as i32
    }
}

#[inline(always)]
fn add(sum: &mut Row, row: &Row) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum += x;
    }
}

/// The indices of a position whose own discs add up to the first row, and its
/// opponent's to the second.
#[inline(always)]
fn indices(own: Row, opp: &Row) -> Row {
    let mut indices = own;
    add(&mut indices, opp);
    add(&mut indices, opp);
    indices
}

impl Judge for SquareJudge {
    #[inline(always)]
    fn value<K: Kernel>(&self, board: &Board<K>, moves: u64) -> i32 {
        self.weigh(&indices(self.sum(board.own()), &self.sum(board.opp())), board, moves)
    }

    #[inline(always)]
    fn of_children<K: Kernel>(&self, parent: &Board<K>) -> impl OfChildren<K> {
        let (own, opp) = (self.sum(parent.own()), self.sum(parent.opp()));
        SquareChildren { judge: self, seen: indices(own, &opp), passed: indices(opp, &own) }
    }
}

/// Judges children by what a move changes: seen by the opponent, a flipped disc goes
/// from one to two, and an empty square from none to two.
#[derive(Clone, Debug)]
struct SquareChildren<'j> {
    judge: &'j SquareJudge,
    /// The indices of the parent for its mover.
    seen: Row,
    /// The indices of the parent for its opponent.
    passed: Row,
}

impl SquareChildren<'_> {
    /// The sum of what flipped discs add to the indices.
    #[inline(always)]
    fn flipped(&self, mut flips: u64) -> Row {
        let mut sum: Row = [0; LANES / IN_WORD];
        while flips != 0 {
            add(&mut sum, &self.judge.squares[flips.trailing_zeros() as usize & 63]);
            flips &= flips - 1;
        }
        sum
    }

    /// The indices of a child for its mover.
    #[inline(always)]
    fn child(&self, square: u8, flipped: &Row) -> Row {
        let placed = &self.judge.squares[usize::from(square & 63)];
        let mut indices = self.passed;
        add(&mut indices, placed);
        add(&mut indices, placed);
        add(&mut indices, flipped);
        indices
    }
}

impl<K: Kernel> OfChildren<K> for SquareChildren<'_> {
    #[inline(always)]
    fn value(&self, square: u8, flips: u64, child: &Board<K>, moves: u64) -> i32 {
        self.judge.weigh(&self.child(square, &self.flipped(flips)), child, moves)
    }

    #[inline(always)]
    fn after(&self, square: u8, flips: u64) -> Self {
        let flipped = self.flipped(flips);
        let seen = self.child(square, &flipped);
        // For the parent's mover the child is what the parent was, with one more disc and
        // flipped ones that count one instead of two.
        let mut passed = self.seen;
        add(&mut passed, &self.judge.squares[usize::from(square & 63)]);
        for (passed, flipped) in passed.iter_mut().zip(&flipped) {
            *passed -= flipped;
        }
        Self { judge: self.judge, seen, passed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{Game, Position, rng};
    use evalsmith_othello::{Move, Othello};
    use rand::RngExt;

    fn tables() -> SquareTables<'static> {
        // A row, a corner and the other way round a corner, and two groups.
        let instances = vec![(0..8).collect(), vec![0, 1, 8, 9], vec![63, 62, 55, 54, 7, 3]];
        let stride = 6561 + 81 + 729 + 9;
        let weights = (0..2 * stride).map(|i| ((i * 7919) % 255) as i16 - 127).collect();
        let mut group_of_discs = [0; 65];
        group_of_discs[30..].fill(1);
        SquareTables {
            instances,
            names: ["row", "corner", "other corner"].map(String::from).to_vec(),
            bases: vec![0, 6561, 6561 + 81],
            moves: Some((-4, 4, 6561 + 81 + 729)),
            weights,
            group_of_discs,
            discs_a_step: vec![0.0625, 0.125],
        }
    }

    /// Square by square.
    fn slowly<K: Kernel>(tables: &SquareTables<'_>, board: &Board<K>) -> f32 {
        let discs = 64 - board.empty().count_ones() as usize;
        let group = usize::from(tables.group_of_discs[discs]);
        let weights = &tables.weights[group * (tables.weights.len() / 2)..];
        let mut sum = 0;
        for (squares, &base) in tables.instances.iter().zip(&tables.bases) {
            let digit = |&s: &u8| (board.own() >> s & 1) + 2 * (board.opp() >> s & 1);
            let state = squares.iter().rev().fold(0, |state, s| 3 * state + digit(s));
            sum += i32::from(weights[base as usize + state as usize]);
        }
        let moves = board.mobility().count_ones() as i32;
        let moves = moves - board.opponent_mobility().count_ones() as i32;
        let (low, high, base) = tables.moves.expect("there is one");
        let place = moves.clamp(low.into(), high.into()) - i32::from(low);
        sum += i32::from(weights[base as usize + place as usize]);
        sum as f32 * tables.discs_a_step[group] * DISC as f32
    }

    fn agree<K: Kernel>(one: &impl OfChildren<K>, other: &impl OfChildren<K>, board: &Board<K>) {
        for m in board.moves().filter(|&m| m != Move::PASS) {
            let child = board.play(m);
            let flips = board.kernel().flips(board.own(), board.opp(), m.0);
            let moves = child.mobility();
            let value = one.value(m.0, flips, &child, moves);
            assert_eq!(value, other.value(m.0, flips, &child, moves), "{child:?}");
        }
    }

    #[test]
    fn rows_add_up_to_what_squares_say() {
        let judge = SquareJudge::new(tables()).expect("they fit");
        for game in 0..20 {
            let mut random = rng::stream(5, "squares", game);
            let mut board = Othello::new().start();
            while board.outcome().is_none() {
                let (found, slow) =
                    (judge.value(&board, board.mobility()), slowly(&tables(), &board));
                assert!((found as f32 - slow).abs() <= 1.0, "{found} for {slow}");
                let terms = judge.explain(&board);
                let sum: f64 = terms.iter().map(|term| term.discs * f64::from(DISC)).sum();
                assert!((sum - f64::from(found)).abs() <= 1.0, "{sum} for {found}");
                assert_eq!((terms[0].squares, terms.len()), (0xFF, 4));
                let children = judge.of_children(&board);
                let mut moves = board.mobility();
                while moves != 0 {
                    let square = moves.trailing_zeros() as u8;
                    moves &= moves - 1;
                    let flips = board.kernel().flips(board.own(), board.opp(), square);
                    let child = board.placed(square, flips);
                    let replies = child.mobility();
                    let of_child = children.value(square, flips, &child, replies);
                    assert_eq!(of_child, judge.value(&child, replies), "{child:?}");
                    let after = children.after(square, flips);
                    agree(&after, &judge.of_children(&child), &child);
                    for reply in child.moves().filter(|&reply| reply != Move::PASS) {
                        let flips = child.kernel().flips(child.own(), child.opp(), reply.0);
                        let grandchild = child.play(reply);
                        let after = after.after(reply.0, flips);
                        agree(&after, &judge.of_children(&grandchild), &grandchild);
                    }
                }
                drop(children);
                let moves: Vec<_> = board.moves().collect();
                board = board.play(moves[random.random_range(0..moves.len())]);
            }
        }
    }

    #[test]
    fn weights_are_rounded_to_bytes_and_only_the_largest_are_cut() {
        let start = Othello::new().start();
        // The row's weight where it is empty, as it is at the start, in discs.
        let told = |steps: i16, largest: i16| {
            let mut tables = tables();
            let weights = tables.weights.to_mut();
            weights.fill(0);
            (weights[0], weights[7]) = (steps, largest);
            tables.discs_a_step.fill(0.001);
            SquareJudge::new(tables).expect("they fit").explain(&start)[0].discs
        };
        for steps in [-30_000_i16, -15_000, -777, -1, 0, 63, 8123, 12_000, 15_874, 16_000, 32_767] {
            let discs = f64::from(steps) * 0.001;
            let cut = discs.clamp(-16.0, 15.875);
            assert!((told(steps, 20_000) - cut).abs() <= 0.0626, "{discs}");
        }
        // Where no weight is large, steps are finer.
        assert!((told(77, 127) - 0.077).abs() < 1e-5);
    }

    #[test]
    fn what_could_point_beyond_its_weights_is_refused() {
        let spoil = |spoil: fn(&mut SquareTables<'static>)| {
            let mut tables = tables();
            spoil(&mut tables);
            SquareJudge::new(tables).is_err()
        };
        assert!(!spoil(|_| ()));
        assert!(spoil(|t| t.bases[1] += 8000));
        assert!(spoil(|t| t.instances[0] = vec![3, 3]));
        assert!(spoil(|t| t.instances[0] = vec![64]));
        assert!(spoil(|t| t.instances[0] = (0..11).collect()));
        assert!(spoil(|t| {
            t.instances = vec![vec![0]; LANES + 1];
            t.names = vec![String::new(); LANES + 1];
            t.bases = vec![0; LANES + 1];
        }));
        assert!(spoil(|t| t.names.truncate(2)));
        assert!(spoil(|t| t.moves = Some((-4, 4000, 0x1000))));
        assert!(spoil(|t| t.weights.to_mut().resize(2 * ROOM, 0)));
        assert!(spoil(|t| t.weights.to_mut().clear()));
        assert!(spoil(|t| t.discs_a_step.truncate(1)));
    }
}
