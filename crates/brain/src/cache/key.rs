use sha2::{Digest as _, Sha256};

use crate::call::{Call, Message};

/// Stands for the marker, which is another one each time.
const FENCE: &str = "\u{1}fence\u{1}";
/// To be changed when what is hashed, or what is kept, changes its meaning.
const FORMAT: &str = "countersign answer 1";

/// A hash of everything that determines the answer. Each part is hashed with its length, so that no two
/// different calls are the same bytes.
pub(super) fn of(call: &Call, scope: &str) -> String {
    let mut hash = Hash::new(&call.fence);
    hash.part(FORMAT);
    hash.part(scope);
    hash.part(&call.system);
    hash.count(call.messages.len());
    for message in &call.messages {
        hash.message(message);
    }
    match &call.schema {
        None => hash.part("free"),
        Some(schema) => {
            hash.part(schema.name);
            hash.part(&schema.schema.to_string());
        }
    }
    hash.count(call.tools.len());
    for tool in &call.tools {
        hash.part(&tool.name);
        hash.part(&tool.description);
        hash.part(&tool.input.to_string());
    }
    hash.part(&call.max_output_tokens.to_string());
    for model in &call.passing_over {
        hash.part(model);
    }
    hash.finish()
}

struct Hash<'a> {
    hash: Sha256,
    fence: &'a str,
}

impl<'a> Hash<'a> {
    fn new(fence: &'a str) -> Self {
        Hash { hash: Sha256::new(), fence }
    }

    fn part(&mut self, text: &str) {
        let text = without_fence(text, self.fence);
        self.hash.update((text.len() as u64).to_le_bytes());
        self.hash.update(text.as_bytes());
    }

    fn count(&mut self, count: usize) {
        self.hash.update((count as u64).to_le_bytes());
    }

    fn message(&mut self, message: &Message) {
        match message {
            Message::User(text) => {
                self.part("user");
                self.part(text);
            }
            Message::Assistant { text, tool_calls } => {
                self.part("assistant");
                self.part(text);
                self.count(tool_calls.len());
                for call in tool_calls {
                    self.part(&call.id);
                    self.part(&call.name);
                    self.part(&call.arguments.to_string());
                }
            }
            Message::ToolResults(results) => {
                self.part("results");
                self.count(results.len());
                for result in results {
                    self.part(&result.id);
                    self.part(&result.content);
                }
            }
        }
    }

    fn finish(self) -> String {
        self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

pub(super) fn without_fence(text: &str, fence: &str) -> String {
    if fence.is_empty() { text.to_owned() } else { text.replace(fence, FENCE) }
}

pub(super) fn with_fence(text: &str, fence: &str) -> String {
    if fence.is_empty() { text.to_owned() } else { text.replace(FENCE, fence) }
}
