//! The bin of each value, and where in it the value lies.

#![expect(clippy::inline_always, reason = "inlined into code compiled for the processor")]

use super::shard::PARTS;
use super::{NO_BIN, TOO_FAR};
use crate::fastest::fastest;

fastest! {
    /// Bins of this width, the middle one around zero, each holding its lower edge;
    /// places in them from 0 to [`PARTS`].
    pub(super) fn place(values: &[f64], width: f64, bins: &mut [i32], places: &mut [u32])
        = place_inlined
}

#[inline(always)]
fn place_inlined(values: &[f64], width: f64, bins: &mut [i32], places: &mut [u32]) {
    let parts = f64::from(PARTS);
    for ((&value, to_bin), to_place) in values.iter().zip(bins).zip(places) {
        let place = value / width;
        let bin = (place + 0.5).floor();
        let near = bin.abs() < f64::from(i32::MAX);
        let far = if value.is_finite() { TOO_FAR } else { NO_BIN };
        *to_bin = if near { bin as i32 } else { far };
        *to_place = ((place - bin + 0.5) * parts + 0.5) as i32 as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_processor_places_alike(values in prop::collection::vec(-1e3..1e3, 1..50)) {
            let (mut bins, mut places) = (vec![0; values.len()], vec![0; values.len()]);
            let (mut bins_too, mut places_too) = (bins.clone(), places.clone());
            place(&values, 0.7, &mut bins, &mut places);
            place_inlined(&values, 0.7, &mut bins_too, &mut places_too);
            prop_assert_eq!((&bins, &places), (&bins_too, &places_too));
            for ((value, bin), place) in values.iter().zip(bins).zip(places) {
                let place = f64::from(place) / f64::from(PARTS) - 0.5;
                prop_assert!((value - 0.7 * (f64::from(bin) + place)).abs() < 1e-4);
            }
        }
    }

    #[test]
    fn edges_belong_to_the_upper_bin_and_what_has_none_is_told() {
        let values = [0.0, 0.5, -0.5, -0.51, f64::NAN, f64::INFINITY, 1e300];
        let (mut bins, mut places) = ([0; 7], [0; 7]);
        place(&values, 1.0, &mut bins, &mut places);
        assert_eq!(bins, [0, 1, 0, -1, NO_BIN, NO_BIN, TOO_FAR]);
        assert_eq!(places[..3], [PARTS / 2, 0, 0]);
    }
}
