//! Corrections without anybody's help: what the rules can mend by themselves, and what the project's tools do.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use domain::change::{RepoPath, Scope};
use domain::config::Config;
use domain::ports::{AuthorReport, ReviewRequest, Reviewer as _};
use domain::review::Finding;
use domain::work::WorkOrder;
use engine::story::{FixJob, Story};
use git::{Ask, Checkout, What};
use rules::{Language, ProjectRules, RulesReviewer, mend_most};

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
        let listed = numbers(job);
        let mut by_path: BTreeMap<&RepoPath, Vec<&Finding>> = BTreeMap::new();
        for finding in found.iter().filter(|finding| listed.contains_key(&spot(finding))) {
            if let Some(path) = finding.path() {
                by_path.entry(path).or_default().push(finding);
            }
        }
        let mut mended = BTreeSet::new();
        for (path, findings) in by_path {
            let Some(text) = read(checkout.folder(), path) else { continue };
            if let Some(whole) = mend_most(&text, Language::of(path), &findings, &project) {
                write(checkout.folder(), path, &whole.text)?;
                let numbers = whole.findings.iter().filter_map(|finding| listed.get(&spot(finding)));
                mended.extend(numbers.map(usize::to_string));
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

/// What a finding is known by in the document the fixer was given.
type Spot<'a> = (&'a str, Option<&'a RepoPath>, Option<u32>);

fn spot(finding: &Finding) -> Spot<'_> {
    (&finding.rule, finding.path(), finding.line())
}

/// The number of each finding in that document, the first where several are alike.
fn numbers<'a>(job: &FixJob<'a>) -> HashMap<Spot<'a>, usize> {
    let mut numbers = HashMap::new();
    for (number, listed) in (1..).zip(job.document.findings()) {
        if let Some(rule) = listed.rule.as_deref() {
            numbers.entry((rule, listed.file.as_ref(), listed.line)).or_insert(number);
        }
    }
    numbers
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
