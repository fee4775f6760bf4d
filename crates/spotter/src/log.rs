//! Structured logs: readable on a terminal, JSON elsewhere.

use std::io::IsTerminal;

use opentelemetry_sdk::trace::SdkTracer;
use spotter_kernel::TRACE_TARGET;
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{LevelFilter, Targets},
    layer::SubscriberExt,
    util::SubscriberInitExt,
};

use crate::settings::LogFormat;

/// Libraries whose detailed log levels include their data: statement parameters, bodies, addresses and headers.
/// Personal data must not be logged at any level, so these keep the level below.
const CARRIERS: &[(&str, &str)] = &[
    // Its spans are for a collector, and would be in each line of the log.
    (TRACE_TARGET, "off"),
    // The MCP library logs the start and end of every call.
    ("rmcp", "warn"),
    ("hyper", "info"),
    ("hyper_util", "info"),
    ("h2", "info"),
    ("reqwest", "info"),
    ("rustls", "info"),
    ("tower", "info"),
    ("tower_http", "info"),
    ("axum", "info"),
    ("lettre", "info"),
    ("object_store", "info"),
    ("multer", "info"),
    ("html5ever", "info"),
];

/// The filter that an operator has set, without directives that would log personal data: a directive for one of these
/// libraries, for a part of one, or for a span is replaced by the library's own.
fn without_data(filter: &str) -> EnvFilter {
    let libraries = || {
        let engines = spotter_store::LOGGING_DATA.iter().map(|engine| (*engine, "info"));
        CARRIERS.iter().copied().chain(engines)
    };
    let names_carrier = |directive: &str| {
        // Events within a span are logged by any code that is called there.
        if directive.contains('[') {
            return true;
        }
        let target = directive.trim().split(['=', '[']).next().unwrap_or_default();
        let name = target.split("::").next().unwrap_or_default();
        libraries().any(|(carrier, _)| carrier == name)
    };
    let kept = filter.split(',').filter(|directive| !names_carrier(directive));
    let held = libraries().map(|(target, level)| format!("{target}={level}"));
    let all: Vec<String> = kept.map(str::to_owned).chain(held).collect();
    EnvFilter::try_new(all.join(",")).unwrap_or_else(|_| EnvFilter::new("info"))
}

/// Whether a text is a filter of levels. To the library, a level that is misspelled is the name of a part, and all others are silent.
pub(crate) fn is_filter(text: &str) -> bool {
    let is_level = |text: &str| !text.is_empty() && text.trim().parse::<LevelFilter>().is_ok();
    let mut directives = text.split(',');
    EnvFilter::try_new(text).is_ok()
        && directives.all(|own| is_level(own.rsplit_once('=').map_or(own, |(_, level)| level)))
}

/// Starts logging to standard error.
pub(crate) fn start(filter: &str, format: LogFormat) {
    start_with_traces(filter, format, None);
}

/// Starts logging to standard error, and tracing where there is a tracer.
pub(crate) fn start_with_traces(filter: &str, format: LogFormat, tracer: Option<SdkTracer>) {
    let filter = without_data(filter);
    let terminal = std::io::stderr().is_terminal();
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let json = match format {
        LogFormat::Auto => !terminal,
        LogFormat::Text => false,
        LogFormat::Json => true,
    };
    let lines = match json {
        true => lines.json().flatten_event(true).with_filter(filter).boxed(),
        false => lines.with_ansi(terminal).with_filter(filter).boxed(),
    };
    let traces = tracer.map(|tracer| {
        let traced = Targets::new().with_target(TRACE_TARGET, LevelFilter::TRACE);
        tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(traced)
    });
    // A second start, in tests, changes nothing.
    tracing_subscriber::registry().with(lines).with(traces).try_init().ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_that_are_misspelled_are_no_filter() {
        for good in ["off", "warn", "DEBUG", "info,spotter_store=debug", "[request]=trace"] {
            assert!(is_filter(good), "{good}");
        }
        for bad in ["", "warning", "infos", "info,debg", "spotter_store", "spotter_store=loud"] {
            assert!(!is_filter(bad), "{bad}");
        }
    }

    #[test]
    fn no_filter_logs_personal_data() {
        let engines = spotter_store::LOGGING_DATA;
        for carrier in engines.iter().chain(&["hyper", "lettre"]) {
            let filters = [
                "trace".to_owned(),
                "[x]=trace".to_owned(),
                format!("debug,{carrier}=trace"),
                format!("{carrier}::query=trace"),
            ];
            for filter in filters {
                let output = without_data(&filter).to_string();
                assert!(output.contains(&format!("{carrier}=info")), "{output}");
                assert!(!output.contains(&format!("{carrier}=trace")), "{output}");
                assert!(!output.contains("query") && !output.contains('['), "{output}");
            }
        }
        assert!(without_data("info,spotter_http=debug").to_string().contains("spotter_http=debug"));
    }
}
