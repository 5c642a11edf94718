//! A match ordered by a file: `--plan FILE`.
//!
//! The file's keys are options by their long names, with `game` and `players` for
//! the words before them; its tables are players, as in a file of `--engines`.
//! Keys become words of the command line before it is read, so that a file can
//! say what a command can and is checked as strictly; what the command line says
//! itself wins.

use crate::failure::Usage;
use anyhow::Context;
use evalsmith_lab::prelude::files::{MOST_SETTINGS, read_text_at_most};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::Value;

/// The words of a command line with those of its plan, if it names one.
pub(crate) fn expand(words: Vec<OsString>) -> anyhow::Result<Vec<OsString>> {
    let is_match = words.iter().skip(1).any(|word| word == "match");
    let Some(file) = plan_of(&words).filter(|_| is_match) else { return Ok(words) };
    let text = read_text_at_most(&file, MOST_SETTINGS)
        .with_context(|| format!("the plan {} cannot be read", file.display()))?;
    Ok(with_plan(words, &text, &file)?)
}

/// The file that `--plan FILE` or `--plan=FILE` names.
fn plan_of(words: &[OsString]) -> Option<PathBuf> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--plan" {
            return words.next().map(PathBuf::from);
        }
        if let Some(file) = word.to_str().and_then(|word| word.strip_prefix("--plan=")) {
            return Some(file.into());
        }
    }
    None
}

fn with_plan(mut words: Vec<OsString>, text: &str, file: &Path) -> Result<Vec<OsString>, Usage> {
    let wrong = |reason: String| Usage(format!("{}: {reason}", file.display()));
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| wrong(e.to_string()))?;
    let Some(Value::String(game)) = table.get("game") else {
        return Err(wrong("a plan says what is played: write game = \"othello\"".into()));
    };
    let mut names = vec![OsString::from(game)];
    for (key, value) in &table {
        let option = format!("--{key}");
        let is_given = words.iter().any(|word| {
            let word = word.to_string_lossy();
            word.split('=').next() == Some(&option)
        });
        match (key.as_str(), value) {
            ("game", _) | (_, Value::Table(_) | Value::Boolean(false)) => {}
            ("players", Value::Array(players)) => {
                for player in players {
                    let Value::String(player) = player else {
                        return Err(wrong(format!("players: {player} is no name in quotes")));
                    };
                    names.push(player.into());
                }
            }
            ("players", _) => return Err(wrong("players: write [\"hand\", \"trivial\"]".into())),
            ("plan", _) => return Err(wrong("a plan has no plan of its own".into())),
            _ if is_given => {}
            (_, Value::Boolean(true)) => words.push(option.into()),
            (_, Value::String(text)) => words.push(format!("{option}={text}").into()),
            (_, Value::Integer(_) | Value::Float(_)) => {
                words.push(format!("{option}={value}").into());
            }
            _ => return Err(wrong(format!("{key}: write a text in quotes, or a number"))),
        }
    }
    words.extend(names);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    fn expanded(command: &str, plan: &str) -> Result<String, String> {
        let words = with_plan(words(command), plan, Path::new("cup.toml"));
        let words = words.map_err(|usage| usage.to_string())?;
        Ok(words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn keys_are_options_and_the_command_line_wins() {
        let plan = "game = 'go'\npairs = 3\nelo0 = -1.5\nnormalised = true\nforce = false\n\
                    pace = 'depth=2'\nplayers = ['a', 'b']\n[a]\nfunction = 'hand'\n";
        assert_eq!(
            expanded("evalsmith match sprt --pairs=9 --plan cup.toml", plan).unwrap(),
            "evalsmith match sprt --pairs=9 --plan cup.toml --elo0=-1.5 --normalised \
             --pace=depth=2 go a b"
        );
    }

    #[test]
    fn what_a_plan_cannot_say_is_told_with_its_name() {
        for (plan, reason) in [
            ("pairs = 3", "game = \"othello\""),
            ("game = 'go'\nplayers = 'a'", "players: write"),
            ("game = 'go'\nplayers = [1]", "players: 1 is no name"),
            ("game = 'go'\npairs = [1]", "pairs: write"),
            ("game = 'go'\nplan = 'cup.toml'", "no plan of its own"),
            ("game =", "TOML"),
        ] {
            let error = expanded("evalsmith match run", plan).unwrap_err();
            assert!(error.starts_with("cup.toml: ") && error.contains(reason), "{error}");
        }
    }

    #[test]
    fn only_matches_have_plans() {
        assert_eq!(plan_of(&words("evalsmith match run --plan a.toml")), Some("a.toml".into()));
        assert_eq!(plan_of(&words("evalsmith match run --plan=a.toml")), Some("a.toml".into()));
        assert_eq!(plan_of(&words("evalsmith match run --plan")), None);
        let other = words("evalsmith learn --plan no-such.toml");
        assert_eq!(expand(other.clone()).unwrap(), other);
    }
}
