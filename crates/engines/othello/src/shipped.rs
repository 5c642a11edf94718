//! What the engine ships with: patterns, the error model of Multi-ProbCut and an opening
//! book. `models/README.md` describes how each of them was made.
//!
//! The embedded patterns are `models/othello-patterns.safetensors` without the counts of
//! positions behind each weight, which play never reads, compressed by zstd. The weights
//! are equal bit for bit.
//!
//! ```
//! use evalsmith_core::Game;
//! use evalsmith_engine_othello::{Engine, Limits, Watch};
//! use evalsmith_othello::Othello;
//!
//! let mut engine = Engine::shipped(16, 1);
//! let thought = engine.think(&Othello::new().start(), Limits::depth(6), &Watch::new(), |_| {});
//! assert_eq!(thought.depth, 6);
//! ```

use crate::book::Book;
use crate::engine::Engine;
use crate::probcut::ProbCut;
use crate::solver::Solver;
use crate::squares::SquareJudge;
use evalsmith_core::Game;
use evalsmith_learn::{PatternFile, PatternTables, Unit};
use evalsmith_othello::Othello;
use std::sync::LazyLock;

const PATTERNS: &[u8] = include_bytes!("../../../../models/othello-patterns.zst");
const PROBCUT: &str = include_str!("../../../../models/othello-patterns.probcut");
const BOOK: &[u8] = include_bytes!("../../../../models/othello.book");

/// Room for the decompressed patterns; what they leave of it is never touched.
const MOST_BYTES: usize = 32 << 20;

/// The digest of the shipped patterns' weights, as [`PatternFunction::digest`] gives it; it
/// tells in every record by which function games were played and positions valued.
///
/// [`PatternFunction::digest`]: evalsmith_learn::PatternFunction::digest
pub const DIGEST: &str = "c2e905f898b2ce37";

/// Every `expect` below is about an embedded file.
const TESTED: &str = "a test opens the embedded file";

/// The model file of the shipped patterns, decompressed anew at every call. It has no
/// counts of positions.
pub fn pattern_file() -> PatternFile {
    let bytes = zstd::bulk::decompress(PATTERNS, MOST_BYTES).expect(TESTED);
    PatternFile::from_bytes(&bytes, "the shipped patterns").expect(TESTED)
}

/// The shipped patterns, opened once for the whole process. Clones share their weights.
pub fn patterns() -> &'static SquareJudge {
    static OPENED: LazyLock<SquareJudge> = LazyLock::new(|| {
        let model = pattern_file().model;
        let atoms = Othello::new().atoms().expect("the squares are atoms");
        let sets = model.set(&atoms.names(), &atoms.ranges(), &atoms.symmetries());
        let (set, sparse) = sets.expect(TESTED);
        let tables = PatternTables::new(&model, &set, &sparse).expect(TESTED);
        let Unit::Margin { per_logit } = model.unit() else { unreachable!("{TESTED}") };
        SquareJudge::of_patterns(&model, &set, &tables, per_logit).expect(TESTED)
    });
    &OPENED
}

/// How far shallow searches with the shipped patterns differ from deep ones.
pub fn probcut() -> &'static ProbCut {
    static OPENED: LazyLock<ProbCut> = LazyLock::new(|| PROBCUT.parse().expect(TESTED));
    &OPENED
}

/// The shipped opening book.
pub fn book() -> Book {
    Book::read(BOOK).expect(TESTED)
}

impl Engine<SquareJudge> {
    /// The engine as it plays: the shipped patterns and error model, and corner
    /// quiescence. It has this many threads and tables of at most `table_mib` MiB
    /// together, smaller where the system refuses the memory.
    pub fn shipped(table_mib: usize, threads: usize) -> Self {
        Self::with_judge(table_mib, threads, patterns().clone(), probcut().clone())
            .corner_quiescence(true)
    }
}

impl Solver<SquareJudge> {
    /// A solver with the shipped patterns and error model; sizes as for
    /// [`with_judge`](Solver::with_judge).
    pub fn shipped(table_mib: usize, threads: usize) -> Self {
        Self::with_judge(table_mib, threads, patterns().clone(), probcut().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{DISC, Judge};
    use evalsmith_learn::PatternFunction;
    use std::path::Path;

    #[test]
    fn embedded_weights_are_those_of_the_full_file() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../models");
        let full = PatternFile::load(&Path::new(path).join("othello-patterns.safetensors"));
        let (full, embedded) = (full.unwrap(), pattern_file());
        assert_eq!((&embedded.game, &embedded.made_by), (&full.game, &full.made_by));
        let (ours, theirs) = (&embedded.model, &full.model);
        assert!(ours.counts_of(0).is_none() && theirs.counts_of(0).is_some());
        assert_eq!(ours.plan(), theirs.plan());
        assert_eq!((ours.groups(), ours.unit()), (theirs.groups(), theirs.unit()));
        let bits = |scales: &[f32]| scales.iter().map(|s| s.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(ours.scales()), bits(theirs.scales()));
        // Not assert_eq: it would print millions of numbers.
        assert!(ours.steps() == theirs.steps());
    }

    #[test]
    fn the_digest_is_that_of_the_embedded_weights() {
        let function = PatternFunction::open(&Othello::new(), pattern_file()).unwrap();
        assert_eq!(function.digest(), DIGEST);
    }

    #[test]
    fn clones_of_the_patterns_share_their_weights_and_terms_add_up() {
        let (judge, other) = (patterns(), patterns().clone());
        assert!(judge.shares_weights_with(&other));
        let board = Othello::new().start();
        let sum: f64 = judge.explain(&board).iter().map(|term| term.discs).sum();
        let value = f64::from(other.value(&board, board.mobility())) / f64::from(DISC);
        assert!((sum - value).abs() < 0.1, "{sum} for {value}");
    }

    #[test]
    fn error_model_and_book_survive_being_written() {
        assert_eq!(probcut().to_string().parse(), Ok(probcut().clone()));
        assert_eq!(book().to_bytes(), BOOK);
    }
}
