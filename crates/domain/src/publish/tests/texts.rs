use proptest::prelude::*;

use super::stage::{DIFF, Forge};
use crate::forge::Provider;
use crate::formats::escape::hostile_text;
use crate::formats::fixture;
use crate::publish::{SummaryStep, summary_of, ticket_summary};
use crate::review::Patch;

#[test]
fn what_authors_read() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let review = forge.review(&[("dbg!(two);", 2), ("nowhere", 99)]);
    let patch = Patch { path: "src/a.rs".into(), start: 2, old: vec!["    dbg!(two);".into()], new: vec![] };
    forge.patches.insert(review.findings[0].fingerprint.clone(), patch);
    let plan = forge.publish(&review);
    let post = plan.review.unwrap();
    insta::assert_snapshot!("inline_comment", post.comments[0].body);
    insta::assert_snapshot!("review_body", post.body);
    let Some(SummaryStep::Add { body }) = plan.summary else { panic!("a summary is added") };
    insta::assert_snapshot!("summary", body);
    insta::assert_debug_snapshot!("status", plan.status.unwrap());
    forge.push('4');
    let plan = forge.publish(&forge.review(&[]));
    insta::assert_snapshot!("settled_comment", plan.settle[0].body.as_deref().unwrap());
    insta::assert_snapshot!("ticket", ticket_summary(&summary_of(&fixture::review(), "https://f.example/1")));
}

/// Lines outside of code that begin with a slash are commands to GitLab, and a bare `@` mentions somebody.
fn is_harmless(body: &str) -> bool {
    let (marker, text) = body.split_once('\n').unwrap_or((body, ""));
    marker.starts_with("<!-- countersign:")
        && !text.contains("<!--")
        && !text.lines().any(|line| line.trim_start().starts_with('/'))
        && !text.contains('@')
        && !text.to_lowercase().contains("<script")
}

proptest! {
    #[test]
    fn no_text_of_a_finding_does_anything(said in hostile_text(), slash in any::<bool>()) {
        let mut forge = Forge::new(Provider::Gitlab, DIFF);
        let said = if slash { format!("/approve\n/merge {said}") } else { said };
        let mut review = forge.review(&[("dbg!(two);", 2), ("nowhere", 99)]);
        for finding in &mut review.findings {
            (finding.rule, finding.message) = (said.clone(), said.clone());
            (finding.impact, finding.suggestion) = (said.clone(), said.clone());
        }
        review.subject.scope.head_name = said.clone();
        review.remarks = vec![said.clone()];
        let plan = forge.publish(&review);
        for comment in &forge.comments {
            prop_assert!(is_harmless(&comment.body), "{}", comment.body);
        }
        prop_assert!(plan.status.unwrap().title.len() <= 140);
    }
}

#[test]
fn a_long_summary_is_cut_with_a_note() {
    for (provider, limit) in [(Provider::Github, 65_536), (Provider::Gitlab, 1_000_000)] {
        let forge = Forge::new(provider, DIFF);
        let mut findings = Vec::new();
        for number in 0..2_000 {
            let mut finding = super::stage::finding(crate::review::Place::Summary);
            finding.message = format!("{number} {}", "@long ".repeat(600));
            findings.push(finding);
        }
        let plan = forge.plan(&forge.review_of(findings)).unwrap();
        let Some(SummaryStep::Add { body }) = plan.summary else { panic!("a summary is added") };
        assert!(body.len() < limit && body.contains("left out to keep this comment within its size"));
    }
}
