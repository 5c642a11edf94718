//! Engines that behave, crash and talk nonsense, played by a small script.

use super::*;
use evalsmith_core::{Protocol, Quiet};
use std::fs;
use std::path::PathBuf;

/// A UCI engine whose value is the number of the position's last word; it dies at
/// `crash`, has no value at `check` and does not understand at `deaf`.
const SCRIPT: &str = r#"
echo $$ >> "$1"
while read -r line; do
  case "$line" in
    uci) echo "id name script"; echo uciok ;;
    isready) echo readyok ;;
    position*) last="${line##* }" ;;
    eval) case "$last" in
        crash) exit 3 ;;
        check) echo "Final evaluation: none (in check)" ;;
        deaf) echo "Unknown command" ;;
        *) echo "Final evaluation $last (white side)" ;;
      esac ;;
    go*) case "$last" in
        mate) echo "info depth 1 score mate 2" ;;
        *) echo "info depth 1 score cp $last" ;;
      esac
      echo "bestmove e2e4" ;;
    quit) exit 0 ;;
  esac
done
"#;

struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("engine.sh"), SCRIPT).expect("a script");
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn rows(&self, words: &[&str]) -> ValueRows {
        let lines: Vec<String> =
            words.iter().map(|word| format!("8/8 b x {word}\t1-0\n")).collect();
        let table = self.path("table.tsv");
        fs::write(&table, format!("fen\tresult\n{}", lines.concat())).expect("a table");
        ValueRows::of_table(&table, "fen", Protocol::Uci).expect("rows")
    }

    fn order(&self, question: Question, processes: usize) -> ValueOrder {
        let mut engine = Engine::new(Protocol::Uci, "sh");
        engine.arguments = vec![
            self.path("engine.sh").display().to_string(),
            self.path("started").display().to_string(),
        ];
        ValueOrder { engine, question, processes }
    }

    fn started(&self) -> usize {
        fs::read_to_string(self.path("started")).map_or(0, |text| text.lines().count())
    }
}

fn eval() -> Question {
    let profile = EvalProfile::open("stockfish").expect("a profile");
    Question::Eval(EvalProfile { options: Vec::new(), ..profile })
}

#[test]
fn crashes_are_survived_and_answers_are_paid_for_once() {
    let ground = Ground::new();
    let rows = ground.rows(&["1.5", "crash", "-2", "check", "deaf", "1.5"]);
    let journal = ground.path("answers");
    let valued = value_rows(&rows, &ground.order(eval(), 2), &journal, &Quiet).expect("values");
    assert_eq!(valued.values, [Some(150.0), None, Some(-200.0), None, None, Some(150.0)]);
    assert_eq!((valued.asked, valued.known, valued.without, valued.failed), (4, 0, 2, 1));
    assert!(valued.first_failure.as_ref().is_some_and(|what| what.contains("crash")));
    assert_eq!(valued.engine, "script");
    let before = ground.started();
    let again = value_rows(&rows, &ground.order(eval(), 2), &journal, &Quiet).expect("values");
    assert_eq!(again.values, valued.values);
    assert_eq!((again.asked, again.known), (0, 4));
    assert!(ground.started() > before, "the crash is tried again");

    let text = rows.with_values("value", &again.values, TableForm::Tsv);
    assert_eq!(text.lines().nth(1), Some("8/8 b x 1.5\t1-0\t150"));
    assert_eq!(text.lines().nth(2), Some("8/8 b x crash\t1-0\t"));
}

#[test]
fn searched_values_are_turned_to_the_first_player() {
    let ground = Ground::new();
    let rows = ground.rows(&["30", "mate"]);
    let order = ground.order(Question::Go(Budget::depth(1)), 1);
    let valued = value_rows(&rows, &order, &ground.path("answers"), &Quiet).expect("values");
    assert_eq!(valued.values, [Some(-30.0), None], "Black is to move");
    assert_eq!(valued.mates, 1);
}

#[test]
fn engines_that_never_work_are_an_error() {
    let ground = Ground::new();
    let rows = ground.rows(&["1"]);
    let mut order = ground.order(eval(), 1);
    order.engine.command = "no-such-engine".into();
    let missing = value_rows(&rows, &order, &ground.path("a"), &Quiet).expect_err("missing");
    assert!(missing.to_string().contains("no-such-engine"), "{missing}");
    let crashes = ground.rows(&["1 crash", "2 crash", "3 crash", "4 crash", "5 crash", "6 crash"]);
    let order = ground.order(eval(), 1);
    assert!(value_rows(&crashes, &order, &ground.path("b"), &Quiet).is_err());
}

#[test]
fn cells_that_are_no_positions_are_counted_and_not_asked() {
    let ground = Ground::new();
    let table = ground.path("table.tsv");
    let cells = "fen\tresult\n8/8 w x 5\t1-0\nno position\t1-0\n8/8\t0-1\n";
    fs::write(&table, cells).expect("a table");
    let rows = ValueRows::of_table(&table, "fen", Protocol::Uci).expect("rows");
    let journal = ground.path("answers");
    let valued = value_rows(&rows, &ground.order(eval(), 1), &journal, &Quiet).expect("values");
    assert_eq!(valued.values, [Some(500.0), None, None]);
    assert_eq!((valued.asked, valued.unreadable), (1, 2));
}

#[test]
fn a_table_without_any_value_is_refused() {
    let ground = Ground::new();
    let rows = ground.rows(&["deaf", "check"]);
    let nothing = value_rows(&rows, &ground.order(eval(), 1), &ground.path("a"), &Quiet);
    let reason = nothing.expect_err("nothing to write").to_string();
    assert!(reason.contains("2 answered without a value") && reason.contains("--go"), "{reason}");
}
