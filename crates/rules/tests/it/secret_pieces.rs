//! Tokens that code puts together from several texts. Here they are cut, too, so that no scanner takes this file for a leak.

use domain::words::Severity;
use rules::redact;

use crate::secret_formats::{MIXED, UPPER, noise};
use crate::support::{NOTHING, Scenario};

/// How languages put texts together, with a place for each of three pieces.
const PUT_TOGETHER: [(&str, &str); 11] = [
    ("src/a.js", "const t = \"{a}\" + \"{b}\" + \"{c}\";\n"),
    ("src/a.py", "t = '{a}' '{b}' '{c}'\n"),
    ("src/a.py", "t = (\n    \"{a}\"\n    \"{b}\"\n    \"{c}\"\n)\n"),
    ("src/a.java", "String t = \"{a}\"\n        + \"{b}\"\n        + \"{c}\";\n"),
    ("src/a.js", "const t = \"{a}\" +\n  \"{b}\" +\n  \"{c}\";\n"),
    ("src/a.js", "const t = [\"{a}\", \"{b}\", \"{c}\"].join(\"\");\n"),
    ("src/a.js", "const t = [\n  '{a}',\n  '{b}',\n  '{c}',\n].join('');\n"),
    ("src/a.py", "t = ''.join(['{a}', '{b}', '{c}'])\n"),
    ("src/a.py", "t = ''.join([\n    '{a}',\n    '{b}',\n    '{c}',\n])\n"),
    ("src/a.php", "$t = '{a}' . '{b}' . '{c}';\n"),
    ("src/a.py", "t = '{a}' \\\n    '{b}' \\\n    '{c}'\n"),
];

fn in_pieces(form: &str, pieces: [&str; 3]) -> String {
    form.replace("{a}", pieces[0]).replace("{b}", pieces[1]).replace("{c}", pieces[2])
}

#[test]
fn a_token_that_is_put_together_is_found_and_masked() {
    let (github, amazon) = (noise(36, MIXED), noise(16, UPPER));
    for (path, form) in PUT_TOGETHER {
        for pieces in [
            [concat!("gh", "p_"), &github[..18], &github[18..]],
            [concat!("gh", "p_"), &github[..26], &github[26..]],
            [concat!("AK", "IA"), &amazon[..9], &amazon[9..]],
        ] {
            let text = in_pieces(form, pieces);
            let findings = Scenario::adding(path, &text).findings("secret");
            assert_eq!(findings.len(), 1, "{text}");
            assert!(findings[0].blocks(Severity::High), "{text}");
            let shown = format!("{findings:?}");
            let redacted = redact(&text).into_owned();
            for piece in &pieces[1..] {
                assert!(!shown.contains(piece), "{shown}");
                assert!(!redacted.contains(piece), "{redacted}");
            }
            assert_eq!(redacted.lines().count(), text.lines().count(), "{redacted}");
        }
    }
    let split = in_pieces("t = \"{a}\" + \"{b}\" + \"{c}\"\n", ["g", concat!("h", "p_"), &github]);
    assert_eq!(Scenario::adding("src/a.js", &split).lines("secret"), [1]);
    assert!(!redact(&split).contains(&github));
}

#[test]
fn texts_that_stay_apart_or_are_no_token_are_left_alone() {
    let github = noise(36, MIXED);
    let (first, second) = github.split_at(18);
    let prefix = concat!("gh", "p_");
    for text in [
        format!("t = [\"{prefix}\", \"{first}\", \"{second}\"]\n"),
        format!("check(\"{prefix}\", \"{github}\")\n"),
        format!("t = [\"{prefix}\", \"{github}\"].join(\"-\")\n"),
        format!("t = \"{prefix}\" + body + \"{github}\"\n"),
        format!("t = \"{prefix}\"\nu = \"{github}\"\n"),
        format!("t = \"{prefix}\" + \"[A-Za-z0-9]\" + \"{{36}}\"\n"),
        format!("t = \"{prefix}\" + \"x\" * 36\n"),
        format!("t = \"{prefix}\" + \"a\".repeat(36)\n"),
        format!("t = \"a{prefix}\" + \"{github}\"\n"),
        format!("t = \"{prefix}\" + \"your-token\" + \"-here\"\n"),
        format!("password = \"{first}\" + y\nlabel = \"a\" + \"{second}\"\n"),
        "t = \"cio\" + \"the quick brown fox\" + \"jumps\"\n".to_owned(),
        concat!("t = \"AK", "IA\" + \"IOSFODNN7EXAMPLE\"\n").to_owned(),
        concat!("t = \"AK", "IA\" + \"[0-9A-Z]{16}\"\n").to_owned(),
        format!("t = '|'.join([\n    '{prefix}',\n    '{github}',\n])\n"),
        format!("PREFIXES = [\n    '{prefix}',\n    'gho_',\n    '{github}',\n]\n"),
        format!("log(\"{prefix}\", '{github}')\n"),
        format!("- \"{prefix}\"\n- \"{github}\"\n"),
        format!("{{\"{prefix}\": \"{github}\"}}\n"),
        format!("if t.startswith(\"{prefix}\"):\n    \"{github}\"\n"),
    ] {
        assert_eq!(Scenario::adding("src/a.py", &text).lines("secret"), NOTHING, "{text}");
    }
    for path in ["tests/test_a.py", "docs/a.md"] {
        let text = format!("t = \"{prefix}\" + \"{github}\"\n");
        assert!(Scenario::adding(path, &text).findings("secret").iter().all(|f| !f.blocks(Severity::Low)));
    }
}
