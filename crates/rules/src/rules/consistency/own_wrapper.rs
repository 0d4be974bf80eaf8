//! A file or folder that has a function of its own for something, which all of it goes by, and new code that goes past it.

use std::collections::{HashMap, HashSet};

use domain::change::RepoPath;

use crate::context::{ChangeContext, FileContext};
use crate::neighbours::neighbours;
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

/// A function that is the only one to call something.
struct Wrapper {
    name: String,
    /// Which of the files it stands in.
    place: usize,
    users: usize,
    /// What it always calls it with, as far as it says so: a program, or the beginning of an address.
    fixed: Option<Vec<u8>>,
}

/// By what they wrap.
type Wrappers = HashMap<Vec<u8>, Wrapper>;

/// A file, and what its functions go by in others.
struct Place<'t> {
    stem: String,
    tree: &'t Tree,
}

impl<'t> Place<'t> {
    fn of(path: &RepoPath, tree: &'t Tree) -> Self {
        let name = String::from_utf8_lossy(path.file_name()).into_owned();
        Place { stem: name.split('.').next().unwrap_or_default().to_owned(), tree }
    }
}

pub(super) fn may_bypass(file: &FileContext<'_>) -> bool {
    file.added().any(|line| MAY_CALL.regex().is_match(line.text))
}

pub(super) fn check(change: &ChangeContext<'_>, file: &FileContext<'_>, report: &mut Reporter<'_>) {
    let (Some(tree), Some(head)) = (file.touched_tree(), file.head()) else { return };
    let is_new = |call: &(Call<'_>, &[u8])| {
        let line = call.0.node.line();
        file.touched_lines().is_added(line) && !file.in_test(line)
    };
    let added: Vec<(Call<'_>, &[u8])> = ways_out(tree.root()).filter(is_new).collect();
    if added.is_empty() {
        return;
    }
    let still: HashSet<String> = functions(tree).into_iter().map(|function| function.name).collect();
    let mut own =
        file.base_tree().map(|base| wrappers(&[Place::of(file.change.path(), base)])).unwrap_or_default();
    own.retain(|_, wrapper| still.contains(&wrapper.name));
    let (beside, paths) = if added.iter().all(|(_, family)| own.contains_key(*family)) {
        Default::default()
    } else {
        wrappers_beside(change, file)
    };
    let mut told = 0;
    for (call, family) in added {
        let here = own.get(family).map(|wrapper| (wrapper, "of this file".to_owned()));
        let there = || {
            let wrapper = beside.get(family)?;
            Some((wrapper, format!("beside it, in {}", paths.get(wrapper.place)?)))
        };
        let Some((wrapper, place)) = here.or_else(there) else { continue };
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
            "`{callee}` is called directly; {users} functions go by way of `{}` {place}",
            wrapper.name
        );
        report.add_in(file.change, Draft::lines(head, line, line, message));
    }
}

/// The wrappers of the files in the same folder, and where those are. The file itself counts as it was: if it called
/// something directly, there is no habit.
fn wrappers_beside(change: &ChangeContext<'_>, file: &FileContext<'_>) -> (Wrappers, Vec<RepoPath>) {
    let around = neighbours(change, &[file], file.language, super::wrapper::BESIDE);
    if !around.iter().any(|one| MAY_CALL.regex().is_match(one.source.text())) {
        return Default::default();
    }
    let mut places: Vec<Place<'_>> = Vec::new();
    let mut paths: Vec<RepoPath> = Vec::new();
    for one in &around {
        if let Some(tree) = one.tree() {
            places.push(Place::of(&one.path, tree));
            paths.push(one.path.clone());
        }
    }
    // Last, for a wrapper in there is none of those beside it.
    let beside = places.len();
    places.extend(file.base_tree().map(|base| Place::of(file.change.path(), base)));
    let mut found = wrappers(&places);
    found.retain(|_, wrapper| wrapper.place < beside);
    (found, paths)
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

/// Where something is called: in which file, and in which function of it, if in any.
struct Caller<'t> {
    place: usize,
    function: Option<usize>,
    call: Call<'t>,
}

/// The wrappers of some files that belong together.
fn wrappers(places: &[Place<'_>]) -> Wrappers {
    let is_of_interest = |function: &Function<'_>| !function.local && !function.is_test;
    let all: Vec<Vec<Function<'_>>> = places
        .iter()
        .map(|place| functions(place.tree).into_iter().filter(is_of_interest).collect())
        .collect();
    let mut callers: HashMap<&[u8], Vec<Caller<'_>>> = HashMap::new();
    for (at, place) in places.iter().enumerate() {
        for (call, family) in ways_out(place.tree.root()) {
            let before = all[at].partition_point(|one| one.node.range().start <= call.node.range().start);
            let nearest =
                (0..before).rev().take(MOST_AROUND).find(|one| all[at][*one].node.contains(call.node));
            callers.entry(family).or_default().push(Caller { place: at, function: nearest, call });
        }
    }
    let mut found = HashMap::new();
    for (family, calls) in callers {
        let Some(Caller { place, function: Some(first), call }) = calls.first() else { continue };
        let alone = calls.iter().all(|one| one.place == *place && one.function == Some(*first));
        let Some(function) = all[*place].get(*first).filter(|function| alone && is_wrapper(function)) else {
            continue;
        };
        let users = all.iter().enumerate().flat_map(|(at, functions)| {
            let stem = (at != *place).then_some(places[*place].stem.as_str());
            functions.iter().filter(move |other| other.name != function.name && uses(other, function, stem))
        });
        let users = users.count();
        if users >= FEWEST_USERS {
            let (name, place) = (function.name.clone(), *place);
            found.insert(family.to_vec(), Wrapper { name, place, users, fixed: fixed(call) });
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

/// Whether one function calls another: of the same file, or of one that is called by its stem.
fn uses(user: &Function<'_>, wrapper: &Function<'_>, stem: Option<&str>) -> bool {
    const OWN: [&[u8]; 5] = [b"self.", b"this.", b"Self::", b"cls.", b""];
    let calls = user.node.descendants().filter_map(|node| node.call());
    let is_meant = |callee: &[u8]| {
        let before = callee.strip_suffix(wrapper.name.as_bytes());
        before.is_some_and(|before| match stem {
            // A method of Go is called on whatever its receiver is named.
            None => OWN.contains(&before) || (before.len() <= 3 && before.ends_with(b".")),
            Some(stem) => {
                let module = before.strip_suffix(b".").or_else(|| before.strip_suffix(b"::"));
                before.is_empty() || module == Some(stem.as_bytes())
            }
        })
    };
    calls.into_iter().any(|call| is_meant(call.callee()))
}

/// The text that a call begins with, where its first argument has one. In Go that may stand behind the context.
fn fixed(call: &Call<'_>) -> Option<Vec<u8>> {
    let first = call.arguments().nth(usize::from(call.callee().ends_with(b"Context")))?;
    let text = std::iter::once(first).chain(first.descendants()).find(|node| node.is(Notion::String))?;
    Some(text.bytes().to_vec())
}

/// Whether two begin alike, as far as it takes to be the same program or host.
fn is_same(wrapped: Option<&[u8]>, called: Option<&[u8]>) -> bool {
    const FAR_ENOUGH: usize = 20;
    let beginning = |text: &[u8]| text[..text.len().min(FAR_ENOUGH)].to_vec();
    wrapped.is_none_or(|wrapped| called.is_some_and(|called| beginning(wrapped) == beginning(called)))
}
