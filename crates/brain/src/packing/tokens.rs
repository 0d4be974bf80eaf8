use crate::call::{Call, Message};

/// What a provider adds around each message.
const PER_MESSAGE: usize = 8;

/// Tokens of a text. Every model has a vocabulary of its own, and on code they differ by a few percent; this one
/// takes half the memory of the newest.
pub fn count(text: &str) -> usize {
    bpe_openai::cl100k_base().count(text)
}

/// Tokens of everything that is sent with a call, its schema included.
pub fn count_call(call: &Call) -> usize {
    let messages: usize = call
        .messages
        .iter()
        .map(|message| match message {
            Message::User(text) => count(text) + PER_MESSAGE,
            Message::Assistant { text, tool_calls } => {
                let calls =
                    tool_calls.iter().map(|call| count(&call.name) + count(&call.arguments.to_string()));
                count(text) + calls.sum::<usize>() + PER_MESSAGE
            }
            Message::ToolResults(results) => {
                results.iter().map(|result| count(&result.content) + PER_MESSAGE).sum()
            }
        })
        .sum();
    let schema = call.schema.as_ref().map_or(0, |schema| count(&schema.schema.to_string()));
    let tools: usize =
        call.tools.iter().map(|tool| count(&tool.description) + count(&tool.input.to_string())).sum();
    count(&call.system) + PER_MESSAGE + messages + schema + tools
}

/// The beginning of `text` that has at most `limit` tokens, whole lines where that leaves something.
pub fn clip(text: &str, limit: usize) -> &str {
    /// No token of ordinary text is longer, and a longer text need not be counted to be known as too long.
    const LONGEST_TOKEN: usize = 32;
    let mut kept = floor(text, limit.saturating_mul(LONGEST_TOKEN));
    loop {
        let tokens = count(&text[..kept]);
        if tokens <= limit {
            return &text[..kept];
        }
        let smaller = floor(text, kept.saturating_mul(limit) / tokens);
        let line_end = text[..smaller].rfind('\n').map_or(0, |at| at + 1);
        kept = if line_end * 2 > smaller { line_end } else { smaller };
    }
}

/// The last character boundary at or before `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_keeps_what_fits() {
        let text = "fn main() {\n    let x = 1;\n}\n".repeat(100);
        for limit in [0, 1, 7, 100, 10_000] {
            let kept = clip(&text, limit);
            assert!(count(kept) <= limit && text.starts_with(kept));
            assert_eq!(kept.len() == text.len(), limit == 10_000);
        }
        assert!(clip(&text, 100).ends_with('\n'));
        assert!(!clip(&"x".repeat(100_000), 50).is_empty());
    }

    #[test]
    fn everything_that_is_sent_is_counted() {
        let mut call = Call { system: "You review.".into(), ..Call::default() };
        let before = count_call(&call);
        call.messages.push(Message::User("one two three".into()));
        assert_eq!(count_call(&call), before + 3 + PER_MESSAGE);
    }
}
