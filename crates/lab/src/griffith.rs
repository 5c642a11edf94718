//! Griffith's move-ordering player (in lee86, section 2.2): the baseline beside
//! Samuel's tables that looks at no position at all.
//!
//! Every move has the value (A - D) / (A + D), where A is how often the winners
//! of the book played it and D how often they could have; a choice among n moves
//! counts 1 / (n - 1) for each rejected one. The function of a position is what
//! the move that led to it is worth, so that a search of one ply plays the best
//! move by the table.

use crate::LabError;
use crate::run_folder::{read_json, write_json};
use evalsmith_core::{
    Evaluate, Explanation, Game, LogOdds, Position, Progress, Score, Term, Window,
};
use evalsmith_data::{Dataset, Hasher};
use evalsmith_learn::LearnError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The table: values by the number of a move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveTable {
    kind: Kind,
    game: String,
    values: BTreeMap<u16, f64>,
}

/// What the file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    #[serde(rename = "evalsmith move table")]
    MoveTable,
}

impl MoveTable {
    /// Counts what the winners of a dataset's games played and could have played.
    ///
    /// # Errors
    /// When the dataset cannot be read, is of another game, holds a move that is not
    /// legal, or the job is stopped.
    pub fn fit<G: Game>(
        game: &G,
        dataset: &Dataset,
        progress: &dyn Progress,
    ) -> Result<Self, LabError> {
        dataset.expect_game(G::NAME)?;
        let mut counts: BTreeMap<u16, (f64, f64)> = BTreeMap::new();
        for batch in dataset.rows() {
            if progress.stopped() {
                return Err(LabError::Abandoned);
            }
            let batch = batch?;
            for row in
                batch.rows().filter(|row| row.outcome.is_some_and(|outcome| outcome.margin() > 0))
            {
                let (position, _) = game.unpack(row.position)?;
                let Some(text) = row.mv else { continue };
                let played = game.parse_move(&position, text)?;
                let moves: Vec<_> = position.moves().collect();
                if moves.len() < 2 {
                    continue;
                }
                let rejected = 1.0 / (moves.len() - 1) as f64;
                for m in moves {
                    let cell = counts.entry(G::Position::slot(m)).or_default();
                    if m == played {
                        cell.0 += 1.0;
                    } else {
                        cell.1 += rejected;
                    }
                }
            }
        }
        if counts.is_empty() {
            return Err(LearnError::Empty.into());
        }
        let value = |(slot, (a, d)): (u16, (f64, f64))| (slot, (a - d) / (a + d));
        let values = counts.into_iter().map(value).collect();
        Ok(Self { kind: Kind::MoveTable, game: G::NAME.to_owned(), values })
    }

    /// The value of a move for who plays it, in log-odds of being chosen.
    pub fn value_of<P: Position>(&self, m: P::Move) -> LogOdds {
        let value = self.values.get(&P::slot(m)).copied().unwrap_or_default();
        LogOdds(2.0 * value.clamp(-0.999, 0.999).atanh())
    }

    /// Writes the table as JSON.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), LabError> {
        write_json(path, self)
    }

    /// Whether a file holds text and not the tensors of a model.
    pub(crate) fn is_at(path: &Path) -> bool {
        let mut first = [0];
        File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok() && first == *b"{"
    }

    /// Reads the table of a game.
    ///
    /// # Errors
    /// When the file is missing, holds something else, or is of another game.
    pub fn load(path: &Path, game: &str) -> Result<Self, LabError> {
        let unreadable = |reason| LabError::Unreadable { path: path.to_owned(), reason };
        let table: Self = read_json(path)?;
        if table.game != game {
            return Err(unreadable(format!("its moves are of {}, not of {game}", table.game)));
        }
        match table.values.iter().find(|(_, value)| !(-1.0..=1.0).contains(*value)) {
            Some((m, value)) => Err(unreadable(format!("move {m} has {value}, outside -1 to 1"))),
            None => Ok(table),
        }
    }

    /// Tells one table from another.
    pub(crate) fn digest(&self) -> String {
        let mut hasher = Hasher::new();
        for (slot, value) in &self.values {
            hasher.write_u64(u64::from(*slot));
            hasher.write_u64(value.to_bits());
        }
        hasher.finish().to_string()
    }
}

impl<P: Position> Evaluate<P> for MoveTable {
    /// What the last move was worth to who played it; none at the beginning.
    type State = Option<LogOdds>;

    fn start(&self, _position: &P) -> Self::State {
        None
    }

    fn advance(&self, _before: &P, m: P::Move, _after: &P, _state: &Self::State) -> Self::State {
        Some(self.value_of::<P>(m))
    }

    fn value(&self, _position: &P, state: &Self::State, window: Window) -> Score {
        let last = state.unwrap_or_default();
        window.clamp(LogOdds(-last.0).into())
    }

    /// The moves that could be played here, each with its value; the position
    /// itself has none, so that they add nothing.
    fn explain(&self, position: &P) -> Explanation {
        let term = |m: P::Move| Term {
            name: format!("{m:?}"),
            feature: Some(self.value_of::<P>(m).0),
            weight: None,
            contribution: 0.0,
        };
        Explanation { total: 0.0, terms: position.moves().map(term).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{FunctionName, by_hand, open};
    use evalsmith_core::{GameRecord, Quiet, Side};
    use evalsmith_data::{Maker, SelfPlay, generate};
    use evalsmith_othello::Othello;
    use evalsmith_search::Searcher;

    #[test]
    fn a_search_of_one_ply_plays_the_best_move_by_the_table() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let (game, data) = (Othello::new(), temp.path().join("data"));
        let plan = SelfPlay { games: 60, depth: 1, opening_plies: 10, ..SelfPlay::default() };
        let maker = Maker { function: "hand".into(), openings: None, command: "test".into() };
        generate(&game, &by_hand(&game).expect("weights"), &plan, &maker, &data, &Quiet)
            .expect("games");
        let dataset = Dataset::open(&data).expect("a dataset");
        let table = MoveTable::fit(&game, &dataset, &Quiet).expect("a table");
        let value = |square: &str, position: &_| {
            let m = game.parse_move(position, square).expect("legal");
            table.value_of::<<Othello as Game>::Position>(m).0
        };
        let record = game.parse_transcript("f5d6c3d3c4f4f6f3e6e7d7c5b6").expect("a legal game");
        let (mut searcher, mut checked) = (Searcher::new(&table, 0), 0);
        for position in record.positions() {
            let here = GameRecord::new(*position, Side::First, 128);
            let found = searcher.fixed_depth(&here, 1).best.expect("the game goes on");
            let best = position.moves().map(|m| value(&m.to_string(), position));
            let best = best.fold(f64::NEG_INFINITY, f64::max);
            assert!((value(&found.to_string(), position) - best).abs() < 1e-3);
            checked += 1;
        }
        assert!(checked > 10);
        let corner = table.values.get(&0).copied().unwrap_or_default();
        assert!(corner > 0.3, "winners take corners: {corner}");
        let path = temp.path().join("griffith.json");
        table.save(&path).expect("written");
        assert_eq!(MoveTable::load(&path, "othello").expect("read"), table);
        let other = MoveTable::load(&path, "chess").expect_err("another game");
        assert!(other.to_string().contains("of othello, not of chess"), "{other}");
        let name = FunctionName::File(path.clone());
        let named = open(&game, &name, None).expect("a function by its file");
        assert!(named.identity(&name).contains('@'));
        let start = GameRecord::new(game.start(), Side::First, 128);
        let by_name = Searcher::new(&named, 0).fixed_depth(&start, 3);
        assert_eq!(by_name.value, searcher.fixed_depth(&start, 3).value);
        let text = std::fs::read_to_string(&path).expect("text");
        std::fs::write(&path, text.replacen("0.", "7.", 1)).expect("written");
        assert!(MoveTable::load(&path, "othello").is_err(), "a value outside its range");
    }
}
