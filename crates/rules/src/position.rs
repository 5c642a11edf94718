//! Positions and moves without the type of their game.

use evalsmith_core::{Outcome, Position, Stage};
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A move of a [`Pos`]: its place in the list of legal moves, and its slot in history
/// tables. It means nothing without its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MoveId {
    index: u16,
    slot: u16,
}

impl MoveId {
    /// The move's place among the legal moves.
    pub const fn index(self) -> usize {
        self.index as usize
    }
}

/// A position of any game.
#[derive(Clone)]
pub struct Pos(Arc<dyn ErasedPosition>);

/// What [`Pos`] asks of the position that it holds.
trait ErasedPosition: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn equals(&self, other: &Pos) -> bool;
    fn moves(&self) -> Vec<MoveId>;
    fn play(&self, m: MoveId) -> Pos;
    fn outcome(&self) -> Option<Outcome>;
    fn move_count(&self) -> usize;
    fn key(&self) -> u64;
    fn can_repeat(&self) -> bool;
    fn has_noisy_moves(&self) -> bool;
    fn stage(&self) -> Stage;
    fn promise(&self, m: MoveId) -> u8;
    fn must_answer(&self) -> bool;
    fn repeated(&self, earlier: &[u64]) -> Option<Outcome>;
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// A position in its box. Implementing the trait on `P` itself would make every call of
/// a method of [`Position`] ambiguous.
struct Held<P>(P);

/// The move with this place in the list.
///
/// # Panics
/// When the position has no such move: it is a move of another position.
pub(crate) fn typed_move<P: Position>(position: &P, m: MoveId) -> P::Move {
    position.moves().nth(m.index()).expect("a move of this position")
}

/// The place of a legal move in the list.
///
/// # Panics
/// When the move is not legal.
pub(crate) fn move_id<P: Position>(position: &P, m: P::Move) -> MoveId {
    let index = position.moves().position(|legal| legal == m).expect("a legal move");
    MoveId { index: index as u16, slot: P::slot(m) }
}

impl<P: Position> ErasedPosition for Held<P> {
    fn as_any(&self) -> &dyn Any {
        &self.0
    }
    fn equals(&self, other: &Pos) -> bool {
        other.get::<P>().is_some_and(|other| *other == self.0)
    }
    fn moves(&self) -> Vec<MoveId> {
        (0..).zip(self.0.moves()).map(|(index, m)| MoveId { index, slot: P::slot(m) }).collect()
    }
    fn play(&self, m: MoveId) -> Pos {
        Pos::new(self.0.play(typed_move(&self.0, m)))
    }
    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }
    fn move_count(&self) -> usize {
        self.0.move_count()
    }
    fn key(&self) -> u64 {
        self.0.key()
    }
    fn can_repeat(&self) -> bool {
        self.0.can_repeat()
    }
    fn has_noisy_moves(&self) -> bool {
        self.0.has_noisy_moves()
    }
    fn stage(&self) -> Stage {
        self.0.stage()
    }
    fn promise(&self, m: MoveId) -> u8 {
        self.0.promise(typed_move(&self.0, m))
    }
    fn must_answer(&self) -> bool {
        self.0.must_answer()
    }
    fn repeated(&self, earlier: &[u64]) -> Option<Outcome> {
        self.0.repeated(earlier)
    }
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Pos {
    /// Forgets the type of a position.
    pub fn new<P: Position>(position: P) -> Self {
        Self(Arc::new(Held(position)))
    }

    /// The position, if it has this type.
    pub fn get<P: Position>(&self) -> Option<&P> {
        self.0.as_any().downcast_ref()
    }

    /// The place of a typed move in the list of this position's; none where it is not legal
    /// or the position has another type.
    pub fn id_of<P: Position>(&self, m: P::Move) -> Option<MoveId> {
        let position = self.get::<P>()?;
        position.moves().any(|legal| legal == m).then(|| move_id(position, m))
    }

    /// The position.
    ///
    /// # Panics
    /// When it belongs to another game: positions of two games were mixed up.
    pub(crate) fn typed<P: Position>(&self) -> &P {
        self.get().expect("a position of this game")
    }
}

impl PartialEq for Pos {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.equals(other)
    }
}

impl Eq for Pos {}

impl Hash for Pos {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.key());
    }
}

impl fmt::Debug for Pos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.debug(f)
    }
}

impl Position for Pos {
    type Move = MoveId;
    type Moves = std::vec::IntoIter<MoveId>;

    fn moves(&self) -> Self::Moves {
        self.0.moves().into_iter()
    }
    fn play(&self, m: MoveId) -> Self {
        self.0.play(m)
    }
    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }
    fn move_count(&self) -> usize {
        self.0.move_count()
    }
    fn key(&self) -> u64 {
        self.0.key()
    }
    fn can_repeat(&self) -> bool {
        self.0.can_repeat()
    }
    fn has_noisy_moves(&self) -> bool {
        self.0.has_noisy_moves()
    }
    fn stage(&self) -> Stage {
        self.0.stage()
    }
    fn promise(&self, m: MoveId) -> u8 {
        self.0.promise(m)
    }
    fn must_answer(&self) -> bool {
        self.0.must_answer()
    }
    fn repeated(&self, earlier: &[u64]) -> Option<Outcome> {
        self.0.repeated(earlier)
    }
    fn slot(m: MoveId) -> u16 {
        m.slot
    }
}
