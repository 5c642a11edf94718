//! Shogi in CSA.
#![no_main]

use evalsmith_data::InputFormat;
use evalsmith_fuzz::read_all;
use evalsmith_shogi::Shogi;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| read_all(&Shogi, InputFormat::Csa, bytes));
