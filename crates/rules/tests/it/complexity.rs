//! Functions that grew, measured before and after.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario, all_claimed};

const RULE: &str = "complex-function";

/// A function with so many branches inside each other, six times.
fn nested(language: &str, depth: usize) -> String {
    let (open, branch, close, end) = match language {
        "a.py" => ("def work(x):\n", "if x:\n", "", ""),
        "a.rb" => ("def work(x)\n", "if x\n", "end\n", "end\n"),
        "a.rs" => ("fn work(x: bool) {\n", "if x {\n", "}\n", "}\n"),
        "a.go" => ("package p\nfunc work(x bool) {\n", "if x {\n", "}\n", "}\n"),
        "A.java" | "a.cs" => ("class A { void work(boolean x) {\n", "if (x) {\n", "}\n", "} }\n"),
        "a.kt" => ("fun work(x: Boolean) {\n", "if (x) {\n", "}\n", "}\n"),
        "a.c" | "a.cpp" => ("void work(int x) {\n", "if (x) {\n", "}\n", "}\n"),
        "a.php" => ("<?php\nfunction work($x) {\n", "if ($x) {\n", "}\n", "}\n"),
        "a.swift" => ("func work(x: Bool) {\n", "if x {\n", "}\n", "}\n"),
        "a.scala" => ("object A { def work(x: Boolean) = {\n", "if (x) {\n", "}\n", "} }\n"),
        _ => ("function work(x) {\n", "if (x) {\n", "}\n", "}\n"),
    };
    let mut text = open.to_owned();
    for _ in 0..6 {
        for level in 0..depth {
            text.push_str(&" ".repeat(level + 1));
            text.push_str(branch);
        }
        text.push_str(&" ".repeat(depth + 1));
        text.push_str(if [".rs", ".go", ".swift"].iter().any(|ending| language.ends_with(ending)) {
            "work(x)\n"
        } else {
            "work(x);\n"
        });
        text.push_str(&close.repeat(depth));
    }
    text + end
}

const LANGUAGES: [&str; 14] = [
    "a.rs", "a.py", "a.js", "a.ts", "a.go", "A.java", "a.kt", "a.c", "a.cpp", "a.cs", "a.rb", "a.php",
    "a.scala", "a.swift",
];

#[test]
fn every_language_that_is_claimed_is_tried() {
    all_claimed(RULE, &LANGUAGES);
}

#[test]
fn a_new_function_over_a_limit_is_reported() {
    for path in LANGUAGES {
        let findings = Scenario::adding(path, nested(path, 3)).findings(RULE);
        assert_eq!(findings.len(), 1, "{path}");
        // Six times one, two and three.
        assert!(
            findings[0].message.contains("cognitive complexity 36 (limit 25)"),
            "{path}: {}",
            findings[0].message
        );
        assert_eq!(findings[0].severity, Severity::Low);
    }
}

#[test]
fn a_function_that_grew_over_a_limit_is_reported_with_both_numbers() {
    for path in LANGUAGES {
        let findings = Scenario::changing(path, &nested(path, 2), &nested(path, 3)).findings(RULE);
        assert_eq!(findings.len(), 1, "{path}");
        assert!(findings[0].message.contains("36 (limit 25, up from 18)"), "{path}: {}", findings[0].message);
    }
}

#[test]
fn deep_nesting_is_reported_and_far_over_weighs_more() {
    for path in LANGUAGES {
        let findings = Scenario::adding(path, nested(path, 6)).findings(RULE);
        assert!(findings[0].message.contains("nesting 6 (limit 5)"), "{path}: {}", findings[0].message);
        assert_eq!(findings[0].severity, Severity::Medium);
    }
}

#[test]
fn what_is_under_the_limits_is_fine() {
    for path in LANGUAGES {
        assert_eq!(Scenario::adding(path, nested(path, 2)).lines(RULE), NOTHING, "{path}");
    }
}

#[test]
fn what_was_over_before_and_hardly_changed_is_an_old_sin() {
    for path in LANGUAGES {
        let old = nested(path, 3);
        let new = old.replacen("work(x)", "work(y)", 2);
        assert_eq!(Scenario::changing(path, &old, &new).lines(RULE), NOTHING, "{path}");
    }
}

#[test]
fn what_got_simpler_is_fine() {
    for path in LANGUAGES {
        assert_eq!(
            Scenario::changing(path, &nested(path, 4), &nested(path, 3)).lines(RULE),
            NOTHING,
            "{path}"
        );
    }
}

#[test]
fn a_flat_choice_with_many_arms_is_fine() {
    let arms: String = (0..60).map(|n| format!("        {n} => \"{n}\",\n")).collect();
    let text =
        format!("fn name(x: u8) -> &'static str {{\n    match x {{\n{arms}        _ => \"\",\n    }}\n}}\n");
    assert_eq!(Scenario::adding("a.rs", text).lines(RULE), NOTHING);
}

#[test]
fn a_choice_that_was_flat_and_gains_a_branch_is_no_new_complexity() {
    let arms: String = (0..40).map(|n| format!("        {n} => 1,\n")).collect();
    let text = |branch: &str| {
        format!(
            "fn cost(x: u8, y: bool) -> u8 {{\n    match x {{\n{arms}        _ => 0,\n    }}\n{branch}}}\n"
        )
    };
    // Just enough branches for the arms to count, and four more than before.
    let few: String = (0..38).map(|_| "    if y { work(); }\n").collect();
    let more = few.clone() + &"    if y { rest(); }\n".repeat(4);
    assert_eq!(Scenario::changing("a.rs", &text(&few), &text(&more)).lines(RULE), NOTHING);
    assert_eq!(Scenario::adding("a.rs", text(&more)).lines(RULE), vec![1]);
}

#[test]
fn a_long_function_that_decides_little_is_too_long_as_well() {
    let long = |lines: usize, branches: &str| {
        format!("def work(x):\n{branches}{}", "    x = step(x)\n".repeat(lines))
    };
    let few = "    if x:\n        return 1\n".repeat(3);
    let findings = Scenario::adding("a.py", long(200, &few)).findings(RULE);
    assert_eq!(findings.len(), 1);
    assert!(findings[0].message.contains("(limit 180)"), "{}", findings[0].message);
    assert_eq!(findings[0].severity, Severity::Low);
    for (lines, branches) in [(150, few.as_str()), (200, "")] {
        assert_eq!(Scenario::adding("a.py", long(lines, branches)).findings(RULE).len(), 0);
    }
    // It was as long before.
    let scenario = Scenario::changing("a.py", &long(200, &few.repeat(3)), &long(200, &few));
    assert_eq!(scenario.findings(RULE).len(), 0);
}

#[test]
fn a_method_is_named_with_its_class_and_pointed_at_where_the_diff_shows_it() {
    let lines = |count: usize| {
        "        if self.a:\n            if self.b:\n                if self.c:\n                    go()\n"
            .repeat(count)
    };
    let text = |count: usize| format!("class Order:\n    def total(self):\n{}", lines(count));
    let scenario = Scenario::changing("a.py", &text(4), &text(6)).showing_little();
    let findings = scenario.findings(RULE);
    assert_eq!(findings[0].line(), Some(19));
    assert!(findings[0].message.starts_with("`Order.total` (from line 2) has "), "{}", findings[0].message);
    let findings = Scenario::adding("a.py", text(6)).findings(RULE);
    assert_eq!(findings[0].line(), Some(2));
    assert!(findings[0].message.starts_with("`Order.total` has "), "{}", findings[0].message);
}
