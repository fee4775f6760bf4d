//! Reads arguments: the one deserializer of bodies, queries and paths. Each type is compiled for it once, whichever of
//! them it is read from, and an error knows the place of the value that it is about. Names of fields are texts: no
//! argument has a map whose keys are numbers.

use std::{borrow::Cow, collections::HashMap, fmt};

use serde::{
    Deserializer,
    de::{
        DeserializeSeed, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
        VariantAccess, Visitor, value::CowStrDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::Value;
use spotter_kernel::{Problem, Rule, problem::refuse};

/// A value to read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reader<'v> {
    /// A JSON value.
    Json(&'v Value),
    /// The values of a parameter, which has one if it is no list. Numbers and booleans are read from their text.
    Texts(&'v [Cow<'v, str>]),
    /// Parameters by their names.
    Parameters(&'v [(Cow<'v, str>, Vec<Cow<'v, str>>)]),
}

/// What is wrong with a value, and where it is: `address.city`, `tags[2]`, or empty for the whole.
#[derive(Debug)]
pub(crate) struct ReadError {
    place: String,
    message: String,
}

impl ReadError {
    /// What a deserializer has to say of it.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The refusal that names the field and the rule.
    pub(crate) fn problem(&self) -> Problem {
        Problem::from_serde(&self.place, &self.message)
    }

    /// The same error, seen from the value that holds this one.
    fn within(mut self, holder: &str) -> Self {
        let is_joined = self.place.is_empty() || self.place.starts_with('[');
        self.place = format!("{holder}{}{}", if is_joined { "" } else { "." }, self.place);
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

impl Error for ReadError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { place: String::new(), message: message.to_string() }
    }
}

/// Parameters of a query or a form, each with all of its values.
pub(crate) fn parameters(text: &str) -> Vec<(Cow<'_, str>, Vec<Cow<'_, str>>)> {
    let mut all: Vec<(Cow<'_, str>, Vec<Cow<'_, str>>)> = Vec::new();
    let mut places: HashMap<Cow<'_, str>, usize> = HashMap::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        match places.get(&name).and_then(|at| all.get_mut(*at)) {
            Some((_, values)) => values.push(value),
            None => {
                places.insert(name.clone(), all.len());
                all.push((name, vec![value]));
            }
        }
    }
    all
}

/// What a JSON value is, as messages name it.
fn kind_of(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => Unexpected::Unsigned(number),
            (None, Some(number)) => Unexpected::Signed(number),
            (None, None) => Unexpected::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

/// The one value of a parameter that is no list.
fn single<'v>(texts: &'v [Cow<'v, str>]) -> Result<&'v str, ReadError> {
    match texts {
        [text] => Ok(text),
        _ => Err(refuse(spotter_kernel::Key::RequestInvalid, Rule::GivenTwice)),
    }
}

/// A method of the deserializer for each type that is parsed from texts: JSON has its own. An integer beyond
/// the type is refused by its range, a text that is no number by its type.
macro_rules! parsed {
    ($($method:ident $kind:ty, $visit:ident;)+) => {$(
        fn $method<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ReadError> {
            match self {
                Self::Texts(texts) => match single(texts)?.parse::<$kind>() {
                    Ok(number) => visitor.$visit(number),
                    Err(_) => Err(match single(texts)?.parse::<i128>() {
                        Ok(number) => Error::custom(format_args!(
                            "invalid value: integer `{number}`, expected {}",
                            stringify!($kind)
                        )),
                        Err(_) => Error::invalid_type(Unexpected::Str(single(texts)?), &visitor),
                    }),
                },
                _ => self.deserialize_any(visitor),
            }
        }
    )+};
}

impl<'v> Deserializer<'v> for Reader<'v> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self {
            Self::Json(Value::Null) => visitor.visit_unit(),
            Self::Json(Value::Bool(value)) => visitor.visit_bool(*value),
            Self::Json(Value::Number(number)) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Self::Json(Value::String(text)) => visitor.visit_borrowed_str(text),
            Self::Json(Value::Array(items)) => all_of(items, visitor),
            Self::Json(Value::Object(fields)) => {
                visitor.visit_map(Fields { fields: FieldEntries::Json(fields.iter()), next: None })
            }
            Self::Texts(texts) if texts.len() == 1 => visitor.visit_borrowed_str(&texts[0]),
            Self::Texts(texts) => {
                visitor.visit_seq(&mut Items { items: ItemEntries::Texts(texts.iter()), at: 0 })
            }
            Self::Parameters(all) => visitor
                .visit_map(Fields { fields: FieldEntries::Parameters(all.iter()), next: None }),
        }
    }

    parsed! {
        deserialize_u8 u8, visit_u8;
        deserialize_u16 u16, visit_u16;
        deserialize_u32 u32, visit_u32;
        deserialize_u64 u64, visit_u64;
        deserialize_i8 i8, visit_i8;
        deserialize_i16 i16, visit_i16;
        deserialize_i32 i32, visit_i32;
        deserialize_i64 i64, visit_i64;
        deserialize_f32 f32, visit_f32;
        deserialize_f64 f64, visit_f64;
        deserialize_bool bool, visit_bool;
    }

    fn deserialize_str<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self {
            Self::Texts(texts) => visitor.visit_borrowed_str(single(texts)?),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ReadError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self {
            Self::Json(Value::Null) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self {
            Self::Texts(texts) => {
                visitor.visit_seq(&mut Items { items: ItemEntries::Texts(texts.iter()), at: 0 })
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self {
            Self::Json(Value::String(text)) => {
                visitor.visit_enum(Variant { name: text, content: None })
            }
            Self::Json(Value::Object(fields)) => match fields.iter().next() {
                Some((name, value)) if fields.len() == 1 => {
                    visitor.visit_enum(Variant { name, content: Some(value) })
                }
                _ => Err(Error::invalid_value(Unexpected::Map, &"map with a single key")),
            },
            Self::Json(value) => Err(Error::invalid_type(kind_of(value), &"string or map")),
            Self::Texts(texts) => {
                visitor.visit_enum(Variant { name: single(texts)?, content: None })
            }
            Self::Parameters(_) => Err(Error::invalid_type(Unexpected::Map, &visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'v>> i128 u128 char bytes byte_buf unit unit_struct tuple tuple_struct map struct identifier
    }
}

/// The items of a list, and the place of the next.
struct Items<'v> {
    items: ItemEntries<'v>,
    at: usize,
}

enum ItemEntries<'v> {
    Json(std::slice::Iter<'v, Value>),
    Texts(std::slice::Iter<'v, Cow<'v, str>>),
}

impl<'v> ItemEntries<'v> {
    fn next(&mut self) -> Option<Reader<'v>> {
        match self {
            Self::Json(items) => items.next().map(Reader::Json),
            Self::Texts(items) => items.next().map(std::slice::from_ref).map(Reader::Texts),
        }
    }
}

impl<'v> SeqAccess<'v> for &mut Items<'v> {
    type Error = ReadError;

    fn next_element_seed<S: DeserializeSeed<'v>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, ReadError> {
        let Some(item) = self.items.next() else { return Ok(None) };
        self.at += 1;
        let read = seed.deserialize(item);
        read.map(Some).map_err(|error| error.within(&format!("[{}]", self.at - 1)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(match &self.items {
            ItemEntries::Json(items) => items.len(),
            ItemEntries::Texts(items) => items.len(),
        })
    }
}

/// The fields of an object, and the one whose value comes next.
struct Fields<'v> {
    fields: FieldEntries<'v>,
    next: Option<(&'v str, Reader<'v>)>,
}

enum FieldEntries<'v> {
    Json(serde_json::map::Iter<'v>),
    Parameters(std::slice::Iter<'v, (Cow<'v, str>, Vec<Cow<'v, str>>)>),
}

impl<'v> MapAccess<'v> for Fields<'v> {
    type Error = ReadError;

    fn next_key_seed<S: DeserializeSeed<'v>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, ReadError> {
        self.next = match &mut self.fields {
            FieldEntries::Json(fields) => {
                fields.next().map(|(name, value)| (name.as_str(), Reader::Json(value)))
            }
            FieldEntries::Parameters(all) => {
                all.next().map(|(name, values)| (&**name, Reader::Texts(values)))
            }
        };
        let Some((name, _)) = self.next else { return Ok(None) };
        let key: CowStrDeserializer<'v, ReadError> = Cow::Borrowed(name).into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'v>>(&mut self, seed: S) -> Result<S::Value, ReadError> {
        match self.next.take() {
            Some((name, value)) => seed.deserialize(value).map_err(|error| error.within(name)),
            None => Err(Error::custom("a value was read before its name")),
        }
    }
}

/// A variant of an enum by its name, with its content where it has one.
struct Variant<'v> {
    name: &'v str,
    content: Option<&'v Value>,
}

impl<'v> EnumAccess<'v> for Variant<'v> {
    type Error = ReadError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'v>>(self, seed: S) -> Result<(S::Value, Self), ReadError> {
        let key: CowStrDeserializer<'v, ReadError> = Cow::Borrowed(self.name).into_deserializer();
        seed.deserialize(key).map(|variant| (variant, self))
    }
}

impl<'v> VariantAccess<'v> for Variant<'v> {
    type Error = ReadError;

    fn unit_variant(self) -> Result<(), ReadError> {
        match self.content {
            None | Some(Value::Null) => Ok(()),
            Some(value) => {
                Err(ReadError::invalid_type(kind_of(value), &"a string").within(self.name))
            }
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'v>>(self, seed: S) -> Result<S::Value, ReadError> {
        match self.content {
            Some(value) => {
                let read = seed.deserialize(Reader::Json(value));
                read.map_err(|error| error.within(self.name))
            }
            None => Err(Error::invalid_type(Unexpected::UnitVariant, &"a map")),
        }
    }

    fn tuple_variant<V: Visitor<'v>>(self, _: usize, visitor: V) -> Result<V::Value, ReadError> {
        let read = match self.content {
            Some(Value::Array(items)) => all_of(items, visitor),
            Some(value) => Err(Error::invalid_type(kind_of(value), &"a sequence")),
            None => Err(Error::invalid_type(Unexpected::UnitVariant, &"a sequence")),
        };
        read.map_err(|error| error.within(self.name))
    }

    fn struct_variant<V: Visitor<'v>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        let read = match self.content {
            Some(value @ Value::Object(_)) => Reader::Json(value).deserialize_any(visitor),
            Some(value) => Err(Error::invalid_type(kind_of(value), &"a map")),
            None => Err(Error::invalid_type(Unexpected::UnitVariant, &"a map")),
        };
        read.map_err(|error| error.within(self.name))
    }
}

/// Every item of an array; a visitor that leaves some has met another type.
fn all_of<'v, V: Visitor<'v>>(items: &'v [Value], visitor: V) -> Result<V::Value, ReadError> {
    let mut left = Items { items: ItemEntries::Json(items.iter()), at: 0 };
    let read = visitor.visit_seq(&mut left)?;
    match left.items.next() {
        None => Ok(read),
        _ => Err(Error::invalid_length(items.len(), &"fewer elements in array")),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Sample {
        name: String,
        size: Option<i64>,
        #[serde(default)]
        tags: Vec<String>,
        #[serde(default)]
        inner: Option<Box<Sample>>,
        #[serde(default)]
        condition: Option<Condition>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase")]
    enum Condition {
        Always,
        All(Vec<i64>),
        Above { least: i64 },
    }

    fn read(value: &Value) -> Result<Sample, ReadError> {
        Sample::deserialize(Reader::Json(value))
    }

    #[test]
    fn a_body_is_read_as_by_serde_json() {
        for value in [
            json!({"name": "a", "size": 3, "tags": ["x", "y"]}),
            json!({"name": "a", "size": null, "inner": {"name": "b", "size": -1}}),
            json!({"name": "a", "condition": "always"}),
            json!({"name": "a", "condition": {"always": null}}),
            json!(["a", 1, [], null, null]),
            json!({"name": "a", "condition": {"all": [1, 2]}}),
            json!({"name": "a", "condition": {"above": {"least": 1}}}),
        ] {
            assert_eq!(read(&value).unwrap(), serde_json::from_value(value).unwrap());
        }
    }

    #[test]
    fn an_error_knows_its_place() {
        let place = |value: Value| {
            let problem = read(&value).unwrap_err().problem();
            (problem.named_field().to_owned(), problem.rule.unwrap().to_string())
        };
        let same = |field: &str, rule: &str| (field.to_owned(), rule.to_owned());
        assert_eq!(place(json!({})), same("name", "is required"));
        let surplus = json!(["a", 1, [], null, null, 6]);
        assert_eq!(place(surplus), same("body", "does not have the documented form"));
        assert_eq!(place(json!({"name": 1})), same("name", "must be a text"));
        assert_eq!(
            place(json!({"name": "a", "tags": ["x", 1]})),
            same("tags[1]", "must be a text")
        );
        assert_eq!(
            place(json!({"name": "a", "inner": {"name": "b", "tags": 1}})),
            same("inner.tags", "must be a list")
        );
        assert_eq!(place(json!({"name": "a", "inner": {}})), same("inner.name", "is required"));
        let unknown = place(json!({"name": "a", "inner": {"colour": 1}}));
        assert_eq!(unknown.0, "inner.colour");
        assert_eq!(
            place(json!({"name": "a", "condition": {"all": [1], "above": {}}})),
            same("condition", "must have exactly one key")
        );
        assert_eq!(
            place(json!({"name": "a", "condition": "never"})),
            same("condition", "must be one of always, all, above")
        );
        assert_eq!(
            place(json!({"name": "a", "condition": {"all": [1.5]}})),
            same("condition.all[0]", "must be a whole number, such as 1")
        );
    }

    #[test]
    fn parameters_are_texts() {
        let query = |text: &str| {
            let parameters = parameters(text);
            Sample::deserialize(Reader::Parameters(&parameters))
        };
        assert!(
            query("name=a&size=9223372036854775808")
                .unwrap_err()
                .problem()
                .message
                .contains("to 9223372036854775807")
        );
        let read = query("name=a%20b&size=12&tags=x&tags=y").unwrap();
        assert_eq!((read.name.as_str(), read.size), ("a b", Some(12)));
        assert_eq!(read.tags, ["x", "y"]);
        let rule = |text: &str| query(text).unwrap_err().problem().message;
        assert_eq!(rule("name=a&name=b"), "name: must be given once.");
        assert_eq!(rule("name=a&size=x"), "size: must be a whole number, such as 1.");
        assert_eq!(rule("name=a&size=1&size=2"), "size: must be given once.");
    }
}
