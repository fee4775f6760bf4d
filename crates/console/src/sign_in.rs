//! The fields of a sign-in, wherever one is asked for.

use maud::{Markup, html};
use serde_json::Value;
use spotter_core::access::accounts::{Password, Subject};
use spotter_http::Login;
use spotter_kernel::{Id, Key, Problem, Result, id::CompanyId, text::Email};

use crate::forms::Form;

/// A sign-in that is to be typed, or typed again.
#[derive(Default)]
pub struct SignIn {
    /// The address.
    pub email: String,
    /// Whether it is a client's.
    pub client: bool,
    /// Whether the address is a coach's and a client's, so that one is to be chosen.
    pub ask_subject: bool,
    /// Ids and names of the companies to choose from, where the address has accounts at several.
    pub companies: Vec<(String, String)>,
    /// What was wrong with it.
    pub wrong: Option<String>,
}

impl Form {
    /// The sign-in that it is.
    pub fn login(&self) -> Result<Login> {
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
        })
    }

    /// What was typed and chosen, without the password, and what was wrong with it.
    pub fn entered(&self, problem: &Problem) -> SignIn {
        let companies =
            problem.details.as_ref().and_then(|details| details["companies"].as_array());
        let text = |company: &Value, name: &str| company[name].as_str().map(str::to_owned);
        let companies: Vec<_> = companies
            .into_iter()
            .flatten()
            .filter_map(|company| Some((text(company, "companyId")?, text(company, "name")?)))
            .collect();
        let wrong = match companies.is_empty() {
            true => problem.message.clone(),
            false => {
                "You have an account at each of these. Choose one, and type the password again."
                    .into()
            }
        };
        let field = problem.details.as_ref().and_then(|details| details["field"].as_str());
        SignIn {
            ask_subject: field == Some("subject"),
            email: self.one("email").to_owned(),
            client: self.one("subject") == "client",
            companies,
            wrong: Some(wrong),
        }
    }
}

/// The fields of a sign-in; what was chosen and typed stays after a mistake.
pub fn credentials(entered: &SignIn) -> Markup {
    let SignIn { email, client, companies, .. } = entered;
    html! {
        label {
            "E-mail"
            input type="email" name="email" value=(email) required autocomplete="username";
        }
        label {
            "Password"
            input type="password" name="password" required autocomplete="current-password";
        }
        fieldset.choice {
            legend { "I am a" }
            label { input type="radio" name="subject" value="coach" checked[!*client]; "manager of the business" }
            label { input type="radio" name="subject" value="client" checked[*client]; "client" }
        }
        p.quiet { a href="/forgot-password" { "Forgot the password?" } }
        @if !companies.is_empty() {
            fieldset.choice {
                legend { "At" }
                @for (id, name) in companies {
                    label { input type="radio" name="company" value=(id) required; bdi { (name) } }
                }
            }
        }
    }
}
