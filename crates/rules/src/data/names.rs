use super::read::Wrong;

/// Fits every name.
const ANYTHING: &str = "*";

/// Whole names, and names of methods of anything.
#[derive(Debug)]
pub(super) struct Names(Vec<String>);

impl Names {
    /// Of nothing.
    pub(super) fn none() -> Names {
        Names(Vec::new())
    }

    /// Of what is called.
    pub(super) fn called(names: &[String]) -> Result<Names, Wrong> {
        let hint = "name a function, `subprocess.run`, or a method of anything, `*.execute`; for every call write a `rule` with its `kind`";
        Names::checked(names, hint, |name| can_fit(&dotted(name))).map(Names::dotted)
    }

    /// Of what is assigned to or declared.
    pub(super) fn assigned(names: &[String]) -> Result<Names, Wrong> {
        let hint = "write a name, `app.debug`, an attribute of anything, `*.verify`, or `*` for whatever is assigned";
        Names::checked(names, hint, |name| name == ANYTHING || can_fit(&dotted(name))).map(Names::dotted)
    }

    /// Of keys, which may have any sign in them.
    pub(super) fn keys(names: &[String]) -> Result<Names, Wrong> {
        let hint = "write a key as it stands there, `verify`, or `*` for any";
        Names::checked(names, hint, |name| !name.is_empty() && !name.starts_with("*."))
    }

    fn checked(names: &[String], hint: &str, fits: impl Fn(&str) -> bool) -> Result<Names, Wrong> {
        if names.is_empty() {
            return Err(Wrong::new("this list is empty, so that nothing is found", hint));
        }
        match names.iter().find(|name| !fits(name)) {
            Some(name) => {
                Err(Wrong::about(name, format!("nothing is called `{name}`, so that nothing is found"), hint))
            }
            None => Ok(Names(names.to_vec())),
        }
    }

    fn dotted(self) -> Names {
        Names(self.0.iter().map(|name| dotted(name)).collect())
    }

    pub(super) fn fit(&self, whole: &str) -> bool {
        let is_method = whole.contains('.');
        let last = last(whole);
        self.0.iter().any(|name| match name.strip_prefix("*.") {
            None if name == ANYTHING => true,
            Some(method) if method.contains('.') => {
                whole.strip_suffix(method).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            Some(method) => is_method && method == last,
            None => name == whole,
        })
    }

    /// The last part of each, which what fits ends in; `*` for whatever fits everything.
    pub(super) fn endings(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|name| last(name))
    }

    /// Words of which one stands in every file that has such a name. `None`: nothing can be said.
    pub(super) fn literals(&self) -> Option<Vec<String>> {
        let last_part =
            |name: &str| name.rsplit(['.', '/']).next().unwrap_or(name).trim_end_matches("()").to_owned();
        let fits_all = self.0.iter().any(|name| name == ANYTHING);
        (!fits_all).then(|| self.0.iter().map(|name| last_part(name)).collect())
    }
}

/// A name in which dots part what the language may part otherwise.
fn dotted(name: &str) -> String {
    name.replace("::", ".").replace("->", ".")
}

/// Whether something can have the name: `*` stands for whatever is before a dot, and for nothing else.
fn can_fit(name: &str) -> bool {
    let rest = name.strip_prefix("*.").unwrap_or(name);
    !rest.is_empty() && !rest.contains('*')
}

/// What a name ends in.
pub(super) fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_or_of_a_method() {
        let names =
            Names(vec!["os.system".into(), "*.execute".into(), "eval".into(), "*.csrf().disable".into()]);
        for fits in
            ["os.system", "cursor.execute", "?.execute", "a.b().execute", "eval", "http.csrf().disable"]
        {
            assert!(names.fit(fits), "{fits}");
        }
        for other in ["system", "my.os.system", "execute", "model.eval", "executemany", "disable"] {
            assert!(!names.fit(other), "{other}");
        }
    }

    #[test]
    fn names_may_be_spelled_as_the_language_does() {
        let names = Names::called(&["pk::run".into(), "$db->query".into(), "*::go".into()]).unwrap();
        assert!(names.fit("pk.run") && names.fit("$db.query") && names.fit("a.go"));
        assert_eq!(names.literals(), Some(vec!["run".to_owned(), "query".to_owned(), "go".to_owned()]));
    }

    #[test]
    fn names_that_nothing_has_are_refused() {
        for wrong in ["*", "*.*", "os.*", "", "*."] {
            assert!(Names::called(&[wrong.into()]).is_err(), "{wrong}");
        }
        assert!(Names::called(&[]).is_err() && Names::keys(&[]).is_err());
        assert_eq!(Names::assigned(&["*".into()]).unwrap().literals(), None);
        assert!(Names::assigned(&["*.*".into()]).is_err());
        assert!(Names::keys(&["*.verify".into()]).is_err());
    }
}
