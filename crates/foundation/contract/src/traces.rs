//! Traces across time: a job belongs to the trace that it was begun in. The program that sends
//! traces says how one is written down; where none are sent, none is.

use std::sync::OnceLock;

use tracing::Span;

/// How the trace of a span is written down, and taken up again.
pub struct TraceParents {
    /// The trace that a span belongs to, as a header `traceparent` (W3C Trace Context); `None` where it belongs to none.
    pub of: fn(&Span) -> Option<String>,
    /// Makes a new span a part of such a trace.
    pub adopt: fn(&Span, &str),
}

static PARENTS: OnceLock<TraceParents> = OnceLock::new();

/// Has traces written down from now on.
pub fn connect(parents: TraceParents) {
    PARENTS.set(parents).ok();
}

/// The trace of what is done now.
pub(crate) fn current() -> Option<String> {
    PARENTS.get().and_then(|parents| (parents.of)(&Span::current()))
}

/// Makes a new span a part of a trace that was written down.
pub fn adopt(span: &Span, parent: &str) {
    if let Some(parents) = PARENTS.get() {
        (parents.adopt)(span, parent);
    }
}
