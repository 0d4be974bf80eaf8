use super::marks::marks;
use super::types::{Generics, differ, is_well_known, plain};
use super::{Alteration, Demand};
use crate::rules::coordination::lost::Proof;
use crate::rules::coordination::mentions;
use crate::syntax::Node;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Receiver {
    Absent,
    Ref,
    Mut,
    Owned,
    Typed(String),
}

/// What a function says in front of its body.
#[expect(clippy::struct_excessive_bools, reason = "each is a word that is there or not")]
struct Signature {
    is_const: bool,
    is_async: bool,
    is_unsafe: bool,
    abi: String,
    receiver: Receiver,
    variadic: bool,
    /// Without the receiver.
    parameters: Vec<String>,
    returns: String,
    has_body: bool,
    generics: Generics,
}

impl Signature {
    fn of(node: Node<'_>) -> Self {
        let modifiers = node.child_of(&["function_modifiers"]);
        let has = |word: &str| modifiers.is_some_and(|all| all.child_of(&[word]).is_some());
        let external = modifiers.and_then(|all| all.child_of(&["extern_modifier"]));
        let list = node.child("parameters");
        let parameters = || list.into_iter().flat_map(|list| list.named_children().collect::<Vec<_>>());
        Signature {
            is_const: has("const"),
            is_async: has("async"),
            is_unsafe: has("unsafe"),
            abi: external.map(abi).unwrap_or_default(),
            receiver: parameters().find_map(receiver).unwrap_or(Receiver::Absent),
            variadic: parameters().any(|one| one.kind() == "variadic_parameter"),
            parameters: parameters()
                .filter(|one| one.kind() == "parameter" && receiver(*one).is_none())
                .filter_map(|one| one.child("type").map(plain))
                .collect(),
            returns: node.child("return_type").map(plain).filter(|text| text != "()").unwrap_or_default(),
            has_body: node.child("body").is_some(),
            generics: Generics::of(node),
        }
    }
}

fn abi(modifier: Node<'_>) -> String {
    let named = modifier.child_of(&["string_literal"]).map(|name| name.text().trim_matches('"').to_owned());
    // What is written without a word is Rust.
    named.map_or_else(|| "C".to_owned(), |name| if name == "Rust" { String::new() } else { name })
}

fn receiver(parameter: Node<'_>) -> Option<Receiver> {
    match parameter.kind() {
        "self_parameter" => {
            let is_ref = parameter.child_of(&["&"]).is_some();
            let is_mut = parameter.child_of(&["mutable_specifier"]).is_some();
            Some(match (is_ref, is_mut) {
                (true, true) => Receiver::Mut,
                (true, false) => Receiver::Ref,
                (false, _) => Receiver::Owned,
            })
        }
        "parameter" => {
            let itself = parameter.child("pattern").is_some_and(|pattern| pattern.kind() == "self");
            let text = itself.then(|| parameter.child("type").map(plain)).flatten()?;
            Some(match text.as_str() {
                "Self" => Receiver::Owned,
                "&Self" => Receiver::Ref,
                "&mut Self" => Receiver::Mut,
                _ => Receiver::Typed(text),
            })
        }
        _ => None,
    }
}

/// What those who call it, or have to implement it, will notice. The number of parameters is judged elsewhere.
pub(super) fn compare(old: Node<'_>, new: Node<'_>, demand: Demand) -> Vec<Alteration> {
    let (was, is) = (Signature::of(old), Signature::of(new));
    let mut found = words(&was, &is, demand);
    found.extend(receivers(&was.receiver, &is.receiver, demand).map(Alteration::certain));
    found.extend(returned(&was, &is, demand));
    found.extend(generics(&was, &is));
    found.extend(parameters(&was, &is, demand).map(Alteration::certain));
    found.extend(linkage(old, new, (&was, &is), demand));
    if demand == Demand::ToBeImplemented && was.has_body && !is.has_body {
        found.push(Alteration::certain("has lost its default implementation"));
    }
    found
}

fn words(was: &Signature, is: &Signature, demand: Demand) -> Vec<Alteration> {
    let mut found = Vec::new();
    if was.is_const && !is.is_const {
        found.push(Alteration::certain("is no longer const"));
    }
    if is.is_unsafe && !was.is_unsafe {
        found.push(Alteration::certain("became unsafe"));
    }
    if was.is_unsafe && !is.is_unsafe && demand != Demand::None {
        found.push(Alteration::certain("is no longer unsafe, and implementations are"));
    }
    // `async fn` may have become `fn` with a future behind the arrow, and the other way round; a type of a name that
    // only they know may be one as well.
    let at_once = |signature: &Signature| {
        let named = signature.returns.as_str();
        awaited(signature).is_none() && (named.is_empty() || is_well_known(named))
    };
    let future = |signature: &Signature| signature.returns.contains("Future");
    let unsaid = is.is_async != was.is_async && !future(is) && !future(was);
    if unsaid || (awaited(was).is_some() && at_once(is)) || (at_once(was) && awaited(is).is_some()) {
        let later = awaited(is).is_some();
        found.push(Alteration::certain(if later { "became async" } else { "is no longer async" }));
    }
    if was.abi != is.abi {
        found.push(Alteration::certain(format!(
            "has the ABI {} instead of {}",
            named(&is.abi),
            named(&was.abi)
        )));
    }
    if was.variadic != is.variadic {
        found.push(Alteration::certain(if is.variadic {
            "became variadic"
        } else {
            "is no longer variadic"
        }));
    }
    found
}

fn named(abi: &str) -> &str {
    if abi.is_empty() { "Rust" } else { abi }
}

fn receivers(was: &Receiver, is: &Receiver, demand: Demand) -> Option<String> {
    use Receiver::{Absent, Mut, Owned, Ref, Typed};
    let implemented = demand != Demand::None;
    match (was, is) {
        (Absent, Absent) | (Ref, Ref) | (Mut, Mut) | (Owned, Owned) => None,
        (_, Absent) => Some("has lost its receiver".to_owned()),
        (Absent, _) => implemented.then(|| "takes a receiver now".to_owned()),
        (Ref, Mut) => Some("takes &mut self instead of &self".to_owned()),
        (Ref, Owned) => Some("takes self instead of &self".to_owned()),
        (Mut, Owned) => Some("takes self instead of &mut self".to_owned()),
        (Mut, Ref) => implemented.then(|| "takes &self instead of &mut self".to_owned()),
        // Who had it may lend it; but not where it was only passed on.
        (Owned, Mut) => Some("takes &mut self instead of self".to_owned()).filter(|_| implemented),
        (Owned, Ref) => implemented.then(|| "takes &self instead of self".to_owned()),
        (Typed(was), Typed(is)) => (was != is).then(|| format!("takes self as {is} instead of {was}")),
        (Typed(was), _) => Some(format!("no longer takes self as {was}")),
        (_, Typed(is)) => Some(format!("takes self as {is} now")),
    }
}

/// What comes out of it in the end, if that has to be waited for: `async fn f() -> T` is a way to write
/// `fn f() -> impl Future<Output = T>`.
fn awaited(signature: &Signature) -> Option<&str> {
    let written = signature.returns.strip_prefix("impl Future<Output=").map(|rest| {
        let end = rest.rfind('>').unwrap_or(rest.len());
        if &rest[..end] == "()" { "" } else { &rest[..end] }
    });
    if signature.is_async { Some(&signature.returns) } else { written }
}

fn returned(was: &Signature, is: &Signature, demand: Demand) -> Option<Alteration> {
    let outcomes = match (awaited(was), awaited(is)) {
        (Some(was), Some(is)) => (was, is),
        _ => (was.returns.as_str(), is.returns.as_str()),
    };
    match outcomes {
        (was, is) if was == is => None,
        ("!", "") | ("", "!") => None,
        (_, "") => Some(Alteration::certain("returns nothing any more")),
        ("", _) => (demand != Demand::None).then(|| Alteration::certain("has to return something now")),
        (was, is) => differ(was, is).then(|| Alteration::certain(format!("returns {is} instead of {was}"))),
    }
}

/// Without a single generic type before, nobody can have named one: that is a generalisation which calls survive, as
/// long as the arguments say what it is.
fn generics(was: &Signature, is: &Signature) -> Option<Alteration> {
    let how = was.generics.broken_for_a_function(&is.generics)?;
    let given = is.parameters.join(" ");
    let told = |name: &str| mentions(given.as_bytes(), name);
    let certain = !was.generics.others.is_empty() || !is.generics.names().all(told);
    Some(Alteration { how, proof: if certain { Proof::Certain } else { Proof::Slight } })
}

/// Types of parameters that everybody knows, where no conversion happens by itself.
fn parameters(was: &Signature, is: &Signature, demand: Demand) -> Option<String> {
    if was.parameters.len() != is.parameters.len() {
        return None;
    }
    let coerced = |was: &str, is: &str| {
        demand == Demand::None && was.starts_with('&') && is.starts_with('&') && !is.starts_with("&mut")
    };
    let mut pairs = was.parameters.iter().zip(&is.parameters);
    let (was, is) = pairs.find(|(was, is)| differ(was, is) && !coerced(was, is))?;
    Some(format!("takes {is} instead of {was}"))
}

/// What other languages link against, and what the processor has to be able to do.
fn linkage(
    old: Node<'_>,
    new: Node<'_>,
    (was, is): (&Signature, &Signature),
    demand: Demand,
) -> Vec<Alteration> {
    let (marked, marks) = (marks(old), marks(new));
    let mut found = Vec::new();
    let linked = |node: Node<'_>, marks: &super::Marks| -> Option<String> {
        let named = marks.export_name.split('"').nth(1).map(str::to_owned);
        let own = || node.child("name").map(|name| name.text().into_owned()).filter(|_| marks.no_mangle);
        named.or_else(own)
    };
    let exported = linked(old, &marked);
    if exported.is_some() && exported != linked(new, &marks) {
        found.push(Alteration::certain("is exported under another name"));
    }
    if exported.is_some() && was.returns.is_empty() && !is.returns.is_empty() {
        found.push(Alteration::certain("returns something to those who link against it"));
    }
    if marks.target_features.iter().any(|feature| !marked.target_features.contains(feature)) {
        found.push(Alteration::certain("requires more of the processor"));
    }
    let fewer = marked.target_features.iter().any(|feature| !marks.target_features.contains(feature));
    if fewer && demand != Demand::None {
        found.push(Alteration::certain("lets its implementations ask less of the processor"));
    }
    found
}
