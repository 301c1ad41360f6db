//! A trace as Chrome trace events, which Perfetto and `chrome://tracing` open.
//!
//! Format: Trace Event Format (Google, "JSON Object Format"): complete events with `ph` = "X" and times in
//! microseconds, metadata events with `ph` = "M" for the names of process and threads.

use serde_json::{Value, json};

use super::{Resource, Span, Trace};

/// Names are cut after so many characters, so that no name makes a file that no viewer opens.
pub const MAX_NAME_CHARS: usize = 200;

/// The one process.
const PID: u32 = 1;

impl Trace {
    /// The trace as JSON text for a trace viewer: one process called `title`, one thread per lane, times in
    /// microseconds from the start of the answer.
    pub fn to_chrome_json(&self, title: &str) -> String {
        let mut events = vec![named("process_name", 0, &json!({ "name": shown(title) }))];
        for lane in &self.lanes {
            let tid = thread(lane.resource);
            events.push(named("thread_name", tid, &json!({ "name": lane.resource.name() })));
            events.push(named("thread_sort_index", tid, &json!({ "sort_index": tid })));
        }
        events.extend(self.spans().map(|(resource, span)| complete(resource, span)));
        let whole = json!({
            "displayTimeUnit": "ns",
            "otherData": { "seconds": self.seconds().get(), "chips": "one stands for all" },
            "traceEvents": events,
        });
        whole.to_string()
    }
}

/// The same number for the same resource in every trace.
const fn thread(resource: Resource) -> u32 {
    match resource {
        Resource::Mxu => 1,
        Resource::Hbm => 2,
        Resource::Ici(axis) => 3 + axis as u32,
        Resource::Dcn => 6,
    }
}

fn named(what: &str, tid: u32, args: &Value) -> Value {
    json!({ "name": what, "ph": "M", "ts": 0, "pid": PID, "tid": tid, "args": args })
}

fn complete(resource: Resource, span: &Span) -> Value {
    let mut args = serde_json::Map::new();
    if let Some(bytes) = span.bytes {
        args.insert("bytes".to_owned(), json!(bytes.get()));
    }
    if let Some(flop) = span.flop {
        args.insert("flop".to_owned(), json!(flop.get()));
    }
    args.insert("exposed".to_owned(), json!(span.is_exposed));
    args.insert("seconds".to_owned(), json!(span.seconds.get()));
    json!({
        "name": shown(&span.name),
        "cat": span.kind.name(),
        "ph": "X",
        "ts": span.start.get() * 1e6,
        "dur": span.seconds.get() * 1e6,
        "pid": PID,
        "tid": thread(resource),
        "args": args,
    })
}

/// A name that a viewer shows as one short line: control characters are written out, long ones are cut.
fn shown(name: &str) -> String {
    let mut text: String = name.chars().take(MAX_NAME_CHARS).collect();
    if text.chars().any(char::is_control) {
        text = text.escape_default().take(MAX_NAME_CHARS).collect();
    }
    text
}
