use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::error::{MailboxError, Result};

const BEING_WRITTEN: &str = ".countersign-new-";
const BEING_REMOVED: &str = ".countersign-old-";

/// An open folder. Everything is reached from its descriptor by one name without slashes, and no link is
/// ever followed: whatever is done to the tree meanwhile, nothing outside it is read or written.
#[derive(Debug)]
pub(super) struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Special,
}

/// Tells a file from what it was before somebody wrote to it or put another in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    inode: u64,
    size: u64,
    modified: i128,
    changed: i128,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) identity: Identity,
}

/// What reading a file came to.
#[derive(Debug)]
pub(super) enum Content {
    Whole(Vec<u8>, Identity),
    TooLarge,
    /// It went away, or is no file any more.
    Gone,
    Unreadable(String),
}

impl Identity {
    fn of(stat: &Stat) -> Identity {
        let nanoseconds = |seconds: i128, rest: i128| seconds * 1_000_000_000 + rest;
        Identity {
            inode: stat.st_ino,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: nanoseconds(i128::from(stat.st_mtime), i128::from(stat.st_mtime_nsec)),
            changed: nanoseconds(i128::from(stat.st_ctime), i128::from(stat.st_ctime_nsec)),
        }
    }

    /// The same file with the same content; it may have been renamed.
    pub(super) fn is_content_of(&self, other: &Identity) -> bool {
        (self.inode, self.size, self.modified) == (other.inode, other.size, other.modified)
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Milliseconds since 1970.
    pub(super) fn modified_ms(&self) -> i128 {
        self.modified.div_euclid(1_000_000)
    }
}

impl Folder {
    pub(super) fn open(path: &Path) -> Result<Folder> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(CWD, path, flags, Mode::empty()) {
            Ok(descriptor) => Ok(Folder { descriptor, path: path.to_owned() }),
            Err(Errno::LOOP | Errno::NOTDIR) => Err(MailboxError::NotAFolder(path.to_owned())),
            Err(error) => Err(failed("open", path, error)),
        }
    }

    /// Nothing if it is not there.
    pub(super) fn child(&self, name: &OsStr) -> Result<Option<Folder>> {
        let path = self.path.join(name);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.descriptor, name, flags, Mode::empty()) {
            Ok(descriptor) => Ok(Some(Folder { descriptor, path })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => Err(MailboxError::NotAFolder(path)),
            Err(error) => Err(failed("open", &path, error)),
        }
    }

    /// Opens a folder that [`Folder::child`] did not find.
    pub(super) fn make_child(&self, name: &OsStr) -> Result<Folder> {
        let path = self.path.join(name);
        match rustix::fs::mkdirat(&self.descriptor, name, Mode::from_raw_mode(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(failed("create", &path, error)),
        }
        self.child(name)?.ok_or_else(|| failed("open", &path, Errno::NOENT))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn look(&self, name: &OsStr) -> Result<Option<Entry>> {
        match rustix::fs::statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Entry { kind: kind_of(&stat), identity: Identity::of(&stat) })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(failed("look at", &self.path.join(name), error)),
        }
    }

    /// Reads a plain file of at most `largest` bytes. A pipe does not keep us waiting.
    pub(super) fn read(&self, name: &OsStr, largest: u64) -> Content {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let descriptor = match rustix::fs::openat(&self.descriptor, name, flags, Mode::empty()) {
            Ok(descriptor) => descriptor,
            Err(Errno::NOENT | Errno::LOOP) => return Content::Gone,
            Err(error) => return Content::Unreadable(error.to_string()),
        };
        let stat = match rustix::fs::fstat(&descriptor) {
            Ok(stat) => stat,
            Err(error) => return Content::Unreadable(error.to_string()),
        };
        if kind_of(&stat) != Kind::File {
            return Content::Gone;
        }
        let identity = Identity::of(&stat);
        if identity.size > largest {
            return Content::TooLarge;
        }
        let mut bytes = Vec::new();
        match File::from(descriptor).take(largest + 1).read_to_end(&mut bytes) {
            Ok(_) if bytes.len() as u64 > largest => Content::TooLarge,
            Ok(_) => Content::Whole(bytes, identity),
            Err(error) => Content::Unreadable(error.to_string()),
        }
    }

    /// One name at a time: the folder may be larger than memory.
    pub(super) fn names(&self) -> Result<impl Iterator<Item = OsString> + Send + use<>> {
        let listing = Dir::read_from(&self.descriptor).map_err(|error| failed("list", &self.path, error))?;
        Ok(listing
            .map_while(std::result::Result::ok)
            .map(|entry| OsString::from_vec(entry.file_name().to_bytes().to_vec()))
            .filter(|name| name != "." && name != ".."))
    }

    /// The file is there whole or not at all, and replaces what has that name.
    pub(super) fn write(&self, name: &OsStr, bytes: &[u8]) -> Result<Identity> {
        self.write_as_of(name, bytes, None)
    }

    /// Dated back to when what it says became true, if that is given.
    pub(super) fn write_as_of(
        &self,
        name: &OsStr,
        bytes: &[u8],
        then: Option<Timestamp>,
    ) -> Result<Identity> {
        let temporary = hidden_name(BEING_WRITTEN);
        let file = self.create(&temporary, bytes)?;
        let describe = |error| failed("write", &self.path.join(name), error);
        if let Some(then) = then {
            let dated = file.set_modified(then.into());
            dated.map_err(|source| MailboxError::Io {
                action: "date",
                path: self.path.join(name),
                source,
            })?;
        }
        rustix::fs::renameat(&self.descriptor, &temporary, &self.descriptor, name).map_err(describe)?;
        Ok(Identity::of(&rustix::fs::fstat(&file).map_err(describe)?))
    }

    /// Fails if there is anything of that name.
    pub(super) fn create(&self, name: &OsStr, bytes: &[u8]) -> Result<File> {
        let path = self.path.join(name);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o644);
        let descriptor = rustix::fs::openat(&self.descriptor, name, flags, mode)
            .map_err(|error| failed("create", &path, error))?;
        let mut file = File::from(descriptor);
        match file.write_all(bytes) {
            Ok(()) => Ok(file),
            Err(source) => Err(MailboxError::Io { action: "write", path, source }),
        }
    }

    /// The file is there whole or not at all, and only if nothing had that name. (Where the file system has no
    /// hard links, there is a moment in which it is there and empty.)
    pub(super) fn create_whole(&self, name: &OsStr, bytes: &[u8]) -> Result<Creation> {
        let temporary = hidden_name(BEING_WRITTEN);
        let written = self.create(&temporary, bytes);
        let linked = written.and_then(|_| {
            let (here, none) = (&self.descriptor, AtFlags::empty());
            match rustix::fs::linkat(here, &temporary, here, name, none) {
                Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => self.create(name, bytes).map(|_| ()),
                linked => linked.map_err(|error| failed("create", &self.path.join(name), error)),
            }
        });
        self.remove(&temporary)?;
        match linked {
            Ok(()) => Ok(Creation::Done),
            Err(MailboxError::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {
                Ok(Creation::SomebodyWasFaster)
            }
            Err(error) => Err(error),
        }
    }

    /// For files whose content does not matter, such as those that are locked.
    pub(super) fn open_or_create(&self, name: &OsStr) -> Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o644);
        rustix::fs::openat(&self.descriptor, name, flags, mode)
            .map(File::from)
            .map_err(|error| failed("open", &self.path.join(name), error))
    }

    /// Moves the thing itself, whatever it is; a link is not followed.
    pub(super) fn rename(&self, name: &OsStr, into: &Folder, new_name: &OsStr) -> Result<Removal> {
        match rustix::fs::renameat(&self.descriptor, name, &into.descriptor, new_name) {
            Ok(()) => Ok(Removal::Done),
            Err(Errno::NOENT) => Ok(Removal::WasGone),
            Err(error) => Err(failed("move", &self.path.join(name), error)),
        }
    }

    /// For files that hold nothing but what we wrote.
    pub(super) fn remove(&self, name: &OsStr) -> Result<()> {
        match rustix::fs::unlinkat(&self.descriptor, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(failed("remove", &self.path.join(name), error)),
        }
    }

    /// Removes a file whose content is safe elsewhere, unless somebody changed it since it was read: then it
    /// stays, or comes back beside a newer one.
    pub(super) fn remove_if_same(&self, name: &OsStr, seen: &Identity) -> Result<()> {
        let hidden = hidden_name(BEING_REMOVED);
        if self.rename(name, self, &hidden)? == Removal::WasGone {
            return Ok(());
        }
        match self.look(&hidden)? {
            Some(entry) if !entry.identity.is_content_of(seen) => {
                let back = if self.look(name)?.is_none() { name.to_owned() } else { self.free_name(name) };
                self.rename(&hidden, self, &back).map(|_| ())
            }
            Some(_) => self.remove(&hidden),
            None => Ok(()),
        }
    }

    /// A name for a file that has to make room, still recognised as a task file.
    pub(super) fn free_name(&self, name: &OsStr) -> OsString {
        let stem = Path::new(name).file_stem().unwrap_or(name).to_string_lossy();
        let stem: String = stem.chars().take(60).collect();
        OsString::from(format!("{}-{}.json", domain::text::file_name_part(&stem), unique()))
    }
}

/// Whether an open file is the one that has this name.
pub(super) fn is_same_file(open: &File, folder: &Folder, name: &OsStr) -> Result<bool> {
    let stat = rustix::fs::fstat(open).map_err(|error| failed("look at", &folder.path.join(name), error))?;
    Ok(folder.look(name)?.is_some_and(|entry| entry.identity.inode == stat.st_ino))
}

/// Whether a file could be made under its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Creation {
    Done,
    SomebodyWasFaster,
}

/// Whether a file was there to be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Removal {
    Done,
    WasGone,
}

fn kind_of(stat: &Stat) -> Kind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::Link,
        _ => Kind::Special,
    }
}

fn hidden_name(prefix: &str) -> OsString {
    OsString::from(format!("{prefix}{}", unique()))
}

/// Left by a crash in the midst of [`Folder::write`], unless somebody is just writing it.
pub(super) fn was_being_written(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(BEING_WRITTEN.as_bytes())
}

/// Left by a crash in the midst of [`Folder::remove_if_same`]: nobody knows whether it was safe to remove.
pub(super) fn was_being_removed(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(BEING_REMOVED.as_bytes())
}

/// Differs between processes and between calls.
pub(super) fn unique() -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let now = jiff::Timestamp::now().as_millisecond();
    format!("{now}-{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed))
}

fn failed(action: &'static str, path: &Path, error: Errno) -> MailboxError {
    MailboxError::Io { action, path: path.to_owned(), source: error.into() }
}
