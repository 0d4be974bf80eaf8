use connect::servers::Service;
use serde_json::json;
use testkit::forge::{Fault, Forge, Jira, Rights};

use super::table::{Table, settings};

async fn server(forge: &Forge) -> Table {
    let token = forge.token("reader", Rights::Read);
    let variables = [("CONFLUENCE_URL", &*forge.confluence_url()), ("CONFLUENCE_PERSONAL_TOKEN", &token)];
    Table::with(&settings(Service::Confluence, &variables)).await
}

async fn cloud(forge: &Forge) -> Table {
    forge.set_jira(Jira::Cloud);
    let token = forge.token("reader", Rights::Read);
    let url = format!("{}/wiki", forge.confluence_url());
    let variables = [
        ("CONFLUENCE_URL", &*url),
        ("CONFLUENCE_EMAIL", "reader@example.com"),
        ("CONFLUENCE_API_TOKEN", &token),
    ];
    Table::with(&settings(Service::Confluence, &variables)).await
}

#[tokio::test]
async fn a_page_reads_as_text_in_the_cloud_and_elsewhere() {
    for is_cloud in [true, false] {
        let forge = Forge::start();
        let id = forge.page("ARCH", "Rules", "<h1>One</h1><p>No &amp; never</p>", &[]);
        let table = if is_cloud { cloud(&forge).await } else { server(&forge).await };
        let page = table.done("confluence_get_page", json!({"page_id": id.to_string()})).await;
        assert_eq!((&page["title"], &page["body"]), (&json!("Rules"), &json!("# One\n\nNo & never")));
        assert!(page["url"].as_str().unwrap().starts_with(&forge.confluence_url()), "{page}");
        let version_2 = forge.requests().iter().any(|asked| asked.path.contains("/api/v2/pages/"));
        assert_eq!(version_2, is_cloud);
    }
}

#[tokio::test]
async fn a_page_that_is_not_there_is_not_found() {
    let forge = Forge::start();
    let table = server(&forge).await;
    assert_eq!(table.refused("confluence_get_page", json!({"page_id": "999"})).await["kind"], "not_found");
    assert_eq!(table.refused("confluence_get_page", json!({"page_id": "../space"})).await["kind"], "invalid");
}

#[tokio::test]
async fn pages_are_found_by_words_title_label_and_space() {
    let forge = Forge::start();
    forge.page("ARCH", "Payment rules", "<p>retry twice</p>", &["rules"]);
    forge.page("TEAM", "Payment notes", "<p>lunch</p>", &[]);
    let table = cloud(&forge).await;
    for (query, title) in [
        (json!({"text": "retry"}), "Payment rules"),
        (json!({"title": "notes"}), "Payment notes"),
        (json!({"label": "rules"}), "Payment rules"),
        (json!({"title": "Payment", "space": "TEAM"}), "Payment notes"),
    ] {
        let found = table.done("confluence_search", query.clone()).await;
        assert_eq!(
            (found["pages"].as_array().unwrap().len(), &found["pages"][0]["title"]),
            (1, &json!(title)),
            "{query}"
        );
    }
    assert_eq!(table.refused("confluence_search", json!({"space": "ARCH"})).await["kind"], "invalid");
}

#[tokio::test]
async fn a_value_cannot_widen_the_search() {
    let forge = Forge::start();
    forge.page("SECRET", "Salaries", "<p>x</p>", &[]);
    let table = server(&forge).await;
    let hostile = json!({"label": "x\" OR space = \"SECRET", "space": "ARCH"});
    assert_eq!(table.done("confluence_search", hostile).await["pages"], json!([]));
    let service = json!({"service_name": "x\" OR type = \"page"});
    assert_eq!(table.done("confluence_get_page_by_service", service).await, json!({"others": []}));
}

#[tokio::test]
async fn a_service_has_a_page_by_label_then_by_title() {
    let forge = Forge::start();
    let contains = forge.page("A", "All about orders", "<p>c</p>", &[]);
    let table = server(&forge).await;
    let ask = json!({"service_name": "Orders"});
    let found = table.done("confluence_get_page_by_service", ask.clone()).await;
    assert_eq!(
        (&found["page"]["id"], &found["found_by"]),
        (&json!(contains.to_string()), &json!("title_contains"))
    );
    let title = forge.page("A", "Orders", "<p>t</p>", &[]);
    let found = table.done("confluence_get_page_by_service", ask.clone()).await;
    assert_eq!((&found["page"]["id"], &found["found_by"]), (&json!(title.to_string()), &json!("title")));
    let label = forge.page("B", "Handbook", "<p>l</p>", &["service-orders"]);
    forge.page("B", "Handbook II", "<p>l</p>", &["service-orders"]);
    let found = table.done("confluence_get_page_by_service", ask).await;
    assert_eq!((&found["page"]["id"], &found["found_by"]), (&json!(label.to_string()), &json!("label")));
    assert_eq!(found["others"][0]["title"], "Handbook II");
    let in_space = json!({"service_name": "orders", "space": "A"});
    assert_eq!(table.done("confluence_get_page_by_service", in_space).await["found_by"], "title");
}

#[tokio::test]
async fn who_asks_and_what_fails_is_said() {
    let forge = Forge::start();
    let table = server(&forge).await;
    let me = table.done("confluence_get_me", json!({})).await;
    assert!(me["id"].is_string() && me["name"].as_str().unwrap().to_lowercase().contains("reader"), "{me}");
    forge.fault(Fault::on("GET", "/rest/**").primary_limit(600));
    assert_eq!(table.refused("confluence_get_page", json!({"page_id": "1"})).await["kind"], "rate_limited");
}
