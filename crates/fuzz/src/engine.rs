//! What the Othello engine reads: opening books and the error model of its pruning.

use evalsmith_core::Game;
use evalsmith_engine_othello::{Book, ProbCut, Selectivity};
use evalsmith_othello::Othello;

/// FNV-1a, the checksum at the end of a book.
fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, mix)
}

/// An opening book, as it is and with a correct checksum. Writing it and reading it
/// again must give the same book.
pub(crate) fn book(bytes: &[u8]) {
    let _ = Book::read(bytes);
    let content = &bytes[..bytes.len().saturating_sub(8)];
    let sealed = [content, &checksum(content).to_le_bytes()].concat();
    if let Ok(book) = Book::read(&sealed) {
        let again = Book::read(&book.to_bytes()).expect("a book that was just written");
        assert_eq!(book.to_bytes(), again.to_bytes());
        let start = Othello::new().start();
        assert_eq!(book.line(&start), again.line(&start));
        let _ = (book.stats(), book.transcripts(), book.obf().count());
    }
}

/// The error model of Multi-ProbCut. Every margin must be a finite number of discs,
/// and the model must survive being written.
pub(crate) fn probcut(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(model) = text.parse::<ProbCut>() else { return };
    assert_eq!(model.to_string().parse().as_ref(), Ok(&model));
    for level in Selectivity::ALL {
        for empties in 0..=60 {
            for depth in 0..=empties {
                let margin = model.margin_in_discs(empties, depth, level);
                assert!(margin.is_none_or(|discs| discs.is_finite() && discs >= 0.0));
            }
        }
    }
}
