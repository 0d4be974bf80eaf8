use std::collections::HashSet;

use super::{ReportStatus, ReviewReport};
use crate::text::clean_line;
use crate::words::Dimension;

impl ReviewReport {
    /// Whether the report can be worked with. Every message starts with the field it is about.
    pub fn validate(&self) -> Result<(), Vec<String>> {
        let mut wrong = Vec::new();
        self.check_scores(&mut wrong);
        self.check_dimensions(&mut wrong);
        self.check_outcome(&mut wrong);
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }

    fn check_scores(&self, wrong: &mut Vec<String>) {
        let dimensions = self.dimension_scores.0.iter();
        let scores = dimensions
            .map(|(name, scored)| (format!("dimension_scores.{}.score", clean_line(name)), scored.score))
            .chain([("overall_score".to_owned(), self.overall_score)]);
        for (field, score) in scores.filter(|(_, score)| !(0..=100).contains(score)) {
            wrong.push(format!("{field} is {score}, but scores go from 0 to 100"));
        }
        for (dimension, _) in Dimension::BUILT_IN {
            match self.dimension_scores.0.iter().filter(|(name, _)| name == dimension.as_str()).count() {
                0 => wrong.push(format!("dimension_scores.{dimension} is missing")),
                1 => {}
                _ => wrong.push(format!("dimension_scores.{dimension} is given more than once")),
            }
        }
    }

    /// The built-in dimensions are known, and a project's own once the report scores it.
    fn check_dimensions(&self, wrong: &mut Vec<String>) {
        for (name, _) in &self.dimension_scores.0 {
            if let Err(bad) = Dimension::try_from(name.clone()) {
                wrong.push(format!("dimension_scores: {}", clean_line(&bad.to_string())));
            }
        }
        let built_in = Dimension::BUILT_IN.map(|(known, _)| known.to_string());
        let scored = self.dimension_scores.0.iter().map(|(known, _)| known);
        let known: HashSet<_> = built_in.iter().chain(scored).collect();
        let named = (self.findings.iter().map(|finding| ("findings", &finding.dimension)).enumerate()).chain(
            self.blocking_issues.iter().map(|issue| ("blocking_issues", &issue.dimension)).enumerate(),
        );
        for (index, (list, name)) in named.filter(|(_, (_, name))| !known.contains(name)) {
            wrong.push(format!("{list}[{index}].dimension: `{}` is not a known dimension", clean_line(name)));
        }
    }

    fn check_outcome(&self, wrong: &mut Vec<String>) {
        if self.approved != (self.status == ReportStatus::Pass) {
            let status = self.status.as_str();
            wrong.push(format!("approved is {}, but status is `{status}`", self.approved));
        }
        let noted = self.revision_notes.as_deref().is_some_and(|notes| !notes.trim().is_empty());
        match self.status {
            ReportStatus::Fail if self.blocking_issues.is_empty() && !noted => wrong.push(
                "blocking_issues is empty and so is revision_notes, but a failure has to say what to do"
                    .to_owned(),
            ),
            ReportStatus::Pass if !self.blocking_issues.is_empty() => {
                wrong.push("status is `pass`, but blocking_issues is not empty".to_owned());
            }
            ReportStatus::Pass | ReportStatus::Fail => {}
        }
    }
}
