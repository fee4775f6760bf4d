//! Downloads: files at addresses that are signed for a caller and valid for some minutes. The address contains the
//! person, the file and the expiry; using it checks everything again: whether the person may still sign in, whether
//! the operation still admits them, and whether they may still see the record.

use spotter_kernel::{Id, Result, Timestamp, id::CompanyId};

use crate::{
    Vault,
    caller::{Actor, Caller},
    context::Read,
    vault::same,
};

/// A kind of file that is fetched at a signed address.
pub struct Download {
    /// The beginning and the end of its path: `/files/invoices/`, `.pdf`.
    pub place: (&'static str, &'static str),
    /// The operation that returns the address, and admits its user.
    pub operation: &'static str,
    /// How long an address is good, in seconds.
    pub seconds: i64,
    /// The file of a record, for the caller.
    pub read: fn(&mut Read, Id) -> Result<DownloadSource>,
}

/// Where the file of a record is found.
#[derive(Clone, Debug)]
pub enum DownloadSource {
    /// Created for the caller.
    Made(File),
    /// Stored in the file store.
    Kept {
        /// Display name.
        name: String,
        /// Its media type.
        media_type: &'static str,
        /// The key among all the installation's files.
        key: String,
    },
}

/// A file.
#[derive(Clone, Debug)]
pub struct File {
    /// Display name.
    pub name: String,
    /// Its media type.
    pub media_type: &'static str,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// Who an address was signed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// An integration.
    ApiClient,
    /// A coach.
    Coach,
    /// A client.
    Client,
}

const HOLDERS: [(Holder, char); 3] =
    [(Holder::ApiClient, 'a'), (Holder::Coach, 'o'), (Holder::Client, 'c')];

/// The content of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The company of the file.
    pub company: CompanyId,
    /// What kind of caller it was signed for.
    pub holder: Holder,
    /// Which of them.
    pub by: Id,
    /// Which record's file it is.
    pub subject: Id,
    /// Until when it is good.
    pub until: Timestamp,
}

/// Digits of a signature: 128 bits.
const SEAL: usize = 32;

impl Ticket {
    fn text(&self) -> String {
        let letter =
            HOLDERS.iter().find(|(holder, _)| *holder == self.holder).map_or('a', |(_, own)| *own);
        let Self { company, by, subject, until, .. } = self;
        format!("{company}{letter}{by}{subject}{:012x}", until.millis())
    }

    fn seal(text: &str, vault: &Vault, operation: &str) -> Result<String> {
        let signed = vault.sign(operation, text.as_bytes())?;
        Ok(signed.iter().take(SEAL / 2).map(|byte| format!("{byte:02x}")).collect())
    }

    /// The content of a path, if it was signed here and has not expired.
    pub fn read(
        name: &str,
        vault: &Vault,
        operation: &str,
        now: Timestamp,
    ) -> Result<Option<Self>> {
        let length = 24 + 1 + 24 + 24 + 12;
        if !name.is_ascii() || name.len() != length + SEAL {
            return Ok(None);
        }
        let (text, seal) = name.split_at(length);
        if !same(Self::seal(text, vault, operation)?.as_bytes(), seal.as_bytes()) {
            return Ok(None);
        }
        let letter = text.chars().nth(24);
        let holder = HOLDERS.iter().find(|(_, own)| Some(*own) == letter).map(|(own, _)| *own);
        let until = i64::from_str_radix(&text[73..], 16).ok().map(Timestamp::from_millis);
        let ids = (Id::parse(&text[..24]), Id::parse(&text[25..49]), Id::parse(&text[49..73]));
        let ((Some(company), Some(by), Some(subject)), Some(holder), Some(until)) =
            (ids, holder, until)
        else {
            return Ok(None);
        };
        let ticket = Self { company: CompanyId(company), holder, by, subject, until };
        Ok(Some(ticket).filter(|ticket| now < ticket.until))
    }
}

impl Download {
    /// An address at which the caller can fetch a record's file, and until when.
    pub fn address(&self, cx: &Read, subject: impl Into<Id>) -> Result<(String, Timestamp)> {
        let Caller { company, actor, .. } = cx.caller();
        let (holder, by) = match actor {
            Actor::ApiClient { id, .. } => (Holder::ApiClient, *id),
            Actor::Coach { id, .. } => (Holder::Coach, id.0),
            Actor::Client { id, .. } => (Holder::Client, id.0),
            Actor::Device { .. } | Actor::Visitor | Actor::System => {
                return Err(spotter_kernel::Problem::internal("nobody asks"));
            }
        };
        let until = cx.now().plus_seconds(self.seconds);
        let ticket = Ticket { company: *company, holder, by, subject: subject.into(), until };
        let (text, (place, end)) = (ticket.text(), self.place);
        let seal = Ticket::seal(&text, cx.vault()?, self.operation)?;
        Ok((format!("{}{place}{text}{seal}{end}", cx.address()?), until))
    }

    /// The ticket of an address in its place.
    pub fn ticket(&self, name: &str, vault: &Vault, now: Timestamp) -> Result<Option<Ticket>> {
        match name.strip_suffix(self.place.1) {
            Some(name) => Ticket::read(name, vault, self.operation, now),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_valid_for_its_file_and_time() {
        let vault = Vault::new(&[7; 32]);
        let at = |seconds: i64| Timestamp::from_millis(1_700_000_000_000).plus_seconds(seconds);
        let id = |millis| Id::first_at(Timestamp::from_millis(millis));
        let ticket = Ticket {
            company: CompanyId(id(1)),
            holder: Holder::Client,
            by: id(2),
            subject: id(3),
            until: at(600),
        };
        let text = ticket.text();
        let name = format!("{text}{}", Ticket::seal(&text, &vault, "get").unwrap());
        let read = |name: &str, seconds| Ticket::read(name, &vault, "get", at(seconds)).unwrap();
        assert_eq!(read(&name, 599), Some(ticket));
        assert_eq!(read(&name, 600), None, "its time has run out");
        assert_eq!(Ticket::read(&name, &vault, "other", at(0)).unwrap(), None);
        assert_eq!(Ticket::read(&name, &Vault::new(&[8; 32]), "get", at(0)).unwrap(), None);
        for at in 0..name.len() {
            let mut other = name.clone().into_bytes();
            other[at] = if other[at] == b'0' { b'1' } else { b'0' };
            assert_eq!(read(&String::from_utf8(other).unwrap(), 0), None, "digit {at}");
        }
        for wrong in ["", "é", &name[1..]] {
            assert_eq!(read(wrong, 0), None);
        }
    }
}
