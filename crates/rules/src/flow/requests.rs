//! Requests that are known by the type they are declared with, whatever they are called.

use tree_sitter::Node;

use super::names::without_package;
use super::scope::root_of;
use super::{Flow, Origin, sources};
use crate::language::Language;

/// Types of a language that hold a request, each with a name by which its parts are known in
/// [`sources`].
fn types_of(language: Language) -> &'static [(&'static str, &'static str)] {
    match language {
        Language::Java | Language::Kotlin => &[
            ("HttpServletRequest", "request"),
            ("ServletRequest", "request"),
            ("MultipartHttpServletRequest", "request"),
            ("WebRequest", "request"),
            ("NativeWebRequest", "request"),
            ("ServerHttpRequest", "request"),
            ("ServerRequest", "request"),
            ("HttpServerRequest", "request"),
            ("APIGatewayProxyRequestEvent", "request"),
        ],
        Language::Go => &[
            ("http.Request", "r"),
            ("gin.Context", "c"),
            ("echo.Context", "c"),
            ("fiber.Ctx", "c"),
            ("fasthttp.RequestCtx", "ctx"),
        ],
        Language::Python => &[("HttpRequest", "request"), ("WSGIRequest", "request"), ("Request", "request")],
        Language::JavaScript | Language::TypeScript => &[
            ("Request", "req"),
            ("NextRequest", "req"),
            ("NextApiRequest", "req"),
            ("FastifyRequest", "req"),
            ("IncomingMessage", "req"),
        ],
        _ => &[],
    }
}

/// The name under which a value of this type is known.
pub(super) fn known_as(declared: &str, language: Language) -> Option<&'static str> {
    let bare = declared.trim().trim_start_matches([':', '*', '&', ' ']).trim_end_matches('?');
    let bare = bare.split('<').next().unwrap_or(bare);
    // `django.http.HttpRequest`, `express.Request`; in Go the package is part of what tells it.
    let bare = match language {
        Language::Java | Language::Kotlin => without_package(bare),
        Language::Go => bare,
        _ => bare.rsplit('.').next().unwrap_or(bare),
    };
    types_of(language).iter().find(|(name, _)| *name == bare).map(|(_, known)| *known)
}

impl<'t> Flow<'t> {
    /// Where something of this whole name comes from, if from outside: by its name, or by the type of the parameter that it
    /// begins with.
    pub(super) fn source(&self, node: Node<'t>, whole: &str) -> Option<Origin> {
        if let Some(origin) = sources::source(whole, self.language) {
            return Some(origin);
        }
        if !self.has_requests() {
            return None;
        }
        let root = root_of(node)?;
        let rest = whole.strip_prefix(self.text_of(root)).filter(|rest| rest.starts_with('.'))?;
        let known = known_as(&self.type_of(root), self.language)?;
        sources::source(&format!("{known}{rest}"), self.language)
    }

    fn has_requests(&self) -> bool {
        *self.has_requests.get_or_init(|| {
            let types = types_of(self.language).iter();
            types.into_iter().any(|(name, _)| memchr::memmem::find(self.text, name.as_bytes()).is_some())
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Origin;
    use crate::flow::tests::sunk;
    use crate::language::Language;

    #[test]
    fn a_request_is_known_by_its_type() {
        for (language, text) in [
            (Language::Java, "class A { void f(HttpServletRequest r) { sink(r.getParameter(\"a\")); } }"),
            (
                Language::Java,
                "class A { void f(final javax.servlet.http.HttpServletRequest in) { String a = in.getHeader(\"a\"); sink(a); } }",
            ),
            (Language::Kotlin, "fun f(r: HttpServletRequest) { sink(r.getParameter(\"a\")) }"),
            (
                Language::Go,
                "package a\nfunc f(w http.ResponseWriter, rq *http.Request) { sink(rq.URL.Query().Get(\"a\")) }",
            ),
            (Language::Go, "package a\nfunc f(g *gin.Context) { sink(g.Query(\"a\")) }"),
            (Language::TypeScript, "app.get('/', (r: Request, res: Response) => { sink(r.query.a); });"),
            (Language::TypeScript, "function f(q: express.Request) { const a = q.params['a']; sink(a); }"),
            (Language::Python, "def f(r: HttpRequest):\n    sink(r.GET['a'])\n"),
            (Language::Python, "def f(self, q: Request):\n    a = q.query_params.get('a')\n    sink(a)\n"),
            (Language::Python, "def f(r: HttpRequest, name):\n    sink(name)\n"),
        ] {
            assert_eq!(sunk(language, text).origin, Origin::Tainted, "{text}");
        }
    }

    #[test]
    fn what_only_has_the_parts_of_one_is_none() {
        for (language, text) in [
            (Language::Java, "class A { void f(Properties r) { sink(r.getParameter(\"a\")); } }"),
            (Language::Go, "package a\nfunc f(rq *proto.Request) { sink(rq.Body) }"),
            (Language::TypeScript, "function f(r: Row) { sink(r.query); }"),
            (Language::Python, "def f(r: Row):\n    sink(r.GET['a'])\n"),
            (Language::Python, "def f(r: HttpRequest):\n    sink(r.user.name)\n"),
        ] {
            assert!(sunk(language, text).origin < Origin::Tainted, "{text}");
        }
    }
}
