//! Search terms of clients: the words of their names and address, and their phone number. Each term is a row that
//! also has what counting by prefix needs, so that no client is counted twice.

use std::collections::{BTreeMap, BTreeSet};

use spotter_contract::{Area, Read, Write};
use spotter_kernel::{
    Result,
    id::{ClientId, CompanyId},
};
use spotter_store::{Tx, params, statements};

use super::{phone_numbers, record::Client};
use spotter_company::folding::{cut, is_unspaced, spellings, words_of};

/// The company's country, which determines how its clients' numbers are dialled.
pub(super) fn country(cx: &mut Read) -> Result<Option<String>> {
    let found: Option<(Option<String>,)> = cx.one(COUNTRY, params![])?;
    Ok(found.and_then(|(country,)| country))
}

/// A client's search terms without the phone number, which depends on the company's country.
#[derive(Debug, Default, PartialEq, Eq)]
struct SearchKeys<'c> {
    words: BTreeSet<String>,
    phone: Option<&'c String>,
    archived: bool,
}

impl<'c> SearchKeys<'c> {
    fn of(client: &'c Client) -> Self {
        if client.erased_at.is_some() {
            return Self::default();
        }
        let email = client.email.as_deref();
        let words = words(&client.first_name, client.last_name.as_deref(), email);
        Self { words, phone: client.phone.as_ref(), archived: client.is_archived() }
    }

    /// All terms, the phone number's by how the country dials.
    fn terms(self, country: Option<&str>) -> BTreeSet<String> {
        let Self { mut words, phone, .. } = self;
        words.extend(phone.iter().flat_map(|phone| phone_numbers::terms(phone, country)));
        words
    }
}

/// The words of a name and of an address, and the address itself.
fn words(first: &str, last: Option<&str>, email: Option<&str>) -> BTreeSet<String> {
    let mut words: BTreeSet<String> =
        [Some(first), last].into_iter().flatten().flat_map(spellings).collect();
    if let Some(last) = last.filter(|last| is_unspaced(first) || is_unspaced(last)) {
        let whole = [[last, first], [first, last]].map(|both| both.concat());
        words.extend(whole.iter().flat_map(|name| words_of(name)));
    }
    words.extend(email.into_iter().flat_map(words_of));
    words.extend(email.map(cut));
    words
}

/// Everything that a client is found by.
pub(super) fn all(client: &Client, country: Option<&str>) -> BTreeSet<String> {
    SearchKeys::of(client).terms(country)
}

/// What the list by name is in the order of: the last name's words and then the first's, without accents or case.
pub(super) fn sort_name(first: &str, last: Option<&str>) -> String {
    let words = last.into_iter().chain([first]).flat_map(words_of);
    words.collect::<Vec<_>>().join(" ")
}

/// Brings a client's search terms up to date.
pub(super) fn index(cx: &mut Write, client: &Client, before: Option<&Client>) -> Result<()> {
    let now = SearchKeys::of(client);
    let was = before.map(SearchKeys::of);
    if was.as_ref() == Some(&now) {
        return Ok(());
    }
    let country = if now.phone.is_some() { country(cx)? } else { None };
    let country = country.as_deref();
    if let Some(was) = was
        && (was.phone, was.archived) == (now.phone, now.archived)
    {
        return change(cx, client, &was.terms(country), &now.terms(country));
    }
    let id = client.client_id;
    if before.is_some() {
        cx.defer(REMOVE, params![id])?;
    }
    let archived = i64::from(now.archived);
    for (term, shared) in with_shared(&now.terms(country)) {
        cx.defer(ADD, params![term, id, shared, archived])?;
    }
    Ok(())
}

/// Writes the terms that differ, such as those of a first name. A phone number is not among them: what its terms were
/// depends on the country that the company had then.
fn change(
    cx: &mut Write,
    client: &Client,
    was: &BTreeSet<String>,
    now: &BTreeSet<String>,
) -> Result<()> {
    let (id, archived) = (client.client_id, i64::from(client.is_archived()));
    for term in was.difference(now) {
        cx.defer(REMOVE_ONE, params![id, term])?;
    }
    let before: BTreeMap<&String, i64> = with_shared(was).into_iter().collect();
    for (term, shared) in with_shared(now) {
        if before.get(term) != Some(&shared) {
            cx.defer(PUT, params![term, id, shared, archived])?;
        }
    }
    Ok(())
}

/// Terms in their order, each with how many bytes of its beginning the one before it has as well. Of a client's terms that
/// begin alike exactly one shares less than that beginning: it is the one that counts.
fn with_shared(terms: &BTreeSet<String>) -> Vec<(&String, i64)> {
    let mut before = "";
    let mut output = Vec::with_capacity(terms.len());
    for term in terms {
        let alike = before.bytes().zip(term.bytes()).take_while(|(one, other)| one == other);
        output.push((term, alike.count() as i64));
        before = term;
    }
    output
}

/// Rebuilds the search terms and the sort names of a batch of clients, of any company, after this one; returns the last of them. Older
/// versions stored fewer terms.
pub fn reindex(
    tx: &mut Tx<'_>,
    after: Option<(CompanyId, ClientId)>,
) -> Result<Option<(CompanyId, ClientId)>> {
    let (company, client) =
        after.map_or_else(Default::default, |(company, id)| (company.to_string(), id.to_string()));
    type Name = Option<String>;
    type Row = (CompanyId, ClientId, String, Name, Name, Name, Name, bool);
    let rows: Vec<Row> = tx.all(SOME_CLIENTS, params![company, client, AT_ONCE])?;
    for (company, id, first, last, email, phone, country, archived) in &rows {
        let mut terms = words(first, last.as_deref(), email.as_deref());
        terms
            .extend(phone.iter().flat_map(|phone| phone_numbers::terms(phone, country.as_deref())));
        tx.defer(SET_SORT_NAME, params![company, id, sort_name(first, last.as_deref())])?;
        tx.defer(REMOVE, params![company, id])?;
        for (term, shared) in with_shared(&terms) {
            tx.defer(ADD, params![company, term, id, shared, i64::from(*archived)])?;
        }
    }
    Ok(rows.last().map(|row| (row.0, row.1)))
}

/// Clients per transaction.
const AT_ONCE: i64 = 200;

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS)
}

statements! {
    COUNTRY = "SELECT country FROM company WHERE company_id = ?1";
    SOME_CLIENTS = "SELECT c.company_id, c.client_id, c.first_name, c.last_name, c.email, c.phone, \
        o.country, c.archived_at IS NOT NULL FROM client c JOIN company o ON o.company_id = c.company_id \
        WHERE (c.company_id, c.client_id) > (?1, ?2) AND c.erased_at IS NULL ORDER BY c.company_id, c.client_id LIMIT ?3";
    ADD = "INSERT INTO client_term (company_id, term, client_id, shared, archived) VALUES (?1, ?2, ?3, ?4, ?5)";
    SET_SORT_NAME = "UPDATE client SET sort_name = ?3 WHERE company_id = ?1 AND client_id = ?2";
    REMOVE = "DELETE FROM client_term WHERE company_id = ?1 AND client_id = ?2";
    REMOVE_ONE = "DELETE FROM client_term WHERE company_id = ?1 AND client_id = ?2 AND term = ?3";
    PUT = "INSERT INTO client_term (company_id, term, client_id, shared, archived) VALUES (?1, ?2, ?3, ?4, ?5) \
        ON CONFLICT (company_id, term, client_id) DO UPDATE SET shared = excluded.shared, archived = excluded.archived";
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn one_of_terms_with_a_common_prefix_counts(
            terms in prop::collection::btree_set("[abé]{1,5}", 0..12),
            prefix in "[abé]{1,4}",
        ) {
            let matches = terms.iter().any(|term| term.starts_with(&prefix));
            let counted = with_shared(&terms)
                .into_iter()
                .filter(|(term, shared)| term.starts_with(&prefix) && *shared < prefix.len() as i64);
            prop_assert_eq!(counted.count(), usize::from(matches));
        }
    }
}
