//! The fields of a sign-in.

use std::{net::IpAddr, sync::Arc};

use maud::{Markup, html};
use serde_json::Value;
use spotter_http::{Login, RequestId, State, recognise, recognise_by_ticket};
use spotter_kernel::{Id, Key, Problem, Result, id::CompanyId, text::Email};
use spotter_people::identity::accounts::{Account, Password, Subject};

use crate::{forms::FormData, words::Strings};

/// A sign-in that is to be typed, or typed again.
#[derive(Default)]
pub struct SignIn {
    /// The address.
    pub email: String,
    /// Whether the address is a coach's and a client's, so that one is to be chosen.
    pub ask_subject: bool,
    /// Ids and names of the companies to choose from, where the address has accounts at several.
    pub companies: Vec<(String, String)>,
    /// The ticket that replaces the correct password while a code of the second step is typed.
    pub ticket: Option<String>,
    /// What was wrong.
    pub wrong: Option<String>,
}

impl FormData {
    /// The account that it signs in to: with a password, or after that with the code of a second step.
    pub async fn authenticate(
        &self,
        state: &Arc<State>,
        request_id: &RequestId,
        from: IpAddr,
        is_known_browser: bool,
    ) -> Result<Account> {
        match self.one("ticket") {
            "" => {
                let login = Login { is_known_browser, ..self.login()? };
                recognise(state, request_id, from, login).await
            }
            ticket => recognise_by_ticket(state, request_id, ticket, self.one("code")).await,
        }
    }

    fn login(&self) -> Result<Login> {
        let subject = match self.one("subject") {
            "client" => Some(Subject::Client),
            "coach" => Some(Subject::Coach),
            _ => None,
        };
        Ok(Login {
            email: Email::parse(self.one("email").trim()).ok_or(Key::InvalidCredentials)?,
            password: Password::new(self.one("password").to_owned()),
            company_id: Id::parse(self.one("company")).map(CompanyId),
            subject,
            code: None,
            is_known_browser: false,
        })
    }

    /// Typed and chosen values without the password, and what was wrong with them.
    pub fn typed_values(&self, t: Strings, problem: &Problem) -> SignIn {
        let details = problem.details.as_ref();
        let listed = details.and_then(|details| details["companies"].as_array());
        let text = |company: &Value, name: &str| company[name].as_str().map(str::to_owned);
        let companies: Vec<_> = listed
            .into_iter()
            .flatten()
            .filter_map(|company| Some((text(company, "companyId")?, text(company, "name")?)))
            .collect();
        let answer = |name: &str| details.and_then(|details| details[name].as_str());
        let ticket = answer("ticket").map(str::to_owned);
        let ask_subject = answer("field") == Some("subject");
        let wrong = match problem.key {
            Key::InvalidCredentials => Some(t.wrong_credentials().to_owned()),
            Key::RateLimitExceeded => {
                let minutes = problem.retry_after.unwrap_or(60).div_ceil(60);
                Some(t.too_many_tries(i64::from(minutes)))
            }
            // A reader who comes from the password has typed no code yet.
            _ if ticket.is_some() => {
                (!self.one("code").is_empty()).then(|| t.wrong_code().to_owned())
            }
            _ if ask_subject => Some(t.choose_subject().to_owned()),
            _ if !companies.is_empty() => Some(t.choose_company().to_owned()),
            _ => Some(problem.message.clone()),
        };
        SignIn { email: self.one("email").to_owned(), ask_subject, companies, ticket, wrong }
    }
}

/// The fields of a sign-in; values stay after a mistake.
pub fn fields(t: Strings, entered: &SignIn) -> Markup {
    let SignIn { email, companies, ask_subject, ticket, .. } = entered;
    if let Some(ticket) = ticket {
        return html! {
            input type="hidden" name="ticket" value=(ticket);
            div.field {
                label for="code" { (t.code()) }
                p.help #code-help { (t.code_help()) }
                input #code
                    type="text"
                    name="code"
                    required
                    autocomplete="one-time-code"
                    autocapitalize="off"
                    maxlength="20"
                    spellcheck="false"
                    aria-describedby="code-help"
                    autofocus;
            }
        };
    }
    html! {
        div.field {
            label for="email" { (t.email()) }
            input #email
                type="email"
                name="email"
                value=(email)
                required
                autocomplete="username"
                autofocus;
        }
        div.field {
            label for="password" { (t.password()) }
            input #password
                type="password"
                name="password"
                required
                autocomplete="current-password";
        }
        @if *ask_subject {
            fieldset.field {
                legend { (t.sign_in_as()) }
                label.check {
                    input type="radio" name="subject" value="coach" required;
                    (t.as_staff())
                }
                label.check { input type="radio" name="subject" value="client"; (t.as_client()) }
            }
        }
        @if !companies.is_empty() {
            fieldset.field {
                legend { (t.at_which()) }
                @for (id, name) in companies {
                    label.check {
                        input type="radio" name="company" value=(id) required;
                        bdi { (name) }
                    }
                }
            }
        }
    }
}
