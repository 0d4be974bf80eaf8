//! Functions of shell scripts that only hold their place.

use domain::review::Confidence;
use domain::words::Severity;

use super::promised::{is_promise, without_marks};
use super::reading::{Reader, Reading};
use crate::context::FileContext;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::syntax::{Function, Node, Notion, functions};

static WORTH: Pattern = Pattern::new(r"(?i)implement|todo|fixme");

/// What is written where the shell asks for a command and there is none yet.
static FILLER: Pattern = Pattern::new(r"^(?::|true|return(?:\s+0)?)$");

/// Where a body does nothing, whatever is to be done is its work; unless it is to go.
static OPEN: Pattern = Pattern::new(r"(?i)^\W*(?:todo|fixme)\b");
static TO_GO: Pattern = Pattern::new(r"(?i)\b(?:remove|delete|drop|deprecate|get rid)");

static SAYS_SO: Pattern = Pattern::new(
    r#"(?i)^(?:echo|printf|die|fail|fatal|abort|err|error|warn|log\w*)\s+(?:-\w+\s+|>&2\s+|["']%s(?:\\n)?["']\s+)*["']?(?:(?:\$0|\$\{0##\*/\}|\$\{?FUNCNAME(?:\[0\]\})?|[\w./-]+)(?:\(\))?:? (?:is )?)?(?:not (?:yet )?implemented|unimplemented|(?-i:TODO)\b|todo\s*[:!"'`]|implement me)[^$]*$"#,
);
/// What may stand behind that.
static GIVES_UP: Pattern = Pattern::new(r"^(?:exit|return|false)\b\s*\d*$");

pub(super) fn check(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    if !file.added().any(|line| WORTH.regex().is_match(line.text)) {
        return;
    }
    let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
    let reader = Reader::of(tree);
    for function in functions(tree) {
        let Some(commands) = function.body.and_then(commands) else { continue };
        let Some(first) = commands.first().copied() else { continue };
        let line = first.line();
        if !file.touched_lines().is_added(line) || function.is_test || file.in_test(line) {
            continue;
        }
        let draft = |message: String| Draft::lines(head, line, line, message);
        if says_so(&commands) {
            let draft = draft(format!("All that `{}` does is say that it is not written", function.name));
            match reader.read(first, file.language) {
                Reading::Guard => {}
                Reading::Known => report.add(draft.severity(Severity::Medium)),
                Reading::Abstract => report.add(draft.confidence(Confidence::Low)),
                Reading::Stub => report.add(draft.confidence(Confidence::Medium)),
            }
        } else if commands.len() == 1 && is_filler(first) && is_promised(&function) {
            let message = format!("All there is of `{}` is a promise to write it", function.name);
            report.add(draft(message).confidence(Confidence::Medium));
        }
    }
}

/// More of them are no placeholder.
const MOST_COMMANDS: usize = 2;

/// The commands of a body that has nothing but plain ones.
fn commands(body: Node<'_>) -> Option<Vec<Node<'_>>> {
    const PLAIN: [&str; 3] = ["command", "redirected_statement", "list"];
    let mut found = Vec::new();
    for statement in body.named_children().filter(|statement| !statement.is(Notion::Comment)) {
        if !statement.is_kind(&PLAIN) {
            return None;
        }
        let mut parts = vec![statement];
        while let Some(part) = parts.pop() {
            match part.kind() {
                "command" => found.push(part),
                // With where it goes: the grammar reads `echo >&2 x` as if it went to `x`, and `: >x` does something.
                "redirected_statement" => {
                    part.child("body").filter(|body| body.kind() == "command")?;
                    found.push(part);
                }
                // `echo x && exit 1`, of which the last is taken first.
                "list" => parts.extend(part.named_children().collect::<Vec<_>>().into_iter().rev()),
                _ => return None,
            }
            if found.len() > MOST_COMMANDS || parts.len() > MOST_COMMANDS {
                return None;
            }
        }
    }
    (body.kind() == "compound_statement").then_some(found)
}

fn says_so(commands: &[Node<'_>]) -> bool {
    let says = commands.first().is_some_and(|first| SAYS_SO.regex().is_match(first.bytes()));
    says && commands.iter().skip(1).all(|next| GIVES_UP.regex().is_match(next.bytes()))
}

fn is_filler(command: Node<'_>) -> bool {
    FILLER.regex().is_match(command.bytes())
}

/// Whether a comment in it or at its end says that something is still to be done, or one above that it is to be written.
fn is_promised(function: &Function<'_>) -> bool {
    let node = function.node;
    let behind = node.next_sibling().filter(|next| next.line() == node.end_line());
    let above = node.previous_sibling().filter(|before| before.end_line() + 1 == node.line());
    let is_comment = |one: &Node<'_>| one.is(Notion::Comment);
    let is_open = |comment: Node<'_>| {
        let text = without_marks(comment.bytes());
        (OPEN.regex().is_match(text) || is_promise(text)) && !TO_GO.regex().is_match(text)
    };
    let within = node.descendants().chain(behind).filter(is_comment).take(MOST_COMMENTS).any(is_open);
    within || above.filter(is_comment).is_some_and(|comment| is_promise(without_marks(comment.bytes())))
}

const MOST_COMMENTS: usize = 20;
