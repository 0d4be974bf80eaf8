//! What others rely on, and what the epic says about it.

use domain::words::Severity;
use domain::work::{Coordination, ProhibitedChange, SharedInterface};

use crate::coordination::{agreed, only};
use crate::support::{NOTHING, Scenario};

fn prohibited(paths: &[&str], symbols: &[&str]) -> Coordination {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    let entry =
        ProhibitedChange { what: "callers stay".into(), paths: owned(paths), symbols: owned(symbols) };
    Coordination { breaking_changes_prohibited: vec![entry], ..Coordination::default() }
}

/// Base, head, and what is said of it.
const BROKEN: &[(&str, &str, &str, &str)] = &[
    (
        "src/a.rs",
        "pub fn f(a: u8) {}\n",
        "pub fn f(a: u8, b: u8) {}\n",
        "f function had arity 1 and now has arity 2",
    ),
    ("src/a.rs", "pub fn f() {}\npub fn g() {}\n", "pub fn g() {}\n", "f function was removed"),
    ("src/a.rs", "pub fn f() {}\n", "pub(crate) fn f() {}\n", "f function is no longer public"),
    ("src/a.rs", "pub enum E {\n    A,\n    B,\n}\n", "pub enum E {\n    A,\n}\n", "E.B variant was removed"),
    (
        "src/a.rs",
        "pub struct S {\n    pub a: u8,\n    pub b: u8,\n}\n",
        "pub struct S {\n    pub a: u8,\n    b: u8,\n}\n",
        "S.b field is no longer public",
    ),
    (
        "src/a.rs",
        "pub struct S;\nimpl S {\n    pub fn m(&self) {}\n}\n",
        "pub struct S;\nimpl S {}\n",
        "S.m function was removed",
    ),
    (
        "src/a.rs",
        "pub struct S;\nimpl S {\n    pub fn m(&self) {}\n}\n",
        "pub struct T;\n",
        "S type was removed",
    ),
    ("src/a.rs", "pub const K: u8 = 1;\n", "pub const L: u8 = 1;\n", "K constant was removed"),
    (
        "src/a.py",
        "def f(a, b=1):\n    pass\n",
        "def f(a, b):\n    pass\n",
        "f function had arity 1 to 2 and now has arity 2",
    ),
    (
        "src/a.py",
        "class A:\n    def m(self):\n        pass\n\n    def n(self):\n        pass\n",
        "class A:\n    def n(self):\n        pass\n",
        "A.m function was removed",
    ),
    ("src/a.py", "def f():\n    pass\n", "def g():\n    pass\n", "f function was removed"),
    ("src/a.py", "def f():\n    pass\n", "def _f():\n    pass\n", "f function was removed"),
    (
        "src/a.ts",
        "export function f(a: string) {}\n",
        "export function f(a: string, b: number) {}\n",
        "f function had arity 1 and now has arity 2",
    ),
    (
        "src/a.ts",
        "export interface I {\n  a: string;\n  b: string;\n}\n",
        "export interface I {\n  a: string;\n}\n",
        "I.b field was removed",
    ),
    ("src/a.ts", "export const f = (a) => 1;\n", "const f = (a) => 1;\n", "f function is no longer public"),
    (
        "src/a.js",
        "export function f() {}\nexport function g() {}\n",
        "export function g() {}\n",
        "f function was removed",
    ),
    (
        "src/a.js",
        "function f(a) {}\nmodule.exports = { f };\n",
        "function f(a, b) {}\nmodule.exports = { f };\n",
        "f function had arity 1 and now has arity 2",
    ),
    (
        "src/a.js",
        "export class A {\n  m() {}\n}\n",
        "export class A {\n  n() {}\n}\n",
        "A.m function was removed",
    ),
    (
        "a.go",
        "package p\n\nfunc F(a int) {}\n",
        "package p\n\nfunc F(a, b int) {}\n",
        "F function had arity 1 and now has arity 2",
    ),
    (
        "a.go",
        "package p\n\ntype S struct {\n\tA int\n\tB int\n}\n",
        "package p\n\ntype S struct {\n\tA int\n}\n",
        "S.B field was removed",
    ),
    (
        "a.go",
        "package p\n\nfunc (s *S) M() {}\n",
        "package p\n\nfunc (s *S) m() {}\n",
        "S.M function was removed",
    ),
    (
        "A.java",
        "public class A {\n    public void f(int a) {}\n}\n",
        "public class A {\n    public void f(int a, int b) {}\n}\n",
        "A.f function had arity 1 and now has arity 2",
    ),
    (
        "A.java",
        "public class A {\n    public int x;\n}\n",
        "public class A {\n    private int x;\n}\n",
        "A.x field is no longer public",
    ),
    (
        "A.java",
        "public interface I {\n    void f();\n    void g();\n}\n",
        "public interface I {\n    void g();\n}\n",
        "I.f function was removed",
    ),
    (
        "a.kt",
        "fun f(a: Int) = 1\n",
        "fun f(a: Int, b: Int) = 1\n",
        "f function had arity 1 and now has arity 2",
    ),
    (
        "a.kt",
        "class A {\n    fun m() {}\n    fun n() {}\n}\n",
        "class A {\n    fun n() {}\n}\n",
        "A.m function was removed",
    ),
    ("a.kt", "enum class E { P, Q }\n", "enum class E { P }\n", "E.Q variant was removed"),
    (
        "a.cs",
        "public class A {\n    public void F(int a) {}\n}\n",
        "public class A {\n    public void F() {}\n}\n",
        "A.F function had arity 1 and now has arity 0",
    ),
    (
        "a.cs",
        "public class A {\n    public int P { get; set; }\n}\n",
        "public class A {\n    internal int P { get; set; }\n}\n",
        "A.P field is no longer public",
    ),
    ("a.cs", "public enum E {\n    P,\n    Q\n}\n", "public enum E {\n    P\n}\n", "E.Q variant was removed"),
    (
        "src/a.php",
        "<?php\nfunction f($a) {}\n",
        "<?php\nfunction f($a, $b) {}\n",
        "f function had arity 1 and now has arity 2",
    ),
    (
        "src/a.php",
        "<?php\nclass A {\n    public function m() {}\n    public function n() {}\n}\n",
        "<?php\nclass A {\n    public function n() {}\n}\n",
        "A.m function was removed",
    ),
    (
        "src/a.php",
        "<?php\nclass A {\n    public function m() {}\n}\n",
        "<?php\nclass A {\n    private function m() {}\n}\n",
        "A.m function is no longer public",
    ),
    ("lib/a.rb", "def f(a)\nend\n", "def f(a, b)\nend\n", "f function had arity 1 and now has arity 2"),
    (
        "lib/a.rb",
        "class A\n  def m\n  end\n\n  def n\n  end\nend\n",
        "class A\n  def n\n  end\nend\n",
        "A.m function was removed",
    ),
    ("lib/a.rb", "class A\nend\nclass B\nend\n", "class B\nend\n", "A type was removed"),
    (
        "a.swift",
        "public func f(a: Int) {}\n",
        "public func f(a: Int, b: Int) {}\n",
        "f function had arity 1 and now has arity 2",
    ),
    ("a.swift", "public func f() {}\n", "func f() {}\n", "f function is no longer public"),
    (
        "a.swift",
        "public class A {\n    public func m() {}\n    public func n() {}\n}\n",
        "public class A {\n    public func n() {}\n}\n",
        "A.m function was removed",
    ),
    (
        "a.scala",
        "object A {\n  def f(a: Int) = 1\n}\n",
        "object A {\n  def f(a: Int, b: Int) = 1\n}\n",
        "A.f function had arity 1 and now has arity 2",
    ),
    (
        "a.scala",
        "class A {\n  def m = 1\n  def n = 1\n}\n",
        "class A {\n  def n = 1\n}\n",
        "A.m function was removed",
    ),
    (
        "a.scala",
        "class A {\n  def m() = 1\n}\n",
        "class A {\n  private def m() = 1\n}\n",
        "A.m function is no longer public",
    ),
    ("a.h", "int f(int a);\n", "int f(int a, int b);\n", "f function had arity 1 and now has arity 2"),
    ("a.h", "int f(int a);\nint g(void);\n", "int g(void);\n", "f function was removed"),
    (
        "a.h",
        "struct s {\n    int a;\n    int b;\n};\n",
        "struct s {\n    int b;\n};\n",
        "s.a field was removed",
    ),
    (
        "a.hpp",
        "class A {\npublic:\n    int m(int a);\n};\n",
        "class A {\npublic:\n    int m(int a, int b);\n};\n",
        "A.m function had arity 1 and now has arity 2",
    ),
    (
        "a.hpp",
        "class A {\npublic:\n    int m();\n    int n();\n};\n",
        "class A {\npublic:\n    int n();\n};\n",
        "A.m function was removed",
    ),
    (
        "a.hpp",
        "class A {\npublic:\n    int m();\n};\n",
        "class A {\nprivate:\n    int m();\n};\n",
        "A.m function is no longer public",
    ),
    (
        "src/b.py",
        "def f(name):\n    pass\n",
        "def f(title):\n    pass\n",
        "f function no longer takes name by name",
    ),
    (
        "src/b.py",
        "class A:\n    def m(self, name):\n        pass\n",
        "class A:\n    def m(self, title):\n        pass\n",
        "A.m function no longer takes name by name",
    ),
    (
        "b.go",
        "package p\n\nfunc F(a int) {}\n",
        "package p\n\nfunc F(a string) {}\n",
        "F function takes string instead of int",
    ),
    (
        "b.go",
        "package p\n\nfunc F() error { return nil }\n",
        "package p\n\nfunc F() (int, error) { return 0, nil }\n",
        "F function returns 2 values instead of 1",
    ),
    (
        "b.go",
        "package p\n\ntype I interface {\n\tA()\n}\n",
        "package p\n\ntype I interface {\n\tA()\n\tB()\n}\n",
        "I type demands the new member B of its implementations",
    ),
    (
        "src/b.ts",
        "export function f(a: string): void {}\n",
        "export function f(a: number): void {}\n",
        "f function takes number instead of string",
    ),
    (
        "src/b.ts",
        "export interface I {\n  a: string;\n}\n",
        "export interface I {\n  a: string;\n  b: string;\n}\n",
        "I type demands the new member b of its implementations",
    ),
    (
        "B.java",
        "public class B {\n    public int f(int a) { return 1; }\n}\n",
        "public class B {\n    public int f(String a) { return 1; }\n}\n",
        "B.f function takes String instead of int",
    ),
    (
        "I.java",
        "public interface I {\n    void a();\n}\n",
        "public interface I {\n    void a();\n    void b();\n}\n",
        "I type demands the new member b of its implementations",
    ),
    (
        "b.cs",
        "public class B {\n    public int F() { return 1; }\n}\n",
        "public class B {\n    public string F() { return null; }\n}\n",
        "B.F function returns string instead of int",
    ),
];

#[test]
fn what_is_public_and_changes_is_told() {
    for (path, old, new, said) in BROKEN {
        let findings = Scenario::changing(path, old, new).findings("breaking-change");
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, [*said], "{path}: {new}");
        assert!(!findings[0].blocks(Severity::Major), "{new}");
    }
}

#[test]
fn what_the_epic_prohibits_blocks() {
    for (path, old, new, said) in BROKEN {
        let scenario = agreed(Scenario::changing(path, old, new), prohibited(&[], &[]));
        let findings = scenario.findings("breaking-change");
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            messages,
            [format!("{said} but epic prohibits breaking changes: callers stay")],
            "{path}: {new}"
        );
        assert!(findings[0].blocks(Severity::Major), "{new}");
        assert!(findings[0].suggestion.ends_with("or update epic coordination requirements"), "{new}");
    }
}

#[test]
fn what_stays_callable_breaks_nothing() {
    for (path, old, new) in [
        ("src/a.rs", "fn f(a: u8) {}\n", "fn g() {}\n"),
        ("src/a.rs", "pub fn f(a: u8) {}\n", "pub fn f(b: u8) -> u8 { b }\n"),
        (
            "src/a.rs",
            "pub fn f() {}\n",
            "cfg_if! {\n    if #[cfg(unix)] {\n        pub fn f() {}\n    }\n}\n",
        ),
        ("src/main.rs", "pub fn f() {}\n", "pub fn g() {}\n"),
        ("tests/a.rs", "pub fn f() {}\n", "pub fn g() {}\n"),
        ("src/a.py", "def f(a):\n    pass\n", "def f(a, b=1, *args):\n    pass\n"),
        ("src/a.py", "def _f():\n    pass\n", "def _g():\n    pass\n"),
        (
            "src/a.py",
            "def f():\n    def inner(a):\n        pass\n",
            "def f():\n    def inner(a, b):\n        pass\n",
        ),
        ("src/a.ts", "export function f(a: string) {}\n", "export function f(a: string, b?: number) {}\n"),
        ("src/a.ts", "export function f(a: string) {}\n", "export const f = (a: string) => {};\n"),
        ("src/a.ts", "export class A {\n  private x() {}\n}\n", "export class A {\n  private y() {}\n}\n"),
        ("src/a.js", "function f() {}\n", "function g() {}\n"),
        ("src/a.js", "export function f(a) {}\n", "function f(a) {}\nexport { f };\n"),
        ("src/a.js", "export function f(a) {}\n", "export { f } from './b.js';\n"),
        ("a.go", "package p\n\nfunc f() {}\n", "package p\n\nfunc g() {}\n"),
        ("a.go", "package p\n\nfunc F(a int) {}\n", "package p\n\nfunc F(a int, rest ...int) {}\n"),
        (
            "a_test.go",
            "package p\n\nfunc TestF(t *testing.T) {}\n",
            "package p\n\nfunc TestG(t *testing.T) {}\n",
        ),
        (
            "A.java",
            "public class A {\n    private void f() {}\n}\n",
            "public class A {\n    private void g() {}\n}\n",
        ),
        (
            "A.java",
            "public class A {\n    public void f(int a) {}\n}\n",
            "public class A {\n    public void f(int a) {}\n    public void f(int a, int b) {}\n}\n",
        ),
        ("A.java", "class A {\n    public void f() {}\n}\n", "class A {\n    public void g() {}\n}\n"),
        ("a.kt", "fun f(a: Int) = 1\n", "fun f(a: Int, b: Int = 2) = 1\n"),
        ("a.kt", "private fun f(a: Int) = 1\n", "private fun g(a: Int) = 1\n"),
        ("a.kt", "internal class A {\n    fun m() {}\n}\n", "internal class A {\n    fun n() {}\n}\n"),
        ("a.cs", "class A {\n    public void F() {}\n}\n", "class A {\n    public void G() {}\n}\n"),
        (
            "a.cs",
            "public class A {\n    public void F(int a) {}\n}\n",
            "public class A {\n    public void F(int a, int b = 1) {}\n}\n",
        ),
        ("a.cs", "public class A {\n    void F() {}\n}\n", "public class A {\n    void G() {}\n}\n"),
        ("src/a.py", "class A:\n    def __init__(self):\n        pass\n", "class A:\n    x = 1\n"),
        ("src/a.php", "<?php\nfunction f($a) {}\n", "<?php\nfunction f($a, $b = 1) {}\n"),
        ("src/a.php", "<?php\nfunction f($a) {}\n", "<?php\nfunction f($c) { return 1; }\n"),
        (
            "src/a.php",
            "<?php\nclass A {\n    private function m() {}\n}\n",
            "<?php\nclass A {\n    private function n() {}\n}\n",
        ),
        ("lib/a.rb", "def f(a)\nend\n", "def f(a, b = 1)\nend\n"),
        ("lib/a.rb", "def f(a)\nend\n", "def f(a, *rest)\n  1\nend\n"),
        (
            "lib/a.rb",
            "class A\n  private\n\n  def m\n  end\nend\n",
            "class A\n  private\n\n  def n\n  end\nend\n",
        ),
        ("a.swift", "func f() {}\n", "func g() {}\n"),
        ("a.swift", "public func f(a: Int) {}\n", "public func f(a: Int, b: Int = 1) {}\n"),
        ("a.swift", "public func f(a: Int) {}\n", "public func f(a: Int) { print(a) }\n"),
        ("a.scala", "class A {\n  private def m = 1\n}\n", "class A {\n  private def n = 1\n}\n"),
        ("a.scala", "class A {\n  def m(a: Int) = 1\n}\n", "class A {\n  def m(a: Int, b: Int = 2) = 1\n}\n"),
        ("a.scala", "class A {\n  def m(a: Int) = 1\n}\n", "class A {\n  def m(a: Int) = 2\n}\n"),
        ("a.c", "int f(int a) { return a; }\n", "int g(int a) { return a; }\n"),
        ("a.h", "int f(int a);\n", "int f(int b);\n"),
        ("a.h", "static inline int f(void) { return 1; }\nint g(void);\n", "int g(void);\n"),
        ("a.cpp", "int f(int a) { return a; }\n", "int g(int a) { return a; }\n"),
        ("a.hpp", "class A {\nprivate:\n    int m();\n};\n", "class A {\nprivate:\n    int n();\n};\n"),
        (
            "a.hpp",
            "class A {\npublic:\n    int m(int a);\n};\n",
            "class A {\npublic:\n    int m(int a, int b = 1);\n};\n",
        ),
        ("src/a.py", "def f(a, /):\n    pass\n", "def f(b, /):\n    pass\n"),
        ("src/a.py", "def f(a):\n    pass\n", "def f(b, **kwargs):\n    pass\n"),
        ("a.go", "package p\n\nfunc F(a int) {}\n", "package p\n\nfunc F(b int) {}\n"),
        ("a.go", "package p\n\nfunc F(a interface{}) {}\n", "package p\n\nfunc F(a any) {}\n"),
        (
            "src/a.ts",
            "export interface I {\n  a: string;\n}\n",
            "export interface I {\n  a: string;\n  b?: string;\n}\n",
        ),
        (
            "A.java",
            "public interface I {\n    void a();\n}\n",
            "public interface I {\n    void a();\n    default void b() {}\n}\n",
        ),
    ] {
        let scenario = agreed(Scenario::changing(path, old, new), prohibited(&[], &[]));
        assert_eq!(scenario.lines("breaking-change"), NOTHING, "{path}: {new}");
    }
}

#[test]
fn what_moved_within_the_change_is_not_lost() {
    let moved = Scenario::changing("src/a.rs", "pub fn f() {}\npub fn g() {}\n", "pub fn g() {}\n")
        .and_adding("src/b.rs", "pub fn f() {}\n");
    assert_eq!(moved.lines("breaking-change"), NOTHING);
    let whole = Scenario::default()
        .and_removing("src/a.py", "class A:\n    def m(self):\n        pass\n")
        .and_adding("src/b.py", "class A:\n    def m(self):\n        pass\n");
    assert_eq!(whole.lines("breaking-change"), NOTHING);
}

#[test]
fn a_caller_left_behind_is_proof() {
    let scenario = Scenario::changing(
        "src/auth.py",
        "def login(name):\n    pass\n",
        "def login(name, otp):\n    pass\n",
    )
    .and_changing("src/web.py", "\n", "from auth import other\nlogin('a')\n");
    let findings = scenario.findings("breaking-change");
    let finding = only(&findings);
    assert!(
        finding.message.ends_with("but src/web.py:2 still calls it with 1 argument"),
        "{}",
        finding.message
    );
    assert!(finding.blocks(Severity::Major));
}

#[test]
fn callers_that_fit_or_mean_another_are_no_proof() {
    let with = |caller: &str| {
        let scenario = Scenario::changing(
            "src/auth.py",
            "def login(name):\n    pass\n",
            "def login(name, otp):\n    pass\n",
        )
        .and_changing("src/web.py", "\n", caller);
        scenario.findings("breaking-change").iter().any(|finding| finding.blocks(Severity::Major))
    };
    for caller in [
        "login('a', 'b')\n",
        "login(*args)\n",
        "other.login('a')\n",
        "from else_where import login\nlogin('a')\n",
        "def login(a):\n    pass\nlogin('a')\n",
        "# login('a')\n",
    ] {
        assert!(!with(caller), "{caller}");
    }
    assert!(with("auth.login('a')\n"));
}

#[test]
fn prohibitions_may_name_paths_and_symbols() {
    let old = "pub fn f() {}\npub fn g() {}\npub struct S {\n    pub a: u8,\n    pub b: u8,\n}\n";
    let new = "pub struct S {\n    pub b: u8,\n}\n";
    let blocked = |paths: &[&str], symbols: &[&str]| {
        let scenario = agreed(Scenario::changing("src/api/a.rs", old, new), prohibited(paths, symbols));
        let findings = scenario.findings("breaking-change");
        findings.iter().filter(|finding| finding.blocks(Severity::Major)).count()
    };
    assert_eq!(blocked(&["src/api/**"], &[]), 3);
    assert_eq!(blocked(&["src/other"], &[]), 0);
    assert_eq!(blocked(&[], &["f"]), 1);
    assert_eq!(blocked(&[], &["S.a"]), 1);
    assert_eq!(blocked(&[], &["S", "g"]), 2);
}

#[test]
fn a_shared_type_keeps_its_members() {
    let shared = |new: &str| {
        let old = "struct User {\n    name: String,\n    mail: String,\n}\n";
        let interface = SharedInterface { name: "User".into(), description: String::new() };
        let coordination = Coordination { shared_interfaces: vec![interface], ..Coordination::default() };
        let scenario = agreed(Scenario::changing("src/user.rs", old, new), coordination);
        scenario
            .findings("shared-interface")
            .iter()
            .map(|finding| finding.message.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        shared("struct User {\n    name: String,\n}\n"),
        ["User.mail field was removed but the epic shares it between tickets"]
    );
    assert_eq!(shared("struct Person;\n"), ["User type was removed but the epic shares it between tickets"]);
    assert!(shared("struct User {\n    name: String,\n    mail: String,\n    age: u8,\n}\n").is_empty());
}

#[test]
fn a_member_of_a_shared_type_is_told_once() {
    let of_types =
        BROKEN.iter().filter_map(|case| Some((case, case.3.split(' ').next()?.split_once('.')?.0)));
    let mut seen = 0;
    for ((path, old, new, said), name) in of_types {
        let interface = SharedInterface { name: name.into(), description: String::new() };
        let coordination = Coordination { shared_interfaces: vec![interface], ..Coordination::default() };
        let scenario = agreed(Scenario::changing(path, old, new), coordination);
        let findings = scenario.findings("shared-interface");
        assert_eq!(only(&findings).message, format!("{said} but the epic shares it between tickets"));
        assert_eq!(scenario.lines("breaking-change"), NOTHING, "{new}");
        seen += 1;
    }
    assert!(seen > 12, "{seen}");
}

#[test]
fn who_can_see_it_decides_how_much_it_matters() {
    let severity = |manifest: &str, lib: &str| {
        let scenario = Scenario::changing("src/a.rs", "pub fn f() {}\n", "pub fn g() {}\n")
            .and_keeping("Cargo.toml", manifest)
            .and_keeping("src/lib.rs", lib);
        scenario.findings("breaking-change").first().map(|finding| finding.severity)
    };
    assert_eq!(severity("[package]\n", "pub mod a;\n"), Some(Severity::High));
    assert_eq!(severity("[package]\n", "mod a;\npub use a::{f, x};\n"), Some(Severity::High));
    assert_eq!(severity("[package]\n", "mod a;\npub use a::x;\n"), Some(Severity::Low));
    let beside_others = "[package]\npublish = false\n[workspace]\nmembers = [\"b\"]\n";
    assert_eq!(severity(beside_others, "pub mod a;\n"), Some(Severity::Medium));
}

#[test]
fn many_losses_of_one_file_are_one_remark() {
    let old: String = (0..9).map(|n| format!("pub fn f{n}() {{}}\n")).collect();
    let findings = Scenario::default().and_removing("src/a.rs", &old).findings("breaking-change");
    assert_eq!(only(&findings).message, "9 public names were removed or changed: f0, f1, f2, f3 and 5 more");
}

#[test]
fn what_was_announced_may_go() {
    let old = "#[deprecated]\npub fn f() {}\n";
    assert_eq!(Scenario::changing("src/a.rs", old, "\n").lines("breaking-change"), NOTHING);
}

#[test]
fn a_function_of_a_private_place_is_advice_unless_its_calls_went_too() {
    for (old, new) in [
        ("struct S;\nimpl S {\n    pub fn f() {}\n}\n", "struct S;\nimpl S {\n    pub fn g() {}\n}\n"),
        ("struct S;\nimpl S {\n    pub fn f() {}\n}\n", "struct S;\nimpl S {\n    pub fn f(a: u8) {}\n}\n"),
    ] {
        let alone = agreed(Scenario::changing("src/a.rs", old, new), prohibited(&[], &[]));
        let findings = alone.findings("breaking-change");
        assert!(!only(&findings).blocks(Severity::Low), "{new}");
        let followed = Scenario::changing("src/a.rs", old, new).and_changing(
            "src/b.rs",
            "fn x() {\n    f();\n}\n",
            "fn x() {\n    g();\n}\n",
        );
        assert_eq!(followed.lines("breaking-change"), NOTHING, "{new}");
    }
}

#[test]
fn a_version_that_tells_makes_it_a_note() {
    let manifest = |version: &str| format!("[package]\nname = \"a\"\nversion = \"{version}\"\n");
    for (version, severity) in
        [("0.1.1", Severity::High), ("0.2.0", Severity::Suggestion), ("1.0.0", Severity::Suggestion)]
    {
        let scenario = Scenario::changing("src/lib.rs", "pub fn f() {}\n", "pub fn g() {}\n").and_changing(
            "Cargo.toml",
            &manifest("0.1.0"),
            &manifest(version),
        );
        assert_eq!(only(&scenario.findings("breaking-change")).severity, severity, "{version}");
    }
}

#[test]
fn features_are_promises() {
    let said = |old: &str, new: &str| {
        let text = |features: &str| format!("[package]\nname = \"a\"\n[features]\n{features}");
        let findings = Scenario::changing("Cargo.toml", &text(old), &text(new)).findings("breaking-change");
        findings.iter().map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(said("x = []\n", "y = []\n"), ["x feature was removed"]);
    assert_eq!(
        said("default = [\"x\"]\nx = []\n", "default = []\nx = []\n"),
        ["default feature no longer enables x"]
    );
    assert_eq!(said("x = [\"y\"]\ny = []\n", "x = []\ny = []\n"), ["x feature no longer enables y"]);
    for (old, new) in [
        ("x = []\n", "x = []\ny = []\n"),
        ("default = [\"x\"]\nx = []\n", "default = [\"y\"]\ny = [\"x\"]\nx = []\n"),
        ("x = []\n", "[dependencies]\nx = { version = \"1\", optional = true }\n"),
    ] {
        assert!(said(old, new).is_empty(), "{new}");
    }
}

#[test]
fn routes_are_promises() {
    let said = |path: &str, old: &str, new: &str| {
        let findings = Scenario::changing(path, old, new).findings("breaking-change");
        let routes = findings.into_iter().filter(|finding| finding.message.contains(" route "));
        routes.map(|finding| finding.message).collect::<Vec<_>>()
    };
    for (path, old, name) in [
        ("a.py", "@app.route('/users')\ndef _f(): pass\n", "GET /users"),
        ("a.py", "@router.get(\"/users/{id}\")\ndef _f(): pass\n", "GET /users/{id}"),
        ("urls.py", "urlpatterns = [\n    path('users/', view),\n]\n", "users/"),
        ("a.js", "app.get('/users', (req, res) => {});\n", "GET /users"),
        ("a.ts", "userRouter.delete('/users/:id', remove);\n", "DELETE /users/:id"),
        ("A.java", "class A {\n    @GetMapping(\"/users\")\n    void f() {}\n}\n", "GET /users"),
        ("a.go", "package p\n\nfunc f() {\n\tr.GET(\"/users\", g)\n}\n", "GET /users"),
        ("src/a.rs", "fn f() {\n    Router::new().route(\"/users\", get(g));\n}\n", "/users"),
        ("src/a.rs", "#[get(\"/users\")]\nasync fn f() {}\n", "GET /users"),
        ("a.cs", "class A {\n    [HttpGet(\"users\")]\n    void F() {}\n}\n", "GET users"),
        ("a.php", "<?php\nRoute::get('/users', 'f');\n", "GET /users"),
        ("a.rb", "get '/users', to: 'f'\n", "GET /users"),
    ] {
        let gone = old.replace("users", "people");
        assert_eq!(said(path, old, &gone), [format!("{name} route was removed")], "{path} {old}");
        let kept = format!("{old}\n\n");
        assert!(said(path, old, &kept).is_empty(), "{path} {old}");
        let moved = Scenario::changing(path, old, "\n").and_adding(&format!("b/{path}"), old);
        assert!(!moved.findings("breaking-change").iter().any(|finding| finding.message.contains(" route ")));
    }
    for (path, old) in [
        ("a.py", "# @app.route('/users')\n"),
        ("a.js", "client.fetch('/users', 1);\n"),
        ("a.js", "// app.get('/users', f);\n"),
        ("a.go", "package p\n\nvar x = \"/users\"\n"),
        ("tests/a.py", "@app.route('/users')\ndef _f(): pass\n"),
    ] {
        assert!(said(path, old, "\n").is_empty(), "{path} {old}");
    }
}
