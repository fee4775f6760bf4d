//! Finding clients: the list with its filters, the search terms, and the tags in use.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Flag, Paged, Path, Read, Write, answer, listed, operation, path};
use spotter_kernel::{
    Id, Key, Page, PageRequest, Result, Timestamp,
    id::{ClientId, CoachId, CompanyId},
    in_order,
    text::Text,
};
use spotter_store::{
    Chosen, Filters as _, List, NoFilters, Tx, Value, filters, lists, params, statements,
};

use super::{
    calling,
    record::{Client, MemberStatus, RelationshipStatus, TALLY},
};
use crate::folding::{SEARCH_WORDS_MAX, cut, words_of};

/// The company's country, which says how its clients' numbers are dialled.
fn country(cx: &mut Read) -> Result<Option<String>> {
    let found: Option<(Option<String>,)> = cx.one(COUNTRY, params![])?;
    Ok(found.and_then(|(country,)| country))
}

/// The words that a client is found by: of the names and of the address, and the address itself.
fn words(client: &Client) -> BTreeSet<String> {
    if client.erased_at.is_some() {
        return BTreeSet::new();
    }
    let mut terms: BTreeSet<String> = words_of(&client.first_name).collect();
    terms.extend(client.last_name.iter().flat_map(|name| words_of(name)));
    if let Some(email) = &client.email {
        terms.extend(words_of(email));
        terms.insert(cut(email));
    }
    terms
}

/// Brings a client's search terms up to date.
pub(super) fn index(cx: &mut Write, client: &Client, before: Option<&Client>) -> Result<()> {
    let (mut was, mut now) = (before.map(words).unwrap_or_default(), words(client));
    let phone = before.and_then(|before| before.phone.as_ref());
    if client.phone.as_ref() != phone {
        let country = country(cx)?;
        let of = |phone: &String| calling::terms(phone, country.as_deref());
        was.extend(phone.iter().flat_map(|phone| of(phone)));
        now.extend(client.phone.iter().flat_map(of));
    } else if let Some(phone) = phone
        && was.difference(&now).any(|term| calling::is_number(term))
    {
        // A word that is a part of the number, too, stays.
        let stays = calling::terms(phone, country(cx)?.as_deref());
        was.retain(|term| now.contains(term) || !stays.contains(term));
    }
    // A number may be a word's and a phone's at once: it is added where it is not.
    let (numbers_gone, gone): (Vec<_>, Vec<_>) =
        was.difference(&now).partition(|term| calling::is_number(term));
    let (numbers_new, new): (Vec<_>, Vec<_>) =
        now.difference(&was).partition(|term| calling::is_number(term));
    let id = client.client_id;
    numbers_gone.iter().try_for_each(|term| cx.defer(REMOVE_TERM, params![term, id]))?;
    numbers_new.iter().try_for_each(|term| cx.defer(ADD_TERM, params![term, id]))?;
    let (mut gone, mut new) = (gone.into_iter(), new.into_iter());
    loop {
        // A term that gives way to another is one row that moves.
        match (gone.next(), new.next()) {
            (Some(old), Some(new)) => cx.defer(MOVE_TERM, params![old, id, new])?,
            (Some(old), None) => cx.defer(REMOVE_TERM, params![old, id])?,
            (None, Some(new)) => cx.defer(ADD_TERM, params![new, id])?,
            (None, None) => return Ok(()),
        }
    }
}

/// Adds the terms of some clients that they lack, whosever they are, after this one; the last of
/// them. An older version knew fewer.
pub fn reindex(
    tx: &mut Tx<'_>,
    after: Option<(CompanyId, ClientId)>,
) -> Result<Option<(CompanyId, ClientId)>> {
    let (company, client) =
        after.map_or_else(Default::default, |(company, id)| (company.to_string(), id.to_string()));
    type Row = (
        CompanyId,
        ClientId,
        String,
        Option<String>,
        Option<String>,
        Option<String>,
        Option<String>,
    );
    let rows: Vec<Row> = tx.all(SOME_CLIENTS, params![company, client, REINDEXED_AT_ONCE])?;
    for (company, id, first, last, email, phone, country) in &rows {
        let texts = [Some(first), last.as_ref(), email.as_ref()];
        let mut terms: BTreeSet<String> =
            texts.into_iter().flatten().flat_map(|text| words_of(text)).collect();
        terms.extend(phone.iter().flat_map(|phone| calling::terms(phone, country.as_deref())));
        terms.iter().try_for_each(|term| tx.defer(ADD_TERM, params![company, term, id]))?;
    }
    Ok(rows.last().map(|row| (row.0, row.1)))
}

/// Clients that are looked at in one transaction.
const REINDEXED_AT_ONCE: i64 = 200;

/// The prefixes that a search asks for; every one must match. None means that nothing can match.
fn prefixes(search: &str, country: Option<&str>) -> Vec<String> {
    let mut prefixes = Vec::new();
    let mut number = String::new();
    // Pieces of a number that stand together are one number.
    for piece in search.split_whitespace().chain([""]) {
        if !piece.is_empty() && calling::is_number(piece) {
            number.push_str(piece);
            continue;
        }
        prefixes.extend(calling::sought(&std::mem::take(&mut number), country));
        if piece.contains('@') {
            prefixes.push(cut(&piece.to_lowercase()));
        } else {
            prefixes.extend(words_of(piece));
        }
    }
    prefixes.truncate(SEARCH_WORDS_MAX);
    prefixes
}

/// The range of terms that begin with a prefix, in byte order.
fn range(prefix: &str) -> Vec<Value<'static>> {
    vec![Value::Text(prefix.to_owned().into()), Value::Text(format!("{prefix}\u{10FFFF}").into())]
}

listed!(Clients { clients: Client });

filters! {
    struct Filters {
        /// Words that names, e-mail address or phone number begin with; all must match.
        search: Text<100> =>
            "client_id IN (SELECT client_id FROM client_term \
                WHERE company_id = ?1 AND term >= ? AND term < ?)" apart,
            counted_by("SELECT COUNT(DISTINCT client_id) FROM client_term \
                WHERE company_id = ?1 AND term >= ?2 AND term < ?3"), uneven;
        /// Clients in this relationship status.
        relationship_status: RelationshipStatus => "relationship_status = ?", tallied;
        /// Clients in this member status.
        member_status: MemberStatus => "member_status = ?", tallied;
        /// Clients with this tag.
        tag: Text<60> =>
            "client_id IN (SELECT client_id FROM client_tag WHERE company_id = ?1 AND tag = ?)"
            as |tag| tag.to_lowercase(), tallied;
        /// Clients of this coach.
        coach_id: CoachId => "assigned_coach_id = ?", tallied;
        /// `true` for archived clients, `false` for the others; both when absent.
        archived: Flag => "(archived_at IS NOT NULL) = ?", tallied;
        /// Clients created at or after this instant.
        created_from: Timestamp => "client_id >= ?" as |at| Id::first_at(*at);
        /// Clients created before this instant.
        created_to: Timestamp => "client_id < ?" as |at| Id::first_at(*at);
    }
}

fn list_clients(cx: &mut Read, Paged(wanted, page): Paged<Filters>) -> Result<Clients> {
    in_order(wanted.created_from, wanted.created_to, "createdTo")?;
    let mut chosen = Vec::new();
    if let Some(search) = &wanted.search {
        let country = match search.contains(|c: char| c.is_ascii_digit()) {
            true => country(cx)?,
            false => None,
        };
        let prefixes = prefixes(search, country.as_deref());
        if prefixes.is_empty() {
            return Ok(Page { items: Vec::<Client>::new(), request: page, total: 0 }.into());
        }
        if let Some(rare) = rarest(cx, &prefixes)? {
            chosen.push(("search", range(rare)));
            chosen.extend(wanted.chosen());
            return found_by_all(cx, &prefixes, &chosen, page);
        }
        chosen.extend(prefixes.iter().map(|prefix| ("search", range(prefix))));
    }
    chosen.extend(wanted.chosen());
    Ok(cx.page_of(&LIST, &[], &chosen, page)?.into())
}

/// Clients that are looked at one by one: more are left to the store.
const LOOKED_AT_MAX: i64 = 500;

/// Of several words, the one that the fewest clients have, where those are few: neither engine finds that
/// out by itself, and joining them with a word that nearly all have would take a thousand times as long.
fn rarest<'p>(cx: &mut Read, prefixes: &'p [String]) -> Result<Option<&'p String>> {
    if prefixes.len() < 2 {
        return Ok(None);
    }
    let ranges = prefixes.iter().map(|prefix| {
        let mut asked = range(prefix);
        asked.push(Value::Int(LOOKED_AT_MAX + 1));
        asked
    });
    let counted: Vec<Option<(i64,)>> = cx.one_each(COUNT_SOME, ranges)?;
    let counts = prefixes.iter().zip(counted.into_iter().flatten().map(|(count,)| count));
    let rarest = counts.min_by_key(|(_, count)| *count);
    Ok(rarest.filter(|(_, count)| *count <= LOOKED_AT_MAX).map(|(prefix, _)| prefix))
}

/// Those of a few clients that have every word.
fn found_by_all(
    cx: &mut Read,
    prefixes: &[String],
    chosen: &[Chosen<'_>],
    request: PageRequest,
) -> Result<Clients> {
    let country = country(cx)?;
    let few = PageRequest { page: 1, limit: LOOKED_AT_MAX };
    let mut found: Vec<Client> = cx.page_of(&LIST, &[], chosen, few)?.items;
    found.retain(|client| {
        let mut terms = words(client);
        let phone = client.phone.iter();
        terms.extend(phone.flat_map(|phone| calling::terms(phone, country.as_deref())));
        prefixes.iter().all(|prefix| terms.iter().any(|term| term.starts_with(prefix)))
    });
    let total = found.len() as i64;
    let skipped = usize::try_from(request.offset()).unwrap_or(usize::MAX);
    let items: Vec<Client> = found.into_iter().skip(skipped).take(request.limit as usize).collect();
    Ok(Page { items, request, total }.into())
}

path!(
    /// Where a client stands in a path.
    pub ClientPath {
        /// The client's id.
        client_id: ClientId,
    }
);

answer!(
    /// One client.
    pub(super) ClientAnswer {
        client: Client,
    }
);

fn get_client(cx: &mut Read, Path(at): Path<ClientPath>) -> Result<ClientAnswer> {
    Ok(ClientAnswer { client: Client::find(cx, at.client_id)? })
}

/// A tag in use.
#[derive(Debug, Serialize, JsonSchema)]
struct Tag {
    tag: String,
    /// How many clients have it.
    clients: i64,
}

listed!(Tags { tags: Tag });

fn list_client_tags(cx: &mut Read, Paged(_, page): Paged<NoFilters>) -> Result<Tags> {
    let rows: Vec<(String, i64)> = cx.all(TAGS, params![])?;
    let tag = |(subject, clients): (String, i64)| Tag {
        tag: subject.get(TAG_SUBJECT.len()..).unwrap_or_default().to_owned(),
        clients,
    };
    Ok(Page::of(rows.into_iter().map(tag).collect(), page).into())
}

/// What staff keep of a client for themselves.
const STAFFS: &[&str] = &["tags", "source", "externalId"];

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/clients", ClientsRead, list_clients)
            .summary("List clients")
            .describe(
                "Newest first. `search` finds clients whose names, e-mail address or phone number \
                 hold words that begin with each of the given words; accents and case don't matter.",
            )
            .fails(&[Key::DateRangeOrderInvalid]),
        operation!(GET "/clients/tags", ClientsRead, list_client_tags)
            .summary("List the tags in use"),
        operation!(GET "/clients/{clientId}", ClientsRead, get_client)
            .summary("Get a client")
            .for_client(STAFFS),
    ])
}

lists! {
    /// Every client, newest first.
    LIST: List<Client, Filters> =
        List::new("client WHERE company_id = ?1 AND erased_at IS NULL", "client_id DESC").tallied(TALLY);
}

/// What the subjects of the tags' totals begin with.
const TAG_SUBJECT: &str = "clients?tag=";

statements! {
    COUNTRY = "SELECT country FROM company WHERE company_id = ?1";
    SOME_CLIENTS = "SELECT c.company_id, c.client_id, c.first_name, c.last_name, c.email, c.phone, \
        o.country FROM client c JOIN company o ON o.company_id = c.company_id \
        WHERE (c.company_id, c.client_id) > (?1, ?2) AND c.erased_at IS NULL ORDER BY c.company_id, c.client_id LIMIT ?3";
    ADD_TERM = "INSERT INTO client_term (company_id, term, client_id) VALUES (?1, ?2, ?3) \
        ON CONFLICT (company_id, term, client_id) DO NOTHING";
    MOVE_TERM = "UPDATE client_term SET term = ?4 \
        WHERE company_id = ?1 AND term = ?2 AND client_id = ?3";
    REMOVE_TERM = "DELETE FROM client_term WHERE company_id = ?1 AND term = ?2 AND client_id = ?3";
    COUNT_SOME = "SELECT COUNT(*) FROM (SELECT 1 FROM client_term \
        WHERE company_id = ?1 AND term >= ?2 AND term < ?3 LIMIT ?4) few";
    TAGS = "SELECT subject, CAST(SUM(amount) AS BIGINT) FROM tally \
        WHERE company_id = ?1 AND subject >= 'clients?tag=' AND subject < 'clients?tag>' \
        GROUP BY subject HAVING SUM(amount) > 0 ORDER BY subject LIMIT 5000";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_become_prefixes() {
        let prefixes = |search| prefixes(search, Some("NL"));
        assert_eq!(prefixes("Ann DE vries"), ["ann", "de", "vries"]);
        assert_eq!(prefixes("06 1234-5678"), ["612345678"]);
        assert_eq!(prefixes("Ann 06 1234 5678 Bos"), ["ann", "612345678", "bos"]);
        assert_eq!(prefixes("+31 6 1234"), ["3161234"]);
        assert_eq!(prefixes("0"), ["0"]);
        assert_eq!(prefixes("Ann@Example.com"), ["ann@example.com"]);
        assert_eq!(prefixes("!!"), Vec::<String>::new());
        assert_eq!(prefixes("a b c d e f").len(), SEARCH_WORDS_MAX);
    }
}
