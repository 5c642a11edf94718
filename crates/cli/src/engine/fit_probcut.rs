//! `evalsmith engine fit-probcut`: how far shallow searches are off, for a function.

use super::serve_othello::function_with_errors;
use crate::failure::command_line;
use crate::options::{Format, may_write, print, show, thread_count, write_file};
use crate::progress::Terminal;
use clap::{Args, ValueEnum};
use evalsmith_engine_othello::Selectivity;
use evalsmith_engine_othello::probcut::{
    Cell, ProbCutFit, SampleParams, Surface, check_depth, fit_probcut, probcut_samples,
};
use evalsmith_lab::prelude::{FunctionName, LabError, Table};
use evalsmith_report::{LineChart, Mark, Page, Section, Series, Style};
use serde::Serialize;
use std::path::PathBuf;

/// Fits the errors by which Multi-ProbCut leaves lines out, to the engine's own searches.
///
/// Positions of the engine's own games are searched to every depth. The model goes to
/// --out, for --probcut of `engine` and `analyze`; the cells it was fitted to,
/// with their residuals, to standard output and, drawn, to --report.
#[derive(Args)]
pub(crate) struct FitProbCut {
    /// The game; Othello has such a search
    #[arg(value_enum)]
    game: Searched,
    /// The evaluation function: `shipped`, `hand`, `trivial`, or a model file
    #[arg(long, value_name = "FUNCTION", default_value = "shipped")]
    function: FunctionName,
    /// Positions to search
    #[arg(long, value_name = "N", default_value_t = SampleParams::default().positions,
        value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    positions: u64,
    /// Plies of the deepest search
    #[arg(long, value_name = "PLIES", default_value_t = SampleParams::default().depth,
        value_parser = clap::value_parser!(u32).range(4..=20))]
    depth: u32,
    /// What these searches leave out: `full` for nothing, or the name or percentage of a
    /// level, to get deeper
    #[arg(long, value_name = "LEVEL", default_value = "full")]
    selectivity: Selectivity,
    /// The error model by which they leave it out [default: that of the shipped function]
    #[arg(long, value_name = "FILE")]
    probcut: Option<PathBuf>,
    /// Chooses the positions
    #[arg(long, value_name = "N", default_value_t = SampleParams::default().seed)]
    seed: u64,
    /// Where the model is written
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Where a page with charts of the residuals is written
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write over files that exist
    #[arg(long)]
    force: bool,
    /// How the cells are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Searched {
    Othello,
}

#[derive(Serialize)]
struct CellReport {
    kind: &'static str,
    empties: f64,
    depth: f64,
    check: u32,
    count: usize,
    slope: f64,
    offset: f64,
    sigma: f64,
    modelled: f64,
    /// The logarithm of measured by modelled.
    residual: f64,
}

impl From<&Cell> for CellReport {
    fn from(c: &Cell) -> Self {
        let &Cell { empties, depth, check, count, slope, offset, sigma, modelled, .. } = c;
        let residual = (sigma / modelled).ln();
        let kind = kind(c.to_end);
        Self { kind, empties, depth, check, count, slope, offset, sigma, modelled, residual }
    }
}

fn kind(to_end: bool) -> &'static str {
    if to_end { "end" } else { "middle" }
}

impl FitProbCut {
    pub(crate) fn run(self, threads: Option<u16>) -> anyhow::Result<()> {
        let Searched::Othello = self.game;
        for path in [Some(&self.out), self.report.as_ref()].into_iter().flatten() {
            may_write(path, self.force)?;
        }
        let threads = thread_count(threads);
        let Self { positions, depth, selectivity, seed, .. } = self;
        let params = SampleParams {
            positions,
            depth,
            selectivity,
            seed,
            threads,
            ..SampleParams::default()
        };
        let terminal = Terminal::new();
        let (judge, errors, _) = function_with_errors(
            &self.function,
            self.probcut.as_deref(),
            Some(selectivity),
            selectivity,
        )?;
        let samples =
            probcut_samples(&params, (&judge, &errors), &terminal).ok_or(LabError::Abandoned)?;
        let fit = fit_probcut(&samples).map_err(|e| anyhow::anyhow!("{e}: raise --positions"))?;
        let made = format!("{} samples of {}, seed {seed}", samples.len(), self.function);
        write_file(&self.out, model_text(&fit, &made))?;
        if let Some(path) = &self.report {
            write_file(path, page(&fit, &made).to_html())?;
        }
        let cells: Vec<_> = fit.cells.iter().map(CellReport::from).collect();
        print(self.format, &table(&cells), &cells)?;
        if self.format == Format::Table {
            show(&format!("\n{}", summary(&fit, &made)))?;
        }
        Ok(())
    }
}

fn model_text(fit: &ProbCutFit, made: &str) -> String {
    format!(
        "# ln sigma in discs: constant, per ply, per ply of the check, per empty square.\n\
         # {made}: {}\n{}",
        command_line(),
        fit.model
    )
}

/// The root mean square of a kind's residuals, each cell by its count.
fn spread(cells: &[Cell], to_end: bool) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for c in cells.iter().filter(|c| c.to_end == to_end) {
        sum += c.count as f64 * (c.sigma / c.modelled).ln().powi(2);
        weight += c.count as f64;
    }
    (sum / weight).sqrt()
}

fn surface(name: &str, s: &Surface) -> String {
    let Surface { constant, depth, check, empties } = s;
    format!(
        "ln sigma ({name}) = {constant:.3} {depth:+.4} depth {check:+.4} check {empties:+.4} empty"
    )
}

fn summary(fit: &ProbCutFit, made: &str) -> String {
    let of = |to_end| {
        let part = if to_end { fit.model.end() } else { fit.model.middle() };
        let spread = spread(&fit.cells, to_end);
        format!("{}\n  residuals of its cells {spread:.3}", surface(kind(to_end), part))
    };
    format!("{made}\n{}\n{}\n", of(false), of(true))
}

fn table(cells: &[CellReport]) -> Table {
    let mut table = Table::new([
        "kind", "empty", "depth", "check", "count", "slope", "offset", "sigma", "model", "residual",
    ]);
    for c in cells {
        table.push([
            c.kind.to_owned(),
            format!("{:.1}", c.empties),
            format!("{:.1}", c.depth),
            c.check.to_string(),
            c.count.to_string(),
            format!("{:.2}", c.slope),
            format!("{:.2}", c.offset),
            format!("{:.2}", c.sigma),
            format!("{:.2}", c.modelled),
            format!("{:+.2}", c.residual),
        ]);
    }
    table
}

fn page(fit: &ProbCutFit, made: &str) -> Page {
    let cells: Vec<_> = fit.cells.iter().map(CellReport::from).collect();
    let charts = Section::new("Residuals")
        .figure(sigmas(&fit.cells), "Dots are measured, the line of the same colour is the fitted surface: the pairs of depths that the search uses.")
        .figure(residuals(&fit.cells), "The logarithm of measured by modelled sigma, cell by cell: above nought the search is surer than it should be.");
    Page::new("Errors of Multi-ProbCut's checks")
        .lead(made)
        .section(Section::new("Model").verbatim(summary(fit, made)))
        .section(charts)
        .section(Section::new("Cells").table(table(&cells)))
        .fact("command", command_line())
        .fact("version", env!("CARGO_PKG_VERSION"))
}

/// Sigma by empty squares for each depth with the check that the search gives it.
fn sigmas(cells: &[Cell]) -> LineChart {
    let mut series = Vec::new();
    let used = |c: &&Cell| !c.to_end && c.check == check_depth(c.depth as u32);
    let mut depths: Vec<_> = cells.iter().filter(used).map(|c| c.depth as u32).collect();
    depths.dedup();
    for depth in depths {
        let of = |value: fn(&Cell) -> f64| {
            let these = cells.iter().filter(used).filter(|c| c.depth as u32 == depth);
            these.map(|c| (c.empties, value(c))).collect::<Vec<_>>()
        };
        let name = format!("depth {depth}, check {}", check_depth(depth));
        series.push(Series::new(name, of(|c| c.sigma)).style(Style::Dots));
        series.push(Series::new("", of(|c| c.modelled)).style(Style::Line));
    }
    LineChart {
        title: "Standard deviation of deep minus check".into(),
        x_label: "empty squares".into(),
        y_label: "discs".into(),
        series,
        ..LineChart::default()
    }
}

fn residuals(cells: &[Cell]) -> LineChart {
    let of = |to_end| {
        let these = cells.iter().filter(move |c| c.to_end == to_end);
        these.map(|c| (c.empties, (c.sigma / c.modelled).ln())).collect()
    };
    LineChart {
        title: "Residuals of the surfaces".into(),
        x_label: "empty squares".into(),
        y_label: "ln measured / modelled".into(),
        series: vec![
            Series::new("a judge's estimate", of(false)).style(Style::Dots),
            Series::new("the end of the game", of(true)).style(Style::Dots),
        ],
        marks: vec![Mark::Horizontal { y: 0.0, label: String::new() }],
        ..LineChart::default()
    }
}
