mod follow;
mod line;
mod tail;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use domain::ports::TaskStore;
use domain::tasks::{Refusal, TaskId};
use domain::text::nearest;
use rustix::event::{PollFd, PollFlags, Timespec};

use self::follow::Follower;
pub(super) use self::line::Line;
use super::start::interrupted;
use super::trouble::{MAILBOX, WATCHDOG};
use crate::failure::Failure;
use crate::output::{self, Exit, Listing};
use crate::pretty::{self, Tone};
use crate::store::{StoreArgs, task_id};

const MOST_LINES: u32 = 100_000;
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Show what agents did, the newest last.
///
/// Without an ID, the logs of all agents in countersign.yaml are merged by time. The time of a line is UTC.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    countersign agent logs qa --follow\n  \
    countersign agent logs --lines 200 --task review-qa-1738588800000-a1b2c3")]
pub(crate) struct Logs {
    /// Whose log: an agent of countersign.yaml, `watchdog` or `mailbox` [default: all]
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// Go on until Ctrl-C.
    #[arg(short, long)]
    follow: bool,

    /// At most this many lines [default: 50, of one task all]
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=i64::from(MOST_LINES)))]
    lines: Option<u32>,

    /// Only what is said of this task, or of a Jira key (PROJ-123).
    ///
    /// Lines of earlier versions that carry only the Jira key of the task are shown, too.
    #[arg(long, value_name = "ID|KEY", value_parser = task_id)]
    task: Option<TaskId>,

    #[command(flatten)]
    store: StoreArgs,

    /// With json, each line is an object with time, level, agent, key and text.
    #[arg(long, default_value = "pretty")]
    format: Listing,
}

/// One log, whether it is there yet or not.
#[derive(Debug)]
struct Log {
    name: String,
    path: PathBuf,
}

/// What tells the lines of a task from others.
struct Words {
    id: Option<String>,
    key: Option<String>,
}

impl Words {
    /// Lines of earlier versions, whose time has no `Z`, may name the task by its key alone.
    fn are_in(&self, line: &str) -> bool {
        let names = |word: &Option<String>| word.as_ref().is_some_and(|word| names(line, word));
        let is_old = line.as_bytes().get(8) != Some(&b'Z');
        names(&self.id) || (names(&self.key) && (self.id.is_none() || is_old))
    }
}

impl Logs {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let logs = self.logs()?;
        let words = self.words()?;
        let wanted = |line: &str| words.as_ref().is_none_or(|words| words.are_in(line));
        match self.show(&logs, &wanted) {
            // Whoever closes the pipe has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Ok),
            Err(error) => Err(Failure::new(error, "check the permissions of the folder `logs`")),
            Ok(()) => Ok(Exit::Ok),
        }
    }

    fn logs(&self) -> Result<Vec<Log>, Failure> {
        let folder = self.store.root().join("logs");
        let agents = self.store.operator_config()?.agents();
        let mut known: Vec<String> = agents.into_iter().map(|agent| agent.id).collect();
        known.extend([WATCHDOG, MAILBOX].map(str::to_owned));
        let log = |name: &String| Log { name: name.clone(), path: super::log::path(&folder, name) };
        for id in &self.ids {
            if !known.contains(id) && !log(id).path.exists() {
                let hint = match nearest(id, known.iter().map(String::as_str)) {
                    Some(nearest) => {
                        format!("did you mean `{nearest}`? Replicas share the log of their agent")
                    }
                    None => format!("the agents are {}", known.join(", ")),
                };
                return Err(Failure::new(format!("there is no agent `{id}`"), hint));
            }
        }
        Ok(if self.ids.is_empty() { &known } else { &self.ids }.iter().map(log).collect())
    }

    /// What a line has to hold: the id of the task, or the key that agents put in front of what they say of it. What
    /// looks like a key and is no task is taken for one.
    fn words(&self) -> Result<Option<Words>, Failure> {
        let Some(id) = &self.task else { return Ok(None) };
        let stored = self.store.with_store_to_read(async |store| match store.get(id).await? {
            Some(stored) => Ok(Some(stored)),
            None if is_jira_key(id.as_str()) => Ok(None),
            None => Err(Refusal::NotFound(id.clone()).into()),
        })?;
        let Some(stored) = stored else {
            return Ok(Some(Words { id: None, key: Some(format!("[{id}]")) }));
        };
        let key = stored.task.context.get("jira_key").and_then(|key| key.as_str());
        let key = key.filter(|key| !key.is_empty()).map(|key| format!("[{key}]"));
        Ok(Some(Words { id: Some(id.to_string()), key }))
    }

    fn show(&self, logs: &[Log], wanted: &dyn Fn(&str) -> bool) -> io::Result<()> {
        let most = self.lines.unwrap_or(if self.task.is_some() { MOST_LINES } else { 50 }) as usize;
        let (mut tails, mut followers, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for (index, log) in logs.iter().enumerate() {
            let described = |error: io::Error| {
                io::Error::new(error.kind(), format!("cannot read {}: {error}", log.path.display()))
            };
            let tail = tail::newest(&log.path, most, wanted).map_err(described)?;
            if tail.is_none() {
                missing.push(log);
            }
            let tail = tail.unwrap_or_default();
            followers.push(Follower::new(log.path.clone(), tail.end));
            tails.push((index, tail.lines));
        }
        let text: String =
            tail::merged(tails, most).iter().map(|(log, line)| self.shown(&logs[*log], &line.text)).collect();
        write(&text)?;
        match (self.ids.is_empty(), missing.len() == logs.len()) {
            (true, true) => pretty::note("No agent has a log yet; `countersign agent start` begins them."),
            (true, false) => {}
            (false, _) => missing.iter().for_each(|log| pretty::note(&no_log_yet(log))),
        }
        if self.follow { self.go_on(logs, followers, wanted) } else { Ok(()) }
    }

    fn go_on(
        &self,
        logs: &[Log],
        mut followers: Vec<Follower>,
        wanted: &dyn Fn(&str) -> bool,
    ) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let interrupted = interrupted();
            tokio::pin!(interrupted);
            loop {
                let mut text = String::new();
                for (log, follower) in logs.iter().zip(&mut followers) {
                    let news = follower.news()?;
                    news.iter().filter(|line| wanted(line)).for_each(|line| text += &self.shown(log, line));
                }
                write(&text)?;
                if nobody_reads() {
                    return Ok(());
                }
                tokio::select! {
                    () = &mut interrupted => return Ok(()),
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                }
            }
        })
    }

    fn shown(&self, log: &Log, text: &str) -> String {
        let line = Line::parse(&log.name, text);
        match self.format {
            Listing::Json => output::json_line(&line),
            Listing::Pretty => {
                let tone = match line.level.as_deref() {
                    Some("ERROR") => Tone::Bad,
                    Some("WARNING") => Tone::Attention,
                    Some(_) | None => Tone::Plain,
                };
                pretty::table(&[], &[vec![pretty::Cell::text(text).toned(tone)]], None)
            }
        }
    }
}

fn no_log_yet(log: &Log) -> String {
    match log.name.as_str() {
        WATCHDOG => "The watchdog has had nothing to say so far.".to_owned(),
        MAILBOX => "The mailbox has had nothing to say so far.".to_owned(),
        name => format!("{name} has no log yet; `countersign agent start {name}` begins one."),
    }
}

/// Whether a line holds the word, and not merely as part of a longer one.
fn names(line: &str, word: &str) -> bool {
    let within = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let mut after = line[at + word.len()..].chars();
        // An id may end a sentence.
        let after = after.next().filter(|c| *c != '.' || after.next().is_some_and(within));
        !before.is_some_and(within) && !after.is_some_and(within)
    })
}

/// `PROJ-123`. Tasks are called `review-qa-...`, in small letters.
fn is_jira_key(text: &str) -> bool {
    text.rsplit_once('-').is_some_and(|(project, number)| {
        project.starts_with(|c: char| c.is_ascii_uppercase())
            && project.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn write(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// A pipe whose other end is closed. While nothing is written, nobody else would tell.
fn nobody_reads() -> bool {
    let stdout = io::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    rustix::event::poll(&mut polled, Some(&at_once))
        .is_ok_and(|_| polled[0].revents().contains(PollFlags::ERR))
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_task_is_named_by_its_whole_id() {
        for line in ["Found task: a-1", "a-1 x", "Freed task a-1: gone", "lost a-1.", "[a-1]"] {
            assert!(names(line, "a-1"), "{line}");
        }
        for line in ["Found task: a-12", "xa-1", "a-1.5", "a-1-2", ""] {
            assert!(!names(line, "a-1"), "{line}");
        }
    }
}
