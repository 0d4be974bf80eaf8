//! Imports that look for a file where it was, arguments by names that are gone, and what is cut out.

use domain::words::Severity;

use crate::support::{NOTHING, Scenario};

/// What must be fixed about breaks.
fn must_fix(scenario: &Scenario) -> Vec<String> {
    let findings = scenario.findings("breaking-change");
    let bad = findings.into_iter().filter(|finding| finding.blocks(Severity::Major));
    bad.map(|finding| finding.message).collect()
}

/// Where a file was and is, its text, and one that imports it.
const IMPORTS: &[(&str, &str, &str, &str, &str)] = &[
    ("pkg/auth.py", "pkg/login.py", "A = 1\n", "pkg/web.py", "from .auth import A\n"),
    ("src/pkg/auth.py", "src/pkg/login.py", "A = 1\n", "src/app/web.py", "from pkg.auth import A\n"),
    ("pkg/auth.py", "pkg/login.py", "A = 1\n", "pkg/sub/web.py", "from ..auth import A\n"),
    ("pkg/auth/__init__.py", "pkg/login/__init__.py", "A = 1\n", "web.py", "import pkg.auth\n"),
    ("src/auth.ts", "src/login.ts", "export const a = 1;\n", "src/web.ts", "import { a } from './auth';\n"),
    (
        "src/auth.ts",
        "src/login.ts",
        "export const a = 1;\n",
        "src/web.tsx",
        "import { a } from './auth.js';\n",
    ),
    (
        "lib/auth/index.js",
        "lib/login.js",
        "exports.a = 1;\n",
        "lib/x/web.js",
        "const { a } = require('../auth');\n",
    ),
    ("src/auth.ts", "src/login.ts", "export const a = 1;\n", "src/index.ts", "export * from './auth';\n"),
    (
        "src/main/java/a/Auth.java",
        "src/main/java/b/Auth.java",
        "public class Auth {}\n",
        "src/main/java/c/Web.java",
        "package c;\n\nimport a.Auth;\n\nclass Web {}\n",
    ),
];

#[test]
fn an_import_of_a_file_that_moved_is_told_of() {
    for (old, new, text, other, importer) in IMPORTS {
        let moved = Scenario::renaming(old, new, text).and_keeping(other, importer);
        let said = must_fix(&moved);
        assert_eq!(said.len(), 1, "{other}: {said:?}");
        assert!(said[0].contains(&format!("moved to {new} but {other}:")), "{}", said[0]);
        let gone = Scenario::default().and_removing(old, text).and_keeping(other, importer);
        assert!(must_fix(&gone).iter().any(|one| one.contains(&format!("but {other}:"))), "{other}");
    }
}

#[test]
fn one_that_looks_elsewhere_or_was_mended_is_none() {
    for (old, new, text, other, importer) in IMPORTS {
        let mended = importer.replace("auth", "login").replace("a.Auth", "b.Auth");
        let moved = Scenario::renaming(old, new, text).and_changing(other, importer, &mended);
        assert_eq!(must_fix(&moved), Vec::<String>::new(), "{other}");
        let stranger = importer.replace("auth", "guests").replace("Auth", "Guests");
        let moved = Scenario::renaming(old, new, text).and_keeping(other, &stranger);
        assert_eq!(must_fix(&moved), Vec::<String>::new(), "{other}");
    }
    // Something of that name is still there.
    let package = Scenario::renaming("pkg/auth.py", "pkg/auth/__init__.py", "A = 1\n")
        .and_keeping("pkg/web.py", "from .auth import A\n");
    assert_eq!(must_fix(&package), Vec::<String>::new());
    let script = Scenario::renaming("src/auth.js", "src/auth.ts", "export const a = 1;\n")
        .and_keeping("src/web.js", "import { a } from './auth';\n");
    assert_eq!(must_fix(&script), Vec::<String>::new());
    let root = Scenario::renaming(
        "src/main/java/a/Auth.java",
        "app/src/main/java/a/Auth.java",
        "public class Auth {}\n",
    )
    .and_keeping("src/main/java/c/Web.java", "package c;\n\nimport a.Auth;\n\nclass Web {}\n");
    assert_eq!(must_fix(&root), Vec::<String>::new());
    let optional = Scenario::renaming("pkg/auth.py", "pkg/login.py", "A = 1\n")
        .and_keeping("pkg/web.py", "try:\n    from .auth import A\nexcept ImportError:\n    A = 2\n");
    assert_eq!(must_fix(&optional), Vec::<String>::new());
}

#[test]
fn an_argument_by_a_name_that_is_gone_is_told_of() {
    let (old, new) = ("def find(name, limit=1):\n    pass\n", "def find(name, most=1):\n    pass\n");
    let with = |caller: &str| {
        must_fix(&Scenario::changing("src/store.py", old, new).and_keeping("src/web.py", caller))
    };
    for caller in [
        "from store import find\n\nfind('a', limit=2)\n",
        "import store\n\nstore.find(name='a', limit=2)\n",
        "from .store import find\n\n\ndef run():\n    return find('a', limit=2)\n",
    ] {
        let said = with(caller);
        assert!(
            said.iter().any(|one| one.contains("no longer takes limit by name but src/web.py:")),
            "{said:?}"
        );
    }
    for caller in [
        "from store import find\n\nfind('a', 2)\n",
        "from store import find\n\nfind('a', most=2)\n",
        "from other import find\n\nfind('a', limit=2)\n",
    ] {
        assert_eq!(with(caller), Vec::<String>::new(), "{caller}");
    }
}

#[test]
fn what_a_header_cuts_out_is_gone() {
    let old = "int f(int a);\nint g(int a);\n";
    let cut = "#if 0\nint f(int a);\n#endif\nint g(int a);\n";
    assert_eq!(Scenario::changing("include/a.h", old, cut).lines("breaking-change").len(), 1);
    let chosen = "#if 0\nint f(long a);\n#else\nint f(int a);\n#endif\nint g(int a);\n";
    assert_eq!(Scenario::changing("include/a.h", old, chosen).lines("breaking-change"), NOTHING);
}

#[test]
fn what_moved_and_changed_is_told_of() {
    let said = |old: (&str, &str), new: (&str, &str)| {
        let scenario = Scenario::changing(old.0, old.1, "\n").and_adding(new.0, new.1);
        scenario.findings("breaking-change").into_iter().map(|finding| finding.message).collect::<Vec<_>>()
    };
    assert_eq!(
        said(("src/a.py", "def f(a):\n    pass\n"), ("src/b.py", "def f(a, b):\n    pass\n")),
        ["f function had arity 1 and now has arity 2"]
    );
    assert_eq!(
        said(
            ("src/a.rs", "pub struct S {\n    pub a: u8,\n}\n"),
            ("src/b.rs", "pub struct S {\n    pub a: u8,\n    pub b: u8,\n}\n")
        ),
        ["S type has the new field b, which its literals lack"]
    );
    assert_eq!(
        said(
            ("src/a.ts", "export function f(a: string) {}\n"),
            ("src/b.ts", "export function f(a: string, b: string) {}\n")
        ),
        ["f function had arity 1 and now has arity 2"]
    );
    for (path, other, text) in [
        ("src/a.py", "src/b.py", "def f(a):\n    pass\n"),
        ("src/a.rs", "src/b.rs", "pub struct S {\n    pub a: u8,\n}\n"),
        ("src/a.ts", "src/b.ts", "export function f(a: string) {}\n"),
    ] {
        assert_eq!(said((path, text), (other, text)), Vec::<String>::new(), "{path}");
    }
}

#[test]
fn a_library_may_begin_elsewhere() {
    let most = |manifest: &str| {
        let scenario = Scenario::changing("lib.rs", "pub fn f() {}\npub fn g() {}\n", "pub fn g() {}\n")
            .and_keeping("Cargo.toml", &format!("[package]\nname = \"a\"\nversion = \"0.1.0\"\n{manifest}"));
        scenario.findings("breaking-change").iter().map(|one| one.severity).max()
    };
    assert_eq!(most("[lib]\npath = \"lib.rs\"\n"), Some(Severity::High));
    assert_eq!(most(""), Some(Severity::Low));
}

#[test]
fn a_type_that_moves_takes_along_what_belongs_to_it() {
    let told = |methods: &str| -> Vec<String> {
        let old = "pub struct Version {\n    pub major: u64,\n}\nimpl Version {\n    pub fn parse(_: &str) -> Self {\n        todo()\n    }\n    pub fn bump(&mut self) {\n        self.major += 1;\n    }\n}\n";
        let new = format!(
            "pub struct Version {{\n    pub major: u64,\n}}\nimpl Version {{\n    pub fn parse(_: &str) -> Self {{\n        todo()\n    }}\n{methods}}}\n"
        );
        let scenario = Scenario::changing("src/lib.rs", "mod version;\npub use version::Version;\n", &new)
            .and_removing("src/version.rs", old)
            .and_keeping("Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\n");
        scenario.findings("breaking-change").into_iter().map(|one| one.message).collect()
    };
    let gone = told("");
    assert!(gone.iter().any(|one| one.starts_with("Version.bump function was removed")), "{gone:?}");
    let kept = told("    pub fn bump(&mut self) {\n        self.major += 1;\n    }\n");
    assert!(!kept.iter().any(|one| one.contains("bump")), "{kept:?}");
}
