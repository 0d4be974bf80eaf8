//! Corrections that need no judgement, and those that are left alone because they do.

use domain::review::Finding;
use rules::{Language, ProjectRules, mend, mend_most};

use crate::support::Scenario;

/// The file with every finding mended that can be.
fn mended(path: &str, text: &str) -> Option<String> {
    let findings = Scenario::adding(path, text).review().findings;
    let all: Vec<&Finding> = findings.iter().collect();
    mend(text, Language::of(&path.into()), &all)
}

#[test]
fn statements_that_only_stop_or_print_go() {
    let text = "function a(x) {\n  debugger;\n  console.log(x);\n  return x;\n}\n";
    assert_eq!(mended("src/a.js", text).as_deref(), Some("function a(x) {\n  return x;\n}\n"));
    let text = "fn a(x: u8) -> u8 {\n    dbg!(x);\n    x\n}\n";
    assert_eq!(mended("src/a.rs", text).as_deref(), Some("fn a(x: u8) -> u8 {\n    x\n}\n"));
}

#[test]
fn a_block_of_python_keeps_a_statement() {
    let text = "def a():\n    breakpoint()\n\n\ndef b():\n    breakpoint()\n    return 1\n";
    let right = "def a():\n    pass\n\n\ndef b():\n    return 1\n";
    assert_eq!(mended("src/a.py", text).as_deref(), Some(right));
}

#[test]
fn what_may_matter_stays() {
    for text in [
        "function a(x) {\n  if (x)\n    debugger;\n  return x;\n}\n",
        "function a(x) {\n  console.log(save(x));\n  return x;\n}\n",
    ] {
        assert_eq!(mended("src/a.js", text), None, "{text}");
    }
}

#[test]
fn a_correction_reaches_into_a_statement_of_several_lines() {
    let text = "import yaml\n\ndef read(s):\n    b = (\n        yaml.load(s)\n    )\n    return b\n";
    assert_eq!(mended("src/a.py", text), Some(text.replace("yaml.load", "yaml.safe_load")));
}

#[test]
fn a_focus_is_taken_off() {
    let text = "describe.only('a', () => {\n  fit('b', () => {\n    expect(1).toBe(f());\n  });\n});\n";
    let right = "describe('a', () => {\n  it('b', () => {\n    expect(1).toBe(f());\n  });\n});\n";
    assert_eq!(mended("test/a.test.js", text).as_deref(), Some(right));
}

#[test]
fn hidden_characters_go() {
    let text = "pay\u{200B}load = 1\n";
    assert_eq!(mended("src/a.py", text).as_deref(), Some("payload = 1\n"));
}

#[test]
fn a_line_that_is_no_longer_what_it_was_is_left_alone() {
    let findings = Scenario::adding("src/a.js", "debugger;\n").review().findings;
    let all: Vec<&Finding> = findings.iter().collect();
    assert_eq!(mend("other();\n", Language::JavaScript, &all), None);
}

#[test]
fn an_import_of_go_goes_with_its_last_use() {
    let file = |imports: &str, body: &str| format!("package a\n\n{imports}\n\nfunc f() {{\n{body}}}\n");
    let stop = "\truntime.Breakpoint()\n";
    for (imports, left) in
        [("import \"runtime\"\n", ""), ("import (\n\t\"os\"\n\t\"runtime\"\n)", "import (\n\t\"os\"\n)")]
    {
        let right = file(left, "\tos.Exit(1)\n");
        let mended = mended("a.go", &file(imports, &format!("{stop}\tos.Exit(1)\n")));
        assert_eq!(mended.as_deref(), Some(right.as_str()), "{imports}");
    }
    let used = file("import \"runtime\"", "\truntime.GC()\n");
    let mended_used = mended("a.go", &file("import \"runtime\"", &format!("{stop}\truntime.GC()\n")));
    assert_eq!(mended_used.as_deref(), Some(used.as_str()));
    let told = format!("{stop}\t// runtime.GC() was here\n");
    assert_eq!(mended("a.go", &file("import \"runtime\"", &told)), None, "it may be used or not");
    assert_eq!(mended("a.go", &file("import r \"runtime\"", &format!("{stop}\tos.Exit(1)\n"))), None);
}

/// The file as it is mended at once, and the lines of what was.
fn mended_most(path: &str, text: &str) -> Option<(String, Vec<u32>)> {
    let findings = Scenario::adding(path, text).review().findings;
    let all: Vec<&Finding> = findings.iter().collect();
    let mended = mend_most(text, Language::of(&path.into()), &all, &ProjectRules::default())?;
    let mut lines: Vec<u32> = mended.findings.iter().filter_map(|finding| finding.line()).collect();
    lines.sort_unstable();
    lines.dedup();
    Some((mended.text, lines))
}

#[test]
fn those_that_were_mended_are_named_and_the_others_are_not() {
    let text = "function a(x) {\n  debugger;\n  console.log(save(x));\n  console.log(x);\n  return x;\n}\n";
    let right = "function a(x) {\n  console.log(save(x));\n  return x;\n}\n";
    assert_eq!(mended_most("src/a.js", text), Some((right.to_owned(), vec![2, 4])));
    assert_eq!(mended_most("src/a.js", "function a(x) {\n  if (x)\n    debugger;\n  return x;\n}\n"), None);
}

#[test]
fn what_cannot_be_mended_together_is_mended_in_part() {
    let text = "package a\n\nimport \"runtime\"\n\n// It is runtime.Breakpoint that stops.\nfunc a(x int) int {\n\truntime.Breakpoint()\n\tb(x)\n\truntime.Breakpoint()\n\treturn x\n}\n";
    let (mended, lines) = mended_most("src/a.go", text).unwrap();
    assert_eq!((mended.matches("\truntime.Breakpoint").count(), lines.len()), (1, 1), "{mended}");
}
