//! A [`SquareJudge`] from a fitted pattern model.

use super::{SquareJudge, SquareTables, Unfit};
use evalsmith_core::Stage;
use evalsmith_learn::{PatternModel, PatternSet, PatternTables};

/// The only counted feature that the engine computes by itself.
const MOVES: &str = "moves";

impl SquareJudge {
    /// The judge of a pattern model whose atoms are the 64 squares; `discs_a_logit` converts
    /// its log-odds to discs.
    ///
    /// # Errors
    /// When the model has sparse patterns or counts a feature other than `moves`, and where
    /// [`new`](SquareJudge::new) fails.
    pub fn of_patterns(
        model: &PatternModel,
        set: &PatternSet,
        tables: &PatternTables,
        discs_a_logit: f64,
    ) -> Result<Self, Unfit> {
        if tables.is_sparse() {
            return Err(Unfit("sparse patterns are not supported"));
        }
        let moves = match (&model.plan().counts[..], &tables.count_bases()[..]) {
            ([], []) => None,
            ([count], &[base]) if count.feature == MOVES => Some((count.low, count.high, base)),
            _ => return Err(Unfit("a counted feature is not the difference of moves")),
        };
        let (mut instances, mut names) = (Vec::new(), Vec::new());
        for (pattern, atoms) in set.instance_atoms() {
            let squares = atoms.into_iter().map(u8::try_from).collect::<Result<_, _>>();
            instances.push(squares.map_err(|_| Unfit("an atom is not a square"))?);
            names.push(model.plan().patterns[pattern].name.clone());
        }
        let groups = model.groups();
        let logits = tables.log_odds_a_step();
        Self::new(SquareTables {
            instances,
            names,
            bases: tables.bases().to_vec(),
            moves,
            weights: tables.steps().into(),
            group_of_discs: std::array::from_fn(|discs| groups.of(Stage(discs as u8)) as u8),
            discs_a_step: logits.iter().map(|step| (step * discs_a_logit) as f32).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{DISC, Judge};
    use evalsmith_core::{Game, Position};
    use evalsmith_learn::{Count, Pattern, PatternPlan, RoundedGroup, StageGroups, Unit};
    use evalsmith_othello::Othello;

    /// A model of two short patterns and one count, with arbitrary weights.
    fn judge(counted: &str) -> Result<SquareJudge, Unfit> {
        let pattern = |name: &str, atoms: [&str; 3]| Pattern {
            name: name.into(),
            atoms: atoms.map(String::from).to_vec(),
        };
        let patterns = vec![pattern("row", ["d3", "e3", "f3"]), pattern("L", ["c4", "d4", "d5"])];
        let counts = vec![Count { feature: counted.into(), low: -3, high: 3 }];
        let plan = PatternPlan { patterns, counts, sparse: Vec::new() };
        let atoms = Game::atoms(&Othello::new()).unwrap();
        let (names, ranges, symmetries) = (atoms.names(), atoms.ranges(), atoms.symmetries());
        let set = PatternSet::new(plan.patterns.clone(), &names, &ranges, &symmetries).unwrap();
        let fitted: Vec<f32> = (0..plan.weights(&set)).map(|i| (i as f32).sin()).collect();
        let groups = StageGroups::new(65, 65, 1).unwrap();
        let rounded = vec![RoundedGroup::new(&fitted).unwrap()];
        let unit = Unit::Margin { per_logit: 5.0 };
        let model = PatternModel::new(plan, groups, unit, rounded).unwrap();
        let (set, sparse) = model.set(&names, &ranges, &symmetries).unwrap();
        let tables = PatternTables::new(&model, &set, &sparse).unwrap();
        let judge = SquareJudge::of_patterns(&model, &set, &tables, 5.0)?;
        // The slow way: every weight looked up by the model's own tables.
        let mut board = Othello::new().start();
        while let Some(m) = board.moves().next() {
            let mut values = [0; 64];
            atoms.write(&board, &mut values);
            let mobility = board.mobility();
            let theirs = board.opponent_mobility();
            let moves = mobility.count_ones() as f32 - theirs.count_ones() as f32;
            let logits = tables.log_odds(board.stage(), &tables.indices(&values), |_| moves);
            let value = f64::from(judge.value(&board, mobility)) / f64::from(DISC);
            assert!((value - 5.0 * logits).abs() < 0.2, "{value} for {}", 5.0 * logits);
            board = board.play(m);
        }
        Ok(judge)
    }

    #[test]
    fn values_are_those_of_the_model_within_rounding() {
        assert!(judge(MOVES).is_ok());
    }

    #[test]
    fn models_that_count_other_features_are_refused() {
        let error = judge("corners").unwrap_err();
        assert!(error.to_string().contains("counted feature"), "{error}");
    }
}
