//! What the tickets of an epic agreed on.

use domain::review::{Confidence, Finding};
use domain::words::Severity;
use domain::work::{Coordination, Directory, Epic, FunctionProfile, SharedInterface, WorkItem};

use crate::support::{NOTHING, Scenario};

pub(crate) fn agreed(mut scenario: Scenario, coordination: Coordination) -> Scenario {
    let (path, id, title) = ("epics/login.yaml".into(), "login".into(), String::new());
    scenario.order.epic = Some(Epic { path, id, title, coordination });
    scenario
}

fn profile(name: &str, arity: u32) -> Coordination {
    let intent = String::new();
    let function_profiles = vec![FunctionProfile { name: name.into(), arity, intent }];
    Coordination { function_profiles, ..Coordination::default() }
}

fn structure(paths: &[&str]) -> Coordination {
    let place = |path: &&str| Directory { path: (*path).into(), purpose: String::new() };
    Coordination { directory_structure: paths.iter().map(place).collect(), ..Coordination::default() }
}

pub(crate) fn only(findings: &[Finding]) -> &Finding {
    let [finding] = findings else { panic!("one finding expected: {findings:#?}") };
    finding
}

#[test]
fn a_wrong_arity_is_told_as_the_epic_would() {
    let text = "export function authenticateUser(a: string, b: string, c: string): void {}\n";
    let scenario = agreed(Scenario::adding("src/a.ts", text), profile("authenticateUser", 2));
    let findings = scenario.findings("function-profile");
    let finding = only(&findings);
    assert_eq!(finding.message, "authenticateUser function has arity 3 but epic specifies arity 2");
    assert_eq!(finding.suggestion, "Remove third parameter or update epic coordination requirements");
    assert_eq!((finding.severity, finding.confidence), (Severity::High, Confidence::High));
}

#[test]
fn what_to_do_depends_on_what_is_wrong() {
    for (text, action) in [
        ("def f(a):\n    pass\n", "Add one parameter or"),
        ("def f():\n    pass\n", "Add 2 parameters or"),
        ("def f(a, b, c, d):\n    pass\n", "Remove 2 parameters or"),
        ("def f(a=1):\n    pass\n", "Add one parameter or"),
        ("def f(a, b, c=1):\n    pass\n", "Remove the optional parameter or"),
        ("def f(*args):\n    pass\n", "Take 2 parameters instead of any number or"),
    ] {
        let findings = agreed(Scenario::adding("a.py", text), profile("f", 2)).findings("function-profile");
        assert!(only(&findings).suggestion.starts_with(action), "{text}: {}", findings[0].suggestion);
    }
}

#[test]
fn an_overload_that_fits_is_enough() {
    for (path, text) in [
        ("A.java", "class A {\n    void f(int a) {}\n    void f(int a, int b) {}\n}\n"),
        ("a.ts", "function f(a: string): void;\nfunction f(a: any, b?: any) {}\n"),
        ("a.cs", "class A {\n    void f(int a) {}\n    void f(int a, int b) {}\n}\n"),
        ("a.cpp", "void f(int a);\nvoid f(int a, int b);\n"),
    ] {
        assert_eq!(
            agreed(Scenario::adding(path, text), profile("f", 2)).lines("function-profile"),
            NOTHING,
            "{path}"
        );
    }
}

#[test]
fn a_parameter_on_its_own_line_is_seen() {
    let old = "fn keep() {}\n\npub fn login(\n    name: &str,\n    password: &str,\n) {\n    run();\n}\n";
    let new = old.replace("    password: &str,\n", "    password: &str,\n    otp: &str,\n");
    let scenario = agreed(Scenario::changing("src/a.rs", old, &new), profile("login", 2));
    assert_eq!(scenario.lines("function-profile"), [6]);
}

#[test]
fn a_definition_that_the_change_left_alone_is_not_judged() {
    let old = "fn login(a: u8) {}\n\nfn other() {\n    a();\n}\n";
    let scenario = Scenario::changing("src/a.rs", old, &old.replace("a();", "b();"));
    assert_eq!(agreed(scenario, profile("login", 2)).lines("function-profile"), NOTHING);
}

#[test]
fn a_profile_may_name_the_type() {
    let text =
        "struct A;\nimpl A {\n    fn f(&self, a: u8) {}\n}\nstruct B;\nimpl B {\n    fn f(&self) {}\n}\n";
    let lines = |name| agreed(Scenario::adding("a.rs", text), profile(name, 1)).lines("function-profile");
    assert_eq!((lines("A::f"), lines("B.f"), lines("f")), (vec![], vec![7], vec![]));
}

#[test]
fn a_function_is_missed_only_if_the_ticket_names_it() {
    let missing = |ticket: &str, code: &str| {
        let mut scenario = agreed(Scenario::adding("src/a.rs", code), profile("login", 2));
        scenario.order.ticket = Some(WorkItem::parse("tickets/a.md", ticket));
        scenario.findings("function-profile")
    };
    let findings = missing("# A\n\nImplement `login`.\n", "fn other() {}\n");
    assert_eq!(only(&findings).confidence, Confidence::Medium);
    assert!(only(&findings).message.contains("tickets/a.md names it"), "{}", findings[0].message);
    assert_eq!(only(&missing("# A\n\nSee `login`.\n", "fn other() {}\n")).confidence, Confidence::Low);
    assert!(missing("# A\n\nImplement logins.\n", "fn other() {}\n").is_empty());
    assert!(missing("# A\n\nImplement `login`.\n", "fn login(a: u8, b: u8) {}\n").is_empty());
    let called = missing("# A\n\nImplement `login`.\n", "fn other() { login(1, 2); }\n");
    assert_eq!(only(&called).confidence, Confidence::Medium, "a call defines nothing");
    let criterion = missing("# A\n\n- [ ] `login` checks the password\n", "fn other() {}\n");
    assert!(only(&criterion).blocks(Severity::Major));
    assert!(missing("# A\n\nUse `login`.\n", "fn other() { login(1, 2); }\n").is_empty());
}

#[test]
fn a_function_that_others_define_already_is_not_missed() {
    let scenario = Scenario::adding("src/a.rs", "fn other() { login(1, 2); }\n")
        .and_keeping("src/auth.rs", "pub fn login(a: u8, b: u8) {}\n");
    let mut scenario = agreed(scenario, profile("login", 2));
    scenario.order.ticket = Some(WorkItem::parse("tickets/a.md", "Implement `login`.\n"));
    assert_eq!(scenario.lines("function-profile"), NOTHING);
}

#[test]
fn a_shared_type_that_the_ticket_orders_has_to_be_there() {
    let missing = |ticket: &str, code: &str| {
        let shared_interfaces = vec![SharedInterface { name: "Session".into(), description: String::new() }];
        let coordination = Coordination { shared_interfaces, ..Coordination::default() };
        let mut scenario = agreed(Scenario::adding("src/a.rs", code), coordination);
        scenario.order.ticket = Some(WorkItem::parse("tickets/a.md", ticket));
        scenario.findings("shared-interface")
    };
    let findings = missing("# A\n\nDefine `Session` for the others.\n", "fn other() {}\n");
    assert!(only(&findings).blocks(Severity::Major));
    assert!(only(&findings).message.contains("tickets/a.md asks for it"), "{}", findings[0].message);
    assert!(missing("# A\n\nDefine `Session`.\n", "pub struct Session {\n    id: u8,\n}\n").is_empty());
    assert!(missing("# A\n\nThe page shows the `Session`.\n", "fn other() {}\n").is_empty());
    assert!(missing("# A\n\nAdd a page that uses `Session`.\n", "fn other(s: Session) {}\n").is_empty());
}

#[test]
fn new_files_belong_to_the_listed_places() {
    let outside = |path: &str| {
        let scenario = Scenario::adding(path, "x\n").and_adding("src/auth/login.py", "x = 1\n");
        let findings = agreed(scenario, structure(&["src/auth/", "docs/*.md", "README.md"]))
            .findings("directory-structure");
        findings.iter().map(|finding| (finding.location(), finding.severity)).collect::<Vec<_>>()
    };
    for path in ["src/other/a.py", "docs/deep/a.md", "src/authority.py", "a.py"] {
        assert_eq!(outside(path), [(path.to_owned(), Severity::High)]);
    }
    for path in [
        "src/auth/deep/a.py",
        "docs/a.md",
        "README.md",
        "tests/auth/a.py",
        "tests/test_login.py",
        "package-lock.json",
    ] {
        assert_eq!(outside(path), [], "{path}");
    }
    assert_eq!(outside("tests/test_other.py"), [("tests/test_other.py".to_owned(), Severity::Medium)]);
}

#[test]
fn what_the_epic_does_not_speak_of_is_not_forbidden() {
    let told = |path: &str| {
        let scenario = agreed(Scenario::adding(path, "x\n"), structure(&["src/auth", "src/store/"]));
        let findings = scenario.findings("directory-structure");
        findings.first().map(|finding| finding.severity)
    };
    for path in ["CHANGELOG.md", ".gitignore", "package.json", "setup.py", "src/__init__.py", "src/auth.rs"] {
        assert_eq!(told(path), None, "{path}");
    }
    for path in ["docs/x.md", ".github/workflows/a.yml", "tools/package.json"] {
        assert_eq!(told(path), Some(Severity::Low), "{path}");
    }
    for path in ["docs/x.py", "src/x.md", "lib/__init__.py", "src/authority.rs", "run.py"] {
        assert_eq!(told(path), Some(Severity::High), "{path}");
    }
}

#[test]
fn parameters_that_the_compiler_finds_are_not_counted() {
    let lines = |text: &str| {
        agreed(Scenario::adding("a.scala", text), profile("log_in", 2)).lines("function-profile")
    };
    for list in ["(using ec: EC)", "(implicit ec: EC)", "(implicit ec: EC, log: Log)", ""] {
        let text =
            format!("object A {{\n  def log_in(u: String, p: String){list}: Boolean = check(u, p)\n}}\n");
        assert_eq!(lines(&text), NOTHING, "{list}");
    }
    assert_eq!(lines("object A {\n  def log_in(u: String, p: String)(r: Int): Boolean = check(u)\n}\n"), [2]);
}

#[test]
fn a_decorator_may_give_what_callers_do_not() {
    let confidence = |decorator: &str| {
        let text = format!("{decorator}\ndef log_in(conn, name, password):\n    pass\n");
        let findings =
            agreed(Scenario::adding("a.py", text), profile("log_in", 2)).findings("function-profile");
        only(&findings).confidence
    };
    assert_eq!(confidence("@with_conn"), Confidence::Low);
    assert_eq!(confidence("@functools.lru_cache(maxsize=2)"), Confidence::High);
}

#[test]
fn an_agreed_function_that_is_gone_is_told_of() {
    let old = "def log_in(name, password):\n    return check(name)\n\n\ndef out():\n    return 1\n";
    let gone = "def out():\n    return 1\n";
    let told = |scenario: Scenario| -> Vec<(String, bool)> {
        let findings = agreed(scenario, profile("log_in", 2)).findings("function-profile");
        findings.iter().map(|one| (one.message.clone(), one.blocks(Severity::Major))).collect()
    };
    let message = "log_in function was removed but epic specifies it with arity 2".to_owned();
    let removed = || Scenario::changing("auth/a.py", old, gone);
    assert_eq!(told(removed()), [(message.clone(), true)]);
    let renamed = old.replace("log_in", "sign_in");
    assert_eq!(told(Scenario::changing("auth/a.py", old, &renamed)), [(message.clone(), true)]);
    assert_eq!(told(Scenario::default().and_removing("auth/a.py", old)), [(message, true)]);
    let aliased = format!("{renamed}\n\nlog_in = sign_in\n");
    for fine in [
        Scenario::changing("auth/a.py", old, &aliased),
        removed().and_adding("auth/b.py", old),
        removed().and_keeping("auth/b.py", old),
        Scenario::changing("auth/a.py", &old.replace("name, password", ""), gone),
        Scenario::changing("auth/a.py", old, &old.replace("check(name)", "check(password)")),
    ] {
        assert_eq!(told(fine), []);
    }
}

#[test]
fn files_that_were_there_may_stay_where_they_are() {
    let scenario = agreed(Scenario::changing("lib/a.py", "a = 1\n", "a = 2\n"), structure(&["src"]));
    assert_eq!(scenario.lines("directory-structure"), NOTHING);
}

#[test]
fn what_is_no_code_may_lie_elsewhere() {
    for (path, blocks) in [
        ("assets/logo.svg", false),
        ("db/schema.sql", false),
        ("web/page.css", false),
        ("lib/run.py", true),
        ("db/load.py", true),
    ] {
        let findings =
            agreed(Scenario::adding(path, "x\n"), structure(&["src"])).findings("directory-structure");
        assert_eq!(only(&findings).blocks(Severity::Major), blocks, "{path}");
    }
}

#[test]
fn a_function_of_another_language_may_be_another_one() {
    let script = "export async function log_in(form: FormData) {\n  return form;\n}\n";
    let python = |parameters: &str| format!("def log_in({parameters}):\n    return check(name)\n");
    let blocks = |parameters: &str| {
        let scenario = Scenario::adding("web/login.ts", script).and_adding("auth.py", python(parameters));
        let findings = agreed(scenario, profile("log_in", 2)).findings("function-profile");
        findings.iter().filter(|one| one.blocks(Severity::Major)).count()
    };
    assert_eq!(blocks("name, password"), 0);
    assert_eq!(blocks("name"), 2);
}

#[test]
fn parameters_of_old_and_of_generic_functions_are_counted() {
    for (path, text) in [
        ("a.c", "int log_in(a, b)\nint a;\nint b;\n{ return a + b; }\n"),
        ("a.scala", "object A { def log_in[A](p: String, q: Int): A = f(p, q) }\n"),
        ("a.scala", "object A { def log_in[A](p: String)(f: Int => A): A = f(p.length) }\n"),
        (
            "a.scala",
            "object A { def log_in[F[_]](a: F[Int], b: => Int)(implicit m: M[F]): F[Int] = m.f(a, b) }\n",
        ),
    ] {
        let scenario = agreed(Scenario::adding(path, text), profile("log_in", 2));
        assert_eq!(scenario.lines("function-profile"), NOTHING, "{text}");
        let scenario = agreed(Scenario::adding(path, text), profile("log_in", 3));
        assert_eq!(scenario.findings("function-profile").len(), 1, "{text}");
    }
}
