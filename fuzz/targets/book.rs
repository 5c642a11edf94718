//! Opening books, with a checksum that fits: what is read can be written and read again.

#![no_main]

use evalsmith_core::Game;
use evalsmith_engine_othello::Book;
use evalsmith_othello::Othello;
use libfuzzer_sys::fuzz_target;

/// FNV-1a, as the books have it.
fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, mix)
}

fuzz_target!(|bytes: &[u8]| {
    let _ = Book::read(bytes);
    let content = &bytes[..bytes.len().saturating_sub(8)];
    let sealed = [content, &checksum(content).to_le_bytes()].concat();
    if let Ok(book) = Book::read(&sealed) {
        let again = Book::read(&book.to_bytes()).expect("what was written");
        assert_eq!(book.to_bytes(), again.to_bytes());
        let start = Othello::new().start();
        assert_eq!(book.line(&start), again.line(&start));
        let _ = (book.stats(), book.transcripts(), book.obf().count());
    }
});
