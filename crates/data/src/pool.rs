//! Things that are dear to make, lent out and taken back.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// Things that nobody uses at the moment.
pub(crate) struct Pool<T> {
    idle: Mutex<Vec<T>>,
}

impl<T> Pool<T> {
    pub(crate) fn new() -> Self {
        Self { idle: Mutex::new(Vec::new()) }
    }

    /// Lends an idle thing, or a new one where there is none.
    pub(crate) fn lend(&self, make: impl FnOnce() -> T) -> Lent<'_, T> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Lent { pool: self, thing: Some(idle.unwrap_or_else(make)) }
    }
}

/// A thing that goes back to its pool when it is dropped.
pub(crate) struct Lent<'p, T> {
    pool: &'p Pool<T>,
    thing: Option<T>,
}

impl<T> Deref for Lent<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.thing.as_ref().expect("it is lent until it is dropped")
    }
}

impl<T> DerefMut for Lent<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.thing.as_mut().expect("it is lent until it is dropped")
    }
}

impl<T> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        // What was in use when something failed is not used again.
        if !std::thread::panicking() {
            let mut idle = self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.extend(self.thing.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_made_as_are_used_at_once() {
        let pool = Pool::new();
        let made = std::cell::Cell::new(0);
        let make = || made.replace(made.get() + 1);
        for _ in 0..3 {
            let (mut one, other) = (pool.lend(make), pool.lend(make));
            assert_ne!(*one, *other);
            *one += 10;
        }
        assert_eq!(made.get(), 2);
    }
}
