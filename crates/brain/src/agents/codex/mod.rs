//! Codex: `codex exec`.

mod wire;

use serde_json::{Value, json};

use super::{
    AcpSpeaker, AgentAnswer, AgentTrouble, Ask, CodingAgent, Guard, HomePlace, Invocation, Output, Role,
};

#[derive(Debug, Clone, Copy)]
pub struct Codex;

impl CodingAgent for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn program(&self) -> &'static str {
        "codex"
    }

    fn variables(&self) -> &'static [&'static str] {
        &["CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"]
    }

    fn login_files(&self) -> &'static [&'static str] {
        &[".codex/auth.json"]
    }

    /// It starts a helper that it keeps in its home, and every command fails if that is a temporary place.
    fn home(&self) -> HomePlace {
        HomePlace::OutsideTemporary
    }

    fn review(&self, ask: &Ask<'_>) -> Invocation {
        self.invocation(ask, "read-only")
    }

    fn author(&self, ask: &Ask<'_>) -> Invocation {
        self.invocation(ask, "workspace-write")
    }

    fn acp_speaker(&self) -> AcpSpeaker {
        AcpSpeaker::Another { program: "codex-acp", package: "@agentclientprotocol/codex-acp" }
    }

    /// There are two programs of that name. The newer one takes its settings from variables, and the older one from the
    /// command line, which the newer one does not read.
    fn acp(&self, ask: &Ask<'_>) -> Invocation {
        let mut arguments: Vec<String> = ["-c", "web_search=\"disabled\""].map(str::to_owned).into();
        let mut set = |key: &str, value: &str| {
            arguments.extend(["-c".into(), format!("{key}={}", Value::from(value))]);
        };
        // Asked before each command, whichever sandbox it is in.
        set("approval_policy", "untrusted");
        set("sandbox_mode", sandbox(ask, "workspace-write"));
        if let Some(model) = ask.model {
            set("model", model);
        }
        if let Some(address) = (ask.variable)("OPENAI_BASE_URL") {
            arguments.extend(provider_at(&address));
        }
        let mut environment = key(ask);
        if !environment.is_empty() {
            environment.push(("DEFAULT_AUTH_REQUEST".into(), json!({"methodId": "api-key"}).to_string()));
        }
        // The only mode without a sandbox of its own is the one that asks nobody.
        let mode = sandbox_mode(ask);
        environment.extend([
            ("CODEX_CONFIG".into(), settings(ask).to_string()),
            ("INITIAL_AGENT_MODE".into(), mode.into()),
            ("NO_BROWSER".into(), "1".into()),
        ]);
        Invocation { arguments, environment, ..Invocation::default() }
    }

    fn progress(&self, line: &str) -> Option<String> {
        wire::progress(line)
    }

    fn read(&self, role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
        wire::read(role, output)
    }
}

impl Codex {
    fn invocation(&self, ask: &Ask<'_>, own_sandbox: &str) -> Invocation {
        let (schema_file, last) = (ask.files.join("schema.json"), ask.files.join("last-message.txt"));
        let sandbox = sandbox(ask, own_sandbox);
        let mut arguments: Vec<String> = ["exec", "--json", "--ephemeral", "--ignore-user-config"]
            .into_iter()
            // What it is run in need not be a repository: reviewers are given an export.
            .chain(["--skip-git-repo-check", "-s", sandbox, "-c", "web_search=\"disabled\""])
            // Its commands have no use for the key of its model.
            .chain(["-c", "shell_environment_policy.ignore_default_excludes=false"])
            .map(str::to_owned)
            .collect();
        arguments.extend(["-o".into(), last.display().to_string()]);
        let mut files = Vec::new();
        if let Some(schema) = ask.schema {
            arguments.extend(["--output-schema".into(), schema_file.display().to_string()]);
            files.push((schema_file, schema.to_string()));
        }
        if let Some(model) = ask.model {
            arguments.extend(["-m".into(), model.into()]);
        }
        if let Some(address) = (ask.variable)("OPENAI_BASE_URL") {
            arguments.extend(provider_at(&address));
        }
        arguments.push("-".into());
        Invocation {
            arguments,
            input: ask.prompt.to_owned(),
            files,
            environment: key(ask),
            answer_file: Some(last),
            ..Invocation::default()
        }
    }
}

/// Its own sandbox needs mounts, which no process inside a Landlock domain can make: each of its commands would
/// fail, and it would answer all the same. So it is without one where it is inside of ours.
fn sandbox<'a>(ask: &Ask<'_>, own: &'a str) -> &'a str {
    match ask.guard {
        Guard::Kernel => "danger-full-access",
        Guard::Itself => own,
    }
}

/// What `codex-acp` calls them.
fn sandbox_mode(ask: &Ask<'_>) -> &'static str {
    match ask.guard {
        Guard::Kernel => "agent-full-access",
        Guard::Itself => "workspace-write",
    }
}

/// As [`Codex::invocation`] has it on the command line.
fn settings(ask: &Ask<'_>) -> Value {
    let mut settings = json!({
        "web_search": "disabled",
        "shell_environment_policy": {"ignore_default_excludes": false},
    });
    if let Some(model) = ask.model {
        settings["model"] = model.into();
    }
    if let Some(address) = (ask.variable)("OPENAI_BASE_URL") {
        settings["model_provider"] = "endpoint".into();
        settings["model_providers"] = json!({"endpoint": {"name": "endpoint", "base_url": address,
            "env_key": "OPENAI_API_KEY", "wire_api": "responses"}});
    }
    settings
}

/// Without a login it takes its key from a variable of its own.
fn key(ask: &Ask<'_>) -> Vec<(String, String)> {
    let key = (ask.variable)("CODEX_API_KEY").or_else(|| (ask.variable)("OPENAI_API_KEY"));
    key.map(|key| ("CODEX_API_KEY".into(), key)).into_iter().collect()
}

/// It does not ask the environment where its model is; it has to be told as a provider. A JSON string is a TOML
/// string.
fn provider_at(address: &str) -> [String; 4] {
    let address = Value::from(address);
    let provider = format!(
        "model_providers.endpoint={{name=\"endpoint\",base_url={address},env_key=\"OPENAI_API_KEY\",\
         wire_api=\"responses\"}}"
    );
    ["-c".into(), "model_provider=\"endpoint\"".into(), "-c".into(), provider]
}
