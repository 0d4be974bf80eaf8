//! Something between the store and its server that changes what is said.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Replaces one text from the client by another of the same length.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) from: &'static str,
    pub(crate) to: &'static str,
}

pub(crate) struct Proxy {
    pub(crate) port: u16,
    changed: Arc<AtomicUsize>,
}

impl Proxy {
    /// It runs until the test ends.
    pub(crate) fn start(server: u16, change: Change) -> Proxy {
        assert_eq!(change.from.len(), change.to.len());
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let changed = Arc::new(AtomicUsize::new(0));
        let count = changed.clone();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(upstream) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let (back_from, back_to) = (upstream.try_clone().unwrap(), client.try_clone().unwrap());
                let count = count.clone();
                thread::spawn(move || pump(client, upstream, |bytes| replace(bytes, change, &count)));
                thread::spawn(move || pump(back_from, back_to, |_| {}));
            }
        });
        Proxy { port, changed }
    }

    pub(crate) fn changed(&self) -> usize {
        self.changed.load(Ordering::SeqCst)
    }
}

fn pump(mut from: TcpStream, mut to: TcpStream, edit: impl Fn(&mut [u8])) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        edit(&mut buffer[..length]);
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

fn replace(bytes: &mut [u8], change: Change, count: &AtomicUsize) {
    let (from, to) = (change.from.as_bytes(), change.to.as_bytes());
    if let Some(at) = bytes.windows(from.len()).position(|window| window == from) {
        bytes[at..at + to.len()].copy_from_slice(to);
        count.fetch_add(1, Ordering::SeqCst);
    }
}
