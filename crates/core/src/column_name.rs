//! Names of columns in conditions: plain as they are, others between backticks.

/// A name as a condition spells it.
///
/// ```
/// use evalsmith_core::column_name::quoted;
/// assert_eq!(quoted("mobility"), "mobility");
/// assert_eq!(quoted("passed pawn"), "`passed pawn`");
/// ```
pub fn quoted(name: &str) -> String {
    if is_plain(name) { name.to_owned() } else { format!("`{name}`") }
}

/// Whether a name needs no backticks.
pub fn is_plain(name: &str) -> bool {
    let mut letters = name.chars();
    let reserved = ["and", "or", "not", "abs"].iter().any(|word| name.eq_ignore_ascii_case(word));
    !reserved && letters.next().is_some_and(begins_name) && letters.all(continues_name)
}

/// Whether a plain name may begin with a letter.
pub fn begins_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

/// Whether a plain name may go on with a letter.
pub fn continues_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_and_numbers_need_backticks() {
        assert!(is_plain("king_safety") && !is_plain("and") && !is_plain("2x") && !is_plain(""));
        assert_eq!(quoted("Abs"), "`Abs`");
    }
}
