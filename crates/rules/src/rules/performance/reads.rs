use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::{LONGEST_FUNCTION, around, new_calls, path_of};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::Call;

static INFO: RuleInfo = RuleInfo {
    id: text("unbounded-read"),
    title: text("Everything that a peer sends is read into memory, however much it is"),
    why: text("One large message takes all the memory there is"),
    fix: text("Set a limit on what is read"),
    severity: Severity::Medium,
    category: Category::Performance,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Go,
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad(
            "a.go",
            "package p\nfunc f(r *http.Request) {\n\tb, err := io.ReadAll(r.Body)\n}\n",
            &[3],
        ),
        Example::good("src/a.rs", "fn a(stream: TcpStream) { stream.take(9).read_to_end(&mut b) }\n"),
    ]),
};

static STREAM: Pattern =
    Pattern::new(r"(?i)(?:^|\.)\w*(?:stream|socket|sock|conn|connection)\.(?:read_to_end|read_to_string)$");
/// The ends of a connection, by the types that libraries of Rust have for them.
static TYPED_STREAM: Pattern =
    Pattern::new(r"\b(\w+)\s*(?::\s*&?\s*(?:mut\s+)?|=\s*)(?:\w+::)*(?:TcpStream|UnixStream|TlsStream)\b");
static PYTHON: Pattern = Pattern::new(
    r"^(?:self\.)?(?:flask\.)?request\.(?:stream|environ\.get)\.read$|^(?:self\.)?rfile\.read$|(?:^|\.)urlopen\.read$",
);
static BODY: Pattern = Pattern::new(r"(?i)^(?:r|req|request|c\.Request|ctx\.Request)\.Body$");

pub(crate) struct UnboundedRead;

impl FileRule for UnboundedRead {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[b"ReadAll", b"read_to_end", b"read_to_string", b".read()", b".on("],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let is_limited = |text: &[u8]| {
            [&b"MaxBytesReader"[..], b"LimitReader", b"MaxBytesHandler", b"BodyLimit", b"MAX_CONTENT_LENGTH"]
                .iter()
                .any(|limit| memchr::memmem::find(text, limit).is_some())
        };
        if is_limited(head.text()) {
            return;
        }
        for call in new_calls(file, tree) {
            let path = path_of(&call);
            let found = match file.language {
                Language::Go => {
                    ["io.ReadAll", "ioutil.ReadAll"].contains(&path.as_str())
                        && call.arguments().next().is_some_and(|body| BODY.regex().is_match(body.bytes()))
                }
                Language::Python => {
                    PYTHON.regex().is_match(path.as_bytes()) && call.arguments().next().is_none()
                }
                Language::JavaScript | Language::TypeScript => collects_body(&call, &path),
                _ => reads_stream(&call, &path),
            };
            if found {
                let line = call.node.line();
                let draft = Draft::lines(head, line, line, format!("`{path}` reads whatever is sent"));
                // Who is asked is mostly known; who asks is not.
                report.add(match path.ends_with("urlopen.read") {
                    true => draft.severity(Severity::Low).confidence(Confidence::Low),
                    false => draft,
                });
            }
        }
    }
}

/// By its name, or by the type that the function around it gives it.
fn reads_stream(call: &Call<'_>, path: &str) -> bool {
    let Some(function) = around(call.node) else { return false };
    if STREAM.regex().is_match(path.as_bytes()) {
        return true;
    }
    let Some((name, "read_to_end" | "read_to_string")) = path.split_once('.') else { return false };
    function.bytes().len() <= LONGEST_FUNCTION
        && TYPED_STREAM
            .regex()
            .captures_iter(function.bytes())
            .any(|found| found.get(1).is_some_and(|typed| typed.as_bytes() == name.as_bytes()))
}

/// `req.on("data", (chunk) => { body += chunk; })`, where nothing looks at how much it is.
fn collects_body(call: &Call<'_>, path: &str) -> bool {
    if !["req.on", "request.on", "ctx.req.on"].contains(&path) {
        return false;
    }
    let mut passed = call.arguments();
    let (Some(event), Some(handler)) = (passed.next(), passed.next()) else { return false };
    let has =
        |text: &[u8], words: &[&[u8]]| words.iter().any(|word| memchr::memmem::find(text, word).is_some());
    let around = around(call.node).map_or(handler.bytes(), |function| function.bytes());
    let is_limited =
        || has(around, &[b".length", b".byteLength", b"destroy(", b"imit", b"MAX", b"max", b"hash.update"]);
    [&b"\"data\""[..], b"'data'"].contains(&event.bytes())
        && has(handler.bytes(), &[b"+=", b".push("])
        && around.len() <= LONGEST_FUNCTION
        && !is_limited()
}
