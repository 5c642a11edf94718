//! Kernels in two copies: one for every machine, one for AVX2.
//!
//! The second is the same code compiled for wider registers but without fused
//! operations, and gives the same bits. Only what is inlined into it is so
//! compiled: `run` and the functions it spends its time in are `inline(always)`.

/// A computation worth wide registers.
pub(crate) trait Kernel {
    /// What it computes.
    type Sums;

    /// Computes it; to be `inline(always)`.
    fn run(self) -> Self::Sums;
}

/// Runs a kernel in the widest registers the machine has.
pub(crate) fn widest<K: Kernel>(kernel: K) -> K::Sums {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "calls a copy compiled for AVX2")]
        // SAFETY: the machine has AVX2, as was asked just above.
        return unsafe { run_avx2(kernel) };
    }
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Sums {
    kernel.run()
}
