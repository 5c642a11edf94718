//! Every long command, stopped by SIGINT: it exits with 130 and prints the command that
//! continues it, and that command ends with what an undisturbed run gives. Commands that
//! extend a file or a folder refuse a second process meanwhile, naming the first.
//!
//! `cargo test --test stops -- --nocapture` prints how long each took to stop.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "the seconds are reported")]

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Milliseconds after the start at which a command is stopped; the next is tried where
/// it had ended already.
const DELAYS: [u64; 8] = [700, 400, 200, 100, 50, 20, 0, 0];
/// Against hanging, nothing else.
const TOO_LONG: Duration = Duration::from_mins(5);

/// What every case may read.
struct Inputs {
    folder: TempDir,
}

impl Inputs {
    fn get() -> &'static Path {
        static INPUTS: OnceLock<Inputs> = OnceLock::new();
        INPUTS.get_or_init(Self::new).folder.path()
    }

    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let run = |words: &str| run_whole(folder.path(), words);
        run("data generate othello --games 300 --depth 1 --out games");
        run("data generate othello --games 60 --depth 1 --seed 2 --out few");
        run("curve values games --function hand -o values.tsv");
        run("data export few -o games.txt");
        fs::write(folder.path().join("small.toml"), SMALL_PATTERNS).expect("written");
        fs::write(folder.path().join("engine.sh"), ENGINE).expect("written");
        fs::write(folder.path().join("endgames.obf"), ENDGAMES).expect("written");
        fs::write(folder.path().join("scored.obf"), SCORED).expect("written");
        fs::write(folder.path().join("late.obf"), SCORED.repeat(30)).expect("written");
        let games = fs::read_to_string(folder.path().join("games.txt")).expect("games");
        fs::write(folder.path().join("lines.txt"), LINES).expect("written");
        fs::write(folder.path().join("many.txt"), games.repeat(150)).expect("written");
        let fen = |i| format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 {i}");
        let fens: Vec<String> = (1..=2000).map(fen).collect();
        let table = format!("fen\n{}\n", fens.join("\n"));
        fs::write(folder.path().join("fens.tsv"), table).expect("written");
        run("model fit games --learner patterns --patterns small.toml -o patterns.safetensors");
        run("model fit games -o linear.safetensors");
        Self { folder }
    }
}

const SMALL_PATTERNS: &str = "[[pattern]]\nname = \"edge\"\nboard = \"########\"\n\
    [[pattern]]\nname = \"corner\"\nboard = \"###\\n###\\n###\"\n\
    [[pattern]]\nname = \"second\"\nboard = \"--------\\n########\"\n";

/// A UCI engine that takes some milliseconds for an answer.
const ENGINE: &str = r#"
while read -r line; do
  case "$line" in
    uci) echo "id name slow"; echo uciok ;;
    isready) echo readyok ;;
    position*) last="${line##* }" ;;
    go*) sleep 0.002; echo "info depth 1 score cp $last"; echo "bestmove e2e4" ;;
    quit) exit 0 ;;
  esac
done
"#;

/// Openings of 12 half-moves.
const LINES: &str =
    "f5d6c4b3c6f4d7c5b4b6a6a3\nf5d6c3g5e6d7c5c4c7c6b7c2\nd3e3f5c5c4c3b2d6c6f6c2a1\n";

/// Positions of 20 to 22 empty squares (FFO 40 to 43).
const ENDGAMES: &str = "\
O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; a2:+38;\n\
-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X; h4:+0;\n\
--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X; g2:+6;\n\
--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O; g3:-12;\n";

/// Positions with the score of every move (FFO 1 to 3).
const SCORED: &str = "\
--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; H1:+12; H7:+6; A2:+6; A3:+4; B1:-4; A4:-22; G2:-24;\n\
-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X; A4:+10; B2:+0; A3:-6; G7:-8; A7:-12; H7:-14; B7:-14; H2:-24;\n\
----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X; D1:+2; G3:+0; B8:-2; B1:-4; C1:-4; A2:-4; A3:-6; B2:-12;\n";

/// What a finished command leaves to compare.
#[derive(Clone, Copy)]
enum Outcome {
    /// Files and folders.
    Files(&'static [&'static str]),
    /// What it prints.
    Printed,
    /// It measures time: that it ends well is all.
    Measured,
}
use Outcome::{Files, Measured, Printed};

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evalsmith"));
    command.current_dir(folder).stdin(std::process::Stdio::null());
    command
}

/// The words of a command; those in apostrophes are one.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

fn run_whole(folder: &Path, command: &str) -> String {
    let run = program(folder).args(words(command)).output().expect("the program starts");
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{command}: {}\n{said}", run.status);
    String::from_utf8(run.stdout).expect("text")
}

/// A command at work, its words in files.
struct Running {
    child: Child,
    errors: PathBuf,
}

impl Running {
    fn start(folder: &Path, command: &str) -> Self {
        let errors = folder.join("stderr");
        let out = File::create(folder.join("stdout")).expect("a file");
        let err = File::create(&errors).expect("a file");
        let mut program = program(folder);
        let child = program.args(words(command)).stdout(out).stderr(err).spawn();
        Self { child: child.expect("the program starts"), errors }
    }

    /// Waits until the program handles SIGINT itself.
    fn wait_for_handler(&mut self) {
        let status = format!("/proc/{}/status", self.child.id());
        let begun = Instant::now();
        while begun.elapsed() < TOO_LONG && self.child.try_wait().expect("a child").is_none() {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
            if caught.is_some_and(|mask| mask & 2 != 0) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn wait(&mut self) -> ExitStatus {
        let begun = Instant::now();
        while begun.elapsed() < TOO_LONG {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        panic!("it did not end: {}", fs::read_to_string(&self.errors).unwrap_or_default());
    }

    /// A second process with the same command is refused while this one works.
    fn refuses_another(&mut self, folder: &Path, command: &str) -> bool {
        let second = program(folder).args(words(command)).output().expect("the program starts");
        if self.child.try_wait().expect("a child").is_some() {
            return false;
        }
        let said = String::from_utf8_lossy(&second.stderr);
        let holder = format!("in use by process {}", self.child.id());
        assert_eq!(second.status.code(), Some(1), "{command}: {said}");
        assert!(said.contains(&holder), "{command}: {said}");
        true
    }
}

/// The command that a stopped program says to continue with.
fn told_command(said: &str) -> &str {
    let told = said.lines().rev().find_map(|line| {
        ["continue with: ", "begin again with: "]
            .iter()
            .find_map(|told| Some(line.split_once(told)?.1))
    });
    told.unwrap_or_else(|| panic!("no command is told: {said}"))
}

/// All files below a path, without those that mean nothing.
fn contents(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![path.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            open.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if !path.to_string_lossy().ends_with(".lock") {
            let bytes = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            files.insert(path, bytes);
        }
    }
    files
}

fn compare(name: &str, result: Outcome, whole: &Path, resumed: &Path) {
    let Files(files) = result else { return };
    for file in files {
        let at = |folder: &Path| -> Vec<_> {
            let files = contents(&folder.join(file));
            let relative = |path: PathBuf| path.strip_prefix(folder).expect("below").to_owned();
            files.into_iter().map(|(path, bytes)| (relative(path), bytes)).collect()
        };
        let (whole, resumed) = (at(whole), at(resumed));
        let names =
            |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(&whole), names(&resumed), "{name}: {file}");
        for ((path, a), (_, b)) in whole.iter().zip(&resumed) {
            assert!(a == b, "{name}: {} differs", path.display());
        }
    }
}

fn walk(name: &str, command: &str, result: Outcome, locks: bool) {
    let command = command.replace("IN/", &format!("{}/", Inputs::get().display()));
    let whole = tempfile::tempdir().expect("a folder");
    let printed = run_whole(whole.path(), &command);
    let (mut stopped, mut refused) = (None, !locks);
    for delay in DELAYS {
        let folder = tempfile::tempdir().expect("a folder");
        let mut run = Running::start(folder.path(), &command);
        run.wait_for_handler();
        std::thread::sleep(Duration::from_millis(delay));
        if !refused {
            refused = run.refuses_another(folder.path(), &command);
        }
        let asked = Instant::now();
        if kill(Pid::from_raw(run.child.id() as i32), Signal::SIGINT).is_err() {
            run.wait();
            continue;
        }
        let status = run.wait();
        if status.success() {
            continue;
        }
        let said = fs::read_to_string(&run.errors).expect("what it said");
        assert_eq!(status.code(), Some(130), "{name}: {said}");
        stopped = Some((asked.elapsed(), said, folder));
        break;
    }
    let Some((took, said, folder)) = stopped else {
        panic!("{name}: it ends before it can be stopped")
    };
    let told = told_command(&said);
    let run = Command::new("sh").args(["-c", told]).current_dir(folder.path()).output();
    let run = run.expect("a shell");
    let words = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{name}: {told}: {}\n{words}", run.status);
    if matches!(result, Printed) {
        assert_eq!(String::from_utf8_lossy(&run.stdout), printed, "{name}");
    }
    compare(name, result, whole.path(), folder.path());
    for path in contents(folder.path()).keys() {
        let left = path.extension().is_some_and(|ending| ending == "tmp");
        assert!(!left, "{name}: {} is left", path.display());
    }
    assert!(refused, "{name}: it ends before a second process can be refused");
    let locked = if locks { "a second process is refused" } else { "" };
    println!("{name:24} {:5.2} s to stop  {locked}", took.as_secs_f64());
}

macro_rules! walks {
    ($($name:ident: $command:expr, $result:expr $(, $locks:ident)?;)*) => {
        $(#[test]
        fn $name() {
            walk(stringify!($name), $command, $result, false $(|| stringify!($locks) == "locked")?);
        })*
    };
}

walks! {
    learn: "learn othello --games 300 --pairs 10 --out out", Files(&["out/model.safetensors", "out/data", "out/match-depth.jsonl"]), locked;
    learn_bootstrap: "learn malawi --method bootstrap --rounds 2 --games 100 --pairs 5 --out out", Files(&["out/round-001", "out/round-002"]), locked;
    data_generate: "data generate othello --games 600 --depth 3 --out out", Files(&["out"]), locked;
    data_import: "data import othello IN/many.txt --out out", Files(&["out"]);
    data_label: "data label IN/games --by search --depth 3 --function hand --out out", Files(&["out"]), locked;
    data_sample: "data sample IN/games --share 0.5 --out out", Files(&["out"]);
    data_split: "data split IN/games a=0.5 b=0.5", Files(&["a", "b"]);
    data_merge: "data merge IN/games IN/few --out out", Files(&["out"]);
    data_dedupe: "data dedupe IN/games --out out", Files(&["out"]);
    data_export: "data export IN/games -o out.txt", Files(&["out.txt"]);
    data_features: "data features IN/games -o out.parquet", Files(&["out.parquet"]);
    model_fit: "model fit IN/games -o out.safetensors", Files(&["out.safetensors"]);
    model_fit_tree: "model fit IN/games --learner tree -o out.safetensors", Files(&["out.safetensors"]);
    model_fit_patterns: "model fit IN/games --learner patterns --patterns IN/small.toml --types pooled -o out.safetensors", Files(&["out.safetensors"]), locked;
    model_compare: "model compare IN/few --learners logistic,fisher --pairs 4 --depth 2 --out out", Measured, locked;
    model_discover: "model discover IN/patterns.safetensors IN/games --positions 4000", Measured;
    model_judge: "model judge IN/linear.safetensors IN/games", Printed;
    match_run: "match run othello hand trivial --depth 4 --pairs 50 --log out.jsonl", Files(&["out.jsonl"]), locked;
    match_sprt: "match sprt othello hand trivial --depth 4 --elo0 0 --elo1 2 --pairs 50 --log out.jsonl", Files(&["out.jsonl"]), locked;
    match_long_move: "match run othello hand hand --depth 8 --pairs 1 --log out.jsonl", Files(&["out.jsonl"]), locked;
    match_tournament: "match tournament othello hand trivial shipped --depth 3 --pairs 12 --out out", Measured, locked;
    match_time_factor: "match time-factor othello hand trivial --pairs 4 --batches 2 --cpu-ms 1 --out out", Measured, locked;
    curve_values_function: "curve values IN/few --function hand --after 'depth 4' -o out.tsv", Files(&["out.tsv"]), locked;
    curve_values_engine: "curve values IN/fens.tsv --engine 'sh IN/engine.sh' --go 'depth 1' -o out.csv", Files(&["out.csv"]), locked;
    curve_draw: "curve draw IN/values.tsv --value value -o out.svg", Files(&["out.svg"]);
    curve_search: "curve search IN/values.tsv --value value --game game --pairs", Printed;
    reproduce: "reproduce lee86 --only F5-1 --out out", Measured, locked;
    solve: "solve IN/endgames.obf --threads 1 --hash 16", Measured;
    solve_score_moves: "solve IN/late.obf --score-moves out.obf --threads 1 --hash 16", Files(&["out.obf"]), locked;
    analyze: "analyze othello f5d6c3d3c4 --depth 16 --threads 1 --hash 16 --book none", Measured;
    book_build: "book build othello --out out.book --positions 40 --depth 8 --hash 4", Files(&["out.book"]), locked;
    book_import: "book import othello IN/lines.txt --plies 12 --depth 8 --hash 4 --out out.book", Files(&["out.book"]), locked;
    engine_fit_probcut: "engine fit-probcut othello --positions 600 --depth 6 -o out.txt", Files(&["out.txt"]);
    bench: "bench --leaves 20000000", Measured;
    bench_moves: "bench moves IN/scored.obf --move-time 0.2", Measured;
}
