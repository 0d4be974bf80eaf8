use std::borrow::Cow;

use domain::change::RepoPath;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::spot::{SCRIPT, Spot, first_spot, spot, written};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};

static INFO: RuleInfo = RuleInfo {
    id: text("debug-leftover"),
    title: text("Debugging output left in the code"),
    why: text("It clutters the output and may show data that was never meant to be seen"),
    fix: text("Remove the statement, or log through the project's logger"),
    severity: Severity::Medium,
    category: Category::Readability,
    dimension: Dimension::CODE_QUALITY,
    confidence: Confidence::High,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::JavaScript,
        Language::TypeScript,
        Language::Python,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Php,
        Language::Ruby,
        Language::Swift,
        Language::Scala,
        Language::C,
        Language::Cpp,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("src/a.rs", "fn a() { dbg!(1); }\n", &[1]),
        Example::good("scripts/a.js", "console.log('done');\n"),
    ]),
};

static LEFTOVERS: [Spot; 15] = [
    spot(&[Language::Rust], r"\bdbg!\s*[(\[{]", "dbg!"),
    spot(SCRIPT, r"\bconsole\.(?:log|debug|dir|table|trace)\s*\(", "console.log"),
    spot(&[Language::Php], r"\b(?:var_dump|print_r)\s*\(", "var_dump"),
    spot(&[Language::Php], r"(?:^|[^\w>$:\\])(dd|dump)\s*\(", "dd"),
    spot(&[Language::Python], r#"\bprint\(\s*[fFrR]?["']+\W*DEBUG\b"#, "print"),
    spot(&[Language::Go], r#"\bfmt\.Print(?:ln|f)?\(\s*["`]\W*DEBUG\b"#, "fmt.Println"),
    spot(&[Language::Java], r#"\bSystem\.(?:out|err)\.print(?:ln|f)?\(\s*"\W*DEBUG\b"#, "System.out.println"),
    spot(&[Language::Java, Language::Kotlin], r"\.printStackTrace\(\s*\)", "printStackTrace"),
    spot(&[Language::Go], r"\bspew\.Dump\(", "spew.Dump"),
    spot(&[Language::Kotlin], r#"\bprint(?:ln)?\(\s*"\W*DEBUG\b"#, "println"),
    spot(&[Language::Ruby], r#"(?:^|[\s;])(puts|p|pp)[\s(]+["']\W*DEBUG\b"#, "puts"),
    spot(&[Language::Swift], r#"\b(?:print|NSLog|debugPrint)\(\s*@?"\W*DEBUG\b"#, "print"),
    spot(&[Language::Scala], r#"\bprint(?:ln)?\(\s*s?"\W*DEBUG\b"#, "println"),
    spot(
        &[Language::C, Language::Cpp],
        r#"(?:\bprintf\(\s*|\bfprintf\(\s*stderr,\s*|\bputs\(\s*|\bstd::c(?:out|err)\s*<<\s*)"\W*DEBUG\b"#,
        "printf",
    ),
    spot(&[Language::CSharp], r#"\bConsole\.Write(?:Line)?\(\s*\$?"\W*DEBUG\b"#, "Console.WriteLine"),
];

pub(crate) struct DebugLeftover;

impl FileRule for DebugLeftover {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"dbg!",
                b"console.",
                b"var_dump",
                b"print_r",
                b"dd(",
                b"dump(",
                b"DEBUG",
                b"printStackTrace",
                b"spew.Dump",
            ],
            removed: &[],
        }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        if SCRIPT.contains(&file.language) && talks_to_a_terminal(file) {
            return;
        }
        for line in hits {
            let found = first_spot(&LEFTOVERS, file, line).filter(|_| !file.in_test(line.number));
            if let Some((_, at)) = found.filter(|(_, at)| !gives_text(line, at.start)) {
                report.add(Draft::line(
                    line,
                    format!("`{}` looks like a leftover of debugging", written(line, &at)),
                ));
            }
        }
    }
}

/// `print_r($x, true)` of PHP prints nothing: it gives the text back.
fn gives_text(line: &AddedLine<'_>, at: usize) -> bool {
    static GIVES: Pattern = Pattern::new(r"^print_r\s*\(.*,\s*(?:return:\s*)?(?i:true)\s*\)");
    line.text.get(at..).is_some_and(|rest| GIVES.regex().is_match(rest))
}

/// Scripts, command-line programs and build settings print because that is what they are for.
pub(super) fn talks_to_a_terminal(file: &FileContext<'_>) -> bool {
    let path = file.change.path();
    is_script_path(path) || file.head().is_some_and(|head| head.text().starts_with(b"#!"))
}

fn is_script_path(path: &RepoPath) -> bool {
    const FOLDERS: [&[u8]; 16] = [
        b"bin",
        b"script",
        b"scripts",
        b"tools",
        b"tool",
        b"cli",
        b"commands",
        b"example",
        b"examples",
        b"demo",
        b"demos",
        b"bench",
        b"benchmark",
        b"benchmarks",
        b"build",
        b"docs",
    ];
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    path.folders().any(|folder| FOLDERS.contains(&folder))
        || name.contains(".config.")
        || ["cli.", "gulpfile.", "gruntfile.", "logger.", "build.", "seed."]
            .iter()
            .any(|start| name.starts_with(start))
}
