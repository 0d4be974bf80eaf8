//! Commits of a request, brought here.

use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::change::Oid;
use domain::forge::{BaseUrl, MergeRequestRef, Provider};
use git::{Environment, GitError, InUse, Keep, Mirror, Remote, Wanted, tidy_mirrors};
use sha2::{Digest, Sha256};
use tokio::time::sleep;

use super::{Forge, Found};
use crate::failure::Failure;
use crate::reviewers::{Heard, Places};

/// Forges may be slow to show git what they tell in words, and people push.
const LOOKS: u32 = 5;
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// A request whose commits are here.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(super) found: Found,
    /// The mirror.
    pub(super) folder: PathBuf,
    /// Where the target branch is.
    pub(super) base: Oid,
    pub(super) head: Oid,
    /// For as long as they are read.
    pub(super) in_use: InUse,
    /// What is to be known about it.
    pub(super) notes: Vec<String>,
}

/// What a mirror has got.
struct Tips {
    base: Oid,
    head: Oid,
    in_use: InUse,
    /// Why it could not be tidied.
    untidy: Option<String>,
}

/// Why nothing was fetched.
enum Unfetched {
    /// It may go better in a moment.
    Passing(Failure),
    Final(Failure),
}

impl From<Failure> for Unfetched {
    fn from(failure: Failure) -> Unfetched {
        Unfetched::Final(failure)
    }
}

impl From<GitError> for Unfetched {
    fn from(error: GitError) -> Unfetched {
        match error {
            GitError::Unreachable { .. } => Unfetched::Passing(error.into()),
            error => Unfetched::Final(error.into()),
        }
    }
}

/// Everything that fetching needs, so that it can be done on another thread.
struct Errand {
    folder: PathBuf,
    url: String,
    authorization: Option<String>,
    head: String,
    target: String,
    number: u64,
}

impl Forge {
    /// Brings the newest commits. Words and commits have to agree; where somebody pushed in between, the newest is
    /// taken.
    pub(crate) async fn fetch(
        &self,
        wanted: &MergeRequestRef,
        expected: Option<&Oid>,
        heard: &Heard,
    ) -> Result<Fetched, Failure> {
        let mirrors = Places::of_this_user().mirrors.ok_or_else(|| {
            Failure::new("there is no place to keep a mirror in", "set XDG_CACHE_HOME or HOME to a folder")
        })?;
        let mut first = None;
        let mut unfetched = None;
        for look in 0..LOOKS {
            if look > 0 {
                sleep(BETWEEN_LOOKS).await;
            }
            let found = self.find_open(wanted).await?;
            heard(&format!("Fetching {} from {}", found.address, self.base));
            let errand = self.errand(&mirrors, &found);
            let folder = errand.folder.clone();
            let expected = expected.cloned();
            let Tips { base, head, in_use, untidy } =
                match aside(move || Ok(errand.run(expected.as_ref()))).await? {
                    Ok(tips) => tips,
                    Err(Unfetched::Final(failure)) => return Err(failure),
                    Err(Unfetched::Passing(failure)) => {
                        unfetched = Some(failure);
                        continue;
                    }
                };
            if let Some(why) = untidy {
                heard(&format!("The mirror could not be tidied: {why}"));
            }
            let told = found.request.head.clone().unwrap_or_else(|| head.clone());
            let before = first.get_or_insert_with(|| told.clone()).clone();
            if told == head {
                let moved = (before != head).then(|| {
                    let (was, is) = (before.short(), head.short());
                    format!("somebody pushed meanwhile: {is} was reviewed, which came after {was}")
                });
                let notes = moved.into_iter().collect();
                return Ok(Fetched { found, folder, base, head, in_use, notes });
            }
            let (told, head) = (told.short(), head.short());
            unfetched = Some(Failure::new(
                format!("the forge says that {wanted} is at {told}, and git gets {head} from it"),
                "try again in a while: it may still be at work on the last push",
            ));
        }
        Err(unfetched.unwrap_or_else(|| Failure::new(format!("{wanted} was not fetched"), "try again")))
    }

    fn errand(&self, mirrors: &Path, found: &Found) -> Errand {
        let number = found.address.number;
        let head = match self.provider {
            Provider::Github => format!("refs/pull/{number}/head"),
            Provider::Gitlab => format!("refs/merge-requests/{number}/head"),
        };
        Errand {
            folder: mirrors.join(folder_name(&self.base, &found.address)),
            url: format!("{}/{}.git", self.base, found.address.project),
            authorization: self.outward.authorization(self.provider),
            head,
            target: found.request.target_branch.clone(),
            number,
        }
    }
}

/// One for each repository of each forge.
fn folder_name(base: &BaseUrl, address: &MergeRequestRef) -> String {
    let whole = format!("{base}/{}", address.project);
    let digest: String = Sha256::digest(whole).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let name = address.project.as_str().rsplit('/').next().unwrap_or_default();
    format!("{name}-{digest}.git")
}

impl Errand {
    /// The tips of the target branch and of the request. The mirror is held for as long as this takes; what was fetched
    /// stays for as long as it is in use, whoever fetches next.
    fn run(&self, expected: Option<&Oid>) -> Result<Tips, Unfetched> {
        if let Some(mirrors) = self.folder.parent() {
            tidy_mirrors(mirrors, Keep::default());
        }
        let mirror = Mirror::open(&self.folder, &Environment::of_this_process())?;
        let head = Wanted { theirs: self.head.clone(), ours: format!("refs/requests/{}", self.number) };
        let target = Wanted {
            theirs: format!("refs/heads/{}", self.target),
            ours: format!("refs/heads/{}", self.target),
        };
        let remote = Remote { url: &self.url, authorization: self.authorization.as_deref() };
        mirror.fetch(remote, &[head.clone(), target.clone()])?;
        // What grew too large is no reason not to review.
        let untidy = mirror.tidy(Keep::default()).err().map(|error| error.to_string());
        let tip = |name: &str| -> Result<Oid, Failure> {
            let gone = || Failure::new(format!("{name} was not fetched"), "try again");
            mirror.tip(name)?.ok_or_else(gone)
        };
        if let Some(expected) = expected
            && !mirror.has(expected)?
        {
            return Err(Unfetched::Final(Failure::new(
                format!("commit {} is not part of the request yet", expected.short()),
                "push it: what the request does not show cannot be reviewed there",
            )));
        }
        Ok(Tips { base: tip(&target.ours)?, head: tip(&head.ours)?, in_use: mirror.in_use()?, untidy })
    }
}

/// Does something that takes its time on a thread of its own. Whoever stops waiting for it is not held up.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (tell, told) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || _ = tell.send(work()));
    told.await.unwrap_or_else(|_| Err(Failure::new("the review broke off", "please report this as a bug")))
}

#[cfg(test)]
mod tests {
    use domain::forge::Project;

    use super::*;

    #[test]
    fn every_repository_has_a_mirror_of_its_own() {
        let name = |base: &str, project: &str| {
            let project = Project::parse(project).unwrap();
            folder_name(&BaseUrl::parse(base).unwrap(), &MergeRequestRef { project, number: 1 })
        };
        let one = name("https://a.example", "acme/shop");
        assert!(one.starts_with("shop-") && one.ends_with(".git") && !one.contains('/'), "{one}");
        assert_ne!(one, name("https://b.example", "acme/shop"));
        assert_ne!(one, name("https://a.example", "other/shop"));
    }
}
