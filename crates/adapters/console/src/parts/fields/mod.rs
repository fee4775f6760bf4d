//! Forms. A form is of an operation: its fields are named by their place in the body, what they may hold is read from
//! the operation's schema, and what the operation refuses is told beside the field that is wrong.

mod kinds;

pub(crate) use kinds::Cell;

use maud::{Markup, html};
use serde_json::Value;
use spotter_company::uploads::MediaType;
use spotter_contract::{Method, confirmations::Preview};

use super::format::JsonFields;
use crate::{
    act, body, edited_fields,
    field_kind::FieldKind,
    page_context::{PageContext, allowed_operation},
    record_version::{self, FormSource},
    unsent_form,
    words::Strings,
};

/// What stands above a form that was refused, by its class.
pub(super) const SUMMARY: &str = "summary of-form";
/// What stands above the button of a form whose person is told what it does, by its class.
const FORESEEN: &str = "notice warn foreseen";

/// A form of an operation on its way to somebody.
pub(crate) struct Form<'f> {
    operation: &'static str,
    schema: Option<&'f Value>,
    /// What of the path the operation is given.
    at: Vec<(&'static str, String)>,
    next: String,
    /// What there is so far.
    record: Option<&'f Value>,
    /// What was typed and refused.
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
    /// Under which name what is typed is kept until it is sent.
    draft: Option<String>,
    /// Whether it leads to a file, which no script can put into the page.
    away: bool,
    /// Whether what it says is kept in the browser where nothing can be sent.
    offline: bool,
    /// What its fields hold while nobody has touched them, as a browser would send it.
    untouched: Vec<(String, String)>,
    /// The same as it was first shown, where it comes back.
    was: Option<String>,
    /// Whether its operation changes what is sent and leaves the rest.
    changes_parts: bool,
    /// Whom it is about, where several forms of a page have buttons of one name.
    subject: String,
    /// What was typed into it before what it is made of was changed by somebody else.
    lost: &'f [(String, String)],
    /// Whether its person is told first what it does.
    previews: bool,
    /// What it does, once they are told.
    preview: Option<&'f Preview>,
}

/// What a file is sent as.
#[derive(Clone, Copy)]
pub(crate) enum Upload {
    /// Whatever people send each other.
    File,
    /// A photo of somebody's progress.
    Photo,
    /// What a question is answered with.
    Answer,
}

impl Upload {
    /// The kind of its field.
    pub(crate) const fn kind(self) -> FieldKind {
        match self {
            Self::File => FieldKind::File,
            Self::Photo => FieldKind::Photo,
            Self::Answer => FieldKind::Answer,
        }
    }

    /// What a browser offers to choose.
    pub(crate) fn accepts(self) -> String {
        let pictures = [MediaType::Jpeg, MediaType::Png, MediaType::Webp];
        let kinds = if matches!(self, Self::Photo) { &pictures[..] } else { MediaType::ALL };
        kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>().join(",")
    }
}

impl<'f> Form<'f> {
    /// A form of an operation. Where it is taken, its page is shown again; see [`next`](Self::next).
    pub(crate) fn of(cx: &'f PageContext<'_, '_>, operation: &'static str) -> Self {
        Self::about(cx, operation, Vec::new())
    }

    /// The same of an operation about something: what stands in its path.
    pub(crate) fn about(
        cx: &'f PageContext<'_, '_>,
        operation: &'static str,
        at: Vec<(&'static str, String)>,
    ) -> Self {
        Self::with_key(cx, "", operation, at)
    }

    /// The same where a page has several of them, and what stands before one may be gone when it comes back: each has a
    /// name of its own.
    pub(crate) fn with_key(
        cx: &'f PageContext<'_, '_>,
        name: &str,
        operation: &'static str,
        at: Vec<(&'static str, String)>,
    ) -> Self {
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
            // A place of a list is told in brackets, and typed behind a point.
            let field = entered.field().unwrap_or_default().replace('[', ".").replace(']', "");
            Some((field, answer))
        });
        // What is written whole, and was changed meanwhile, is shown as it is now: what was typed stands beside it.
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

    /// Whoever sends it is told first what it does to others, and sends it again to have it done.
    pub(crate) fn previewed(mut self) -> Self {
        self.previews = true;
        self
    }

    /// What is typed into its long text is kept in the browser until it is sent.
    pub(crate) fn draft(mut self, name: &str) -> Self {
        self.draft = Some(name.to_owned());
        self
    }

    /// It leads to a file.
    pub(crate) fn downloads(mut self) -> Self {
        self.away = true;
        self
    }

    /// What it says is kept in the browser while nothing can be sent, and sent once it can: for what is written whole.
    pub(crate) fn offline(mut self) -> Self {
        self.offline = true;
        self
    }

    /// Its button is that of somebody, or of something, among others of its name.
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
    pub(crate) fn from(mut self, record: &'f Value) -> Self {
        self.record = Some(record);
        self
    }

    /// It is made of this, and refused where that is otherwise once it is sent.
    pub(crate) fn based_on(self, made: &FormSource) -> Self {
        self.hidden(record_version::FIELD, &*made.0)
    }

    /// Of this list, whose ids nobody sees, each entry is changed by itself.
    pub(crate) fn based_on_list(self, list: &str) -> Self {
        self.hidden(edited_fields::EACH, list)
    }

    /// What is proposed in a field is how it is: no change until somebody touches it.
    pub(crate) fn unchanged(mut self, name: &str, value: &str) -> Self {
        self.holds(name, value);
        self
    }

    /// A field that nobody sees, and that is no change.
    pub(crate) fn unchanged_hidden(mut self, name: &str, value: &str) -> Self {
        self.holds(name, value);
        self.hidden(name, value)
    }

    /// A field that nobody sees.
    pub(crate) fn hidden(mut self, name: &str, value: impl Into<String>) -> Self {
        self.hidden.push((name.to_owned(), value.into()));
        self
    }

    /// Notes what a field holds while nobody has touched it.
    fn holds(&mut self, name: &str, value: impl Into<String>) {
        self.untouched.push((name.to_owned(), value.into()));
    }

    /// What was shown in its fields, for [`changed`](crate::edited_fields); nothing where everything is sent.
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

    fn is_required(&self, name: &str) -> bool {
        let (whole, last) = name.rsplit_once('.').unwrap_or(("", name));
        let Some(schema) = self.schema else { return false };
        let own = if whole.is_empty() { schema } else { self.place(whole) };
        // What stands in something that may be left out is only needed where that is there.
        body::requires(own, last) && (whole.is_empty() || self.is_required(whole))
    }

    /// What stands in a field: what was typed, else what there is.
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

    /// The mark of what must be filled in; those who hear the page are told by the control.
    fn required_mark(&self, name: &str) -> Markup {
        html! { @if self.is_required(name) { span.needed aria-hidden="true" title=(self.strings.required()) { "*" } } }
    }

    /// A field as it stands: its label, what it is made of, a word of help, what is wrong with it.
    fn labelled(&mut self, name: &str, label: &str, help: &str, control: Markup) {
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

    /// The same for what cannot be taken back.
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
            form id=(id) method="post" action=(action) novalidate[self.plain] data-form data-offline[self.offline]
                enctype=[self.file.then_some("multipart/form-data")] data-hx-boost=[(self.file || self.away).then_some("false")] {
                @if let Some((field, answer)) = &wrong {
                    div class=(SUMMARY) role="alert" tabindex="-1" {
                        h2 { (self.strings.problem_with()) }
                        @if field.is_empty() { p { (answer) } }
                        @else { p { a href={ "#" (about) } { (called) } ": " (answer) } }
                        @let own = typed_before(lost, &hidden, &labels);
                        @if !own.is_empty() {
                            p { (self.strings.you_had_typed()) }
                            ul { @for (label, value) in own { li { @if !label.is_empty() { (label) ": " } (value) } } }
                        }
                    }
                }
                input type="hidden" name="-do" value=(operation);
                input type="hidden" name="-form" value=(id);
                input type="hidden" name="-key" value=(key);
                input type="hidden" name="-csrf" value=(csrf);
                input type="hidden" name=(unsent_form::WHOSE) value=(whose);
                input type="hidden" name="-next" value=(next);
                @if let Some(was) = &was { input type="hidden" name=(edited_fields::FIELD) value=(was); }
                @if calls { input type="hidden" name=(act::ASK) value="1"; }
                @if let Some(preview) = preview { input type="hidden" name=(act::CONFIRM) value=(preview.confirm_token); }
                @for (name, value) in &at { input type="hidden" name={ "-at." (name) } value=(value); }
                @for (name, value) in &hidden { input type="hidden" name=(name) value=(value); }
                @for field in &fields { (field) }
                @if let Some(label) = is_sure {
                    div.field {
                        label for={ (id) "--password" } { (label) }
                        p.help #{ (id) "--password-help" } { (self.strings.password_why()) }
                        input type="password" id={ (id) "--password" } name="-password" required
                            autocomplete="current-password" aria-describedby={ (id) "--password-help" };
                    }
                }
                @if let Some(preview) = preview {
                    div class=(FORESEEN) role="alert" tabindex="-1" {
                        p { b { (self.strings.will_happen()) } }
                        ul { @for what in &preview.happens { li { (what) } } }
                        p { (self.strings.send_again_to_do_it()) }
                    }
                }
                button.(class) type="submit" { (button) @if !recipient.is_empty() { span.hidden { ": " (recipient) } } }
            }
        }
    }
}

/// What somebody had typed into the fields that they see, each with what it is called.
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

/// Something behind a word: shown when somebody asks for it, with script or without, and where a form in it was refused.
pub(crate) fn disclosure(word: &str, more: Markup) -> Markup {
    let returned = more.0.contains(SUMMARY) || more.0.contains(FORESEEN);
    html! { details.behind open[returned] { summary { (word) } div { (more) } } }
}
