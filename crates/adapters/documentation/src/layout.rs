//! What every page has around it: a head with search, the pages by reader, and the sections of this one.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use spotter_html::assets;

use crate::{
    pages::{PAGES, Page, Reader},
    search::Found,
};

/// A page of the site.
pub(crate) fn page(page: &'static Page) -> Markup {
    let content = page.content();
    let at = PAGES.iter().position(|own| own.name == page.name).unwrap_or_default();
    let (before, after) = (at.checked_sub(1).and_then(|at| PAGES.get(at)), PAGES.get(at + 1));
    let headings =
        content.sections.iter().filter(|own| own.level == pulldown_cmark::HeadingLevel::H2);
    let headings: Vec<_> = headings.collect();
    let main = html! {
        @if headings.len() > 2 {
            details.contents {
                summary { "On this page" }
                ul { @for own in &headings { li { a href={ "#" (own.anchor) } { (own.heading) } } } }
            }
        }
        article { (PreEscaped(&content.html)) }
        nav.next aria-label="Neighbours" {
            @if let Some(before) = before { a rel="prev" href=(before.address()) { "← " (before.content().title) } }
            @if let Some(after) = after { a rel="next" href=(after.address()) { (after.content().title) " →" } }
        }
    };
    around(&content.title, Some(page), main)
}

/// The first page.
pub(crate) fn home() -> Markup {
    let main = html! {
        h1 { "Documentation" }
        p { "Spotter is the back office of a fitness coaching business. What brings you here?" }
        ul.readers {
            @for reader in Reader::ALL {
                @if let Some(first) = PAGES.iter().find(|page| page.reader == reader) {
                    li {
                        a href=(first.address()) { (reader.title()) }
                        p { (reader.purpose()) }
                    }
                }
            }
            li {
                a href="/docs/api" { "API reference" }
                p {
                    "Every operation of the Public API, with requests to copy. Apps for people use the "
                    a href="/docs/app" { "application API" } "."
                }
            }
        }
    };
    around("Documentation", None, main)
}

/// What a search found.
pub(crate) fn results(words: &str, found: &[Found]) -> Markup {
    let main = html! {
        h1 { "Search" }
        @if words.trim().is_empty() {
            p { "Type some words above." }
        } @else if found.is_empty() {
            p {
                "Nothing has all of “" (words) "”. Try fewer words, or look in the "
                a href="/docs/api" { "API reference" } "."
            }
        } @else {
            ol.found {
                @for own in found {
                    li {
                        a href={ (own.page.address()) "#" (own.section.anchor) } {
                            (own.page.content().title)
                            @if own.section.heading != own.page.content().title { " · " (own.section.heading) }
                        }
                        p { (own.excerpt) }
                    }
                }
            }
        }
    };
    framed("Search", None, words, main)
}

/// A page with this in its middle.
pub(crate) fn around(title: &str, current: Option<&Page>, main: Markup) -> Markup {
    framed(title, current, "", main)
}

fn framed(title: &str, current: Option<&Page>, words: &str, main: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Spotter documentation" }
                link rel="icon" href=(assets::address("icon.svg"));
                link rel="stylesheet" href="/docs/style.css";
            }
            body {
                a.skip href="#main" { "Skip to the text" }
                header {
                    a.brand href="/docs" { "Spotter documentation" }
                    form role="search" action="/docs/search" {
                        input type="search" name="q" value=(words) maxlength="100"
                            placeholder="Search" aria-label="Search the documentation";
                        button { "Search" }
                    }
                    a href="/docs/api" { "API reference" }
                }
                div.columns {
                    details.pages open[current.is_none()] {
                        summary { "All pages" }
                        nav aria-label="Pages" { (sidebar(current)) }
                    }
                    nav.sidebar aria-label="Pages" { (sidebar(current)) }
                    main #main { (main) }
                }
            }
        }
    }
}

fn sidebar(current: Option<&Page>) -> Markup {
    html! {
        @for reader in Reader::ALL {
            p { (reader.title()) }
            ul {
                @for page in PAGES.iter().filter(|page| page.reader == reader) {
                    @let is_current = current.is_some_and(|own| own.name == page.name);
                    li { a href=(page.address()) aria-current=[is_current.then_some("page")] { (page.content().title) } }
                }
                @if reader == Reader::Integrator {
                    li { a href="/docs/api" { "API reference" } }
                    li { a href="/docs/app" { "Application API reference" } }
                }
            }
        }
    }
}
