//! Settings of test runners, linters and coverage, compared line by line: what they no longer ask for passes every check.

use std::collections::{HashMap, HashSet};

use domain::words::Severity;

use super::settings_rows::{ROWS, Row};
use crate::context::{AddedLine, FileContext};
use crate::pattern::Pattern;
use crate::source::Source;

/// Where settings ask for less than before: a line of the new file, or one of the old that is gone.
pub(super) enum Less<'a> {
    Now(AddedLine<'a>, Severity),
    Before(u32),
}

/// The first line by which settings in a file of that name ask for less than before.
pub(super) fn less<'a>(file: &FileContext<'a>, name: &[u8]) -> Option<Less<'a>> {
    // A new file has no standard to fall below.
    file.change.old.as_ref()?;
    let named = |row: &&Row| row.names.is_some_and(|names| names.regex().is_match(name));
    ROWS.iter().filter(named).find_map(|row| row.less(file))
}

impl Row {
    fn less<'a>(&self, file: &FileContext<'a>) -> Option<Less<'a>> {
        if let Some(line) = self.now(file) {
            return Some(Less::Now(line, self.severity(file, &line)));
        }
        self.before(file).or_else(|| self.fewer(file)).map(Less::Before)
    }

    /// What switches all checks off is worse than what asks for less, except where somebody has to choose it.
    fn severity(&self, file: &FileContext<'_>, line: &AddedLine<'_>) -> Severity {
        let is_severe = self.severe.is_some_and(|pattern| pattern.regex().is_match(line.text));
        if is_severe && !in_profile(file, line.number) { Severity::High } else { Severity::Medium }
    }

    /// A line that is gone, where fewer lines of its kind came than went.
    fn fewer(&self, file: &FileContext<'_>) -> Option<u32> {
        let pattern = self.fewer?;
        let is_one = |line: &[u8]| !is_comment(line) && pattern.regex().is_match(line);
        let mut gone = file.change.removed().filter(|(_, line)| is_one(line));
        let (first, _) = gone.next()?;
        let lost = gone.count() + 1 > file.added().filter(|line| is_one(line.text)).count();
        let is_given = || {
            let head = file.head().map(Source::text).unwrap_or_default();
            file.change.new.is_none() || self.unless.is_some_and(|pattern| pattern.regex().is_match(head))
        };
        (lost && !is_given()).then_some(first)
    }

    fn now<'a>(&self, file: &FileContext<'a>) -> Option<AddedLine<'a>> {
        let numbers = |pattern: Option<&'static Pattern>| -> Vec<(Vec<u8>, f64)> {
            let removed = |pattern| file.change.removed().flat_map(move |(_, line)| graded(pattern, line));
            pattern.into_iter().flat_map(removed).collect()
        };
        // Of keys that stand in a file more than once, one that is as bad as any was is fine.
        let of = |all: Vec<(Vec<u8>, f64)>, better: fn(f64, f64) -> f64| {
            all.into_iter().fold(HashMap::new(), |mut known: HashMap<Vec<u8>, f64>, (key, now)| {
                known.entry(key).and_modify(|one| *one = better(*one, now)).or_insert(now);
                known
            })
        };
        let (low, high) = (of(numbers(self.lowered), f64::min), of(numbers(self.raised), f64::max));
        let is = |pattern: Option<&'static Pattern>,
                  before: &HashMap<Vec<u8>, f64>,
                  worse: fn(f64, f64) -> bool,
                  line: &[u8]| {
            let mut now = pattern.into_iter().flat_map(|pattern| graded(pattern, line));
            now.any(|(key, now)| before.get(&key).is_some_and(|before| worse(now, *before)))
        };
        let mut excused = file.change.removed().filter(|(_, line)| self.leaves_out(line)).count();
        file.added().find(|line| {
            if is(self.lowered, &low, |now, before| now < before, line.text)
                || is(self.raised, &high, |now, before| now > before, line.text)
            {
                return true;
            }
            let leaves_out = self.leaves_out(line.text) && self.is_inside(file, line.number);
            // One that was there already is only written otherwise.
            let is_new = leaves_out && excused == 0;
            excused = excused.saturating_sub(usize::from(leaves_out));
            is_new
        })
    }

    /// A line that is gone, and of which the new file has none that says the same.
    fn before(&self, file: &FileContext<'_>) -> Option<u32> {
        let pattern = self.removed?;
        let said = |line: &[u8]| -> Vec<Vec<u8>> {
            if is_comment(line) {
                return Vec::new();
            }
            let all = pattern.regex().captures_iter(line);
            all.filter_map(|found| Some(found.get(1)?.as_bytes().to_ascii_lowercase())).collect()
        };
        let mut gone = file.change.removed().filter_map(|(number, line)| {
            let said = said(line);
            (!said.is_empty()).then_some((number, said))
        });
        let first = gone.next()?;
        let head = file.head()?.text();
        if self.unless.is_some_and(|pattern| pattern.regex().is_match(head)) {
            return None;
        }
        let left: HashSet<Vec<u8>> = head.split(|byte| *byte == b'\n').flat_map(said).collect();
        let lost = |(_, said): &(u32, Vec<Vec<u8>>)| said.iter().any(|one| !left.contains(one));
        std::iter::once(first).chain(gone).find(lost).map(|(number, _)| number)
    }

    /// Whether a line stands in a block that the row is about.
    fn is_inside(&self, file: &FileContext<'_>, number: u32) -> bool {
        const FAR: u32 = 60;
        let Some(pattern) = self.inside else { return true };
        let Some(head) = file.head() else { return false };
        let column = |line: &[u8]| line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let own = column(head.line(number));
        let mut above = (number.saturating_sub(FAR).max(1)..number).rev().map(|above| head.line(above));
        let is_same_line = pattern.regex().is_match(head.line(number));
        let block = above.find(|line| !line.trim_ascii().is_empty() && column(line) < own);
        is_same_line || block.is_some_and(|line| pattern.regex().is_match(line))
    }

    fn leaves_out(&self, line: &[u8]) -> bool {
        let fits = |pattern: &Pattern| pattern.regex().is_match(line.trim_ascii());
        let usual = || self.usual.is_some_and(|pattern| pattern.regex().is_match(line));
        !is_comment(line) && self.added.is_some_and(fits) && !usual()
    }
}

/// Whether a line stands in a profile of Maven.
fn in_profile(file: &FileContext<'_>, number: u32) -> bool {
    let Some(head) = file.head() else { return false };
    let before = &head.text()[..head.start_of(number)];
    let last = |mark: &[u8]| memchr::memmem::rfind(before, mark);
    last(b"<profile>") > last(b"</profile>")
}

fn is_comment(line: &[u8]) -> bool {
    let code = line.trim_ascii();
    let opens = [&b"#"[..], b"//", b";", b"<!--"].iter().any(|mark| code.starts_with(mark));
    // An attribute of Rust for the whole crate.
    opens && !code.starts_with(b"#![")
}

/// Keys with a number, or with a word that stands for how much a finding matters.
fn graded(pattern: &'static Pattern, line: &[u8]) -> impl Iterator<Item = (Vec<u8>, f64)> {
    let line = if is_comment(line) { &[][..] } else { line };
    pattern.regex().captures_iter(line).filter_map(|groups| {
        let word = std::str::from_utf8(groups.get(2)?.as_bytes()).ok()?;
        let grade = word.parse().ok().or_else(|| grade(word))?;
        Some((groups.get(1)?.as_bytes().to_ascii_lowercase(), grade))
    })
}

fn grade(word: &str) -> Option<f64> {
    const GRADES: [(&str, f64); 11] = [
        ("error", 2.0),
        ("deny", 2.0),
        ("forbid", 2.0),
        ("warn", 1.0),
        ("warning", 1.0),
        ("suggestion", 0.5),
        ("info", 0.5),
        ("off", 0.0),
        ("none", 0.0),
        ("silent", 0.0),
        ("allow", 0.0),
    ];
    GRADES.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, grade)| *grade)
}
