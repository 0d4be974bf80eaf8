//! A model provider for tests: it speaks the real wire formats, checks what it is asked as the real ones do,
//! and answers what the test has written down, faults included.
//!
//! Served are Anthropic's Messages, OpenAI's chat completions and Responses, and Gemini's generateContent, each
//! streamed or whole. What it refuses is refused in the provider's own words and shape.

mod anthropic;
mod api;
mod chat;
mod delivery;
mod gemini;
mod record;
mod reply;
mod responses;
mod schema;
mod script;
mod wire;

#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use api::Api;
use record::Record;

pub use record::Asked;
pub use reply::Reply;
pub use script::Script;

/// More than any question of ours.
const LONGEST_QUESTION: usize = 64 * 1024 * 1024;

/// A running server on a free port of this machine. It is gone when this is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

#[derive(Debug)]
struct Shared {
    script: Script,
    record: Record,
}

impl ModelServer {
    /// The only key that is accepted.
    pub const KEY: &'static str = "sk-test-0123456789abcdefghijklmnop";

    /// A list of replies is given out in order, and asking beyond its end is answered with an error; a single
    /// reply is given every time; a closure decides by the question.
    pub fn start(script: impl Into<Script>) -> ModelServer {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared { script: script.into(), record: Record::default() });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        runtime.spawn(async move { axum::serve(listener, router).await });
        ModelServer { address, shared, runtime: Some(runtime) }
    }

    /// Without a path: clients add `/v1` or what else their format wants.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything that was asked, refused questions and lists of models included, in the order of arrival.
    pub fn requests(&self) -> Vec<Asked> {
        self.shared.record.all()
    }

    /// Only the questions that were found valid and therefore put to the script.
    pub fn questions(&self) -> Vec<Asked> {
        self.requests().into_iter().filter(|asked| asked.number.is_some()).collect()
    }

    /// Why questions were refused, if any were.
    pub fn refusals(&self) -> Vec<String> {
        self.requests().into_iter().filter_map(|asked| asked.refused).collect()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, LONGEST_QUESTION).await.unwrap_or_default();
    let mut asked = Asked::new(&parts, serde_json::from_slice(&bytes).unwrap_or(Value::Null));
    let Some(api) = Api::of(&asked) else {
        let response = api::elsewhere(&asked);
        asked.refused = response.status().is_client_error().then(|| "no such address".to_owned());
        shared.record.add(asked);
        return response;
    };
    if let Err(refusal) = api.check(&asked) {
        asked.refused = Some(refusal.message.clone());
        shared.record.add(asked);
        return api.refuse(&refusal);
    }
    if let Some(response) = api.without_script(&asked) {
        shared.record.add(asked);
        return response;
    }
    let asked = shared.record.add_question(asked);
    let reply = shared.script.next(&asked);
    if let Some(delay) = reply.delay {
        tokio::time::sleep(delay).await;
    }
    delivery::deliver(api, &asked, reply)
}

fn json_response(status: u16, body: &Value) -> Response {
    let builder = Response::builder().status(status).header("content-type", "application/json");
    builder.body(Body::from(body.to_string())).expect("a response")
}
