//! A file's change in git's own format, from what a forge says about it.

use std::fmt::Write as _;

/// One file of a change.
#[derive(Debug, Clone, Copy)]
pub(super) struct FilePatch<'a> {
    pub(super) old_path: &'a str,
    pub(super) new_path: &'a str,
    pub(super) change: Change,
    /// As git writes them; empty if the forge does not say.
    pub(super) old_mode: &'a str,
    pub(super) new_mode: &'a str,
    /// From the first `@@` on; empty if no line changed, or none is shown.
    pub(super) hunks: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Added,
    Modified,
    Deleted,
    Renamed,
}

impl Change {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Change::Added => "added",
            Change::Modified => "modified",
            Change::Deleted => "deleted",
            Change::Renamed => "renamed",
        }
    }
}

impl FilePatch<'_> {
    pub(super) fn write_to(&self, diff: &mut String) {
        let (old, new) = (quoted("a/", self.old_path), quoted("b/", self.new_path));
        // Writing to a text does not fail.
        let _ = writeln!(diff, "diff --git {old} {new}");
        self.write_header(diff);
        let hunks = from_first_hunk(self.hunks);
        let null = "/dev/null".to_owned();
        let (old, new) = match self.change {
            Change::Added => (null, new),
            Change::Deleted => (old, null),
            Change::Modified | Change::Renamed => (old, new),
        };
        if hunks.is_empty() {
            if self.hunks.starts_with("Binary files ") {
                let _ = writeln!(diff, "Binary files {old} and {new} differ");
            }
            return;
        }
        let _ = writeln!(diff, "--- {}\n+++ {}", ended(&old), ended(&new));
        diff.push_str(hunks);
        if !hunks.ends_with('\n') {
            diff.push('\n');
        }
    }

    fn write_header(&self, diff: &mut String) {
        let is_mode = |mode: &str| mode.len() == 6 && mode.bytes().all(|byte| byte.is_ascii_digit());
        let mode = |mode: &str| if is_mode(mode) { mode.to_owned() } else { "100644".to_owned() };
        let _ = match self.change {
            Change::Added => writeln!(diff, "new file mode {}", mode(self.new_mode)),
            Change::Deleted => writeln!(diff, "deleted file mode {}", mode(self.old_mode)),
            Change::Modified | Change::Renamed if self.old_mode != self.new_mode => {
                writeln!(diff, "old mode {}\nnew mode {}", mode(self.old_mode), mode(self.new_mode))
            }
            Change::Modified | Change::Renamed => Ok(()),
        };
        if self.change == Change::Renamed {
            let (old, new) = (quoted("", self.old_path), quoted("", self.new_path));
            let _ = writeln!(diff, "rename from {old}\nrename to {new}");
        }
    }
}

/// Older forges put the names of the files in front.
fn from_first_hunk(patch: &str) -> &str {
    match patch.starts_with("@@") {
        true => patch,
        false => patch.find("\n@@").map_or("", |at| &patch[at + 1..]),
    }
}

/// A name with a space in it ends with a tab, so that it ends somewhere.
fn ended(name: &str) -> String {
    if name.contains(' ') && !name.starts_with('"') { format!("{name}\t") } else { name.to_owned() }
}

/// Quoted as a whole, prefix included, if any byte of it needs to be: git's way.
fn quoted(prefix: &str, path: &str) -> String {
    let plain = |byte: u8| (0x20..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
    if path.bytes().all(plain) {
        return format!("{prefix}{path}");
    }
    let mut text = format!("\"{prefix}");
    for byte in path.bytes() {
        let _ = match byte {
            b'\t' => write!(text, "\\t"),
            b'\n' => write!(text, "\\n"),
            b'\r' => write!(text, "\\r"),
            b'"' => write!(text, "\\\""),
            b'\\' => write!(text, "\\\\"),
            byte if plain(byte) => write!(text, "{}", char::from(byte)),
            byte => write!(text, "\\{byte:03o}"),
        };
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(old_path: &str, new_path: &str, change: Change, hunks: &str) -> String {
        let mut diff = String::new();
        FilePatch { old_path, new_path, change, old_mode: "", new_mode: "", hunks }.write_to(&mut diff);
        diff
    }

    #[test]
    fn a_file_reads_as_git_would_show_it() {
        assert_eq!(
            written("a.rs", "a.rs", Change::Modified, "@@ -1 +1 @@\n-x\n+y"),
            "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-x\n+y\n"
        );
        assert_eq!(
            written("n e.rs", "n e.rs", Change::Added, "@@ -0,0 +1 @@\n+y\n"),
            "diff --git a/n e.rs b/n e.rs\nnew file mode 100644\n--- /dev/null\n+++ b/n e.rs\t\n@@ -0,0 +1 @@\n+y\n"
        );
        assert_eq!(
            written("old", "new", Change::Renamed, ""),
            "diff --git a/old b/new\nrename from old\nrename to new\n"
        );
    }

    #[test]
    fn a_hostile_name_cannot_break_out_of_its_line() {
        let diff = written("x\n+++ b/y", "ü\"\\", Change::Modified, "@@ -1 +1 @@\n-x\n+y\n");
        assert!(diff.starts_with(r#"diff --git "a/x\n+++ b/y" "b/\303\274\"\\""#), "{diff}");
        assert_eq!(diff.lines().filter(|line| line.starts_with("+++ ")).count(), 1);
    }

    #[test]
    fn names_in_front_of_the_hunks_are_left_out() {
        assert!(
            written("a", "a", Change::Modified, "--- a/z\n+++ b/z\n@@ -1 +1 @@\n-x\n+y\n")
                .contains("--- a/a\n+++ b/a\n@@")
        );
    }
}
