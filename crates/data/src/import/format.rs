//! The formats that records come in.

use super::csa::Csa;
use super::epd::Epd;
use super::ggf::Ggf;
use super::obf::Obf;
use super::pgn::Pgn;
use super::script::Reader;
use super::sgf::Sgf;
use super::text::Text;
use super::usi::Usi;
use super::wthor::{Names, Wthor};
use crate::Label;
use crate::records::sgf_number;
use crate::source::{Bytes, Lines};
use evalsmith_core::{Game, Malformed, Protocol};
use evalsmith_rules::DynGame;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The label of scores that somebody has proved.
pub(crate) const EXACT: &str = "exact";
/// The label of values that stand in the records.
pub(crate) const EVAL: &str = "eval";
/// The label that tells White's compensation.
pub(crate) const KOMI: &str = "komi";

/// A way in which games or positions are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputFormat {
    /// The French federation's base of Othello games.
    Wthor,
    /// Portable Game Notation: any game.
    Pgn,
    /// Smart Game Format: Go and Othello.
    Sgf,
    /// Generic Game Format: Othello.
    Ggf,
    /// The Computer Shogi Association's format.
    Csa,
    /// USI's moves, a game to a line: Shogi.
    Usi,
    /// Moves, a game to a line: any game, and Othello's transcripts.
    Txt,
    /// Othello positions with scores, a position to a line.
    Obf,
    /// Positions of any game, one to a line, with results perhaps.
    Epd,
}

impl InputFormat {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Wthor,
        Self::Pgn,
        Self::Sgf,
        Self::Ggf,
        Self::Csa,
        Self::Usi,
        Self::Txt,
        Self::Obf,
        Self::Epd,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wthor => "wthor",
            Self::Pgn => "pgn",
            Self::Sgf => "sgf",
            Self::Ggf => "ggf",
            Self::Csa => "csa",
            Self::Usi => "usi",
            Self::Txt => "txt",
            Self::Obf => "obf",
            Self::Epd => "epd",
        }
    }

    /// How the names of such files end.
    const fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Wthor => &["wtb"],
            Self::Pgn => &["pgn"],
            Self::Sgf => &["sgf"],
            Self::Ggf => &["ggf"],
            Self::Csa => &["csa"],
            Self::Usi => &["usi", "usi.tsv"],
            Self::Txt => &["txt"],
            Self::Obf => &["obf"],
            Self::Epd => &["epd", "fen", "sfen"],
        }
    }

    /// Whether records of a game come so.
    pub fn fits(self, game: &DynGame) -> bool {
        match self {
            Self::Pgn | Self::Txt | Self::Epd => true,
            Self::Wthor | Self::Ggf | Self::Obf => game.dialect(Protocol::NBoard).is_some(),
            Self::Sgf => sgf_number(game.name()).is_some(),
            Self::Csa | Self::Usi => game.dialect(Protocol::Usi).is_some(),
        }
    }

    /// The format that a file's name tells, for a game.
    pub fn of_file(path: &Path, game: &DynGame) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".zst").unwrap_or(&name);
        let ends =
            |ending: &&str| name.strip_suffix(ending).is_some_and(|before| before.ends_with('.'));
        let tells = |format: &Self| format.endings().iter().any(&ends) && format.fits(game);
        Self::ALL.into_iter().find(tells)
    }

    /// The labels that such records carry, and what they mean.
    pub(crate) fn labels(self) -> Vec<Label> {
        let label = |name: &str, made: &str| Label { name: name.to_owned(), made: made.to_owned() };
        match self {
            Self::Wthor | Self::Obf => vec![label(
                EXACT,
                "the margin under perfect play in discs, for the side to move, as the records \
                 tell it",
            )],
            Self::Pgn | Self::Epd => vec![label(
                EVAL,
                "log-odds for the side to move (a pawn is ln(10)/4, a mate 1000), as the records \
                 tell it",
            )],
            Self::Sgf => vec![label(KOMI, "White's compensation in points; not a value")],
            Self::Ggf | Self::Csa | Self::Usi | Self::Txt => Vec::new(),
        }
    }

    /// Opens a stream of records.
    pub(crate) fn reader(self, input: Bytes, path: &Path, game: &DynGame) -> Box<dyn Reader> {
        match self {
            Self::Wthor => Box::new(Wthor::new(input, Names::beside(path))),
            Self::Pgn => Box::new(Pgn::new(Lines::new(input), game)),
            Self::Sgf => Box::new(Sgf::new(Lines::new(input), game)),
            Self::Ggf => Box::new(Ggf::new(Lines::new(input))),
            Self::Csa => Box::new(Csa::new(Lines::new(input))),
            Self::Usi => Box::new(Usi::new(Lines::new(input))),
            Self::Txt => Box::new(Text::new(Lines::new(input))),
            Self::Obf => Box::new(Obf::new(Lines::new(input))),
            Self::Epd => Box::new(Epd::new(Lines::new(input), game)),
        }
    }
}

impl fmt::Display for InputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for InputFormat {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let wanted = text.trim().to_ascii_lowercase();
        let known = |f: &Self| f.name() == wanted || f.endings().contains(&wanted.as_str());
        Self::ALL.into_iter().find(known).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Malformed::new("format", text, format!("write one of {names}"))
        })
    }
}
