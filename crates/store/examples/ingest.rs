//! How long a mailbox takes to take in many files: `ingest FILES [STORE]`, in a directory of its own.

#![allow(clippy::print_stdout, reason = "its answer is for the terminal")]

use std::error::Error;
use std::time::Instant;

use domain::tasks::QueueLimit;
use store::Store;
use store::mailbox::Mailbox;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let files: usize = arguments.next().unwrap_or_else(|| "10000".to_owned()).parse()?;
    let folder = tempfile::tempdir()?;
    let url = arguments.next().unwrap_or_else(|| folder.path().join("tasks.db").display().to_string());
    let store = Store::open(&url).await?;
    let mailbox = Mailbox::open(folder.path().join("mail"))?;
    mailbox.tend(&store, QueueLimit::Unlimited).await?;
    let queue = folder.path().join("mail/queues/qa");
    std::fs::create_dir_all(&queue)?;
    for number in 0..files {
        let id = format!("ingest-{}-{number}", std::process::id());
        let task = format!(r#"{{"id":"{id}","type":"review","title":"Look at it","assigned_to":"qa"}}"#);
        std::fs::write(queue.join(format!("file-{number}.json")), task)?;
    }
    let begun = Instant::now();
    let taken = mailbox.tend(&store, QueueLimit::Unlimited).await?;
    let added = begun.elapsed();
    mailbox.tend(&store, QueueLimit::Unlimited).await?;
    println!("{} files taken in after {added:?}, all settled after {:?}", taken.added.len(), begun.elapsed());
    let begun = Instant::now();
    mailbox.tend(&store, QueueLimit::Unlimited).await?;
    println!("a look at a mailbox at rest takes {:?}", begun.elapsed());
    Ok(())
}
