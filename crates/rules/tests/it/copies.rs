//! Code that a change says twice.

use crate::support::{NOTHING, Scenario, all_claimed};

const RULE: &str = "copied-code";

/// Twelve statements that do something to the given thing.
fn body(path: &str, thing: &str) -> String {
    let (open, end, stop) = match path.rsplit('.').next() {
        Some("py") => ("", "", ""),
        Some("rb") => ("", "end\n", ""),
        Some("go" | "kt" | "swift" | "scala") => ("{\n", "}\n", ""),
        _ => ("{\n", "}\n", ";"),
    };
    let thing = if path.ends_with("php") { format!("${thing}") } else { thing.to_owned() };
    let calls = [
        "start", "check", "hold", "load", "sort", "merge", "trim", "store", "flush", "unlock", "close",
        "report",
    ];
    let lines: String =
        calls.iter().map(|call| format!("    {call}({thing}, other, third[1], {thing}){stop}\n")).collect();
    format!("{open}{lines}{end}")
}

fn function(path: &str, name: &str, thing: &str) -> String {
    let head = match path.rsplit('.').next() {
        Some("rs") => format!("fn {name}() "),
        Some("py") => format!("def {name}():\n"),
        Some("go") => format!("func {name}() "),
        Some("java" | "cs") => format!("static void {name}() "),
        Some("rb") => format!("def {name}\n"),
        Some("kt") => format!("fun {name}() "),
        Some("swift") => format!("func {name}() "),
        Some("scala") => format!("def {name}() = "),
        Some("c" | "cpp") => format!("void {name}(void) "),
        _ => format!("function {name}() "),
    };
    format!("{head}{}", body(path, thing))
}

fn file(path: &str, functions: &[String]) -> String {
    match path.rsplit('.').next() {
        Some("go") => format!("package p\n{}", functions.concat()),
        Some("java" | "cs") => format!("class A {{\n{}}}\n", functions.concat()),
        Some("scala") => format!("object A {{\n{}}}\n", functions.concat()),
        Some("php") => format!("<?php\n{}", functions.concat()),
        _ => functions.concat(),
    }
}

const PATHS: [&str; 14] = [
    "src/a.rs",
    "src/a.py",
    "src/a.js",
    "src/a.ts",
    "src/a.go",
    "src/A.java",
    "src/a.kt",
    "src/a.cs",
    "src/a.rb",
    "src/a.php",
    "src/a.swift",
    "src/a.scala",
    "src/a.c",
    "src/a.cpp",
];

#[test]
fn every_language_that_is_claimed_is_tried() {
    all_claimed(RULE, &PATHS);
}

#[test]
fn a_copy_inside_a_new_file_is_reported() {
    for path in PATHS {
        let text = file(path, &[function(path, "one", "x"), function(path, "two", "x")]);
        assert_eq!(Scenario::adding(path, text).lines(RULE).len(), 1, "{path}");
    }
}

#[test]
fn a_copy_with_other_names_is_one_all_the_same() {
    for path in PATHS {
        let text = file(path, &[function(path, "one", "x"), function(path, "two", "y")]);
        assert_eq!(Scenario::adding(path, text).lines(RULE).len(), 1, "{path}");
    }
}

#[test]
fn a_copy_of_what_the_file_had_already_is_reported_where_it_is_new() {
    for path in PATHS {
        let (one, two) = (function(path, "one", "x"), function(path, "two", "y"));
        let old = file(path, std::slice::from_ref(&two));
        let new = file(path, &[one, two]);
        let first_line =
            u32::try_from(new.lines().position(|line| line.contains("start")).unwrap()).unwrap() + 1;
        let lines = Scenario::changing(path, &old, &new).lines(RULE);
        assert_eq!(lines.len(), 1, "{path}");
        assert!(lines[0] <= first_line && first_line - lines[0] <= 1, "{path}: {lines:?}");
    }
}

#[test]
fn a_copy_from_another_file_of_the_change_is_named() {
    for path in PATHS {
        let text = file(path, &[function(path, "one", "x")]);
        let other = path.replace("src/", "lib/");
        let findings = Scenario::adding(path, &text).and_adding(&other, &text).findings(RULE);
        assert_eq!(findings.len(), 1, "{path}");
        assert!(findings[0].message.contains(path), "{}", findings[0].message);
    }
}

#[test]
fn old_copies_stay_silent() {
    for path in PATHS {
        let functions = [function(path, "one", "x"), function(path, "two", "x")];
        let old = file(path, &functions);
        let comment = if path.ends_with("py") { "# a\n" } else { "// a\n" };
        let new = format!("{old}{}", comment.repeat(10));
        assert_eq!(Scenario::changing(path, &old, &new).lines(RULE), NOTHING, "{path}");
    }
}

#[test]
fn code_that_does_something_else_is_no_copy() {
    for path in PATHS {
        let other = function(path, "two", "x").replace("load", "fetch").replace("store", "drop_it");
        let text = file(path, &[function(path, "one", "x"), other]);
        assert_eq!(Scenario::adding(path, text).lines(RULE), NOTHING, "{path}");
    }
}

#[test]
fn tests_may_repeat_themselves() {
    for path in PATHS {
        let text = file(path, &[function(path, "one", "x"), function(path, "two", "x")]);
        assert_eq!(Scenario::adding(&path.replace("src/", "tests/"), text).lines(RULE), NOTHING, "{path}");
    }
}

#[test]
fn a_copy_from_a_file_that_the_change_leaves_alone_is_named() {
    for path in PATHS {
        for other in [
            path.replace("src/", "src/deep/"),
            path.replace("src/", "lib/"),
            path.replace("a.", "b.").replace("A.", "B."),
        ] {
            let text = file(path, &[function(path, "one", "x")]);
            let kept = file(path, &[function(path, "two", "y")]);
            let findings = Scenario::adding(path, &text).and_keeping(&other, &kept).findings(RULE);
            assert_eq!(findings.len(), 1, "{path} {other}");
            assert!(findings[0].message.contains(&format!("from {other}:")), "{}", findings[0].message);
        }
    }
}

#[test]
fn what_is_not_like_it_or_not_written_by_hand_is_no_source_of_copies() {
    for path in PATHS {
        let text = file(path, &[function(path, "one", "x")]);
        let other = function(path, "two", "x").replace("load", "fetch").replace("store", "drop_it");
        let scenario = Scenario::adding(path, &text)
            .and_keeping(&path.replace("src/", "lib/"), &file(path, &[other]))
            .and_keeping(&path.replace("src/", "vendor/"), &text)
            .and_keeping(&path.replace("src/", "tests/"), &text);
        assert_eq!(scenario.lines(RULE), NOTHING, "{path}");
    }
}

#[test]
fn a_copy_that_moved_out_of_another_file_is_none() {
    for path in PATHS {
        let text = file(path, &[function(path, "one", "x")]);
        let moved = Scenario::adding(path, &text).and_removing(&path.replace("src/", "lib/"), &text);
        assert_eq!(moved.lines(RULE), NOTHING, "{path}");
    }
}

/// Ten lines, too few words for a piece of them to tell much.
const SPLIT: &str = "def allocate(total, ratios, currency):
    whole = sum(ratios)
    step = Decimal(1).scaleb(-PLACES[currency])
    parts = [(total * r / whole).quantize(step) for r in ratios]
    left = total - sum(parts)
    for index in range(len(parts)):
        if left <= 0:
            break
        parts[index] += step
        left -= step
    return parts
";

#[test]
fn a_short_function_that_was_copied_as_a_whole_is_told_of() {
    let copy = SPLIT.replace("ratios", "shares").replace("allocate", "split_payment");
    let kept = |text: &str| Scenario::adding("src/split.py", text).and_keeping("src/money.py", SPLIT);
    assert_eq!(kept(&copy).lines(RULE).len(), 1);
    let other = copy.replace("quantize", "round_to").replace("scaleb", "shift");
    assert_eq!(kept(&other).lines(RULE), NOTHING);
    let renamed = copy
        .replace("parts", "amounts")
        .replace("left", "rest")
        .replace("step", "unit")
        .replace("whole", "all_of_it")
        .replace("index", "at")
        .replace("total", "sum_paid");
    assert_eq!(kept(&renamed).lines(RULE), NOTHING);
}

/// Eighteen lines with two loops and two conditions.
const LEDGER: &str =
    "pub fn order_totals(orders: &[Order], store: &mut OrderStore) -> Result<Vec<u32>, OrderError> {
    let mut totals = Vec::new();
    let mut failed = 0;
    for order in orders {
        let mut total = 0;
        for line in order.lines() {
            total += line.price() * line.amount();
        }
        if total > order.limit() {
            failed += 1;
            store.reject(order, total);
            continue;
        }
        totals.push(total);
        store.accept(order, total);
    }
    if failed > totals.len() {
        return Err(OrderError::new(failed, totals.len()));
    }
    Ok(totals)
}
";

fn with_other_names() -> String {
    LEDGER
        .replace("order", "invoice")
        .replace("Order", "Invoice")
        .replace("price", "rate")
        .replace("reject", "refuse")
        .replace("accept", "book")
        .replace("amount", "hours")
}

#[test]
fn a_function_that_was_given_other_names_throughout_is_advice() {
    let renamed = with_other_names();
    for scenario in [
        Scenario::adding("src/a.rs", format!("{LEDGER}\n{renamed}")),
        Scenario::adding("src/a.rs", &renamed).and_keeping("lib/b.rs", LEDGER),
        Scenario::changing("src/a.rs", LEDGER, &format!("{renamed}\n{LEDGER}")),
    ] {
        let findings = scenario.findings(RULE);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].message.contains("with other names"), "{}", findings[0].message);
        assert_eq!(findings[0].confidence, domain::review::Confidence::Low);
    }
}

#[test]
fn functions_of_one_shape_that_do_other_things_are_no_copies() {
    let renamed = with_other_names();
    // One name for two things, as an accident would have it.
    let mixed = renamed.replacen("total", "sum", 3);
    // The same checks of other fields, each once.
    let checks = |fields: [&str; 8]| -> String {
        let lines: Vec<String> = fields
            .iter()
            .map(|field| {
                format!("    if form.{field}.is_empty() {{\n        errors.push(\"{field}\");\n    }}\n")
            })
            .collect();
        format!("fn check_{}(form: &Form, errors: &mut Vec<&str>) {{\n{}}}\n", fields[0], lines.concat())
    };
    let one = checks(["name", "street", "city", "code", "land", "phone", "mail", "note"]);
    let table = |name: &str, word: &str| -> String {
        let arms: String = (0..20).map(|at| format!("        {word}::Kind{at} => \"{at}\",\n")).collect();
        format!("fn {name}(kind: {word}) -> &'static str {{\n    match kind {{\n{arms}    }}\n}}\n")
    };
    for text in [
        format!("{LEDGER}\n{mixed}"),
        one,
        format!("{}{}", table("shown", "Fruit"), table("told", "Stone")),
        format!("#[cfg(test)]\nmod tests {{\n{LEDGER}\n{renamed}}}\n"),
        format!("// Code generated by a tool. DO NOT EDIT.\n{LEDGER}\n{renamed}"),
    ] {
        assert_eq!(Scenario::adding("src/a.rs", text).lines(RULE), NOTHING);
    }
}
