//! Nodes a second: `cargo bench -p evalsmith-search`.
//!
//! A search that is repeated on a cleared searcher visits the same nodes every
//! time, so the throughput divan shows is nodes a second.

use divan::Bencher;
use divan::counter::ItemsCount;
use evalsmith_core::{
    Evaluate, Explanation, Game, GameRecord, Player, Position, Score, Side, Trivial, Window,
};
use evalsmith_malawi::Malawi;
use evalsmith_othello::{Board, Kernel, Move, Othello, with_best_kernel};
use evalsmith_search::{DEFAULT_TABLE_BYTES, Limits, SearchPlayer, Searcher};

fn main() {
    divan::main();
}

/// The difference in mobility: the cheapest function worth searching with.
struct Mobility;

impl<K: Kernel> Evaluate<Board<K>> for Mobility {
    type State = ();
    #[inline]
    fn start(&self, _position: &Board<K>) {}
    #[inline]
    fn advance(&self, _before: &Board<K>, _m: Move, _after: &Board<K>, _state: &()) {}
    #[inline]
    fn value(&self, position: &Board<K>, _state: &(), window: Window) -> Score {
        let count = |squares: u64| squares.count_ones() as i32;
        let difference = count(position.mobility()) - count(position.opponent_mobility());
        window.clamp(Score(100 * difference))
    }
    fn explain(&self, position: &Board<K>) -> Explanation {
        let total = self.value(position, &(), Window::FULL).log_odds().0;
        Explanation { total, terms: Vec::new() }
    }
}

fn run<G: Game, E: Evaluate<G::Position>>(
    bencher: Bencher<'_, '_>,
    game: &G,
    function: E,
    plies: usize,
    depth: u8,
    table_bytes: usize,
) {
    let mut record = GameRecord::new(game.start(), Side::First, game.max_plies());
    for i in 0..plies {
        let moves: Vec<_> = record.position().moves().collect();
        record.play(moves[(i * 7 + 3) % moves.len()]).expect("a listed move is legal");
    }
    let mut searcher = Searcher::new(function, table_bytes);
    let nodes = searcher.fixed_depth(&record, depth).nodes;
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| {
        searcher.clear();
        searcher.fixed_depth(&record, depth).nodes
    });
}

#[divan::bench(args = [0, DEFAULT_TABLE_BYTES])]
fn othello_trivial(bencher: Bencher<'_, '_>, table_bytes: usize) {
    let bencher = std::cell::Cell::new(Some(bencher));
    let take = || bencher.take().expect("one kernel runs");
    with_best_kernel(
        |game| run(take(), &game, Trivial, 12, 9, table_bytes),
        |game| run(take(), &game, Trivial, 12, 9, table_bytes),
    );
}

#[divan::bench(args = [0, DEFAULT_TABLE_BYTES])]
fn othello_mobility(bencher: Bencher<'_, '_>, table_bytes: usize) {
    let bencher = std::cell::Cell::new(Some(bencher));
    let take = || bencher.take().expect("one kernel runs");
    with_best_kernel(
        |game| run(take(), &game, Mobility, 12, 8, table_bytes),
        |game| run(take(), &game, Mobility, 12, 8, table_bytes),
    );
}

#[divan::bench]
fn othello_trivial_portable(bencher: Bencher<'_, '_>) {
    run(bencher, &Othello::new(), Trivial, 12, 9, DEFAULT_TABLE_BYTES);
}

#[divan::bench]
fn malawi_trivial(bencher: Bencher<'_, '_>) {
    run(bencher, &Malawi, Trivial, 6, 5, DEFAULT_TABLE_BYTES);
}

/// Searches of one ply, as a player at depth 1 asks for them: what a search
/// costs before and after its nodes.
#[divan::bench]
fn othello_one_ply_moves(bencher: Bencher<'_, '_>) {
    let game = Othello::new();
    let record = GameRecord::new(game.start(), Side::First, game.max_plies());
    let mut player = SearchPlayer::new("one ply", Searcher::new(Trivial, 0), Limits::depth(1));
    bencher.bench_local(|| player.choose(&record));
}
