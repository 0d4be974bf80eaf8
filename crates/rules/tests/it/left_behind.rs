//! Callers that a change left as they were, in files that it does not touch.

use domain::words::Severity;

use crate::support::Scenario;

/// What the function was and is, and a caller in a file beside it.
const CALLERS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "src/auth.py",
        "def login(name):\n    pass\n",
        "def login(name, otp):\n    pass\n",
        "src/web.py",
        "from auth import login\n\nlogin('a')\n",
    ),
    (
        "src/auth.py",
        "def login(name):\n    pass\n",
        "def sign_in(name):\n    pass\n",
        "lib/web.py",
        "import auth\n\nauth.login('a')\n",
    ),
    (
        "src/auth.ts",
        "export function login(name: string) {}\n",
        "export function login(name: string, otp: string) {}\n",
        "src/web.ts",
        "import { login } from './auth';\nlogin('a');\n",
    ),
    (
        "auth/auth.go",
        "package auth\n\nfunc Login(name string) {}\n",
        "package auth\n\nfunc Login(name, otp string) {}\n",
        "auth/web.go",
        "package auth\n\nfunc run() {\n\tLogin(\"a\")\n}\n",
    ),
    (
        "auth/auth.go",
        "package auth\n\nfunc Login(name string) {}\n",
        "package auth\n\nfunc Login(name, otp string) {}\n",
        "web/web.go",
        "package web\n\nimport \"example.com/m/auth\"\n\nfunc run() {\n\tauth.Login(\"a\")\n}\n",
    ),
    (
        "src/Auth.java",
        "public class Auth {\n    public static void login(String name) {}\n}\n",
        "public class Auth {\n    public static void login(String name, String otp) {}\n}\n",
        "src/Web.java",
        "class Web {\n    void run() {\n        Auth.login(\"a\");\n    }\n}\n",
    ),
    (
        "src/auth.rs",
        "pub fn login(name: &str) {}\n",
        "pub fn login(name: &str, otp: &str) {}\n",
        "src/web.rs",
        "use crate::auth::login;\nfn run() {\n    login(\"a\");\n}\n",
    ),
    (
        "src/auth.h",
        "int login(const char *name);\n",
        "int login(const char *name, int otp);\n",
        "src/web.c",
        "#include \"auth.h\"\nint run(void)\n{\n    return login(\"a\");\n}\n",
    ),
    (
        "src/auth.hpp",
        "int login(const char *name);\nint out();\n",
        "int out();\n",
        "src/web.cpp",
        "#include \"auth.hpp\"\nint run() {\n    return login(\"a\");\n}\n",
    ),
    (
        "src/auth.h",
        "int login(const char *name);\n",
        "int login(const char *name, int otp);\n",
        "src/web.cpp",
        "#include \"auth.h\"\nint run() {\n    return login(\"a\");\n}\n",
    ),
    (
        "include/auth.h",
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint login(const char *name);\nint out(void);\n#ifdef __cplusplus\n}\n#endif\n",
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint out(void);\n#ifdef __cplusplus\n}\n#endif\n",
        "src/web.cc",
        "#include \"auth.h\"\nint run() {\n    return login(\"a\");\n}\n",
    ),
    (
        "src/auth.kt",
        "package k\nfun login(name: String) = name\n",
        "package k\nfun login(name: String, otp: String) = name\n",
        "src/web.kt",
        "package k\nfun run() = login(\"a\")\n",
    ),
    (
        "src/Auth.cs",
        "public static class Auth {\n    public static int Login(string name) { return 1; }\n}\n",
        "public static class Auth {\n    public static int Login(string name, string otp) { return 1; }\n}\n",
        "src/Web.cs",
        "public class Web {\n    public int Run() { return Auth.Login(\"a\"); }\n}\n",
    ),
    (
        "src/auth.php",
        "<?php\nfunction login($name) { return $name; }\n",
        "<?php\nfunction login($name, $otp) { return $name; }\n",
        "src/web.php",
        "<?php\nrequire __DIR__ . '/auth.php';\nfunction run() { return login('a'); }\n",
    ),
    (
        "src/auth.rb",
        "def login(name)\n  name\nend\n",
        "def login(name, otp)\n  name\nend\n",
        "src/web.rb",
        "require_relative \"auth\"\n\ndef run\n  login('a')\nend\n",
    ),
    (
        "src/Auth.scala",
        "package s\nobject Auth {\n  def login(name: String): Int = 1\n}\n",
        "package s\nobject Auth {\n  def login(name: String, otp: String): Int = 1\n}\n",
        "src/Web.scala",
        "package s\nobject Web {\n  def run(): Int = Auth.login(\"a\")\n}\n",
    ),
    (
        "src/auth.swift",
        "func login(_ name: String) -> Int { return 1 }\n",
        "func login(_ name: String, _ otp: String) -> Int { return 1 }\n",
        "src/web.swift",
        "func run() -> Int { return login(\"a\") }\n",
    ),
    (
        "src/auth.js",
        "function login(name) {\n  return name;\n}\nfunction out() {}\nmodule.exports = { login, out };\n",
        "function out() {}\nmodule.exports = { out };\n",
        "src/web.js",
        "const { login } = require('./auth');\nlogin('a');\n",
    ),
    (
        "src/auth.py",
        "class Auth:\n    def login(self, name):\n        pass\n",
        "class Auth:\n    def login(self, name, otp):\n        pass\n",
        "src/web.py",
        "from auth import Auth\n\n\ndef run():\n    one = Auth()\n    return one.login('a')\n",
    ),
    (
        "src/Auth.java",
        "public class Auth {\n    public int login(String name) { return 1; }\n}\n",
        "public class Auth {\n    public int login(String name, String otp) { return 1; }\n}\n",
        "src/Web.java",
        "class Web {\n    int run(Auth one) { return one.login(\"a\"); }\n}\n",
    ),
    (
        "auth/auth.go",
        "package auth\n\ntype Auth struct{}\n\nfunc (a *Auth) Login(name string) {}\n",
        "package auth\n\ntype Auth struct{}\n\nfunc (a *Auth) Login(name, otp string) {}\n",
        "auth/web.go",
        "package auth\n\nfunc run(one *Auth) {\n\tone.Login(\"a\")\n}\n",
    ),
    (
        "src/auth.ts",
        "export class Auth {\n  login(name: string) {}\n}\n",
        "export class Auth {\n  login(name: string, otp: string) {}\n}\n",
        "src/web.ts",
        "import { Auth } from './auth';\nexport function run() {\n  const one = new Auth();\n  one.login('a');\n}\n",
    ),
];

fn must_fix(path: &str, old: &str, new: &str, other: &str, caller: &str) -> Option<String> {
    let scenario = Scenario::changing(path, old, new).and_keeping(other, caller);
    let findings = scenario.findings("breaking-change");
    findings.into_iter().find(|finding| finding.blocks(Severity::Major)).map(|finding| finding.message)
}

#[test]
fn a_caller_in_a_file_that_is_not_touched_is_proof() {
    for (path, old, new, other, caller) in CALLERS {
        let message = must_fix(path, old, new, other, caller).unwrap_or_default();
        assert!(message.contains(&format!("but {other}:")), "{other}: {message}");
    }
}

#[test]
fn one_that_fits_or_means_another_is_none() {
    for (path, old, new, other, caller) in CALLERS {
        let (fits, elsewhere) =
            (caller.replace("a')", "a', 'b')").replace("a\")", "a\", \"b\")"), "other/place");
        if new.contains("otp") {
            assert_eq!(must_fix(path, old, new, other, &fits), None, "{other}");
        }
        let stranger = caller.replace("auth", "guests").replace("Auth", "Guests");
        let far = format!("{elsewhere}/{}", other.rsplit('/').next().unwrap());
        assert_eq!(must_fix(path, old, new, &far, &stranger), None, "{other}");
        let comment = if path.ends_with("py") || path.ends_with("rb") { "# " } else { "// " };
        let quoted: String = caller.lines().map(|line| format!("{comment}{line}\n")).collect();
        assert_eq!(must_fix(path, old, new, other, &quoted), None, "{other}");
    }
}

#[test]
fn a_private_function_that_is_still_used_in_its_own_file_is_told_of() {
    let used = [
        (
            "def _a(x):\n    return x\n\n\ndef b():\n    return _a(1)\n",
            "def _a(x, y):\n    return x\n\n\ndef b():\n    return _a(1)\n",
            "still calls it with 1 argument",
        ),
        (
            "__all__ = ['b']\n\n\ndef a(x):\n    return x\n\n\ndef b():\n    return a(1)\n",
            "__all__ = ['b']\n\n\ndef b():\n    return a(1)\n",
            "still calls it",
        ),
        ("def _a(x):\n    return x\n\n\nb = None or _a\n", "b = None or _a\n", "still names it"),
    ];
    for (old, new, what) in used {
        let message = must_fix("src/m.py", old, new, "src/n.py", "x = 1\n").unwrap_or_default();
        assert!(message.contains(what), "{new}: {message}");
    }
    let fine = [
        ("def _a(x):\n    return x\n\n\ndef b():\n    return _a(1)\n", "def b():\n    return 1\n"),
        ("def _a(x):\n    return x\n\n\nb = _a\n", "from other import *\n\nb = _a\n"),
        ("def _a(x):\n    return x\n\n\nb = _a\n", "_a = 1\nb = _a\n"),
        ("def _a(x):\n    return x\n\n\nb = c.d(_a=1)\n", "b = c.d(_a=1)\n"),
    ];
    for (old, new) in fine {
        assert_eq!(must_fix("src/m.py", old, new, "src/n.py", "x = 1\n"), None, "{new}");
    }
}

#[test]
fn an_import_of_what_is_gone_is_told_of() {
    let python = "def login(name):\n    pass\n\n\ndef out():\n    pass\n";
    let gone = "def out():\n    pass\n";
    for caller in ["from pkg._auth import login\n", "from ._auth import (\n    out,\n    login,\n)\n"] {
        let message = must_fix("pkg/_auth.py", python, gone, "pkg/__init__.py", caller).unwrap_or_default();
        assert!(message.contains("still imports it"), "{caller}: {message}");
    }
    for caller in [
        "from pkg.other import login\n",
        "from . import other\n\nlogin = other.login\n",
        "try:\n    from ._auth import login\nexcept ImportError:\n    login = None\n",
        "from ._auth import out\n",
    ] {
        assert_eq!(must_fix("pkg/_auth.py", python, gone, "pkg/__init__.py", caller), None, "{caller}");
    }
    let taken = "from . import _auth\n\nlogin = _auth.login\n";
    let message = must_fix("pkg/_auth.py", python, gone, "pkg/__init__.py", taken).unwrap_or_default();
    assert!(message.contains("pkg/__init__.py:3 still names it"), "{message}");
    let (old, new) = ("export const a = 1;\nexport function login() {}\n", "export const a = 1;\n");
    let caller = "import { a, login } from './auth';\nrun(login);\n";
    let message = must_fix("src/auth.ts", old, new, "src/web.ts", caller).unwrap_or_default();
    assert!(message.contains("src/web.ts:1 still imports it"), "{message}");
}

#[test]
fn an_import_says_which_of_two_functions_is_meant() {
    let (old, gone) = ("def login(name):\n    pass\n\n\nx = 1\n", "x = 1\n");
    let (caller, own) = ("from ._auth import login\n", "def login(name):\n    pass\n");
    let told = |caller: &str| {
        let scenario = Scenario::changing("pkg/_auth.py", old, gone)
            .and_keeping("pkg/__init__.py", caller)
            .and_keeping("pkg/other.py", own);
        let findings = scenario.findings("breaking-change");
        findings.into_iter().find(|one| one.blocks(Severity::Major)).map(|one| one.message)
    };
    assert!(told(caller).unwrap_or_default().contains("pkg/__init__.py:1 still imports it"));
    assert_eq!(told("from .other import login\n"), None);
    assert_eq!(told(&format!("try:\n    {caller}except ImportError:\n    {own}")), None);
}

#[test]
fn a_name_of_the_standard_library_is_not_ours() {
    let (old, new) = ("pub fn poll_fn(f: u8) {}\n", "\n");
    let told = |caller: &str| must_fix("src/future/poll_fn.rs", old, new, "src/web.rs", caller);
    assert!(told("use crate::future::poll_fn;\nfn run() {\n    poll_fn(1);\n}\n").is_some());
    assert_eq!(told("use core::future::{poll_fn, Future};\nfn run() {\n    poll_fn(1);\n}\n"), None);
    assert_eq!(told("fn run() {\n    std::future::poll_fn(1);\n}\n"), None);
}

#[test]
fn what_a_removed_function_called_itself_is_no_update_of_its_callers() {
    let old =
        "pub struct A;\nimpl A {\n    pub fn unpark(&self) {\n        self.thread.unpark();\n    }\n}\n";
    let scenario = Scenario::changing("src/a.rs", old, "pub struct A;\nimpl A {\n}\n")
        .and_keeping("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.0.0\"\n")
        .and_keeping("src/lib.rs", "mod a;\n");
    assert_eq!(scenario.findings("breaking-change").len(), 1);
}

#[test]
fn a_variable_of_another_or_of_no_known_type_is_nobody() {
    let (old, new) = (
        "class Auth:\n    def login(self, name):\n        pass\n",
        "class Auth:\n    def login(self, name, otp):\n        pass\n",
    );
    for made in ["Guest()", "make()", "Auth()\n    one = make()", "x or Auth()"] {
        let caller =
            format!("from auth import Auth\n\n\ndef run(x):\n    one = {made}\n    return one.login('a')\n");
        assert_eq!(must_fix("src/auth.py", old, new, "src/web.py", &caller), None, "{made}");
    }
    let (old, new) = (
        "public class Auth {\n    public int login(String name) { return 1; }\n}\n",
        "public class Auth {\n    public int login(String name, String otp) { return 1; }\n}\n",
    );
    for caller in [
        "class Web {\n    int run(Guest one) { return one.login(\"a\"); }\n}\n",
        "class Web {\n    int run() { return one().login(\"a\"); }\n}\n",
    ] {
        assert_eq!(must_fix("src/Auth.java", old, new, "src/Web.java", caller), None, "{caller}");
    }
}

#[test]
fn what_an_implementation_in_c_defines_is_what_its_header_declares() {
    let (old, new) = ("int login(int a);\n", "int login(int a, int b);\n");
    let caller = "#include \"auth.h\"\nint run(void)\n{\n    return login(1);\n}\n";
    let with = |other: &str, source: &str| {
        let scenario = Scenario::changing("src/auth.h", old, new)
            .and_changing("src/auth.c", &source.replace(", int b", ""), source)
            .and_keeping("src/web.c", other);
        scenario.findings("breaking-change").iter().any(|finding| finding.blocks(Severity::Major))
    };
    let source = "#include \"auth.h\"\nint login(int a, int b)\n{\n    return a;\n}\n";
    assert!(with(caller, source));
    assert!(!with(&caller.replace("login(1)", "login(1, 2)"), source));
    assert!(!with(
        &format!("static int login(int a)\n{{\n    return a;\n}}\n{caller}").replace("auth.h", "guests.h"),
        source
    ));
    let as_macro = "#define login(a) login_with(a, 0)\nint login_with(int a, int b);\n";
    assert_eq!(must_fix("src/auth.h", old, as_macro, "src/web.c", caller), None);
}

#[test]
fn a_header_of_c_has_callers_in_cpp_and_one_of_cpp_is_not_read_as_c() {
    let (old, new) = ("int login(int a);\n", "int login(int a, int b);\n");
    let caller = "#include \"auth.h\"\nint run() {\n    return login(1);\n}\n";
    let told = |old: &str, new: &str, caller: &str| must_fix("src/auth.h", old, new, "src/web.cpp", caller);
    assert!(told(old, new, caller).is_some());
    assert_eq!(told(old, new, &caller.replace("(1)", "(1, 2)")), None, "it follows");
    assert_eq!(told(old, new, &caller.replace("auth.h", "guests.h")), None, "another header");
    assert_eq!(told(old, "int login(int a, int b = 2);\n", caller), None, "it can be left out");
    let class = |methods: &str| format!("class Auth {{\npublic:\n    {methods}\n}};\n");
    let (old, new) = (class("int login(int a);"), class("int login(int a, int b);"));
    assert_eq!(told(&old, &new, caller), None, "whose method is not to be seen");
}

#[test]
fn javascript_takes_any_number_of_arguments() {
    let old = "export function get(url) {\n  return fetch(url);\n}\n";
    let caller = "import { get } from './a.js';\nexport const run = () => get('/x');\n";
    let findings = |new: &str| {
        Scenario::changing("src/a.js", old, new).and_keeping("src/b.js", caller).findings("breaking-change")
    };
    for handled in [
        "options = options || {};",
        "const given = options ?? {};",
        "if (!options) return fetch(url);",
        "if (options) log(options);",
        "if (typeof options === 'undefined') return fetch(url);",
        "if (options === undefined) return fetch(url);",
        "const given = options ? options : {};",
        "if (arguments.length < 2) return fetch(url);",
        "my.options = options || {};",
    ] {
        let new =
            format!("export function get(url, options) {{\n  {handled}\n  return fetch(url, options);\n}}\n");
        assert!(findings(&new).is_empty(), "{handled}");
    }
    for needed in ["options.retries += 1;", "if (!options.retries) return fetch(url);", "my.options || 1;"] {
        let new =
            format!("export function get(url, options) {{\n  {needed}\n  return fetch(url, options);\n}}\n");
        let found = findings(&new);
        assert!(found.len() == 1 && !found[0].blocks(Severity::Major), "{needed}: {found:?}");
    }
}

#[test]
fn a_decorator_or_a_module_may_make_up_for_it() {
    let caller = "from a import load\n\nload(1)\n";
    let old = "def load(x):\n    return x\n";
    for fine in [
        "@with_conn\ndef load(conn, x):\n    return conn.get(x)\n",
        "def __getattr__(name):\n    if name == \"load\":\n        return _load\n    raise AttributeError(name)\n",
    ] {
        assert_eq!(must_fix("src/a.py", old, fine, "src/b.py", caller), None, "{fine}");
    }
    for broken in [
        "@functools.lru_cache\ndef load(conn, x):\n    return conn.get(x)\n",
        "class A:\n    def __getattr__(self, name):\n        return 1\n",
    ] {
        assert!(must_fix("src/a.py", old, broken, "src/b.py", caller).is_some(), "{broken}");
    }
}
