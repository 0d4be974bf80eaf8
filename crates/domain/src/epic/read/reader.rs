use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::super::excerpt::Excerpt;
use super::super::yaml::{Key, Node, Spot, Value};
use super::super::{Problem, ProblemSeverity, Problems};
use crate::text::{nearest, short_line};

/// More than this nobody reads at once.
const MOST_PROBLEMS: usize = 100;

/// Takes values out of the tree and notes what is wrong with them. What it could not take is `None`, and the
/// reading goes on.
#[derive(Default)]
pub(crate) struct Reader {
    taking: Taking,
    found: Vec<(Spot, String, String)>,
    left_out: usize,
}

/// How much is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Taking {
    /// What the published schema lets through.
    #[default]
    AsPublished,
    /// Also what was taken before there was a schema: a run that was begun goes on.
    AsBegun,
}

/// The known keys of a mapping.
pub(crate) struct Fields<'n> {
    pub(crate) spot: Spot,
    entries: BTreeMap<&'n str, (&'n Key, &'n Node)>,
}

impl<'n> Fields<'n> {
    /// A key without a value is as good as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        let (_, node) = self.entries.get(key)?;
        (!matches!(node.value, Value::Nothing)).then_some(*node)
    }

    /// The key itself where there is one, else where the mapping begins.
    pub(crate) fn spot_of(&self, key: &str) -> Spot {
        self.entries.get(key).map_or(self.spot, |(key, _)| key.spot)
    }
}

impl Reader {
    pub(crate) fn taking(taking: Taking) -> Reader {
        Reader { taking, ..Reader::default() }
    }

    pub(crate) fn takes_what_was_begun(&self) -> bool {
        self.taking == Taking::AsBegun
    }

    pub(crate) fn error(&mut self, spot: Spot, message: impl Into<String>, expected: impl Into<String>) {
        if self.is_full() {
            self.left_out += 1;
        } else {
            self.found.push((spot, message.into(), expected.into()));
        }
    }

    /// Whether another problem would only be counted: no need then to look for good advice.
    pub(crate) fn is_full(&self) -> bool {
        self.found.len() >= MOST_PROBLEMS
    }

    /// Everything noted so far, by position; `None` if nothing was.
    pub(crate) fn problems(mut self, file: &str, text: &str) -> Option<Problems> {
        self.found.sort_by_key(|(spot, _, _)| spot.at);
        let lines: Vec<&str> = text.lines().collect();
        let problems: Vec<_> = self
            .found
            .into_iter()
            .map(|(spot, message, expected)| {
                let excerpt = Excerpt::from(&lines, spot.at, spot.length);
                problem_at(file, spot, excerpt, ProblemSeverity::Error, &message, &expected)
            })
            .collect();
        (!problems.is_empty()).then_some(Problems { problems, left_out: self.left_out })
    }

    /// The keys of a mapping. One that is not known, or that stands there twice, is noted.
    pub(crate) fn fields<'n>(&mut self, node: &'n Node, what: &str, known: &[&str]) -> Option<Fields<'n>> {
        if let Value::Map(entries) = &node.value {
            for (key, _) in entries.iter().filter(|(key, _)| !known.contains(&key.name.as_str())) {
                self.unknown(key, what, known);
            }
        }
        self.some_fields(node, what, known)
    }

    /// As [`Reader::fields`], for a mapping that may hold more than is of interest.
    pub(crate) fn some_fields<'n>(
        &mut self,
        node: &'n Node,
        what: &str,
        known: &[&str],
    ) -> Option<Fields<'n>> {
        let entries = match &node.value {
            Value::Map(entries) => entries.as_slice(),
            Value::Nothing => &[],
            Value::Text(_) | Value::Bool { .. } | Value::Number { .. } | Value::List(_) => {
                let expected = format!("keys with values: {}", known.join(", "));
                self.error(node.spot, format!("{what} is {}", found(node)), expected);
                return None;
            }
        };
        let mut fields = Fields { spot: node.spot, entries: BTreeMap::new() };
        for (key, value) in entries {
            let is_known = known.contains(&key.name.as_str());
            if is_known && fields.entries.insert(&key.name, (key, value)).is_some() {
                self.error(key.spot, format!("{what} has `{}` twice", key.name), "each key once");
            }
        }
        Some(fields)
    }

    fn unknown(&mut self, key: &Key, what: &str, known: &[&str]) {
        if self.is_full() {
            return self.error(key.spot, "", "");
        }
        let name = short_line(&key.name);
        let expected = match nearest(&name, known.iter().copied()) {
            Some(nearest) => format!("did you mean `{nearest}`? The keys here are {}", known.join(", ")),
            None => format!("one of {}", known.join(", ")),
        };
        self.error(key.spot, format!("{what} has no key `{name}`"), expected);
    }

    /// The value of a key that has to be there.
    pub(crate) fn required<'n>(
        &mut self,
        fields: &Fields<'n>,
        key: &str,
        what: &str,
        expected: &str,
    ) -> Option<&'n Node> {
        let node = fields.get(key);
        if node.is_none() {
            self.error(
                fields.spot_of(key),
                format!("{what} has no `{key}`"),
                format!("`{key}:` and {expected}"),
            );
        }
        node
    }

    /// A text, and nothing that YAML takes for something else: the schema says the same.
    pub(crate) fn text(&mut self, node: &Node, name: &str) -> Option<String> {
        let expected = match &node.value {
            Value::Text(text) => return Some(text.clone()),
            Value::Bool { raw, .. } | Value::Number { raw, .. } if self.takes_what_was_begun() => {
                return Some(raw.clone());
            }
            Value::Bool { raw, .. } | Value::Number { raw, .. } => {
                format!("a text; in quotes it is one: `\"{}\"`", brief(raw))
            }
            Value::Nothing | Value::List(_) | Value::Map(_) => "a text".to_owned(),
        };
        self.error(node.spot, format!("`{name}` is {}", found(node)), expected);
        None
    }

    /// A text that says something.
    pub(crate) fn words(&mut self, node: &Node, name: &str) -> Option<String> {
        let text = self.text(node, name)?;
        if text.trim().is_empty() {
            self.error(node.spot, format!("`{name}` is empty"), "a text that says something");
            return None;
        }
        Some(text)
    }

    pub(crate) fn whole(&mut self, node: &Node, name: &str, range: RangeInclusive<u64>) -> Option<u64> {
        if let Value::Number { whole: Some(number), .. } = node.value
            && range.contains(&number)
        {
            return Some(number);
        }
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        self.error(node.spot, format!("`{name}` is {}", found(node)), expected);
        None
    }

    pub(crate) fn whole_u32(&mut self, node: &Node, name: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let number = self.whole(node, name, u64::from(*range.start())..=u64::from(*range.end()))?;
        u32::try_from(number).ok()
    }

    pub(crate) fn list<'n>(&mut self, node: &'n Node, name: &str, expected: &str) -> &'n [Node] {
        match &node.value {
            Value::List(items) => items,
            Value::Nothing => &[],
            Value::Text(_) | Value::Bool { .. } | Value::Number { .. } | Value::Map(_) => {
                self.error(node.spot, format!("`{name}` is {}", found(node)), expected);
                &[]
            }
        }
    }

    pub(crate) fn texts(&mut self, node: &Node, name: &str) -> Vec<String> {
        let items = self.list(node, name, "a list of texts, `[one, another]`");
        items.iter().filter_map(|item| self.words(item, name)).collect()
    }
}

pub(crate) fn problem_at(
    file: &str,
    spot: Spot,
    excerpt: Option<Excerpt>,
    severity: ProblemSeverity,
    message: &str,
    expected: &str,
) -> Problem {
    Problem {
        severity,
        file: file.to_owned(),
        at: Some(spot.at),
        message: short_line(message),
        expected: short_line(expected),
        excerpt,
    }
}

/// What stands where something else was expected.
pub(crate) fn found(node: &Node) -> String {
    match &node.value {
        Value::Nothing => "empty".to_owned(),
        Value::Text(text) => format!("the text `{}`", brief(text)),
        Value::Bool { raw, .. } => format!("`{}`, a yes or no", brief(raw)),
        Value::Number { raw, .. } => format!("the number `{}`", brief(raw)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a mapping".to_owned(),
    }
}

fn brief(text: &str) -> String {
    let line = short_line(text);
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}
