use bytes::Bytes;
use domain::change::{Attributes, FileChange, Mode, Oid, Status};

use super::patch;
use super::raw;

/// Where the output was not what git prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Malformed {
    #[error("a record about a file that cannot be read")]
    Record,
    #[error("a section of the patch that does not belong to the file announced")]
    Section,
    #[error("a hunk without a proper header")]
    HunkHeader,
    #[error("a hunk with other lines than its header announces")]
    HunkBody,
    #[error("an end in the middle")]
    End,
}

/// Reads what `git diff-tree -z --raw -p` and its kin print: records first, then a patch with a section
/// for each of them, in order. Hunks share the memory of `printed`.
pub(crate) fn parse(printed: &Bytes) -> Result<Vec<FileChange>, Malformed> {
    let mut reader = Reader { all: printed, position: 0 };
    let records = records(&mut reader)?;
    reader.skip(b"\0");
    let mut files = Vec::with_capacity(records.len());
    for record in records {
        let content = patch::content(&mut reader, &record)?;
        let raw::Record { status, old, new } = record;
        files.push(FileChange { status, old, new, content, attributes: Attributes::default() });
    }
    if reader.rest().is_empty() { Ok(files) } else { Err(Malformed::Section) }
}

fn records(reader: &mut Reader<'_>) -> Result<Vec<raw::Record>, Malformed> {
    let mut records = Vec::new();
    while reader.rest().starts_with(b":") {
        records.push(raw::record(reader)?);
    }
    Ok(records)
}

/// Looks for the end of the records while a diff is still being printed.
#[derive(Debug, Default)]
pub(crate) struct Announced {
    /// What has been looked through already.
    passed: usize,
    is_over: bool,
}

impl Announced {
    /// The files whose new content neither is in the patch nor follows from it, once, as soon as the patch begins.
    pub(crate) fn in_all_of(&mut self, printed: &[u8]) -> Option<Vec<Oid>> {
        let unseen = printed.get(self.passed..).filter(|_| !self.is_over)?;
        let Some(end) = memchr::memmem::find(unseen, b"\0\0").map(|at| self.passed + at + 1) else {
            self.passed = printed.len().saturating_sub(1);
            return None;
        };
        self.is_over = true;
        let all = Bytes::copy_from_slice(&printed[..end]);
        let records = records(&mut Reader { all: &all, position: 0 }).ok()?;
        let shown_whole = |record: &raw::Record| matches!(record.status, Status::Added | Status::Deleted);
        let read = records.into_iter().filter(|record| !shown_whole(record)).filter_map(|record| record.new);
        Some(read.filter(|side| side.mode != Mode::Submodule).filter_map(|side| side.oid).collect())
    }
}

pub(super) struct Reader<'a> {
    all: &'a Bytes,
    position: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.all[self.position..]
    }

    pub(super) fn position(&self) -> usize {
        self.position
    }

    /// Everything read since `start`, sharing memory with the whole.
    pub(super) fn slice_from(&self, start: usize) -> Bytes {
        self.all.slice(start..self.position)
    }

    /// The next line without its line feed, which must be there.
    pub(super) fn line(&mut self) -> Result<&'a [u8], Malformed> {
        self.until(b'\n')
    }

    pub(super) fn until_nul(&mut self) -> Result<&'a [u8], Malformed> {
        self.until(0)
    }

    fn until(&mut self, end: u8) -> Result<&'a [u8], Malformed> {
        let rest = self.rest();
        let at = memchr::memchr(end, rest).ok_or(Malformed::End)?;
        self.position += at + 1;
        Ok(&rest[..at])
    }

    /// Whether `expected` came next; if so, it is passed over.
    pub(super) fn skip(&mut self, expected: &[u8]) -> bool {
        let there = self.rest().starts_with(expected);
        self.position += if there { expected.len() } else { 0 };
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::change::Content;
    use proptest::prelude::*;

    const RECORD: &str = ":100644 100644 1111111111111111111111111111111111111111 2222222222222222222222222222222222222222 M\0a\0";

    fn modified(body: &str) -> Result<Vec<FileChange>, Malformed> {
        parse(&format!("{RECORD}\0diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n{body}").into())
    }

    #[test]
    fn content_that_looks_like_a_header_stays_content() {
        let body =
            "@@ -1,2 +1,3 @@\n diff --git a/x b/x\n-@@ -1 +1 @@\n+--- a/a\n++++ b/a\n@@ -9 +10 @@\n-x\n+y\n";
        let files = modified(body).unwrap();
        assert_eq!(files[0].hunks().len(), 2);
        assert_eq!(files[0].added().map(|(n, _)| n).collect::<Vec<_>>(), [2, 3, 10]);
    }

    #[test]
    fn a_missing_line_feed_is_known_on_either_side() {
        let files =
            modified("@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n");
        let ends: Vec<bool> = files.unwrap()[0].hunks()[0].lines().map(|line| line.newline).collect();
        assert_eq!(ends, [false, false]);
    }

    #[test]
    fn a_section_of_another_file_is_an_error() {
        let printed = format!("{RECORD}\0diff --git a/b b/b\nindex 1..2 100644\n");
        assert_eq!(parse(&printed.into()).unwrap_err(), Malformed::Section);
        assert_eq!(parse(&RECORD.into()).unwrap_err(), Malformed::Section);
    }

    #[test]
    fn a_hunk_that_ends_early_is_an_error() {
        assert_eq!(modified("@@ -1,2 +1 @@\n-x\n").unwrap_err(), Malformed::End);
        assert_eq!(modified("@@ -1 +1 @@\n-x\n-x\n").unwrap_err(), Malformed::HunkBody);
    }

    #[test]
    fn what_has_to_be_read_is_known_when_the_patch_begins() {
        let added = RECORD
            .replace(
                "100644 100644 1111111111111111111111111111111111111111",
                "000000 100644 0000000000000000000000000000000000000000",
            )
            .replace(" M", " A");
        let printed = format!("{RECORD}{added}\0diff --git a/a b/a\n");
        for piece in 1..printed.len() {
            let mut announced = Announced::default();
            let ends = (piece..).step_by(piece).take_while(|end| *end < printed.len()).chain([printed.len()]);
            let found: Vec<_> =
                ends.filter_map(|end| announced.in_all_of(&printed.as_bytes()[..end])).collect();
            let [read] = found.as_slice() else { panic!("told {} times", found.len()) };
            assert_eq!(read.iter().map(Oid::as_str).collect::<Vec<_>>(), ["2".repeat(40)]);
        }
        assert!(Announced::default().in_all_of(RECORD.as_bytes()).is_none());
    }

    #[test]
    fn nothing_is_no_change() {
        assert!(parse(&Bytes::new()).unwrap().is_empty());
    }

    #[test]
    fn an_unmerged_path_is_told_apart() {
        let record = RECORD.replace(" M", " U");
        let files = parse(&format!("{record}\0* Unmerged path a\n").into()).unwrap();
        assert_eq!(files[0].status, Status::Unmerged);
        assert!(matches!(files[0].content, Content::Text(_)));
    }

    fn pieces() -> impl Strategy<Value = Vec<u8>> {
        let known = prop::sample::select(vec![
            RECORD,
            "\0",
            "diff --git a/a b/a\n",
            "@@ -1,2 +1 @@\n",
            "@@ -1 +1,2 @@ x\n",
            "+a\n",
            "-b\n",
            " c\n",
            "\\ No\n",
            "Binary files a/a and b/a differ\n",
            "index 1..2\n",
            "* Unmerged path a\n",
            "new file mode 1\n",
        ]);
        let piece = prop_oneof![
            8 => known.prop_map(|text| text.as_bytes().to_vec()),
            1 => proptest::collection::vec(any::<u8>(), 0..20),
        ];
        proptest::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse(&bytes.into());
        }

        #[test]
        fn no_arrangement_of_its_parts_makes_it_panic(bytes in pieces()) {
            for file in parse(&bytes.into()).unwrap_or_default() {
                file.hunks().iter().for_each(|hunk| { hunk.lines().count(); });
            }
        }
    }
}
