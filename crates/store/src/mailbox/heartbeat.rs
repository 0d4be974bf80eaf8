use std::ffi::{OsStr, OsString};
use std::path::Path;

use domain::tasks::check_agent_name;
use domain::text::short_line;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::Mailbox;
use super::error::{MailboxError, Result};
use super::folder::{Content, Folder};
use super::layout::Layout;

/// Agents write a few hundred bytes, and a machine runs a few dozen of them.
const LARGEST: u64 = 16 * 1024;
const MOST_FILES: usize = 10_000;
const STOPPED: &str = "stopped";

/// What stands in `heartbeats/<agent>.json`: that an agent lived, when, where, and what it was doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Heartbeat {
    pub agent: String,
    pub at: Timestamp,
    /// `stopped` if it ended as it should.
    pub doing: String,
    pub pid: Option<u32>,
    /// A process id means nothing on another machine.
    pub host: Option<String>,
}

impl Heartbeat {
    fn here(agent: &str, at: Timestamp, doing: &str) -> Heartbeat {
        Heartbeat {
            agent: agent.to_owned(),
            at,
            doing: doing.to_owned(),
            pid: Some(std::process::id()),
            host: Some(host_name()),
        }
    }

    pub fn has_stopped(&self) -> bool {
        self.doing == STOPPED
    }

    /// Other programs may write heartbeats of their own: what cannot be read is left out, and the time is then
    /// that of the file.
    fn read(agent: &str, bytes: &[u8], modified_ms: i128) -> Heartbeat {
        let said: Value = serde_json::from_slice(bytes).unwrap_or_default();
        let text = |key: &str| said.get(key).and_then(Value::as_str);
        let modified = i64::try_from(modified_ms).ok().and_then(|at| Timestamp::from_millisecond(at).ok());
        let at = text("at").and_then(|at| at.parse().ok()).or(modified);
        Heartbeat {
            agent: agent.to_owned(),
            at: at.unwrap_or(Timestamp::UNIX_EPOCH),
            doing: short_line(text("doing").unwrap_or_default()),
            pid: said.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok()),
            host: text("host").map(short_line),
        }
    }
}

impl Mailbox {
    /// Shows that an agent lives, and what it is doing, in `heartbeats/<agent>.json`.
    pub fn heartbeat(&self, agent: &str, now: Timestamp, what: &str) -> Result<()> {
        check_agent_name("agent", agent)?;
        write(&Layout::open(&self.root)?.heartbeats, &Heartbeat::here(agent, now, what))
    }

    /// Says that an agent stopped, unless another process goes by its name by now.
    pub fn last_heartbeat(&self, agent: &str, now: Timestamp) -> Result<()> {
        check_agent_name("agent", agent)?;
        let folder = Layout::open(&self.root)?.heartbeats;
        let last = Heartbeat::here(agent, now, STOPPED);
        match read(&folder, &file_name(agent), agent) {
            Some(present) if (&present.pid, &present.host) != (&last.pid, &last.host) => Ok(()),
            Some(_) | None => write(&folder, &last),
        }
    }
}

/// All heartbeats in the mailbox at `root`, by name. Nothing is created where there is none.
pub fn heartbeats(root: &Path) -> Result<Vec<Heartbeat>> {
    let folder = match Folder::open(root) {
        Ok(root) => root.child(OsStr::new("heartbeats"))?,
        Err(MailboxError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let mut beats = Vec::new();
    for name in folder.names()?.take(MOST_FILES) {
        let Some(agent) = name.to_str().and_then(|name| name.strip_suffix(".json")) else { continue };
        if check_agent_name("agent", agent).is_ok() {
            beats.extend(read(&folder, &name, agent));
        }
    }
    beats.sort_by(|one, other| one.agent.cmp(&other.agent));
    Ok(beats)
}

/// What this machine calls itself.
pub fn host_name() -> String {
    short_line(&rustix::system::uname().nodename().to_string_lossy())
}

fn file_name(agent: &str) -> OsString {
    OsString::from(format!("{agent}.json"))
}

fn write(folder: &Folder, beat: &Heartbeat) -> Result<()> {
    let json = serde_json::json!(beat);
    folder.write(&file_name(&beat.agent), format!("{json}\n").as_bytes()).map(|_| ())
}

fn read(folder: &Folder, name: &OsStr, agent: &str) -> Option<Heartbeat> {
    match folder.read(name, LARGEST) {
        Content::Whole(bytes, identity) => Some(Heartbeat::read(agent, &bytes, identity.modified_ms())),
        Content::TooLarge | Content::Gone | Content::Unreadable(_) => None,
    }
}
