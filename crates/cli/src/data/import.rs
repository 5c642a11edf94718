//! `evalsmith data import`: records and lists of positions.

use crate::failure::{command_line, say};
use crate::options::{game, game_name, show};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::LabError;
use evalsmith_lab::prelude::{Import as Order, InputFormat, Shard, import};
use std::path::PathBuf;

/// Reads records of GAME and writes every position with its game's result.
///
/// The format is told by a file's name; `.zst` is unpacked on the way, other
/// wrappings through a pipe: `zcat games.pgn.gz | evalsmith data import chess -
/// --format pgn --out games`. A record that cannot be read is left out; how many
/// and why is printed, with the place of the first few.
#[derive(Args)]
pub(crate) struct Import {
    /// The game (see `evalsmith games`)
    #[arg(value_parser = game_name)]
    game: String,
    /// Files, folders of files, or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder for the dataset
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The format of all files, where their names do not tell it: wthor, pgn, sgf,
    /// ggf, csa, usi, txt, obf or epd
    #[arg(long)]
    format: Option<InputFormat>,
    /// Fail at the first record that cannot be read
    #[arg(long)]
    strict: bool,
    /// Keep only games with a player whose rating in the record is at least this
    #[arg(long, value_name = "RATING")]
    min_rating: Option<u32>,
    /// Keep only games of rated players, none of whom has more than this
    #[arg(long, value_name = "RATING")]
    max_rating: Option<u32>,
    /// Take only this share of the records, the first of four as 1/4; `data merge`
    /// puts the shards together
    #[arg(long, value_name = "I/N", default_value_t)]
    shard: Shard,
}

impl Import {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let game = game(&self.game)?;
        let order = Order {
            files: self.files,
            format: self.format,
            strict: self.strict,
            min_rating: self.min_rating,
            max_rating: self.max_rating,
            shard: self.shard,
        };
        let made = import(&game, &order, &command_line(), &self.out, &Terminal::resumable());
        let made = made.map_err(LabError::from)?;
        for example in &made.examples {
            say(&format!("skipped: {example}"));
        }
        let skipped: u64 = made.skipped.values().sum();
        if skipped > made.examples.len() as u64 && !made.examples.is_empty() {
            say(&format!("skipped: {} more", skipped - made.examples.len() as u64));
        }
        for (reason, count) in &made.skipped {
            show(&format!("{count} records skipped: {reason}"))?;
        }
        show(&super::written(&made.written, &self.out))
    }
}
