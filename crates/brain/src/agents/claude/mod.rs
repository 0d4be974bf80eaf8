//! Claude Code: `claude -p`.

mod wire;

use super::{AcpSpeaker, AgentAnswer, AgentTrouble, Ask, CodingAgent, Invocation, Output, Role};
use crate::confine::Processes;

#[derive(Debug, Clone, Copy)]
pub struct Claude;

/// Reads files and cannot run anything.
const READING: &str = "Read,Grep,Glob";
const WRITING: &str = "Read,Grep,Glob,Edit,Write,Bash";

impl CodingAgent for Claude {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn program(&self) -> &'static str {
        "claude"
    }

    fn variables(&self) -> &'static [&'static str] {
        &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "ANTHROPIC_MODEL",
            "CLAUDE_CODE_OAUTH_TOKEN",
        ]
    }

    fn login_files(&self) -> &'static [&'static str] {
        &[".claude/.credentials.json"]
    }

    fn review(&self, ask: &Ask<'_>) -> Invocation {
        let mut invocation = self.invocation(ask, READING);
        // A tool that is not on the list is refused without anybody being asked.
        invocation.arguments.extend(["--permission-prompts".into(), "none".into()]);
        if let Some(schema) = ask.schema {
            invocation.arguments.extend(["--json-schema".into(), schema.to_string()]);
        }
        invocation
    }

    fn author(&self, ask: &Ask<'_>) -> Invocation {
        let mut invocation = self.invocation(ask, WRITING);
        // Not `bypassPermissions`: it is refused to root. Edits are accepted, and programs are allowed by name.
        invocation
            .arguments
            .extend(["--permission-mode", "acceptEdits", "--allowedTools", WRITING].map(str::to_owned));
        invocation
    }

    fn acp_speaker(&self) -> AcpSpeaker {
        AcpSpeaker::Another { program: "claude-agent-acp", package: "@agentclientprotocol/claude-agent-acp" }
    }

    fn acp(&self, ask: &Ask<'_>) -> Invocation {
        let mut environment = environment(ask);
        environment.extend(ask.model.map(|model| ("ANTHROPIC_MODEL".into(), model.into())));
        // It starts the agent as a child, whose runtime breaks when it cannot look at itself.
        Invocation { environment, processes: Some(Processes::Listed), ..Invocation::default() }
    }

    /// As [`Claude::invocation`] has it: nothing the worktree brings along is followed. And the model is not asked for what
    /// nobody reads: a title for the session, and what the user may want to say next.
    fn acp_session(&self) -> serde_json::Value {
        serde_json::json!({"claudeCode": {"options": {
            "settingSources": ["user"], "strictMcpConfig": true, "persistSession": false,
            "title": "Countersign", "promptSuggestions": false,
        }}})
    }

    fn progress(&self, line: &str) -> Option<String> {
        wire::progress(line)
    }

    fn read(&self, role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
        wire::read(role, output)
    }
}

impl Claude {
    fn invocation(&self, ask: &Ask<'_>, tools: &str) -> Invocation {
        let mut arguments: Vec<String> = ["-p", "--output-format", "stream-json", "--verbose"]
            .into_iter()
            .chain(["--tools", tools, "--strict-mcp-config", "--no-session-persistence"])
            // Of the user, whose home is empty here: settings and hooks of the worktree are not to be followed. Not
            // `--bare`, which does the same and takes Grep, Glob and Write away.
            .chain(["--setting-sources", "user"])
            .map(str::to_owned)
            .collect();
        if let Some(model) = ask.model {
            arguments.extend(["--model".into(), model.into()]);
        }
        if let Some(cents) = ask.cents {
            arguments.extend(["--max-budget-usd".into(), format!("{}.{:02}", cents / 100, cents % 100)]);
        }
        Invocation {
            arguments,
            input: ask.prompt.to_owned(),
            environment: environment(ask),
            ..Invocation::default()
        }
    }
}

fn environment(ask: &Ask<'_>) -> Vec<(String, String)> {
    let temporary = ask.files.display().to_string();
    [
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("CLAUDE_CODE_TMPDIR", &temporary),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into()
}
