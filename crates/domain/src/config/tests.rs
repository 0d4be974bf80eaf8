use std::time::Duration;

use super::{Config, HandlerKind, Protocol, TEMPLATE};
use crate::tasks::{Task, TaskId};

fn error(text: &str) -> (String, String) {
    let error = Config::parse("c.yaml", text).unwrap_err();
    (error.to_string(), error.hint)
}

#[test]
fn the_template_is_valid_and_says_the_defaults() {
    assert_eq!(Config::parse("c.yaml", TEMPLATE), Ok(Config::default()));
    let uncommented = TEMPLATE
        .replace("  # dimensions:", "  dimensions:")
        .replace("  # severity:", "  severity:")
        .replace("  # prices:", "  prices:")
        .replace("  # linters:", "  linters:")
        .replace("  #   ", "    ");
    let config = Config::parse("c.yaml", &uncommented).unwrap();
    assert_eq!(
        (config.gate.dimensions.len(), config.rules.severity.len(), config.model.prices.len()),
        (2, 1, 1)
    );
    assert_eq!(config.model.linters["ruff"].files, ["*.py"]);
}

#[test]
fn an_empty_policy_is_the_default_policy() {
    for text in ["", "\n", "# only a comment\n"] {
        assert_eq!(Config::parse("c.yaml", text), Ok(Config::default()));
    }
}

#[test]
fn an_unknown_key_names_the_nearest_known_one() {
    let (what, hint) = error("gate:\n  overal: 80\n");
    assert!(what.starts_with("c.yaml:2:3: unknown field `overal`"), "{what}");
    assert_eq!(hint, "did you mean `overall`?");
    let (_, hint) = error("zzz: 1\n");
    assert_eq!(
        hint,
        "known keys here: gate, rules, suppressions, limits, agents, task, safeguards, model, sandbox, people, loop, connect"
    );
}

#[test]
fn broken_yaml_says_where() {
    let (what, _) = error("gate:\n  overall: [\n");
    assert!(what.starts_with("c.yaml:"), "{what}");
    let (what, _) = error("gate:\n  overall: many\n");
    assert!(what.starts_with("c.yaml:2:12: "), "{what}");
}

#[test]
fn every_scalar_can_be_set_from_outside() {
    let set = |name: &'static str, value: &'static str| {
        Config::parse_with("c.yaml", "", move |asked| (asked == name).then(|| value.to_owned()))
    };
    assert_eq!(set("COUNTERSIGN_GATE_OVERALL", "80").unwrap().gate.overall, 80);
    assert_eq!(set("COUNTERSIGN_GATE_THRESHOLDS_CRITICAL", "95").unwrap().gate.thresholds.critical, 95);
    assert_eq!(set("COUNTERSIGN_RULES_DISABLE", "stub, secret").unwrap().rules.disable, ["stub", "secret"]);
    let own = set("COUNTERSIGN_GATE_DIMENSIONS", r#"{"accessibility":{"weight":"important"}}"#).unwrap();
    assert_eq!(own.gate.dimensions.len(), 1);
    let error = set("COUNTERSIGN_GATE_OVERALL", "many").unwrap_err();
    assert!(error.to_string().contains("COUNTERSIGN_GATE_OVERALL"), "{error}");
}

#[test]
fn limits_are_configuration_and_checked() {
    let config = Config::parse("c.yaml", "limits:\n  max_rounds: 4\n").unwrap();
    assert_eq!((config.limits.max_rounds, config.limits.hard_cap), (4, 5));
    let (what, _) = error("limits:\n  max_rounds: 9\n");
    assert_eq!(what, "c.yaml: limits.max_rounds allows 9 reviews, but limits.hard_cap is 5");
}

#[test]
fn a_variable_that_is_nearly_a_setting_is_an_error() {
    let error = Config::unknown_variable(["PATH", "COUNTERSIGN_GATE_OVERAL", "COUNTERSIGN_STORE"]).unwrap();
    assert_eq!(error.to_string(), "environment: COUNTERSIGN_GATE_OVERAL is not a setting");
    assert_eq!(error.hint, "did you mean COUNTERSIGN_GATE_OVERALL?");
    let known = Config::variables();
    assert_eq!(Config::unknown_variable(known.iter().map(String::as_str)), None);
    assert!(known.contains(&"COUNTERSIGN_LIMITS_BACKOFF_FIRST_SECONDS".to_owned()), "{known:?}");
}

#[test]
fn errors_speak_to_whoever_wrote_the_file() {
    for (text, expected) in [
        ("gate:\n  overall: 750\n", "expected a whole number from 0 to 100"),
        ("gate: 1\n", "expected keys with values"),
        ("agents: engineer\n", "expected a list, `[one, another]`"),
        ("model: { budget: { tokens_per_day: many } }\n", "expected a whole number"),
        ("gate: {}\ngate: {}\n", "the same key stands here twice"),
        ("suppressions:\n  comments: maybe\n", "expected true or false"),
        ("gate:\n  weights: { critical: 0, important: 0, moderate: 0 }\n", "count for nothing"),
        ("a: 1\n---\nb: 2\n", ""),
    ] {
        let (what, _) = error(text);
        assert!(what.contains(expected), "{text}: {what}");
        assert!(!what.contains("u8") && !what.contains("Policy") && !what.contains("from_str"), "{what}");
    }
}

#[test]
fn the_agents_of_the_template_are_the_built_in_ones_written_out() {
    let written = TEMPLATE.replace("agents: []\n", "agents:\n").replace("\n#   ", "\n  ");
    let config = Config::parse("c.yaml", &written).unwrap();
    let agents = config.agents();
    assert_eq!(agents.iter().map(|agent| agent.id.as_str()).collect::<Vec<_>>(), ["qa", "engineer"]);
    assert_eq!(agents[0].name, Config::default().agents()[0].name);
    assert_eq!(agents[1].command, ["claude"]);
}

#[test]
fn without_agents_there_are_qa_and_engineer_with_the_published_defaults() {
    let agents = Config::default().agents();
    let names: Vec<_> = agents.iter().map(|agent| (agent.id.as_str(), agent.queue.as_str())).collect();
    assert_eq!(names, [("qa", "qa"), ("engineer", "engineer")]);
    let qa = &agents[0];
    let times = [qa.poll_interval, qa.timeout, qa.heartbeat_timeout];
    assert_eq!(times, [30, 1800, 600].map(Duration::from_secs));
    assert!(qa.enabled);
    assert_eq!(qa.max_retries, 5);
}

#[test]
fn an_agent_has_what_the_task_section_says_unless_it_says_otherwise() {
    let text =
        "task: { timeout: 60, max_retries: 2 }\nagents:\n  - id: a\n  - { id: b, queue: a, timeout: 9 }\n";
    let config = Config::parse("c.yaml", text).unwrap();
    let agents = config.agents();
    assert_eq!([agents[0].timeout, agents[1].timeout], [60, 9].map(Duration::from_secs));
    assert_eq!((agents[0].queue.as_str(), agents[1].queue.as_str()), ("a", "a"));
    assert_eq!((config.limits_for("a").max_retries, config.limits.max_retries), (2, 5));
}

#[test]
fn reviews_are_for_the_reviewer_unless_the_agent_says_otherwise() {
    let mut agent = Config::default().agents().remove(0);
    let task = |kind| Task::new(TaskId::parse("t").unwrap(), kind, "qa", "T");
    assert_eq!(agent.handler_for(&task("review")), HandlerKind::Review);
    assert_eq!(agent.handler_for(&task("fix")), HandlerKind::Command);
    agent.handler = Some(HandlerKind::Command);
    assert_eq!(agent.handler_for(&task("review")), HandlerKind::Command);
    assert_eq!(agent.replicas(2).collect::<Vec<_>>(), ["qa-1", "qa-2"]);
}

#[test]
fn replicas_are_told_by_their_number_and_perhaps_their_mailbox() {
    let qa = &Config::default().agents()[0];
    let names = ["qa", "qa-1", "qa-64", "qa-", "qa-x", "qa2", "qa-1-2", "qa-1-3f2a", "qa-1-3f2x", "qa--3f2a"];
    let expected = [true, true, true, false, false, false, false, true, false, false];
    assert_eq!(names.map(|name| qa.goes_by(name)), expected);
}

#[test]
fn agents_that_cannot_be_are_refused() {
    for (text, expected) in [
        ("agents: [{ id: ../x }]\n", "agents.id: holds '/'"),
        ("agents: [{ id: a }, { id: a }]\n", "two with the id a"),
        ("agents: [{ id: watchdog }]\n", "agents.id: watchdog is the name of a log"),
        ("agents: [{ id: a }, { id: a-1 }]\n", "agents.id: a-1 is what a replica of a is called"),
        ("agents: [{ id: a }, { id: a-12-3f2a }]\n", "a-12-3f2a is what a replica of a is called"),
        ("agents: [{ id: a, queue: \"a b\" }]\n", "agents.a.queue: holds ' '"),
        ("agents: [{ id: a, timeout: 0 }]\n", "agents.a.timeout is 0; use 1 to 86400"),
        ("agents: [{ id: a, handler: command }]\n", "agents.a.command is missing"),
        ("agents: [{ name: a }]\n", "missing field"),
        ("agents: [{ id: a, pol_interval: 3 }]\n", "unknown field `pol_interval`"),
        ("agents: [{ id: a, memory_mb: 8 }]\n", "agents.a.memory_mb is 8; use 256 or more, or 0"),
        ("agents: [{ id: a, brain: acp }]\n", "agents.a.command is missing: the brain `acp`"),
        ("agents: [{ id: a, brain: command }]\n", "agents.a.command is missing: the brain `command`"),
        (
            "agents: [{ id: a, brain: command, command: [./rev.sh] }]\n",
            "`./rev.sh` would be a file of the change",
        ),
        (
            "agents: [{ id: a, brain: acp, command: [bin/rev, acp] }]\n",
            "agents.a.command: `bin/rev` would be",
        ),
        ("agents: [{ id: model }]\n", "agents.id: model is what `--reviewer model` stands for already"),
        ("agents: [{ id: rules, brain: claude }]\n", "agents.id: rules is what"),
        ("model: { parallel: 0 }\n", "model.parallel is 0; use 1 or more"),
        ("model: { consensus: 0 }\n", "model.consensus is 0"),
        ("model: { iterations: 0 }\n", "model.iterations is 0"),
        ("model: { output_tokens: 0 }\n", "model.output_tokens is 0"),
        ("model: { timeout: 0 }\n", "model.timeout is 0"),
        ("agents: [{ id: a, brain: acp, command: [x], protocol: cli }]\n", "agents.a.protocol is `cli`"),
        (
            "agents: [{ id: a, brain: command, command: [x], protocol: acp }]\n",
            "agents.a.protocol is `acp`, and the brain `command` is no such program; set agents.a.brain to `acp`",
        ),
        ("agents: [{ id: a, brain: model, protocol: acp }]\n", "the brain `model` is none"),
        ("agents: [{ id: a, protocol: acp }]\n", "agents.a.protocol is about coding agents"),
        ("agents: [{ id: a, brain: rules, allow_commands: [make] }]\n", "agents.a.allow_commands is kept to"),
        (
            "agents: [{ id: a, brain: codex, protocol: cli, allow_commands: [] }]\n",
            "allow_commands is kept to",
        ),
        (
            "agents: [{ id: a, brain: claude, allow_commands: ['cargo *'] }]\n",
            "agents.a.allow_commands holds `cargo *`",
        ),
        ("agents: [{ id: a, brain: codex, allow_commands: [make] }]\n", "codex asks nobody"),
        ("task: { poll_interval: 90000 }\n", "task.poll_interval is 90000; use 1 to 86400"),
        ("safeguards: { heartbeat_timeout: 0 }\n", "safeguards.heartbeat_timeout is 0; use 3 to 86400"),
    ] {
        let (what, _) = error(text);
        assert!(what.contains(expected), "{text}: {what}");
    }
}

#[test]
fn what_only_handles_tasks_may_be_a_file_of_the_checkout() {
    assert!(Config::parse("c.yaml", "agents: [{ id: a, command: [./run.sh] }]\n").is_ok());
}

#[test]
fn a_value_that_is_not_known_names_its_key_and_the_nearest_known_one() {
    let (what, hint) = error("agents:\n  - id: a\n    brain: claude\n    protocol: acpp\n");
    assert!(what.starts_with("c.yaml:4:15: protocol: unknown variant `acpp`"), "{what}");
    assert_eq!(hint, "did you mean `acp`?");
    let (what, hint) = error("agents: [{ id: a, brain: calude }]\n");
    assert!(what.contains(": brain: unknown variant"), "{what}");
    assert_eq!(hint, "did you mean `claude`?");
    let (_, hint) = error("sandbox: zzzzzz\n");
    assert_eq!(hint, "known values here: preferred, required, off");
}

#[test]
fn how_a_coding_agent_is_spoken_to_is_configuration() {
    let text = "agents:\n  - { id: a, brain: claude }\n  - { id: b, brain: goose, protocol: acp, \
                allow_commands: [cargo test, make], memory_mb: 0 }\n  - { id: c, brain: acp, command: [goose, acp] }\n";
    let agents = Config::parse("c.yaml", text).unwrap().agents();
    assert_eq!(
        agents.iter().map(|agent| agent.protocol).collect::<Vec<_>>(),
        [Protocol::Auto, Protocol::Acp, Protocol::Auto]
    );
    assert_eq!(agents[1].allow_commands, Some(vec!["cargo test".to_owned(), "make".to_owned()]));
    assert_eq!((agents[0].memory_mb, agents[1].memory_mb), (Some(8_192), None));
}

#[test]
fn agents_can_be_set_from_outside_as_json() {
    let json = r#"[{"id":"qa","poll_interval":5}]"#;
    let set = |asked: &str| (asked == "COUNTERSIGN_AGENTS").then(|| json.to_owned());
    let config = Config::parse_with("c.yaml", "", set).unwrap();
    assert_eq!(config.agents()[0].poll_interval, Duration::from_secs(5));
    let set = |asked: &str| (asked == "COUNTERSIGN_TASK_TIMEOUT").then(|| "7".to_owned());
    let config = Config::parse_with("c.yaml", "", set).unwrap();
    assert_eq!(config.agents()[0].timeout, Duration::from_secs(7));
}

#[test]
fn the_loop_is_configured_within_reason() {
    let config = Config::parse("c.yaml", "loop: {late_findings: advise, early_stop: never}\n").unwrap();
    assert_eq!(config.story_loop.late_findings, super::LateFindings::Advise);
    let (what, _) = error("loop: {coverage_minimum: 101}\n");
    assert!(what.contains("loop.coverage_minimum is 101; use 0 to 100"), "{what}");
    let (what, _) = error("loop: {documents: ' '}\n");
    assert!(what.contains("loop.documents is empty"), "{what}");
}

#[test]
fn a_linter_is_a_program_of_the_machine_and_none_of_the_change() {
    let linter = |text: &str| format!("model:\n  linters:\n    lint: {text}\n");
    let config = Config::parse("c.yaml", &linter("{command: [ruff, check]}")).unwrap();
    let ruff = &config.model.linters["lint"];
    assert_eq!((ruff.timeout, ruff.files.len()), (60, 0));
    assert!(Config::parse("c.yaml", &linter("{command: [/opt/lint/run]}")).is_ok());
    for (wrong, said) in [
        ("{command: []}", "a program has to be named"),
        ("{command: [./lint.sh]}", "would be a file of the change"),
        ("{command: [tools/lint.sh]}", "would be a file of the change"),
        ("{command: [ruff], timeout: 0}", "at least a second"),
        ("{command: ruff check}", "expected a list"),
        ("{command: [ruff], shell: true}", "shell"),
    ] {
        assert!(error(&linter(wrong)).0.contains(said), "{wrong}: {:?}", error(&linter(wrong)));
    }
    let spaced = "model:\n  linters:\n    'rm -rf': {command: [ruff]}\n";
    assert!(error(spaced).0.contains("a name has letters"), "{:?}", error(spaced));
}

#[test]
fn a_key_that_had_no_effect_says_what_to_write_instead() {
    let error = Config::parse("c.yaml", "agents: [{id: qa, permissions: [read]}]\n").unwrap_err();
    assert!(error.to_string().contains("permissions"), "{error}");
    assert!(error.hint.contains("allow_commands"), "{}", error.hint);
}
