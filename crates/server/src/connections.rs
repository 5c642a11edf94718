//! How many connections may be open, in all and from one address.
//!
//! A connection is idle while the server waits for its client: for the headers or the
//! body of a request. Where a limit is reached, a new connection replaces the one that
//! has been idle for longest. Clients that connect and send nothing therefore displace
//! each other, and lock nobody out.
//!
//! Invariant: a connection that is being answered is never closed in favour of another.

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::Notify;

/// Connections in all, where the system allows twice as many open files.
const MOST: usize = 512;
/// Connections in all that are allowed in any case.
const FEWEST: usize = 16;

/// The largest numbers of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) total: usize,
    pub(crate) per_address: usize,
}

impl Default for Limits {
    /// Half of the files that the process may open; half of that for one address.
    fn default() -> Self {
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let files = files.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        let total = (files / 2).clamp(FEWEST, MOST);
        Self { total, per_address: total / 2 }
    }
}

/// The client that an address stands for. A host has a whole /64 of IPv6 addresses, and
/// counts once.
pub(crate) fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

struct Entry {
    client: IpAddr,
    /// When it became idle, in the count of such events; `None` while it is answered.
    idle: Option<u64>,
    close: Arc<Notify>,
}

#[derive(Default)]
struct Open {
    events: u64,
    entries: BTreeMap<u64, Entry>,
}

impl Open {
    fn event(&mut self) -> u64 {
        self.events += 1;
        self.events
    }

    /// Closes the connection that has been idle for longest; whether there was one.
    fn evict(&mut self, of: impl Fn(&Entry) -> bool) -> bool {
        let idle = self.entries.iter().filter(|(_, entry)| of(entry));
        let oldest = idle.filter_map(|(&id, entry)| Some((entry.idle?, id))).min();
        let evicted = oldest.and_then(|(_, id)| self.entries.remove(&id));
        evicted.map(|entry| entry.close.notify_one()).is_some()
    }
}

/// All open connections.
pub(crate) struct Connections {
    limits: Limits,
    open: Mutex<Open>,
}

impl Connections {
    pub(crate) fn new(limits: Limits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a new connection; `None` where every other one is being answered.
    pub(crate) fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Arc<Connection>> {
        let client = client(address);
        let mut open = self.open();
        let own = open.entries.values().filter(|entry| entry.client == client).count();
        if own >= self.limits.per_address {
            if !open.evict(|entry| entry.client == client) {
                return None;
            }
        } else if open.entries.len() >= self.limits.total && !open.evict(|_| true) {
            return None;
        }
        let (id, close) = (open.event(), Arc::new(Notify::new()));
        open.entries.insert(id, Entry { client, idle: Some(id), close: Arc::clone(&close) });
        drop(open);
        Some(Arc::new(Connection { id, close, all: Arc::clone(self) }))
    }
}

/// One connection, counted while this lives.
pub(crate) struct Connection {
    id: u64,
    close: Arc<Notify>,
    all: Arc<Connections>,
}

impl Connection {
    /// Resolves when the connection must make room for another.
    pub(crate) async fn evicted(&self) {
        self.close.notified().await;
    }

    /// Marks the connection as being answered, until the value is dropped.
    pub(crate) fn answering(self: &Arc<Self>) -> Answering {
        self.set_idle(false);
        Answering(Arc::clone(self))
    }

    fn set_idle(&self, idle: bool) {
        let mut open = self.all.open();
        let event = open.event();
        if let Some(entry) = open.entries.get_mut(&self.id) {
            entry.idle = idle.then_some(event);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.open().entries.remove(&self.id);
    }
}

/// A request of a connection is being answered.
pub(crate) struct Answering(Arc<Connection>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.set_idle(true);
    }
}

impl Answering {
    /// A body that keeps the connection marked until the last of it is written.
    pub(crate) fn until_sent(self, body: Body) -> Body {
        Body::new(Sent { body, _answering: self })
    }
}

struct Sent {
    body: Body,
    _answering: Answering,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn is_evicted(connection: &Connection) -> bool {
        connection.evicted().now_or_never().is_some()
    }

    #[test]
    fn the_longest_idle_connection_makes_room() {
        let all = Connections::new(Limits { total: 3, per_address: 2 });
        let (me, other) = (address("10.0.0.1"), address("10.0.0.2"));
        let first = all.admit(me).unwrap();
        let second = all.admit(me).unwrap();
        let theirs = all.admit(other).unwrap();
        // The first has asked something since, and was answered.
        drop(first.answering());
        let third = all.admit(me).unwrap();
        assert!(is_evicted(&second) && !is_evicted(&first));
        assert!(!is_evicted(&theirs), "only connections of the same address are replaced");
        // The limit in all: the oldest of any address makes room.
        let fourth = all.admit(address("10.0.0.3")).unwrap();
        assert!(is_evicted(&theirs) && !is_evicted(&first) && !is_evicted(&third));
        drop((second, theirs));
        assert_eq!(all.open().entries.len(), 3, "closed ones are not counted twice");
        drop((first, third, fourth));
        assert!(all.open().entries.is_empty());
    }

    #[test]
    fn what_is_answered_is_not_closed() {
        let all = Connections::new(Limits { total: 2, per_address: 2 });
        let me = address("10.0.0.1");
        let connections = [all.admit(me).unwrap(), all.admit(me).unwrap()];
        let answering: Vec<_> = connections.iter().map(Connection::answering).collect();
        assert!(all.admit(me).is_none() && all.admit(address("10.0.0.2")).is_none());
        assert!(!connections.iter().any(|connection| is_evicted(connection)));
        let sent = answering.into_iter().map(|a| a.until_sent(Body::from("text")));
        let sent: Vec<Body> = sent.collect();
        assert!(sent.iter().all(|body| body.size_hint().exact() == Some(4)));
        assert!(all.admit(me).is_none(), "not before the bodies are written");
        drop(sent);
        assert!(all.admit(me).is_some());
    }

    #[test]
    fn a_host_has_one_address_of_each_kind() {
        assert_eq!(client(address("2001:db8::1")), client(address("2001:db8::2:3:4:5")));
        assert_ne!(client(address("2001:db8::1")), client(address("2001:db8:0:1::1")));
        assert_eq!(client(address("::ffff:10.0.0.1")), address("10.0.0.1"));
    }

    #[test]
    fn limits_leave_files_for_other_work() {
        let limits = Limits::default();
        assert!((FEWEST..=MOST).contains(&limits.total) && limits.per_address < limits.total);
    }
}
