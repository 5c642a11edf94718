//! Bootstrap from the rules alone, in several experiments, whose functions then meet
//! (heinz93 section 4).

use super::ground::{Named, match_table};
use super::{Ground, Reproduction};
use crate::LabError;
use crate::bootstrap::{BootstrapPlan, BootstrapSummary, bootstrap};
use crate::pace::Pace;
use evalsmith_arena::Openings;
use evalsmith_core::Game;
use evalsmith_data::{Dataset, features};
use evalsmith_learn::{Criterion, Examples, ModelFile, Tree, price_effects, with_features};
use evalsmith_report::{Align, LineChart, Series, Style, Table, number};
use evalsmith_rules::DynGame;
use evalsmith_rules::WindowReport;
use evalsmith_stats::elo::MatchStats;
use serde::{Deserialize, Serialize};

/// Positions in which the work of windows is measured.
const WINDOW_POSITIONS: u32 = 40;

/// Matches by name.
type Matches = Vec<(String, MatchStats)>;

/// Several bootstraps and a contest among what they learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BootstrapContest {
    /// The features; the game's own where none is named.
    features: Vec<String>,
    chance: f64,
    opening_plies: u16,
    match_plies: u16,
    min_size: u32,
    /// The share of the old counts that an expanded tree keeps.
    memory: f64,
    variants: Vec<Variant>,
    /// Depths of the searchers with the trivial function that the winner meets.
    trivial_depths: Vec<u8>,
    /// Prices of a feature whose effect is shown.
    prices: Vec<f64>,
    published: Published,
}

/// One experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Variant {
    name: String,
    games: u32,
    depth: u8,
    label_depth: u8,
    expand: bool,
}

/// The paper's figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    nodes: String,
    right: String,
    plies: String,
    branching: String,
}

impl BootstrapContest {
    /// A handful of games, for a test.
    #[cfg(test)]
    pub(super) fn make_small(&mut self) {
        self.variants.truncate(2);
        for variant in &mut self.variants {
            variant.games = 12;
            variant.depth = 1;
            variant.label_depth = 1;
        }
        self.trivial_depths = vec![1];
        // At one ply few labels are not 0: games are cut short for the test alone.
        self.opening_plies = 50;
        self.prices.truncate(2);
    }

    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let game = &with_features(ground.game, &self.features)?;
        let mut learned: Vec<(&Variant, BootstrapSummary, Named)> = Vec::new();
        for (i, variant) in self.variants.iter().enumerate() {
            let out = ground.folder.join(&format!("bootstrap-{}", i + 1));
            ground.progress.note(&format!("bootstrap: {}", variant.name));
            let summary =
                bootstrap(ground.game, &self.plan(ground, variant), &out, ground.progress)?;
            let file = ModelFile::load(&out.join("model.safetensors"))?;
            let function = game.function_of_model(file.model)?;
            let named = Named { name: variant.name.clone(), function };
            learned.push((variant, summary, named));
        }
        let openings = Openings::random(game, self.match_plies, ground.size.pairs, ground.seed)?;
        let (contest, points) = contest(ground, &learned, &openings)?;
        let winner = points
            .iter()
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))
            .map_or(0, |(i, _)| i);
        let (variant, _, best) = &learned[winner];
        let strength = self.against_trivial(ground, best, &openings)?;
        let mut tables = vec![
            self.learning_table(&learned),
            self.games_table(&learned),
            match_table(contest.iter().map(|(n, s)| (n.clone(), s, "not told".into())))
                .caption("The contest, at equal depth"),
            match_table(strength.iter().map(|(n, s)| (n.clone(), s, "not told".into())))
                .caption("The winner against searchers with the trivial function"),
        ];
        let mut sentences = vec![self.sentence(&learned[winner])];
        if let Some(tree) = best.function.model().and_then(|model| model.as_tree()) {
            let depth = ground.size.plies.max(1);
            let openings_searched =
                Openings::random(game, self.match_plies, WINDOW_POSITIONS, ground.seed)?;
            let records = openings_searched.first(WINDOW_POSITIONS as usize);
            let report = game.window_report(tree, &records, depth)?;
            let bought = bought(ground, best, &report, &openings)?;
            sentences.push(window_sentence(&report, depth, &bought));
            tables.push(window_table(&report));
            tables.push(self.prices_table(ground, game, tree, winner, variant)?);
        }
        let charts = vec![curves(&learned)];
        Ok(Reproduction { title: ground.title(), tables, charts, verdict: sentences.join(" ") })
    }

    fn plan(&self, ground: &Ground<'_>, variant: &Variant) -> BootstrapPlan {
        let mut plan = BootstrapPlan::new(&ground.game.defaults());
        let Variant { games, depth, label_depth, expand, .. } = *variant;
        plan = BootstrapPlan {
            features: self.features.clone(),
            rounds: ground.size.rounds,
            games,
            depth,
            label_depth,
            expand,
            chance: self.chance,
            opening_plies: self.opening_plies,
            memory: self.memory,
            // The paper's size, whatever a stop rule would say.
            match_every: 0,
            patience: 0,
            seed: ground.seed,
            ..plan
        };
        plan.tree.criterion = Criterion::Penalty;
        plan.tree.min_size = self.min_size;
        plan
    }

    fn against_trivial(
        &self,
        ground: &Ground<'_>,
        best: &Named,
        openings: &Openings,
    ) -> Result<Matches, LabError> {
        let trivial = Named { name: "trivial".into(), function: ground.game.trivial_function() };
        let own = ground.size.plies.max(1);
        let mut rows = Vec::new();
        for &depth in &self.trivial_depths {
            let log = format!("trivial-{depth}");
            let paces = (Pace::Depth(own), Pace::Depth(depth));
            let stats = ground.meet(&log, (best, paces.0), (&trivial, paces.1), openings)?;
            rows.push((format!("{own} plies against the trivial function's {depth}"), stats));
        }
        Ok(rows)
    }

    fn learning_table(&self, learned: &[(&Variant, BootstrapSummary, Named)]) -> Table {
        let mut table = Table::new([
            "experiment",
            "rounds",
            "games a round",
            "d1",
            "d2",
            "nodes",
            "classified correctly",
            "labels of 0",
            "features a value",
        ])
        .align([Align::Left].into_iter().chain([Align::Right; 8]))
        .caption("The last five rounds of each bootstrap, on games not seen; the paper's winner");
        for (variant, summary, _) in learned {
            let rounds = &summary.rounds;
            let (right, zeros) = late(summary);
            table.push([
                variant.name.clone(),
                rounds.len().to_string(),
                variant.games.to_string(),
                variant.depth.to_string(),
                variant.label_depth.to_string(),
                rounds.last().and_then(|r| r.nodes).map_or("-".into(), |n| n.to_string()),
                number::percent(right, 1),
                number::percent(zeros, 1),
                rounds.last().and_then(|r| r.asked).map_or("-".into(), |n| number::fixed(n, 1)),
            ]);
        }
        let Published { nodes, right, .. } = &self.published;
        table.push(["paper: expanded", "467", "100", "?", "2", nodes, right, "-", "-"]);
        table
    }

    fn games_table(&self, learned: &[(&Variant, BootstrapSummary, Named)]) -> Table {
        let mut table = Table::new([
            "experiment",
            "first player's games",
            "second player's",
            "drawn",
            "half-moves a game",
            "moves to choose from",
        ])
        .align([Align::Left].into_iter().chain([Align::Right; 5]))
        .caption("Self-play in the first and the last round");
        for (variant, summary, _) in learned {
            let ends = [summary.rounds.first(), summary.rounds.last()];
            for (round, word) in ends.into_iter().flatten().zip(["first", "last"]) {
                let games = &round.games;
                table.push([
                    format!("{}, {word}", variant.name),
                    games.results[0].to_string(),
                    games.results[2].to_string(),
                    games.results[1].to_string(),
                    number::fixed(games.mean_plies, 1),
                    number::fixed(games.branching, 1),
                ]);
            }
        }
        let Published { plies, branching, .. } = &self.published;
        table.push(["paper", "-", "-", "-", plies, branching]);
        table
    }

    /// What a price on features does to trees of the last round's labels.
    fn prices_table(
        &self,
        ground: &Ground<'_>,
        game: &DynGame,
        tree: &Tree,
        winner: usize,
        variant: &Variant,
    ) -> Result<Table, LabError> {
        let round = ground.size.rounds;
        let folder = ground.folder.join(&format!("bootstrap-{}", winner + 1));
        let data = Dataset::open(&folder.join(format!("round-{round:03}")).join("data"))?;
        let table = features(game, &data, ground.progress)?;
        // The labels that the tree itself gives: what is priced is the asking alone.
        let points: Vec<f32> = crate::fit::values(tree, &table)
            .into_iter()
            .map(|value| (1.0 / (1.0 + (-value).exp())) as f32)
            .collect();
        let examples = Examples {
            features: &table.columns,
            stages: &table.stages,
            points: &points,
            games: &table.games,
        };
        let params = self.plan(ground, variant).tree;
        let stages = game.stages();
        let effects = price_effects(&params, stages, &examples, &self.prices)?;
        let mut shown = Table::new([
            "price",
            "leaves",
            "features a value",
            "mean squared error",
            "sign told",
        ])
        .align([Align::Right; 5])
        .caption(
            "Trees that tell the winner's own values on its last games, by the price of a feature",
        );
        for effect in effects {
            shown.push([
                effect.price.to_string(),
                effect.leaves.to_string(),
                number::fixed(effect.asked, 2),
                number::fixed(effect.squared, 4),
                number::percent(effect.right, 1),
            ]);
        }
        Ok(shown)
    }

    fn sentence(&self, winner: &(&Variant, BootstrapSummary, Named)) -> String {
        let (variant, summary, _) = winner;
        let nodes = summary.rounds.last().and_then(|r| r.nodes).unwrap_or_default();
        let Published { nodes: theirs, right, .. } = &self.published;
        format!(
            "The contest's winner is \"{}\": {} rounds, a tree of {nodes} nodes (paper {theirs}), {} of \
             the positions of unseen games classified correctly (paper {right}). Features, chance and \
             d1 are this program's; the paper does not list its own.",
            variant.name,
            summary.rounds.len(),
            number::percent(late(summary).0, 1)
        )
    }
}

/// Everybody against everybody, and the points of each.
fn contest(
    ground: &Ground<'_>,
    learned: &[(&Variant, BootstrapSummary, Named)],
    openings: &Openings,
) -> Result<(Matches, Vec<f64>), LabError> {
    let pace = Pace::Depth(ground.size.plies.max(1));
    let mut points = vec![0.0; learned.len()];
    let mut rows = Vec::new();
    for i in 0..learned.len() {
        for j in i + 1..learned.len() {
            let (a, b) = (&learned[i].2, &learned[j].2);
            let log = format!("contest-{}-{}", i + 1, j + 1);
            let stats = ground.meet(&log, (a, pace), (b, pace), openings)?;
            let share = stats.share.unwrap_or(0.5);
            points[i] += share;
            points[j] += 1.0 - share;
            rows.push((format!("{} against {}", a.name, b.name), stats));
        }
    }
    Ok((rows, points))
}

/// What the speed of windows is worth: the same function with as many more nodes
/// as it visits more in the same time.
fn bought(
    ground: &Ground<'_>,
    best: &Named,
    report: &WindowReport,
    openings: &Openings,
) -> Result<(f64, MatchStats), LabError> {
    // Rounded, so that a resumed run plays the same match.
    let path = ground.folder.join("window-speed.json");
    let factor: f64 = if path.exists() {
        crate::run_folder::read_json(&path)?
    } else {
        let factor = report.cpu[1].as_secs_f64() / report.cpu[0].as_secs_f64().max(1e-9);
        let factor = ((factor * 100.0).round() / 100.0).clamp(0.1, 10.0);
        crate::run_folder::write_json(&path, &factor)?;
        factor
    };
    let nodes = 2000.0;
    let paces = (Pace::Nodes((nodes * factor) as u64), Pace::Nodes(nodes as u64));
    let stats = ground.meet("windows", (best, paces.0), (best, paces.1), openings)?;
    Ok((factor, stats))
}

/// The share told, and of labels 0, over the last five rounds.
fn late(summary: &BootstrapSummary) -> (f64, f64) {
    let last = summary.rounds.iter().rev().take(5);
    let (mut right, mut decided, mut zeros) = (0.0, 0.0, 0.0);
    for round in last {
        right += round.right * round.judged.0 as f64;
        decided += round.judged.0 as f64;
        zeros += round.judged.1 as f64;
    }
    (right / f64::max(decided, 1.0), zeros / f64::max(decided + zeros, 1.0))
}

fn window_table(report: &WindowReport) -> Table {
    let mut table = Table::new(["", "with the window", "in full"])
        .align([Align::Left, Align::Right, Align::Right])
        .caption("What windows save in real searches");
    let pair = |name: &str, [windowed, full]: [String; 2]| [name.to_owned(), windowed, full];
    let fixed = |numbers: [f64; 2]| numbers.map(|x| number::fixed(x, 2));
    table.push(pair("features a call", fixed(report.asked)));
    table.push(pair("decisions a call", fixed(report.levels)));
    table.push(pair("calls cut early", [number::percent(report.cut, 1), "-".into()]));
    table
}

fn window_sentence(
    report: &WindowReport,
    depth: u8,
    (factor, stats): &(f64, MatchStats),
) -> String {
    format!(
        "Searching {depth} plies, windows end {} of the values early and take {} features a call \
         instead of {}; values and nodes are the same. The searches run {factor} times as fast, and \
         the same function with that many more nodes scores {} against itself ({} to {}).",
        number::percent(report.cut, 1),
        number::fixed(report.asked[0], 2),
        number::fixed(report.asked[1], 2),
        stats.share.map_or("-".into(), |s| number::percent(s, 1)),
        number::percent(stats.share_interval.low, 1),
        number::percent(stats.share_interval.high, 1),
    )
}

/// The learning curves of all experiments.
fn curves(learned: &[(&Variant, BootstrapSummary, Named)]) -> (LineChart, String) {
    let series = learned.iter().map(|(variant, summary, _)| {
        let points = summary.rounds.iter().map(|r| (f64::from(r.round), r.right));
        Series::new(&variant.name, points.collect()).style(Style::Line)
    });
    let chart = LineChart {
        title: "Unseen labels told".into(),
        x_label: "round".into(),
        y_label: "share of labels other than 0".into(),
        series: series.collect(),
        ..LineChart::default()
    };
    (chart, "Positions of games that had no part in a round, by the sign of the value.".into())
}
