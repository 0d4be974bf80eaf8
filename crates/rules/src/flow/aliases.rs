//! Other names that a file gives to functions which run what they are given: `run = os.system`, `const e = eval`.

use std::collections::{HashMap, HashSet};

use tree_sitter::Node;

use super::names::Names;
use super::text_of;
use super::walk::{Step, walk};
use crate::language::Language;

/// Functions that are worth another look under another name, by what they are called where they come from.
const RUNNING: [&str; 24] = [
    "eval",
    "exec",
    "builtins.eval",
    "builtins.exec",
    "os.system",
    "os.popen",
    "subprocess.run",
    "subprocess.call",
    "subprocess.check_call",
    "subprocess.check_output",
    "subprocess.Popen",
    "subprocess.getoutput",
    "subprocess.getstatusoutput",
    "pickle.loads",
    "pickle.load",
    "yaml.load",
    "Function",
    "window.eval",
    "globalThis.eval",
    "child_process.exec",
    "child_process.execSync",
    "os/exec.Command",
    "os/exec.CommandContext",
    "marshal.loads",
];

/// The last parts of those names: without one of them in its text, a file gives none of them away.
const WORDS: [&[u8]; 13] = [
    b"eval",
    b"exec",
    b"system",
    b"popen",
    b"subprocess.",
    b"getoutput",
    b"getstatusoutput",
    b"loads",
    b"load",
    b"Function",
    b"execSync",
    b"Command",
    b"check_",
];

/// The names that are only ever called, and what they stand for. One that is also given, passed or declared again may be
/// something else in another function.
pub(super) fn of(root: Node<'_>, text: &[u8], names: &Names) -> HashMap<String, String> {
    let mut found: HashMap<String, String> = HashMap::new();
    if !matches!(
        names.language(),
        Language::Python | Language::JavaScript | Language::TypeScript | Language::Go
    ) || !WORDS.iter().any(|word| memchr::memmem::find(text, word).is_some())
    {
        return found;
    }
    // Where one of them is given, or called.
    let mut expected: HashSet<usize> = HashSet::new();
    walk(root, |node| {
        if let Some((name, value)) = given(node)
            && may_run(text_of(text, value))
            && let whole = names.whole(value, text)
            && RUNNING.contains(&whole.as_str())
        {
            expected.insert(name.start_byte());
            found.insert(text_of(text, name).to_owned(), whole);
        }
        Step::Into
    });
    if found.is_empty() {
        return found;
    }
    let mut others: HashSet<&str> = HashSet::new();
    walk(root, |node| {
        if matches!(node.kind(), "call" | "call_expression") {
            expected.extend(node.child_by_field_name("function").map(|name| name.start_byte()));
        }
        let is_other = node.kind() == "identifier" && !expected.contains(&node.start_byte());
        if is_other && let Some((name, _)) = found.get_key_value(text_of(text, node)) {
            others.insert(name);
        }
        Step::Into
    });
    let others: HashSet<String> = others.into_iter().map(str::to_owned).collect();
    found.retain(|name, _| !others.contains(name));
    found
}

/// Cheaper than to work out the name of everything that is given to something.
fn may_run(value: &str) -> bool {
    const LONGEST: usize = 60;
    let last = value.trim_end_matches([')', '"', '\'']).rsplit(['.', '"', '\'']).next().unwrap_or(value);
    value.len() <= LONGEST && RUNNING.iter().any(|one| one.rsplit('.').next() == Some(last))
}

/// A name, and the name of a function that it is given.
fn given(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let field = |name| node.child_by_field_name(name);
    let (name, value) = match node.kind() {
        "assignment" | "short_var_declaration" => (field("left")?, field("right")?),
        "variable_declarator" => (field("name")?, field("value")?),
        _ => return None,
    };
    let (name, value) = (only(name), only(value));
    let is_named = matches!(
        value.kind(),
        "identifier" | "attribute" | "member_expression" | "selector_expression" | "call"
    );
    (name.kind() == "identifier" && is_named).then_some((name, value))
}

/// Go writes lists on both sides.
fn only(node: Node<'_>) -> Node<'_> {
    let is_list = node.kind() == "expression_list" && node.named_child_count() == 1;
    node.named_child(0).filter(|_| is_list).unwrap_or(node)
}

#[cfg(test)]
mod tests {
    use crate::flow::{Flow, Invocation, Step, walk};
    use crate::language::Language;

    /// The whole names of all that is called with `x`.
    fn called(language: Language, text: &str) -> Vec<String> {
        let grammar = crate::data::Grammar::of(language, "").unwrap();
        let tree = crate::data::parse(grammar, text.as_bytes()).unwrap();
        let flow = Flow::new(tree.root_node(), text.as_bytes(), language);
        let mut found = Vec::new();
        walk(tree.root_node(), |node| {
            if let Some(call) = Invocation::of(node)
                && call.values().last().is_some_and(|last| flow.text_of(*last) == "x")
            {
                found.push(flow.name_of(call.callee));
            }
            Step::Into
        });
        found
    }

    #[test]
    fn another_name_of_a_function_is_the_function() {
        for (language, text, whole) in [
            (Language::Python, "import os\ndef f(x):\n    s = os.system\n    s(x)\n", "os.system"),
            (Language::Python, "import os\ngetattr(os, 'system')(x)\n", "os.system"),
            (Language::Python, "import os\nrun = getattr(os, \"system\")\nrun(x)\n", "os.system"),
            (Language::Python, "__import__('os').system(x)\n", "os.system"),
            (Language::Python, "e = eval\ne(x)\n", "eval"),
            (Language::JavaScript, "(0, eval)(x);", "eval"),
            (Language::JavaScript, "const e = eval; e(x);", "eval"),
            (
                Language::JavaScript,
                "const { exec } = require('child_process'); promisify(exec)(x);",
                "child_process.exec",
            ),
            (
                Language::Go,
                "package a\nimport \"os/exec\"\nfunc f(x string) { run := exec.Command; run(\"sh\", \"-c\", x) }\n",
                "os/exec.Command",
            ),
        ] {
            assert_eq!(called(language, text), [whole], "{text}");
        }
    }

    #[test]
    fn a_name_that_may_be_something_else_is_itself() {
        for (language, text, whole) in [
            (Language::Python, "e = eval\ndef f(e):\n    e(x)\n", "e"),
            (Language::Python, "run = shell.run\nrun(x)\n", "run"),
            (Language::Python, "load = json.loads\nload(x)\n", "load"),
            (Language::JavaScript, "let e = eval; e = check; e(x);", "e"),
            (Language::JavaScript, "const e = evaluate; e(x);", "e"),
        ] {
            assert_eq!(called(language, text), [whole], "{text}");
        }
    }
}
