use std::collections::{HashMap, VecDeque};

use agent_client_protocol::v1::schema::{
    ContentBlock, RequestPermissionRequest, SessionUpdate, ToolCall, ToolCallId, ToolCallUpdate,
    ToolCallUpdateFields, UsageUpdate,
};
use domain::review::Usage;
use domain::text::short_line;

use super::super::AgentAnswer;
use super::super::lines::once;

/// More of a last message is not kept.
const LONGEST_MESSAGE: usize = 256 * 1024;
/// Calls that are remembered until permission is asked for them.
const MOST_CALLS: usize = 256;
const MOST_DENIED: usize = 100;

/// What an agent has said in its session so far. Of bounded size, whatever it says.
#[derive(Debug, Default)]
pub(super) struct Heard {
    message: String,
    /// A tool was used since: what is said next is a new message.
    interrupted: bool,
    line: String,
    calls: HashMap<ToolCallId, ToolCallUpdateFields>,
    order: VecDeque<ToolCallId>,
    cost_micro_usd: Option<u64>,
    denied: Vec<String>,
    did_something: bool,
}

impl Heard {
    /// Takes an update in, and says what is to be told of it: clean lines.
    pub(super) fn update(&mut self, update: SessionUpdate) -> Vec<String> {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => match chunk.content {
                ContentBlock::Text(text) => self.say(&text.text),
                _ => Vec::new(),
            },
            SessionUpdate::ToolCall(call) => self.call(call),
            SessionUpdate::ToolCallUpdate(update) => {
                self.remember(update);
                Vec::new()
            }
            SessionUpdate::UsageUpdate(usage) => {
                self.cost_micro_usd = micro_usd(&usage).or(self.cost_micro_usd);
                Vec::new()
            }
            // Thoughts, plans and what it offers are of no use here; nor is what later versions add.
            _ => Vec::new(),
        }
    }

    /// Instead of an answer, where none was asked for.
    pub(super) fn introduced_as(&mut self, name: String) {
        self.message = name;
    }

    /// The call that permission is asked for, with everything that was said about it before.
    pub(super) fn complete(&self, request: &RequestPermissionRequest) -> RequestPermissionRequest {
        let mut request = request.clone();
        if let Some(known) = self.calls.get(&request.tool_call.tool_call_id) {
            let asked = std::mem::replace(&mut request.tool_call.fields, known.clone());
            merge(&mut request.tool_call.fields, asked);
        }
        request
    }

    /// Notes a refusal, and says what is to be told of it.
    pub(super) fn deny(&mut self, request: &RequestPermissionRequest, reason: &str) -> String {
        let fields = &request.tool_call.fields;
        let title = fields.title.as_deref().or(fields.name.as_deref()).unwrap_or("a tool without a name");
        let told = short_line(&format!("{title}: {reason}"));
        if self.denied.len() < MOST_DENIED {
            self.denied.push(told.clone());
        }
        told
    }

    pub(super) fn into_answer(mut self) -> Option<AgentAnswer> {
        let text = std::mem::take(&mut self.message);
        if text.trim().is_empty() && !self.did_something {
            return None;
        }
        // Tokens are not told in this version of the protocol.
        let usage = self.cost_micro_usd.map(|cost| Usage {
            calls: 1,
            cost_micro_usd: Some(cost),
            ..Usage::default()
        });
        Some(AgentAnswer { text, structured: None, usage, denied_tools: once(self.denied) })
    }

    fn say(&mut self, text: &str) -> Vec<String> {
        if self.interrupted && !text.trim().is_empty() {
            self.message.clear();
            self.interrupted = false;
        }
        let room = LONGEST_MESSAGE.saturating_sub(self.message.len());
        self.message.push_str(&text[..text.floor_char_boundary(room)]);
        let mut told = Vec::new();
        for part in text.split_inclusive('\n') {
            let room = 4_096_usize.saturating_sub(self.line.len());
            self.line.push_str(&part[..part.floor_char_boundary(room)]);
            if part.ends_with('\n') {
                told.extend(self.finish_line());
            }
        }
        told
    }

    /// The line that was begun, if there is anything on it.
    pub(super) fn finish_line(&mut self) -> Option<String> {
        let line = short_line(&std::mem::take(&mut self.line));
        (!line.is_empty()).then_some(line)
    }

    fn call(&mut self, call: ToolCall) -> Vec<String> {
        self.interrupted = true;
        self.did_something = true;
        let mut told: Vec<String> = self.finish_line().into_iter().collect();
        let title = short_line(&call.title);
        if !title.is_empty() {
            told.push(title);
        }
        self.remember(call.into());
        told
    }

    fn remember(&mut self, update: ToolCallUpdate) {
        if let Some(known) = self.calls.get_mut(&update.tool_call_id) {
            merge(known, update.fields);
            return;
        }
        if self.order.len() == MOST_CALLS
            && let Some(oldest) = self.order.pop_front()
        {
            self.calls.remove(&oldest);
        }
        self.order.push_back(update.tool_call_id.clone());
        let mut fields = ToolCallUpdateFields::default();
        merge(&mut fields, update.fields);
        self.calls.insert(update.tool_call_id, fields);
    }
}

/// What is left out stays as it was. What a tool answered is nobody's business here.
fn merge(known: &mut ToolCallUpdateFields, update: ToolCallUpdateFields) {
    let ToolCallUpdateFields { kind, title, name, content, locations, raw_input, .. } = update;
    known.kind = kind.or(known.kind);
    known.title = title.or(known.title.take());
    known.name = name.or(known.name.take());
    known.content = content.or(known.content.take());
    known.locations = locations.or(known.locations.take());
    known.raw_input = raw_input.or(known.raw_input.take());
}

fn micro_usd(usage: &UsageUpdate) -> Option<u64> {
    let cost = usage.cost.as_ref().filter(|cost| cost.currency.eq_ignore_ascii_case("usd"))?;
    (cost.amount.is_finite() && cost.amount >= 0.0).then_some((cost.amount * 1e6).round() as u64)
}
