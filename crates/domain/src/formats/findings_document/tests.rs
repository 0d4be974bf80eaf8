use proptest::prelude::*;

use super::*;
use crate::formats::fixture;
use crate::words::Category;

fn document() -> FindingsDocument {
    FindingsDocument::from(&fixture::review())
}

fn edited(edit: impl Fn(&str) -> String) -> FindingsDocument {
    FindingsDocument::parse(&edit(&document().render())).unwrap()
}

#[test]
fn a_document_is_written_to_the_letter() {
    insta::assert_snapshot!(document().render());
}

#[test]
fn a_clean_document_keeps_its_headings() {
    insta::assert_snapshot!(FindingsDocument::from(&fixture::clean_review()).render());
}

#[test]
fn what_was_written_reads_back() {
    for review in [fixture::review(), fixture::clean_review(), fixture::inconclusive_review()] {
        let document = FindingsDocument::from(&review);
        assert_eq!(FindingsDocument::parse(&document.render()), Ok(document));
    }
}

#[test]
fn the_fingerprint_survives() {
    let change = crate::change::Change { scope: fixture::review().subject.scope, files: vec![] };
    let read = edited(str::to_owned).to_evidence(&change).findings;
    for (finding, original) in read.iter().zip(&fixture::review().findings) {
        assert_eq!((&finding.fingerprint, &finding.rule), (&original.fingerprint, &original.rule));
        assert_eq!((finding.severity, finding.category), (original.severity, original.category));
    }
    assert_eq!(read.len(), 4);
}

#[test]
fn a_deleted_finding_is_gone() {
    let read = edited(|text| {
        let (before, rest) = text.split_once("1. **[Security]").unwrap();
        let (_, after) = rest.split_once("-->\n").unwrap();
        format!("{before}{after}")
    });
    assert_eq!((read.critical.len(), read.important.len(), read.must_fix()), (0, 1, 1));
}

type Edit<'a> = &'a dyn Fn(&str) -> String;

#[test]
fn a_finding_can_be_accepted_in_three_ways() {
    let ways: [(&str, Edit<'_>, &str); 3] = [
        ("ticked", &|text| text.replace("1. **[Security]", "1. [x] **[Security]"), ""),
        (
            "struck",
            &|text| {
                let line = text.lines().find(|line| line.starts_with("1. ")).unwrap();
                text.replace(line, &format!("1. ~~{}~~", &line[3..]))
            },
            "",
        ),
        (
            "explained",
            &|text| {
                text.replacen("   - **Problem:**", "   - **Accepted:** behind the VPN\n   - **Problem:**", 1)
            },
            "behind the VPN",
        ),
    ];
    for (name, edit, reason) in ways {
        let read = edited(edit);
        assert_eq!(read.critical[0].accepted.as_deref(), Some(reason), "{name}");
        assert_eq!(read.critical[0].description, document().critical[0].description, "{name}");
        assert_eq!(read.must_fix(), 1, "{name}");
        assert_eq!(FindingsDocument::parse(&read.render()), Ok(read), "{name}");
    }
}

#[test]
fn an_acceptance_can_say_whose_it_is() {
    for label in
        ["- **Accepted by Ada Lovelace:**", "* accepted by  Ada Lovelace:", "- **Accepted by Ada Lovelace**:"]
    {
        let read = edited(|text| {
            text.replacen("   - **Problem:**", &format!("   {label} known\n   - **Problem:**"), 1)
        });
        let accepted = &read.critical[0];
        assert_eq!(
            (accepted.accepted.as_deref(), accepted.accepted_by.as_deref()),
            (Some("known"), Some("Ada Lovelace")),
            "{label}"
        );
        assert!(read.render().contains("   - **Accepted by Ada Lovelace:** known\n"));
    }
    let read = edited(|text| {
        text.replacen("   - **Problem:**", "   - **Accepted by:** known\n   - **Problem:**", 1)
    });
    assert_eq!((read.critical[0].accepted.as_deref(), &read.critical[0].accepted_by), (Some("known"), &None));
}

#[test]
fn the_form_does_not_matter() {
    let reformatted = edited(|text| {
        let text = text
            .replace("1. **", "- **")
            .replace("2. **", "7) **")
            .replace("   - **Fix:**", "\n  * **fix**:");
        let text =
            text.replace("## Minor", "These must go today.\n\n**Note:** one more remark\n\n\n## Minor");
        text.replace('\n', "  \r\n")
    });
    assert_eq!(reformatted, document());
}

#[test]
fn a_document_without_comments_can_be_read() {
    let text = document().render();
    let text: String =
        text.lines().filter(|line| !line.contains("<!--")).map(|line| format!("{line}\n")).collect();
    let read = FindingsDocument::parse(&text).unwrap();
    let severities: Vec<_> = read.findings().map(|finding| finding.severity).collect();
    assert_eq!(severities, [Severity::Critical, Severity::Major, Severity::Low, Severity::Low]);
    assert!(read.findings().all(|finding| finding.fingerprint.is_none() && finding.rule.is_none()));
}

#[test]
fn a_list_without_categories_is_not_lost() {
    let text = "# Story 1.2 Code Review Findings - Round 2\n\n## Critical Issues (Must Fix)\n\n\
        - SQL injection in login\n- None of the inputs is checked\n\n## Important Issues (Should Fix)\n\nNone.\n- None\n\n\
        ## Minor Issues (Nice to Have)\n\n1. **Naming:** bad\n   - **File:** src/a.rs:3\n\n## Summary\n";
    let read = FindingsDocument::parse(text).unwrap();
    assert_eq!((read.story_id.as_str(), read.round, read.date), ("1.2", 2, None));
    let listed: Vec<_> =
        read.findings().map(|f| (f.category.as_str(), f.description.as_str(), f.line)).collect();
    assert_eq!(
        listed,
        [
            ("General", "SQL injection in login", None),
            ("General", "None of the inputs is checked", None),
            ("Naming", "bad", Some(3))
        ]
    );
    assert_eq!(lenient::category("Naming"), Category::Readability);
}

#[test]
fn a_finding_that_was_moved_takes_the_severity_of_its_group() {
    let read = edited(|text| {
        let start = text.find("1. **[Security]").unwrap();
        let end = text.find("\n\n## Important").unwrap();
        let moved = &text[start..end];
        text.replace(moved, "").replace("## Summary", &format!("{moved}\n\n## Summary"))
    });
    assert_eq!((read.critical.len(), read.minor.len()), (0, 3));
    assert_eq!(read.minor[2].severity, Severity::Low);
    assert_eq!(read.minor[2].fingerprint, document().critical[0].fingerprint);
}

#[test]
fn a_document_that_was_cut_off_is_an_error() {
    let text = document().render();
    let cut = &text[..text.find("## Minor").unwrap()];
    let error = FindingsDocument::parse(cut).unwrap_err();
    assert_eq!(error.message, "the document ends without the section `## Minor Issues (Nice to Have)`");
    assert!(error.hint.contains("cut off"));
    assert_eq!(FindingsDocument::parse("hello").unwrap_err().line, 1);
    let error = FindingsDocument::parse("x\n# Story 1 Code Review Findings - Round {round}\n").unwrap_err();
    assert_eq!((error.line, error.hint.as_str()), (2, "end the title with ` - Round 1`"));
}

#[test]
fn a_reviewer_that_counts_more_than_can_be_read_is_noticed() {
    let text = document().render();
    assert_eq!(Declared::in_text(&text).missing_from(&document()), 0);
    let unreadable = text.replace("1. **[Security]:**", "Security:");
    let read = FindingsDocument::parse(&unreadable).unwrap();
    assert_eq!(Declared::in_text(&unreadable).missing_from(&read), 1);
    assert_eq!(Declared::in_text("no summary at all").missing_from(&read), 0);
}

#[test]
fn the_path_is_safe() {
    assert_eq!(document_path("1.2", 3), "docs/progress/story-1.2-review-findings-round-3.md");
    assert_eq!(document_path("../../x y", 1), "docs/progress/story-x-y-review-findings-round-1.md");
}

fn hostile() -> impl Strategy<Value = String> {
    let parts = proptest::sample::select(vec![
        "\n",
        "\n\n",
        "## Summary",
        "**",
        "```",
        "- **Fix:** x",
        "- **Accepted:** me",
        "1. **[Low]:** y",
        "~~",
        "<!-- countersign:severity=LOW -->",
        " ",
        "\t",
        "    ",
        "\\",
        "[x]",
        "\u{1b}[1m",
        "\r\n",
        "# Story 9",
        "-->",
        "None",
        "\u{202e}",
        "word",
        "12",
        ".",
        ":",
        "> q",
        "===",
        "|",
    ]);
    prop_oneof![proptest::collection::vec(parts, 0..8).prop_map(|parts| parts.concat()), "(?s).{0,12}"]
}

fn any_finding() -> impl Strategy<Value = DocumentFinding> {
    let file = proptest::option::of("[a-z:0-9./ \"<!-]{1,12}".prop_map(|path| RepoPath::from(path.as_str())));
    let fingerprint = proptest::option::of("[0-9a-f]{32}".prop_map(|hex| marker::fingerprint(&hex).unwrap()));
    (
        (hostile(), hostile(), file, proptest::option::of(any::<u32>())),
        (hostile(), hostile(), hostile(), proptest::sample::select(Severity::ALL.to_vec())),
        (proptest::option::of(hostile()), fingerprint, proptest::option::of((hostile(), hostile()))),
    )
        .prop_map(|((category, description, file, line), (problem, impact, fix, severity), rest)| {
            let (rule, fingerprint, accepted) = rest;
            let (accepted, accepted_by) = accepted.unzip();
            DocumentFinding {
                category,
                description,
                file,
                line,
                problem,
                impact,
                fix,
                severity,
                rule,
                fingerprint,
                accepted,
                accepted_by,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_document_reads_back(
        findings in proptest::collection::vec(any_finding(), 0..5),
        head in (hostile(), any::<u32>(), hostile(), hostile(), hostile()),
        seconds in proptest::option::of(0i64..4_000_000_000),
    ) {
        let (story_id, round, reviewer, branch, recommendation) = head;
        let mut document = FindingsDocument {
            story_id, round, reviewer, branch, recommendation,
            date: seconds.map(|seconds| Timestamp::from_second(seconds).unwrap()),
            critical: vec![], important: vec![], minor: vec![],
        };
        for finding in findings {
            document.group_mut(finding.severity.class()).push(finding);
        }
        let text = document.render();
        let read = FindingsDocument::parse(&text);
        prop_assert_eq!(read.as_ref(), Ok(&document.normalised()), "{}", text);
        prop_assert_eq!(read.unwrap().render(), text);
    }

    #[test]
    fn reading_never_panics(text in proptest::collection::vec(hostile(), 0..12)) {
        let body = text.concat();
        let _ = FindingsDocument::parse(&body);
        let _ = FindingsDocument::parse(&format!("# Story 1 Code Review Findings - Round 1\n## Critical\n{body}\n## Important\n## Minor\n## Summary"));
    }
}
