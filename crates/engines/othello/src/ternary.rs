//! Sets of squares as numbers in base three.

/// For every set of bits the number whose digits are one where a bit is set. `N` is a power
/// of two, at most 1024.
pub(crate) const fn ternary<const N: usize>() -> [u16; N] {
    let mut table = [0; N];
    let mut bits = 1;
    while bits < N {
        // The highest bit, and what is known of the others.
        let digit = bits.ilog2();
        table[bits] = 3_u16.pow(digit) + table[bits ^ 1 << digit];
        bits += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_bits() {
        let table = ternary::<1024>();
        for (bits, &number) in table.iter().enumerate() {
            let digits = (0..10).map(|i| (bits >> i & 1) as u16 * 3_u16.pow(i)).sum::<u16>();
            assert_eq!(number, digits);
        }
        assert_eq!(ternary::<256>()[..], table[..256]);
    }
}
