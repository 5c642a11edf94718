//! Recursive drivers, compiled once for any machine and once for x86-64-v3.
//!
//! `#[target_feature]` stands on functions, not on trait methods or modules, so a
//! file gives its drivers to [`compiled_twice!`], which makes of them a module
//! `portable` and a module `x86_v3`. A driver calls its siblings of other files
//! by the names listed after `with` and so stays within its own twin; which twin
//! runs is decided once, where a solve begins.

/// Makes the modules `portable` and `x86_v3` of the functions given.
macro_rules! compiled_twice {
    (with $($sibling:ident),*; $($driver:item)*) => {
        #[allow(clippy::wildcard_imports, unused_imports, reason = "one list for both twins")]
        pub(crate) mod portable {
            use super::*;
            $(use crate::$sibling::portable as $sibling;)*
            $($driver)*
        }

        #[cfg(target_arch = "x86_64")]
        #[allow(clippy::wildcard_imports, unused_imports, reason = "one list for both twins")]
        pub(crate) mod x86_v3 {
            use super::*;
            $(use crate::$sibling::x86_v3 as $sibling;)*
            $(
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                $driver
            )*
        }
    };
}

pub(crate) use compiled_twice;
