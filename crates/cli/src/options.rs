//! Options and output that several nouns share.

use crate::failure::Usage;
use crate::games;
use anyhow::Context;
use clap::ValueEnum;
use evalsmith_lab::prelude::files::{MOST_LIST, read_at_most, remove_stale, write_atomically};
use evalsmith_lab::prelude::{DynGame, Features, Game, Plies, Stage, Table};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Reads a game's name; an unknown one names those that exist.
pub(crate) fn game_name(text: &str) -> Result<String, String> {
    match games::find(text) {
        Some(game) => Ok(game.name().to_owned()),
        None => Err(format!("there is no game of that name; known are: {}", games::names())),
    }
}

/// The game of a name that [`game_name`] has accepted, or that a file gives.
pub(crate) fn game(name: &str) -> anyhow::Result<DynGame> {
    let unknown = || {
        let known = games::names();
        Usage(format!("there is no game called {name:?}; known are: {known}"))
    };
    Ok(games::find(name).cloned().ok_or_else(unknown)?)
}

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Table,
    /// For programs
    Json,
    /// For spreadsheets
    Csv,
}

/// Writes a result to stdout: a table, or the value behind it as JSON.
pub(crate) fn print(
    format: Format,
    table: &Table,
    value: &impl serde::Serialize,
) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match format {
        Format::Table => write!(out, "{}", table.to_text())?,
        Format::Csv => write!(out, "{}", table.to_csv())?,
        Format::Json => writeln!(out, "{}", serde_json::to_string_pretty(value)?)?,
    }
    Ok(())
}

/// Writes text to stdout.
pub(crate) fn show(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}

/// Refuses to write over a file unless told to, or where there is no folder, before
/// long work is done for it.
///
/// What a killed run left half written beside it is removed.
pub(crate) fn may_write(path: &Path, force: bool) -> anyhow::Result<()> {
    remove_stale(path);
    if path.is_dir() {
        return Err(Usage(format!("{} is a folder; name a file", path.display())).into());
    }
    if path.exists() && !force {
        let path = path.display();
        anyhow::bail!("{path} exists; choose another name, or give --force to write over it");
    }
    if let Some(folder) = path.parent().filter(|f| !f.as_os_str().is_empty() && !f.is_dir()) {
        let (path, folder) = (path.display(), folder.display());
        anyhow::bail!("{path}: there is no folder {folder}; make it, or choose another place");
    }
    Ok(())
}

/// The same of what is made from something: that is not written over, even if told to.
pub(crate) fn may_write_from(path: &Path, force: bool, source: &Path) -> anyhow::Result<()> {
    may_write(path, force)?;
    let inside = |place: PathBuf| source.canonicalize().is_ok_and(|s| place.starts_with(s));
    if path.canonicalize().is_ok_and(inside) {
        let (path, source) = (path.display(), source.display());
        let reason =
            format!("{path} is, or is part of, {source}, which is read; choose another name");
        return Err(Usage(reason).into());
    }
    Ok(())
}

/// The ending of a file's name, where it is one of `allowed`; checks besides that
/// the file may be written, and is not the `source` of what is written.
pub(crate) fn ending(
    output: &Path,
    allowed: &[&str],
    force: bool,
    source: &Path,
) -> anyhow::Result<String> {
    let ending = output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if !allowed.contains(&ending) {
        let names: Vec<String> = allowed.iter().map(|name| format!(".{name}")).collect();
        let reason = format!("{}: end the name in {}", output.display(), names.join(", "));
        return Err(Usage(reason).into());
    }
    may_write_from(output, force, source)?;
    Ok(ending.to_owned())
}

/// As many threads as asked for, or as there are cores.
pub(crate) fn thread_count(asked: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(cores, usize::from)
}

/// Writes a file, whole or not at all.
pub(crate) fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> anyhow::Result<()> {
    write_atomically(path, |file| file.write_all(bytes.as_ref()))
        .with_context(|| path.display().to_string())
}

/// The bytes of a file that is held in memory as a whole.
pub(crate) fn read_bytes(path: &Path, most: u64) -> anyhow::Result<Vec<u8>> {
    read_at_most(path, most).map_err(|e| match e.kind() {
        ErrorKind::InvalidInput | ErrorKind::FileTooLarge => {
            Usage(format!("{}: {e}", path.display())).into()
        }
        _ => anyhow::Error::new(e).context(path.display().to_string()),
    })
}

/// The text of a file, which must be UTF-8; a byte order mark is skipped.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    let bytes = read_bytes(path, MOST_LIST)?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = good.split(|&byte| byte == b'\n').count();
        Usage(format!("{}: line {line}: this is no text in UTF-8; save it as such", path.display()))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// A share between 0 and 1, both allowed.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if (0.0..=1.0).contains(&x) => Ok(x),
        _ => Err("a share is a number from 0 to 1".into()),
    }
}

/// The share of games held out: some games must be left to fit.
pub(crate) fn holdout(text: &str) -> Result<f64, String> {
    match share(text) {
        Ok(x) if x < 1.0 => Ok(x),
        _ => Err("the share held out is a number from 0 to below 1".into()),
    }
}

/// Prints the games and their features.
pub(crate) fn list_games() -> anyhow::Result<()> {
    for game in games::all() {
        let d = game.defaults();
        show(&format!("{}: {}", game.name(), game.features().names().join(", ")))?;
        show(&format!(
            "  defaults: --games {} --depth {} --opening-plies {} --chance {} --solve-at {} --decided-at {} \
             --radius {} --searched {} --pairs {} --cpu-ms {}; match openings of {}",
            d.games,
            d.depth,
            d.opening_plies,
            d.chance,
            d.solve_at,
            d.decided_at,
            d.radius,
            d.searched,
            d.pairs,
            d.cpu_ms,
            Plies::from(d.match_plies)
        ))?;
    }
    Ok(())
}

/// The first and the last stage of `40-44`, or of `40` alone.
pub(crate) fn stages(text: &str) -> Result<[Stage; 2], String> {
    let stage = |text: &str| text.parse().map(Stage).ok();
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (stage(first), stage(last)) {
        (Some(first), Some(last)) if first <= last => Ok([first, last]),
        _ => Err("write the first and the last stage, as in 40-44".into()),
    }
}
