use domain::review::Usage;
use serde_json::Value;

use crate::agents::lines::{event, events, number, text, tool_line};
use crate::agents::tally::Tally;
use crate::agents::{AgentAnswer, AgentTrouble, Output, Role};

/// Without these a reviewer has seen nothing but its prompt.
const READING: [&str; 6] =
    ["read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"];

pub(super) fn progress(line: &str) -> Option<String> {
    let event = event(line)?;
    match text(&event, "/type")? {
        "tool_use" => {
            Some(tool_line(text(&event, "/tool_name")?, event.get("parameters").unwrap_or(&Value::Null)))
        }
        "message" if text(&event, "/role") == Some("assistant") => {
            text(&event, "/content").map(str::to_owned)
        }
        _ => None,
    }
}

/// One event on each line: `init`, `message` (the assistant's in pieces), `tool_use`, `tool_result`, `error`,
/// `result`. The answer is what the assistant said after its last tool.
pub(super) fn read(role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
    let mut run = Run::default();
    events(&output.stdout).for_each(|event| run.take(&event));
    if let Some(error) = run.tally.error {
        return Err(AgentTrouble::Reported(error));
    }
    if !run.finished || output.exit != 0 {
        return Err(output.without_result());
    }
    run.tally.answer(role, &READING)
}

#[derive(Default)]
struct Run {
    tally: Tally,
    finished: bool,
    /// Tools by the id of their call.
    called: Vec<(String, String)>,
}

impl Run {
    fn take(&mut self, event: &Value) {
        match text(event, "/type").unwrap_or_default() {
            "message" if text(event, "/role") == Some("assistant") => {
                self.tally.said.push_str(text(event, "/content").unwrap_or_default());
            }
            "tool_use" => {
                self.tally.said.clear();
                let part = |pointer| text(event, pointer).unwrap_or_default().to_owned();
                self.called.push((part("/tool_id"), part("/tool_name")));
            }
            "tool_result" => self.take_result(event),
            "error" if text(event, "/severity") != Some("warning") => {
                let said = text(event, "/message").unwrap_or("an error without words");
                self.tally.error = Some(said.to_owned());
            }
            "result" => {
                self.finished = true;
                if text(event, "/status") == Some("error") {
                    let said = text(event, "/error/message").unwrap_or("an error without words");
                    self.tally.error = Some(said.to_owned());
                }
                self.tally.usage = Usage {
                    calls: 1,
                    input_tokens: number(event, "/stats/input_tokens"),
                    output_tokens: number(event, "/stats/output_tokens"),
                    cost_micro_usd: None,
                };
            }
            _ => {}
        }
    }

    fn take_result(&mut self, event: &Value) {
        let id = text(event, "/tool_id").unwrap_or_default();
        let tool = self.called.iter().rev().find(|(called, _)| called == id);
        let Some(tool) = tool.map(|(_, tool)| tool.clone()) else { return };
        if text(event, "/status") != Some("error") {
            self.tally.worked(tool);
            return;
        }
        let reason = text(event, "/error/type").unwrap_or_default();
        self.tally.failed(tool, reason, &["denied", "not_allowed", "policy", "not_registered"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(content: &str) -> Value {
        json!({"type": "message", "role": "assistant", "content": content, "delta": true})
    }

    fn tool(id: &str, name: &str) -> Value {
        json!({"type": "tool_use", "tool_id": id, "tool_name": name, "parameters": {"path": "a.rs"}})
    }

    fn result() -> Value {
        json!({"type": "result", "status": "success", "stats": {"input_tokens": 8, "output_tokens": 3}})
    }

    fn of(events: &[Value]) -> Result<AgentAnswer, AgentTrouble> {
        let lines: Vec<_> = events.iter().map(Value::to_string).collect();
        read(Role::Reviewer, &Output { stdout: lines.join("\n"), ..Output::default() })
    }

    #[test]
    fn the_pieces_after_the_last_tool_are_the_answer() {
        let done = json!({"type": "tool_result", "tool_id": "1", "status": "success"});
        let events = [
            said("Let me see {"),
            tool("1", "read_file"),
            done,
            said("```json\n{\"a\""),
            said(":1}\n```"),
            result(),
        ];
        let answer = of(&events).unwrap();
        assert_eq!(answer.structured, Some(json!({"a": 1})));
        assert_eq!(answer.usage.unwrap().output_tokens, 3);
    }

    #[test]
    fn a_reviewer_whose_reading_failed_has_not_reviewed() {
        let refused = json!({"type": "tool_result", "tool_id": "1", "status": "error",
            "error": {"type": "policy_violation", "message": "no"}});
        let events = [tool("1", "read_file"), refused, said("{}"), result()];
        assert_eq!(of(&events), Err(AgentTrouble::CouldNotRead("read_file".into())));
    }

    #[test]
    fn errors_silence_and_half_a_stream_are_no_answers() {
        let error = json!({"type": "error", "severity": "error", "message": "quota"});
        assert_eq!(of(&[said("{}"), error, result()]), Err(AgentTrouble::Reported("quota".into())));
        assert_eq!(of(&[result()]), Err(AgentTrouble::Empty));
        assert!(of(&[said("{}")]).is_err());
    }
}
