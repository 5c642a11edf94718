//! As much of GGF as NBoard's `set game` needs: the board and the moves.
//!
//! A game is `(;NAME[value]NAME[value]...;)`. `BO` is the board, `B` and `W` are
//! moves with value and time after slashes: `B[D3//1.2]`.

/// The board and the moves of a game; none where the text is no game or has no
/// board.
pub(super) fn read(text: &str) -> Option<(&str, Vec<&str>)> {
    let mut rest = text.trim().strip_prefix("(;")?;
    let (mut board, mut moves) = (None, Vec::new());
    while let Some((name, after)) = rest.split_once('[') {
        let (value, after) = after.split_once(']')?;
        match name.trim() {
            "BO" => board = Some(value.trim()),
            "B" | "W" => moves.push(value.split('/').next().unwrap_or_default().trim()),
            _ => {}
        }
        rest = after;
    }
    (rest.trim() == ";)").then_some((board?, moves))
}

#[cfg(test)]
mod tests {
    use super::read;
    use proptest::prelude::*;

    #[test]
    fn games_are_read() {
        let game = "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]\
                    TI[15:00]TY[8]BO[8 ---- *]B[F5//0.01]W[D6/1.5/2]B[PA];)";
        assert_eq!(read(game), Some(("8 ---- *", vec!["F5", "D6", "PA"])));
        for broken in ["", "(;", "(;GM[Othello];)", "(;BO[8 *", "(;BO[8 *]", "BO[8 *];)"] {
            assert_eq!(read(broken), None, "{broken}");
        }
    }

    proptest! {
        #[test]
        fn nothing_read_panics(text in "\\PC*", like in "\\(;([A-Z]{0,2}\\[?[^\\n]{0,4}\\]?){0,5};?\\)?") {
            let _ = (read(&text), read(&like));
        }
    }
}
