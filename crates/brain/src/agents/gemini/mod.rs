//! Gemini CLI: `gemini`, headless. It knows no schema.

mod wire;

use super::{AgentAnswer, AgentTrouble, Ask, CodingAgent, Invocation, Output, Role, with_schema};
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
        Invocation {
            arguments,
            input: with_schema(ask),
            // Without this it refuses to run where nobody has said yes to its question.
            environment: vec![("GEMINI_CLI_TRUST_WORKSPACE".into(), "true".into())],
            ..Invocation::default()
        }
    }
}
