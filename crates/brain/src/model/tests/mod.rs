//! The real client against the scripted server, which refuses what the real services refuse.

mod configuration;
mod failover;
mod faults;
mod formats;
mod secrecy;

use std::time::Duration;

use domain::config::ModelPolicy;
use serde_json::json;
use testkit::model_server::ModelServer;

use super::{MODEL_PRIORITY, Models};
use crate::call::{Answer, Call, CallError, Message, Mind as _, Schema, Tool};

/// Whatever goes wrong goes wrong in each of their formats.
const EACH: [&str; 4] =
    ["anthropic:scripted", "openai:scripted", "openai-responses:scripted", "gemini:scripted"];

/// Everything at one server, with its key.
fn models(server: &ModelServer, list: &str) -> Models {
    models_at(list, |_| Some(server.url()))
}

fn models_at(list: &str, url: impl Fn(&str) -> Option<String>) -> Models {
    let variable = |name: &str| match name {
        MODEL_PRIORITY => Some(list.to_owned()),
        _ if name.ends_with("_API_KEY") => Some(ModelServer::KEY.to_owned()),
        _ => url(name),
    };
    Models::from_environment(variable, &ModelPolicy::default()).unwrap()
}

fn ask(models: &Models, call: &Call) -> Result<Answer, CallError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let guarded = async { tokio::time::timeout(Duration::from_secs(60), models.ask(call)).await };
    runtime.block_on(guarded).expect("an answer or an error within a minute")
}

fn question() -> Call {
    Call {
        system: "You review code.".to_owned(),
        messages: vec![Message::User("What do you say?".to_owned())],
        max_output_tokens: 1000,
        ..Call::default()
    }
}

/// With an optional field, which strict providers do not take as it is.
fn schema() -> Schema {
    let schema = json!({"type": "object",
        "properties": {"summary": {"type": "string"}, "note": {"type": "string"}}, "required": ["summary"]});
    Schema { name: "report", schema }
}

fn tool(name: &str) -> Tool {
    let input = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    Tool { name: name.to_owned(), description: "Reads a file.".to_owned(), input }
}
