//! Go in SGF.
#![no_main]

use evalsmith_data::InputFormat;
use evalsmith_fuzz::read_all;
use evalsmith_go::Go;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| read_all(&Go::new(), InputFormat::Sgf, bytes));
