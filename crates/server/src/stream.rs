//! What is live, as server-sent events.

use axum::response::sse::{Event, KeepAlive, Sse};
use evalsmith_lab::prelude::News;
use futures_util::Stream;
use futures_util::stream::unfold;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::watch;

/// A listener that went away is noticed after so long at the latest.
const ALIVE: Duration = Duration::from_secs(10);

/// The news of some work as events: `standing`, `course`, `reply`, and `done` at the
/// end. A slow listener misses what is no longer new.
pub(crate) fn events(
    hear: watch::Receiver<Option<News>>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let stream = unfold(Some(hear), |hear| async {
        let mut hear = hear?;
        // What was told last is heard before the end is.
        if hear.changed().await.is_err() {
            return Some((Ok(Event::default().event("done").data("{}")), None));
        }
        let event = told(hear.borrow_and_update().as_ref());
        Some((Ok(event), Some(hear)))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(ALIVE))
}

fn told(news: Option<&News>) -> Event {
    let (name, data) = match news {
        Some(News::Standing(standing)) => ("standing", serde_json::to_string(standing)),
        Some(News::Course(course)) => ("course", serde_json::to_string(course)),
        Some(News::Reply(reply)) => ("reply", serde_json::to_string(reply)),
        None => ("nothing", Ok("{}".to_owned())),
    };
    Event::default().event(name).data(data.unwrap_or_else(|_| "{}".to_owned()))
}

/// Any values as events of one name.
pub(crate) fn values<T: serde::Serialize>(
    stream: impl Stream<Item = T> + Send + 'static,
    name: &'static str,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    use futures_util::StreamExt;
    let event = move |value: T| {
        let data = serde_json::to_string(&value).unwrap_or_else(|_| "{}".to_owned());
        Ok(Event::default().event(name).data(data))
    };
    Sse::new(stream.map(event)).keep_alive(KeepAlive::new().interval(ALIVE))
}
