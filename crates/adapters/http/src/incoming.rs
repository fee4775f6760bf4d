//! Incoming bodies: of a bounded size, read within a bounded time.

use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use spotter_kernel::{Key, Problem, Result};

/// How long a body may take to arrive.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Reads a body up to a size: 413 for a longer one, 408 for a slow one, 400 for one that breaks off.
pub async fn read_body(body: Body, max: usize) -> Result<Bytes> {
    read_body_within(body, max, TIMEOUT).await
}

/// The same where it may take longer, or must not take as long.
pub async fn read_body_within(body: Body, max: usize, within: Duration) -> Result<Bytes> {
    let failed = |status, message: &str| {
        Problem::with_message(Key::RequestFailed, message).with_status(status)
    };
    match tokio::time::timeout(within, Limited::new(body, max).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(failed(413, &too_large(max))),
        Ok(Err(_)) => Err(failed(400, "The body could not be read.")),
        Err(_) => Err(failed(408, "The body took too long to arrive.")),
    }
}

fn too_large(max: usize) -> String {
    match max >> 20 {
        0 => format!("The body is larger than {} KiB.", max >> 10),
        mebibytes => format!("The body is larger than {mebibytes} MiB."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn bodies_have_a_size_and_a_time() {
        assert_eq!(read_body(Body::from("four"), 4).await.unwrap(), "four");
        let long = read_body(Body::from(vec![b'x'; 2_000]), 1_024).await.unwrap_err();
        assert_eq!((long.status, &*long.message), (413, "The body is larger than 1 KiB."));
        let endless = futures_util::stream::pending::<std::io::Result<Bytes>>();
        assert_eq!(read_body(Body::from_stream(endless), 4).await.unwrap_err().status, 408);
    }
}
