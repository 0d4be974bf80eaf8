//! Asking a human, where there is one.

use std::io::{BufRead, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use domain::cycle::Resolution;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Choice {
    /// Manual review and fix.
    A,
    /// Accept the findings; needs --reason.
    B,
    /// One more round, while it is offered.
    C,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) resolution: Resolution,
    pub(super) reason: String,
}

impl Choice {
    pub(super) fn resolution(self) -> Resolution {
        match self {
            Choice::A => Resolution::Block,
            Choice::B => Resolution::Accept,
            Choice::C => Resolution::OneMore,
        }
    }

    pub(super) fn letter(self) -> char {
        match self {
            Choice::A => 'a',
            Choice::B => 'b',
            Choice::C => 'c',
        }
    }

    fn typed(text: &str) -> Option<Choice> {
        match text.trim().trim_end_matches(')').to_ascii_lowercase().as_str() {
            "a" => Some(Choice::A),
            "b" => Some(Choice::B),
            "c" => Some(Choice::C),
            _ => None,
        }
    }
}

/// Nothing if nobody is there to answer, or if they went away.
pub(super) fn on_terminal(offered: &[Resolution], reason: Option<&str>, stop: &AtomicBool) -> Option<Answer> {
    let input = std::io::stdin();
    if !input.is_terminal() || !std::io::stderr().is_terminal() {
        return None;
    }
    choose(&mut input.lock(), &mut std::io::stderr(), offered, reason, &|| stop.load(Ordering::SeqCst))
}

fn choose(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    offered: &[Resolution],
    reason: Option<&str>,
    stopped: &dyn Fn() -> bool,
) -> Option<Answer> {
    loop {
        let line = read_line(input, stopped)?;
        let chosen = Choice::typed(&line).map(Choice::resolution).filter(|chosen| offered.contains(chosen));
        let reason = match (chosen, reason) {
            (Some(Resolution::Accept), None) => {
                say(output, "Why are the findings accepted? It is kept with them and your name: ");
                read_line(input, stopped)?.trim().to_owned()
            }
            (_, reason) => reason.unwrap_or_default().to_owned(),
        };
        match chosen {
            Some(Resolution::Accept) if reason.is_empty() => {
                say(output, "Findings are accepted for a reason only. Your choice: ");
            }
            Some(resolution) => return Some(Answer { resolution, reason }),
            None => say(output, "Type the letter of one of the options. Your choice: "),
        }
    }
}

fn say(output: &mut dyn Write, text: &str) {
    // Somebody who cannot be asked again will notice when nothing happens.
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}

fn read_line(input: &mut dyn BufRead, stopped: &dyn Fn() -> bool) -> Option<String> {
    let mut line = String::new();
    match input.read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) if stopped() => None,
        Ok(_) => Some(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Resolution; 3] = [Resolution::Block, Resolution::Accept, Resolution::OneMore];

    fn answer(typed: &str, offered: &[Resolution]) -> Option<(Resolution, String)> {
        let said = choose(&mut typed.as_bytes(), &mut Vec::new(), offered, None, &|| false)?;
        Some((said.resolution, said.reason))
    }

    #[test]
    fn a_letter_is_an_answer_and_anything_else_is_asked_again() {
        assert_eq!(answer("x\nA)\n", &ALL), Some((Resolution::Block, String::new())));
        assert_eq!(answer("", &ALL), None);
    }

    #[test]
    fn findings_are_not_accepted_without_a_word() {
        assert_eq!(answer("b\n\nb\nknown\n", &ALL), Some((Resolution::Accept, "known".into())));
    }

    #[test]
    fn what_is_not_offered_cannot_be_chosen() {
        assert_eq!(answer("c\na\n", &ALL[..2]), Some((Resolution::Block, String::new())));
    }
}
