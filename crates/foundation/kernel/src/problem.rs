//! Everything that can go wrong, by its key: one table of keys, statuses and meanings, and the
//! one error type that every layer returns.

use std::{borrow::Cow, fmt};

use serde::de;
use serde_json::{Value, json};

use crate::{Locale, Phrase, Rule};

/// What operations, rules and finders return.
pub type Result<T, E = Problem> = std::result::Result<T, E>;

macro_rules! keys {
    ($($name:ident $wire:literal $status:literal $meaning:literal)+) => {
        /// A machine-readable error key. Keys are stable; messages may be reworded.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $(#[doc = $meaning] $name,)+
        }

        impl Key {
            /// Every key, in the order of the contract.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The key as it stands in `error.key`.
            pub const fn wire(self) -> &'static str {
                match self { $(Self::$name => $wire,)+ }
            }

            /// The HTTP status that belongs to the key. The two generic fallbacks carry 400
            /// here and may be given another with [`Problem::with_status`].
            pub const fn status(self) -> u16 {
                match self { $(Self::$name => $status,)+ }
            }

            /// What the key means, as documentation prints it.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)+ }
            }
        }
    };
}

keys! {
    MissingBearer "auth.missing_bearer" 401 "The Authorization header is missing or is not a Bearer token."
    InvalidToken "auth.invalid_token" 401 "The token is malformed, expired or revoked."
    InvalidClient "auth.invalid_client" 401 "The API client is inactive, revoked or gone."
    MissingContext "auth.missing_context" 401 "The token has no usable company context."
    MissingDeviceKey "auth.missing_device_key" 401 "The x-device-key header is missing."
    InvalidDeviceKey "auth.invalid_device_key" 401 "The device key is malformed or replaced, or its device is disabled or revoked."
    InvalidCredentials "auth.invalid_credentials" 401 "The e-mail address and password do not match an account."
    Forbidden "auth.forbidden" 403 "The caller's role does not allow this."
    ProviderUnavailable "auth.provider_unavailable" 403 "The company's provider access is disabled."
    ScopesInsufficient "scopes.insufficient" 403 "A required scope is missing; details.requiredScopes lists it."
    ScopesHealthConsentRequired "scopes.health_consent_required" 403 "The scope is health-gated and the API client has no health consent."
    ScopesPrivateCommunicationConsentRequired "scopes.private_communication_consent_required" 403 "The scope is gated and the API client has no private-communication consent."
    RateLimitExceeded "rate_limit.exceeded" 429 "The rate limit is exceeded; wait Retry-After seconds."
    IdempotencyRequired "idempotency.required" 400 "A write request lacks the Idempotency-Key header."
    IdempotencyInvalid "idempotency.invalid" 400 "The Idempotency-Key is empty or longer than 200 characters."
    IdempotencyConflict "idempotency.conflict" 409 "The key was used with a different method, path, query or body."
    IdempotencyInProgress "idempotency.in_progress" 409 "The first request with this key is still being processed."
    NotFound "resource.not_found" 404 "No route matches, or the resource was not found."
    RequestInvalid "request.invalid" 400 "The request is invalid; details name the field and the rule."
    RequestFailed "request.failed" 400 "Generic fallback; the status tells more."
    WebhookRequestInvalid "webhook.request_invalid" 400 "Generic invalid webhook management request."
    InternalError "server.internal_error" 500 "Unexpected server error."

    AuditLogNotFound "PUBLIC_API_AUDIT_LOG_NOT_FOUND" 404 "No such audit log."
    BookingRequestNotFound "PUBLIC_API_BOOKING_REQUEST_NOT_FOUND" 404 "No such booking request."
    ChargebackNotFound "PUBLIC_API_CHARGEBACK_NOT_FOUND" 404 "No such chargeback."
    ClientNotFound "PUBLIC_API_CLIENT_NOT_FOUND" 404 "No such client."
    ClientProductNotFound "PUBLIC_API_CLIENT_PRODUCT_NOT_FOUND" 404 "No such client product."
    CoachNotFound "PUBLIC_API_COACH_NOT_FOUND" 404 "No such coach."
    CompanyNotFound "PUBLIC_API_COMPANY_NOT_FOUND" 404 "No such company."
    CompanyPoliciesNotFound "PUBLIC_API_COMPANY_POLICIES_NOT_FOUND" 404 "The company has not set its policies."
    DocumentFolderNotFound "PUBLIC_API_DOCUMENT_FOLDER_NOT_FOUND" 404 "No such document folder."
    DocumentNotFound "PUBLIC_API_DOCUMENT_NOT_FOUND" 404 "No such document."
    EventTemplateNotFound "PUBLIC_API_EVENT_TEMPLATE_NOT_FOUND" 404 "No such event template."
    EventTypeNotFound "PUBLIC_API_EVENT_TYPE_NOT_FOUND" 404 "No such event type."
    AvailabilitySlotNotBookable "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE" 409 "The slot can no longer be booked."
    AuditStoreUnavailable "PUBLIC_API_AUDIT_STORE_UNAVAILABLE" 500 "The audit log cannot be read or written; nothing was changed."
    IdempotencyPersistenceFailed "PUBLIC_API_IDEMPOTENCY_PERSISTENCE_FAILED" 500 "Whether the write took effect is not known; retry with the same key."
    BookingRequestNotPending "PUBLIC_API_BOOKING_REQUEST_NOT_PENDING" 400 "The booking request is no longer pending."
    ClientEmailRequiredForInvite "PUBLIC_API_CLIENT_EMAIL_REQUIRED_FOR_INVITE" 400 "A client without an e-mail address cannot be invited."
    CoachRequired "PUBLIC_API_COACH_REQUIRED" 400 "A coach is required."
    CustomFieldValuesRequired "PUBLIC_API_CUSTOM_FIELD_VALUES_REQUIRED" 400 "At least one custom field value is required."
    DateRangeOrderInvalid "PUBLIC_API_DATE_RANGE_ORDER_INVALID" 400 "The end of the range is before its start."
    DateRangeRequired "PUBLIC_API_DATE_RANGE_REQUIRED" 400 "A date range is required."
    DateRangeTooLarge "PUBLIC_API_DATE_RANGE_TOO_LARGE" 400 "The date range is too large."
    DocumentNameRequired "PUBLIC_API_DOCUMENT_NAME_REQUIRED" 400 "A document needs a name."
    DocumentNothingToUpdate "PUBLIC_API_DOCUMENT_NOTHING_TO_UPDATE" 400 "The request changes nothing."
    DocumentTypeRequired "PUBLIC_API_DOCUMENT_TYPE_REQUIRED" 400 "A document needs a type."
    DocumentUrlInvalid "PUBLIC_API_DOCUMENT_URL_INVALID" 400 "The document's URL is invalid."
    EventTemplateDurationRequired "PUBLIC_API_EVENT_TEMPLATE_DURATION_REQUIRED" 400 "An event template needs a duration."
    EventTemplateNameRequired "PUBLIC_API_EVENT_TEMPLATE_NAME_REQUIRED" 400 "An event template needs a name."
    EventTypeNameRequired "PUBLIC_API_EVENT_TYPE_NAME_REQUIRED" 400 "An event type needs a name."
    FieldTooLong "PUBLIC_API_FIELD_TOO_LONG" 400 "A text is longer than the field allows."
    HealthConsentRequired "PUBLIC_API_HEALTH_CONSENT_REQUIRED" 400 "Health-gated scopes need the health consent."
    InvalidAccessZones "PUBLIC_API_INVALID_ACCESS_ZONES" 400 "The access zones are invalid."
    InvalidAttendanceStatus "PUBLIC_API_INVALID_ATTENDANCE_STATUS" 400 "The attendance status is invalid."
    InvalidAuditLogId "PUBLIC_API_INVALID_AUDIT_LOG_ID" 400 "The audit log id is invalid."
    InvalidBookingRequestId "PUBLIC_API_INVALID_BOOKING_REQUEST_ID" 400 "The booking request id is invalid."
    InvalidBookingRequestStatus "PUBLIC_API_INVALID_BOOKING_REQUEST_STATUS" 400 "The booking request status is invalid."
    InvalidBoolean "PUBLIC_API_INVALID_BOOLEAN" 400 "A boolean is neither true nor false."
    InvalidCalendarEventId "PUBLIC_API_INVALID_CALENDAR_EVENT_ID" 400 "The calendar event id is invalid."
    InvalidCancellationTiming "PUBLIC_API_INVALID_CANCELLATION_TIMING" 400 "The cancellation timing is invalid."
    InvalidCapacityAction "PUBLIC_API_INVALID_CAPACITY_ACTION" 400 "The capacity action is invalid."
    InvalidChargebackId "PUBLIC_API_INVALID_CHARGEBACK_ID" 400 "The chargeback id is invalid."
    InvalidClientId "PUBLIC_API_INVALID_CLIENT_ID" 400 "The client id is invalid."
    InvalidClientProductId "PUBLIC_API_INVALID_CLIENT_PRODUCT_ID" 400 "The client product id is invalid."
    InvalidCoachId "PUBLIC_API_INVALID_COACH_ID" 400 "The coach id is invalid."
    InvalidCoordinates "PUBLIC_API_INVALID_COORDINATES" 400 "The coordinates are invalid."
    InvalidCurrency "PUBLIC_API_INVALID_CURRENCY" 400 "The currency is invalid."
    InvalidDate "PUBLIC_API_INVALID_DATE" 400 "A date or timestamp is invalid."
    InvalidDateRange "PUBLIC_API_INVALID_DATE_RANGE" 400 "The date range is invalid."
    InvalidDocumentFolderId "PUBLIC_API_INVALID_DOCUMENT_FOLDER_ID" 400 "The document folder id is invalid."
    InvalidDocumentId "PUBLIC_API_INVALID_DOCUMENT_ID" 400 "The document id is invalid."
    InvalidEnum "PUBLIC_API_INVALID_ENUM" 400 "The value is not one of those supported."
    PrivateCommunicationConsentRequired "PUBLIC_API_PRIVATE_COMMUNICATION_CONSENT_REQUIRED" 400 "Gated scopes need the private-communication consent."
    ApiError "PUBLIC_API_ERROR" 400 "Generic fallback: 400, 403, 404 or 409."

    WorkoutProgrammeCalendarDisabled "WORKOUT_V2_PROGRAMME_CALENDAR_DISABLED" 403 "The programme calendar is disabled for the company."
    WorkoutTemplateAlreadyActive "WORKOUT_TEMPLATE_ALREADY_ACTIVE" 409 "The template is already active."
    CompanyMcpFeatureDisabled "COMPANY_MCP_FEATURE_DISABLED" 403 "The company's MCP feature is disabled."
    CompanyMcpClientAiDisabled "COMPANY_MCP_CLIENT_AI_DISABLED" 403 "AI access is disabled for this client."
}

impl Key {
    /// The key with this wire name.
    pub fn parse(wire: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.wire() == wire)
    }

    /// Whether the key may stand with more than one status, as the contract says of the two
    /// generic fallbacks.
    pub const fn is_fallback(self) -> bool {
        matches!(self, Self::RequestFailed | Self::ApiError)
    }
}

/// A refusal or a failure on its way to the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The machine-readable key.
    pub key: Key,
    /// The HTTP status.
    pub status: u16,
    /// Text for humans.
    pub message: String,
    /// What a program may want to know.
    pub details: Option<Value>,
    /// The rule that a field broke, in every language.
    pub rule: Option<Box<Phrase>>,
    /// Seconds after which a retry makes sense.
    pub retry_after: Option<u32>,
    /// What really happened, for the log alone.
    pub cause: Option<String>,
}

impl Problem {
    /// A problem with the key's own status and meaning.
    pub fn new(key: Key) -> Self {
        Self::with_cause(key, key.meaning())
    }

    /// A problem with a message of its own.
    pub fn with_cause(key: Key, message: impl Into<String>) -> Self {
        Self {
            key,
            status: key.status(),
            message: message.into(),
            details: None,
            rule: None,
            retry_after: None,
            cause: None,
        }
    }

    /// A refusal that names the field and the rule it breaks.
    pub fn field(key: Key, field: &str, rule: impl Into<Phrase>) -> Self {
        // What somebody sent as a name is not sent back at any length.
        let field = shortened(field.into(), NAME_SHOWN);
        let rule = rule.into().map(|text| shortened(text, RULE_SHOWN));
        let mut problem = Self::with_cause(key, format!("{field}: {rule}."));
        problem.details = Some(json!({"field": &*field, "rule": rule.to_string()}));
        problem.rule = Some(Box::new(rule));
        problem
    }

    /// Whether it refuses this field.
    pub fn names(&self, field: &str) -> bool {
        self.details.as_ref().is_some_and(|details| details["field"] == field)
    }

    /// Whether a field broke this rule.
    pub fn breaks(&self, rule: impl Into<Phrase>) -> bool {
        self.rule.as_deref() == Some(&rule.into())
    }

    /// `request.invalid` for one field.
    pub fn invalid(field: &str, rule: impl Into<Phrase>) -> Self {
        Self::field(Key::RequestInvalid, field, rule)
    }

    /// The same refusal of a record that is not there, naming the field that should lead to it; any
    /// other problem as it is.
    pub fn missing(self, field: &str, rule: impl Into<Phrase>) -> Self {
        if self.status == 404 { Self::field(self.key, field, rule) } else { self }
    }

    /// The generic conflict, naming the field whose value is taken.
    pub fn conflict(field: &str, rule: impl Into<Phrase>) -> Self {
        Self::field(Key::ApiError, field, rule).with_status(409)
    }

    /// A failure that only the log is told about.
    pub fn internal(cause: impl fmt::Display) -> Self {
        let mut problem = Self::new(Key::InternalError);
        problem.cause = Some(cause.to_string());
        problem
    }

    /// The same, with what really happened, for the log alone.
    pub fn caused_by(mut self, cause: impl fmt::Display) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// The server cannot take the work now: 503 with a time to wait.
    pub fn overloaded() -> Self {
        let mut problem = Self::with_cause(Key::RequestFailed, "The server is busy; try again.");
        problem.retry_after = Some(1);
        problem.with_status(503)
    }

    /// The same problem under another status, for the generic fallbacks.
    pub fn with_status(mut self, status: u16) -> Self {
        debug_assert!(self.key.is_fallback(), "{} has one status", self.key.wire());
        self.status = status;
        self
    }

    /// Turns a deserializer's error into a refusal that names the field. `field` is the path
    /// to the value, empty or `.` for the whole.
    pub fn from_serde(field: &str, error: &str) -> Self {
        // Deserializers of JSON text append the position to what a value type said.
        let error = error.split_once(" at line ").map_or(error, |(error, _)| error);
        let is_whole = matches!(field, "" | "." | "?");
        let place = if is_whole { "body" } else { field };
        if let Some((key, rule)) = refused(error) {
            return Self::field(key, place, rule);
        }
        match named_in(error) {
            Some(name) if is_whole => Self::field(Key::RequestInvalid, name, reworded(error)),
            Some(name) => Self::field(Key::RequestInvalid, &join(field, name), reworded(error)),
            None if error.starts_with("unknown variant") => {
                Self::field(Key::InvalidEnum, place, Phrase::verbatim(error))
            }
            None => Self::field(Key::RequestInvalid, place, reworded(error)),
        }
    }
}

/// Characters of a field's name, and of a rule that may hold one, that a refusal shows.
const NAME_SHOWN: usize = 200;
const RULE_SHOWN: usize = 1_000;

fn shortened(text: Cow<'_, str>, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text,
    }
}

/// What a deserializer reports of a value of the wrong type or of a field, as a rule.
fn reworded(error: &str) -> Phrase {
    let name = || named_in(error).unwrap_or_default().to_owned();
    if error.starts_with("missing field") {
        return Rule::MissingField { name: name() }.into();
    }
    if let Some((_, expected)) =
        error.strip_prefix("invalid type: ").and_then(|rest| rest.rsplit_once(", expected "))
    {
        let is_number = |kind: &str| kind.starts_with(['i', 'u', 'f']) && kind.len() <= 5;
        let rule = match expected {
            "a sequence" => Some(Rule::NotList),
            "a string" | "a borrowed string" | "string" | "str" => Some(Rule::NotText),
            "a boolean" => Some(Rule::NotBoolean),
            "a map" => Some(Rule::NotObject),
            kind if kind.starts_with("struct ") => Some(Rule::NotObject),
            kind if is_number(kind) => Some(Rule::NotNumber),
            _ => None,
        };
        if let Some(rule) = rule {
            return rule.into();
        }
    }
    Phrase::verbatim(error)
}

fn join(path: &str, name: &str) -> String {
    // Deserializers disagree on whether the path already ends in the unknown field.
    if path == name || path.ends_with(&format!(".{name}")) {
        path.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// The field that serde's own messages put between backticks: "unknown field `x`".
fn named_in(error: &str) -> Option<&str> {
    let rest = ["unknown field `", "missing field `", "duplicate field `"]
        .iter()
        .find_map(|start| error.strip_prefix(start))?;
    rest.split_once('`').map(|(name, _)| name)
}

/// In the schema of a value type: the key under which other values are refused. It is taken out where a
/// schema is shown.
pub const INVALID: &str = "x-invalid";

/// In the schema of an id: the key under which one that leads to nothing is refused.
pub const MISSING: &str = "x-missing";

/// Takes [`INVALID`] and [`MISSING`] out of a schema that is shown.
pub fn unmarked(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            [INVALID, MISSING].iter().for_each(|mark| drop(fields.remove(*mark)));
            fields.values_mut().for_each(unmarked);
        }
        Value::Array(items) => items.iter_mut().for_each(unmarked),
        _ => {}
    }
}

/// Separates a key and the texts of its rule inside a deserializer's error, which can carry text alone.
const MARK: char = '\u{1}';

/// The error with which a value type refuses its text: the key that the contract names for it,
/// and the rule. [`Problem::from_serde`] reads it back.
pub fn refuse<E: de::Error>(key: Key, rule: impl Into<Phrase>) -> E {
    let rule = rule.into();
    let [english, dutch, german] = Locale::ALL.map(|locale| rule.text(locale));
    E::custom(format!("{MARK}{}{MARK}{english}{MARK}{dutch}{MARK}{german}", key.wire()))
}

/// The key and the rule of an error that [`refuse`] made.
fn refused(error: &str) -> Option<(Key, Phrase)> {
    let mut parts = error.strip_prefix(MARK)?.split(MARK);
    let key = Key::parse(parts.next()?)?;
    let mut text = || Some(Cow::from(parts.next()?.to_owned()));
    Some((key, Phrase::new([text()?, text()?, text()?])))
}

impl From<Key> for Problem {
    fn from(key: Key) -> Self {
        Self::new(key)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status, self.key.wire(), self.message)?;
        self.cause.as_ref().map_or(Ok(()), |cause| write!(f, " ({cause})"))
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_key_is_one_of_a_kind() {
        let wires: BTreeSet<_> = Key::ALL.iter().map(|key| key.wire()).collect();
        assert_eq!(wires.len(), Key::ALL.len());
        for key in Key::ALL {
            assert_eq!(Key::parse(key.wire()), Some(*key));
            assert!(key.wire().len() > 8 && key.meaning().ends_with('.'), "{}", key.wire());
        }
    }

    #[test]
    fn a_value_types_refusal_keeps_its_key_and_rule() {
        let error: serde_json::Error = refuse(Key::InvalidDate, Rule::NotDate);
        let problem = Problem::from_serde("born", &error.to_string());
        assert_eq!(problem.key, Key::InvalidDate);
        assert_eq!(
            problem.details,
            Some(json!({"field": "born", "rule": "must be a date, YYYY-MM-DD"}))
        );
    }

    #[test]
    fn serdes_own_messages_name_the_field() {
        let problem = Problem::from_serde(".", "missing field `name` at line 1 column 2");
        assert_eq!(problem.message, "name: missing field `name`.");
        let problem =
            Problem::from_serde("tags", "invalid type: string \"x\", expected a sequence");
        assert_eq!(problem.message, "tags: must be a list.");
        let problem =
            Problem::from_serde("n", "invalid type: null, expected f64 at line 1 column 9");
        assert_eq!(problem.message, "n: must be a number.");
        let problem = Problem::from_serde("address.zip", "unknown field `zip`, expected `city`");
        assert_eq!(problem.details.unwrap()["field"], "address.zip");
    }
}
