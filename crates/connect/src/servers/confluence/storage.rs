//! Confluence's storage format as text. It is XHTML with elements of its own; what is broken in it is read as far as it
//! goes.

use super::scan::{Token, attribute, tokens};

/// The page as text: headings with their marks, lists with theirs, code in fences and letter for letter.
pub(super) fn to_text(storage: &str) -> String {
    let mut writer = Writer::default();
    for token in tokens(storage) {
        match token {
            Token::Open { name, attributes } => writer.open(&name, attributes),
            Token::Close { name } => writer.close(&name),
            Token::Text(text) => writer.text(&text),
            Token::Verbatim(text) => writer.verbatim(text),
        }
    }
    writer.finish()
}

#[derive(Debug, Default)]
struct Writer {
    out: String,
    lists: Vec<List>,
    macros: Vec<Macro>,
    /// What is not for readers, and how deep in it we are.
    hidden: usize,
    preformatted: usize,
    /// The parameter of a macro that is being read.
    parameter: Option<(String, String)>,
    /// Where the link that is open leads.
    links: Vec<Option<String>>,
}

#[derive(Debug)]
enum List {
    Bullets,
    Numbers(u64),
}

#[derive(Debug, Default)]
struct Macro {
    name: String,
    language: String,
}

impl Writer {
    fn open(&mut self, name: &str, attributes: &str) {
        match name {
            "p" | "div" | "table" | "blockquote" | "ac:layout-section" | "ac:rich-text-body" => {
                self.paragraph();
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.paragraph();
                let level = name[1..].parse().unwrap_or(1);
                self.out.push_str(&"#".repeat(level));
                self.out.push(' ');
            }
            "br" => self.out.push('\n'),
            "hr" => {
                self.paragraph();
                self.out.push_str("---");
            }
            "ul" => self.begin_list(List::Bullets),
            "ol" => self.begin_list(List::Numbers(1)),
            "li" | "ac:task" => self.item(),
            "tr" => {
                self.line();
                self.out.push('|');
            }
            "td" | "th" => self.out.push(' '),
            "pre" => {
                self.paragraph();
                self.out.push_str("```\n");
                self.preformatted += 1;
            }
            "a" => self.links.push(attribute(attributes, "href")),
            "ac:structured-macro" | "ac:macro" => {
                let name = attribute(attributes, "ac:name").unwrap_or_default();
                self.macros.push(Macro { name, ..Macro::default() });
            }
            "ac:parameter" => {
                self.parameter = Some((attribute(attributes, "ac:name").unwrap_or_default(), String::new()));
            }
            "ac:task-id" | "ac:task-status" | "ac:placeholder" | "script" | "style" => self.hidden += 1,
            "ri:page" => self.name_of(attributes, "ri:content-title"),
            "ri:attachment" => self.name_of(attributes, "ri:filename"),
            "ri:url" => self.name_of(attributes, "ri:value"),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        match name {
            "p" | "div" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "table" | "hr" => {
                self.paragraph();
            }
            "ul" | "ol" => {
                self.lists.pop();
                if self.lists.is_empty() {
                    self.paragraph();
                }
            }
            "td" | "th" => {
                let kept = self.out.trim_end_matches('\n').len();
                self.out.truncate(kept);
                self.out.push_str(" |");
            }
            "pre" if self.preformatted > 0 => {
                self.preformatted -= 1;
                self.line();
                self.out.push_str("```");
                self.paragraph();
            }
            "a" => {
                if let Some(href) =
                    self.links.pop().flatten().filter(|href| !self.out.ends_with(href.as_str()))
                {
                    self.out.push_str(&format!(" ({href})"));
                }
            }
            "ac:structured-macro" | "ac:macro" => _ = self.macros.pop(),
            "ac:parameter" => self.end_parameter(),
            "ac:task-id" | "ac:task-status" | "ac:placeholder" | "script" | "style" => {
                self.hidden = self.hidden.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((_, value)) = &mut self.parameter {
            value.push_str(text);
            return;
        }
        match (self.hidden, self.preformatted) {
            (0, 0) => self.words(text),
            (0, _) => self.out.push_str(text),
            (_, _) => {}
        }
    }

    /// Every run of white space is one space.
    fn words(&mut self, text: &str) {
        let at_start = self.out.is_empty() || self.out.ends_with(char::is_whitespace);
        if text.starts_with(char::is_whitespace) && !at_start {
            self.out.push(' ');
        }
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            self.out.push_str(word);
            if words.peek().is_some() || text.ends_with(char::is_whitespace) {
                self.out.push(' ');
            }
        }
    }

    fn verbatim(&mut self, text: &str) {
        if let Some((_, value)) = &mut self.parameter {
            value.push_str(text);
            return;
        }
        match self.macros.last() {
            Some(Macro { name, language }) if matches!(name.as_str(), "code" | "noformat") => {
                let fenced = fenced(language, text);
                self.paragraph();
                self.out.push_str(&fenced);
                self.paragraph();
            }
            Some(_) | None => self.words(text),
        }
    }

    fn end_parameter(&mut self) {
        let (Some((name, value)), Some(around)) = (self.parameter.take(), self.macros.last_mut()) else {
            return;
        };
        match name.as_str() {
            "language" => around.language = value,
            "title" if !value.trim().is_empty() => {
                self.paragraph();
                self.out.push_str(value.trim());
                self.paragraph();
            }
            _ => {}
        }
    }

    fn begin_list(&mut self, list: List) {
        if self.lists.is_empty() {
            self.paragraph();
        }
        self.lists.push(list);
    }

    fn item(&mut self) {
        self.line();
        let depth = self.lists.len().saturating_sub(1).min(10);
        let marker = match self.lists.last_mut() {
            Some(List::Numbers(next)) => {
                let marker = format!("{next}. ");
                *next += 1;
                marker
            }
            Some(List::Bullets) | None => "- ".to_owned(),
        };
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str(&marker);
    }

    fn name_of(&mut self, attributes: &str, name: &str) {
        if let Some(value) = attribute(attributes, name) {
            self.out.push_str(&value);
        }
    }

    /// What follows stands on a line of its own.
    fn line(&mut self) {
        let kept = self.out.trim_end_matches(' ').len();
        self.out.truncate(kept);
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    /// What follows stands apart, but not in an item or a cell.
    fn paragraph(&mut self) {
        if self.out.ends_with("| ") || self.out.ends_with("- ") || self.out.ends_with(". ") {
            return;
        }
        self.line();
        let is_apart = self.out.is_empty() || self.out.ends_with("\n\n");
        if !is_apart && self.lists.is_empty() {
            self.out.push('\n');
        }
    }

    fn finish(self) -> String {
        self.out.trim().to_owned()
    }
}

/// With a fence longer than any inside.
fn fenced(language: &str, code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}{}\n{}\n{fence}", language.trim(), code.trim_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_page_reads_as_text() {
        let page = "<h2>Rules &amp; more</h2><p>No <strong>global</strong> state,&nbsp;<a href=\"https://x.example\">see</a>.</p>\
            <ul><li><p>one</p></li><li>two<ol><li>inner</li></ol></li></ul><table><tbody><tr><th>a</th><td><p>b</p></td></tr></tbody></table>";
        let expected = "## Rules & more\n\nNo global state, see (https://x.example).\n\n- one\n- two\n  1. inner\n\n| a | b |";
        assert_eq!(to_text(page), expected);
    }

    #[test]
    fn code_is_kept_letter_for_letter() {
        let page = "<p>x</p><ac:structured-macro ac:name=\"code\"><ac:parameter ac:name=\"language\">rust</ac:parameter>\
            <ac:plain-text-body><![CDATA[fn a() {\n    b::<c>(\"&amp;\");\n}]]></ac:plain-text-body></ac:structured-macro><p>y</p>";
        assert_eq!(to_text(page), "x\n\n```rust\nfn a() {\n    b::<c>(\"&amp;\");\n}\n```\n\ny");
        assert_eq!(to_text("<pre>a\n  b</pre>"), "```\na\n  b\n```");
    }

    #[test]
    fn what_is_not_for_readers_is_left_out() {
        let page = "<ac:structured-macro ac:name=\"info\"><ac:parameter ac:name=\"icon\">false</ac:parameter>\
            <ac:parameter ac:name=\"title\">Mind</ac:parameter><ac:rich-text-body><p>this</p></ac:rich-text-body></ac:structured-macro>\
            <script>alert(1)</script><ac:task-list><ac:task><ac:task-id>7</ac:task-id><ac:task-status>incomplete</ac:task-status>\
            <ac:task-body>do it</ac:task-body></ac:task></ac:task-list>";
        assert_eq!(to_text(page), "Mind\n\nthis\n\n- do it");
    }

    proptest! {
        #[test]
        fn words_stay_whatever_stands_around_them(words in prop::collection::vec("[a-z]{1,8}", 1..8), tag in "p|li|td|h1|div|unknown|ac:link") {
            let page: String = words.iter().map(|word| format!("<{tag}>{word}</{tag}>\n")).collect();
            let text = to_text(&page);
            let letters = |text: &str| text.chars().filter(char::is_ascii_alphabetic).collect::<String>();
            prop_assert_eq!(letters(&text), words.concat());
        }

        #[test]
        fn anything_becomes_text(page in "([<>/&;\"'= ]|CDATA|<!\\[CDATA\\[|\\]\\]>|<p|</|li|<pre>|<a href=|ac:structured-macro|é|\\PC){0,60}") {
            to_text(&page);
        }
    }
}
