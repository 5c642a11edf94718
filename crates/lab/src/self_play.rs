//! Self-play by names: which functions play, and from which openings.

use crate::LabError;
use crate::function::{FunctionName, open};
use evalsmith_arena::Openings;
use evalsmith_core::{Game, Progress};
use evalsmith_data::{Digest, Generated, Maker, SelfPlay, Setting, generate_with};
use evalsmith_rules::DynGame;
use std::path::{Path, PathBuf};

/// Who plays, and from where.
#[derive(Clone, Debug)]
pub struct SelfPlayOrder {
    /// Who plays.
    pub function: FunctionName,
    /// The opponent, where it is another; they change sides with every game.
    pub against: Option<FunctionName>,
    /// What games begin with.
    pub openings: SelfPlayOpenings,
}

/// What games of self-play begin with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SelfPlayOpenings {
    /// The plan's random half-moves (lee86).
    #[default]
    Random,
    /// All different positions after the plan's half-moves, in turn (buro95).
    Enumerated,
    /// The openings of a file, in turn.
    List(PathBuf),
}

/// Plays the games of a plan into a dataset.
///
/// # Errors
/// When a function or the openings cannot be had, or as [`generate_with`].
pub fn self_play(
    game: &DynGame,
    order: &SelfPlayOrder,
    plan: &SelfPlay,
    command: &str,
    out: &Path,
    progress: &dyn Progress,
) -> Result<Generated, LabError> {
    let first = open(game, &order.function)?;
    let second = order.against.as_ref().map(|name| open(game, name)).transpose()?;
    let mut function = first.identity(&order.function);
    if let (Some(opponent), Some(name)) = (&second, &order.against) {
        function = format!("{function} against {}", opponent.identity(name));
    }
    let openings = match &order.openings {
        SelfPlayOpenings::Random => None,
        SelfPlayOpenings::Enumerated => {
            Some(Openings::enumerated(game, plan.opening_plies, None, plan.seed, &|_| true)?)
        }
        SelfPlayOpenings::List(path) => {
            let (openings, remarks) = Openings::from_file(game, path, None)?;
            for remark in &remarks {
                progress.note(remark);
            }
            Some(openings)
        }
    };
    let named = openings.as_ref().map(|openings| identity(game, openings));
    let maker = Maker { function, openings: named, command: command.to_owned() };
    let in_turn = openings
        .as_ref()
        .map(|openings| move |game: u32| openings.get(game as usize % openings.len()));
    let setting = Setting {
        functions: [&first, second.as_ref().unwrap_or(&first)],
        openings: in_turn.as_ref().map(|in_turn| in_turn as _),
    };
    Ok(generate_with(game, &setting, plan, &maker, out, progress)?)
}

/// How many openings there are, and a digest of where they end.
fn identity(game: &DynGame, openings: &Openings) -> String {
    let mut hasher = evalsmith_data::Hasher::new();
    for index in 0..openings.len() {
        let record = openings.get(index);
        hasher.write(&game.pack(record.position(), record.side()));
    }
    let digest: Digest = hasher.finish();
    format!("{} openings, {digest}", openings.len())
}
