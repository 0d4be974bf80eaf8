//! Gemini CLI: `gemini`, headless. It knows no schema.

mod wire;

use serde_json::{Value, json};

use super::{AcpSpeaker, AgentAnswer, AgentTrouble, Ask, CodingAgent, Invocation, Output, Role, with_schema};
use crate::confine::Processes;

#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl CodingAgent for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn program(&self) -> &'static str {
        "gemini"
    }

    fn variables(&self) -> &'static [&'static str] {
        &[
            "GEMINI_API_KEY",
            "GOOGLE_API_KEY",
            "GOOGLE_GENAI_USE_VERTEXAI",
            "GOOGLE_GENAI_USE_GCA",
            "GOOGLE_CLOUD_PROJECT",
            "GOOGLE_CLOUD_LOCATION",
            "GOOGLE_GEMINI_BASE_URL",
            "GEMINI_MODEL",
        ]
    }

    fn login_files(&self) -> &'static [&'static str] {
        &[".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".gemini/settings.json"]
    }

    /// It starts itself again to set its memory, and asks how much it uses.
    fn processes(&self) -> Processes {
        Processes::Listed
    }

    /// In the default mode nobody is there to be asked, so what needs approval is refused; reading needs none.
    fn review(&self, ask: &Ask<'_>) -> Invocation {
        self.invocation(ask, "default")
    }

    fn author(&self, ask: &Ask<'_>) -> Invocation {
        self.invocation(ask, "yolo")
    }

    fn acp_speaker(&self) -> AcpSpeaker {
        AcpSpeaker::Itself
    }

    fn acp(&self, ask: &Ask<'_>) -> Invocation {
        let mut arguments: Vec<String> = ["--acp", "--extensions", "none"].map(str::to_owned).into();
        if let Some(model) = ask.model {
            arguments.extend(["--model".into(), model.into()]);
        }
        Invocation { arguments, input: String::new(), ..self.invocation(ask, "default") }
    }

    fn progress(&self, line: &str) -> Option<String> {
        wire::progress(line)
    }

    fn read(&self, role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
        wire::read(role, output)
    }
}

impl Gemini {
    fn invocation(&self, ask: &Ask<'_>, approval: &str) -> Invocation {
        let mut arguments: Vec<String> =
            ["--output-format", "stream-json", "--approval-mode", approval, "--extensions", "none"]
                .map(str::to_owned)
                .into();
        if let Some(model) = ask.model {
            arguments.extend(["--model".into(), model.into()]);
        }
        // It is appended to what comes in; that alone would be taken for an interactive session by some versions.
        arguments.extend(["--prompt".into(), "Do what is asked above.".into()]);
        let settings = ask.files.join("gemini-settings.json");
        Invocation {
            arguments,
            input: with_schema(ask),
            environment: vec![
                // Without this it refuses to run where nobody has said yes to its question.
                ("GEMINI_CLI_TRUST_WORKSPACE".into(), "true".into()),
                ("GEMINI_CLI_SYSTEM_SETTINGS_PATH".into(), settings.display().to_string()),
            ],
            files: vec![(settings, settings_for(ask).to_string())],
            ..Invocation::default()
        }
    }
}

/// Settings that go before all others. With an address of its own it does not conclude from a key that the key
/// is what it should use.
fn settings_for(ask: &Ask<'_>) -> Value {
    let method = match ((ask.variable)("GOOGLE_GENAI_USE_VERTEXAI"), (ask.variable)("GEMINI_API_KEY")) {
        (Some(_), _) => Some("vertex-ai"),
        (None, Some(_)) => Some("gemini-api-key"),
        (None, None) => None,
    };
    let mut settings = json!({
        "general": {"enableAutoUpdate": false},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
    });
    if let Some(method) = method {
        settings["security"] = json!({"auth": {"selectedType": method}});
    }
    settings
}
