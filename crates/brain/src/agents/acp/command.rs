use std::path::Path;

use super::permit::Execute;
use super::wish::{is_git, resolve};

/// Programs that are there to reach other machines.
const NETWORK: [&str; 12] =
    ["curl", "wget", "nc", "ncat", "netcat", "ssh", "scp", "sftp", "rsync", "ftp", "telnet", "socat"];
/// What makes more than one command of a line, or something else of its words.
const SHELL: [char; 14] = [';', '&', '|', '<', '>', '$', '`', '(', ')', '{', '}', '\\', '\n', '\r'];
/// Places outside of the worktree that a command may name: programs, and nothing.
const HARMLESS: [&str; 4] = ["/usr/bin/", "/bin/", "/usr/local/bin/", "/dev/null"];

/// Why a command is not run, if it is not.
///
/// A shell can say anything in many ways. This keeps honest agents to what they were given; the others meet the kernel.
pub(super) fn objection(line: &str, execute: &Execute, worktree: &Path) -> Option<&'static str> {
    let line = inside(line.trim(), worktree);
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || c == '"' || c == '\'' || c == '=' || SHELL.contains(&c))
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        return Some("no command is named");
    }
    let programs = || words.iter().map(|word| word.rsplit('/').next().unwrap_or(word));
    if programs().any(|program| program == "git") && words.contains(&"push") {
        return Some("pushing is not for authors");
    }
    if programs().any(|program| NETWORK.contains(&program)) || words.iter().any(|word| word.contains("://")) {
        return Some("it reaches into the network");
    }
    if words.iter().any(|word| is_git(Path::new(word))) {
        return Some("it touches the repository itself");
    }
    if words.iter().any(|word| leads_outside(word, worktree)) {
        return Some("it names a place outside of the worktree");
    }
    match execute {
        Execute::Anything => None,
        Execute::Listed(allowed) => {
            let is_allowed = allowed.iter().any(|allowed| fits(line, allowed.trim()));
            (!is_allowed).then_some("this command is not on the list of those it may run")
        }
    }
}

/// Agents like to say where they are. `cd WORKTREE && COMMAND` is that command.
fn inside<'a>(line: &'a str, worktree: &Path) -> &'a str {
    let Some((place, rest)) = line.strip_prefix("cd ").and_then(|rest| rest.split_once("&&")) else {
        return line;
    };
    let place = place.trim().trim_matches(['"', '\'']);
    let is_plain = !place.contains(SHELL) && !place.starts_with(['~', '-']);
    let stays = resolve(Path::new(place), worktree).is_some_and(|place| place.starts_with(worktree));
    if is_plain && stays { rest.trim() } else { line }
}

/// The command itself, or the command with further arguments: no second command.
fn fits(line: &str, allowed: &str) -> bool {
    if allowed.is_empty() {
        return false;
    }
    match line.strip_prefix(allowed) {
        Some("") => true,
        Some(more) => more.starts_with(' ') && !more.contains(SHELL),
        None => false,
    }
}

fn leads_outside(word: &str, worktree: &Path) -> bool {
    if word.starts_with('~') {
        return true;
    }
    let is_path = word.starts_with('/') || word.contains("..");
    let harmless = HARMLESS.iter().any(|place| word.starts_with(place)) && !word.contains("..");
    let stays = || resolve(Path::new(word), worktree).is_some_and(|path| path.starts_with(worktree));
    is_path && !harmless && !stays()
}
