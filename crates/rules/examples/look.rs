//! What the built-in rules say of files on this machine, each taken as a new one: to look for false alarms.
//!
//! `cargo run --example look -- [--rule ID]... [--rules FILE]... [--tree] PATH...`; folders are walked. Rules of files
//! are taken for the project's, and their examples are run as well.

#![allow(clippy::print_stdout, reason = "it is a program to look at its output")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use domain::change::{
    Attributes, Change, Content, FileChange, FileSide, Hunk, Mode, RepoPath, Scope, Side, Span, Status,
    Target,
};
use domain::config::Config;
use domain::ports::{ReviewRequest, Reviewer, SourceError, Sources};
use domain::work::WorkOrder;
use rules::{FileContext, RulesReviewer};

/// A project that has only rules.
struct Project {
    rules: Vec<(RepoPath, Bytes)>,
}

impl Sources for Project {
    fn read(&self, _: &FileChange, _: Side) -> Result<Option<Bytes>, SourceError> {
        Ok(None)
    }

    fn read_path(&self, path: &RepoPath, _: Side) -> Result<Option<Bytes>, SourceError> {
        Ok(self.rules.iter().find(|(known, _)| known == path).map(|(_, text)| text.clone()))
    }

    fn list_base(&self, _: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
        Ok(self.rules.iter().map(|(path, _)| path.clone()).collect())
    }
}

fn main() {
    let (mut only, mut paths, mut show_tree) = (Vec::new(), Vec::new(), false);
    let mut project = Project { rules: Vec::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rule" => only.extend(words.next()),
            "--rules" => project.rules.extend(words.next().and_then(|file| rules_file(&file))),
            "--tree" => show_tree = true,
            _ => walk(Path::new(&word), &mut paths),
        }
    }
    test(&project);
    let mut lines = 0;
    let files: Vec<FileChange> = paths
        .iter()
        .filter_map(|path| {
            let text = std::fs::read(path).ok()?;
            lines += text.iter().filter(|byte| **byte == b'\n').count();
            added(path, &text)
        })
        .collect();
    let scope = Scope {
        base: None,
        base_name: "base".to_owned(),
        head: Target::Worktree,
        head_name: "head".to_owned(),
        notes: Vec::new(),
    };
    let change = Change { scope, files };
    let (mut config, order) = (Config::default(), WorkOrder::default());
    // What nobody wants to see need not be looked for.
    let others = rules::descriptions().into_iter().map(|rule| rule.id).filter(|id| !only.contains(id));
    config.rules.disable.extend(others.filter(|_| !only.is_empty()));
    let request =
        ReviewRequest { change: &change, sources: &project, config: &config, order: &order, known: &[] };
    if show_tree {
        change.files.iter().for_each(|file| print_tree(&FileContext::new(file, request)));
        return;
    }
    let evidence = match RulesReviewer::default().review(&request) {
        Ok(evidence) => evidence,
        Err(error) => return println!("{error}"),
    };
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for finding in evidence.findings {
        if !only.is_empty() && !only.contains(&finding.rule) {
            continue;
        }
        let text = match &finding.place {
            domain::review::Place::Lines(anchor) => anchor.text.trim().to_owned(),
            _ => String::new(),
        };
        println!(
            "{} {:?}/{:?} {}: {} | {text}",
            finding.rule,
            finding.severity,
            finding.confidence,
            finding.location(),
            finding.message
        );
        *counts.entry((finding.rule, format!("{:?}", finding.severity))).or_default() += 1;
    }
    println!("{} files, {lines} lines", change.files.len());
    counts.iter().for_each(|((rule, severity), count)| println!("{count:6} {rule} {severity}"));
}

fn rules_file(file: &str) -> Option<(RepoPath, Bytes)> {
    let name = Path::new(file).file_name()?.to_string_lossy().into_owned();
    let text = std::fs::read(file).ok()?;
    Some((RepoPath::from(format!(".countersign/rules/{name}").as_str()), text.into()))
}

fn test(project: &Project) {
    let files: Vec<(String, &[u8])> =
        project.rules.iter().map(|(path, text)| (path.to_string(), text.as_ref())).collect();
    match rules::ProjectRules::of(files.iter().map(|(path, text)| (path.as_str(), *text))) {
        Ok(found) => found.test(None).failed.iter().for_each(|one| println!("{one:#?}")),
        Err(error) => println!("{error}"),
    }
}

fn walk(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() {
        found.push(path.to_owned());
    }
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    inside.sort();
    inside.iter().filter(|path| !path.is_symlink()).for_each(|path| walk(path, found));
}

fn added(path: &Path, text: &[u8]) -> Option<FileChange> {
    if text.is_empty() || text.contains(&0) {
        return None;
    }
    let mut body = Vec::new();
    let mut count = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        body.push(b'+');
        body.extend_from_slice(line);
        count += 1;
    }
    if !text.ends_with(b"\n") {
        body.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
    let name = path.to_string_lossy();
    let shown = ["/registry/src/", "/site-packages/", "/node_modules/"]
        .iter()
        .find_map(|part| name.rsplit_once(part).map(|(_, rest)| rest))
        .unwrap_or(&name)
        .trim_start_matches('/');
    let new = FileSide { path: RepoPath::from(shown), mode: Mode::File, oid: None };
    let hunk =
        Hunk::new(Span { start: 0, len: 0 }, Span { start: 1, len: count }, String::new(), body.into());
    Some(FileChange {
        status: Status::Added,
        old: None,
        new: Some(new),
        content: Content::Text(vec![hunk]),
        attributes: Attributes::default(),
    })
}

fn print_tree(file: &FileContext<'_>) {
    let Some(tree) = file.tree() else { return };
    for node in tree.root().descendants() {
        let depth = node.ancestors().count();
        let text = node.text();
        let text = if node.children().next().is_none() { text.as_ref() } else { "" };
        println!("{:indent$}{} [{}] {text}", "", node.kind(), node.field(), indent = depth * 2);
    }
}
