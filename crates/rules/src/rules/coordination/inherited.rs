//! Members that a type lost and has all the same: from a type that it extends, mixes in or embeds.

use std::collections::{BTreeSet, HashMap, HashSet};

use aho_corasick::AhoCorasick;

use super::callers::AROUND;
use super::lost::{Loss, Lost, Proof};
use crate::context::{ChangeContext, FileContext};
use crate::language::Language;
use crate::neighbours::neighbours;
use crate::syntax::{Arity, Item, ItemKind, Node, Tree, Visibility, items};

/// Takes out what a type has from another, and doubts what it may have from one that nobody here knows.
pub(super) fn without_what_is_inherited(change: &ChangeContext<'_>, lost: &mut Vec<Lost<'_>>) {
    let languages: BTreeSet<Language> =
        lost.iter().filter(|one| may_be_inherited(one)).map(|one| one.file.language).collect();
    for language in languages {
        let wanted = |one: &Lost<'_>| may_be_inherited(one) && one.file.language == language;
        let mut homes: Vec<&FileContext<'_>> =
            lost.iter().filter(|one| wanted(one)).map(|one| one.file).collect();
        homes.dedup_by(|a, b| std::ptr::eq(*a, *b));
        let (mut before, mut now) = (Family::default(), Family::default());
        for (base, head) in homes.iter().map(|file| file.sides()) {
            base.into_iter().for_each(|tree| before.learn(tree));
            head.into_iter().for_each(|tree| now.learn(tree));
        }
        let owners: HashSet<String> =
            lost.iter().filter(|one| wanted(one)).map(|one| one.owner().to_owned()).collect();
        let above: HashSet<&String> = owners.iter().flat_map(|owner| now.above(owner)).collect();
        if above.is_empty() {
            continue;
        }
        let names = lost.iter().filter(|one| wanted(one)).map(|one| one.name.as_str());
        let telling: HashSet<&str> = names.chain(above.iter().map(|name| name.as_str())).collect();
        let Ok(search) = AhoCorasick::new(&telling) else { continue };
        let others = change.files.iter().filter(|file| {
            file.language == language
                && file.skipped.is_none()
                && !homes.iter().any(|home| std::ptr::eq(*home, *file))
                && file.head().is_some_and(|head| search.is_match(head.text()))
        });
        let mut found = Family::default();
        others.filter_map(|file| file.touched_tree()).for_each(|tree| found.learn(tree));
        if above.iter().any(|name| !now.members.contains_key(*name) && !found.members.contains_key(*name)) {
            let near = neighbours(change, &homes, language, AROUND);
            let telling = near.iter().filter(|one| search.is_match(one.source.text()));
            telling.filter_map(|one| one.tree()).for_each(|tree| found.learn(tree));
        }
        now.join(found);
        lost.retain_mut(|one| {
            if !wanted(one) {
                return true;
            }
            let answer = now.has(one.owner(), &one.name, one.arity);
            let above_before = before.parents.get(one.owner());
            let is_new = |name: &&String| !above_before.is_some_and(|names| names.contains(*name));
            let unknown =
                |name: &String| !now.members.contains_key(name) && !PROMISES.contains(&name.as_str());
            if answer == Answer::Perhaps && now.above(one.owner()).filter(is_new).any(unknown) {
                one.proof = Proof::Slight;
            }
            answer != Answer::Yes
        });
    }
}

/// Types of standard libraries that only promise something of those who extend them.
const PROMISES: [&str; 24] = [
    "ABC",
    "AutoCloseable",
    "Cloneable",
    "Closeable",
    "Codable",
    "Comparable",
    "Countable",
    "Enumerable",
    "Equatable",
    "Error",
    "Exception",
    "Forwardable",
    "Generic",
    "Hashable",
    "IDisposable",
    "Identifiable",
    "Iterable",
    "JsonSerializable",
    "Object",
    "Product",
    "Protocol",
    "Runnable",
    "Sendable",
    "Serializable",
];

fn may_be_inherited(one: &Lost<'_>) -> bool {
    one.loss == Loss::Gone && !one.owner().is_empty() && one.file.language != Language::Rust
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// One of the types above it stands nowhere here.
    Perhaps,
}

/// The types of some files: what they are made of, and what is in them.
#[derive(Debug, Default)]
struct Family {
    parents: HashMap<String, HashSet<String>>,
    members: HashMap<String, HashMap<String, Vec<Option<Arity>>>>,
}

/// No type has more above it.
const MOST_ABOVE: usize = 50;

impl Family {
    fn learn(&mut self, tree: &Tree) {
        for item in items(tree) {
            if item.kind == ItemKind::Type {
                let parents = above(&item);
                if !parents.is_empty() {
                    self.parents.entry(item.name.clone()).or_default().extend(parents);
                }
                self.members.entry(item.name.clone()).or_default();
            }
            if item.visibility == Visibility::Private && keeps_private(item.node) {
                continue;
            }
            let owner = item.container.rsplit('.').next().unwrap_or_default();
            let members = self.members.entry(owner.to_owned()).or_default();
            members.entry(item.name).or_default().push(item.arity);
        }
        for (owner, names) in said_elsewhere(tree) {
            self.parents.entry(owner).or_default().extend(names);
        }
    }

    /// The types that one says it is made of.
    fn above(&self, owner: &str) -> impl Iterator<Item = &String> {
        self.parents.get(owner).into_iter().flatten()
    }

    fn join(&mut self, other: Family) {
        for (owner, names) in other.parents {
            self.parents.entry(owner).or_default().extend(names);
        }
        for (owner, members) in other.members {
            let own = self.members.entry(owner).or_default();
            for (name, arities) in members {
                own.entry(name).or_default().extend(arities);
            }
        }
    }

    fn has(&self, owner: &str, name: &str, arity: Option<Arity>) -> Answer {
        let mut open: Vec<&str> = vec![owner];
        let mut seen: HashSet<&str> = HashSet::from([owner]);
        let mut answer = Answer::No;
        while let Some(kind) = open.pop() {
            let Some(members) = self.members.get(kind) else {
                answer = Answer::Perhaps;
                continue;
            };
            let fits = |now: &Option<Arity>| match (arity, now) {
                (Some(was), Some(now)) => now.covers(was),
                _ => true,
            };
            if kind != owner && members.get(name).is_some_and(|all| all.iter().any(fits)) {
                return Answer::Yes;
            }
            let parents = self.above(kind).map(String::as_str);
            open.extend(parents.filter(|name| seen.len() < MOST_ABOVE && seen.insert(name)));
        }
        answer
    }
}

/// Whether a private member is of no use to those who extend its type. Elsewhere it may only be the file that is.
fn keeps_private(node: Node<'_>) -> bool {
    const SAYING: [Language; 7] = [
        Language::Java,
        Language::Kotlin,
        Language::CSharp,
        Language::Php,
        Language::Cpp,
        Language::Swift,
        Language::Scala,
    ];
    SAYING.contains(&node.tree().table().language())
}

/// What a type says that it extends, mixes in or embeds.
fn above(item: &Item<'_>) -> HashSet<String> {
    const HEADS: [&str; 16] = [
        "argument_list",
        "superclass",
        "super_interfaces",
        "extends_interfaces",
        "class_heritage",
        "extends_clause",
        "extends_type_clause",
        "base_class_clause",
        "base_list",
        "base_clause",
        "class_interface_clause",
        "delegation_specifiers",
        "inheritance_specifier",
        "derives_clause",
        "extend",
        "type_constraints",
    ];
    let node = item.node;
    let mut found: HashSet<String> =
        node.children().filter(|child| child.is_kind(&HEADS)).flat_map(words).collect();
    found.extend(node.descendants().filter_map(embedded).flat_map(words));
    found.remove(&item.name);
    found
}

/// `use Logs;` of PHP, `include Logs` of Ruby, a field without a name of Go.
fn embedded(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "use_declaration" => Some(node),
        "call" => {
            let method = node.child("method").filter(|_| node.child("receiver").is_none())?;
            let mixes = [&b"include"[..], b"extend", b"prepend"].contains(&method.bytes());
            node.child("arguments").filter(|_| mixes)
        }
        "field_declaration" => node
            .child("type")
            .filter(|_| node.child("name").is_none() && node.tree().table().language() == Language::Go),
        _ => None,
    }
}

/// The names in a clause.
fn words(clause: Node<'_>) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let text = clause.text();
    let all = text.split(|c: char| !is_word(c)).filter(|word| {
        !word.is_empty() && !["extends", "implements", "public", "with", "use", "virtual"].contains(word)
    });
    all.map(str::to_owned).collect()
}

/// `Object.assign(Model.prototype, events)`: the type, and what it is given. Extensions of Swift that name a protocol.
fn said_elsewhere(tree: &Tree) -> Vec<(String, Vec<String>)> {
    match tree.table().language() {
        Language::JavaScript | Language::TypeScript => {
            let calls = tree.root().descendants().filter(|node| {
                node.kind() == "call_expression"
                    && node.child("function").is_some_and(|function| function.bytes() == b"Object.assign")
            });
            let lists = calls.filter_map(|call| call.child("arguments"));
            lists
                .filter_map(|list| {
                    let mut given = list.named_children();
                    let first = given.next()?.text().into_owned();
                    let owner = first.strip_suffix(".prototype")?.to_owned();
                    Some((owner, given.flat_map(words).collect()))
                })
                .collect()
        }
        Language::Swift => {
            let types = tree
                .root()
                .descendants()
                .filter(|node| node.kind() == "class_declaration" && node.child_of(&["extension"]).is_some());
            types
                .filter_map(|node| {
                    let name = node.child("name")?.text().into_owned();
                    let clauses = node.children().filter(|child| child.kind() == "inheritance_specifier");
                    Some((name, clauses.flat_map(words).collect()))
                })
                .collect()
        }
        _ => Vec::new(),
    }
}
