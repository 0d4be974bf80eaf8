//! Long runs of comments in Python. At each of their lines its parser looks through all that follow for the next
//! statement, so that they are left out of what is parsed from some line on. It is told from their number, so that the
//! same file is judged alike on every machine.

use tree_sitter::{Point, Range};

/// So many comment lines in a row are parsed.
const MOST: usize = 100;

/// Unless they may end a text: a run with more of such lines is not parsed at all.
const MOST_KEPT: usize = 2_000;

/// The parser looks at each part when it looks for its place.
const MOST_RUNS: usize = 1_000;

/// What can be left out, in whole lines. `None` where too much would have to stay.
pub(super) fn idle_comments(text: &[u8]) -> Option<Vec<Range>> {
    let mut found: Vec<Range> = Vec::new();
    if memchr::memchr_iter(b'#', text).nth(MOST).is_none() {
        return Some(found);
    }
    let (mut run, mut kept, mut start) = (0, 0, 0);
    let (mut goes_on, mut is_escaped) = (false, false);
    for (row, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let code = line.trim_ascii();
        let after_escape = std::mem::replace(&mut is_escaped, code.ends_with(b"\\"));
        let end = start + line.len();
        if code.starts_with(b"#") {
            run += 1;
            let is_idle = run > MOST && !after_escape && !may_end_text(code);
            match found.last_mut().filter(|_| goes_on && is_idle) {
                Some(last) => (last.end_byte, last.end_point) = (end, Point::new(row + 1, 0)),
                None if is_idle => found.push(Range {
                    start_byte: start,
                    end_byte: end,
                    start_point: Point::new(row, 0),
                    end_point: Point::new(row + 1, 0),
                }),
                None => kept += 1,
            }
            goes_on = is_idle;
        } else if !code.is_empty() {
            (run, kept, goes_on) = (0, 0, false);
        }
        if kept > MOST_KEPT || found.len() > MOST_RUNS {
            return None;
        }
        start = end;
    }
    Some(found)
}

/// What looks like a comment may stand in a text over several lines, which ends behind such quotes.
fn may_end_text(line: &[u8]) -> bool {
    [&b"\"\"\""[..], b"'''"].iter().any(|quotes| memchr::memmem::find(line, quotes).is_some())
}

/// What is left of the parts.
pub(super) fn without(parts: &[Range], idle: &[Range]) -> Vec<Range> {
    let mut left = Vec::new();
    for part in parts {
        let mut rest = *part;
        for one in idle.iter().filter(|one| one.end_byte > part.start_byte && one.start_byte < part.end_byte)
        {
            if one.start_byte > rest.start_byte {
                left.push(Range { end_byte: one.start_byte, end_point: one.start_point, ..rest });
            }
            (rest.start_byte, rest.start_point) = (one.end_byte, one.end_point);
        }
        if rest.start_byte < rest.end_byte {
            left.push(rest);
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle_rows(text: &str) -> Option<Vec<(usize, usize)>> {
        let idle = idle_comments(text.as_bytes())?;
        Some(idle.iter().map(|one| (one.start_point.row, one.end_point.row)).collect())
    }

    #[test]
    fn the_rest_of_a_long_run_is_idle() {
        let comments = "# c\n".repeat(150);
        assert_eq!(idle_rows(&comments), Some(vec![(100, 150)]));
        assert_eq!(idle_rows(&format!("{comments}\n\n{comments}x = 1\n")), Some(vec![(100, 302)]));
        assert_eq!(idle_rows(&format!("{}x = 1\n", "# c\n".repeat(100)).repeat(3)), Some(vec![]));
    }

    #[test]
    fn what_may_end_a_text_stays() {
        let run = "#\n".repeat(101);
        for line in ["# \"\"\"; evil()\n", "# ''' + f()\n"] {
            assert_eq!(idle_rows(&format!("{run}{line}#\n")), Some(vec![(100, 101), (102, 103)]), "{line}");
        }
        assert_eq!(idle_rows(&format!("{run}# \\\n# '; evil()\n#\n")), Some(vec![(100, 102), (103, 104)]));
        assert_eq!(idle_rows(&"# '''\n".repeat(2_001)), None);
        assert_eq!(idle_rows(&format!("{run}{}", "# '''\n#\n".repeat(1_000))), None);
    }

    #[test]
    fn parts_lose_what_is_idle() {
        let range = |start: usize, end: usize| Range {
            start_byte: start,
            end_byte: end,
            start_point: Point::new(start, 0),
            end_point: Point::new(end, 0),
        };
        let idle = [range(10, 20), range(30, 40)];
        let left = |parts: &[Range]| {
            without(parts, &idle).iter().map(|one| (one.start_byte, one.end_byte)).collect::<Vec<_>>()
        };
        assert_eq!(left(&[range(0, 50)]), [(0, 10), (20, 30), (40, 50)]);
        assert_eq!(left(&[range(0, 15), range(18, 35), range(36, 39)]), [(0, 10), (20, 30)]);
    }
}
