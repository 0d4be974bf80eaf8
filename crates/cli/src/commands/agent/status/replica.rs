use std::time::Duration;

use domain::config::AgentConfig;
use domain::tasks::StoredTask;
use jiff::Timestamp;
use serde::Serialize;
use store::mailbox::Heartbeat;

/// Three beats were missed.
const SILENT_AFTER: Duration = Duration::from_secs(30);

/// One worker: what its heartbeat says of it, and what the store says it holds.
#[derive(Debug, Serialize)]
pub(super) struct Replica {
    pub(super) replica: String,
    pub(super) state: State,
    pub(super) seen: Option<Timestamp>,
    pub(super) pid: Option<u32>,
    pub(super) host: Option<String>,
    pub(super) holds: Vec<Holding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Alive,
    /// Lives, and takes nothing.
    Paused,
    /// Missed some beats: perhaps it is busy, perhaps it is gone.
    Silent,
    Gone,
    /// Ended as it should.
    Stopped,
    /// Holds a task, but its heartbeat is not in this mailbox: it runs on another machine.
    Elsewhere,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Holding {
    pub(super) task: String,
    pub(super) since: Timestamp,
    /// The task is freed if its holder is not heard of by then.
    pub(super) until: Timestamp,
}

impl State {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            State::Alive => "alive",
            State::Paused => "paused",
            State::Silent => "silent",
            State::Gone => "gone",
            State::Stopped => "stopped",
            State::Elsewhere => "elsewhere",
        }
    }
}

/// Everything by which a heartbeat is judged.
pub(super) struct Judge<'a> {
    /// By the clock of this machine, as heartbeats are.
    pub(super) now: Timestamp,
    pub(super) gone_after: Duration,
    pub(super) host: &'a str,
    pub(super) runs: &'a dyn Fn(u32) -> bool,
    pub(super) paused: &'a [String],
}

impl Judge<'_> {
    fn state(&self, beat: &Heartbeat, agent: &AgentConfig) -> State {
        let age = Duration::try_from(self.now.duration_since(beat.at)).unwrap_or_default();
        let is_here = beat.host.as_deref() == Some(self.host);
        let names = [&agent.id, &agent.queue, &beat.agent];
        if beat.has_stopped() {
            State::Stopped
        } else if beat.pid.is_some_and(|pid| is_here && !(self.runs)(pid)) || age > self.gone_after {
            State::Gone
        } else if age > SILENT_AFTER {
            State::Silent
        } else if self.paused.iter().any(|paused| names.contains(&paused)) {
            State::Paused
        } else {
            State::Alive
        }
    }

    /// The replicas of an agent: those with a heartbeat, and those that hold a task of theirs.
    pub(super) fn replicas(
        &self,
        agent: &AgentConfig,
        beats: &[Heartbeat],
        held: &[StoredTask],
    ) -> Vec<Replica> {
        let own: Vec<_> = beats.iter().filter(|beat| agent.goes_by(&beat.agent)).collect();
        let mut replicas: Vec<Replica> = own
            .iter()
            .map(|beat| {
                let holds = held_by(&beat.agent, held);
                let state = match self.state(beat, agent) {
                    // It stopped with empty hands: what is held since then, another of that name holds.
                    State::Stopped if holds.iter().any(|holding| holding.since > beat.at) => State::Elsewhere,
                    state => state,
                };
                let (pid, host) = (beat.pid, beat.host.clone());
                Replica { replica: beat.agent.clone(), state, seen: Some(beat.at), pid, host, holds }
            })
            .collect();
        let beating = |name: &str| beats.iter().any(|beat| beat.agent == name);
        replicas.extend(
            holders(held)
                .filter(|name| agent.goes_by(name) && !beating(name))
                .map(|name| elsewhere(name, held)),
        );
        replicas.sort_by_cached_key(|replica| {
            let rest = replica.replica.strip_prefix(&agent.id).unwrap_or_default();
            let number = rest.split('-').nth(1).and_then(|number| number.parse::<u32>().ok());
            (number, replica.replica.clone())
        });
        replicas
    }
}

/// Those who hold tasks and are no replica of any agent here.
pub(super) fn strangers(agents: &[AgentConfig], held: &[StoredTask]) -> Vec<Replica> {
    holders(held)
        .filter(|name| !agents.iter().any(|agent| agent.goes_by(name)))
        .map(|name| elsewhere(name, held))
        .collect()
}

fn elsewhere(name: &str, held: &[StoredTask]) -> Replica {
    let holds = held_by(name, held);
    Replica { replica: name.to_owned(), state: State::Elsewhere, seen: None, pid: None, host: None, holds }
}

/// Names of holders, each once.
fn holders(held: &[StoredTask]) -> impl Iterator<Item = &str> {
    let names: std::collections::BTreeSet<&str> =
        held.iter().filter_map(|stored| Some(stored.held.as_ref()?.holder.as_str())).collect();
    names.into_iter()
}

fn held_by(name: &str, held: &[StoredTask]) -> Vec<Holding> {
    held.iter()
        .filter_map(|stored| Some((stored, stored.held.as_ref()?)))
        .filter(|(_, held)| held.holder == name)
        .map(|(stored, held)| Holding {
            task: stored.task.id.to_string(),
            since: held.since,
            until: held.until,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::config::Config;

    const NOW: i64 = 1_000_000;

    fn beat(seconds_ago: i64) -> Heartbeat {
        Heartbeat {
            agent: "qa-1".into(),
            at: Timestamp::from_second(NOW - seconds_ago).unwrap(),
            doing: "working off qa".into(),
            pid: Some(7),
            host: Some("here".into()),
        }
    }

    fn state(beat: &Heartbeat, runs: bool, paused: &[&str]) -> State {
        let paused: Vec<String> = paused.iter().map(|name| (*name).to_owned()).collect();
        let judge = Judge {
            now: Timestamp::from_second(NOW).unwrap(),
            gone_after: Duration::from_secs(600),
            host: "here",
            runs: &|_| runs,
            paused: &paused,
        };
        judge.state(beat, &Config::default().agents()[0])
    }

    #[test]
    fn an_agent_is_judged_by_the_age_of_its_heartbeat() {
        let by_age = |seconds| state(&beat(seconds), true, &[]);
        assert_eq!(
            [-5, 0, 30, 31, 600, 601].map(by_age),
            [State::Alive, State::Alive, State::Alive, State::Silent, State::Silent, State::Gone]
        );
    }

    #[test]
    fn a_process_that_is_not_there_is_gone_at_once_but_only_on_its_own_machine() {
        assert_eq!(state(&beat(1), false, &[]), State::Gone);
        let elsewhere = Heartbeat { host: Some("there".into()), ..beat(1) };
        assert_eq!(state(&elsewhere, false, &[]), State::Alive);
    }

    #[test]
    fn a_pause_counts_for_the_living_and_a_stop_for_good() {
        assert_eq!(state(&beat(1), true, &["qa-1"]), State::Paused);
        assert_eq!(state(&beat(1), true, &["qa"]), State::Paused);
        assert_eq!(state(&beat(1), true, &["qa-2"]), State::Alive);
        assert_eq!(state(&beat(100), true, &["qa"]), State::Silent);
        assert_eq!(state(&Heartbeat { doing: "stopped".into(), ..beat(9_999) }, false, &[]), State::Stopped);
    }
}
