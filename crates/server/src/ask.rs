//! What requests say, read with refusals in our own words.

use crate::refusal::Refusal;
use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// A body of JSON.
pub(crate) struct Told<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Told<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(told)) => Ok(Self(told)),
            Err(why) => Err(refused(&why)),
        }
    }
}

fn refused(why: &JsonRejection) -> Refusal {
    // axum calls a body that breaks off a server's fault in one case only.
    let status = if why.status().is_client_error() {
        why.status()
    } else {
        axum::http::StatusCode::BAD_REQUEST
    };
    Refusal::new(status, why.body_text())
}

/// The words behind the question mark.
pub(crate) struct Words<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Words<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(words)) => Ok(Self(words)),
            Err(why) => Err(Refusal::bad(QueryRejection::body_text(&why))),
        }
    }
}

/// The one name in the path.
pub(crate) struct Called(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Called {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refusal> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(why) => Err(Refusal::bad(why.body_text())),
        }
    }
}
