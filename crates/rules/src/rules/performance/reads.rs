use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::{function_around, new_calls, path_of};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("unbounded-read"),
    title: text("Everything that a peer sends is read into memory, however much it is"),
    why: text("One large message takes all the memory there is"),
    fix: text("Set a limit on what is read"),
    severity: Severity::Medium,
    category: Category::Performance,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[Language::Rust, Language::Go]),
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
static BODY: Pattern = Pattern::new(r"(?i)^(?:r|req|request|c\.Request|ctx\.Request)\.Body$");

pub(crate) struct UnboundedRead;

impl FileRule for UnboundedRead {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[b"ReadAll", b"read_to_end", b"read_to_string"], removed: &[] }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let is_limited = |text: &[u8]| {
            [&b"MaxBytesReader"[..], b"LimitReader", b"MaxBytesHandler", b"BodyLimit"]
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
                _ => STREAM.regex().is_match(path.as_bytes()) && function_around(call.node).is_some(),
            };
            if found {
                let line = call.node.line();
                report.add(Draft::lines(head, line, line, format!("`{path}` reads whatever is sent")));
            }
        }
    }
}
