//! The application API as types: a function for each operation, whose parameters are methods, and a record for each object
//! that operations return, whose fields are methods. `build.rs` generates them, so that a field that an area renames does
//! not compile on a page.
//!
//! ```ignore
//! let bookings = cx.call(api::list_bookings().client_id(&id).limit(10))?;
//! for booking in bookings.bookings() {
//!     println!("{} {}", booking.starts_at(), booking.name());
//! }
//! ```

// Pages read some of what there is.
#![allow(dead_code)]

use std::marker::PhantomData;

use serde_json::Value;
use spotter_kernel::{Date, TimeZone, Timestamp};

use crate::{api_call::ApiCall, parts::format::full_name};

/// An operation of the application API.
pub(crate) trait ApiOperation {
    /// Its id.
    const ID: &'static str;
}

/// A call of an operation with its parameters.
#[derive(Debug)]
pub(crate) struct Call<O> {
    request: ApiCall,
    operation: PhantomData<fn() -> O>,
}

impl<O: ApiOperation> Call<O> {
    fn new() -> Self {
        Self { request: ApiCall::of(O::ID), operation: PhantomData }
    }
}

impl<O> Call<O> {
    fn map(self, change: impl FnOnce(ApiCall) -> ApiCall) -> Self {
        Self { request: change(self.request), operation: PhantomData }
    }

    /// With a body, for operations that preview a change.
    pub(crate) fn with_body(self, body: Value) -> Self {
        self.map(|request| request.body(body))
    }

    /// With the page of a list, by its number.
    pub(crate) fn with_page(self, page: &str, limit: i64) -> Self {
        self.map(|request| request.with("limit", limit).with("page", page))
    }
}

impl<O> Call<O> {
    /// The call as data.
    pub(crate) fn request(&self) -> &ApiCall {
        &self.request
    }
}

impl<O> Clone for Call<O> {
    fn clone(&self) -> Self {
        Self { request: self.request.clone(), operation: PhantomData }
    }
}

impl<O> From<Call<O>> for ApiCall {
    fn from(call: Call<O>) -> Self {
        call.request
    }
}

/// What an operation has returned: its `data`. Empty where there is none.
#[derive(Clone, Debug)]
pub(crate) struct Answer<O> {
    data: Value,
    operation: PhantomData<fn() -> O>,
}

impl<O> Answer<O> {
    /// The answer of an operation from its `data`.
    pub(crate) fn new(data: Value) -> Self {
        Self { data, operation: PhantomData }
    }

    /// The answer as JSON, to prefill a form.
    pub(crate) fn json(&self) -> &Value {
        &self.data
    }
}

impl<O> Default for Answer<O> {
    fn default() -> Self {
        Self::new(Value::Null)
    }
}

/// A record that can prefill a form.
pub(crate) trait Json<'a> {
    /// The record as JSON.
    fn json(self) -> &'a Value;
}

impl<'a> Json<'a> for &'a Value {
    fn json(self) -> &'a Value {
        self
    }
}

/// A value read from JSON. Absent values are empty, zero or the first instant: operations return what their schemas
/// say, except fields that the caller may not read.
pub(crate) trait FromJson<'a>: Sized {
    /// Reads it.
    fn from_json(value: &'a Value) -> Self;
}

impl<'a> FromJson<'a> for &'a Value {
    fn from_json(value: &'a Value) -> Self {
        value
    }
}

impl<'a> FromJson<'a> for &'a str {
    fn from_json(value: &'a Value) -> Self {
        value.as_str().unwrap_or_default()
    }
}

impl FromJson<'_> for i64 {
    fn from_json(value: &Value) -> Self {
        value.as_i64().unwrap_or_default()
    }
}

impl FromJson<'_> for f64 {
    fn from_json(value: &Value) -> Self {
        value.as_f64().unwrap_or_default()
    }
}

impl FromJson<'_> for bool {
    fn from_json(value: &Value) -> Self {
        value.as_bool().unwrap_or_default()
    }
}

impl FromJson<'_> for Timestamp {
    fn from_json(value: &Value) -> Self {
        value.as_str().and_then(Self::parse).unwrap_or(Self::from_millis(0))
    }
}

impl FromJson<'_> for Date {
    fn from_json(value: &Value) -> Self {
        let first = || TimeZone::UTC.date_at(Timestamp::from_millis(0));
        value.as_str().and_then(Self::parse).unwrap_or_else(first)
    }
}

impl<'a, T: FromJson<'a>> FromJson<'a> for Option<T> {
    fn from_json(value: &'a Value) -> Self {
        (!value.is_null()).then(|| T::from_json(value))
    }
}

/// A list of records; empty where there is none.
#[derive(Debug)]
pub(crate) struct List<'a, T> {
    items: &'a [Value],
    item: PhantomData<fn() -> T>,
}

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

impl<'a, T: FromJson<'a>> List<'a, T> {
    /// Its items, in order.
    pub(crate) fn iter(
        self,
    ) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator + use<'a, T> {
        self.items.iter().map(T::from_json)
    }

    /// How many there are.
    pub(crate) fn len(self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(self) -> bool {
        self.items.is_empty()
    }

    /// The first.
    pub(crate) fn first(self) -> Option<T> {
        self.items.first().map(T::from_json)
    }

    /// The one at a position.
    pub(crate) fn get(self, index: usize) -> Option<T> {
        self.items.get(index).map(T::from_json)
    }
}

impl<'a> List<'a, &'a str> {
    /// Its texts with a separator between them.
    pub(crate) fn join(self, separator: &str) -> String {
        self.iter().collect::<Vec<_>>().join(separator)
    }

    /// Whether a text is among them.
    pub(crate) fn contains(self, text: &str) -> bool {
        self.iter().any(|own| own == text)
    }
}

impl<'a, T: FromJson<'a> + 'a> IntoIterator for List<'a, T> {
    type Item = T;
    type IntoIter = std::iter::Map<std::slice::Iter<'a, Value>, fn(&'a Value) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter().map(T::from_json)
    }
}

impl<'a, T> FromJson<'a> for List<'a, T> {
    fn from_json(value: &'a Value) -> Self {
        Self { items: value.as_array().map_or(&[], Vec::as_slice), item: PhantomData }
    }
}

/// A record: its fields by their keys in JSON.
macro_rules! record {
    ($name:ident { $($field:ident $key:literal: $kind:ty,)* }) => {
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name<'a>(&'a Value);

        impl<'a> $name<'a> {
            $(
                // A field may be called `fromDate`.
                #[allow(clippy::wrong_self_convention, reason = "fields are called `from` and `to`")]
                pub(crate) fn $field(self) -> $kind {
                    FromJson::from_json(&self.0[$key])
                }
            )*
        }

        impl<'a> Json<'a> for $name<'a> {
            fn json(self) -> &'a Value {
                self.0
            }
        }

        impl<'a> FromJson<'a> for $name<'a> {
            fn from_json(value: &'a Value) -> Self {
                Self(value)
            }
        }
    };
}

/// An operation: the function that calls it with its path parameters, its query parameters, and the fields of its
/// answer.
macro_rules! operation {
    (
        $name:ident $function:ident $id:literal
        ($($part:ident $part_key:literal),*)
        ($($parameter:ident $parameter_key:literal),*)
        { $($field:ident $key:literal: $kind:ty,)* }
    ) => {
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl ApiOperation for $name {
            const ID: &'static str = $id;
        }

        pub(crate) fn $function($($part: &str),*) -> Call<$name> {
            Call::new()$(.map(|request| request.at($part_key, $part)))*
        }

        impl Call<$name> {
            $(pub(crate) fn $parameter(self, value: impl ToString) -> Self {
                self.map(|request| request.with($parameter_key, value))
            })*
        }

        impl Answer<$name> {
            $(
                // Some fields borrow nothing.
                #[allow(clippy::needless_lifetimes, reason = "some answers borrow, some do not")]
                pub(crate) fn $field<'a>(&'a self) -> $kind {
                    FromJson::from_json(&self.data[$key])
                }
            )*
        }
    };
}

impl Client<'_> {
    /// The first and the last name.
    pub(crate) fn full_name(self) -> String {
        full_name(self.first_name(), self.last_name())
    }
}

impl Coach<'_> {
    /// The first and the last name.
    pub(crate) fn full_name(self) -> String {
        full_name(self.first_name(), self.last_name())
    }
}

include!(concat!(env!("OUT_DIR"), "/api.rs"));
