use domain::review::Usage;
use serde_json::Value;

use crate::agents::lines::{event, events, micro_usd, number, text, tool_line};
use crate::agents::tally::Tally;
use crate::agents::{AgentAnswer, AgentTrouble, Output, Role};

const READING: [&str; 4] = ["read", "grep", "glob", "list"];

pub(super) fn progress(line: &str) -> Option<String> {
    let event = event(line)?;
    match text(&event, "/type")? {
        "tool_use" => {
            let input = event.pointer("/part/state/input").unwrap_or(&Value::Null);
            Some(tool_line(text(&event, "/part/tool")?, input))
        }
        "text" => text(&event, "/part/text").map(str::to_owned),
        _ => None,
    }
}

/// One event on each line: `step_start`, `text`, `tool_use`, `step_finish`, `error`. There is none for the end, so a
/// stream counts as whole if its last step finished for a reason other than wanting tools.
pub(super) fn read(role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
    let mut run = Run::default();
    events(&output.stdout).for_each(|event| run.take(&event));
    if let Some(error) = run.tally.error {
        return Err(AgentTrouble::Reported(error));
    }
    match run.reason.as_deref() {
        Some("stop") if output.exit == 0 => {}
        Some(reason) if output.exit == 0 => {
            return Err(AgentTrouble::Unreadable(format!("it stopped because of {reason}")));
        }
        _ => return Err(output.without_result()),
    }
    run.tally.answer(role, &READING)
}

#[derive(Default)]
struct Run {
    tally: Tally,
    /// Of the last step.
    reason: Option<String>,
}

impl Run {
    fn take(&mut self, event: &Value) {
        match text(event, "/type").unwrap_or_default() {
            "step_start" => {
                self.reason = None;
                self.tally.said.clear();
            }
            "text" => self.tally.said.push_str(text(event, "/part/text").unwrap_or_default()),
            "tool_use" => self.take_tool(event),
            "step_finish" => {
                self.reason = text(event, "/part/reason").map(str::to_owned);
                self.tally.usage += Usage {
                    calls: 1,
                    input_tokens: number(event, "/part/tokens/input")
                        + number(event, "/part/tokens/cache/read")
                        + number(event, "/part/tokens/cache/write"),
                    output_tokens: number(event, "/part/tokens/output"),
                    cost_micro_usd: micro_usd(event, "/part/cost"),
                };
            }
            "error" => {
                let said = text(event, "/error/data/message").or(text(event, "/error/name"));
                self.tally.error = Some(said.unwrap_or("an error without words").to_owned());
            }
            _ => {}
        }
    }

    fn take_tool(&mut self, event: &Value) {
        let tool = text(event, "/part/tool").unwrap_or("a tool").to_owned();
        if text(event, "/part/state/status") != Some("error") {
            self.tally.worked(tool);
            return;
        }
        let reason = text(event, "/part/state/error").unwrap_or_default();
        self.tally.failed(tool, reason, &["rejected", "permission", "denied", "prevents"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn start() -> Value {
        json!({"type": "step_start", "part": {"type": "step-start"}})
    }

    fn said(content: &str) -> Value {
        json!({"type": "text", "part": {"type": "text", "text": content}})
    }

    fn finish(reason: &str) -> Value {
        json!({"type": "step_finish", "part": {"reason": reason, "cost": 0.001,
            "tokens": {"input": 5, "output": 2, "cache": {"read": 1, "write": 0}}}})
    }

    fn tool(name: &str, status: &str) -> Value {
        json!({"type": "tool_use", "part": {"tool": name, "state": {"status": status,
            "error": "The user rejected permission to use this tool"}}})
    }

    fn of(events: &[Value]) -> Result<AgentAnswer, AgentTrouble> {
        let lines: Vec<_> = events.iter().map(Value::to_string).collect();
        read(Role::Reviewer, &Output { stdout: lines.join("\n"), ..Output::default() })
    }

    #[test]
    fn the_text_of_the_last_step_is_the_answer_and_all_steps_are_paid_for() {
        let events = [
            start(),
            said("Looking"),
            tool("read", "completed"),
            finish("tool-calls"),
            start(),
            said("Result: {\"a\":1}"),
            finish("stop"),
        ];
        let answer = of(&events).unwrap();
        assert_eq!(answer.structured, Some(json!({"a": 1})));
        let usage = Usage { calls: 2, input_tokens: 12, output_tokens: 4, cost_micro_usd: Some(2_000) };
        assert_eq!(answer.usage, Some(usage));
    }

    #[test]
    fn refused_tools_are_told_and_refused_reading_is_no_review() {
        let events = [start(), tool("read", "completed"), tool("bash", "error"), said("{}"), finish("stop")];
        assert_eq!(of(&events).unwrap().denied_tools, ["bash"]);
        let events = [start(), tool("read", "error"), said("{}"), finish("stop")];
        assert_eq!(of(&events), Err(AgentTrouble::CouldNotRead("read".into())));
    }

    #[test]
    fn a_stream_that_breaks_off_is_no_answer() {
        assert!(of(&[start(), said("{}"), finish("tool-calls")]).is_err());
        assert!(of(&[start(), said("{}")]).is_err());
        let error =
            json!({"type": "error", "error": {"name": "APIError", "data": {"message": "overloaded"}}});
        assert_eq!(of(&[start(), error]), Err(AgentTrouble::Reported("overloaded".into())));
    }
}
