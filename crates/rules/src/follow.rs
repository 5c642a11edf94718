//! Records with and without the type of their game, and a typed record kept in step with
//! an untyped one.
//!
//! A search is asked move after move about the same game. Taking the record over from
//! scratch each time would cost a game's length a move; what is new since the last
//! question is a move or two.

use crate::position::{move_id, typed_move};
use crate::{MoveId, Pos};
use evalsmith_core::{GameRecord, Position, Reason, Side};

/// A game without its type.
pub type Record = GameRecord<Pos>;

/// A record with its type.
///
/// # Panics
/// When it is a record of another game.
pub(crate) fn typed_record<P: Position>(record: &Record) -> GameRecord<P> {
    let moves = |position: &Pos, m| typed_move(position.typed::<P>(), m);
    record.map(|position| position.typed::<P>().clone(), moves)
}

/// A record without its type.
pub(crate) fn untyped_record<P: Position>(record: &GameRecord<P>) -> Record {
    untyped_record_after(None, record)
}

/// The same, sharing the memory of the positions that both games begin with.
pub(crate) fn untyped_record_after<P: Position>(
    before: Option<&Record>,
    record: &GameRecord<P>,
) -> Record {
    let known = before.map_or(&[][..], Record::positions).iter().zip(record.positions());
    let mut shared = known
        .map_while(|(known, position)| (known.get() == Some(position)).then(|| known.clone()))
        .fuse();
    let position = |position: &P| shared.next().unwrap_or_else(|| Pos::new(position.clone()));
    record.map(position, move_id)
}

/// Follows untyped records.
pub(crate) struct Follower<P: Position> {
    last: Option<Followed<P>>,
}

struct Followed<P: Position> {
    start: Pos,
    first: Side,
    max_plies: usize,
    moves: Vec<MoveId>,
    record: GameRecord<P>,
}

impl<P: Position> Follower<P> {
    pub(crate) const fn new() -> Self {
        Self { last: None }
    }

    /// The same game with its type.
    ///
    /// # Panics
    /// When it is a record of another game.
    pub(crate) fn follow(&mut self, record: &Record) -> &GameRecord<P> {
        let start = &record.positions()[0];
        let (first, max_plies) = (record.first(), record.max_plies());
        let known = self.last.take().filter(|last| {
            (last.first, last.max_plies) == (first, max_plies) && last.start == *start
        });
        let mut followed = known.unwrap_or_else(|| Followed {
            start: start.clone(),
            first,
            max_plies,
            moves: Vec::new(),
            record: GameRecord::new(start.typed::<P>().clone(), first, max_plies),
        });
        followed.catch_up(record);
        &self.last.insert(followed).record
    }
}

impl<P: Position> Followed<P> {
    fn catch_up(&mut self, record: &Record) {
        let common = self.moves.iter().zip(record.moves()).take_while(|(a, b)| a == b).count();
        while self.moves.len() > common {
            self.moves.pop();
            self.record.take_back();
        }
        // Taking a move back and playing it again forgets an adjudication.
        if self.record.ending().is_some_and(by_agreement) {
            *self = Self {
                start: self.start.clone(),
                first: self.first,
                max_plies: self.max_plies,
                moves: Vec::new(),
                record: GameRecord::new(
                    self.record.positions()[0].clone(),
                    self.first,
                    self.max_plies,
                ),
            };
        }
        for &m in &record.moves()[self.moves.len()..] {
            let typed = typed_move(self.record.position(), m);
            self.record.play(typed).expect("a move of the same game");
            self.moves.push(m);
        }
        if let Some(ending) = record.ending().filter(|&ending| by_agreement(ending)) {
            self.record.adjudicate(ending);
        }
    }
}

/// Whether a game ended before the rules ended it.
fn by_agreement(ending: evalsmith_core::Ending) -> bool {
    matches!(ending.reason, Reason::Solved | Reason::Agreed)
}
