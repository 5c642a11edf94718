//! Whole numbers as Parquet packs their differences (`DELTA_BINARY_PACKED`).
//!
//! The format lets every 32 differences have a width of any number of bits. Only
//! whole bytes are used here: zstd, which comes after, packs them as well as bits
//! would, and bytes are written without shifting.

/// Numbers that share a smallest difference.
const BLOCK: usize = 128;
/// Numbers that share a width.
const MINIBLOCK: usize = 32;

/// Appends numbers; those of an unsigned column are meant by their bits.
pub(super) fn append_deltas(numbers: &[i32], out: &mut Vec<u8>) {
    append_varint(BLOCK as u64, out);
    append_varint((BLOCK / MINIBLOCK) as u64, out);
    append_varint(numbers.len() as u64, out);
    append_signed(numbers.first().copied().unwrap_or_default(), out);
    let mut before = numbers.iter();
    for block in numbers.get(1..).unwrap_or_default().chunks(BLOCK) {
        let mut deltas = [0; BLOCK];
        for ((delta, number), before) in deltas.iter_mut().zip(block).zip(before.by_ref()) {
            *delta = number.wrapping_sub(*before);
        }
        append_block(&mut deltas, block.len(), out);
    }
}

fn append_block(deltas: &mut [i32; BLOCK], count: usize, out: &mut Vec<u8>) {
    let least = deltas[..count].iter().copied().min().unwrap_or_default();
    // What fills the last block up is never read, but must not widen it.
    deltas[count..].fill(least);
    let above = deltas.map(|delta| delta.wrapping_sub(least) as u32);
    let (minis, _) = above.as_chunks::<MINIBLOCK>();
    append_signed(least, out);
    let width = |mini: &[u32; MINIBLOCK]| match mini.iter().fold(0, |all, n| all | n) {
        0 => 0,
        1..0x100 => 8_u8,
        0x100..0x1_0000 => 16,
        _ => 32,
    };
    out.extend(minis.iter().map(width));
    for mini in minis {
        match width(mini) {
            0 => {}
            8 => out.extend(mini.map(|n| n as u8)),
            16 => out.extend_from_slice(mini.map(|n| (n as u16).to_le_bytes()).as_flattened()),
            _ => out.extend_from_slice(mini.map(u32::to_le_bytes).as_flattened()),
        }
    }
}

/// Appends a number in groups of seven bits, the lowest first.
pub(super) fn append_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a number of either sign: 0, -1, 1, -2 and so on become 0, 1, 2, 3.
fn append_signed(number: i32, out: &mut Vec<u8>) {
    append_varint(u64::from(((number << 1) ^ (number >> 31)) as u32), out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(numbers: &[i32]) -> Vec<u8> {
        let mut out = Vec::new();
        append_deltas(numbers, &mut out);
        out
    }

    #[test]
    fn the_example_of_the_format_is_packed_so() {
        // 7, 5, 3, 1, 2, 3, 4, 5 of the specification, but for the whole bytes: the
        // smallest difference is -2, the others lie 0, 0, 0, 3, 3, 3, 3 above it.
        let mut expected = vec![0x80, 1, 4, 8, 14, 3, 8, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3];
        expected.resize(expected.len() + MINIBLOCK - 7, 0);
        assert_eq!(packed(&[7, 5, 3, 1, 2, 3, 4, 5]), expected);
    }

    #[test]
    fn even_steps_take_no_room() {
        let numbers: Vec<i32> = (1000..1000 + 1 + 3 * BLOCK as i32).collect();
        let mut expected = vec![0x80, 1, 4, 0x81, 3, 0xD0, 15];
        for _ in 0..3 {
            expected.extend([2, 0, 0, 0, 0]);
        }
        assert_eq!(packed(&numbers), expected);
        assert_eq!(packed(&[]), [0x80, 1, 4, 0, 0]);
    }
}
