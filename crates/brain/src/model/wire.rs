//! Between our calls and the client's requests.

use std::collections::HashMap;
use std::time::Duration;

use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ContentPart, JsonSpec, MessageContent, ReasoningEffort, Tool,
    ToolCall, ToolResponse,
};

use super::target::Target;
use crate::call::{self, Call, Message};

/// Whether the answer's shape is demanded of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Schema,
    Free,
}

pub(super) fn format_for(target: &Target, call: &Call) -> Format {
    match call.schema.is_some() && target.takes_schema() {
        true => Format::Schema,
        false => Format::Free,
    }
}

pub(super) fn options(target: &Target, call: &Call, format: Format, patience: Duration) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_max_tokens(call.max_output_tokens)
        .with_capture_usage(target.tells_usage())
        .with_capture_tool_calls(true)
        .with_stream_header_timeout(patience)
        .with_stream_read_timeout(patience);
    if let (Format::Schema, Some(schema)) = (format, &call.schema) {
        options = options.with_response_format(JsonSpec::new(schema.name, schema.schema.clone()));
    }
    if takes_suffix_for_effort(target) {
        options = options.with_reasoning_effort(ReasoningEffort::Budget(0));
    }
    options
}

/// The client takes `-max`, `-high` and the like off a model's name and makes an effort of it. There are models
/// that are called so. An effort that these interfaces do not know is not sent, and leaves the name alone.
fn takes_suffix_for_effort(target: &Target) -> bool {
    let leaves_budget_out = matches!(
        target.kind(),
        AdapterKind::OpenAI
            | AdapterKind::OpenAIResp
            | AdapterKind::OpenRouter
            | AdapterKind::Groq
            | AdapterKind::Xai
            | AdapterKind::Mistral
    );
    leaves_budget_out && ReasoningEffort::from_model_name(&target.name).0.is_some()
}

pub(super) fn request(target: &Target, call: &Call) -> ChatRequest {
    let names = tool_names(call);
    let messages = call.messages.iter().map(|message| chat_message(target, message, &names)).collect();
    let tools: Vec<Tool> = call.tools.iter().map(tool).collect();
    ChatRequest {
        system: (!call.system.is_empty()).then(|| call.system.clone()),
        messages,
        tools: (!tools.is_empty()).then_some(tools),
        previous_response_id: None,
        store: None,
    }
}

fn tool(tool: &call::Tool) -> Tool {
    Tool::new(tool.name.clone()).with_description(tool.description.clone()).with_schema(tool.input.clone())
}

/// Some providers match results by the tool's name.
fn tool_names(call: &Call) -> HashMap<&str, &str> {
    let calls = call.messages.iter().flat_map(|message| match message {
        Message::Assistant { tool_calls, .. } => tool_calls.as_slice(),
        Message::User(_) | Message::ToolResults(_) => &[],
    });
    calls.map(|call| (call.id.as_str(), call.name.as_str())).collect()
}

fn chat_message(target: &Target, message: &Message, names: &HashMap<&str, &str>) -> ChatMessage {
    match message {
        Message::User(text) => ChatMessage::user(text.clone()),
        Message::Assistant { text, tool_calls } => {
            let text = (!text.is_empty()).then(|| ContentPart::from_text(text.clone()));
            let calls = tool_calls.iter().map(|call| ContentPart::ToolCall(tool_call(target, call)));
            let parts: Vec<ContentPart> = text.into_iter().chain(calls).collect();
            ChatMessage::assistant(MessageContent::from_parts(parts))
        }
        Message::ToolResults(results) => {
            let responses = results.iter().map(|result| {
                let response = ToolResponse::new(result.id.clone(), result.content.clone());
                match names.get(result.id.as_str()) {
                    Some(name) => response.with_fn_name(*name),
                    None => response,
                }
            });
            ChatMessage::tool(MessageContent::from_tool_responses(responses.collect()))
        }
    }
}

fn tool_call(target: &Target, call: &call::ToolCall) -> ToolCall {
    ToolCall {
        call_id: call.id.clone(),
        fn_name: call.name.clone(),
        fn_arguments: call.arguments.clone(),
        thought_signatures: target.signatures(&call.id),
    }
}
