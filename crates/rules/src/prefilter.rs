use std::sync::LazyLock;

use domain::change::{Content, FileChange, Hunk, LineKind};

use crate::context::{AddedLine, new_path};
use crate::lines::LONGEST_LINE;
use crate::literals::Literals;
use crate::rule::{FileRule, Interest, Reach, Sign};

/// One search over the literals of all rules: most lines of a change are looked at once and then never
/// again.
#[derive(Debug)]
pub(crate) struct Prefilter {
    /// By the index of the rule in the rule set.
    reach: Vec<Reach>,
    /// The rules that paths matter to, by the same index.
    in_paths: Vec<usize>,
    added: Search,
    /// Many changes remove nothing that matters; then it is never built.
    removed: LazyLock<Search, Box<dyn FnOnce() -> Search + Send + Sync>>,
}

#[derive(Debug)]
struct Search {
    literals: Literals,
    /// The rule behind each literal, by its index in the rule set, and how the literal has to stand.
    signs: Vec<(usize, Sign)>,
}

/// The rules to ask about a file, each with the added lines that hold one of its literals.
#[derive(Debug, Default)]
pub(crate) struct Hits<'a> {
    by_rule: Vec<(usize, Vec<AddedLine<'a>>)>,
}

impl Prefilter {
    pub(crate) fn new(rules: &[Box<dyn FileRule>]) -> Self {
        let (mut added, mut removed, mut in_paths) = (Vec::new(), Vec::new(), Vec::new());
        for (index, rule) in rules.iter().enumerate() {
            let anyhow = |literals: &[&'static [u8]]| -> Vec<(usize, Sign)> {
                literals.iter().map(|literal| (index, Sign::anyhow(literal))).collect()
            };
            match rule.interest() {
                Interest::Every => {}
                Interest::Literals { added: in_added, removed: in_removed } => {
                    added.extend(anyhow(in_added));
                    removed.extend(anyhow(in_removed));
                }
                Interest::LinesAndPaths(signs) => {
                    in_paths.push(index);
                    added.extend(signs.iter().map(|sign| (index, *sign)));
                }
            }
        }
        let removed: Box<dyn FnOnce() -> Search + Send + Sync> = Box::new(move || Search::new(&removed));
        let reach = rules.iter().map(|rule| rule.reach()).collect();
        Prefilter { reach, in_paths, added: Search::new(&added), removed: LazyLock::new(removed) }
    }

    pub(crate) fn scan<'a>(&self, file: &'a FileChange, reach: Reach) -> Hits<'a> {
        let mut hits = Hits::default();
        if let Some(path) = new_path(file) {
            self.added.each(path.as_bytes(), |rule| {
                if self.in_paths.contains(&rule) {
                    hits.touch(rule);
                }
            });
        }
        // There are no lines to look at, and what looks at paths may find other ways.
        if matches!(file.content, Content::Binary) {
            for rule in &self.in_paths {
                hits.touch(*rule);
            }
        }
        for line in file.hunks().iter().flat_map(Hunk::lines) {
            match (line.kind, line.new) {
                (LineKind::Added, Some(number)) => {
                    let added = AddedLine::new(number, line.text);
                    // The return of a CRLF is part of the line end; any other is worth a look.
                    let text = added.text.strip_suffix(b"\r").unwrap_or(added.text);
                    self.added.each(text, |rule| {
                        if text.len() <= LONGEST_LINE || self.reach[rule] == Reach::Everything {
                            hits.add(rule, added);
                        }
                    });
                }
                (LineKind::Removed, _) if reach == Reach::Reviewed => {
                    self.removed.each(line.text, |rule| {
                        hits.touch(rule);
                    });
                }
                (LineKind::Added | LineKind::Removed | LineKind::Context, _) => {}
            }
        }
        hits
    }
}

impl Search {
    fn new(signs: &[(usize, Sign)]) -> Self {
        let literals = Literals::new(signs.iter().map(|(_, sign)| sign.literal));
        Search { literals, signs: signs.to_vec() }
    }

    fn each(&self, text: &[u8], mut found: impl FnMut(usize)) {
        self.literals.each(text, |number, start| {
            let (rule, sign) = &self.signs[number];
            if sign.holds(text, start) {
                found(*rule);
            }
        });
    }
}

impl<'a> Hits<'a> {
    pub(crate) fn of(&self, rule: usize) -> Option<&[AddedLine<'a>]> {
        self.by_rule.iter().find(|(index, _)| *index == rule).map(|(_, lines)| lines.as_slice())
    }

    fn touch(&mut self, rule: usize) -> &mut Vec<AddedLine<'a>> {
        let at = match self.by_rule.iter().position(|(index, _)| *index == rule) {
            Some(at) => at,
            None => {
                self.by_rule.push((rule, Vec::new()));
                self.by_rule.len() - 1
            }
        };
        &mut self.by_rule[at].1
    }

    fn add(&mut self, rule: usize, line: AddedLine<'a>) {
        let lines = self.touch(rule);
        if lines.last().is_none_or(|last| last.number != line.number) {
            lines.push(line);
        }
    }
}
