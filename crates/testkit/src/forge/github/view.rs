use serde_json::{Value, json};

use crate::forge::bare::Commit;
use crate::forge::model::account::User;
use crate::forge::model::repository::{Repository, Visibility};
use crate::forge::model::state::State;
use crate::forge::model::time;

pub(in crate::forge) fn node_id(kind: &str, id: u64) -> String {
    format!("{kind}_{id}")
}

pub(in crate::forge) fn user(url: &str, user: &User) -> Value {
    let (login, id) = (&user.login, user.id);
    let api = format!("{url}/api/v3/users/{login}");
    json!({
        "login": login,
        "id": id,
        "node_id": node_id("U", id),
        "avatar_url": format!("{url}/avatars/{id}"),
        "gravatar_id": "",
        "url": api,
        "html_url": format!("{url}/{login}"),
        "followers_url": format!("{api}/followers"),
        "following_url": format!("{api}/following{{/other_user}}"),
        "gists_url": format!("{api}/gists{{/gist_id}}"),
        "starred_url": format!("{api}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{api}/subscriptions"),
        "organizations_url": format!("{api}/orgs"),
        "repos_url": format!("{api}/repos"),
        "events_url": format!("{api}/events{{/privacy}}"),
        "received_events_url": format!("{api}/received_events"),
        "type": if user.is_bot() { "Bot" } else { "User" },
        "user_view_type": "public",
        "site_admin": false,
    })
}

pub(in crate::forge) fn owner(state: &State, repository: &Repository) -> Value {
    let login = repository.owner().to_owned();
    let known = state.users.iter().find(|user| user.login == login).cloned();
    let owner = known.unwrap_or(User { id: repository.id + 500_000, email: String::new(), login });
    user(&state.url, &owner)
}

pub(in crate::forge) fn api_url(state: &State, repository: &Repository) -> String {
    format!("{}/api/v3/repos/{}", state.url, repository.path)
}

pub(in crate::forge) fn repository(state: &State, repository: &Repository) -> Value {
    let (api, html) = (api_url(state, repository), format!("{}/{}", state.url, repository.path));
    let at = time::seconds(repository.created_at);
    let mut value = json!({
        "id": repository.id,
        "node_id": node_id("R", repository.id),
        "name": repository.name(),
        "full_name": repository.path,
        "private": repository.visibility == Visibility::Private,
        "owner": owner(state, repository),
        "html_url": html,
        "description": null,
        "fork": repository.parent.is_some(),
        "url": api,
        "git_url": format!("{html}.git"),
        "ssh_url": format!("git@127.0.0.1:{}.git", repository.path),
        "clone_url": format!("{html}.git"),
        "svn_url": html,
        "mirror_url": null,
        "homepage": null,
        "language": null,
        "license": null,
        "default_branch": repository.default_branch,
        "created_at": at,
        "updated_at": at,
        "pushed_at": at,
        "visibility": if repository.visibility == Visibility::Private { "private" } else { "public" },
        "topics": [],
        "custom_properties": {},
    });
    for (name, ending) in LINKS {
        value[name] = json!(format!("{api}/{ending}"));
    }
    for count in COUNTS {
        value[count] = json!(0);
    }
    for (flag, on) in FLAGS {
        value[flag] = json!(on);
    }
    value
}

const LINKS: [(&str, &str); 37] = [
    ("archive_url", "{archive_format}{/ref}"),
    ("assignees_url", "assignees{/user}"),
    ("blobs_url", "git/blobs{/sha}"),
    ("branches_url", "branches{/branch}"),
    ("collaborators_url", "collaborators{/collaborator}"),
    ("comments_url", "comments{/number}"),
    ("commits_url", "commits{/sha}"),
    ("compare_url", "compare/{base}...{head}"),
    ("contents_url", "contents/{+path}"),
    ("contributors_url", "contributors"),
    ("deployments_url", "deployments"),
    ("downloads_url", "downloads"),
    ("events_url", "events"),
    ("forks_url", "forks"),
    ("git_commits_url", "git/commits{/sha}"),
    ("git_refs_url", "git/refs{/sha}"),
    ("git_tags_url", "git/tags{/sha}"),
    ("hooks_url", "hooks"),
    ("issue_comment_url", "issues/comments{/number}"),
    ("issue_events_url", "issues/events{/number}"),
    ("issues_url", "issues{/number}"),
    ("keys_url", "keys{/key_id}"),
    ("labels_url", "labels{/name}"),
    ("languages_url", "languages"),
    ("merges_url", "merges"),
    ("milestones_url", "milestones{/number}"),
    ("notifications_url", "notifications{?since,all,participating}"),
    ("pulls_url", "pulls{/number}"),
    ("releases_url", "releases{/id}"),
    ("stargazers_url", "stargazers"),
    ("statuses_url", "statuses/{sha}"),
    ("subscribers_url", "subscribers"),
    ("subscription_url", "subscription"),
    ("tags_url", "tags"),
    ("teams_url", "teams"),
    ("trees_url", "git/trees{/sha}"),
    ("artifacts_url", "artifacts"),
];

const COUNTS: [&str; 9] = [
    "forks",
    "forks_count",
    "open_issues",
    "open_issues_count",
    "size",
    "stargazers_count",
    "watchers",
    "watchers_count",
    "network_count",
];

const FLAGS: [(&str, bool); 10] = [
    ("is_template", false),
    ("web_commit_signoff_required", false),
    ("has_downloads", true),
    ("has_issues", true),
    ("has_projects", false),
    ("has_wiki", false),
    ("has_pages", false),
    ("has_discussions", false),
    ("archived", false),
    ("disabled", false),
];

pub(in crate::forge) fn commit(state: &State, repository: &Repository, commit: &Commit) -> Value {
    let (api, sha) = (api_url(state, repository), &commit.sha);
    let html = format!("{}/{}", state.url, repository.path);
    let person = json!({ "name": commit.author, "email": commit.email, "date": time::seconds(commit.at) });
    let parent = |sha: &String| json!({ "sha": sha, "url": format!("{api}/commits/{sha}"), "html_url": format!("{html}/commit/{sha}") });
    json!({
        "sha": sha,
        "node_id": node_id("C", commit.at),
        "url": format!("{api}/commits/{sha}"),
        "html_url": format!("{html}/commit/{sha}"),
        "comments_url": format!("{api}/commits/{sha}/comments"),
        "commit": {
            "url": format!("{api}/git/commits/{sha}"),
            "author": person,
            "committer": person,
            "message": commit.message,
            "comment_count": 0,
            "tree": { "sha": commit.tree, "url": format!("{api}/git/trees/{}", commit.tree) },
            "verification": {
                "verified": false, "reason": "unsigned", "signature": null, "payload": null, "verified_at": null,
            },
        },
        "author": null,
        "committer": null,
        "parents": commit.parents.iter().map(parent).collect::<Vec<_>>(),
    })
}

pub(in crate::forge) fn app(state: &State) -> Value {
    let at = time::seconds(time::START);
    json!({
        "id": 1,
        "slug": "countersign",
        "node_id": node_id("A", 1),
        "owner": user(&state.url, &User { id: 1, login: "countersign".to_owned(), email: String::new() }),
        "name": "countersign",
        "description": null,
        "external_url": format!("{}/apps/countersign", state.url),
        "html_url": format!("{}/apps/countersign", state.url),
        "created_at": at,
        "updated_at": at,
        "permissions": { "checks": "write", "pull_requests": "write" },
        "events": [],
    })
}
