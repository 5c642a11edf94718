//! Othello positions with scores.
#![no_main]

use evalsmith_data::InputFormat;
use evalsmith_fuzz::read_all;
use evalsmith_othello::Othello;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| read_all(&Othello::new(), InputFormat::Obf, bytes));
