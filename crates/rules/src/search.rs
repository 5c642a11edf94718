//! Typed searches behind untyped ones: the border at one search.

use crate::follow::{Follower, Record};
use crate::position::move_id;
use crate::{MoveId, Pos};
use evalsmith_core::{Position, Score};
use evalsmith_search::{Found, Limits, OnIteration, Ranked, Search};
use std::sync::atomic::AtomicBool;

/// Searches typed positions for whoever has untyped ones.
pub(crate) struct TypedSearch<P: Position, S> {
    search: S,
    follower: Follower<P>,
}

impl<P: Position, S: Search<P>> TypedSearch<P, S> {
    pub(crate) const fn new(search: S) -> Self {
        Self { search, follower: Follower::new() }
    }
}

/// A line of typed moves from a position on.
fn line<P: Position>(from: &P, moves: &[P::Move]) -> Vec<MoveId> {
    let mut position = from.clone();
    let mut line = Vec::with_capacity(moves.len());
    for &m in moves {
        line.push(move_id(&position, m));
        position = position.play(m);
    }
    line
}

fn found<P: Position>(root: &P, found: &Found<P::Move>) -> Found<MoveId> {
    Found {
        best: found.best.map(|m| move_id(root, m)),
        value: found.value,
        depth: found.depth,
        nodes: found.nodes,
        line: line(root, &found.line),
        cpu: found.cpu,
        wall: found.wall,
        complete: found.complete,
        stopped: found.stopped,
    }
}

fn ranked<P: Position>(root: &P, ranked: &Ranked<P::Move>) -> Ranked<MoveId> {
    let valued = |&(m, value): &(P::Move, Score)| (move_id(root, m), value);
    Ranked {
        moves: ranked.moves.iter().map(valued).collect(),
        lines: ranked.lines.iter().map(|moves| line(root, moves)).collect(),
        depth: ranked.depth,
        nodes: ranked.nodes,
        wall: ranked.wall,
    }
}

impl<P: Position, S: Search<P>> Search<Pos> for TypedSearch<P, S> {
    fn clear(&mut self) {
        self.search.clear();
    }

    fn search_with(
        &mut self,
        game: &Record,
        limits: &Limits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Found<MoveId>>,
    ) -> Found<MoveId> {
        let record = self.follower.follow(game);
        let root = record.position();
        let mut tell = |iteration: &Found<P::Move>| on_iteration(&found(root, iteration));
        found(root, &self.search.search_with(record, limits, stop, &mut tell))
    }

    fn search_untimed(
        &mut self,
        game: &Record,
        limits: &Limits,
        stop: &AtomicBool,
    ) -> Found<MoveId> {
        let record = self.follower.follow(game);
        found(record.position(), &self.search.search_untimed(record, limits, stop))
    }

    fn fixed_depth(&mut self, game: &Record, depth: u8) -> Found<MoveId> {
        let record = self.follower.follow(game);
        found(record.position(), &self.search.fixed_depth(record, depth))
    }

    fn quiet(&mut self, game: &Record) -> Found<MoveId> {
        let record = self.follower.follow(game);
        found(record.position(), &self.search.quiet(record))
    }

    fn rank_moves_with(
        &mut self,
        game: &Record,
        limits: &Limits,
        stop: &AtomicBool,
        on_iteration: OnIteration<'_, Ranked<MoveId>>,
    ) -> Ranked<MoveId> {
        let record = self.follower.follow(game);
        let root = record.position();
        let mut tell = |iteration: &Ranked<P::Move>| on_iteration(&ranked(root, iteration));
        ranked(root, &self.search.rank_moves_with(record, limits, stop, &mut tell))
    }

    fn levels(&self) -> Vec<u8> {
        self.search.levels()
    }

    fn search_at(&mut self, game: &Record, depth: u8, level: u8) -> Result<Found<MoveId>, String> {
        let record = self.follower.follow(game);
        Ok(found(record.position(), &self.search.search_at(record, depth, level)?))
    }
}
