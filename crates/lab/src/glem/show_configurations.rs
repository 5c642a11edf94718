//! What a model of configurations learned, as a table.

use crate::LabError;
use evalsmith_core::Stage;
use evalsmith_learn::ConfigurationFile;
use evalsmith_report::{Align, Table, number};

/// The `most` configurations that speak most for and most against the side to move at a
/// stage (the middle one where none is named), and the linear terms.
///
/// # Errors
/// When the model has no such stage.
pub fn show_configurations(
    file: &ConfigurationFile,
    stage: Option<u8>,
    most: usize,
) -> Result<Table, LabError> {
    let model = &file.model;
    let stage = stage.map_or(model.groups.stages() / 2, usize::from);
    if stage >= model.groups.stages() {
        let last = model.groups.stages() - 1;
        return Err(LabError::Settings(format!("the model has stages 0 to {last}, not {stage}")));
    }
    let stage = Stage(stage as u8);
    let (weights, terms) = model.weights_at(stage);
    let mut order: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
    order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]));
    let shown: Vec<usize> = if order.len() <= 2 * most {
        order
    } else {
        order[..most].iter().chain(&order[order.len() - most..]).copied().collect()
    };
    let mut table = Table::new(["configuration", "positions", "weight"]).align([
        Align::Left,
        Align::Right,
        Align::Right,
    ]);
    let (first, last) = model.groups.bounds(model.groups.of(stage));
    table.caption = format!("stages {first} to {last}: {} configurations", weights.len());
    for i in shown {
        let words = model.in_words(&model.dag.configurations()[i]);
        let weight = number::fixed(f64::from(weights[i]), 3);
        table.push([words, model.counts[i].to_string(), weight]);
    }
    for (name, &weight) in model.terms.iter().zip(terms) {
        table.push([format!("times {name}"), String::new(), number::fixed(f64::from(weight), 3)]);
    }
    Ok(table)
}
