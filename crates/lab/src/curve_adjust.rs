//! New weights for the value of a table, with the curves before and after. The table is
//! read once; the columns that the fit and the curves need are kept.

use crate::LabError;
use crate::curve_picture::{measured, with_provenance};
use crate::curve_table::{TableCurves, TablePlan, TableSource, names_of};
use evalsmith_core::Progress;
use evalsmith_curves::{Adjustment, Draws, Expression, Method, Positions, adjust, quoted};
use evalsmith_data::{Faults, in_words};
use evalsmith_report::number::{fixed, p_value, significant, thousands, with_error};
use evalsmith_report::{Align, LineChart, Page, Section, Table};
use serde::Serialize;
use std::path::Path;

/// How a value is adjusted.
#[derive(Clone, Debug)]
pub struct AdjustPlan {
    /// The features to be added: columns or formulas of columns.
    pub features: Vec<Expression>,
    /// Whether features are columns in the mover's view, which the column `side` turns, as
    /// `curve values --function` writes them.
    pub movers: bool,
    /// By what the weights are best.
    pub methods: Vec<Method>,
    /// How the curves before and after are drawn, and under which conditions.
    pub curves: TablePlan,
}

/// An adjusted value.
#[derive(Clone, Debug, Serialize)]
pub struct Adjusted {
    /// Where the rows come from, name and value.
    pub provenance: Vec<(String, String)>,
    /// The fits, a method each.
    pub fits: Vec<Adjustment>,
    /// For each fit the adjusted value as a formula.
    pub formulas: Vec<String>,
    /// The curves of the old value.
    pub before: TableCurves,
    /// The curves of the new value, a fit each.
    pub after: Vec<TableCurves>,
    /// What was dropped, in words.
    pub notes: Vec<String>,
}

/// Reads the rows and fits the weights.
///
/// # Errors
/// When the table cannot be read, a column is missing, or no weights are best.
pub fn fit_table_weights(
    source: &TableSource,
    features: &[Expression],
    methods: &[Method],
    draws: Draws,
    progress: &dyn Progress,
) -> Result<(Vec<Adjustment>, Vec<String>), LabError> {
    let mut positions = Positions::new(features.len());
    let faults =
        source.open()?.read_rows(features, progress, |value, half_points, game, row| {
            positions.push(value, half_points, game, row, draws);
        })?;
    fitted(&positions, &faults, features, methods)
}

/// The fits of all methods, and what was left out in words.
fn fitted(
    positions: &Positions,
    faults: &Faults,
    features: &[Expression],
    methods: &[Method],
) -> Result<(Vec<Adjustment>, Vec<String>), LabError> {
    let names: Vec<String> = features.iter().map(ToString::to_string).collect();
    let fit = |&method: &Method| adjust(positions, &names, method);
    let fits = methods.iter().map(fit).collect::<Result<Vec<_>, _>>()?;
    let mut notes: Vec<String> =
        Some(faults.to_text()).filter(|text| !text.is_empty()).into_iter().collect();
    if positions.not_finite > 0 {
        let count = thousands(positions.not_finite);
        notes.push(format!("{count} rows without a finite value and features are left out"));
    }
    Ok((fits, notes))
}

/// Adjusts the value of a table.
///
/// # Errors
/// When the table cannot be read, a column is missing, no weights are best, or no
/// bin of a curve holds enough positions.
pub fn adjust_table(
    source: &TableSource,
    plan: &AdjustPlan,
    progress: &dyn Progress,
) -> Result<Adjusted, LabError> {
    if source.side.is_some() {
        let reason = "features are added to the first player's value: give values of the first \
                      player instead of --side";
        return Err(LabError::Settings(reason.to_owned()));
    }
    let open = source.open()?;
    let features = if plan.movers {
        turned(&plan.features, open.sheet.names(), &source.path)?
    } else {
        plan.features.clone()
    };
    let names = names_of(features.iter().chain(&plan.curves.conditions));
    let kept = open.keep(&names, progress)?;
    let mut positions = Positions::new(features.len());
    let faults = kept.rows(&features, |value, half_points, game, row| {
        positions.push(value, half_points, game, row, plan.curves.draws);
    });
    let (fits, notes) = fitted(&positions, &faults, &features, &plan.methods)?;
    drop(positions);
    let formulas: Vec<String> = fits.iter().map(|fit| formula(&source.value, fit)).collect();
    let before = kept.draw(&source.value, &plan.curves)?;
    let width = Some(before.total.params.bin_width);
    let mut after = Vec::new();
    for formula in &formulas {
        let value = Expression::formula(formula).map_err(|e| LabError::Settings(e.to_string()))?;
        after.push(kept.draw(&value, &TablePlan { bin_width: width, ..plan.curves.clone() })?);
    }
    let provenance = before.provenance.clone();
    Ok(Adjusted { provenance, fits, formulas, before, after, notes })
}

/// Features in the mover's view as formulas in the first player's.
fn turned(
    features: &[Expression],
    names: &[String],
    table: &Path,
) -> Result<Vec<Expression>, LabError> {
    let table = table.display();
    if !names.iter().any(|name| name == "side") {
        return Err(LabError::Settings(format!(
            "{table} has no column side; make the table by `evalsmith curve values --function`"
        )));
    }
    let turned = |feature: &Expression| {
        if feature.names().len() != 1 || !names.iter().any(|n| n == feature.text()) {
            return Err(LabError::Settings(format!(
                "--play adds features by name, and {feature} is no column of {table}; the columns \
                 are {}",
                in_words(names)
            )));
        }
        Expression::formula(&format!("(1 - 2 * side) * {feature}"))
            .map_err(|e| LabError::Settings(e.to_string()))
    };
    features.iter().map(turned).collect()
}

/// The adjusted value, as an expression over the table's columns.
pub(crate) fn formula(value: &Expression, fit: &Adjustment) -> String {
    let term = |weight: &evalsmith_curves::Weight| {
        format!(" + {} * ({})", significant(weight.weight, 6), weight.feature)
    };
    let old = if value.names().len() == 1 && value.text() == quoted(&value.names()[0]) {
        value.to_string()
    } else {
        format!("({value})")
    };
    fit.weights.iter().map(term).fold(old, |sum, term| sum + &term).replace("+ -", "- ")
}

impl Adjusted {
    /// The weights of all fits.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["method", "feature", "weight", "low", "high", "p"])
            .align([Align::Left, Align::Left].into_iter().chain([Align::Right; 4]));
        for fit in &self.fits {
            let method = fit.method.name();
            for w in &fit.weights {
                table.push([
                    method.to_owned(),
                    w.feature.clone(),
                    with_error(w.weight, w.error),
                    significant(w.low, 4),
                    significant(w.high, 4),
                    p_value(w.p_value),
                ]);
            }
            let scale = with_error(fit.scale, fit.scale_error);
            table.push([method, "w0 (log-odds per unit)", &scale, "", "", ""]);
        }
        table
    }

    /// What the fits are worth, a line a method.
    pub fn summary(&self) -> String {
        let line = |fit: &Adjustment| {
            let gain =
                (fit.log_likelihood_after - fit.log_likelihood_before) * fit.positions as f64;
            format!(
                "{}: {} positions of {} games; log-likelihood {} better, mean squared error {} \
                 (was {})",
                fit.method.name(),
                thousands(fit.positions),
                thousands(fit.games),
                fixed(gain, 1),
                fixed(fit.squares_after, 6),
                fixed(fit.squares_before, 6)
            )
        };
        self.fits.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The new values as formulas, ready to paste.
    pub fn constants(&self) -> String {
        let lines = self.fits.iter().zip(&self.formulas);
        let line = |(fit, formula): (&Adjustment, &String)| {
            format!("# {}, w0 = {}\n{formula}", fit.method.name(), significant(fit.scale, 6))
        };
        lines.map(line).collect::<Vec<_>>().join("\n")
    }

    /// The adjustment in the form that a file's ending names: svg, html, csv or json.
    ///
    /// # Errors
    /// When the form is another.
    pub fn to_file(&self, form: &str, command: &str) -> Result<String, LabError> {
        match form {
            "svg" => Ok(self.chart().to_svg()),
            "csv" => Ok(self.table().to_csv()),
            "json" => {
                serde_json::to_string_pretty(self).map_err(|e| LabError::Settings(e.to_string()))
            }
            "html" => Ok(self.page(command).to_html()),
            _ => Err(LabError::Settings(format!(
                "an adjustment is written as svg, html, csv or json, not {form:?}"
            ))),
        }
    }

    /// The total curves before and after.
    fn chart(&self) -> LineChart {
        let mut chart = self.before.chart("Before and after");
        chart.series = vec![measured("before", &self.before.total)];
        for (fit, after) in self.fits.iter().zip(&self.after) {
            chart.series.push(measured(&format!("after {}", fit.method.name()), &after.total));
        }
        chart
    }

    fn page(&self, command: &str) -> Page {
        let mut section = Section::new("Weights")
            .table(self.table())
            .paragraph(
                "Weights are in units of the value per unit of the feature; errors and intervals \
                 (95 %) are clustered by game.",
            )
            .paragraph(self.summary())
            .verbatim(self.constants());
        for note in &self.notes {
            section = section.paragraph(format!("Note: {note}."));
        }
        let curves = |heading: &str, curves: &TableCurves| {
            Section::new(heading)
                .figure(curves.chart(heading), curves.caption())
                .table(curves.table())
        };
        let mut page =
            Page::new("An adjusted value").section(section).section(curves("Before", &self.before));
        for (fit, after) in self.fits.iter().zip(&self.after) {
            page = page.section(curves(&format!("After {}", fit.method.name()), after));
        }
        with_provenance(page, &self.provenance, command)
    }
}
