//! Changes without git: files as text before and after, compared line by line.

use std::collections::HashMap;

use bytes::Bytes;
use domain::change::{
    Attributes, Change, Content, FileChange, FileSide, Hunk, LineKind, Mode, RepoPath, Scope, Side, Span,
    Status, Target,
};
use domain::config::Config;
use domain::ports::{ReviewRequest, Reviewer, SourceError, Sources};
use domain::review::{Evidence, Finding};
use domain::work::WorkOrder;
use rules::{Language, RulesReviewer};

/// What a rule reports that has nothing to say.
pub(crate) const NOTHING: [u32; 0] = [];

/// A change in the making, with everything a review may ask for.
#[derive(Default)]
pub(crate) struct Scenario {
    files: Vec<FileChange>,
    texts: Memory,
    pub(crate) config: Config,
    pub(crate) order: WorkOrder,
}

#[derive(Default)]
struct Memory {
    old: HashMap<RepoPath, Bytes>,
    new: HashMap<RepoPath, Bytes>,
    broken: Option<RepoPath>,
    /// What the commits of the change say.
    messages: String,
    /// The words of the newest release.
    released: Option<String>,
}

impl Sources for Memory {
    fn read(&self, file: &FileChange, side: Side) -> Result<Option<Bytes>, SourceError> {
        file.side(side).map_or(Ok(None), |file| self.read_path(&file.path, side))
    }

    fn read_path(&self, path: &RepoPath, side: Side) -> Result<Option<Bytes>, SourceError> {
        if self.broken.as_ref() == Some(path) {
            return Err(SourceError { path: path.to_string(), reason: "the disk is gone".into() });
        }
        let texts = if side == Side::Old { &self.old } else { &self.new };
        Ok(texts.get(path).cloned())
    }

    fn list_base(&self, folder: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        let inside = |path: &&RepoPath| {
            let rest =
                path.as_bytes().strip_prefix(folder.as_bytes()).and_then(|rest| rest.strip_prefix(b"/"));
            rest.is_some_and(|name| !name.contains(&b'/'))
        };
        Ok(self.old.keys().filter(inside).cloned().collect())
    }

    fn list_base_below(&self, folder: &RepoPath, most: usize) -> Result<Vec<RepoPath>, SourceError> {
        let inside = |path: &&RepoPath| {
            let rest = path.as_bytes().strip_prefix(folder.as_bytes());
            rest.is_some_and(|rest| folder.as_bytes().is_empty() || rest.starts_with(b"/"))
        };
        let mut files: Vec<RepoPath> = self.old.keys().filter(inside).cloned().collect();
        files.sort();
        files.truncate(most);
        Ok(files)
    }

    fn messages(&self) -> Result<String, SourceError> {
        Ok(self.messages.clone())
    }

    fn is_released(&self, word: &str) -> Result<Option<bool>, SourceError> {
        let has =
            |text: &String| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|one| one == word);
        Ok(self.released.as_ref().map(has))
    }
}

impl Scenario {
    pub(crate) fn adding(path: &str, text: impl AsRef<[u8]>) -> Self {
        Scenario::default().and_adding(path, text)
    }

    pub(crate) fn changing(path: &str, old: &str, new: &str) -> Self {
        Scenario::default().and_changing(path, old, new)
    }

    pub(crate) fn and_adding(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        self.with(path, None, Some(text.as_ref()))
    }

    pub(crate) fn and_changing(self, path: &str, old: &str, new: &str) -> Self {
        self.with(path, Some(old.as_bytes()), Some(new.as_bytes()))
    }

    pub(crate) fn and_removing(self, path: &str, old: &str) -> Self {
        self.with(path, Some(old.as_bytes()), None)
    }

    /// A new file that git shows as binary.
    pub(crate) fn and_binary(self, path: &str) -> Self {
        self.and_binary_text(path, "")
    }

    pub(crate) fn and_binary_text(mut self, path: &str, text: &str) -> Self {
        self = self.with(path, None, Some(text.as_bytes()));
        self.files.last_mut().unwrap().content = Content::Binary;
        self
    }

    /// A symbolic link that the change adds.
    pub(crate) fn linking(path: &str, target: &str) -> Self {
        let mut scenario = Scenario::adding(path, target);
        scenario.files.last_mut().unwrap().new.as_mut().unwrap().mode = Mode::Symlink;
        scenario
    }

    /// A submodule at a commit, and at which one it was before.
    pub(crate) fn submodule(path: &str, old: Option<&str>, new: Option<&str>) -> Self {
        let side = |oid: &str| FileSide {
            path: path.into(),
            mode: Mode::Submodule,
            oid: domain::change::Oid::parse(oid),
        };
        let mut scenario = Scenario::default().with(path, old.map(|_| &b""[..]), new.map(|_| &b""[..]));
        let file = scenario.files.last_mut().unwrap();
        (file.old, file.new, file.content) = (old.map(side), new.map(side), Content::Submodule);
        scenario
    }

    /// A file that moves and stays as it is, of which a diff shows no line.
    pub(crate) fn renaming(old: &str, new: &str, text: &str) -> Self {
        let mut scenario = Scenario::changing(new, text, text);
        scenario.texts.old = [(old.into(), Bytes::copy_from_slice(text.as_bytes()))].into();
        let file = scenario.files.last_mut().unwrap();
        file.status = Status::Renamed(100);
        file.old.as_mut().unwrap().path = old.into();
        scenario
    }

    /// A new file that git shows as a copy of one that the change touches too: the diff has what differs.
    pub(crate) fn and_copying(mut self, from: &str, old: &str, path: &str, new: &str) -> Self {
        let known = self.texts.old.clone();
        self = self.and_changing(path, old, new);
        self.texts.old = known;
        let file = self.files.last_mut().unwrap();
        file.status = Status::Copied(80);
        file.old.as_mut().unwrap().path = from.into();
        self
    }

    /// A file that exists on the new side without being part of the change.
    pub(crate) fn and_existing(self, path: &str) -> Self {
        self.and_keeping(path, "")
    }

    /// A file that the change leaves as it is.
    pub(crate) fn and_keeping(mut self, path: &str, text: &str) -> Self {
        let text = Bytes::copy_from_slice(text.as_bytes());
        self.texts.old.insert(path.into(), text.clone());
        self.texts.new.insert(path.into(), text);
        self
    }

    /// A file of the base commit that the change leaves as it is.
    pub(crate) fn and_at_base(mut self, path: &str, text: &str) -> Self {
        self.texts.old.insert(path.into(), Bytes::copy_from_slice(text.as_bytes()));
        self
    }

    /// The change is made of commits with these messages.
    pub(crate) fn committed_as(mut self, messages: &str) -> Self {
        self.texts.messages = messages.to_owned();
        self
    }

    /// The newest release has these words.
    pub(crate) fn released_with(mut self, words: &str) -> Self {
        self.texts.released = Some(words.to_owned());
        self
    }

    /// Whoever reads that side of the file makes trouble.
    pub(crate) fn without_base(mut self, path: &str) -> Self {
        self.texts.old.remove(&RepoPath::from(path));
        self
    }

    pub(crate) fn unreadable(mut self, path: &str) -> Self {
        self.texts.broken = Some(path.into());
        self
    }

    fn with(mut self, path: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> Self {
        let path = RepoPath::from(path);
        let side =
            |text: Option<&[u8]>| text.map(|_| FileSide { path: path.clone(), mode: Mode::File, oid: None });
        let status = match (old, new) {
            (None, _) => Status::Added,
            (Some(_), None) => Status::Deleted,
            (Some(_), Some(_)) => Status::Modified,
        };
        self.files.push(FileChange {
            status,
            old: side(old),
            new: side(new),
            content: Content::Text(
                hunk(old.unwrap_or_default(), new.unwrap_or_default()).into_iter().collect(),
            ),
            attributes: Attributes::default(),
        });
        self.texts.old.extend(old.map(|text| (path.clone(), Bytes::copy_from_slice(text))));
        self.texts.new.extend(new.map(|text| (path.clone(), Bytes::copy_from_slice(text))));
        self
    }

    /// As git shows it: with three lines in front of what changed.
    pub(crate) fn showing_little(mut self) -> Self {
        for file in &mut self.files {
            if let Content::Text(hunks) = &mut file.content {
                *hunks = hunks.iter().map(shortened).collect();
            }
        }
        self
    }

    pub(crate) fn review(&self) -> Evidence {
        self.with_request(|request| {
            let mut evidence = RulesReviewer::default().review(request).unwrap();
            evidence.findings.sort_by_key(|finding| {
                let file = request.change.files.iter().position(|file| Some(file.path()) == finding.path());
                (file.unwrap_or(usize::MAX), finding.line())
            });
            evidence
        })
    }

    pub(crate) fn with_request<T>(&self, ask: impl FnOnce(&ReviewRequest<'_>) -> T) -> T {
        let scope = Scope {
            base: None,
            base_name: "main".into(),
            head: Target::Worktree,
            head_name: "topic".into(),
            notes: vec![],
        };
        let change = Change { scope, files: self.files.clone() };
        let request = ReviewRequest {
            change: &change,
            sources: &self.texts,
            config: &self.config,
            order: &self.order,
            known: &[],
        };
        ask(&request)
    }

    pub(crate) fn findings(&self, rule: &str) -> Vec<Finding> {
        self.review().findings.into_iter().filter(|finding| finding.rule == rule).collect()
    }

    /// The lines a rule reports, and 0 for what it says of a file or the whole change.
    pub(crate) fn lines(&self, rule: &str) -> Vec<u32> {
        self.findings(rule).iter().map(|finding| finding.line().unwrap_or(0)).collect()
    }
}

/// One hunk: what is equal in front and behind is context, the rest is removed and added.
fn shortened(hunk: &Hunk) -> Hunk {
    let first = hunk.lines().position(|line| line.kind != LineKind::Context).unwrap_or(0).saturating_sub(3);
    let mut body = Vec::new();
    for line in hunk.lines().skip(first) {
        body.push(match line.kind {
            LineKind::Added => b'+',
            LineKind::Removed => b'-',
            LineKind::Context => b' ',
        });
        body.extend_from_slice(line.text.trim_ascii_end());
        body.push(b'\n');
    }
    let first = u32::try_from(first).unwrap();
    let span = |span: Span| Span { start: span.start + first, len: span.len - first };
    Hunk::new(span(hunk.old), span(hunk.new), String::new(), body.into())
}

fn hunk(old: &[u8], new: &[u8]) -> Option<Hunk> {
    let lines =
        |text: &'_ [u8]| text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (old, new) = (lines(old), lines(new));
    let front = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let back = old[front..].iter().rev().zip(new[front..].iter().rev()).take_while(|(a, b)| a == b).count();
    if front + back == old.len().max(new.len()) {
        return None;
    }
    let mut body = Vec::new();
    let mut push = |marker: u8, lines: &[Vec<u8>]| {
        for line in lines {
            body.push(marker);
            body.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                body.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    };
    push(b' ', &old[..front]);
    push(b'-', &old[front..old.len() - back]);
    push(b'+', &new[front..new.len() - back]);
    push(b' ', &new[new.len() - back..]);
    let span = |count: usize| Span { start: u32::from(count > 0), len: u32::try_from(count).unwrap() };
    Some(Hunk::new(span(old.len()), span(new.len()), String::new(), body.into()))
}

/// Whether the files that a test tries a rule on are written in all languages that the rule claims.
pub(crate) fn all_claimed(rule: &str, paths: &[&str]) {
    let tried: Vec<Language> = paths.iter().map(|path| Language::of(&(*path).into())).collect();
    for language in rules::rule(rule).unwrap().languages.iter() {
        assert!(tried.contains(language), "{rule} claims {}, which is not tried", language.as_str());
    }
}
