use std::collections::BTreeMap;
use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::secrets::Secrets;
use super::tail::Tail;
use crate::waiting::Heard;

/// What a program gets of our environment: how to find things, how to reach the outside, and no secret.
const PASSED_ON: [&str; 25] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "COUNTERSIGN_CA_FILE",
    "COUNTERSIGN_HTTP_TIMEOUT",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "all_proxy",
    "no_proxy",
];

/// A server that we started. It goes when this goes, with everything that it started itself.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Option<Pid>,
}

/// How to talk to it.
pub(super) struct Pipes {
    pub(super) stdout: ChildStdout,
    pub(super) stdin: ChildStdin,
    pub(super) tail: Tail,
}

pub(super) fn start(
    command: &str,
    args: &[String],
    env: &BTreeMap<String, String>,
    secrets: Secrets,
    heard: Option<Heard>,
) -> std::io::Result<(Process, Pipes)> {
    let passed_on = PASSED_ON.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut child = Command::new(command)
        .args(args)
        .env_clear()
        .envs(passed_on)
        .envs(env)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()?;
    let missing = || std::io::Error::other("a stream of the program is missing");
    let stdin = child.stdin.take().ok_or_else(missing)?;
    let stdout = child.stdout.take().ok_or_else(missing)?;
    let tail = Tail::of(child.stderr.take().ok_or_else(missing)?, secrets, heard);
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    Ok((Process { child, group }, Pipes { stdout, stdin, tail }))
}

impl Drop for Process {
    fn drop(&mut self) {
        // As long as the child has not been waited for, its number is not given to anybody else.
        if let (Some(group), Ok(None)) = (self.group, self.child.try_wait()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
