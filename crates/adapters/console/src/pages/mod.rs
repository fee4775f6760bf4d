//! The pages: their addresses, audiences and functions.

mod account;
mod announcements;
mod assistants;
mod audit;
mod booking;
mod bookings;
mod calendar;
mod client;
mod clients;
mod desk;
mod devices;
mod documents;
mod follow_ups;
mod forms;
mod imports;
mod integrations;
mod messages;
mod money;
mod more;
mod my;
mod products;
mod programmes;
mod reports;
mod search;
mod serving;
mod settings;
mod setup_steps;
mod style_guide;
mod test_environment;
mod today;
mod webhooks;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, rejection::RawPathParamsRejection},
    http::Request,
    routing::get,
};
use spotter_http::State;
use spotter_kernel::{Key, Problem, Result};

use crate::{
    page_context::PageContext,
    parts::shell::{NavigationGroup, NavigationLink, View},
    rules::ConsoleRule,
};

/// A function that makes a page.
type Show = fn(&mut PageContext<'_, '_>) -> Result<View>;

/// The audience of a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Audience {
    Staff,
    Clients,
}

/// A page: its address, its audience and its function.
#[derive(Clone, Copy)]
struct Page {
    path: &'static str,
    whose: Audience,
    show: Show,
}

const fn staff(path: &'static str, show: Show) -> Page {
    Page { path, whose: Audience::Staff, show }
}

const fn clients(path: &'static str, show: Show) -> Page {
    Page { path, whose: Audience::Clients, show }
}

/// Every page for signed-in people.
const PAGES: &[Page] = &[
    staff("/console", today::show),
    staff("/console/attention", follow_ups::absent_clients),
    staff("/console/attention/programmes", follow_ups::plans_end),
    staff("/console/attention/credits", follow_ups::credits_out),
    staff("/console/clients", clients::list),
    staff("/console/clients/new", clients::new),
    staff("/console/clients/{clientId}", client::profile::overview),
    staff("/console/clients/{clientId}/edit", client::profile::edit),
    staff("/console/clients/{clientId}/consents", client::consents::show),
    staff("/console/clients/{clientId}/timeline", client::profile::timeline),
    staff("/console/clients/{clientId}/bookings", client::bookings::bookings),
    staff("/console/clients/{clientId}/training", client::training::training),
    staff("/console/clients/{clientId}/money", client::money::money),
    staff("/console/clients/{clientId}/sell", client::money::sell),
    staff("/console/clients/{clientId}/progress", client::progress::progress),
    staff("/console/clients/{clientId}/notes", client::profile::notes),
    staff("/console/clients/{clientId}/forms", client::forms::forms),
    staff("/console/clients/{clientId}/forms/{assignmentId}", client::forms::submission),
    staff("/console/clients/{clientId}/files", client::files::files),
    staff("/console/documents", documents::list),
    staff("/console/imports", imports::list),
    staff("/console/imports/{importId}", imports::one),
    staff("/console/calendar", calendar::week),
    staff("/console/calendar/book", booking::book),
    staff("/console/calendar/requests", calendar::requests::list),
    staff("/console/calendar/events/{calendarEventId}", calendar::event::show),
    staff("/console/calendar/series", calendar::series::list),
    staff("/console/calendar/series/{eventSeriesId}", calendar::series::one),
    staff("/console/programmes", programmes::list),
    staff("/console/programmes/{templateId}", programmes::builder),
    staff("/console/programmes/{templateId}/days/{planMomentId}", programmes::day::day),
    staff("/console/programmes/exercises", programmes::exercises::list),
    staff("/console/programmes/exercises/{exerciseId}", programmes::exercises::one),
    staff("/console/announcements", announcements::list),
    staff("/console/announcements/{announcementId}", announcements::one),
    staff("/console/messages", messages::list),
    staff("/console/messages/{conversationId}", messages::thread),
    staff("/console/sell", desk::sell),
    staff("/console/style-guide", style_guide::show),
    staff("/console/sell/{invoiceId}", desk::receipt),
    staff("/console/products", products::list),
    staff("/console/products/new", products::new),
    staff("/console/products/order", products::order),
    staff("/console/products/{productId}", products::one),
    staff("/console/money", money::invoices::invoices),
    staff("/console/money/payments", money::payments::payments),
    staff("/console/money/requests", money::payments::requests),
    staff("/console/money/chargebacks", money::payments::chargebacks),
    staff("/console/money/memberships", money::memberships::memberships),
    staff("/console/money/invoices/{invoiceId}", money::invoices::invoice),
    staff("/console/reports", reports::attendance),
    staff("/console/reports/revenue", reports::revenue),
    staff("/console/reports/retention", reports::retention),
    staff("/console/forms", forms::list),
    staff("/console/forms/{formId}", forms::one),
    staff("/console/forms/checkups", forms::checkups),
    staff("/console/forms/checkups/{checkupId}", forms::checkup),
    staff("/console/integrations", integrations::list),
    staff("/console/integrations/{id}", integrations::one),
    staff("/console/test-environment", test_environment::show),
    staff("/console/webhooks", webhooks::list),
    staff("/console/webhooks/{id}", webhooks::one),
    staff("/console/webhooks/deliveries/{id}", webhooks::delivery),
    staff("/console/assistants", assistants::list),
    staff("/console/audit", audit::list),
    staff("/console/devices", devices::show),
    staff("/console/settings", settings::company),
    staff("/console/settings/locations", settings::locations::list),
    staff("/console/settings/locations/{locationId}", settings::locations::one),
    staff("/console/settings/coaches", settings::coaches::list),
    staff("/console/settings/coaches/{coachId}", settings::coaches::one),
    staff("/console/settings/closures", settings::closures::list),
    staff("/console/settings/closures/{availabilityRuleId}", settings::closures::one),
    staff("/console/settings/event-types", settings::event_types::list),
    staff("/console/settings/event-types/{eventTypeId}", settings::event_types::one),
    staff("/console/settings/fields", settings::fields),
    staff("/console/settings/policies", settings::policies),
    staff("/console/settings/invoices", settings::billing::terms),
    staff("/console/settings/site", settings::site::show),
    staff("/console/settings/notifications", settings::notifications::show),
    staff("/console/settings/features", settings::features),
    staff("/console/find", search::show),
    staff("/console/account", account::show),
    staff("/console/account/second-step", account::second_step),
    staff("/console/more", more::show),
    staff("/console/{*rest}", nowhere),
    clients("/my", my::home),
    clients("/my/book", my::book),
    clients("/my/bookings", my::bookings),
    clients("/my/shop", my::shop::list),
    clients("/my/shop/{productId}", my::shop::product),
    clients("/my/orders/{shopOrderId}", my::shop::order),
    clients("/my/classes/{calendarEventId}", my::shop::class),
    clients("/my/training", my::training::home),
    clients("/my/training/days/{planId}/{planMomentId}", my::training::day),
    clients("/my/training/{sessionId}", my::workout::session),
    clients("/my/training/{sessionId}/add", my::workout::add),
    clients("/my/progress", my::progress),
    clients("/my/messages", messages::list),
    clients("/my/messages/{conversationId}", messages::thread),
    clients("/my/invoices", my::invoices),
    clients("/my/files", my::forms::files),
    clients("/my/forms", my::forms::list),
    clients("/my/forms/{assignmentId}", my::forms::one),
    clients("/my/consents", my::consents),
    clients("/my/assistants", assistants::list),
    clients("/my/account", account::show),
    clients("/my/account/second-step", account::second_step),
    clients("/my/more", more::show),
    clients("/my/{*rest}", nowhere),
];

const STAFFS_WAYS: &[NavigationLink] = &[
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/console",
        icon: "today",
        label: |say| say.today(),
        needs: "list_bookings",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/console/clients",
        icon: "clients",
        label: |say| say.clients(),
        needs: "list_clients",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/console/calendar",
        icon: "calendar",
        label: |say| say.calendar(),
        needs: "list_calendar_events",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/console/messages",
        icon: "messages",
        label: |say| say.messages(),
        needs: "list_own_conversations",
    },
    NavigationLink {
        group: NavigationGroup::Coaching,
        path: "/console/programmes",
        icon: "programmes",
        label: |say| say.programmes(),
        needs: "list_workout_templates",
    },
    NavigationLink {
        group: NavigationGroup::Coaching,
        path: "/console/forms",
        icon: "forms",
        label: |say| say.forms(),
        needs: "list_forms",
    },
    NavigationLink {
        group: NavigationGroup::Coaching,
        path: "/console/announcements",
        icon: "announcements",
        label: |say| say.announcements(),
        needs: "list_announcements",
    },
    NavigationLink {
        group: NavigationGroup::Coaching,
        path: "/console/documents",
        icon: "files",
        label: |say| say.files(),
        needs: "list_document_folders",
    },
    NavigationLink {
        group: NavigationGroup::Business,
        path: "/console/sell",
        icon: "sell",
        label: |say| say.sell(),
        needs: "create_desk_sale",
    },
    NavigationLink {
        group: NavigationGroup::Business,
        path: "/console/products",
        icon: "products",
        label: |say| say.products(),
        needs: "list_products",
    },
    NavigationLink {
        group: NavigationGroup::Business,
        path: "/console/money",
        icon: "money",
        label: |say| say.money_section(),
        needs: "list_invoices",
    },
    NavigationLink {
        group: NavigationGroup::Business,
        path: "/console/reports",
        icon: "reports",
        label: |say| say.reports(),
        needs: "get_attendance_report",
    },
    NavigationLink {
        group: NavigationGroup::Business,
        path: "/console/audit",
        icon: "audit",
        label: |say| say.audit_log(),
        needs: "list_audit_logs",
    },
    NavigationLink {
        group: NavigationGroup::Business,
        path: "/console/settings",
        icon: "settings",
        label: |say| say.settings(),
        needs: "get_company_settings",
    },
    NavigationLink {
        group: NavigationGroup::Connections,
        path: "/console/integrations",
        icon: "integrations",
        label: |say| say.integrations(),
        needs: "list_api_clients",
    },
    NavigationLink {
        group: NavigationGroup::Connections,
        path: "/console/webhooks",
        icon: "webhooks",
        label: |say| say.webhooks(),
        needs: "list_webhooks",
    },
    NavigationLink {
        group: NavigationGroup::Connections,
        path: "/console/assistants",
        icon: "assistants",
        label: |say| say.assistants(),
        needs: "list_own_mcp_grants",
    },
    NavigationLink {
        group: NavigationGroup::Connections,
        path: "/console/devices",
        icon: "devices",
        label: |say| say.devices(),
        needs: "list_access_devices",
    },
];

const CLIENTS_WAYS: &[NavigationLink] = &[
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my",
        icon: "home",
        label: |say| say.home(),
        needs: "list_bookings",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/book",
        icon: "book",
        label: |say| say.book(),
        needs: "list_slots",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/training",
        icon: "programmes",
        label: |say| say.training(),
        needs: "get_client_workout_calendar",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/messages",
        icon: "messages",
        label: |say| say.messages(),
        needs: "list_own_conversations",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/bookings",
        icon: "calendar",
        label: |say| say.bookings(),
        needs: "list_bookings",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/shop",
        icon: "sell",
        label: |say| say.shop(),
        needs: "create_shop_order",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/progress",
        icon: "progress",
        label: |say| say.progress(),
        needs: "list_measurements",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/files",
        icon: "files",
        label: |say| say.files(),
        needs: "list_documents",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/invoices",
        icon: "money",
        label: |say| say.invoices(),
        needs: "list_invoices",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/forms",
        icon: "forms",
        label: |say| say.forms(),
        needs: "list_form_assignments",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/consents",
        icon: "consents",
        label: |say| say.consents(),
        needs: "get_health_consent",
    },
    NavigationLink {
        group: NavigationGroup::Daily,
        path: "/my/assistants",
        icon: "assistants",
        label: |say| say.assistants(),
        needs: "list_own_mcp_grants",
    },
];

/// Where the shell leads.
pub(crate) fn navigation(cx: &PageContext<'_, '_>) -> &'static [NavigationLink] {
    if cx.is_client() { CLIENTS_WAYS } else { STAFFS_WAYS }
}

/// The first page.
pub(crate) fn home(cx: &PageContext<'_, '_>) -> &'static str {
    if cx.is_client() { "/my" } else { "/console" }
}

/// The same page of the other audience, if it has one.
fn counterpart(cx: &PageContext<'_, '_>) -> String {
    let (theirs, others) = if cx.is_client() { ("/my", "/console") } else { ("/console", "/my") };
    let same = cx.place.path.replacen(others, theirs, 1);
    let has = |page: &Page| page.path == same && !same.contains('{');
    if PAGES.iter().any(has) { same } else { theirs.to_owned() }
}

/// The page of one's account.
pub(crate) fn account(cx: &PageContext<'_, '_>) -> &'static str {
    if cx.is_client() { "/my/account" } else { "/console/account" }
}

/// The page of everything else, on a phone.
pub(crate) fn more(cx: &PageContext<'_, '_>) -> &'static str {
    if cx.is_client() { "/my/more" } else { "/console/more" }
}

/// The routes of all pages.
pub(crate) fn routes(state: &Arc<State>) -> Router {
    PAGES.iter().fold(Router::new(), |router, page| {
        let (reading, acting) = (state.clone(), state.clone());
        let read = move |params: std::result::Result<RawPathParams, RawPathParamsRejection>,
                         request: Request<Body>| {
            serving::read(reading.clone(), *page, params.ok(), request)
        };
        let act = move |params: std::result::Result<RawPathParams, RawPathParamsRejection>,
                        request: Request<Body>| {
            serving::act(acting.clone(), *page, params.ok(), request)
        };
        router.route(page.path, get(read).post(act))
    })
}

/// An address with no page, which has a way on nevertheless.
fn nowhere(_: &mut PageContext<'_, '_>) -> Result<View> {
    Err(Problem::because(Key::NotFound, ConsoleRule::NoSuchPage))
}
