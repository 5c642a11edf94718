//! A model drawn: weights over the stages, trees as icicles.

use crate::fit::FitRecord;
use crate::page::{program, weights_chart};
use crate::text::{chosen, fit_table};
use crate::tree_drawing::{
    SHOWN_LEVELS, chosen_text, sequence_chart, tree_drawing, tree_table, tree_text,
};
use evalsmith_core::Stage;
use evalsmith_learn::{DenseModel, Linear, ModelFile, Tree, TreeSummary};
use evalsmith_report::{Block, Icicle, LineChart, Mark, Page, Section, Series, Style};

/// The weights over the stages as SVG, or as a page with their table: with
/// intervals where the fit is known. A tree is drawn as one. None where the model is
/// neither.
pub fn weights_drawing(file: &ModelFile, record: Option<&FitRecord>, html: bool) -> Option<String> {
    if let Some(tree) = file.model.as_tree() {
        let drawing = tree_drawing(tree, &format!("A tree of {}", file.game));
        return Some(if html { tree_page(file, tree, record, drawing) } else { drawing.to_svg() });
    }
    let linear = file.model.as_linear()?;
    let chart = match record {
        Some(record) => weights_chart(&record.stages),
        None => bare_chart(linear),
    };
    if !html {
        return Some(chart.to_svg());
    }
    let caption = match record {
        Some(_) => "Log-odds per unit of the feature, with 95 % intervals clustered by game.",
        None => "Log-odds per unit of the feature; the fit's errors are not known.",
    };
    let mut section = Section::new("Weights").figure(chart, caption);
    if let Some(record) = record {
        section = section.table(fit_table(&chosen(&record.stages, None)));
    }
    let page = Page::new(format!("Weights of a {} model of {}", file.model.kind(), file.game));
    let page = page.section(section).fact("made by", file.made_by.to_string());
    Some(page.fact("program", program()).to_html())
}

/// The page about a tree.
fn tree_page(file: &ModelFile, tree: &Tree, record: Option<&FitRecord>, drawing: Icicle) -> String {
    let mut section = Section::new("The tree")
        .block(Block::Tree(Box::new(drawing)))
        .verbatim(tree_text(tree, SHOWN_LEVELS))
        .table(tree_table(&TreeSummary::of(tree)));
    if let Some(judged) = record.and_then(|record| record.tree.as_ref()) {
        let caption = "Smaller is better; the chosen tree costs least.";
        section = section.paragraph(chosen_text(judged)).figure(sequence_chart(judged), caption);
    }
    let page = Page::new(format!("A tree of {}", file.game)).section(section);
    page.fact("made by", file.made_by.to_string()).fact("program", program()).to_html()
}

/// The weights without errors.
fn bare_chart(linear: &Linear) -> LineChart {
    let series = |(i, name): (usize, &String)| {
        let stages = (0..linear.stages().min(256)).map(|s| Stage(s as u8));
        let points = stages.map(|s| (f64::from(s.0), linear.weights(s)[i])).collect();
        Series::new(name, points).style(Style::Line)
    };
    LineChart {
        title: "Weights by stage".into(),
        x_label: "stage".into(),
        y_label: "weight, log-odds per unit".into(),
        series: linear.features().iter().enumerate().map(series).collect(),
        marks: vec![Mark::Horizontal { y: 0.0, label: String::new() }],
        ..LineChart::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weighted_sum_is_drawn_with_a_line_a_feature() {
        let names = vec!["mobility".into(), "edge".into()];
        let model = Linear::by_hand(names, vec![0.5, -0.25], 5).expect("a model");
        let file = ModelFile {
            game: "othello".into(),
            made_by: serde_json::Value::Null,
            model: model.into(),
        };
        let svg = weights_drawing(&file, None, false).expect("weights");
        assert!(svg.contains("mobility") && svg.contains("edge"));
        assert!(weights_drawing(&file, None, true).expect("weights").contains("<svg"));
    }
}
