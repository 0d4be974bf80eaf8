use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool as ListedTool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Access;
use super::arguments::read;
use super::schema::{Side, schema};
use crate::rest::{Rest, Trouble};

pub(super) type Answer<T> = Result<T, Trouble>;

/// Something a client can call. The doc comments of its input are what an agent reads.
pub(super) trait Tool: 'static {
    const NAME: &'static str;
    /// What it does, in as few words as that takes.
    const DESCRIPTION: &'static str;
    const HINTS: Hints;
    /// The service it speaks to.
    type Of: Speaks;
    type Input: DeserializeOwned + JsonSchema + Send;
    type Output: Serialize + JsonSchema + Send;

    fn call(service: &Self::Of, input: Self::Input) -> impl Future<Output = Answer<Self::Output>> + Send;
}

/// A service with one way to reach it.
pub(super) trait Speaks: Send + Sync + 'static {
    fn rest(&self) -> &Rest;
}

/// What a client may tell its user before it calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hints {
    Reads,
    /// Each call adds something that people see.
    Adds,
    /// Called again with the same arguments it changes nothing further, but what was there before is gone.
    Replaces,
    /// Called again with the same arguments it changes nothing further.
    Settles,
}

impl Hints {
    fn annotations(self) -> ToolAnnotations {
        let hints = ToolAnnotations::new().read_only(self == Hints::Reads).open_world(true);
        match self {
            Hints::Reads => hints,
            Hints::Adds => hints.destructive(false).idempotent(false),
            Hints::Replaces => hints.destructive(true).idempotent(true),
            Hints::Settles => hints.destructive(false).idempotent(true),
        }
    }
}

/// A tool that takes nothing.
#[derive(Debug, serde::Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

type Called = Pin<Box<dyn Future<Output = CallToolResult> + Send>>;

/// A tool as a server keeps it.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) listed: ListedTool,
    hints: Hints,
    call: Arc<dyn Fn(JsonObject) -> Called + Send + Sync>,
}

impl Entry {
    pub(super) fn of<T: Tool>(service: &Arc<T::Of>) -> Entry {
        let listed = ListedTool::new(T::NAME, T::DESCRIPTION, schema::<T::Input>(Side::Input))
            .with_raw_output_schema(schema::<T::Output>(Side::Output))
            .with_annotations(T::HINTS.annotations());
        let service = Arc::clone(service);
        let call = move |arguments: JsonObject| -> Called {
            let service = Arc::clone(&service);
            Box::pin(async move { run::<T>(&service, arguments).await })
        };
        Entry { listed, hints: T::HINTS, call: Arc::new(call) }
    }

    pub(super) fn is_for(&self, access: Access) -> bool {
        access == Access::Full || self.hints == Hints::Reads
    }

    pub(super) async fn call(&self, arguments: JsonObject) -> CallToolResult {
        (self.call)(arguments).await
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Entry").field(&self.listed.name).finish()
    }
}

async fn run<T: Tool>(service: &T::Of, arguments: JsonObject) -> CallToolResult {
    let answer = async {
        let output = T::call(service, read(arguments, || schema::<T::Input>(Side::Input))?).await?;
        serde_json::to_value(output)
            .map_err(|error| Trouble::unreadable(format!("the answer cannot be written: {error}")))
    };
    match answer.await {
        Ok(value) => CallToolResult::structured(service.rest().masked_value(value)),
        Err(trouble) => {
            let trouble = service.rest().masked(trouble);
            let mut result = CallToolResult::structured_error(trouble.to_json());
            result.content = vec![ContentBlock::text(trouble.text())];
            result
        }
    }
}

/// A field of a request, if there is anything to say in it.
pub(super) fn put(body: &mut Value, name: &str, value: Option<impl Serialize>) {
    if let Some(value) = value {
        body[name] = json!(value);
    }
}

/// A change that changes something.
pub(super) fn not_empty(body: Value) -> Answer<Value> {
    match body.as_object().is_some_and(|fields| !fields.is_empty()) {
        true => Ok(body),
        false => Err(Trouble::invalid("there is nothing to change", "name at least one field")),
    }
}

/// A choice by the word that stands for it.
pub(super) fn word(choice: impl Serialize) -> String {
    json!(choice).as_str().unwrap_or_default().to_owned()
}

/// No longer than the service takes, in characters.
pub(super) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        None => text.to_owned(),
        Some(_) => text.chars().take(longest.saturating_sub(1)).chain(['…']).collect(),
    }
}
