//! Pictures of the views, for the book and for the eye.

use super::{page, program};
use std::path::Path;

/// Pictures for the book: `cargo test -p evalsmith --test page -- --ignored screenshots`.
#[test]
#[ignore = "writes the pictures of the book"]
fn screenshots() {
    let temp = tempfile::tempdir().unwrap();
    let words = "data generate othello --out games --games 400 --depth 2 --seed 3";
    program(temp.path(), &words.split(' ').collect::<Vec<_>>(), "");
    let words = "match run othello shipped hand --log duel.jsonl --pairs 60 --depth 2";
    program(temp.path(), &words.split(' ').collect::<Vec<_>>(), "");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/othello-patterns.safetensors");
    std::fs::copy(shipped, temp.path().join("patterns.safetensors")).unwrap();
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/page");
    let Some((server, mut browser)) = page(temp.path()) else { return };
    let game = "f5,d6,c3,d3,c4,f4,f6,f3,e6,e7,d7,g6,d8,c5,c6,c7";
    let views = [
        (
            "play",
            format!("#/play/othello/{game}"),
            "Number(document.querySelector('#depth')?.dataset.depth) >= 5 && document.querySelector('.course svg')",
        ),
        (
            "inside",
            format!("#/inside/othello/{game}?function=patterns.safetensors"),
            "document.querySelectorAll('.accounts tr').length > 3",
        ),
        (
            "curves",
            "#/curve/games?function=shipped&where=stage%20%3C%2030".to_owned(),
            "document.querySelectorAll('.card').length === 2",
        ),
        ("runs", "#/run/duel.jsonl".to_owned(), "document.querySelector('#result')"),
        ("chess", "#/play/chess/e4,e5,Nf3,Nc6".to_owned(), "document.querySelector('.ranking')"),
        (
            "shogi",
            "#/play/shogi/7g7f,3c3d,8h2b%2B,3a2b".to_owned(),
            "document.querySelector('.ranking')",
        ),
        ("go", "#/play/go/E5,E3".to_owned(), "document.querySelector('.ranking')"),
        ("malawi", "#/play/malawi".to_owned(), "document.querySelector('.ranking')"),
    ];
    for (name, hash, ready) in views {
        for (suffix, width, height, dark) in
            [("", 1280, 860, false), ("-dark", 1280, 860, true), ("-phone", 390, 844, false)]
        {
            browser.size(width, height);
            browser.dark(dark);
            browser.open(&format!("{}{hash}", server.url));
            if hash.contains("/play/") {
                browser.set("#side", "both");
            }
            browser.wait(ready);
            if name == "play" && width > 600 {
                browser.point("[data-square=d2]");
                browser.wait("document.querySelector('.preview svg')");
            }
            std::thread::sleep(std::time::Duration::from_millis(700));
            // The book shows the four views; the others are for the eye of who changes them.
            let shown = ["play", "inside", "curves", "runs"].contains(&name) && suffix.is_empty();
            let folder =
                if shown { book.clone() } else { std::env::temp_dir().join("evalsmith-page") };
            std::fs::create_dir_all(&folder).unwrap();
            browser.screenshot(&folder.join(format!("{name}{suffix}.png")));
        }
    }
}
