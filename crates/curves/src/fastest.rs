//! Loops compiled twice: for every processor, and for those with AVX2.

/// Makes a function of one that is inlined wherever it is called: it runs as compiled
/// for x86-64-v3 where the processor can, and does the same everywhere else.
macro_rules! fastest {
    ($(#[$attribute:meta])* $vis:vis fn $name:ident($($of:ident: $type:ty),* $(,)?) = $body:path) => {
        $(#[$attribute])*
        $vis fn $name($($of: $type),*) {
            #[cfg(target_arch = "x86_64")]
            if evalsmith_core::x86_v3_available() {
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                fn x86_v3($($of: $type),*) {
                    $body($($of),*);
                }
                // SAFETY: the processor has every feature the function was compiled for.
                #[expect(unsafe_code, reason = "calls code compiled for the detected processor")]
                return unsafe { x86_v3($($of),*) };
            }
            $body($($of),*);
        }
    };
}

pub(crate) use fastest;
