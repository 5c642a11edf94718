//! Datasets from the outside: made, killed, damaged, resumed, read.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "dataset/damage.rs"]
mod damage;
#[path = "dataset/labels.rs"]
mod labels;
#[path = "dataset/learner_input.rs"]
mod learner_input;
#[path = "dataset/resume.rs"]
mod resume;
#[path = "dataset/rows.rs"]
mod rows;
#[path = "dataset/shared.rs"]
mod shared;
#[path = "dataset/toy.rs"]
mod toy;
#[path = "dataset/variety.rs"]
mod variety;
#[path = "dataset/verbs.rs"]
mod verbs;
