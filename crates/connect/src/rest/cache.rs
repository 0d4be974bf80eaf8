use std::collections::VecDeque;

use super::reply::Reply;

/// Larger answers are asked for again.
const LARGEST: usize = 2 << 20;
/// The oldest make room.
const MOST: usize = 16 << 20;

/// Answers with their tags, so that what has not changed need not be sent again. A service does not count such questions
/// against its limits.
#[derive(Debug, Default)]
pub(super) struct Cache {
    entries: VecDeque<Entry>,
    size: usize,
}

#[derive(Debug)]
struct Entry {
    key: String,
    tag: String,
    reply: Reply,
    /// Of all of it: a service may put its answers into headers.
    size: usize,
}

impl Cache {
    pub(super) fn tag(&self, key: &str) -> Option<&str> {
        self.find(key).map(|entry| entry.tag.as_str())
    }

    pub(super) fn reply(&self, key: &str) -> Option<Reply> {
        self.find(key).map(|entry| entry.reply.clone())
    }

    pub(super) fn keep(&mut self, key: &str, reply: &Reply) {
        self.forget(key);
        let Some(tag) = reply.header("etag").map(str::to_owned) else { return };
        let headers = reply.headers.iter().map(|(name, value)| name.as_str().len() + value.len());
        let size = key.len() + tag.len() + headers.sum::<usize>() + reply.body.len();
        if size > LARGEST {
            return;
        }
        self.size += size;
        self.entries.push_back(Entry { key: key.to_owned(), tag, reply: reply.clone(), size });
        while self.size > MOST {
            let Some(oldest) = self.entries.pop_front() else { return };
            self.size -= oldest.size;
        }
    }

    pub(super) fn forget(&mut self, key: &str) {
        if let Some(at) = self.entries.iter().position(|entry| entry.key == key)
            && let Some(entry) = self.entries.remove(at)
        {
            self.size -= entry.size;
        }
    }

    fn find(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::StatusCode;
    use reqwest::header::{ETAG, HeaderMap, HeaderValue};

    fn reply(size: usize) -> Reply {
        let headers = HeaderMap::from_iter([(ETAG, HeaderValue::from_static("\"a\""))]);
        Reply { status: StatusCode::OK, headers, body: vec![b'x'; size] }
    }

    #[test]
    fn the_oldest_make_room_for_the_newest() {
        let mut cache = Cache::default();
        for n in 0..40 {
            cache.keep(&n.to_string(), &reply(LARGEST / 2));
        }
        assert!(cache.size <= MOST);
        assert_eq!((cache.tag("0"), cache.tag("39")), (None, Some("\"a\"")));
    }

    #[test]
    fn answers_without_a_body_take_room_as_well() {
        let mut cache = Cache::default();
        let mut empty = reply(0);
        empty.headers.insert("x-long", HeaderValue::from_str(&"x".repeat(LARGEST / 2)).unwrap());
        (0..40).for_each(|n| cache.keep(&n.to_string(), &empty));
        assert!(cache.entries.len() < 20, "{}", cache.entries.len());
    }

    #[test]
    fn a_newer_answer_takes_the_place_of_the_older() {
        let mut cache = Cache::default();
        cache.keep("a", &reply(7));
        cache.keep("a", &reply(3));
        assert_eq!(cache.reply("a").unwrap().body.len(), 3);
        cache.keep("a", &reply(LARGEST + 1));
        assert_eq!((cache.tag("a"), cache.size), (None, 0));
    }
}
