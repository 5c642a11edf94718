//! Real records, where they lie beside the project: their counts are known.

use evalsmith_chess::Chess;
use evalsmith_core::Quiet;
use evalsmith_data::{Dataset, Import, Imported, InputFormat, import};
use evalsmith_othello::Othello;
use evalsmith_rules::DynGame;
use evalsmith_shogi::Shogi;
use std::path::{Path, PathBuf};

fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    #[expect(clippy::print_stderr, reason = "a test that was skipped says so")]
    {
        eprintln!("skipped: {} is absent", path.display());
    }
    None
}

fn imported(
    game: &DynGame,
    file: PathBuf,
    format: Option<InputFormat>,
) -> (tempfile::TempDir, Imported) {
    let dir = tempfile::tempdir().unwrap();
    let order = Import { files: vec![file], format, ..Import::default() };
    let made = import(game, &order, "import", dir.path(), &Quiet).unwrap();
    (dir, made)
}

#[test]
fn wthor_is_read_whole_with_its_exact_scores() {
    let Some(file) = shared("othello/wthor/WTH_1990.wtb") else { return };
    let bytes = std::fs::read(&file).unwrap();
    let games = u64::from(u32::from_le_bytes(bytes[4..8].try_into().unwrap()));
    let (dir, made) = imported(&DynGame::new(Othello::new()), file, None);
    assert_eq!((made.written.games, made.skipped.len()), (games, 0));
    let dataset = Dataset::open(dir.path()).unwrap();
    let mut labelled = 0;
    for batch in dataset.rows().map(Result::unwrap) {
        for (row, exact) in batch.rows().zip(batch.label("exact").unwrap()) {
            assert_eq!(exact.is_some(), row.stage.0 == 40);
            labelled += u64::from(exact.is_some());
        }
    }
    // A game may end before, and a pass gives the stage two rows.
    assert!(labelled * 100 > games * 98 && labelled * 100 < games * 110, "{labelled} of {games}");
    let info = dataset.info().unwrap();
    assert!(info.agreement[0].same * 10 > info.agreement[0].decided * 7, "{:?}", info.agreement);
}

#[test]
fn othello_lists_are_read_whole() {
    for (name, games, open) in [
        ("othello/openings/xot_small.txt", 3623, 3623),
        ("othello/endgame/fforum-1-19.obf", 19, 0),
        ("othello/endgame/fforum-40-49.obf", 10, 0),
        ("othello/endgame/hard-20.obf", 276, 0),
        ("othello/peers/rand16.obf", 200, 200),
    ] {
        let Some(file) = shared(name) else { return };
        let (_dir, made) = imported(&DynGame::new(Othello::new()), file, None);
        assert_eq!((made.written.games, made.written.open), (games, open), "{name}: {made:?}");
    }
}

#[test]
fn professional_shogi_is_read() {
    let Some(file) = shared("shogi/pro_games_1830.usi.tsv.zst") else { return };
    let (_dir, made) = imported(&DynGame::new(Shogi), file, None);
    let skipped: u64 = made.skipped.values().sum();
    assert_eq!(made.written.games + skipped, 1830, "{made:?}");
}

#[test]
fn master_games_are_read() {
    let Some(file) = shared("chess/master_games_20k.pgn.zst") else { return };
    let (_dir, made) = imported(&DynGame::new(Chess), file, None);
    let skipped: u64 = made.skipped.values().sum();
    assert_eq!(made.written.games + skipped, 20_000, "{made:?}");
    assert!(skipped < 20, "{made:?}");
}
