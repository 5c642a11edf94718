//! Fits Griffith's move-ordering player (in lee86, section 2.2) to a book of games.

use crate::LabError;
use evalsmith_core::{Game, Position, Progress};
use evalsmith_data::Dataset;
use evalsmith_learn::{LearnError, MoveTable};
use evalsmith_rules::{DynGame, Pos};
use std::collections::BTreeMap;

/// Counts what the winners of a dataset's games played and could have played.
///
/// # Errors
/// When the dataset cannot be read, is of another game, holds a move that is not
/// legal, or the job is stopped.
pub fn fit_move_table(
    game: &DynGame,
    dataset: &Dataset,
    progress: &dyn Progress,
) -> Result<MoveTable, LabError> {
    dataset.expect_game(game.name())?;
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
                let cell = counts.entry(Pos::slot(m)).or_default();
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
    Ok(MoveTable::new(game.name(), values)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::{FunctionName, open};
    use evalsmith_core::{GameRecord, Quiet, Side};
    use evalsmith_data::{Maker, SelfPlay, generate};
    use evalsmith_othello::Othello;
    use evalsmith_search::Searcher;

    #[test]
    fn a_search_of_one_ply_plays_the_best_move_by_the_table() {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let (game, data) = (DynGame::new(Othello::new()), temp.path().join("data"));
        let plan = SelfPlay { games: 60, depth: 1, opening_plies: 10, ..SelfPlay::default() };
        let maker = Maker { function: "hand".into(), openings: None, command: "test".into() };
        generate(&game, &game.function_by_hand().expect("weights"), &plan, &maker, &data, &Quiet)
            .expect("games");
        let dataset = Dataset::open(&data).expect("a dataset");
        let table = fit_move_table(&game, &dataset, &Quiet).expect("a table");
        let value = |square: &str, position: &<Othello as Game>::Position| {
            let m = Othello::new().parse_move(position, square).expect("legal");
            table.value_of::<<Othello as Game>::Position>(m).0
        };
        let record =
            Othello::new().parse_transcript("f5d6c3d3c4f4f6f3e6e7d7c5b6").expect("a legal game");
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
        let corner = table.values().get(&0).copied().unwrap_or_default();
        assert!(corner > 0.3, "winners take corners: {corner}");
        let path = temp.path().join("griffith.json");
        table.save(&path).expect("written");
        let name = FunctionName::File(path.clone());
        let named = open(&game, &name).expect("a function by its file");
        assert!(named.identity(&name).contains('@'));
        let start = GameRecord::new(game.start(), Side::First, 128);
        let by_name = named.search(0).fixed_depth(&start, 3);
        let start = GameRecord::new(Othello::new().start(), Side::First, 128);
        assert_eq!(by_name.value, searcher.fixed_depth(&start, 3).value);
    }
}
