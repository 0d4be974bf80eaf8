//! What an answer means that is not in a form: only ever that something is wrong. Prose alone approves nothing.

use crate::review::says_any;

/// Whether a reviewer asks for changes in plain words.
pub fn asks_for_changes(text: &str) -> bool {
    const PHRASES: &str = "changes requested\nrequest changes\nrequests changes\nrequesting changes\nchanges needed\n\
        changes required\nchanges necessary\nneeds changes\nneed changes\nneeds work\nmust be fixed\nmust be changed\n\
        must be corrected\nmust be addressed\nhas to be fixed\nhas to be changed\nhave to be fixed\nhave to be changed\n\
        should be fixed\nplease fix\nplease change\nplease add\nplease remove\nplease rename\nplease address\n\
        please correct\ndo not merge\ndon t merge\ncannot be merged\nmust not be merged\nnot ready to merge\n\
        not approved\nnot approve\ni reject\nreject this\nreject the change\nfix before merging\nblocking issue";
    says_any(text, PHRASES)
}

/// Whether the words around a report leave in doubt that it is the answer: it may be a quote, or not the whole of it.
pub fn casts_doubt(text: &str) -> bool {
    const PHRASES: &str = "could not\ncouldn t\ncannot\ncan t\nunable\nfailed to\ndid not\nhowever\nbut\nexample\nquote\n\
        fixture\nthe change holds\nthe file holds\nthe diff holds\nthe code holds\nthe test holds";
    asks_for_changes(text) || says_any(text, PHRASES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_changes_is_understood() {
        for text in [
            "Please fix the null check in a.py.",
            "Changes requested: the name is wrong",
            "Do not merge this yet",
        ] {
            assert!(asks_for_changes(text), "{text}");
        }
        for text in [
            "Looks good to me!",
            "No changes needed.",
            "There are no blocking issues",
            "Nothing must be fixed",
            "",
        ] {
            assert!(!asks_for_changes(text), "{text}");
        }
    }

    #[test]
    fn a_sentence_around_a_report_casts_no_doubt_unless_it_says_so() {
        assert!(!casts_doubt("Here is my report:\n\nLet me know if you have questions."));
        assert!(casts_doubt("The change holds this: \nI could not read the rest."));
        assert!(casts_doubt("The fixture says the following"));
    }
}
