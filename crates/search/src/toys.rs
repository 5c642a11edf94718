//! Small games and functions for the tests, and plain minimax to compare with.

use crate::tree::quiescence::MAX_PLIES;
use evalsmith_core::{Evaluate, Explanation, GameRecord, Outcome, Position, Score, Side, Window};

/// A number that looks random and depends on `seed` and `words` alone.
pub(crate) fn hash(seed: u64, words: &[u64]) -> u64 {
    words.iter().fold(seed ^ 0x1234_5678_9ABC_DEF0, |state, word| {
        let mut z = (state ^ word).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}

/// Negamax by the record's own rules, quiescence included: no window, no table,
/// no order.
pub(crate) fn minimax<P: Position, E: Evaluate<P>>(
    function: &E,
    game: &mut GameRecord<P>,
    depth: u8,
) -> Score {
    if let Some(ending) = game.ending() {
        return function.outcome(ending.outcome);
    }
    if depth == 0 {
        return at_rest(function, game, MAX_PLIES);
    }
    let position = game.position().clone();
    let mut best = -Score::INFINITE;
    for m in position.moves() {
        game.play(m).expect("a listed move is legal");
        best = best.max(-minimax(function, game, depth - 1));
        game.take_back();
    }
    best
}

/// The quiet value, `plies` above the end of quiescence.
fn at_rest<P: Position, E: Evaluate<P>>(
    function: &E,
    game: &mut GameRecord<P>,
    plies: u8,
) -> Score {
    if let Some(ending) = game.ending() {
        return function.outcome(ending.outcome);
    }
    let position = game.position().clone();
    let stand_pat = static_value(function, &position);
    if !position.has_noisy_moves() || plies == 0 {
        return stand_pat;
    }
    let forced = position.must_answer();
    let mut best = if forced { -Score::INFINITE } else { stand_pat };
    for m in position.moves().filter(|&m| forced || position.is_noisy(m)) {
        game.play(m).expect("a listed move is legal");
        best = best.max(-at_rest(function, game, plies - 1));
        game.take_back();
    }
    best
}

/// The function's value of a position, from scratch.
pub(crate) fn static_value<P: Position, E: Evaluate<P>>(function: &E, position: &P) -> Score {
    function.value(position, &function.start(position), Window::FULL)
}

/// Layers of a few nodes each, with random edges one or two layers down: small
/// trees full of transpositions, the same position at different depths included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Dag {
    pub(crate) seed: u16,
    pub(crate) layer: u8,
    pub(crate) index: u8,
}

impl Dag {
    const HEIGHT: u8 = 10;

    pub(crate) fn new(seed: u16) -> Self {
        Self { seed, layer: 0, index: 0 }
    }

    fn hash(&self, what: u64) -> u64 {
        hash(u64::from(self.seed), &[what, u64::from(self.layer), u64::from(self.index)])
    }

    fn branches(&self) -> u8 {
        match self.layer {
            0 => 3,
            Self::HEIGHT.. => 0,
            _ => (self.hash(1) % 5) as u8,
        }
    }
}

impl Position for Dag {
    type Move = u8;
    type Moves = std::ops::Range<u8>;
    fn moves(&self) -> Self::Moves {
        0..self.branches()
    }
    fn play(&self, m: u8) -> Self {
        let h = self.hash(16 + u64::from(m));
        let down = if h.is_multiple_of(4) { 2 } else { 1 };
        Self { layer: self.layer + down, index: (h >> 8) as u8 % 4, ..*self }
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.branches() == 0).then(|| Outcome::by((self.hash(2) % 5) as i16 - 2))
    }
}

/// Kayles: knock down one pin or two neighbours; who cannot has lost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kayles(pub(crate) u16);

impl Position for Kayles {
    type Move = u16;
    type Moves = std::vec::IntoIter<u16>;
    fn moves(&self) -> Self::Moves {
        let hits = (0..16).flat_map(|i| [1_u16 << i, 3 << i]);
        hits.filter(|hit| self.0 & hit == *hit).collect::<Vec<_>>().into_iter()
    }
    fn play(&self, hit: u16) -> Self {
        Self(self.0 & !hit)
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.0 == 0).then_some(Outcome::LOSS)
    }
}

/// Noughts and crosses: the mover's squares and the opponent's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Noughts(pub(crate) u16, pub(crate) u16);

impl Position for Noughts {
    type Move = u8;
    type Moves = std::vec::IntoIter<u8>;
    fn moves(&self) -> Self::Moves {
        let over = self.outcome().is_some();
        let free = |i: &u8| !over && (self.0 | self.1) >> i & 1 == 0;
        (0..9).filter(free).collect::<Vec<_>>().into_iter()
    }
    fn play(&self, m: u8) -> Self {
        Self(self.1, self.0 | 1 << m)
    }
    fn outcome(&self) -> Option<Outcome> {
        const LINES: [u16; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
        if LINES.iter().any(|line| self.1 & line == *line) {
            return Some(Outcome::LOSS);
        }
        (self.0 | self.1 == 0o777).then_some(Outcome::DRAW)
    }
    fn slot(m: u8) -> u16 {
        u16::from(m)
    }
}

/// A walk on a random graph with cycles. A position that comes back for the
/// second time (odd seeds) or the third (even ones) ends the game, in a way
/// that depends on the position.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Loops {
    pub(crate) seed: u16,
    pub(crate) place: u8,
}

impl Loops {
    fn hash(&self, what: u64) -> u64 {
        hash(u64::from(self.seed), &[what, u64::from(self.place)])
    }

    fn exits(&self) -> u8 {
        if self.place == 0 { 3 } else { (self.hash(1) % 7).min(3) as u8 }
    }
}

impl Position for Loops {
    type Move = u8;
    type Moves = std::ops::Range<u8>;
    fn can_repeat(&self) -> bool {
        true
    }
    fn moves(&self) -> Self::Moves {
        0..self.exits()
    }
    fn play(&self, m: u8) -> Self {
        let place = (self.hash(16 + u64::from(m)) % 7) as u8;
        Self { seed: self.seed, place }
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.exits() == 0).then(|| Outcome::by((self.hash(2) % 3) as i16 - 1))
    }
    fn repeated(&self, earlier: &[u64]) -> Option<Outcome> {
        let allowed = usize::from(self.seed.is_multiple_of(2));
        let times = earlier.iter().filter(|&&key| key == self.key()).count();
        (times > allowed).then(|| Outcome::by((self.hash(3) % 3) as i16 - 1))
    }
}

/// Another toy with random noisy moves and random threats.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Noisy<P> {
    pub(crate) calm: P,
    /// How many moves in four are noisy, on average.
    pub(crate) often: u8,
}

impl<P: Position> Position for Noisy<P> {
    type Move = P::Move;
    type Moves = P::Moves;
    fn can_repeat(&self) -> bool {
        self.calm.can_repeat()
    }
    fn has_noisy_moves(&self) -> bool {
        true
    }
    fn moves(&self) -> P::Moves {
        self.calm.moves()
    }
    fn play(&self, m: P::Move) -> Self {
        Self { calm: self.calm.play(m), ..*self }
    }
    fn outcome(&self) -> Option<Outcome> {
        self.calm.outcome()
    }
    fn key(&self) -> u64 {
        self.calm.key()
    }
    fn promise(&self, m: P::Move) -> u8 {
        let noisy = hash(1, &[self.key(), P::slot(m).into()]) % 4 < self.often.into();
        let any = hash(3, &[self.key(), P::slot(m).into()]) % 3;
        if noisy { 1 + any as u8 } else { 0 }
    }
    fn must_answer(&self) -> bool {
        hash(2, &[self.key()]).is_multiple_of(4)
    }
    fn repeated(&self, earlier: &[u64]) -> Option<Outcome> {
        self.calm.repeated(earlier)
    }
    fn slot(m: P::Move) -> u16 {
        P::slot(m)
    }
}

/// A long line that can be left at every step, with transpositions near its
/// start: longer than quiescence is deep, and yet small enough for minimax.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slide {
    pub(crate) seed: u16,
    pub(crate) step: u16,
}

impl Slide {
    const LEFT: u16 = 1000;
    const FORKS: u16 = 6;
}

impl Position for Slide {
    type Move = u8;
    type Moves = std::ops::Range<u8>;
    fn moves(&self) -> Self::Moves {
        0..if self.step < Self::LEFT { 2 } else { 0 }
    }
    fn play(&self, m: u8) -> Self {
        let step = match m {
            0 => self.step + 1,
            _ if self.step < Self::FORKS => self.step + 2,
            _ => self.step + Self::LEFT,
        };
        Self { step, ..*self }
    }
    fn outcome(&self) -> Option<Outcome> {
        let margin = hash(self.seed.into(), &[self.step.into()]) % 5;
        (self.step >= Self::LEFT).then(|| Outcome::by(margin as i16 - 2))
    }
}

/// A random value for every position: the sum of three terms, of which it may
/// compute only as many as the window needs.
///
/// The state is the position's key, so that a search which mixes up its states
/// gets wrong values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noise {
    pub(crate) seed: u64,
    /// The largest absolute value of a term.
    pub(crate) spread: i32,
    /// Whether it stops as soon as the window is decided.
    pub(crate) early: bool,
    /// Whether outcomes lie on the scale of values instead of beyond it.
    pub(crate) mixed: bool,
}

impl Noise {
    fn term(&self, i: u64, state: u64) -> i32 {
        let range = 2 * self.spread as u64 + 1;
        (hash(self.seed, &[i, state]) % range) as i32 - self.spread
    }
}

impl<P: Position> Evaluate<P> for Noise {
    type State = u64;
    fn start(&self, position: &P) -> u64 {
        position.key()
    }
    fn advance(&self, before: &P, m: P::Move, after: &P, state: &u64) -> u64 {
        assert_eq!(*state, before.key(), "the state belongs to another position");
        assert_eq!(&before.play(m), after);
        after.key()
    }
    fn value(&self, _position: &P, state: &u64, window: Window) -> Score {
        let mut value = Score(0);
        for i in 0..3 {
            let rest = self.spread * (3 - i);
            if self.early && value + rest <= window.alpha {
                return window.alpha;
            }
            if self.early && value + -rest >= window.beta {
                return window.beta;
            }
            value = value + self.term(i as u64, *state);
        }
        window.clamp(value)
    }
    fn outcome(&self, outcome: Outcome) -> Score {
        if self.mixed {
            Score(i32::from(outcome.margin()) * self.spread)
        } else {
            Score::of_outcome(outcome)
        }
    }
    fn explain(&self, _position: &P) -> Explanation {
        Explanation { total: 0.0, terms: Vec::new() }
    }
}

/// A record of a game that begins here.
pub(crate) fn record<P: Position>(start: P, max_plies: usize) -> GameRecord<P> {
    GameRecord::new(start, Side::First, max_plies)
}

/// Plays up to `plies` moves chosen by `seed`, stopping before the end.
pub(crate) fn wander<P: Position>(game: &mut GameRecord<P>, plies: usize, seed: u64) {
    for i in 0..plies {
        if game.ending().is_some() {
            break;
        }
        let moves: Vec<_> = game.position().moves().collect();
        let m = moves[(hash(seed, &[i as u64]) % moves.len() as u64) as usize];
        game.play(m).expect("a listed move is legal");
    }
    if game.ending().is_some() {
        game.take_back();
    }
}
