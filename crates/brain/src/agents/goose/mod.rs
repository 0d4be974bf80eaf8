//! goose: `goose run`. It knows no schema, and nothing between all of its tools and none.

mod wire;

use super::{
    AcpSpeaker, AgentAnswer, AgentTrouble, Ask, CodingAgent, Guard, Invocation, Output, Role, with_schema,
};

#[derive(Debug, Clone, Copy)]
pub struct Goose;

impl CodingAgent for Goose {
    fn name(&self) -> &'static str {
        "goose"
    }

    fn program(&self) -> &'static str {
        "goose"
    }

    fn variables(&self) -> &'static [&'static str] {
        &[
            "GOOSE_PROVIDER",
            "GOOSE_MODEL",
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_HOST",
            "OPENAI_API_KEY",
            "OPENAI_HOST",
            "GOOGLE_API_KEY",
            "OPENROUTER_API_KEY",
            "OLLAMA_HOST",
        ]
    }

    fn login_files(&self) -> &'static [&'static str] {
        &[".config/goose/config.yaml", ".config/goose/secrets.yaml"]
    }

    /// Its tools write as well as read. Where the kernel keeps it from writing it may have them; where nothing
    /// does, it has to judge by what is in its prompt.
    fn review(&self, ask: &Ask<'_>) -> Invocation {
        match ask.guard {
            Guard::Kernel => self.invocation(ask, "auto"),
            Guard::Itself => self.invocation(ask, "chat"),
        }
    }

    fn author(&self, ask: &Ask<'_>) -> Invocation {
        self.invocation(ask, "auto")
    }

    fn acp_speaker(&self) -> AcpSpeaker {
        AcpSpeaker::Itself
    }

    fn acp(&self, ask: &Ask<'_>) -> Invocation {
        let arguments = ["acp", "--with-builtin", "developer"].map(str::to_owned).into();
        Invocation { arguments, input: String::new(), ..self.invocation(ask, "approve") }
    }

    fn progress(&self, line: &str) -> Option<String> {
        wire::progress(line)
    }

    fn read(&self, _: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
        wire::read(output)
    }
}

impl Goose {
    fn invocation(&self, ask: &Ask<'_>, mode: &str) -> Invocation {
        let arguments = ["run", "--no-session", "--quiet", "--output-format", "stream-json"]
            .into_iter()
            .chain(["--with-builtin", "developer", "--instructions", "-"])
            .map(str::to_owned)
            .collect();
        let mut environment =
            vec![("GOOSE_MODE".into(), mode.to_owned()), ("GOOSE_DISABLE_KEYRING".into(), "1".into())];
        if let Some(model) = ask.model {
            environment.push(("GOOSE_MODEL".into(), model.into()));
        }
        Invocation { arguments, input: with_schema(ask), environment, ..Invocation::default() }
    }
}
