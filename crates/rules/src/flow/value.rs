/// Where a value comes from, from harmless to hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// Written in the program.
    Constant,
    /// Cannot carry what an attacker wrote: a number, something escaped, a name out of a fixed list.
    Clean,
    Unknown,
    /// Whatever the caller of the function passed.
    Parameter,
    /// The command line or standard input: written by whoever runs the program.
    Local,
    /// A request.
    Tainted,
}

/// Stands in [`Value::text`] where something was put in that is not constant.
pub(crate) const HOLE: char = '\u{1}';

/// The same, where what was put in is not known to come from outside: a host out of the configuration.
pub(crate) const OWN_HOLE: char = '\u{2}';

/// The same, where what was put in is the name of an entry of an archive.
pub(crate) const ENTRY_HOLE: char = '\u{3}';

/// The same, where a function of the file put in what it was passed: what else it did to that is not known.
pub(crate) const SEEN_HOLE: char = '\u{4}';

/// More text than this decides nothing.
const LONGEST: usize = 4_000;

/// What is known about a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself, and any of them may hold")]
pub(crate) struct Value {
    pub(crate) origin: Origin,
    /// A text that was put together from constant and other parts.
    pub(crate) built: bool,
    /// The constant parts, with a [`HOLE`] or an [`OWN_HOLE`] for each other part.
    pub(crate) text: String,
    /// No step of it leads up: harmless as a path below a folder, and as nothing else.
    pub(crate) below: bool,
    /// No line ends in it: harmless in a log, and as nothing else.
    pub(crate) one_line: bool,
    /// Something was taken off it or asked of it: what it begins with, the host it leads to. That says nothing of a text that
    /// is read as code, and enough of an address and of what has no notion of its own here: a class that is looked up.
    pub(crate) narrowed: bool,
}

/// What a value is used as, which decides whether it was made harmless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Use {
    /// A text that something else reads: a command, a query, markup.
    Code,
    Path,
    Address,
    Other,
}

impl Value {
    pub(crate) fn constant(text: &str) -> Self {
        let text = cut(text.to_owned());
        Value { text, ..Value::of(Origin::Constant) }
    }

    pub(crate) fn of(origin: Origin) -> Self {
        let hole = if origin == Origin::Unknown { OWN_HOLE } else { HOLE };
        let harmless = origin <= Origin::Clean;
        Value {
            origin,
            built: false,
            text: hole.to_string(),
            below: harmless,
            one_line: harmless,
            narrowed: harmless,
        }
    }

    /// Some of another value, whichever: of the same origin, and with no step up or end of a line where that has none.
    pub(crate) fn part_of(whole: &Value) -> Self {
        Value {
            below: whole.below,
            one_line: whole.one_line,
            narrowed: whole.narrowed,
            ..Value::of(whole.origin)
        }
    }

    /// The same, once it was seen that no step of it leads up.
    pub(crate) fn kept_below(self) -> Self {
        Value { below: true, ..self }
    }

    /// The same, once the host was seen that it leads to.
    pub(crate) fn kept_at_host(self) -> Self {
        Value { narrowed: true, ..self }
    }

    /// The same, once it was seen to begin with a folder or a host, or cut down to the last part of a path.
    pub(crate) fn kept_inside(self) -> Self {
        self.kept_below().kept_at_host()
    }

    /// Whether what was done to it is enough for what it is used as.
    pub(crate) fn is_harmless_as(&self, used: Use) -> bool {
        match used {
            Use::Code => !self.is_dynamic(),
            Use::Path => self.narrowed && self.below,
            Use::Address | Use::Other => self.narrowed,
        }
    }

    /// The same, once all ends of lines were taken out.
    pub(crate) fn in_one_line(self) -> Self {
        Value { one_line: true, ..self }
    }

    pub(crate) fn unknown() -> Self {
        Value::of(Origin::Unknown)
    }

    /// What a function makes of it, which may be harmless: nothing but the text is kept.
    pub(crate) fn only_seen(self) -> Self {
        let text = match self.origin {
            Origin::Constant | Origin::Clean | Origin::Unknown => self.text,
            Origin::Parameter | Origin::Local | Origin::Tainted => {
                self.text.replace(HOLE, &SEEN_HOLE.to_string())
            }
        };
        Value { text, ..Value::unknown() }
    }

    /// What whoever packed an archive called an entry.
    pub(crate) fn entry() -> Self {
        Value { text: ENTRY_HOLE.to_string(), ..Value::of(Origin::Parameter) }
    }

    /// Neither written in the program nor harmless.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.origin >= Origin::Unknown
    }

    fn has_words(&self) -> bool {
        self.text
            .chars()
            .any(|c| !matches!(c, HOLE | OWN_HOLE | ENTRY_HOLE | SEEN_HOLE) && !c.is_whitespace())
    }

    /// One text after the other.
    pub(crate) fn followed_by(self, next: Value) -> Value {
        let mixed = self.is_dynamic() && next.has_words() || next.is_dynamic() && self.has_words();
        Value {
            origin: self.origin.max(next.origin),
            built: self.built || next.built || mixed,
            text: cut(self.text + &next.text),
            below: self.below && next.below,
            one_line: self.one_line && next.one_line,
            narrowed: self.narrowed && next.narrowed,
        }
    }

    /// One text of all that a list has.
    pub(crate) fn put_together(self) -> Value {
        Value { built: self.built || self.is_dynamic() && self.has_words(), ..self }
    }

    /// The text with values in the places it leaves for them, and what is left over behind it.
    pub(crate) fn filled_with(self, mut values: Vec<Value>, places: Places) -> Value {
        if places == Places::Percent {
            for (value, verb) in values.iter_mut().zip(verbs(&self.text)) {
                if "dfFeEgGxXob".contains(verb) && value.is_dynamic() {
                    *value = Value::of(Origin::Clean);
                }
                // Go's quoted text, Python's `%r`.
                value.one_line |= matches!(verb, 'q' | 'r');
            }
        }
        let mut texts = values.iter().map(|value| value.text.clone()).collect::<Vec<_>>().into_iter();
        let mut text = fill(&self.text, places, &mut texts);
        text.extend(texts);
        let whole = values.into_iter().fold(self, Value::followed_by);
        Value { text: cut(text), ..whole }
    }

    /// Either of the two.
    pub(crate) fn or(self, other: Value) -> Value {
        Value {
            origin: self.origin.max(other.origin),
            built: self.built || other.built,
            text: cut(self.text + "\n" + &other.text),
            below: self.below && other.below,
            one_line: self.one_line && other.one_line,
            narrowed: self.narrowed && other.narrowed,
        }
    }

    /// Some of each, as in a list.
    pub(crate) fn with(self, other: Value) -> Value {
        Value {
            origin: self.origin.max(other.origin),
            built: self.built || other.built,
            text: cut(self.text + " " + &other.text),
            below: self.below && other.below,
            one_line: self.one_line && other.one_line,
            narrowed: self.narrowed && other.narrowed,
        }
    }
}

/// How a text marks the places that values are put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Places {
    /// `%s`
    Percent,
    /// `{}`
    Braces,
}

/// The letters behind `%`: `%d` writes numbers only.
fn verbs(format: &str) -> impl Iterator<Item = char> {
    let parts = format.split('%').skip(1).filter(|part| !part.is_empty());
    parts.filter_map(|part| part.chars().take(12).find(char::is_ascii_alphabetic))
}

fn fill(format: &str, places: Places, values: &mut impl Iterator<Item = String>) -> String {
    let (open, is_end): (char, fn(char) -> bool) = match places {
        Places::Percent => ('%', |c| c.is_ascii_alphabetic()),
        Places::Braces => ('{', |c| c == '}'),
    };
    let mut filled = String::with_capacity(format.len());
    let mut rest = format;
    while let Some((before, after)) = rest.split_once(open) {
        filled.push_str(before);
        let end = after.char_indices().take(40).find(|(_, c)| is_end(*c));
        let (Some((end, last)), false) = (end, after.starts_with(open)) else {
            filled.push(open);
            rest = after.strip_prefix(open).unwrap_or(after);
            continue;
        };
        let Some(value) = values.next() else {
            filled.push(open);
            rest = after;
            continue;
        };
        filled.push_str(&value);
        rest = after.get(end + last.len_utf8()..).unwrap_or_default();
    }
    filled + rest
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
        text.truncate(end);
    }
    text
}
