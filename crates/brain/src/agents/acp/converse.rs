use std::path::Path;
use std::time::Duration;

use domain::text::short_line;
use serde_json::Value;

use super::super::extract::find_json;
use super::super::{
    AgentAnswer, AgentTrouble, Finished, Guard, Invocation, Launch, Role, Waiting, with_schema,
};
use super::permit::{Execute, PermitPolicy};
use super::session::{Talk, hold};
use crate::process::{Stream, on_own_runtime};

/// Node programs take their time to start, more so on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// Asks an agent that speaks nothing but the protocol. A reviewer may read, and nothing else.
pub(crate) fn ask(
    launch: &Launch,
    role: Role,
    prompt: &str,
    schema: Option<&Value>,
    worktree: &Path,
    waiting: Waiting<'_>,
) -> Result<Finished, AgentTrouble> {
    let conversation = Conversation { launch, role, execute: None, patience: PATIENCE, waiting };
    let mut finished = conversation.about(prompt, schema, worktree)?;
    finished.answer.structured = find_json(&finished.answer.text);
    Ok(finished)
}

/// Has the program of a launch introduce itself, which costs nothing. Says who it is, in its own words.
pub fn greet(launch: &Launch) -> Result<String, AgentTrouble> {
    let empty = tempfile::tempdir().map_err(|error| AgentTrouble::NotRun(error.to_string()))?;
    let waiting = Waiting::patiently(&|_| {});
    let conversation =
        Conversation { launch, role: Role::Reviewer, execute: None, patience: PATIENCE, waiting };
    let (answer, _) = conversation.hold(None, None, empty.path())?;
    Ok(short_line(&answer.text))
}

/// A session with an agent in a process of its own.
pub(super) struct Conversation<'a> {
    /// Its command is the program that speaks the protocol.
    pub(super) launch: &'a Launch,
    pub(super) role: Role,
    /// Unless said: whatever stays inside, for an author that the kernel confines, and nothing for others.
    pub(super) execute: Option<&'a Execute>,
    /// How long it may take to introduce itself and to open a session.
    pub(super) patience: Duration,
    pub(super) waiting: Waiting<'a>,
}

impl Conversation<'_> {
    pub(super) fn about(
        &self,
        prompt: &str,
        schema: Option<&Value>,
        worktree: &Path,
    ) -> Result<Finished, AgentTrouble> {
        let (answer, remarks) = self.hold(Some(prompt), schema, worktree)?;
        Ok(Finished { answer, remarks })
    }

    /// Without a prompt, nothing but the introduction.
    fn hold(
        &self,
        prompt: Option<&str>,
        schema: Option<&Value>,
        worktree: &Path,
    ) -> Result<(AgentAnswer, Vec<String>), AgentTrouble> {
        let Conversation { launch, role, waiting, .. } = *self;
        let place = launch.prepare(worktree)?;
        let (invocation, asked) = launch.with_ask(&place, prompt.unwrap_or_default(), schema, |ask| {
            (launch.agent.acp(ask), with_schema(ask))
        });
        let invocation = said_once(invocation, &launch.command);
        let on_line = |_: Stream, line: &[u8]| {
            let told = short_line(&String::from_utf8_lossy(line));
            if !told.is_empty() {
                (waiting.progress)(&told);
            }
        };
        let run = launch.job(role, &place, &invocation, &on_line)?;
        let execute = self.execute.cloned().unwrap_or_else(|| usual(role, place.guard));
        let talk = Talk {
            launch,
            prompt: prompt.map(|_| asked.as_str()),
            policy: PermitPolicy { worktree: place.worktree.clone(), role, execute },
            patience: self.patience,
            waiting,
        };
        let answer = on_own_runtime(|| hold(run, &talk))
            .unwrap_or_else(|error| Err(AgentTrouble::NotRun(error.to_string())))?;
        Ok((answer, place.remarks))
    }
}

/// What is run where nobody said: the kernel decides what a command can do, or else nobody would.
fn usual(role: Role, guard: Guard) -> Execute {
    match (role, guard) {
        (Role::Author, Guard::Kernel) => Execute::Anything,
        (Role::Author, Guard::Itself) | (Role::Reviewer, _) => Execute::Listed(Vec::new()),
    }
}

/// A configured command may hold the subcommand already: `[goose, acp]`.
fn said_once(mut invocation: Invocation, command: &[String]) -> Invocation {
    let is_said = |word: &String| !word.starts_with('-') && command.iter().skip(1).any(|said| said == word);
    if invocation.arguments.first().is_some_and(is_said) {
        invocation.arguments.remove(0);
    }
    invocation
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subcommand_that_was_configured_is_not_repeated() {
        let arguments = |command: &[&str], own: &[&str]| {
            let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
            let invocation = Invocation { arguments: words(own), ..Invocation::default() };
            said_once(invocation, &words(command)).arguments.join(" ")
        };
        assert_eq!(
            arguments(&["goose", "acp"], &["acp", "--with-builtin", "developer"]),
            "--with-builtin developer"
        );
        assert_eq!(arguments(&["goose"], &["acp"]), "acp");
        assert_eq!(arguments(&["acp"], &["acp"]), "acp");
        assert_eq!(arguments(&["codex-acp", "-c", "a=1"], &["-c", "b=2"]), "-c b=2");
    }

    #[test]
    fn commands_are_run_where_the_kernel_confines_them_or_somebody_listed_them() {
        assert_eq!(usual(Role::Author, Guard::Kernel), Execute::Anything);
        for (role, guard) in [(Role::Author, Guard::Itself), (Role::Reviewer, Guard::Kernel)] {
            assert_eq!(usual(role, guard), Execute::Listed(Vec::new()));
        }
    }
}
