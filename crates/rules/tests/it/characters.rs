//! Conflict markers and characters nobody sees, in any kind of text.

use domain::review::Confidence;
use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

/// Seven of a sign and what follows. Written out, they would be markers in this file as well.
fn marker(sign: &str, rest: &str) -> String {
    format!("{}{rest}\n", sign.repeat(7))
}

#[test]
fn a_conflict_is_reported_once() {
    let middle = marker("=", "");
    let plain =
        [marker("<", " HEAD"), "a\n".into(), middle.clone(), "b\n".into(), marker(">", " topic")].concat();
    assert_eq!(Scenario::adding("a.json", &plain).lines("conflict-marker"), [1]);
    let three_way = [marker("<", " ours"), marker("|", " base"), middle, marker(">", " theirs")].concat();
    assert_eq!(Scenario::adding("Makefile", &three_way).lines("conflict-marker"), [1]);
    assert_eq!(Scenario::adding("a.rst", marker(">", " 1a2b3c (fix)\r")).lines("conflict-marker"), [1]);
}

#[test]
fn underlines_quotes_and_operators_are_no_conflict() {
    for text in [
        format!("Title\n{}", marker("=", "")),
        format!("Title\n{}\nNext\n{}", marker("=", "="), marker("=", "")),
        marker(">", ""),
        marker(">", "> quoted eight deep"),
        format!("x = \"{}\"\n", marker("<", " HEAD").trim()),
        format!("  {}", marker("<", " indented")),
        marker("|", "|"),
    ] {
        assert_eq!(Scenario::adding("a.md", &text).lines("conflict-marker"), NOTHING, "{text}");
    }
}

#[test]
fn a_conflict_that_is_shown_on_purpose_is_advice() {
    let (ours, theirs) = (marker("<", " ours"), marker(">", " theirs"));
    let confidence = |path: &str, text: String| {
        Scenario::adding(path, text).findings("conflict-marker").first().map(|finding| finding.confidence)
    };
    for (path, text) in [
        ("README.md", format!("See:\n```\n{ours}a\n{theirs}```\n")),
        ("tests/fixtures/conflict.txt", format!("{ours}{theirs}")),
        ("tests/merge.rs", format!("const CONFLICT: &str = \"\n{ours}{theirs}\";\n")),
    ] {
        assert_eq!(confidence(path, text), Some(Confidence::Low), "{path}");
    }
    for (path, text) in [
        ("README.md", format!("```\na\n```\n{ours}a\n{theirs}")),
        ("tests/merge.rs", format!("{ours}{theirs}")),
        ("src/merge.rs", format!("const CONFLICT: &str = \"\n{ours}{theirs}\";\n")),
    ] {
        assert_eq!(confidence(path, text), Some(Confidence::High), "{path}");
    }
}

fn hidden(path: &str, text: &str) -> Vec<u32> {
    Scenario::adding(path, format!("first\n{text}\n")).lines("hidden-unicode")
}

#[test]
fn what_changes_the_meaning_of_code_unseen_is_reported() {
    for (path, text) in [
        ("a.rs", "/* \u{202E} } \u{2066}if admin\u{2069} \u{2066} begin */"),
        ("a.go", "var a\u{200B}b = 1"),
        ("a.js", "const \u{3164} = 1;"),
        ("a.py", "x = 'a\u{200D}b'"),
        ("a.yaml", "\u{FEFF}key: 1"),
        ("a.c", "int a\u{AD}b;"),
        ("a.py", "x = 1 # one\rpdb.set_trace()"),
        ("a.js", "// one\rdebugger;"),
        ("a.ts", "// one\u{2028}debugger;"),
        ("a.go", "// one\u{2029}two"),
        ("README.md", "ignore \u{E0061}\u{E0062} this"),
        ("a.txt", "\u{202D}abc"),
        ("a.txt", "\u{2067}abc"),
        ("a.txt", "\u{2069}abc\u{2066}"),
        ("a.ts", "t('\u{2068}abc\u{2069}')"),
    ] {
        assert_eq!(hidden(path, text), [2], "{text:?}");
    }
}

#[test]
fn what_languages_and_emoji_need_is_left_alone() {
    for (path, text) in [
        ("a.rs", "let face = \"\u{1F469}\u{200D}\u{1F4BB}\";"),
        ("a.ts", "t('\u{645}\u{6CC}\u{200C}\u{62E}')"),
        ("a.ts", "t('\u{5D0}\u{200F}')"),
        ("README.md", "soft\u{AD}hyphen and zero\u{200B}width"),
        ("a.py", "flag = '\u{1F3F4}\u{E0067}\u{E0062}\u{E007F}'"),
        ("a.py", "name = '\u{8FBB}\u{E0100}'"),
        ("a.rs", "let s = \"\\u{202E}\";"),
        ("a.py", "x = 1\r"),
        ("a.py", "x = 1\r\r"),
        ("locales/ar.json", "\"hello\": \"\u{645}\u{2068}Anna\u{2069}\u{202B}\u{645}\u{202C}\""),
        ("a.md", "one\rtwo\u{2028}three"),
        ("a.sh", "printf '\r'"),
    ] {
        assert_eq!(hidden(path, text), NOTHING, "{text:?}");
    }
    assert_eq!(Scenario::adding("a.cs", "\u{FEFF}using System;\n").lines("hidden-unicode"), NOTHING);
}

#[test]
fn code_behind_a_hidden_line_end_is_judged_as_code() {
    for (path, text) in [
        ("a.py", "x = 1 # one\rpdb.set_trace()\n"),
        ("a.js", "// one\rdebugger;\n"),
        ("a.ts", "// one\u{2028}debugger;\n"),
        ("a.ts", "// one\u{2029}debugger;\r\n"),
    ] {
        assert_eq!(Scenario::adding(path, text).lines("debugger-stop"), [1], "{text:?}");
    }
}

#[test]
fn the_message_names_the_character_and_its_column() {
    let finding = &Scenario::adding("a.go", "ab\u{202E}c\u{200B}\n").findings("hidden-unicode")[0];
    assert!(
        finding.message.contains("U+202E") && finding.message.contains("column 3, and 1 more"),
        "{finding:?}"
    );
    assert_eq!(finding.severity, Severity::High);
}

#[test]
fn a_file_full_of_hidden_characters_is_told_of_once() {
    let two = Scenario::adding("a.go", "a\u{200B}\nb\nc\u{200B}\u{200B}\n").findings("hidden-unicode");
    assert_eq!(two.len(), 1);
    assert!(two[0].message.ends_with("at column 2, and 2 more, also on line 3"), "{}", two[0].message);
    let many = "x\u{202E}\n".repeat(9);
    let scenario = Scenario::adding("a.go", &many).and_adding("b.go", &many);
    assert_eq!(scenario.lines("hidden-unicode"), [1, 1]);
    let message = &scenario.findings("hidden-unicode")[0].message;
    assert!(message.ends_with("and 8 more, also on lines 2, 3, 4, 5, 6 and 3 others"), "{message}");
}

#[test]
fn test_data_for_people_weighs_less() {
    let finding = &Scenario::adding("tests/names.txt", "\u{202E}abc\n").findings("hidden-unicode")[0];
    assert_eq!(finding.severity, Severity::Low);
}

#[test]
fn a_lone_marker_counts_in_code_and_not_in_a_string() {
    let lone = format!("{} HEAD\n", "<".repeat(7));
    assert_eq!(Scenario::adding("a.py", &lone).lines("conflict-marker"), [1]);
    let quoted = format!("HELP = \"\"\"\n{lone}\"\"\"\n");
    assert_eq!(Scenario::adding("a.py", &quoted).lines("conflict-marker"), NOTHING);
    let two = format!("{lone}a\n{0}\nb\n{1} topic\n", "=".repeat(7), ">".repeat(7));
    assert_eq!(Scenario::adding("a.py", format!("{two}{two}")).lines("conflict-marker"), [1, 6]);
}

#[test]
fn a_byte_order_mark_hides_no_marker() {
    let text = format!("\u{FEFF}{} HEAD\n", "<".repeat(7));
    assert_eq!(Scenario::adding("a.py", &text).lines("conflict-marker"), [1]);
    assert_eq!(Scenario::adding("a.py", "\u{FEFF}\u{FEFF}a = 1\n").lines("hidden-unicode"), [1]);
}
