//! What an epic names outside of itself: the branch it begins at, who builds and who reviews, and limits that have to
//! fit the project's. Whoever checks, runs or resumes an epic asks here, and points at the same place.

use domain::change::Oid;
use domain::config::Config;
use domain::epic::{EpicFile, EpicPart, Problem, ProblemSeverity};
use domain::text::nearest;
use git::{GitError, Repository};

use super::begin::{Asked, policy};
use crate::failure::Failure;
use crate::reviewers::Choice;

/// More names than this do not help.
const MOST_NAMED: usize = 10;

/// Why it is asked what an epic names.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// To know. What is checked out, and what a command line may say, is not known yet.
    Validate,
    /// To run it, as somebody said it.
    Run(&'a Asked),
}

/// What of it is not there. Fails where the repository cannot be asked, or a name is not the epic's own.
pub(crate) fn look_around(
    repository: &Repository,
    epic: &EpicFile,
    purpose: Purpose<'_>,
) -> Result<Vec<Problem>, Failure> {
    let commit = match base(repository, epic)? {
        Ok((_, commit)) => commit,
        Err(no_base) => return Ok(vec![no_base.problem(epic, purpose)]),
    };
    let policy = match policy(repository, &commit) {
        Ok(policy) => policy,
        Err(failure) => {
            let message = format!("the policy of this commit cannot be read: {}", failure.what());
            let part = EpicPart::BaseBranch;
            return Ok(vec![epic.problem_with(part, ProblemSeverity::Error, message, failure.hint())]);
        }
    };
    let mut problems = people(epic, purpose, &policy.config)?;
    problems.extend(in_the_way(epic, repository.branches()?.keys().map(String::as_str)));
    problems.extend(limits(epic, &policy.config));
    Ok(problems)
}

/// The names a run was begun with, which are not the epic's own where somebody said otherwise then.
pub(crate) fn look_at_people(
    epic: &EpicFile,
    builder: &str,
    reviewer: &str,
    config: &Config,
) -> Result<Vec<Problem>, Failure> {
    let own = |said: &Option<String>, name: &str| match said.as_deref() == Some(name) {
        true => Source::Epic,
        false => Source::Elsewhere,
    };
    let document = &epic.document;
    let people = [
        (EpicPart::Builder, own(&document.builder, builder), Choice::builder(builder, config).err()),
        (EpicPart::Reviewer, own(&document.reviewer, reviewer), Choice::named(reviewer, config).err()),
    ];
    let found =
        people.into_iter().filter_map(|(part, source, failure)| Some(source.blamed(epic, part, failure?)));
    found.collect()
}

/// Where a name was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Epic,
    /// On the command line, or once for all of the project.
    Elsewhere,
    /// Nowhere so far; the command line can still say it.
    Nowhere,
}

impl Source {
    fn blamed(self, epic: &EpicFile, part: EpicPart, failure: Failure) -> Result<Problem, Failure> {
        match self {
            Source::Epic => {
                let severity = ProblemSeverity::Error;
                Ok(epic.problem_with(part, severity, failure.what(), failure.hint()))
            }
            Source::Elsewhere => Err(failure),
            Source::Nowhere => {
                let message = format!("the epic does not say who, and {}", failure.what());
                Ok(epic.problem_with(part, ProblemSeverity::Warning, message, failure.hint()))
            }
        }
    }
}

fn people(epic: &EpicFile, purpose: Purpose<'_>, config: &Config) -> Result<Vec<Problem>, Failure> {
    let usual = &config.story_loop;
    let name = |asked: Option<&String>, own: &Option<String>, usual: &str| match (asked, own, purpose) {
        (Some(name), _, _) => (name.clone(), Source::Elsewhere),
        (None, Some(name), _) => (name.clone(), Source::Epic),
        (None, None, Purpose::Run(_)) => (usual.to_owned(), Source::Elsewhere),
        (None, None, Purpose::Validate) => (usual.to_owned(), Source::Nowhere),
    };
    let asked = match purpose {
        Purpose::Validate => None,
        Purpose::Run(asked) => Some(asked),
    };
    let document = &epic.document;
    let (builder, from) =
        name(asked.and_then(|asked| asked.builder.as_ref()), &document.builder, &usual.fixer);
    let builder = Choice::builder(&builder, config).err().map(|failure| (EpicPart::Builder, from, failure));
    let (reviewer, from) =
        name(asked.and_then(|asked| asked.reviewer.as_ref()), &document.reviewer, &usual.reviewer);
    let reviewer = Choice::named(&reviewer, config).err().map(|failure| (EpicPart::Reviewer, from, failure));
    let wrong = builder.into_iter().chain(reviewer);
    wrong.map(|(part, from, failure)| from.blamed(epic, part, failure)).collect()
}

/// Git keeps a branch in a file, so none can be named as the folder of another.
fn in_the_way<'a>(epic: &EpicFile, branches: impl Iterator<Item = &'a str>) -> Vec<Problem> {
    let document = &epic.document;
    let wanted: Vec<String> = [document.branch.as_str().to_owned()]
        .into_iter()
        .chain(document.tickets.iter().map(|ticket| format!("ticket/{}", ticket.id)))
        .collect();
    let is_below = |one: &str, other: &str| one.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'));
    branches
        .filter_map(|branch| {
            let blocked = wanted.iter().find(|name| is_below(name, branch) || is_below(branch, name))?;
            let message = format!("branch `{branch}` is in the way of `{blocked}`, which this epic makes");
            let expected = format!("another name for one of them: git branch -m {branch} ...");
            Some(epic.problem_with(EpicPart::Branch, ProblemSeverity::Error, message, expected))
        })
        .collect()
}

/// Each place once, however many tickets it holds for.
fn limits(epic: &EpicFile, config: &Config) -> Vec<Problem> {
    let document = &epic.document;
    let mut problems: Vec<Problem> = Vec::new();
    for (index, entry) in document.indices().zip(&document.tickets) {
        let Err(bad) = document.limits.bounds(entry, &config.limits) else { continue };
        let expected = "lower limits here, or a higher limits.hard_cap in countersign.yaml";
        let part = EpicPart::Limits(index);
        let problem = epic.problem_with(part, ProblemSeverity::Error, bad.to_string(), expected);
        if problems.last() != Some(&problem) {
            problems.push(problem);
        }
    }
    problems
}

/// Why an epic cannot begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoBase {
    /// Nothing was ever committed.
    NoCommits,
    /// What is checked out is new and empty.
    Unborn { branch: String, known: Vec<String> },
    /// Nothing is checked out by name, and the epic names nothing.
    Detached { known: Vec<String> },
    /// There is nothing of the name it gives.
    Unknown { name: String, known: Vec<String> },
}

impl NoBase {
    pub(crate) fn problem(&self, epic: &EpicFile, purpose: Purpose<'_>) -> Problem {
        // Where epics are checked, as in CI, often nothing is checked out by name; who runs one can change that.
        let severity = match (self, purpose) {
            (NoBase::Detached { .. }, Purpose::Validate) => ProblemSeverity::Warning,
            (
                NoBase::Detached { .. } | NoBase::NoCommits | NoBase::Unborn { .. } | NoBase::Unknown { .. },
                _,
            ) => ProblemSeverity::Error,
        };
        epic.problem_with(EpicPart::BaseBranch, severity, self.message(), self.expected())
    }

    fn message(&self) -> String {
        match self {
            NoBase::NoCommits => {
                "nothing is committed in this repository yet, and an epic begins at a commit".to_owned()
            }
            NoBase::Unborn { branch, .. } => {
                format!("branch `{branch}`, which is checked out, has no commits yet")
            }
            NoBase::Detached { .. } => {
                "HEAD is detached, and the epic does not say which branch it begins at".to_owned()
            }
            NoBase::Unknown { name, .. } => format!("there is no branch `{name}` here"),
        }
    }

    fn expected(&self) -> String {
        match self {
            NoBase::NoCommits => "commit something first: git add -A, then git commit".to_owned(),
            NoBase::Unborn { known, .. } => {
                format!(
                    "commit something first, or name one of these as `base_branch` in the epic: {}",
                    listed(known)
                )
            }
            NoBase::Detached { known } => {
                format!(
                    "`git switch` to a branch, or name one as `base_branch` in the epic: {}",
                    listed(known)
                )
            }
            NoBase::Unknown { name, known } => match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`? There is {}", listed(known)),
                None => {
                    format!("a branch that is here: {}; `git fetch` brings those of others", listed(known))
                }
            },
        }
    }
}

impl From<NoBase> for Failure {
    fn from(no: NoBase) -> Failure {
        Failure::new(no.message(), no.expected())
    }
}

fn listed(names: &[String]) -> String {
    let more = if names.len() > MOST_NAMED { ", ..." } else { "" };
    match names {
        [] => "there is none".to_owned(),
        [_, ..] => format!("{}{more}", names[..names.len().min(MOST_NAMED)].join(", ")),
    }
}

/// Where the epic branch is to begin, by name and commit.
pub(crate) fn base(
    repository: &Repository,
    epic: &EpicFile,
) -> Result<Result<(String, Oid), NoBase>, Failure> {
    let branches = repository.branches()?;
    let known = || branches.keys().cloned().collect::<Vec<_>>();
    let found = match &epic.document.base_branch {
        Some(branch) => {
            let name = branch.as_str().to_owned();
            match branches.get(&name) {
                Some(tip) => Ok((name, tip.clone())),
                None => match repository.commit_of(&name) {
                    Ok(commit) => Ok((name, commit)),
                    Err(GitError::UnknownRevision { .. } | GitError::BadRevision { .. })
                        if branches.is_empty() =>
                    {
                        Err(NoBase::NoCommits)
                    }
                    Err(GitError::UnknownRevision { .. } | GitError::BadRevision { .. }) => {
                        Err(NoBase::Unknown { name, known: known() })
                    }
                    Err(other) => return Err(other.into()),
                },
            }
        }
        None => match repository.current_branch() {
            Ok(name) => match branches.get(&name) {
                Some(tip) => Ok((name, tip.clone())),
                None if branches.is_empty() => Err(NoBase::NoCommits),
                None => Err(NoBase::Unborn { branch: name, known: known() }),
            },
            Err(GitError::Detached) => Err(NoBase::Detached { known: known() }),
            Err(GitError::NoCommits | GitError::UnbornBranch) => Err(NoBase::NoCommits),
            Err(other) => return Err(other.into()),
        },
    };
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epic() -> EpicFile {
        let text = "id: e\nbuilder: gone\nreviewer: rules\ntickets: [{ id: a, path: a.md }]\n";
        EpicFile::parse("epic.yaml", text).unwrap()
    }

    #[test]
    fn who_resumes_is_pointed_at_the_same_place_as_who_validates() {
        let config = Config::default();
        let resumed = look_at_people(&epic(), "gone", "rules", &config).unwrap();
        assert_eq!(resumed, people(&epic(), Purpose::Validate, &config).unwrap());
        let said: Vec<_> = resumed.iter().map(|one| (one.location(), one.message.as_str())).collect();
        assert_eq!(said, [("epic.yaml:2:10".to_owned(), "there is no builder `gone`")]);
    }

    #[test]
    fn no_branch_can_be_the_folder_of_another() {
        let said = |branch| in_the_way(&epic(), [branch].into_iter()).pop().map(|one| one.message);
        assert!(said("epic").unwrap().starts_with("branch `epic` is in the way of `epic/e`"));
        assert!(said("ticket").is_some() && said("ticket/a/b").is_some());
        assert!(said("epics").is_none() && said("epic/e").is_none() && said("ticket/b").is_none());
    }

    #[test]
    fn whoever_is_named_nowhere_is_a_warning_until_it_is_run() {
        let epic = EpicFile::parse("epic.yaml", "id: e\ntickets: [{ id: a, path: a.md }]\n").unwrap();
        let problems = people(&epic, Purpose::Validate, &Config::default()).unwrap();
        let said: Vec<_> = problems.iter().map(|one| (one.location(), one.severity)).collect();
        assert_eq!(said, [("epic.yaml:1:5".to_owned(), ProblemSeverity::Warning)]);
    }

    #[test]
    fn a_name_of_the_command_line_is_not_the_epic_s_fault() {
        let config = Config::default();
        let failure = look_at_people(&epic(), "nobody", "rules", &config).unwrap_err();
        assert_eq!(failure.what(), "there is no builder `nobody`");
    }
}
