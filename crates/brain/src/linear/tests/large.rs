//! Changes that do not fit into one call.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::ports::Reviewer;
use domain::review::Verdict;
use domain::words::Dimension;

use super::*;
use crate::call::CallError;
use crate::linear::{Draft, Plan};
use crate::packing::count_call;
use crate::scripted::{asked, entry, report, said};

/// 5,000 changed lines: small files and large ones, hunks of all sizes, one file larger than a call.
fn five_thousand_lines() -> Desk {
    let mut files = Vec::new();
    let mut written = 0;
    for file in 0.. {
        let lines = [12, 40, 90, 7, 1_900][file % 5].min(5_000 - written);
        if lines == 0 {
            break;
        }
        let mut diff = String::new();
        let mut done = 0;
        while done < lines {
            let size = if lines > 1_000 { lines } else { 25 }.min(lines - done);
            let start = done + 1;
            let _ = writeln!(diff, "@@ -{start},0 +{start},{size} @@ impl Handler{file} {{");
            for line in 0..size {
                let _ = writeln!(
                    diff,
                    "+        let order_{line} = self.orders.find(customer_{file}, {line})?; // see above"
                );
            }
            done += size;
        }
        written += lines;
        files.push((format!("src/handlers/handler_{file}.rs"), diff));
    }
    let files: Vec<_> = files.iter().map(|(name, diff)| (name.as_str(), diff.as_str())).collect();
    Desk::new(&files)
}

#[test]
fn a_change_of_5000_lines_is_seen_whole_within_the_budget_of_each_call() {
    let mut desk = five_thousand_lines();
    desk.config.model.verify = true;
    let (context, output) = (desk.config.model.context_tokens, desk.config.model.output_tokens);
    assert_eq!(
        (context, desk.change.files.iter().map(|file| file.added().count()).sum::<usize>()),
        (32_000, 5_000)
    );
    let mind = Scripted::new(move |_, call| {
        assert!(count_call(call) + output as usize <= context as usize, "{}", count_call(call));
        if call.schema.as_ref().unwrap().name == "second_opinion" {
            return Ok(said(r#"{"refuted": false, "reason": "it stands"}"#));
        }
        let number = asked(call).split("This is part ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        Ok(said(&report(&[entry(
            "src/handlers/handler_0.rs",
            1,
            "",
            "HIGH",
            &format!("`order_{number}` is wrong"),
        )])))
    });
    let reviewer = reviewer(vec![mind]);
    let evidence = reviewer.review(&desk.request()).unwrap();
    assert_eq!(evidence.troubles, []);
    assert_eq!(evidence.coverage.unseen().count(), 0);
    let calls = Plan::make(&desk.request(), REDACT).unwrap().calls().count();
    let enough = Draft::make(&desk.request(), REDACT).unwrap().tokens() / 18_000 + 1;
    assert!(calls > 1 && calls as u64 <= enough, "{calls} calls, and {enough} would do");
    let last = evidence.coverage.files[4].hunks[0].seen_by.len();
    assert!(last > 1, "the large file went into several calls");
}

#[test]
fn a_hunk_whose_parts_were_not_all_answered_was_not_seen() {
    let desk = five_thousand_lines();
    let parts = Plan::make(&desk.request(), REDACT).unwrap();
    let holds_part_two = |text: &str| text.contains("impl Handler4 { (part 2 of ");
    assert!(parts.calls().any(|call| holds_part_two(asked(&call))));
    let mind = Scripted::new(move |_, call| {
        if holds_part_two(asked(call)) {
            return Err(CallError::RateLimited { model: "scripted:one".into(), retry_after: None });
        }
        Ok(said(&report(&[])))
    });
    let evidence = review(&desk, mind);
    assert_eq!(kinds(&evidence), ["rate_limited"]);
    assert!(evidence.troubles[0].message.starts_with("1 of "), "{}", evidence.troubles[0].message);
    assert_eq!(evidence.claimed, None);
    let unseen: Vec<_> = evidence.coverage.unseen().map(|(path, _)| path.to_string()).collect();
    assert!(unseen.contains(&"src/handlers/handler_4.rs".to_owned()), "{unseen:?}");
    assert!(evidence.coverage.counts().0 > 0, "what was answered was seen");
}

#[test]
fn no_more_calls_run_at_once_than_allowed() {
    let mut desk = several_calls();
    desk.config.model.parallel = 2;
    let reviewer = reviewer(vec![Scripted::saying(report(&[])).slow(Duration::from_millis(20))]);
    reviewer.review(&desk.request()).unwrap();
    let calls = reviewer.minds[0].calls.lock().unwrap().len();
    let (left, most) = *reviewer.minds[0].at_once.lock().unwrap();
    assert!(calls > 2);
    assert_eq!((left, most), (0, 2));
}

#[test]
fn what_several_calls_report_counts_once_and_the_worst_of_it() {
    let mind = Scripted::new(|number, _| {
        let severity = ["LOW", "HIGH", "MEDIUM", "MINOR"][number % 4];
        Ok(said(&report(&[entry(
            "src/file_0.rs",
            3,
            "",
            severity,
            "The error of `compute_something` is ignored",
        )])))
    });
    let evidence = review(&several_calls(), mind);
    assert_eq!(evidence.findings.len(), 1);
    assert_eq!(evidence.findings[0].severity, domain::words::Severity::High);
}

#[test]
fn the_lowest_score_counts_and_one_part_that_fails_fails_the_change() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let mind = Scripted::new(move |number, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        let answer = report(&[]).replace("97", &(60 + number).to_string());
        Ok(said(&if number == 1 { answer.replace("pass", "fail") } else { answer }))
    });
    let evidence = review(&several_calls(), mind);
    assert!(calls.load(Ordering::SeqCst) > 1);
    assert_eq!(evidence.claimed, Some(Verdict::Fail));
    assert_eq!(evidence.scores.unwrap()[&Dimension::CODE_QUALITY], 60);
}

#[test]
fn a_hostile_answer_of_ten_megabytes_is_trouble_and_no_more() {
    let mind = Scripted::new(|number, _| {
        Ok(said(&match number {
            0 => "{\"findings\":[".repeat(10 << 16),
            _ => report(&[]),
        }))
    });
    let evidence = review(&several_calls(), mind);
    assert_eq!(kinds(&evidence), ["unparsable"]);
    assert!(evidence.coverage.unseen().count() > 0 && evidence.coverage.counts().0 > 0);
}

#[test]
fn what_a_model_cannot_take_is_taken_apart_and_seen_all_the_same() {
    let mut desk = several_calls();
    desk.config.model.context_tokens = 20_000;
    let limit = 6_000;
    let mind = Scripted::new(move |_, call| match count_call(call) > limit {
        true => Err(CallError::TooLarge { model: "scripted:one".into(), reason: "too long".into() }),
        false => Ok(said(&report(&[]))),
    });
    let reviewer = reviewer(vec![mind]);
    let evidence = reviewer.review(&desk.request()).unwrap();
    assert_eq!((kinds(&evidence), evidence.coverage.unseen().count()), (vec![], 0));
    assert_eq!(evidence.claimed, Some(Verdict::Pass));
    assert!(
        evidence.remarks[0].ends_with("too large for the model, and was taken apart"),
        "{:?}",
        evidence.remarks
    );
    let taken: String = {
        let calls = reviewer.minds[0].calls.lock().unwrap();
        calls.iter().filter(|call| count_call(call) <= limit).map(asked).collect()
    };
    for file in 0..4 {
        assert!(taken.contains(&format!("File: src/file_{file}.rs")), "{file}");
    }
    for line in 1..=120 {
        assert!(taken.matches(&format!("+{line}|")).count() >= 4, "line {line} of each file was shown");
    }
}

#[test]
fn what_is_still_too_large_after_a_few_attempts_proves_nothing() {
    let mind = Scripted::new(|_, _| {
        Err(CallError::TooLarge { model: "scripted:one".into(), reason: "too long".into() })
    });
    let reviewer = reviewer(vec![mind]);
    let desk = several_calls();
    let bundles = Plan::make(&desk.request(), REDACT).unwrap().calls().count();
    let evidence = reviewer.review(&desk.request()).unwrap();
    assert_eq!((kinds(&evidence), evidence.coverage.counts().0), (vec!["too_large"], 0));
    assert!(reviewer.minds[0].calls.lock().unwrap().len() <= 4 * bundles);
}

#[test]
fn what_a_model_sums_up_is_told_cleanly_and_not_at_any_length() {
    let answer =
        report(&[]).replace("Looked at it.", &format!("@bob\\u001b[31m hunter2 {}", "x".repeat(900)));
    let evidence = review(&desk(), Scripted::saying(answer));
    let told = evidence.remarks.last().unwrap();
    assert!(told.starts_with("model sums up: @ bob [redacted] xxx") && told.ends_with("x..."), "{told}");
    assert!(told.chars().count() < 640, "{}", told.len());
    let several = review(&several_calls(), Scripted::saying(report(&[])));
    assert!(several.remarks[0].starts_with("model sums up part 1 of "), "{:?}", several.remarks);
}
