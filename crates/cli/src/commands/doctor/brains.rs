//! Which minds there are: models, coding agents, and whether agents can be confined.

use brain::agents::{AgentTrouble, ping, probe_all};
use brain::confine::{Support, support};
use brain::process::UnderReview;
use brain::{Call, CallError, Listed, MODEL_PRIORITY, Message, Mind, Models, key_variables, listed_models};
use domain::config::{AgentConfig, Config};
use domain::text::short_line;

use super::{Check, State, programs};
use crate::reviewers::{launch, variable};

const CONNECTION: &str = "check its key, its address and the network";

/// Whether anybody is asked anything, which costs a little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    Nobody,
    EverybodyConfigured,
}

pub(super) fn checks(config: &Config, under_review: &UnderReview, asking: Asking) -> Vec<Check> {
    let mut checks = vec![sandbox(support())];
    let found = probe_all(&brain::process::inherited());
    checks.extend(found.iter().map(programs::installed));
    checks.extend(configured(config).iter().map(|agent| programs::configured(agent, under_review)));
    checks.extend(
        config.model.linters.iter().map(|(name, linter)| programs::linter(name, linter, under_review)),
    );
    checks.extend(models(config));
    if asking == Asking::EverybodyConfigured {
        checks.extend(found.iter().filter_map(|found| programs::introduced(found, config)));
        checks.extend(config.agents().iter().filter_map(|agent| programs::command_introduced(agent, config)));
        checks.extend(config.agents().iter().filter_map(|agent| pinged(agent, config, under_review)));
        checks.extend(models_pinged(config));
    }
    checks
}

/// Those that somebody wrote down: the built-in ones have nothing to look for.
fn configured(config: &Config) -> Vec<AgentConfig> {
    if config.agents.is_empty() { Vec::new() } else { config.agents() }
}

fn sandbox(support: Support) -> Check {
    let detail = format!("Landlock ABI {}", support.abi);
    match support.remark("a coding agent") {
        None => Check::ok("sandbox", format!("{detail}: coding agents are confined")),
        Some(remark) => Check::warning("sandbox", remark, "a kernel of 6.12 or later confines them fully"),
    }
}

/// Keys are told by whether they are there, never by what they are.
fn models(config: &Config) -> Vec<Check> {
    let listed = listed_models(variable, &config.model);
    let mut checks: Vec<Check> = listed.iter().map(model).collect();
    if listed.is_empty() {
        checks.push(Check::ok("model", format!("none: {MODEL_PRIORITY} is not set")));
    }
    let set = |name: &&str| variable(name).is_some_and(|value| !value.trim().is_empty());
    let (there, missing): (Vec<&str>, Vec<&str>) = key_variables().into_iter().partition(set);
    let listed = |names: &[&str]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    checks.push(Check::ok("keys", format!("set: {}; not set: {}", listed(&there), listed(&missing))));
    checks
}

pub(super) fn model(listed: &Listed) -> Check {
    match &listed.usable {
        Ok(place) => Check::ok("model", format!("{place}: usable")),
        Err(reason) => Check::warning(
            "model",
            format!("{}: {reason}", listed.entry),
            format!("mend {MODEL_PRIORITY}, or set what is missing"),
        ),
    }
}

/// Of an agent that has a coding agent for a brain.
fn pinged(agent: &AgentConfig, config: &Config, under_review: &UnderReview) -> Option<Check> {
    agent.brain.and_then(brain::agents::agent)?;
    let cents = config.model.budget.cents_per_review;
    let answered = match launch(agent, config.sandbox, cents, under_review) {
        Ok(launch) => ping(&launch).map_err(Silence::from),
        Err(failure) => Err(Silence { reason: failure.what().to_owned(), hint: failure.hint().to_owned() }),
    };
    Some(answer(&format!("agent {}", agent.id), answered))
}

pub(super) fn models_pinged(config: &Config) -> Vec<Check> {
    let Ok(models) = Models::from_environment(variable, &config.model) else { return Vec::new() };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return Vec::new();
    };
    let call = Call {
        system: "This is a test of the connection.".to_owned(),
        messages: vec![Message::User("Answer with the word: here".to_owned())],
        // Models that think need room for that.
        max_output_tokens: 1_000,
        ..Call::default()
    };
    let asked = |model: &Models| {
        let answered = runtime.block_on(model.ask(&call));
        let silent = |error: CallError| Silence { reason: error.to_string(), hint: CONNECTION.to_owned() };
        answer(&model.name(), answered.map(drop).map_err(silent))
    };
    models.one_by_one().iter().map(asked).collect()
}

/// Why somebody does not answer, and what to do about it.
pub(super) struct Silence {
    pub(super) reason: String,
    pub(super) hint: String,
}

impl From<AgentTrouble> for Silence {
    fn from(trouble: AgentTrouble) -> Silence {
        let hint = match &trouble {
            AgentTrouble::NotInstalled(program) => format!("install {program}, or name another in `command`"),
            AgentTrouble::NotConfined(_) | AgentTrouble::NotRun(_) => {
                "run it by hand to see what it needs".to_owned()
            }
            _ => CONNECTION.to_owned(),
        };
        Silence { reason: trouble.to_string(), hint }
    }
}

pub(super) fn answer(who: &str, answered: Result<(), Silence>) -> Check {
    match answered {
        Ok(()) => Check::ok("answers", format!("{who} answers")),
        Err(Silence { reason, hint }) => Check {
            name: "answers",
            state: State::Problem,
            detail: short_line(&rules::redact(&format!("{who} does not answer: {reason}"))),
            hint: Some(hint),
        },
    }
}
