//! The attribute that makes a function a scenario.

use proc_macro::{TokenStream, TokenTree};

/// Makes an `async fn` a test on each engine, `name::sqlite` and `name::postgres`.
///
/// `#[scenario]` is given an app on the server that is tested: one in this process, or the binary that the run names.
/// `#[scenario(here)]` is given one in this process, because it is about its inside. `#[scenario(process)]` is given the
/// engine alone, and starts what it needs itself. With `clock` beside it, as in `#[scenario(process, clock)]`, it moves
/// time, which only a server in this process lets it do: its tests are below `by_the_clock`, so that a run against a
/// binary leaves them out.
#[proc_macro_attribute]
pub fn scenario(kind: TokenStream, item: TokenStream) -> TokenStream {
    let kind = kind.to_string();
    let mut words: Vec<&str> =
        kind.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let moves_time = words.contains(&"clock");
    words.retain(|word| *word != "clock");
    let run = match words.as_slice() {
        [] => "run",
        ["here"] => "run_here",
        ["process"] => "run_alone",
        _ => return error(&format!("no kind of scenario: {kind}")),
    };
    let mut tokens = item.clone().into_iter();
    let is_fn =
        |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn");
    let Some(TokenTree::Ident(name)) = tokens.by_ref().skip_while(|token| !is_fn(token)).nth(1)
    else {
        return error("a scenario is a function");
    };
    let up = if moves_time { "super::" } else { "" };
    let test = |engine: &str, test: &str| {
        format!(
            "#[test] fn {test}() {{
                if ::spotter_harness::Engine::{engine}.is_available() {{
                    ::spotter_harness::{run}(::spotter_harness::Engine::{engine}, super::{up}{name});
                }}
            }}"
        )
    };
    let (sqlite, postgres) = (test("Sqlite", "sqlite"), test("Postgres", "postgres"));
    let tests = match moves_time {
        true => format!("mod {name} {{ mod by_the_clock {{ {sqlite} {postgres} }} }}"),
        false => format!("mod {name} {{ {sqlite} {postgres} }}"),
    };
    let tests: TokenStream = tests.parse().unwrap_or_default();
    item.into_iter().chain(tests).collect()
}

fn error(text: &str) -> TokenStream {
    format!("compile_error!({text:?});").parse().unwrap_or_default()
}
