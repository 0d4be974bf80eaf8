use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::spot::{SCRIPT, Spot, first_spot, spot, written};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("debugger-stop"),
    title: text("A debugger stop left in the code"),
    why: text("The program halts there and waits for a debugger that nobody has attached"),
    fix: text("Remove the statement"),
    severity: Severity::Major,
    category: Category::Correctness,
    dimension: Dimension::CODE_QUALITY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[
        Language::JavaScript,
        Language::TypeScript,
        Language::Python,
        Language::Go,
        Language::Ruby,
        Language::Php,
        Language::CSharp,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.js", "function a() {\n  debugger;\n}\n", &[2]),
        Example::good("src/a.js", "const debugger_url = 'x'; // no debugger; here\n"),
    ]),
};

static STOPS: [Spot; 12] = [
    spot(&[Language::CSharp], r"\bDebugger\.(?:Break|Launch)\(\s*\)", "Debugger.Break()"),
    spot(SCRIPT, r"(?:^|[;{}\s]|\xE2\x80[\xA8\xA9])(debugger)\s*(?:;|$|\})", "debugger"),
    spot(&[Language::Python], r"(?:^\s*|[;:\r]\s*)(breakpoint)\(", "breakpoint()"),
    spot(&[Language::Python], r"\b(?:i?pdb|pudb|wdb|rpdb|ipdb)\.set_trace\(", "set_trace()"),
    spot(
        &[Language::Python],
        r#"\b__import__\(\s*["'](?:i?pdb|pudb|wdb|rpdb)["']\s*\)\.(?:set_trace|breakpoint)\("#,
        "set_trace()",
    ),
    spot(&[Language::Python], r"\bIPython\.embed\(", "IPython.embed()"),
    spot(&[Language::Python], r"(?:^\s*|[;:]\s*)(embed)\(\s*\)", EMBED),
    spot(&[Language::Go], r"\bruntime\.Breakpoint\(", "runtime.Breakpoint()"),
    spot(&[Language::Ruby], r"\bbinding\.(?:pry|irb|break|b)\b", BINDING),
    spot(&[Language::Ruby], r"^\s*(byebug|debugger)\s*$", "byebug"),
    spot(&[Language::Php], r"\bxdebug_break\s*\(", "xdebug_break()"),
    spot(&[Language::Php], r"\beval\(\\Psy\\sh\(\)\)", "Psy\\sh()"),
];

/// IPython's, where the file imports it; others have functions of that name too.
const EMBED: &str = "embed()";

/// Ruby's, which a program that is a console ends in.
const BINDING: &str = "binding.pry";

pub(crate) struct DebuggerStop;

impl FileRule for DebuggerStop {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"debugger",
                b"breakpoint(",
                b"set_trace(",
                b"__import__(",
                b"embed(",
                b"binding.",
                b"byebug",
                b"xdebug_break",
                b"Psy\\sh",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) {
            return;
        }
        for line in hits {
            let Some((stop, at)) = first_spot(&STOPS, file, line) else { continue };
            let meant = match stop.what {
                EMBED => imports_ipython(file),
                BINDING => !opens_console(file),
                _ => true,
            };
            if meant {
                let what = if stop.what == BINDING { written(line, &at) } else { stop.what.to_owned() };
                report.add(Draft::line(line, format!("`{what}` stops the program here")));
            }
        }
    }
}

/// `bin/console` and its like: scripts that load a console to open it.
fn opens_console(file: &FileContext<'_>) -> bool {
    const FOLDERS: [&[u8]; 5] = [b"bin", b"exe", b"script", b"scripts", b"tasks"];
    let path = file.change.path();
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    let is_named = ["console", "repl", "irb"].iter().any(|word| name.split('.').next() == Some(word));
    let loads = |source: &crate::source::Source| {
        let code = source.text();
        [&b"\"irb\""[..], b"'irb'", b"\"pry\"", b"'pry'"]
            .iter()
            .any(|name| memchr::memmem::find(code, name).is_some())
    };
    is_named || (path.folders().any(|folder| FOLDERS.contains(&folder)) && file.head().is_some_and(loads))
}

fn imports_ipython(file: &FileContext<'_>) -> bool {
    file.head().is_some_and(|head| memchr::memmem::find(head.code(), b"from IPython import").is_some())
}
