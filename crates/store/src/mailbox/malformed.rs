use std::ffi::{OsStr, OsString};

use domain::tasks::{Invalid, TaskId};
use domain::text::{file_name_part, short_line};

use super::error::Result;
use super::folder::{Folder, Removal, unique};
use super::layout::Layout;

/// Something that was moved to `malformed/`, with an explanation beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Where it was, fit for a log line.
    pub was: String,
    /// Its name in `malformed/`. The explanation has `.reason.txt` at the end.
    pub name: String,
    pub reason: String,
}

/// Why a file is not taken in.
#[derive(Debug)]
pub(super) enum Why {
    NotATask(Invalid),
    TooLarge { largest: u64 },
    Link,
    Folder,
    Special,
    Unreadable(String),
    NoAgent,
    BadAgent(Invalid),
    NotJson,
    Edited(TaskId),
    Taken(TaskId),
    Refused(String),
    NotOurs(TaskId),
    StaleLock,
    NotAPause,
    InTheWay,
    NotAReader,
}

impl Why {
    fn reason(&self) -> String {
        match self {
            Why::NotATask(invalid) => format!("It cannot be read as a task. {invalid}."),
            Why::TooLarge { largest } => format!("It is larger than {largest} bytes."),
            Why::Link => "It is a symbolic link, and links are not followed.".to_owned(),
            Why::Folder => "It is a folder where a task file was expected.".to_owned(),
            Why::Special => "It is a pipe, a socket or a device, not a file.".to_owned(),
            Why::Unreadable(error) => format!("It could not be opened: {error}."),
            Why::NoAgent => "It lay in queues/ itself, so nobody knows for which agent it is.".to_owned(),
            Why::BadAgent(invalid) => format!("Its folder cannot be the queue of an agent. {invalid}."),
            Why::NotJson => "Its name does not end in .json.".to_owned(),
            Why::Edited(id) => {
                format!("It was changed by hand, but task {id} is kept in the store, which says otherwise.")
            }
            Why::Taken(id) => format!("There is already a task {id}, and it is not the same."),
            Why::Refused(refusal) => format!("The task was refused: {refusal}."),
            Why::NotOurs(id) => format!("It stood where task {id} is shown, and is not that task."),
            Why::StaleLock => "It was a lock that nobody has renewed for too long.".to_owned(),
            Why::NotAPause => "It cannot pause an agent: that takes a plain file with its name.".to_owned(),
            Why::InTheWay => "It stood in the place of an agent's folder, and is none.".to_owned(),
            Why::NotAReader => "It stood where the mailbox keeps its name, and is none.".to_owned(),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            Why::NotATask(_) | Why::Refused(_) => "Correct it and move it back.",
            Why::TooLarge { .. } => "Put large texts into a file of their own and name it in the task.",
            Why::Link | Why::Special => "Put a copy of the task itself into the queue.",
            Why::Folder | Why::InTheWay => "Move the task files in it, if any, into queues/<agent>/.",
            Why::Unreadable(_) => "Make it readable for the user that runs the agents and move it back.",
            Why::NoAgent | Why::BadAgent(_) => "Move it into queues/<agent>/, with the name of an agent.",
            Why::NotJson => "If it is a task, give it a name that ends in .json and move it back.",
            Why::Edited(_) => "Use `countersign task` to cancel or retry it, or add a new task.",
            Why::Taken(_) => "Give it another id, or none of your own making, and move it back.",
            Why::NotOurs(_) => "If it is a task, move it into queues/<agent>/.",
            Why::NotAReader => "Nothing: the mailbox has given itself a new name.",
            Why::StaleLock => "Nothing, unless its maker still works on the task.",
            Why::NotAPause => "Create the file with `touch`, or use `countersign agent pause`.",
        }
    }
}

/// Moves anything, whatever it is, to `malformed/`. Nothing if it was gone meanwhile.
///
/// The explanation is written first: it reserves the name, and after a crash nothing lies there unexplained.
pub(super) fn set_aside(layout: &Layout, from: &Folder, name: &OsStr, why: &Why) -> Result<Option<SetAside>> {
    let was = short_line(&from.path().join(name).to_string_lossy());
    let reason = short_line(&why.reason());
    let new_name = safe_name(from, name);
    let explanation = format!("{new_name}.reason.txt");
    let text = format!("Was: {was}\nReason: {reason}\nWhat to do: {}\n", why.advice());
    layout.malformed.create(OsStr::new(&explanation), text.as_bytes())?;
    match from.rename(name, &layout.malformed, OsStr::new(&new_name)) {
        Ok(Removal::Done) => Ok(Some(SetAside { was, name: new_name, reason })),
        Ok(Removal::WasGone) => layout.malformed.remove(OsStr::new(&explanation)).map(|()| None),
        Err(error) => {
            layout.malformed.remove(OsStr::new(&explanation))?;
            Err(error)
        }
    }
}

/// `<folder>-<name>-<unique>`, of harmless characters, with the old name in front for whoever looks for it.
fn safe_name(from: &Folder, name: &OsStr) -> String {
    let folder =
        from.path().file_name().map(OsStr::to_os_string).unwrap_or_else(|| OsString::from("mailbox"));
    let short = |part: &OsStr| -> String {
        file_name_part(&part.to_string_lossy().chars().take(60).collect::<String>())
    };
    format!("{}-{}-{}", short(&folder), short(name), unique())
}
