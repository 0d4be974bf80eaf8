//! What the tickets agreed on. Each list has a long form and, where that says enough, a short one.

use std::collections::BTreeMap;

use super::super::yaml::{Node, Spot, Value};
use super::reader::{Reader, found};
use crate::text::{brief_line, nearest};
use crate::work::{Coordination, Directory, FunctionProfile, ProhibitedChange, SharedInterface};

const KEYS: [&str; 7] = [
    "function_profiles",
    "directory_structure",
    "shared_interfaces",
    "breaking_changes_prohibited",
    "performance_contracts",
    "security_constraints",
    "architectural_decisions",
];
/// Enough for any language.
const MOST_ARGUMENTS: u64 = 255;

pub(crate) fn read(reader: &mut Reader, node: &Node) -> Coordination {
    let Some(fields) = reader.fields(node, "`coordination_requirements`", &KEYS) else {
        return Coordination::default();
    };
    let mut section = |key: &'static str| fields.get(key).map(|node| (key, node));
    let [profiles, directories, interfaces, prohibited, performance, security, decisions] =
        KEYS.map(&mut section);
    let profiles = each(reader, profiles, &["name", "arity", "intent"], profile_entry);
    Coordination {
        function_profiles: one_arity_each(reader, profiles),
        directory_structure: each(reader, directories, &["path", "purpose"], directory),
        shared_interfaces: each(reader, interfaces, &["name", "description"], interface),
        breaking_changes_prohibited: prohibitions(reader, prohibited),
        performance_contracts: each(reader, performance, &[], statement).concat(),
        security_constraints: each(reader, security, &[], statement).concat(),
        architectural_decisions: each(reader, decisions, &[], statement).concat(),
    }
}

/// One item of a list, in any of its forms.
enum Entry<'n> {
    /// `- src/auth`
    Short(&'n Node),
    /// `- src/auth: login` or, in a mapping instead of a list, `src/auth: login`
    Pair(&'n str, Spot, &'n Node),
    /// `- { path: src/auth, purpose: login }`
    Long(&'n Node),
}

const A_LIST: &str = "a list, each item on a line of its own after `-`";

/// Reads each item; a mapping counts as a list of pairs. `long` are the keys of the long form.
fn each<T>(
    reader: &mut Reader,
    section: Option<(&'static str, &Node)>,
    long: &[&str],
    read: fn(&mut Reader, Entry<'_>) -> Option<T>,
) -> Vec<T> {
    let Some((name, node)) = section else { return Vec::new() };
    match &node.value {
        Value::Map(entries) => entries
            .iter()
            .filter_map(|(key, value)| read(reader, Entry::Pair(&key.name, key.spot, value)))
            .collect(),
        Value::Nothing | Value::Text(_) | Value::Bool { .. } | Value::Number { .. } | Value::List(_) => {
            let items = reader.list(node, name, A_LIST);
            items.iter().filter_map(|item| read(reader, entry(item, long))).collect()
        }
    }
}

/// A mapping of a single key is a pair unless that key means something in the long form, or nearly does.
fn entry<'n>(item: &'n Node, long: &[&str]) -> Entry<'n> {
    match &item.value {
        Value::Map(entries) => match entries.as_slice() {
            [(key, value)]
                if nearest(&key.name, long.iter().copied()).is_none()
                    && !matches!(value.value, Value::Map(_)) =>
            {
                Entry::Pair(&key.name, key.spot, value)
            }
            _ => Entry::Long(item),
        },
        Value::Nothing | Value::Text(_) | Value::Bool { .. } | Value::Number { .. } | Value::List(_) => {
            Entry::Short(item)
        }
    }
}

/// `src/auth` or, in quotes and so one text, `src/auth: login`: a name, and a remark on it.
fn named(reader: &mut Reader, node: &Node, name: &str) -> Option<(String, String)> {
    let text = reader.words(node, name)?;
    let ends = |at: &usize| text[at + 1..].chars().next().is_none_or(char::is_whitespace);
    let colon = text.match_indices(':').map(|(at, _)| at).find(ends);
    Some(match colon {
        Some(at) => (text[..at].trim_end().to_owned(), text[at + 1..].trim().to_owned()),
        None => (text, String::new()),
    })
}

/// The value of a pair; nothing is no words.
fn remark(reader: &mut Reader, node: &Node, name: &str) -> String {
    match node.value {
        Value::Nothing => String::new(),
        Value::Text(_) | Value::Bool { .. } | Value::Number { .. } | Value::List(_) | Value::Map(_) => {
            reader.text(node, name).unwrap_or_default()
        }
    }
}

fn profile_entry(reader: &mut Reader, entry: Entry<'_>) -> Option<(FunctionProfile, Spot)> {
    const KNOWN: [&str; 3] = ["name", "arity", "intent"];
    match entry {
        Entry::Short(node) => {
            let (text, intent) = named(reader, node, "function_profiles")?;
            Some((slashed(reader, &text, node.spot, intent)?, node.spot))
        }
        Entry::Pair(key, spot, value) => {
            let intent = remark(reader, value, "intent");
            Some((slashed(reader, key, spot, intent)?, spot))
        }
        Entry::Long(node) => {
            let fields = reader.fields(node, "the function profile", &KNOWN)?;
            let what = "the function profile";
            let name = reader.required(&fields, "name", what, "the name of a function");
            let arity = reader.required(&fields, "arity", what, "how many arguments it takes");
            let spot = name.map_or(node.spot, |name| name.spot);
            let name = name.and_then(|node| reader.words(node, "name"));
            let arity = arity.and_then(|node| reader.whole(node, "arity", 0..=MOST_ARGUMENTS));
            let intent = fields.get("intent").map(|node| remark(reader, node, "intent")).unwrap_or_default();
            Some((FunctionProfile { name: name?, arity: u32::try_from(arity?).ok()?, intent }, spot))
        }
    }
}

/// `authenticate/2`
fn slashed(reader: &mut Reader, text: &str, spot: Spot, intent: String) -> Option<FunctionProfile> {
    let wrong = match text.rsplit_once('/').map(|(name, arity)| (name.trim(), arity.trim())) {
        None => format!("`{}` does not say how many arguments the function takes", brief_line(text)),
        Some(("", _)) => format!("`{}` does not name the function", brief_line(text)),
        Some((name, written)) => match arity(written) {
            Some(arity) => return Some(FunctionProfile { name: name.to_owned(), arity, intent }),
            None => format!("`{}` is no number of arguments that `{name}` takes", brief_line(written)),
        },
    };
    let expected =
        "`name/2`, `name/2: intent` or `{ name: ..., arity: 2, intent: ... }`, with 0 to 255 arguments";
    reader.error(spot, wrong, expected);
    None
}

fn arity(written: &str) -> Option<u32> {
    let digits = written.bytes().all(|byte| byte.is_ascii_digit());
    written.parse().ok().filter(|arity| digits && u64::from(*arity) <= MOST_ARGUMENTS)
}

/// The same function may be named twice only if it is the same.
fn one_arity_each(reader: &mut Reader, profiles: Vec<(FunctionProfile, Spot)>) -> Vec<FunctionProfile> {
    let mut seen: BTreeMap<String, (u32, u64)> = BTreeMap::new();
    for (profile, spot) in &profiles {
        let (arity, line) = *seen.entry(profile.name.clone()).or_insert((profile.arity, spot.at.line));
        if arity != profile.arity {
            let name = brief_line(&profile.name);
            let message = format!("`{name}` takes {} here, but {arity} on line {line}", profile.arity);
            reader.error(*spot, message, "one number of arguments for each function");
        }
    }
    profiles.into_iter().map(|(profile, _)| profile).collect()
}

fn directory(reader: &mut Reader, entry: Entry<'_>) -> Option<Directory> {
    let (path, spot, purpose) = match entry {
        Entry::Short(node) => {
            let (path, purpose) = named(reader, node, "directory_structure")?;
            (path, node.spot, purpose)
        }
        Entry::Pair(key, spot, value) => (key.to_owned(), spot, remark(reader, value, "purpose")),
        Entry::Long(node) => {
            let fields = reader.fields(node, "the directory", &["path", "purpose"])?;
            let path = reader.required(&fields, "path", "the directory", "a folder, from the root")?;
            let purpose = fields.get("purpose").map(|node| remark(reader, node, "purpose"));
            (reader.words(path, "path")?, path.spot, purpose.unwrap_or_default())
        }
    };
    let is_outside =
        path.starts_with('/') || path.contains('\\') || path.split('/').any(|part| part.trim() == "..");
    if is_outside || path.trim().is_empty() {
        let message = match is_outside {
            true => format!("the directory `{}` is not inside the repository", brief_line(&path)),
            false => "the directory has no path".to_owned(),
        };
        reader.error(
            spot,
            message,
            "a folder, a file or a glob from the root of the repository, as `src/auth`",
        );
        return None;
    }
    Some(Directory { path, purpose })
}

fn interface(reader: &mut Reader, entry: Entry<'_>) -> Option<SharedInterface> {
    let (name, spot, description) = match entry {
        Entry::Short(node) => {
            let (name, description) = named(reader, node, "shared_interfaces")?;
            (name, node.spot, description)
        }
        Entry::Pair(key, spot, value) => (key.to_owned(), spot, remark(reader, value, "description")),
        Entry::Long(node) => {
            let fields = reader.fields(node, "the interface", &["name", "description"])?;
            let name = reader.required(&fields, "name", "the interface", "the name of a type")?;
            let description = fields.get("description").map(|node| remark(reader, node, "description"));
            (reader.words(name, "name")?, name.spot, description.unwrap_or_default())
        }
    };
    if name.trim().is_empty() {
        reader.error(spot, "the interface has no name", "the name of a type, as `Session: what it is for`");
        return None;
    }
    Some(SharedInterface { name, description })
}

/// Always a list: what stands before a colon could be a file or a function.
fn prohibitions(reader: &mut Reader, section: Option<(&'static str, &Node)>) -> Vec<ProhibitedChange> {
    const KNOWN: [&str; 3] = ["what", "paths", "symbols"];
    let Some((name, node)) = section else { return Vec::new() };
    let items = reader.list(node, name, A_LIST);
    items.iter().filter_map(|item| prohibition(reader, entry(item, &KNOWN), &KNOWN)).collect()
}

fn prohibition(reader: &mut Reader, entry: Entry<'_>, known: &[&str]) -> Option<ProhibitedChange> {
    match entry {
        Entry::Short(node) => {
            let what = reader.words(node, "breaking_changes_prohibited")?;
            Some(ProhibitedChange { what, paths: Vec::new(), symbols: Vec::new() })
        }
        Entry::Pair(key, spot, _) => {
            let message = format!("`{}` could be a file or a function", brief_line(key));
            reader.error(spot, message, "a sentence, or `{ what: ..., paths: [...], symbols: [...] }`");
            None
        }
        Entry::Long(node) => {
            let fields = reader.fields(node, "the prohibited change", known)?;
            let what =
                reader.required(&fields, "what", "the prohibited change", "a sentence that says it")?;
            Some(ProhibitedChange {
                what: reader.words(what, "what")?,
                paths: fields.get("paths").map(|node| reader.texts(node, "paths")).unwrap_or_default(),
                symbols: fields.get("symbols").map(|node| reader.texts(node, "symbols")).unwrap_or_default(),
            })
        }
    }
}

/// A sentence, `topic: sentence`, or `topic: [sentence, sentence]`.
fn statement(reader: &mut Reader, entry: Entry<'_>) -> Option<Vec<String>> {
    match entry {
        Entry::Short(node) => Some(vec![reader.words(node, "statement")?]),
        Entry::Pair(topic, _, Node { value: Value::List(items), .. }) => {
            let said = items.iter().filter_map(|item| reader.words(item, "statement"));
            Some(said.map(|said| format!("{topic}: {said}")).collect())
        }
        Entry::Pair(topic, _, value) => match remark(reader, value, "statement").as_str() {
            "" => Some(vec![topic.to_owned()]),
            said => Some(vec![format!("{topic}: {said}")]),
        },
        Entry::Long(node) => {
            reader.error(
                node.spot,
                format!("the statement is {}", found(node)),
                "a sentence, or `topic: sentence`",
            );
            None
        }
    }
}
