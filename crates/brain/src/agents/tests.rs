//! Command lines, as far as something depends on them.

use std::path::Path;

use serde_json::json;

use super::*;

fn ask<R>(guard: Guard, variable: &dyn Fn(&str) -> Option<String>, use_it: impl FnOnce(&Ask<'_>) -> R) -> R {
    let schema = json!({"type": "object"});
    use_it(&Ask {
        prompt: "the prompt",
        schema: Some(&schema),
        model: Some("some-model"),
        worktree: Path::new("/worktree"),
        files: Path::new("/scratch/files"),
        guard,
        cents: Some(105),
        variable,
    })
}

fn review(agent: &dyn CodingAgent, guard: Guard) -> Invocation {
    ask(guard, &|_| None, |ask| agent.review(ask))
}

const KNOWN: [&dyn CodingAgent; 7] = [&Claude, &Codex, &Gemini, &Opencode, &Goose, &AnyCommand, &AnyAcp];

#[test]
fn the_prompt_is_never_on_the_command_line() {
    for agent in KNOWN {
        let invocation = review(agent, Guard::Kernel);
        assert!(invocation.input.starts_with("the prompt"), "{}", agent.name());
        assert!(
            !invocation.arguments.iter().any(|argument| argument.contains("the prompt")),
            "{}",
            agent.name()
        );
    }
}

#[test]
fn every_agent_learns_the_schema() {
    for agent in KNOWN {
        let Invocation { arguments, input, files, .. } = review(agent, Guard::Kernel);
        let told = [arguments.join(" "), input, files.iter().map(|(_, text)| text.as_str()).collect()];
        assert!(told.iter().any(|told| told.contains("{\"type\":\"object\"}")), "{}", agent.name());
    }
}

#[test]
fn a_schema_that_the_prompt_holds_is_not_told_twice() {
    let schema = json!({"type": "object"});
    let prompt = format!("Answer under {schema}\n");
    let nothing = |_: &str| None;
    let ask = Ask {
        prompt: &prompt,
        schema: Some(&schema),
        model: None,
        worktree: Path::new("/w"),
        files: Path::new("/f"),
        guard: Guard::Kernel,
        cents: None,
        variable: &nothing,
    };
    assert_eq!(AnyCommand.review(&ask).input, prompt);
}

#[test]
fn claude_reads_and_asks_nobody() {
    let line = review(&Claude, Guard::Kernel).arguments.join(" ");
    for part in [
        "-p --output-format stream-json --verbose",
        "--tools Read,Grep,Glob --strict-mcp-config",
        "--permission-prompts none",
        "--max-budget-usd 1.05",
        "--model some-model",
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(!line.contains("Edit") && !line.contains("Bash"));
}

#[test]
fn codex_has_its_own_sandbox_where_it_is_not_in_ours() {
    let line = |guard| review(&Codex, guard).arguments.join(" ");
    assert!(line(Guard::Itself).contains("-s read-only"));
    assert!(line(Guard::Kernel).contains("-s danger-full-access"));
    assert!(line(Guard::Kernel).ends_with(" -"));
}

#[test]
fn codex_is_told_where_its_model_is() {
    let variable = |name: &str| match name {
        "OPENAI_BASE_URL" => Some("http://127.0.0.1:1/v1".to_owned()),
        "OPENAI_API_KEY" => Some("key".to_owned()),
        _ => None,
    };
    let invocation = ask(Guard::Kernel, &variable, |ask| Codex.review(ask));
    let line = invocation.arguments.join(" ");
    assert!(
        line.contains("model_provider=\"endpoint\"") && line.contains("base_url=\"http://127.0.0.1:1/v1\"")
    );
    assert!(!line.contains("=key") && !line.contains("\"key\""), "{line}");
    assert_eq!(invocation.environment, [("CODEX_API_KEY".to_owned(), "key".to_owned())]);
}

#[test]
fn codex_that_is_talked_with_is_told_the_same_in_variables() {
    let variable = |name: &str| match name {
        "OPENAI_BASE_URL" => Some("http://127.0.0.1:1/v1".to_owned()),
        "OPENAI_API_KEY" => Some("key".to_owned()),
        _ => None,
    };
    let invocation = ask(Guard::Kernel, &variable, |ask| Codex.acp(ask));
    let value = |name: &str| {
        let found = invocation.environment.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    };
    let config: Value = serde_json::from_str(value("CODEX_CONFIG")).unwrap();
    assert_eq!(config["model_providers"]["endpoint"]["base_url"], "http://127.0.0.1:1/v1");
    assert_eq!((&config["model"], &config["model_provider"]), (&json!("some-model"), &json!("endpoint")));
    assert_eq!((value("INITIAL_AGENT_MODE"), value("CODEX_API_KEY")), ("agent-full-access", "key"));
    assert!(!config.to_string().contains("\"key\""), "{config}");
}

#[test]
fn goose_has_no_tools_where_nothing_keeps_it_from_writing() {
    let mode = |guard| review(&Goose, guard).environment[0].1.clone();
    assert_eq!((mode(Guard::Kernel), mode(Guard::Itself)), ("auto".to_owned(), "chat".to_owned()));
}

#[test]
fn opencode_is_refused_everything_but_reading() {
    let config = &review(&Opencode, Guard::Kernel).environment[0].1;
    assert!(config.starts_with("{\"permission\":{\"*\":\"deny\",\"read\":\"allow\""), "{config}");
    assert!(!config.contains("edit") && !config.contains("bash"));
}

#[test]
fn addresses_and_keys_are_told_to_those_who_do_not_look_for_them() {
    let variable = |name: &str| match name {
        "ANTHROPIC_BASE_URL" => Some("http://127.0.0.1:1/".to_owned()),
        "GEMINI_API_KEY" => Some("key".to_owned()),
        _ => None,
    };
    let opencode = ask(Guard::Kernel, &variable, |ask| Opencode.review(ask));
    assert!(opencode.environment[0].1.contains("\"baseURL\":\"http://127.0.0.1:1/v1\""));
    let gemini = ask(Guard::Kernel, &variable, |ask| Gemini.review(ask));
    assert!(
        gemini.files[0].1.contains("\"selectedType\":\"gemini-api-key\"")
            && !gemini.files[0].1.contains("\"key\"")
    );
}

#[test]
fn an_error_without_words_has_no_colon_behind_it() {
    assert_eq!(AgentTrouble::Reported(" ".into()).to_string(), "reports an error");
    assert_eq!(AgentTrouble::Reported("no key".into()).to_string(), "reports an error: no key");
}
