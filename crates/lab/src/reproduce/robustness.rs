//! Features that add nothing must not hurt (lee86, section 5.2): the same learner
//! with and without them, on games held out.

use super::{Ground, Reproduction};
use crate::LabError;
use crate::fit::values;
use evalsmith_learn::{Learner, gain};
use evalsmith_report::{Align, Table, number};
use serde::{Deserialize, Serialize};

/// The experiment's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Robustness {
    learners: Vec<Learner>,
    features: Vec<String>,
    /// What is added, each by itself.
    added: Vec<String>,
    radius: u8,
    /// What the paper says of it.
    paper: String,
}

impl Robustness {
    pub(super) fn run(&self, ground: &Ground<'_>) -> Result<Reproduction, LabError> {
        let plain = ground.table(&ground.with(&self.features)?)?;
        let mut table =
            Table::new(["learner", "added", "log-loss without", "taken off by it", "95 %"])
                .align([Align::Left, Align::Left].into_iter().chain([Align::Right; 3]))
                .caption("Log-loss on games held out; below zero the feature hurts");
        let mut hurt = Vec::new();
        for added in &self.added {
            let names: Vec<String> = self.features.iter().chain([added]).cloned().collect();
            let wide = ground.table(&ground.with(&names)?)?;
            for &learner in &self.learners {
                let without = ground.fit(&plain, learner, self.radius)?;
                let with = ground.fit(&wide, learner, self.radius)?;
                let unseen = &without.unseen;
                let (first, second) =
                    (values(&without.model, unseen), values(&with.model, &with.unseen));
                let change = gain(&unseen.points, &first, &second, &unseen.games)?;
                let loss = without.record.learned.as_ref().map_or(f64::NAN, |q| q.log_loss.value);
                table.push([
                    learner.to_string(),
                    added.clone(),
                    number::fixed(loss, 4),
                    number::fixed(change.value, 6),
                    format!(
                        "{} to {}",
                        number::fixed(change.low, 6),
                        number::fixed(change.high, 6)
                    ),
                ]);
                if change.high < 0.0 {
                    hurt.push(format!("{learner} by {added}"));
                }
            }
        }
        let verdict = if hurt.is_empty() {
            "No learner is hurt: every change of the hold-out log-loss has zero inside its 95 % \
             interval or is for the better, and no covariance was too singular to fit."
                .to_owned()
        } else {
            format!("Hurt beyond chance: {}.", hurt.join(", "))
        };
        Ok(ground.told(vec![table], format!("{verdict} The paper: {}", self.paper)))
    }
}
