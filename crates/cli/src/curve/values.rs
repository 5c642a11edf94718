//! `evalsmith curve values`: the values of many positions, by an engine or by a
//! function of this program.

use crate::failure::Usage;
use crate::options::{ending, game, may_write, show, write_file};
use crate::progress::Terminal;
use clap::Args;
use evalsmith_lab::prelude::files::behind_links;
use evalsmith_lab::prelude::{
    After, Budget, Dataset, Engine, EvalProfile, FunctionName, OwnOrder, OwnValued, Protocol,
    Question, TableForm, ValueOrder, ValueRows, ValueSource, Valued, locate, own_values,
    rows_of_dataset, value_rows,
};
use std::path::PathBuf;
use std::time::Duration;

/// Writes a table with the value of every position, by an engine or by a function
/// of this program.
///
/// Positions are those of a dataset, or of a CSV or TSV table with a column of FENs
/// (uci) or SFENs (usi). Values are the first player's, in the engine's own unit;
/// positions that the engine sees decided, and those without an answer, are left
/// empty and counted. Answers are kept beside the table in FILE.answers: the same
/// command continues a stopped run, and nothing is asked twice.
///
/// With --function the values are a model's, in log-odds of the first player, and
/// the game's features stand beside them, in the mover's view: conditions may ask
/// for them, in the first player's view as (1 - 2 * side) * feature. With --atoms the
/// game's atoms stand there too (what is on each square), in the first player's view:
/// conditions may name configurations of them, "a1=1 b1=2". Finished rows are kept in
/// FILE.unfinished until the table is whole: the same command continues a stopped run.
#[derive(Args)]
pub(crate) struct Values {
    /// A dataset's folder, or a CSV or TSV table (as it is or .zst)
    data: PathBuf,
    /// The engine's program and its arguments, in one word: "gnugo --mode gtp"
    #[arg(long, value_name = "COMMAND", required_unless_present = "function")]
    engine: Option<String>,
    /// Instead of an engine, a function: `hand`, `trivial`, `shipped`, or a model file
    #[arg(long, value_name = "FUNCTION", conflicts_with_all = ["engine", "go", "eval", "options"])]
    function: Option<FunctionName>,
    /// When the function is asked: after nothing, quiescence or "depth N". For Othello's
    /// shipped function also "depth N at P%": the engine of `evalsmith engine othello`,
    /// which prunes lines at this confidence (73, 87, 95, 99; 100 prunes nothing)
    #[arg(long, value_name = "SEARCH", default_value_t, requires = "function")]
    after: After,
    /// Write the game's atoms as well, a column each
    #[arg(long, requires = "function")]
    atoms: bool,
    /// The game of a table's positions, for --function
    #[arg(long, value_name = "GAME", requires = "function")]
    game: Option<String>,
    /// What the engine speaks: uci, usi, gtp, nboard or xboard
    #[arg(long, value_name = "P", default_value = "uci")]
    protocol: Protocol,
    /// Let it search: "depth 1", "nodes 1000" or "movetime 50" (milliseconds)
    #[arg(long, value_name = "LIMIT", value_parser = limit, required_unless_present_any = ["eval", "function"])]
    go: Option<Budget>,
    /// Ask its own evaluation command: stockfish, fairy-stockfish, fairy-stockfish-shogi (usi),
    /// gnugo (gtp), or a TOML profile
    #[arg(long, value_name = "PROFILE", conflicts_with = "go")]
    eval: Option<String>,
    /// An option to set, as often as need be
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = option)]
    options: Vec<(String, String)>,
    /// Engine processes side by side
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=256))]
    processes: u16,
    /// Seconds to wait for an answer
    #[arg(long, value_name = "S", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// A table's column of positions
    #[arg(long, value_name = "COLUMN", default_value = "fen")]
    position: String,
    /// What the column of values is called
    #[arg(long, value_name = "NAME", default_value = "value")]
    column: String,
    /// The table to write: .tsv or .csv
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Write over an existing file
    #[arg(long)]
    force: bool,
}

impl Values {
    pub(super) fn run(mut self) -> anyhow::Result<()> {
        ending(&self.output, &["tsv", "csv"], self.force, &self.data)?;
        // What is kept beside the table stands beside the table itself, not beside a link.
        self.output = behind_links(&self.output);
        let form = TableForm::of(&self.output)?;
        let progress = Terminal::resumable();
        if let Some(function) = &self.function {
            return self.own(function, &progress);
        }
        let rows = if self.data.is_dir() {
            let dataset = Dataset::open(&self.data)?;
            let game = game(&dataset.manifest().game)?;
            rows_of_dataset(&game, &self.data, self.protocol, &progress)?
        } else {
            ValueRows::of_table(&self.data, &self.position, self.protocol)?
        };
        if rows.names.contains(&self.column) {
            let column = &self.column;
            let reason =
                format!("there is a column {column:?} already; give --column another name");
            return Err(Usage(reason).into());
        }
        let order = self.order()?;
        let mut journal = self.output.clone().into_os_string();
        journal.push(".answers");
        let valued = value_rows(&rows, &order, journal.as_ref(), &progress)?;
        may_write(&self.output, self.force)?;
        write_file(&self.output, rows.with_values(&self.column, &valued.values, form))?;
        show(&told(&valued))?;
        show(&format!("Written: {}", self.output.display()))
    }

    fn own(&self, function: &FunctionName, progress: &Terminal) -> anyhow::Result<()> {
        let (name, source) = match (&self.game, self.data.is_dir()) {
            (given, true) => {
                let name = Dataset::open(&self.data)?.manifest().game.clone();
                if given.as_ref().is_some_and(|given| *given != name) {
                    let reason = format!("{} is a dataset of {name}", self.data.display());
                    return Err(Usage(format!("{reason}; leave --game out")).into());
                }
                (name, ValueSource::Dataset(self.data.clone()))
            }
            (Some(name), false) => {
                (name.clone(), ValueSource::Table(self.data.clone(), self.position.clone()))
            }
            (None, false) => {
                let reason =
                    format!("{} is a table: say by --game which game", self.data.display());
                return Err(Usage(reason).into());
            }
        };
        if matches!(self.after, After::Selective(..)) && *function != FunctionName::Shipped {
            let reason = "a search that leaves lines out has a function of its own; give \
                          --function shipped";
            return Err(Usage(reason.into()).into());
        }
        let (column, output) = (self.column.clone(), self.output.clone());
        let order = OwnOrder { after: self.after, column, atoms: self.atoms, output };
        let valued = own_values(&game(&name)?, function, &source, &order, progress)?;
        show(&told_own(&valued, self.after))?;
        show(&format!("Written: {}", self.output.display()))
    }

    fn order(&self) -> anyhow::Result<ValueOrder> {
        let mut words = self.engine.as_deref().unwrap_or_default().split_whitespace();
        let Some(program) = words.next() else {
            return Err(Usage("--engine is empty; name a program".into()).into());
        };
        let question = match (&self.eval, &self.go) {
            (Some(name), _) => Question::Eval(self.profile(name)?),
            (None, Some(budget)) => Question::Go(budget.clone()),
            (None, None) => return Err(Usage("give --go or --eval".into()).into()),
        };
        let package = match &question {
            Question::Eval(profile) => profile.package.as_deref(),
            Question::Go(_) => None,
        };
        let mut engine = Engine::new(self.protocol, locate(program, package)?);
        engine.arguments = words.map(str::to_owned).collect();
        engine.options.clone_from(&self.options);
        engine.patience.unclocked_move = Duration::from_secs(self.timeout);
        Ok(ValueOrder { engine, question, processes: usize::from(self.processes) })
    }

    fn profile(&self, name: &str) -> anyhow::Result<EvalProfile> {
        let profile = EvalProfile::open(name)?;
        if profile.protocol != self.protocol {
            let (wanted, given) = (profile.protocol, self.protocol);
            let reason =
                format!("{name} is asked in {wanted}, not in {given}; give --protocol {wanted}");
            return Err(Usage(reason).into());
        }
        Ok(profile)
    }
}

fn told_own(valued: &OwnValued, after: After) -> String {
    let OwnValued { function, rows, decided, unreadable, first_unreadable, nodes } = valued;
    let with = rows - decided - unreadable;
    let mut parts = vec![format!("{with} of {rows} rows have a value of {function} after {after}")];
    if *decided > 0 {
        parts.push(format!("{decided} are seen as decided"));
    }
    if let Some(first) = first_unreadable {
        parts.push(format!("{unreadable} are no positions (first: {first})"));
    }
    parts.push(format!("{nodes} positions were visited"));
    parts.join(", ")
}

fn told(valued: &Valued) -> String {
    let Valued { engine, values, asked, known, mates, without, failed, unreadable, .. } = valued;
    let with = values.iter().flatten().count();
    let mut parts = vec![
        format!(
            "{with} of {} rows have a value of {engine}; {asked} positions asked",
            values.len()
        ),
        format!("{known} known before"),
    ];
    let others = [
        (mates, "seen as decided"),
        (without, "without a value"),
        (failed, "given up"),
        (unreadable, "that are no positions and were not asked"),
    ];
    let others = others.into_iter().filter(|(count, _)| **count > 0);
    parts.extend(others.map(|(count, what)| format!("{count} {what}")));
    let failure = valued.first_failure.as_ref();
    let failure = failure.map(|what| format!("\nThe first that was given up: {what}"));
    parts.join(", ") + &failure.unwrap_or_default()
}

fn limit(text: &str) -> Result<Budget, String> {
    let wrong = || "write depth N, nodes N or movetime MS".to_owned();
    let (word, number) = text.trim().split_once(' ').ok_or_else(wrong)?;
    let number: u64 = number.trim().parse().ok().filter(|&n| n > 0).ok_or_else(wrong)?;
    match word {
        "depth" => Ok(Budget::depth(u32::try_from(number).map_err(|_| wrong())?)),
        "nodes" => Ok(Budget::nodes(number)),
        "movetime" => Ok(Budget::move_time(Duration::from_millis(number))),
        _ => Err(wrong()),
    }
}

fn option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write NAME=VALUE".to_owned()),
    }
}
