//! How a failure reaches the user: one sentence and an exit code.

use evalsmith_lab::LabError;
use std::fmt;
use std::io;
use std::process::ExitCode;

/// The call itself was wrong: exit code 2.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Prints the error and gives the exit code. A closed pipe is no failure.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let closed_pipe = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|e| e.kind() == io::ErrorKind::BrokenPipe);
    if closed_pipe {
        return ExitCode::SUCCESS;
    }
    let lab = error.downcast_ref::<LabError>();
    if lab.is_some_and(LabError::is_stop) {
        say(&format!("{error:#}"));
        say(&format!("go on with: {}", command_line()));
        return ExitCode::from(130);
    }
    say(&format!("error: {error:#}"));
    let wrong_call = error.is::<Usage>() || lab.is_some_and(LabError::is_usage);
    ExitCode::from(if wrong_call { 2 } else { 1 })
}

/// One line to stderr, whatever became of it.
pub(crate) fn say(line: &str) {
    use io::Write;
    let _ = writeln!(io::stderr(), "{line}");
}

/// The command as the shell would take it again.
pub(crate) fn command_line() -> String {
    std::env::args().map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(quoted("--out=runs/a"), "--out=runs/a");
        assert_eq!(quoted("my run"), "'my run'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
