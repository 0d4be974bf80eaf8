use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use domain::review::Confidence;
use domain::words::{Category, Dimension, Severity};

use super::{LONGEST_FUNCTION, around, asks_through, http_clients, new_calls, path_of};
use crate::context::{AddedLine, FileContext};
use crate::language::Language;
use crate::reporter::{Draft, Reporter};
use crate::rule::{Example, FileRule, Interest, RuleInfo, text};
use crate::syntax::{Call, Node, Notion, Tree};

static INFO: RuleInfo = RuleInfo {
    id: text("unclosed-resource"),
    title: text("Something that is opened and never closed"),
    why: text("Files and connections run out, and what was written may not arrive"),
    fix: text("Let the language close it: `with`, try-with-resources, `defer`"),
    severity: Severity::Medium,
    category: Category::Performance,
    dimension: Dimension::SECURITY_PERFORMANCE,
    confidence: Confidence::Medium,
    languages: Cow::Borrowed(&[
        Language::Python,
        Language::Go,
        Language::Java,
        Language::JavaScript,
        Language::TypeScript,
        Language::CSharp,
    ]),
    examples: Cow::Borrowed(&[
        Example::bad("a.py", "def a(p):\n    f = open(p)\n    return f.read()\n", &[2]),
        Example::good("a.py", "def a(p):\n    with open(p) as f:\n        return f.read()\n"),
        Example::edit_bad(
            "a.py",
            "def a(p):\n    f = open(p)\n    text = f.read()\n    f.close()\n    return text\n",
            "def a(p):\n    f = open(p)\n    text = f.read()\n    return text\n",
            &[2],
        ),
    ]),
};

pub(crate) struct UnclosedResource;

/// What stands in a line that closes something.
const CLOSED_BY: [&[u8]; 4] = [b"close", b"dispose", b"release", b".end("];

impl FileRule for UnclosedResource {
    fn info(&self) -> &RuleInfo {
        &INFO
    }

    fn interest(&self) -> Interest {
        Interest::Literals {
            added: &[
                b"open(",
                b"openSync(",
                b"http.",
                b".Do(",
                b".Get(",
                b".Post",
                b".Head(",
                b"os.",
                b"Stream(",
                b"Reader(",
                b"Writer(",
                b"Connection(",
                b".connect(",
                b"File.",
            ],
            removed: &CLOSED_BY,
        }
    }

    fn check(&self, file: &FileContext<'_>, _: &[AddedLine<'_>], report: &mut Reporter<'_>) {
        if !INFO.languages.contains(&file.language) || file.is_test_file() {
            return;
        }
        let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
        let clients = http_clients(file);
        let new = new_calls(file, tree).filter_map(|call| Opened::by(call, file, &clients));
        for one in new.filter(|one| !one.is_looked_after()) {
            let said = format!("`{}` is opened and never closed", one.name.text());
            report.add(Draft::lines(head, one.line(), one.line(), said));
        }
        for one in left_open(file, tree, &clients) {
            let said = format!("`{}` is no longer closed", one.name.text());
            report.add(Draft::lines(head, one.line(), one.line(), said));
        }
    }
}

/// Something that a function opens and keeps in a variable of its own.
struct Opened<'t> {
    call: Node<'t>,
    name: Node<'t>,
    function: Node<'t>,
}

impl<'t> Opened<'t> {
    fn by(call: Call<'t>, file: &FileContext<'_>, clients: &HashSet<&[u8]>) -> Option<Self> {
        let path = path_of(&call);
        if !opens(&path, file) && !asks_through(&path, clients) {
            return None;
        }
        let name = kept_as(&call, file.language)?;
        let function = around(call.node).filter(|function| function.bytes().len() <= LONGEST_FUNCTION)?;
        Some(Opened { call: call.node, name, function })
    }

    fn line(&self) -> u32 {
        self.call.line()
    }

    fn is_looked_after(&self) -> bool {
        is_looked_after(self.function, self.name)
    }

    /// What is opened, as what, and in a function of which name.
    fn key(&self) -> (&'t [u8], &'t [u8], Option<&'t [u8]>) {
        (self.call.bytes(), self.name.bytes(), self.function.child("name").map(|name| name.bytes()))
    }
}

/// What a line opens that nobody touched, in a function that lost what closed it.
fn left_open<'t>(file: &'t FileContext<'_>, tree: &'t Tree, clients: &HashSet<&[u8]>) -> Vec<Opened<'t>> {
    let closes = |text: &[u8]| {
        let lower = text.to_ascii_lowercase();
        CLOSED_BY.iter().any(|word| memchr::memmem::find(&lower, word).is_some())
    };
    if !file.change.removed().any(|(_, text)| closes(text)) {
        return Vec::new();
    }
    let lines = file.touched_lines();
    let stood = |call: &Node<'_>| !lines.is_added(call.line()) && !file.in_test(call.line());
    let has_lost = |one: &Opened<'_>| lines.cuts_in(one.function.line(), one.function.end_line());
    let calls = tree.all(Notion::Call).filter(stood);
    let opened = calls.filter_map(|call| Opened::by(call.call()?, file, clients)).filter(has_lost);
    let mut open: Vec<Opened<'t>> = opened.filter(|one| !one.is_looked_after()).collect();
    let base = if open.is_empty() { None } else { file.base_tree() };
    // Whether the function looked after all of them: what stayed open before the change is an old sin.
    let mut before: HashMap<_, Option<bool>> = open.iter().map(|one| (one.key(), None)).collect();
    let calls = base.into_iter().flat_map(|base| base.all(Notion::Call));
    for one in calls.filter_map(|call| Opened::by(call.call()?, file, clients)) {
        if let Some(known) = before.get_mut(&one.key()) {
            *known = Some(known.unwrap_or(true) && one.is_looked_after());
        }
    }
    open.retain(|one| before.get(&one.key()) == Some(&Some(true)));
    open
}

fn opens(path: &str, file: &FileContext<'_>) -> bool {
    let promises =
        || file.head().is_some_and(|head| memchr::memmem::find(head.text(), b"fs/promises").is_some());
    match file.language {
        Language::JavaScript | Language::TypeScript => match path {
            "fs.openSync" | "openSync" | "fs.promises.open" | "fsp.open" | "fsPromises.open" => true,
            "open" | "fs.open" => promises(),
            _ => path == "pool.connect" || path.ends_with(".pool.connect"),
        },
        Language::CSharp => [
            "StreamReader",
            "StreamWriter",
            "FileStream",
            "SqlConnection",
            "File.OpenRead",
            "File.OpenWrite",
            "File.Open",
            "File.Create",
        ]
        .contains(&path),
        Language::Python => ["open", "io.open", "codecs.open", "gzip.open", "bz2.open"].contains(&path),
        Language::Go => {
            ["http.Get", "http.Post", "http.PostForm", "http.Head", "os.Open", "os.Create", "os.OpenFile"]
                .contains(&path)
                || ["client.Do", "client.Get", "httpClient.Do", "httpClient.Get", "http.DefaultClient.Do"]
                    .iter()
                    .any(|known| path.ends_with(known))
        }
        _ => [
            "FileInputStream",
            "FileOutputStream",
            "FileReader",
            "FileWriter",
            "BufferedReader",
            "BufferedWriter",
            "PrintWriter",
            "Socket",
            "ServerSocket",
            "RandomAccessFile",
        ]
        .contains(&path),
    }
}

/// The local variable that it is given to.
fn kept_as<'t>(call: &Call<'t>, language: Language) -> Option<Node<'t>> {
    let parent = call.node.parent()?;
    let parent = if parent.kind() == "await_expression" { parent.parent()? } else { parent };
    let name = match (language, parent.kind()) {
        (Language::Python, "assignment") => parent.child("left"),
        (Language::Java, "variable_declarator")
            if parent.parent()?.kind() == "local_variable_declaration" =>
        {
            parent.child("name")
        }
        (Language::JavaScript | Language::TypeScript, "variable_declarator") => {
            parent.child("name").filter(|_| !is_used(parent))
        }
        (Language::CSharp, "variable_declarator") => parent.child("name").filter(|_| !is_used(parent)),
        (Language::Go, "expression_list") => parent.parent()?.child("left")?.named_children().next(),
        _ => None,
    };
    name.filter(|name| name.kind() == "identifier" && name.bytes() != b"_")
}

/// Whether it is declared with `using`, which closes it.
fn is_used(declarator: Node<'_>) -> bool {
    let around = declarator.ancestors().take(3).take_while(|around| !around.is(Notion::Block));
    around.into_iter().any(|around| {
        let text = around.bytes();
        around.is_kind(&["using_statement"]) || text.starts_with(b"using") || text.starts_with(b"await using")
    })
}

/// Whether the function closes it, or hands it on to somebody who may.
fn is_looked_after(function: Node<'_>, name: Node<'_>) -> bool {
    is_kept(function, name, 0)
}

/// `wrapped`: how many readers were put around it.
fn is_kept(function: Node<'_>, name: Node<'_>, wrapped: u32) -> bool {
    let uses = function.descendants().filter(|node| {
        node.kind() == "identifier"
            && node.bytes() == name.bytes()
            && node.range().start != name.range().start
    });
    uses.into_iter().any(|used| {
        let Some(parent) = used.parent() else { return false };
        let is_member = parent.is_kind(&[
            "attribute",
            "selector_expression",
            "field_access",
            "method_invocation",
            "member_expression",
            "member_access_expression",
        ]) && ["object", "operand", "expression"].contains(&used.field());
        match is_member {
            true => closes(parent),
            // A condition looks at it only; whatever else is given it may close it.
            false => {
                !parent.is_kind(&["binary_expression", "comparison_operator", "not_operator", "if_statement"])
                    && !is_iterated(used, parent)
                    && !is_worked_with(parent)
                    && !is_used_up(function, parent, wrapped)
            }
        }
    })
}

/// Whether what it is passed to reads it and leaves it open: `json.load(f)`, and `bufio.NewScanner(f)` where the scanner stays
/// in the function.
fn is_used_up(function: Node<'_>, list: Node<'_>, wrapped: u32) -> bool {
    const READING: [&[u8]; 8] = [
        b"io.ReadAll",
        b"ioutil.ReadAll",
        b"json.load",
        b"pickle.load",
        b"tomllib.load",
        b"yaml.safe_load",
        b"json.dump",
        b"pickle.dump",
    ];
    const WRAPPING: [&[u8]; 5] =
        [b"bufio.NewReader", b"bufio.NewScanner", b"json.NewDecoder", b"csv.NewReader", b"csv.reader"];
    let Some(call) = list.parent().and_then(|call| call.call()) else { return false };
    if READING.contains(&call.callee()) {
        return true;
    }
    if !WRAPPING.contains(&call.callee()) || wrapped > 0 {
        return false;
    }
    let Some(around) = call.node.parent() else { return false };
    let name = match around.kind() {
        "selector_expression" => return true,
        "expression_list" => {
            let given = around.parent().filter(|one| one.kind() == "short_var_declaration");
            given.and_then(|given| given.child("left")?.named_children().next())
        }
        "assignment" => around.child("left"),
        _ => None,
    };
    name.is_some_and(|name| name.kind() == "identifier" && !is_kept(function, name, wrapped + 1))
}

/// `f.close`, `resp.Body.Close`, `in.close()`; a body that is handed on is closed by whoever gets it.
fn closes(member: Node<'_>) -> bool {
    let last = |node: Node<'_>| {
        node.child("attribute")
            .or_else(|| node.child("field"))
            .or_else(|| node.child("name"))
            .or_else(|| node.child("property"))
            .map(|name| name.bytes().to_ascii_lowercase())
    };
    let is_close = |node: Node<'_>| last(node).is_some_and(|name| CLOSING.contains(&name.as_slice()));
    let outer = member.parent().filter(|outer| outer.kind() == "selector_expression");
    let is_body = last(member).is_some_and(|name| name == b"body");
    let handed_on = is_body
        && member
            .parent()
            .is_some_and(|parent| !parent.is_kind(&["selector_expression"]) && !is_read_whole(parent));
    is_close(member) || outer.is_some_and(is_close) || handed_on
}

/// `io.ReadAll(resp.Body)` and `json.NewDecoder(resp.Body)` read it and leave it open.
fn is_read_whole(list: Node<'_>) -> bool {
    let call = list.parent().and_then(|call| call.call());
    call.is_some_and(|call| {
        [
            &b"io.ReadAll"[..],
            b"ioutil.ReadAll",
            b"json.NewDecoder",
            b"io.Copy",
            b"bufio.NewReader",
            b"bufio.NewScanner",
        ]
        .contains(&call.callee())
    })
}

const CLOSING: [&[u8]; 6] = [b"close", b"closesync", b"release", b"end", b"dispose", b"disposeasync"];

/// `fs.readSync(fd, ...)`: what is given the number of a file reads or writes, and leaves it open.
fn is_worked_with(list: Node<'_>) -> bool {
    const WORKING: [&str; 6] =
        ["readSync", "writeSync", "fstatSync", "ftruncateSync", "fsyncSync", "futimesSync"];
    list.parent().and_then(|call| call.call()).is_some_and(|call| WORKING.contains(&call.name().as_str()))
}

/// `for line in f`
fn is_iterated(used: Node<'_>, parent: Node<'_>) -> bool {
    parent.is(Notion::Loop) && used.field() == "right"
}
