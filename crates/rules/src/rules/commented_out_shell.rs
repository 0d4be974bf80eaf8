//! Whether comments of a shell script are commands that were taken out. To a shell every sentence is a command, so a run of
//! comments counts only if nothing in it can be a sentence, and if it does what examples of a usage do not.

use crate::context::FileContext;
use crate::syntax::{Node, Tree};

/// Programs and words of the shell that no sentence begins with, or hardly any without a capital.
const KNOWN: [&str; 84] = [
    ".",
    ":",
    "[",
    "[[",
    "apk",
    "apt",
    "apt-get",
    "aws",
    "awk",
    "base64",
    "basename",
    "brew",
    "bundle",
    "cargo",
    "cat",
    "cd",
    "chmod",
    "chown",
    "cmake",
    "composer",
    "cp",
    "crontab",
    "curl",
    "dirname",
    "dnf",
    "docker",
    "docker-compose",
    "dpkg",
    "echo",
    "eval",
    "exec",
    "exit",
    "gcloud",
    "getopts",
    "git",
    "go",
    "gpg",
    "grep",
    "gunzip",
    "gzip",
    "head",
    "helm",
    "jq",
    "kill",
    "kubectl",
    "ln",
    "ls",
    "make",
    "mkdir",
    "mktemp",
    "mv",
    "mvn",
    "mysql",
    "node",
    "npm",
    "npx",
    "openssl",
    "perl",
    "php",
    "pip",
    "pip3",
    "pnpm",
    "popd",
    "printf",
    "psql",
    "pushd",
    "python",
    "python3",
    "rm",
    "rsync",
    "scp",
    "sed",
    "service",
    "shift",
    "sleep",
    "source",
    "ssh",
    "sudo",
    "systemctl",
    "tar",
    "terraform",
    "trap",
    "wget",
    "yarn",
];

/// `make sure that "$it" is there` begins with a known word, too.
const ENGLISH: [&str; 15] =
    ["a", "an", "and", "be", "if", "in", "is", "it", "of", "sure", "that", "the", "this", "to", "with"];

/// What a statement is worth as evidence.
const OF_A_BLOCK: usize = 2;
const FEWEST: usize = 2;

/// The last line above which there are nothing but comments: that is where scripts say how they are used.
pub(super) fn end_of_heading(file: &FileContext<'_>) -> u32 {
    let Some(head) = file.head() else { return u32::MAX };
    let is_code = |number: &u32| {
        let line = head.line(*number).trim_ascii();
        !line.is_empty() && !line.starts_with(b"#")
    };
    let last = file.added().last().map_or(0, |line| line.number);
    (1..=last).find(is_code).unwrap_or(last)
}

pub(super) fn is_code(tree: &Tree) -> bool {
    let root = tree.root();
    let statements: Vec<Node<'_>> = root.named_children().collect();
    if root.has_error() || statements.is_empty() {
        return false;
    }
    let Some(worth) = statements.iter().map(|statement| worth(*statement)).sum::<Option<usize>>() else {
        return false;
    };
    // Settings that wait to be switched on are offered, not taken out.
    let does_something = statements.iter().any(|statement| !is_setting(*statement));
    worth >= FEWEST && does_something
}

fn is_setting(statement: Node<'_>) -> bool {
    statement.is_kind(&[
        "variable_assignment",
        "variable_assignments",
        "declaration_command",
        "unset_command",
    ])
}

/// Nothing if it can be a sentence.
fn worth(statement: Node<'_>) -> Option<usize> {
    match statement.kind() {
        "if_statement"
        | "for_statement"
        | "c_style_for_statement"
        | "while_statement"
        | "case_statement"
        | "function_definition" => Some(OF_A_BLOCK),
        "variable_assignment" | "variable_assignments" | "declaration_command" | "unset_command" => Some(1),
        "test_command" => Some(1),
        "command" => is_known(statement).then(|| usize::from(expands(statement))),
        "pipeline"
        | "list"
        | "redirected_statement"
        | "negated_command"
        | "subshell"
        | "compound_statement" => {
            let mut commands = statement.descendants().filter(|node| node.kind() == "command");
            commands.all(is_known).then_some(1)
        }
        _ => None,
    }
}

/// A program everybody has, one that is called by its path, or by a variable.
fn is_known(command: Node<'_>) -> bool {
    let Some(name) = command.child("name") else { return false };
    let text = name.text();
    let speaks = !["echo", "printf"].contains(&text.as_ref())
        && command.named_children().any(|word| ENGLISH.contains(&word.text().as_ref()));
    !speaks && (KNOWN.contains(&text.as_ref()) || text.contains('/') || text.starts_with(['$', '"']))
}

fn expands(command: Node<'_>) -> bool {
    command.descendants().any(|node| {
        node.is_kind(&["simple_expansion", "expansion", "command_substitution", "variable_assignment"])
    })
}
