//! What the loop says while it works, on standard error.

use std::io::{IsTerminal, Write};
use std::sync::Arc;

use domain::review::Usage;
use engine::story::{Moment, Step};

use super::summary::{duration, money};
use crate::loops::Speech;
use crate::pretty;
use crate::progress::Progress;

/// On a terminal, with a line that says what somebody is doing right now.
pub(super) fn speech() -> Speech {
    let progress = Arc::new(Progress::start("Starting"));
    let steps = Arc::clone(&progress);
    Speech {
        moment: Arc::new(move |moment: &Moment<'_>| {
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

/// `[round 2/3 fix, 1 min 12 s, 3 findings, $0.05] engineer fixes 2 findings`
fn line(moment: &Moment<'_>) -> String {
    let Moment { round, max_rounds, step, found, .. } = moment;
    let mut facts =
        vec![format!("round {round}/{max_rounds} {}", verb(*step)), duration(moment.elapsed_seconds)];
    if !moment.story.rounds.is_empty() {
        let count = found.critical + found.important + found.minor;
        facts.push(if count == 1 { "1 finding".to_owned() } else { format!("{count} findings") });
    }
    if moment.usage != Usage::default() {
        facts.push(money(&moment.usage));
    }
    format!("[{}] {}", facts.join(", "), moment.text)
}

fn verb(step: Step) -> &'static str {
    step.as_str()
}
