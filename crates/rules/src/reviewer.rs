use std::collections::HashSet;

use domain::config::RulesPolicy;
use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Coverage, Evidence, Finding, Trouble};
use rayon::prelude::*;

use crate::carried::{Sin, losing, may_be_carried, sins, suspects, without_carried};
use crate::catalogue::RuleSet;
use crate::context::{ChangeContext, FileContext};
use crate::copies::as_rules_see;
use crate::data::{Bank, ProjectRules, check_file};
use crate::redact::redact;
use crate::repeated::once_per_line;
use crate::repeats::mask_repeats;
use crate::reporter::Reporter;
use crate::rule::{ChangeRule, Interest, Reach, RuleInfo};
use crate::suppressions::misspelt;

const NAME: &str = domain::review::RULES;

/// Below this, starting threads costs more than it saves.
const FILES_WORTH_THREADS: usize = 8;

/// So many one thread takes: with more, one of them is left alone with the last.
const FILES_AT_ONCE: usize = 8;

/// Runs a set of rules over a change.
///
/// The findings come in no order to rely on. A file that cannot be read is left unseen, with a trouble that says why: the review is then not
/// conclusive, whatever else was found.
#[derive(Debug, Clone, Copy)]
pub struct RulesReviewer<'r> {
    rules: &'r RuleSet,
}

impl Default for RulesReviewer<'static> {
    fn default() -> Self {
        RulesReviewer { rules: RuleSet::built_in() }
    }
}

impl<'r> RulesReviewer<'r> {
    pub fn new(rules: &'r RuleSet) -> Self {
        RulesReviewer { rules }
    }

    fn check_file(&self, file: &FileContext<'_>, banks: &[&Bank], policy: &RulesPolicy) -> Vec<Finding> {
        let mut findings = check_file(file, banks, policy);
        findings.extend(self.ask(file, policy, |_| true));
        findings.extend(misspelt(file, banks, policy));
        once_per_line(findings)
    }

    /// What the coded rules have to say of a file, as far as they are wanted.
    fn ask(
        &self,
        file: &FileContext<'_>,
        policy: &RulesPolicy,
        wanted: impl Fn(&RuleInfo) -> bool,
    ) -> Vec<Finding> {
        let reach = if file.skipped.is_some() { Reach::Everything } else { Reach::Reviewed };
        let hits = self.rules.prefilter().scan(file.change, reach);
        let mut findings = Vec::new();
        let rules = self.rules.files().iter().enumerate().filter(|(_, rule)| wanted(rule.info()));
        for (index, rule) in rules {
            let in_reach = reach == Reach::Reviewed || rule.reach() == Reach::Everything;
            let lines = match rule.interest() {
                Interest::Every => Some(&[][..]),
                Interest::Literals { .. } | Interest::LinesAndPaths(_) => hits.of(index),
            };
            let (Some(lines), true, true) = (lines, in_reach, is_enabled(rule.info(), policy)) else {
                continue;
            };
            let mut report = reporter(rule.info(), policy, Some(file));
            rule.check(file, lines, &mut report);
            findings.extend(report.finish());
        }
        findings
    }

    /// Leaves out what the change only moved, or wrote in another way: whoever would undo it would bring the same.
    fn without_carried(
        &self,
        findings: Vec<Finding>,
        files: &[FileContext<'_>],
        policy: &RulesPolicy,
    ) -> Vec<Finding> {
        let rules = self.rules.files().iter().map(|rule| rule.info());
        let carried: HashSet<&str> =
            rules.filter(|info| may_be_carried(info)).map(|info| info.id.as_ref()).collect();
        let suspects = suspects(&findings, files, |finding| carried.contains(finding.rule.as_str()));
        if suspects.is_empty() {
            return findings;
        }
        let suspected: HashSet<&str> = suspects.keys().map(|at| findings[*at].rule.as_str()).collect();
        let taken = |file: &FileContext<'_>| -> Vec<Sin> {
            let back = file.change.reversed();
            let Some(undone) = file.undone(&back) else { return Vec::new() };
            let found = self.ask(&undone, policy, |info| suspected.contains(info.id.as_ref()));
            sins(&found, &undone).collect()
        };
        let losing = losing(&findings, &suspects, files);
        let taken: Vec<Sin> = match is_worth_threads(files) {
            true => losing.into_par_iter().flat_map_iter(taken).collect(),
            false => losing.into_iter().flat_map(taken).collect(),
        };
        without_carried(findings, &suspects, taken.into_iter())
    }

    fn check_change(&self, change: &ChangeContext<'_>, policy: &RulesPolicy) -> Vec<Finding> {
        let check = |rule: &dyn ChangeRule| {
            let mut report = reporter(rule.info(), policy, None);
            rule.check(change, &mut report);
            report.finish()
        };
        let rules: Vec<&dyn ChangeRule> = self.rules.changes().iter().map(AsRef::as_ref).collect();
        let enabled = |rule: &&dyn ChangeRule| is_enabled(rule.info(), policy);
        match is_worth_threads(change.files) {
            true => rules.into_par_iter().filter(enabled).flat_map_iter(check).collect(),
            false => rules.into_iter().filter(enabled).flat_map(check).collect(),
        }
    }
}

impl Reviewer for RulesReviewer<'_> {
    fn name(&self) -> &str {
        NAME
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        self.rules.is_reviewing();
        let policy = &request.config.rules;
        let project = ProjectRules::at_base(request.sources)
            .map_err(|error| ReviewerError { reviewer: NAME.to_owned(), reason: error.to_string() })?;
        let own = if request.change.files.is_empty() { None } else { self.rules.bank() };
        let banks: Vec<&Bank> = own.into_iter().chain(project.bank()).collect();
        let seen = as_rules_see(request);
        let mut files = FileContext::all(seen.iter().map(AsRef::as_ref), *request);
        let check = |file: &mut FileContext<'_>| {
            let findings = self.check_file(file, &banks, policy);
            self.rules.changes().iter().for_each(|rule| rule.prepare(file));
            file.slimmed();
            findings
        };
        let mut findings: Vec<Finding> = match is_worth_threads(&files) {
            true => files.par_iter_mut().with_max_len(FILES_AT_ONCE).flat_map_iter(check).collect(),
            false => files.iter_mut().flat_map(check).collect(),
        };
        findings = self.without_carried(findings, &files, policy);
        findings.extend(self.check_change(&ChangeContext::new(*request, &files), policy));
        mask_repeats(&mut findings, &files);
        Ok(Evidence {
            findings,
            coverage: coverage(request, &files),
            troubles: files.iter().filter_map(trouble).collect(),
            ..Evidence::default()
        })
    }
}

fn is_worth_threads(files: &[FileContext<'_>]) -> bool {
    files.len() >= FILES_WORTH_THREADS
}

fn is_enabled(info: &RuleInfo, policy: &RulesPolicy) -> bool {
    !policy.disable.iter().any(|id| *id == info.id)
}

fn reporter<'a>(info: &'a RuleInfo, policy: &RulesPolicy, file: Option<&FileContext<'a>>) -> Reporter<'a> {
    Reporter::new(info, policy.severity.get(info.id.as_ref()).copied(), file.map(|file| file.change))
}

fn coverage(request: &ReviewRequest<'_>, files: &[FileContext<'_>]) -> Coverage {
    let mut coverage = Coverage::plan(request.change);
    for (planned, file) in coverage.files.iter_mut().zip(files) {
        if file.failure().is_none() {
            planned.see(NAME);
        }
    }
    coverage
}

fn trouble(file: &FileContext<'_>) -> Option<Trouble> {
    file.failure()
        .map(|error| Trouble { kind: "unseen".to_owned(), message: redact(&error.to_string()).into_owned() })
}
