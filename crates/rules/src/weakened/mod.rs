use std::collections::HashSet;

use domain::ports::{ReviewRequest, Reviewer};
use domain::review::Finding;

use crate::context::FileContext;
use crate::reviewer::RulesReviewer;
use crate::rules::{TestFunction, tests};

/// Rules that tell of tests which prove less than they seem to.
const RULES: [&str; 5] =
    ["skipped-test", "focused-test", "test-removed", "test-without-assertion", "trivial-assertion"];

/// How a change makes the tests prove less than before, in a sentence each: tests that are gone, skipped or assert less.
///
/// Stricter than a review, for somebody whose task is to make code better and not tests: a test that was only renamed
/// counts as gone, and no comment in the code excuses anything.
pub fn weakened_tests(request: &ReviewRequest<'_>) -> Vec<String> {
    let files: Vec<_> = request.change.files.iter().map(|file| FileContext::new(file, *request)).collect();
    let after: Vec<Vec<TestFunction>> = files.iter().map(|file| in_file(file, Side::After)).collect();
    let present: HashSet<&str> = after.iter().flatten().map(|test| test.name.as_str()).collect();
    let mut sentences = Vec::new();
    for (file, now) in files.iter().zip(&after) {
        let path = file.change.path();
        for test in in_file(file, Side::Before) {
            if !present.contains(test.name.as_str()) {
                sentences.push(format!("the test `{}` of {path} is gone", test.name));
            }
            let asserts = |test: &TestFunction| test.assertions.len();
            if now.iter().any(|other| other.name == test.name && asserts(other) < asserts(&test)) {
                sentences.push(format!("the test `{}` of {path} asserts less than before", test.name));
            }
        }
    }
    sentences.extend(
        findings(request).iter().map(|finding| format!("{}: {}", finding.location(), finding.message)),
    );
    sentences
}

enum Side {
    Before,
    After,
}

fn in_file(file: &FileContext<'_>, side: Side) -> Vec<TestFunction> {
    let source = match side {
        Side::Before => file.base(),
        Side::After => file.head(),
    };
    source.map(|source| tests(source, file.language)).unwrap_or_default()
}

fn findings(request: &ReviewRequest<'_>) -> Vec<Finding> {
    let found =
        RulesReviewer::default().review(request).map(|evidence| evidence.findings).unwrap_or_default();
    found.into_iter().filter(|finding| RULES.contains(&finding.rule.as_str())).collect()
}
