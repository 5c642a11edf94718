//! Every kind of model there is, behind one type.

use crate::{DenseModel, Linear, Quadratic, Signature, Tabled, Tree};
use evalsmith_core::digest::Hasher;
use evalsmith_core::{Explanation, LogOdds, Score, Stage, Window};

/// A model of dense features, whatever learner made it.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// A weighted sum per stage.
    Linear(Linear),
    /// A polynomial of the second degree per stage.
    Quadratic(Quadratic),
    /// Samuel's signature tables.
    Signature(Signature),
    /// A model of table features, with their tables.
    Tabled(Tabled),
    /// A classification or regression tree.
    Tree(Tree),
}

/// One expression for whichever model it is.
macro_rules! whichever {
    ($self:expr, $model:ident => $do:expr) => {
        match $self {
            Self::Linear($model) => $do,
            Self::Quadratic($model) => $do,
            Self::Signature($model) => $do,
            Self::Tabled($model) => $do,
            Self::Tree($model) => $do,
        }
    };
}

impl Model {
    /// The kind's name in files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Linear(_) => "linear",
            Self::Quadratic(_) => "quadratic",
            Self::Signature(_) => "signature",
            Self::Tabled(_) => "tabled",
            Self::Tree(_) => "tree",
        }
    }

    /// All its numbers, in the order of its file: what tells one from another.
    pub fn coefficients(&self) -> &[f64] {
        whichever!(self, model => model.coefficients())
    }

    /// Identifies the model: a digest of its features' names and its numbers.
    pub fn digest(&self) -> String {
        let mut hasher = Hasher::new();
        hasher.write(self.features().join("\0").as_bytes());
        for weight in self.coefficients() {
            hasher.write_u64(weight.to_bits());
        }
        for end in self.as_linear().map(Linear::ranges).into_iter().flatten().flatten() {
            hasher.write_u64(end.to_bits().into());
        }
        hasher.finish().to_string()
    }

    /// The weighted sum, where it is one.
    pub fn as_linear(&self) -> Option<&Linear> {
        if let Self::Linear(linear) = self { Some(linear) } else { None }
    }

    /// The tree, where it is one.
    pub fn as_tree(&self) -> Option<&Tree> {
        if let Self::Tree(tree) = self { Some(tree) } else { None }
    }
}

impl From<Tree> for Model {
    fn from(model: Tree) -> Self {
        Self::Tree(model)
    }
}

impl From<Linear> for Model {
    fn from(model: Linear) -> Self {
        Self::Linear(model)
    }
}

impl From<Quadratic> for Model {
    fn from(model: Quadratic) -> Self {
        Self::Quadratic(model)
    }
}

impl From<Signature> for Model {
    fn from(model: Signature) -> Self {
        Self::Signature(model)
    }
}

impl From<Tabled> for Model {
    fn from(model: Tabled) -> Self {
        Self::Tabled(model)
    }
}

impl DenseModel for Model {
    fn features(&self) -> &[String] {
        whichever!(self, model => model.features())
    }

    fn stages(&self) -> usize {
        whichever!(self, model => model.stages())
    }

    #[inline]
    fn log_odds(&self, stage: Stage, feature: impl FnMut(usize) -> f32) -> LogOdds {
        whichever!(self, model => model.log_odds(stage, feature))
    }

    #[inline]
    fn value(&self, stage: Stage, window: Window, feature: impl FnMut(usize) -> f32) -> Score {
        whichever!(self, model => model.value(stage, window, feature))
    }

    fn explain(&self, stage: Stage, feature: impl FnMut(usize) -> f32) -> Explanation {
        whichever!(self, model => model.explain(stage, feature))
    }
}
