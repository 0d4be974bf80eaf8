use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use domain::config::Sandbox;
use landlock::RulesetStatus;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpgrp, getpid, getppid, kill_process, kill_process_group, nice,
    set_child_subreaper, wait,
};
use tokio::signal::unix::{SignalKind, signal};

use super::memory::held_by;
use super::policy::Policy;
use super::tree::{descendants, up_to};
use super::{enforce, support};

/// The agent was not started, and standard error says why.
pub const REFUSED: u8 = 121;
/// The agent was ended because it had more processes than it may.
pub const TOO_MANY_PROCESSES: u8 = 122;
/// The agent was ended because it and its processes held more memory than they may.
pub const TOO_MUCH_MEMORY: u8 = 123;

/// How often it is looked whether there are too many processes or they hold too much, and whether Countersign is
/// still there.
const ROUND: Duration = Duration::from_millis(100);
/// How often what is left is killed before giving up on it.
const KILL_ROUNDS: u32 = 2_000;

/// So much more of the processor than the agent's processes the warden asks for: it has to have its say, however
/// many they are.
const AHEAD: i32 = -15;
/// And so much less than others they get.
const BEHIND: i32 = 5;

/// In front of the policy: this is not the warden, but what is to become the agent.
const INSIDE: &str = "--inside";

/// The body of `countersign confine POLICY PROGRAM [ARGUMENT]...`: starts a program under a policy, waits for
/// it, and leaves nothing of it behind. Ends as the program did; with 128 and the signal if it was killed.
///
/// `arguments` are the last ones of this process, as the warden starts it once more with those before them.
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    let code = match arguments.split_first() {
        Some((first, rest)) if first == INSIDE => Err(become_agent(rest)),
        _ => watch_over(&arguments),
    };
    match code {
        Ok(code) => ExitCode::from(code),
        Err(reason) => {
            let _ = writeln!(std::io::stderr(), "countersign confine: {reason}");
            ExitCode::from(REFUSED)
        }
    }
}

fn parse(arguments: &[OsString]) -> Result<(Policy, &[OsString]), String> {
    let policy = arguments.first().and_then(|text| text.to_str()).unwrap_or_default();
    Ok((Policy::from_argument(policy)?, arguments.get(1..).unwrap_or_default()))
}

fn watch_over(arguments: &[OsString]) -> Result<u8, String> {
    let (policy, _) = parse(arguments)?;
    let parent = getppid();
    set_child_subreaper(Some(getpid())).map_err(|error| format!("orphans cannot be adopted: {error}"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no runtime: {error}"))?;
    runtime.block_on(async {
        // Before the agent is started, so that no request to end is lost.
        let told = signal(SignalKind::terminate()).and_then(|end| Ok((end, signal(SignalKind::child())?)));
        let (end, child) = told.map_err(|error| format!("signals cannot be heard: {error}"))?;
        let agent = start_inside(arguments)?;
        // Only root can; the agent has been started without it.
        let _ = nice(AHEAD);
        let watch = Watch { policy: &policy, agent, parent, status: None };
        Ok(watch.until_the_end(end, child).await)
    })
}

/// Starts this program once more, to confine itself and become the agent. The warden stays outside.
fn start_inside(arguments: &[OsString]) -> Result<Pid, String> {
    let before = std::env::args_os().len().saturating_sub(arguments.len() + 1);
    let program = std::env::current_exe().map_err(|error| format!("it cannot find itself: {error}"))?;
    let started = std::process::Command::new(program)
        .args(std::env::args_os().skip(1).take(before))
        .arg(INSIDE)
        .args(arguments)
        .process_group(0)
        .spawn()
        .map_err(|error| format!("it cannot start itself: {error}"))?;
    i32::try_from(started.id()).ok().and_then(Pid::from_raw).ok_or_else(|| "it has no process id".into())
}

/// Confines this process and turns it into the agent. It returns only to say why that cannot be done.
fn become_agent(arguments: &[OsString]) -> String {
    let (policy, program) = match parse(arguments) {
        Ok((policy, [program, arguments @ ..])) => (policy, (program, arguments)),
        Ok((_, [])) => return "no program was named".into(),
        Err(reason) => return reason,
    };
    let _ = nice(BEHIND);
    if let Err(reason) = confine(&policy) {
        return reason;
    }
    let error = std::process::Command::new(program.0).args(program.1).exec();
    format!("{} cannot be started: {error}", program.0.display())
}

fn confine(policy: &Policy) -> Result<(), String> {
    enforce::limit(&policy.limits).map_err(|error| format!("resource limits cannot be set: {error}"))?;
    if policy.sandbox == Sandbox::Off {
        return Ok(());
    }
    if policy.sandbox == Sandbox::Required && !support().suffices() {
        return Err("this kernel cannot confine it, and `sandbox: required` is set".into());
    }
    enforce::drop_privileges().map_err(|error| format!("privileges cannot be dropped: {error}"))?;
    let status = enforce::confine(policy).map_err(|error| format!("Landlock refused: {error}"))?;
    if policy.sandbox == Sandbox::Required && status == RulesetStatus::NotEnforced {
        return Err("the kernel did not confine it".into());
    }
    Ok(())
}

struct Watch<'a> {
    policy: &'a Policy,
    agent: Pid,
    parent: Option<Pid>,
    status: Option<WaitStatus>,
}

impl Watch<'_> {
    async fn until_the_end(
        mut self,
        mut end: tokio::signal::unix::Signal,
        mut child: tokio::signal::unix::Signal,
    ) -> u8 {
        let mut round = tokio::time::interval(ROUND);
        round.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = child.recv() => {}
                _ = round.tick() => {
                    if let Some(code) = self.excess() {
                        self.kill_all();
                        return code;
                    }
                    if getppid() != self.parent {
                        self.kill_all();
                        self.clear_up();
                        return REFUSED;
                    }
                }
                _ = end.recv() => {
                    self.ask_to_end().await;
                    break;
                }
            }
            self.reap();
            if self.status.is_some() {
                break;
            }
        }
        self.kill_all();
        self.status.map_or(REFUSED, code_of)
    }

    /// Nobody else is left to do it. There may be a copy of a login in it.
    fn clear_up(&self) {
        if let Some(directory) = &self.policy.abandoned {
            let _ = std::fs::remove_dir_all(directory);
        }
    }

    /// Of what there is too much, as an exit code.
    fn excess(&self) -> Option<u8> {
        let limits = &self.policy.limits;
        let most = limits.processes as usize;
        let processes = up_to(getpid().as_raw_nonzero().get(), most);
        if processes.len() > most {
            return Some(TOO_MANY_PROCESSES);
        }
        let memory = limits.memory_bytes?;
        (held_by(&processes) > memory).then_some(TOO_MUCH_MEMORY)
    }

    async fn ask_to_end(&mut self) {
        let _ = kill_process_group(self.agent, Signal::TERM);
        let grace = Duration::from_millis(self.policy.grace_ms);
        let asked = Instant::now();
        while self.status.is_none() && asked.elapsed() < grace {
            tokio::time::sleep(Duration::from_millis(10)).await;
            self.reap();
        }
    }

    /// Waits for everybody who has ended. Says whether anybody is left.
    fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((process, status))) if process == self.agent => {
                    self.status = Some(status);
                    // As long as anybody is left in its group the number belongs to nobody else.
                    let _ = kill_process_group(self.agent, Signal::KILL);
                }
                Ok(Some(_)) => {}
                Ok(None) => return true,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }

    /// Kills until nobody is left. Whoever loses its parent becomes our child, so each round finds those who got away
    /// in the last one.
    ///
    /// Group by group first: the kernel lets nobody of a group fork between the signal and its end, while of those who
    /// are killed one by one the others may fork faster than we count.
    fn kill_all(&mut self) {
        let me = getpid().as_raw_nonzero().get();
        if self.status.is_none() {
            let _ = kill_process_group(self.agent, Signal::KILL);
        }
        for _ in 0..KILL_ROUNDS {
            if !self.reap() {
                return;
            }
            let left = descendants(me);
            let own = getpgrp().as_raw_nonzero().get();
            let groups: BTreeSet<i32> = left.iter().map(|process| process.group).collect();
            for group in groups.into_iter().filter(|group| *group != own).filter_map(Pid::from_raw) {
                let _ = kill_process_group(group, Signal::KILL);
            }
            for process in left.iter().filter_map(|process| Pid::from_raw(process.id)) {
                let _ = kill_process(process, Signal::KILL);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn code_of(status: WaitStatus) -> u8 {
    let code = status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(REFUSED)
}
