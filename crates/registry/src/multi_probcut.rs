//! Othello's engine as a search whose selectivity can be chosen.

use evalsmith_engine_othello::{Engine, Limits, Selectivity, SquareJudge, Watch, check_possible};
use evalsmith_lab::prelude::{DISCS_A_LOGIT, LogOdds, Looked, SelectiveSearch};
use evalsmith_othello::{Board, Kernel};

/// MiB of tables: enough for some plies, little to forget between questions.
const TABLES: usize = 2;

/// The engine as it plays, for one thread. The patterns are opened once for all.
pub(crate) fn multi_probcut<K: Kernel>() -> Box<dyn SelectiveSearch<Board<K>>> {
    Box::new(MultiProbCut(Engine::shipped(TABLES, 1)))
}

struct MultiProbCut(Engine<SquareJudge>);

impl<K: Kernel> SelectiveSearch<Board<K>> for MultiProbCut {
    fn levels(&self) -> Vec<u8> {
        Selectivity::ALL.map(Selectivity::percent).to_vec()
    }

    fn look(&mut self, board: &Board<K>, plies: u8, percent: u8) -> Result<Looked, String> {
        check_possible(board).map_err(|e| e.to_string())?;
        let level = Selectivity::ALL.into_iter().find(|level| level.percent() == percent);
        let selectivity = level.ok_or_else(|| format!("there is no selectivity of {percent}%"))?;
        self.0.forget();
        let limits = Limits { selectivity, ..Limits::depth(plies.into()) };
        let thought = self.0.think(board, limits, &Watch::new(), |_| {});
        let value = LogOdds(thought.value.discs() / DISCS_A_LOGIT);
        Ok(Looked { value, nodes: thought.nodes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_lab::prelude::{Game, Position};
    use evalsmith_othello::Othello;

    #[test]
    fn bold_searches_visit_less_and_answers_do_not_depend_on_earlier_ones() {
        let mut board = Othello::new().start();
        for _ in 0..20 {
            let m = board.moves().next().unwrap();
            board = board.play(m);
        }
        let mut search = multi_probcut();
        let levels = SelectiveSearch::<Board<_>>::levels(search.as_ref());
        let look = |search: &mut Box<dyn SelectiveSearch<_>>, percent| {
            search.look(&board, 10, percent).unwrap()
        };
        let bold = look(&mut search, levels[0]);
        let full = look(&mut search, 100);
        assert!(bold.nodes < full.nodes, "{bold:?} {full:?}");
        assert_eq!(look(&mut search, levels[0]), bold);
        assert!(search.look(&board, 10, 50).is_err());
    }
}
