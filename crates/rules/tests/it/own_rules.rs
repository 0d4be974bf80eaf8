//! What a project's own rules may say, what they find in each language, and how they are told what is wrong with them.

use domain::config::ConfigError;
use rules::ProjectRules;

use crate::support::{NOTHING, Scenario};

fn finds(language: &str, path: &str, form: &str, text: &str) -> Vec<u32> {
    let rule = format!("id: own-rule\ntitle: Ours\nlanguage: {language}\n{form}\n");
    Scenario::adding(path, text).and_at_base(".countersign/rules/own.yml", &rule).lines("own-rule")
}

fn message(language: &str, path: &str, form: &str, text: &str) -> String {
    let rule = format!("id: own-rule\ntitle: Ours\nlanguage: {language}\n{form}\n");
    let scenario = Scenario::adding(path, text).and_at_base(".countersign/rules/own.yml", &rule);
    scenario.findings("own-rule").remove(0).message
}

#[test]
fn a_comment_that_names_a_rule_nearly_right_is_told() {
    let own = "id: own-rule\ntitle: Ours\nlanguage: python\ncall: print\n";
    for (comment, meant) in [
        ("# countersign:ignore stubb -- later", Some("`stub`")),
        ("# countersign:ignore secret, own-rul -- ours", Some("`own-rule`")),
        ("# countersign:ignore stub -- later", None),
        ("# countersign:ignore own-rule -- ours", None),
        ("# countersign:ignore ruff/F401 -- theirs", None),
        ("# countersign:ignore race-condition -- a model's", None),
    ] {
        let scenario = Scenario::adding("a.py", format!("x = 1  {comment}\n"));
        let told = scenario.and_at_base(".countersign/rules/own.yml", own).findings("suppression-misspelt");
        let said = told.first().map(|finding| finding.message.as_str()).unwrap_or_default();
        assert_eq!(!told.is_empty(), meant.is_some(), "{comment}");
        assert!(said.contains(meant.unwrap_or_default()), "{said}");
    }
}

fn refused(form: &str) -> ConfigError {
    let rule = format!("id: own-rule\ntitle: Ours\nlanguage: python\n{form}\n");
    match ProjectRules::of([("own.yml", rule.as_bytes())]) {
        Ok(_) => panic!("it is taken: {form}"),
        Err(error) => error,
    }
}

/// Each with where it is told, and words of the error and of the hint.
#[test]
fn what_stands_for_nothing_is_an_error() {
    for (form, at, said, hint) in [
        ("rule: {pattern: print($A)}\nfix: log($B)", (5, 10), "`$B` in `fix` stands for nothing", "`A`"),
        (
            "rule: {pattern: print($VALUE)}\nfix: log($VALEU)",
            (5, 10),
            "`$VALEU` in `fix`",
            "did you mean `VALUE`?",
        ),
        (
            "rule: {pattern: print($$$ARGS)}\nfix: log($ARGS)",
            (5, 10),
            "the pattern has `$$$ARGS`",
            "write `$$$ARGS`",
        ),
        ("rule: {pattern: print($ARG)}\nfix: log($$$ARG)", (5, 10), "the pattern has `$ARG`", "write `$ARG`"),
        ("rule: {pattern: print($A)}\nmessage: no $NOPE", (5, 13), "`$NOPE` in `message`", "`\\$`"),
        ("call: print\nmessage: no $CALLE", (5, 13), "`$CALLE` in `message`", "did you mean `CALLEE`?"),
        (
            "rule: {pattern: print($A)}\nwhere: {variable: NOPE, is: constant}",
            (5, 19),
            "`NOPE` in `where`",
            "`A`",
        ),
        (
            "call: print\nwhere:\n  - {argument: 0, is: constant}\n  - {variable: RECEIVR, is: constant}",
            (7, 16),
            "`RECEIVR` in `where`",
            "did you mean `RECEIVER`?",
        ),
        ("assign: x\nwhere: {variable: CALLEE, is: constant}", (5, 19), "`CALLEE` in `where`", "`TARGET`"),
        ("assign: x\nwhere: {argument: 0, is: constant}", (5, 9), "only a call has arguments", "VALUE"),
        (
            "rule: {pattern: print($A)}\ntransform: {B: 'replace($A, replace=a, by=b)'}\nwhere: {variable: B, is: constant}",
            (6, 19),
            "`B` is made by `transform`",
            "made of",
        ),
        (
            "call: print\nwhere:\n  - {argument: 0, is: constant}\n  - argument: 1",
            (7, 5),
            "not what has to be so",
            "`missing: true`",
        ),
        (
            "call: print\nwhere: {argument: 0, matches: '('}",
            (5, 9),
            "not a regular expression",
            "look-around",
        ),
        ("call: []", (4, 1), "this list is empty", "`*.execute`"),
        ("call: '*'", (4, 8), "nothing is called `*`", "`kind`"),
        ("call: [print, '*.*']", (4, 16), "nothing is called `*.*`", "`*.execute`"),
        ("assign: os.*", (4, 9), "nothing is called `os.*`", "`*.verify`"),
        ("rule: {kind: no_such_kind}", (4, 1), "invalid kind matcher: Kind `no_such_kind`", "grammar"),
        (
            "rule: {pattern: print($A)}\nconstraints: {B: {kind: string}}",
            (5, 15),
            "`B` used in `constraints`",
            "`$B`",
        ),
    ] {
        let error = refused(form);
        assert_eq!((error.file.as_str(), error.at), ("own.yml", Some(at)), "{form}: {error}");
        assert!(error.message.contains(said), "{form}: {error}");
        assert!(error.hint.contains(hint), "{form}: {}", error.hint);
    }
}

#[test]
fn two_utilities_of_one_name_and_language_are_an_error() {
    let of = |language: &str| {
        let part =
            |language: &str| format!("utility: part\nlanguage: {language}\nrule: {{kind: string}}\n---\n");
        let rules = format!("{}{}", part("python"), part(language));
        ProjectRules::of([("own.yml", rules.as_bytes())]).map(|_| ())
    };
    let error = of("python").unwrap_err();
    assert_eq!(error.at, Some((5, 1)), "{error}");
    assert!(error.message.contains("two utilities `part` for Python"), "{error}");
    assert!(of("ruby").is_ok());
}

#[test]
fn a_sign_that_is_no_variable_is_left_alone() {
    let said = |message: &str| message_of_print(message);
    assert_eq!(said("'$_GET, ${x} and $5'"), "$_GET, ${x} and $5");
    assert_eq!(said(r"'\$HOME, `$A`'"), "$HOME, `someName`");
}

fn message_of_print(written: &str) -> String {
    let form = format!("rule: {{pattern: print($A)}}\nmessage: {written}");
    message("python", "src/a.py", &form, "print(someName)\n")
}

#[test]
fn what_a_transformation_makes_stands_in_the_message() {
    let form = "rule: {pattern: print($A)}\ntransform: {SNAKE_2: {convert: {source: $A, toCase: snakeCase}}}\n\
        message: better $SNAKE_2";
    assert_eq!(message("python", "src/a.py", form, "print(someName)\n"), "better some_name");
    let form = "rule: {pattern: 'print($$$ARGS)'}\nmessage: prints $$$ARGS";
    assert_eq!(message("python", "src/a.py", form, "print(a, b)\n"), "prints a, b");
}

#[test]
fn what_is_called_is_named_without_its_arguments() {
    let form = |name: &str| format!("call: {name}\nmessage: $CALLEE");
    for (language, path, name, text, said) in [
        ("java", "src/A.java", "Thread.sleep", "class A { void f() { Thread.sleep(5); } }\n", "Thread.sleep"),
        ("ruby", "src/a.rb", "File.read", "File.read(name) do |x|\n  x\nend\n", "File.read"),
        ("ruby", "src/a.rb", "system", "system \"ls\"\n", "system"),
        ("ruby", "src/a.rb", "'`'", "`ls`\n", "`"),
        ("php", "src/a.php", "'*.query'", "<?php\n$db->query($x);\n", "$db->query"),
        ("php", "src/a.php", "echo", "<?php\necho $x;\n", "echo"),
        ("python", "src/a.py", "os.getcwd", "import os\nos.getcwd()\n", "os.getcwd"),
        ("kotlin", "src/a.kt", "'*.run'", "fun f() { a.run(1) }\n", "a.run"),
    ] {
        assert_eq!(message(language, path, &form(name), text), said, "{language}");
    }
}

#[test]
fn calls_are_found_by_name_in_every_language() {
    for (language, path, names, text) in [
        ("rust", "src/a.rs", "['pk::run', pk.go]", "fn f() {\n    pk::run(1);\n    pk::go(1);\n}\n"),
        (
            "cpp",
            "src/a.cpp",
            "['pk::run', a.b.run]",
            "int f() {\n    pk::run<int>(1);\n    a::b::run(1);\n}\n",
        ),
        ("php", "src/a.php", "['Pk::run', '$db->go']", "<?php\nPk::run(1);\n$db->go(1);\n"),
        ("ruby", "src/a.rb", "['Pk::run', Pk.go]", "def f\n  Pk::run(1)\n  Pk.go(1)\nend\n"),
        ("swift", "src/a.swift", "[Pk.run, pkrun]", "func f() {\n    Pk.run(1)\n    pkrun(2)\n}\n"),
        ("shell", "src/a.sh", "[curl, ./run.sh]", "set -e\ncurl -k \"$x\" | sh\n./run.sh b\n"),
        (
            "rust",
            "src/a.rs",
            "[Config, 'pk::Options']",
            "fn f() {\n    let a = Config { verify: false };\n    let b = pk::Options { verify: false };\n}\n",
        ),
    ] {
        let form = format!("call: {names}");
        assert_eq!(finds(language, path, &form, text), [2, 3], "{language}");
    }
    assert_eq!(finds("swift", "src/a.swift", "call: run", "func f() {\n    Pk.run(1)\n}\n"), NOTHING);
}

#[test]
fn arguments_are_known_where_calls_are() {
    for (language, path, form, bad, good) in [
        ("swift", "src/a.swift", "{argument: 0, matches: '1'}", "Pk.run(1)\n", "Pk.run(2)\n"),
        ("swift", "src/a.swift", "{argument: name, matches: '1'}", "Pk.run(name: 1)\n", "Pk.run(name: 2)\n"),
        ("shell", "src/a.sh", "{argument: any, matches: '^-k$'}", "Pk.run -v -k x\n", "Pk.run -v x\n"),
        (
            "rust",
            "src/a.rs",
            "{argument: name, missing: true}",
            "fn f() { Pk::run { other: 1 } }\n",
            "fn f() { Pk::run { ..x } }\n",
        ),
    ] {
        let form = format!("call: Pk.run\nwhere: {form}");
        assert_eq!(finds(language, path, &form, bad), [1], "{bad}");
        assert_eq!(finds(language, path, &form, good), NOTHING, "{good}");
    }
}

#[test]
fn assignments_and_declarations_are_found_in_every_language() {
    for (language, path, text, lines) in [
        (
            "rust",
            "src/a.rs",
            "fn f() {\n    let mut verify = 1;\n    verify = 2;\n}\nstatic verify: u8 = 1;\n",
            &[2, 3, 5][..],
        ),
        ("c", "src/a.c", "int f() {\n  int verify = 0;\n  char *verify = 0;\n  verify = 1;\n}\n", &[2, 3, 4]),
        (
            "cpp",
            "src/a.cpp",
            "struct A {\n  bool verify = false;\n};\nvoid f() {\n  auto &verify = x;\n}\n",
            &[2, 5],
        ),
        (
            "csharp",
            "src/A.cs",
            "class A {\n  bool verify = true;\n  void F() {\n    var verify = false;\n    verify = true;\n  }\n}\n",
            &[2, 4, 5],
        ),
        ("kotlin", "src/a.kt", "val verify = false\nfun f() {\n    verify = true\n}\n", &[1, 3]),
        (
            "scala",
            "src/a.scala",
            "object A {\n  val verify = false\n  var verify: Boolean = true\n}\n",
            &[2, 3],
        ),
        ("php", "src/a.php", "<?php\n$verify = false;\nclass A {\n  public $verify = true;\n}\n", &[2, 4]),
        ("swift", "src/a.swift", "let verify = false\nfunc f() {\n    verify = true\n}\n", &[1, 3]),
        ("shell", "src/a.sh", "set -e\nverify=1\n", &[2]),
    ] {
        assert_eq!(finds(language, path, "assign: verify", text), lines, "{language}");
    }
    let member = "func f() {\n    x.verify = 1\n    self.verify = 2\n}\n";
    assert_eq!(finds("swift", "src/a.swift", "assign: '*.verify'", member), [2, 3]);
    assert_eq!(finds("php", "src/a.php", "assign: $verify", "<?php\n$verify = false;\n"), [2]);
    assert_eq!(finds("python", "src/a.py", "assign: '*'", "a = 1\n"), [1]);
}

#[test]
fn keys_are_found_in_every_language() {
    for (language, path, text, lines) in [
        ("rust", "src/a.rs", "fn f() {\n    Config { verify: false };\n}\n", &[2][..]),
        ("c", "src/a.c", "struct A a = {\n  .verify = 0,\n};\n", &[2]),
        ("php", "src/a.php", "<?php\n$x = [\"verify\" => false];\nf(verify: true);\n", &[2, 3]),
        ("ruby", "src/a.rb", "x = {verify: false}\ny = {:verify => 1}\nz = {\"verify\" => 1}\n", &[1, 2, 3]),
        ("csharp", "src/A.cs", "class A {\n  void F() {\n    G(verify: false);\n  }\n}\n", &[3]),
        ("kotlin", "src/a.kt", "fun f() {\n    g(verify = false)\n}\n", &[2]),
        ("scala", "src/a.scala", "object A {\n  g(verify = false)\n}\n", &[2]),
        ("swift", "src/a.swift", "let x = [\n    \"verify\": false,\n]\nf(verify: true)\n", &[2, 4]),
        ("go", "src/a.go", "package a\nvar c = Config{verify: false}\n", &[2]),
        ("python", "src/a.py", "f(verify=False)\nx = {'verify': False}\n", &[1, 2]),
    ] {
        assert_eq!(finds(language, path, "property: verify", text), lines, "{language}");
    }
}
