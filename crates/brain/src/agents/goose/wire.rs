use domain::review::Usage;
use serde_json::Value;

use crate::agents::extract::find_json;
use crate::agents::lines::{event, events, number, text, tool_line};
use crate::agents::{AgentAnswer, AgentTrouble, Output};

pub(super) fn progress(line: &str) -> Option<String> {
    let event = event(line)?;
    parts(&event).find_map(|part| match text(part, "/type")? {
        "toolRequest" => {
            let call = part.pointer("/toolCall/value").or(part.get("toolCall"))?;
            Some(tool_line(text(call, "/name")?, call.get("arguments").unwrap_or(&Value::Null)))
        }
        "text" if is_assistant(&event) => text(part, "/text").map(str::to_owned),
        _ => None,
    })
}

/// One event on each line: `message` (whole, or in pieces with the same id), `notification`, `error`, `complete`. The
/// answer is what the assistant said after its last tool.
pub(super) fn read(output: &Output) -> Result<AgentAnswer, AgentTrouble> {
    let mut said = String::new();
    let (mut complete, mut usage) = (false, None);
    for event in events(&output.stdout) {
        match text(&event, "/type").unwrap_or_default() {
            "message" => take_message(&event, &mut said),
            "error" => {
                let error = text(&event, "/error").or(text(&event, "/message"));
                return Err(AgentTrouble::Reported(error.unwrap_or("an error without words").to_owned()));
            }
            "complete" => {
                complete = true;
                usage = Some(usage_in(&event));
            }
            _ => {}
        }
    }
    if !complete || output.exit != 0 {
        return Err(output.without_result());
    }
    if said.trim().is_empty() {
        return Err(AgentTrouble::Empty);
    }
    Ok(AgentAnswer { structured: find_json(&said), text: said, usage, denied_tools: Vec::new() })
}

fn take_message(event: &Value, said: &mut String) {
    for part in parts(event) {
        match text(part, "/type").unwrap_or_default() {
            "text" if is_assistant(event) => said.push_str(text(part, "/text").unwrap_or_default()),
            "toolRequest" | "toolResponse" => said.clear(),
            _ => {}
        }
    }
}

fn is_assistant(event: &Value) -> bool {
    text(event, "/message/role") == Some("assistant")
}

fn parts(event: &Value) -> impl Iterator<Item = &Value> {
    event.pointer("/message/content").and_then(Value::as_array).into_iter().flatten()
}

/// Some versions tell only the sum; then all of it is counted as what went in.
fn usage_in(event: &Value) -> Usage {
    let output_tokens = number(event, "/output_tokens");
    let input_tokens =
        number(event, "/input_tokens").max(number(event, "/total_tokens").saturating_sub(output_tokens));
    Usage { calls: 1, input_tokens, output_tokens, cost_micro_usd: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(role: &str, part: Value) -> Value {
        json!({"type": "message", "message": {"id": "m", "role": role, "content": [part]}})
    }

    fn of(events: &[Value]) -> Result<AgentAnswer, AgentTrouble> {
        let lines: Vec<_> = events.iter().map(Value::to_string).collect();
        read(&Output { stdout: lines.join("\n"), ..Output::default() })
    }

    #[test]
    fn what_was_said_after_the_last_tool_is_the_answer() {
        let call = json!({"type": "toolRequest", "toolCall": {"value":
            {"name": "developer__shell", "arguments": {"command": "ls"}}}});
        let events = [
            message("assistant", json!({"type": "text", "text": "{\"not\":"})),
            message("assistant", call.clone()),
            message("user", json!({"type": "toolResponse"})),
            message("assistant", json!({"type": "text", "text": "{\"a\""})),
            message("assistant", json!({"type": "text", "text": ":1}"})),
            json!({"type": "complete", "total_tokens": 12}),
        ];
        let answer = of(&events).unwrap();
        assert_eq!(answer.structured, Some(json!({"a": 1})));
        assert_eq!(answer.usage.unwrap().input_tokens, 12);
        let line = message("assistant", call).to_string();
        assert_eq!(progress(&line).as_deref(), Some("developer__shell: ls"));
    }

    #[test]
    fn errors_silence_and_half_a_stream_are_no_answers() {
        let words = message("assistant", json!({"type": "text", "text": "{}"}));
        assert!(of(std::slice::from_ref(&words)).is_err());
        assert_eq!(of(&[json!({"type": "complete"})]), Err(AgentTrouble::Empty));
        let error = json!({"type": "error", "error": "no provider"});
        assert_eq!(of(&[words, error]), Err(AgentTrouble::Reported("no provider".into())));
    }
}
