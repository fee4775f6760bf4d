//! Functions as operations: `fn(&mut Read | &mut Write, up to three arguments) -> Result<T>`.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use spotter_kernel::{Problem, Result};

use crate::{
    arguments::{Argument, ArgumentSchemas, Arguments, refuse_surplus},
    context::{Read, Write},
};

/// A reading function with its arguments; it returns the JSON text of its answer.
pub type ReadFn = Box<dyn FnMut(&mut Read<'_, '_>) -> Result<String> + Send>;
/// A writing function with its arguments; it returns the JSON text of its answer.
pub type WriteFn = Box<dyn FnMut(&mut Write<'_, '_>) -> Result<String> + Send>;

/// A function with its arguments read, ready to be run in a transaction, perhaps more than once.
pub enum Bound {
    /// It can only read.
    Read(ReadFn),
    /// It may write.
    Write(WriteFn),
}

/// Marks functions that take `&mut Read`.
pub enum ReadHandler {}
/// Marks functions that take `&mut Write`.
pub enum WriteHandler {}

/// A function that can be an operation; `Form` distinguishes implementations.
pub trait Handler<Form>: Copy + Send + Sync + 'static {
    /// Whether the function takes `&mut Write`.
    const WRITES: bool;
    /// Reads the function's arguments from the request.
    fn bind(self, arguments: &Arguments) -> Result<Bound>;
    /// The arguments' schemas.
    fn describe(schemas: &mut SchemaGenerator) -> ArgumentSchemas;
    /// The answer's schema.
    fn answer(schemas: &mut SchemaGenerator) -> Schema;
}

fn serialize(answer: &impl Serialize) -> Result<String> {
    serde_json::to_string(answer).map_err(Problem::internal)
}

macro_rules! handlers {
    ($(($($name:ident $value:ident),*))+) => {$(
        handlers!(one ReadHandler Read ($($name $value),*) |$($name)*|);
        handlers!(one WriteHandler Write ($($name $value),*) |$($name)*|);
    )+};
    (one $marker:ident $context:ident ($($name:ident $value:ident),*) |$($again:ident)*|) => {
        impl<F, T, $($name),*> Handler<($marker, T, $($name),*)> for F
        where
            F: Fn(&mut $context<'_, '_> $(, $name)*) -> Result<T> + Copy + Send + Sync + 'static,
            T: Serialize + JsonSchema,
            $($name: Argument),*
        {
            const WRITES: bool = matches!(stringify!($context).as_bytes(), b"Write");

            fn bind(self, arguments: &Arguments) -> Result<Bound> {
                $(let $value = $name::take(arguments)?;)*
                let takes_query = false $(|| $name::QUERY)*;
                let takes_body = false $(|| $name::BODY)*;
                let writes = <Self as Handler<($marker, T, $($name),*)>>::WRITES;
                refuse_surplus(arguments, takes_query, takes_body, writes)?;
                Ok(Bound::$context(Box::new(move |cx: &mut $context<'_, '_>| {
                    serialize(&self(cx $(, $value.clone())*)?)
                })))
            }

            fn describe(schemas: &mut SchemaGenerator) -> ArgumentSchemas {
                #[allow(unused_mut, reason = "a function may take no argument")]
                let mut described = ArgumentSchemas::default();
                let _ = &schemas;
                $($name::describe(&mut described, schemas);)*
                described
            }

            fn answer(schemas: &mut SchemaGenerator) -> Schema {
                T::json_schema(schemas)
            }
        }
    };
}

handlers! {
    ()
    (A a)
    (A a, B b)
    (A a, B b, C c)
}
