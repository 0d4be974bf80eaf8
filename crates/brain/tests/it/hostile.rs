//! An agent that tries whatever it should not.

use std::net::TcpListener;

use brain::agents::{AgentAnswer, AgentTrouble, AnyCommand, Ask, CodingAgent, Invocation, Output, Role};
use brain::confine::Processes;
use domain::config::Sandbox;

use crate::stage::{Stage, kernel_confines, sleepers, unique_sleep};

const TRY: &str = r#"
try() { if eval "$2" 2>/dev/null; then echo "$1: done"; else echo "$1: refused"; fi; }
"#;

/// What a reviewer may not do. Without confinement all of it works, which is a test of its own.
const CRIMES: &str = r#"
try "write repository" 'echo x >> @repo@/README.md'
try "empty a file" ': > @repo@/README.md'
try "write .git" 'echo x >> @repo@/.git/config'
try "add a hook" 'echo x > @repo@/.git/hooks/pre-commit'
try "write home" 'echo x > @home@/.bashrc'
try "write its worktree" 'echo x > @export@/src/new.rs'
try "remove from its worktree" 'mv @export@/src/a.rs @export@/src/b.rs && mv @export@/src/b.rs @export@/src/a.rs'
try "read .ssh" 'cat @home@/.ssh/id_ed25519 >/dev/null'
try "read environ of its parent" 'cat /proc/$PPID/environ >/dev/null'
try "read environ of countersign" 'cat /proc/@countersign@/environ >/dev/null'
try "connect to a closed port" 'exec 3<>/dev/tcp/127.0.0.1/@closed@'
try "signal its warden" 'kill -0 $PPID'
"#;

const RIGHTS: &str = r#"
try "write scratch" 'echo x > $HOME/x && echo x > $TMPDIR/x && mkdir $HOME/d && mv $HOME/x $HOME/d/y'
try "read its worktree" 'cat @export@/src/a.rs >/dev/null && cat src/a.rs >/dev/null'
try "run programs" 'ls / >/dev/null; /usr/bin/env true'
try "read about itself" 'cat /proc/$$/status >/dev/null'
try "connect to its model" 'exec 3<>/dev/tcp/127.0.0.1/@model@'
"#;

struct Ports {
    model: TcpListener,
    closed: TcpListener,
}

fn attempt(agent: &'static dyn CodingAgent, script: &str, sandbox: Sandbox) -> String {
    let listen = || TcpListener::bind("127.0.0.1:0").unwrap();
    let ports = Ports { model: listen(), closed: listen() };
    let number = |listener: &TcpListener| listener.local_addr().unwrap().port();
    let mut stage = Stage::with_agent(agent, &format!("{TRY}{script}")).place(&[
        ("model", &number(&ports.model).to_string()),
        ("closed", &number(&ports.closed).to_string()),
        ("countersign", &std::process::id().to_string()),
    ]);
    stage.launch.sandbox = sandbox;
    stage.launch.ports = vec![number(&ports.model)];
    stage.review().unwrap().answer.text
}

fn all(script: &str, outcome: &str) -> String {
    let names = script.lines().filter_map(|line| line.strip_prefix("try \"")?.split_once('"'));
    names.map(|(name, _)| format!("{name}: {outcome}")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_hostile_reviewer_fails_at_everything() {
    if kernel_confines() {
        assert_eq!(attempt(&AnyCommand, CRIMES, Sandbox::Required), all(CRIMES, "refused"));
    }
}

/// As [`AnyCommand`], with a look at the list of processes.
struct SeesProcesses;

impl CodingAgent for SeesProcesses {
    fn name(&self) -> &'static str {
        "curious"
    }

    fn program(&self) -> &'static str {
        ""
    }

    fn variables(&self) -> &'static [&'static str] {
        &[]
    }

    fn processes(&self) -> Processes {
        Processes::Listed
    }

    fn review(&self, ask: &Ask<'_>) -> Invocation {
        AnyCommand.review(ask)
    }

    fn author(&self, ask: &Ask<'_>) -> Invocation {
        AnyCommand.author(ask)
    }

    fn progress(&self, _: &str) -> Option<String> {
        None
    }

    fn read(&self, role: Role, output: &Output) -> Result<AgentAnswer, AgentTrouble> {
        AnyCommand.read(role, output)
    }
}

#[test]
fn seeing_other_processes_does_not_mean_looking_into_them() {
    if kernel_confines() {
        let listed = "try \"list processes\" 'cat /proc/@countersign@/cmdline >/dev/null'\n";
        assert_eq!(attempt(&SeesProcesses, listed, Sandbox::Required), all(listed, "done"));
        assert_eq!(attempt(&SeesProcesses, CRIMES, Sandbox::Required), all(CRIMES, "refused"));
    }
}

#[test]
fn the_same_agent_would_succeed_if_it_were_not_confined() {
    assert_eq!(attempt(&AnyCommand, CRIMES, Sandbox::Off), all(CRIMES, "done"));
}

#[test]
fn a_confined_reviewer_can_do_its_work() {
    if kernel_confines() {
        assert_eq!(attempt(&AnyCommand, RIGHTS, Sandbox::Required), all(RIGHTS, "done"));
    }
}

#[test]
fn no_secret_is_in_the_environment() {
    let seen = Stage::with_script("env").review().unwrap().answer.text;
    assert!(seen.contains("HOME=") && !seen.contains("secret") && !seen.contains("TOKEN"), "{seen}");
}

#[test]
fn a_variable_is_passed_on_when_asked_for_by_name() {
    let mut stage = Stage::with_script("env");
    stage.launch.environment = vec!["GITHUB_TOKEN".into(), "COUNTERSIGN_STORE".into()];
    let seen = stage.review().unwrap().answer.text;
    assert!(seen.contains("forge-secret") && !seen.contains("store-secret"), "{seen}");
}

#[test]
fn there_are_no_privileges_to_use_or_to_gain() {
    let script = "grep -E 'NoNewPrivs|CapInh|CapEff' /proc/$$/status; ulimit -c";
    let said = Stage::with_script(script).review().unwrap().answer.text;
    let words: Vec<_> = said.split_whitespace().collect();
    let effective = u64::from_str_radix(words[3], 16).unwrap();
    assert_eq!(effective & !0b10, 0, "at most CAP_DAC_OVERRIDE: {said}");
    assert_eq!((words[1], words[5], words[6]), ("0000000000000000", "1", "0"), "{said}");
}

#[test]
fn not_being_confined_is_said_aloud() {
    let mut stage = Stage::with_script("echo '{}'");
    stage.launch.sandbox = Sandbox::Off;
    let remarks = stage.review().unwrap().remarks;
    assert!(remarks[0].starts_with("NOT CONFINED"), "{remarks:?}");
    if kernel_confines() {
        stage.launch.sandbox = Sandbox::Preferred;
        assert_eq!(stage.review().unwrap().remarks, [""; 0]);
    }
}

/// Held by a process that has left its session, as well as by the first one.
#[test]
fn taking_all_memory_ends_in_failure_and_leaves_nothing() {
    let sleep = unique_sleep();
    let hold = "(setsid python3 -c 'import time; held = bytearray(300 << 20); time.sleep(3600)' &)";
    let mut stage = Stage::with_script(&format!("{hold}; sleep @sleep@")).place(&[("sleep", &sleep)]);
    stage.launch.limits.memory_bytes = Some(200 << 20);
    assert_eq!(stage.review().unwrap_err(), AgentTrouble::TooMuchMemory(200));
    assert_eq!(sleepers(&sleep), 0);
}

fn bomb(script: &str) {
    let sleep = unique_sleep();
    let mut stage = Stage::with_script(script).place(&[("sleep", &sleep)]);
    stage.launch.limits.processes = 25;
    assert_eq!(stage.review().unwrap_err(), AgentTrouble::TooManyProcesses);
    assert_eq!(sleepers(&sleep), 0);
}

#[test]
fn forking_forever_ends_in_failure_and_leaves_nothing() {
    bomb("while true; do sleep @sleep@ & done");
}

/// Each of its processes becomes two, and the first one ends at once.
#[test]
fn doubling_forever_ends_in_failure_and_leaves_nothing() {
    bomb("f() { sleep 0.05; f | f & }; f; sleep @sleep@");
}

#[test]
fn leaving_the_session_does_not_help_a_fork_bomb() {
    bomb("while true; do setsid sleep @sleep@ & done");
}

#[test]
fn orphans_of_orphans_are_found() {
    bomb("f() { (f &) ; (sleep @sleep@ &) ; sleep @sleep@; }; f");
}
