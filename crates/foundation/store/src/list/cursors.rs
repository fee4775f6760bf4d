//! Cursors: where a list goes on, as a text that callers send back.

use serde_json::Value as Json;
use spotter_kernel::{Cursor, Result};

use super::Shape;
use crate::value::Value;

impl Shape {
    /// Distinguishes this list's cursors from those of others.
    fn mark_of_cursors(&self) -> String {
        let bytes = self.from.bytes().chain(self.order.bytes());
        let hash = bytes
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        format!("{hash:08x}")
    }

    /// Where the list goes on behind a record; nothing where one of its values in the order is null.
    pub(super) fn cursor(&self, place: &[Value<'_>]) -> Option<Cursor> {
        let values = place.iter().map(|value| match value {
            Value::Int(number) => Some(Json::from(*number)),
            Value::Real(number) => Some(Json::from(*number)),
            Value::Bool(yes) => Some(Json::from(*yes)),
            Value::Text(text) => Some(Json::from(&**text)),
            Value::Null | Value::Bytes(_) => None,
        });
        let text = serde_json::to_string(&values.collect::<Option<Vec<Json>>>()?).ok()?;
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        Cursor::new(&format!("{}-{hex}", self.mark_of_cursors()))
    }

    /// The sort values of a cursor.
    pub(super) fn place_of(&self, cursor: &Cursor) -> Result<Vec<Value<'static>>> {
        let (mark, hex) = cursor.as_str().split_once('-').ok_or_else(Cursor::refused)?;
        let pairs = hex.as_bytes().chunks(2).map(|pair| {
            let digits = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(digits, 16).ok()
        });
        let text: Option<Vec<u8>> = pairs.collect();
        let values: Vec<Json> = text
            .and_then(|text| serde_json::from_slice(&text).ok())
            .filter(|_| mark == self.mark_of_cursors())
            .ok_or_else(Cursor::refused)?;
        let values = values.into_iter().map(|value| match value {
            Json::Bool(yes) => Some(Value::Bool(yes)),
            Json::Number(number) => match number.as_i64() {
                Some(number) => Some(Value::Int(number)),
                None => number.as_f64().map(Value::Real),
            },
            Json::String(text) => Some(Value::Text(text.into())),
            _ => None,
        });
        let values: Option<Vec<Value<'static>>> = values.collect();
        values
            .filter(|values| values.len() == self.order_terms().count())
            .ok_or_else(Cursor::refused)
    }

    /// The condition for records after a cursor, with its sort values as parameters from a number on.
    pub(super) fn after_cursor(&self, first: usize) -> String {
        let terms: Vec<_> = self.order_terms().zip(first..).collect();
        let alike = terms.windows(2).all(|pair| pair[0].0.1 == pair[1].0.1);
        let sign = |descending: bool| if descending { '<' } else { '>' };
        if let (true, Some(((_, descending), _))) = (alike, terms.first()) {
            let names: Vec<_> = terms.iter().map(|((name, _), _)| *name).collect();
            let values: Vec<_> = terms.iter().map(|(_, number)| format!("?{number}")).collect();
            let sign = sign(*descending);
            return format!(" AND ({}) {sign} ({})", names.join(", "), values.join(", "));
        }
        let each = terms.iter().enumerate().map(|(at, ((name, descending), number))| {
            let same =
                terms.iter().take(at).map(|((name, _), number)| format!("{name} = ?{number}"));
            let own = format!("{name} {} ?{number}", sign(*descending));
            same.chain([own]).collect::<Vec<_>>().join(" AND ")
        });
        format!(" AND (({}))", each.collect::<Vec<_>>().join(") OR ("))
    }
}
