use domain::review::Usage;
use serde_json::Value;

use crate::agents::extract::find_json;
use crate::agents::lines::{event, events, number, once, text};
use crate::agents::{AgentAnswer, AgentTrouble, Output, Role};

/// `{"type":"item.started","item":{"type":"command_execution","command":..}}` and the like.
pub(super) fn progress(line: &str) -> Option<String> {
    let event = event(line)?;
    let finished = match text(&event, "/type")? {
        "item.started" => false,
        "item.completed" => true,
        _ => return None,
    };
    match (text(&event, "/item/type")?, finished) {
        ("command_execution", false) => text(&event, "/item/command").map(|command| format!("$ {command}")),
        ("agent_message" | "reasoning", true) => text(&event, "/item/text").map(str::to_owned),
        ("file_change", true) if text(&event, "/item/status") == Some("failed") => {
            Some("could not change files".into())
        }
        ("file_change", true) => Some("changed files".into()),
        _ => None,
    }
}

/// One event on each line; the answer is the last `agent_message`, which is also in the file. The exit code is 0 even
/// if not one command could be run, so the commands are looked at.
pub(super) fn read(role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
    let run = Run::of(&output.stdout);
    if let Some(error) = run.error.filter(|_| !run.completed) {
        return Err(AgentTrouble::Reported(error));
    }
    let said = output.answer_file.as_deref().filter(|said| !said.trim().is_empty()).or(run.said.as_deref());
    let Some(said) = said.filter(|said| !said.trim().is_empty()) else { return Err(output.without_result()) };
    if output.exit != 0 {
        return Err(output.without_result());
    }
    if role == Role::Reviewer && run.commands > 0 && run.commands == run.broken.len() {
        let reason = run.broken.first().cloned().unwrap_or_default();
        return Err(AgentTrouble::CouldNotRead(reason));
    }
    let mut denied = run.declined;
    if role == Role::Reviewer && run.failed_patches > 0 {
        denied.push("apply_patch".into());
    }
    Ok(AgentAnswer {
        structured: find_json(said),
        text: said.to_owned(),
        usage: Some(run.usage),
        denied_tools: once(denied),
    })
}

/// What is remembered of all events.
#[derive(Default)]
struct Run {
    completed: bool,
    error: Option<String>,
    said: Option<String>,
    usage: Usage,
    commands: usize,
    /// Why, of commands that did not get as far as running.
    broken: Vec<String>,
    declined: Vec<String>,
    /// Changes of files that came to nothing. An author's did not fit; a reviewer may not make any.
    failed_patches: usize,
}

impl Run {
    fn of(stdout: &str) -> Run {
        let mut run = Run::default();
        events(stdout).for_each(|event| run.take(&event));
        run
    }

    fn take(&mut self, event: &Value) {
        match text(event, "/type").unwrap_or_default() {
            "turn.completed" => {
                self.completed = true;
                self.usage += Usage {
                    calls: 1,
                    input_tokens: number(event, "/usage/input_tokens"),
                    output_tokens: number(event, "/usage/output_tokens"),
                    cost_micro_usd: None,
                };
            }
            "turn.failed" => self.error = text(event, "/error/message").map(str::to_owned),
            "error" => self.error = text(event, "/message").map(str::to_owned),
            "item.completed" => self.take_item(event),
            _ => {}
        }
    }

    fn take_item(&mut self, event: &Value) {
        match text(event, "/item/type").unwrap_or_default() {
            "agent_message" => self.said = text(event, "/item/text").map(str::to_owned),
            "command_execution" => {
                self.commands += 1;
                self.take_command(event);
            }
            "file_change" if text(event, "/item/status") != Some("completed") => self.failed_patches += 1,
            _ => {}
        }
    }

    fn take_command(&mut self, event: &Value) {
        let printed = text(event, "/item/aggregated_output").unwrap_or_default();
        let exit = event.pointer("/item/exit_code").and_then(Value::as_i64);
        match text(event, "/item/status").unwrap_or_default() {
            "declined" => {
                self.declined.push(text(event, "/item/command").unwrap_or("a command").to_owned());
                self.broken.push("its commands were declined".into());
            }
            "failed" if exit.is_none_or(|exit| exit < 0) || sandbox_broke(printed) => {
                self.broken.push(domain::text::short_line(printed));
            }
            _ => {}
        }
    }
}

/// What the helpers print that should have confined a command and could not.
fn sandbox_broke(printed: &str) -> bool {
    [
        "bwrap:",
        "error running landlock",
        "filesystem-restricted execution requires bubblewrap",
        "codex-linux-sandbox",
        "No such file or directory (os error 2)",
    ]
    .iter()
    .any(|sign| printed.trim_start().starts_with(sign) || printed.contains(&format!("\n{sign}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn output(events: &[Value]) -> Output {
        let lines: Vec<_> = events.iter().map(Value::to_string).collect();
        Output { stdout: lines.join("\n"), ..Output::default() }
    }

    fn message(text: &str) -> Value {
        json!({"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": text}})
    }

    fn command(status: &str, exit: Option<i32>, printed: &str) -> Value {
        json!({"type": "item.completed", "item": {"type": "command_execution", "command": "ls",
            "status": status, "exit_code": exit, "aggregated_output": printed}})
    }

    fn turn() -> Value {
        json!({"type": "turn.completed", "usage": {"input_tokens": 9, "cached_input_tokens": 3, "output_tokens": 2}})
    }

    #[test]
    fn the_last_message_is_the_answer() {
        let events =
            [message("looking"), command("completed", Some(0), "a.rs"), message("{\"findings\":[]}"), turn()];
        let answer = read(Role::Reviewer, &output(&events)).unwrap();
        assert_eq!(answer.structured, Some(json!({"findings": []})));
        assert_eq!(answer.usage.unwrap().input_tokens, 9);
        let file = Output { answer_file: Some("{\"a\":1}".into()), ..output(&events) };
        assert_eq!(read(Role::Reviewer, &file).unwrap().structured, Some(json!({"a": 1})));
    }

    #[test]
    fn a_review_in_which_no_command_could_run_is_none() {
        let broken = command("failed", Some(1), "bwrap: setting up uid map: Permission denied");
        let answer = message("{\"findings\":[]}");
        let events = [broken.clone(), broken.clone(), answer.clone(), turn()];
        assert!(matches!(read(Role::Reviewer, &output(&events)), Err(AgentTrouble::CouldNotRead(_))));
        let events = [broken, command("failed", Some(1), "no match"), answer, turn()];
        assert!(read(Role::Reviewer, &output(&events)).is_ok());
    }

    #[test]
    fn a_reviewer_that_wanted_to_change_files_is_reported() {
        let change = json!({"type": "item.completed", "item": {"type": "file_change", "status": "failed",
            "changes": [{"path": "a.rs", "kind": "update"}]}});
        assert_eq!(progress(&change.to_string()).as_deref(), Some("could not change files"));
        let all = output(&[change, message("{}"), turn()]);
        assert_eq!(read(Role::Reviewer, &all).unwrap().denied_tools, ["apply_patch"]);
        assert_eq!(read(Role::Author, &all).unwrap().denied_tools, [""; 0]);
    }

    #[test]
    fn a_failed_turn_and_silence_are_no_answers() {
        let failed = json!({"type": "turn.failed", "error": {"message": "quota"}});
        assert_eq!(
            read(Role::Author, &output(&[message("half"), failed])),
            Err(AgentTrouble::Reported("quota".into()))
        );
        assert!(read(Role::Author, &output(&[turn()])).is_err());
        let exit = Output { exit: 1, ..output(&[message("{}"), turn()]) };
        assert!(matches!(read(Role::Author, &exit), Err(AgentTrouble::Failed { exit: 1, .. })));
    }

    #[test]
    fn progress_tells_commands_and_words() {
        let started = json!({"type": "item.started", "item": {"type": "command_execution", "command": "ls"}});
        assert_eq!(progress(&started.to_string()).as_deref(), Some("$ ls"));
        assert_eq!(progress(&message("hm").to_string()).as_deref(), Some("hm"));
    }
}
