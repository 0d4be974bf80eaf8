//! What a call gives back, as far as its name tells.

use tree_sitter::Node;

use super::arguments::Invocation;
use super::evaluate::Fuel;
use super::guards::Checked;
use super::sources;
use super::typed::leaves_no_choice;
use super::types::is_taking;
use super::{Flow, Origin, Places, Value};
use crate::language::Language;

impl<'t> Flow<'t> {
    pub(super) fn called(&self, node: Node<'t>, fuel: &mut Fuel) -> Value {
        let Some(call) = Invocation::of(node) else { return Value::unknown() };
        if self.is_entry_name(node) {
            return Value::entry();
        }
        if let Some(value) = self.kept(node, fuel) {
            return value;
        }
        match self.returned(node, None, fuel) {
            Some(known) if known.origin != Origin::Unknown => known,
            // Its name may tell more than what was seen of it.
            seen => {
                let value = self.called_by_name(node, call, fuel);
                if value.origin == Origin::Unknown { seen.unwrap_or(value) } else { value }
            }
        }
    }

    fn called_by_name(&self, node: Node<'t>, call: Invocation<'t>, fuel: &mut Fuel) -> Value {
        let whole = self.name_of(call.callee);
        let last = whole.rsplit('.').next().unwrap_or_default();
        let arguments: Vec<Node<'t>> = call.values();
        if self.makes_buffer(&whole, &arguments) {
            return Value::constant(self.text_of(node));
        }
        let known = self
            .called_in_csharp(node, &whole, fuel)
            .or_else(|| self.called_in_java(node, &whole, fuel))
            .or_else(|| self.mapped(node, &whole, fuel));
        if let Some(value) = known {
            return value;
        }
        if let Some(value) = self.named_by_program(node, &whole) {
            return value;
        }
        if let ("replace" | "replaceAll", Some(pattern)) = (last, arguments.first()) {
            match self.strips(*pattern) {
                Checked::Not => {}
                stripped => return stripped.leave_of(self.inside(call.receiver, fuel)),
            }
        }
        if matches!(last, "get" | "getlist") && self.is_converted(call) {
            return Value::of(Origin::Clean);
        }
        let named = format!("{whole}()");
        if let Some(origin) = self.source(node, &named) {
            return sources::as_written(origin, &named);
        }
        match self.filtered(node) {
            Checked::Not => {}
            filtered => return filtered.leave_of(self.inside(call.receiver, fuel)),
        }
        if self.makes_one_of_few(call) || sources::is_harmless(&whole) {
            return Value::of(Origin::Clean);
        }
        // What is imported may have been given a telling name here.
        if call.callee.kind() == "identifier" && sources::is_harmless(self.text_of(call.callee)) {
            return Value::of(Origin::Clean);
        }
        if sources::gives_base_name(&whole) || self.takes_last_part(call, last) {
            let whole_path = match arguments.first() {
                Some(path) => self.evaluate(*path, fuel),
                None => self.inside(call.receiver, fuel),
            };
            return Value::part_of(&whole_path).kept_inside();
        }
        // How many there are is all that marks take from a request.
        if sources::makes_marks(&whole)
            && arguments.iter().all(|argument| self.evaluate(*argument, fuel).origin != Origin::Tainted)
        {
            return Value::of(Origin::Clean);
        }
        let joins = matches!(whole.as_str(), "path/filepath.Join" | "path.Join" | "path.join");
        let is_below = |at: usize, argument: Node<'t>| joins && at > 0 && self.is_rooted(argument);
        let each = |fuel: &mut Fuel| -> Vec<Value> {
            let value = |(at, argument): (usize, &Node<'t>)| match is_below(at, *argument) {
                true => Value::of(Origin::Clean),
                false => self.evaluate(*argument, fuel),
            };
            arguments.iter().enumerate().map(value).collect()
        };
        let given = |fuel: &mut Fuel| -> Value {
            each(fuel).into_iter().reduce(Value::with).unwrap_or_else(|| Value::constant(""))
        };
        if sources::is_formatting(&whole) {
            let mut values = each(fuel).into_iter();
            let first = values.next().unwrap_or_else(|| Value::constant(""));
            return first.filled_with(values.collect(), Places::Percent);
        }
        if sources::makes_page(&whole) {
            // Of what a caller passes it may be known that it is harmless.
            return Some(given(fuel))
                .filter(|page| page.origin == Origin::Tainted)
                .unwrap_or_else(Value::unknown);
        }
        if sources::makes_path(&whole) {
            // What `..` it had is worked out: nothing that looks at the text later sees it.
            return Value { built: false, ..given(fuel) };
        }
        if sources::is_converting(&whole) || matches!(whole.as_str(), "StringBuilder" | "StringBuffer") {
            return given(fuel);
        }
        let is_value = |receiver: Node<'t>, fuel: &mut Fuel| {
            !self.is_module(Some(receiver))
                || sources::is_method_of_texts(&whole)
                    && self.is_imported_value(receiver, last, &arguments)
                    && !given(fuel).is_dynamic()
        };
        let receiver = call.receiver.filter(|receiver| is_value(*receiver, fuel));
        if let Some(receiver) = receiver {
            let value = match (last, self.language) {
                ("join", Language::JavaScript | Language::TypeScript) => {
                    self.each_of(receiver, fuel).put_together()
                }
                _ => self.evaluate(receiver, fuel),
            };
            match last {
                "join" if self.language == Language::Python => {
                    let joined = arguments.first().map(|list| self.each_of(*list, fuel).put_together());
                    return joined.map_or(value.clone(), |joined| value.followed_by(joined));
                }
                "format" => return value.filled_with(each(fuel), Places::Braces),
                "formatted" => return value.filled_with(each(fuel), Places::Percent),
                _ if sources::is_filling(last) => return value.followed_by(given(fuel)),
                _ => {}
            }
            if matches!(last, "unwrap_or" | "getOrDefault" | "orElse") && value.origin <= Origin::Clean {
                return value
                    .or(arguments.last().map_or_else(Value::unknown, |other| self.evaluate(*other, fuel)));
            }
            // A command of Rust is put together word by word.
            if matches!(last, "arg" | "args") {
                return value.with(given(fuel));
            }
            if Self::passes_on(last, &value) {
                return value;
            }
            if sources::is_textual(&whole) && value.origin != Origin::Unknown {
                return self.textual(last, value, given(fuel));
            }
            let put_in = if last == "replace" { given(fuel).origin } else { Origin::Unknown };
            return match value.origin.max(put_in) {
                origin @ (Origin::Tainted | Origin::Local) => {
                    let below = value.below && last != "replace";
                    let narrowed = value.narrowed && last != "replace";
                    Value { below, narrowed, one_line: value.one_line, ..Value::of(origin) }
                }
                Origin::Constant | Origin::Clean | Origin::Unknown | Origin::Parameter => Value::unknown(),
            };
        }
        // A function of the file is what it does, whatever it is called.
        let is_textual = sources::is_textual(&whole) && self.called_function(node).is_none();
        match is_textual.then(|| given(fuel)) {
            // `Settings.get("key")`: what the program keeps under that name, which is not the name.
            Some(value) if value.origin == Origin::Constant && call.receiver.is_some() && is_taking(last) => {
                Value::of(Origin::Clean)
            }
            Some(value) => value,
            None => Value::unknown(),
        }
    }

    /// `Paths.get(name)`, `file.toPath()`, or a variable that says so: what others call the name of a file is not cut.
    /// Whether of a path nothing is used but its last part, as in `new File(name).getName()`.
    pub(crate) fn is_cut_to_its_name(&self, path: Node<'t>) -> bool {
        let call = self.parent(path).and_then(Invocation::of).filter(|call| call.receiver == Some(path));
        call.is_some_and(|call| {
            let whole = self.name_of(call.callee);
            self.takes_last_part(call, whole.rsplit('.').next().unwrap_or_default())
        })
    }

    /// `path.getFileName()` and `new File(name).getName()` of Java.
    fn takes_last_part(&self, call: Invocation<'t>, last: &str) -> bool {
        let of = match last {
            "getFileName" => "Path",
            "getName" if self.language == Language::Java => "File",
            _ => return false,
        };
        let is_one = |node: Node<'t>| {
            let (text, kind) = (self.text_of(node), self.type_of(node));
            text.starts_with(&format!("new {of}(")) || kind.ends_with(of) || of == "Path" && text.contains(of)
        };
        call.receiver.is_some_and(is_one)
    }

    /// Werkzeug's `get(name, type=int)`.
    fn is_converted(&self, call: Invocation<'t>) -> bool {
        let kind = call.named("type", self).map(|kind| self.text_of(kind));
        self.language == Language::Python && kind.is_some_and(|kind| leaves_no_choice(self, kind))
    }

    /// `.get(key)` of a fixed table gives one of its values.
    fn textual(&self, last: &str, value: Value, given: Value) -> Value {
        match (last, value.origin) {
            ("get" | "pop" | "first", Origin::Constant | Origin::Clean) => Value::of(Origin::Clean),
            ("get" | "pop" | "first" | "split" | "getlist" | "items" | "values" | "keys", _) => {
                Value::part_of(&value)
            }
            ("replace", _) => value.followed_by(given),
            _ => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    #[test]
    fn a_method_of_an_unknown_value_gives_no_constant() {
        let head = "import os, config\nfrom app import settings, key\n";
        for given in [
            "os.environ['S'].encode()",
            "os.environ['S'].replace('a', 'b')",
            "os.environ.get('S', '')",
            "settings.key.encode()",
            "settings.key.strip('\\n').encode('utf-8')",
            "settings.Keys['Main'].encode()",
            "config['k'].strip()",
            "config['Key'].strip()",
            "config.get('k')",
            "key.encode()",
            "key.strip('\\n')",
        ] {
            let value = sunk(Language::Python, &format!("{head}sink({given})\n"));
            assert_eq!(value.origin, Origin::Unknown, "{given}: {value:?}");
        }
        let head = "import { secret } from './secret'; const config = require('config');";
        for given in ["secret.trim()", "config.get('a.b')", "config.key.trim()", "process.env['KEY'].trim()"]
        {
            let value = sunk(Language::JavaScript, &format!("{head} sink({given});"));
            assert_eq!(value.origin, Origin::Unknown, "{given}: {value:?}");
        }
    }

    #[test]
    fn a_method_of_a_constant_gives_a_constant() {
        let head = "import posixpath\nKEY = 'a'\n";
        for given in ["KEY.encode()", "posixpath.join('a', 'b')", "'a b'.split()[0]"] {
            let value = sunk(Language::Python, &format!("{head}sink({given})\n"));
            assert!(value.origin <= Origin::Clean, "{given}: {value:?}");
        }
        // What a module is passed from outside stays what it was.
        let text = "import codecs\ndef f(request):\n    sink(codecs.encode(request.args['a'], 'hex'))\n";
        assert_eq!(sunk(Language::Python, text).origin, Origin::Tainted);
        let text = "import app\ndef f():\n    sink('select ' + app.settings.TABLE.lower())\n";
        assert!(sunk(Language::Python, text).origin <= Origin::Clean);
    }
}
