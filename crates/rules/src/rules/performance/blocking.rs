use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::{around, new_calls, path_of};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::rules::debug_leftover::talks_to_a_terminal;
use crate::source::Source;
use crate::syntax::{Call, Node};

static INFO: RuleInfo = RuleInfo {
    id: text("blocking-in-async"),
    title: text("A call that blocks its thread inside an asynchronous function"),
    why: text("While it waits, everything else on that thread waits too"),
    fix: text("Use the asynchronous way to do it, or move it to a thread that may block"),
    severity: Severity::Medium,
    category: Category::Performance,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::CSharp,
        Language::Kotlin,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("a.py", "async def a():\n    time.sleep(1)\n", &[2]),
        Example::good("a.py", "async def a():\n    await asyncio.sleep(1)\n"),
    ]),
};

static PYTHON: Pattern = Pattern::new(
    r"^time\.sleep$|^requests\.(?:get|post|put|patch|delete|head|request)$|^urllib\.request\.urlopen$|^urlopen$|^subprocess\.(?:run|call|check_call|check_output)$|^os\.system$|^httpx\.(?:get|post|put|patch|delete|head)$",
);
static RUST: Pattern = Pattern::new(
    r"^(?:std\.)?thread\.sleep$|^std\.fs\.(?:read|read_to_string|write|copy|read_dir|rename|create_dir_all|remove_file|remove_dir_all)$|^fs\.(?:read|read_to_string|write|copy|read_dir)$|^(?:std\.fs\.)?File\.(?:open|create)$|^reqwest\.blocking\.\w+$",
);
static SCRIPT: Pattern = Pattern::new(
    r"^(?:fs\.)?(?:read|write|append|copy)FileSync$|^(?:child_process\.)?(?:execSync|execFileSync|spawnSync)$|^fs\.(?:readdir|stat|rm|mkdir|unlink)Sync$|^(?:crypto\.)?(?:pbkdf2Sync|scryptSync)$|^bcrypt\.(?:hashSync|compareSync)$",
);
static CSHARP: Pattern = Pattern::new(
    r"^(?:System\.Threading\.)?Thread\.Sleep$|^File\.(?:ReadAllText|WriteAllText|ReadAllBytes|ReadAllLines)$",
);

static KOTLIN: Pattern = Pattern::new(r"^(?:java\.lang\.)?Thread\.sleep$");

pub(crate) struct BlockingInAsync;

impl FileRule for BlockingInAsync {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"sleep",
                b"requests.",
                b"urlopen",
                b"subprocess.",
                b"os.system",
                b"httpx.",
                b"fs::",
                b"File::",
                b"blocking::",
                b"Sync(",
                b"File.",
                b"async",
                b"Async",
                b".Wait()",
                b".GetAwaiter",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let pattern = match file.language {
            Language::Python => &PYTHON,
            Language::Rust => &RUST,
            Language::JavaScript | Language::TypeScript => &SCRIPT,
            Language::CSharp => &CSHARP,
            Language::Kotlin => &KOTLIN,
            _ => return,
        };
        let is_script = matches!(file.language, Language::JavaScript | Language::TypeScript);
        if file.is_test_file() || (is_script && talks_to_a_terminal(file)) {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let mut other_files = None;
        for call in new_calls(file, tree) {
            let path = path_of(&call);
            let is_another = file.language == Language::Rust
                && (path.starts_with("fs.") || path.starts_with("File."))
                && *other_files.get_or_insert_with(|| has_other_files(head));
            let blocks = pattern.regex().is_match(path.as_bytes()) && !is_another
                || file.language == Language::CSharp && is_waited_for(&call);
            if blocks && around(call.node).is_some_and(is_async) {
                let line = call.node.line();
                let message = format!("`{path}` blocks the thread of an asynchronous function");
                report.add(Draft::lines(head, line, line, message));
            }
        }
    }
}

/// `LoadAsync().Result`, `Work().Wait()` and `Work().GetAwaiter().GetResult()` of C# hold the thread until a task is done.
/// What a variable holds may be done already.
fn is_waited_for(call: &Call<'_>) -> bool {
    let Some(member) = call.node.parent().filter(|one| one.kind() == "member_access_expression") else {
        return false;
    };
    let Some(called) = member.parent() else { return false };
    match member.child("name").map(|name| name.bytes()) {
        Some(b"Result") => call.name().ends_with("Async") && called.kind() != "invocation_expression",
        Some(b"Wait") => called.bytes().ends_with(b".Wait()"),
        Some(b"GetAwaiter") => {
            called.parent().is_some_and(|result| result.bytes().ends_with(b".GetAwaiter().GetResult"))
        }
        _ => false,
    }
}

/// Whether `fs` and `File` may be those of an asynchronous library.
fn has_other_files(head: &Source) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(head.text(), word).is_some();
    !has(b"std::fs") || has(b"tokio::fs") || has(b"async_std") || has(b"fs_err::tokio") || has(b"smol::")
}

fn is_async(function: Node<'_>) -> bool {
    function.kind() == "async_block"
        || function.children().take(8).any(|part| match part.kind() {
            "async" => true,
            "function_modifiers" | "modifiers" => {
                part.children().any(|word| word.kind() == "async" || word.bytes() == b"suspend")
            }
            "modifier" => part.bytes() == b"async",
            _ => false,
        })
}
