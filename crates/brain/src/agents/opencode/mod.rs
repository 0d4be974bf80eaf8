//! opencode: `opencode run`. It knows no schema.

mod wire;

use serde_json::json;

use super::{AcpSpeaker, AgentAnswer, AgentTrouble, Ask, CodingAgent, Invocation, Output, Role, with_schema};
use crate::confine::Processes;

#[derive(Debug, Clone, Copy)]
pub struct Opencode;

impl CodingAgent for Opencode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn program(&self) -> &'static str {
        "opencode"
    }

    fn variables(&self) -> &'static [&'static str] {
        &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_BASE_URL",
            "OPENAI_API_KEY",
            "OPENAI_BASE_URL",
            "GEMINI_API_KEY",
            "GOOGLE_GENERATIVE_AI_API_KEY",
            "OPENROUTER_API_KEY",
            "OPENCODE_API_KEY",
        ]
    }

    fn login_files(&self) -> &'static [&'static str] {
        &[".local/share/opencode/auth.json"]
    }

    /// A small program starts the real one, whose runtime wants to know its own stack.
    fn processes(&self) -> Processes {
        Processes::Listed
    }

    /// It allows everything that is not refused, so everything is refused but reading. The last rule that fits counts.
    fn review(&self, ask: &Ask<'_>) -> Invocation {
        let permission = json!({
            "*": "deny", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow",
        });
        self.invocation(ask, &permission)
    }

    fn author(&self, ask: &Ask<'_>) -> Invocation {
        let permission = json!({
            "*": "allow", "external_directory": "deny", "webfetch": "deny", "websearch": "deny", "question": "deny",
        });
        self.invocation(ask, &permission)
    }

    fn acp_speaker(&self) -> AcpSpeaker {
        AcpSpeaker::Itself
    }

    fn acp(&self, ask: &Ask<'_>) -> Invocation {
        let permission = json!({
            "*": "ask", "read": "allow", "grep": "allow", "glob": "allow", "list": "allow",
            "external_directory": "deny", "webfetch": "deny", "websearch": "deny", "question": "deny",
        });
        Invocation {
            arguments: vec!["acp".into()],
            input: String::new(),
            ..self.invocation(ask, &permission)
        }
    }

    fn progress(&self, line: &str) -> Option<String> {
        wire::progress(line)
    }

    fn read(&self, role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
        wire::read(role, output)
    }
}

impl Opencode {
    fn invocation(&self, ask: &Ask<'_>, permission: &serde_json::Value) -> Invocation {
        let mut config = json!({
            "permission": permission, "share": "disabled", "autoupdate": false, "mcp": {}, "plugin": [],
        });
        // Others take this address without the version of the interface; it wants it with that.
        if let Some(address) = (ask.variable)("ANTHROPIC_BASE_URL") {
            let address = address.trim_end_matches('/').trim_end_matches("/v1");
            config["provider"] = json!({"anthropic": {"options": {"baseURL": format!("{address}/v1")}}});
        }
        let mut arguments: Vec<String> = ["run", "--format", "json"].map(str::to_owned).into();
        if let Some(model) = ask.model {
            config["model"] = model.into();
            arguments.extend(["--model".into(), model.into()]);
        }
        Invocation {
            arguments,
            // What comes in is its message.
            input: with_schema(ask),
            environment: vec![
                ("OPENCODE_CONFIG_CONTENT".into(), config.to_string()),
                ("OPENCODE_DISABLE_AUTOUPDATE".into(), "1".into()),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD".into(), "1".into()),
                ("OPENCODE_DISABLE_DEFAULT_PLUGINS".into(), "1".into()),
            ],
            ..Invocation::default()
        }
    }
}
