use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State as Shared};
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream::{self, StreamExt as _};

use super::answer::Answer;
use super::connection::Scissors;
use super::faults::{self, Faults, Kind};
use super::model::state::State;
use super::record::{Asked, Record};
use super::request::Call;
use super::{confluence, git_http, github, gitlab, jira};

/// A push of a large repository fits.
const LONGEST_BODY: usize = 512 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) state: Mutex<State>,
    pub(super) faults: Faults,
    pub(super) record: Record,
}

impl Inner {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) async fn answer(
    Shared(inner): Shared<Arc<Inner>>,
    ConnectInfo(scissors): ConnectInfo<Scissors>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, LONGEST_BODY).await.unwrap_or_default();
    let query = parts.uri.query().unwrap_or_default().to_owned();
    let call = Call::new(parts.method, parts.uri.path(), &query, parts.headers, body);
    let number = inner.record.add(asked(&call, &query));
    let fault = inner.faults.take(&call);
    let kind = fault.as_ref().map(|fault| &fault.kind);
    let answer = match kind {
        Some(Kind::CutBefore) => return cut(&scissors),
        Some(Kind::Answer(answer)) => answer.clone(),
        Some(Kind::PrimaryLimit { renewed_in }) => faults::primary(&call, *renewed_in),
        Some(Kind::SecondaryLimit { retry_after }) => faults::secondary(&call, *retry_after),
        Some(Kind::Slow(by)) => {
            tokio::time::sleep(*by).await;
            perform(&inner, call, 0).await
        }
        Some(Kind::Late(by)) => {
            let answer = perform(&inner, call, 0).await;
            tokio::time::sleep(*by).await;
            answer
        }
        Some(Kind::Lag(listings)) => perform(&inner, call, *listings).await,
        Some(Kind::CutAfter | Kind::Truncated) | None => perform(&inner, call, 0).await,
    };
    if matches!(kind, Some(Kind::CutAfter)) {
        return cut(&scissors);
    }
    let answer = match &fault {
        Some(fault) => fault.dress(answer),
        None => answer,
    };
    inner.record.answered(number, answer.status);
    if matches!(kind, Some(Kind::Truncated)) { truncated(answer) } else { answer.into_response() }
}

async fn perform(inner: &Arc<Inner>, call: Call, lag: u32) -> Answer {
    let inner = Arc::clone(inner);
    let done = tokio::task::spawn_blocking(move || {
        if git_http::is_git(&call) {
            return git_http::serve(&inner, &call);
        }
        let mut state = inner.state();
        state.lag = lag;
        let answer = route(&mut state, &call);
        state.lag = 0;
        answer
    });
    done.await.unwrap_or_else(|trouble| {
        Answer::text(500, "text/plain", &format!("the fake forge failed: {trouble}"))
    })
}

fn route(state: &mut State, call: &Call) -> Answer {
    let parts: Vec<&str> = call.segments.iter().map(String::as_str).collect();
    let parts = match &parts[..] {
        ["jira" | "confluence" | "gitlab", rest @ ..] => rest,
        whole => whole,
    };
    match parts {
        ["api", "v4", rest @ ..] => gitlab::answer(state, call, rest),
        ["rest", "api", "2", rest @ ..] => jira::answer(state, call, jira::Api::V2, rest),
        ["rest", "api", "latest", rest @ ..] => jira::answer(state, call, jira::Api::V2, rest),
        ["rest", "api", "3", rest @ ..] => jira::answer(state, call, jira::Api::V3, rest),
        ["wiki", rest @ ..] => confluence::answer(state, call, rest),
        ["rest", "api", "content" | "search" | "space" | "user", ..] => {
            confluence::answer(state, call, parts)
        }
        ["api", "v3", rest @ ..] => github::answer(state, call, rest),
        ["api", "graphql"] => github::answer(state, call, &["graphql"]),
        rest => github::answer(state, call, rest),
    }
}

fn asked(call: &Call, query: &str) -> Asked {
    let secret = ["authorization", "private-token"];
    let headers = call.headers.iter().filter(|(name, _)| !secret.contains(&name.as_str()));
    Asked {
        method: call.method.to_string(),
        target: if query.is_empty() { call.path.clone() } else { format!("{}?{query}", call.path) },
        path: call.path.clone(),
        headers: headers
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect(),
        body: String::from_utf8_lossy(&call.body).into_owned(),
        json: call.json.clone(),
        token: call.credential().map(|credential| credential.secret().to_owned()),
        at: SystemTime::now(),
        status: None,
    }
}

fn cut(scissors: &Scissors) -> Response {
    scissors.cut();
    Answer::empty(200).into_response()
}

/// The length that was promised is right; half of it comes.
fn truncated(answer: Answer) -> Response {
    let mut builder = Response::builder().status(answer.status).header("content-length", answer.body.len());
    for (name, value) in answer.headers {
        builder = builder.header(name, value);
    }
    let half = Bytes::copy_from_slice(&answer.body[..answer.body.len() / 2]);
    let pieces = stream::iter([Ok(half), Err(io::Error::other("broken off on purpose"))]);
    let body = pieces.then(|piece| async move {
        // The end has to come after what was sent, not instead of it.
        if piece.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        piece
    });
    builder.body(Body::from_stream(body)).expect("a response")
}
