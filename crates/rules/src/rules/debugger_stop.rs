use std::borrow::Cow;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::spot::{SCRIPT, Spot, first_spot, spot};
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
    spot(&[Language::Ruby], r"\bbinding\.(?:pry|irb|break|b)\b", "binding.pry"),
    spot(&[Language::Ruby], r"^\s*(byebug|debugger)\s*$", "byebug"),
    spot(&[Language::Php], r"\bxdebug_break\s*\(", "xdebug_break()"),
    spot(&[Language::Php], r"\beval\(\\Psy\\sh\(\)\)", "Psy\\sh()"),
];

/// IPython's, where the file imports it; others have functions of that name too.
const EMBED: &str = "embed()";

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
            if let Some((stop, _)) = first_spot(&STOPS, file, line)
                && (stop.what != EMBED || imports_ipython(file))
            {
                report.add(Draft::line(line, format!("`{}` stops the program here", stop.what)));
            }
        }
    }
}

fn imports_ipython(file: &FileContext<'_>) -> bool {
    file.head().is_some_and(|head| memchr::memmem::find(head.code(), b"from IPython import").is_some())
}
