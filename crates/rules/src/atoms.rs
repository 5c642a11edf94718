//! Atoms without the type of their game.

use crate::Pos;
use evalsmith_core::{Atoms, Change, Features, Position};
use std::marker::PhantomData;
use std::sync::Arc;

/// Whatever holds the atoms of a game.
pub(crate) trait HoldsAtoms<P: Position>: Send + Sync {
    fn atoms(&self) -> &dyn Atoms<P>;
}

impl<P: Position> HoldsAtoms<P> for Box<dyn Atoms<P>> {
    fn atoms(&self) -> &dyn Atoms<P> {
        &**self
    }
}

/// Features that have atoms.
pub(crate) struct OfFeatures<F>(pub(crate) Arc<F>);

impl<P: Position, F: Features<P>> HoldsAtoms<P> for OfFeatures<F> {
    fn atoms(&self) -> &dyn Atoms<P> {
        self.0.atoms().expect("made for features with atoms")
    }
}

/// Atoms of a typed game, asked with a [`Pos`].
pub(crate) struct DynAtoms<P, A> {
    holder: A,
    position: PhantomData<fn(&P)>,
}

impl<P: Position, A: HoldsAtoms<P>> DynAtoms<P, A> {
    pub(crate) const fn new(holder: A) -> Self {
        Self { holder, position: PhantomData }
    }
}

impl<P: Position, A: HoldsAtoms<P>> Atoms<Pos> for DynAtoms<P, A> {
    fn names(&self) -> Vec<String> {
        self.holder.atoms().names()
    }
    fn ranges(&self) -> Vec<u8> {
        self.holder.atoms().ranges()
    }
    fn write(&self, position: &Pos, values: &mut [u8]) {
        self.holder.atoms().write(position.typed::<P>(), values);
    }
    fn write_waiting(&self, position: &Pos, values: &mut [u8]) {
        self.holder.atoms().write_waiting(position.typed::<P>(), values);
    }
    fn changes(&self, before: &Pos, after: &Pos, tell: &mut dyn FnMut(Change)) {
        self.holder.atoms().changes(before.typed::<P>(), after.typed::<P>(), tell);
    }
    fn symmetries(&self) -> Vec<Vec<u16>> {
        self.holder.atoms().symmetries()
    }
}
