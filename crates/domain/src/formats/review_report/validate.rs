use std::collections::HashSet;

use super::{ReportStatus, ReviewReport};
use crate::text::clean_line;
use crate::words::Dimension;

impl ReviewReport {
    /// Whether the report is whole, right and of one mind. Every message starts with the place it is about.
    pub fn validate(&self) -> Result<(), Vec<String>> {
        let mut wrong = self.faults();
        self.check_outcome(&mut wrong);
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    /// Why the report of somebody else cannot be worked with, each with its place and what was expected there. One that
    /// contradicts itself about its outcome can: the gate corrects that.
    pub fn faults(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        self.check_scores(&mut wrong);
        self.check_dimensions(&mut wrong);
        self.check_reason(&mut wrong);
        wrong
    }

    fn check_scores(&self, wrong: &mut Vec<String>) {
        let dimensions = self.dimension_scores.0.iter();
        let scores = dimensions
            .map(|(name, scored)| (format!("/dimension_scores/{}/score", clean_line(name)), scored.score))
            .chain([("/overall_score".to_owned(), self.overall_score)]);
        for (field, score) in scores.filter(|(_, score)| !(0..=100).contains(score)) {
            wrong.push(format!("{field}: it is {score}, expected is a number from 0 to 100"));
        }
        for (dimension, _) in Dimension::BUILT_IN {
            match self.dimension_scores.0.iter().filter(|(name, _)| name == dimension.as_str()).count() {
                0 => wrong.push(format!(
                    "/dimension_scores/{dimension}: it is missing, expected is an object with score and weight"
                )),
                1 => {}
                _ => wrong.push(format!("/dimension_scores/{dimension}: it is given more than once")),
            }
        }
    }

    /// The built-in dimensions are known, and a project's own once the report scores it.
    fn check_dimensions(&self, wrong: &mut Vec<String>) {
        for (name, _) in &self.dimension_scores.0 {
            if let Err(bad) = Dimension::try_from(name.clone()) {
                wrong.push(format!("/dimension_scores: {}", clean_line(&bad.to_string())));
            }
        }
        let built_in = Dimension::BUILT_IN.map(|(known, _)| known.to_string());
        let scored = self.dimension_scores.0.iter().map(|(known, _)| known);
        let known: HashSet<_> = built_in.iter().chain(scored).collect();
        let named = (self.findings.iter().map(|finding| ("findings", &finding.dimension)).enumerate()).chain(
            self.blocking_issues.iter().map(|issue| ("blocking_issues", &issue.dimension)).enumerate(),
        );
        for (index, (list, name)) in named.filter(|(_, (_, name))| !known.contains(name)) {
            let names = built_in.join(", ");
            wrong.push(format!(
                "/{list}/{index}/dimension: it is `{}`, expected is one of {names}",
                clean_line(name)
            ));
        }
    }

    fn check_reason(&self, wrong: &mut Vec<String>) {
        let noted = self.revision_notes.as_deref().is_some_and(|notes| !notes.trim().is_empty());
        if self.status == ReportStatus::Fail && self.blocking_issues.is_empty() && !noted {
            wrong.push(
                "/revision_notes: it is empty and so is /blocking_issues, expected is what has to be done, in one of \
                 them, since /status is `fail`"
                    .to_owned(),
            );
        }
    }

    fn check_outcome(&self, wrong: &mut Vec<String>) {
        if self.approved != (self.status == ReportStatus::Pass) {
            let (status, approved) = (self.status.as_str(), !self.approved);
            wrong.push(format!(
                "/approved: it is {}, expected is {approved}, since /status is `{status}`",
                self.approved
            ));
        }
        if self.status == ReportStatus::Pass && !self.blocking_issues.is_empty() {
            wrong.push("/blocking_issues: expected is none, since /status is `pass`".to_owned());
        }
    }
}
