//! Published problems, where the folder with real data is there.
#![expect(clippy::print_stderr, reason = "tells what was skipped")]

use evalsmith_engine_othello::{Question, Solver, Watch, obf};
use std::path::Path;

const SUITES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/data/othello/endgame");

#[test]
fn the_fforum_suite_is_solved_as_published() {
    let mut solver = Solver::new(64, 2);
    for (file, most_empties) in [("fforum-1-19.obf", 19), ("fforum-20-39.obf", 19)] {
        let Ok(text) = std::fs::read_to_string(Path::new(SUITES).join(file)) else {
            eprintln!("skipped: {file} is not there");
            continue;
        };
        let problems = obf::read(&text).expect("a published suite");
        assert!(problems.len() >= 19);
        for problem in &problems {
            if problem.board.empty().count_ones() > most_empties {
                continue;
            }
            let answer = solver.ask(&problem.board, Question::Score, &Watch::new());
            assert_eq!(answer.bounds.exact(), problem.best(), "{:?}", problem.board);
            let best = answer.best.expect("the game goes on");
            let listed = problem.scores.iter().find(|(m, _)| *m == best);
            assert_eq!(listed.map(|&(_, score)| score), problem.best(), "{best}");

            let verdict = solver.ask(&problem.board, Question::Verdict, &Watch::new()).bounds;
            let score = problem.best().expect("the suite has scores");
            assert_eq!((verdict.lower > 0, verdict.upper < 0), (score > 0, score < 0));
        }
    }
}
