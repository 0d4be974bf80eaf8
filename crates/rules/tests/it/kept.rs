//! Changes that leave what a file offers as it was need no comparison, and those that do not are compared.

use crate::breaking_table::BROKEN;
use crate::support::Scenario;

const TWO: &str = "pub fn a(x: u8) -> u8 {\n    x\n}\n\npub fn b() {\n    c();\n}\n";
const CLASS: &str = "class A {\n    public int a(int x) {\n        return x;\n    }\n}\n";

/// Base and head.
const KEPT: &[(&str, &str, &str)] = &[
    ("src/a.rs", TWO, "pub fn a(y: u8) -> u8 {\n    y\n}\n\npub fn b() {\n    c();\n}\n"),
    ("src/a.rs", TWO, "pub fn a(x: u8) -> u8 {\n    x\n}\n\npub fn b() {\n    d();\n    e();\n}\n"),
    (
        "src/a.rs",
        TWO,
        "pub fn a(x: u8) -> u8 {\n    x\n}\n\n/// New.\n#[inline]\npub fn n() {\n    m();\n}\n\npub fn b() {\n    c();\n}\n",
    ),
    (
        "src/a.js",
        "function a() {\n  if (x) {\n    b();\n  } else {\n    c();\n  }\n}\n",
        "function a() {\n  if (x) {\n    b();\n  } else if (y) {\n    c();\n  }\n}\n",
    ),
    (
        "src/a.rs",
        "pub struct S;\n\nimpl S {\n    pub fn a(&self) {}\n}\n",
        "pub struct S;\n\nimpl S {\n    pub fn a(&self) {}\n\n    pub fn n(&self) {}\n}\n",
    ),
    ("src/a.py", "def a(x):\n    return x\n", "def a(x):\n    return x\n\n\n@b\ndef n(y):\n    return y\n"),
    (
        "src/a.ts",
        "export function a(x: number) {\n  return x;\n}\n",
        "export function a(y: number) {\n  return y;\n}\n",
    ),
    (
        "src/a.ts",
        "export function a() {\n  return 1;\n}\n",
        "// New.\nexport function n() {\n  return 2;\n}\n\nexport function a() {\n  return 1;\n}\n",
    ),
    (
        "a.go",
        "package a\n\nfunc A(x int) int {\n\treturn x\n}\n",
        "package a\n\nfunc A(y int) int {\n\treturn y\n}\n",
    ),
    (
        "a.go",
        "package a\n\nfunc A() int {\n\treturn 1\n}\n",
        "package a\n\nfunc N() int {\n\treturn 2\n}\n\nfunc A() int {\n\treturn 1\n}\n",
    ),
    ("A.java", CLASS, "class A {\n    public int a(int y) {\n        return y;\n    }\n}\n"),
    (
        "A.java",
        CLASS,
        "class A {\n    public int a(int x) {\n        return x;\n    }\n\n    public int n() {\n        return 2;\n    }\n}\n",
    ),
];

/// What looks like the above, and is not.
const COMPARED: &[(&str, &str, &str)] = &[
    // Callers may name it.
    ("src/a.py", "def a(x):\n    return x\n", "def a(y):\n    return y\n"),
    // It took the attribute of what stands behind it.
    (
        "src/a.rs",
        "#[must_use]\npub fn a() -> u8 {\n    1\n}\n",
        "#[must_use]\npub fn n() -> u8 {\n    2\n}\npub fn a() -> u8 {\n    1\n}\n",
    ),
    // Others have to implement it.
    (
        "src/a.rs",
        "pub trait T {\n    fn a(&self) {}\n}\n",
        "pub trait T {\n    fn a(&self) {}\n    fn n(&self) {}\n}\n",
    ),
    (
        "A.java",
        "interface A {\n    int a();\n}\n",
        "interface A {\n    int a();\n    public default int n() {\n        return 1;\n    }\n}\n",
    ),
    // There is one of that name already.
    (
        "src/a.rs",
        TWO,
        "pub fn a(x: u8) -> u8 {\n    x\n}\n\n#[cfg(b)]\npub fn b(x: u8) {\n    c();\n}\n\npub fn b() {\n    c();\n}\n",
    ),
    // It stands where another stood.
    ("src/a.rs", TWO, "pub fn n(x: u8) -> u8 {\n    x\n}\n\npub fn b() {\n    c();\n}\n"),
    ("src/a.rs", TWO, "pub fn a(x: u16) -> u8 {\n    x\n}\n\npub fn b() {\n    c();\n}\n"),
    // The name is that of a field as well.
    (
        "src/a.ts",
        "export class A {\n  constructor(public x: number) {\n    b();\n  }\n}\n",
        "export class A {\n  constructor(public y: number) {\n    b();\n  }\n}\n",
    ),
    // Two have become one.
    (
        "src/a.js",
        "export class A {\n  a() {\n    x();\n  }\n  b() {\n    y();\n  }\n}\n",
        "export class A {\n  a() {\n    x();\n    y();\n  }\n}\n",
    ),
    // Without it there would be another.
    (
        "A.java",
        CLASS,
        "class A {\n    private A() {\n        b();\n    }\n\n    public int a(int x) {\n        return x;\n    }\n}\n",
    ),
];

fn is_compared((path, old, new): &(&str, &str, &str)) -> bool {
    let evidence = Scenario::changing(path, old, new).without_base(path).review();
    !evidence.troubles.is_empty()
}

#[test]
fn the_base_of_a_file_that_lost_nothing_is_not_read() {
    for case in KEPT {
        assert!(!is_compared(case), "{}", case.2);
    }
}

#[test]
fn what_may_have_lost_something_is_compared() {
    for case in COMPARED {
        assert!(is_compared(case), "{}", case.2);
    }
}

#[test]
fn a_new_function_hides_nothing_that_was_lost() {
    let mut tried = 0;
    for (path, old, new, said) in BROKEN {
        let function = match path.rsplit('.').next() {
            Some("rs") => "\npub fn brand_new() {\n    done();\n}\n",
            Some("py") => "\n\ndef brand_new():\n    done()\n",
            Some("ts" | "js") => "\nexport function brandNew() {\n  done();\n}\n",
            Some("go") => "\nfunc BrandNew() {\n\tdone()\n}\n",
            _ => continue,
        };
        let findings = Scenario::changing(path, old, &format!("{new}{function}")).findings("breaking-change");
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, [*said], "{path}: {new}");
        tried += 1;
    }
    assert!(tried > 10);
}

/// Nothing of the function itself was touched.
#[test]
fn what_a_comment_swallows_is_lost() {
    let wrapped = |before: &str, gone: &str, open: &str, close: &str| {
        (format!("{before}{gone}"), format!("{before}{open}\n{gone}{close}\n"))
    };
    let cases = [
        ("src/a.rs", wrapped("pub fn a() {}\n", "pub fn b() {}\n", "/*", "*/")),
        ("src/a.ts", wrapped("export function a() {}\n", "export function b() {}\n", "/*", "*/")),
        ("a.go", wrapped("package a\n\nfunc A() {}\n", "func B() {}\n", "/*", "*/")),
        ("src/a.py", wrapped("def a():\n    pass\n", "def b():\n    pass\n", "\"\"\"", "\"\"\"")),
        ("src/a.py", wrapped("def a():\n    pass\n", "def b():\n    pass\n", "x = '''", "'''")),
        ("src/a.kt", wrapped("fun a() {}\n", "fun b() {}\n", "/*", "*/")),
        ("src/a.rb", wrapped("def a\nend\n", "def b\nend\n", "=begin", "=end")),
    ];
    for (path, (old, new)) in cases {
        let found = Scenario::changing(path, &old, &new).findings("breaking-change");
        assert_eq!(found.len(), 1, "{path}: {new}");
    }
}

#[test]
fn a_comment_from_one_body_into_the_next_swallows_what_is_between() {
    let old = "public class A {\n    public int a() {\n        int x = 1;\n        return x;\n    }\n    public int b() {\n        \
               int x = 2;\n        return x;\n    }\n}\n";
    let new = old.replace("int x = 1;", "int x = 1; /*").replace("int x = 2;", "*/ int y = x;");
    assert_eq!(Scenario::changing("src/A.java", old, &new).findings("breaking-change").len(), 1, "{new}");
}
