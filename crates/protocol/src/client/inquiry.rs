//! Questions that are no part of a protocol: an engine's own `eval` or
//! `estimate_score`.
//!
//! Invariant: the dialogue stays in step whatever the engine answers. UCI and USI
//! engines are asked `isready` behind the question, so that one that does not know
//! it is told by an answer that holds nothing; GTP marks the end of every answer.

use super::Client;
use crate::fault::Failure;
use crate::situation::Situation;

impl Client {
    /// Shows a situation, puts a question of the engine's own, and gives the lines of
    /// the answer to `found` until that has what it seeks; none where it never has.
    ///
    /// # Errors
    /// When the protocol has no way to ask, or the engine refuses, dies, floods or
    /// keeps silent.
    pub fn inquire<T>(
        &mut self,
        situation: &Situation,
        question: &str,
        mut found: impl FnMut(&str) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        self.stay_in_step()?;
        let mut answer = None;
        let mut hear = |line: &str| {
            if answer.is_none() {
                answer = found(line);
            }
        };
        let skipped = self.process.skip_unasked();
        let told = skipped.and_then(|()| {
            self.wire.inquire(&mut self.process, situation, question, &self.patience, &mut hear)
        });
        self.checked(told)?;
        Ok(answer)
    }
}
