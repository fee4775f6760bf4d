//! The frame of every page: navigation, messages, account.

use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header},
};
use maud::{DOCTYPE, Markup, html};
use spotter_http::Compressible;

use spotter_html::{
    page::{POLICY, head, sealed},
    theme,
};

use super::{fields::SUMMARY, icon, test_notice::test_notice};
use crate::{assets, done::Done, installable, page_context::PageContext, pages, words::Strings};

/// A page that is ready to be put into the shell.
pub(crate) struct View {
    /// What the page is called.
    pub(crate) title: String,
    /// What it holds.
    pub(crate) main: Markup,
    /// Buttons and links beside its heading.
    pub(crate) acts: Markup,
}

impl View {
    /// A page.
    pub(crate) fn new(title: impl Into<String>, main: Markup) -> Self {
        Self { title: title.into(), main, acts: Markup::default() }
    }

    /// With these buttons beside its heading.
    pub(crate) fn acts(mut self, acts: Markup) -> Self {
        self.acts = acts;
        self
    }
}

/// The part of the navigation that a place stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NavigationGroup {
    /// What is looked at every day, without a heading.
    Daily,
    Coaching,
    Business,
    /// Folded up until one of its places is open.
    Connections,
}

impl NavigationGroup {
    const ALL: [Self; 4] = [Self::Daily, Self::Coaching, Self::Business, Self::Connections];

    const fn label(self, t: Strings) -> &'static str {
        match self {
            Self::Daily => "",
            Self::Coaching => t.group_coaching(),
            Self::Business => t.group_business(),
            Self::Connections => t.group_connections(),
        }
    }
}

/// A place that the shell leads to.
pub(crate) struct NavigationLink {
    pub(crate) group: NavigationGroup,
    pub(crate) path: &'static str,
    pub(crate) icon: &'static str,
    pub(crate) label: fn(Strings) -> &'static str,
    /// The operation that a person must be permitted to run to see the entry.
    pub(crate) needs: &'static str,
}

/// What something that was set aside leaves behind: each kind, and how many.
fn left_behind(t: Strings, done: &Done) -> String {
    let left = done.left.iter();
    left.map(|(kind, total)| format!("{}: {total}", t.term(kind.word())))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A page within its shell.
pub(crate) fn render(cx: &PageContext<'_, '_>, status: StatusCode, view: View) -> Response<Body> {
    let t = cx.strings;
    let ways: Vec<&NavigationLink> =
        pages::navigation(cx).iter().filter(|way| cx.may_call(way.needs)).collect();
    let is_here = |way: &NavigationLink| {
        let rest = cx.place.path.strip_prefix(way.path);
        // The first page of all is a prefix of every other.
        rest.is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with('/') && !way.path.ends_with("console") && way.path != "/my"
        })
    };
    let wrong = cx.entered.problem.is_some();
    // A form that disappeared because its record changed cannot show its error itself.
    let untold = cx
        .entered
        .problem
        .as_ref()
        .filter(|_| !view.main.0.contains(SUMMARY) && !view.acts.0.contains(SUMMARY));
    let text = html! {
        (DOCTYPE)
        html
            lang=(t.0.code())
            data-theme=[cx.display.dark.map(|dark| if dark { "dark" } else { "light" })]
        {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                meta name="color-scheme" content="light dark";
                title { @if wrong { (t.error()) ": " } (view.title) " · " (cx.person.company.name) }
                link rel="icon" href=(assets::address("icon.svg"));
                @if cx.is_client() {
                    link rel="manifest" href=(installable::MANIFEST) crossorigin="use-credentials";
                    link rel="apple-touch-icon" href=(assets::address("icon-192.png"));
                    meta name="theme-color" content="#176b4d";
                }
                link rel="stylesheet" href=(assets::address("console.css"));
                @if let Some(colors) = theme::address(cx.face.site().accent_color()) {
                    link rel="stylesheet" href=(colors);
                }
                script defer src=(assets::address("htmx.js")) {}
                script defer src=(assets::address("console.js")) {}
            }
            body
                data-hx-boost:inherited="swap:innerHTML"
                data-waits=(t.waits())
                data-copied=(t.copied())
                data-unsaved=(t.unsaved())
            {
                a.skip href="#main" { (t.skip()) }
                div #bar role="presentation" {}
                header.top {
                    a.brand href=(pages::home(cx)) {
                        @let site = cx.face.site();
                        @if site.is_published() && !site.logo_id().is_empty() {
                            @let logo = format!("/site-pictures/{}/{}", site.slug(), site.logo_id());
                            img src=(logo) alt="" height="32";
                        }
                        span { (cx.person.company.name) }
                    }
                    @if !cx.is_client() {
                        form.find method="get" action="/console/find" role="search" {
                            input
                                type="search"
                                name="q"
                                aria-label=(t.find_anything())
                                placeholder={ (t.find_anything()) " /" }
                                autocomplete="off";
                        }
                    }
                    a.who href=(pages::account(cx)) { (icon("account")) span { (cx.person.name) } }
                }
                @if !cx.is_client() {
                    (test_notice(cx.state, t, html! {
                        a href="/console/test-environment" { (t.test_clock()) }
                        " · "
                    }))
                } @else {
                    (test_notice(cx.state, t, html! {}))
                }
                div.frame {
                    nav.side aria-label=(t.navigation()) {
                        @for group in NavigationGroup::ALL {
                            @let own = || ways.iter().filter(move |way| way.group == group);
                            @let links = html! {
                                @for way in own() {
                                    a href=(way.path) aria-current=[is_here(way).then_some("page")] {
                                        (icon(way.icon))
                                        span { ((way.label)(t)) }
                                    }
                                }
                            };
                            @if group == NavigationGroup::Connections && own().next().is_some() {
                                details open[own().any(|way| is_here(way))] {
                                    summary { (group.label(t)) }
                                    (links)
                                }
                            } @else {
                                @if !group.label(t).is_empty() && own().next().is_some() {
                                    p { (group.label(t)) }
                                }
                                (links)
                            }
                        }
                    }
                    main #main tabindex="-1" {
                        @if let Some(done) = cx.done {
                            p.toast role="status" {
                                (icon("done"))
                                @if !matches!(done.outcomes, Some([0, ..])) {
                                    (done.success.sentence().text(t.0))
                                }
                                @if let Some([changed, unchanged, refused]) = done.outcomes {
                                    " "
                                    (t.bulk_outcomes(
                                        &cx.written.count(changed),
                                        &cx.written.count(unchanged),
                                        &cx.written.count(refused),
                                    ))
                                }
                            }
                            @let left = left_behind(t, done);
                            @if !left.is_empty() {
                                div.notice.warn role="status" { (t.leaves_behind()) " " (left) }
                            }
                        }
                        @if let Some(problem) = untold {
                            div class=(SUMMARY) role="alert" tabindex="-1" {
                                h2 { (t.problem_with()) }
                                p { (t.refused(problem)) }
                            }
                        }
                        div.heading { h1 { (view.title) } div.acts { (view.acts) } }
                        (view.main)
                    }
                }
                nav.bottom aria-label=(t.navigation_short()) {
                    @for way in ways.iter().take(4) {
                        a href=(way.path) aria-current=[is_here(way).then_some("page")] {
                            (icon(way.icon))
                            span { ((way.label)(t)) }
                        }
                    }
                    a href=(pages::more(cx)) { (icon("more")) span { (t.more()) } }
                }
            }
        }
    };
    let mut response = sealed(status, text, POLICY);
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("HX-Request, Cookie"));
    // CSRF tokens are masked again and keys are new each time, so the length reveals nothing.
    response.extensions_mut().insert(Compressible);
    response
}

/// A page by itself, as wide as a desk is.
pub(crate) fn alone(t: Strings, title: &str, main: Markup) -> Response<Body> {
    let text = html! {
        (DOCTYPE)
        html lang=(t.0.code()) {
            (head(title))
            body {
                header.top { span.brand { "Spotter" } }
                main #main tabindex="-1" { div.heading { h1 { (title) } } (main) }
            }
        }
    };
    sealed(StatusCode::OK, text, POLICY)
}
