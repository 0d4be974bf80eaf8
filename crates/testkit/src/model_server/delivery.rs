use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _};

use super::api::Api;
use super::reply::{Kind, Reply, Says};
use super::{Asked, json_response};

const EVENTS: &str = "text/event-stream";

/// Whether the connection is closed properly at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Clean,
    Abrupt,
}

pub(super) fn deliver(api: Api, asked: &Asked, reply: Reply) -> Response {
    let pace = reply.pace;
    match reply.kind {
        Kind::Says(says) => say(api, asked, &says, pace),
        Kind::BrokenOff(says) => break_off(api, asked, &says, pace),
        Kind::Huge(bytes) => without_end(api, asked, bytes),
        Kind::KeepsAlive => respond(EVENTS, stream::repeat(": still here\n\n").then(after_a_while)),
        Kind::Error { status, kind, message, retry_after } => {
            let mut response = json_response(status, &api.error(status, &kind, &message));
            if let Some(retry_after) = retry_after {
                let value = retry_after.parse().expect("a header");
                response.headers_mut().insert("retry-after", value);
            }
            response
        }
        Kind::ErrorInStream { kind, message } => {
            let mut events = beginning(api, asked);
            events.push(api.error_event(&kind, &message));
            respond(EVENTS, in_pieces(events, pace, End::Clean))
        }
        Kind::Raw { status, headers, body } => raw(status, headers, body),
    }
}

fn say(api: Api, asked: &Asked, says: &Says, pace: Option<Duration>) -> Response {
    if api.streams(asked) {
        return respond(EVENTS, in_pieces(api.events(asked, says), pace, End::Clean));
    }
    json_response(200, &api.whole(asked, says))
}

fn break_off(api: Api, asked: &Asked, says: &Says, pace: Option<Duration>) -> Response {
    if api.streams(asked) {
        let mut events = api.events(asked, says);
        events.truncate((events.len() / 2).max(1));
        return respond(EVENTS, in_pieces(events, pace, End::Abrupt));
    }
    let mut whole = api.whole(asked, says).to_string();
    let half = (0..=whole.len() / 2).rev().find(|at| whole.is_char_boundary(*at)).unwrap_or_default();
    whole.truncate(half);
    respond("application/json", in_pieces(vec![whole], pace, End::Abrupt))
}

/// Made while it is sent: nobody holds it in memory, the server included.
fn without_end(api: Api, asked: &Asked, bytes: u64) -> Response {
    const PIECE: usize = 16 * 1024;
    let piece = api.text_event(&"x".repeat(PIECE));
    let count = bytes.div_ceil(PIECE as u64);
    let beginning = beginning(api, asked).into_iter();
    let rest = (0..count).map(move |_| piece.clone());
    let all = stream::iter(beginning.chain(rest).map(|event| Ok::<Bytes, io::Error>(Bytes::from(event))));
    respond(EVENTS, all)
}

async fn after_a_while(comment: &'static str) -> Result<Bytes, io::Error> {
    tokio::time::sleep(Duration::from_millis(50)).await;
    Ok(Bytes::from(comment))
}

/// The events of an answer up to its first words.
fn beginning(api: Api, asked: &Asked) -> Vec<String> {
    let mut opening = Reply::text("So far");
    let Kind::Says(says) = &mut opening.kind else { unreachable!("a text") };
    let mut events = api.events(asked, says);
    let first_words = events.iter().position(|event| event.contains("So far")).unwrap_or_default();
    events.truncate(first_words + 1);
    events
}

fn in_pieces(
    events: Vec<String>,
    pace: Option<Duration>,
    end: End,
) -> impl Stream<Item = Result<Bytes, io::Error>> + Send {
    let broken = (end == End::Abrupt).then(|| Err(io::Error::other("broken off on purpose")));
    let items = events.into_iter().map(|event| Ok(Bytes::from(event))).chain(broken);
    stream::iter(items).then(move |item| async move {
        // An abrupt end has to come after what was sent, not instead of it.
        let pause = pace.or(item.is_err().then_some(Duration::from_millis(50)));
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
        item
    })
}

fn respond(
    content_type: &str,
    body: impl Stream<Item = Result<Bytes, io::Error>> + Send + 'static,
) -> Response {
    let builder = Response::builder().status(200).header("content-type", content_type);
    builder.body(Body::from_stream(body)).expect("a response")
}

fn raw(status: u16, headers: Vec<(String, String)>, body: String) -> Response {
    let builder = Response::builder().status(status);
    let builder = headers.into_iter().fold(builder, |builder, (name, value)| builder.header(name, value));
    builder.body(Body::from(body)).expect("a response")
}
