use std::collections::HashMap;

use domain::review::Usage;
use serde_json::Value;

use crate::agents::extract::find_json;
use crate::agents::lines::{event, events, micro_usd, number, once, text, tool_line};
use crate::agents::{AgentAnswer, AgentTrouble, Output, Role};

/// Without these a reviewer has seen nothing but its prompt.
const READING: [&str; 3] = ["Read", "Grep", "Glob"];

/// `{"type":"assistant","message":{"content":[{"type":"text",..} | {"type":"tool_use",..}]}}`
pub(super) fn progress(line: &str) -> Option<String> {
    let event = event(line)?;
    if text(&event, "/type") != Some("assistant") {
        return None;
    }
    let parts = event.pointer("/message/content")?.as_array()?;
    parts.iter().find_map(|part| match text(part, "/type")? {
        "tool_use" => Some(tool_line(text(part, "/name")?, part.get("input").unwrap_or(&Value::Null))),
        "text" => text(part, "/text").map(str::to_owned),
        _ => None,
    })
}

/// The last line is `{"type":"result","subtype":..,"is_error":..,"result":..,"structured_output":..,
/// "permission_denials":[{"tool_name":..}],"usage":{..},"total_cost_usd":..}`. It says success even if every
/// tool was refused, so the refusals are looked at.
pub(super) fn read(role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
    let result = events(&output.stdout).filter(|event| text(event, "/type") == Some("result")).last();
    let Some(result) = result else { return Err(output.without_result()) };
    let said = text(&result, "/result").unwrap_or_default();
    if result.get("is_error").and_then(Value::as_bool) == Some(true) {
        return Err(AgentTrouble::Reported(error_in(&result, said)));
    }
    if text(&result, "/subtype").is_some_and(|subtype| subtype != "success") {
        return Err(AgentTrouble::Reported(error_in(&result, said)));
    }
    let denied_tools = once(denied(&result).into_iter().chain(missing(&output.stdout)));
    if role == Role::Reviewer && denied_tools.iter().any(|tool| READING.contains(&tool.as_str())) {
        return Err(AgentTrouble::CouldNotRead(denied_tools.join(", ")));
    }
    let structured = match result.get("structured_output") {
        Some(value @ Value::Object(_)) => Some(value.clone()),
        _ => find_json(said),
    };
    if said.trim().is_empty() && structured.is_none() {
        return Err(AgentTrouble::Empty);
    }
    Ok(AgentAnswer { text: said.to_owned(), structured, usage: Some(usage(&result)), denied_tools })
}

fn error_in(result: &Value, said: &str) -> String {
    let errors = result.get("errors").and_then(Value::as_array);
    let first = errors.and_then(|errors| errors.iter().find_map(Value::as_str));
    let kind = text(result, "/subtype").filter(|kind| *kind != "success");
    let said = first.or(Some(said).filter(|said| !said.is_empty()));
    [kind, said].into_iter().flatten().collect::<Vec<_>>().join(": ")
}

fn denied(result: &Value) -> Vec<String> {
    let denials = result.get("permission_denials").and_then(Value::as_array);
    denials.into_iter().flatten().filter_map(|denial| text(denial, "/tool_name")).map(str::to_owned).collect()
}

/// Tools that were called although they are not on the list. Those are no denials to Claude Code: it answers the
/// model `No such tool available`, in an event like `{"type":"user","message":{"content":[{"type":"tool_result",
/// "tool_use_id":..,"is_error":true,"content":".."}]}}`, and mentions them nowhere else.
fn missing(stdout: &str) -> Vec<String> {
    let mut called: HashMap<String, String> = HashMap::new();
    let mut missing = Vec::new();
    for event in events(stdout) {
        let parts = event.pointer("/message/content").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            match text(part, "/type") {
                Some("tool_use") => {
                    let (id, name) = (text(part, "/id"), text(part, "/name"));
                    called.extend(id.zip(name).map(|(id, name)| (id.to_owned(), name.to_owned())));
                }
                Some("tool_result") if is_missing(part) => {
                    missing.extend(text(part, "/tool_use_id").and_then(|id| called.get(id)).cloned());
                }
                _ => {}
            }
        }
    }
    missing
}

fn is_missing(result: &Value) -> bool {
    let said = text(result, "/content").unwrap_or_default();
    result.get("is_error").and_then(Value::as_bool) == Some(true)
        && said.trim_start_matches("<tool_use_error>").starts_with("Error: No such tool available")
}

fn usage(result: &Value) -> Usage {
    let read = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    Usage {
        calls: u32::try_from(number(result, "/num_turns")).unwrap_or(u32::MAX).max(1),
        input_tokens: read.iter().map(|key| number(result, &format!("/usage/{key}"))).sum(),
        output_tokens: number(result, "/usage/output_tokens"),
        cost_micro_usd: micro_usd(result, "/total_cost_usd"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn output(result: Value) -> Output {
        let stdout = format!("{}\n{result}\n", json!({"type": "system", "subtype": "init"}));
        Output { stdout, ..Output::default() }
    }

    fn result() -> Value {
        json!({"type": "result", "subtype": "success", "is_error": false, "num_turns": 3, "result": "",
            "structured_output": {"findings": []}, "total_cost_usd": 0.0123, "permission_denials": [],
            "usage": {"input_tokens": 10, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 7,
                "output_tokens": 4}})
    }

    #[test]
    fn the_structured_answer_and_its_cost_are_read() {
        let answer = read(Role::Reviewer, &output(result())).unwrap();
        assert_eq!(answer.structured, Some(json!({"findings": []})));
        let usage = Usage { calls: 3, input_tokens: 22, output_tokens: 4, cost_micro_usd: Some(12_300) };
        assert_eq!(answer.usage, Some(usage));
    }

    #[test]
    fn success_without_having_been_allowed_to_read_is_no_review() {
        let mut refused = result();
        refused["permission_denials"] = json!([{"tool_name": "Read"}, {"tool_name": "Read"}]);
        assert_eq!(read(Role::Reviewer, &output(refused)), Err(AgentTrouble::CouldNotRead("Read".into())));
        let mut blocked = result();
        blocked["permission_denials"] = json!([{"tool_name": "Write"}]);
        assert_eq!(read(Role::Reviewer, &output(blocked)).unwrap().denied_tools, ["Write"]);
    }

    #[test]
    fn errors_and_silence_are_no_answers() {
        let mut over = result();
        over["subtype"] = json!("error_max_budget_usd");
        over["is_error"] = json!(true);
        assert_eq!(
            read(Role::Reviewer, &output(over)),
            Err(AgentTrouble::Reported("error_max_budget_usd".into()))
        );
        let mut silent = result();
        silent["structured_output"] = Value::Null;
        assert_eq!(read(Role::Reviewer, &output(silent)), Err(AgentTrouble::Empty));
        assert_eq!(read(Role::Reviewer, &Output::default()), Err(AgentTrouble::Empty));
        let cut = Output { stdout: "{\"type\":\"result\",\"resu".into(), ..Output::default() };
        assert!(matches!(read(Role::Reviewer, &cut), Err(AgentTrouble::Unreadable(_))));
    }

    #[test]
    fn tools_that_are_not_there_count_as_denied() {
        let called = |id: &str, name: &str| {
            json!({"type": "assistant", "message": {"content": [
            {"type": "tool_use", "id": id, "name": name, "input": {}}]}})
        };
        let answered = |id: &str, said: &str| {
            json!({"type": "user", "message": {"content": [
            {"type": "tool_result", "tool_use_id": id, "is_error": true, "content": said}]}})
        };
        let gone =
            "<tool_use_error>Error: No such tool available: Write. Write is disabled.</tool_use_error>";
        let events = [
            called("1", "Write"),
            answered("1", gone),
            called("2", "Read"),
            answered("2", "File does not exist. Error: No such tool available"),
            result(),
        ];
        let stdout = events.map(|event| event.to_string()).join("\n");
        let answer = read(Role::Reviewer, &Output { stdout, ..Output::default() }).unwrap();
        assert_eq!(answer.denied_tools, ["Write"]);
    }

    #[test]
    fn progress_tells_tools_and_words() {
        let tool = json!({"type": "assistant", "message": {"content": [
            {"type": "tool_use", "name": "Read", "input": {"file_path": "a.rs"}}]}});
        assert_eq!(progress(&tool.to_string()).as_deref(), Some("Read: a.rs"));
        assert_eq!(progress("{\"type\":\"system\"}"), None);
        assert_eq!(progress("warning"), None);
    }
}
