//! Settings of the public site: its address and face, who may sign up, and where parts of it are embedded.

use maud::{Markup, html};
use spotter_html::words::Locale;
use spotter_kernel::Result;

use super::{only_if, tabs};
use crate::{
    api,
    field_kind::FieldKind,
    page_context::PageContext,
    parts::{
        fields::{Form, Upload, disclosure},
        shell::View,
    },
    words::Strings,
};

/// `/console/settings/site`
pub(in crate::pages) fn show(cx: &mut PageContext<'_, '_>) -> Result<View> {
    let answer = cx.call(api::get_site())?;
    let forms = cx.call_or_empty(api::list_forms().limit(100))?;
    let (t, site) = (cx.strings, answer.site());
    let forms: Vec<(&str, &str)> = forms
        .forms()
        .iter()
        .filter(|form| form.status() == "published" && form.kind() != "checkup")
        .map(|form| (form.form_id(), form.name()))
        .collect();
    let policies = [
        ("closed", t.sign_up_closed()),
        ("review", t.sign_up_review()),
        ("open", t.sign_up_open()),
    ];
    let mut form = Form::of(cx, api::update_site())
        .from(site)
        .check("isPublished", t.site_is_published())
        .helped("slug", t.site_address(), t.site_address_help());
    for language in languages(cx, site.tagline()) {
        form = form
            .text(&format!("tagline.{language}"), &format!("{} ({language})", t.site_tagline()))
            .area(&format!("about.{language}"), &format!("{} ({language})", t.site_about()));
    }
    let form = form
        .helped("accentColor", t.site_color(), t.site_color_help())
        .check("showsCoaches", t.site_shows_coaches())
        .check("showsProducts", t.site_shows_products())
        .choice("signUpPolicy", t.site_sign_ups(), &policies)
        .any("paymentChoices", t.site_payment_choices(), &payment_choices(t))
        .text("holdMinutes", t.site_hold_minutes());
    let form = if forms.is_empty() {
        form
    } else {
        form.any("newcomerFormIds", t.site_newcomer_forms(), &forms)
    };
    let origins = site.embed_origins().join(", ");
    let form = form
        .list("embedOrigins", t.site_embed_origins(), t.site_embed_help(), site.embed_origins())
        .unchanged(&FieldKind::List.name_of("embedOrigins"), &origins);
    let main = html! {
        (tabs(cx, "/site"))
        section.card {
            p.quiet { (t.site_means()) }
            @if site.is_published() {
                p { a.button.plain href=(place(cx, site.slug())) target="_blank" { (t.site_open()) } }
            }
            (only_if(cx, api::UpdateSite, form.send(t.save())))
        }
        @if cx.may(api::UpdateSite) {
            section.card {
                h2 { (t.site_pictures()) }
                (picture(cx, site.slug(), "logoId", t.site_logo(), site.logo_id()))
                (picture(cx, site.slug(), "coverId", t.site_cover(), site.cover_id()))
            }
        }
        @if site.is_published() && !site.embed_origins().is_empty() { (embedding(cx, site.slug())) }
    };
    Ok(View::new(t.settings(), main))
}

/// How clients may pay, by the words of the API.
pub(in crate::pages) fn payment_choices(t: Strings) -> [(&'static str, &'static str); 3] {
    [("online", t.pay_online()), ("transfer", t.pay_by_transfer()), ("desk", t.pay_at_desk())]
}

/// The address of the site, which is the whole installation's where it has one company.
fn place(cx: &PageContext<'_, '_>, slug: &str) -> String {
    format!("{}/g/{slug}", cx.state.env.address.trim_end_matches('/'))
}

/// The languages in which texts are written: the company's first, then whichever there are, then the others of pages.
fn languages(cx: &PageContext<'_, '_>, texts: &serde_json::Value) -> Vec<String> {
    let own = cx.person.company.language.clone();
    let mut all = vec![own];
    let known = texts.as_object().into_iter().flat_map(|texts| texts.keys().cloned());
    let others = Locale::ALL.into_iter().map(|locale| locale.code().to_owned());
    for language in known.chain(others) {
        if !all.contains(&language) {
            all.push(language);
        }
    }
    all
}

/// A picture of the site, and a form that puts another in its place.
fn picture(
    cx: &PageContext<'_, '_>,
    slug: &str,
    field: &'static str,
    label: &str,
    id: &str,
) -> Markup {
    let t = cx.strings;
    html! {
        h3 { (label) }
        @if !id.is_empty() {
            p { img.preview src={ "/site-pictures/" (slug) "/" (id) } alt=(label); }
            (Form::with_key(cx, &format!("{field}-gone"), api::update_site())
                .hidden(field, "")
                .button(t.remove()))
        }
        (disclosure(
            t.add_photo(),
            Form::with_key(cx, field, api::update_site()).upload(field, label, Upload::Picture).send(t.save()),
        ))
    }
}

/// What is put into other pages to show parts of the site there.
fn embedding(cx: &PageContext<'_, '_>, slug: &str) -> Markup {
    let t = cx.strings;
    let address = cx.state.env.address.trim_end_matches('/');
    let site = place(cx, slug);
    let code = format!(
        "<div data-spotter=\"{site}/embed/timetable\"></div>\n\
         <script src=\"{address}/embed.js\" async></script>"
    );
    let others = ["/embed/timetable", "/embed/contact", "/embed/classes/…", "/embed/products/…"];
    html! {
        section.card {
            h2 { (t.site_embed()) }
            p.quiet { (t.site_embed_means()) }
            pre { code #embed-code { (code) } }
            p { button.plain type="button" data-copy="embed-code" { (t.copy()) } }
            ul.quiet {
                @for path in others { li { code { (path) } } }
            }
        }
    }
}
