use std::ffi::OsString;

use domain::tasks::check_agent_name;
use jiff::Timestamp;
use serde_json::json;

use super::Mailbox;
use super::error::Result;
use super::layout::Layout;

impl Mailbox {
    /// Shows that an agent lives, and what it is doing, in `heartbeats/<agent>.json`.
    pub fn heartbeat(&self, agent: &str, now: Timestamp, what: &str) -> Result<()> {
        check_agent_name("agent", agent)?;
        let layout = Layout::open(&self.root)?;
        let beat = json!({ "agent": agent, "at": now, "doing": what, "pid": std::process::id() });
        let name = OsString::from(format!("{agent}.json"));
        layout.heartbeats.write(&name, format!("{beat}\n").as_bytes()).map(|_| ())
    }
}
