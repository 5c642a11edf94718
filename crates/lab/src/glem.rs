//! GLEM in a game's hands (buro98): which patterns, their weights from a dataset,
//! play by them, and boards that show what they learned.

mod export;
mod fit;
mod function;
mod outcome;
mod rows;
mod sets;
mod show;

pub use export::{PatternExport, export_patterns};
pub use fit::{PatternFitPlan, PatternFitted, fit_patterns};
pub use function::{PatternFunction, Views};
pub use outcome::{GroupReport, LinkName};
pub use sets::{PatternSource, pattern_names};
pub use show::{Configuration, CountView, PatternShow, PatternView, show_patterns};
