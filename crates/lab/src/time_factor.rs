//! The time factor of equal strength: A with how much of B's time equals B
//! (buro95, buro98), found by playing batches of pairs where they tell most.

use crate::LabError;
use crate::contender::Contender;
use crate::duel::{DuelPlan, Entrant, duel_calibrated, nanoseconds};
use crate::match_order::{OpenContender, Terms};
use crate::run_folder::RunFolder;
use evalsmith_core::{Game, Progress};
use evalsmith_rules::DynGame;
use evalsmith_stats::Interval;
use evalsmith_stats::time_factor::{Batch, Design, Step, TimeFit};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactorOrder {
    /// A, whose time is stretched, and B.
    pub players: [Contender; 2],
    /// The rules; their pace is B's time, their pairs those of a batch.
    pub terms: Terms,
    /// Batches at most.
    pub batches: u32,
    /// The factors allowed.
    pub low: f64,
    /// The greatest of them.
    pub high: f64,
    /// The ratio by which the ends of the interval may differ.
    pub precision: f64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Equality {
    /// The answer, or the factor that should be played next.
    pub step: Step,
    /// The pairs played at each factor.
    pub batches: Vec<Batch>,
    /// Strength against time; none unless two factors were played.
    pub fit: Option<TimeFit>,
}

/// Plays, or goes on with, the search for the factor in `folder`.
///
/// # Errors
/// When A's limit is no time, a match fails, or the job is stopped.
pub fn time_factor(
    game: &DynGame,
    order: &FactorOrder,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Equality, LabError> {
    let design = Design::new(Interval { low: order.low, high: order.high }, order.precision)?;
    let [a, b] = &order.players;
    let opened = [OpenContender::new(game, a)?, OpenContender::new(game, b)?];
    let [a, b] = opened.each_ref().map(|player| player.entrant(order.terms.pace));
    let stretched = |factor: f64| {
        let pace = a.pace.stretched(factor).ok_or_else(|| {
            LabError::Settings(format!("{} cannot be stretched; limit {} by time", a.pace, a.name))
        })?;
        Ok::<_, LabError>(Entrant { pace, ..a })
    };
    stretched(1.0)?;

    let batch = order.terms.pairs.unwrap_or(game.defaults().pairs);
    let all = Terms { pairs: Some(batch.saturating_mul(order.batches)), ..order.terms.clone() };
    let openings = all.openings(game, progress)?;
    let folder = RunFolder::claim(folder, &format!("time factor {}", game.name()), order)?;
    let ns = nanoseconds(&[a, b], &openings, &folder.join("calibration.json"))?;

    let mut batches = Vec::new();
    for number in 0..order.batches {
        let Step::Play(factor) = design.next(&batches)? else { break };
        let begin = number as usize * batch as usize;
        let part = openings.part(begin..begin + batch as usize);
        let plan = DuelPlan {
            order: json!({ "terms": order.terms, "factor": factor, "batch": number }),
            ..order.terms.duel_plan(part.len())
        };
        let log = folder.join(&format!("batch-{:03}.jsonl", number + 1));
        let pair = [stretched(factor)?, b];
        progress.note(&format!("{} with {factor:.3} times its time", a.name));
        let result = duel_calibrated(game, pair, [ns[0], ns[1]], &plan, &part, &log, progress)?;
        batches.push(Batch { factor, pairs: result.stats.pairs });
    }
    Ok(Equality { step: design.next(&batches)?, fit: TimeFit::of(&batches)?, batches })
}
