//! Features without the type of their game.

use crate::Pos;
use crate::atoms::{DynAtoms, OfFeatures};
use evalsmith_core::{Atoms, Features, Position};
use std::any::Any;
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

/// The features of any game.
#[derive(Clone)]
pub struct DynFeatures(Arc<dyn ErasedFeatures>);

/// What [`DynFeatures`] asks of the features that it holds.
trait ErasedFeatures: Send + Sync {
    fn names(&self) -> Vec<String>;
    fn count(&self) -> usize;
    fn append_all(&self, position: &Pos, out: &mut Vec<f32>);
    fn append_typed(&self, position: &dyn Any, out: &mut Vec<f32>);
    fn seconds(&self, i: usize, positions: &[Pos]) -> f64;
    fn atoms(&self) -> Option<&dyn Atoms<Pos>>;
}

struct Held<P: Position, F: Features<P>> {
    features: Arc<F>,
    atoms: Option<DynAtoms<P, OfFeatures<F>>>,
    position: PhantomData<fn(&P)>,
}

impl<P: Position, F: Features<P>> ErasedFeatures for Held<P, F> {
    fn names(&self) -> Vec<String> {
        self.features.names()
    }
    fn count(&self) -> usize {
        self.features.count()
    }
    fn append_all(&self, position: &Pos, out: &mut Vec<f32>) {
        self.features.append_all(position.typed::<P>(), out);
    }
    fn append_typed(&self, position: &dyn Any, out: &mut Vec<f32>) {
        let position = position.downcast_ref().expect("a position of this game");
        self.features.append_all(position, out);
    }
    fn seconds(&self, i: usize, positions: &[Pos]) -> f64 {
        let positions: Vec<&P> = positions.iter().map(Pos::typed).collect();
        let begun = Instant::now();
        for &position in &positions {
            let mut scratch = F::Scratch::default();
            black_box(self.features.get(black_box(position), i, &mut scratch));
        }
        begun.elapsed().as_secs_f64()
    }
    fn atoms(&self) -> Option<&dyn Atoms<Pos>> {
        self.atoms.as_ref().map(|atoms| atoms as &dyn Atoms<Pos>)
    }
}

impl DynFeatures {
    pub(crate) fn new<P: Position, F: Features<P> + 'static>(features: F) -> Self {
        let features = Arc::new(features);
        let has_atoms = features.atoms().is_some();
        let atoms = has_atoms.then(|| DynAtoms::new(OfFeatures(Arc::clone(&features))));
        Self(Arc::new(Held { features, atoms, position: PhantomData }))
    }
}

impl DynFeatures {
    /// The seconds that one feature takes on all positions, each asked for it alone by
    /// typed code.
    ///
    /// # Panics
    /// When a position belongs to another game.
    pub fn seconds(&self, i: usize, positions: &[Pos]) -> f64 {
        self.0.seconds(i, positions)
    }

    /// All features of a position that still has its type.
    ///
    /// # Panics
    /// When it belongs to another game.
    pub(crate) fn append_typed<P: Position>(&self, position: &P, out: &mut Vec<f32>) {
        self.0.append_typed(position, out);
    }
}

impl Features<Pos> for DynFeatures {
    /// All features of the position, computed at the first question.
    type Scratch = Vec<f32>;

    fn names(&self) -> Vec<String> {
        self.0.names()
    }
    fn count(&self) -> usize {
        self.0.count()
    }
    fn get(&self, position: &Pos, i: usize, scratch: &mut Vec<f32>) -> f32 {
        if scratch.is_empty() {
            self.0.append_all(position, scratch);
        }
        scratch[i]
    }
    fn atoms(&self) -> Option<&dyn Atoms<Pos>> {
        self.0.atoms()
    }
    fn append_all(&self, position: &Pos, out: &mut Vec<f32>) {
        self.0.append_all(position, out);
    }
}
