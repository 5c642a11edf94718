//! Alpha-beta for any position and any evaluation function.
