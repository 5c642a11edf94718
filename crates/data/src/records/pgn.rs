//! PGN: tags, then the moves in the game's notation with comments, wrapped.
//!
//! A comment is `{+0.35/12 1.234s 5678n}`: pawns for the side that moved and the
//! depth as arenas write them, seconds, positions. `White` and `1-0` mean the side
//! that the game calls white, which moves second in some games.

use super::{Note, Told, pawns, plain_text};
use evalsmith_core::{Game, Score, Side, Verdict};
use std::fmt::Write;

/// The widest line that the standard's export format has.
const WIDTH: usize = 79;

pub(super) fn write(told: &Told<'_>) -> String {
    let headers = told.headers;
    let [white, black] = ["white", "black"].map(|name| told.called(name));
    let result = match told.outcome().map(|outcome| outcome.seen_by(Side::First, white).verdict()) {
        Some(Verdict::Win) => "1-0",
        Some(Verdict::Draw) => "1/2-1/2",
        Some(Verdict::Loss) => "0-1",
        None => "*",
    };
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = plain_text(value).replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{}\"]", value.trim());
    };
    tag("Event", headers.event.as_deref().unwrap_or("?"));
    tag("Site", "?");
    tag("Date", &headers.date.as_ref().map_or("????.??.??".into(), |date| date.replace('-', ".")));
    tag("Round", &headers.round.map_or("?".into(), |round| round.to_string()));
    tag("White", &headers.players[white.index()]);
    tag("Black", &headers.players[black.index()]);
    tag("Result", result);
    if told.game.name() != "chess" {
        tag("Variant", told.game.name());
    }
    if let Some(position) = told.set_up() {
        tag("SetUp", "1");
        tag("FEN", &told.game.format(position, told.record.first()));
    }
    for (name, value) in [
        ("Opening", &headers.opening),
        ("TimeControl", &headers.time_control),
        ("Termination", &headers.termination),
    ] {
        if let Some(value) = value {
            tag(name, value);
        }
    }
    tag("PlyCount", &told.record.ply().to_string());
    text.push('\n');

    let mut width = 0;
    let mut word = |word: &str| {
        if width > 0 && width + 1 + word.len() > WIDTH {
            text.push('\n');
            width = 0;
        }
        if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += word.len();
    };
    let offset = told.record.first().index();
    // After a comment Black's move is numbered again.
    let mut numbered = false;
    for (count, ply) in (offset..).zip(told.plies()) {
        let number = count / 2 + 1;
        if count % 2 == 0 {
            word(&format!("{number}."));
        } else if !numbered {
            word(&format!("{number}..."));
        }
        word(&told.game.format_move(ply.position, ply.m));
        let comment = comment(&ply.note);
        numbered = comment.is_none();
        if let Some(comment) = comment {
            comment.split(' ').for_each(&mut word);
        }
    }
    word(result);
    text.push_str("\n\n");
    text
}

fn comment(note: &Note) -> Option<String> {
    let mut parts = Vec::new();
    let value = note.value.map(|value| match pawns(value) {
        Some(pawns) => format!("{pawns:+.2}"),
        None if value > Score(0) => "won".into(),
        None => "lost".into(),
    });
    match (value, note.depth) {
        (Some(value), depth) => parts.push(format!("{value}/{depth}")),
        (None, 1..) => parts.push(format!("/{}", note.depth)),
        (None, 0) => {}
    }
    parts.extend(note.time.map(|time| format!("{:.3}s", time.as_secs_f64())));
    parts.extend((note.nodes > 0).then(|| format!("{}n", note.nodes)));
    (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{chess, headers, malawi, notes, othello, random_game};
    use super::super::{Headers, RecordFormat, write_record};
    use super::*;
    use evalsmith_core::{GameRecord, Outcome};
    use evalsmith_rules::{DynGame, Pos};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The tags and the moves; comments and numbers are passed over.
    fn read(text: &str) -> (BTreeMap<String, String>, Vec<String>) {
        let (mut tags, mut moves) = (BTreeMap::new(), String::new());
        for line in text.lines() {
            match line.strip_prefix('[') {
                Some(tag) => {
                    let (name, value) = tag.split_once(" \"").unwrap();
                    let value = value.strip_suffix("\"]").unwrap();
                    let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
                    assert!(tags.insert(name.to_owned(), value).is_none(), "{name} twice");
                }
                None => moves = format!("{moves} {line}"),
            }
        }
        while let Some((before, rest)) = moves.split_once('{') {
            let (_, after) = rest.split_once('}').unwrap();
            moves = format!("{before}{after}");
        }
        let words = moves.split_whitespace();
        let moves = words.filter(|w| !w.ends_with('.')).map(str::to_owned).collect();
        (tags, moves)
    }

    fn reread(game: &DynGame, record: &GameRecord<Pos>) {
        let all = notes(record.ply());
        let text = write_record(game, RecordFormat::Pgn, record, &headers(), &all).unwrap();
        assert!(text.lines().filter(|l| !l.starts_with('[')).all(|l| l.len() <= WIDTH), "{text}");
        let (tags, mut moves) = read(&text);
        let (start, side) = match tags.get("FEN") {
            Some(fen) => game.parse(fen).unwrap(),
            None => (game.start(), Side::First),
        };
        let result = moves.pop().unwrap();
        assert_eq!(result, tags["Result"]);
        assert_eq!(result == "*", record.ending().is_none());
        let mut again = GameRecord::new(start, side, record.max_plies());
        for text in moves {
            again.play(game.parse_move(again.position(), &text).unwrap()).unwrap();
        }
        assert_eq!(&again, record);
        let first = if game.side_names()[0] == "black" { "Black" } else { "White" };
        assert_eq!(tags[first], "Anna \"A\"");
    }

    #[test]
    fn a_game_reads_as_people_write_it() {
        let mut record = GameRecord::new(chess().start(), Side::First, 99);
        for text in ["f3", "e5", "g4", "Qh4#"] {
            record.play(chess().parse_move(record.position(), text).unwrap()).unwrap();
        }
        let time = Some(std::time::Duration::from_millis(250));
        let notes = [
            Note { value: Some(Score(-576)), depth: 3, nodes: 70, time },
            Note::default(),
            Note { depth: 2, ..Note::default() },
            Note { value: Some(Score::of_outcome(Outcome::WIN)), depth: 1, ..Note::default() },
        ];
        let players = ["A".into(), "B".into()];
        let headers = Headers { players, ..Headers::default() };
        let text = write_record(&chess(), RecordFormat::Pgn, &record, &headers, &notes).unwrap();
        let moves = text.lines().rfind(|line| !line.is_empty()).unwrap();
        assert_eq!(moves, "1. f3 {-1.00/3 0.250s 70n} 1... e5 2. g4 {/2} 2... Qh4# {won/1} 0-1");
        assert!(text.contains("[White \"A\"]\n[Black \"B\"]\n[Result \"0-1\"]\n"), "{text}");
    }

    #[test]
    fn a_forfeit_is_told_by_the_headers() {
        let record = GameRecord::new(othello().start(), Side::First, 99);
        let headers = Headers {
            outcome: Some(Outcome::LOSS),
            termination: Some("time forfeit".into()),
            ..Headers::default()
        };
        let game = othello();
        let text = write_record(&game, RecordFormat::Pgn, &record, &headers, &[]).unwrap();
        assert!(text.contains("[Result \"1-0\"]"), "Black moves first: {text}");
        assert!(text.contains("[Termination \"time forfeit\"]"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn what_is_written_is_read(seed: u64, skip in 0_usize..30, plies in 0_usize..120) {
            reread(&chess(), &random_game(&chess(), seed, skip, plies));
            reread(&malawi(), &random_game(&malawi(), seed, skip / 4, plies));
            let othello = othello();
            reread(&othello, &random_game(&othello, seed, skip, plies));
        }
    }
}
