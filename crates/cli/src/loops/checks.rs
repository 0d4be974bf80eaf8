//! What a correction has to stand before the branch goes there.

use domain::change::{Change, Oid};
use domain::config::{Config, LoopPolicy};
use domain::ports::ReviewRequest;
use domain::work::WorkOrder;
use engine::story::Checked;
use git::Repository;

use super::commands::{Commands, Ran};
use super::{Documents, Place};
use crate::failure::Failure;

/// Silences a finding where it stands: for people to write, not for fixers.
const SUPPRESSION: &str = "countersign:ignore";
/// More would not fit into a prompt, nor into anybody's head.
const MOST_REASONS: usize = 10;

pub(super) struct Checks<'a> {
    pub(super) repository: &'a Repository,
    pub(super) place: &'a Place,
    pub(super) documents: &'a Documents,
    pub(super) policy: &'a LoopPolicy,
    pub(super) commands: Commands,
}

impl Checks<'_> {
    pub(super) fn of(&self, start: &Oid, commit: &Oid) -> Result<Checked, Failure> {
        if !self.repository.has_commit(commit)? {
            return Ok(Checked::Lost);
        }
        let scope = self.repository.between(start, commit);
        let change = self.repository.change(&scope)?;
        if let Some(reason) = self.forbidden(&change).or(self.weakened(&change)?) {
            return Ok(Checked::Refused { reason });
        }
        if self.policy.test_command.trim().is_empty() && self.policy.coverage_command.trim().is_empty() {
            return Ok(Checked::Fine);
        }
        let checkout = self.repository.checkout(commit, &self.place.check_tree())?;
        let refused = match self.tests(checkout.folder())? {
            Some(reason) => Some(reason),
            None => self.coverage(checkout.folder())?,
        };
        Ok(refused.map_or(Checked::Fine, |reason| Checked::Refused { reason }))
    }

    fn forbidden(&self, change: &Change) -> Option<String> {
        let sides = |file: &domain::change::FileChange| {
            [file.old.clone(), file.new.clone()]
                .into_iter()
                .flatten()
                .map(|side| side.path)
                .collect::<Vec<_>>()
        };
        let mut paths = change.files.iter().flat_map(sides);
        if let Some(path) = paths.find(|path| self.documents.is_one(path)) {
            return Some(format!("{path} is a findings document, which is not the fixer's to change"));
        }
        forbidden_suppression(change)
    }

    fn weakened(&self, change: &Change) -> Result<Option<String>, Failure> {
        let sources = self.repository.sources(&change.scope)?;
        let (config, order) = (Config::default(), WorkOrder::default());
        let request = ReviewRequest { change, sources: &sources, config: &config, order: &order, known: &[] };
        let mut sentences = rules::weakened_tests(&request);
        let more = sentences.len().saturating_sub(MOST_REASONS);
        sentences.truncate(MOST_REASONS);
        if more > 0 {
            sentences.push(format!("and {more} more"));
        }
        let told = (!sentences.is_empty())
            .then(|| format!("tests were weakened to get there: {}", sentences.join("; ")));
        Ok(told.map(|told| rules::redact(&told).into_owned()))
    }

    fn tests(&self, folder: &std::path::Path) -> Result<Option<String>, Failure> {
        let command = self.policy.test_command.trim();
        if command.is_empty() {
            return Ok(None);
        }
        Ok(match self.commands.run(command, folder)? {
            Ran::Passed { .. } => None,
            Ran::Failed { reason, output } => Some(format!("the tests do not pass ({reason})\n{output}")),
        })
    }

    fn coverage(&self, folder: &std::path::Path) -> Result<Option<String>, Failure> {
        let command = self.policy.coverage_command.trim();
        if command.is_empty() {
            return Ok(None);
        }
        let minimum = f64::from(self.policy.coverage_minimum);
        Ok(match self.commands.run(command, folder)? {
            Ran::Failed { reason, output } => {
                Some(format!("coverage cannot be measured ({reason})\n{output}"))
            }
            Ran::Passed { output } => match last_number(&output) {
                None => Some("coverage cannot be measured: the command prints no number".to_owned()),
                Some(reached) if reached < minimum => {
                    Some(format!("coverage is {reached} %, and {minimum} % is the limit"))
                }
                Some(_) => None,
            },
        })
    }
}

/// Where somebody silences a finding in a comment, which is not an agent's to do.
pub(crate) fn forbidden_suppression(change: &Change) -> Option<String> {
    let silenced = change.files.iter().find_map(|file| {
        let holds = |text: &[u8]| String::from_utf8_lossy(text).contains(SUPPRESSION);
        file.added().find(|(_, text)| holds(text)).map(|(line, _)| (file.path().clone(), line))
    });
    silenced.map(|(path, line)| {
        format!("{path}:{line} silences a finding with `{SUPPRESSION}` instead of correcting it")
    })
}

/// Of `TOTAL 120 14 88.3%` 88.3.
pub(crate) fn last_number(output: &str) -> Option<f64> {
    let words = output.split(|c: char| !c.is_ascii_digit() && c != '.');
    words.filter_map(|word| word.trim_matches('.').parse::<f64>().ok()).next_back()
}

#[cfg(test)]
mod tests {
    use super::last_number;

    #[test]
    fn coverage_is_the_last_number() {
        assert_eq!(last_number("a 1\nTOTAL 120 14 88.3%\n"), Some(88.3));
        assert_eq!(last_number("Coverage: 80.\n"), Some(80.0));
        assert_eq!(last_number("none ..."), None);
    }
}
