//! Chess positions with results.
#![no_main]

use evalsmith_chess::Chess;
use evalsmith_data::InputFormat;
use evalsmith_fuzz::read_all;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| read_all(&Chess, InputFormat::Epd, bytes));
