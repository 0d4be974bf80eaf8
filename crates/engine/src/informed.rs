use domain::ports::{ReviewRequest, Reviewer, ReviewerError};
use domain::review::{Confidence, Evidence, Finding, Wording, raise};

/// A reviewer that judges, told what another has proved.
///
/// What was proved stands, whatever the judge makes of it; whether the change was seen is the judge's to show. Of what it
/// saw, the coverage says who else looked.
pub struct Informed<'a> {
    pub proof: &'a dyn Reviewer,
    pub judge: &'a dyn Reviewer,
}

impl Reviewer for Informed<'_> {
    fn name(&self) -> &str {
        self.judge.name()
    }

    fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
        let mut proved = self.proof.review(request)?;
        let mut judged = self.judge.review(&ReviewRequest { known: &proved.findings, ..*request })?;
        judged.findings.iter_mut().for_each(raise);
        let (known, mut findings) = (&mut proved.findings, Vec::new());
        for finding in judged.findings {
            match known.iter_mut().find(|known| says_the_same(known, &finding)) {
                Some(known) => *known = known.clone().merged_with(&finding),
                None => findings.push(finding),
            }
        }
        judged.findings = findings;
        judged.coverage.also_seen_in(&proved.coverage);
        judged.findings.splice(..0, proved.findings);
        judged.troubles.splice(..0, proved.troubles);
        judged.remarks.splice(..0, proved.remarks);
        Ok(judged)
    }
}

/// A judge that repeats what it was told adds nothing, unless it takes it more seriously; what it said is listed with what
/// it was told. An uncertain finding does not stand for a certain one.
fn says_the_same(known: &Finding, judged: &Finding) -> bool {
    known.line().is_some()
        && known.path() == judged.path()
        && known.line() == judged.line()
        && known.category == judged.category
        && known.severity >= judged.severity
        && known.confidence.min(Confidence::Medium) >= judged.confidence.min(Confidence::Medium)
        && Wording::of(&known.message).resembles(&Wording::of(&judged.message))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use domain::change::{Change, FileChange, RepoPath, Scope, Side, Target};
    use domain::config::Config;
    use domain::ports::{SourceError, Sources};
    use domain::review::{Anchor, Fingerprint, Place, Trouble};
    use domain::words::{Category, Severity};
    use domain::work::WorkOrder;

    use super::*;

    struct Nothing;

    impl Sources for Nothing {
        fn read(&self, _: &FileChange, _: Side) -> Result<Option<bytes::Bytes>, SourceError> {
            Ok(None)
        }

        fn read_path(&self, _: &RepoPath, _: Side) -> Result<Option<bytes::Bytes>, SourceError> {
            Ok(None)
        }

        fn list_base(&self, _: &RepoPath) -> Result<Vec<RepoPath>, SourceError> {
            Ok(Vec::new())
        }
    }

    struct Says {
        findings: Vec<Finding>,
        trouble: Option<Trouble>,
        told: Mutex<usize>,
    }

    impl Reviewer for Says {
        fn name(&self) -> &str {
            "says"
        }

        fn review(&self, request: &ReviewRequest<'_>) -> Result<Evidence, ReviewerError> {
            *self.told.lock().unwrap() = request.known.len();
            let troubles = self.trouble.clone().into_iter().collect();
            Ok(Evidence { findings: self.findings.clone(), troubles, ..Evidence::default() })
        }
    }

    fn says(findings: Vec<Finding>) -> Says {
        Says { findings, trouble: None, told: Mutex::new(0) }
    }

    fn finding(line: u32, severity: Severity) -> Finding {
        Finding {
            rule: "r".into(),
            severity,
            category: Category::Security,
            dimension: Category::Security.dimension(),
            confidence: Confidence::High,
            place: Place::Lines(Anchor {
                path: "a.rs".into(),
                side: Side::New,
                start: line,
                end: line,
                text: String::new(),
            }),
            message: "m".into(),
            impact: String::new(),
            suggestion: String::new(),
            fingerprint: Fingerprint::default(),
        }
    }

    fn reviewed(proof: &Says, judge: &Says) -> Evidence {
        let scope = Scope {
            base: None,
            base_name: "main".into(),
            head: Target::Worktree,
            head_name: "topic".into(),
            notes: vec![],
        };
        let change = Change { scope, files: vec![] };
        let request = ReviewRequest {
            change: &change,
            sources: &Nothing,
            config: &Config::default(),
            order: &WorkOrder::default(),
            known: &[],
        };
        Informed { proof, judge }.review(&request).unwrap()
    }

    #[test]
    fn the_judge_is_told_what_was_proved_and_cannot_take_it_back() {
        let (proof, judge) = (says(vec![finding(3, Severity::High)]), says(vec![]));
        let evidence = reviewed(&proof, &judge);
        assert_eq!(*judge.told.lock().unwrap(), 1);
        assert_eq!(evidence.findings, proof.findings);
    }

    #[test]
    fn what_the_judge_repeats_counts_once_unless_it_is_worse() {
        let proof = says(vec![finding(3, Severity::High)]);
        let judge = says(vec![
            finding(3, Severity::Medium),
            finding(3, Severity::Critical),
            finding(4, Severity::High),
        ]);
        let severities: Vec<_> = reviewed(&proof, &judge).findings.iter().map(|f| f.severity).collect();
        assert_eq!(severities, [Severity::High, Severity::Critical, Severity::High]);
    }

    #[test]
    fn another_problem_at_the_line_of_a_proof_stands_and_a_repeated_one_is_listed() {
        let proof = says(vec![Finding {
            message: "The query is built from input".into(),
            ..finding(3, Severity::High)
        }]);
        let judged = |message: &str| Finding { message: message.into(), ..finding(3, Severity::Major) };
        let judge = says(vec![judged("The token is logged"), judged("A query is built from user input")]);
        let findings = reviewed(&proof, &judge).findings;
        assert_eq!(findings.len(), 2);
        assert_eq!(
            findings[0].suggestion,
            "Merged with MAJOR (security) at a.rs:3: A query is built from user input."
        );
        assert_eq!(findings[1].message, "The token is logged");
    }

    #[test]
    fn a_doubt_does_not_stand_for_a_judgement() {
        let doubt = Finding { confidence: Confidence::Low, ..finding(3, Severity::High) };
        let (proof, judge) = (says(vec![doubt]), says(vec![finding(3, Severity::Major)]));
        assert_eq!(reviewed(&proof, &judge).findings.len(), 2);
    }

    #[test]
    fn what_kept_the_proof_from_being_complete_counts() {
        let trouble = Trouble { kind: "unseen".into(), message: "a file".into() };
        let proof = Says { trouble: Some(trouble.clone()), ..says(vec![]) };
        assert_eq!(reviewed(&proof, &says(vec![])).troubles, [trouble]);
    }
}
