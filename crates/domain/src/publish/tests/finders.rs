//! Whose findings a review may settle.

use super::stage::{DIFF, Forge, finding, ourselves};
use crate::forge::{Editing, Provider, StatusState};
use crate::publish::{PublishPlan, SummaryStep};
use crate::review::{Place, Review, Verdict};

/// Everything was seen by these.
fn seen_by(mut review: Review, names: &[&str]) -> Review {
    for hunk in review.coverage.files.iter_mut().flat_map(|file| &mut file.hunks) {
        hunk.seen_by = names.iter().map(|name| (*name).to_owned()).collect();
    }
    review
}

/// A review by a model, which was told what the rules found.
fn by_model(forge: &Forge, found: &[(&str, u32)]) -> Review {
    let mut review = seen_by(forge.review(found), &["a:one 1/1", "rules"]);
    review.reviewer = "a:one".into();
    review.findings.iter_mut().for_each(|finding| finding.rule = "model".into());
    crate::review::Fingerprint::assign(&mut review.findings);
    review
}

fn summary(plan: &PublishPlan) -> &str {
    match &plan.summary {
        Some(SummaryStep::Add { body } | SummaryStep::Edit { body, .. }) => body,
        None => panic!("there is something new to say"),
    }
}

#[test]
fn rules_alone_settle_nothing_that_a_model_found_and_the_commit_does_not_pass() {
    for provider in Provider::ALL {
        let mut forge = Forge::new(provider, DIFF);
        forge.publish(&by_model(&forge, &[("dbg!(two);", 2)]));
        forge.push('4');
        let rules = seen_by(forge.review(&[]), &["rules"]);
        assert_eq!(rules.verdict(), Verdict::Pass);
        let plan = forge.publish(&rules);
        assert!(plan.settle.is_empty());
        let status = plan.status.as_ref().unwrap();
        assert_eq!(status.state, StatusState::Failure);
        assert_eq!(status.title, "Inconclusive: 1 finding of an earlier review still stands");
        let told = summary(&plan);
        assert!(
            told.contains("## Countersign: inconclusive") && told.contains("1 by a&#58;<wbr>one"),
            "{told}"
        );
        assert!(plan.doubt.unwrap().message.contains("1 by a:one"));
        assert!(forge.plan(&rules).unwrap().is_empty(), "and says so once");
    }
}

#[test]
fn any_other_model_that_looks_again_settles_it() {
    for name in ["b:two 1/2", "claude"] {
        let mut forge = Forge::new(Provider::Github, DIFF);
        forge.publish(&by_model(&forge, &[("dbg!(two);", 2)]));
        forge.push('4');
        let plan = forge.publish(&seen_by(forge.review(&[]), &[name, "rules"]));
        assert_eq!((plan.settle.len(), plan.status.unwrap().state), (1, StatusState::Success), "{name}");
    }
}

#[test]
fn a_model_that_did_not_see_the_rules_at_work_settles_nothing_of_theirs() {
    let mut forge = Forge::new(Provider::Gitlab, DIFF);
    forge.publish(&forge.review(&[("dbg!(two);", 2)]));
    forge.push('4');
    let plan = forge.plan(&seen_by(forge.review(&[]), &["a:one 1/1"])).unwrap();
    assert!(plan.settle.is_empty() && plan.doubt.unwrap().message.contains("1 by the built-in rules"));
}

#[test]
fn what_a_linter_found_waits_for_that_linter() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let mut review = seen_by(forge.review(&[("dbg!(two);", 2)]), &["rules", "tool:ruff"]);
    review.findings[0].rule = "ruff/S608".into();
    forge.publish(&review);
    forge.push('4');
    let other = forge.plan(&seen_by(forge.review(&[]), &["rules", "tool:eslint"])).unwrap();
    assert!(other.settle.is_empty() && other.doubt.unwrap().message.contains("1 by ruff"));
    let same = forge.plan(&seen_by(forge.review(&[]), &["rules", "tool:ruff"])).unwrap();
    assert_eq!((same.settle.len(), same.doubt), (1, None));
}

#[test]
fn advice_that_stands_is_told_and_keeps_nothing_from_passing() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    let mut review = by_model(&forge, &[("dbg!(two);", 2)]);
    review.findings[0].severity = crate::words::Severity::Minor;
    forge.publish(&review);
    forge.push('4');
    let plan = forge.publish(&seen_by(forge.review(&[]), &["rules"]));
    assert!(plan.settle.is_empty() && plan.doubt.is_none());
    assert!(summary(&plan).contains("1 finding of advice is still open"), "{}", summary(&plan));
    assert_eq!(plan.status.unwrap().state, StatusState::Success);
}

#[test]
fn what_a_model_said_in_the_summary_stays_there_until_a_model_looks_again() {
    for editing in [Editing::Possible, Editing::Impossible] {
        let mut forge = Forge::new(Provider::Github, DIFF);
        forge.editing = editing;
        let mut review = by_model(&forge, &[]);
        review.findings = vec![finding(Place::Summary)];
        review.findings[0].rule = "model".into();
        forge.publish(&review);
        for head in ['4', '5'] {
            forge.push(head);
            let rules = seen_by(forge.review(&[]), &["rules"]);
            let plan = forge.publish(&rules);
            assert!(plan.doubt.unwrap().message.contains("1 by a:one"));
            let Some(SummaryStep::Add { body } | SummaryStep::Edit { body, .. }) = &plan.summary else {
                panic!()
            };
            assert!(body.contains("### Must fix, still open from an earlier review (1)"), "{body}");
            assert!(body.contains("  - Found by: `a:one`"), "{body}");
            assert!(forge.plan(&rules).unwrap().is_empty());
        }
        forge.push('6');
        let plan = forge.publish(&by_model(&forge, &[]));
        assert!(plan.doubt.is_none() && !summary(&plan).contains("still open"), "{}", summary(&plan));
    }
}

#[test]
fn a_file_that_left_the_change_may_live_on_elsewhere() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    forge.publish(&by_model(&forge, &[("dbg!(two);", 2)]));
    forge.push('4');
    let mut rules = seen_by(forge.review(&[]), &["rules"]);
    rules.coverage.files.iter_mut().for_each(|file| file.path = "src/renamed.rs".into());
    assert!(forge.plan(&rules).unwrap().doubt.is_some());
    let model = seen_by(rules, &["a:one 1/1", "rules"]);
    assert_eq!(forge.plan(&model).unwrap().settle.len(), 1);
}

#[test]
fn comments_of_older_versions_are_settled_by_who_their_text_says_found_it() {
    let mut forge = Forge::new(Provider::Github, DIFF);
    forge.publish(&by_model(&forge, &[("dbg!(two);", 2)]));
    for comment in &mut forge.comments {
        let (marker, text) = comment.body.split_once('\n').unwrap();
        let marker = marker
            .split(' ')
            .filter(|word| !["by=", "fix=", "file="].iter().any(|new| word.starts_with(new)));
        comment.body = format!("{}\n{text}", marker.collect::<Vec<_>>().join(" "));
    }
    forge.push('4');
    let by_rules = forge.plan_as(&seen_by(forge.review(&[]), &["rules"]), &ourselves()).unwrap();
    assert!(by_rules.settle.is_empty() && by_rules.doubt.is_some());
    assert_eq!(forge.plan(&by_model(&forge, &[])).unwrap().settle.len(), 1);
}
