//! How the game is spoken in its protocol.

use evalsmith_core::conformance::check_dialects;
use evalsmith_malawi::Malawi;

#[test]
fn the_dialect_keeps_its_promises() {
    check_dialects(&Malawi, 2);
}
