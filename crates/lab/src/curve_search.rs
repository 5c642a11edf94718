//! The search for conditions in a table, and the pages that show what it found.

use crate::LabError;
use crate::curve_picture::with_provenance;
use crate::curve_table::{OpenTable, TableCurves, TablePlan, TableSource, told};
use evalsmith_core::Progress;
use evalsmith_curves::{
    CurveParams, Draws, Expression, Found, SearchParams, SearchTable, Searched, search,
};
use evalsmith_report::number::{fixed, p_value, thousands};
use evalsmith_report::{Align, Page, Section, Table};
use serde::Serialize;

/// How a table is searched.
#[derive(Clone, Debug)]
pub struct SearchPlan {
    /// The columns to try; where none is named, all that hold numbers but the value.
    pub properties: Vec<String>,
    /// Positions in which a condition must hold, and fail; without a number, as
    /// [`SearchParams::sized`] says.
    pub min_count: Option<u64>,
    /// The share of false conditions among those reported, at most.
    pub false_discovery_rate: f64,
    /// Whether pairs are searched, and configurations of three.
    pub pairs: bool,
    /// The most relations of the configurations that are tried.
    pub configurations: usize,
    /// What becomes of drawn games.
    pub draws: Draws,
    /// Gives every game another's result first, by this seed.
    pub shuffle: Option<u64>,
    /// How many conditions are shown with their curves.
    pub shown: usize,
}

impl SearchPlan {
    /// The settings of the search, by the size of the table.
    pub(crate) fn params(&self, positions: u64, games: u64) -> SearchParams {
        let usual = SearchParams::sized(positions, games);
        SearchParams {
            min_count: self.min_count.unwrap_or(usual.min_count),
            false_discovery_rate: self.false_discovery_rate,
            pairs: self.pairs,
            configurations: self.configurations,
            ..usual
        }
    }
}

/// What a search of a table found.
#[derive(Clone, Debug, Serialize)]
pub struct TableSearch {
    /// Where it was searched, name and value.
    pub provenance: Vec<(String, String)>,
    /// The properties tried.
    pub properties: Vec<String>,
    /// What was found.
    pub searched: Searched,
    /// The curves of the first of them; none where nothing was found.
    pub curves: Option<TableCurves>,
    /// What was dropped, in words.
    pub notes: Vec<String>,
}

/// Searches a table.
///
/// # Errors
/// When the table cannot be read, a column is missing, or nothing can be searched.
pub fn search_table(
    source: &TableSource,
    plan: &SearchPlan,
    progress: &dyn Progress,
) -> Result<TableSearch, LabError> {
    let mut open = source.open()?;
    let source = &open.source.clone();
    let properties =
        if plan.properties.is_empty() { numeric(&mut open)? } else { plan.properties.clone() };
    if properties.is_empty() {
        let path = source.path.display();
        return Err(LabError::Settings(format!("{path}: no column is left to search")));
    }
    let columns: Vec<_> = properties.iter().map(|name| Expression::column(name)).collect();
    let mut table = SearchTable::new(properties.clone());
    let faults = open.read_rows(&columns, progress, |value, half_points, game, row| {
        table.push(value, half_points, game, plan.draws, row.iter().copied());
    })?;
    if let Some(seed) = plan.shuffle {
        table.shuffle_results(seed);
    }
    progress.status("searching");
    let params = plan.params(table.len() as u64, table.games());
    let searched = search(&table, &params)?;
    let provenance = source.facts(faults.rows);
    let curves = shown(&table, plan, &searched.found, &provenance)?;
    let mut notes: Vec<String> =
        Some(faults.to_text()).filter(|text| !text.is_empty()).into_iter().collect();
    if searched.separated {
        notes.push(
            "beyond some value all games end alike, so that a ridge keeps the common curve finite \
             there"
                .to_owned(),
        );
    }
    if searched.tests == 0 {
        let SearchParams { min_count, min_games, .. } = params;
        notes.push(format!(
            "no condition holds in {min_count} positions of {min_games} games and fails in as many; \
             give more games, or ask for fewer positions with --min-count"
        ));
    }
    Ok(TableSearch { provenance, properties, searched, curves, notes })
}

/// The curves of the first conditions. With shuffled results there is nothing to show.
fn shown(
    table: &SearchTable,
    plan: &SearchPlan,
    found: &[Found],
    provenance: &[(String, String)],
) -> Result<Option<TableCurves>, LabError> {
    if found.is_empty() || plan.shown == 0 || plan.shuffle.is_some() {
        return Ok(None);
    }
    let conditions = found.iter().take(plan.shown).map(|f| f.condition.clone()).collect();
    let positions = table.values().len();
    let min_count = Some(CurveParams::usual_min_count(positions as u64).min(200));
    let draw = TablePlan { bin_width: None, min_count, draws: plan.draws, conditions };
    let params = draw.params(draw.bin_width(table.values())?, positions);
    let counted = table.curves(&params, &draw.conditions)?;
    Ok(Some(told(provenance.to_vec(), counted, Vec::new())))
}

/// Columns that hold numbers and nothing else that is known, by the first rows.
fn numeric(open: &mut OpenTable) -> Result<Vec<String>, LabError> {
    let OpenTable { sheet, source } = open;
    let taken = [Some(&source.result), source.game.as_ref(), source.side.as_ref()];
    let value = Some(source.value.text()).filter(|_| source.value.names().len() == 1);
    let free = |name: &&String| !taken.contains(&Some(*name)) && Some(name.as_str()) != value;
    let names: Vec<String> = sheet.names().iter().filter(free).cloned().collect();
    Ok(sheet.columns_of_numbers(&names)?)
}

impl TableSearch {
    /// The conditions, best first.
    pub fn table(&self, most: usize) -> Table {
        let mut table = Table::new([
            "",
            "condition",
            "positions",
            "gain",
            "missed log-odds",
            "z",
            "p",
            "false discovery",
        ])
        .align([Align::Right, Align::Left].into_iter().chain([Align::Right; 6]));
        for (rank, f) in (1..).zip(&self.searched.found).take(most) {
            table.push([
                rank.to_string(),
                f.condition.to_string(),
                thousands(f.positions),
                fixed(f.gain, 1),
                format!("{:+.3}", f.log_odds),
                format!("{:+.1}", f.z),
                p_value(f.p_value),
                p_value(f.q_value),
            ]);
        }
        table
    }

    /// What was searched and how much was found, in a sentence.
    pub fn summary(&self) -> String {
        let Searched { positions, games, tests, found, .. } = &self.searched;
        let found = match found.len() {
            0 => "no condition splits the curve".to_owned(),
            1 => "1 property or combination splits the curve".to_owned(),
            n => format!("{} properties or combinations split the curve", thousands(n as u64)),
        };
        format!(
            "{} conditions on {} properties, {} positions of {} games: {found}.",
            thousands(*tests),
            self.properties.len(),
            thousands(*positions),
            thousands(*games)
        )
    }

    /// The search in the form that a file's ending names: html, csv or json.
    ///
    /// # Errors
    /// When the form is another.
    pub fn to_file(&self, form: &str, command: &str) -> Result<String, LabError> {
        match form {
            "csv" => Ok(self.table(usize::MAX).to_csv()),
            "json" => {
                serde_json::to_string_pretty(self).map_err(|e| LabError::Settings(e.to_string()))
            }
            "html" => Ok(self.page(command).to_html()),
            _ => Err(LabError::Settings(format!(
                "a search is written as html, csv or json, not {form:?}"
            ))),
        }
    }

    fn page(&self, command: &str) -> Page {
        let mut section = Section::new("Conditions").table(self.table(100)).paragraph(
            "'gain' is what a weight on the condition adds to the log-likelihood (of a joint \
             condition beyond its parts), 'missed log-odds' that weight, z its size in standard \
             errors clustered by game. 'false discovery' is the smallest rate of false conditions \
             at which it is reported, by Benjamini and Yekutieli's procedure, which holds under any \
             dependence.",
        );
        for note in &self.notes {
            section = section.paragraph(format!("Note: {note}."));
        }
        let mut page = Page::new("Where the curve splits").lead(self.summary()).section(section);
        if let Some(curves) = &self.curves {
            for one in &curves.conditions {
                let alone = TableCurves { conditions: vec![one.clone()], ..curves.clone() };
                let section = Section::new(&one.condition)
                    .figure(alone.chart(&one.condition), alone.caption())
                    .table(alone.table());
                page = page.section(section);
            }
        }
        with_provenance(page, &self.provenance, command)
    }
}
