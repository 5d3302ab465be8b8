//! The protocol: a handshake or none, the list of tools, and calls. A call's work runs off the loop that reads the client, a
//! few at a time, so that pings, cancellations and the stream's end are seen at once.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{
    NotificationContext, QuitReason, RequestContext, RoleServer, ServerInitializeError, ServiceExt,
};
use rmcp::transport::stdio_pipes;
use rmcp::{ErrorData, ServerHandler};
use tokio::sync::{Semaphore, mpsc};

use crate::arguments::Asked;
use crate::call::{Call, Desk, Reply};
use crate::claims::Hints;
use crate::error::Error;
use crate::lines::Lines;
use crate::project::folder_of;
use crate::watch::{Abandoned, Step, Watch, Work};
use crate::{Form, Setup};

/// So many calls are worked on at once; the others wait their turn.
const AT_ONCE: usize = 2;
/// Where the streams are no pipes, each takes a thread of its own.
const STREAMS: usize = 2;
/// A client that says it has roots names them within this.
const FOR_ROOTS: Duration = Duration::from_secs(3);

/// Serves a client on standard input and output until that ends.
///
/// # Errors
/// If no runtime can be made, or the other side does not speak the protocol.
pub fn serve(setup: Setup) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(AT_ONCE + STREAMS)
        .build()?;
    let ended = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        let running = match Server::new(setup).serve(Lines::new(input, output)).await {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(Error::Protocol(short(&error.to_string()))),
        };
        match running.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => Err(io::Error::other(error).into()),
            Ok(_) => Ok(()),
        }
    });
    // Whoever asked is gone: a read or a fold that still runs ends with the process.
    runtime.shutdown_background();
    ended
}

fn short(text: &str) -> String {
    text.chars().take(200).collect()
}

struct Server {
    desk: Arc<Desk>,
    turns: Arc<Semaphore>,
    /// The client's roots, once they were asked for.
    roots: Mutex<Option<Vec<PathBuf>>>,
}

impl Server {
    fn new(setup: Setup) -> Server {
        Server {
            desk: Arc::new(Desk::new(setup)),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            roots: Mutex::default(),
        }
    }

    /// The client's roots, where they matter and it has any. Asked for once, and again when it says that they changed. A later
    /// protocol has no such question.
    async fn roots(&self, context: &RequestContext<RoleServer>) -> Vec<PathBuf> {
        if !self.desk.setup.needs_roots() {
            return Vec::new();
        }
        if let Some(known) = self.roots.lock().ok().and_then(|known| known.clone()) {
            return known;
        }
        let has_any = context
            .client_capabilities()
            .is_some_and(|capabilities| capabilities.roots.is_some());
        if !has_any || context.meta.protocol_version().is_some() {
            return Vec::new();
        }
        #[expect(deprecated, reason = "clients of the handshake's era still name roots")]
        let named: Vec<PathBuf> =
            match tokio::time::timeout(FOR_ROOTS, context.peer.list_roots()).await {
                Ok(Ok(listed)) => listed
                    .roots
                    .iter()
                    .filter_map(|root| folder_of(&root.uri))
                    .collect(),
                _ => Vec::new(),
            };
        if let Ok(mut known) = self.roots.lock() {
            *known = Some(named.clone());
        }
        named
    }

    /// Has a call answered off the loop, tells the client how far it is, and drops it when the client takes it back.
    async fn work(&self, call: Call, context: &RequestContext<RoleServer>) -> Option<Reply> {
        let turn = tokio::select! {
            turn = Arc::clone(&self.turns).acquire_owned() => turn.ok()?,
            () = context.ct.cancelled() => return None,
        };
        let abandoned = Abandoned::default();
        let on_drop = AbandonOnDrop(abandoned.clone());
        let (tell, mut told) = mpsc::unbounded_channel();
        let work = call.asked.work();
        let watch = Watch::new(work, abandoned, tell);
        let desk = Arc::clone(&self.desk);
        let mut worker = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            desk.answer(&call, &watch)
        });
        let reply = loop {
            tokio::select! {
                // In this order: what was told before the end is passed on before the answer.
                biased;
                () = context.ct.cancelled() => return None,
                Some(step) = told.recv() => pass_on(work, &step, context).await,
                done = &mut worker => break done.unwrap_or_else(|_| Reply::Failure(FAULT.to_owned())),
            }
        };
        drop(on_drop);
        Some(reply)
    }
}

/// Stops the work of a call that nobody waits for, however that came about.
struct AbandonOnDrop(Abandoned);

impl Drop for AbandonOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

const FAULT: &str = "memfold failed over this call, which is a fault of its own. Try other words, or restart the session";

/// Tells a client that asked for it how far a reading is, in MB, which it shows as they are.
async fn pass_on(work: Work, step: &Step, context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let message = format!("{}: {} of {}", work.told(), step.done, step.of);
    let told = ProgressNotificationParam::new(token, megabytes(step.bytes))
        .with_total(megabytes(step.of_bytes))
        .with_message(message);
    // A client that cannot be told will not read the answer either.
    let _ = context.peer.notify_progress(told).await;
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("memfold", env!("CARGO_PKG_VERSION")).with_title("memfold"),
            )
            .with_instructions(self.desk.setup.tools.instructions())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let setup = &self.desk.setup;
        Ok(ListToolsResult::with_all_items(
            setup.tools.tools(setup.form),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tools = self.desk.setup.tools;
        let Some(tool) = tools.named(&request.name) else {
            let known: Vec<&str> = tools.names().iter().map(|name| name.as_str()).collect();
            let what = format!(
                "unknown tool: {}; there are {}",
                short(&request.name),
                known.join(", ")
            );
            return Err(ErrorData::invalid_params(what, None));
        };
        let asked = match Asked::read(tool, request.arguments.unwrap_or_default()) {
            Ok(asked) => asked,
            Err(wrong) => return Ok(self.told(Reply::Failure(wrong)).into()),
        };
        let hints = Hints::of(&context.meta.0.0);
        let call = Call::new(asked, hints, self.roots(&context).await);
        match self.work(call, &context).await {
            Some(reply) => Ok(self.told(reply).into()),
            // Never sent: the client does not wait for it.
            None => Err(ErrorData::internal_error("cancelled", None)),
        }
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        if let Ok(mut known) = self.roots.lock() {
            *known = None;
        }
    }
}

impl Server {
    fn told(&self, reply: Reply) -> CallToolResult {
        match reply {
            Reply::Failure(what) => CallToolResult::error(vec![ContentBlock::text(what)]),
            Reply::Answer(text, structure) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                if self.desk.setup.form == Form::Structured {
                    result.structured_content = Some(structure);
                }
                result
            }
        }
    }
}
