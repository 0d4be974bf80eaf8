//! Types and generics as they are written.

use crate::syntax::Node;

/// A type without spaces, lifetimes and the paths in front of names.
pub(super) fn plain(node: Node<'_>) -> String {
    let text = node.text();
    let mut words: Vec<String> = Vec::new();
    let mut rest = text.as_ref();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            '\'' => 1 + rest[1..].find(|c| !is_word(c)).unwrap_or(rest.len() - 1),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        let word = &rest[..length];
        rest = &rest[length..];
        match word {
            "::" => {
                if words.last().is_some_and(|last| last.starts_with(is_word)) {
                    words.pop();
                }
            }
            _ if word.starts_with('\'') || word.trim().is_empty() => {}
            _ => words.push(word.to_owned()),
        }
    }
    let mut joined = String::new();
    for word in words {
        let glued = joined.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && word.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if glued {
            joined.push(' ');
        }
        joined.push_str(&word);
    }
    joined.replace("<,", "<").replace("<>", "").replace(",>", ">").replace(",)", ")")
}

/// Whether everybody knows what the names in it stand for, so that two such types differ if their texts do.
pub(super) fn is_well_known(plain: &str) -> bool {
    const KNOWN: [&str; 34] = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64",
        "bool", "char", "str", "String", "Vec", "Option", "Box", "Rc", "Arc", "HashMap", "HashSet",
        "BTreeMap", "BTreeSet", "VecDeque", "PathBuf", "Path", "OsString", "Duration", "mut", "Cow",
    ];
    let mut words = plain.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    !plain.is_empty()
        && words.all(|word| KNOWN.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Two types of which nobody can doubt that they are not the same.
pub(super) fn differ(was: &str, is: &str) -> bool {
    was != is && is_well_known(was) && is_well_known(is)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Type,
    Const,
}

/// The parameters of an item in angle brackets.
#[derive(Debug, Clone, Default)]
pub(super) struct Generics {
    pub(super) lifetimes: usize,
    pub(super) others: Vec<Parameter>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameter {
    kind: Kind,
    name: String,
    has_default: bool,
}

impl Generics {
    pub(super) fn of(item: Node<'_>) -> Self {
        let mut generics = Generics::default();
        let Some(list) = item.child("type_parameters") else { return generics };
        for parameter in list.named_children() {
            let name = parameter.child("name").unwrap_or(parameter).text().into_owned();
            match parameter.kind() {
                "lifetime_parameter" | "lifetime" => generics.lifetimes += 1,
                "type_parameter"
                | "type_identifier"
                | "optional_type_parameter"
                | "constrained_type_parameter" => {
                    let has_default = parameter.child("default_type").is_some();
                    generics.add(Parameter { kind: Kind::Type, name, has_default });
                }
                "const_parameter" => {
                    let has_default = parameter.child("value").is_some();
                    generics.add(Parameter { kind: Kind::Const, name, has_default });
                }
                _ => {}
            }
        }
        generics
    }

    /// Of types and constants.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.others.iter().map(|one| one.name.as_str())
    }

    /// One that is written twice, with a default under one condition and without under another, is one.
    fn add(&mut self, parameter: Parameter) {
        match self.others.iter_mut().find(|known| known.name == parameter.name) {
            Some(known) => known.has_default |= parameter.has_default,
            None => self.others.push(parameter),
        }
    }

    fn counted(&self, kind: Kind) -> (usize, usize) {
        let of_kind = || self.others.iter().filter(move |one| one.kind == kind);
        (of_kind().filter(|one| !one.has_default).count(), of_kind().count())
    }

    /// For a type or trait, whose parameters are named wherever it is used.
    pub(super) fn broken_for_a_type(&self, is: &Generics) -> Option<String> {
        if self.lifetimes != is.lifetimes {
            return Some(format!("had {} and now has {}", lifetimes(self.lifetimes), is.lifetimes));
        }
        for (kind, name) in [(Kind::Type, "type"), (Kind::Const, "const")] {
            let ((needed, taken), (needs, takes)) = (self.counted(kind), is.counted(kind));
            if needs > needed {
                return Some(format!("now requires {needs} generic {name} parameters instead of {needed}"));
            }
            if takes < taken {
                return Some(format!("now takes {takes} generic {name} parameters instead of {taken}"));
            }
        }
        self.reordered(is)
    }

    /// For a function, where they are mostly left to inference: naming none of them works with any number.
    pub(super) fn broken_for_a_function(&self, is: &Generics) -> Option<String> {
        for (kind, name) in [(Kind::Type, "type"), (Kind::Const, "const")] {
            let (was, now) = (self.counted(kind).1, is.counted(kind).1);
            if was != now {
                return Some(format!("now takes {now} generic {name} parameters instead of {was}"));
            }
        }
        self.reordered(is)
    }

    fn reordered(&self, is: &Generics) -> Option<String> {
        let swapped = self.others.iter().zip(&is.others).any(|(a, b)| a.kind != b.kind);
        let names = |of: &Generics| of.others.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        let (mut before, mut now) = (names(self), names(is));
        let moved = before != now && {
            before.sort();
            now.sort();
            before == now
        };
        (swapped || moved).then(|| "has its generic parameters in another order".to_owned())
    }
}

fn lifetimes(count: usize) -> String {
    if count == 1 { "1 lifetime parameter".to_owned() } else { format!("{count} lifetime parameters") }
}
