//! `evalsmith curve` as a user runs it: tables in, curves, conditions and weights
//! out, and what it says to wrong calls.

use assert_cmd::Command;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn evalsmith(words: &[&str]) -> Command {
    let mut command = Command::cargo_bin("evalsmith").expect("the program is built");
    command.args(words);
    command
}

fn stdout(words: &[&str]) -> String {
    let output = evalsmith(words).assert().success().get_output().stdout.clone();
    String::from_utf8(output).expect("text")
}

fn complaint(words: &[&str], code: i32) -> String {
    let output = evalsmith(words).assert().code(code).get_output().stderr.clone();
    String::from_utf8(output).expect("text")
}

/// 600 games of ten positions; `total` leaves `bishop` out, which is worth its
/// number of centipawns, and `noise` is worth nothing.
fn table(folder: &Path) -> PathBuf {
    let mut state = 7_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let mut text = String::from("fen,result,game,total,bishop,noise\n");
    for game in 0..600 {
        let (level, bishop) = (600.0 * uniform() - 300.0, 300.0 * uniform() - 150.0);
        let won = uniform() < 1.0 / (1.0 + (-(level + bishop) / 100.0).exp());
        let result = if won { "1-0" } else { "0-1" };
        for ply in 0..10 {
            let (total, noise) = (level + 20.0 * uniform(), 100.0 * uniform());
            writeln!(text, "board w {ply},{result},g{game},{total:.0},{bishop:.0},{noise:.0}")
                .expect("a string grows");
        }
    }
    let path = folder.join("table.csv");
    fs::write(&path, text).expect("a table");
    path
}

#[test]
fn a_missing_term_is_drawn_found_and_brought_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = table(folder.path());
    let table = table.to_str().expect("a path");
    let file = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();

    for ending in ["svg", "html", "csv", "json"] {
        let drawing = file(&format!("curve.{ending}"));
        let told = stdout(&[
            "curve",
            "draw",
            table,
            "--value",
            "total",
            "--where",
            "bishop >= 50",
            "--where",
            "bishop <= -50 and noise < 1000",
            "--min-count",
            "50",
            "-o",
            &drawing,
        ]);
        assert!(told.contains("bishop >= 50") && told.contains("vertical gap"), "{told}");
        let text = fs::read_to_string(&drawing).expect("a drawing");
        assert!(text.contains("bishop") && !text.contains("NaN"), "{ending}");
    }

    let page = file("search.html");
    let found = stdout(&[
        "curve",
        "search",
        table,
        "--value",
        "total",
        "--min-count",
        "500",
        "--pairs",
        "-o",
        &page,
    ]);
    let first = found.lines().find(|line| line.trim_start().starts_with("1 ")).unwrap_or_default();
    assert!(first.contains("bishop"), "{found}");
    assert!(!found.contains("noise"), "{found}");
    assert!(fs::read_to_string(&page).expect("a page").contains("<svg"));
    let shuffled = stdout(&[
        "curve",
        "search",
        table,
        "--value",
        "total",
        "--shuffle",
        "1",
        "--min-count",
        "500",
    ]);
    assert!(shuffled.contains("no condition splits the curve"), "{shuffled}");

    let adjusted = stdout(&[
        "curve",
        "adjust",
        table,
        "--value",
        "total",
        "--feature",
        "bishop",
        "--feature",
        "noise / 2",
        "--where",
        "bishop >= 50",
        "--min-count",
        "50",
        "-o",
        &file("adjust.html"),
    ]);
    assert!(adjusted.contains("MLM") && adjusted.contains("LS"), "{adjusted}");
    let formula = adjusted.lines().find(|line| line.starts_with("total + ")).expect("a formula");
    let redrawn = file("after.svg");
    stdout(&["curve", "draw", table, "--value", formula, "--min-count", "50", "-o", &redrawn]);
    // A small table is drawn without a word about its size.
    stdout(&["curve", "draw", table, "--value", formula, "--force", "-o", &redrawn]);
}

/// A pipe can be read only once.
#[cfg(unix)]
#[test]
fn a_table_comes_through_a_pipe_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = table(folder.path());
    let bytes = fs::read(&table).expect("a table");
    let table = table.to_str().expect("a path");
    let file = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let drawing = file("curve.csv");
    for words in [
        &["search", "TABLE", "--value", "total", "--pairs"][..],
        &["search", "TABLE", "--value", "total", "--property", "bishop"],
        &["adjust", "TABLE", "--value", "total", "--feature", "bishop", "--where", "noise > 0"],
        &["draw", "TABLE", "--value", "total", "--force", "-o", &drawing],
    ] {
        let told = |place: &str, input: &[u8]| {
            let words = words.iter().map(|word| if *word == "TABLE" { place } else { word });
            let words: Vec<_> = std::iter::once("curve").chain(words).collect();
            let run = evalsmith(&words).write_stdin(input).assert().success();
            String::from_utf8(run.get_output().stdout.clone()).expect("text")
        };
        assert_eq!(told("/dev/stdin", &bytes), told(table, b""), "{words:?}");
    }
    let refused = |words: &[&str], input: &[u8], code| {
        let run = evalsmith(words).write_stdin(input).assert().code(code);
        String::from_utf8(run.get_output().stderr.clone()).expect("text")
    };
    let search = ["curve", "search", "/dev/stdin", "--value", "total"];
    let told = refused(&search, b"PAR1 and more", 1);
    assert!(told.contains("Parquet, which cannot be read from a pipe"), "{told}");
    let adjust = ["curve", "adjust", "/dev/stdin", "--value", "total", "--feature", "bishop"];
    let told = refused(&[&adjust[..], &["--play", "chess"]].concat(), &bytes, 2);
    assert!(told.contains("--folder"), "{told}");
    let out = file("played");
    let play = [&adjust[..], &["--play", "chess", "--folder", &out]].concat();
    let told = refused(&play, &bytes, 2);
    assert!(told.contains("no column side"), "{told}");
    assert!(!Path::new(&out).exists(), "a wrong call makes no folder");
}

#[test]
fn wrong_calls_are_told_with_place_and_remedy() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = table(folder.path());
    let table = table.to_str().expect("a path");
    let out = folder.path().join("x.svg");
    let out = out.to_str().expect("a path");
    let draw = |more: &[&'static str]| [&["curve", "draw", table, "-o", out][..], more].concat();
    for (words, code, expected) in [
        (draw(&["--value", "total", "--where", "king >= "]), 2, "expected a column"),
        (draw(&["--value", "total", "--where", "bishop"]), 2, "compare it"),
        (draw(&["--value", "totl"]), 1, "no column \"totl\""),
        (draw(&["--value", "total", "--result", "winner"]), 1, "no column \"winner\""),
        (draw(&["--value", "total", "--result", "fen"]), 1, "no row has a result"),
        (draw(&["--value", "total", "--min-count", "999999"]), 1, "use wider bins"),
        (draw(&["--value", "total", "--bin-width", "0"]), 2, "positive"),
        (draw(&[]), 2, "--value"),
        (vec!["curve", "draw", table, "--value", "total", "-o", "x.png"], 2, ".svg"),
        (
            vec!["curve", "adjust", table, "--value", "total", "--feature", "total * 2"],
            1,
            "leave it out",
        ),
        (
            vec!["curve", "values", table, "--engine", "no-such", "--go", "depth 1", "-o", "v.tsv"],
            1,
            "no-such",
        ),
        (
            vec!["curve", "values", table, "--engine", "x", "--go", "deep", "-o", "v.tsv"],
            2,
            "depth N",
        ),
        (
            vec!["curve", "values", table, "--engine", "x", "--eval", "nobody", "-o", "v.tsv"],
            2,
            "profiles",
        ),
        (
            vec!["curve", "values", table, "--engine", "x", "--go", "depth 1", "-o", "v.parquet"],
            2,
            ".tsv, .csv",
        ),
        (
            vec!["curve", "values", table, "--function", "hand", "--game", "chess", "-o", "v"],
            2,
            ".tsv, .csv",
        ),
    ] {
        let told = complaint(&words, code);
        assert!(told.contains(expected), "{words:?}: {told}");
    }
    let gone = ["curve", "values", table, "--engine", "/nowhere/gnugo", "--go", "depth 1"];
    let told = complaint(&[&gone[..], &["-o", "v.tsv"]].concat(), 1);
    assert!(told.contains("apt-get install gnugo"), "{told}");
    let never =
        stdout(&draw(&["--value", "total", "--where", "bishop > 9999", "--min-count", "50"]));
    assert!(never.contains("bishop > 9999 never holds"), "{never}");
}

/// A real engine where Debian's package is installed.
#[test]
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn a_real_engine_gives_values_and_is_asked_once() {
    let engine = Path::new("/usr/games/stockfish");
    if !engine.is_file() {
        println!("skipped: {} is absent; apt install stockfish", engine.display());
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let positions = folder.path().join("positions.tsv");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let queen_down = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1";
    fs::write(&positions, format!("fen\tresult\n{start}\t1-0\n{queen_down}\t0-1\n"))
        .expect("positions");
    let valued = folder.path().join("valued.tsv");
    let words = [
        "curve",
        "values",
        positions.to_str().expect("a path"),
        "--engine",
        "/usr/games/stockfish",
        "--eval",
        "stockfish",
        "--force",
        "-o",
        valued.to_str().expect("a path"),
    ];
    let told = stdout(&words);
    assert!(told.contains("2 of 2 rows") && told.contains("2 positions asked"), "{told}");
    let text = fs::read_to_string(&valued).expect("a table");
    let values: Vec<f64> =
        text.lines().skip(1).filter_map(|l| l.rsplit('\t').next()?.parse().ok()).collect();
    assert!(values.len() == 2 && values[0].abs() < 100.0 && values[1] < -400.0, "{text}");
    assert!(stdout(&words).contains("0 positions asked, 2 known before"));
}

/// Engines that are small enough to be installed wherever these tests run.
#[test]
#[expect(clippy::print_stdout, reason = "a test that skips says so")]
fn small_engines_of_debian_give_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let here = |program: &str| {
        let found = ["/usr/games", "/usr/bin"].iter().any(|f| Path::new(f).join(program).is_file());
        if !found {
            println!("skipped: there is no {program} here; apt-get install {program}");
        }
        found
    };
    let last = |name: &str| -> Vec<f64> {
        let text = fs::read_to_string(path(name)).expect("a table");
        text.lines().skip(1).filter_map(|l| l.rsplit('\t').next()?.parse().ok()).collect()
    };
    if here("gnuchess") {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let queen_down = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1";
        let text = format!("fen\tresult\n{start}\t1-0\n{queen_down}\t0-1\nnone\t0-1\n");
        fs::write(path("positions.tsv"), text).expect("positions");
        let ask = ["--engine", "gnuchess --uci", "--set", "OwnBook=false", "--go", "depth 1"];
        let words = ["curve", "values", &path("positions.tsv"), "-o", &path("chess.tsv")];
        let told = stdout(&[&words[..], &ask].concat());
        assert!(told.contains("2 of 3 rows") && told.contains("1 that are no pos"), "{told}");
        let values = last("chess.tsv");
        assert!(values[0].abs() < 200.0 && values[1] < -400.0, "{values:?}");
    }
    if here("gnugo") {
        let games = path("games");
        let one = ["--games", "1", "--depth", "1", "--out", &games];
        evalsmith(&[&["data", "generate", "go"][..], &one].concat()).assert().success();
        let ask = ["--protocol", "gtp", "--eval", "gnugo"];
        let engine = ["--engine", "gnugo --mode gtp --level 0", "-o", &path("go.tsv")];
        stdout(&[&["curve", "values", &games][..], &engine, &ask].concat());
        let values = last("go.tsv");
        assert!(values.len() > 20 && values.iter().all(|v| v.abs() <= 200.0), "{values:?}");
    }
}

/// The atoms of a game as columns, and configurations of them as conditions.
#[test]
fn configurations_are_searched_for_and_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    let (games, table) = (path("games"), path("table.tsv"));
    let play = ["--games", "60", "--depth", "1", "--chance", "0.2", "--out", &games];
    evalsmith(&[&["data", "generate", "othello"][..], &play].concat()).assert().success();
    let own = ["--function", "trivial", "--after", "nothing", "--atoms", "-o", &table];
    stdout(&[&["curve", "values", &games][..], &own].concat());
    let corners = ["a1", "a8", "h1", "h8"].iter().flat_map(|corner| ["--property", corner]);
    let mut words = vec!["curve", "search", &table, "--value", "value"];
    words.extend(["--configurations", "2", "--min-count", "60"]);
    words.extend(corners);
    let told = stdout(&words);
    assert!(told.contains("conditions on 4 properties"), "{told}");
    let draw = ["--value", "value", "--where", "a1=1 h8=1", "--min-count", "20"];
    let told = stdout(&[&["curve", "draw", &table, "-o", &path("x.svg")][..], &draw].concat());
    assert!(told.contains("a1=1 h8=1"), "{told}");

    let wrong = ["--function", "hand", "--after", "depth 3 at 73%", "-o", &path("y.tsv")];
    let told = complaint(&[&["curve", "values", &games][..], &wrong].concat(), 2);
    assert!(told.contains("--function shipped"), "{told}");
    let level = ["--function", "shipped", "--after", "depth 3 at 50%", "-o", &path("y.tsv")];
    let told = complaint(&[&["curve", "values", &games][..], &level].concat(), 2);
    assert!(told.contains("73%, 87%"), "{told}");
    let selective = ["--function", "shipped", "--after", "depth 3 at 73%", "-o", &path("y.tsv")];
    let few = path("few");
    let two = ["--games", "2", "--depth", "1", "--out", &few];
    evalsmith(&[&["data", "generate", "othello"][..], &two].concat()).assert().success();
    assert!(stdout(&[&["curve", "values", &few][..], &selective].concat()).contains("visited"));
}

/// Tables of few games give a result, whatever their games happen to be.
#[test]
fn small_tables_are_searched() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path").to_owned();
    for count in ["60", "300"] {
        let (games, table, page) = (path(count), path("table.tsv"), path("page.html"));
        let play = ["--games", count, "--depth", "1", "--out", &games];
        evalsmith(&[&["data", "generate", "othello"][..], &play].concat()).assert().success();
        let values = ["--function", "hand", "-o", &table, "--force"];
        stdout(&[&["curve", "values", &games][..], &values].concat());
        let search = ["curve", "search", &table, "--value", "value"];
        let told = stdout(&[&search[..], &["-o", &page, "--force"]].concat());
        assert!(told.contains(" conditions on 9 properties"), "{told}");
        let told = stdout(&[&search[..], &["--property", "mobility", "--pairs"]].concat());
        assert!(told.contains(" conditions on 1 properties"), "{told}");
    }
}

/// No common curve is the most likely one where every game with a large value was won.
#[test]
fn a_table_whose_values_separate_the_results_is_searched_with_a_ridge() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = folder.path().join("table.tsv");
    let row = |game: i32, ply: i32| {
        let (sign, result) = if game % 2 == 0 { (0.5, "1-0") } else { (-0.5, "0-1") };
        format!("{game}\t{result}\t{}\t{}\n", sign * f64::from(ply - 5), (game * 7 + ply * 3) % 11)
    };
    let rows = (0..60).flat_map(|game| (0..20).map(move |ply| row(game, ply)));
    let text = format!("game\tresult\tvalue\tx\n{}", rows.collect::<String>());
    fs::write(&table, text).expect("a table");
    let told = stdout(&["curve", "search", table.to_str().expect("a path"), "--value", "value"]);
    assert!(told.contains("a ridge keeps the common curve finite"), "{told}");
    assert!(told.contains(" conditions on 1 properties"), "{told}");
}
