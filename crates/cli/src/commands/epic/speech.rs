//! What a run says while it works, on standard error.

use std::io::{IsTerminal, Write};
use std::sync::Arc;

use engine::epic::TicketMoment;

use crate::epics::Speech;
use crate::pretty;
use crate::progress::Progress;

/// On a terminal, with a line that says what somebody is doing right now.
pub(super) fn speech() -> Speech {
    let progress = Arc::new(Progress::start("Starting"));
    let steps = Arc::clone(&progress);
    Speech {
        moment: Arc::new(move |moment: &TicketMoment<'_>| {
            let line = line(moment);
            steps.step(line.clone());
            // The progress line, if there is one, makes room.
            let clear = if std::io::stderr().is_terminal() { "\r\x1b[2K" } else { "" };
            let _ = std::io::stderr().write_all(clear.as_bytes());
            pretty::note(&line);
        }),
        heard: Arc::new(move |line: &str| progress.step(pretty::safe(line))),
    }
}

/// `[auth-base executing, revision 1/2] engineer revises it`
fn line(moment: &TicketMoment<'_>) -> String {
    let Some(ticket) = moment.ticket else { return format!("[epic] {}", moment.text) };
    let (done, most) = (ticket.cycle.revision_count(), ticket.cycle.max_reviews() - 1);
    let revision = if done == 0 { String::new() } else { format!(", revision {done}/{most}") };
    format!("[{} {}{revision}] {}", ticket.id, ticket.status().as_str(), moment.text)
}
