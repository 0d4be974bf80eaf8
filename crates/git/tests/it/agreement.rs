//! Hunks are git's own, line for line.

use std::collections::BTreeMap;

use domain::change::{Change, Hunk, Side, Status};
use domain::ports::Sources;
use testkit::Repo;

use crate::support::*;

/// A small generator, so that a failure can be repeated from its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

/// Lines that repeat, are blank, or look like parts of a diff.
const LINES: [&str; 14] = [
    "fn main() {",
    "}",
    "",
    "    let x = 1;",
    "    let x = 2;",
    "\t",
    "@@ -1,3 +1,3 @@",
    "diff --git a/x b/x",
    "--- a/x",
    "+++ b/x",
    "\\ No newline at end of file",
    "same",
    "same\r",
    "trailing ",
];

type Files = BTreeMap<String, Vec<&'static str>>;

fn text(lines: &[&str], dice: &mut Dice) -> String {
    let mut text = lines.join("\n");
    if dice.roll(4) > 0 {
        text.push('\n');
    }
    text
}

fn edit(files: &mut Files, dice: &mut Dice) {
    let names: Vec<String> = files.keys().cloned().collect();
    let name = names[dice.roll(names.len())].clone();
    match dice.roll(10) {
        0 => {
            files.remove(&name);
        }
        1 => {
            let lines = files.remove(&name).unwrap();
            files.insert(format!("moved {}", dice.roll(1000)), lines);
        }
        2 => {
            let lines = files[&name].clone();
            files.insert(format!("dir/copy {}", dice.roll(1000)), lines);
        }
        _ => {
            let lines = files.get_mut(&name).unwrap();
            for _ in 0..=dice.roll(4) {
                let at = dice.roll(lines.len() + 1);
                match dice.roll(3) {
                    0 => lines.insert(at, LINES[dice.roll(LINES.len())]),
                    1 if at < lines.len() => drop(lines.remove(at)),
                    _ if at < lines.len() => lines[at] = LINES[dice.roll(LINES.len())],
                    _ => lines.push(LINES[dice.roll(LINES.len())]),
                }
            }
        }
    }
    if files.is_empty() {
        files.insert("again".into(), vec!["x"]);
    }
}

fn put(repo: &Repo, files: &Files, dice: &mut Dice) {
    repo.git(&["rm", "-rfq", "--ignore-unmatch", "."]);
    for (name, lines) in files {
        repo.write(name, text(lines, dice));
    }
}

/// What git prints, from the first hunk of each file on.
fn hunks_of_git(printed: &str) -> Vec<String> {
    let mut sections: Vec<String> = Vec::new();
    let (mut old_left, mut new_left) = (0u32, 0u32);
    for line in printed.split_inclusive('\n') {
        let inside = old_left > 0 || new_left > 0;
        if inside || line.starts_with('\\') {
            match line.as_bytes()[0] {
                b'+' => new_left -= 1,
                b'-' => old_left -= 1,
                b' ' => (old_left, new_left) = (old_left - 1, new_left - 1),
                _ => {}
            }
            sections.last_mut().unwrap().push_str(line);
        } else if line.starts_with("diff --git ") {
            sections.push(String::new());
        } else if let Some(rest) = line.strip_prefix("@@ -") {
            let count = |range: &str| range.split_once(',').map_or(1, |(_, n)| n.parse().unwrap());
            let mut words = rest.split(' ');
            (old_left, new_left) = (count(words.next().unwrap()), count(words.next().unwrap()));
            let trimmed = line.trim_end();
            sections.last_mut().unwrap().push_str(&format!("{trimmed}\n"));
        }
    }
    sections
}

fn assert_agrees(change: &Change, printed: &str, seed: u64) {
    let ours: Vec<String> = change.files.iter().map(rendered).collect();
    assert_eq!(ours, hunks_of_git(printed), "seed {seed}");
}

fn scenario(seed: u64) {
    let mut dice = Dice(seed);
    let repo = Repo::new();
    let mut files = Files::new();
    for n in 0..6 {
        let lines = (0..dice.roll(60)).map(|_| LINES[dice.roll(LINES.len())]).collect();
        files.insert(format!("file {n}"), lines);
    }
    put(&repo, &files, &mut dice);
    repo.commit("before");
    repo.branch("feature");
    for _ in 0..6 {
        edit(&mut files, &mut dice);
    }
    put(&repo, &files, &mut dice);
    repo.stage();
    let staged_diff = repo.git_bytes(repo.path(), &["diff", "-M", "--cached"]);
    assert_agrees(&change(&repo, &staged()), &String::from_utf8(staged_diff).unwrap(), seed);
    let worktree_diff = repo.git_bytes(repo.path(), &["diff", "-M", "HEAD"]);
    assert_agrees(&change(&repo, &worktree()), &String::from_utf8(worktree_diff).unwrap(), seed);
    repo.commit_staged("after");
    let diff = repo.git_bytes(repo.path(), &["diff", "-M", "main...feature"]);
    assert_agrees(&change(&repo, &commits()), &String::from_utf8(diff).unwrap(), seed);
    assert_leads_back(&repo, seed);
}

/// From what a file is and what differs follows what it was.
fn assert_leads_back(repo: &Repo, seed: u64) {
    let sources = open(repo).sources(&scope(repo, &commits()).unwrap()).unwrap();
    for file in change(repo, &commits()).files.iter().filter(|file| file.status != Status::Deleted) {
        let side = |side| sources.read(file, side).unwrap().unwrap_or_default();
        let (old, new) = (side(Side::Old), side(Side::New));
        assert_eq!(file.before(&new).as_deref(), Some(&old[..]), "seed {seed}, {}", file.path());
        let other = [&new[..], b"\nother"].concat();
        let shows_end =
            file.hunks().iter().flat_map(Hunk::lines).any(|line| line.new.is_some() && !line.newline);
        assert!(!shows_end || file.before(&other).is_none(), "seed {seed}, {}", file.path());
    }
}

#[test]
fn hunks_agree_with_git_diff_line_for_line() {
    for seed in 1..=12 {
        scenario(seed);
    }
}
