use std::borrow::Cow;

use domain::change::RepoPath;
use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::debug_leftover::talks_to_a_terminal;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{FileRule, Interest, RuleInfo, text};
use crate::syntax::{Notion, Tree};

static INFO: RuleInfo = RuleInfo {
    id: text("stray-print"),
    title: text("Output in a file that printed nothing before"),
    why: text("It is mostly left from debugging, and nobody expects output from there"),
    fix: text("Remove it, or log through the project's logger"),
    severity: Severity::Low,
    category: Category::Readability,
    dimension: Dimension::CODE_QUALITY,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Rust,
        Language::Python,
        Language::Go,
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
    ]),
    examples: Cow::Borrowed(&[]),
};

const PRINTS: [(Language, &[&[u8]]); 6] = [
    (Language::Rust, &[b"println", b"print", b"eprintln", b"eprint"]),
    (Language::Python, &[b"print", b"pprint", b"pprint.pprint"]),
    (Language::Go, &[b"fmt.Println", b"fmt.Printf", b"fmt.Print", b"println"]),
    (
        Language::Java,
        &[b"System.out.println", b"System.out.print", b"System.out.printf", b"System.err.println"],
    ),
    (Language::Kotlin, &[b"println", b"print"]),
    (Language::CSharp, &[b"Console.WriteLine", b"Console.Write"]),
];

/// What programs for a terminal are made with.
const FOR_TERMINALS: [&[u8]; 11] = [
    b"argparse",
    b"import click",
    b"import typer",
    b"clap::",
    b"__main__",
    b"fn main(",
    b"func main(",
    b"void main(",
    b"fun main(",
    b"static void Main",
    b"import cobra",
];

pub(crate) struct StrayPrint;

impl FileRule for StrayPrint {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals { added: &[b"print", b"Console.Write"], removed: &[] }
    }

    fn check(&self, file: &FileContext<'_>, hits: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        let Some((_, names)) = PRINTS.iter().find(|(language, _)| *language == file.language) else { return };
        if file.is_test_file() || talks_to_a_terminal(file) || is_a_program(file.change.path()) {
            return;
        }
        let (Some(base), Some(head)) = (file.base_tree(), file.head()) else { return };
        let is_program = FOR_TERMINALS.iter().any(|word| memchr::memmem::find(head.text(), word).is_some());
        if is_program || !printing(base, names).is_empty() {
            return;
        }
        let lines = file.touched_tree().map(|tree| printing(tree, names)).unwrap_or_default();
        for line in hits.iter().filter(|line| lines.contains(&line.number) && !file.in_test(line.number)) {
            report.add(Draft::line(line, "This file printed nothing before"));
        }
    }
}

/// The lines that print.
fn printing(tree: &Tree, names: &[&[u8]]) -> Vec<u32> {
    let calls = tree.all(Notion::Call).filter_map(|node| node.call());
    calls.filter(|call| names.contains(&call.callee())).map(|call| call.node.line()).collect()
}

fn is_a_program(path: &RepoPath) -> bool {
    const FOLDERS: [&[u8]; 5] = [b"cmd", b"bin", b"command", b"console", b"notebooks"];
    const NAMES: [&str; 9] =
        ["main", "cli", "build", "setup", "manage", "__main__", "program", "console", "printer"];
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    NAMES.contains(&stem) || path.folders().any(|folder| FOLDERS.contains(&folder))
}
