//! Drawing a uniform sample of positions.
//!
//! By share, a position's fate depends on the seed, its game and its ply alone,
//! so that the samples of shards are the shards of the sample. By number, exactly
//! so many are drawn in one pass (Knuth's algorithm S).

use crate::derive::{Derivation, each_row};
use crate::{DataError, Dataset, Input, Row, Shard, Written};
use evalsmith_core::{Progress, Stage, rng};
use rand::RngExt;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

/// How many positions to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Each with this probability.
    Share(f64),
    /// Exactly so many, or all where there are fewer.
    Positions(u64),
}

/// Positions that a label thinks even, or nearly so (buro98 section 3).
#[derive(Clone, Debug, PartialEq)]
pub struct NearlyEven {
    /// The label; rows without it are left out.
    pub label: String,
    /// The largest advantage of either side, in the label's unit.
    pub most: f32,
}

/// How to draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// How many.
    pub amount: Amount,
    /// Where all chance comes from.
    pub seed: u64,
    /// The games that this run takes: every so many.
    pub shard: Shard,
    /// Draw from these positions only.
    pub even: Option<NearlyEven>,
    /// Draw from the first to the last of these stages only.
    pub stages: Option<[Stage; 2]>,
}

/// Draws positions of a dataset into another.
///
/// # Errors
/// When the amount makes no sense, the folder belongs to something else, a file
/// fails, or the job is stopped.
pub fn draw(
    dataset: &Dataset,
    order: &Draw,
    command: &str,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<Written, DataError> {
    let refuse = |field, found: String, reason: &str| {
        Err(DataError::Plan { field, found, reason: reason.to_owned() })
    };
    let amount = match order.amount {
        Amount::Share(share) if !(0.0..=1.0).contains(&share) => {
            return refuse("share", share.to_string(), "a share lies between 0 and 1");
        }
        Amount::Positions(_) if !order.shard.is_whole() => {
            let reason = "so many of all positions cannot be drawn by shards; give --share";
            return refuse("shard", order.shard.to_string(), reason);
        }
        Amount::Share(share) => ("share", json!(share)),
        Amount::Positions(positions) => ("positions", json!(positions)),
    };
    let mut configuration = json!({ "seed": order.seed, "shard": order.shard });
    configuration[amount.0] = amount.1;
    let mut even = None;
    if let Some(NearlyEven { label, most }) = &order.even {
        if !(*most >= 0.0 && most.is_finite()) {
            return refuse("within", most.to_string(), "an advantage of 0 or more");
        }
        let Some(place) = dataset.manifest().label_names().position(|known| known == label) else {
            let known: Vec<_> = dataset.manifest().label_names().collect();
            let reason = format!("the dataset has the labels {}", known.join(", "));
            return refuse("label", label.clone(), &reason);
        };
        even = Some((place, *most));
        configuration["label"] = label.as_str().into();
        configuration["within"] = (*most).into();
    }
    if let Some([first, last]) = order.stages {
        configuration["stages"] = json!([first.0, last.0]);
    }
    let may_be_drawn = |row: &Row<'_>, labels: &[Option<f32>]| {
        let is_even = |(place, most)| {
            let value: Option<f32> = labels[place];
            value.is_some_and(|value| value.abs() <= most)
        };
        even.is_none_or(is_even)
            && order.stages.is_none_or(|[first, last]| (first..=last).contains(&row.stage))
    };
    let derivation = Derivation { verb: "sample", command, configuration };
    let Some(mut writer) = derivation.begin(dataset, Input::dataset(dataset)?, dir)? else {
        return Ok(Dataset::open(dir)?.written());
    };
    let mut stream = rng::stream(order.seed, "sample", 0);
    let (mut left, mut wanted) = match order.amount {
        Amount::Positions(positions) if even.is_none() && order.stages.is_none() => {
            (dataset.len(), positions)
        }
        Amount::Positions(positions) => {
            let mut count = 0;
            each_row(dataset, "count", progress, |row, labels| {
                count += u64::from(may_be_drawn(row, labels));
                Ok(())
            })?;
            (count, positions)
        }
        Amount::Share(_) => (0, 0),
    };
    each_row(dataset, "sample", progress, |row, labels| {
        let taken = match order.amount {
            _ if !may_be_drawn(row, labels) => false,
            Amount::Share(share) => {
                let place = u64::from(row.game) << 16 | u64::from(row.ply);
                order.shard.holds(u64::from(row.game))
                    && rng::stream(order.seed, "sample", place).random::<f64>() < share
            }
            Amount::Positions(_) => {
                let taken = stream.random_range(0..left) < wanted;
                left -= 1;
                wanted -= u64::from(taken);
                taken
            }
        };
        if taken { writer.push(row, labels) } else { Ok(()) }
    })?;
    writer.finish(BTreeMap::new())
}
