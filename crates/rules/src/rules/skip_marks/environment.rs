//! Tests that were there before and are left by what the environment says: where nobody watches, they may be as good as
//! gone.

use super::{Skip, Tests, beginning};
use crate::context::FileContext;
use crate::language::Language;
use crate::pattern::Pattern;
use crate::syntax::{Node, Notion};

/// A variable of the environment that a condition asks for.
static ASKED: Pattern = Pattern::new(
    r#"(?:[gG]et_?[eE]nv|LookupEnv|environ(?:\.get)?|env::var(?:_os)?|ENV|process\.env|env\.fetch)\s*(?:\(|\[|\.)\s*["']?(\w+)|["'](\w+)["']\s+(not\s+)?in\s+os\.environ"#,
);

/// What is set wherever changes are checked by themselves.
const CHECKERS: [&[u8]; 9] = [
    b"CI",
    b"CONTINUOUS_INTEGRATION",
    b"GITHUB_ACTIONS",
    b"GITLAB_CI",
    b"BUILDKITE",
    b"CIRCLECI",
    b"TRAVIS",
    b"JENKINS_URL",
    b"TF_BUILD",
];

/// What a test cannot do without.
const NEEDED: [&str; 16] = [
    "KEY", "TOKEN", "SECRET", "PASS", "URL", "HOST", "DSN", "DATABASE", "DB", "CRED", "USER", "PORT", "ADDR",
    "PATH", "HOME", "ENDPOINT",
];

/// What such a condition does to a test that it keeps from running.
fn by_condition(condition: &[u8], leaves_if_set: bool) -> Option<Skip> {
    let condition = &condition[..condition.len().min(400)];
    let groups = ASKED.regex().captures(condition)?;
    let name = groups.get(1).or_else(|| groups.get(2))?.as_bytes();
    let holds = |word: &[u8]| memchr::memmem::find(condition, word).is_some();
    let text = condition.trim_ascii();
    let text = text.strip_prefix(b"(").unwrap_or(text);
    let empty = holds(b"\"\"") || holds(b"''") || holds(b"null") || holds(b"undefined") || holds(b"None");
    let denied = text.starts_with(b"not ")
        || (text.starts_with(b"!") && !text.starts_with(b"!!"))
        || groups.get(3).is_some()
        || holds(b"is_err()")
        || holds(b"is_none()")
        || (holds(b"==") && empty)
        || (holds(b"is None"))
        || (holds(b"!=") && !empty);
    // More than one thing is asked for.
    if holds(b"&&") || holds(b"||") || holds(b" and ") || holds(b" or ") {
        return None;
    }
    if CHECKERS.contains(&name) {
        return (denied != leaves_if_set).then_some(Skip::Bare);
    }
    let upper = String::from_utf8_lossy(name).to_ascii_uppercase();
    (!NEEDED.iter().any(|word| upper.contains(word))).then_some(Skip::Conditional)
}

pub(super) fn by_environment<'t>(
    node: Node<'t>,
    file: &FileContext<'_>,
    tests: &Tests<'t>,
) -> Option<(String, Skip)> {
    match file.language {
        Language::Python if node.kind() == "decorator" => by_decorator(node, file),
        Language::JavaScript | Language::TypeScript if node.kind() == "call_expression" => {
            by_call(node, file)
        }
        Language::Java | Language::Kotlin if node.is_kind(&["annotation"]) => by_annotation(node, file),
        _ => by_branch(node, file, tests),
    }
}

/// `@pytest.mark.skipif(os.getenv("CI") == "true", reason="...")` on a test that was there before.
fn by_decorator(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    let call = node.named_children().next()?.call()?;
    let name = call.name();
    let leaves = match name.as_str() {
        "skipif" | "skipIf" => true,
        "skipUnless" => false,
        _ => return None,
    };
    let owner = node.parent()?.child("definition")?;
    let was_there = !file.touched_lines().is_added(owner.line());
    let skip = by_condition(call.arguments().next()?.bytes(), leaves).filter(|_| was_there)?;
    Some((format!("@{}", String::from_utf8_lossy(call.callee())), skip))
}

/// `it.skipIf(process.env.CI)("title", ...)`, with what stood in it before.
fn by_call(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    let inner = node.child("function")?.call()?;
    let name = inner.name();
    let leaves = match name.as_str() {
        "skipIf" => true,
        "runIf" => false,
        _ => return None,
    };
    let was_there = node.end_line() > node.line() && !file.touched_lines().is_added(node.line() + 1);
    let skip = by_condition(inner.arguments().next()?.bytes(), leaves).filter(|_| was_there)?;
    Some((format!(".{name}"), skip))
}

/// `@DisabledIfEnvironmentVariable(named = "CI", matches = "true")`.
fn by_annotation(node: Node<'_>, file: &FileContext<'_>) -> Option<(String, Skip)> {
    let text = beginning(node);
    text.starts_with(b"@DisabledIfEnvironmentVariable").then_some(())?;
    let owner = node.ancestors().find(|around| around.is(Notion::Function) || around.is(Notion::Type))?;
    let was_there = owner.end_line() > node.line() && !file.touched_lines().is_added(owner.end_line());
    let of_checkers = memchr::memmem::find(text, b"\"CI\"").is_some();
    let skip = if of_checkers { Skip::Bare } else { Skip::Conditional };
    was_there.then(|| ("@DisabledIfEnvironmentVariable".to_owned(), skip))
}

/// More statements than a way out and what it says.
const MOST_INSIDE: usize = 40;

/// `if os.Getenv("CI") != "" { t.Skip() }` in a test that was there before.
fn by_branch<'t>(node: Node<'t>, file: &FileContext<'_>, tests: &Tests<'t>) -> Option<(String, Skip)> {
    let is_branch = node.is(Notion::Branch) || node.is_kind(&["if_modifier", "if_expression"]);
    let condition = node.child("condition").filter(|_| is_branch)?;
    let skip = by_condition(condition.bytes(), true)?;
    let taken = node.child("consequence").or_else(|| node.child("body"))?;
    let leaves = |inner: Node<'_>| {
        inner.is(Notion::Return)
            || inner.call().is_some_and(|call| call.name().to_ascii_lowercase().starts_with("skip"))
            || (inner.kind() == "identifier" && inner.bytes() == b"skip")
    };
    let is_short = taken.descendants().take(MOST_INSIDE).count() < MOST_INSIDE;
    (is_short && taken.descendants().any(leaves)).then_some(())?;
    let test = tests.around(node)?;
    let was_there = !file.touched_lines().is_added(test.line());
    was_there.then(|| (String::from_utf8_lossy(beginning(condition)).into_owned(), skip))
}
