//! Games as text, in the formats that other programs read: PGN, SGF, GGF, CSA,
//! USI's list of moves, and plain moves for any game.
//!
//! Invariant: the game's own notation, or the dialect that a format shares with a
//! protocol, makes every move; a format only sets them. What a format cannot say
//! (a value, a name with a bracket) is escaped or left out, never broken.

mod csa;
mod ggf;
mod pgn;
mod plain;
mod sgf;

pub(crate) use csa::PIECES as CSA_PIECES;
pub(crate) use sgf::number as sgf_number;

use evalsmith_core::{Game, GameRecord, Malformed, Outcome, Protocol, Score, Side};
use evalsmith_rules::{DynGame, MoveId, Pos};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A way to write games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordFormat {
    /// Portable Game Notation: Chess, and readable for any game.
    Pgn,
    /// Smart Game Format, version 4: Go and Othello.
    Sgf,
    /// Generic Game Format: Othello.
    Ggf,
    /// The Computer Shogi Association's format, version 2.2.
    Csa,
    /// USI's `position` command with all moves: Shogi.
    Usi,
    /// The moves on one line: any game.
    Plain,
}

impl RecordFormat {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Pgn, Self::Sgf, Self::Ggf, Self::Csa, Self::Usi, Self::Plain];

    /// The name on the command line, and the usual ending of a file's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pgn => "pgn",
            Self::Sgf => "sgf",
            Self::Ggf => "ggf",
            Self::Csa => "csa",
            Self::Usi => "usi",
            Self::Plain => "txt",
        }
    }

    /// Whether a game is written so: GGF, CSA and USI share their moves with the
    /// protocols of their games, SGF has a number for each game it knows.
    pub fn fits(self, game: &DynGame) -> bool {
        match self {
            Self::Pgn | Self::Plain => true,
            Self::Sgf => {
                sgf::number(game.name()).is_some() && game.dialect(Protocol::Gtp).is_some()
            }
            Self::Ggf => game.dialect(Protocol::NBoard).is_some(),
            Self::Csa | Self::Usi => game.dialect(Protocol::Usi).is_some(),
        }
    }

    /// The format that programs for this game are most likely to read.
    pub fn usual(game: &DynGame) -> Self {
        let own = [Self::Csa, Self::Ggf, Self::Sgf];
        own.into_iter().find(|format| format.fits(game)).unwrap_or(Self::Pgn)
    }
}

impl fmt::Display for RecordFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RecordFormat {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let known = |format: &Self| format.name().eq_ignore_ascii_case(text.trim());
        Self::ALL.into_iter().find(known).ok_or_else(|| {
            Malformed::new("record format", text, "write pgn, sgf, ggf, csa, usi or txt")
        })
    }
}

/// What is told of a game beside its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// The names of the players, by side.
    pub players: [String; 2],
    /// The match or tournament.
    pub event: Option<String>,
    /// The number of the game in it.
    pub round: Option<u32>,
    /// The day, as `2026-11-16`.
    pub date: Option<String>,
    /// The opening, by a name or as moves.
    pub opening: Option<String>,
    /// The time control, as its users write it (`60+0.6`).
    pub time_control: Option<String>,
    /// The outcome for the first player, where it is not the record's: a loss on
    /// time, an illegal move, a resignation.
    pub outcome: Option<Outcome>,
    /// Why the game ended, in words.
    pub termination: Option<String>,
    /// What the side to move said or did instead of a move, where that ended it.
    pub last_word: Option<LastWord>,
}

/// What ends a game in place of a move; all but a declared win lose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastWord {
    /// It resigned.
    Resigned,
    /// It declared a win that the rules give (the entering king of Shogi).
    DeclaredWin,
    /// Its time was over.
    LostOnTime,
    /// It broke the rules.
    Illegal,
}

/// What a player thought when it chose a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The value for the player that moved.
    pub value: Option<Score>,
    /// Plies searched; zero where nobody knows.
    pub depth: u32,
    /// Positions visited; zero where nobody knows.
    pub nodes: u64,
    /// Time used.
    pub time: Option<Duration>,
}

/// A game that cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a game of {game} cannot be written as {format}: {reason}")]
pub struct NotWritten {
    /// The game.
    pub game: String,
    /// The format.
    pub format: RecordFormat,
    /// What is in the way, and the remedy.
    pub reason: String,
}

/// Writes a game. `notes` are those of the record's first moves; they may be
/// fewer than the moves.
///
/// # Errors
/// When the game is not written in that format, or its first position cannot be.
pub fn write_record(
    game: &DynGame,
    format: RecordFormat,
    record: &GameRecord<Pos>,
    headers: &Headers,
    notes: &[Note],
) -> Result<String, NotWritten> {
    let refuse = |reason: String| NotWritten { game: game.name().to_owned(), format, reason };
    if !format.fits(game) {
        let fitting = RecordFormat::ALL.into_iter().filter(|f| f.fits(game));
        let names: Vec<_> = fitting.map(RecordFormat::name).collect();
        return Err(refuse(format!("choose one of {}", names.join(", "))));
    }
    let told = Told { game, record, headers, notes };
    match format {
        RecordFormat::Pgn => Ok(pgn::write(&told)),
        RecordFormat::Sgf => sgf::write(&told).map_err(refuse),
        RecordFormat::Ggf => ggf::write(&told).map_err(refuse),
        RecordFormat::Csa => csa::write(&told).map_err(refuse),
        RecordFormat::Usi => plain::write_usi(&told).map_err(refuse),
        RecordFormat::Plain => Ok(plain::write(&told)),
    }
}

/// A game with all that is told of it.
struct Told<'a> {
    game: &'a DynGame,
    record: &'a GameRecord<Pos>,
    headers: &'a Headers,
    notes: &'a [Note],
}

/// One move of it.
struct Ply<'a> {
    position: &'a Pos,
    m: MoveId,
    side: Side,
    note: Note,
}

impl Told<'_> {
    fn plies(&self) -> impl Iterator<Item = Ply<'_>> {
        let played = self.record.positions().iter().zip(self.record.moves()).enumerate();
        played.map(|(ply, (position, &m))| Ply {
            position,
            m,
            side: self.record.first().after(ply),
            note: self.notes.get(ply).copied().unwrap_or_default(),
        })
    }

    /// The outcome for the first player, where the game has one.
    fn outcome(&self) -> Option<Outcome> {
        self.headers.outcome.or_else(|| self.record.outcome_for(Side::First))
    }

    /// The first position, where it is not the game's start.
    fn set_up(&self) -> Option<&Pos> {
        let first = &self.record.positions()[0];
        (*first != self.game.start() || self.record.first() != Side::First).then_some(first)
    }

    /// The side whom the game calls so; the first is white where none is.
    fn called(&self, name: &str) -> Side {
        let first = self.game.side_names()[0];
        let first_is_white = first != "black";
        if (name == "white") == first_is_white { Side::First } else { Side::Second }
    }
}

/// A value in pawns, by the usual relation of an advantage to the expected
/// result, `1 / (1 + 10^(-pawns / 4))`; none where the game is decided.
fn pawns(value: Score) -> Option<f64> {
    (!value.is_decisive()).then(|| value.log_odds().0 * 4.0 / std::f64::consts::LN_10)
}

/// The log-odds of an advantage in pawns: what [`pawns`] undoes.
pub(crate) fn log_odds(pawns: f64) -> f32 {
    (pawns * std::f64::consts::LN_10 / 4.0).clamp(-1000.0, 1000.0) as f32
}

/// The text on one line, without what a terminal would obey.
fn plain_text(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use evalsmith_chess::Chess;
    use evalsmith_core::{Position, rng};
    use evalsmith_go::Go;
    use evalsmith_malawi::Malawi;
    use evalsmith_othello::Othello;
    use evalsmith_shogi::Shogi;
    use rand::RngExt;

    // Games as the crate's functions take them.

    pub(crate) fn chess() -> DynGame {
        DynGame::new(Chess)
    }

    pub(crate) fn go() -> DynGame {
        DynGame::new(Go::new())
    }

    pub(crate) fn malawi() -> DynGame {
        DynGame::new(Malawi)
    }

    pub(crate) fn othello() -> DynGame {
        DynGame::new(Othello::new())
    }

    pub(crate) fn shogi() -> DynGame {
        DynGame::new(Shogi)
    }

    /// A game of random moves from the start, or from `skip` plies into it.
    pub(crate) fn random_game(
        game: &DynGame,
        seed: u64,
        skip: usize,
        plies: usize,
    ) -> GameRecord<Pos> {
        let mut random = rng::stream(seed, "records", 0);
        let mut wander = |record: &mut GameRecord<Pos>, plies| {
            while record.ending().is_none() && record.ply() < plies {
                let legal: Vec<_> = record.position().moves().collect();
                record.play(legal[random.random_range(0..legal.len())]).unwrap();
            }
        };
        let mut before = GameRecord::new(game.start(), Side::First, game.max_plies());
        wander(&mut before, skip);
        let (first, side) = (before.position().clone(), before.side());
        let mut record = GameRecord::new(first, side, game.max_plies());
        wander(&mut record, plies);
        record
    }

    pub(crate) fn headers() -> Headers {
        Headers {
            players: ["Anna \"A\"".into(), "Ben ]\\".into()],
            event: Some("A } match\n".into()),
            round: Some(7),
            date: Some("2026-11-16".into()),
            opening: Some("by chance".into()),
            time_control: Some("60+0.6".into()),
            ..Headers::default()
        }
    }

    pub(crate) fn notes(plies: usize) -> Vec<Note> {
        let note = |ply: usize| Note {
            value: (!ply.is_multiple_of(3)).then_some(Score(ply as i32 * 100 - 500)),
            depth: ply as u32 % 5,
            nodes: ply as u64 * 1000,
            time: (!ply.is_multiple_of(2)).then_some(Duration::from_millis(ply as u64)),
        };
        (0..plies / 2).map(note).collect()
    }

    fn formats(game: &DynGame) -> Vec<RecordFormat> {
        RecordFormat::ALL.into_iter().filter(|f| f.fits(game)).collect()
    }

    #[test]
    fn every_game_has_its_formats() {
        use RecordFormat::{Csa, Ggf, Pgn, Plain, Sgf, Usi};
        assert_eq!(formats(&chess()), [Pgn, Plain]);
        assert_eq!(formats(&shogi()), [Pgn, Csa, Usi, Plain]);
        assert_eq!(formats(&go()), [Pgn, Sgf, Plain]);
        assert_eq!(formats(&othello()), [Pgn, Sgf, Ggf, Plain]);
        assert_eq!(formats(&malawi()), [Pgn, Plain]);
        assert_eq!(RecordFormat::usual(&chess()), Pgn);
        assert_eq!(RecordFormat::usual(&othello()), Ggf);
        assert_eq!(RecordFormat::usual(&go()), Sgf);
        let record = random_game(&chess(), 1, 0, 4);
        let refused = write_record(&chess(), Csa, &record, &headers(), &[]).unwrap_err();
        assert!(refused.to_string().contains("pgn, txt"), "{refused}");
        for format in RecordFormat::ALL {
            assert_eq!(format.to_string().to_uppercase().parse(), Ok(format));
        }
    }
}
