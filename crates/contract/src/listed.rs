//! Paged answers on the wire.

/// Declares the answer of a paged list: the page figures beside an array named after the resource.
#[macro_export]
macro_rules! listed {
    ($(#[$doc:meta])* $name:ident { $field:ident: $item:ty }) => {
        $(#[$doc])*
        #[doc = concat!("A page of ", stringify!($field), ".")]
        #[derive(Debug, serde::Serialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            #[serde(flatten)]
            figures: spotter_kernel::page::Figures,
            $field: Vec<$item>,
        }

        impl From<spotter_kernel::Page<$item>> for $name {
            fn from(page: spotter_kernel::Page<$item>) -> Self {
                Self { figures: page.figures(), $field: page.items }
            }
        }
    };
}
