//! Who reviews: the built-in rules, a model, or a coding agent. The only place where they are put together.

mod agent;
mod answered;
mod launch;
mod linters;
mod model;
mod places;
mod tools;
mod trust;
mod watched;

use std::path::PathBuf;
use std::sync::Arc;

use brain::act::{Equipment, Linters};
use brain::clean::Redact;
use brain::linear::Mode;
use domain::change::{Change, RepoPath};
use domain::config::{AgentConfig, BrainKind, Config, ModelPolicy};
use domain::formats::tool_report::ToolReport;
use domain::ports::Reviewer;
use domain::review::Review;
use domain::text::nearest;
use engine::{Informed, ReviewOrder, WithTools};
use git::Repository;
use rules::RulesReviewer;

use crate::failure::Failure;
use answered::AnsweredReviewer;

pub(crate) use launch::{
    author_cannot_run, installed, launch, launch_of, launch_unchecked, under_review, writer, writer_in,
};
pub(crate) use model::is_there;
use tools::Found;
pub(crate) use trust::Trust;

pub(crate) use places::{Places, variable};

/// What nobody who thinks gets to see, nor anybody who reads what they wrote.
pub(crate) const REDACT: Redact = Redact::new(rules::redact, rules::redact_file);

/// What the command line calls the two that need no configuration.
const RULES: &str = "rules";
const MODEL: &str = "model";

/// Who can write code.
const AUTHOR: &str = "an agent whose `brain` is claude, codex, gemini, opencode, goose, acp or command";

/// Told in one clean line each time what a reviewer is doing.
pub(crate) type Heard = Arc<dyn Fn(&str) + Send + Sync>;

/// Somebody who reviews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    Rules,
    /// `models` stands in for the list in the environment.
    Model {
        models: Option<String>,
        /// What was asked for, whatever the policy says.
        mode: Option<Mode>,
    },
    /// A coding agent with the configuration it is run with.
    Agent(Box<AgentConfig>),
    /// A program that has answered already.
    Answered {
        reviewer: String,
        answer: String,
    },
}

impl Choice {
    /// `rules`, `model`, or an agent of the policy that says what it thinks with: without that, the rules would stand
    /// in for it unnoticed.
    pub(crate) fn named(name: &str, config: &Config) -> Result<Choice, Failure> {
        let brainless: Vec<AgentConfig> =
            config.agents().into_iter().filter(|agent| agent.brain.is_none()).collect();
        if let Some(agent) = brainless.iter().find(|agent| agent.id == name) {
            return Err(without_brain(agent, config));
        }
        Choice::of(name, config, "reviewer", |id, _| brainless.iter().all(|agent| agent.id != id))
    }

    /// Who corrects: the rules, or an agent that can write code.
    pub(crate) fn fixer(name: &str, config: &Config) -> Result<Choice, Failure> {
        let choice = Choice::of(name, config, "fixer", |_, choice| !matches!(choice, Choice::Model { .. }))?;
        match choice {
            Choice::Rules | Choice::Agent(_) => Ok(choice),
            Choice::Model { .. } | Choice::Answered { .. } => Err(Failure::new(
                format!("`{name}` is a model, which can review and cannot write code"),
                format!("name `rules`, or {AUTHOR}"),
            )),
        }
    }

    /// Who writes code from nothing but a ticket: an agent that can.
    pub(crate) fn builder(name: &str, config: &Config) -> Result<AgentConfig, Failure> {
        let why = match Choice::of(name, config, "builder", |_, choice| matches!(choice, Choice::Agent(_)))? {
            Choice::Agent(agent) => return Ok(*agent),
            Choice::Rules => format!("`{name}` cannot build: the built-in rules write no code"),
            Choice::Model { .. } | Choice::Answered { .. } => {
                format!("`{name}` is a model, which can review and cannot write code")
            }
        };
        Err(Failure::new(why, format!("name {AUTHOR}, with --builder or as `builder` in the epic")))
    }

    /// Where there is none of that name, those are listed that are able to do it.
    fn of(
        name: &str,
        config: &Config,
        role: &str,
        able: impl Fn(&str, &Choice) -> bool,
    ) -> Result<Choice, Failure> {
        let mut known = vec![
            (RULES.to_owned(), Choice::Rules),
            (MODEL.to_owned(), Choice::Model { models: None, mode: None }),
        ];
        known.extend(config.agents().iter().map(|agent| (agent.id.clone(), Choice::of_agent(agent))));
        if let Some(at) = known.iter().position(|(known, _)| known == name) {
            return Ok(known.swap_remove(at).1);
        }
        known.retain(|(id, choice)| able(id, choice));
        let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
        Err(unknown(role, name, &names))
    }

    /// By what the agent thinks with.
    pub(crate) fn of_agent(agent: &AgentConfig) -> Choice {
        match agent.brain {
            None | Some(BrainKind::Rules) => Choice::Rules,
            Some(BrainKind::Model) => Choice::Model { models: agent.model.clone(), mode: None },
            Some(
                BrainKind::Claude
                | BrainKind::Codex
                | BrainKind::Gemini
                | BrainKind::Opencode
                | BrainKind::Goose
                | BrainKind::Command
                | BrainKind::Acp,
            ) => Choice::Agent(Box::new(agent.clone())),
        }
    }
}

fn without_brain(agent: &AgentConfig, config: &Config) -> Failure {
    let id = &agent.id;
    let what = match config.agents.iter().any(|entry| entry.id == *id) {
        true => {
            format!("agent `{id}` cannot review: countersign.yaml at the base commit gives it no `brain`")
        }
        false => format!("agent `{id}` cannot review: no countersign.yaml at the base commit describes it"),
    };
    let brain = if agent.command.is_empty() { "claude" } else { "command" };
    Failure::new(
        what,
        format!(
            "commit `agents: [{{ id: {id}, brain: {brain}, ... }}]` to the base, with a brain out of claude, codex, \
             gemini, opencode, goose, acp, command, model and rules; or review with `--reviewer rules`"
        ),
    )
}

fn unknown(role: &str, name: &str, known: &[&str]) -> Failure {
    let listed = format!("known are {}", known.join(", "));
    let hint = match (nearest(name, known.iter().copied()), known) {
        (_, []) => format!("{AUTHOR}; countersign.yaml at the base commit has none"),
        (Some(nearest), _) => format!("did you mean `{nearest}`? {listed}"),
        (None, _) => format!("{listed}; further ones are agents of countersign.yaml at the base commit"),
    };
    Failure::new(format!("there is no {role} `{name}`"), hint)
}

/// A review by whoever was chosen.
pub(crate) struct Reviewing<'a> {
    pub(crate) repository: &'a Repository,
    pub(crate) change: &'a Change,
    pub(crate) order: ReviewOrder<'a>,
    /// What other programs found.
    pub(crate) reports: &'a [ToolReport],
    /// The task it is part of, which may have a budget of its own.
    pub(crate) task: Option<&'a str>,
    /// Where an agent's files and its home are made, if not in the usual place.
    pub(crate) scratch: Option<PathBuf>,
    /// Files that an agent is not shown.
    pub(crate) withheld: Vec<RepoPath>,
    pub(crate) trust: Trust,
    pub(crate) heard: Heard,
}

impl Reviewing<'_> {
    pub(crate) fn by(&self, choice: &Choice) -> Result<Review, Failure> {
        self.by_with(choice, Equipment::default())
    }

    /// Where a model has more than the repository and its linters to look at.
    pub(crate) fn by_with(&self, choice: &Choice, equipment: Equipment) -> Result<Review, Failure> {
        let config = self.order.config;
        let linters = match self.trust {
            Trust::Own => linters::linters_of(config, self.repository, &self.change.scope)?,
            Trust::Stranger => None,
        };
        let Found { findings, looked, mut remarks, .. } = Found::by(self, linters.as_ref());
        remarks.extend(self.trust.remark().map(str::to_owned));
        let rules = RulesReviewer::default();
        let proof = WithTools { reviewer: &rules, found: findings, looked, remarks };
        match choice {
            Choice::Rules => Ok(engine::review(&self.order, &proof)?),
            Choice::Model { models, mode } => {
                let tree = model::Tree {
                    repository: self.repository.work_tree().unwrap_or(self.repository.git_dir()).to_owned(),
                };
                // What there is to say about them has been said.
                let linters = linters.map(|linters| Linters { notes: Vec::new(), ..linters });
                let equipment = Equipment { view: Some(Box::new(tree)), linters, ..equipment };
                let judge = model::reviewer(&config.model, models.as_deref(), *mode, self.task, equipment)?;
                self.informed(&proof, &judge)
            }
            Choice::Agent(agent) => {
                let judge = agent::AgentReviewer::prepare(&self.trust.limits(agent), self)?;
                self.informed(&proof, &judge)
            }
            Choice::Answered { reviewer, answer } => {
                self.informed(&proof, &AnsweredReviewer { name: reviewer, answer })
            }
        }
    }

    /// Together with the built-in rules, whose findings are evidence for it and stand by themselves.
    fn informed(&self, proof: &dyn Reviewer, judge: &dyn Reviewer) -> Result<Review, Failure> {
        Ok(engine::review(&self.order, &Informed { proof, judge })?)
    }
}

/// A model that reviews what it is given, with nothing of a repository but that.
pub(crate) fn model(
    policy: &ModelPolicy,
    mode: Option<Mode>,
    equipment: Equipment,
) -> Result<Box<dyn Reviewer>, Failure> {
    Ok(Box::new(model::reviewer(policy, None, mode, None, equipment)?))
}

/// What a user who has a key and asked for no reviewer may want to know.
pub(crate) fn suggestion(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let set = |name: &str| variable(name).is_some_and(|value| !value.trim().is_empty());
    let found = [brain::MODEL_PRIORITY].into_iter().chain(brain::key_variables()).find(|name| set(name))?;
    let missing = match set(brain::MODEL_PRIORITY) {
        true => String::new(),
        false => format!(" once {} names one as provider:model", brain::MODEL_PRIORITY),
    };
    Some(format!(
        "Reviewed by the built-in rules. {found} is set: `--reviewer model` would also ask a model{missing}."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config::parse("countersign.yaml", text).unwrap()
    }

    #[test]
    fn a_reviewer_is_named_by_what_it_is_or_by_its_id() {
        let config =
            config("agents:\n  - {id: qa, brain: claude}\n  - {id: small, brain: model, model: 'a:b'}\n");
        assert_eq!(Choice::named("rules", &config).unwrap(), Choice::Rules);
        assert!(matches!(Choice::named("qa", &config).unwrap(), Choice::Agent(agent) if agent.id == "qa"));
        let small = Choice::Model { models: Some("a:b".to_owned()), mode: None };
        assert_eq!(Choice::named("small", &config).unwrap(), small);
    }

    #[test]
    fn an_unknown_reviewer_is_refused_with_the_nearest_and_all_there_are() {
        let config = config("agents:\n  - {id: qa, brain: claude}\n  - {id: engineer}\n");
        let failure = Choice::named("modle", &config).unwrap_err();
        assert!(failure.what().contains("`modle`"));
        assert!(failure.hint().contains("did you mean `model`?"), "{}", failure.hint());
        assert!(failure.hint().ends_with("known are rules, model, qa"), "{}", failure.hint());
    }

    #[test]
    fn the_rules_do_not_stand_in_for_an_agent_that_cannot_review() {
        let own = config(
            "agents:\n  - {id: qa, handler: command, command: [lint]}\n  - {id: strict, brain: rules}\n",
        );
        for (config, why, next) in [
            (&Config::default(), "no countersign.yaml", "id: qa, brain: claude"),
            (&own, "gives it no `brain`", "id: qa, brain: command"),
        ] {
            let failure = Choice::named("qa", config).unwrap_err();
            assert!(failure.what().contains(why), "{}", failure.what());
            assert!(failure.hint().contains(next), "{}", failure.hint());
        }
        assert_eq!(Choice::named("strict", &own).unwrap(), Choice::Rules);
    }

    #[test]
    fn a_key_is_a_reason_for_a_suggestion_and_is_not_repeated() {
        assert_eq!(suggestion(|_| None), None);
        let key = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "sk-secret".to_owned());
        let said = suggestion(key).unwrap();
        assert!(said.contains("--reviewer model") && said.contains("ANTHROPIC_API_KEY"), "{said}");
        assert!(!said.contains("sk-secret"));
        let list = |name: &str| (name == brain::MODEL_PRIORITY).then(|| "a:b".to_owned());
        assert!(suggestion(list).unwrap().ends_with("would also ask a model."));
        assert_eq!(suggestion(|name| (name == "OPENAI_API_KEY").then(String::new)), None);
    }
}
