use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::answer::Answer;
use super::request::Call;

/// One page of a longer list, by number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    pub(super) number: usize,
    pub(super) size: usize,
    pub(super) total: usize,
}

impl Page {
    pub(super) fn asked(call: &Call, usual: usize, total: usize) -> Page {
        let size = call.number("per_page").unwrap_or(usual).clamp(1, 100);
        Page { number: call.number("page").unwrap_or(1).max(1), size, total }
    }

    pub(super) fn of<T: Clone>(&self, all: &[T]) -> Vec<T> {
        all.iter().skip((self.number - 1).saturating_mul(self.size)).take(self.size).cloned().collect()
    }

    pub(super) fn last(&self) -> usize {
        self.total.div_ceil(self.size).max(1)
    }

    pub(super) fn next(&self) -> Option<usize> {
        (self.number < self.last()).then_some(self.number + 1)
    }

    pub(super) fn previous(&self) -> Option<usize> {
        (self.number > 1).then(|| self.number - 1)
    }

    /// The `Link` header, naming only what exists.
    pub(super) fn link(
        &self,
        base: &str,
        call: &Call,
        relations: &[(&str, Option<usize>)],
    ) -> Option<String> {
        let parts: Vec<String> = relations
            .iter()
            .filter_map(|(name, page)| {
                Some(format!("<{}>; rel=\"{name}\"", self.address(base, call, (*page)?)))
            })
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn address(&self, base: &str, call: &Call, page: usize) -> String {
        let mut pairs: Vec<(String, String)> =
            call.query.iter().filter(|(name, _)| name != "page" && name != "per_page").cloned().collect();
        pairs.push(("per_page".to_owned(), self.size.to_string()));
        pairs.push(("page".to_owned(), page.to_string()));
        let escape = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let pairs: Vec<String> = pairs
            .iter()
            .map(|(name, value)| format!("{}={}", name.replace(' ', "+"), escape(value)))
            .collect();
        format!("{base}{}?{}", call.path, pairs.join("&"))
    }
}

/// GitHub names the neighbours and the ends, and nothing if everything fits on one page.
pub(super) fn github(answer: Answer, page: Page, base: &str, call: &Call) -> Answer {
    let first = page.previous().map(|_| 1);
    let last = page.next().map(|_| page.last());
    let relations = [("prev", page.previous()), ("next", page.next()), ("last", last), ("first", first)];
    match page.link(base, call, &relations) {
        Some(link) => answer.with("link", link),
        None => answer,
    }
}

/// GitLab says everything in headers of its own, and leaves counts out of lists over 10,000.
pub(super) fn gitlab(answer: Answer, page: Page, base: &str, call: &Call) -> Answer {
    let relations =
        [("prev", page.previous()), ("next", page.next()), ("first", Some(1)), ("last", Some(page.last()))];
    let empty = |page: Option<usize>| page.map(|page| page.to_string()).unwrap_or_default();
    let answer = match page.link(base, call, &relations) {
        Some(link) => answer.with("link", link),
        None => answer,
    };
    answer
        .with("x-next-page", empty(page.next()))
        .with("x-page", page.number)
        .with("x-per-page", page.size)
        .with("x-prev-page", empty(page.previous()))
        .with("x-total", page.total)
        .with("x-total-pages", page.last())
}

/// Keeps what may be seen, and brings what may not a listing closer to being seen.
pub(super) fn visible<T>(items: &mut [T], hidden: impl Fn(&mut T) -> &mut u32) -> Vec<usize> {
    let mut seen = Vec::new();
    for (at, item) in items.iter_mut().enumerate() {
        let left = hidden(item);
        if *left == 0 {
            seen.push(at);
        } else {
            *left -= 1;
        }
    }
    seen
}
