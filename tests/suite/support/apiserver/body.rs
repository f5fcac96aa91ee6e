//! Bodies as they go over the wire: whole, cut off, or drop by drop.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use super::log::Finish;

/// How long the first half of a body that is cut off may take to leave.
const FLUSH: Duration = Duration::from_millis(20);

/// Blanks after the end of a document mean nothing.
static BLANKS: [u8; 16 << 10] = [b' '; 16 << 10];

/// How a body is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pace {
    #[default]
    Whole,
    Truncated,
    Trickle(Duration),
    Endless,
}

/// A body that is being sent. It tells the log when it is done, or dropped
/// because nobody wants it any more.
pub struct Sending {
    rest: Bytes,
    pace: Pace,
    wait: Option<Pin<Box<Sleep>>>,
    _finish: Finish,
}

impl Sending {
    pub fn new(body: Bytes, pace: Pace, finish: Finish) -> Self {
        let rest = match pace {
            Pace::Truncated => body.slice(..body.len() / 2),
            Pace::Whole | Pace::Trickle(_) | Pace::Endless => body,
        };
        Self {
            rest,
            pace,
            wait: None,
            _finish: finish,
        }
    }

    /// Waits the pace's time; true once it is over.
    fn waited(&mut self, time: Duration, context: &mut Context<'_>) -> bool {
        let wait = self.wait.get_or_insert_with(|| Box::pin(sleep(time)));
        let over = wait.as_mut().poll(context).is_ready();
        if over {
            self.wait = None;
        }
        over
    }
}

impl Body for Sending {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let this = &mut *self;
        let pace = this.pace;
        match pace {
            Pace::Whole if this.rest.is_empty() => Poll::Ready(None),
            Pace::Endless if this.rest.is_empty() => {
                Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&BLANKS)))))
            }
            Pace::Whole | Pace::Endless => {
                let body = std::mem::take(&mut this.rest);
                Poll::Ready(Some(Ok(Frame::data(body))))
            }
            Pace::Truncated if !this.rest.is_empty() => {
                let half = std::mem::take(&mut this.rest);
                Poll::Ready(Some(Ok(Frame::data(half))))
            }
            Pace::Truncated if this.waited(FLUSH, context) => {
                Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())))
            }
            Pace::Trickle(every) if this.waited(every, context) => {
                // Blanks after the end of a document mean nothing.
                let drop = if this.rest.is_empty() {
                    Bytes::from_static(b" ")
                } else {
                    this.rest.split_to(1)
                };
                Poll::Ready(Some(Ok(Frame::data(drop))))
            }
            Pace::Truncated | Pace::Trickle(_) => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.pace == Pace::Whole && self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        match self.pace {
            Pace::Whole => SizeHint::with_exact(self.rest.len() as u64),
            Pace::Truncated | Pace::Trickle(_) | Pace::Endless => SizeHint::default(),
        }
    }
}
