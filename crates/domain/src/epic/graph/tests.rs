use proptest::prelude::*;

use super::*;

fn epic() -> EpicDocument {
    let text = "id: shop\ntitle: A shop <that> sells\ntickets:\n\
                - { id: base, path: a.md }\n\
                - { id: api, path: b.md, depends_on: [base] }\n\
                - { id: page, path: c.md, depends_on: [api, base] }\n\
                - { id: docs, path: d.md }\n";
    EpicDocument::parse("epic.yaml", text).unwrap()
}

fn known() -> Known {
    let titles =
        [("base", "Tables"), ("api", "</text><script>\"#quot;`x`[[]]"), ("page", &"A long title ".repeat(9))];
    let statuses = [
        ("base", TicketStatus::Completed),
        ("api", TicketStatus::Failed),
        ("page", TicketStatus::Blocked),
        ("docs", TicketStatus::Reviewing),
    ];
    Known {
        titles: titles.map(|(id, title)| (id.to_owned(), title.to_owned())).into(),
        statuses: statuses.map(|(id, status)| (id.to_owned(), status)).into(),
    }
}

#[test]
fn an_epic_as_mermaid() {
    insta::assert_snapshot!(mermaid(&epic(), &known()));
}

#[test]
fn an_epic_as_svg() {
    insta::assert_snapshot!(svg(&epic(), &known()));
}

#[test]
fn boxes_never_overlap_and_what_waits_stands_further_right() {
    let epic = epic();
    let layout = layout::layout(&epic);
    for (index, (x, y)) in layout.corners.iter().enumerate() {
        for (other_x, other_y) in &layout.corners[index + 1..] {
            assert!(x.abs_diff(*other_x) >= layout::WIDTH || y.abs_diff(*other_y) >= layout::HEIGHT);
        }
    }
    assert!(layout.edges.iter().all(|edge| layout.corners[edge.from.0].0 < layout.corners[edge.to.0].0));
    let long = layout.edges.iter().find(|edge| edge.from.0 == 0 && edge.to.0 == 2).unwrap();
    assert_eq!(long.passes.len(), 1);
}

#[test]
fn every_status_looks_different_without_its_word() {
    for (index, status) in TicketStatus::ALL.iter().enumerate() {
        for other in &TicketStatus::ALL[index + 1..] {
            let (one, two) = (look(*status), look(*other));
            assert!((one.fill, one.outline == two.outline) != (two.fill, true), "{status:?} {other:?}");
        }
    }
}

proptest! {
    #[test]
    fn no_title_leaves_its_place(title in "(?s).{0,60}") {
        let titles = [("api".to_owned(), title)].into();
        let known = Known { titles, ..Known::default() };
        let picture = svg(&epic(), &known);
        let tags = picture.matches('<').count();
        prop_assert_eq!(tags, svg(&epic(), &Known::default()).matches('<').count());
        let chart = mermaid(&epic(), &known);
        prop_assert_eq!(chart.lines().count(), mermaid(&epic(), &Known::default()).lines().count());
        prop_assert_eq!(chart.matches('"').count(), 8);
    }

    #[test]
    fn a_shortened_text_fits(text in ".{0,60}", columns in 3usize..40) {
        let width: usize = shortened(&text, columns).chars().map(|c| if c >= '\u{1100}' { 2 } else { 1 }).sum();
        prop_assert!(width <= columns);
    }
}
