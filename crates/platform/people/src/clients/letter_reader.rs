//! Who reads a letter to a client: their address, and the language in which they are written to.

use spotter_company::company::Company;
use spotter_contract::{Read, Write};
use spotter_kernel::{Result, id::ClientId};
use spotter_mail::Recipient;

use super::record::Client;

/// A client who can be written to.
pub struct LetterReader {
    /// The client.
    pub client: Client,
    email: String,
    /// The language in which they are written to.
    pub language: String,
}

impl LetterReader {
    /// A client, if mail is sent, they are still there and have an address.
    pub fn of(cx: &mut Write, client: ClientId) -> Result<Option<Self>> {
        if !spotter_mail::is_on(cx) {
            return Ok(None);
        }
        let Some(client) = Client::find_optional(cx, client)? else { return Ok(None) };
        let Some(email) = client.email().map(str::to_owned) else { return Ok(None) };
        let language = language_of(cx, client.client_id)?;
        Ok(Some(Self { client, email, language }))
    }

    /// The recipient of a message.
    pub fn recipient(&self) -> Recipient<'_> {
        Recipient {
            email: &self.email,
            name: self.client.first_name(),
            language: Some(&self.language),
            client: Some(self.client.client_id),
            signs_in: self.client.may_sign_in(),
        }
    }

    /// The address.
    pub fn email(&self) -> &str {
        &self.email
    }
}

/// The language in which a client is written to: their own, or else the company's.
pub fn language_of(cx: &mut Read, client: ClientId) -> Result<String> {
    let own = Client::find_optional(cx, client)?.and_then(|own| own.language().map(str::to_owned));
    match own {
        Some(language) => Ok(language),
        None => Ok(Company::find(cx)?.language),
    }
}
