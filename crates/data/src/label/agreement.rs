//! How well labels agree, by who wins.

use crate::{Batch, DataError, Dataset};
use rayon::prelude::*;
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
    let counted: Vec<Result<Agreed, DataError>> = (0..dataset.parts())
        .into_par_iter()
        .map(|part| {
            let mut agreed = Agreed::default();
            for batch in dataset.part_rows(part) {
                agreed.count(&batch?, label, reference);
            }
            Ok(agreed)
        })
        .collect();
    counted.into_iter().try_fold(Agreed::default(), |sum, part| Ok(sum.and(&part?)))
}

impl Agreed {
    fn count(&mut self, batch: &Batch, label: &str, reference: Option<&str>) {
        let sign = |value: f32| if value == 0.0 { 0 } else { value.signum() as i16 };
        let Some(labels) = batch.label(label) else { return };
        let mut references = reference.and_then(|name| batch.label(name));
        for (row, label) in batch.rows().zip(labels) {
            let reference = references.as_mut().and_then(Iterator::next).flatten();
            let (Some(outcome), Some(label)) = (row.outcome, label) else { continue };
            let result = outcome.margin().signum();
            self.rows += 1;
            self.changed += u64::from(sign(label) != result);
            if let Some(reference) = reference {
                self.compared += 1;
                self.label += u64::from(sign(label) == sign(reference));
                self.result += u64::from(result == sign(reference));
            }
        }
    }

    fn and(self, other: &Self) -> Self {
        Self {
            rows: self.rows + other.rows,
            changed: self.changed + other.changed,
            compared: self.compared + other.compared,
            label: self.label + other.label,
            result: self.result + other.result,
        }
    }
}
