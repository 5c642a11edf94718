//! Every long command, stopped by SIGINT: it exits with 130, leaves no engine running and
//! prints the command that continues or repeats it, and that command ends with what an
//! undisturbed run gives. Commands that extend a file or a folder refuse a second process
//! meanwhile, naming the first.
//!
//! `cargo test --test stops -- --nocapture` prints how long each took to stop.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stdout, reason = "the seconds are reported")]

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
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
        fs::write(folder.path().join("stubborn.sh"), STUBBORN).expect("written");
        run(&format!("match run othello hand trivial --depth 4 --pairs 50 --log {BEGUN}"));
        let begun = folder.path().join(BEGUN);
        let log = fs::read_to_string(&begun).expect("a log");
        let head: Vec<_> = log.split_inclusive('\n').take(4).collect();
        fs::write(begun, head.concat()).expect("written");
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

/// An engine that never answers a question and does not end with its input.
const STUBBORN: &str = r#"
while read -r line; do
  case "$line" in
    uci) echo "id name stubborn"; echo uciok ;;
    isready) echo readyok ;;
    go*) echo asked > asked; while :; do sleep 1; done ;;
  esac
done
"#;

/// A match with three games played, which a command that names it extends.
const BEGUN: &str = "begun.jsonl";

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

/// A folder for a command, with the file that it extends.
fn folder_for(command: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    if command.contains(BEGUN) {
        fs::copy(Inputs::get().join(BEGUN), folder.path().join(BEGUN)).expect("a copy");
    }
    folder
}

fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evalsmith"));
    command.current_dir(folder).stdin(Stdio::null());
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
            std::thread::sleep(Duration::from_micros(100));
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

    /// A second process with the same command is refused while this one works. False
    /// where this one holds no lock any more.
    ///
    /// This one is halted as soon as it holds a lock, so that it cannot end meanwhile.
    fn refuses_another(&mut self, folder: &Path, command: &str) -> bool {
        let pid = Pid::from_raw(self.child.id() as i32);
        while !self.holds_a_lock() {
            if self.child.try_wait().expect("a child").is_some() {
                return false;
            }
            std::thread::yield_now();
        }
        kill(pid, Signal::SIGSTOP).expect("it lives");
        let locked = self.holds_a_lock();
        if locked {
            let second = program(folder).args(words(command)).output().expect("a second program");
            let said = String::from_utf8_lossy(&second.stderr);
            let holder = format!("in use by process {}", self.child.id());
            assert_eq!(second.status.code(), Some(1), "{command}: {said}");
            assert!(said.contains(&holder), "{command}: {said}");
        }
        kill(pid, Signal::SIGCONT).expect("it lives");
        locked
    }

    /// Whether it holds the lock of anything but a temporary file.
    fn holds_a_lock(&self) -> bool {
        let locks = fs::read_to_string("/proc/locks").expect("Linux lists locks");
        let pid = self.child.id().to_string();
        let inodes: Vec<_> = locks
            .lines()
            .map(|line| line.split_ascii_whitespace().collect::<Vec<_>>())
            .filter(|words| words.get(1) == Some(&"FLOCK") && words.get(4) == Some(&pid.as_str()))
            .filter_map(|words| words.get(5)?.rsplit(':').next()?.parse::<u64>().ok())
            .collect();
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        descriptors.map(|entry| entry.path()).any(|file| {
            use std::os::unix::fs::MetadataExt;
            let inode = fs::metadata(&file).map_or(0, |metadata| metadata.ino());
            let name = fs::read_link(&file).unwrap_or_default();
            inodes.contains(&inode) && name.extension().is_none_or(|ending| ending != "tmp")
        })
    }
}

/// The processes that run in a folder, as engines do that were started there.
fn processes_in(folder: &Path) -> Vec<String> {
    let all = fs::read_dir("/proc").expect("Linux lists processes").flatten();
    let here = all.map(|entry| entry.path()).filter(|process| {
        // Of a dead process nothing can be read.
        fs::read_link(process.join("cwd")).is_ok_and(|at| at == folder)
    });
    here.map(|process| fs::read_to_string(process.join("cmdline")).unwrap_or_default()).collect()
}

/// Waits until nothing runs in a folder: what was killed may take a moment to be gone.
fn expect_no_process_in(folder: &Path, name: &str) {
    let begun = Instant::now();
    while !processes_in(folder).is_empty() && begun.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let left = processes_in(folder);
    assert!(left.is_empty(), "{name}: still running: {left:?}");
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
    let command = command.replace("PROGRAM", env!("CARGO_BIN_EXE_evalsmith"));
    let whole = folder_for(&command);
    let printed = run_whole(whole.path(), &command);
    let (mut stopped, mut refused) = (None, !locks);
    for delay in DELAYS {
        let folder = folder_for(&command);
        let mut run = Running::start(folder.path(), &command);
        run.wait_for_handler();
        if !refused {
            refused = run.refuses_another(folder.path(), &command);
        }
        std::thread::sleep(Duration::from_millis(delay));
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
    expect_no_process_in(folder.path(), name);
    // Before its job has begun, a command says neither.
    let not_begun = said.lines().last().is_some_and(|line| line.starts_with("stopped; begin"));
    assert!(not_begun || said.contains("continue with: ") == locks, "{name}: {said}");
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
    let equal = match (locks, result) {
        (true, Measured) => "continues",
        (true, Files(_) | Printed) => "continues, equal",
        (false, Measured) => "begins anew",
        (false, Files(_) | Printed) => "begins anew, equal",
    };
    let locked = if locks { "a second process is refused" } else { "" };
    println!("{name:24} {:5.2} s to stop  {equal:20} {locked}", took.as_secs_f64());
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
    data_import: "data import othello IN/many.txt --out out", Files(&["out"]), locked;
    data_label: "data label IN/games --by search --depth 3 --function hand --out out", Files(&["out"]), locked;
    data_label_engine: "data label IN/games --by engine --depth 5 --out out", Files(&["out"]), locked;
    data_label_tree: "data label IN/games --by tree --out out", Files(&["out"]), locked;
    data_info: "data info IN/games", Printed;
    data_sample: "data sample IN/games --share 0.5 --out out", Files(&["out"]), locked;
    data_split: "data split IN/games a=0.5 b=0.5", Files(&["a", "b"]), locked;
    data_merge: "data merge IN/games IN/few --out out", Files(&["out"]), locked;
    data_dedupe: "data dedupe IN/games --out out", Files(&["out"]), locked;
    data_export: "data export IN/games -o out.txt", Files(&["out.txt"]);
    data_features: "data features IN/games -o out.parquet", Files(&["out.parquet"]);
    model_fit: "model fit IN/games -o out.safetensors", Files(&["out.safetensors"]);
    model_fit_tree: "model fit IN/games --learner tree -o out.safetensors", Files(&["out.safetensors"]);
    model_fit_patterns: "model fit IN/games --learner patterns --patterns IN/small.toml --types pooled -o out.safetensors", Files(&["out.safetensors"]), locked;
    model_fit_configurations: "model fit IN/games --learner configurations --max-length 2 -o out.safetensors", Files(&["out.safetensors"]);
    model_samuel: "model samuel polynomial --game othello --games 40 -o out.safetensors", Files(&["out.safetensors"]);
    model_samuel_signature: "model samuel signature IN/games -o out.safetensors", Files(&["out.safetensors"]);
    model_compare: "model compare IN/few --learners logistic,fisher --pairs 4 --depth 2 --out out", Measured, locked;
    model_discover: "model discover IN/patterns.safetensors IN/games --positions 4000", Measured;
    model_judge: "model judge IN/linear.safetensors IN/games", Printed;
    match_run: "match run othello hand trivial --depth 4 --pairs 50 --log out.jsonl", Files(&["out.jsonl"]), locked;
    match_sprt: "match sprt othello hand trivial --depth 4 --elo0 0 --elo1 2 --pairs 50 --log out.jsonl", Files(&["out.jsonl"]), locked;
    match_long_move: "match run othello hand hand --depth 8 --pairs 1 --log out.jsonl", Files(&["out.jsonl"]), locked;
    match_tournament: "match tournament othello hand trivial shipped --depth 3 --pairs 12 --out out", Files(&["out"]), locked;
    match_gauntlet: "match gauntlet othello hand trivial shipped --depth 3 --pairs 12 --out out", Files(&["out"]), locked;
    match_ladder: "match ladder othello hand --depths 1..4 --pairs 12 --out out", Files(&["out"]), locked;
    match_resume: "match resume begun.jsonl", Files(&["begun.jsonl"]), locked;
    match_time_factor: "match time-factor othello hand trivial --pairs 4 --batches 2 --cpu-ms 1 --out out", Measured, locked;
    curve_values_function: "curve values IN/few --function hand --after 'depth 4' -o out.tsv", Files(&["out.tsv"]), locked;
    curve_values_engine: "curve values IN/fens.tsv --engine 'sh IN/engine.sh' --go 'depth 1' -o out.csv", Files(&["out.csv"]), locked;
    curve_draw: "curve draw IN/values.tsv --value value -o out.svg", Files(&["out.svg"]);
    curve_adjust: "curve adjust IN/values.tsv --value value --game game --feature mobility", Printed;
    curve_search: "curve search IN/values.tsv --value value --game game --pairs", Printed;
    curve_adjust_play: "curve adjust IN/values.tsv --value value --feature mobility --play othello --pairs 100 --depth 4 --folder out", Files(&["out/adjusted.safetensors", "out/match.jsonl", "out/run.json"]), locked;
    reproduce: "reproduce lee86 --only F5-1 --out out", Measured, locked;
    solve: "solve IN/endgames.obf --threads 1 --hash 16", Measured;
    solve_score_moves: "solve IN/late.obf --score-moves out.obf --threads 1 --hash 16", Files(&["out.obf"]), locked;
    analyze: "analyze othello f5d6c3d3c4 --depth 16 --threads 1 --hash 16 --book none", Measured;
    book_build: "book build othello --out out.book --positions 40 --depth 8 --hash 4", Files(&["out.book"]), locked;
    book_import: "book import othello IN/lines.txt --plies 12 --depth 8 --hash 4 --out out.book", Files(&["out.book"]), locked;
    engine_check: "engine check --protocol uci -- PROGRAM engine chess", Measured;
    engine_fit_probcut: "engine fit-probcut othello --positions 600 --depth 6 -o out.txt", Files(&["out.txt"]);
    bench: "bench --leaves 100000", Measured;
    bench_moves: "bench moves IN/scored.obf --move-time 0.2", Measured;
    bench_techniques: "bench techniques --pairs 1 --move-time 0.003 --hash 1 --out out", Measured, locked;
}

/// Runs a command until its engine was asked, and stops it so often.
fn stopped_while_an_engine_thinks(command: &str, signals: usize) -> (String, TempDir) {
    let command = command.replace("IN/", &format!("{}/", Inputs::get().display()));
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = Running::start(folder.path(), &command);
    let begun = Instant::now();
    while !folder.path().join("asked").exists() && begun.elapsed() < TOO_LONG {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(processes_in(folder.path()).len() > 1, "{command}: the engine runs");
    for _ in 0..signals {
        kill(Pid::from_raw(run.child.id() as i32), Signal::SIGINT).expect("it lives");
        std::thread::sleep(Duration::from_millis(20));
    }
    let status = run.wait();
    let said = fs::read_to_string(&run.errors).expect("what it said");
    assert_eq!(status.code(), Some(130), "{command}: {said}");
    expect_no_process_in(folder.path(), &command);
    (said, folder)
}

#[test]
fn engine_check_kills_an_engine_that_does_not_answer() {
    let (said, _) =
        stopped_while_an_engine_thinks("engine check --protocol uci -- sh IN/stubborn.sh", 1);
    assert!(said.starts_with("stopped; nothing is kept; begin again with: "), "{said}");
}

/// A match that cannot wait for a move kills the engine and does not count that as a loss.
#[test]
fn a_match_kills_an_engine_that_does_not_answer() {
    let command = "match run chess hand 'engine:uci:sh IN/stubborn.sh' --depth 2 --pairs 2 \
                   --log out.jsonl";
    for signals in [1, 2] {
        let (said, folder) = stopped_while_an_engine_thinks(command, signals);
        assert!(said.contains("continue with: "), "{said}");
        let log = fs::read_to_string(folder.path().join("out.jsonl")).expect("a log");
        assert_eq!(log.lines().count(), 1, "no game is lost: {log}");
    }
}

/// However early a signal comes, the command ends at once; before the handler is
/// installed by the system's own hand, with nothing begun.
#[test]
fn a_signal_in_the_first_milliseconds_leaves_nothing() {
    let commands = [
        "engine fit-probcut othello -o out.txt",
        "data generate othello --games 600 --depth 3 --out out",
        "bench",
    ];
    let (mut silent, mut told) = (0, 0);
    for (command, delay) in commands.iter().flat_map(|c| (0..12).map(move |delay| (c, delay))) {
        let folder = tempfile::tempdir().expect("a folder");
        let mut run = Running::start(folder.path(), command);
        std::thread::sleep(Duration::from_micros(500 * delay));
        kill(Pid::from_raw(run.child.id() as i32), Signal::SIGINT).expect("it lives");
        let status = run.wait();
        let said = fs::read_to_string(&run.errors).expect("what it said");
        if status.signal() == Some(Signal::SIGINT as i32) {
            silent += 1;
            let files: Vec<_> = contents(folder.path()).into_keys().collect();
            assert_eq!((files.len(), said.as_str()), (2, ""), "{command}: {files:?}");
        } else {
            told += 1;
            assert_eq!(status.code(), Some(130), "{command}: {said}");
            told_command(&said);
        }
    }
    println!("early signals: {silent} before the handler, {told} after");
}

/// How long a program is without its handler, in milliseconds.
#[test]
fn the_handler_is_installed_first() {
    let mut waits: Vec<_> = (0..30)
        .map(|_| {
            let folder = tempfile::tempdir().expect("a folder");
            let begun = Instant::now();
            let mut run = Running::start(folder.path(), "bench");
            run.wait_for_handler();
            let waited = begun.elapsed();
            run.child.kill().expect("it lives");
            run.child.wait().expect("it is dead");
            waited.as_secs_f64() * 1e3
        })
        .collect();
    waits.sort_by(f64::total_cmp);
    println!("from start to handler: median {:.1} ms, longest {:.1} ms", waits[15], waits[29]);
}
