use std::borrow::Cow;
use std::collections::HashMap;

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::is_function;
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Node, Notion, Tree};

static INFO: RuleInfo = RuleInfo {
    id: text("unbounded-growth"),
    title: text("Something that every request adds to, and from which nothing is ever taken"),
    why: text("It grows until the memory is full, and whoever sends requests decides how fast"),
    fix: text("Give it a limit or a time to live: a cache that forgets, or a store outside of the process"),
    severity: Severity::Low,
    category: Category::Performance,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::Low,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::JavaScript,
        Language::TypeScript,
        Language::Go,
        Language::Java,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad(
            "a.py",
            "SEEN = []\n\n@app.route('/')\ndef a():\n    SEEN.append(request.args['a'])\n",
            &[5],
        ),
        Example::good(
            "a.py",
            "SEEN = []\n\n@app.route('/')\ndef a():\n    SEEN.append(request.args['a'])\n    del SEEN[:-100]\n",
        ),
    ]),
};

static NEW_IN_SCRIPTS: Pattern =
    Pattern::new(r"^(?:\[\s*\]|\{\s*\}|new (?:Map|Set)(?:<[^()]*>)?\(\s*\)|Object\.create\(null\))$");
static NEW_IN_PYTHON: Pattern = Pattern::new(
    r"^(?:\[\s*\]|\{\s*\}|(?:dict|list|set|(?:collections\.)?(?:OrderedDict|defaultdict))\([\w\s]*\))$",
);
static NEW_IN_GO: Pattern = Pattern::new(r"^(?:make\(map\[.*\)|map\[.*\{\s*\}|\[\][\w.*\[\]]+\{\s*\})$");
static NEW_IN_JAVA: Pattern = Pattern::new(
    r"^new (?:java\.util\.(?:concurrent\.)?)?(?:(?:Concurrent|Linked)?HashMap|TreeMap|ArrayList|LinkedList|(?:Linked)?HashSet|CopyOnWriteArrayList)<[^()]*>\(\s*\)$",
);

/// What the head of a function that answers requests looks like.
static ANSWERS_IN_PYTHON: Pattern = Pattern::new(
    r"\.(?:route|get|post|put|delete|patch|websocket)\(|\(\s*(?:self,\s*)?request\b|:\s*(?:\w+\.)*HttpRequest\b",
);
static ANSWERS_IN_SCRIPTS: Pattern =
    Pattern::new(r"\(\s*(?:req|request|ctx)\b\s*[:,)]|^(?:async\s+)?(?:req|ctx)\s*=>");
static ANSWERS_IN_GO: Pattern =
    Pattern::new(r"\*http\.Request\b|\*gin\.Context\b|\becho\.Context\b|\*fiber\.Ctx\b");
static ANSWERS_IN_JAVA: Pattern = Pattern::new(
    r"\bHttpServletRequest\b|@(?:Get|Post|Put|Delete|Patch|Request)Mapping\b|@(?:GET|POST|PUT|DELETE)\b",
);

/// Methods that put something in, and methods that only look.
const ADDING: [&[u8]; 11] = [
    b"append",
    b"add",
    b"push",
    b"set",
    b"put",
    b"unshift",
    b"extend",
    b"setdefault",
    b"putIfAbsent",
    b"computeIfAbsent",
    b"addAll",
];
const LOOKING: [&[u8]; 22] = [
    b"get",
    b"has",
    b"includes",
    b"items",
    b"keys",
    b"values",
    b"entries",
    b"forEach",
    b"map",
    b"filter",
    b"find",
    b"some",
    b"every",
    b"contains",
    b"containsKey",
    b"getOrDefault",
    b"copy",
    b"join",
    b"indexOf",
    b"stream",
    b"isEmpty",
    b"index",
];

pub(crate) struct UnboundedGrowth;

/// What a file does with something that lives as long as the program.
#[derive(Default)]
struct Uses<'t> {
    added: Vec<Node<'t>>,
    /// It is emptied, counted, replaced, or handed to somebody who may do that.
    may_shrink: bool,
}

impl FileRule for UnboundedGrowth {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[b".append(", b".add(", b".push(", b".set(", b".put(", b"append(", b"] ="],
            removed: &[b"del ", b".pop", b"delete", b".clear", b".shift", b".remove"],
        }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        let (Some(touched), Some(head)) = (file.touched_tree(), file.head()) else { return };
        if growing(touched, file).is_empty() {
            return;
        }
        // What shrinks it may stand where nothing was touched.
        let Some(tree) = file.tree() else { return };
        let found = growing(tree, file);
        for (line, name) in found {
            let name = String::from_utf8_lossy(name);
            let message = format!("Each request adds to `{name}`, and nothing is ever taken out of it");
            report.add(Draft::lines(head, line, line, message));
        }
    }
}

/// Where requests add to what nothing is taken out of, as far as this tree shows, and its name.
fn growing<'t>(tree: &'t Tree, file: &FileContext<'_>) -> Vec<(u32, &'t [u8])> {
    let lasting = lasting(tree, file.language);
    let mut uses: HashMap<&[u8], Uses<'_>> = HashMap::new();
    let nodes = (!lasting.is_empty()).then(|| tree.root().descendants()).into_iter().flatten();
    for node in nodes.filter(|node| node.is_kind(&["identifier", "shorthand_property_identifier"])) {
        if lasting.get(node.bytes()).is_some_and(|declared| *declared != node) {
            note(node, uses.entry(node.bytes()).or_default());
        }
    }
    let grows = uses.into_iter().filter(|(_, uses)| !uses.may_shrink);
    let mut found: Vec<(u32, &[u8])> = grows
        .flat_map(|(name, uses)| uses.added.into_iter().map(move |node| (node, name)))
        .filter(|(node, _)| file.touched_lines().is_added(node.line()) && answers(*node, file.language))
        .map(|(node, name)| (node.line(), name))
        .collect();
    found.sort_unstable();
    found
}

/// The names of empty collections that stand outside of all functions, with the nodes that declare them.
fn lasting<'t>(tree: &'t Tree, language: Language) -> HashMap<&'t [u8], Node<'t>> {
    let is_new = |value: Node<'_>| {
        let made = match language {
            Language::Python => &NEW_IN_PYTHON,
            Language::Go => &NEW_IN_GO,
            Language::Java => &NEW_IN_JAVA,
            _ => &NEW_IN_SCRIPTS,
        };
        value.bytes().len() < 200 && made.regex().is_match(value.bytes())
    };
    let declared = |node: Node<'t>| -> Option<Node<'t>> {
        let (name, value) = match node.kind() {
            "assignment" if is_outermost(node, "module") => (node.child("left")?, node.child("right")?),
            "variable_declarator" if language == Language::Java => {
                let field = node.parent().filter(|field| field.kind() == "field_declaration")?;
                let modifiers = field.child_of(&["modifiers"])?;
                memchr::memmem::find(modifiers.bytes(), b"static")?;
                (node.child("name")?, node.child("value")?)
            }
            "variable_declarator" if is_outermost(node, "program") => {
                (node.child("name")?, node.child("value")?)
            }
            "var_spec" if is_outermost(node, "source_file") => (node.child("name")?, node.child("value")?),
            _ => return None,
        };
        (name.kind() == "identifier" && is_new(value)).then_some(name)
    };
    let names = tree.root().descendants().filter(|node| !node.is(Notion::Call)).filter_map(declared);
    names.map(|name| (name.bytes(), name)).collect()
}

fn is_outermost(node: Node<'_>, root: &str) -> bool {
    let around = node.ancestors().find(|around| around.is_kind(&[root]) || is_function(*around));
    around.is_some_and(|around| around.is_kind(&[root]))
}

fn note<'t>(name: Node<'t>, uses: &mut Uses<'t>) {
    let Some(parent) = name.parent() else { return };
    let is_object = ["object", "operand", "value"].contains(&name.field());
    match parent.kind() {
        "attribute" | "member_expression" | "selector_expression" | "method_invocation" if is_object => {
            let method = ["attribute", "property", "field", "name"].iter().find_map(|one| parent.child(one));
            let method = method.map(|method| method.bytes()).unwrap_or_default();
            if ADDING.contains(&method) {
                uses.added.push(name);
            } else if !LOOKING.contains(&method) {
                uses.may_shrink = true;
            }
        }
        "subscript" | "subscript_expression" | "index_expression" if is_object => {
            note_element(name, parent, uses);
        }
        // `seen = append(seen, one)`: once on the left, once inside.
        "expression_list" | "argument_list" if is_appended(name, parent) => {
            if parent.kind() == "expression_list" {
                uses.added.push(name);
            }
        }
        "comparison_operator"
        | "for_statement"
        | "for_in_statement"
        | "for_in_clause"
        | "range_clause"
        | "global_statement"
        | "enhanced_for_statement" => {}
        "expression_list" if parent.parent().is_some_and(|around| around.kind() == "range_clause") => {}
        _ => uses.may_shrink = true,
    }
}

/// `seen[key] = one`; under a constant key there is never more than one.
fn note_element<'t>(name: Node<'t>, element: Node<'t>, uses: &mut Uses<'t>) {
    let key = element.child("subscript").or_else(|| element.child("index"));
    let is_fixed = key.is_some_and(|key| key.is(Notion::String));
    let around = element.ancestors().find(|around| around.kind() != "expression_list");
    let Some(around) = around else { return };
    let is_target = || around.child("left").is_some_and(|left| left.contains(element));
    match around.kind() {
        "assignment" | "assignment_expression" | "assignment_statement" if is_target() && is_fixed => {}
        "assignment" | "assignment_expression" | "assignment_statement" if is_target() => {
            uses.added.push(name);
        }
        "delete_statement" | "unary_expression" => uses.may_shrink = true,
        _ => {}
    }
}

fn is_appended(name: Node<'_>, list: Node<'_>) -> bool {
    let assignment = name.ancestors().take(5).find(|around| around.kind() == "assignment_statement");
    let Some(assignment) = assignment else { return false };
    let call = assignment.child("right").and_then(|right| right.named_children().next()?.call());
    let appends = call.is_some_and(|call| {
        call.callee() == b"append"
            && call.arguments().next().is_some_and(|first| first.bytes() == name.bytes())
    });
    let is_left = assignment.child("left").is_some_and(|left| left == list && left.bytes() == name.bytes());
    let is_inside = list.kind() == "argument_list"
        && assignment.child("left").is_some_and(|left| left.bytes() == name.bytes());
    appends && (is_left || is_inside)
}

/// Whether a function around it answers requests.
fn answers(node: Node<'_>, language: Language) -> bool {
    const LONGEST_HEAD: usize = 600;
    let pattern = match language {
        Language::Python => &ANSWERS_IN_PYTHON,
        Language::Go => &ANSWERS_IN_GO,
        Language::Java => &ANSWERS_IN_JAVA,
        _ => &ANSWERS_IN_SCRIPTS,
    };
    node.ancestors().filter(|around| is_function(*around)).any(|function| {
        let decorated = function.parent().filter(|parent| parent.kind() == "decorated_definition");
        let whole = decorated.unwrap_or(function);
        let body = function.child("body").map_or(whole.range().end, |body| body.range().start);
        let length = body.saturating_sub(whole.range().start).min(LONGEST_HEAD).min(whole.bytes().len());
        whole.bytes().get(..length).is_some_and(|head| pattern.regex().is_match(head))
    })
}
