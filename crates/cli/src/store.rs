use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};

use domain::config::{Config, FILE_NAME};
use domain::ports::{StoreError, TaskStore};
use domain::tasks::{Refusal, TaskFilter, TaskId};
use domain::text::nearest;
use git::Repository;
use store::Store;
use store::mailbox::{Mailbox, MailboxError, Sharing};

use crate::failure::Failure;
use crate::pretty;

const MAILBOX: &str = ".agent-communication";
const DATABASE: &str = "countersign.db";

/// Which store a command works on.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreArgs {
    /// A PostgreSQL address or a SQLite file [default: .agent-communication/countersign.db]
    #[arg(long, value_name = "URL", env = "COUNTERSIGN_STORE", hide_env_values = true)]
    store: Option<String>,

    /// The repository, or any folder in it; outside of one, the folder itself.
    #[arg(long, value_name = "PATH", default_value = ".")]
    repo: PathBuf,
}

impl StoreArgs {
    /// The usual store of a repository.
    pub(crate) fn of_repository(repo: PathBuf) -> StoreArgs {
        StoreArgs { store: None, repo }
    }

    /// With the store that was asked for, if any was.
    pub(crate) fn asked_for(repo: PathBuf, store: Option<String>) -> StoreArgs {
        StoreArgs { store, repo }
    }

    /// The store that was asked for, else the usual one if it is there already: none is made.
    pub(crate) async fn open_if_there(&self) -> Result<Option<Store>, Failure> {
        let usual = self.mailbox().join(DATABASE);
        let url = match self.address()? {
            Some(url) => url.to_owned(),
            None if usual.exists() => usual.to_string_lossy().into_owned(),
            None => return Ok(None),
        };
        Store::open(&url).await.map(Some).map_err(failure)
    }

    /// Opens the store, does `work` and closes it again. The mailbox then shows what was changed.
    pub(crate) fn with_store<T>(
        &self,
        work: impl AsyncFnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, Failure> {
        opened(&self.url()?, async |store| {
            let answer = work(store).await?;
            update_mailbox(&self.mailbox(), store).await;
            Ok(answer)
        })
    }

    /// As [`StoreArgs::with_store`], for commands that only look: where there is no store yet they are shown an
    /// empty one, and none is made.
    pub(crate) fn with_store_to_read<T>(
        &self,
        work: impl AsyncFnOnce(&Store) -> Result<T, StoreError>,
    ) -> Result<T, Failure> {
        if self.address()?.is_some() || self.mailbox().join(DATABASE).exists() {
            return opened(&self.url()?, work);
        }
        let folder = tempfile::tempdir().map_err(|error| {
            Failure::new(
                format!("cannot make a temporary folder: {error}"),
                "check TMPDIR and its free space",
            )
        })?;
        opened(&folder.path().join(DATABASE).to_string_lossy(), work)
    }

    /// The store, on the runtime of whoever asks.
    pub(crate) async fn open(&self) -> Result<Store, Failure> {
        Store::open(&self.url()?).await.map_err(failure)
    }

    fn url(&self) -> Result<String, Failure> {
        match self.address()? {
            Some(url) => Ok(url.to_owned()),
            None => self.default_file(),
        }
    }

    /// The store, for as long as whoever asks needs it.
    pub(crate) fn keep_open(&self) -> Result<KeptOpen, Failure> {
        let url = self.url()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| cannot_start(&error))?;
        let store = runtime.block_on(Store::open(&url)).map_err(failure)?;
        Ok(KeptOpen { runtime, store })
    }

    /// Whether other mailboxes may work on the same store.
    pub(crate) fn sharing(&self) -> Result<Sharing, Failure> {
        let Some(url) = self.address()? else { return Ok(Sharing::Alone) };
        if is_postgres(url) {
            return Ok(Sharing::WithOthers);
        }
        let file = url.strip_prefix("sqlite:").unwrap_or(url);
        let file = Path::new(file.strip_prefix("//").unwrap_or(file));
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        Ok(if real(folder) == real(&self.mailbox()) { Sharing::Alone } else { Sharing::WithOthers })
    }

    /// Who acts on this store, for the audit log.
    pub(crate) fn actor(&self) -> String {
        actor(Repository::discover(&self.root()).ok().as_ref())
    }

    pub(crate) fn mailbox(&self) -> PathBuf {
        self.root().join(MAILBOX)
    }

    /// What was asked for, if anything was. An empty variable asks for nothing.
    fn address(&self) -> Result<Option<&str>, Failure> {
        self.check_repo()?;
        let Some(url) = self.store.as_deref().filter(|url| !url.is_empty()) else { return Ok(None) };
        let scheme = url.split_once("://").map(|(scheme, _)| scheme);
        match scheme {
            Some(scheme) if !is_postgres(url) && scheme != "sqlite" => Err(Failure::new(
                format!("there is no store of the kind {scheme}://"),
                "use postgres://..., or the path of a SQLite file",
            )),
            Some(_) | None => Ok(Some(url)),
        }
    }

    fn check_repo(&self) -> Result<(), Failure> {
        match self.repo.try_exists() {
            Ok(true) => Ok(()),
            Ok(false) => Err(Failure::new(
                format!("{} does not exist", self.repo.display()),
                "give --repo a folder that is there",
            )),
            Err(error) => Err(Failure::new(
                format!("cannot look at {}: {error}", self.repo.display()),
                "give --repo a folder that can be read",
            )),
        }
    }

    /// Where the repository is checked out, or where its folder is.
    pub(crate) fn root(&self) -> PathBuf {
        match Repository::discover(&self.repo) {
            Ok(repository) => repository.work_tree().unwrap_or(repository.git_dir()).to_owned(),
            Err(_) => self.repo.clone(),
        }
    }

    /// How this machine runs its queues: countersign.yaml as it is checked out here. What a review is held to
    /// comes from the base of the change all the same.
    pub(crate) fn operator_config(&self) -> Result<Config, Failure> {
        self.check_repo()?;
        let text = match std::fs::read_to_string(self.root().join(FILE_NAME)) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => {
                return Err(Failure::new(
                    format!("cannot read {FILE_NAME}: {error}"),
                    "check its permissions",
                ));
            }
        };
        Ok(Config::parse_with(FILE_NAME, &text, |name| std::env::var(name).ok())?)
    }

    /// In the repository's root.
    fn default_file(&self) -> Result<String, Failure> {
        Ok(self.mailbox_made()?.join(DATABASE).to_string_lossy().into_owned())
    }

    /// The folder keeps itself out of version control.
    pub(crate) fn mailbox_made(&self) -> Result<PathBuf, Failure> {
        let folder = self.mailbox();
        let ignore = folder.join(".gitignore");
        let prepared = std::fs::create_dir_all(&folder).and_then(|()| match ignore.exists() {
            true => Ok(()),
            false => std::fs::write(&ignore, "*\n"),
        });
        prepared.map_err(|error| {
            Failure::new(
                format!("cannot prepare {}: {error}", folder.display()),
                "choose another place with --store FILE, or set COUNTERSIGN_STORE",
            )
        })?;
        Ok(folder)
    }
}

/// Shows in the mailbox what the store has.
pub(crate) async fn update_mailbox(mailbox: &Path, store: &Store) {
    let shown = match Mailbox::open(mailbox.to_owned()) {
        Ok(mailbox) => mailbox.mirror(store).await.map(|_| ()),
        Err(error) => Err(error),
    };
    shown.unwrap_or_else(|error| pretty::note(&not_shown(&error)));
}

/// The store has the change, and the next command or agent that can writes it to the mailbox.
pub(crate) fn not_shown(error: &MailboxError) -> String {
    format!("The change is stored, but {MAILBOX} does not show it yet: {error}")
}

fn opened<T>(url: &str, work: impl AsyncFnOnce(&Store) -> Result<T, StoreError>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| cannot_start(&error))?;
    runtime.block_on(async {
        let store = Store::open(url).await.map_err(failure)?;
        match work(&store).await {
            Err(StoreError::Refused(Refusal::NotFound(id))) => Err(not_found(&store, &id).await),
            answer => answer.map_err(failure),
        }
    })
}

/// A store that threads may wait for.
#[derive(Debug)]
pub(crate) struct KeptOpen {
    runtime: tokio::runtime::Runtime,
    pub(crate) store: Store,
}

impl KeptOpen {
    /// Waits on the thread that calls, which must not be one of a runtime.
    pub(crate) fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.runtime.block_on(answer)
    }
}

fn cannot_start(error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot start: {error}"), "the system is out of threads or file descriptors")
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

/// Who acts, for the audit log: git's `user.name`, as commits have it.
pub(crate) fn actor(repository: Option<&Repository>) -> String {
    let name = repository.and_then(Repository::user_name);
    name.map_or_else(system_user, |name| domain::text::short_line(&name))
}

/// Who is at the keyboard.
pub(crate) fn system_user() -> String {
    std::env::var("USER").ok().filter(|user| !user.is_empty()).unwrap_or_else(|| "somebody".to_owned())
}

/// Another one each time, for names that nobody else has. No secret.
pub(crate) fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The same as text.
pub(crate) fn random() -> String {
    format!("{:08x}{:016x}", std::process::id(), random_number())
}

pub(crate) fn task_id(text: &str) -> Result<TaskId, String> {
    TaskId::parse(text).map_err(|invalid| invalid.to_string())
}

/// Ids are long and come from a clipboard that may have cut them: the nearest of the newest ones is suggested.
async fn not_found(store: &Store, id: &TaskId) -> Failure {
    const NEWEST: u32 = 500;
    let newest =
        store.list(&TaskFilter::default(), None, NEWEST).await.map(|page| page.tasks).unwrap_or_default();
    let ids = newest.iter().map(|stored| stored.task.id.as_str());
    let part_of = |known: &&str| known.contains(id.as_str());
    match ids.clone().find(part_of).or_else(|| nearest(id.as_str(), ids)) {
        Some(nearest) => Failure::new(Refusal::NotFound(id.clone()), format!("did you mean {nearest}?")),
        None => refused(&Refusal::NotFound(id.clone())),
    }
}

fn refused(refusal: &Refusal) -> Failure {
    let hint = match refusal {
        Refusal::Duplicate(_) => "leave the id out to get a new one",
        Refusal::QueueFull { .. } => "wait, cancel some, or raise --max-queue-size",
        Refusal::UnknownDependency { .. } => "add the task it depends on first",
        Refusal::DependencyCycle(_) => "break the circle by leaving one dependency out",
        Refusal::NotFound(_) => "`countersign task list` shows the tasks there are",
        Refusal::Illegal(illegal) if illegal.allowed.is_empty() => {
            "it is over; `countersign task add` queues a new one"
        }
        Refusal::Illegal(_) => "`countersign task show ID` says where it stands",
        Refusal::StaleLease { .. } => "somebody else holds it by now; nothing was changed",
        Refusal::Invalid(_) => "mend the field and try again",
    };
    Failure::new(refusal, hint)
}

pub(crate) fn failure(error: StoreError) -> Failure {
    match error {
        StoreError::Refused(refusal) => refused(&refusal),
        StoreError::Unavailable { action: store::TOO_NEW, .. } => Failure::new(
            error,
            "a newer countersign has written to it: update this one with the same command that installed it",
        ),
        StoreError::Unavailable { .. } => Failure::new(
            error,
            "check that the address is right and the server runs, or that the file can be written",
        ),
        StoreError::Corrupt { .. } => Failure::new(error, "it was written by another version, or by hand"),
    }
}
