//! How well labels agree, by who wins.

use crate::{DataError, Dataset};
use serde::{Deserialize, Serialize};

/// How often a label and the plain result name the same winner as a reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreed {
    /// Rows with the label and a result.
    pub rows: u64,
    /// Rows where label and result name different winners.
    pub changed: u64,
    /// Rows with label, result and reference.
    pub compared: u64,
    /// Of these, where the label names the reference's winner.
    pub label: u64,
    /// Of these, where the result does.
    pub result: u64,
}

/// Compares a label with the results and with another label.
///
/// # Errors
/// When the dataset has no such labels or cannot be read.
pub fn agreement(
    dataset: &Dataset,
    label: &str,
    reference: Option<&str>,
) -> Result<Agreed, DataError> {
    let mut agreed = Agreed::default();
    let names = [Some(label), reference];
    for name in names.into_iter().flatten() {
        if !dataset.manifest().label_names().any(|known| known == name) {
            let known: Vec<_> = dataset.manifest().label_names().collect();
            return Err(DataError::Plan {
                field: "label",
                found: name.to_owned(),
                reason: format!("the dataset has the labels {}", known.join(", ")),
            });
        }
    }
    let sign = |value: f32| if value == 0.0 { 0 } else { value.signum() as i16 };
    let mut values = Vec::new();
    for batch in dataset.rows() {
        let batch = batch?;
        for (i, row) in batch.rows().enumerate() {
            batch.labels_of(i, names.into_iter().flatten(), &mut values);
            let (Some(outcome), Some(label)) = (row.outcome, values[0]) else { continue };
            let result = outcome.margin().signum();
            agreed.rows += 1;
            agreed.changed += u64::from(sign(label) != result);
            if let Some(reference) = values.get(1).copied().flatten() {
                agreed.compared += 1;
                agreed.label += u64::from(sign(label) == sign(reference));
                agreed.result += u64::from(result == sign(reference));
            }
        }
    }
    Ok(agreed)
}
