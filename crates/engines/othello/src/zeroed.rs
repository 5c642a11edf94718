//! Large tables of zeroes that cost nothing until they are touched.
//!
//! Memory fresh from the system is zero already; writing zeroes into it would only
//! make the system find every page at once (0.3 s for 512 MiB).

use std::alloc::{Layout, alloc_zeroed};

/// Types for which bytes of zero are a value.
///
/// # Safety
/// They must be.
#[expect(unsafe_code, reason = "a promise about the bytes of a type")]
pub(crate) unsafe trait Zeroable {}

// SAFETY: zero is an integer.
#[expect(unsafe_code, reason = "a promise about the bytes of a type")]
unsafe impl Zeroable for i8 {}
// SAFETY: an array is its elements, one after the other.
#[expect(unsafe_code, reason = "a promise about the bytes of a type")]
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {}

/// So many MiB, or as many bytes as there can be.
pub(crate) const fn mebibytes(mib: usize) -> usize {
    mib.saturating_mul(1 << 20)
}

/// A power of two of zeroes that fill at most so many bytes, one at least; fewer where
/// the system refuses the memory.
pub(crate) fn zeroes<T: Zeroable>(bytes: usize) -> Box<[T]> {
    const { assert!(size_of::<T>() > 0) };
    let bytes = bytes.min(isize::MAX as usize / 2);
    let mut count = 1_usize << (bytes / size_of::<T>()).max(1).ilog2();
    loop {
        match exactly(count) {
            Ok(zeroes) => return zeroes,
            Err(layout) if count == 1 => std::alloc::handle_alloc_error(layout),
            Err(_) => count /= 2,
        }
    }
}

/// So many zeroes, more than none; what was asked for where the system refuses it.
pub(crate) fn exactly<T: Zeroable>(count: usize) -> Result<Box<[T]>, Layout> {
    const { assert!(size_of::<T>() > 0) };
    assert!(count > 0, "no table is empty");
    let layout = Layout::array::<T>(count).expect("less than the address space");
    // SAFETY: the layout is not empty, for neither the count nor the size is zero.
    #[expect(unsafe_code, reason = "only the allocator knows what is zero already")]
    let memory = unsafe { alloc_zeroed(layout) };
    if memory.is_null() {
        return Err(layout);
    }
    ask_for_large_pages(memory, layout.size());
    let slice = std::ptr::slice_from_raw_parts_mut(memory.cast::<T>(), count);
    // SAFETY: the memory comes from the global allocator with the layout of just
    // this slice, and its zeroes are values of `T`.
    #[expect(unsafe_code, reason = "only the allocator knows what is zero already")]
    Ok(unsafe { Box::from_raw(slice) })
}

/// Says that the memory will be looked up all over: with pages of 2 MiB a midgame search
/// is a twentieth faster. A system that refuses gives small ones.
#[cfg(target_os = "linux")]
fn ask_for_large_pages(memory: *mut u8, bytes: usize) {
    const LARGE: usize = 2 << 20;
    let before = memory.align_offset(LARGE);
    if bytes >= LARGE.saturating_add(before) {
        let whole = (bytes - before) / LARGE * LARGE;
        // SAFETY: the range lies within one allocation of our own, and the advice changes
        // nothing but the size of its pages.
        #[expect(unsafe_code, reason = "only the system knows pages")]
        let _refused = unsafe {
            rustix::mm::madvise(memory.add(before).cast(), whole, rustix::mm::Advice::LinuxHugepage)
        };
    }
}

/// Other systems choose for themselves.
#[cfg(not(target_os = "linux"))]
const fn ask_for_large_pages(_: *mut u8, _: usize) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_powers_of_two_and_zero() {
        let groups = zeroes::<[i8; 8]>(mebibytes(3));
        assert_eq!(groups.len(), (2 << 20) / 8);
        assert!(groups.iter().all(|group| *group == [0; 8]));
        assert_eq!(zeroes::<[i8; 4]>(0).len(), 1);
        assert_eq!(*exactly::<i8>(3).unwrap(), [0; 3]);
    }
}
