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
