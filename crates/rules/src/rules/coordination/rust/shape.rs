use super::Alteration;
use super::marks::{Marks, marks};
use super::types::{differ, plain};
use crate::rules::coordination::lost::Proof;
use crate::syntax::Node;

/// How the fields of a struct or variant are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Unit,
    Tuple,
    Plain,
}

pub(super) struct Field {
    /// A number in a tuple.
    pub(super) name: String,
    pub(super) public: bool,
    pub(super) hidden: bool,
    pub(super) kind: String,
}

/// The fields of a struct, union or variant.
pub(super) struct Shape {
    pub(super) form: Form,
    pub(super) fields: Vec<Field>,
}

impl Form {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Form::Unit => "a unit",
            Form::Tuple => "a tuple",
            Form::Plain => "named fields",
        }
    }
}

impl Shape {
    /// Fields of variants are as public as the enum.
    pub(super) fn of(node: Node<'_>) -> Self {
        let is_variant = node.kind() == "enum_variant";
        match node.child("body") {
            None => Shape { form: Form::Unit, fields: Vec::new() },
            Some(body) if body.kind() == "ordered_field_declaration_list" => {
                Shape { form: Form::Tuple, fields: tuple(body, is_variant) }
            }
            Some(body) => {
                let declared = body.named_children().filter(|child| child.kind() == "field_declaration");
                Shape { form: Form::Plain, fields: declared.map(|one| named(one, is_variant)).collect() }
            }
        }
    }

    pub(super) fn all_public(&self) -> bool {
        self.fields.iter().all(|field| field.public && !field.hidden)
    }

    pub(super) fn find(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The fields that the other has not.
    pub(super) fn beyond<'s>(&'s self, other: &Shape) -> Vec<&'s Field> {
        let known: std::collections::HashSet<&str> =
            other.fields.iter().map(|one| one.name.as_str()).collect();
        self.fields.iter().filter(|field| !known.contains(field.name.as_str())).collect()
    }

    /// How sure it is that somebody notices the same names in another order: those that others may name are part of
    /// what is promised, and what the documentation hides is not.
    pub(super) fn is_shuffled(&self, other: &Shape) -> Option<Proof> {
        let names = |shape: &Shape, wanted: fn(&Field) -> bool| -> Vec<String> {
            shape.fields.iter().filter(|one| wanted(one)).map(|one| one.name.clone()).collect()
        };
        let moved = |wanted: fn(&Field) -> bool| {
            let (mut was, mut is) = (names(self, wanted), names(other, wanted));
            self.form == Form::Plain && was != is && {
                was.sort();
                is.sort();
                was == is
            }
        };
        match () {
            () if moved(|field| field.public && !field.hidden) => Some(Proof::Certain),
            () if moved(|field| !field.hidden) => Some(Proof::Likely),
            () => None,
        }
    }
}

fn named(node: Node<'_>, is_variant: bool) -> Field {
    let said = node.child_of(&["visibility_modifier"]).is_some_and(|said| said.bytes() == b"pub");
    Field {
        name: node.child("name").map(|name| name.text().into_owned()).unwrap_or_default(),
        public: is_variant || said,
        hidden: marks(node).hidden,
        kind: node.child("type").map(plain).unwrap_or_default(),
    }
}

fn tuple(body: Node<'_>, is_variant: bool) -> Vec<Field> {
    let mut fields = Vec::new();
    let (mut public, mut hidden) = (is_variant, false);
    for child in body.named_children() {
        match child.kind() {
            "visibility_modifier" => public |= child.bytes() == b"pub",
            "attribute_item" => hidden |= child.text().replace(' ', "").contains("doc(hidden"),
            _ if child.field() == "type" => {
                fields.push(Field { name: fields.len().to_string(), public, hidden, kind: plain(child) });
                (public, hidden) = (is_variant, false);
            }
            _ => {}
        }
    }
    fields
}

/// A struct or union with one of the same name.
pub(super) fn compare(old: Node<'_>, new: Node<'_>) -> Vec<Alteration> {
    let (was, is) = (Shape::of(old), Shape::of(new));
    let (marked, marks) = (marks(old), marks(new));
    let mut found = Vec::new();
    if was.form != is.form {
        found.extend(reformed(&was, &is, &marked));
    } else {
        found.extend(grown(&was, &is, &marked, old.kind()));
        found.extend(tuple_fields(&was, &is));
    }
    let closed = marks.non_exhaustive && !marked.non_exhaustive && was.all_public();
    found.extend(closed.then(|| Alteration::certain("became #[non_exhaustive]")));
    found.extend(reprs(&marked, &marks));
    found.extend(shuffled(&was, &is, (&marked, &marks)));
    found
}

fn reformed(was: &Shape, is: &Shape, marked: &Marks) -> Option<Alteration> {
    let broken = match (was.form, is.form) {
        (Form::Unit, _) => !marked.non_exhaustive,
        // `S {}` fits all forms, and `S(..)` none but its own.
        (Form::Plain, _) => {
            was.fields.iter().any(|field| field.public) || !is.fields.is_empty() && was.all_public()
        }
        (Form::Tuple, _) => was.fields.iter().any(|field| field.public) || was.fields.is_empty(),
    };
    let how = format!("has {} instead of {}", is.form.as_str(), was.form.as_str());
    broken.then(|| Alteration::certain(how))
}

/// A struct that others could build needs more now, or cannot be built at all.
fn grown(was: &Shape, is: &Shape, marked: &Marks, kind: &str) -> Option<Alteration> {
    if kind == "union_item" {
        // Whoever reads or writes one of the others has to know about it.
        let first = is.beyond(was).into_iter().next()?;
        let proof = if was.all_public() { Proof::Certain } else { Proof::Slight };
        return Some(Alteration { how: format!("has the new field {}", first.name), proof });
    }
    let buildable = was.all_public() && !marked.non_exhaustive && was.form != Form::Unit;
    let new = is.beyond(was);
    let first = new.iter().find(|field| !field.public).or(new.first()).filter(|_| buildable)?;
    Some(Alteration::likely(if first.public {
        format!("has the new field {}, which its literals lack", first.name)
    } else {
        format!("has the new private field {}, and no literal can build it", first.name)
    }))
}

fn tuple_fields(was: &Shape, is: &Shape) -> Option<Alteration> {
    if was.form != Form::Tuple {
        return None;
    }
    was.fields.iter().filter(|field| field.public && !field.hidden).find_map(|field| {
        let how = match is.find(&field.name) {
            None => format!("has lost its field {}", field.name),
            Some(now) if !now.public || now.hidden => format!("has hidden its field {}", field.name),
            Some(now) if differ(&field.kind, &now.kind) => {
                format!("has {} instead of {} as field {}", now.kind, field.kind, field.name)
            }
            Some(_) => return None,
        };
        Some(Alteration::certain(how))
    })
}

/// What is promised about the layout.
pub(super) fn reprs(was: &Marks, is: &Marks) -> Option<Alteration> {
    let lost = was.reprs.iter().find(|one| !is.reprs.contains(one) && *one != "Rust");
    let bound = |one: &&String| one.starts_with("packed") || one.starts_with("align");
    let gained = is.reprs.iter().find(|one| bound(one) && !was.reprs.contains(one));
    match (lost, gained) {
        (Some(lost), _) => Some(Alteration::certain(format!("is no longer repr({lost})"))),
        (None, Some(gained)) => Some(Alteration::certain(format!("became repr({gained})"))),
        (None, None) => None,
    }
}

/// A union of one public field is used like a struct of one.
pub(super) fn is_the_same_to_use(union: Node<'_>, structure: Node<'_>) -> bool {
    let (was, is) = (Shape::of(union), Shape::of(structure));
    match (was.fields.as_slice(), is.fields.as_slice()) {
        ([was], [now]) => {
            let marks = marks(structure);
            now.public && !now.hidden && was.name == now.name && !marks.non_exhaustive && !marks.hidden
        }
        _ => false,
    }
}

fn shuffled(was: &Shape, is: &Shape, (marked, marks): (&Marks, &Marks)) -> Option<Alteration> {
    let proof = was.is_shuffled(is)?;
    let reason = order_matters(marked, marks)?;
    Some(Alteration { how: format!("has its fields in another order, which {reason}"), proof })
}

/// Where the order of fields is a promise, for what. Who compares them by hand may go on as before.
pub(super) fn order_matters(was: &Marks, is: &Marks) -> Option<&'static str> {
    let derived = |marks: &Marks| marks.derives.iter().any(|one| one == "PartialOrd");
    match () {
        () if was.reprs.iter().any(|repr| repr == "C") => Some("changes its layout"),
        () if derived(was) && derived(is) => Some("changes how it is ordered"),
        () => None,
    }
}
