//! The frame of a site's pages: head with what search engines read, navigation, footer.

use axum::{
    body::Bytes,
    http::{HeaderName, HeaderValue, StatusCode, header},
};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;
use spotter_html::{assets, page::POLICY, theme};
use spotter_kernel::Locale;

use super::{cache::CachedPage, context::SiteContext, in_language, picture};
use crate::session;
use spotter_html::words::own_name;

/// A page of a site that is ready for its frame.
pub(super) struct SiteView {
    /// What the page is called; the company's name where empty.
    pub(super) title: String,
    /// One line for search engines.
    pub(super) description: String,
    /// What it holds.
    pub(super) main: Markup,
    /// Above the heading, as wide as the page.
    pub(super) hero: Markup,
    /// Facts for search engines (schema.org).
    pub(super) facts: Vec<Value>,
    /// Whether search engines are to find it.
    pub(super) is_found: bool,
    /// Whether all strangers see the same, so that caches may keep it.
    pub(super) is_shared: bool,
}

impl SiteView {
    /// A page.
    pub(super) fn new(
        title: impl Into<String>,
        description: impl Into<String>,
        main: Markup,
    ) -> Self {
        Self {
            title: title.into(),
            description: description.into(),
            main,
            hero: Markup::default(),
            facts: Vec::new(),
            is_found: true,
            is_shared: true,
        }
    }

    /// With these facts for search engines.
    pub(super) fn with_facts(mut self, facts: Vec<Value>) -> Self {
        self.facts = facts;
        self
    }

    /// Not for search engines.
    pub(super) fn hidden(mut self) -> Self {
        self.is_found = false;
        self
    }

    /// For one person alone, who typed what is in it.
    pub(super) fn personal(self) -> Self {
        Self { is_shared: false, ..self.hidden() }
    }
}

/// A script for search engines, which no text can end.
fn facts(facts: &Value) -> Markup {
    let text = facts.to_string().replace('<', "\\u003c");
    PreEscaped(format!("<script type=\"application/ld+json\">{text}</script>"))
}

/// A page within its frame.
pub(super) fn render(cx: &SiteContext<'_, '_>, status: StatusCode, view: SiteView) -> CachedPage {
    let (t, gym) = (cx.strings, cx.gym());
    let title = match view.title.as_str() {
        "" => gym.name().to_owned(),
        title => format!("{title} · {}", gym.name()),
    };
    let address = cx.absolute(cx.path());
    let is_found = view.is_found && !cx.is_embedded;
    let text = html! {
        (DOCTYPE)
        html lang=(t.0.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                @if !view.description.is_empty() {
                    meta name="description" content=(view.description);
                    meta property="og:description" content=(view.description);
                }
                meta property="og:title" content=(title);
                meta property="og:type" content="website";
                meta property="og:url" content=(address);
                @if !gym.cover_id().is_empty() {
                    meta property="og:image" content=(picture::absolute(cx, gym.cover_id()));
                }
                @if is_found {
                    link rel="canonical" href=(address);
                    @for locale in Locale::ALL {
                        link rel="alternate" hreflang=(locale.code()) href=(in_language(&address, locale));
                    }
                    link rel="alternate" hreflang="x-default" href=(address);
                } @else {
                    meta name="robots" content="noindex";
                }
                link rel="icon" href=(assets::address("icon.svg"));
                link rel="stylesheet" href=(assets::address("console.css"));
                link rel="stylesheet" href=(assets::address("site.css"));
                @if let Some(colors) = theme::address(gym.accent_color()) {
                    link rel="stylesheet" href=(colors);
                }
                @if cx.is_embedded { script defer src=(assets::address("embedded.js")) {} }
                @if is_found { @for one in &view.facts { (facts(one)) } }
            }
            body.site.embedded[cx.is_embedded] {
                @if !cx.is_embedded {
                    a.skip href="#main" { (t.skip()) }
                    (top(cx))
                    (view.hero)
                }
                main #main tabindex="-1" {
                    @if !view.title.is_empty() { h1 { (view.title) } }
                    (view.main)
                }
                @if !cx.is_embedded { (bottom(cx)) }
            }
        }
    };
    let headers = headers(cx, is_found, view.is_shared);
    let text = Bytes::from(text.into_string());
    CachedPage { status, text, headers, is_shared: view.is_shared }
}

/// Name, logo, and where the site leads.
fn top(cx: &SiteContext<'_, '_>) -> Markup {
    let (t, gym, here) = (cx.strings, cx.gym(), cx.path());
    let links = [
        ("/timetable", t.timetable(), true),
        ("/appointments", t.appointments(), true),
        ("/coaches", t.coaches(), gym.shows_coaches()),
        ("/prices", t.prices(), gym.shows_products()),
        ("/contact", t.contact(), true),
    ];
    html! {
        header {
            a.brand href=(cx.to("")) {
                @if !gym.logo_id().is_empty() { img src=(picture::address(cx, gym.logo_id())) alt=""; }
                span { (gym.name()) }
            }
            nav.ways aria-label=(t.navigation()) {
                @for (path, label, _) in links.into_iter().filter(|(.., is_there)| *is_there) {
                    a href=(cx.to(path)) aria-current=[(here == path).then_some("page")] { (label) }
                }
                a href="/my" rel="nofollow" { (t.sign_in()) }
                @if cx.is_open() { a.button href=(cx.to("/join")) { (t.join()) } }
            }
        }
    }
}

fn bottom(cx: &SiteContext<'_, '_>) -> Markup {
    let (t, gym) = (cx.strings, cx.gym());
    let path = cx.out_path();
    html! {
        footer {
            span { (gym.name()) }
            @if !gym.phone().is_empty() { a href={ "tel:" (gym.phone().replace(' ', "")) } { (gym.phone()) } }
            @if !gym.email().is_empty() { a href={ "mailto:" (gym.email()) } { (gym.email()) } }
            @if !gym.website().is_empty() { a href=(gym.website()) rel="noopener" { (gym.website()) } }
            nav aria-label=(t.language()) {
                @for locale in Locale::ALL {
                    a
                        href=(in_language(&path, locale))
                        hreflang=(locale.code())
                        lang=(locale.code())
                        aria-current=[(locale == t.0).then_some("true")]
                    { (own_name(locale)) }
                    " "
                }
            }
        }
    }
}

/// What browsers may do with the page, and how long caches keep it.
fn headers(
    cx: &SiteContext<'_, '_>,
    is_found: bool,
    is_shared: bool,
) -> Vec<(HeaderName, HeaderValue)> {
    let fixed = [
        // What one person typed is theirs.
        (header::CACHE_CONTROL, if is_shared { "public, max-age=30" } else { "no-store" }),
        (header::VARY, "Accept-Language, Cookie"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
    ];
    let mut all: Vec<_> = fixed.map(|(name, value)| (name, HeaderValue::from_static(value))).into();
    let origins: Vec<&str> = cx.gym().embed_origins().iter().collect();
    let ancestors = match (cx.is_embedded, origins.is_empty()) {
        (true, false) => origins.join(" "),
        _ => "'none'".to_owned(),
    };
    let policy = POLICY.replace("frame-ancestors 'none'", &format!("frame-ancestors {ancestors}"));
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        all.push((header::CONTENT_SECURITY_POLICY, policy));
    }
    if !is_found {
        all.push((HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex")));
    }
    all
}

/// Where members go on, through signing in.
pub(super) fn member_link(path: &str) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("then", path);
    format!("{}?{}", session::SIGN_IN, query.finish())
}
