//! Traces for operators, by OpenTelemetry's protocol (OTLP over HTTP): a request with its transactions and statements, and the
//! same of timers and jobs. Nothing is traced unless the setting `otlp_url` names a collector; then a span costs some
//! microseconds. Spans hold routes, statements and kinds, and never parameters, bodies or addresses.

use std::{collections::HashMap, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry::{KeyValue, propagation::TextMapPropagator, trace::TracerProvider};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{Sampler, SdkTracerProvider},
};
use spotter_contract::traces::{self, TraceParents};
use tokio::runtime::Handle;
use tracing_opentelemetry::OpenTelemetrySpanExt;

/// Where traces are sent, and how many of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSettings {
    /// Address of the collector, without `/v1/traces`.
    pub url: String,
    /// How many of a hundred requests, timers and jobs are traced.
    pub percent: u32,
}

/// The name of the header that a trace is written down as.
const TRACE_PARENT: &str = "traceparent";
/// How long the collector may take.
const ANSWER: Duration = Duration::from_secs(10);

/// The client of the collector. The exporter waits on a thread of its own, so requests are sent by the runtime's.
#[derive(Debug)]
struct Collector {
    client: reqwest::Client,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let sent = self
            .client
            .request(parts.method, parts.uri.to_string())
            .headers(parts.headers)
            .body(body);
        let answer = self.runtime.spawn(async move {
            // What a collector has to say about spans is nothing that they are sent again for.
            Ok::<_, reqwest::Error>(sent.send().await?.error_for_status()?.status())
        });
        Ok(Response::builder().status(answer.await??).body(Bytes::new())?)
    }
}

/// The address of traces at a collector, whether its path was given or not.
fn endpoint(url: &str) -> String {
    let base = url.trim_end_matches('/');
    format!("{}/v1/traces", base.strip_suffix("/v1/traces").unwrap_or(base))
}

/// What makes spans and sends them, in batches; more than it can send are dropped.
pub(crate) fn provider(
    settings: &TraceSettings,
    runtime: &Handle,
) -> Result<SdkTracerProvider, String> {
    let client = reqwest::Client::builder().timeout(ANSWER).build();
    let client = client.map_err(|error| error.to_string())?;
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Collector { client, runtime: runtime.clone() })
        .with_endpoint(endpoint(&settings.url))
        .with_timeout(ANSWER)
        .build()
        .map_err(|error| error.to_string())?;
    let resource = Resource::builder()
        .with_service_name("spotter")
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    let share = f64::from(settings.percent) / 100.0;
    Ok(SdkTracerProvider::builder()
        .with_resource(resource)
        .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(share))))
        .with_batch_exporter(exporter)
        .build())
}

/// Has jobs belong to the traces that they were begun in.
pub(crate) fn connect_jobs() {
    traces::connect(TraceParents {
        of: |span| {
            let mut headers = HashMap::new();
            TraceContextPropagator::new().inject_context(&span.context(), &mut headers);
            headers.remove(TRACE_PARENT)
        },
        adopt: |span, parent| {
            let headers = HashMap::from([(TRACE_PARENT.to_owned(), parent.to_owned())]);
            // A span that is not traced has no parent.
            span.set_parent(TraceContextPropagator::new().extract(&headers)).ok();
        },
    });
}

/// What has spans of the program traced.
pub(crate) fn tracer(provider: &SdkTracerProvider) -> opentelemetry_sdk::trace::SdkTracer {
    provider.tracer("spotter")
}
