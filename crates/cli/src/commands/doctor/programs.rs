//! Programs of coding agents, and what speaks the Agent Client Protocol for them.

use brain::agents::acp::{Spoken, greet, spoken};
use brain::agents::{AcpSpeaker, Availability, Launch};
use brain::process::{NotTaken, UnderReview};
use domain::config::{AgentConfig, BrainKind, Config, Linter};

use super::Check;
use super::brains::{Silence, answer};
use crate::failure::Failure;
use crate::reviewers::{launch_of, launch_unchecked};

/// What a program is to its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Agent,
    /// The agent, which speaks the protocol itself.
    AgentAndSpeaker,
    /// Another, which speaks the protocol for the agent and is in this npm package.
    Speaker(&'static str),
}

impl Part {
    fn of(found: &Availability) -> Part {
        match found.agent.acp_speaker() {
            AcpSpeaker::Another { program, package } if program == found.program => Part::Speaker(package),
            AcpSpeaker::Nobody | AcpSpeaker::Another { .. } => Part::Agent,
            AcpSpeaker::Itself | AcpSpeaker::ItselfOnly => Part::AgentAndSpeaker,
        }
    }
}

pub(super) fn installed(found: &Availability) -> Check {
    let (part, program, agent) = (Part::of(found), found.program, found.agent.name());
    let name = match part {
        Part::Agent | Part::AgentAndSpeaker => "agent",
        Part::Speaker(_) => "acp",
    };
    let Some(path) = &found.path else {
        let how = match part {
            Part::Agent | Part::AgentAndSpeaker => String::new(),
            Part::Speaker(package) => {
                format!("; with it {agent} asks before it changes anything (npm install -g {package})")
            }
        };
        return Check::ok(name, format!("{program}: not installed{how}"));
    };
    let what = match part {
        Part::Agent => String::new(),
        Part::AgentAndSpeaker => ", speaks the Agent Client Protocol".to_owned(),
        Part::Speaker(_) => format!(", speaks the Agent Client Protocol for {agent}"),
    };
    let path = path.display();
    match &found.version {
        Some(Ok(version)) => Check::ok(name, format!("{program}: {version}, {path}{what}")),
        Some(Err(reason)) => Check::warning(
            name,
            format!("{program}: {path} does not tell its version: {reason}"),
            "run it by hand to see what it needs",
        ),
        None => Check::ok(name, format!("{program}: {path}{what}")),
    }
}

/// What stands behind an agent of the configuration, and whether it is there.
pub(super) fn configured(agent: &AgentConfig, under_review: &UnderReview) -> Check {
    let id = &agent.id;
    let coding = agent.brain.and_then(brain::agents::agent);
    let wanted = match (agent.command.first(), coding) {
        (Some(program), _) => program.as_str(),
        (None, Some(coding)) => coding.program(),
        (None, None) => return Check::ok("agent", format!("{id}: {}", without_program(agent))),
    };
    let what = agent.brain.map_or("command", BrainKind::name);
    let path = std::env::var_os("PATH");
    match under_review.program(wanted, path.as_deref()) {
        Ok(program) => Check::ok("agent", format!("{id}: {what}, {}", program.display())),
        Err(NotTaken::NotInstalled) => Check::warning(
            "agent",
            format!("{id}: {what}, `{wanted}` is not installed"),
            format!("install it, or name the program in agents.{id}.command"),
        ),
        Err(NotTaken::Relative | NotTaken::UnderReview) if coding.is_none() => {
            Check::ok("agent", format!("{id}: {what}, `{wanted}` in the checkout"))
        }
        Err(why @ (NotTaken::Relative | NotTaken::UnderReview)) => Check::warning(
            "agent",
            format!("{id}: {what}, `{wanted}` {why}"),
            "it is refused as a reviewer; put the program outside of the repository",
        ),
    }
}

/// Whether a linter of the policy is there, and where.
pub(super) fn linter(name: &str, linter: &Linter, under_review: &UnderReview) -> Check {
    let wanted = linter.command.first().map_or("", String::as_str);
    match under_review.program(wanted, std::env::var_os("PATH").as_deref()) {
        Ok(program) => Check::ok("linter", format!("{name}: {}", program.display())),
        Err(why) => Check::warning(
            "linter",
            format!("{name}: `{wanted}` {why}, so reviews do without it"),
            format!("install it outside of the repository, or change model.linters.{name}.command"),
        ),
    }
}

fn without_program(agent: &AgentConfig) -> String {
    match (agent.brain, &agent.model) {
        (Some(BrainKind::Model), Some(models)) => format!("model, {models}"),
        (Some(BrainKind::Model), None) => "model, as the environment says".to_owned(),
        (_, _) => "the built-in rules".to_owned(),
    }
}

/// Whether an installed program that speaks the protocol introduces itself.
pub(super) fn introduced(found: &Availability, config: &Config) -> Option<Check> {
    found.path.as_ref()?;
    match Part::of(found) {
        Part::Agent => None,
        Part::AgentAndSpeaker | Part::Speaker(_) => {
            let launch = launch_of(found.agent, config.sandbox)
                .map(|launch| Launch { command: vec![found.program.to_owned()], ..launch });
            Some(introduction(found.program, launch))
        }
    }
}

/// Whether the program that a configured agent names for the protocol introduces itself.
pub(super) fn command_introduced(agent: &AgentConfig, config: &Config) -> Option<Check> {
    agent.brain.and_then(brain::agents::agent)?;
    if agent.command.is_empty() {
        return None;
    }
    let launch = launch_unchecked(agent, config.sandbox, 0).ok()?;
    match spoken(&launch, agent.protocol) {
        Ok(Spoken::Protocol(command)) => {
            Some(introduction(&format!("agent {}", agent.id), Ok(Launch { command, ..launch })))
        }
        Ok(Spoken::CommandLine { .. }) | Err(_) => None,
    }
}

fn introduction(who: &str, launch: Result<Launch, Failure>) -> Check {
    let greeted = match launch {
        Ok(launch) => greet(&launch).map_err(Silence::from),
        Err(failure) => Err(Silence { reason: failure.what().to_owned(), hint: failure.hint().to_owned() }),
    };
    match greeted {
        Ok(name) => Check::ok(
            "answers",
            format!("{who} answers in the Agent Client Protocol, as {}", rules::redact(&name)),
        ),
        Err(silence) => answer(&format!("{who}, asked in the Agent Client Protocol,"), Err(silence)),
    }
}
