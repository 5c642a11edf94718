//! Book moves out of a dataset: what the winners of its games chose, and what
//! they could have chosen instead.

use crate::LabError;
use evalsmith_core::{Columns, Features, Game, Position, Progress};
use evalsmith_data::Dataset;
use evalsmith_learn::Choices;
use evalsmith_rules::DynGame;

/// The winners' choices of some games.
#[derive(Clone, Debug)]
pub struct Book {
    features: Columns,
    starts: Vec<usize>,
    chosen: Vec<usize>,
}

impl Book {
    /// Reads the choices of a game's winner in those games that `keep` accepts by
    /// their number. Moves without alternative tell nothing and are left out.
    ///
    /// # Errors
    /// When the dataset cannot be read, holds a move that is not legal, or the
    /// job is stopped.
    pub fn read(
        game: &DynGame,
        dataset: &Dataset,
        keep: impl Fn(u32) -> bool,
        progress: &dyn Progress,
    ) -> Result<Self, LabError> {
        let features = game.features();
        let mut book =
            Self { features: Columns::new(features.names()), starts: vec![0], chosen: Vec::new() };
        let mut row_features = Vec::new();
        for batch in dataset.rows() {
            if progress.stopped() {
                return Err(LabError::Stopped);
            }
            let batch = batch?;
            for row in batch.rows().filter(|row| {
                keep(row.game) && row.outcome.is_some_and(|outcome| outcome.margin() > 0)
            }) {
                let (position, _) = game.unpack(row.position)?;
                let Some(text) = row.mv else { continue };
                let played = game.parse_move(&position, text)?;
                let moves: Vec<_> = position.moves().collect();
                let Some(place) = moves.iter().position(|&m| m == played) else { continue };
                if moves.len() < 2 {
                    continue;
                }
                for m in moves {
                    row_features.clear();
                    features.append_all(&position.play(m), &mut row_features);
                    book.features.push(&row_features);
                }
                book.starts.push(book.features.rows());
                book.chosen.push(place);
            }
        }
        Ok(book)
    }

    /// The choices as learners see them.
    pub fn choices(&self) -> Choices<'_> {
        Choices { features: &self.features, starts: &self.starts, chosen: &self.chosen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Quiet;
    use evalsmith_data::{Maker, SelfPlay, generate};
    use evalsmith_learn::{DenseModel, fit_book_linear};
    use evalsmith_othello::Othello;

    #[test]
    fn a_function_learned_from_a_players_book_moves_agrees_with_it() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let game = DynGame::new(Othello::new());
        let plan = SelfPlay { games: 80, depth: 1, opening_plies: 10, ..SelfPlay::default() };
        let maker = Maker { function: "hand".into(), openings: None, command: "test".into() };
        generate(
            &game,
            &game.function_by_hand().expect("weights"),
            &plan,
            &maker,
            temp.path(),
            &Quiet,
        )
        .expect("games");
        let dataset = Dataset::open(temp.path()).expect("a dataset");
        let read =
            |even| Book::read(&game, &dataset, |g| (g % 2 == 0) == even, &Quiet).expect("a book");
        let (train, test) = (read(true), read(false));
        let model = fit_book_linear(65, &train.choices()).expect("a fit");
        let choices = test.choices();
        let value = |row: usize| {
            model.log_odds(evalsmith_core::Stage(0), |i| choices.features.column(i)[row]).0
        };
        let found = choices.agreement(value);
        let blind = choices.agreement(|_| 0.0);
        assert!(found > 2.0 * blind, "{found} where chance has {blind}");
    }
}
