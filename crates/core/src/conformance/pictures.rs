//! Pictures say what the rules say.

use crate::{Game, Position, Side};

/// Checks a position's picture where the game has one: every square has a name of
/// its own, moves begin at pieces of the mover and lead to squares of the board, and
/// the position set up from the picture looks the same.
pub(super) fn check_picture<G: Game>(game: &G, p: &G::Position, side: Side) {
    let Some(picture) = game.picture(p, side) else { return };
    let text = game.format(p, side);
    let squares = usize::from(picture.columns) * usize::from(picture.rows);
    let mut names = picture.names.clone();
    names.sort();
    names.dedup();
    assert_eq!((names.len(), picture.pieces.len()), (squares, squares), "the picture of {text}");
    for m in p.moves() {
        let way = game.way(p, m);
        let name = game.format_move(p, m);
        if let Some(from) = way.from {
            let piece = picture.pieces[usize::from(from)].as_ref();
            assert_eq!(piece.map(|piece| piece.side), Some(side), "{name} begins there in {text}");
        }
        assert!(way.to.is_none_or(|to| usize::from(to) < squares), "{name} ends there in {text}");
        if let Some(held) = way.held {
            let hand = &picture.hands[side.index()];
            assert!(hand.iter().any(|(sign, n)| *sign == held && *n > 0), "{name} in {text}");
        }
    }
    let again = game.set_up(&picture, side).ok().and_then(|p| game.picture(&p, side));
    assert_eq!(again, Some(picture), "the picture of {text} cannot be set up");
}
