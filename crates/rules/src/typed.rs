//! Any game behind the untyped view.

use crate::atoms::DynAtoms;
use crate::batch::{self, BadRow, Lines, Look};
use crate::follow::untyped_record;
use crate::function::Opens;
use crate::game::Rules;
use crate::match_game::{self, MatchGameConfig, MatchSeat, MatchTable};
use crate::position::{move_id, typed_move};
use crate::replay::{Replay, TypedReplay};
use crate::windows::{self, WindowError, WindowReport};
use crate::{DynFeatures, DynGame, MoveId, Pos, Record, walks};
use evalsmith_core::rng::Rng;
use evalsmith_core::{
    Atoms, Defaults, Dialect, FindMate, Game, Malformed, Picture, Position, Protocol, Side, Solve,
    Solved, Symmetry, Way, canonical_key, perft_by_bulk,
};
use evalsmith_learn::Tree;
use std::sync::{Arc, OnceLock};

/// A game that still knows its type.
pub(crate) struct Typed<G: Game> {
    game: G,
    /// The game's symmetries, once they were needed.
    symmetries: OnceLock<Vec<Symmetry<G::Position>>>,
}

impl<G: Game> Typed<G> {
    pub(crate) const fn new(game: G) -> Self {
        Self { game, symmetries: OnceLock::new() }
    }

    fn known_symmetries(&self) -> &[Symmetry<G::Position>] {
        self.symmetries.get_or_init(|| self.game.symmetries())
    }
}

impl<G: Game> Rules for Typed<G> {
    fn name(&self) -> &str {
        self.game.name()
    }
    fn stages(&self) -> usize {
        self.game.stages()
    }
    fn start(&self) -> Pos {
        Pos::new(self.game.start())
    }
    fn features(&self) -> DynFeatures {
        DynFeatures::new::<G::Position, _>(self.game.features())
    }
    fn all_features(&self) -> Vec<String> {
        self.game.all_features()
    }
    fn with_features(&self, names: &[String]) -> Option<DynGame> {
        self.game.with_features(names).map(DynGame::new)
    }
    fn max_plies(&self) -> usize {
        self.game.max_plies()
    }
    fn format_move(&self, position: &Pos, m: MoveId) -> String {
        let position = position.typed();
        self.game.format_move(position, typed_move(position, m))
    }
    fn append_move(&self, position: &Pos, m: MoveId, text: &mut String) {
        let position = position.typed();
        self.game.append_move(position, typed_move(position, m), text);
    }
    fn parse_move(&self, position: &Pos, text: &str) -> Result<MoveId, Malformed> {
        let position = position.typed();
        Ok(move_id(position, self.game.parse_move(position, text)?))
    }
    fn format(&self, position: &Pos, to_move: Side) -> String {
        self.game.format(position.typed(), to_move)
    }
    fn parse(&self, text: &str) -> Result<(Pos, Side), Malformed> {
        let (position, side) = self.game.parse(text)?;
        Ok((Pos::new(position), side))
    }
    fn draw(&self, position: &Pos, to_move: Side) -> String {
        self.game.draw(position.typed(), to_move)
    }
    fn picture(&self, position: &Pos, to_move: Side) -> Option<Picture> {
        self.game.picture(position.typed(), to_move)
    }
    fn way(&self, position: &Pos, m: MoveId) -> Way {
        let position = position.typed();
        self.game.way(position, typed_move(position, m))
    }
    fn set_up(&self, picture: &Picture, to_move: Side) -> Result<Pos, Malformed> {
        Ok(Pos::new(self.game.set_up(picture, to_move)?))
    }
    fn pack(&self, position: &Pos, to_move: Side) -> Vec<u8> {
        self.game.pack(position.typed(), to_move)
    }
    fn append_packed(&self, position: &Pos, to_move: Side, bytes: &mut Vec<u8>) {
        self.game.append_packed(position.typed(), to_move, bytes);
    }
    fn unpack(&self, bytes: &[u8]) -> Result<(Pos, Side), Malformed> {
        let (position, side) = self.game.unpack(bytes)?;
        Ok((Pos::new(position), side))
    }
    fn defaults(&self) -> Defaults {
        self.game.defaults()
    }
    fn side_names(&self) -> [&str; 2] {
        self.game.side_names()
    }
    fn margin_unit(&self) -> Option<&str> {
        self.game.margin_unit()
    }
    fn hand_weights(&self) -> Option<Vec<f64>> {
        self.game.hand_weights()
    }
    fn symmetries(&self) -> Vec<Symmetry<Pos>> {
        self.game.symmetries().into_iter().map(symmetry).collect()
    }
    fn atoms(&self) -> Option<Box<dyn Atoms<Pos>>> {
        let atoms = self.game.atoms()?;
        Some(Box::new(DynAtoms::<G::Position, _>::new(atoms)))
    }
    fn solver(&self) -> Option<Box<dyn Solve<Pos>>> {
        Some(Box::new(DynSolver(self.game.solver()?)))
    }
    fn mate_search(&self) -> Option<FindMate<Pos>> {
        let find = self.game.mate_search()?;
        Some(Arc::new(move |position: &Pos, nodes| {
            let position = position.typed::<G::Position>();
            Some(move_id(position, find(position, nodes)?))
        }))
    }
    fn dialect(&self, protocol: Protocol) -> Option<Box<dyn Dialect<Pos>>> {
        Some(Box::new(DynDialect(self.game.dialect(protocol)?)))
    }
    fn may_declare_win(&self, position: &Pos) -> bool {
        self.game.may_declare_win(position.typed())
    }
    fn perft_table(&self) -> &[u64] {
        self.game.perft_table()
    }
    fn perft(&self, depth: u32) -> u64 {
        perft_by_bulk(&self.game.start(), depth)
    }
    fn functions(&self) -> &dyn Opens {
        &self.game
    }
    fn features_of(&self, rows: &[&[u8]], look: Look<'_>, out: &mut Lines) -> Result<(), BadRow> {
        batch::features(&self.game, rows, look, out)
    }
    fn canonical_keys(&self, rows: &[&[u8]], out: &mut Vec<u64>) -> Result<(), BadRow> {
        batch::canonical_keys(&self.game, rows, out)
    }
    fn window_report(
        &self,
        tree: &Tree,
        records: &[Record],
        depth: u8,
    ) -> Result<WindowReport, WindowError> {
        windows::window_report(&self.game, tree, records, depth)
    }
    fn replay(&self) -> Box<dyn Replay> {
        Box::new(TypedReplay::new(self.game.clone()))
    }
    fn match_table(
        &self,
        seats: &[MatchSeat; 2],
        config: &MatchGameConfig,
    ) -> Option<Box<dyn MatchTable>> {
        match_game::typed_table(&self.game, seats, config)
    }
    fn canonical_key(&self, position: &Pos) -> u64 {
        canonical_key(position.typed::<G::Position>(), self.known_symmetries())
    }
    fn random_walk(&self, plies: u16, random: &mut Rng) -> Option<Record> {
        walks::random_walk(&self.game, plies, random).as_ref().map(untyped_record)
    }
    fn random_walk_key(&self, plies: u16, random: &mut Rng) -> Option<u64> {
        let record = walks::random_walk(&self.game, plies, random)?;
        Some(canonical_key(record.position(), self.known_symmetries()))
    }
    fn enumerate(&self, plies: u16, most: usize) -> Option<Vec<Record>> {
        walks::enumerate(&self.game, self.known_symmetries(), plies, most)
    }
}

fn symmetry<P: Position>(symmetry: Symmetry<P>) -> Symmetry<Pos> {
    let Symmetry { name, position: image, mv } = symmetry;
    let of_move = {
        let image = Arc::clone(&image);
        move |position: &Pos, m: MoveId| {
            let position = position.typed::<P>();
            move_id(&image(position), mv(position, typed_move(position, m)))
        }
    };
    let position = Arc::new(move |position: &Pos| Pos::new(image(position.typed::<P>())));
    Symmetry { name, position, mv: Arc::new(of_move) }
}

struct DynSolver<P: Position>(Box<dyn Solve<P>>);

impl<P: Position> Solve<Pos> for DynSolver<P> {
    fn moves_left(&self, position: &Pos) -> u32 {
        self.0.moves_left(position.typed())
    }
    fn solve(&mut self, position: &Pos) -> Solved<MoveId> {
        let position = position.typed();
        let Solved { outcome, best, nodes } = self.0.solve(position);
        Solved { outcome, best: best.map(|m| move_id(position, m)), nodes }
    }
}

struct DynDialect<P: Position>(Box<dyn Dialect<P>>);

impl<P: Position> Dialect<Pos> for DynDialect<P> {
    fn format_move(&self, position: &Pos, m: MoveId) -> String {
        let position = position.typed();
        self.0.format_move(position, typed_move(position, m))
    }
    fn parse_move(&self, position: &Pos, text: &str) -> Result<MoveId, Malformed> {
        let position = position.typed();
        Ok(move_id(position, self.0.parse_move(position, text)?))
    }
    fn format_position(&self, position: &Pos, to_move: Side) -> Option<String> {
        self.0.format_position(position.typed(), to_move)
    }
    fn parse_position(&self, text: &str) -> Result<(Pos, Side), Malformed> {
        let (position, side) = self.0.parse_position(text)?;
        Ok((Pos::new(position), side))
    }
    fn lay_out(&self, position: &Pos, to_move: Side) -> Option<Vec<(Side, String)>> {
        self.0.lay_out(position.typed(), to_move)
    }
    fn preparation(&self) -> Vec<String> {
        self.0.preparation()
    }
}
