//! Standard input and output as the protocol's transport: a line is a message. A line that is none is answered as JSON-RPC has
//! it, where the library drops it without a word: whoever waits for an answer learns that there will be none.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::model::ErrorData;
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde::de::IgnoredAny;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, BufReader, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A line of a client's may be so long; a call is far shorter.
const LONGEST: usize = 8 << 20;
/// A longer line's memory is given back.
const KEPT: usize = 1 << 20;

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NotJson,
    TooLong,
}

impl Fault {
    /// What JSON-RPC answers to it. Whose request it was is not known.
    fn answer(self) -> TxJsonRpcMessage<RoleServer> {
        let error = match self {
            Fault::NotJson => ErrorData::parse_error("Parse error: the line is no JSON", None),
            Fault::TooLong => ErrorData::invalid_request(
                format!(
                    "Invalid request: the line is longer than {} MiB",
                    LONGEST >> 20
                ),
                None,
            ),
        };
        TxJsonRpcMessage::<RoleServer>::error(error, None)
    }
}

/// The transport.
pub(crate) struct Lines<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, Sifted<R>, W>,
    faults: UnboundedReceiver<Fault>,
    /// An answer that is being sent: nothing more is read meanwhile, so that nothing piles up.
    answering: Option<Pin<Box<dyn Future<Output = io::Result<()>> + Send>>>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(input: R, output: W) -> Lines<R, W> {
        let (tell, faults) = unbounded_channel();
        let sifted = Sifted::new(input, tell);
        Lines {
            inner: AsyncRwTransport::new(sifted, output).with_max_line_length(LONGEST + 1),
            faults,
            answering: None,
        }
    }

    async fn answer(&mut self, fault: Fault) {
        let sent = self.inner.send(fault.answer());
        self.answering = Some(Box::pin(sent));
        self.answered().await;
    }

    /// Waits until what is being answered is sent. Dropped half-way it is gone on with at the next call.
    async fn answered(&mut self) {
        if let Some(answering) = &mut self.answering {
            // A client that cannot be told is seen to be gone when it is read again.
            let _ = answering.await;
            self.answering = None;
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.answered().await;
            let fault = tokio::select! {
                biased;
                Some(fault) = self.faults.recv() => fault,
                message = self.inner.receive() => match message {
                    Some(message) => return Some(message),
                    // The input's end may come with a last line that is none.
                    None => self.faults.try_recv().ok()?,
                },
            };
            self.answer(fault).await;
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.inner.close().await
    }
}

/// An input of which only lines of JSON come through.
struct Sifted<R> {
    input: BufReader<R>,
    /// The line that is being read.
    line: Vec<u8>,
    /// It is too long, and was told: the rest of it is passed over.
    passing_over: bool,
    /// A line that is being given, and how much of it was.
    whole: Vec<u8>,
    given: usize,
    faults: UnboundedSender<Fault>,
}

impl<R: AsyncRead> Sifted<R> {
    fn new(input: R, faults: UnboundedSender<Fault>) -> Sifted<R> {
        Sifted {
            input: BufReader::new(input),
            line: Vec::new(),
            passing_over: false,
            whole: Vec::new(),
            given: 0,
            faults,
        }
    }

    fn tell(&self, fault: Fault) {
        // Nobody listens once the transport is gone.
        let _ = self.faults.send(fault);
    }

    /// Takes a piece of the input, up to a line's end if it has one, and says how much was taken.
    fn take(&mut self, piece: &[u8]) -> usize {
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(piece.len(), |end| end + 1);
        let part = piece.get(..end.unwrap_or(taken)).unwrap_or_default();
        if !self.passing_over {
            if self.line.len().saturating_add(part.len()) > LONGEST {
                self.tell(Fault::TooLong);
                self.passing_over = true;
                self.line = Vec::new();
            } else {
                self.line.extend_from_slice(part);
            }
        }
        if end.is_some() {
            if !self.passing_over {
                self.end_of_line();
            }
            self.passing_over = false;
        }
        taken
    }

    fn end_of_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = line.trim_ascii();
        if text.is_empty() {
            return;
        }
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        let is_json = std::str::from_utf8(text)
            .is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok());
        if is_json {
            self.whole = line;
            self.whole.push(b'\n');
            self.given = 0;
        } else {
            self.tell(Fault::NotJson);
        }
    }

    /// Gives what there is of a line.
    fn give(&mut self, out: &mut ReadBuf<'_>) {
        let rest = self.whole.get(self.given..).unwrap_or_default();
        let length = rest.len().min(out.remaining());
        out.put_slice(rest.get(..length).unwrap_or_default());
        self.given += length;
        if self.given >= self.whole.len() {
            self.given = 0;
            self.whole.clear();
            // The buffer serves the next line, unless it is large.
            if self.whole.capacity() <= KEPT {
                self.line = std::mem::take(&mut self.whole);
            } else {
                self.whole = Vec::new();
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Sifted<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        while this.whole.is_empty() {
            let piece = ready!(Pin::new(&mut this.input).poll_fill_buf(context))?.to_vec();
            if piece.is_empty() {
                if !this.line.is_empty() {
                    // Cut short by the end.
                    this.line = Vec::new();
                    this.tell(Fault::NotJson);
                }
                return Poll::Ready(Ok(()));
            }
            let taken = this.take(&piece);
            Pin::new(&mut this.input).consume(taken);
        }
        this.give(out);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use tokio::io::{AsyncBufReadExt, AsyncReadExt};

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(work)
    }

    fn sifted(input: &'static [u8], by: usize) -> (String, Vec<Fault>) {
        let (tell, mut faults) = unbounded_channel();
        let mut sifted = Sifted::new(input.take(u64::MAX), tell);
        let mut out = Vec::new();
        run(async {
            let mut buffer = vec![0; by];
            loop {
                let read = sifted.read(&mut buffer).await.unwrap();
                if read == 0 {
                    break;
                }
                out.extend_from_slice(&buffer[..read]);
            }
        });
        let mut told = Vec::new();
        while let Ok(fault) = faults.try_recv() {
            told.push(fault);
        }
        (String::from_utf8(out).unwrap(), told)
    }

    #[test]
    fn lines_of_json_come_through_and_others_are_told() {
        let input = b"{\"a\":1}\r\n\n  \nnonsense\n[1]\n\xff\xfe\n{\n\xEF\xBB\xBF{}\n{\"cut\":";
        for by in [1, 7, 4096] {
            let (out, told) = sifted(input, by);
            assert_eq!(out, "{\"a\":1}\r\n[1]\n\u{feff}{}\n");
            assert_eq!(told, [Fault::NotJson; 4]);
        }
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory_without_end() {
        let long: &'static [u8] = Box::leak(
            [
                vec![b'"'; 1],
                vec![b'x'; LONGEST + 10],
                b"\"\n{}\n".to_vec(),
            ]
            .concat()
            .into_boxed_slice(),
        );
        assert_eq!(sifted(long, 4096), ("{}\n".into(), vec![Fault::TooLong]));
    }

    #[test]
    fn what_is_no_message_is_answered_and_the_next_one_received() {
        let input: &[u8] =
            b"nonsense\n{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n{\"cut\":";
        let (here, there) = tokio::io::duplex(1 << 16);
        run(async {
            let mut lines = Lines::new(input, here);
            let ping = lines.receive().await.unwrap();
            assert!(serde_json::to_string(&ping).unwrap().contains("ping"));
            assert!(lines.receive().await.is_none());
            drop(lines);
            let mut said = tokio::io::BufReader::new(there).lines();
            let mut codes = Vec::new();
            while let Some(line) = said.next_line().await.unwrap() {
                let answer: Value = serde_json::from_str(&line).unwrap();
                assert_eq!(answer["id"], Value::Null, "{answer}");
                codes.push(answer["error"]["code"].as_i64().unwrap());
            }
            assert_eq!(codes, [-32700, -32700]);
        });
    }
}
