//! The `evalsmith` program with the games that come with it.

use std::process::ExitCode;

fn main() -> ExitCode {
    evalsmith::run(evalsmith::games())
}
