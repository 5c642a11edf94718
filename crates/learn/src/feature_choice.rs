//! A game that gives chosen features instead of its own.

use crate::LearnError;
use evalsmith_core::Game;

/// The game with the features of these names; as it is where none is named. `row2/*`
/// stands for all instances of the pattern row2.
///
/// # Errors
/// When the game does not know one of them, or cannot give them together.
pub fn with_features<G: Game>(game: &G, names: &[String]) -> Result<G, LearnError> {
    if names.is_empty() {
        return Ok(game.clone());
    }
    let all = game.all_features();
    let expand = |name: &String| match name.strip_suffix("/*") {
        Some(pattern) => {
            let instance = |n: &&String| n.split_once('/').is_some_and(|(p, _)| p == pattern);
            let known: Vec<String> = all.iter().filter(instance).cloned().collect();
            if known.is_empty() { vec![name.clone()] } else { known }
        }
        None => vec![name.clone()],
    };
    let names: &[String] = &names.iter().flat_map(expand).collect::<Vec<_>>();
    game.with_features(names).ok_or_else(|| {
        let unknown = names.iter().find(|n| !all.contains(n) && !n.starts_with("copy of "));
        let mut known: Vec<String> = Vec::new();
        for name in &all {
            let name =
                name.split_once('/').map_or(name.clone(), |(pattern, _)| format!("{pattern}/*"));
            if !known.contains(&name) {
                known.push(name);
            }
        }
        LearnError::FeatureChoice { game: game.name().to_owned(), unknown: unknown.cloned(), known }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_core::Features;
    use evalsmith_othello::Othello;

    fn names<G: Game>(game: &G) -> Vec<String> {
        game.features().names()
    }

    fn chosen(names: &[&str]) -> Result<Othello, LearnError> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        with_features(&Othello::new(), &names)
    }

    #[test]
    fn features_are_taken_by_name_or_by_pattern() {
        assert_eq!(names(&chosen(&[]).unwrap()), names(&Othello::new()));
        assert_eq!(names(&chosen(&["mobility"]).unwrap()), ["mobility"]);
        let rows = names(&chosen(&["row2/*"]).unwrap());
        assert!(rows.len() > 1 && rows.iter().all(|name| name.starts_with("row2/")), "{rows:?}");
    }

    #[test]
    fn what_cannot_be_taken_is_named_with_what_can() {
        let unknown = chosen(&["mobility", "luck"]).unwrap_err();
        assert!(unknown.is_usage());
        let text = unknown.to_string();
        assert!(text.starts_with("othello has no feature \"luck\"; it has "), "{text}");
        assert!(text.contains("row2/*") && !text.contains("row2/1"), "{text}");
        let twice = chosen(&["mobility", "mobility"]).unwrap_err().to_string();
        assert!(twice.starts_with("these features cannot be taken together"), "{twice}");
    }
}
