use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::workshop::Workshop;

pub(crate) const PROCESSES: usize = 4;
const HANG: Duration = Duration::from_secs(60);

/// The processes that do the work. Whoever ends is replaced.
pub(crate) struct Crew<'a> {
    workshop: &'a Workshop,
    processes: Vec<Process>,
    started: usize,
    /// Ended because the store could not be reached when they began. A supervisor starts them again.
    pub(crate) turned_away: u32,
    /// Ended for any other reason that was not us. There must be none.
    pub(crate) ended_by_themselves: Vec<String>,
}

struct Process {
    child: Child,
    said: PathBuf,
}

impl<'a> Crew<'a> {
    pub(crate) fn start(workshop: &'a Workshop) -> Crew<'a> {
        let mut crew = Crew {
            workshop,
            processes: Vec::new(),
            started: 0,
            turned_away: 0,
            ended_by_themselves: Vec::new(),
        };
        for _ in 0..PROCESSES {
            let process = crew.spawn();
            crew.processes.push(process);
        }
        crew
    }

    fn spawn(&mut self) -> Process {
        let said = self.workshop.repo().outside(&format!("process-{}.log", self.started));
        let mut command = self.workshop.countersign(self.started);
        self.started += 1;
        command.args(["agent", "start", "qa", "engineer"]);
        command.stdout(Stdio::null()).stderr(File::create(&said).unwrap());
        Process { child: command.spawn().unwrap(), said }
    }

    /// Those that hold a task, as far as the mailbox shows it.
    pub(crate) fn at_work(&self) -> Vec<usize> {
        let mailbox = self.workshop.mailbox();
        let read =
            |path: PathBuf| fs::read(path).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
        let locks = fs::read_dir(mailbox.join("locks")).into_iter().flatten().flatten();
        let holders = locks.filter_map(|lock| Some(read(lock.path())?["holder"].as_str()?.to_owned()));
        let beat = |holder: String| read(mailbox.join("heartbeats").join(format!("{holder}.json")));
        let ids: Vec<u64> = holders.filter_map(|holder| beat(holder)?["pid"].as_u64()).collect();
        let is_one = |index: &usize| ids.contains(&self.processes[*index].child.id().into());
        (0..self.processes.len()).filter(is_one).collect()
    }

    /// SIGKILL: no goodbye.
    pub(crate) fn kill(&mut self, index: usize) {
        let _ = self.processes[index].child.kill();
        let _ = self.processes[index].child.wait();
        self.processes[index] = self.spawn();
    }

    pub(crate) fn id(&self, index: usize) -> u32 {
        self.processes[index].child.id()
    }

    /// Alive, and doing nothing: to the others it looks dead.
    pub(crate) fn freeze(&self, index: usize) -> u32 {
        let id = self.id(index);
        signal(id, "-STOP");
        id
    }

    /// It goes on where it was, knowing nothing of what happened. Its number may be gone by now.
    pub(crate) fn thaw(&self, id: u32) {
        if self.processes.iter().any(|process| process.child.id() == id) {
            signal(id, "-CONT");
        }
    }

    pub(crate) fn replace_the_ended(&mut self) {
        for index in 0..self.processes.len() {
            let Some(status) = self.processes[index].child.try_wait().unwrap() else { continue };
            let said = fs::read_to_string(&self.processes[index].said).unwrap_or_default();
            if said.contains("error: the store cannot") {
                self.turned_away += 1;
            } else {
                self.ended_by_themselves.push(format!("{status}: {said}"));
            }
            self.processes[index] = self.spawn();
        }
    }

    /// SIGTERM, and how each of them ended.
    pub(crate) fn dismiss(mut self) -> Vec<Result<ExitStatus, String>> {
        self.processes.iter().for_each(|process| signal(process.child.id(), "-TERM"));
        self.processes.iter_mut().map(end_of).collect()
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        for process in &mut self.processes {
            let _ = process.child.kill();
            let _ = process.child.wait();
        }
    }
}

fn end_of(process: &mut Process) -> Result<ExitStatus, String> {
    let begun = Instant::now();
    while begun.elapsed() < HANG {
        if let Some(status) = process.child.try_wait().unwrap() {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Err(fs::read_to_string(&process.said).unwrap_or_default())
}

fn signal(id: u32, signal: &str) {
    let _ = Command::new("kill").arg(signal).arg(id.to_string()).output();
}
