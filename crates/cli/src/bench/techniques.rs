//! `evalsmith bench techniques`: what the Othello engine loses with each of its
//! techniques turned off.

use crate::engine::seconds;
use crate::failure::Usage;
use crate::options::{Format, print};
use crate::progress::Terminal;
use crate::solve::{mebibytes, read};
use clap::Args;
use cpu_time::ProcessTime;
use evalsmith_engine_othello::{Question, Solver, Technique, Watch, obf};
use evalsmith_lab::prelude::{
    Adjudication, Contender, Engine, LabError, MatchOrder, MatchStats, Mind, OpeningSource, Pace,
    Progress, Protocol, Table, Terms, handing_on_stop, play_match,
};
use evalsmith_report::{Align, number};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Turns the Othello engine's techniques off one by one, and tells what each gains.
///
/// Endgames are solved on one thread, each from an empty table. Matches are played
/// against the whole engine at equal CPU time, every opening with both colours; their
/// logs stay in the folder, and the same command goes on with them after a kill.
#[derive(Args)]
pub(crate) struct Techniques {
    /// Endgames to solve, in OBF files
    #[arg(value_name = "FILE.obf")]
    files: Vec<PathBuf>,
    /// Memory for the tables, in MiB
    #[arg(long, value_name = "MiB", default_value_t = 256, value_parser = mebibytes)]
    hash: usize,
    /// Pairs of games against the whole engine; 0 plays none
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pairs: u32,
    /// CPU seconds for a move
    #[arg(long, value_name = "S", default_value = "0.05", value_parser = seconds)]
    move_time: Duration,
    /// Random half-moves of an opening
    #[arg(long, value_name = "PLIES", default_value_t = 10)]
    opening_plies: u16,
    /// Decides all chance
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the logs of the matches
    #[arg(long, value_name = "FOLDER", default_value = "bench-techniques")]
    out: PathBuf,
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What is turned off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Off {
    Nothing,
    Technique(Technique),
    /// Estimates that wait until no corner is worth taking: better, not faster.
    Corners,
}

impl Off {
    fn all() -> impl Iterator<Item = Self> {
        let techniques = Technique::ALL.into_iter().map(Self::Technique);
        std::iter::once(Self::Nothing).chain(techniques).chain([Self::Corners])
    }

    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Technique(technique) => technique.name(),
            Self::Corners => "corner-quiescence",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Nothing => "the whole engine",
            Self::Technique(technique) => technique.description(),
            Self::Corners => "estimates wait while a corner can be taken",
        }
    }

    /// Whether proofs of scores use it.
    fn is_the_solvers(self) -> bool {
        !matches!(self, Self::Technique(Technique::Probcut) | Self::Corners)
    }

    /// Whether an engine plays otherwise without it. Its iterations prepare a proof
    /// anyway, so that no other preparation is needed.
    fn matters_in_play(self) -> bool {
        !matches!(self, Self::Nothing | Self::Technique(Technique::Preparation))
    }

    fn arguments(self) -> Vec<String> {
        match self {
            Self::Nothing => vec![],
            Self::Technique(technique) => vec!["--without".into(), technique.to_string()],
            Self::Corners => vec!["--corner-quiescence".into(), "off".into()],
        }
    }
}

#[derive(Serialize)]
struct Row {
    without: &'static str,
    description: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    solving: Option<Solving>,
    #[serde(skip_serializing_if = "Option::is_none")]
    playing: Option<MatchStats>,
}

#[derive(Clone, Copy, Serialize)]
struct Solving {
    nodes: u64,
    cpu_seconds: f64,
}

impl Techniques {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let mut problems = Vec::new();
        for file in &self.files {
            problems.extend(read(file)?);
        }
        if problems.is_empty() && self.pairs == 0 {
            let nothing = "name a file of endgames to solve, or more than 0 --pairs to play";
            return Err(Usage(nothing.into()).into());
        }
        let terminal = Terminal::new();
        let mut rows = Vec::new();
        for off in Off::all() {
            let wanted = off.is_the_solvers() && !problems.is_empty();
            let solving = wanted.then(|| self.solve(off, &problems, &terminal)).transpose()?;
            rows.push(Row {
                without: off.name(),
                description: off.description(),
                solving,
                playing: None,
            });
        }
        if self.pairs > 0 {
            std::fs::create_dir_all(&self.out)?;
            let terminal = Terminal::resumable();
            for (off, row) in Off::all().zip(&mut rows).filter(|(off, _)| off.matters_in_play()) {
                row.playing = Some(self.play(off, &terminal)?);
            }
        }
        print(self.format, &table(&rows), &rows)
    }

    fn solve(
        &self,
        off: Off,
        problems: &[obf::Problem],
        terminal: &Terminal,
    ) -> anyhow::Result<Solving> {
        let techniques = match off {
            Off::Technique(technique) => [technique].into_iter().collect(),
            _ => evalsmith_engine_othello::Techniques::ALL,
        };
        let mut solver = Solver::shipped(self.hash, 1).with_techniques(techniques);
        let watch = Watch::new();
        terminal.begin(
            &format!("solve without {}", off.name()),
            problems.len() as u64,
            "positions",
        );
        let begun = ProcessTime::now();
        let stop = || watch.stop();
        let solved = handing_on_stop(terminal, stop, || {
            problems.iter().enumerate().try_for_each(|(index, problem)| {
                solver.forget();
                let answer = solver.ask(&problem.board, Question::Score, &watch);
                if !answer.complete {
                    return Err(LabError::Abandoned.into());
                }
                let score = answer.bounds.exact();
                if let Some(told) = problem.best().filter(|&told| score != Some(told)) {
                    let (place, found) = (index + 1, answer.bounds.lower);
                    anyhow::bail!("position {place} is {found:+}, its file says {told:+}");
                }
                terminal.advance(1);
                Ok(())
            })
        });
        terminal.end();
        solved?;
        Ok(Solving { nodes: watch.nodes(), cpu_seconds: begun.elapsed().as_secs_f64() })
    }

    /// A match of what is left against the whole engine.
    fn play(&self, off: Off, terminal: &Terminal) -> anyhow::Result<MatchStats> {
        let program = std::env::current_exe()?;
        let players = [self.player(&program, off), self.player(&program, Off::Nothing)];
        let terms = Terms {
            pairs: Some(self.pairs),
            openings: OpeningSource::Random(self.opening_plies),
            even: None,
            seed: self.seed,
            // The engine counts its own CPU time, so that a busy machine forfeits nothing;
            // NBoard can ask for a depth alone.
            pace: Pace::Depth(60),
            adjudication: Adjudication::default(),
            max_faults: 3,
        };
        let log = self.out.join(format!("without-{}.jsonl", off.name()));
        let order = MatchOrder { players, terms, sprt: None };
        Ok(play_match(&crate::options::game("othello")?, &order, &log, terminal)?.stats)
    }

    fn player(&self, program: &Path, off: Off) -> Contender {
        let mut engine = Engine::new(Protocol::NBoard, program.to_owned());
        let seconds = self.move_time.as_secs_f64().to_string();
        let hash = self.hash.to_string();
        let usual = [
            "engine",
            "othello",
            "--protocol",
            "nboard",
            "--clock",
            "cpu",
            "--book",
            "none",
            "--move-time",
            &seconds,
        ];
        engine.arguments = usual.map(str::to_owned).into();
        engine.arguments.extend(["--hash".to_owned(), hash]);
        engine.arguments.extend(off.arguments());
        let name = match off {
            Off::Nothing => "whole".to_owned(),
            _ => format!("without {}", off.name()),
        };
        Contender { name, mind: Mind::Engine(Box::new(engine)), pace: None }
    }
}

fn table(rows: &[Row]) -> Table {
    let columns =
        ["without", "what it is", "nodes", "times", "CPU s", "times", "games", "Elo", "95 %", "p"];
    let left = [Align::Left; 2].into_iter();
    let mut table = Table::new(columns).align(left.chain([Align::Right; 8]));
    let whole = rows.iter().find_map(|row| row.solving);
    for row in rows {
        let mut cells = vec![row.without.to_owned(), row.description.to_owned()];
        cells.extend(match (row.solving, whole) {
            (Some(solving), Some(whole)) => [
                number::thousands(solving.nodes),
                number::fixed(solving.nodes as f64 / whole.nodes as f64, 2),
                number::fixed(solving.cpu_seconds, 1),
                number::fixed(solving.cpu_seconds / whole.cpu_seconds, 2),
            ],
            _ => Default::default(),
        });
        cells.extend(row.playing.as_ref().map_or_else(Default::default, |stats| {
            let interval = &stats.elo_interval;
            [
                (stats.wins + stats.draws + stats.losses).to_string(),
                stats.elo.map_or_else(String::new, |elo| format!("{:+.0}", elo.0)),
                format!("{:+.0} to {:+.0}", interval.low.0, interval.high.0),
                number::p_value(stats.sign_test.p_value),
            ]
        }));
        table.push(cells);
    }
    table
}
