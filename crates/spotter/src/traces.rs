//! Traces for operators, by OpenTelemetry's protocol (OTLP over HTTP): a request with its transactions and statements, and the
//! same of timers and jobs. Nothing is traced unless the setting `otlp_url` names a collector; then a span costs some
//! microseconds. Spans hold routes, statements and kinds, and never parameters, bodies or addresses.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry::{KeyValue, trace::TracerProvider};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{Sampler, SdkTracerProvider},
};
use tokio::runtime::Handle;

/// Where traces are sent, and how many of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSettings {
    /// Address of the collector, without `/v1/traces`.
    pub url: String,
    /// How many of a hundred requests, timers and jobs are traced.
    pub percent: u32,
}

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
            let answer = sent.send().await?.error_for_status()?;
            let status = answer.status();
            Ok::<_, reqwest::Error>((status, answer.bytes().await?))
        });
        let (status, body) = answer.await??;
        Ok(Response::builder().status(status).body(body)?)
    }
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
        .with_endpoint(format!("{}/v1/traces", settings.url.trim_end_matches('/')))
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

/// What has spans of the program traced.
pub(crate) fn tracer(provider: &SdkTracerProvider) -> opentelemetry_sdk::trace::SdkTracer {
    provider.tracer("spotter")
}
