//! The arguments an operation's function can take: `Path`, `Query`, `ListQuery`, `Body`.

use percent_encoding::percent_decode_str;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IntoDeserializer, value::StringDeserializer},
};
use spotter_kernel::{
    Cursor, Date, Key, PageRequest, Problem, Result, Rule, Timestamp, in_order, limits,
    number::is_whole,
    problem::{INVALID, known_fields, refuse},
};
use spotter_store::{Bind, Value, filters};

pub use spotter_store::NoFilters;

filters! {
    /// Filters records by their last change.
    pub struct UpdatedFrom {
        /// Only records that were updated at or after this instant.
        updated_from: Timestamp => "updated_at >= ?";
    }
}

use crate::{
    content::Content,
    reader::{Reader, parameters},
};

/// A request as the arguments see it.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// The path's parameters, decoded.
    pub path: Vec<(String, String)>,
    /// The query string as it was sent.
    pub query: String,
    /// The body.
    pub body: Content,
}

/// An argument's description for the API.
#[derive(Clone, Debug, Default)]
pub struct ArgumentSchemas {
    /// Schema of an object with the path's parameters.
    pub path: Option<Schema>,
    /// Schema of an object with the query's parameters.
    pub query: Option<Schema>,
    /// Whether `page` and `limit` are taken.
    pub paged: bool,
    /// Schema of the body.
    pub body: Option<Schema>,
    /// Whether the body must be sent.
    pub body_required: bool,
}

/// A type that a function may take beside its context.
pub trait Argument: Clone + Send + Sized + 'static {
    /// Whether it reads the query string.
    const QUERY: bool = false;
    /// Whether it reads the body.
    const BODY: bool = false;
    /// Reads it from the request, or names the field and the rule.
    fn take(arguments: &Arguments) -> Result<Self>;
    /// Adds its schema.
    fn describe(described: &mut ArgumentSchemas, schemas: &mut SchemaGenerator);
}

/// The parameters in the path.
#[derive(Clone, Debug)]
pub struct Path<T>(pub T);

/// The parameters in the query string.
#[derive(Clone, Debug)]
pub struct Query<T>(pub T);

/// `page` and `limit`, and the list's own parameters.
#[derive(Clone, Debug)]
pub struct ListQuery<T>(pub T, pub PageRequest);

/// The JSON body.
#[derive(Clone, Debug)]
pub struct Body<T>(pub T);

/// A JSON body that may be left out whole.
#[derive(Clone, Debug)]
pub struct OptionalBody<T>(pub T);

/// Reads a query or a path; `more` are names that are known beside those of the type.
fn from_pairs<T: DeserializeOwned>(text: &str, more: &[&str]) -> Result<T> {
    check_encoding(text)?;
    T::deserialize(Reader::Parameters(&parameters(text))).map_err(|error| {
        let problem = error.problem();
        let Some(known) = known_fields(error.message()) else { return problem };
        let names = [&known[..], more].concat().join(", ");
        Problem::field(problem.key, problem.named_field(), Rule::UnknownParameterOf { names })
    })
}

/// Refuses a parameter whose bytes are no text.
fn check_encoding(text: &str) -> Result<()> {
    let broken = |pair: &&str| percent_decode_str(pair).decode_utf8().is_err();
    match text.split('&').find(broken) {
        Some(pair) => {
            let (name, _) = form_urlencoded::parse(pair.as_bytes()).next().unwrap_or_default();
            Err(Problem::invalid(&name, Rule::NotText))
        }
        None => Ok(()),
    }
}

/// A query as a record. Of two dates of a range, an invalid one makes the range wrong.
fn from_query<T: DeserializeOwned>(text: &str, more: &[&str]) -> Result<T> {
    let query = from_pairs(text, more).map_err(|problem| {
        let partner = partner(problem.named_field()).filter(|_| problem.key == Key::InvalidDate);
        let is_given = |name: String| {
            form_urlencoded::parse(text.as_bytes())
                .any(|(own, value)| own == *name && !value.is_empty())
        };
        match partner.is_some_and(is_given) {
            true => Problem { key: Key::InvalidDateRange, ..problem },
            false => problem,
        }
    })?;
    check_order(text)?;
    Ok(query)
}

/// Refuses a range whose end is before its start.
fn check_order(text: &str) -> Result<()> {
    let pairs: Vec<_> = form_urlencoded::parse(text.as_bytes()).collect();
    for (name, end) in &pairs {
        let start = partner(name).filter(|_| name.ends_with("to") || name.ends_with("To"));
        let start = start.and_then(|start| pairs.iter().find(|(own, _)| *own == *start));
        let Some((_, start)) = start else { continue };
        in_order(Date::parse(start), Date::parse(end), name)?;
        in_order(Timestamp::parse(start), Timestamp::parse(end), name)?;
    }
    Ok(())
}

/// The other end of a range, by the name of one.
pub fn partner(field: &str) -> Option<String> {
    for (one, other) in [("from", "to"), ("to", "from"), ("From", "To"), ("To", "From")] {
        match field.strip_suffix(one) {
            Some(whole) if whole.is_empty() == one.starts_with(|c: char| c.is_lowercase()) => {
                return Some(format!("{whole}{other}"));
            }
            _ => {}
        }
    }
    None
}

/// Reads a body; nothing where there was none.
fn from_body<T: DeserializeOwned + JsonSchema>(body: &Content) -> Result<Option<T>> {
    match body {
        Content::Nothing => Ok(None),
        Content::Malformed(rule) => Err(Problem::invalid("body", rule.clone())),
        Content::Object(value) => {
            let read = T::deserialize(Reader::Json(value));
            read.map(Some).map_err(|error| keyed::<T>(error.problem()))
        }
    }
}

/// One mistake has one key: a value of the wrong JSON type, or an absent one, is refused under the key of its type.
fn keyed<T: JsonSchema>(problem: Problem) -> Problem {
    let field = if problem.key == Key::RequestInvalid { problem.named_field() } else { "" };
    let whole = field.rsplit_once('.').map_or("", |(whole, _)| whole);
    let is_missing = problem.breaks(Rule::Required);
    let is_boolean = problem.breaks(Rule::NotBoolean);
    let is_of_type = is_boolean
        || [Rule::NotText, Rule::NotNumber, Rule::NotWholeNumber, Rule::NotList, Rule::NotObject]
            .into_iter()
            .any(|rule| problem.breaks(rule));
    if !is_missing && !is_of_type {
        return problem;
    }
    let root = schemars::schema_for!(T).to_value();
    // An absent value has no type of its own.
    match key_at(&root, if is_missing { whole } else { field }, is_boolean) {
        Some(key) => Problem { key, ..problem },
        None => problem,
    }
}

/// The key of the innermost schema on the way to a field that has one. A text that is no text is not too long.
fn key_at(root: &serde_json::Value, field: &str, is_boolean: bool) -> Option<Key> {
    let mut key = is_boolean.then_some(Key::InvalidBoolean);
    let mut schema = root;
    for place in field.split(['.', '[']).filter(|place| !place.is_empty()) {
        schema = match place.ends_with(']') {
            true => &schema["items"],
            false => &schema["properties"][place],
        };
        for _ in 0..3 {
            let choices = schema["anyOf"].as_array();
            let other = choices.and_then(|all| all.iter().find(|one| one["type"] != "null"));
            schema = other.unwrap_or(schema);
            let target = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next());
            schema = target.map_or(schema, |target| &root["$defs"][target]);
        }
        let own = schema[INVALID].as_str().or(schema["items"][INVALID].as_str());
        let own = own.and_then(Key::parse);
        key = own.filter(|own| *own != Key::FieldTooLong).or(key);
    }
    key
}

impl<T> Argument for Path<T>
where
    T: DeserializeOwned + JsonSchema + Clone + Send + 'static,
{
    fn take(arguments: &Arguments) -> Result<Self> {
        let mut encoded = form_urlencoded::Serializer::new(String::new());
        encoded.extend_pairs(&arguments.path);
        from_pairs(&encoded.finish(), &[]).map(Self)
    }

    fn describe(described: &mut ArgumentSchemas, schemas: &mut SchemaGenerator) {
        described.path = Some(T::json_schema(schemas));
    }
}

impl<T> Argument for Query<T>
where
    T: DeserializeOwned + JsonSchema + Clone + Send + 'static,
{
    const QUERY: bool = true;

    fn take(arguments: &Arguments) -> Result<Self> {
        from_query(&arguments.query, &[]).map(Self)
    }

    fn describe(described: &mut ArgumentSchemas, schemas: &mut SchemaGenerator) {
        described.query = Some(T::json_schema(schemas));
    }
}

impl<T> Argument for ListQuery<T>
where
    T: DeserializeOwned + JsonSchema + Clone + Send + 'static,
{
    const QUERY: bool = true;

    fn take(arguments: &Arguments) -> Result<Self> {
        let mut page = PageRequest::default();
        let mut seen = Vec::new();
        let mut rest = form_urlencoded::Serializer::new(String::new());
        check_encoding(&arguments.query)?;
        for (name, value) in form_urlencoded::parse(arguments.query.as_bytes()) {
            if name == "cursor" {
                if page.cursor.is_some() {
                    return Err(Problem::invalid(&name, Rule::GivenTwice));
                }
                page.cursor = Some(Cursor::new(&value).ok_or_else(Cursor::refused)?);
                continue;
            }
            let (target, max, rule) = match &*name {
                "page" => (
                    &mut page.page,
                    PageRequest::PAGE_NUMBER_MAX,
                    Rule::OutOfRange { min: 1, max: 1000000000 },
                ),
                "limit" => {
                    (&mut page.limit, limits::PAGE_MAX, Rule::OutOfRange { min: 1, max: 100 })
                }
                _ => {
                    rest.append_pair(&name, &value);
                    continue;
                }
            };
            if seen.contains(&name) {
                return Err(Problem::invalid(&name, Rule::GivenTwice));
            }
            *target = is_whole(&value)
                .then(|| value.parse().ok().filter(|number| (1..=max).contains(number)))
                .flatten()
                .ok_or_else(|| Problem::invalid(&name, rule))?;
            seen.push(name);
        }
        if page.cursor.is_some() && seen.iter().any(|name| name == "page") {
            return Err(Problem::invalid("page", Rule::GivenBesideCursor));
        }
        Ok(Self(from_query(&rest.finish(), &["page", "limit", "cursor"])?, page))
    }

    fn describe(described: &mut ArgumentSchemas, schemas: &mut SchemaGenerator) {
        described.query = Some(T::json_schema(schemas));
        described.paged = true;
    }
}

impl<T> Argument for Body<T>
where
    T: DeserializeOwned + JsonSchema + Clone + Send + 'static,
{
    const BODY: bool = true;

    fn take(arguments: &Arguments) -> Result<Self> {
        let sent = from_body(&arguments.body)?;
        sent.map(Self).ok_or_else(|| Problem::invalid("body", Rule::NotJsonObject))
    }

    fn describe(described: &mut ArgumentSchemas, schemas: &mut SchemaGenerator) {
        described.body = Some(schemas.subschema_for::<T>());
        described.body_required = true;
    }
}

impl<T> Argument for OptionalBody<T>
where
    T: DeserializeOwned + JsonSchema + Default + Clone + Send + 'static,
{
    const BODY: bool = true;

    fn take(arguments: &Arguments) -> Result<Self> {
        Ok(Self(from_body(&arguments.body)?.unwrap_or_default()))
    }

    fn describe(described: &mut ArgumentSchemas, schemas: &mut SchemaGenerator) {
        described.body = Some(schemas.subschema_for::<T>());
    }
}

/// Refuses what an operation has no argument for: a query on one without parameters, a body with
/// fields on one without a body.
pub fn refuse_surplus(
    arguments: &Arguments,
    takes_query: bool,
    takes_body: bool,
    writes: bool,
) -> Result<()> {
    if !takes_query
        && let Some((name, _)) = form_urlencoded::parse(arguments.query.as_bytes()).next()
    {
        return Err(Problem::invalid(&name, Rule::UnknownParameter));
    }
    if writes && !takes_body {
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct Empty {}
        from_body::<Empty>(&arguments.body)?;
    }
    Ok(())
}

/// A boolean in a query string: `true` or `false`, else `INVALID_BOOLEAN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(transparent, inline, extend("x-invalid" = Key::InvalidBoolean.wire()))]
pub struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        match String::deserialize(d)?.as_str() {
            "true" => Ok(Self(true)),
            "false" => Ok(Self(false)),
            _ => Err(refuse(Key::InvalidBoolean, Rule::NotBoolean)),
        }
    }
}

impl Bind for Flag {
    fn bind(&self) -> Value<'_> {
        self.0.bind()
    }
}

/// Several ids in a query string, with commas between; at most a hundred, each once.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(transparent, inline, extend("pattern" = "^[a-fA-F0-9]{24}(,[a-fA-F0-9]{24}){0,99}$"))]
pub struct IdList<T>(#[schemars(with = "String")] pub Vec<T>);

/// The most that one question may ask for.
const SEVERAL_MAX: usize = 100;

impl<'de, T: Deserialize<'de> + PartialEq> Deserialize<'de> for IdList<T> {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        let mut all = Vec::new();
        for (index, part) in text.split(',').enumerate() {
            if index == SEVERAL_MAX {
                return Err(refuse(Key::RequestInvalid, Rule::TooManyIds { max: SEVERAL_MAX }));
            }
            let part: StringDeserializer<D::Error> = part.to_owned().into_deserializer();
            let one = T::deserialize(part)?;
            if !all.contains(&one) {
                all.push(one);
            }
        }
        Ok(Self(all))
    }
}

#[cfg(test)]
mod tests {
    use spotter_kernel::Id;

    use super::*;

    fn paged(query: &str) -> Result<ListQuery<NoFilters>> {
        ListQuery::take(&Arguments { query: query.into(), ..Arguments::default() })
    }

    #[test]
    fn pages_are_whole_numbers_within_bounds() {
        assert_eq!(
            paged("page=2&limit=100").unwrap().1,
            PageRequest { page: 2, limit: 100, cursor: None }
        );
        assert_eq!(paged("").unwrap().1, PageRequest::default());
        let output = |query: &str| paged(query).unwrap_err().message;
        assert_eq!(output("q=1"), "q: is not a known parameter; known are page, limit, cursor.");
        assert_eq!(output("limit=1&limit=2"), "limit: must be given once.");
        for bad in [
            "page=01",
            "page=+1",
            "page=1e0",
            "page=0",
            "limit=101",
            "page=-1",
            "page=",
            "limit=1.5",
            "page=1&page=2",
            "q=1",
        ] {
            let name = bad.split('=').next().unwrap();
            let problem = paged(bad).unwrap_err();
            assert!(problem.message.contains(name), "{bad}: {problem}");
        }
    }
    #[test]
    fn several_ids_have_commas_between() {
        #[derive(Clone, Deserialize, JsonSchema)]
        struct IdsQuery {
            ids: IdList<Id>,
        }
        let count = |ids: &str| {
            Query::<IdsQuery>::take(&Arguments {
                query: format!("ids={ids}"),
                ..Arguments::default()
            })
            .map(|Query(query)| query.ids.0.len())
        };
        let id = |number: usize| format!("{number:024x}");
        assert_eq!(count(&id(1)).unwrap(), 1);
        assert_eq!(count(&format!("{},{},{}", id(1), id(2), id(1))).unwrap(), 2);
        let many = |count| (0..count).map(id).collect::<Vec<_>>().join(",");
        assert_eq!(count(&many(100)).unwrap(), 100);
        for wrong in [String::new(), format!("{},", id(1)), "x".into(), many(101)] {
            assert!(count(&wrong).unwrap_err().message.starts_with("ids: "), "{wrong}");
        }
    }
}
