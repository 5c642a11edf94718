//! Runs that the page may order: five forms with whitelisted fields, and the command
//! line each stands for.
//!
//! Invariant: no text of a request becomes a word of a command line but a name of the
//! workspace, a name from a fixed list, or a number in its range.

use crate::house::House;
use crate::refusal::Refusal;
use evalsmith_lab::prelude::Game;
use serde::{Deserialize, Serialize};

/// What is to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Order {
    /// `evalsmith learn`.
    Learn(Learn),
    /// `evalsmith learn --method bootstrap`.
    Bootstrap(Bootstrap),
    /// `evalsmith match run`.
    Match(Match),
    /// `evalsmith match tournament`.
    Tournament(Tournament),
    /// `evalsmith model fit`.
    Fit(Fit),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Learn {
    game: String,
    name: String,
    games: Option<u32>,
    depth: Option<u8>,
    pairs: Option<u32>,
    seed: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bootstrap {
    game: String,
    name: String,
    learner: Option<String>,
    rounds: Option<u32>,
    games: Option<u32>,
    depth: Option<u8>,
    pairs: Option<u32>,
    patience: Option<u32>,
    seed: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Match {
    game: String,
    name: String,
    a: String,
    b: String,
    depth: Option<u8>,
    pairs: Option<u32>,
    seed: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tournament {
    game: String,
    name: String,
    players: Vec<String>,
    depth: Option<u8>,
    pairs: Option<u32>,
    seed: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fit {
    data: String,
    name: String,
    learner: Option<String>,
    seed: Option<u64>,
}

/// An order as a command line, and the path of what it makes inside the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) words: Vec<String>,
    pub(crate) makes: String,
}

/// Players of a tournament: all meet each other.
const MOST_PLAYERS: usize = 12;
const BOOTSTRAP_LEARNERS: [&str; 5] = ["tree", "logistic", "fisher", "quadratic", "least-squares"];
const FIT_LEARNERS: [&str; 7] =
    ["logistic", "fisher", "quadratic", "least-squares", "tree", "patterns", "configurations"];

impl Order {
    /// The command line; refuses what it must not hold.
    pub(crate) fn command(&self, house: &House) -> Result<Command, Refusal> {
        let mut words: Vec<String> = Vec::new();
        let mut say = |list: &[&str]| words.extend(list.iter().map(|&word| word.to_owned()));
        let makes = match self {
            Self::Learn(o) => {
                let game = house.game(&o.game)?.name();
                house.workspace.place(&o.name)?;
                say(&["learn", game, "--out", &o.name]);
                number(&mut words, "--games", o.games, 1..=10_000_000)?;
                number(&mut words, "--depth", o.depth, 1..=20)?;
                number(&mut words, "--pairs", o.pairs, 1..=1_000_000)?;
                number(&mut words, "--seed", o.seed, 0..=u64::MAX)?;
                o.name.clone()
            }
            Self::Bootstrap(o) => {
                let game = house.game(&o.game)?.name();
                house.workspace.place(&o.name)?;
                say(&["learn", game, "--method", "bootstrap", "--out", &o.name]);
                chosen(&mut words, o.learner.as_deref(), &BOOTSTRAP_LEARNERS)?;
                number(&mut words, "--rounds", o.rounds, 1..=100_000)?;
                number(&mut words, "--games", o.games, 1..=10_000_000)?;
                number(&mut words, "--depth", o.depth, 1..=20)?;
                number(&mut words, "--pairs", o.pairs, 1..=1_000_000)?;
                number(&mut words, "--patience", o.patience, 0..=100_000)?;
                number(&mut words, "--seed", o.seed, 0..=u64::MAX)?;
                o.name.clone()
            }
            Self::Match(o) => {
                let game = house.game(&o.game)?.name();
                let log = with_ending(&o.name, ".jsonl");
                house.workspace.place(&log)?;
                let (a, b) = (player(house, &o.a)?, player(house, &o.b)?);
                say(&["match", "run", game, &a, &b, "--log", &log]);
                number(&mut words, "--depth", o.depth, 1..=20)?;
                number(&mut words, "--pairs", o.pairs, 1..=10_000_000)?;
                number(&mut words, "--seed", o.seed, 0..=u64::MAX)?;
                log
            }
            Self::Tournament(o) => {
                let game = house.game(&o.game)?.name();
                house.workspace.place(&o.name)?;
                if !(2..=MOST_PLAYERS).contains(&o.players.len()) {
                    let reason = format!("a tournament has 2 to {MOST_PLAYERS} players");
                    return Err(Refusal::bad(reason));
                }
                say(&["match", "tournament", game]);
                for name in &o.players {
                    words.push(player(house, name)?);
                }
                words.extend(["--out".to_owned(), o.name.clone()]);
                number(&mut words, "--depth", o.depth, 1..=20)?;
                number(&mut words, "--pairs", o.pairs, 1..=10_000_000)?;
                number(&mut words, "--seed", o.seed, 0..=u64::MAX)?;
                o.name.clone()
            }
            Self::Fit(o) => {
                house.workspace.find(&o.data)?;
                let model = with_ending(&o.name, ".safetensors");
                house.workspace.place(&model)?;
                let data = format!("./{}", o.data);
                say(&["model", "fit", &data, "--output", &model]);
                chosen(&mut words, o.learner.as_deref(), &FIT_LEARNERS)?;
                // Which patterns has no answer that fits all; this is the first one tried.
                if o.learner.as_deref() == Some("patterns") {
                    words.extend(["--patterns".to_owned(), "buro98".to_owned()]);
                }
                number(&mut words, "--seed", o.seed, 0..=u64::MAX)?;
                model
            }
        };
        Ok(Command { words, makes })
    }

    /// What kind of run it is.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Learn(_) => "learn",
            Self::Bootstrap(_) => "bootstrap",
            Self::Match(_) => "match",
            Self::Tournament(_) => "tournament",
            Self::Fit(_) => "fit",
        }
    }

    /// The game, where it is told.
    pub(crate) fn game(&self) -> Option<&str> {
        match self {
            Self::Learn(o) => Some(&o.game),
            Self::Bootstrap(o) => Some(&o.game),
            Self::Match(o) => Some(&o.game),
            Self::Tournament(o) => Some(&o.game),
            Self::Fit(_) => None,
        }
    }
}

fn with_ending(name: &str, ending: &str) -> String {
    if name.ends_with(ending) { name.to_owned() } else { format!("{name}{ending}") }
}

/// A function: never an engine's command line.
fn player(house: &House, name: &str) -> Result<String, Refusal> {
    if matches!(name, "hand" | "trivial" | "shipped") {
        return Ok(name.to_owned());
    }
    // In a player's name `@` is followed by its limits, or names a file of engines.
    if name.contains(['@', '#', ':']) || house.workspace.find(name).is_err() {
        let reason = "a player is hand, trivial, shipped, or a model file of the workspace";
        return Err(Refusal::bad(format!("{name:?}: {reason}")));
    }
    Ok(format!("./{name}"))
}

fn number<N: PartialOrd + ToString + Copy>(
    words: &mut Vec<String>,
    flag: &str,
    given: Option<N>,
    range: std::ops::RangeInclusive<N>,
) -> Result<(), Refusal> {
    let Some(n) = given else { return Ok(()) };
    if !range.contains(&n) {
        let (low, high) = (range.start().to_string(), range.end().to_string());
        return Err(Refusal::bad(format!("{flag} is a number from {low} to {high}")));
    }
    words.extend([flag.to_owned(), n.to_string()]);
    Ok(())
}

fn chosen(words: &mut Vec<String>, given: Option<&str>, known: &[&str]) -> Result<(), Refusal> {
    let Some(name) = given else { return Ok(()) };
    if !known.contains(&name) {
        return Err(Refusal::bad(format!("{name:?}: a learner is one of {}", known.join(", "))));
    }
    words.extend(["--learner".to_owned(), name.to_owned()]);
    Ok(())
}
