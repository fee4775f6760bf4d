//! Rows on their way out of a statement.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use spotter_kernel::{
    Date, Id, Problem, Result, ScopeSet, TimeZone, Timestamp,
    id::{ClientId, CoachId, CompanyId, LocationId},
    money::{Currency, Percentage},
    text::WallTime,
};

use crate::value::{Bind, Value};

/// A row of a result, of either engine.
pub struct Row<'r>(pub(crate) Source<'r>);

pub(crate) enum Source<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r tokio_postgres::Row),
}

impl Row<'_> {
    /// How many columns it has.
    pub fn width(&self) -> usize {
        match &self.0 {
            Source::Sqlite(row) => row.as_ref().column_count(),
            Source::Postgres(row) => row.len(),
        }
    }

    /// The value in the column at this position, from 0, of whichever type it is.
    pub fn value(&self, at: usize) -> Result<Value<'static>> {
        match &self.0 {
            Source::Sqlite(row) => match row.get_ref(at).map_err(Problem::internal)? {
                rusqlite::types::ValueRef::Integer(number) => Ok(Value::Int(number)),
                rusqlite::types::ValueRef::Real(number) => Ok(Value::Real(number)),
                rusqlite::types::ValueRef::Null => Ok(Value::Null),
                _ => self.get::<String>(at).map(|text| Value::Text(text.into())),
            },
            Source::Postgres(row) => {
                use tokio_postgres::types::Type;
                match row.columns().get(at).map(|column| column.type_().clone()) {
                    Some(Type::INT8) => {
                        Ok(self.get::<Option<i64>>(at)?.map_or(Value::Null, Value::Int))
                    }
                    Some(Type::BOOL) => {
                        Ok(self.get::<Option<bool>>(at)?.map_or(Value::Null, Value::Bool))
                    }
                    Some(Type::FLOAT8) => {
                        Ok(self.get::<Option<f64>>(at)?.map_or(Value::Null, Value::Real))
                    }
                    _ => {
                        let text = self.get::<Option<String>>(at)?;
                        Ok(text.map_or(Value::Null, |text| Value::Text(text.into())))
                    }
                }
            }
        }
    }

    /// The value in the column at this position, from 0.
    pub fn get<T: Column>(&self, at: usize) -> Result<T> {
        T::read(self, at)
    }
}

/// A type that a column can be read as.
pub trait Column: Sized {
    /// Reads the column at this position, from 0.
    fn read(row: &Row<'_>, at: usize) -> Result<Self>;
}

/// A type that a whole row can be read as.
pub trait Record: Sized {
    /// How many columns the type takes.
    const WIDTH: usize;
    /// The columns, separated by commas; empty for generic types.
    const COLUMNS: &'static str = "";
    /// Reads the columns from this position on.
    fn read(row: &Row<'_>, from: usize) -> Result<Self>;
}

macro_rules! native {
    ($($kind:ty)+) => {$(
        impl Column for $kind {
            fn read(row: &Row<'_>, at: usize) -> Result<Self> {
                match row.0 {
                    Source::Sqlite(row) => row.get(at).map_err(Problem::internal),
                    Source::Postgres(row) => row.try_get(at).map_err(Problem::internal),
                }
            }
        }
        impl Column for Option<$kind> {
            fn read(row: &Row<'_>, at: usize) -> Result<Self> {
                match row.0 {
                    Source::Sqlite(row) => row.get(at).map_err(Problem::internal),
                    Source::Postgres(row) => row.try_get(at).map_err(Problem::internal),
                }
            }
        }
    )+};
}

native!(i64 f64 bool String Vec<u8>);

/// A type that both engines keep in a column as it is.
pub trait Base {
    /// The value as a row lends it: a text is not copied.
    type Lent<'r>;
    /// The column at this position, from 0, if it is not null.
    fn lent<'r>(row: &'r Row<'_>, at: usize) -> Result<Option<Self::Lent<'r>>>;
}

impl Base for i64 {
    type Lent<'r> = i64;

    fn lent(row: &Row<'_>, at: usize) -> Result<Option<i64>> {
        row.get(at)
    }
}

impl Base for String {
    type Lent<'r> = &'r str;

    fn lent<'r>(row: &'r Row<'_>, at: usize) -> Result<Option<&'r str>> {
        match row.0 {
            Source::Sqlite(row) => {
                let value = row.get_ref(at).map_err(Problem::internal)?;
                value.as_str_or_null().map_err(Problem::internal)
            }
            Source::Postgres(row) => row.try_get(at).map_err(Problem::internal),
        }
    }
}

/// A type kept in a column as a simpler one.
pub trait Stored: Sized {
    /// The column's own type.
    type Base: Base;
    /// The value, or `None` where the column holds nothing of the kind.
    fn from_base(base: <Self::Base as Base>::Lent<'_>) -> Option<Self>;
}

fn read_stored<T: Stored>(row: &Row<'_>, at: usize) -> Result<Option<T>> {
    let convert = |base| {
        T::from_base(base).ok_or_else(|| {
            Problem::internal(format!("a column holds no {}", std::any::type_name::<T>()))
        })
    };
    T::Base::lent(row, at)?.map(convert).transpose()
}

impl<T: Stored> Column for T {
    fn read(row: &Row<'_>, at: usize) -> Result<Self> {
        read_stored(row, at)?.ok_or_else(|| {
            Problem::internal(format!("a column is null that is a {}", std::any::type_name::<T>()))
        })
    }
}

impl<T: Stored> Column for Option<T> {
    fn read(row: &Row<'_>, at: usize) -> Result<Self> {
        read_stored(row, at)
    }
}

/// Makes a type readable from the column type that it is stored as, and nullable with it.
#[macro_export]
macro_rules! column_from {
    ($($kind:ty: $base:ty, $convert:expr;)+) => {$(
        impl $crate::Stored for $kind {
            type Base = $base;
            fn from_base(base: <$base as $crate::Base>::Lent<'_>) -> Option<Self> {
                let convert: fn(<$base as $crate::Base>::Lent<'_>) -> Option<$kind> = $convert;
                convert(base)
            }
        }
    )+};
}

column_from! {
    Timestamp: i64, |v| Some(Timestamp::from_millis(v));
    Date: String, Date::parse;
    TimeZone: String, TimeZone::parse;
    WallTime: String, WallTime::parse;
    Currency: String, Currency::parse;
    Percentage: i64, Percentage::from_hundredths;
    Id: String, Id::parse;
    CompanyId: String, |v| Id::parse(v).map(CompanyId);
    CoachId: String, |v| Id::parse(v).map(CoachId);
    ClientId: String, |v| Id::parse(v).map(ClientId);
    LocationId: String, |v| Id::parse(v).map(LocationId);
    ScopeSet: String, |v| Some(ScopeSet::stored(v.to_owned()));
}

/// A value kept as JSON in a TEXT column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json<T>(pub T);

/// Its storage is not part of its schema.
impl<T: JsonSchema> JsonSchema for Json<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }
    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        T::json_schema(schemas)
    }
}

impl<T: DeserializeOwned> Stored for Json<T> {
    type Base = String;
    fn from_base(text: &str) -> Option<Self> {
        serde_json::from_str(text).map(Self).ok()
    }
}

impl<T: Serialize> Bind for Json<T> {
    fn bind(&self) -> Value<'_> {
        serde_json::to_string(&self.0).map_or(Value::Null, |text| Value::Text(text.into()))
    }
}

impl Bind for TimeZone {
    fn bind(&self) -> Value<'_> {
        Value::Text(self.name().into())
    }
}

impl Bind for Currency {
    fn bind(&self) -> Value<'_> {
        Value::Text(self.code().into())
    }
}

macro_rules! tuples {
    ($(($($name:ident $at:literal),+))+) => {$(
        impl<$($name: Column),+> Record for ($($name,)+) {
            const WIDTH: usize = [$($at),+].len();
            fn read(row: &Row<'_>, from: usize) -> Result<Self> {
                Ok(($(row.get::<$name>(from + $at)?,)+))
            }
        }
    )+};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

/// Declares a struct whose fields are columns: struct, column list, reader and parameters from one list of fields.
#[macro_export]
macro_rules! record {
    (
        $(#[$doc:meta])*
        $vis:vis struct $name:ident { $($(#[$fdoc:meta])* $fvis:vis $field:ident: $kind:ty,)+ }
    ) => {
        $(#[$doc])*
        $vis struct $name { $($(#[$fdoc])* $fvis $field: $kind,)+ }

        impl $name {
            /// The columns, comma-separated, in the order of the fields.
            #[allow(dead_code, reason = "not every record is selected by its column list")]
            pub const COLUMNS: &'static str = $crate::concatcp!("" $(, $crate::separated!($field))+)
                .split_at(2).1;

            /// The fields in which two records differ, by their names on the wire.
            #[allow(dead_code, reason = "not every record is changed")]
            pub fn changed(&self, before: &Self) -> Vec<String> {
                let mut names = Vec::new();
                $(if self.$field != before.$field {
                    names.push($crate::wire_name(stringify!($field)));
                })+
                names
            }

            /// The fields as parameters, in the order of the columns.
            #[allow(dead_code, reason = "not every record is written whole")]
            pub fn params(&self) -> Vec<$crate::Value<'_>> {
                vec![$($crate::Bind::bind(&self.$field)),+]
            }
        }

        impl $crate::Record for $name {
            const WIDTH: usize = [$(stringify!($field)),+].len();
            const COLUMNS: &'static str = $name::COLUMNS;
            fn read(row: &$crate::Row<'_>, from: usize) -> spotter_kernel::Result<Self> {
                let mut at = from;
                $(let $field = row.get(at)?; at += 1;)+
                let _ = at;
                Ok(Self { $($field),+ })
            }
        }
    };
}

/// A column's name in JSON: `first_name` is `firstName`.
pub fn wire_name(column: &str) -> String {
    let mut upper = false;
    let mut name = String::with_capacity(column.len());
    for c in column.trim_start_matches("r#").chars() {
        if c == '_' {
            upper = true;
        } else {
            name.push(if std::mem::take(&mut upper) { c.to_ascii_uppercase() } else { c });
        }
    }
    name
}

#[doc(hidden)]
#[macro_export]
macro_rules! separated {
    (r#type) => {
        ", type"
    };
    ($field:ident) => {
        concat!(", ", stringify!($field))
    };
}
