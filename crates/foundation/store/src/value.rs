//! Values on their way into a statement.

use std::borrow::Cow;

use rusqlite::types::{ToSqlOutput, ValueRef};
use spotter_kernel::{
    Date, Id, ScopeSet, Timestamp,
    id::{ClientId, CoachId, CompanyId, LocationId},
    money::Percentage,
    text::{Country, Email, Language, Name, Phone, Text, WallTime, WebUrl},
};
use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};

/// One parameter of a statement, in one of the few types that both engines store alike.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'v> {
    /// No value.
    Null,
    /// BIGINT.
    Int(i64),
    /// DOUBLE PRECISION.
    Real(f64),
    /// BOOLEAN.
    Bool(bool),
    /// TEXT.
    Text(Cow<'v, str>),
    /// BLOB.
    Bytes(Cow<'v, [u8]>),
}

impl Value<'_> {
    /// The same value, owning its bytes.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Int(v) => Value::Int(v),
            Self::Real(v) => Value::Real(v),
            Self::Bool(v) => Value::Bool(v),
            Self::Text(v) => Value::Text(Cow::Owned(v.into_owned())),
            Self::Bytes(v) => Value::Bytes(Cow::Owned(v.into_owned())),
        }
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(v) => ValueRef::Integer(*v),
            Self::Real(v) => ValueRef::Real(*v),
            Self::Bool(v) => ValueRef::Integer(i64::from(*v)),
            Self::Text(v) => ValueRef::Text(v.as_bytes()),
            Self::Bytes(v) => ValueRef::Blob(v),
        }))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(v) if *kind == Type::FLOAT8 => (*v as f64).to_sql(kind, out),
            Self::Int(v) => v.to_sql_checked(kind, out),
            Self::Real(v) => v.to_sql_checked(kind, out),
            Self::Bool(v) => v.to_sql_checked(kind, out),
            // No text there holds a NUL: what has one equals none of them, as it does on the other engine.
            Self::Text(v) if v.contains('\0') => {
                v.replace('\0', "\u{fffd}").to_sql_checked(kind, out)
            }
            Self::Text(v) => v.as_ref().to_sql_checked(kind, out),
            Self::Bytes(v) => v.as_ref().to_sql_checked(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A parameter of a statement.
pub trait Bind {
    /// The value as the engines take it.
    fn bind(&self) -> Value<'_>;
}

macro_rules! bind {
    ($($kind:ty: $this:ident => $value:expr;)+) => {$(
        impl Bind for $kind {
            fn bind(&self) -> Value<'_> {
                let $this = self;
                $value
            }
        }
    )+};
}

bind! {
    i64: v => Value::Int(*v);
    f64: v => Value::Real(*v);
    bool: v => Value::Bool(*v);
    str: v => Value::Text(v.into());
    String: v => Value::Text(v.as_str().into());
    [u8]: v => Value::Bytes(v.into());
    Vec<u8>: v => Value::Bytes(v.as_slice().into());
    [u8; 32]: v => Value::Bytes(v.as_slice().into());
    Timestamp: v => Value::Int(v.millis());
    Date: v => Value::Text(v.to_string().into());
    Id: v => Value::Text(v.to_string().into());
    CompanyId: v => v.0.bind();
    CoachId: v => v.0.bind();
    ClientId: v => v.0.bind();
    LocationId: v => v.0.bind();
    Percentage: v => Value::Int(v.hundredths());
    ScopeSet: v => Value::Text(v.as_str().into());
    Email: v => Value::Text((**v).into());
    Phone: v => Value::Text((**v).into());
    Country: v => Value::Text((**v).into());
    Language: v => Value::Text((**v).into());
    WallTime: v => Value::Text((**v).into());
    WebUrl: v => Value::Text((**v).into());
}

impl<const MAX: usize> Bind for Text<MAX> {
    fn bind(&self) -> Value<'_> {
        Value::Text((**self).into())
    }
}

impl<const MAX: usize> Bind for Name<MAX> {
    fn bind(&self) -> Value<'_> {
        Value::Text((**self).into())
    }
}

impl<T: Bind> Bind for Option<T> {
    fn bind(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, Bind::bind)
    }
}

impl<T: Bind + ?Sized> Bind for &T {
    fn bind(&self) -> Value<'_> {
        (**self).bind()
    }
}

/// The parameters of a statement, in the order of their numbers.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Bind::bind(&$value)),*] };
}

/// Declares an enum of fixed words from one list: the enum, its words on the wire and in the
/// store, its schema, and the refusal of any other word (`INVALID_ENUM`, or the key named).
#[macro_export]
macro_rules! words {
    ($(#[$doc:meta])* $vis:vis enum $kind:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $crate::words! { else InvalidEnum; $(#[$doc])* $vis enum $kind { $($variant = $word),+ } }
    };
    (else $key:ident; $(#[$doc:meta])* $vis:vis enum $kind:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $kind { $(#[doc = $word] $variant),+ }

        impl $kind {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
            /// The word of the value, in JSON and in the store.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
            /// The value of a word.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl $crate::Bind for $kind {
            fn bind(&self) -> $crate::Value<'_> {
                $crate::Value::Text(self.word().into())
            }
        }

        $crate::column_from! { $kind: String, $kind::parse; }

        impl serde::Serialize for $kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'_, str> as serde::Deserialize>::deserialize(d)?;
                $kind::parse(&word).ok_or_else(|| spotter_kernel::problem::refuse(
                    spotter_kernel::Key::$key,
                    spotter_kernel::Rule::NotAnOption { words: [$($word),+].join(", ") },
                ))
            }
        }

        impl schemars::JsonSchema for $kind {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($kind).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "enum": [$($word),+],
                    spotter_kernel::problem::INVALID: spotter_kernel::Key::$key.wire()})
            }
        }
    };
}

/// Makes id types storable.
#[macro_export]
macro_rules! stored_ids {
    ($($name:ident)+) => {
        $(impl $crate::Bind for $name {
            fn bind(&self) -> $crate::Value<'_> {
                $crate::Bind::bind(&self.0)
            }
        })+
        $crate::column_from! {
            $($name: String, |text| spotter_kernel::Id::parse(text).map($name);)+
        }
    };
}
