//! Taking in a streamed answer.

use std::time::Duration;

use futures_util::StreamExt as _;
use genai::chat::{ChatStream, ChatStreamEvent, MessageContent, StopReason, StreamEnd};
use tokio::time::timeout;

use super::provider::Adapter;
use super::target::Target;
use super::trouble::Trouble;
use crate::call::{Answer, Call, Ended, Message, ToolCall};

/// No review is as long as this, nor the thoughts behind it.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;
/// What a tool is asked to do is said in few words.
const LONGEST_TOOL_CALLS: usize = 1024 * 1024;

/// What has come in so far.
#[derive(Debug, Default)]
struct Heard {
    text: String,
    /// Of thoughts, which are not kept.
    unkept: usize,
    tool_calls: usize,
    latest_call: (String, usize),
}

/// Bytes are not enough to be listened to for longer than `patience`: they have to say something.
pub(super) async fn to_the_end(
    target: &Target,
    call: &Call,
    mut stream: ChatStream,
    patience: Duration,
) -> Result<Answer, Trouble> {
    let mut heard = Heard::default();
    while let Some(event) = timeout(patience, stream.next()).await.map_err(|_| Trouble::TimedOut)? {
        match event.map_err(|error| Trouble::from(&error, &target.secrets))? {
            ChatStreamEvent::Chunk(chunk) => heard.text.push_str(&chunk.content),
            ChatStreamEvent::ReasoningChunk(chunk) | ChatStreamEvent::ThoughtSignatureChunk(chunk) => {
                heard.unkept += chunk.content.len();
            }
            ChatStreamEvent::ToolCallChunk(chunk) => heard.tool_call(&chunk.tool_call),
            ChatStreamEvent::End(end) => return answer(target, call, heard.text, end),
            ChatStreamEvent::Start | ChatStreamEvent::Heartbeat => {}
        }
        heard.check_size()?;
    }
    Err(Trouble::Failed("its answer ended before it was complete".to_owned()))
}

impl Heard {
    /// Each piece of a call comes with all that came before it.
    fn tool_call(&mut self, call: &genai::chat::ToolCall) {
        let size = call.fn_arguments.as_str().map_or(0, str::len);
        if self.latest_call.0 != call.call_id {
            self.tool_calls += self.latest_call.1 + call.fn_name.len() + call.call_id.len();
            self.latest_call.0.clone_from(&call.call_id);
        }
        self.latest_call.1 = size;
    }

    fn check_size(&self) -> Result<(), Trouble> {
        let tool_calls = self.tool_calls + self.latest_call.1;
        if self.text.len() + self.unkept > LONGEST_ANSWER || tool_calls > LONGEST_TOOL_CALLS {
            return Err(Trouble::Failed("its answer does not end, and was stopped".to_owned()));
        }
        Ok(())
    }
}

fn answer(target: &Target, call: &Call, text: String, end: StreamEnd) -> Result<Answer, Trouble> {
    let ended = ended(end.captured_stop_reason.as_ref(), target)?;
    let usage = end.captured_usage.clone().unwrap_or_default();
    let count = |tokens: Option<i32>| u64::try_from(tokens.unwrap_or(0)).unwrap_or(0);
    let (input, output) = (count(usage.prompt_tokens), count(usage.completion_tokens));
    let tool_calls = tool_calls(target, end);
    if ended == Ended::Complete && text.trim().is_empty() && tool_calls.is_empty() {
        return Err(Trouble::Failed("its answer is empty".to_owned()));
    }
    if target.adapter == Adapter::Ollama {
        check_read_in_full(call, input)?;
    }
    Ok(Answer {
        text,
        tool_calls,
        ended,
        model: target.name.clone(),
        usage: target.usage(input, output),
        cached: false,
    })
}

fn ended(reason: Option<&StopReason>, target: &Target) -> Result<Ended, Trouble> {
    match reason {
        Some(StopReason::Completed(_) | StopReason::ToolCall(_) | StopReason::StopSequence(_)) => {
            Ok(Ended::Complete)
        }
        Some(StopReason::MaxTokens(_)) => Ok(Ended::CutOff),
        Some(StopReason::ContentFilter(_)) => Ok(Ended::Refused),
        Some(StopReason::Other(other)) => {
            Err(Trouble::Failed(target.secrets.excerpt(&format!("it stopped because of `{other}`"))))
        }
        // Some clients put an end of their own to a stream that has none.
        None => Err(Trouble::Failed("its answer ended before it was complete".to_owned())),
    }
}

fn tool_calls(target: &Target, end: StreamEnd) -> Vec<ToolCall> {
    let calls = end.captured_content.map(MessageContent::into_tool_calls).unwrap_or_default();
    let ours = calls.into_iter().map(|call| {
        if let Some(signatures) = call.thought_signatures {
            target.keep_signatures(&call.call_id, signatures);
        }
        ToolCall { id: call.call_id, name: call.fn_name, arguments: call.fn_arguments }
    });
    ours.collect()
}

/// Ollama cuts a question down to its context without a word. No text has so few tokens for its length.
fn check_read_in_full(call: &Call, read_tokens: u64) -> Result<(), Trouble> {
    const MOST_BYTES_PER_TOKEN: u64 = 6;
    const TOO_SHORT_TO_TELL: u64 = 8 * 1024;
    let messages = call.messages.iter().map(|message| match message {
        Message::User(text) => text.len(),
        Message::Assistant { text, .. } => text.len(),
        Message::ToolResults(results) => results.iter().map(|result| result.content.len()).sum(),
    });
    let asked = (call.system.len() + messages.sum::<usize>()) as u64;
    if read_tokens == 0 || asked < TOO_SHORT_TO_TELL || asked / read_tokens < MOST_BYTES_PER_TOKEN {
        return Ok(());
    }
    Err(Trouble::TooLarge(format!(
        "it has read {read_tokens} tokens of a question of {asked} bytes; start Ollama with a larger \
         OLLAMA_CONTEXT_LENGTH"
    )))
}
