//! A game as it is told to an engine: texts in the protocol's own writing.

use evalsmith_core::{Dialect, Game, GameRecord, Position, Protocol, Side};

/// What an engine must know of a game before any of its positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The first letters of the players' colours, by [`Side`].
    pub colours: [char; 2],
    /// Commands before each game.
    pub preparation: Vec<String>,
    /// The start position, where the protocol has a text for one.
    pub start: Option<String>,
}

impl Terms {
    /// The terms of a game in one of its dialects.
    pub fn of<G: Game>(game: &G, dialect: &dyn Dialect<G::Position>) -> Self {
        let letter = |name: &str| name.chars().next().unwrap_or('?').to_ascii_lowercase();
        Self {
            colours: game.side_names().map(letter),
            preparation: dialect.preparation(),
            start: dialect.format_position(&game.start(), Side::First),
        }
    }
}

/// Where a game begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetUp {
    /// At the game's start.
    Start,
    /// At a position that the protocol has a text for.
    Position(String),
    /// At a position that is laid out by moves, out of turn if need be.
    Layout(Vec<(Side, String)>),
    /// At a position that the protocol cannot say.
    Unspeakable,
}

/// The game up to now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Situation {
    /// Where it began.
    pub set_up: SetUp,
    /// Who was to move there.
    pub first: Side,
    /// The moves since.
    pub moves: Vec<String>,
}

impl Situation {
    /// A game from its start.
    pub fn start() -> Self {
        Self { set_up: SetUp::Start, first: Side::First, moves: Vec::new() }
    }

    /// Who is to move.
    pub fn side(&self) -> Side {
        self.first.after(self.moves.len())
    }

    /// A record in a dialect.
    pub fn of<G: Game>(
        game: &G,
        protocol: Protocol,
        dialect: &dyn Dialect<G::Position>,
        record: &GameRecord<G::Position>,
    ) -> Self {
        let first = record.first();
        let begin = &record.positions()[0];
        let set_up = if *begin == game.start() && first == Side::First {
            SetUp::Start
        } else if protocol == Protocol::Gtp {
            dialect.lay_out(begin, first).map_or(SetUp::Unspeakable, SetUp::Layout)
        } else {
            dialect.format_position(begin, first).map_or(SetUp::Unspeakable, SetUp::Position)
        };
        let mut situation = Self { set_up, first, moves: Vec::new() };
        situation.extend(dialect, record);
        situation
    }

    /// Adds the moves of `record` that are not yet told.
    pub(crate) fn extend<P: Position>(&mut self, dialect: &dyn Dialect<P>, record: &GameRecord<P>) {
        let told = self.moves.len();
        let steps = record.positions()[told..].iter().zip(&record.moves()[told..]);
        self.moves.extend(steps.map(|(position, &m)| dialect.format_move(position, m)));
    }
}

/// What an engine with a board of its own was told: how far it is from what it
/// should know.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    known: Option<Situation>,
}

impl Told {
    /// The moves of `situation` that the engine has not seen; `None` when it must
    /// begin anew.
    pub(crate) fn missing<'a>(&self, situation: &'a Situation) -> Option<&'a [String]> {
        let known = self.known.as_ref()?;
        let same = known.set_up == situation.set_up
            && known.first == situation.first
            && known.moves.len() <= situation.moves.len()
            && known.moves.iter().zip(&situation.moves).all(|(a, b)| a.eq_ignore_ascii_case(b));
        same.then(|| &situation.moves[known.moves.len()..])
    }

    /// The engine knows this situation now.
    pub(crate) fn set(&mut self, situation: &Situation) {
        match &mut self.known {
            Some(known)
                if known.first == situation.first
                    && known.set_up == situation.set_up
                    && known.moves.len() <= situation.moves.len() =>
            {
                let told = known.moves.len();
                known.moves.extend_from_slice(&situation.moves[told..]);
            }
            known => *known = Some(situation.clone()),
        }
    }

    /// The engine has played this itself.
    pub(crate) fn played(&mut self, text: &str) {
        if let Some(known) = &mut self.known {
            known.moves.push(text.to_owned());
        }
    }

    /// The engine knows nothing that can be relied on.
    pub(crate) fn forget(&mut self) {
        self.known = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(texts: &[&str]) -> Situation {
        let moves = texts.iter().map(|&t| t.to_owned()).collect();
        Situation { moves, ..Situation::start() }
    }

    #[test]
    fn only_what_is_new_is_told() {
        let mut told = Told::default();
        assert_eq!(told.missing(&moves(&["d3"])), None);
        told.set(&moves(&["d3"]));
        told.played("C3");
        assert_eq!(told.missing(&moves(&["d3", "c3", "c4"])), Some(&["c4".to_owned()][..]));
        assert_eq!(told.missing(&moves(&["d3", "c5"])), None);
        assert_eq!(told.missing(&moves(&["d3"])), None);
        let elsewhere = Situation { first: Side::Second, ..moves(&["d3", "c3"]) };
        assert_eq!(told.missing(&elsewhere), None);
        told.set(&moves(&["d3", "c3", "c4"]));
        assert_eq!(told.missing(&moves(&["d3", "c3", "c4"])), Some(&[][..]));
        told.forget();
        assert_eq!(told.missing(&moves(&[])), None);
    }

    #[test]
    fn a_set_up_position_is_told_as_one() {
        let game = evalsmith_chess::Chess;
        let (board, side) = game.parse("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1").unwrap();
        let mut record = GameRecord::new(board, side, 100);
        let m = game.parse_move(record.position(), "Kd7").unwrap();
        record.play(m).unwrap();
        let dialect = game.dialect(Protocol::Uci).unwrap();
        let situation = Situation::of(&game, Protocol::Uci, dialect.as_ref(), &record);
        let expected = Situation {
            set_up: SetUp::Position("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1".into()),
            first: Side::Second,
            moves: vec!["e8d7".into()],
        };
        assert_eq!(situation, expected);
        assert_eq!(situation.side(), Side::First);
    }
}
