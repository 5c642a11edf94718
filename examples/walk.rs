//! A game that exists only at run time: its name, rules, stages and features come from a
//! file, and the program has all its commands for it.
//!
//!     WALK=map.txt walk learn forest --games 200 --pairs 4
//!
//! Two players walk one piece over a map; whoever cannot go on has lost. The first line of
//! the file holds the game's name and the names of its features, every other line a place,
//! its features' values and, after a colon, where one can go from there.

use evalsmith::prelude::*;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

#[derive(Debug)]
struct Place {
    name: String,
    features: Vec<f32>,
    exits: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct Map {
    game: String,
    features: Vec<String>,
    places: Vec<Place>,
}

impl Map {
    /// The map of a text; none where a line is not as described above.
    pub(crate) fn read(text: &str) -> Option<Arc<Self>> {
        let mut lines = text.lines();
        let mut words = lines.next()?.split_whitespace().map(str::to_owned);
        let (game, features): (String, Vec<String>) = (words.next()?, words.collect());
        let rows: Vec<(Vec<&str>, Vec<&str>)> = lines
            .map(|line| line.split_once(':').unwrap_or((line, "")))
            .map(|(own, exits)| {
                (own.split_whitespace().collect(), exits.split_whitespace().collect())
            })
            .collect();
        let place = |(own, exits): &(Vec<&str>, Vec<&str>)| {
            let at = |exit: &&str| rows.iter().position(|(own, _)| own.first() == Some(exit));
            let (name, values) = own.split_first()?;
            let values: Vec<f32> = values.iter().map(|v| v.parse().ok()).collect::<Option<_>>()?;
            let exits = exits.iter().map(at).collect::<Option<_>>()?;
            (values.len() == features.len()).then(|| Place {
                name: (*name).to_owned(),
                features: values,
                exits,
            })
        };
        let places: Vec<Place> = rows.iter().map(place).collect::<Option<_>>()?;
        (!places.is_empty()).then(|| Arc::new(Self { game, features, places }))
    }
}

/// Where the piece stands, and after how many moves.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    map: Arc<Map>,
    at: usize,
    moves: u8,
}

impl PartialEq for Piece {
    fn eq(&self, other: &Self) -> bool {
        (&self.map.game, self.at, self.moves) == (&other.map.game, other.at, other.moves)
    }
}
impl Eq for Piece {}
impl Hash for Piece {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.at, self.moves).hash(state);
    }
}

impl Position for Piece {
    type Move = usize;
    type Moves = std::vec::IntoIter<usize>;
    fn moves(&self) -> Self::Moves {
        self.map.places[self.at].exits.clone().into_iter()
    }
    fn play(&self, at: usize) -> Self {
        Self { map: Arc::clone(&self.map), at, moves: self.moves.saturating_add(1) }
    }
    fn outcome(&self) -> Option<Outcome> {
        self.map.places[self.at].exits.is_empty().then_some(Outcome::LOSS)
    }
    fn stage(&self) -> Stage {
        Stage(self.moves.min(3))
    }
}

#[derive(Clone)]
pub(crate) struct Walk(pub(crate) Arc<Map>);

impl Features<Piece> for Walk {
    type Scratch = ();
    fn names(&self) -> Vec<String> {
        self.0.features.clone()
    }
    fn count(&self) -> usize {
        self.0.features.len()
    }
    fn get(&self, position: &Piece, i: usize, _scratch: &mut ()) -> f32 {
        position.map.places[position.at].features[i]
    }
}

impl Game for Walk {
    type Position = Piece;
    type Features = Self;
    fn name(&self) -> &str {
        &self.0.game
    }
    fn stages(&self) -> usize {
        4
    }
    fn start(&self) -> Piece {
        Piece { map: Arc::clone(&self.0), at: 0, moves: 0 }
    }
    fn features(&self) -> Self {
        self.clone()
    }
    fn max_plies(&self) -> usize {
        100
    }
    fn format_move(&self, _position: &Piece, at: usize) -> String {
        self.0.places[at].name.clone()
    }
    fn format(&self, piece: &Piece, to_move: Side) -> String {
        format!("{} {} {to_move}", self.0.places[piece.at].name, piece.moves)
    }
    fn parse(&self, text: &str) -> Result<(Piece, Side), Malformed> {
        let wrong = |reason| Malformed::new("position", text, reason);
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[name, moves, side] = &words[..] else {
            return Err(wrong("write a place, the moves made and who moves: cave 3 first"));
        };
        let at = self.0.places.iter().position(|place| place.name == name);
        let at = at.ok_or_else(|| wrong("there is no such place on the map"))?;
        let moves = moves.parse().map_err(|_| wrong("the moves made are a number up to 255"))?;
        let side = [Side::First, Side::Second].into_iter().find(|known| known.to_string() == side);
        let side = side.ok_or_else(|| wrong("who moves is first or second"))?;
        Ok((Piece { map: Arc::clone(&self.0), at, moves }, side))
    }
}

#[expect(clippy::print_stderr, reason = "this is a program")]
fn main() -> std::process::ExitCode {
    let text = std::env::var("WALK").map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let Some(map) = text.ok().and_then(|text| Map::read(&text)) else {
        eprintln!("name the file of a map by WALK; examples/walk.rs says what is in it");
        return 2.into();
    };
    evalsmith::run(vec![DynGame::new(Walk(map))])
}
