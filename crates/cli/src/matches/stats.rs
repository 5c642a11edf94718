//! `evalsmith match stats`: a calculator.

use super::sprt::TestOptions;
use crate::failure::Usage;
use crate::options::{Format, print};
use clap::Args;
use evalsmith_lab::prelude::{Pentanomial, Sprt, Summary, Trinomial, pairs_table};
use serde::Serialize;

/// Says what a result says: Elo, normalised Elo, superiority, and the
/// log-likelihood ratio between --elo0 and --elo1.
///
/// Give won, drawn and lost games; or, since games that share an opening are not
/// independent, with --pairs the pairs that brought 0, ½, 1, 1½ and 2 points
/// (LL, LD, DD+WL, WD, WW).
#[derive(Args)]
pub(crate) struct Stats {
    /// Won, drawn and lost games, or five counts of pairs
    #[arg(required = true, num_args = 3..=5, value_parser = clap::value_parser!(u64).range(..=1_000_000_000_000))]
    counts: Vec<u64>,
    /// The counts are of pairs
    #[arg(long)]
    pairs: bool,
    #[command(flatten)]
    test: TestOptions,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    summary: Summary,
    test: Sprt,
    llr: f64,
}

impl Stats {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let test = self.test.test()?;
        let (summary, llr) = match (self.pairs, &self.counts[..]) {
            (false, &[wins, draws, losses]) => {
                let games = Trinomial::new(wins, draws, losses);
                (Summary::of(&games), test.llr(&games))
            }
            (true, &[lost, behind, level, ahead, won]) => {
                let pairs = Pentanomial([lost, behind, level, ahead, won]);
                (Summary::of(&pairs), test.llr(&pairs))
            }
            (false, _) => {
                let remedy = "give won, drawn and lost games, or five counts with --pairs";
                return Err(Usage(remedy.into()).into());
            }
            (true, _) => {
                let remedy = "--pairs takes five counts: pairs with 0, ½, 1, 1½ and 2 points";
                return Err(Usage(remedy.into()).into());
            }
        };
        let table = pairs_table(&summary, Some(llr));
        print(self.format, &table, &Answer { summary, test, llr })
    }
}
