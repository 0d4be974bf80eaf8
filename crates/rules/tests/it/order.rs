//! What the ticket, the story and the epic ask for.

use domain::review::Confidence;
use domain::words::Severity;
use domain::work::{Coordination, Epic, FunctionProfile, WorkItem};

use crate::support::{NOTHING, Scenario};

fn with_profile(path: &str, text: &str) -> Scenario {
    let mut scenario = Scenario::adding(path, text);
    scenario.order.epic = Some(Epic {
        path: "epics/login.yaml".into(),
        id: "login".into(),
        title: String::new(),
        coordination: Coordination {
            function_profiles: vec![FunctionProfile {
                name: "authenticateUser".into(),
                arity: 2,
                intent: String::new(),
            }],
            ..Coordination::default()
        },
    });
    scenario
}

#[test]
fn a_definition_with_another_arity_is_reported() {
    for (path, text) in [
        ("a.ts", "export function authenticateUser(a: string, b: string, c: string): void {\n}\n"),
        ("a.ts", "export const authenticateUser = async (a: string) => {\n};\n"),
        ("a.ts", "class A {\n  async authenticateUser(a: string) {\n  }\n}\n"),
        ("a.js", "function authenticateUser() {\n}\n"),
        ("a.js", "const authenticateUser = (a, b, c) => a;\n"),
        ("a.js", "class A {\n  authenticateUser(a) {\n  }\n}\n"),
        ("a.rs", "impl A {\n    pub fn authenticateUser(&self, a: &str) {}\n}\n"),
        ("a.rs", "fn authenticateUser<T>(\n    a: T,\n    b: T,\n    c: T,\n) {}\n"),
        ("a.rs", "pub(crate) async fn authenticateUser() {}\n"),
        ("a.py", "def authenticateUser(a, b, c):\n    return a\n"),
        ("a.py", "class A:\n    def authenticateUser(self, a):\n        return a\n"),
        ("a.py", "async def authenticateUser():\n    return 1\n"),
        ("a.go", "func authenticateUser(a string) error {\n}\n"),
        ("a.go", "func (s *Server) authenticateUser(a, b, c string) error {\n}\n"),
        ("a.go", "func authenticateUser() {\n}\n"),
        ("A.java", "class A {\n    public Map<String, User> authenticateUser(String a) {\n    }\n}\n"),
        ("A.java", "class A {\n    boolean authenticateUser() {\n    }\n}\n"),
        ("A.java", "class A {\n    static User[] authenticateUser(int a, int b, int c) {\n    }\n}\n"),
        ("a.kt", "fun authenticateUser(a: Int) = 1\n"),
        ("a.kt", "suspend fun authenticateUser(a: Int, b: Int, c: Int) {\n}\n"),
        ("a.kt", "class A {\n    fun authenticateUser() {}\n}\n"),
        ("a.cs", "class A {\n    public async Task<User> authenticateUser(string a) {\n    }\n}\n"),
        ("a.cs", "class A {\n    User authenticateUser() {\n    }\n}\n"),
        ("a.cs", "class A {\n    static bool authenticateUser(int a, int b, int c) {\n    }\n}\n"),
        ("a.php", "<?php\nfunction authenticateUser($a) {\n}\n"),
        ("a.php", "<?php\nclass A {\n  public function authenticateUser($a, $b, $c) {\n  }\n}\n"),
        ("a.php", "<?php\nfunction authenticateUser() {\n}\n"),
        ("a.swift", "func authenticateUser(a: Int) -> Bool {\n}\n"),
        ("a.swift", "func authenticateUser() {\n}\n"),
        ("a.swift", "public func authenticateUser(a: Int, b: Int, c: Int) {\n}\n"),
        ("a.c", "int authenticateUser(const char *a) {\n    return 1;\n}\n"),
        ("a.c", "static struct user *authenticateUser(void);\n"),
        ("a.c", "int authenticateUser(int a, int (*b)(int), char c[8]) { return 1; }\n"),
        ("a.cpp", "bool Auth::authenticateUser(const std::map<int, int>& a) { return true; }\n"),
        ("a.hpp", "class A {\npublic:\n  bool authenticateUser() const;\n};\n"),
        ("a.cc", "template <class T> auto authenticateUser(T a, T b, T c) -> bool { return true; }\n"),
        ("a.scala", "def authenticateUser(a: Int): Int = 1\n"),
        ("a.scala", "object A {\n  def authenticateUser(a: Int, b: Int)(c: Int): Int = 1\n}\n"),
        ("a.scala", "trait A {\n  def authenticateUser: Int\n}\n"),
        ("a.rb", "def authenticateUser(a)\n  a\nend\n"),
        ("a.rb", "class A\n  def authenticateUser\n    1\n  end\nend\n"),
        ("a.rb", "def self.authenticateUser(a, b, c:)\n  a\nend\n"),
        ("a.js", "function authenticateUser(a, ...rest) {\n}\n"),
        ("a.py", "def authenticateUser(self, a, b, c=1):\n    return a\n"),
        ("a.py", "def authenticateUser(*args, **kwargs):\n    return 1\n"),
        ("a.go", "func authenticateUser(a string, rest ...string) {\n}\n"),
        ("A.java", "    User authenticateUser(String a, String... b) {\n}\n"),
        ("a.c", "int authenticateUser(const char *a, ...) { return 1; }\n"),
        ("a.cpp", "template <typename... T> void authenticateUser(T... a) {}\n"),
        ("a.scala", "def authenticateUser(a: Int*): Int = 1\n"),
        ("a.rb", "def authenticateUser(a, b, c = 1, &block)\n  a\nend\n"),
        ("a.rb", "def authenticateUser(*a)\n  a\nend\n"),
    ] {
        let findings = with_profile(path, text).findings("function-profile");
        assert_eq!(findings.len(), 1, "{text}");
        assert!(findings[0].message.ends_with("but epic specifies arity 2"), "{}", findings[0].message);
    }
}

#[test]
fn what_fits_or_defines_nothing_is_left_alone() {
    for (path, text) in [
        ("a.ts", "export function authenticateUser(a: Map<string, number>, b?: string): void {\n}\n"),
        ("a.ts", "if (authenticateUser(a)) {\n}\n"),
        ("a.ts", "// function authenticateUser(a) {\nreturn authenticateUser(a);\n"),
        ("a.js", "function authenticateUsers(a) {\n}\n"),
        ("a.js", "const x = authenticateUser(a);\n"),
        ("a.rs", "fn authenticateUser(&self, a: &str, b: HashMap<u8, u8>) {}\n"),
        ("a.rs", "let s = \"fn authenticateUser(a)\";\n"),
        ("a.rs", "authenticateUser(1);\n"),
        ("a.py", "x = authenticateUser(1)\n"),
        ("a.go", "func (s *Server) authenticateUser(a, b string) error {\n}\n"),
        ("a.go", "x := authenticateUser(a)\n"),
        ("A.java", "    return authenticateUser(a);\n"),
        ("A.java", "    User u = authenticateUser(a);\n"),
        ("a.kt", "fun authenticateUser(a: Int, b: Int = 2) = 1\n"),
        ("a.kt", "val x = authenticateUser(a)\n"),
        ("a.kt", "fun authenticateUserNow(a: Int) = 1\n"),
        ("a.cs", "    bool authenticateUser(string a, string b) {\n}\n"),
        ("a.cs", "    await authenticateUser(a);\n"),
        ("a.cs", "    var x = authenticateUser(a);\n"),
        ("a.php", "<?php\nfunction authenticateUser($a, $b = []) {\n}\n"),
        ("a.php", "<?php\n$x = authenticateUser($a);\n"),
        ("a.php", "<?php\n// function authenticateUser($a)\n"),
        ("a.swift", "func authenticateUser(a: Int, b: Int) {\n}\n"),
        ("a.c", "int authenticateUser(const char *a, int b);\n"),
        ("a.c", "int other(void) { return authenticateUser(1); }\n"),
        ("a.cpp", "bool A::authenticateUser(int a, int b = 1) { return true; }\n"),
        ("a.cpp", "int x = authenticateUser(1);\n"),
        ("a.scala", "def authenticateUser(a: Int)(b: Int): Int = 1\n"),
        ("a.scala", "val x = authenticateUser(1)\n"),
        ("a.rb", "authenticateUser(1)\n"),
        ("a.swift", "authenticateUser(a: 1)\n"),
        ("a.swift", "let s = \"func authenticateUser(a)\"\n"),
        ("tests/a.py", "def authenticateUser(a):\n    return a\n"),
    ] {
        assert_eq!(with_profile(path, text).lines("function-profile"), NOTHING, "{text}");
    }
}

fn with_ticket(text: &str) -> Scenario {
    let mut scenario = Scenario::adding("src/auth.rs", "fn a() {}\n").and_existing("src/kept.rs");
    scenario.order.ticket = Some(WorkItem::parse("tickets/login.md", text));
    scenario
}

#[test]
fn a_file_that_the_ticket_names_has_to_exist() {
    for (ticket, missing, severity) in [
        (
            "Write `src/auth.rs`, use `src/kept.rs`, add `src/missing.rs`.\n",
            "`src/missing.rs`",
            Severity::Major,
        ),
        ("- [ ] `docs/login.md` explains it\n", "`docs/login.md`", Severity::Major),
        ("# Login\n\nTouch `./src/auth.rs` and `src/Auth.rs`.\n", "`src/Auth.rs`", Severity::Medium),
    ] {
        let findings = with_ticket(ticket).findings("ticket-file-untouched");
        let [finding] = findings.as_slice() else { panic!("one finding expected: {findings:?}") };
        assert!(finding.message.contains(missing) && finding.message.contains("tickets/login.md"));
        assert_eq!((finding.severity, finding.line()), (severity, None));
    }
}

#[test]
fn a_file_that_is_there_or_only_mentioned_is_not_missed() {
    for ticket in [
        "Write `src/auth.rs`, use `./src/kept.rs`.\n",
        "Errors are shown, `login` works.\n",
        "```\nsee `src/missing.rs`\n```\n",
    ] {
        assert_eq!(with_ticket(ticket).lines("ticket-file-untouched"), NOTHING, "{ticket}");
    }
}

#[test]
fn open_criteria_are_listed_as_advice() {
    for (ticket, said) in [
        ("- [x] done\n- [ ] errors are shown\n- [ ] logs are kept\n", "errors are shown; logs are kept"),
        ("* [ ] a\n", "1 of 1"),
        (&"- [ ] a\n".repeat(12), "and 2 more"),
    ] {
        let findings = with_ticket(ticket).findings("criterion-unmet");
        let [finding] = findings.as_slice() else { panic!("one finding expected") };
        assert!(finding.message.contains(said), "{}", finding.message);
        assert_eq!(finding.confidence, Confidence::Low);
    }
}

#[test]
fn a_list_that_is_kept_says_what_is_not_done() {
    let kept = with_ticket("## Acceptance criteria\n- [x] done\n- [ ] errors are shown\n");
    assert!(kept.findings("criterion-unmet")[0].blocks(Severity::Major));
    let template = with_ticket("## Acceptance criteria\n- [ ] done\n- [ ] errors are shown\n");
    assert!(!template.findings("criterion-unmet")[0].blocks(Severity::Major));
}

#[test]
fn ticked_or_absent_criteria_are_met() {
    for ticket in ["- [x] done\n- [X] too\n", "- a plain list\n", "```\n- [ ] an example\n```\n"] {
        assert_eq!(with_ticket(ticket).lines("criterion-unmet"), NOTHING, "{ticket}");
    }
}

#[test]
fn the_terms_of_a_ticket_are_shown_without_what_nobody_sees() {
    let findings = with_ticket("- [ ] a\u{202E}b\u{200B}c\u{1b}[31m\n").findings("criterion-unmet");
    assert!(findings[0].message.ends_with("not ticked: abc"), "{:?}", findings[0].message);
}
