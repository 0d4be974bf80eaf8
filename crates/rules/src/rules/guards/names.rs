//! How guards are called, and how what they do looks where it is written out.

use crate::pattern::Pattern;

/// Whom a guard asks for.
const WHOM: [&str; 27] = [
    "access",
    "admin",
    "admins",
    "auth",
    "authed",
    "authenticated",
    "authentication",
    "authenticity",
    "authorization",
    "authorized",
    "csrf",
    "jwt",
    "login",
    "owner",
    "permission",
    "permissions",
    "privilege",
    "role",
    "roles",
    "scope",
    "scopes",
    "session",
    "signin",
    "staff",
    "superuser",
    "token",
    "user",
];

/// That it asks.
const ASKS: [&str; 19] = [
    "allowed",
    "assert",
    "check",
    "enforce",
    "ensure",
    "guard",
    "guards",
    "has",
    "is",
    "must",
    "need",
    "needs",
    "only",
    "protect",
    "protected",
    "require",
    "required",
    "requires",
    "verify",
];

/// Words that say both.
const BOTH: [&str; 6] =
    ["authenticate", "authorize", "preauthorize", "postauthorize", "restrict", "authguard"];

/// Whole names that do not follow from their words.
const KNOWN: [&str; 9] = [
    "Secured",
    "RolesAllowed",
    "DenyAll",
    "UseGuards",
    "user_passes_test",
    "authMiddleware",
    "auth_middleware",
    "AuthMiddleware",
    "auth",
];

/// Longer names are none.
const LONGEST: usize = 60;

/// Whether something called so lets only some callers pass: `login_required`, `requireAuth`, `PreAuthorize`.
pub(super) fn is_guard(name: &str) -> bool {
    if name.len() > LONGEST || !name.is_ascii() {
        return false;
    }
    let parts = parts(name);
    let has = |words: &[&str]| parts.iter().any(|part| words.contains(&part.as_str()));
    KNOWN.contains(&name) || has(&BOTH) || (has(&WHOM) && has(&ASKS))
}

/// The words of a name, in small letters: `require`, `auth` of `requireAuth`.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut was_small = false;
    for letter in name.chars() {
        let begins = letter.is_ascii_uppercase() && was_small;
        match parts.last_mut() {
            Some(part) if letter.is_ascii_alphanumeric() && !begins => part.push(letter.to_ascii_lowercase()),
            _ => parts.push(letter.to_ascii_lowercase().to_string()),
        }
        if !letter.is_ascii_alphanumeric() {
            parts.push(String::new());
        }
        was_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
    }
    parts
}

/// An answer that sends a caller away.
pub(super) static SENDS_AWAY: Pattern = Pattern::new(
    r"(?i)abort\(\s*40[13]\b|status(?:_?code)?['\x22]?\s*[(=:]\s*40[13]\b|sendStatus\(\s*40[13]\b|http_response_code\(\s*40[13]\b|writeHead\(\s*40[13]\b|(?:Exception|Error|Response)\([^)\n]{0,60}\b40[13]\b|Status(?:Forbidden|Unauthorized)\b|StatusCode::(?:FORBIDDEN|UNAUTHORIZED)|HTTP_40[13]_|\b(?:raise|throw)\s+(?:new\s+)?[\w.:\\]*(?:Forbidden|Unauthori[sz]ed|PermissionDenied|PermissionError|NotAuthori[sz]ed|AccessDenied|NotPermitted)|return\s+(?:[\w.]+\.)?(?:Forbid|Forbidden|Unauthorized|HttpResponseForbidden)\(|Err\([^\n]{0,60}(?:Forbidden|Unauthorized|PermissionDenied)|\bhead\s+:(?:forbidden|unauthorized)|status:\s*:(?:forbidden|unauthorized)|HttpStatus\.(?:FORBIDDEN|UNAUTHORIZED)",
);

/// A question about what somebody else answered.
pub(super) static OF_AN_ANSWER: Pattern = Pattern::new(r"(?i)\bstatus|\b40[13]\b|\.code\b|\bresp(?:onse)?\b");

/// Compares secrets so that the time tells nothing of them.
pub(super) static EVEN: Pattern = Pattern::new(
    r"\b(?:compare_digest|timingSafeEqual|ConstantTimeCompare|MessageDigest\.isEqual|hash_equals|secure_compare|FixedTimeEquals|constant_time_eq)\b",
);

/// Compares as everything is compared.
pub(super) static PLAIN: Pattern =
    Pattern::new(r"===?|!==?|\.equals\(|\bbytes\.Equal\(|\.SequenceEqual\(|\.eql\?");

/// Who may do more than others.
pub(super) static HIGH: Pattern =
    Pattern::new(r"(?i)admin|superuser|owner|staff|root|manager|isauthenticated");

/// Who may be anybody.
pub(super) static LOW: Pattern = Pattern::new(
    r"(?i)permit_?all|anonymous|\b(?:role_)?(?:user|guest|member|viewer|anyone|everyone|public|any)s?\b",
);

/// What does more than show something.
pub(super) static CHANGES: Pattern = Pattern::new(r":(?:destroy|update|edit|delete|create)\b");

#[cfg(test)]
mod tests {
    use super::is_guard;

    #[test]
    fn guards_are_known_by_their_words() {
        for name in [
            "login_required",
            "requireAuth",
            "RequireAdmin",
            "authenticate_user",
            "PreAuthorize",
            "jwt_required",
        ] {
            assert!(is_guard(name), "{name}");
        }
        for name in
            ["get_user", "UserRole", "route", "is_empty", "author", "render", "cache_control", "tokenize"]
        {
            assert!(!is_guard(name), "{name}");
        }
    }
}
