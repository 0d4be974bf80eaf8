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
        let comment = if path.ends_with("py") { "# " } else { "// " };
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
fn what_a_removed_function_called_itself_is_no_update_of_its_callers() {
    let old =
        "pub struct A;\nimpl A {\n    pub fn unpark(&self) {\n        self.thread.unpark();\n    }\n}\n";
    let scenario = Scenario::changing("src/a.rs", old, "pub struct A;\nimpl A {\n}\n")
        .and_keeping("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.0.0\"\n")
        .and_keeping("src/lib.rs", "mod a;\n");
    assert_eq!(scenario.findings("breaking-change").len(), 1);
}
