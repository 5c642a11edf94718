//! A search as a value, whatever evaluates its positions.

use crate::{Found, Limits, Ranked, Searcher};
use evalsmith_core::{Evaluate, GameRecord, Position, Score};
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

/// Called with the result of every finished iteration; a break ends the search with it.
pub type OnIteration<'a, T> = &'a mut dyn FnMut(&T) -> ControlFlow<()>;

/// A search of one thread. [`Searcher`] is one; its methods of the same names say what
/// each does.
pub trait Search<P: Position>: Send {
    /// See [`Searcher::clear`].
    fn clear(&mut self);

    /// See [`Searcher::search_with`].
    fn search_with(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Found<P::Move>>,
    ) -> Found<P::Move>;

    /// As [`search`](Search::search), without measuring time unless it is limited.
    fn search_untimed(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Found<P::Move>;

    /// See [`Searcher::fixed_depth`].
    fn fixed_depth(&mut self, game: &GameRecord<P>, depth: u8) -> Found<P::Move>;

    /// See [`Searcher::quiet`].
    fn quiet(&mut self, game: &GameRecord<P>) -> Found<P::Move>;

    /// See [`Searcher::rank_moves_with`].
    fn rank_moves_with(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Ranked<P::Move>>,
    ) -> Ranked<P::Move>;

    /// How sure a search that leaves lines out can be of what it leaves out, in percent,
    /// from the boldest up. At 100 nothing is left out. None where it never leaves any out.
    fn levels(&self) -> Vec<u8> {
        Vec::new()
    }

    /// A search to a depth at one of the [`levels`](Search::levels). The result depends on
    /// the position, depth and level alone, never on earlier searches.
    ///
    /// # Errors
    /// When the search has no such level, or does not take the position, in words.
    fn search_at(
        &mut self,
        _game: &GameRecord<P>,
        _depth: u8,
        _level: u8,
    ) -> Result<Found<P::Move>, String> {
        Err("this search leaves no lines out".to_owned())
    }

    /// See [`Searcher::rank_moves`].
    fn rank_moves(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Vec<(P::Move, Score)> {
        self.rank_moves_with(game, limits, stop, &mut |_| ControlFlow::Continue(())).moves
    }

    /// See [`Searcher::search`].
    fn search(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Found<P::Move> {
        self.search_with(game, limits, stop, &mut |_| ControlFlow::Continue(()))
    }
}

impl<P: Position, E: Evaluate<P>> Search<P> for Searcher<P, E> {
    fn clear(&mut self) {
        Self::clear(self);
    }
    fn search_with(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Found<P::Move>>,
    ) -> Found<P::Move> {
        Self::search_with(self, game, limits, stop, on_iteration)
    }
    fn search_untimed(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Found<P::Move> {
        Self::search_untimed(self, game, limits, stop)
    }
    fn fixed_depth(&mut self, game: &GameRecord<P>, depth: u8) -> Found<P::Move> {
        Self::fixed_depth(self, game, depth)
    }
    fn quiet(&mut self, game: &GameRecord<P>) -> Found<P::Move> {
        Self::quiet(self, game)
    }
    fn rank_moves_with(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Ranked<P::Move>>,
    ) -> Ranked<P::Move> {
        Self::rank_moves_with(self, game, limits, stop, on_iteration)
    }
}

impl<P: Position, S: Search<P> + ?Sized> Search<P> for Box<S> {
    fn clear(&mut self) {
        (**self).clear();
    }
    fn search_with(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Found<P::Move>>,
    ) -> Found<P::Move> {
        (**self).search_with(game, limits, stop, on_iteration)
    }
    fn search_untimed(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Found<P::Move> {
        (**self).search_untimed(game, limits, stop)
    }
    fn fixed_depth(&mut self, game: &GameRecord<P>, depth: u8) -> Found<P::Move> {
        (**self).fixed_depth(game, depth)
    }
    fn quiet(&mut self, game: &GameRecord<P>) -> Found<P::Move> {
        (**self).quiet(game)
    }
    fn rank_moves_with(
        &mut self,
        game: &GameRecord<P>,
        limits: &Limits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Ranked<P::Move>>,
    ) -> Ranked<P::Move> {
        (**self).rank_moves_with(game, limits, stop, on_iteration)
    }
    fn levels(&self) -> Vec<u8> {
        (**self).levels()
    }
    fn search_at(
        &mut self,
        game: &GameRecord<P>,
        depth: u8,
        level: u8,
    ) -> Result<Found<P::Move>, String> {
        (**self).search_at(game, depth, level)
    }
}
