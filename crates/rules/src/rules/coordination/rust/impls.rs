//! Traits that types no longer implement.

use std::collections::{HashMap, HashSet};

use super::Beyond;
use super::auto::may_have_by_itself;
use super::made::has_new_writer;
use super::marks::{attributes, last_word, marks};
use super::types::{differ, is_well_known, plain};
use crate::rules::coordination::lost::{Line, Loss, Proof, Sort};
use crate::syntax::{ItemKind, Node, Tree, Visibility, items};

/// Traits that everybody may rely on, and no file of the crate defines.
const COMMON: [&str; 50] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Display",
    "Eq",
    "PartialEq",
    "Ord",
    "PartialOrd",
    "Hash",
    "Error",
    "From",
    "TryFrom",
    "Into",
    "TryInto",
    "FromStr",
    "AsRef",
    "AsMut",
    "Borrow",
    "Deref",
    "DerefMut",
    "Iterator",
    "IntoIterator",
    "FromIterator",
    "Extend",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Future",
    "Read",
    "Write",
    "Seek",
    "BufRead",
    "Index",
    "IndexMut",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Neg",
    "Not",
    "Rem",
    "Serialize",
    "Deserialize",
    "Send",
    "Sync",
    "Unpin",
    "UnwindSafe",
    "RefUnwindSafe",
    "ToString",
    "ToOwned",
];

/// More are not looked for: they are told in one sentence anyway.
const MOST_TOLD: usize = 100;

/// What a file says about types and traits.
#[derive(Default)]
struct Given {
    /// By type and trait: what stands in angle brackets behind the trait, with the line.
    all: HashMap<(String, String), Vec<(String, u32)>>,
    /// Traits that are implemented for whatever fits.
    blanket: HashSet<String>,
    /// By type, trait and what stands behind it in angle brackets: the types that each block names.
    types: HashMap<[String; 3], Vec<Vec<NamedType>>>,
}

/// `type Output = u8;` in a block.
struct NamedType {
    name: String,
    kind: String,
    line: u32,
}

fn given(tree: &Tree) -> Given {
    let mut given = Given::default();
    let mut nodes = tree.root().descendants();
    while let Some(node) = nodes.next() {
        match node.kind() {
            "block" | "token_tree" => nodes.skip_inside(node),
            "impl_item" => given.implement(node),
            "struct_item" | "enum_item" | "union_item" => {
                let Some(name) = node.child("name").map(|name| name.text().into_owned()) else { continue };
                for derived in marks(node).derives.iter().flat_map(|one| written_by(one, node)) {
                    given.all.entry((name.clone(), derived)).or_default().push((String::new(), node.line()));
                }
            }
            _ => {}
        }
    }
    given
}

/// The traits that a derive gives a type: the one it is called by, and those that are known of well-known crates.
fn written_by(derive: &str, node: Node<'_>) -> Vec<String> {
    let has = |what: &[u8]| memchr::memmem::find(node.bytes(), what).is_some();
    let more: &[&str] = match derive {
        "Error" if has(b"#[from]") => &["Display", "From"],
        "Error" if has(b"#[error(") || attributes(node).any(|one| one.bytes().starts_with(b"#[error(")) => {
            &["Display"]
        }
        "Snafu" => &["Display", "Error"],
        "EnumString" => &["FromStr", "TryFrom"],
        "AsRefStr" => &["AsRef"],
        "IntoStaticStr" | "IntoPrimitive" => &["From", "Into"],
        "TryFromPrimitive" => &["TryFrom"],
        "FromPrimitive" => &["From"],
        "SmartDefault" => &["Default"],
        _ => &[],
    };
    std::iter::once(derive).chain(more.iter().copied()).map(str::to_owned).collect()
}

impl Given {
    /// Whoever says `From` says `Into` as well.
    fn gives_back(&self, owner: &str, name: &str) -> bool {
        let other = match name {
            "Into" => "From",
            "TryInto" => "TryFrom",
            _ => return false,
        };
        let from = self.all.iter().filter(|((_, given), _)| given == other);
        from.flat_map(|(_, arguments)| arguments).any(|(arguments, _)| arguments.starts_with(owner))
    }

    fn implement(&mut self, node: Node<'_>) {
        let (Some(what), Some(target)) = (node.child("trait"), node.child("type")) else { return };
        if marks(node).test_only {
            return;
        }
        let is_negative = node.child_of(&["!"]).is_some();
        let text = plain(what);
        let (name, arguments) = text.split_once('<').unwrap_or((&text, ""));
        let name = last_word(name);
        let target = plain(target);
        let target = target.split('<').next().unwrap_or_default();
        let generic = node.child("type_parameters").is_some_and(|list| {
            list.named_children().any(|one| one.child("name").is_some_and(|name| name.text() == target))
        });
        if generic {
            self.blanket.insert(name);
        } else if !is_negative && target.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            let key = [target.to_owned(), name.clone(), arguments.to_owned()];
            self.types.entry(key).or_default().push(named_types(node));
            let entry = self.all.entry((target.to_owned(), name)).or_default();
            entry.push((arguments.to_owned(), node.line()));
        }
    }
}

/// Owner and name of each, for the comparison with what other files lost.
pub(super) fn names(tree: &Tree) -> impl Iterator<Item = (String, String)> {
    given(tree).all.into_keys().map(|(owner, name)| (owner, format!("impl {name}")))
}

pub(super) fn compare(base: &Tree, head: Option<&Tree>) -> Vec<Beyond> {
    let was = given(base);
    let is = head.map(given).unwrap_or_default();
    if was.all.is_empty() && is.all.is_empty() {
        return Vec::new();
    }
    let types = |tree: &Tree| -> HashMap<String, Visibility> {
        let types = items(tree).into_iter().filter(|item| item.kind == ItemKind::Type);
        types.map(|item| (item.name, item.visibility)).collect()
    };
    let (known, now) = (types(base), head.map(types).unwrap_or_default());
    let mut found = Vec::new();
    for ((owner, name), before) in &was.all {
        if found.len() > MOST_TOLD {
            break;
        }
        let line = before.first().map_or(0, |(_, line)| *line);
        // What is gone as a whole has been told; of what is private nobody knows.
        let seen = |of: &HashMap<String, Visibility>| of.get(owner).map(|seen| *seen == Visibility::Public);
        if seen(&known) == Some(false) || (seen(&known).is_some() && seen(&now) != Some(true)) {
            continue;
        }
        if known.get(name).is_some_and(|seen| *seen != Visibility::Public) || is.blanket.contains(name) {
            continue;
        }
        let key = (owner.clone(), format!("impl {name}"));
        let common = COMMON.contains(&name.as_str());
        match is.all.get(&(owner.clone(), name.clone())) {
            None if head.is_none() || is_made_by_a_macro(head, owner, name) => {}
            None if is.gives_back(owner, name) => {}
            None => {
                let doubted = || {
                    head.is_some_and(|head| {
                        may_have_by_itself(head, owner, name) || has_new_writer(base, head, owner)
                    })
                };
                let proof = match (common, seen(&known)) {
                    (true, Some(_)) if doubted() => Proof::Slight,
                    (true, Some(true)) => Proof::Certain,
                    (true, _) | (_, Some(true)) => Proof::Likely,
                    _ => Proof::Slight,
                };
                found.push(Beyond::new(Sort::Implementation, &key, Loss::Gone, proof, Line::Old(line)));
            }
            Some(after) => {
                let lost = before.iter().find(|(arguments, _)| {
                    is_well_known(arguments.trim_end_matches('>'))
                        && !after.iter().any(|(other, _)| other == arguments)
                });
                let open = after.iter().any(|(arguments, _)| !is_well_known(arguments.trim_end_matches('>')));
                if let Some((arguments, line)) = lost.filter(|_| !open) {
                    let key = (owner.clone(), format!("impl {name}<{arguments}"));
                    found.push(Beyond::new(
                        Sort::Implementation,
                        &key,
                        Loss::Gone,
                        Proof::Likely,
                        Line::Old(*line),
                    ));
                }
            }
        }
    }
    found.extend(copied(&was, &is, &known));
    let public = |owner: &str| [&known, &now].iter().all(|of| of.get(owner) == Some(&Visibility::Public));
    found.extend(retyped(&was, &is).filter(|one| public(&one.container)));
    found.sort_by_key(|one| match one.line {
        Line::Old(line) | Line::New(line) => (line, one.name.clone()),
    });
    found
}

/// `type Output = u8;`
fn named_types(block: Node<'_>) -> Vec<NamedType> {
    let inside = block.child("body").into_iter().flat_map(|body| body.named_children());
    let types = inside.filter(|one| one.kind() == "type_item");
    types
        .filter_map(|one| {
            let name = one.child("name")?.text().into_owned();
            Some(NamedType { name, kind: plain(one.child("type")?), line: one.line() })
        })
        .collect()
}

/// What everybody may name of a trait that everybody knows; the others are mostly how something is done.
const TELLING: [&str; 6] = ["Target", "Err", "Error", "Output", "Item", "Owned"];

/// Types that a trait asks for and that are others now: what comes out of an operator, or goes wrong in a conversion.
fn retyped<'g>(was: &'g Given, is: &'g Given) -> impl Iterator<Item = Beyond> + use<'g> {
    let both = was.types.iter().filter_map(|(key, before)| Some((key, before, is.types.get(key)?)));
    let known = both.filter(|([_, name, _], ..)| COMMON.contains(&name.as_str()));
    known.filter_map(|([owner, name, _], before, now)| {
        let ([before], [now]) = (before.as_slice(), now.as_slice()) else { return None };
        let (old, new) = before.iter().find_map(|old| {
            let new = now.iter().find(|new| new.name == old.name)?;
            (old.kind != new.kind && TELLING.contains(&old.name.as_str())).then_some((old, new))
        })?;
        let how = format!("has {} instead of {} as its {}", new.kind, old.kind, old.name);
        let proof = if differ(&old.kind, &new.kind) { Proof::Certain } else { Proof::Likely };
        let key = (owner.clone(), format!("impl {name}"));
        Some(Beyond::new(Sort::Implementation, &key, Loss::Altered { how }, proof, Line::New(new.line)))
    })
}

/// A closure that moved such a value will only borrow it. Hardly anybody notices.
fn copied(was: &Given, is: &Given, known: &HashMap<String, Visibility>) -> Vec<Beyond> {
    let new = is.all.iter().filter(|((owner, name), _)| {
        name == "Copy"
            && known.get(owner) == Some(&Visibility::Public)
            && !was.all.contains_key(&(owner.clone(), name.clone()))
    });
    new.map(|((owner, _), lines)| {
        let how = "became Copy, and closures capture it in another way".to_owned();
        let line = lines.first().map_or(0, |(_, line)| *line);
        Beyond::new(
            Sort::Item(ItemKind::Type),
            &(String::new(), owner.clone()),
            Loss::Altered { how },
            Proof::Slight,
            Line::New(line),
        )
    })
    .collect()
}

/// More mentions of a name are not looked at.
const MOST_MENTIONS: usize = 50;

fn is_made_by_a_macro(head: Option<&Tree>, owner: &str, name: &str) -> bool {
    let Some(head) = head else { return false };
    [owner, name].into_iter().any(|word| {
        let mentions = memchr::memmem::find_iter(head.text(), word).take(MOST_MENTIONS);
        mentions.into_iter().any(|at| {
            let around = || head.covering(at..at + word.len()).ancestors();
            let invoked = around().any(|node| node.is_kind(&["macro_invocation", "macro_definition"]));
            invoked && !around().any(|node| node.is_kind(&["block"]))
        })
    })
}
