//! Checks that are made in more than one step: of several parts, by a variable that holds the answer, or of a part of the
//! value that another variable has.

use tree_sitter::Node;

use super::conditions::{compact, has_word, says_of};
use super::evaluate::Fuel;
use super::guards::{Checked, Says};
use super::scope::{Assignment, Scope};
use super::{Flow, Origin};
use crate::language::Language;

/// Longer conditions, and what variables of theirs were given, are not read.
const LONGEST: usize = 400;

/// So many words of a condition are looked up, among so many assignments.
const MOST_WORDS: usize = 12;
const MOST_ASSIGNMENTS: usize = 300;

/// What gives the host of an address.
const HOSTS: [&str; 6] = [".getHost()", ".Hostname()", ".Host", ".hostname", ".netloc", ".host"];

/// What is no text to be equal to.
const EMPTY: [&str; 6] = ["null", "nil", "None", "undefined", "true", "false"];

impl<'t> Flow<'t> {
    /// What a check says about a name beyond what it says at first sight.
    pub(super) fn says_further(&self, condition: Node<'t>, name: &str, scope: &Scope<'t>) -> Says {
        let text = self.text_of(condition);
        if text.len() > LONGEST {
            return Says::Nothing;
        }
        let compact = compact(text);
        let in_parts = if has_word(&compact, name) { says_in_parts(&compact, name) } else { Says::Nothing };
        let ways = [
            |flow: &Self, asked: &Asked<'t, '_>| flow.says_by_answer(asked),
            |flow: &Self, asked: &Asked<'t, '_>| flow.says_of_its_host(asked),
            |flow: &Self, asked: &Asked<'t, '_>| flow.says_of_relative(asked),
            |flow: &Self, asked: &Asked<'t, '_>| flow.says_of_kind(asked),
            |flow: &Self, asked: &Asked<'t, '_>| flow.says_of_equal(asked),
        ];
        let asked = Asked { condition, compact: &compact, name, scope };
        let further = || ways.iter().map(|way| way(self, &asked)).find(|said| *said != Says::Nothing);
        if in_parts == Says::Nothing { further().unwrap_or(Says::Nothing) } else { in_parts }
    }

    /// `_, ok := tables[name]` and then `!ok`; `boolean known = NAMES.contains(name)` and then `known`.
    fn says_by_answer(&self, asked: &Asked<'t, '_>) -> Says {
        let answer = asked.compact.trim_start_matches('!').trim_start_matches("not ");
        if answer.is_empty() || !answer.chars().all(is_word) {
            return Says::Nothing;
        }
        let first = || asked.condition.parent()?.child_by_field_name("initializer");
        let given = first().map(|first| self.text_of(first)).filter(|first| has_word(first, answer));
        let given = given.or_else(|| {
            let known = asked.assignment(answer)?;
            Some(self.text_of(known.whole))
        });
        let Some(value) = given.and_then(given_of).filter(|value| has_word(value, asked.name)) else {
            return Says::Nothing;
        };
        let said = match says_of(&compact(value), asked.name) {
            Says::Nothing => says_in_parts(&compact(value), asked.name),
            said => said,
        };
        if answer.len() < asked.compact.len() { said.turned() } else { said }
    }

    /// `String host = address.getHost()` and then `HOSTS.contains(host)`.
    fn says_of_its_host(&self, asked: &Asked<'t, '_>) -> Says {
        let is_host_of = |value: &str, name: &str| {
            has_word(value, name) && HOSTS.iter().any(|part| value.trim_end_matches(';').ends_with(part))
        };
        for host in asked.words() {
            let Some(value) = asked.assignment(host).and_then(|one| given_of(self.text_of(one.whole))) else {
                continue;
            };
            // Of the address itself, or of what was read from it.
            let is_its = is_host_of(value, asked.name)
                || root(value).is_some_and(|parts| {
                    let read = asked.assignment(parts).and_then(|one| given_of(self.text_of(one.whole)));
                    is_host_of(value, parts) && read.is_some_and(|read| reads(read, asked.name))
                });
            if is_its {
                let said = match says_of(asked.compact, host) {
                    Says::Nothing => says_in_parts(asked.compact, host),
                    said => said,
                };
                return said.of_host();
            }
        }
        Says::Nothing
    }

    /// `rel, err := filepath.Rel(root, name)` and then `strings.HasPrefix(rel, "..")`; `name = path.normalize(name)` and then
    /// `name.startsWith("..")`: where steps were worked out, those that are left stand at the beginning.
    fn says_of_relative(&self, asked: &Asked<'t, '_>) -> Says {
        let (begins, workers): (&[&str], &[&str]) = match self.language {
            Language::Go => (&["strings.HasPrefix($, \".."], &["filepath.Rel("]),
            Language::Python => (&["$.startswith(\"..", "$.startswith('.."], &["relpath(", "normpath("]),
            Language::JavaScript | Language::TypeScript => {
                (&["$.startsWith(\".", "$.startsWith('."], &["relative(", "normalize(", "join("])
            }
            _ => return Says::Nothing,
        };
        if !["HasPrefix(", "tartsWith(", "tartswith("].iter().any(|word| asked.compact.contains(word)) {
            return Says::Nothing;
        }
        let steps = |rel: &str| begins.iter().find_map(|begin| asked.compact.find(&begin.replace('$', rel)));
        let is_its = |rel: &&str| {
            let given = asked.assignment(rel).and_then(|one| given_of(self.text_of(one.whole)));
            given.is_some_and(|given| {
                let passed = workers.iter().find_map(|worker| given.split_once(worker));
                passed.is_some_and(|(_, passed)| *rel == asked.name || has_word(passed, asked.name))
            })
        };
        let Some(at) = asked.words().filter(is_its).find_map(steps) else { return Says::Nothing };
        let is_denied = asked.compact[..at].ends_with('!') || asked.compact[..at].ends_with("not ");
        let has = |words: [&str; 2]| words.iter().any(|word| asked.compact.contains(word));
        match is_denied {
            true if !has(["||", " or "]) => Says::StaysBelow,
            false if !has(["&&", " and "]) => Says::LeadsUp,
            _ => Says::Nothing,
        }
    }

    /// `one == name` in a loop over a list that the program has written.
    fn says_of_equal(&self, asked: &Asked<'t, '_>) -> Says {
        let other = |part: &'_ str, sign: &str| {
            let (left, right) = part.split_once(sign)?;
            let (left, right) = (left.trim(), right.trim());
            let other = if left == asked.name { right } else { left };
            let is_pair = (left == asked.name) != (right == asked.name);
            let is_name = other.starts_with(char::is_alphabetic) && other.chars().all(is_word);
            (is_pair && is_name && !EMPTY.contains(&other)).then(|| other.to_owned())
        };
        let equal = |part: &str| other(part, "==").or_else(|| other(part.strip_suffix(')')?, ".equals("));
        let unlike = |part: &str| other(part, "!=").or_else(|| equal(part.strip_prefix('!')?));
        let is_joined = asked.compact.contains("||");
        let is_both = asked.compact.contains("&&");
        let parts = || asked.compact.split("&&").flat_map(|part| part.split("||")).map(str::trim);
        let is_known = |other: String| self.is_own(&other, asked.condition);
        if !is_joined && parts().filter_map(equal).any(is_known) {
            Says::Allowed
        } else if !is_both && parts().filter_map(unlike).any(is_known) {
            Says::Refused
        } else {
            Says::Nothing
        }
    }

    /// Whether a variable holds nothing but what the program has written. Asked of one at a time: two that are compared would
    /// ask for each other without end.
    fn is_own(&self, name: &str, at: Node<'t>) -> bool {
        if self.comparing.replace(true) {
            return false;
        }
        let value = self.named(name, at, &mut Fuel::little());
        self.comparing.set(false);
        value.origin <= Origin::Clean
    }

    /// `kind.Valid()` of a type of the file's own that holds a text, where the method compares it with constants.
    fn says_of_kind(&self, asked: &Asked<'t, '_>) -> Says {
        let is_asked = asked.compact.trim_start_matches('!');
        let method = is_asked.strip_prefix(asked.name).and_then(|rest| rest.strip_prefix('.'));
        let method = method.and_then(|rest| rest.strip_suffix("()"));
        let Some(method) = method.filter(|_| self.language == Language::Go) else { return Says::Nothing };
        let declared = asked.assignment(asked.name).map(|one| self.text_of(one.whole));
        let fits = declared.is_some_and(|declared| {
            declared.len() <= LONGEST && self.compares_itself(method, |kind| has_word(declared, kind))
        });
        match (fits, is_asked.len() < asked.compact.len()) {
            (false, _) => Says::Nothing,
            (true, true) => Says::Refused,
            (true, false) => Says::Allowed,
        }
    }
}

/// What is asked, of which name, and where.
struct Asked<'t, 's> {
    condition: Node<'t>,
    compact: &'s str,
    name: &'s str,
    scope: &'s Scope<'t>,
}

impl<'t, 's> Asked<'t, 's> {
    /// The last before the condition.
    fn assignment(&self, name: &str) -> Option<&'s Assignment<'t>> {
        let at = self.condition.start_byte();
        self.scope.of_name(name).rev().take(MOST_ASSIGNMENTS).find(|one| one.after <= at)
    }

    fn words(&self) -> impl Iterator<Item = &'s str> {
        let words = self.compact.split(|c| !is_word(c));
        words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_')).take(MOST_WORDS)
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What stands behind the sign of an assignment.
fn given_of(assignment: &str) -> Option<&str> {
    let (_, value) = assignment.split_once('=')?;
    Some(value.trim().trim_end_matches(';')).filter(|value| value.len() <= LONGEST)
}

/// The variable at the beginning of `address.getHost()`.
fn root(value: &str) -> Option<&str> {
    let end = value.find(|c| !is_word(c))?;
    Some(&value[..end]).filter(|root| !root.is_empty())
}

/// Whether a call is passed the name: `URI.create(name)`, `url.Parse(name)`.
fn reads(value: &str, name: &str) -> bool {
    let passed = value.split_once('(').map(|(_, passed)| passed);
    passed.is_some_and(|passed| passed.split([',', ')']).next().is_some_and(|first| first.trim() == name))
}

/// `NAME.matcher(name).matches()`, which asks for all of it; `find()` would not.
pub(super) fn matches_wholly(condition: &str, name: &str) -> bool {
    condition.contains(&format!(".matcher({name}).matches()"))
}

/// One of several that are asked for: where `a || b` fails, both do; where `a && b` holds, both do.
fn says_in_parts(condition: &str, name: &str) -> Says {
    let any = |parts: &[&str], holds: bool| {
        let said = parts.iter().map(|part| says_of(&compact(part), name));
        let left = said.map(|said| said.leaves(holds)).fold(Checked::Not, Checked::and);
        if holds { Says::of(left) } else { Says::of(left).turned() }
    };
    let either = split(condition, &["||", " or "]);
    if either.len() > 1 {
        return any(&either, false);
    }
    let both = split(condition, &["&&", " and "]);
    if both.len() > 1 { any(&both, true) } else { Says::Nothing }
}

/// At signs that stand in no brackets and in no text.
fn split<'c>(condition: &'c str, signs: &[&str]) -> Vec<&'c str> {
    let mut parts = Vec::new();
    let (mut begun, mut depth, mut quote) = (0, 0_u32, None);
    for (at, c) in condition.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && at >= begun => {
                if let Some(sign) = signs.iter().find(|sign| condition[at..].starts_with(**sign)) {
                    parts.push(condition[begun..at].trim());
                    begun = at + sign.len();
                }
            }
            (None, _) => {}
        }
    }
    parts.push(condition[begun..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use crate::flow::tests::sunk;
    use crate::flow::{Origin, Use};
    use crate::language::Language;

    fn is_harmless(language: Language, text: &str) -> bool {
        sunk(language, text).origin <= Origin::Clean
    }

    fn java(body: &str) -> bool {
        let read = "String a = request.getParameter(\"a\");";
        let text = format!("class A {{ void f(HttpServletRequest request) {{ {read} {body} sink(a); }} }}");
        sunk(Language::Java, &text).is_harmless_as(Use::Address)
    }

    #[test]
    fn a_pattern_that_all_of_it_fits_is_a_check() {
        assert!(java("if (!NAME.matcher(a).matches()) { throw new E(); }"));
        assert!(java("if (a == null || !NAME.matcher(a).matches()) { return; }"));
        assert!(!java("if (!NAME.matcher(a).find()) { return; }"));
        assert!(!java("if (a == null && !NAME.matcher(a).matches()) { return; }"));
        assert!(!java("if (!NAME.matcher(b).matches()) { return; }"));
    }

    #[test]
    fn where_one_of_several_is_refused_none_of_them_is_left() {
        assert!(java("if (a == null || !a.startsWith(\"/\") || a.startsWith(\"//\")) { a = \"/\"; }"));
        assert!(java("if (a == null || !a.startsWith(\"/\") || a.startsWith(\"//\")) { return; }"));
        assert!(!java("if (a == null || a.isEmpty()) { return; }"));
        assert!(!java("if (a != null && !NAMES.contains(a)) { return; }"));
    }

    #[test]
    fn an_answer_may_be_kept_in_a_variable() {
        assert!(java("boolean known = NAMES.contains(a); if (!known) { return; }"));
        assert!(!java("boolean known = NAMES.contains(a); if (known) { return; }"));
        assert!(!java("boolean known = NAMES.contains(b); if (!known) { return; }"));
    }

    #[test]
    fn the_host_of_an_address_may_be_kept_in_one_too() {
        let check = "if (!HOSTS.contains(host)) { return; }";
        assert!(java(&format!("URI u = URI.create(a); String host = u.getHost(); {check}")));
        assert!(java(&format!("String host = URI.create(a).getHost(); {check}")));
        assert!(!java(&format!("String host = URI.create(b).getHost(); {check}")));
        assert!(!java(&format!("String host = URI.create(a).getPath(); {check}")));
    }

    #[test]
    fn a_host_says_nothing_of_what_stands_behind_it() {
        let text = "def f():\n    url = request.args['a']\n    host = urlparse(url).hostname\n    if host not in ALLOWED:\n        return\n    sink(url)\n";
        let value = sunk(Language::Python, text);
        assert!(value.is_harmless_as(Use::Address));
        assert!(!value.is_harmless_as(Use::Code));
    }

    fn go(declared: &str, body: &str) -> super::super::Value {
        let text = format!(
            "package a\n{declared}\nfunc f(w http.ResponseWriter, r *http.Request) {{\n\ta := r.FormValue(\"a\")\n{body}\n\tsink(a)\n}}\n"
        );
        sunk(Language::Go, &text)
    }

    #[test]
    fn go_asks_a_map_whether_it_has_a_key() {
        let harmless = |body| go("", body).origin <= Origin::Clean;
        assert!(harmless("\tif _, ok := tables[a]; !ok {\n\t\treturn\n\t}"));
        assert!(harmless("\t_, ok := tables[a]\n\tif !ok {\n\t\treturn\n\t}"));
        assert!(!harmless("\tif _, ok := tables[a]; ok {\n\t\treturn\n\t}"));
        assert!(!harmless("\tif _, ok := tables[b]; !ok {\n\t\treturn\n\t}"));
    }

    #[test]
    fn go_s_kinds_of_text_know_their_values() {
        let kind = "type Kind string\nfunc (k Kind) Valid() bool { return k == \"a\" || k == \"b\" }";
        let made = |made: &str, check: &str| {
            format!(
                "package a\n{made}\nfunc f(r *http.Request) {{\n\tk := Kind(r.FormValue(\"a\"))\n\tif {check} {{\n\t\treturn\n\t}}\n\tsink(\"a \" + string(k))\n}}\n"
            )
        };
        assert!(is_harmless(Language::Go, &made(kind, "!k.Valid()")));
        assert!(!is_harmless(Language::Go, &made(kind, "k.Valid()")));
        let other = "type Kind string\nfunc (k Kind) Valid() bool { return k.check(1) }";
        assert!(!is_harmless(Language::Go, &made(other, "!k.Valid()")));
        let wide = "type Kind struct{ a string }\nfunc (k Kind) Valid() bool { return k.a == \"\" }";
        assert!(!is_harmless(Language::Go, &made(wide, "!k.Valid()")));
    }

    #[test]
    fn a_part_is_checked_as_it_is_written() {
        for (check, harmless) in
            [("data['k'] not in ('a', 'b')", true), ("data['j'] not in ('a', 'b')", false)]
        {
            let text = format!(
                "def f(request):\n    data = request.get_json()\n    if {check}:\n        return\n    sink('x' + data['k'])\n"
            );
            assert_eq!(is_harmless(Language::Python, &text), harmless, "{check}");
        }
    }

    #[test]
    fn steps_up_that_were_worked_out_stand_at_the_beginning() {
        let below = |made: &str, refused: &str| {
            let text = format!(
                "app.get('/', (req, res) => {{ const a = {made}; if ({refused}) return; sink(a); }});"
            );
            sunk(Language::JavaScript, &text).below
        };
        assert!(below("path.normalize(req.query.a)", "a.startsWith('..')"));
        assert!(!below("req.query.a", "a.startsWith('..')"));
        assert!(!below("path.normalize(req.query.a)", "!a.startsWith('..')"));
        assert!(below("req.query.a", r"/\.\./.test(a)"));
        assert!(below(r"req.query.a.replace(/^(\.\.(\/|\\|$))+/, '')", "!a"));
        assert!(!below("req.query.a", "!a"));
        let python = |made: &str| {
            let text = format!(
                "def f(request):\n    a = {made}(request.args['a'])\n    if a.startswith('..'):\n        return\n    sink(a)\n"
            );
            sunk(Language::Python, &text).below
        };
        assert!(python("os.path.normpath"));
        assert!(!python("str"));
    }

    #[test]
    fn a_path_is_below_what_it_is_relative_to_without_steps_up() {
        let rel = "\trel, err := filepath.Rel(\"/srv\", a)\n";
        let check = |asked: &str| go("", &format!("{rel}\tif {asked} {{\n\t\treturn\n\t}}")).below;
        assert!(check("err != nil || strings.HasPrefix(rel, \"..\")"));
        assert!(check("err != nil || rel == \"..\" || strings.HasPrefix(rel, \"../\")"));
        assert!(!check("err != nil"));
        assert!(!check("!strings.HasPrefix(rel, \"..\")"));
        assert!(!check("err != nil || strings.HasPrefix(other, \"..\")"));
    }

    #[test]
    fn a_path_stays_below_where_it_was_seen_to_have_no_steps_up() {
        let inside = |asked: &str| {
            let text = format!(
                "package a\nfunc f(r *http.Request) {{\n\ta := r.FormValue(\"a\")\n\tif {asked} {{\n\t\tsink(a)\n\t}}\n}}\n"
            );
            sunk(Language::Go, &text).below
        };
        assert!(inside("!strings.Contains(a, \"..\")"));
        assert!(inside("a != \"\" && !strings.Contains(a, \"..\")"));
        assert!(!inside("strings.Contains(a, \"..\")"));
        assert!(!inside("!strings.Contains(b, \"..\")"));
        assert!(!inside("ok || !strings.Contains(a, \"..\")"));
    }

    #[test]
    fn what_is_equal_to_one_of_the_program_s_own_is_one_of_them() {
        let harmless = |listed: &str, asked: &str| {
            let text = format!(
                "package a\nfunc f(r *http.Request) {{\n\ta := r.FormValue(\"a\")\n\tlist := {listed}\n\tfor _, one := range list {{\n\t\tif {asked} {{\n\t\t\tsink(a)\n\t\t}}\n\t}}\n}}\n"
            );
            is_harmless(Language::Go, &text)
        };
        let own = "[]string{\"b\", \"c\"}";
        assert!(harmless(own, "one == a"));
        assert!(harmless(own, "a == one && len(a) > 0"));
        assert!(!harmless(own, "one != a"));
        assert!(!harmless(own, "one == b"));
        assert!(!harmless(own, "ok || one == a"));
        assert!(!harmless("r.Form[\"list\"]", "one == a"));
        // Two that are only compared with each other say nothing of each other.
        assert!(!java("String b = request.getParameter(\"b\"); if (!b.equals(a)) { return; }"));
        assert!(java("String b = \"c\"; if (!b.equals(a)) { return; }"));
        assert!(!java("if (a != null) { a = a.trim(); }"));
    }
}
