use std::collections::HashMap;

use super::Alteration;
use super::exports::{brought, is_pub};
use super::marks::marks;
use super::types::plain;
use crate::rules::coordination::lost::Proof;
use crate::syntax::Node;

struct Member<'t> {
    node: Node<'t>,
    name: String,
    noun: &'static str,
    has_default: bool,
    hidden: bool,
}

fn members(node: Node<'_>) -> Vec<Member<'_>> {
    let body = node.child("body").into_iter();
    let listed = body.flat_map(|body| body.named_children().collect::<Vec<_>>());
    listed
        .filter_map(|one| {
            let (noun, has_default) = match one.kind() {
                "function_item" => ("method", true),
                "function_signature_item" => ("method", false),
                "const_item" => ("constant", one.child("value").is_some()),
                "associated_type" => ("type", one.child_of(&["="]).is_some()),
                // With a default the grammar takes it for an alias.
                "type_item" => ("type", true),
                _ => return None,
            };
            let name = one.child("name")?.text().into_owned();
            Some(Member { node: one, name, noun, has_default, hidden: marks(one).hidden })
        })
        .collect()
}

fn bounds(node: Node<'_>) -> Vec<String> {
    let listed = node.child("bounds").into_iter().flat_map(|all| all.named_children().collect::<Vec<_>>());
    let bounds = listed.filter(|one| one.kind() != "lifetime").map(plain);
    let also = node.child_of(&["where_clause"]).into_iter().flat_map(|clause| {
        let predicates = clause.named_children().filter(|one| one.kind() == "where_predicate");
        let own = predicates.filter(|one| one.child("left").is_some_and(|left| left.bytes() == b"Self"));
        own.filter_map(|one| one.child("bounds"))
            .flat_map(|all| all.named_children().map(plain).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    });
    bounds.chain(also).collect()
}

/// Members that are looked at for a type that nobody else can name.
const MOST_ASKED: usize = 50;

/// Whether others cannot implement it: because it asks for something that they cannot name, or should not know of.
pub(super) fn is_sealed(node: Node<'_>) -> bool {
    let tells = |text: &str| {
        let text = text.to_ascii_lowercase();
        text.contains("seal") || text.contains("private")
    };
    let asks = node.child("bounds").is_some_and(|all| tells(&all.text()));
    let private = || {
        let text = node.tree().text();
        let named = bounds(node).iter().any(|bound| {
            let name = bound.split('<').next().unwrap_or_default();
            is_private_trait(text, name)
        });
        named || node.child("bounds").is_some_and(has_private_path)
    };
    let by_method = || {
        members(node).iter().take(MOST_ASKED).any(|member| {
            !member.has_default && member.noun != "constant" && {
                let head = member.node.text();
                let list = member.node.child("parameters").map(|list| list.text().into_owned());
                tells(&list.unwrap_or_default())
                    || (member.noun == "type" && tells(&head))
                    || member.node.child("parameters").is_some_and(has_private_path)
            }
        })
    };
    let by_hidden = || members(node).iter().any(|member| member.hidden && !member.has_default);
    asks || private() || by_method() || by_hidden()
}

/// Whether a name in it is one of a module that the file keeps to itself.
fn has_private_path(node: Node<'_>) -> bool {
    let paths = node.descendants().filter(|part| part.kind() == "scoped_type_identifier");
    paths.into_iter().any(|path| {
        let text = path.text();
        let mut parts = text.split("::").skip_while(|part| ["crate", "self", "super"].contains(part));
        let (Some(module), Some(name)) = (parts.next(), parts.next()) else { return false };
        is_private_module(node.tree().root(), module.trim(), name.trim())
    })
}

fn is_private_module(root: Node<'_>, module: &str, name: &str) -> bool {
    let called = |node: Node<'_>| node.child("name").is_some_and(|name| name.bytes() == module.as_bytes());
    let private =
        root.named_children().any(|node| node.kind() == "mod_item" && called(node) && !is_pub(node));
    private && {
        let exports = root.named_children().filter(|node| node.kind() == "use_declaration" && is_pub(*node));
        let mut brought = exports.flat_map(brought);
        !brought.any(|one| one.path.contains(module) && one.name.is_none_or(|brought| brought == name))
    }
}

/// Whether the file defines it without letting it out.
fn is_private_trait(text: &[u8], name: &str) -> bool {
    let definition = format!("trait {name}");
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    !name.is_empty()
        && memchr::memmem::find_iter(text, &definition).take(20).any(|at| {
            let line = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            !text.get(at + definition.len()).is_some_and(is_word)
                && matches!(text[line..at].trim_ascii(), b"" | b"unsafe" | b"pub(crate)" | b"pub(super)")
        })
}

/// A trait with one of the same name. Methods and constants that are gone are told elsewhere.
pub(super) fn compare(old: Node<'_>, new: Node<'_>) -> Vec<Alteration> {
    let mut found = Vec::new();
    let (was_sealed, sealed) = (is_sealed(old), is_sealed(new));
    if sealed && !was_sealed {
        found.push(Alteration::certain("became sealed, so that others cannot implement it"));
    }
    let is_unsafe = |node: Node<'_>| node.child_of(&["unsafe"]).is_some();
    if is_unsafe(old) != is_unsafe(new) && !was_sealed {
        let how =
            if is_unsafe(new) { "became unsafe to implement" } else { "is no longer unsafe to implement" };
        found.push(Alteration::certain(how));
    }
    if was_sealed <= sealed {
        found.extend(supertraits(old, new, was_sealed));
    }
    let (was, is) = (members(old), members(new));
    found.extend(compared(&was, &is, was_sealed || sealed));
    let usable = |node: Node<'_>, all: &[Member<'_>]| is_object_safe(node, all);
    if usable(old, &was) && !usable(new, &is) {
        let how = "can no longer be used as a dyn type".to_owned();
        let proof =
            if bounds(old).iter().all(|bound| is_harmless(bound)) { Proof::Certain } else { Proof::Likely };
        found.push(Alteration { how, proof });
    }
    found
}

/// A supertrait of which everybody knows that a table of functions can hold it.
fn is_harmless(bound: &str) -> bool {
    const HARMLESS: [&str; 12] = [
        "Send",
        "Sync",
        "Unpin",
        "Debug",
        "Display",
        "Error",
        "Any",
        "Read",
        "Write",
        "UnwindSafe",
        "RefUnwindSafe",
        "Sealed",
    ];
    HARMLESS.contains(&bound)
}

fn supertraits(old: Node<'_>, new: Node<'_>, sealed: bool) -> Vec<Alteration> {
    let (was, is) = (bounds(old), bounds(new));
    // Their own supertraits come with them; and what every type is, costs nothing.
    let implied = |bound: &String| bound.starts_with('?');
    let added = is.iter().find(|bound| !was.contains(bound) && !implied(bound)).filter(|_| !sealed);
    let lost = was.iter().find(|bound| !is.contains(bound) && !implied(bound));
    let both = added.is_some() && lost.is_some();
    let proof = if both { Proof::Likely } else { Proof::Certain };
    let told = |how: String| Alteration { how, proof };
    let mut found: Vec<Alteration> =
        added.map(|one| told(format!("demands {one} of its implementations"))).into_iter().collect();
    found.extend(lost.map(|one| told(format!("no longer implies {one}"))));
    found
}

fn compared(was: &[Member<'_>], is: &[Member<'_>], sealed: bool) -> Vec<Alteration> {
    let known: HashMap<(&str, &str), &Member<'_>> =
        was.iter().map(|one| ((one.noun, one.name.as_str()), one)).collect();
    let mut found = Vec::new();
    for now in is {
        let (noun, name) = (now.noun, &now.name);
        match known.get(&(noun, name.as_str())) {
            None if !now.has_default && !sealed => {
                found.push(Alteration::certain(format!(
                    "demands the new {noun} {name} of its implementations"
                )));
            }
            Some(before) => {
                if now.hidden && !before.hidden {
                    found.push(Alteration::certain(format!("hides its {noun} {name}")));
                }
                if before.has_default && !now.has_default && !sealed && noun != "method" {
                    found.push(Alteration::certain(format!("has lost the default of its {noun} {name}")));
                }
            }
            None => {}
        }
    }
    let types = was.iter().filter(|one| one.noun == "type" && !one.hidden);
    for one in types.filter(|one| !is.iter().any(|now| now.name == one.name)) {
        found.push(Alteration::certain(format!("has lost its type {}", one.name)));
    }
    found
}

/// As far as it can be seen: no member that a table of functions cannot hold.
fn is_object_safe(node: Node<'_>, members: &[Member<'_>]) -> bool {
    let sized = |text: &str| text.replace(' ', "").contains("Self:Sized");
    let bound = bounds(node).iter().any(|bound| bound == "Sized");
    !bound
        && members.iter().all(|member| match member.noun {
            "constant" => false,
            "type" => member.node.child("type_parameters").is_none(),
            _ => {
                let node = member.node;
                let clause = node.child_of(&["where_clause"]).is_some_and(|clause| sized(&clause.text()));
                let list = node.child("parameters");
                let receives = list.is_some_and(|list| {
                    list.named_children().any(|one| {
                        one.kind() == "self_parameter"
                            || one.child("pattern").is_some_and(|pattern| pattern.kind() == "self")
                    })
                });
                let generic = node
                    .child("type_parameters")
                    .is_some_and(|list| list.named_children().any(|one| !one.kind().starts_with("lifetime")));
                let hidden_type =
                    |part: Option<Node<'_>>| part.is_some_and(|part| part.text().contains("impl "));
                let itself = node.child("return_type").is_some_and(|result| plain(result) == "Self");
                let asynchronous = node
                    .child_of(&["function_modifiers"])
                    .is_some_and(|all| all.child_of(&["async"]).is_some());
                clause
                    || (receives
                        && !generic
                        && !itself
                        && !asynchronous
                        && !hidden_type(list)
                        && !hidden_type(node.child("return_type")))
            }
        })
}
