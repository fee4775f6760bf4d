//! The keys of everything that can go wrong: one table of keys, statuses and meanings.

use crate::Phrase;

macro_rules! keys {
    ($($name:ident $wire:literal $status:literal $meaning:literal $dutch:literal $german:literal)+) => {
        /// A machine-readable error key. Keys are stable; messages may be reworded.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $(#[doc = $meaning] $name,)+
        }

        impl Key {
            /// Every key, in the order of the contract.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The key as in `error.key`.
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

            /// The same in every language.
            pub fn phrase(self) -> Phrase {
                let texts = match self { $(Self::$name => [$meaning, $dutch, $german],)+ };
                Phrase::new(texts.map(Into::into))
            }
        }
    };
}

keys! {
    MissingBearer "auth.missing_bearer" 401
        "The Authorization header is missing or is not a Bearer token."
        "De Authorization-header ontbreekt of is geen Bearer-token."
        "Der Authorization-Header fehlt oder ist kein Bearer-Token."
    InvalidToken "auth.invalid_token" 401
        "The token is malformed, expired or revoked."
        "Het token is onjuist, verlopen of ingetrokken."
        "Das Token ist fehlerhaft, abgelaufen oder widerrufen."
    InvalidClient "auth.invalid_client" 401
        "The API client is inactive, revoked or gone."
        "De API-client is inactief, ingetrokken of verwijderd."
        "Der API-Client ist inaktiv, widerrufen oder gelöscht."
    MissingContext "auth.missing_context" 401
        "The token has no usable company context."
        "Het token hoort niet bij een bruikbaar bedrijf."
        "Das Token gehört zu keinem nutzbaren Unternehmen."
    MissingDeviceKey "auth.missing_device_key" 401
        "The x-device-key header is missing."
        "De header x-device-key ontbreekt."
        "Der Header x-device-key fehlt."
    InvalidDeviceKey "auth.invalid_device_key" 401
        "The device key is malformed or replaced, or its device is disabled or revoked."
        "De apparaatsleutel is onjuist of vervangen, of het apparaat is uitgeschakeld of ingetrokken."
        "Der Geräteschlüssel ist fehlerhaft oder ersetzt, oder das Gerät ist deaktiviert oder widerrufen."
    InvalidCredentials "auth.invalid_credentials" 401
        "The e-mail address and password do not match an account."
        "E-mailadres en wachtwoord horen niet bij een account."
        "E-Mail-Adresse und Passwort gehören zu keinem Konto."
    Forbidden "auth.forbidden" 403
        "The caller's role does not allow this."
        "Je rol staat dit niet toe."
        "Ihre Rolle erlaubt das nicht."
    ProviderUnavailable "auth.provider_unavailable" 403
        "The company's provider access is disabled."
        "De toegang voor integraties is uitgeschakeld."
        "Der Zugang für Integrationen ist abgeschaltet."
    ScopesInsufficient "scopes.insufficient" 403
        "A required scope is missing; details.requiredScopes lists it."
        "Een nodig recht ontbreekt; details.requiredScopes noemt het."
        "Eine nötige Berechtigung fehlt; details.requiredScopes nennt sie."
    ScopesHealthConsentRequired "scopes.health_consent_required" 403
        "The scope is health-gated and the API client has no health consent."
        "Dit gaat over gezondheid, en de toestemming daarvoor ontbreekt."
        "Hier geht es um Gesundheit, und die Einwilligung dafür fehlt."
    ScopesPrivateCommunicationConsentRequired "scopes.private_communication_consent_required" 403
        "The scope is gated and the API client has no private-communication consent."
        "Dit gaat over privéberichten, en de toestemming daarvoor ontbreekt."
        "Hier geht es um private Nachrichten, und die Einwilligung dafür fehlt."
    RateLimitExceeded "rate_limit.exceeded" 429
        "The rate limit is exceeded; wait Retry-After seconds."
        "Te veel verzoeken; probeer het zo weer."
        "Zu viele Anfragen; versuchen Sie es gleich noch einmal."
    IdempotencyRequired "idempotency.required" 400
        "A write request lacks the Idempotency-Key header."
        "Dit formulier kan zo niet worden verstuurd: open de pagina opnieuw."
        "Dieses Formular kann so nicht gesendet werden: öffnen Sie die Seite erneut."
    IdempotencyInvalid "idempotency.invalid" 400
        "The Idempotency-Key is empty or longer than 200 characters."
        "De Idempotency-Key is leeg of langer dan 200 tekens."
        "Der Idempotency-Key ist leer oder länger als 200 Zeichen."
    IdempotencyConflict "idempotency.conflict" 409
        "The key was used with a different method, path, query or body."
        "Dit formulier is al verstuurd. Verstuur het nog eens als je dit ook wilt bewaren."
        "Dieses Formular wurde schon gesendet. Senden Sie es noch einmal, wenn Sie auch das speichern möchten."
    IdempotencyInProgress "idempotency.in_progress" 409
        "The first request with this key is still being processed."
        "Dit wordt nog verwerkt."
        "Das wird noch bearbeitet."
    NotFound "resource.not_found" 404
        "No route matches, or the resource was not found."
        "Dit bestaat niet, of niet meer."
        "Das gibt es nicht oder nicht mehr."
    RequestInvalid "request.invalid" 400
        "The request is invalid; details name the field and the rule."
        "Het verzoek klopt niet; details noemt het veld en de regel."
        "Die Anfrage ist ungültig; details nennt das Feld und die Regel."
    RequestFailed "request.failed" 400
        "Generic fallback; the status tells more."
        "Het is niet gelukt."
        "Es ist fehlgeschlagen."
    WebhookRequestInvalid "webhook.request_invalid" 400
        "Generic invalid webhook management request."
        "Het verzoek voor een webhook klopt niet."
        "Die Webhook-Anfrage ist ungültig."
    InternalError "server.internal_error" 500
        "Unexpected server error."
        "Er is een onverwachte fout opgetreden."
        "Ein unerwarteter Fehler ist aufgetreten."

    AuditLogNotFound "PUBLIC_API_AUDIT_LOG_NOT_FOUND" 404
        "No such audit log."
        "Deze logregel bestaat niet."
        "Diesen Protokolleintrag gibt es nicht."
    BookingRequestNotFound "PUBLIC_API_BOOKING_REQUEST_NOT_FOUND" 404
        "No such booking request."
        "Deze boekingsaanvraag bestaat niet."
        "Diese Buchungsanfrage gibt es nicht."
    ChargebackNotFound "PUBLIC_API_CHARGEBACK_NOT_FOUND" 404
        "No such chargeback."
        "Deze terugboeking bestaat niet."
        "Diese Rückbuchung gibt es nicht."
    ClientNotFound "PUBLIC_API_CLIENT_NOT_FOUND" 404
        "No such client."
        "Deze klant bestaat niet."
        "Diesen Kunden gibt es nicht."
    ClientProductNotFound "PUBLIC_API_CLIENT_PRODUCT_NOT_FOUND" 404
        "No such client product."
        "Dit product van een klant bestaat niet."
        "Dieses Kundenprodukt gibt es nicht."
    CoachNotFound "PUBLIC_API_COACH_NOT_FOUND" 404
        "No such coach."
        "Deze coach bestaat niet."
        "Diesen Coach gibt es nicht."
    CompanyNotFound "PUBLIC_API_COMPANY_NOT_FOUND" 404
        "No such company."
        "Dit bedrijf bestaat niet."
        "Dieses Unternehmen gibt es nicht."
    CompanyPoliciesNotFound "PUBLIC_API_COMPANY_POLICIES_NOT_FOUND" 404
        "The company has not set its policies."
        "Het bedrijf heeft nog geen regels ingesteld."
        "Das Unternehmen hat noch keine Regeln festgelegt."
    DocumentFolderNotFound "PUBLIC_API_DOCUMENT_FOLDER_NOT_FOUND" 404
        "No such document folder."
        "Deze map bestaat niet."
        "Diesen Ordner gibt es nicht."
    DocumentNotFound "PUBLIC_API_DOCUMENT_NOT_FOUND" 404
        "No such document."
        "Dit document bestaat niet."
        "Dieses Dokument gibt es nicht."
    EventTemplateNotFound "PUBLIC_API_EVENT_TEMPLATE_NOT_FOUND" 404
        "No such event template."
        "Dit sjabloon bestaat niet."
        "Diese Vorlage gibt es nicht."
    EventTypeNotFound "PUBLIC_API_EVENT_TYPE_NOT_FOUND" 404
        "No such event type."
        "Deze soort bestaat niet."
        "Diese Art gibt es nicht."
    AvailabilitySlotNotBookable "PUBLIC_API_AVAILABILITY_SLOT_NOT_BOOKABLE" 409
        "The slot can no longer be booked."
        "Deze tijd is niet meer te boeken."
        "Diese Zeit ist nicht mehr buchbar."
    AuditStoreUnavailable "PUBLIC_API_AUDIT_STORE_UNAVAILABLE" 500
        "The audit log cannot be read or written; nothing was changed."
        "Het logboek is niet bereikbaar; er is niets gewijzigd."
        "Das Protokoll ist nicht erreichbar; es wurde nichts geändert."
    IdempotencyPersistenceFailed "PUBLIC_API_IDEMPOTENCY_PERSISTENCE_FAILED" 500
        "Whether the write took effect is not known; retry with the same key."
        "Het is niet bekend of dit is gelukt. Kijk eerst of het er staat."
        "Ob es wirksam wurde, ist nicht bekannt. Sehen Sie zuerst nach, ob es da ist."
    BookingRequestNotPending "PUBLIC_API_BOOKING_REQUEST_NOT_PENDING" 400
        "The booking request is no longer pending."
        "De boekingsaanvraag staat niet meer open."
        "Die Buchungsanfrage ist nicht mehr offen."
    ClientEmailRequiredForInvite "PUBLIC_API_CLIENT_EMAIL_REQUIRED_FOR_INVITE" 400
        "A client without an e-mail address cannot be invited."
        "Een klant zonder e-mailadres kan niet worden uitgenodigd."
        "Ein Kunde ohne E-Mail-Adresse kann nicht eingeladen werden."
    CoachRequired "PUBLIC_API_COACH_REQUIRED" 400
        "A coach is required."
        "Kies een coach."
        "Wählen Sie einen Coach."
    CustomFieldValuesRequired "PUBLIC_API_CUSTOM_FIELD_VALUES_REQUIRED" 400
        "At least one custom field value is required."
        "Minstens één waarde is verplicht."
        "Mindestens ein Wert ist nötig."
    DateRangeOrderInvalid "PUBLIC_API_DATE_RANGE_ORDER_INVALID" 400
        "The end of the range is before its start."
        "Het einde van de periode ligt voor het begin."
        "Das Ende des Zeitraums liegt vor dem Beginn."
    DateRangeRequired "PUBLIC_API_DATE_RANGE_REQUIRED" 400
        "A date range is required."
        "Een periode is verplicht."
        "Ein Zeitraum ist nötig."
    DateRangeTooLarge "PUBLIC_API_DATE_RANGE_TOO_LARGE" 400
        "The date range is too large."
        "De periode is te lang."
        "Der Zeitraum ist zu lang."
    DocumentNameRequired "PUBLIC_API_DOCUMENT_NAME_REQUIRED" 400
        "A document needs a name."
        "Een document heeft een naam nodig."
        "Ein Dokument braucht einen Namen."
    DocumentNothingToUpdate "PUBLIC_API_DOCUMENT_NOTHING_TO_UPDATE" 400
        "The request changes nothing."
        "Het verzoek wijzigt niets."
        "Die Anfrage ändert nichts."
    DocumentTypeRequired "PUBLIC_API_DOCUMENT_TYPE_REQUIRED" 400
        "A document needs a type."
        "Een document heeft een soort nodig."
        "Ein Dokument braucht eine Art."
    DocumentUrlInvalid "PUBLIC_API_DOCUMENT_URL_INVALID" 400
        "The document's URL is invalid."
        "Het adres van het document klopt niet."
        "Die Adresse des Dokuments ist ungültig."
    EventTemplateDurationRequired "PUBLIC_API_EVENT_TEMPLATE_DURATION_REQUIRED" 400
        "An event template needs a duration."
        "Een sjabloon heeft een duur nodig."
        "Eine Vorlage braucht eine Dauer."
    EventTemplateNameRequired "PUBLIC_API_EVENT_TEMPLATE_NAME_REQUIRED" 400
        "An event template needs a name."
        "Een sjabloon heeft een naam nodig."
        "Eine Vorlage braucht einen Namen."
    EventTypeNameRequired "PUBLIC_API_EVENT_TYPE_NAME_REQUIRED" 400
        "An event type needs a name."
        "Een soort heeft een naam nodig."
        "Eine Art braucht einen Namen."
    FieldTooLong "PUBLIC_API_FIELD_TOO_LONG" 400
        "A text is longer than the field allows."
        "De tekst is te lang."
        "Der Text ist zu lang."
    HealthConsentRequired "PUBLIC_API_HEALTH_CONSENT_REQUIRED" 400
        "Health-gated scopes need the health consent."
        "Rechten over gezondheid vragen toestemming."
        "Berechtigungen zur Gesundheit brauchen die Einwilligung."
    InvalidAccessZones "PUBLIC_API_INVALID_ACCESS_ZONES" 400
        "The access zones are invalid."
        "De zones kloppen niet."
        "Die Zonen sind ungültig."
    InvalidAttendanceStatus "PUBLIC_API_INVALID_ATTENDANCE_STATUS" 400
        "The attendance status is invalid."
        "De aanwezigheid klopt niet."
        "Der Anwesenheitsstatus ist ungültig."
    InvalidAuditLogId "PUBLIC_API_INVALID_AUDIT_LOG_ID" 400
        "The audit log id is invalid."
        "Het id van de logregel klopt niet."
        "Die ID des Protokolleintrags ist ungültig."
    InvalidBookingRequestId "PUBLIC_API_INVALID_BOOKING_REQUEST_ID" 400
        "The booking request id is invalid."
        "Het id van de boekingsaanvraag klopt niet."
        "Die ID der Buchungsanfrage ist ungültig."
    InvalidBookingRequestStatus "PUBLIC_API_INVALID_BOOKING_REQUEST_STATUS" 400
        "The booking request status is invalid."
        "De status van de boekingsaanvraag klopt niet."
        "Der Status der Buchungsanfrage ist ungültig."
    InvalidBoolean "PUBLIC_API_INVALID_BOOLEAN" 400
        "A boolean is neither true nor false."
        "Een ja-of-nee-waarde klopt niet."
        "Ein Ja-Nein-Wert ist ungültig."
    InvalidCalendarEventId "PUBLIC_API_INVALID_CALENDAR_EVENT_ID" 400
        "The calendar event id is invalid."
        "Het id van het agenda-item klopt niet."
        "Die ID des Kalendereintrags ist ungültig."
    InvalidCancellationTiming "PUBLIC_API_INVALID_CANCELLATION_TIMING" 400
        "The cancellation timing is invalid."
        "Het moment van annuleren klopt niet."
        "Der Zeitpunkt der Stornierung ist ungültig."
    InvalidCapacityAction "PUBLIC_API_INVALID_CAPACITY_ACTION" 400
        "The capacity action is invalid."
        "De actie voor de plek klopt niet."
        "Die Aktion für den Platz ist ungültig."
    InvalidChargebackId "PUBLIC_API_INVALID_CHARGEBACK_ID" 400
        "The chargeback id is invalid."
        "Het id van de terugboeking klopt niet."
        "Die ID der Rückbuchung ist ungültig."
    InvalidClientId "PUBLIC_API_INVALID_CLIENT_ID" 400
        "The client id is invalid."
        "Het id van de klant klopt niet."
        "Die ID des Kunden ist ungültig."
    InvalidClientProductId "PUBLIC_API_INVALID_CLIENT_PRODUCT_ID" 400
        "The client product id is invalid."
        "Het id van het klantproduct klopt niet."
        "Die ID des Kundenprodukts ist ungültig."
    InvalidCoachId "PUBLIC_API_INVALID_COACH_ID" 400
        "The coach id is invalid."
        "Het id van de coach klopt niet."
        "Die ID des Coaches ist ungültig."
    InvalidCoordinates "PUBLIC_API_INVALID_COORDINATES" 400
        "The coordinates are invalid."
        "De coördinaten kloppen niet."
        "Die Koordinaten sind ungültig."
    InvalidCurrency "PUBLIC_API_INVALID_CURRENCY" 400
        "The currency is invalid."
        "De munteenheid klopt niet."
        "Die Währung ist ungültig."
    InvalidDate "PUBLIC_API_INVALID_DATE" 400
        "A date or timestamp is invalid."
        "Een datum of tijdstip klopt niet."
        "Ein Datum oder Zeitpunkt ist ungültig."
    InvalidDateRange "PUBLIC_API_INVALID_DATE_RANGE" 400
        "The date range is invalid."
        "De periode klopt niet."
        "Der Zeitraum ist ungültig."
    InvalidDocumentFolderId "PUBLIC_API_INVALID_DOCUMENT_FOLDER_ID" 400
        "The document folder id is invalid."
        "Het id van de map klopt niet."
        "Die ID des Ordners ist ungültig."
    InvalidDocumentId "PUBLIC_API_INVALID_DOCUMENT_ID" 400
        "The document id is invalid."
        "Het id van het document klopt niet."
        "Die ID des Dokuments ist ungültig."
    InvalidEnum "PUBLIC_API_INVALID_ENUM" 400
        "The value is not one of those supported."
        "De waarde wordt niet ondersteund."
        "Der Wert wird nicht unterstützt."
    PrivateCommunicationConsentRequired "PUBLIC_API_PRIVATE_COMMUNICATION_CONSENT_REQUIRED" 400
        "Gated scopes need the private-communication consent."
        "Rechten over privéberichten vragen toestemming."
        "Berechtigungen zu privaten Nachrichten brauchen die Einwilligung."
    ApiError "PUBLIC_API_ERROR" 400
        "Generic fallback: 400, 403, 404 or 409."
        "Het kan niet."
        "Das geht nicht."

    WorkoutProgrammeCalendarDisabled "WORKOUT_V2_PROGRAMME_CALENDAR_DISABLED" 403
        "The programme calendar is disabled for the company."
        "De programmakalender is voor het bedrijf uitgeschakeld."
        "Der Programmkalender ist für das Unternehmen abgeschaltet."
    WorkoutTemplateAlreadyActive "WORKOUT_TEMPLATE_ALREADY_ACTIVE" 409
        "The template is already active."
        "Het programma is al gepubliceerd."
        "Das Programm ist schon veröffentlicht."
    CompanyMcpFeatureDisabled "COMPANY_MCP_FEATURE_DISABLED" 403
        "The company's MCP feature is disabled."
        "Assistenten zijn voor het bedrijf uitgeschakeld."
        "Assistenten sind für das Unternehmen abgeschaltet."
    CompanyMcpClientAiDisabled "COMPANY_MCP_CLIENT_AI_DISABLED" 403
        "AI access is disabled for this client."
        "Assistenten zijn voor deze klant uitgeschakeld."
        "Assistenten sind für diesen Kunden abgeschaltet."
}

impl Key {
    /// The key with this wire name.
    pub fn parse(wire: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.wire() == wire)
    }

    /// Whether the key may have more than one status, as the contract's two generic fallbacks.
    pub const fn is_fallback(self) -> bool {
        matches!(self, Self::RequestFailed | Self::ApiError)
    }
}
