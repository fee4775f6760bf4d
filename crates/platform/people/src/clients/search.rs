//! Finding clients: the list with its filters, the search terms, and the tags in use.

use schemars::JsonSchema;
use serde::Serialize;
use spotter_contract::{Area, Flag, ListQuery, Path, Read, answer, listed, operation, path};
use spotter_kernel::{
    Id, Page, PageRequest, Result, Timestamp,
    id::{ClientId, CoachId},
    text::Text,
};
use spotter_store::{
    AppliedFilter, Filters as _, List, NoFilters, Value, filters, lists, params, statements, words,
};

use super::{
    phone_numbers,
    record::{Client, MemberStatus, RelationshipStatus, TALLY},
    search_terms::{self, country},
};
use spotter_company::folding::{SEARCH_WORDS_MAX, cut, words_of};

/// The prefixes of a search; every one must match. `None` means that nothing can match.
fn prefixes(search: &str, country: Option<&str>) -> Vec<String> {
    let mut prefixes = Vec::new();
    let mut number = String::new();
    // Adjacent words of digits are one phone number.
    for piece in search.split_whitespace().chain([""]) {
        if !piece.is_empty() && phone_numbers::is_number(piece) {
            number.push_str(piece);
            continue;
        }
        prefixes.extend(phone_numbers::search_digits(&std::mem::take(&mut number), country));
        // Text before the sign makes it an address; names and domains are words.
        if piece.find('@').is_some_and(|at| at > 0) {
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

/// The terms that begin with a prefix, one of each client: of those who are archived, who are not, or all.
fn begun(prefix: &str, archived: Option<bool>) -> Vec<Value<'static>> {
    let (least, most) = match archived {
        Some(archived) => (i64::from(archived), i64::from(archived)),
        None => (0, 1),
    };
    let mut values = range(prefix);
    values.extend([prefix.len() as i64, least, most].map(Value::Int));
    values
}

listed!(Clients { clients: Client });

words! {
    /// The order of a list of clients.
    enum ClientSort { Newest = "newest", Name = "name" }
}

filters! {
    struct Filters {
        /// Words that names, e-mail address or phone number begin with; all must match.
        search: Text<100> =>
            "client_id IN (SELECT client_id FROM client_term WHERE company_id = ?1 AND term >= ? AND term < ? \
                AND shared < ? AND archived >= ? AND archived <= ?)" apart,
            counted_by("SELECT COUNT(*) FROM client_term WHERE company_id = ?1 AND term >= ?2 AND term < ?3 \
                AND shared < ?4 AND archived >= ?5 AND archived <= ?6"),
            // A subquery with a limit runs for each client; EXISTS may become a join that drives the query.
            where_many("(SELECT 1 FROM client_term t WHERE t.company_id = ?1 AND t.client_id = client.client_id \
                AND t.term >= ? AND t.term < ? AND t.shared < ? AND t.archived >= ? AND t.archived <= ? LIMIT 1) IS NOT NULL"),
            uneven;
        /// Clients in this relationship status.
        relationship_status: RelationshipStatus => "relationship_status = ?", tallied, covered;
        /// Clients in this member status.
        member_status: MemberStatus => "member_status = ?", tallied, covered;
        /// Clients with this tag.
        tag: Text<60> =>
            "client_id IN (SELECT client_id FROM client_tag WHERE company_id = ?1 AND tag = ?)"
            as |tag| tag.to_lowercase(), tallied;
        /// Clients of this coach.
        coach_id: CoachId => "assigned_coach_id = ?", tallied, covered;
        /// `true` for archived clients, `false` for the others; both when absent.
        archived: Flag => "(archived_at IS NOT NULL) = ?", tallied, covered;
        /// Clients created at or after this instant.
        created_from: Timestamp => "client_id >= ?" as |at| Id::first_at(*at);
        /// Clients created before this instant.
        created_to: Timestamp => "client_id < ?" as |at| Id::first_at(*at);
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
        /// `newest` when absent; `name` is by last name, then first name, without accents or case.
        sort: ClientSort;
    }
}

fn list_clients(cx: &mut Read, ListQuery(wanted, page): ListQuery<Filters>) -> Result<Clients> {
    let (mut wanted, mut chosen) = (wanted, Vec::new());
    let list = match wanted.sort {
        Some(ClientSort::Name) => &LIST_BY_NAME,
        Some(ClientSort::Newest) | None => &LIST,
    };
    if let Some(search) = wanted.search.clone() {
        let country = match search.contains(|c: char| c.is_ascii_digit()) {
            true => country(cx)?,
            false => None,
        };
        let prefixes = prefixes(&search, country.as_deref());
        if prefixes.is_empty() {
            return Ok(Page::<Client>::empty(page).into());
        }
        if let Some(rare) = rarest(cx, &prefixes)? {
            chosen.push(("search", begun(rare, None)));
            chosen.extend(wanted.chosen());
            return found_by_all(cx, list, &prefixes, &chosen, page);
        }
        // Conditions that a term already includes are not checked on the client.
        let archived = wanted.archived.take().map(|flag| flag.0);
        chosen.extend(prefixes.iter().map(|prefix| ("search", begun(prefix, archived))));
    }
    chosen.extend(wanted.chosen());
    Ok(cx.page_of(list, &[], &chosen, page)?.into())
}

/// Clients that are checked one by one: a larger search is left to the database.
const LOOKED_AT_MAX: i64 = 500;

/// Of several words, the one that the fewest clients have, where those are few: neither engine finds that
/// out by itself, and joining them with a word that nearly all have would take a thousand times as long.
fn rarest<'p>(cx: &mut Read, prefixes: &'p [String]) -> Result<Option<&'p String>> {
    if prefixes.len() < 2 {
        return Ok(None);
    }
    let ranges = prefixes.iter().map(|prefix| {
        let mut params = range(prefix);
        params.push(Value::Int(LOOKED_AT_MAX + 1));
        params
    });
    let counted: Vec<Option<(i64,)>> = cx.one_each(COUNT_SOME, ranges)?;
    let counts = prefixes.iter().zip(counted.into_iter().flatten().map(|(count,)| count));
    let rarest = counts.min_by_key(|(_, count)| *count);
    Ok(rarest.filter(|(_, count)| *count <= LOOKED_AT_MAX).map(|(prefix, _)| prefix))
}

/// Those of a few clients that have every word.
fn found_by_all(
    cx: &mut Read,
    list: &List<Client, Filters>,
    prefixes: &[String],
    chosen: &[AppliedFilter<'_>],
    request: PageRequest,
) -> Result<Clients> {
    let country = country(cx)?;
    let few = PageRequest { page: 1, limit: LOOKED_AT_MAX, cursor: None };
    let mut found: Vec<Client> = cx.page_of(list, &[], chosen, few)?.items;
    found.retain(|client| {
        let terms = search_terms::all(client, country.as_deref());
        prefixes.iter().all(|prefix| terms.iter().any(|term| term.starts_with(prefix)))
    });
    Ok(Page::of(found, request)?.into())
}

path!(
    /// A client in a path.
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
    /// Number of clients with this tag.
    clients: i64,
}

listed!(Tags { tags: Tag });

fn list_client_tags(cx: &mut Read, ListQuery(_, page): ListQuery<NoFilters>) -> Result<Tags> {
    let rows: Vec<(String, i64)> = cx.all(TAGS, params![])?;
    let tag = |(subject, clients): (String, i64)| Tag {
        tag: subject.get(TAG_SUBJECT.len()..).unwrap_or_default().to_owned(),
        clients,
    };
    Ok(Page::of(rows.into_iter().map(tag).collect(), page)?.into())
}

/// What staff keep of a client for themselves.
const STAFFS: &[&str] = &["tags", "source", "externalId"];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).lists(lists()).operations([
        operation!(GET "/clients", ClientsRead, list_clients).summary("List clients").describe(
            "Returns clients newest first, or by name. `search` matches words that begin with each given \
                 word in names, e-mail addresses and phone numbers, ignoring accents and case.",
        ),
        operation!(GET "/clients/tags", ClientsRead, list_client_tags)
            .summary("List client tags")
            .describe("Returns the tags that clients have, with how many clients have each."),
        operation!(GET "/clients/{clientId}", ClientsRead, get_client)
            .summary("Get a client")
            .describe("Returns one client's profile.")
            .for_client(STAFFS),
    ])
}

lists! {
    /// Every client, newest first.
    LIST: List<Client, Filters> =
        List::new("client WHERE company_id = ?1 AND erased_at IS NULL", "client_id DESC").tallied(TALLY);
    /// The same by name.
    LIST_BY_NAME: List<Client, Filters> =
        List::new("client WHERE company_id = ?1 AND erased_at IS NULL", "sort_name, client_id").tallied(TALLY).gathering();
}

/// What the subjects of the tags' totals begin with.
const TAG_SUBJECT: &str = "clients?tag=";

statements! {
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
        assert_eq!(prefixes("@Example.com @nna"), ["example", "com", "nna"]);
        assert_eq!(prefixes("!!"), Vec::<String>::new());
        assert_eq!(prefixes("a b c d e f").len(), SEARCH_WORDS_MAX);
    }
}
