//! `evalsmith model samuel`: Samuel's learners.

use crate::failure::{Usage, command_line};
use crate::options::{game, game_name, may_write, show};
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use evalsmith_lab::prelude::{
    Dataset, ModelFile, SamuelMethod, SamuelParams, fit_move_table, samuel,
};
use std::path::{Path, PathBuf};

/// Learns by one of Samuel's ways: a polynomial from play against itself, or
/// signature tables, a linear function or Griffith's table of moves from what the
/// winners of a dataset's games chose.
#[derive(Args)]
pub(crate) struct Samuel {
    /// The way
    #[arg(value_enum)]
    method: Method,
    /// The dataset's folder, for all but the polynomial
    data: Option<PathBuf>,
    /// The game, for the polynomial
    #[arg(long, value_parser = game_name)]
    game: Option<String>,
    /// The model file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The features to use, by name; signature tables take them in sets of four,
    /// the last of each in five levels [default: the game's own]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    features: Vec<String>,
    /// Games the polynomial plays
    #[arg(long, default_value_t = SamuelParams::default().games)]
    games: u32,
    /// Plies of its searches
    #[arg(long, default_value_t = SamuelParams::default().depth)]
    depth: u8,
    /// Decides its openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    Polynomial,
    Signature,
    BookLinear,
    Griffith,
}

impl Samuel {
    pub(super) fn run(self) -> anyhow::Result<()> {
        may_write(&self.output, self.force)?;
        let (name, method) = match (self.method, self.data, self.game) {
            (Method::Polynomial, None, Some(game)) => {
                let params = SamuelParams {
                    games: self.games,
                    depth: self.depth,
                    seed: self.seed,
                    ..SamuelParams::default()
                };
                (game, SamuelMethod::Polynomial(params))
            }
            (Method::Polynomial, ..) => {
                let message = "the polynomial learns from play: name --game and no dataset";
                return Err(Usage(message.into()).into());
            }
            (method, Some(data), None) => {
                let game = Dataset::open(&data)?.manifest().game.clone();
                if method == Method::Griffith {
                    return griffith(&game, &data, &self.features, &self.output);
                }
                let method = match method {
                    Method::Signature => SamuelMethod::Signature(data),
                    _ => SamuelMethod::BookLinear(data),
                };
                (game, method)
            }
            _ => {
                let message = "book moves come from a dataset: name its folder and no --game";
                return Err(Usage(message.into()).into());
            }
        };
        let game = game(&name)?;
        let model = samuel(&game, &method, &self.features, &Terminal::new())?;
        let made_by = serde_json::json!({ "command": command_line() });
        let file = ModelFile { game: name, made_by, model };
        file.save(&self.output)?;
        show(&format!("{} model of {} in {}", file.model.kind(), file.game, self.output.display()))
    }
}

fn griffith(name: &str, data: &Path, features: &[String], output: &Path) -> anyhow::Result<()> {
    if !features.is_empty() {
        let message = "Griffith's table looks at moves: leave --features out";
        return Err(Usage(message.into()).into());
    }
    fit_move_table(&game(name)?, &Dataset::open(data)?, &Terminal::new())?.save(output)?;
    show(&format!("move table of {name} in {}", output.display()))
}
