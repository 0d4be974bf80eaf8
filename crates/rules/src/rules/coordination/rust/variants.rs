use std::collections::HashMap;

use super::Alteration;
use super::marks::{Marks, marks};
use super::shape::{Form, Shape, order_matters, reprs};
use super::types::differ;
use crate::rules::coordination::lost::Proof;
use crate::syntax::Node;

struct Variant {
    name: String,
    shape: Shape,
    marks: Marks,
    /// As far as it can be counted.
    number: Option<i128>,
    numbered: bool,
}

fn variants(node: Node<'_>) -> Vec<Variant> {
    let body = node.child("body").into_iter();
    let listed = body.flat_map(|body| body.named_children().collect::<Vec<_>>());
    let mut next: Option<i128> = Some(0);
    let mut found = Vec::new();
    for one in listed.filter(|child| child.kind() == "enum_variant") {
        let value = one.child("value");
        let number = match value {
            Some(value) => whole_number(&value.text()),
            None => next,
        };
        next = number.and_then(|number: i128| number.checked_add(1));
        found.push(Variant {
            name: one.child("name").map(|name| name.text().into_owned()).unwrap_or_default(),
            shape: Shape::of(one),
            marks: marks(one),
            number,
            numbered: value.is_some(),
        });
    }
    found
}

fn whole_number(text: &str) -> Option<i128> {
    let text = text.replace(['_', ' '], "");
    let (sign, digits) = text.strip_prefix('-').map_or((1, text.as_str()), |digits| (-1, digits));
    let (digits, radix) = match digits.get(..2) {
        Some("0x") => (&digits[2..], 16),
        Some("0o") => (&digits[2..], 8),
        Some("0b") => (&digits[2..], 2),
        _ => (digits, 10),
    };
    i128::from_str_radix(digits, radix).ok().map(|number| sign * number)
}

/// An enum with one of the same name. Variants that are gone are told elsewhere.
pub(super) fn compare(old: Node<'_>, new: Node<'_>) -> Vec<Alteration> {
    let (marked, marks) = (marks(old), marks(new));
    let (was, is) = (variants(old), variants(new));
    let mut found = Vec::new();
    let open = marked.non_exhaustive || was.iter().any(|one| one.marks.hidden);
    if marks.non_exhaustive && !open {
        found.push(Alteration::certain("became #[non_exhaustive]"));
    }
    let known: HashMap<&str, &Variant> = was.iter().map(|one| (one.name.as_str(), one)).collect();
    let added = is.iter().find(|one| !known.contains_key(one.name.as_str()) && !one.marks.conditional);
    if let Some(added) = added.filter(|_| !open) {
        found.push(Alteration::likely(format!(
            "has the new variant {}, which a match does not handle",
            added.name
        )));
    }
    let pairs = || {
        let pairs = is.iter().filter_map(|now| Some((*known.get(now.name.as_str())?, now)));
        pairs.filter(|(before, _)| !before.marks.hidden)
    };
    found.extend(pairs().filter_map(|(before, now)| variant(before, now).into_iter().next()));
    found.extend(numbers((&was, &is), &marked, pairs()));
    found.extend(castable(&was, &is, &marked));
    found.extend(pairs().filter_map(|(before, now)| shuffled(before, now, (&marked, &marks))));
    found.extend(reprs(&marked, &marks));
    found.extend(reordered(&was, &is, (&marked, &marks)));
    found
}

fn variant(was: &Variant, is: &Variant) -> Vec<Alteration> {
    let name = &is.name;
    let mut found = Vec::new();
    if is.marks.hidden && !was.marks.hidden {
        found.push(Alteration::certain(format!("hides its variant {name}")));
    }
    let open = was.marks.non_exhaustive;
    if is.marks.non_exhaustive && !open {
        found.push(Alteration::certain(format!("has marked its variant {name} #[non_exhaustive]")));
    }
    if was.shape.form != is.shape.form {
        // `V {}` fits all forms without fields.
        let braces = was.shape.form == Form::Plain && is.shape.fields.is_empty();
        if !(was.shape.fields.is_empty() && (open || braces)) {
            let (old, new) = (was.shape.form.as_str(), is.shape.form.as_str());
            found.push(Alteration::certain(format!("has {new} instead of {old} in its variant {name}")));
        }
        return found;
    }
    for field in was.shape.fields.iter().filter(|field| !field.hidden) {
        match is.shape.find(&field.name) {
            None => {
                found.push(Alteration::certain(format!(
                    "has lost field {} of its variant {name}",
                    field.name
                )));
            }
            Some(now) if now.hidden => {
                found.push(Alteration::certain(format!("hides field {} of its variant {name}", field.name)));
            }
            Some(now) if differ(&field.kind, &now.kind) => {
                let (is, was) = (&now.kind, &field.kind);
                found.push(Alteration::certain(format!("has {is} instead of {was} in its variant {name}")));
            }
            Some(_) => {}
        }
    }
    if let Some(field) = is.shape.beyond(&was.shape).first().filter(|_| !open) {
        found.push(Alteration::likely(format!("has the new field {} in its variant {name}", field.name)));
    }
    found
}

/// Numbers that others may have cast to, stored or sent.
fn numbers<'v>(
    (was, is): (&[Variant], &[Variant]),
    marked: &Marks,
    pairs: impl Iterator<Item = (&'v Variant, &'v Variant)>,
) -> Vec<Alteration> {
    let whole = |repr: &String| repr.starts_with(['u', 'i']) || repr == "C";
    // Without a number that somebody wrote, before or now, hardly anybody relies on one.
    let counted = was.iter().chain(is).any(|one| one.numbered) || marked.reprs.iter().any(whole);
    let fields = |variant: &Variant| !variant.shape.fields.is_empty();
    let castable = !was.iter().any(fields) || marked.reprs.iter().any(whole);
    let shut = was.iter().any(|one| one.marks.non_exhaustive);
    if !counted || !castable || shut {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (before, now) in pairs {
        if let (Some(was), Some(is)) = (before.number, now.number)
            && was != is
        {
            found.push(Alteration::certain(format!("has {is} instead of {was} as {}", now.name)));
        }
        if fields(now) && !fields(before) {
            found.push(Alteration::certain(format!("has no number for {} any more", now.name)));
        }
    }
    found
}

/// `Level::High as u8` holds for enums without fields, whoever numbers them.
fn castable(was: &[Variant], is: &[Variant], marked: &Marks) -> Option<Alteration> {
    let plain = |all: &[Variant]| all.iter().all(|one| one.shape.form == Form::Unit);
    let added = is.iter().find(|one| one.shape.form != Form::Unit)?;
    let open = !was.is_empty() && plain(was) && marked.reprs.is_empty();
    let how = format!("can no longer be cast to a number, for its variant {}", added.name);
    open.then_some(Alteration { how, proof: Proof::Likely })
}

fn shuffled(was: &Variant, is: &Variant, (marked, marks): (&Marks, &Marks)) -> Option<Alteration> {
    let proof = was.shape.is_shuffled(&is.shape)?;
    let reason = order_matters(marked, marks)?;
    let how = format!("has the fields of its variant {} in another order, which {reason}", is.name);
    Some(Alteration { how, proof })
}

fn reordered(was: &[Variant], is: &[Variant], (marked, marks): (&Marks, &Marks)) -> Option<Alteration> {
    let ordered = |marks: &Marks| marks.derives.iter().any(|one| one == "PartialOrd");
    let here: std::collections::HashSet<&str> = is.iter().map(|one| one.name.as_str()).collect();
    let there: std::collections::HashSet<&str> = was.iter().map(|one| one.name.as_str()).collect();
    let mut before = was.iter().filter(|one| here.contains(one.name.as_str()) && !one.marks.hidden);
    let mut now = is.iter().filter(|one| there.contains(one.name.as_str()) && !one.marks.hidden);
    let moved = before.by_ref().zip(now.by_ref()).any(|(a, b)| a.name != b.name);
    let how = "has its variants in another order, which changes how they compare".to_owned();
    (ordered(marked) && ordered(marks) && moved).then(|| Alteration::certain(how))
}
