use proptest::prelude::*;

use super::*;
use crate::cycle::{Limits, ReviewMode};
use crate::epic::Plan;

const WHOLE: &str = include_str!("whole.yaml");

fn parse(text: &str) -> Result<EpicDocument, Problems> {
    EpicDocument::parse("epic.yaml", text)
}

/// Where and what, of each problem.
fn said(text: &str) -> Vec<(u64, u64, String)> {
    let problems = parse(text).unwrap_err().problems;
    let shown = |problem: Problem| {
        let Position { line, column } = problem.at.unwrap();
        (line, column, problem.message)
    };
    problems.into_iter().map(shown).collect()
}

/// The problems of an epic with these tickets.
fn said_of(tickets: &str) -> Vec<(u64, u64, String)> {
    said(&format!("id: e\ntickets:\n{tickets}"))
}

#[test]
fn the_smallest_epic_has_sensible_defaults() {
    let epic = parse("id: auth\ntickets:\n  - { id: base, path: ./tickets//base.md }\n").unwrap();
    assert_eq!((epic.branch.as_str(), epic.base_branch, epic.parallel), ("epic/auth", None, 2));
    assert_eq!((epic.review, epic.builder, epic.reviewer), (ReviewMode::On, None, None));
    assert_eq!(epic.tickets[0].path, "tickets/base.md");
    assert_eq!((epic.limits.review_seconds, epic.limits.epic_seconds), (120, None));
}

#[test]
fn an_epic_with_everything_there_is_to_say() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&parse(WHOLE).unwrap()).unwrap());
}

#[test]
fn short_forms_say_the_same_as_long_ones() {
    let long = "function_profiles: [{ name: f, arity: 2, intent: why }, { name: g, arity: 0 }]\n  \
                directory_structure: [{ path: src/a, purpose: code }, { path: src/b }]\n  \
                shared_interfaces: [{ name: A, description: an a }, { name: B }]\n  \
                breaking_changes_prohibited: [{ what: keep it }]\n  \
                performance_contracts: ['latency: 5 s']\n  \
                architectural_decisions: ['Tech: a', 'Tech: b', plain]\n";
    let short = "function_profiles: [f/2: why, g/0]\n  \
                 directory_structure: { src/a: code, src/b: }\n  \
                 shared_interfaces: [A: an a, B]\n  \
                 breaking_changes_prohibited: [keep it]\n  \
                 performance_contracts: { latency: 5 s }\n  \
                 architectural_decisions: [Tech: [a, b], plain]\n";
    let read = |lists: &str| {
        let text =
            format!("id: e\ntickets: [{{ id: a, path: a.md }}]\ncoordination_requirements:\n  {lists}");
        parse(&text).unwrap().coordination_requirements
    };
    assert_eq!(read(long), read(short));
}

#[test]
fn short_forms_in_quotes_say_the_same_as_without() {
    let read = |lists: &str| {
        let text =
            format!("id: e\ntickets: [{{ id: a, path: a.md }}]\ncoordination_requirements:\n  {lists}");
        parse(&text).unwrap().coordination_requirements
    };
    let plain = "function_profiles: [f/2: 'why: so', A::g/0]\n  directory_structure: [src/a: code, src/b]\n  \
                 shared_interfaces: [A: an a]\n  security_constraints: [Tech: a]\n";
    let quoted = "function_profiles: ['f/2: why: so', 'A::g/0']\n  directory_structure: ['src/a: code', 'src/b']\n  \
                  shared_interfaces: ['A: an a']\n  security_constraints: ['Tech: a']\n";
    assert_eq!(read(plain), read(quoted));
}

#[test]
fn a_function_profile_that_is_none_says_what_is_missing() {
    let of = |profile: &str| {
        let text = format!(
            "id: e\ntickets: [{{ id: a, path: a.md }}]\ncoordination_requirements: {{ function_profiles: [{profile}] }}\n"
        );
        parse(&text).unwrap_err().problems.remove(0)
    };
    for (profile, message) in [
        ("'f: x'", "`f` does not say how many arguments the function takes"),
        ("'f/two: x'", "`two` is no number of arguments that `f` takes"),
        ("f/256", "`256` is no number of arguments that `f` takes"),
        ("f/+2", "`+2` is no number of arguments that `f` takes"),
        ("'/2: x'", "`/2` does not name the function"),
    ] {
        let problem = of(profile);
        assert_eq!(problem.message, message);
        assert!(problem.expected.starts_with("`name/2`, `name/2: intent`"), "{}", problem.expected);
    }
}

#[test]
fn everything_wrong_is_named_at_once_in_the_order_of_the_file() {
    let text = "id: Bad id\ntitel: x\nparallel: many\ntickets:\n  - id: a\n    path: /etc/passwd\n    \
                depends_on: [bee]\n  - id: bees\n    path: ../b.md\nlimits:\n  max_revisions: -1\n";
    insta::assert_snapshot!(parse(text).unwrap_err());
}

#[test]
fn what_is_no_yaml_says_where() {
    insta::assert_snapshot!(parse("id: e\ntickets: [\n  - {\n").unwrap_err());
    for text in ["", "- a\n", "just text", "id: e\n---\nid: f\n", "tickets: *nowhere\n"] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn what_is_no_yaml_says_what_was_expected() {
    for (text, message, expected) in [
        ("id: [e\n", "unclosed bracket", "the bracket closed"),
        ("id: e\n  title: x\n", "there is a `:` where no key can be", "keys that belong together"),
        ("id: e\ntickets:\n\t- id: a\n", "a tab stands where", "spaces in front of"),
        ("id: \"e\ntickets: []\n", "a quote was opened", "the same quote"),
        ("id: e\n---\nid: f\n", "more than one document", "one epic to a file"),
        ("id: e\ntickets: &x [*x]\n", "this stands for something that it is part of", "an alias outside"),
        ("id: *e\n", "", "`&name` in front of"),
        (&"[".repeat(3_000), "the file is too deeply nested", "a few levels deep"),
    ] {
        let problem = parse(text).unwrap_err().problems.remove(0);
        let fits = problem.message.contains(message) && problem.expected.contains(expected);
        assert!(fits && problem.at.is_some(), "{problem}");
    }
}

#[test]
fn the_same_ticket_twice_is_refused() {
    let tickets = "- { id: a, path: a.md }\n- { id: a, path: b.md }\n- { id: A, path: c.md }\n";
    let expected = [
        (4, 9, "the ticket `a` is there already, on line 3".to_owned()),
        (5, 9, "`A` differs from `a` on line 3 only in case".to_owned()),
    ];
    assert_eq!(said_of(tickets), expected);
}

#[test]
fn the_same_path_twice_is_refused_however_it_is_written() {
    let tickets = "- { id: a, path: t/a.md }\n- { id: b, path: ./t//a.md }\n";
    assert_eq!(said_of(tickets), [(4, 18, "`t/a.md` is the file of `a` already, on line 3".to_owned())]);
}

#[test]
fn an_unknown_dependency_names_the_nearest_ticket() {
    let problems = parse(
        "id: e\ntickets:\n- { id: auth-base, path: a.md }\n- { id: b, path: b.md, depends_on: [auth-bse] }\n",
    );
    let problem = problems.unwrap_err().problems.remove(0);
    assert_eq!(problem.message, "there is no ticket `auth-bse` to depend on");
    assert_eq!(problem.expected, "did you mean `auth-base`?");
}

#[test]
fn a_ring_of_dependencies_is_named_once() {
    let tickets = "- { id: a, path: a.md, depends_on: [b] }\n- { id: b, path: b.md, depends_on: [c] }\n\
                   - { id: c, path: c.md, depends_on: [a] }\n- { id: d, path: d.md, depends_on: [d] }\n";
    let expected = [
        (5, 37, "these tickets wait for each other: a -> b -> c -> a".to_owned()),
        (6, 37, "`d` depends on itself".to_owned()),
    ];
    assert_eq!(said_of(tickets), expected);
}

#[test]
fn a_ring_of_a_thousand_tickets_is_found_without_running_out_of_stack() {
    let tickets: String = (0..1_000)
        .map(|index| {
            format!("- {{ id: t{index}, path: {index}.md, depends_on: [t{}] }}\n", (index + 1) % 1_000)
        })
        .collect();
    let problems = said_of(&tickets);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].2.ends_with("t11 -> ... -> t0"), "{}", problems[0].2);
}

#[test]
fn hostile_ids_and_paths_are_refused() {
    for id in ["../x", "a..b", "a b", "-x", "\"a\\e[31m\"", "a.lock", &"x".repeat(101)] {
        let problems = said_of(&format!("- {{ id: {id}, path: a.md }}\n"));
        assert_eq!((problems[0].0, problems[0].1), (3, 9), "{id}");
        assert!(!problems[0].2.contains('\u{1b}'));
    }
    for path in ["/etc/passwd", "../a.md", "a/../../b.md", "C:/x.md", "'a\\b.md'", "''", ".", "\"a\\u202eb\""]
    {
        let problems = said_of(&format!("- {{ id: a, path: {path} }}\n"));
        assert_eq!((problems.len(), problems[0].0, problems[0].1), (1, 3, 18), "{path}");
    }
}

#[test]
fn no_tickets_are_no_epic() {
    assert_eq!(said("id: e\ntickets: []\n"), [(2, 10, "the epic has no tickets".to_owned())]);
    assert_eq!(said("id: e\n"), [(1, 1, "the epic has no `tickets`".to_owned())]);
    assert_eq!(said("id: e\ntickets:\n"), [(2, 1, "the epic has no `tickets`".to_owned())]);
}

#[test]
fn function_profiles_agree_with_themselves() {
    let text = "id: e\ntickets: [{ id: a, path: a.md }]\ncoordination_requirements:\n  function_profiles:\n    \
                - { name: f, arity: 2 }\n    - f/3\n    - { name: g, arity: 256 }\n    - { name: h, arity: two }\n    - i\n";
    let expected = [
        (6, 7, "`f` takes 3 here, but 2 on line 5"),
        (7, 25, "`arity` is the number `256`"),
        (8, 25, "`arity` is the text `two`"),
        (9, 7, "`i` does not say how many arguments the function takes"),
    ];
    assert_eq!(said(text), expected.map(|(line, column, message)| (line, column, message.to_owned())));
}

#[test]
fn a_key_that_stands_there_twice_is_refused() {
    let text = "id: e\nid: f\ntickets: [{ id: a, path: a.md, path: b.md }]\n";
    let expected = [(2, 1, "the epic has `id` twice"), (3, 32, "the ticket has `path` twice")];
    assert_eq!(said(text), expected.map(|(line, column, message)| (line, column, message.to_owned())));
}

#[test]
fn an_epic_branch_is_in_nobodys_way() {
    for branch in ["main", "ticket", "ticket/x", "a..b", "-x"] {
        let text =
            format!("id: e\nbase_branch: main\nbranch: {branch}\ntickets: [{{ id: a, path: a.md }}]\n");
        assert_eq!(said(&text).len(), 1, "{branch}");
    }
}

#[test]
fn what_yaml_takes_for_a_number_is_no_text() {
    let text =
        "id: 12\ntitle: true\ntickets: [{ id: 1.10, path: a.md, depends_on: [3] }]\ncommands: { test: 3 }\n";
    let expected = [
        (1, 5, "`id` is the number `12`"),
        (2, 8, "`title` is `true`, a yes or no"),
        (3, 17, "`id` is the number `1.10`"),
        (3, 48, "`depends_on` is the number `3`"),
        (4, 19, "`test` is the number `3`"),
    ];
    assert_eq!(said(text), expected.map(|(line, column, message)| (line, column, message.to_owned())));
    assert_eq!(parse(text).unwrap_err().problems[0].expected, "a text; in quotes it is one: `\"12\"`");
}

#[test]
fn words_of_older_yaml_are_texts_and_review_takes_both() {
    let epic = parse("id: no\nreview: off\ntickets: [{ id: yes, path: on }]\n").unwrap();
    assert_eq!(
        (epic.id.as_str(), epic.tickets[0].id.as_str(), epic.tickets[0].path.as_str()),
        ("no", "yes", "on")
    );
    assert_eq!(epic.review, ReviewMode::Off);
    let epic = parse("id: e\nreview: false\nparallel: 4.0\ntickets: [{ id: a, path: a.md }]\n").unwrap();
    assert_eq!((epic.review, epic.parallel), (ReviewMode::Off, 4));
}

#[test]
fn a_flood_of_mistakes_is_cut_and_counted() {
    let keys: String = (0..500).map(|number| format!("key{number}: x\n")).collect();
    let problems = parse(&keys).unwrap_err();
    assert_eq!((problems.problems.len(), problems.left_out), (100, 402));
    assert!(problems.to_string().ends_with("and 402 more\n"));
}

#[test]
fn a_ticket_s_limits_go_before_the_epic_s_and_those_before_the_project_s() {
    let epic = parse(WHOLE).unwrap();
    let bounds = |id: &str| epic.limits.bounds(epic.ticket(id).unwrap(), &Limits::default()).unwrap();
    assert_eq!(bounds("auth-base").cycle.max_revisions, 3);
    assert_eq!(bounds("auth-api").cycle.max_revisions, 1);
    assert_eq!(bounds("auth-base").budget_micro_usd, Some(2_500_000));
    assert_eq!(bounds("auth-api").budget_micro_usd, Some(750_000));
    assert_eq!(bounds("auth-api").cycle.max_retries, Limits::default().max_retries);
    let mut strict = epic.limits.clone();
    strict.tries.max_revisions = Some(50);
    assert!(strict.bounds(epic.ticket("auth-base").unwrap(), &Limits::default()).is_err());
}

#[test]
fn a_problem_with_a_ticket_s_file_points_at_the_epic() {
    let epic = EpicFile::parse("epic.yaml", "id: e\ntickets:\n- { id: a, path: a.md }\n").unwrap();
    let problem = epic.problem_with(
        EpicPart::Path(TicketIndex(0)),
        ProblemSeverity::Error,
        "there is no file `a.md`",
        "a file",
    );
    insta::assert_snapshot!(problem);
}

#[test]
fn a_review_needs_no_tickets_but_reads_the_agreements_strictly() {
    let epic =
        Epic::parse("e.yaml", "id: x y\nowner: me\ncoordination_requirements:\n  function_profiles: [f/2]\n");
    assert_eq!(epic.unwrap().coordination.function_profiles[0].arity, 2);
    let typo =
        Epic::parse("e.yaml", "id: e\ncoordination_requirements:\n  function_profile: [f/2]\n").unwrap_err();
    assert_eq!(typo.at, Some((3, 3)));
    assert!(typo.hint.contains("did you mean `function_profiles`?"), "{}", typo.hint);
    assert_eq!(parse(WHOLE).unwrap().for_review("e.yaml"), Epic::parse("e.yaml", WHOLE).unwrap());
}

fn valid_epic() -> impl Strategy<Value = String> {
    let ticket = ("[a-z0-9]{1,6}", prop::collection::vec(0usize..20, 0..3), prop::option::of(0u32..100));
    let words = "[^\\p{C}]{1,12}";
    let profile = ("[a-z]{1,5}", prop::option::of(words));
    (
        words,
        prop::collection::vec(ticket, 1..20),
        prop::collection::vec(profile, 0..4),
        prop::collection::vec("[^\\p{C}\\p{Z}]{1,10}", 0..4),
        prop::option::of(0.01f64..1_000.0),
        any::<bool>(),
    )
        .prop_map(|(title, tickets, profiles, statements, usd, review)| {
            let id = |index: usize, name: &str| format!("{name}-{index}");
            let entries: Vec<_> = tickets
                .iter()
                .enumerate()
                .map(|(index, (name, before, revisions))| {
                    let before: Vec<_> = before
                        .iter()
                        .filter(|before| **before < index)
                        .map(|before| id(*before, &tickets[*before].0))
                        .collect();
                    serde_json::json!({
                        "id": id(index, name), "path": format!("tickets/{index}.md"), "depends_on": before,
                        "limits": { "max_revisions": revisions },
                    })
                })
                .collect();
            let profiles: Vec<_> = profiles
                .iter()
                .enumerate()
                .map(|(arity, (name, intent))| serde_json::json!({ "name": id(arity, name), "arity": arity, "intent": intent }))
                .collect();
            serde_json::json!({
                "id": "epic", "title": title, "tickets": entries, "review": if review { "on" } else { "off" },
                "coordination_requirements": { "function_profiles": profiles, "security_constraints": statements },
                "limits": { "epic_budget_usd": usd },
            })
            .to_string()
        })
}

proptest! {
    #[test]
    fn reading_never_panics(text in "(?s).{0,200}") {
        let _ = parse(&text);
        let _ = Epic::parse("e.yaml", &text);
    }

    #[test]
    fn a_damaged_epic_never_panics(cut in 0usize..WHOLE.len(), put in "[\\[\\]{}:\\-&*!|>'\"#\t\n a0]{0,6}") {
        let cut = WHOLE.floor_char_boundary(cut);
        let text = format!("{}{put}{}", &WHOLE[..cut], &WHOLE[cut..]);
        if let Err(problems) = parse(&text) {
            prop_assert!(!problems.problems.is_empty());
            prop_assert!(problems.problems.is_sorted_by_key(|problem| problem.at));
            let _ = problems.to_string();
        }
    }

    #[test]
    fn every_valid_epic_reads_back_as_it_was_written(text in valid_epic()) {
        let epic = parse(&text).map_err(|problems| TestCaseError::fail(problems.to_string()))?;
        let written = serde_json::to_string_pretty(&epic).unwrap();
        prop_assert_eq!(Plan::of(&epic).order.len(), epic.tickets.len());
        prop_assert_eq!(parse(&written).map_err(|problems| TestCaseError::fail(problems.to_string()))?, epic);
    }
}
