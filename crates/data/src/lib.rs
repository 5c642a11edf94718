//! Positions with labels in Parquet, and the self-play that makes them.
//!
//! # A dataset is a folder
//!
//! | file | what |
//! |---|---|
//! | `dataset.json` | the [`Manifest`]: game, configuration, seed, command, labels, digest of the configuration |
//! | `part-00000.parquet`, ... | the rows of consecutive games, so that a kill loses unfinished parts only |
//! | `dataset.lock` | held while a run writes here; empty |
//!
//! Every part has these columns, one row a position, in the order of games and
//! plies (pandas, polars and `DuckDB` open the files as they are):
//!
//! | column | type | what |
//! |---|---|---|
//! | `game` | u32 | index of the game within the dataset |
//! | `ply` | u16 | half-moves played before the position |
//! | `stage` | u8 | the position's stage in the game's own count |
//! | `side` | u8 | to move: 0 the first player, 1 the second |
//! | `position` | binary | the position as [`Game::pack`](evalsmith_core::Game::pack) writes it |
//! | `move` | utf8 | the move played; null where the game was ended here before the rules did |
//! | `result` | i8 | how the game ended for the side to move: 1 win, 0 draw, -1 loss; null where nobody told |
//! | `score` | i16 | the margin for the side to move; its sign is the result; null with it |
//! | `label.<name>` | f32, nullable | any number of labels; the manifest says how each was made |
//!
//! Self-play writes `label.search`: the searched value of the chosen move in
//! log-odds for the side to move, null where the move was random or solved.
//!
//! The key-value metadata of each part repeats who made it (`evalsmith.game`,
//! `.version`, `.command`, `.configuration`, `.labels`, `.digest`), tells its
//! number (`.part`) and the games it holds (`.tally`), and carries a checksum of the whole file
//! (`.checksum`), because Parquet's own pages are written without one.
//!
//! The one invariant to know: a part under its final name is complete, and its
//! rows depend on the configuration alone, never on threads, kills or resumes.

mod batch;
mod dataset;
mod dedupe;
mod derive;
mod distinct;
mod draw;
mod encode;
mod error;
mod export;
mod features;
mod folder;
mod generate;
mod import;
mod info;
mod label;
mod lock;
mod manifest;
mod merge;
mod part;
mod pool;
mod provenance;
mod records;
mod selfplay;
mod shard;
mod sheet;
mod source;
mod split;
mod table;
mod writer;

pub use batch::{Batch, BatchBuilder, Row};
pub use dataset::{Batches, Dataset};
pub use dedupe::dedupe;
pub use draw::{Amount, Draw, NearlyEven, draw};
pub use error::DataError;
pub use evalsmith_core::digest::{Digest, Hasher};
pub use export::{ExportFormat, Exported, export};
pub use features::{FeatureTable, features, features_at_rest, values};
use generate::SEARCH_LABEL;
pub use generate::{Generated, Maker, generate, generate_with};
pub use import::{Import, Imported, InputFormat, Place, Scanned, Why, first_record, import, scan};
pub use info::{Agreement, Info};
pub use label::{
    Agreed, Expert, How, LabelOrder, Labels, MakeExpert, Opinion, agreement, label, label_by_expert,
};
pub use manifest::{Label, Manifest, Tally};
pub use merge::merge;
pub use provenance::Input;
pub use records::{Headers, LastWord, NotWritten, Note, RecordFormat, write_record};
pub use selfplay::{SelfPlay, Setting};
pub use shard::Shard;
pub use sheet::{Faults, Sheet, SheetBatch, SheetColumns, in_words};
pub use split::{Split, split};
pub use table::{OwnTable, TableColumns, read_feature_table, read_own_table, write_feature_table};
pub use writer::Written;
