//! What all protocols at the engine's end have in common.

use super::{Info, Thought};
use crate::budget::Budget;
use crate::options::Offered;
use crate::reply::{CENTIPAWNS_A_LOGIT, DISCS_A_LOGIT};
use evalsmith_core::{Dialect, Game, GameRecord, Malformed, PlayerError, Position, Score, Side};
use std::collections::VecDeque;

pub(super) type MoveOf<G> = <<G as Game>::Position as Position>::Move;

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// It was dealt with.
    Done,
    /// It must wait for the end of the search.
    Later,
    /// The same, and every search stops as soon as it can: the client leaves.
    Leaving,
    /// The dialogue is over.
    Quit,
}

/// What a thinker has to do.
#[derive(Debug)]
pub(super) enum Order<P: Position> {
    Think(GameRecord<P>, Budget),
    /// The same, about so many of the best moves.
    Rank(GameRecord<P>, usize, Budget),
    Stop,
    NewGame,
    SetOption(String, String),
}

/// Where a session leaves lines to be written and orders for the thinker.
#[derive(Debug)]
pub(super) struct Desk<P: Position> {
    pub(super) lines: String,
    pub(super) orders: VecDeque<Order<P>>,
}

impl<P: Position> Desk<P> {
    pub(super) fn new() -> Self {
        Self { lines: String::new(), orders: VecDeque::new() }
    }

    pub(super) fn say(&mut self, line: &str) {
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    pub(super) fn order(&mut self, order: Order<P>) {
        self.orders.push_back(order);
    }
}

/// The engine's words in one protocol: hears lines and thoughts, in any order.
pub(super) trait Session<G: Game> {
    /// Hears a line of the client's.
    fn hear(&mut self, line: &str, desk: &mut Desk<G::Position>) -> Heard;

    /// Hears that no line will follow, so that nothing may wait for one.
    fn end_input(&mut self, _desk: &mut Desk<G::Position>) {}

    /// Hears how a search goes.
    fn inform(&mut self, info: &Info<MoveOf<G>>, desk: &mut Desk<G::Position>);

    /// Hears that an option could not be set.
    fn complain(&mut self, error: &PlayerError, desk: &mut Desk<G::Position>);

    /// Hears what came of it.
    fn conclude(
        &mut self,
        thought: Result<Thought<MoveOf<G>>, PlayerError>,
        desk: &mut Desk<G::Position>,
    );
}

/// A game in progress, and how it is written.
pub(super) struct Table<G: Game> {
    pub(super) game: G,
    pub(super) dialect: Box<dyn Dialect<G::Position>>,
    pub(super) record: GameRecord<G::Position>,
    pub(super) name: String,
    pub(super) options: Vec<Offered>,
}

impl<G: Game> Table<G> {
    pub(super) fn new(
        game: G,
        dialect: Box<dyn Dialect<G::Position>>,
        name: String,
        options: Vec<Offered>,
    ) -> Self {
        let record = GameRecord::new(game.start(), Side::First, game.max_plies());
        Self { game, dialect, record, name, options }
    }

    /// A record from the start.
    pub(super) fn begin(&self) -> GameRecord<G::Position> {
        GameRecord::new(self.game.start(), Side::First, self.game.max_plies())
    }

    /// A record from a position in the protocol's writing.
    pub(super) fn set_up(&self, text: &str) -> Result<GameRecord<G::Position>, Malformed> {
        let (position, side) = self.dialect.parse_position(text)?;
        Ok(GameRecord::new(position, side, self.game.max_plies()))
    }

    /// Plays the move that a text names.
    pub(super) fn play(
        &self,
        record: &mut GameRecord<G::Position>,
        text: &str,
    ) -> Result<(), Malformed> {
        let m = self.dialect.parse_move(record.position(), text)?;
        play_on(self.game.max_plies(), record);
        let played = record.play_named(m, text);
        played.map_err(|illegal| Malformed::new("move", text, illegal.to_string()))
    }

    /// The record, if there is something to think about.
    pub(super) fn to_think_on(&self) -> Option<GameRecord<G::Position>> {
        let mut record = self.record.clone();
        play_on(self.game.max_plies(), &mut record);
        record.ending().is_none().then_some(record)
    }

    /// A move of the present position, as the protocol writes it.
    pub(super) fn format_move(&self, m: MoveOf<G>) -> String {
        self.dialect.format_move(self.record.position(), m)
    }

    /// A line of moves from the present position, with `between` them.
    pub(super) fn format_line(&self, line: &[MoveOf<G>], between: &str) -> String {
        let mut position = self.record.position().clone();
        let mut text = String::new();
        for &m in line {
            // A thinker's line may be longer than it is true.
            if !position.moves().any(|legal| legal == m) {
                break;
            }
            if !text.is_empty() {
                text.push_str(between);
            }
            text.push_str(&self.dialect.format_move(&position, m));
            position = position.play(m);
        }
        text
    }
}

/// Clients play on where our rules end a game at once (a repetition that nobody
/// claimed): the record then begins anew, as long as there are moves.
fn play_on<P: Position>(max_plies: usize, record: &mut GameRecord<P>) {
    if record.ending().is_some() && record.position().outcome().is_none() {
        *record = GameRecord::new(record.position().clone(), record.side(), max_plies);
    }
}

/// As much of a client's text as is worth repeating to it.
pub(super) fn shorten(text: &str) -> &str {
    &text[..text.floor_char_boundary(60)]
}

/// Hundredths of a pawn, by the usual relation of an advantage to the expected
/// result, `1 / (1 + 10^(-pawns / 4))`.
pub(super) fn centipawns(value: Score) -> i64 {
    (value.log_odds().0 * CENTIPAWNS_A_LOGIT).round() as i64
}

/// The value as discs: exact where the game is decided; elsewhere five discs to
/// a unit of log-odds, about what midgame positions show.
pub(super) fn discs(value: Score) -> f64 {
    if value.is_decisive() {
        f64::from((value.0.abs() - Score::WIN.0) * value.0.signum())
    } else {
        DISCS_A_LOGIT * value.log_odds().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::{LogOdds, Outcome};

    #[test]
    fn values_are_shown_in_the_units_of_the_protocols() {
        assert_eq!(centipawns(Score::from(LogOdds(10.0_f64.ln()))), 400);
        assert_eq!(centipawns(Score(0)), 0);
        assert_eq!(discs(Score::of_outcome(Outcome::by(-12))), -12.0);
        assert_eq!(discs(Score(2000)), 10.0);
    }
}
