use bytes::Bytes;

use super::DiffRefs;
use crate::change::{
    Attributes, Change, Content, FileChange, FileSide, Hunk, Mode, RepoPath, Scope, Status, Target,
};

/// The diff of a pull or merge request as its forge gave it.
#[derive(Debug, Clone)]
pub struct MergeRequestDiff {
    pub refs: DiffRefs,
    pub files: Vec<FileChange>,
    /// Files whose content the forge withheld: too large, or too many. They have not been seen, and a review of this
    /// diff has to say so.
    pub withheld: Vec<RepoPath>,
}

/// What a forge sent is not a diff as git writes it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the diff cannot be read: {reason}")]
pub struct BadDiff {
    pub line: usize,
    pub reason: &'static str,
}

impl MergeRequestDiff {
    /// As the object of a review. `base_name` and `head_name` are for people.
    pub fn into_change(self, base_name: &str, head_name: &str) -> Change {
        let notes = match self.withheld.len() {
            0 => Vec::new(),
            1 => vec!["the forge withheld the content of 1 file".to_owned()],
            count => vec![format!("the forge withheld the content of {count} files")],
        };
        let scope = Scope {
            base: Some(self.refs.base),
            base_name: base_name.to_owned(),
            head: Target::Commit(self.refs.head),
            head_name: head_name.to_owned(),
            notes,
        };
        Change { scope, files: self.files }
    }
}

/// Reads a diff in git's format. Where a hunk ends is found by counting lines, because a line of content may look like
/// any header. Takes time in proportion to its length.
pub fn parse_diff(diff: &str) -> Result<Vec<FileChange>, BadDiff> {
    let all = Bytes::copy_from_slice(diff.as_bytes());
    let mut reader = Reader { all: &all, position: 0, line: 0 };
    let mut files = Vec::new();
    while let Some(line) = reader.next() {
        let header = line.strip_prefix(b"diff --git ").ok_or(reader.bad("a file has to begin here"))?;
        files.push(file(&mut reader, header)?);
    }
    Ok(files)
}

struct Reader<'a> {
    all: &'a Bytes,
    position: usize,
    line: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a [u8]> {
        let rest = self.all.get(self.position..)?;
        (!rest.is_empty()).then(|| &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())])
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        let line = self.peek()?;
        self.position = (self.position + line.len() + 1).min(self.all.len());
        self.line += 1;
        Some(line)
    }

    fn bad(&self, reason: &'static str) -> BadDiff {
        BadDiff { line: self.line, reason }
    }
}

/// What stands between `diff --git` and the first hunk.
#[derive(Default)]
struct Headers {
    old_path: Option<RepoPath>,
    new_path: Option<RepoPath>,
    /// From `rename from` and its kin, which carry no prefix.
    moved: Option<(Option<RepoPath>, Option<RepoPath>, bool)>,
    similarity: u8,
    old_mode: Option<Mode>,
    new_mode: Option<Mode>,
    is_new: bool,
    is_deleted: bool,
    is_binary: bool,
}

fn file(reader: &mut Reader<'_>, names: &[u8]) -> Result<FileChange, BadDiff> {
    let mut headers = Headers::default();
    while let Some(line) = reader.peek() {
        if line.starts_with(b"@@ -") || line.starts_with(b"diff --git ") {
            break;
        }
        reader.next();
        if line.starts_with(b"GIT binary patch") {
            headers.is_binary = true;
            while reader.peek().is_some_and(|line| !line.starts_with(b"diff --git ")) {
                reader.next();
            }
            break;
        }
        headers.take(line).ok_or(reader.bad("a header that git does not write"))?;
    }
    let mut hunks = Vec::new();
    while reader.peek().is_some_and(|line| line.starts_with(b"@@ -")) {
        hunks.push(hunk(reader)?);
    }
    headers.finish(names, hunks).ok_or(reader.bad("a file without a readable name"))
}

impl Headers {
    fn take(&mut self, line: &[u8]) -> Option<()> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text = || std::str::from_utf8(line).ok();
        if let Some(path) = line.strip_prefix(b"--- ") {
            self.old_path = side_path(path, b"a/");
        } else if let Some(path) = line.strip_prefix(b"+++ ") {
            self.new_path = side_path(path, b"b/");
        } else if let Some(mode) = line.strip_prefix(b"new file mode ") {
            (self.is_new, self.new_mode) = (true, read_mode(mode));
        } else if let Some(mode) = line.strip_prefix(b"deleted file mode ") {
            (self.is_deleted, self.old_mode) = (true, read_mode(mode));
        } else if let Some(mode) = line.strip_prefix(b"old mode ") {
            self.old_mode = read_mode(mode);
        } else if let Some(mode) = line.strip_prefix(b"new mode ") {
            self.new_mode = read_mode(mode);
        } else if let Some(path) = line.strip_prefix(b"rename from ") {
            self.moved = Some((path_of(path), None, false));
        } else if let Some(path) = line.strip_prefix(b"copy from ") {
            self.moved = Some((path_of(path), None, true));
        } else if let Some(path) = line.strip_prefix(b"rename to ").or(line.strip_prefix(b"copy to ")) {
            let (from, _, copied) = self.moved.take()?;
            self.moved = Some((from, path_of(path), copied));
        } else if line.starts_with(b"similarity index ") {
            let percent = text()?.rsplit(' ').next()?.trim_end_matches('%');
            self.similarity = percent.parse::<u8>().ok()?.min(100);
        } else if line.starts_with(b"index ") {
            let mode = text()?.split(' ').nth(2).and_then(|mode| read_mode(mode.as_bytes()));
            (self.old_mode, self.new_mode) = (self.old_mode.or(mode), self.new_mode.or(mode));
        } else if line.starts_with(b"Binary files ") {
            self.is_binary = true;
        } else if !line.starts_with(b"dissimilarity index ") && !line.is_empty() {
            return None;
        }
        Some(())
    }

    fn finish(self, names: &[u8], hunks: Vec<Hunk>) -> Option<FileChange> {
        let same = || same_names(names);
        let (from, to, copied) = match self.moved {
            Some((from, to, copied)) => (from?, to?, Some(copied)),
            None => {
                let known = self.new_path.or(self.old_path).or_else(same)?;
                (known.clone(), known, None)
            }
        };
        let side = |path: RepoPath, mode: Option<Mode>| {
            Some(FileSide { path, mode: mode.unwrap_or(Mode::File), oid: None })
        };
        let (status, old, new) = match (self.is_new, self.is_deleted, copied) {
            (true, _, _) => (Status::Added, None, side(to, self.new_mode)),
            (_, true, _) => (Status::Deleted, side(from, self.old_mode), None),
            (_, _, Some(true)) => {
                (Status::Copied(self.similarity), side(from, self.old_mode), side(to, self.new_mode))
            }
            (_, _, Some(false)) => {
                (Status::Renamed(self.similarity), side(from, self.old_mode), side(to, self.new_mode))
            }
            (false, false, None) => (Status::Modified, side(from, self.old_mode), side(to, self.new_mode)),
        };
        let is_submodule = [&old, &new].into_iter().flatten().any(|side| side.mode == Mode::Submodule);
        let content = match (is_submodule, self.is_binary) {
            (true, _) => Content::Submodule,
            (false, true) => Content::Binary,
            (false, false) => Content::Text(hunks),
        };
        Some(FileChange { status, old, new, content, attributes: Attributes::default() })
    }
}

fn read_mode(digits: &[u8]) -> Option<Mode> {
    Some(match digits {
        b"100644" | b"100664" => Mode::File,
        b"100755" => Mode::Executable,
        b"120000" => Mode::Symlink,
        b"160000" => Mode::Submodule,
        _ => return None,
    })
}

/// `a/path`, `"a/pa\tth"` or `/dev/null`, which is no path. Some forges put a tab behind it.
fn side_path(name: &[u8], prefix: &[u8]) -> Option<RepoPath> {
    let name = name.strip_suffix(b"\t").unwrap_or(name);
    let path = path_of(name)?;
    let bare = path.as_bytes().strip_prefix(prefix)?;
    (!bare.is_empty()).then(|| RepoPath::from_bytes(bare))
}

fn path_of(name: &[u8]) -> Option<RepoPath> {
    match std::str::from_utf8(name) {
        Ok(text) => RepoPath::try_from(text.to_owned()).ok().filter(|path| !path.as_bytes().is_empty()),
        Err(_) => Some(RepoPath::from_bytes(name)),
    }
}

/// From `a/x b/x`, where nothing else names the file: both halves have to agree.
fn same_names(names: &[u8]) -> Option<RepoPath> {
    let names = names.strip_suffix(b"\r").unwrap_or(names);
    let middle = names.len().checked_sub(1)? / 2;
    let (old, new) = (names.get(..middle)?, names.get(middle + 1..)?);
    let (old, new) = (side_path(old, b"a/")?, side_path(new, b"b/")?);
    (old == new && names.get(middle) == Some(&b' ')).then_some(new)
}

fn hunk(reader: &mut Reader<'_>) -> Result<Hunk, BadDiff> {
    let header =
        reader.next().and_then(Hunk::read_header).ok_or(reader.bad("a hunk without a proper header"))?;
    let (old, new, heading) = header;
    let start = reader.position;
    let (mut old_left, mut new_left) = (old.len, new.len);
    while old_left > 0 || new_left > 0 {
        let line = reader.next().ok_or(reader.bad("the diff ends within a hunk"))?;
        let (from_old, from_new) = match line.first() {
            Some(b' ') | None => (1, 1),
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(b'\\') => (0, 0),
            Some(_) => return Err(reader.bad("a hunk with other lines than its header announces")),
        };
        let left = (old_left.checked_sub(from_old), new_left.checked_sub(from_new));
        let (Some(old), Some(new)) = left else {
            return Err(reader.bad("a hunk with more lines than its header announces"));
        };
        if line.is_empty() {
            return Err(reader.bad("a line of a hunk without its first character"));
        }
        (old_left, new_left) = (old, new);
    }
    if reader.peek().is_some_and(|line| line.starts_with(b"\\")) {
        reader.next();
    }
    Ok(Hunk::new(old, new, heading, reader.all.slice(start..reader.position)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DIFF: &str = "diff --git a/src/a.rs b/src/a.rs\nindex 1111111..2222222 100755\n--- a/src/a.rs\n+++ b/src/a.rs\n\
        @@ -1,2 +1,3 @@ fn a()\n one\n+diff --git a/x b/x\n two\n@@ -9 +10 @@\n-old\n+new\n\\ No newline at end of file\n\
        diff --git a/old name b/new name\nsimilarity index 97%\nrename from old name\nrename to new name\n\
        diff --git a/n.png b/n.png\nnew file mode 100644\nindex 0000000..3333333\nBinary files /dev/null and b/n.png differ\n\
        diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n\
        diff --git \"a/caf\\303\\251\" \"b/caf\\303\\251\"\nold mode 100644\nnew mode 100755\n";

    #[test]
    fn a_diff_reads_file_by_file() {
        let files = parse_diff(DIFF).unwrap();
        let shown: Vec<_> =
            files.iter().map(|file| (file.path().to_string(), file.status, file.hunks().len())).collect();
        assert_eq!(
            shown,
            [
                ("src/a.rs".into(), Status::Modified, 2),
                ("new name".into(), Status::Renamed(97), 0),
                ("n.png".into(), Status::Added, 0),
                ("gone.txt".into(), Status::Deleted, 1),
                ("caf\u{e9}".into(), Status::Modified, 0),
            ]
        );
        let added: Vec<_> = files[0].added().map(|(line, _)| line).collect();
        assert_eq!(added, [2, 10]);
        assert_eq!(files[4].new.as_ref().map(|side| side.mode), Some(Mode::Executable));
    }

    #[test]
    fn a_broken_diff_says_where() {
        for (diff, line) in [
            ("hello\n", 1),
            ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n one\n", 5),
            ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n", 6),
            ("diff --git a/x b/y\n", 1),
        ] {
            assert_eq!(parse_diff(diff).unwrap_err().line, line, "{diff}");
        }
    }

    proptest! {
        #[test]
        fn hostile_diffs_never_panic(pieces in proptest::collection::vec(prop::sample::select(vec![
            "diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "@@ -1,2 +1,2 @@\n", "@@ -1 +1 @@\n", " a\n", "+b\n", "-c\n",
            "\\ No newline\n", "rename to y\n", "GIT binary patch\n", "\"", "\n", "Binary files", "new file mode 160000\n",
        ]), 0..30)) {
            let _ = parse_diff(&pieces.concat());
        }
    }
}
