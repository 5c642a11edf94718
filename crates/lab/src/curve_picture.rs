//! Several curves in one picture, one table, one page.

use crate::LabError;
use crate::curve_table::{ConditionedCurve, TableCurves};
use crate::page::program;
use evalsmith_curves::{Curve, Draws};
use evalsmith_report::number::{fixed, p_value, significant, thousands, with_error};
use evalsmith_report::{Align, Histogram, LineChart, Mark, Page, Section, Series, Style, Table};

impl TableCurves {
    /// The curves in the form that a file's ending names: svg, html, csv or json.
    ///
    /// # Errors
    /// When the form is another.
    pub fn to_file(&self, form: &str, command: &str) -> Result<String, LabError> {
        match form {
            "svg" => Ok(self.chart("Evaluation curves").to_svg()),
            "csv" => Ok(self.to_csv()),
            "json" => {
                serde_json::to_string_pretty(self).map_err(|e| LabError::Settings(e.to_string()))
            }
            "html" => Ok(self.page(command).to_html()),
            _ => Err(LabError::Settings(format!(
                "curves are written as svg, html, csv or json, not {form:?}"
            ))),
        }
    }

    /// The curves with their bands over the histogram of all values.
    pub fn chart(&self, title: &str) -> LineChart {
        let mut series = vec![measured("all positions", &self.total)];
        series.extend(fitted(&self.total));
        for ConditionedCurve { condition, curve, .. } in &self.conditions {
            if curve.drawn().next().is_some() {
                series.push(measured(condition, curve));
            }
        }
        LineChart {
            title: title.into(),
            x_label: format!("value for the first player: {}", self.value()),
            y_label: "share of games the first player wins".into(),
            series,
            x_range: drawn_range(&self.total),
            y_range: Some((0.0, 1.0)),
            histogram: Some(Histogram {
                bars: self.total.bins.iter().map(|b| (b.centre, b.count as f64)).collect(),
                width: self.total.params.bin_width,
                label: "positions".into(),
            }),
            marks: vec![Mark::Horizontal { y: 0.5, label: String::new() }],
        }
    }

    fn value(&self) -> &str {
        let value = self.provenance.iter().find(|(name, _)| name == "values");
        value.map_or("", |(_, value)| value.split(", ").next().unwrap_or_default())
    }

    /// A line a curve: positions, games, the fit, and how far it lies from the total.
    pub fn table(&self) -> Table {
        let mut table = Table::new([
            "curve",
            "positions",
            "games",
            "slope",
            "offset",
            "monotone",
            "vertical gap",
            "horizontal gap",
            "log-odds",
            "gain",
            "p",
        ])
        .align(std::iter::once(Align::Left).chain([Align::Right; 10]));
        let row = |name: &str, curve: &Curve| {
            let counted: u64 = curve.bins.iter().map(|bin| bin.count).sum();
            let fit = |of: fn(&evalsmith_curves::Logistic) -> (f64, f64)| {
                let shown = |fit| with_error(of(fit).0, of(fit).1);
                curve.logistic.as_ref().map_or_else(String::new, shown)
            };
            vec![
                name.to_owned(),
                thousands(counted),
                thousands(curve.games),
                fit(|f| (f.scale, f.scale_error)),
                fit(|f| (f.offset, f.offset_error)),
                rises(curve).to_owned(),
            ]
        };
        let mut total = row("all positions", &self.total);
        total.resize(11, String::new());
        table.push(total);
        for ConditionedCurve { condition, curve, split } in &self.conditions {
            let mut cells = row(condition, curve);
            match split {
                Some(s) => cells.extend([
                    format!("{:+.3}", s.vertical),
                    s.horizontal.map_or_else(|| "n/a".to_owned(), |h| significant(h, 3)),
                    with_error(s.log_odds, s.log_odds_error),
                    fixed(s.gain, 1),
                    p_value(s.p_value),
                ]),
                None => cells.resize(11, "n/a".to_owned()),
            }
            table.push(cells);
        }
        table
    }

    fn to_csv(&self) -> String {
        let heading = format!("curve,{}\n", self.total.to_csv().lines().next().unwrap_or_default());
        let conditions = self.conditions.iter().map(|c| (c.condition.as_str(), &c.curve));
        let curves = std::iter::once(("all positions", &self.total)).chain(conditions);
        curves.fold(heading, |csv: String, (name, curve)| {
            let quoted = format!("\"{}\"", name.replace('"', "\"\""));
            let lines = curve.to_csv();
            let lines = lines.lines().skip(1).map(|line| format!("{quoted},{line}\n"));
            csv + &lines.collect::<Vec<_>>().concat()
        })
    }

    /// What is to be seen in the picture.
    pub fn caption(&self) -> String {
        let total = &self.total;
        let draws = match total.params.draws {
            Draws::LeftOut => {
                format!("{} positions of drawn games are left out", thousands(total.draws_left_out))
            }
            Draws::Half => "draws count half".into(),
        };
        format!(
            "{} positions of {} games, bins of {} with at least {} positions; {draws}. Bands are \
             95 % intervals, clustered by game.",
            thousands(total.positions),
            thousands(total.games),
            total.params.bin_width,
            total.params.min_count,
        )
    }

    fn page(&self, command: &str) -> Page {
        let mut section =
            Section::new("Curves").figure(self.chart("Evaluation curves"), self.caption());
        section = section.table(self.table()).paragraph(
            "Gaps are of a condition's curve minus the total one: in win probability at equal value, \
             and in value at equal win probability. 'log-odds' is what the function misses where the \
             condition holds, 'gain' what a curve of its own adds to the log-likelihood, and p the \
             probability of that if the curves are one (likelihood ratio on top of a common curve of \
             any shape, corrected for clustering by game after Rao and Scott).",
        );
        for note in &self.notes {
            section = section.paragraph(format!("Note: {note}."));
        }
        let page = Page::new("Evaluation curves").section(section);
        with_provenance(page, &self.provenance, command)
    }
}

pub(crate) fn with_provenance(page: Page, facts: &[(String, String)], command: &str) -> Page {
    let page = facts.iter().fold(page, |page, (name, value)| page.fact(name, value));
    page.fact("program", program()).fact("command", command)
}

/// Whether a curve rises, in a word for tables.
pub(crate) fn rises(curve: &Curve) -> &'static str {
    match curve.rises() {
        Some(true) => "yes",
        Some(false) => "NO",
        None => "n/a",
    }
}

/// Where the curve has bins, and a little more: a few far values would make it a
/// wall in the middle of an empty picture.
fn drawn_range(curve: &Curve) -> Option<(f64, f64)> {
    let (first, last) = (curve.drawn().next()?.0.centre, curve.drawn().last()?.0.centre);
    let margin = 0.1 * (last - first) + 2.0 * curve.params.bin_width;
    Some((first - margin, last + margin))
}

/// A curve with its band.
pub(crate) fn measured(name: &str, curve: &Curve) -> Series {
    let drawn: Vec<_> = curve.drawn().collect();
    Series::new(name, drawn.iter().map(|(b, p)| (b.centre, *p)).collect())
        .band(drawn.iter().map(|(b, _)| (b.low, b.high)).collect())
}

/// Its fitted logistic, in the same colour.
fn fitted(curve: &Curve) -> Option<Series> {
    let (first, last) = (curve.drawn().next()?.0.centre, curve.drawn().last()?.0.centre);
    let fit = curve.logistic.as_ref()?;
    let at = |i: u32| first + (last - first) * f64::from(i) / 80.0;
    let points = (0..=80).map(|i| (at(i), fit.win_prob(at(i)).0)).collect();
    Some(Series::new("fitted logistic", points).style(Style::Line))
}
