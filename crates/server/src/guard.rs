//! Who may ask: the door of the server.
//!
//! A page of another site can make a browser send requests here. It cannot read the
//! answers, but a request that starts a run needs no reading. So a request must name
//! this server as its host (a name that was made to point here does not), must not
//! come from a foreign origin, and must bring JSON where it changes something, which
//! no form can. Beyond the loopback a token is asked for besides.

use crate::connections::Connection;
use crate::house::House;
use crate::refusal::Refusal;
use axum::body::to_bytes;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// No script but our own files, nothing from elsewhere, nobody's frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";
/// Bytes of the largest request.
const LARGEST: usize = 64 << 10;
/// How long the body of a request may take.
const PATIENCE: Duration = Duration::from_secs(30);
const COOKIE: &str = "evalsmith-token";

/// What the door checks.
#[derive(Clone, Debug)]
pub struct Entrance {
    /// Names by which the server may be called; any where a token is asked for.
    hosts: Option<Vec<String>>,
    token: Option<String>,
}

impl Entrance {
    /// The door of a server at this address.
    pub fn new(address: SocketAddr, token: Option<String>) -> Self {
        let port = address.port();
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        let own = match address {
            SocketAddr::V4(v4) => v4.ip().to_string(),
            SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
        };
        let own = Some(own).filter(|own| !names.contains(own));
        let hosts = names.iter().chain(own.as_ref()).map(|name| format!("{name}:{port}")).collect();
        Self { hosts: token.is_none().then_some(hosts), token }
    }

    fn check(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        let text = |name| headers.get(name).and_then(|v: &HeaderValue| v.to_str().ok());
        let host = text(header::HOST).unwrap_or_default();
        if headers.get_all(header::HOST).iter().count() > 1 {
            return Err(Refusal::forbidden("a request has one host"));
        }
        if let Some(hosts) = &self.hosts
            && !hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
        {
            let known = hosts.join(", ");
            return Err(Refusal::forbidden(format!("this server is called {known}, not {host:?}")));
        }
        if headers.contains_key(header::ORIGIN) {
            let origin = text(header::ORIGIN).unwrap_or_default();
            let own = ["http://", "https://"].iter().any(|scheme| {
                origin.strip_prefix(scheme).is_some_and(|rest| rest.eq_ignore_ascii_case(host))
            });
            if !own {
                return Err(Refusal::forbidden("requests from other sites are refused"));
            }
        }
        let site = text(header::HeaderName::from_static("sec-fetch-site")).unwrap_or("none");
        if path.starts_with("/api/") && !matches!(site, "none" | "same-origin") {
            return Err(Refusal::forbidden("requests from other sites are refused"));
        }
        let changes = !matches!(*method, Method::GET | Method::HEAD);
        let kind = text(header::CONTENT_TYPE).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if changes && !kind.eq_ignore_ascii_case("application/json") {
            let reason = "send JSON, and say so: Content-Type: application/json";
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, reason));
        }
        Ok(())
    }

    fn knows(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let text = |name| headers.get(name).and_then(|v: &HeaderValue| v.to_str().ok());
        let bearer = text(header::AUTHORIZATION).and_then(|v| v.strip_prefix("Bearer "));
        let mut cookies = text(header::COOKIE).unwrap_or_default().split(';');
        let cookie = cookies.find_map(|c| c.trim().strip_prefix(COOKIE)?.strip_prefix('='));
        bearer.into_iter().chain(cookie).any(|given| same(given, token))
    }
}

/// Compares in a time that tells nothing of where two texts differ.
fn same(given: &str, wanted: &str) -> bool {
    let (given, wanted) = (given.as_bytes(), wanted.as_bytes());
    let mut different = given.len() ^ wanted.len();
    for (i, byte) in wanted.iter().enumerate() {
        different |= usize::from(byte ^ given.get(i).copied().unwrap_or_default());
    }
    std::hint::black_box(different) == 0
}

/// Lets a request in, or says why not; and puts the page's policy on every answer.
pub(crate) async fn door(
    State(house): State<Arc<House>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match admitted(&house, &request) {
        Ok(None) => match received(request).await {
            Ok(request) => answered(request, next).await,
            Err(refusal) => refusal.into_response(),
        },
        Ok(Some(response)) => response,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    response
}

/// Answers a request that is there as a whole; its connection is not idle until then.
async fn answered(request: Request, next: Next) -> Response {
    let answering = request.extensions().get::<Arc<Connection>>().map(Connection::answering);
    let response = next.run(request).await;
    match answering {
        Some(answering) => response.map(|body| answering.until_sent(body)),
        None => response,
    }
}

/// The request with all of its body, which must not keep us waiting.
async fn received(request: Request) -> Result<Request, Refusal> {
    let (parts, body) = request.into_parts();
    let Ok(read) = tokio::time::timeout(PATIENCE, to_bytes(body, LARGEST)).await else {
        let reason = "the rest of the request did not come";
        return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, reason));
    };
    let too_long =
        format!("the request is cut short, or beyond its length limit of {LARGEST} bytes");
    let bytes = read.map_err(|_| Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, too_long))?;
    Ok(Request::from_parts(parts, bytes.into()))
}

fn admitted(house: &House, request: &Request) -> Result<Option<Response>, Refusal> {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    let who = peer.map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |ConnectInfo(address)| address.ip());
    if !house.rates.admit(who, Instant::now()) {
        return Err(Refusal::busy("too many requests; wait a second"));
    }
    let (entrance, path) = (&house.entrance, request.uri().path());
    entrance.check(request.method(), path, request.headers())?;
    // The link that `serve` prints carries the token once; a cookie keeps it, and the
    // address that the browser shows, and may be sent to others, is without it.
    let given = request.uri().query().and_then(|q| q.strip_prefix("token="));
    let known = entrance.knows(request.headers());
    let (token, given) = match (&entrance.token, given) {
        (Some(token), Some(given)) if path == "/" => (token, given),
        _ if known => return Ok(None),
        _ => {
            let reason = "a token is needed: open the link that evalsmith serve printed, or send \
                          Authorization: Bearer TOKEN";
            return Err(Refusal::new(StatusCode::UNAUTHORIZED, reason));
        }
    };
    if !same(given, token) {
        return Err(Refusal::new(StatusCode::UNAUTHORIZED, "the token is another"));
    }
    let cookie = format!("{COOKIE}={token}; HttpOnly; SameSite=Strict; Path=/");
    let cookie = HeaderValue::from_str(&cookie)
        .map_err(|_| Refusal::bad("the token does not fit into a header"))?;
    let mut response = Redirect::to("/").into_response();
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(Some(response))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|&(k, v)| (k.parse().unwrap(), HeaderValue::from_static(v))).collect()
    }

    fn entrance(token: Option<&str>) -> Entrance {
        Entrance::new("127.0.0.1:8080".parse().unwrap(), token.map(str::to_owned))
    }

    fn status(method: &Method, pairs: &[(&'static str, &'static str)]) -> Option<u16> {
        let checked = entrance(None).check(method, "/api/v1/runs", &headers(pairs));
        checked.err().map(|refusal| refusal.status.as_u16())
    }

    #[test]
    fn only_our_own_page_may_ask() {
        let host = ("host", "localhost:8080");
        let json = ("content-type", "application/json; charset=utf-8");
        assert_eq!(status(&Method::GET, &[host]), None);
        assert_eq!(status(&Method::POST, &[host, json]), None);
        assert_eq!(status(&Method::POST, &[host, json, ("origin", "http://localhost:8080")]), None);
        assert_eq!(status(&Method::GET, &[]), Some(403), "no host");
        let mut twice = headers(&[host]);
        twice.append("host", HeaderValue::from_static("evil.example"));
        assert!(entrance(None).check(&Method::GET, "/", &twice).is_err(), "two hosts");
        assert_eq!(status(&Method::GET, &[("host", "evil.example:8080")]), Some(403), "rebinding");
        for origin in ["https://evil.example", "null", "http://localhost:9090", "localhost:8080"] {
            assert_eq!(status(&Method::POST, &[host, json, ("origin", origin)]), Some(403));
        }
        assert_eq!(status(&Method::GET, &[host, ("sec-fetch-site", "cross-site")]), Some(403));
        for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
            assert_eq!(status(&Method::POST, &[host, ("content-type", kind)]), Some(415));
        }
    }

    #[test]
    fn a_token_is_known_by_header_or_cookie() {
        let door = entrance(Some("geheim"));
        assert!(door.knows(&headers(&[("authorization", "Bearer geheim")])));
        assert!(door.knows(&headers(&[("cookie", "a=b; evalsmith-token=geheim")])));
        for wrong in ["Bearer geheim1", "Bearer gehei", "geheim", "Bearer "] {
            assert!(!door.knows(&headers(&[("authorization", wrong)])), "{wrong}");
        }
        assert!(!door.knows(&headers(&[])) && entrance(None).knows(&headers(&[])));
    }

    #[test]
    fn equal_texts_are_the_same_and_no_others() {
        assert!(same("abc", "abc") && same("", ""));
        assert!(!same("abd", "abc") && !same("ab", "abc") && !same("abcd", "abc"));
    }
}
