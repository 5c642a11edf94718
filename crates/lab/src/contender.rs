//! Players as people name them: an evaluation function or an outside engine,
//! with limits of its own where it has some.
//!
//! On the command line a player is `hand`, `trivial`, `shipped` or a model file;
//! `engine:PROTOCOL:COMMAND LINE`; a name from a file of players; or
//! `@FILE#NAME`. After a last `@` its own limits may follow: `hand@depth=3`.

use crate::LabError;
use crate::function::FunctionName;
use crate::pace::Pace;
use evalsmith_core::files::{MOST_SETTINGS, read_text_at_most};
use evalsmith_core::{Malformed, Protocol};
use evalsmith_protocol::Engine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Who thinks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mind {
    /// A search with an evaluation function.
    Function(FunctionName),
    /// An outside engine.
    Engine(Box<Engine>),
}

/// A player of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contender {
    /// The name in tables.
    pub name: String,
    /// Who thinks.
    pub mind: Mind,
    /// Limits of its own; without, those of the match hold.
    #[serde(default)]
    pub pace: Option<Pace>,
}

impl Contender {
    /// Gives an outside engine so long for a move that no clock limits.
    pub fn wait_at_most(&mut self, timeout: Duration) {
        if let Mind::Engine(engine) = &mut self.mind {
            engine.patience.unclocked_move = timeout;
        }
    }
}

/// Players by name, from a TOML file: a table for each, with the fields of an
/// engine (protocol, command, arguments, folder, environment, options, patience) or a
/// `function`, and `pace` for limits of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roster(BTreeMap<String, Contender>);

impl Roster {
    /// Reads a file of players.
    ///
    /// # Errors
    /// When it cannot be read, or a player in it makes no sense.
    pub fn load(path: &Path) -> Result<Self, LabError> {
        let text = read_text_at_most(path, MOST_SETTINGS).map_err(LabError::io(path))?;
        Self::read(&text).map_err(|reason| LabError::Unreadable { path: path.to_owned(), reason })
    }

    fn read(text: &str) -> Result<Self, String> {
        let table: toml::Table = text.parse().map_err(|e: toml::de::Error| e.to_string())?;
        let mut players = BTreeMap::new();
        // A plan of a match has other things to say beside its players.
        let is_plan = table.contains_key("game");
        for (name, value) in table {
            if is_plan && !value.is_table() {
                continue;
            }
            let player =
                entry(&name, value).map_err(|reason| format!("player {name}: {reason}"))?;
            players.insert(name, player);
        }
        Ok(Self(players))
    }

    /// The names of all players.
    pub fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    /// The player that a text names.
    ///
    /// # Errors
    /// When it names a protocol or a player that does not exist.
    pub fn player(&self, text: &str) -> Result<Contender, LabError> {
        // Other words after an `@` may belong to the name of a file.
        let is_limit = |tail: &str| {
            ["depth=", "nodes=", "cpu=", "wall="].iter().any(|word| tail.starts_with(word))
        };
        let (name, pace) = match text.rsplit_once('@') {
            Some((name, tail)) if !name.is_empty() && is_limit(tail) => {
                (name, Some(tail.parse::<Pace>()?))
            }
            _ => (text, None),
        };
        let mut player = self.unlimited(name)?;
        if pace.is_some() {
            player.pace = pace;
            player.name = format!("{}@{}", player.name, text[name.len() + 1..].trim());
        }
        Ok(player)
    }

    fn unlimited(&self, text: &str) -> Result<Contender, LabError> {
        if let Some(rest) = text.strip_prefix("engine:") {
            return Ok(engine(text, rest)?);
        }
        if let Some((file, name)) = text.strip_prefix('@').and_then(|rest| rest.split_once('#')) {
            return Self::load(Path::new(file))?.named(name).ok_or_else(|| {
                LabError::Settings(format!("{file} has no player called {name:?}"))
            });
        }
        Ok(self.named(text).unwrap_or_else(|| {
            let mind = Mind::Function(text.to_owned().into());
            Contender { name: text.to_owned(), mind, pace: None }
        }))
    }

    fn named(&self, name: &str) -> Option<Contender> {
        self.0.get(name).cloned()
    }
}

/// A player of a file.
fn entry(name: &str, value: toml::Value) -> Result<Contender, String> {
    let toml::Value::Table(mut fields) = value else {
        return Err("write a table with `protocol` and `command`, or with `function`".into());
    };
    let pace = match fields.remove("pace") {
        None => None,
        Some(pace) => Some(pace.try_into::<Pace>().map_err(|e| e.to_string())?),
    };
    let mind = match fields.remove("function") {
        Some(function) if fields.is_empty() => {
            Mind::Function(function.try_into().map_err(|e: toml::de::Error| e.to_string())?)
        }
        Some(_) => return Err("a function has no other field but `pace`".into()),
        None => {
            fields.entry("name").or_insert_with(|| name.into());
            Mind::Engine(fields.try_into().map_err(|e: toml::de::Error| e.to_string())?)
        }
    };
    Ok(Contender { name: name.to_owned(), mind, pace })
}

/// The engine of `PROTOCOL:COMMAND LINE`.
fn engine(text: &str, rest: &str) -> Result<Contender, Malformed> {
    let wrong = |reason: &str| Malformed::new("player", text, reason);
    let (protocol, line) = rest
        .split_once(':')
        .ok_or_else(|| wrong("write engine:PROTOCOL:COMMAND, as in engine:uci:stockfish"))?;
    let protocol: Protocol = protocol.parse()?;
    let words = words(line).ok_or_else(|| wrong("a quotation mark is not closed"))?;
    let [command, arguments @ ..] = &words[..] else { return Err(wrong("the command is missing")) };
    let mut engine = Engine::new(protocol, command);
    engine.arguments = arguments.to_vec();
    let name = Path::new(command).file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Contender { name, mind: Mind::Engine(Box::new(engine)), pace: None })
}

/// The words of a command line, as a shell parts them: quotation marks hold
/// spaces together. None where one is not closed.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut quote = None;
    let mut inside = false;
    for c in line.chars() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                if !inside {
                    words.push(String::new());
                }
                inside = true;
            }
            (c, None) if c.is_whitespace() => inside = false,
            (c, _) => {
                if !inside {
                    words.push(String::new());
                }
                inside = true;
                words.last_mut().expect("begun just now or before").push(c);
            }
        }
    }
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn player(text: &str) -> Contender {
        Roster::default().player(text).unwrap()
    }

    #[test]
    fn a_plan_is_a_file_of_players_too() {
        let plan = "game = 'go'\npairs = 3\n[deep]\nfunction = 'hand'\npace = 'depth=3'\n";
        assert_eq!(Roster::read(plan).unwrap().names(), ["deep"]);
        assert!(Roster::read("pairs = 3\n").unwrap_err().contains("player pairs"));
    }

    #[test]
    fn an_engine_may_be_given_less_time_and_a_function_does_not_mind() {
        let mut engine = player("engine:uci:stockfish");
        engine.wait_at_most(Duration::from_secs(3));
        let Mind::Engine(waited) = &engine.mind else { panic!("{engine:?}") };
        assert_eq!(waited.patience.unclocked_move, Duration::from_secs(3));
        let mut hand = player("hand");
        hand.wait_at_most(Duration::from_secs(3));
        assert_eq!(hand, player("hand"));
    }

    #[test]
    fn functions_and_engines_are_told_apart() {
        assert_eq!(player("hand").mind, Mind::Function(FunctionName::Hand));
        let file = player("runs/a@b.safetensors");
        assert_eq!(file.mind, Mind::Function(FunctionName::File("runs/a@b.safetensors".into())));
        assert_eq!(file.pace, None);

        let gnugo = player("engine:gtp:/usr/games/gnugo --mode gtp --name 'G N U'@wall=1s");
        let Mind::Engine(engine) = &gnugo.mind else { panic!("{gnugo:?}") };
        assert_eq!(engine.protocol, Protocol::Gtp);
        assert_eq!(engine.arguments, ["--mode", "gtp", "--name", "G N U"]);
        assert_eq!(gnugo.name, "gnugo@wall=1s");
        assert_eq!(gnugo.pace, Some("wall=1s".parse().unwrap()));
    }

    #[test]
    fn broken_players_are_named() {
        for (text, words) in [
            ("engine:uci", "engine:PROTOCOL:COMMAND"),
            ("hand@depth=99", "malformed limit \"depth=99\""),
            ("engine:uci:x@wall=0s", "none of them zero"),
            ("engine:morse:x", "uci, usi, gtp"),
            ("engine:uci:", "command is missing"),
            ("engine:uci:a 'b", "not closed"),
            ("@nowhere.toml#x", "nowhere.toml"),
        ] {
            let error = Roster::default().player(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn a_file_holds_players_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("players.toml");
        let text = "[fish]\nprotocol = 'uci'\ncommand = 'stockfish'\noptions = [['Hash', '16']]\n\
                    pace = 'nodes=500'\n[old]\nfunction = 'old.safetensors'\n";
        fs::write(&path, text).unwrap();
        let roster = Roster::load(&path).unwrap();
        let fish = roster.player("fish").unwrap();
        assert_eq!((fish.name.as_str(), fish.pace), ("fish", Some(Pace::Nodes(500))));
        let Mind::Engine(engine) = &fish.mind else { panic!("{fish:?}") };
        assert_eq!(engine.options, [("Hash".to_owned(), "16".to_owned())]);
        assert_eq!(roster.player("fish@depth=2").unwrap().pace, Some(Pace::Depth(2)));
        let by_file = player(&format!("@{}#old", path.display()));
        assert_eq!(by_file, roster.player("old").unwrap());
        assert_eq!(roster.player("hand").unwrap().mind, Mind::Function(FunctionName::Hand));

        for (text, words) in [
            ("x = 1", "player x"),
            ("[x]\nprotocol = 'uci'", "command"),
            ("[x]\nfunction = 'hand'\ncommand = 'y'", "no other field"),
            ("[x]\nfunction = 'hand'\npace = 'soon'", "depth=PLIES"),
            ("[x", "x"),
        ] {
            let error = Roster::read(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
