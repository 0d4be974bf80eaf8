use std::fmt::Display;
use std::io::Write;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use domain::config::ConfigError;
use domain::ports::{ReviewerError, SourceError};
use domain::text::clean_line;
use rules::ProjectRulesError;

/// Why a command could not do its work: one line of what, one line of how to go on. Always exit code 2.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    what: String,
    hint: String,
    passes_in: Option<Duration>,
}

impl Failure {
    pub(crate) fn new(what: impl Display, hint: impl Display) -> Self {
        // An error may quote a revision, a key or a path, and those may hold what nobody should log.
        let safe = |text: String| rules::redact(&clean_line(&text)).into_owned();
        Failure { what: safe(what.to_string()), hint: safe(hint.to_string()), passes_in: None }
    }

    /// It is known when it is worth trying again.
    pub(crate) fn passing_in(self, wait: Duration) -> Failure {
        Failure { passes_in: Some(wait), ..self }
    }

    pub(crate) fn passes_in(&self) -> Option<Duration> {
        self.passes_in
    }

    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    pub(crate) fn hint(&self) -> &str {
        &self.hint
    }

    pub(crate) fn report(&self) {
        let error = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
        let hint = Style::new().fg_color(Some(AnsiColor::Cyan.into())).bold();
        let mut stderr = anstream::stderr().lock();
        // If even this cannot be written there is nobody left to tell; the exit code still says it.
        let _ = writeln!(stderr, "{error}error:{error:#} {}", self.what);
        let _ = writeln!(stderr, "{hint}hint:{hint:#}  {}", self.hint);
    }
}

impl From<git::GitError> for Failure {
    fn from(error: git::GitError) -> Self {
        Failure::new(&error, error.hint())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Failure::new(&error, &error.hint)
    }
}

impl From<ProjectRulesError> for Failure {
    fn from(error: ProjectRulesError) -> Self {
        match error {
            ProjectRulesError::Unreadable(error) => error.into(),
            ProjectRulesError::Wrong(error) => error.into(),
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Failure::new(&error, "check that the repository is complete with `git fsck`")
    }
}

impl From<ReviewerError> for Failure {
    fn from(error: ReviewerError) -> Self {
        Failure::new(&error, "run `countersign doctor` to see what is available here")
    }
}
