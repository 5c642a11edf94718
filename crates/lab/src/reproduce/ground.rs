//! What the experiments of a paper stand on: the same games of self-play, the
//! same fits, the same near-even openings.

use super::{Experiment, Reproduction, Size};
use crate::LabError;
use crate::curve_values::After;
use crate::duel::{DuelPlan, Entrant, Opened, duel};
use crate::fit::{FitPlan, FitRecord, Fitted, fit_table};
use crate::function::FunctionName;
use crate::pace::Pace;
use crate::run_folder::RunFolder;
use evalsmith_arena::Openings;
use evalsmith_core::{Game, Progress};
use evalsmith_data::{Dataset, FeatureTable, Maker, SelfPlay, features, generate};
use evalsmith_learn::{Learner, with_features};
use evalsmith_report::{Align, Table, number};
use evalsmith_rules::{DynFunction, DynGame, Record};
use evalsmith_stats::elo::MatchStats;
use std::path::{Path, PathBuf};

/// An experiment about to be run.
pub(super) struct Ground<'a> {
    pub(super) game: &'a DynGame,
    pub(super) experiment: &'a Experiment,
    pub(super) size: Size,
    pub(super) seed: u64,
    pub(super) play: &'a SelfPlay,
    /// The games, shared by all experiments of the paper that want the same.
    pub(super) data: &'a Path,
    pub(super) folder: &'a RunFolder,
    pub(super) progress: &'a dyn Progress,
}

/// A function with the name it plays under.
pub(super) struct Named {
    pub(super) name: String,
    pub(super) function: DynFunction,
}

impl Ground<'_> {
    pub(super) fn title(&self) -> String {
        let Experiment { paper, id, title, .. } = self.experiment;
        format!("{paper} {id}: {title}")
    }

    /// The games of the linear player, made now unless they are there.
    pub(super) fn dataset(&self) -> Result<Dataset, LabError> {
        self.generate(self.play, self.data)?;
        Ok(Dataset::open(self.data)?)
    }

    fn generate(&self, play: &SelfPlay, data: &Path) -> Result<(), LabError> {
        let function = self.game.function_by_hand()?;
        let maker = Maker {
            function: function.identity(&FunctionName::Hand),
            openings: None,
            command: format!("evalsmith reproduce {} --seed {}", self.experiment.paper, self.seed),
        };
        generate(self.game, &function, play, &maker, data, self.progress)?;
        Ok(())
    }

    /// The folder of games by another player: a search of this depth that plays a
    /// random move with this probability.
    pub(super) fn games_of(&self, depth: u8, chance: f64) -> Result<PathBuf, LabError> {
        let play = SelfPlay { depth, chance, ..self.play.clone() };
        let mut path = self.data.as_os_str().to_owned();
        path.push(format!("-depth-{depth}-chance-{chance}"));
        let path = PathBuf::from(path);
        self.generate(&play, &path)?;
        Ok(path)
    }

    /// Their positions by the features of `game`.
    pub(super) fn table(&self, game: &DynGame) -> Result<FeatureTable, LabError> {
        Ok(features(game, &self.dataset()?, self.progress)?)
    }

    /// The game with these features.
    pub(super) fn with(&self, names: &[String]) -> Result<DynGame, LabError> {
        Ok(with_features(self.game, names)?)
    }

    /// A fit as the papers make it: results alone, and their pooling.
    pub(super) fn fit(
        &self,
        table: &FeatureTable,
        learner: Learner,
        radius: u8,
    ) -> Result<Fitted, LabError> {
        let mut plan = FitPlan::new(&self.game.defaults());
        plan.learner = learner;
        plan.searched = 0.0;
        plan.logistic.stages.radius = radius;
        plan.seed = self.seed;
        let stages = self.game.stages();
        let game = self.with(table.columns.names())?;
        let linear = game.function_by_hand()?;
        let digest = String::new();
        fit_table(game.name(), stages, table, &plan, linear.model(), digest, self.progress)
    }

    /// A fit that plays, and what is known of it.
    pub(super) fn learned(
        &self,
        names: &[String],
        learner: Learner,
        radius: u8,
    ) -> Result<(Named, FitRecord), LabError> {
        let game = self.with(names)?;
        let fitted = self.fit(&self.table(&game)?, learner, radius)?;
        let function = game.function_of_model(fitted.model)?;
        Ok((Named { name: learner.to_string(), function }, fitted.record))
    }

    /// The linear player: the game's weights set by hand.
    pub(super) fn linear(&self) -> Result<Named, LabError> {
        Ok(Named { name: "linear".into(), function: self.game.function_by_hand()? })
    }

    /// Whose values are drawn: the linear player's, or those of the function that comes
    /// with the game where its search must leave lines out.
    pub(super) const fn asked(after: After) -> FunctionName {
        match after {
            After::Selective(..) => FunctionName::Shipped,
            _ => FunctionName::Hand,
        }
    }

    /// Openings after which the linear player sees no great advantage: at three
    /// plies neither side's chance is below three in eight.
    pub(super) fn openings(&self, plies: u16) -> Result<Openings, LabError> {
        let function = self.game.function_by_hand()?;
        let even = |record: &Record| {
            let found = function.search(0).fixed_depth(record, 3);
            !found.value.is_decisive() && found.value.0.abs() <= 500
        };
        Ok(Openings::random_where(self.game, plies, self.size.pairs, self.seed, &even)?)
    }

    /// A match, logged under a name.
    pub(super) fn meet(
        &self,
        log: &str,
        first: (&Named, Pace),
        second: (&Named, Pace),
        openings: &Openings,
    ) -> Result<MatchStats, LabError> {
        let names = [&first, &second].map(|(player, pace)| format!("{} {pace}", player.name));
        let identities = [first.0, second.0]
            .map(|p| p.function.identity(&FunctionName::File(p.name.clone().into())));
        let entrants = [(0, first), (1, second)].map(|(i, (player, pace))| Entrant {
            name: &names[i],
            opened: Opened::Function(&player.function, &identities[i]),
            pace,
        });
        let plan = DuelPlan::new(openings.len() as u32, self.seed);
        let path = self.folder.join(&format!("{log}.jsonl"));
        let calibration = self.folder.join(&format!("{log}-calibration.json"));
        self.progress.note(&format!("{} against {}", names[0], names[1]));
        let result =
            duel(self.game, entrants, &plan, openings, &path, &calibration, self.progress)?;
        Ok(result.stats)
    }

    /// What was found, without drawings.
    pub(super) fn told(&self, tables: Vec<Table>, verdict: String) -> Reproduction {
        Reproduction { title: self.title(), tables, charts: Vec::new(), verdict }
    }
}

/// Matches, one a row, with an extra column for the paper's result.
pub(super) fn match_table<'a>(
    rows: impl IntoIterator<Item = (String, &'a MatchStats, String)>,
) -> Table {
    let mut table = Table::new([
        "match",
        "games",
        "W",
        "D",
        "L",
        "points",
        "95 %",
        "margin",
        "sign test p",
        "paper",
    ])
    .align([Align::Left].into_iter().chain([Align::Right; 8]).chain([Align::Left]));
    for (name, stats, paper) in rows {
        let interval = stats.share_interval;
        table.push([
            name,
            stats.games().to_string(),
            stats.wins.to_string(),
            stats.draws.to_string(),
            stats.losses.to_string(),
            stats.share.map_or("-".into(), |s| number::percent(s, 1)),
            format!(
                "{} to {}",
                number::percent(interval.low, 1),
                number::percent(interval.high, 1)
            ),
            stats.margin.as_ref().map_or("-".into(), |m| format!("{:+.2}", m.mean)),
            number::p_value(stats.sign_test.p_value),
            paper,
        ]);
    }
    table
}

/// Whether a match decided anything at the 5 % line, in words.
pub(super) fn significance(stats: &MatchStats) -> &'static str {
    if stats.sign_test.is_significant() {
        "significant at 5 % by the sign test on pairs"
    } else {
        "not significant at 5 % by the sign test on pairs"
    }
}
