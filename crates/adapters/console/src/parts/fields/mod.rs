//! Forms of operations: fields are named by their place in the body and bounded by the operation's schema, and errors
//! are shown beside the field.

mod kinds;
mod ticks;
mod upload;

pub(crate) use kinds::{Cell, ChoiceRow};
pub(crate) use ticks::Ticks;
pub(crate) use upload::Upload;

use maud::{Markup, html};
use serde_json::Value;
use spotter_contract::{Method, confirmations::Preview};

use super::format::JsonFields;
use crate::{
    act,
    api::Json,
    api_call::ApiCall,
    body, edited_fields,
    page_context::{PageContext, allowed_operation},
    record_version::{self, FormSource},
    unsent_form,
    words::Strings,
};

/// Class of the summary above a refused form.
pub(super) const SUMMARY: &str = "summary of-form";
/// Class of the notice above the button of a previewed form.
const PREVIEWED: &str = "notice warn foreseen";

/// The form of an operation while it is built.
pub(crate) struct Form<'f> {
    operation: &'static str,
    schema: Option<&'f Value>,
    /// What of the path the operation is given.
    at: Vec<(&'static str, String)>,
    next: String,
    /// What there is so far.
    record: Option<&'f Value>,
    /// Entered values that were refused.
    typed: Option<&'f [(String, String)]>,
    wrong: Option<(String, String)>,
    fields: Vec<Markup>,
    labels: Vec<(String, String)>,
    hidden: Vec<(String, String)>,
    key: String,
    csrf: String,
    whose: String,
    action: String,
    id: String,
    reauthentication: Option<&'static str>,
    choose: &'static str,
    currency: String,
    strings: Strings,
    plain: bool,
    /// Whether it brings a file.
    file: bool,
    /// Name under which unsent text is kept.
    draft: Option<String>,
    /// Whether it leads to a file, which no script can put into the page.
    away: bool,
    /// Whether it is kept in the browser while offline.
    offline: bool,
    /// Initial values of its fields, as a browser would send them.
    untouched: Vec<(String, String)>,
    /// The same as it was first shown, where it comes back.
    was: Option<String>,
    /// Whether its operation is a `PATCH`.
    changes_parts: bool,
    /// Its subject, where several forms of a page have the same button.
    subject: String,
    /// Entered values of a form that became stale.
    lost: &'f [(String, String)],
    /// Whether it is previewed first.
    previews: bool,
    /// The preview to confirm.
    preview: Option<&'f Preview>,
}

impl<'f> Form<'f> {
    /// A form of an operation, called with its path parameters. Once accepted, its page is shown again; see
    /// [`next`](Self::next).
    pub(crate) fn of(cx: &'f PageContext<'_, '_>, call: impl Into<ApiCall>) -> Self {
        Self::with_key(cx, "", call)
    }

    /// The same with a key, where a page has several forms of the operation and earlier ones may disappear.
    pub(crate) fn with_key(
        cx: &'f PageContext<'_, '_>,
        name: &str,
        call: impl Into<ApiCall>,
    ) -> Self {
        let ApiCall { operation, path: at, .. } = call.into();
        let found = allowed_operation(cx.state, operation).ok();
        let about = at.iter().map(|(_, value)| value.as_str());
        let id = form_id(operation, about.chain((!name.is_empty()).then_some(name)));
        let id = cx.form_id(id);
        let entered = (cx.entered.form == id).then_some(cx.entered);
        let wrong = entered.and_then(|entered| {
            let problem = entered.problem.as_ref()?;
            let mut answer = cx.strings.refusal(problem);
            if let Some(now) = problem.details.as_ref().and_then(|details| details["now"].as_str())
            {
                answer = format!("{answer} ({}: {now})", cx.strings.now());
            }
            // Errors name list positions in brackets, forms after a point.
            let field = entered.field().unwrap_or_default().replace('[', ".").replace(']', "");
            Some((field, answer))
        });
        // A stale form of a record that is replaced entirely shows the present values, with the entered ones beside
        // it.
        let is_stale = entered
            .and_then(|entered| entered.problem.as_ref())
            .is_some_and(|problem| problem.breaks(record_version::CHANGED));
        Self {
            operation,
            schema: found.and_then(|operation| operation.body()),
            at,
            next: cx.place.address(),
            record: None,
            typed: entered.filter(|_| !is_stale).map(|entered| &*entered.fields),
            lost: entered.filter(|_| is_stale).map_or(&[], |entered| &*entered.fields),
            wrong,
            fields: Vec::new(),
            labels: Vec::new(),
            hidden: Vec::new(),
            key: entered.and_then(|entered| entered.key.clone()).unwrap_or_else(|| cx.new_key()),
            csrf: cx.csrf(),
            whose: unsent_form::whose(cx.person.caller.company, &cx.person.email),
            action: cx.place.address(),
            id,
            reauthentication: (!cx.is_sure()
                && found.is_some_and(|found| found.needs_reauthentication()))
            .then(|| cx.strings.your_password()),
            choose: cx.strings.choose(),
            currency: cx.person.company.currency.code().to_owned(),
            strings: cx.strings,
            plain: found.is_some_and(|found| found.method == Method::Get),
            file: false,
            draft: None,
            away: false,
            offline: false,
            untouched: Vec::new(),
            was: entered.and_then(|entered| entered.was.clone()),
            changes_parts: found.is_some_and(|found| found.method == Method::Patch),
            subject: String::new(),
            previews: false,
            preview: entered.and_then(|entered| entered.preview.as_ref()),
        }
    }

    /// Shows a preview first, which is confirmed by submitting again.
    pub(crate) fn previewed(mut self) -> Self {
        self.previews = true;
        self
    }

    /// Its text is kept in the browser until it is sent.
    pub(crate) fn draft(mut self, name: &str) -> Self {
        self.draft = Some(name.to_owned());
        self
    }

    /// It leads to a file.
    pub(crate) fn downloads(mut self) -> Self {
        self.away = true;
        self
    }

    /// It is kept in the browser while offline and sent later; for forms that replace a record entirely.
    pub(crate) fn offline(mut self) -> Self {
        self.offline = true;
        self
    }

    /// Names the subject of its button for screen readers, among others with the same label.
    pub(crate) fn labelled_for(mut self, recipient: &str) -> Self {
        recipient.clone_into(&mut self.subject);
        self
    }

    /// Where its person goes once it is taken; `{client.clientId}` is what the operation has answered there.
    pub(crate) fn next(mut self, address: impl Into<String>) -> Self {
        self.next = address.into();
        self
    }

    /// With what there is so far in its fields.
    pub(crate) fn from(mut self, record: impl Json<'f>) -> Self {
        self.record = Some(record.json());
        self
    }

    /// It is made of this, and refused where that is otherwise once it is sent.
    pub(crate) fn based_on(self, made: &FormSource) -> Self {
        self.hidden(record_version::FIELD, &*made.0)
    }

    /// The entries of this list are changed individually.
    pub(crate) fn based_on_list(self, list: &str) -> Self {
        self.hidden(edited_fields::EACH, list)
    }

    /// A proposed value counts as unchanged until it is edited.
    pub(crate) fn unchanged(mut self, name: &str, value: &str) -> Self {
        self.holds(name, value);
        self
    }

    /// A hidden field that counts as unchanged.
    pub(crate) fn unchanged_hidden(mut self, name: &str, value: &str) -> Self {
        self.holds(name, value);
        self.hidden(name, value)
    }

    /// A hidden field.
    pub(crate) fn hidden(mut self, name: &str, value: impl Into<String>) -> Self {
        self.hidden.push((name.to_owned(), value.into()));
        self
    }

    /// Records the initial value of a field.
    fn holds(&mut self, name: &str, value: impl Into<String>) {
        self.untouched.push((name.to_owned(), value.into()));
    }

    /// The initial values of its fields, for [`changed`](crate::edited_fields); nothing if everything is sent.
    fn was(&self) -> Option<String> {
        let first = || serde_json::to_string(&self.untouched).unwrap_or_default();
        let known = self.was.clone().or_else(|| self.typed.is_none().then(first));
        known.filter(|_| self.changes_parts)
    }

    fn place(&self, name: &str) -> &'f Value {
        const NONE: &Value = &Value::Null;
        let Some(schema) = self.schema else { return NONE };
        name.split('.').fold(schema, |schema, place| body::at(schema, place))
    }

    /// Whether the operation takes a field of this name, or the page makes one of it.
    fn takes(&self, name: &str) -> bool {
        let of_page = name.starts_with('-') || name.starts_with("question.");
        self.plain || of_page || self.schema.is_none() || !self.place(name).is_null()
    }

    fn is_required(&self, name: &str) -> bool {
        let (whole, last) = name.rsplit_once('.').unwrap_or(("", name));
        let Some(schema) = self.schema else { return false };
        let own = if whole.is_empty() { schema } else { self.place(whole) };
        // A field of an optional object is required only if the object is present.
        body::requires(own, last) && (whole.is_empty() || self.is_required(whole))
    }

    /// The value of a field: the entered one, else that of the record.
    fn value(&self, name: &str) -> String {
        if let Some(typed) = self.typed {
            let own = typed.iter().find(|(own, _)| own == name);
            return own.map(|(_, value)| value.clone()).unwrap_or_default();
        }
        let name = kinds::unmarked(name);
        match self.record.map(|record| record.at(name)) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Null) | None => String::new(),
            Some(other) => other.to_string(),
        }
    }

    fn values(&self, name: &str) -> Vec<String> {
        if let Some(typed) = self.typed {
            let own = typed.iter().filter(|(own, _)| own == name);
            return own.map(|(_, value)| value.clone()).collect();
        }
        let listed = self.record.map(|record| record.list(name)).unwrap_or_default();
        listed
            .iter()
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect()
    }

    /// The form's id, for fields that stand elsewhere on the page.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Whether a value of a list was ticked when the form was sent.
    pub(crate) fn was_ticked(&self, name: &str, value: &str) -> bool {
        self.typed.is_some() && self.values(name).iter().any(|own| own == value)
    }

    fn input_id(&self, name: &str) -> String {
        format!("{}-{}", self.id, name.replace('.', "-"))
    }

    fn mistake(&self, name: &str) -> Option<&str> {
        let (field, answer) = self.wrong.as_ref()?;
        // A list is wrong at one of its places.
        let is_own =
            field == name || field.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        is_own.then_some(answer.as_str())
    }

    /// The mark of required fields; screen readers get it from the control. A list that may be empty has none.
    fn required_mark(&self, name: &str) -> Markup {
        let schema = self.place(name);
        let may_be_empty = body::is_kind(schema, "array") && schema["minItems"].is_null();
        html! {
            @if self.is_required(name) && !may_be_empty {
                span.needed aria-hidden="true" title=(self.strings.required()) { "*" }
            }
        }
    }

    /// A field with its label, control, help and error.
    fn labelled(&mut self, name: &str, label: &str, help: &str, control: Markup) {
        debug_assert!(self.takes(name), "{} takes no {name}", self.operation);
        let (id, mistake) = (self.input_id(name), self.mistake(name).map(str::to_owned));
        self.labels.push((name.to_owned(), label.to_owned()));
        self.fields.push(html! {
            div.field {
                label for=(id) { (label) (self.required_mark(name)) }
                @if !help.is_empty() { p.help #{ (id) "-help" } { (help) } }
                (control)
                @if let Some(mistake) = mistake { p.mistake #{ (id) "-wrong" } { (mistake) } }
            }
        });
    }

    fn described(&self, name: &str, help: &str) -> Option<String> {
        let id = self.input_id(name);
        let wrong = self.mistake(name).map(|_| format!("{id}-wrong"));
        let help = (!help.is_empty()).then(|| format!("{id}-help"));
        let both: Vec<String> = help.into_iter().chain(wrong).collect();
        (!both.is_empty()).then(|| both.join(" "))
    }

    /// Sets the label of a field that errors refer to.
    pub(crate) fn with_label(mut self, name: &str, label: &str) -> Self {
        self.labels.push((name.to_owned(), label.to_owned()));
        self
    }

    /// Anything else between its fields.
    pub(crate) fn content(mut self, more: Markup) -> Self {
        self.fields.push(more);
        self
    }

    /// The form with the button that sends it.
    pub(crate) fn send(self, button: &str) -> Markup {
        self.render("main", button)
    }

    /// The form as one button, for an act that has no fields, or few.
    pub(crate) fn button(self, button: &str) -> Markup {
        self.render("plain", button)
    }

    /// The same for irreversible operations.
    pub(crate) fn danger(self, button: &str) -> Markup {
        self.render("danger", button)
    }

    fn render(self, class: &str, button: &str) -> Markup {
        let was = self.was();
        let Self {
            operation,
            at,
            next,
            wrong,
            fields,
            labels,
            hidden,
            key,
            csrf,
            whose,
            action,
            id,
            reauthentication: is_sure,
            subject: recipient,
            previews: calls,
            preview,
            lost,
            ..
        } = self;
        let field = wrong.as_ref().map(|(field, _)| field.clone()).unwrap_or_default();
        let called = labels.iter().find(|(name, _)| *name == field);
        let called = called.map_or_else(|| self.strings.field(&field), |(_, label)| label);
        let about = format!("{id}-{}", field.replace('.', "-"));
        html! {
            form
                id=(id)
                method="post"
                action=(action)
                novalidate[self.plain]
                data-form
                data-offline[self.offline]
                enctype=[self.file.then_some("multipart/form-data")]
                data-hx-boost=[(self.file || self.away).then_some("false")]
            {
                @if let Some((field, answer)) = &wrong {
                    div class=(SUMMARY) role="alert" tabindex="-1" {
                        h2 { (self.strings.problem_with()) }
                        @if field.is_empty() {
                            p { (answer) }
                        } @else {
                            p { a href={ "#" (about) } { (called) } ": " (answer) }
                        }
                        @let own = typed_before(lost, &hidden, &labels);
                        @if !own.is_empty() {
                            p { (self.strings.you_had_typed()) }
                            ul {
                                @for (label, value) in own {
                                    li { @if !label.is_empty() { (label) ": " } (value) }
                                }
                            }
                        }
                    }
                }
                input type="hidden" name="-do" value=(operation);
                input type="hidden" name="-form" value=(id);
                input type="hidden" name="-key" value=(key);
                input type="hidden" name="-csrf" value=(csrf);
                input type="hidden" name=(unsent_form::WHOSE) value=(whose);
                input type="hidden" name="-next" value=(next);
                @if let Some(was) = &was {
                    input type="hidden" name=(edited_fields::FIELD) value=(was);
                }
                @if calls { input type="hidden" name=(act::ASK) value="1"; }
                @if let Some(preview) = preview {
                    input type="hidden" name=(act::CONFIRM) value=(preview.confirm_token);
                }
                @for (name, value) in &at {
                    input type="hidden" name={ "-at." (name) } value=(value);
                }
                @for (name, value) in &hidden { input type="hidden" name=(name) value=(value); }
                @for field in &fields { (field) }
                @if let Some(label) = is_sure {
                    div.field {
                        label for={ (id) "--password" } { (label) }
                        p.help #{ (id) "--password-help" } { (self.strings.password_why()) }
                        input
                            type="password"
                            id={ (id) "--password" }
                            name="-password"
                            required
                            autocomplete="current-password"
                            aria-describedby={ (id) "--password-help" };
                    }
                }
                @if let Some(preview) = preview {
                    div class=(PREVIEWED) role="alert" tabindex="-1" {
                        p { b { (self.strings.will_happen()) } }
                        ul { @for what in &preview.happens { li { (what) } } }
                        p { (self.strings.send_again_to_do_it()) }
                    }
                }
                button.(class) type="submit" {
                    (button)
                    @if !recipient.is_empty() { span.hidden { ": " (recipient) } }
                }
            }
        }
    }
}

/// The entered values of visible fields, each with its label.
fn typed_before<'t>(
    lost: &'t [(String, String)],
    hidden: &[(String, String)],
    labels: &'t [(String, String)],
) -> Vec<(&'t str, &'t str)> {
    let is_hidden = |name: &str| hidden.iter().any(|(own, _)| own == name);
    let seen = lost.iter().filter(|(name, value)| !value.is_empty() && !is_hidden(name));
    let called = |name: &str| {
        let own = |(own, _): &&(String, String)| kinds::unmarked(own) == kinds::unmarked(name);
        labels.iter().find(own).map_or("", |(_, label)| label.as_str())
    };
    seen.map(|(name, value)| (called(name), value.as_str())).collect()
}

/// A form's id: its operation and what it is about.
fn form_id<'p>(operation: &str, at: impl Iterator<Item = &'p str>) -> String {
    at.fold(operation.replace('_', "-"), |id, value| format!("{id}-{value}"))
}

/// Collapsed content behind a label, with or without script; open if a form in it was refused.
pub(crate) fn disclosure(word: &str, more: Markup) -> Markup {
    let returned = more.0.contains(SUMMARY) || more.0.contains(PREVIEWED);
    html! { details.behind open[returned] { summary { (word) } div { (more) } } }
}
