use std::collections::BTreeSet;
use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::prompt::{Fence, Marker};
use crate::scripted::{self, REDACT};

fn packed(files: &[(&str, &str)], capacity: usize) -> (Change, Vec<Bundle>) {
    let marker = Marker::new("data-0");
    let change = scripted::change(files);
    let texts = super::files(&change, &[], &Fence { marker: &marker, redact: REDACT });
    let bundles = pack(texts, capacity);
    (change, bundles)
}

/// Hunks of `lines` added lines each.
fn diff(hunks: usize, lines: usize) -> String {
    let mut diff = String::new();
    for hunk in 0..hunks {
        let start = hunk * (lines + 10) + 1;
        let _ = writeln!(diff, "@@ -{start},0 +{start},{lines} @@ fn f{hunk}() {{");
        for line in 0..lines {
            let _ = writeln!(diff, "+    let value_{line} = compute({hunk}, {line});");
        }
    }
    diff
}

fn files_of(bundle: &Bundle) -> Vec<usize> {
    bundle.slices.iter().map(|slice| slice.file).collect()
}

#[test]
fn a_file_stays_together_and_small_ones_fill_the_gaps() {
    let (large, small) = (diff(1, 30), diff(1, 5));
    let size = count(&packed(&[("a", &large)], 10_000).1[0].diff());
    let (_, bundles) =
        packed(&[("s1", &small), ("l1", &large), ("s2", &small), ("l2", &large)], size * 5 / 4);
    assert_eq!(bundles.iter().map(files_of).collect::<Vec<_>>(), [[0, 1], [2, 3]]);
}

#[test]
fn a_file_in_which_no_line_differs_is_sent_too() {
    let (_, bundles) = packed(&[("renamed", "")], 1_000);
    assert_eq!(bundles[0].diff(), "File: renamed (modified, no line differs)\n");
}

#[test]
fn an_oversized_file_is_split_by_hunk() {
    let (change, bundles) = packed(&[("a", &diff(6, 20))], 700);
    assert!(bundles.len() > 1);
    assert!(
        bundles
            .iter()
            .all(|bundle| bundle.diff().starts_with("File: a ") && !bundle.diff().contains("(part "))
    );
    assert!(holders(&change, &bundles)[0].iter().all(|holders| holders.len() == 1));
}

#[test]
fn an_oversized_hunk_is_split_by_lines_that_overlap() {
    let (change, bundles) = packed(&[("a", &diff(1, 100))], 500);
    let text: Vec<_> = bundles.iter().map(Bundle::diff).collect();
    assert!(text[0].contains("fn f0() { (part 1 of "), "{}", text[0]);
    let last = text[0].lines().last().unwrap();
    assert!(text[1].contains(last), "the second part begins before the first ends");
    assert_eq!(holders(&change, &bundles)[0][0], (0..bundles.len()).collect::<Vec<_>>());
}

#[test]
fn of_an_oversized_line_every_character_is_sent() {
    let line: String = (0..3_000).map(|number| format!("{number};")).collect();
    let (_, bundles) = packed(&[("min.js", &format!("@@ -0,0 +1,1 @@\n+{line}\n"))], 600);
    let mut sent = String::new();
    for text in bundles.iter().map(Bundle::diff) {
        assert!(count(&text) <= 600);
        for piece in text.lines().filter_map(|line| line.strip_prefix("+1|")) {
            sent.push_str(piece.strip_suffix("<goes on>").unwrap_or(piece));
        }
    }
    assert_eq!(sent, line);
}

#[test]
fn evidence_never_crowds_out_the_code() {
    let marker = Marker::new("data-0");
    let change = scripted::change(&[("a", &diff(1, 5))]);
    let known: Vec<_> = (0..30).map(|line| scripted::finding("a", line, &"so bad ".repeat(60))).collect();
    let texts = super::files(&change, &known, &Fence { marker: &marker, redact: REDACT });
    assert!(texts[0].evidence.ends_with("and 10 more in a\n"));
    let bundles = pack(texts.clone(), 1_000);
    assert_eq!(bundles[0].evidence(), "");
    assert!(bundles[0].diff().contains("value_4"));
    assert_eq!(pack(texts, 100_000)[0].evidence().lines().count(), 21);
}

#[test]
fn the_enclosing_function_is_added_where_there_is_room() {
    let head = "use x;\n\nfn total(items: &[u32]) -> u32 {\n    let mut sum = 0;\n    for item in items {\n        sum += item;\n        log(sum);\n    }\n    sum\n}\n";
    let diff = "@@ -6,0 +7,1 @@\n+        log(sum);\n";
    let files = scripted::Files { new: [("a.rs".to_owned(), head.to_owned())].into(), ..Default::default() };
    let marker = Marker::new("data-0");
    let fence = Fence { marker: &marker, redact: REDACT };
    for (capacity, expected) in [(1_000, true), (60, false)] {
        let (change, mut bundles) = packed(&[("a.rs", diff)], capacity);
        add_surroundings(&mut bundles, &change, &files, &fence, capacity);
        let text = bundles[0].diff();
        assert_eq!(text.contains("3|fn total(items: &[u32]) -> u32 {\n"), expected, "{text}");
        assert_eq!(text.contains("6|        sum += item;\n...\n8|    }\n"), expected, "{text}");
        assert!(count(&text) <= capacity && bundles[0].tokens >= count(&text));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_line_is_sent_and_no_bundle_is_too_large(
        sizes in prop::collection::vec((0usize..4, 1usize..60), 1..8),
        noise in "[ -~äß/\r]{0,200}",
        capacity in 300usize..1_500,
    ) {
        let noise = noise.trim_end_matches('\r');
        let diffs: Vec<_> = sizes
            .iter()
            .map(|(hunks, lines)| diff(*hunks, *lines).replace("compute(", &format!("compute({noise}")))
            .collect();
        let names: Vec<_> = (0..diffs.len()).map(|index| format!("src/file_{index}.rs")).collect();
        let files: Vec<_> = names.iter().map(String::as_str).zip(diffs.iter().map(String::as_str)).collect();
        let (change, bundles) = packed(&files, capacity);
        for bundle in &bundles {
            prop_assert!(count(&bundle.diff()) <= bundle.tokens && bundle.tokens <= capacity);
        }
        let seen: BTreeSet<_> = bundles.iter().flat_map(files_of).collect();
        prop_assert_eq!(seen.len(), files.len());
        let sent: String = bundles.iter().map(Bundle::diff).collect();
        for file in &change.files {
            for (number, _) in file.added() {
                let line = format!("+{number}|");
                prop_assert!(sent.contains(&line));
            }
        }
        prop_assert!(holders(&change, &bundles).iter().flatten().all(|holders| !holders.is_empty()));
    }
}
