//! `evalsmith data export`: datasets for other programs.

use crate::failure::{Usage, say};
use crate::options::{game, may_write_from, show};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::{Dataset, ExportFormat, LabError, export};
use std::path::{Path, PathBuf};

/// Writes a dataset as records (pgn, sgf, ggf, csa, usi, txt), as a list of
/// positions (obf, epd) or as a table (csv, tsv, parquet).
#[derive(Args)]
pub(crate) struct Export {
    /// The dataset's folder
    data: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What to write, where the file's name does not tell it
    #[arg(long)]
    format: Option<ExportFormat>,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

fn told(path: &Path) -> Option<ExportFormat> {
    path.extension()?.to_str()?.parse().ok()
}

impl Export {
    pub(super) fn run(self) -> anyhow::Result<()> {
        may_write_from(&self.output, self.force, &self.data)?;
        let unknown = || {
            let names: Vec<_> = ExportFormat::all().map(ExportFormat::name).collect();
            let (file, names) = (self.output.display(), names.join(", "));
            Usage(format!("the name {file} tells no format; give --format, one of {names}"))
        };
        let format = self.format.or_else(|| told(&self.output)).ok_or_else(unknown)?;
        let dataset = Dataset::open(&self.data).map_err(LabError::from)?;
        let game = game(&dataset.manifest().game)?;
        let made = export(&game, &dataset, format, &self.output, &Terminal::new());
        let made = made.map_err(LabError::from)?;
        if let Some(example) = &made.example {
            say(&format!("skipped: {example}"));
            show(&format!("{} games skipped", made.skipped))?;
        }
        let unit = if matches!(format, ExportFormat::Record(_)) { "games" } else { "positions" };
        show(&format!("{} {unit} in {}", made.written, self.output.display()))
    }
}
