//! How often one address may ask: a bucket that fills at a steady rate.

use crate::connections::client;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Requests that may come at once.
const BURST: f64 = 300.0;
/// Requests a second that may come for long.
const PER_SECOND: f64 = 60.0;
/// Addresses that are remembered; beyond, those with full buckets are forgotten.
const MOST: usize = 1024;

/// The buckets.
#[derive(Default)]
pub(crate) struct Rates {
    buckets: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

impl Rates {
    /// Whether an address may ask now.
    pub(crate) fn admit(&self, who: IpAddr, now: Instant) -> bool {
        let who = client(who);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let filled = |(level, since): (f64, Instant)| {
            let waited = now.saturating_duration_since(since).as_secs_f64();
            (level + PER_SECOND * waited).min(BURST)
        };
        if buckets.len() >= MOST && !buckets.contains_key(&who) {
            buckets.retain(|_, bucket| filled(*bucket) < BURST);
            if buckets.len() >= MOST {
                return false;
            }
        }
        let level = buckets.get(&who).map_or(BURST, |&bucket| filled(bucket));
        let admitted = level >= 1.0;
        buckets.insert(who, (if admitted { level - 1.0 } else { level }, now));
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use std::time::Duration;

    #[test]
    fn a_burst_is_admitted_a_flood_is_not_and_waiting_helps() {
        let (rates, now) = (Rates::default(), Instant::now());
        let who = IpAddr::V4(Ipv4Addr::LOCALHOST);
        assert!((0..300).all(|_| rates.admit(who, now)));
        assert!(!rates.admit(who, now));
        assert!(rates.admit(IpAddr::V4(Ipv4Addr::BROADCAST), now), "another is not held up");
        let later = now + Duration::from_millis(50);
        assert!((0..3).all(|_| rates.admit(who, later)) && !rates.admit(who, later));
    }

    #[test]
    fn addresses_are_forgotten_not_gathered() {
        let (rates, now) = (Rates::default(), Instant::now());
        for i in 0..3000_u32 {
            let later = now + Duration::from_millis(u64::from(i) * 20);
            assert!(rates.admit(IpAddr::V4(i.into()), later), "{i}");
        }
        assert!(rates.buckets.lock().unwrap().len() <= MOST);
    }
}
