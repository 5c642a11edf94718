//! How a failure reaches the user: one sentence and an exit code.

use crate::stop::{self, Kept};
use evalsmith_lab::LabError;
use std::fmt;
use std::io;
use std::path::Path;
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

/// Somebody asked a job to stop that printed what it knew and keeps nothing to go
/// on from: exit code 130.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped; what was known is printed")
    }
}

impl std::error::Error for Interrupted {}

/// Prints the error and gives the exit code. A closed pipe is no failure.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let closed_pipe = error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|e| e.kind() == io::ErrorKind::BrokenPipe);
    if closed_pipe {
        return ExitCode::SUCCESS;
    }
    if error.is::<Interrupted>() {
        say(&message(error));
        say(&format!("begin again with: {}", typed_command()));
        return ExitCode::from(130);
    }
    if error.chain().any(LabError::is_stop_of) {
        // The error of a step may promise what the whole command does not.
        let is_abandoned = error.chain().any(LabError::is_abandoned_of);
        let kept = if is_abandoned { Kept::Nothing } else { stop::kept() };
        match kept {
            Kept::Finished => say(&message(error)),
            Kept::Nothing | Kept::Unknown => say(&LabError::Abandoned.to_string()),
        }
        say(&format!("{}: {}", kept.again(), typed_command()));
        return ExitCode::from(130);
    }
    say(&format!("error: {}", message(error)));
    let lab = error.downcast_ref::<LabError>();
    if matches!(lab, Some(LabError::Arena(fault)) if fault.is_fault()) {
        say(&format!("once that is mended, continue with: {}", typed_command()));
    }
    let wrong_call = error.is::<Usage>() || error.chain().any(LabError::is_usage_of);
    ExitCode::from(if wrong_call { 2 } else { 1 })
}

/// The error with its causes, each told once, and what helps against the usual ones.
fn message(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    let kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    match kinds.map(io::Error::kind).find_map(remedy) {
        Some(remedy) => format!("{text}; {remedy}"),
        None => text,
    }
}

fn remedy(kind: io::ErrorKind) -> Option<&'static str> {
    use io::ErrorKind as K;
    match kind {
        K::StorageFull | K::QuotaExceeded => Some("free some space and run the same command again"),
        K::NotFound => Some("check the name, and that the folder it stands in exists"),
        K::PermissionDenied | K::ReadOnlyFilesystem => Some("choose a place you may write to"),
        K::AlreadyExists | K::NotADirectory => Some("a file stands where a folder is needed"),
        K::IsADirectory => Some("a folder stands where a file is needed"),
        _ => None,
    }
}

/// One line to stderr, whatever became of it.
pub(crate) fn say(line: &str) {
    use io::Write;
    let _ = writeln!(io::stderr(), "{line}");
}

/// The command as the shell would take it again.
pub(crate) fn typed_command() -> String {
    words(std::env::args())
}

/// The same for the record of a file: the program by its name, wherever it lies here.
pub(crate) fn command_line() -> String {
    let program = std::env::args().next().unwrap_or_default();
    let name = Path::new(&program).file_name().map(|name| name.to_string_lossy().into_owned());
    words(std::iter::once(name.unwrap_or(program)).chain(std::env::args().skip(1)))
}

fn words(words: impl Iterator<Item = String>) -> String {
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
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
