//! All that was said so far, kept within what one call may hold.

use serde_json::json;

use super::instructions::TAKEN_OUT;
use crate::call::{Call, Message, Schema, ToolCall, ToolResult};
use crate::packing::{clip, count, count_call};
use crate::prompt::Fence;

/// What is left of the words of an old turn when room is short.
const OLD_WORDS: usize = 200;
/// Arguments of more tokens than this are not repeated.
const LONGEST_ARGUMENTS: usize = 500;

pub(super) struct Conversation {
    /// The first message holds the mission and the form of the report. It always stays.
    call: Call,
}

impl Conversation {
    pub(super) fn new(opening: Call) -> Self {
        Conversation { call: opening }
    }

    pub(super) fn call(&self) -> &Call {
        &self.call
    }

    /// What the model said and the calls it made, with what came of them.
    pub(super) fn turn(&mut self, text: String, calls: &[ToolCall], results: Vec<ToolResult>) {
        let tool_calls = calls.iter().map(short).collect();
        self.call.messages.push(Message::Assistant { text, tool_calls });
        self.call.messages.push(Message::ToolResults(results));
    }

    /// From now on another is asked.
    pub(super) fn pass_over(&mut self, model: &str) {
        self.call.passing_over.push(model.to_owned());
    }

    /// What the model said, and what is said to that.
    pub(super) fn reply(&mut self, text: String, reply: String) {
        let text = if text.trim().is_empty() { "(nothing)".to_owned() } else { text };
        self.call.messages.push(Message::Assistant { text, tool_calls: Vec::new() });
        self.say(reply);
    }

    pub(super) fn say(&mut self, words: String) {
        self.call.messages.push(Message::User(words));
    }

    /// Takes out what is oldest until the call has at most `tokens`: first what tools returned, then what the model
    /// said beside its calls, then whole turns. Neither the first message nor the last `keep` are touched.
    pub(super) fn fit(&mut self, tokens: usize, keep: usize) {
        let mut surplus = count_call(&self.call).saturating_sub(tokens);
        let end = self.call.messages.len().saturating_sub(keep).max(1);
        for message in self.call.messages.iter_mut().take(end).skip(1) {
            if let (true, Message::ToolResults(results)) = (surplus > 0, message) {
                results
                    .iter_mut()
                    .for_each(|result| surplus = surplus.saturating_sub(stub(&mut result.content)));
            }
        }
        for message in self.call.messages.iter_mut().take(end).skip(1) {
            if let (true, Message::Assistant { text, .. }) = (surplus > 0, message) {
                let before = count(text);
                *text = clip(text, OLD_WORDS).to_owned();
                surplus = surplus.saturating_sub(before.saturating_sub(count(text)));
            }
        }
        while surplus > 0 && self.call.messages.len() > keep + 3 {
            let before = count_call(&self.call);
            self.call.messages.drain(1..3);
            surplus = surplus.saturating_sub(before.saturating_sub(count_call(&self.call)));
        }
    }

    /// Takes out all that tools returned, whether there is room for it or not.
    pub(super) fn take_out_results(&mut self) {
        for message in &mut self.call.messages {
            if let Message::ToolResults(results) = message {
                results.iter_mut().for_each(|result| _ = stub(&mut result.content));
            }
        }
    }

    /// The same as a conversation without tools, since providers refuse calls of tools where none are offered.
    pub(super) fn without_tools(&self, schema: Schema, fence: &Fence<'_>) -> Call {
        let mut messages: Vec<Message> = Vec::new();
        for message in &self.call.messages {
            match message {
                Message::User(text) => add_user(&mut messages, text),
                Message::Assistant { text, tool_calls } => {
                    let calls = tool_calls.iter().map(|call| {
                        format!(
                            "\n[called {} with {}]",
                            fence.scrub(&call.name),
                            fence.scrub(&call.arguments.to_string())
                        )
                    });
                    let text = format!("{text}{}", calls.collect::<String>()).trim().to_owned();
                    messages.push(Message::Assistant { text, tool_calls: Vec::new() });
                }
                Message::ToolResults(results) => {
                    let text: Vec<_> = results.iter().map(|result| result.content.as_str()).collect();
                    add_user(&mut messages, &text.join("\n"));
                }
            }
        }
        Call { messages, tools: Vec::new(), schema: Some(schema), ..self.call.clone() }
    }
}

fn add_user(messages: &mut Vec<Message>, text: &str) {
    if let Some(Message::User(last)) = messages.last_mut() {
        last.push_str("\n\n");
        last.push_str(text);
        return;
    }
    messages.push(Message::User(text.to_owned()));
}

/// Replaces a result and says how many tokens that saved.
fn stub(content: &mut String) -> usize {
    let (before, after) = (count(content), count(TAKEN_OUT));
    if before > after {
        TAKEN_OUT.clone_into(content);
    }
    before.saturating_sub(after)
}

fn short(call: &ToolCall) -> ToolCall {
    let is_long = count(&call.arguments.to_string()) > LONGEST_ARGUMENTS;
    ToolCall { arguments: if is_long { json!({}) } else { call.arguments.clone() }, ..call.clone() }
}
