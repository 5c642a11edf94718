//! Every command of the program, and its page, for games that it does not come with: one
//! that is compiled in, and one whose rules are a file.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A program, the game it has beside others, and a feature of it.
struct Subject {
    program: &'static str,
    game: &'static str,
    feature: &'static str,
}

const CONNECT_FOUR: Subject = Subject {
    program: env!("CARGO_BIN_EXE_connect-four"),
    game: "connect-four",
    feature: "centre",
};
const WALK: Subject =
    Subject { program: env!("CARGO_BIN_EXE_walk"), game: "forest", feature: "light" };

/// Commands for GAME with FEATURE, in an order in which each finds what it needs. After
/// `=>` stands a part of what it must print; after `=/` of why it must refuse.
const COMMANDS: &str = "\
games => GAME
bench --leaves 1000 => signature
learn GAME --games 300 --depth 1 --opening-plies 2 --chance 0.4 --radius 5 --pairs 4 --cpu-ms 0.1 --out learned => report.html
learn GAME --method bootstrap --rounds 2 --games 40 --match-every 0 --out bootstrapped => round
data generate GAME --games 300 --depth 1 --opening-plies 2 --chance 0.4 --out games => 300 games
data generate GAME --games 30 --depth 1 --opening-plies 2 --seed 2 --function learned/model.safetensors \
--against trivial --out others => 30 games
data generate GAME --games 9 --depth 1 --opening-plies 2 --enumerate --out enumerated => 9 games
data info games => 300
data merge games others --out merged => 330 games
data split games train=0.8 test=0.2 => train
data sample games --positions 50 --out sample => 50 positions
data dedupe games --out once => repeated
data label games --by search --depth 2 --out searched => label
data label games --by corrected --depth 1 --sure 2 --out corrected => label
data label games --by tree --out tree => label
data label games --by exact --out exact =/ solve
data features games -o features.parquet => rows
data export games -o games.txt => games
data export games -o games.csv => positions
data export games -o games.pgn => 300 games
data import GAME games.txt --out imported => games
data import GAME games.pgn --out from-pgn => 300 games
model fit games -o linear.model => fitted
model fit games --learner tree -o tree.model => tree
model fit games --learner fisher -o fisher.model => fitted
model fit games --learner quadratic -o quadratic.model => fitted
model fit games --learner least-squares -o squares.model => fitted
model fit games --learner patterns --patterns edax -o x.model =/ atoms
model fit games --learner configurations -o x.model =/ atoms
model fit features.parquet -o table.model => fitted
model show linear.model => FEATURE
model show tree.model => leaves
model judge linear.model others => right
model compare games --learners logistic,tree --pairs 2 --depth 1 --out compared => tree
model samuel polynomial --game GAME --games 6 -o samuel.model => samuel.model
model samuel signature games -o signature.model => signature.model
model samuel griffith games -o griffith.json => griffith.json
model discover linear.model games =/ pattern
model export linear.model --format json -o x.json =/ linear
curve values games --function linear.model -o values.tsv => linear.model@
curve values games --function linear.model --after 'depth 2' -o deep.csv => depth 2
curve draw games --function linear.model --min-count 20 -o curve.svg => linear.model@
curve draw values.tsv --value value --min-count 20 --where 'stage = 3' -o curve.html => positions
curve search values.tsv --value value --min-count 20 => conditions
curve adjust values.tsv --value value --feature FEATURE => FEATURE
curve adjust values.tsv --value value --feature FEATURE --play GAME --function linear.model --pairs 2 --depth 1 => Written
match run GAME linear.model trivial --log run.jsonl --pairs 4 --opening-plies 2 --depth 1 => Elo
match sprt GAME linear.model trivial --log sprt.jsonl --pairs 6 --opening-plies 2 --depth 1 --elo0 0 --elo1 50 => LLR
match tournament GAME linear.model tree.model trivial --out round --pairs 2 --opening-plies 2 --depth 1 => trivial
match gauntlet GAME linear.model tree.model trivial --out gauntlet --pairs 2 --opening-plies 2 --depth 1 => trivial
match ladder GAME linear.model --out ladder --pairs 2 --opening-plies 2 --depths 1..2 => 2
match time-factor GAME linear.model tree.model --out factor --pairs 2 --batches 1 --opening-plies 2 --cpu-ms 0.1 => factor
match resume run.jsonl => Elo
match report run.jsonl => Elo
match records run.jsonl -o run.pgn => games
play GAME --side none --depth 1 --function linear.model => The game is over
play GAME --side none --depth 1 => The game is over
engine GAME =/ in no protocol
reproduce => lee86
";

/// A command in the folder; the map is named whether the program wants one or not.
fn command(subject: &Subject, folder: &Path) -> Command {
    let mut command = Command::new(subject.program);
    command.current_dir(folder).env("WALK", folder.join("map.txt")).stdin(Stdio::null());
    command
}

/// The words of a command; those in apostrophes are one.
fn words(text: &str) -> Vec<String> {
    let parts = text.split('\'').enumerate();
    let words = |(index, part): (usize, &str)| -> Vec<String> {
        if index % 2 == 1 {
            vec![part.to_owned()]
        } else {
            part.split_whitespace().map(str::to_owned).collect()
        }
    };
    parts.flat_map(words).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Layers of the map, and places in each.
const LAYERS: usize = 22;
const WIDTH: usize = 15;

/// Layers of places with exits into the next two.
fn map() -> String {
    let mut lines = vec!["forest light exits".to_owned()];
    let name = |layer: usize, i: usize| match layer {
        0 => "start".to_owned(),
        _ => format!("p{layer}x{i}"),
    };
    for layer in 0..LAYERS {
        for i in 0..if layer == 0 { 1 } else { WIDTH } {
            let exits: Vec<String> = match layer {
                _ if layer + 1 == LAYERS => Vec::new(),
                12.. if (layer * 3 + i) % 11 == 0 => Vec::new(),
                0 => (0..WIDTH).map(|next| name(1, next)).collect(),
                _ => {
                    let near =
                        (0..2 + (layer + i) % 3).map(|k| name(layer + 1, (i + 2 * k) % WIDTH));
                    let far =
                        (layer + 2 < LAYERS && (i + layer) % 3 == 0).then(|| name(layer + 2, i));
                    near.chain(far).collect()
                }
            };
            let light = (layer * 7 + i * 3) % 10;
            lines.push(format!("{} {light} {}: {}", name(layer, i), exits.len(), exits.join(" ")));
        }
    }
    lines.join("\n") + "\n"
}

fn walk_through(subject: &Subject) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("map.txt"), map()).expect("written");
    for line in COMMANDS.lines() {
        let line = line.replace("GAME", subject.game).replace("FEATURE", subject.feature);
        let (text, refused) = match line.split_once(" =/ ") {
            Some((text, why)) => (text, Some(why)),
            None => (line.split_once(" => ").expect("what it prints").0, None),
        };
        let output = command(subject, folder.path()).args(words(text)).output().expect("starts");
        let (said, program) = (said(&output), subject.game);
        match refused {
            None => {
                let printed = line.split_once(" => ").expect("what it prints").1;
                assert!(output.status.success(), "{program}: {text}: {}\n{said}", output.status);
                assert!(said.contains(printed), "{program}: {text}: no {printed:?} in\n{said}");
            }
            Some(why) => {
                let code = output.status.code();
                assert!(matches!(code, Some(1 | 2)), "{program}: {text}: {code:?}\n{said}");
                assert!(said.contains(why), "{program}: {text}: no {why:?} in\n{said}");
            }
        }
    }
    page(subject, folder.path());
}

/// The page knows the game, shows its start and answers a move.
fn page(subject: &Subject, folder: &Path) {
    let mut server = command(subject, folder)
        .args(["serve", "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut lines = BufReader::new(server.stdout.take().expect("its words")).lines();
    let address = lines.next().expect("a line").expect("text");
    let address = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let ask = |method: &str, path: &str, body: &str| {
        let mut stream = TcpStream::connect(&address).expect("it listens");
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    let game = subject.game;
    let answers = [
        (ask("GET", "/api/v1/games", ""), game),
        (ask("POST", &format!("/api/v1/games/{game}/view"), "{}"), "\"moves\""),
        (ask("POST", &format!("/api/v1/games/{game}/reply"), "{}"), "\"move\""),
        (
            ask("POST", &format!("/api/v1/games/{game}/view"), "{\"function\":\"linear.model\"}"),
            "linear.model@",
        ),
        (ask("GET", "/", ""), "<html"),
    ];
    server.kill().expect("it runs");
    server.wait().expect("it ends");
    for (answer, part) in answers {
        assert!(answer.starts_with("HTTP/1.1 200"), "{game}: {answer}");
        assert!(answer.contains(part), "{game}: no {part:?} in {answer}");
    }
}

#[test]
fn a_game_compiled_in_has_every_command() {
    walk_through(&CONNECT_FOUR);
}

#[test]
fn a_game_from_a_file_has_every_command() {
    walk_through(&WALK);
}
