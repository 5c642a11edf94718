//! A game that exists at run time only: its name, stages and rules come from a text.

use evalsmith_core::conformance::Kit;
use evalsmith_core::{
    Features, Game, GameRecord, Malformed, Outcome, Position, Score, Side, Stage, Trivial,
};
use evalsmith_learn::Linear;
use evalsmith_rules::{DynGame, Look, SelfPlayConfig};
use evalsmith_search::{Limits, Search, Searcher};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Places with the places that can be reached; a place without any is lost for the side
/// to move.
#[derive(Debug)]
struct Rules {
    name: String,
    places: Vec<(String, Vec<usize>)>,
}

impl Rules {
    /// The first line names the game, every other one a place and its exits.
    fn read(text: &str) -> Arc<Self> {
        let mut lines = text.lines();
        let name = lines.next().expect("a name").to_owned();
        let rows: Vec<Vec<&str>> = lines.map(|line| line.split_whitespace().collect()).collect();
        let at = |name: &&str| rows.iter().position(|row| row[0] == *name).expect("a place");
        let place = |row: &Vec<&str>| (row[0].to_owned(), row[1..].iter().map(at).collect());
        Arc::new(Self { name, places: rows.iter().map(place).collect() })
    }
}

#[derive(Clone, Debug)]
struct Place {
    rules: Arc<Rules>,
    at: usize,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.rules.name == other.rules.name
    }
}
impl Eq for Place {}
impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.at.hash(state);
    }
}

impl Position for Place {
    type Move = usize;
    type Moves = std::vec::IntoIter<usize>;
    fn moves(&self) -> Self::Moves {
        self.rules.places[self.at].1.clone().into_iter()
    }
    fn play(&self, at: usize) -> Self {
        Self { rules: Arc::clone(&self.rules), at }
    }
    fn outcome(&self) -> Option<Outcome> {
        self.rules.places[self.at].1.is_empty().then_some(Outcome::LOSS)
    }
    fn stage(&self) -> Stage {
        Stage(self.at as u8)
    }
}

#[derive(Clone)]
struct Walk(Arc<Rules>);

#[derive(Clone)]
struct Exits;

impl Features<Place> for Exits {
    type Scratch = ();
    fn names(&self) -> Vec<String> {
        vec!["exits".into()]
    }
    fn count(&self) -> usize {
        1
    }
    fn get(&self, position: &Place, _i: usize, _scratch: &mut ()) -> f32 {
        position.move_count() as f32
    }
}

impl Game for Walk {
    type Position = Place;
    type Features = Exits;
    fn name(&self) -> &str {
        &self.0.name
    }
    fn stages(&self) -> usize {
        self.0.places.len()
    }
    fn start(&self) -> Place {
        Place { rules: Arc::clone(&self.0), at: 0 }
    }
    fn features(&self) -> Exits {
        Exits
    }
    fn max_plies(&self) -> usize {
        self.0.places.len()
    }
    fn format_move(&self, _position: &Place, at: usize) -> String {
        self.0.places[at].0.clone()
    }
    fn format(&self, position: &Place, to_move: Side) -> String {
        format!("{} {to_move}", self.0.places[position.at].0)
    }
    fn parse(&self, text: &str) -> Result<(Place, Side), Malformed> {
        let (name, side) = text.split_once(' ').unwrap_or((text, ""));
        let at = self.0.places.iter().position(|place| place.0 == name);
        let at = at.ok_or_else(|| Malformed::new("place", text, "it is not on the map"))?;
        let sides = [Side::First, Side::Second];
        let side = sides.into_iter().find(|known| known.to_string() == side);
        let side = side.ok_or_else(|| Malformed::new("side", text, "write first or second"))?;
        Ok((Place { rules: Arc::clone(&self.0), at }, side))
    }
}

const MAP: &str = "walk\nhome hill lake wood\nhill lake cave\nlake wood cave\nwood cave\ncave\n";

fn walk() -> DynGame {
    DynGame::new(Walk(Rules::read(MAP)))
}

#[test]
fn it_keeps_the_promises_of_a_game() {
    Kit::of(Walk(Rules::read(MAP))).games(20).run();
    Kit::of(walk()).games(20).run();
    assert_eq!((walk().name(), walk().stages()), ("walk", 5));
}

#[test]
fn two_such_games_are_told_by_their_names() {
    let other = DynGame::new(Walk(Rules::read("maze\nin out\nout\n")));
    assert_ne!(other.start(), walk().start());
    assert_eq!(other.name(), "maze");
}

#[test]
fn its_search_is_the_typed_one() {
    let game = walk();
    let function = game.trivial_function();
    let record = GameRecord::new(game.start(), Side::First, game.max_plies());
    let typed = Walk(Rules::read(MAP));
    let typed_record = GameRecord::new(typed.start(), Side::First, typed.max_plies());
    let (limits, never) = (Limits::depth(9), AtomicBool::new(false));
    let found = function.search(1 << 12).search(&record, &limits, &never);
    let expected = Searcher::new(Trivial, 1 << 12).search(&typed_record, &limits, &never);
    assert_eq!((found.value, found.nodes), (expected.value, expected.nodes));
    let name = game.format_move(record.position(), found.best.expect("a move"));
    assert_eq!(name, typed.format_move(typed_record.position(), expected.best.expect("a move")));
    // Every place that can be reached from home has the cave beside it.
    assert_eq!(found.value, Score::of_outcome(Outcome::LOSS));
}

#[test]
fn it_plays_itself_and_its_rows_are_looked_at() {
    let game = walk();
    let model = Linear::by_hand(vec!["exits".into()], vec![0.5], game.stages()).expect("a model");
    let function = game.function_of_model(model.into()).expect("a function");
    let config = SelfPlayConfig {
        seed: 1,
        opening_plies: 0,
        chance: 0.5,
        depth: 2,
        solve_at: 0,
        decided_at: 0.0,
        weaker: 0.0,
        weaker_depth: 1,
        from_search: 0,
    };
    let mut table = function.self_play(&function, None, &config, "walkers");
    let played = table.play(3).expect("a game");
    assert_eq!(played, table.play(3).expect("a game"), "a game depends on its number alone");
    assert_eq!(game.unpack(&played.rows[0].position), Ok((game.start(), Side::First)));
    let rows: Vec<&[u8]> = played.rows.iter().map(|row| &row.position[..]).collect();
    let mut lines = evalsmith_rules::Lines::default();
    game.features_of(&rows, Look::Stored, &mut lines).expect("positions");
    assert_eq!(lines.values[0], 3.0);
    assert_eq!(lines.rows.len(), rows.len());
    let bad = game.features_of(&[rows[0], b"moon first"], Look::Stored, &mut lines);
    assert_eq!(bad.expect_err("no place").row, 1);
}
