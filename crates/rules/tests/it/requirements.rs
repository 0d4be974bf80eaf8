//! What a ticket calls by name.

use domain::words::Severity;
use domain::work::WorkItem;

use crate::support::{NOTHING, Scenario};

fn with_ticket(text: &str) -> Scenario {
    let mut scenario =
        Scenario::adding("src/auth/login.rs", "pub fn load_user(id: u8) {}\nconst APP_TOKEN: u8 = 1;\n")
            .and_adding("src/auth/args.rs", "struct Args {\n    dry_run: bool,\n}\nroute(\"/api/users\");\n");
    scenario.order.ticket = Some(WorkItem::parse("tickets/login.md", text));
    scenario
}

#[test]
fn a_name_that_the_ticket_asks_for_has_to_be_there() {
    for (ticket, name, blocks) in [
        ("Add a function `save_user()`.\n", "`save_user()`", true),
        ("Introduce a flag `--keep-going`.\n", "`--keep-going`", true),
        ("Add `SESSION_SECRET` to the configuration.\n", "`SESSION_SECRET`", false),
        ("Implement `POST /api/sessions`.\n", "`POST /api/sessions`", false),
        ("Create the type `SessionStore`.\n", "`SessionStore`", true),
        ("- [ ] `POST /api/unlock` unlocks an account\n", "`POST /api/unlock`", false),
        ("- [ ] `count_attempts(user)` returns how many failed\n", "`count_attempts(user)`", false),
        ("Add the `Parser` class.\n", "`Parser`", true),
        ("Add a method `total` to it.\n", "`total`", true),
        ("Add a function save_user() for it.\n", "`save_user()`", true),
        ("Add a method named saveUser.\n", "`saveUser`", true),
        ("Introduce a flag --keep-going.\n", "`--keep-going`", true),
        ("Add the endpoint POST /api/sessions.\n", "`POST /api/sessions`", false),
        ("Create the SessionStore class.\n", "`SessionStore`", true),
        ("Add the SESSION_SECRET environment variable.\n", "`SESSION_SECRET`", false),
        ("- [ ] POST /api/unlock unlocks an account\n", "`POST /api/unlock`", false),
        ("`parse_config()` must reject empty input.\n", "`parse_config()`", false),
        ("The CLI gets a `--keep-going` flag.\n", "`--keep-going`", false),
        ("GET /health returns 200.\n", "`GET /health`", false),
        ("Expose `retry_count` as a property.\n", "`retry_count`", true),
        ("## Acceptance criteria\n1. `parse_config()` is called with the file\n", "`parse_config()`", false),
        ("## Acceptance criteria\n1) With `--keep-going` it goes on\n", "`--keep-going`", false),
        ("Acceptance criteria:\n\n1. The client has a `retry_count` property\n", "`retry_count`", false),
    ] {
        let findings = with_ticket(ticket).findings("ticket-name-missing");
        assert_eq!(findings.len(), 1, "{ticket}");
        assert!(findings[0].message.contains(name), "{}", findings[0].message);
        assert_eq!(findings[0].blocks(Severity::Major), blocks, "{ticket}");
    }
}

#[test]
fn a_ticket_that_is_mostly_missing_blocks_and_one_that_is_done_does_not() {
    let ticket = "# Sessions\n\n\
        - `src/auth/login.rs` keeps them\n- `src/auth/store.rs` stores them\n\
        - `src/auth/expiry.rs` ends them\n- `src/auth/audit.rs` logs them\n\n\
        Add the functions `load_user()`, `save_user()`, `end_session()` and `audit_login()`.\n\n\
        ## Acceptance criteria\n\n- [ ] Sessions end\n- [ ] Logins are logged\n- [ ] Users stay logged in\n";
    let blocking = |scenario: &Scenario| {
        let review = scenario.review();
        let blocking = review.findings.iter().filter(|finding| finding.blocks(Severity::Major));
        blocking.map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    let told = blocking(&with_ticket(ticket));
    for missing in ["`src/auth/store.rs`", "`src/auth/expiry.rs`", "`save_user()`", "3 of 4 things"] {
        assert!(told.iter().any(|message| message.contains(missing)), "{missing}: {told:?}");
    }
    let done = with_ticket(ticket)
        .and_adding("src/auth/store.rs", "pub fn save_user() {\n    store();\n}\n")
        .and_adding("src/auth/expiry.rs", "pub fn end_session() {\n    expire();\n}\n")
        .and_adding("src/auth/audit.rs", "pub fn audit_login() {\n    log();\n}\n");
    let told: Vec<String> =
        blocking(&done).into_iter().filter(|message| message.contains("tickets/")).collect();
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn most_of_what_a_ticket_describes_may_not_be_missing() {
    let ticket = "## Acceptance criteria\n1. `parse_config()` rejects empty input\n\
                  2. `GET /health` returns 200\n3. `end_session()` returns how many ended\n";
    let severities = |ticket: &str| {
        let findings = with_ticket(ticket).findings("ticket-name-missing");
        findings.iter().filter(|finding| finding.blocks(Severity::Major)).count()
    };
    assert_eq!(severities(ticket), 1);
    let more = "4. `load_user()` returns it\n5. `APP_TOKEN` is reported\n6. `--dry-run` prints it\n";
    assert_eq!(severities(&format!("{ticket}{more}")), 0);
}

#[test]
fn files_that_programs_make_or_others_have_are_not_ordered() {
    for ticket in [
        "Add an option so that it creates `reports/all.json`.\n",
        "- `reports/all.json` is written by the command\n",
        "Create `dist/app.js` when it is built.\n",
        "Add it like `src/other.rs` of the other project.\n",
        "## Background\n- `src/legacy.rs` had it\n",
        "Use `src/other.rs`.\n",
        "The command reads `config/app.yaml`.\n",
    ] {
        let findings = with_ticket(ticket).findings("ticket-file-untouched");
        assert!(findings.iter().all(|finding| !finding.blocks(Severity::Major)), "{ticket}");
    }
    for ticket in [
        "Add these files: `src/a.rs`, `src/auth/login.rs`.\n",
        "Implement it in `src/a.rs`.\n",
        "1. **`src/a.rs`**: the parser\n",
        "## Acceptance criteria\n- [ ] `src/a.rs` is created\n",
    ] {
        let findings = with_ticket(ticket).findings("ticket-file-untouched");
        assert!(findings.iter().any(|finding| finding.blocks(Severity::Major)), "{ticket}");
    }
}

#[test]
fn names_that_are_there_or_not_asked_for_are_left_alone() {
    for ticket in [
        "Add `load_user()`, `--dry-run` and `APP_TOKEN`.\n",
        "Add `loadUser` and `GET /api/users/{id}`.\n",
        "Remove `save_user()`.\n",
        "Add it the way `save_user()` does, like `SessionStore`.\n",
        "It uses the existing `SessionStore`.\n",
        "Add `foo` and `bar baz`.\n",
        "```\nAdd `save_user()`\n```\n",
        "Add the `Args` class.\n",
        "Add `total` to the class.\n",
        "Add a `pytest` method name.\n",
        "Add load_user(), a flag --dry-run and the endpoint GET /api/users.\n",
        "Remove save_user() and the flag --keep-going.\n",
        "Add a JavaScript function that saves the item(s).\n",
        "Add a check that runs cargo test --all-features.\n",
        "Add it the way save_user() does, like the SessionStore class.\n",
        "Add users and sessions --and more.\n",
        "`load_user()` must reject empty input.\n",
        "The CLI gets a `--dry-run` flag.\n",
        "GET /api/users returns 200.\n",
        "Expose `app_token` as a property.\n",
        "`parse_config()` must be removed.\n",
        "`json.loads()` must reject it.\n",
        "## Out of scope\nAdd `parse_config()`.\n",
        "## Acceptance criteria\n1. `load_user()` is called with the file\n",
        "## Acceptance criteria\n1. `src/parse_config.rs` is formatted\n",
        "## Acceptance criteria\n1. `parse_config()` is gone\n",
    ] {
        assert_eq!(with_ticket(ticket).lines("ticket-name-missing"), NOTHING, "{ticket}");
    }
}

#[test]
fn a_ticked_criterion_needs_something_of_what_it_names() {
    for ticket in [
        "- [x] `src/mail.rs` sends it\n",
        "- [x] `save_user()` is called\n",
        "- [X] `--keep-going` goes on, see `src/go.rs`\n",
        "- [x] save_user() is called\n",
    ] {
        let findings = with_ticket(ticket).findings("ticked-without-change");
        assert_eq!(findings.len(), 1, "{ticket}");
        assert!(!findings[0].blocks(Severity::Major));
    }
    for ticket in [
        "- [x] users can log in\n",
        "- [x] `load_user()` is used by `src/mail.rs`\n",
        "- [ ] `save_user()` is called\n",
        "- [x] `save_user()` is unchanged\n",
        "- [x] `save_user()` keeps working\n",
        "- [x] `src/auth/login.rs` has it\n",
    ] {
        assert_eq!(with_ticket(ticket).lines("ticked-without-change"), NOTHING, "{ticket}");
    }
}

#[test]
fn work_elsewhere_than_in_the_named_folders_is_told_of() {
    let elsewhere = |ticket: &str| with_ticket(ticket).and_adding("src/billing/tax.rs", "fn tax() {}\n");
    for ticket in
        ["Change `src/auth/login.rs`.\n", "Work in `src/auth/` alone.\n", "All below `src/auth/**`.\n"]
    {
        let findings = elsewhere(ticket).findings("outside-scope");
        assert_eq!(findings.len(), 1, "{ticket}");
        assert!(findings[0].message.contains("src/billing/tax.rs"), "{}", findings[0].message);
        assert!(!findings[0].blocks(Severity::Major));
    }
    for ticket in [
        "Change `src/auth/login.rs` and `src/billing/bill.rs`.\n",
        "Let users log in.\n",
        "Work in `src/`.\n",
        "Change `docs/a.md`.\n",
    ] {
        assert_eq!(elsewhere(ticket).lines("outside-scope"), NOTHING, "{ticket}");
    }
    assert_eq!(with_ticket("Change `src/auth/login.rs`.\n").lines("outside-scope"), NOTHING);
}

#[test]
fn a_file_to_leave_alone_is_left_alone() {
    for ticket in [
        "Do not touch `src/auth/login.rs`.\n",
        "Never edit `src/legacy/` or `src/auth/`.\n",
        "Change `src/auth/args.rs`, and leave `src/auth/login.rs` untouched.\n",
        "## Out of scope\n- `src/auth/`\n",
    ] {
        assert!(!with_ticket(ticket).findings("outside-scope").is_empty(), "{ticket}");
    }
    assert_eq!(with_ticket("Do not change `src/other/a.rs`.\n").lines("outside-scope"), NOTHING);
}

#[test]
fn a_name_that_the_repository_has_already_is_not_missing() {
    let ticket = "Add a function `save_user()`.\n";
    let there = with_ticket(ticket).and_keeping("src/store/users.rs", "pub fn save_user() {}\n");
    assert_eq!(there.lines("ticket-name-missing"), NOTHING);
    let other = with_ticket(ticket).and_keeping("src/store/users.rs", "pub fn save_group() {}\n");
    assert_eq!(other.lines("ticket-name-missing").len(), 1);
}

#[test]
fn a_file_that_was_to_be_changed_is_told_of() {
    let untouched = |ticket: &str| {
        let scenario = with_ticket(ticket).and_keeping("src/mail.rs", "fn send() {}\n");
        scenario.findings("ticket-file-untouched").iter().map(|finding| finding.severity).collect::<Vec<_>>()
    };
    for ticket in [
        "Change `src/mail.rs` so that it waits.\n",
        "- [ ] Update `src/mail.rs`\n",
        "Add `src/auth/login.rs` and extend `src/mail.rs`.\n",
    ] {
        assert_eq!(untouched(ticket), [Severity::Low], "{ticket}");
    }
    for ticket in [
        "Do not change `src/mail.rs`.\n",
        "Change it the way `src/mail.rs` does, see there.\n",
        "`src/mail.rs` sends it.\n",
        "Change `src/auth/login.rs`.\n",
    ] {
        assert_eq!(untouched(ticket), [], "{ticket}");
    }
}

/// Tickets as people write them, about things that the change has, that are elsewhere or that others made.
const HONEST: [&str; 16] = [
    "# Faster login\n\n`load_user()` is called twice. The query should use the index. Measured with `EXPLAIN ANALYZE`.\n",
    "## Acceptance criteria\n1. Logging in takes less than 100 ms\n2. All tests pass\n3. `cargo clippy` is clean\n4. No call of `unwrap()` is left\n",
    "## Acceptance criteria\n1. `old_login()` no longer exists\n2. `legacyAuth()` has been moved to the archive\n3. `GET /v1/users` is retired\n",
    "## Acceptance criteria\n1. The page uses `IntersectionObserver`\n2. Errors go through `console.error()`\n3. `React.memo()` wraps the list\n",
    "## Acceptance criteria\n1. `npm run build` works\n2. `--help` lists the new flag `--dry-run`\n3. `CHANGELOG.md` is updated\n",
    "## Acceptance criteria\n1. `Content-Type` is `application/json`\n2. `user_agent` is never logged\n3. `created_at` stays as it was\n",
    "## Steps to reproduce\n1. `POST /api/sessions` with a wrong name\n2. `GET /api/me` returns 500\n\n## Expected\nIt should not fail.\n",
    "## Current behaviour\n`parse_config()` returns nothing for an empty file.\n\n## Do\nMake `load_user()` strict.\n",
    "The vendor's API has an endpoint `POST /v2/charges`. When it fails, `load_user()` must return the old one.\n",
    "We use `tokio::spawn()` for it. `tokio::select!` should not be used.\n",
    "The CLI calls git with a `--porcelain` flag, as `git_status()` did before.\n",
    "Rename `fetch_user()` to `load_user()`.\n",
    "`fetch_user()` should be called `load_user()` instead.\n",
    "If `retry_limit` is set upstream, `load_user()` should accept it.\n",
    "## Notes\n`parse_config()` must reject it, says the other team.\n\n## Later\nAdd `save_user()`.\n",
    "Maybe the CLI gets a `--keep-going` flag one day.\n",
];

#[test]
fn tickets_about_other_things_are_left_alone() {
    let told = HONEST.iter().flat_map(|ticket| with_ticket(ticket).findings("ticket-name-missing"));
    let told: Vec<String> = told.map(|finding| finding.message).collect();
    assert!(told.is_empty(), "{told:?}");
}
