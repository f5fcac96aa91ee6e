//! A client that is far away.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

const BUFFER: usize = 256 * 1024;

/// The server's end of a connection whose round trip takes this long.
///
/// The way to the server carries the whole delay. To a client that asks and
/// waits it makes no difference, and what it sends at once arrives at once.
/// The kernel opens a connection without us, so the first bytes pay for that
/// round trip as well.
pub fn far(near: TcpStream, round_trip: Duration) -> DuplexStream {
    let (ours, theirs) = duplex(BUFFER);
    let (mut read, mut write) = near.into_split();
    let (mut answers, mut questions) = split(theirs);
    let (send, mut receive) = mpsc::unbounded_channel();
    let opened = Instant::now() + round_trip;
    tokio::spawn(async move {
        let mut buffer = vec![0; BUFFER];
        while let Ok(length @ 1..) = read.read(&mut buffer).await {
            let due = Instant::now().max(opened) + round_trip;
            if send.send((due, buffer[..length].to_vec())).is_err() {
                break;
            }
        }
    });
    tokio::spawn(async move {
        while let Some((due, bytes)) = receive.recv().await {
            sleep_until(due).await;
            if questions.write_all(&bytes).await.is_err() {
                break;
            }
        }
        // Best effort: the other end may be gone already.
        let _ = questions.shutdown().await;
    });
    tokio::spawn(async move {
        let _ = tokio::io::copy(&mut answers, &mut write).await;
        let _ = write.shutdown().await;
    });
    ours
}
