//! What an earlier summary said and this review cannot take back.

use super::finder::{Finder, Found};

/// A finding that has no comment of its own, as the summary shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Carried {
    /// The file, or the change as a whole, as a heading shows it.
    pub(super) place: String,
    /// Several lines.
    pub(super) item: String,
    pub(super) found: Found,
}

const FOUND_BY: &str = "  - Found by: ";
const MOST: usize = 200;

/// Reads the findings in a summary of ours. `by` is who reviewed then. No text of unknown origin begins a line in it, so
/// what stands at the beginning of one was put there by us.
pub(super) fn findings_in(summary: &str, by: &str) -> Vec<Carried> {
    let mut carried: Vec<Carried> = Vec::new();
    let mut must_fix = None;
    let mut place = "";
    for line in summary.lines().map(str::trim_end) {
        if let Some(title) = line.strip_prefix("### ") {
            must_fix = [("Must fix", true), ("Advice", false)]
                .into_iter()
                .find(|(start, _)| title.starts_with(start))
                .map(|(_, must_fix)| must_fix);
        } else if line.starts_with("<details>") || line.starts_with("**Findings left out") {
            must_fix = None;
        } else if let Some(heading) = line.strip_prefix("#### ") {
            place = heading;
        } else if let Some(must_fix) = must_fix {
            match line {
                _ if line.starts_with("- **") && carried.len() < MOST => {
                    let rule = line.split('`').nth(1).unwrap_or_default();
                    let found = Found { by: Finder::of_rule(rule, by), must_fix, file: None };
                    carried.push(Carried { place: place.to_owned(), item: format!("{line}\n"), found });
                }
                _ if line.starts_with("  - ") => {
                    let Some(last) = carried.last_mut() else { continue };
                    last.item.push_str(&format!("{line}\n"));
                    if let Some(name) = line.strip_prefix(FOUND_BY)
                        && let Finder::Judge(judge) = &mut last.found.by
                    {
                        judge.clear();
                        judge.extend(name.chars().filter(|c| *c != '`'));
                    }
                }
                _ => {}
            }
        }
    }
    carried
}

impl Carried {
    /// As it is shown from now on, with who found it.
    pub(super) fn shown(&self) -> String {
        if self.item.contains(FOUND_BY) {
            return self.item.clone();
        }
        format!("{}{FOUND_BY}`{}`\n", self.item, self.found.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_summary_is_read_and_reads_back_as_it_is_shown() {
        let summary = "## Countersign: fail\n\n### Must fix, said only here (2)\n\n#### `a.rs`\n\n\
                       - **HIGH** `model`: m &#96;stub&#96;\n  - Why: w\n- **HIGH** `stub`: s\n\n\
                       ### Advice, said only here (1)\n\n#### The change as a whole\n\n- **LOW** `ruff/E1`: l\n\n\
                       <details>\n<summary>At their lines (1)</summary>\n\n- **HIGH** `model` at `b.rs:1`: x\n</details>\n";
        let read = findings_in(summary, "a:b");
        let told: Vec<_> =
            read.iter().map(|one| (one.place.as_str(), &one.found.by, one.found.must_fix)).collect();
        let (judge, tool) = (Finder::Judge("a:b".into()), Finder::Tool("ruff".into()));
        assert_eq!(
            told,
            [
                ("`a.rs`", &judge, true),
                ("`a.rs`", &Finder::Rules, true),
                ("The change as a whole", &tool, false)
            ]
        );
        let again = format!("### Must fix, still open (1)\n\n#### `a.rs`\n\n{}", read[0].shown());
        let again = findings_in(&again, "rules");
        assert_eq!((&again[0].found.by, again[0].shown()), (&judge, read[0].shown()));
    }

    #[test]
    fn a_hostile_summary_is_read_without_harm() {
        for text in ["  - x", "- **", "### Must fix\n  - x\n- **A", "####", "### Must fix\n- **A** `"] {
            findings_in(text, "");
        }
    }
}
