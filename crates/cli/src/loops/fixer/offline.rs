//! Corrections without anybody's help: what the rules can mend by themselves, and what the project's tools do.

use std::collections::BTreeSet;
use std::path::Path;

use domain::change::{RepoPath, Scope};
use domain::config::Config;
use domain::ports::{AuthorReport, ReviewRequest, Reviewer as _};
use domain::review::Finding;
use domain::work::WorkOrder;
use engine::story::{FixJob, Story};
use git::{Ask, Checkout, What};
use rules::{Language, ProjectRules, RulesReviewer, mend_with};

use super::Fixing;
use super::tools::{Tool, tools};
use crate::failure::Failure;
use crate::loops::commands::Ran;
use crate::loops::reviewing::trusted_base;

impl Fixing<'_> {
    pub(super) fn offline(
        &self,
        story: &Story,
        job: &FixJob<'_>,
        checkout: &Checkout<'_>,
    ) -> Result<Result<AuthorReport, String>, Failure> {
        let ask = Ask {
            what: What::Commits,
            base: Some(trusted_base(self.repository, story)?),
            head: Some(checkout.start().to_string()),
        };
        let scope = self.repository.resolve(&ask)?;
        let change = self.repository.change(&scope)?;
        let changed: BTreeSet<RepoPath> =
            change.files.iter().filter_map(|file| Some(file.new.as_ref()?.path.clone())).collect();
        let mended = self.mend_findings(job, checkout, &scope)?;
        let used = self.use_tools(&changed, checkout)?;
        let mut summary = match mended.len() {
            0 => "No finding could be mended without judgement.".to_owned(),
            count => format!("Mended by the built-in rules: {count}."),
        };
        if !used.is_empty() {
            summary.push_str(&format!(" Ran {}.", used.join(", ")));
        }
        summary.push_str(&claims(job, &mended));
        Ok(Ok(AuthorReport { summary, ..AuthorReport::default() }))
    }

    /// The fingerprints of what was mended. Looked for anew, so that a document somebody edited cannot point elsewhere.
    fn mend_findings(
        &self,
        job: &FixJob<'_>,
        checkout: &Checkout<'_>,
        scope: &Scope,
    ) -> Result<BTreeSet<String>, Failure> {
        let change = self.repository.change(scope)?;
        let sources = self.repository.sources(scope)?;
        let (config, order) = (Config::default(), WorkOrder::default());
        let request =
            ReviewRequest { change: &change, sources: &sources, config: &config, order: &order, known: &[] };
        let found = RulesReviewer::default().review(&request)?.findings;
        let project = ProjectRules::at_base(&sources)?;
        let wanted = |finding: &&Finding| {
            job.document.findings().any(|listed| {
                listed.rule.as_deref() == Some(finding.rule.as_str())
                    && listed.file.as_ref() == finding.path()
                    && listed.line == finding.line()
            })
        };
        let found: Vec<&Finding> = found.iter().filter(wanted).collect();
        let paths: BTreeSet<&RepoPath> = found.iter().filter_map(|finding| finding.path()).collect();
        let mut mended = BTreeSet::new();
        for path in paths {
            let here: Vec<&Finding> =
                found.iter().filter(|finding| finding.path() == Some(path)).copied().collect();
            for (finding, text) in mend_file(path, &here, &project, checkout.folder()) {
                write(checkout.folder(), path, &text)?;
                mended.extend(numbers(job, finding));
            }
        }
        Ok(mended)
    }

    /// Formatters and lint fixers; what they do to files that the branch does not touch is undone.
    fn use_tools(
        &self,
        changed: &BTreeSet<RepoPath>,
        checkout: &Checkout<'_>,
    ) -> Result<Vec<&'static str>, Failure> {
        let mut used = Vec::new();
        for Tool { name, command } in tools(checkout.folder(), changed) {
            (self.heard)(&format!("Running {name}"));
            // A tool that fails has not fixed, which is all that can be said about it.
            if let Ran::Passed { .. } = self.commands.run(&command, checkout.folder())? {
                used.push(name);
            }
        }
        checkout.keep_only(changed)?;
        Ok(used)
    }
}

/// Each finding by itself first, to know which can be; then all of them together.
fn mend_file<'f>(
    path: &RepoPath,
    findings: &[&'f Finding],
    project: &ProjectRules,
    root: &Path,
) -> Vec<(&'f Finding, String)> {
    let Some(text) = read(root, path) else { return Vec::new() };
    let language = Language::of(path);
    let can_be = |finding: &&&Finding| mend_with(&text, language, &[finding], project).is_some();
    let able: Vec<&Finding> = findings.iter().filter(can_be).copied().collect();
    let Some(whole) = mend_with(&text, language, &able, project) else { return Vec::new() };
    able.into_iter().map(|finding| (finding, whole.clone())).collect()
}

/// The number of a finding in the document the fixer was given.
fn numbers(job: &FixJob<'_>, finding: &Finding) -> Option<String> {
    let at = job.document.findings().position(|listed| {
        listed.rule.as_deref() == Some(finding.rule.as_str())
            && listed.file.as_ref() == finding.path()
            && listed.line == finding.line()
    })?;
    Some((at + 1).to_string())
}

fn claims(job: &FixJob<'_>, mended: &BTreeSet<String>) -> String {
    let all = 1..=job.document.findings().count();
    let rest: Vec<String> =
        all.map(|number| number.to_string()).filter(|number| !mended.contains(number)).collect();
    let list = |numbers: Vec<String>| numbers.join(", ");
    let mut text = String::new();
    if !mended.is_empty() {
        text.push_str(&format!("\nAddressed: {}", list(mended.iter().cloned().collect())));
    }
    if !rest.is_empty() {
        text.push_str(&format!("\nNot addressed: {} - they need judgement", list(rest)));
    }
    text
}

/// Nothing unless it is a plain file of text: the branch may have put a link there.
fn read(root: &Path, path: &RepoPath) -> Option<String> {
    let file = root.join(path.to_str()?);
    let plain = std::fs::symlink_metadata(&file).is_ok_and(|data| data.is_file());
    let inside = file.parent()?.canonicalize().ok()?.starts_with(root.canonicalize().ok()?);
    (plain && inside).then(|| std::fs::read_to_string(&file).ok()).flatten()
}

fn write(root: &Path, path: &RepoPath, text: &str) -> Result<(), Failure> {
    let Some(path) = path.to_str() else { return Ok(()) };
    std::fs::write(root.join(path), text).map_err(|error| {
        Failure::new(format!("cannot write {path}: {error}"), "make room there, and check its permissions")
    })
}
