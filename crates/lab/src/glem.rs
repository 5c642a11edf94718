//! GLEM in a game's hands (buro98): which patterns, their weights from a dataset,
//! play by them, and boards that show what they learned.

mod begun;
mod checkpoint;
mod configurations;
mod discover;
mod export;
mod fit;
mod outcome;
mod rows;
mod sets;
mod show;
mod show_configurations;
#[cfg(test)]
mod some_model;

pub use configurations::{ConfigurationFitted, ConfigurationPlan, fit_configurations};
pub use discover::{DiscoverPlan, Discovered, Proposal, discover};
pub use export::{PatternExport, export_patterns};
pub use fit::{PatternFitPlan, PatternFitted, fit_patterns};
pub(crate) use outcome::mean_of;
pub use outcome::{GroupReport, LinkName};
pub use sets::{PatternSource, pattern_names};
pub use show::{Configuration, CountView, PatternShow, PatternView, show_patterns};
pub use show_configurations::show_configurations;
