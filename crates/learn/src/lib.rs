//! Learners and the models they return; sees columns, never a board.
