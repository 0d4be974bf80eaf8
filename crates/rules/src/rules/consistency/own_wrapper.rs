//! A file that has a function of its own for something, which all of it goes by, and new code that goes past it.

use std::collections::{HashMap, HashSet};

use crate::context::FileContext;
use crate::pattern::Pattern;
use crate::reporter::{Draft, Reporter};
use crate::syntax::{Call, Function, Node, Notion, Takes, Tree, functions};

/// Ways out of a program: what is called there is often given time limits, credentials or a log by who wraps it.
static OUT: Pattern = Pattern::new(
    r"^(?:requests\.(?:get|post|put|patch|delete|head|request)|httpx\.(?:get|post|put|patch|delete|head|request|stream)|urllib\.request\.urlopen|urlopen|subprocess\.(?:run|Popen|call|check_call|check_output)|os\.(?:system|popen)|(?:sqlite3|psycopg2?|pymysql)\.connect|boto3\.(?:client|resource)|(?:window\.)?fetch|axios(?:\.(?:get|post|put|patch|delete|head|request))?|(?:child_process\.)?(?:execSync|execFileSync|execFile|spawnSync|spawn)|reqwest::(?:blocking::)?get|ureq::(?:get|post|put|delete|request)|(?:(?:std::|tokio::)?process::)?Command::new|http\.(?:Get|Post|PostForm|NewRequest|NewRequestWithContext)|exec\.Command(?:Context)?|sql\.Open|DriverManager\.getConnection|ProcessBuilder)$",
);

/// One of these stands on a line that may hold such a call.
static MAY_CALL: Pattern = Pattern::new(
    r"requests\.|httpx\.|urlopen|subprocess\.|os\.(?:system|popen)|\.connect\(|boto3\.|fetch\(|axios|exec\.Command|exec\w*Sync|execFile|spawn|reqwest::|ureq::|Command::new|http\.(?:Get|Post|NewRequest)|sql\.Open|DriverManager|ProcessBuilder",
);

/// So many functions have to go by it before it is a habit.
const FEWEST_USERS: usize = 3;

/// Longer functions do more than wrap.
const MOST_LINES: u32 = 40;

/// A function of the file that is the only one to call something.
struct Wrapper {
    name: String,
    users: usize,
    /// What it always calls it with, as far as it says so: a program, or the beginning of an address.
    fixed: Option<Vec<u8>>,
}

pub(super) fn may_bypass(file: &FileContext<'_>) -> bool {
    file.change.old.is_some() && file.added().any(|line| MAY_CALL.regex().is_match(line.text))
}

pub(super) fn check(file: &FileContext<'_>, report: &mut Reporter<'_>) {
    let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
    let is_new = |call: &(Call<'_>, &[u8])| {
        let line = call.0.node.line();
        file.touched_lines().is_added(line) && !file.in_test(line)
    };
    let added: Vec<(Call<'_>, &[u8])> = ways_out(tree.root()).filter(is_new).collect();
    if added.is_empty() {
        return;
    }
    let Some(base) = file.base_tree() else { return };
    let wrappers = wrappers(base);
    let still: HashSet<String> = functions(tree).into_iter().map(|function| function.name).collect();
    let mut told = 0;
    for (call, family) in added {
        let Some(wrapper) = wrappers.get(family).filter(|wrapper| still.contains(&wrapper.name)) else {
            continue;
        };
        let around = call.node.ancestors().filter(|around| around.is(Notion::Function));
        let mut names = around.filter_map(|around| around.child("name"));
        let within = names.any(|name| name.bytes() == wrapper.name.as_bytes());
        let line = call.node.line();
        if within || line == told || !is_same(wrapper.fixed.as_deref(), fixed(&call).as_deref()) {
            continue;
        }
        told = line;
        let (callee, users) = (String::from_utf8_lossy(call.callee()), wrapper.users);
        let message = format!(
            "`{callee}` is called directly; {users} functions of this file go by way of `{}`",
            wrapper.name
        );
        report.add_in(file.change, Draft::lines(head, line, line, message));
    }
}

/// The calls that lead out, each with what it belongs to: one wrapper does for all calls of a library.
fn ways_out<'t>(node: Node<'t>) -> impl Iterator<Item = (Call<'t>, &'t [u8])> {
    node.descendants().filter_map(|inner| inner.call()).filter_map(|call| {
        let callee = call.callee();
        let short = callee.len() < 60 && OUT.regex().is_match(callee);
        let end = callee.iter().position(|byte| matches!(byte, b'.' | b':'));
        short.then(|| (call, &callee[..end.unwrap_or(callee.len())]))
    })
}

/// The wrappers of a file, by what they wrap.
fn wrappers(base: &Tree) -> HashMap<Vec<u8>, Wrapper> {
    let all: Vec<Function<'_>> =
        functions(base).into_iter().filter(|function| !function.local && !function.is_test).collect();
    // What is called where, and whether anything is called outside of all functions.
    let mut callers: HashMap<&[u8], Vec<(usize, Call<'_>)>> = HashMap::new();
    for (call, family) in ways_out(base.root()) {
        let before = all.partition_point(|one| one.node.range().start <= call.node.range().start);
        let nearest = (0..before).rev().take(MOST_AROUND).find(|at| all[*at].node.contains(call.node));
        callers.entry(family).or_default().push((nearest.unwrap_or(usize::MAX), call));
    }
    let mut found = HashMap::new();
    for (family, calls) in callers {
        let Some((first, call)) = calls.first().filter(|(first, _)| calls.iter().all(|(at, _)| at == first))
        else {
            continue;
        };
        let Some(function) = all.get(*first).filter(|function| is_wrapper(function)) else { continue };
        let users = all.iter().filter(|other| other.name != function.name && uses(other, function)).count();
        if users >= FEWEST_USERS {
            let wrapper = Wrapper { name: function.name.clone(), users, fixed: fixed(call) };
            found.insert(family.to_vec(), wrapper);
        }
    }
    found
}

/// Functions that are not inside others stand behind each other, nearly always.
const MOST_AROUND: usize = 4;

/// Short, and given something to do it with.
fn is_wrapper(function: &Function<'_>) -> bool {
    let (first, last) = function.lines();
    last - first < MOST_LINES && function.parameters().iter().any(|one| one.takes != Takes::Receiver)
}

/// Whether one function calls another of the same file.
fn uses(user: &Function<'_>, wrapper: &Function<'_>) -> bool {
    const OWN: [&[u8]; 5] = [b"self.", b"this.", b"Self::", b"cls.", b""];
    let calls = user.node.descendants().filter_map(|node| node.call());
    let is_own = |callee: &[u8]| {
        callee.strip_suffix(wrapper.name.as_bytes()).is_some_and(|before| {
            // A method of Go is called on whatever its receiver is named.
            OWN.contains(&before) || (before.len() <= 3 && before.ends_with(b"."))
        })
    };
    calls.into_iter().any(|call| is_own(call.callee()))
}

/// The first text that a call is given, where its first argument has one.
fn fixed(call: &Call<'_>) -> Option<Vec<u8>> {
    let first = call.arguments().next()?;
    let text = std::iter::once(first).chain(first.descendants()).find(|node| node.is(Notion::String))?;
    Some(text.bytes().to_vec())
}

/// Whether two begin alike, as far as it takes to be the same program or host.
fn is_same(wrapped: Option<&[u8]>, called: Option<&[u8]>) -> bool {
    const FAR_ENOUGH: usize = 20;
    let beginning = |text: &[u8]| text[..text.len().min(FAR_ENOUGH)].to_vec();
    wrapped.is_none_or(|wrapped| called.is_some_and(|called| beginning(wrapped) == beginning(called)))
}
