//! The shells that operations are wrapped in: paths, answers of one record, answers of a list.

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
            page_info: spotter_kernel::page::PageInfo,
            $field: Vec<$item>,
        }

        impl From<spotter_kernel::Page<$item>> for $name {
            fn from(page: spotter_kernel::Page<$item>) -> Self {
                Self { page_info: page.page_info(), $field: page.items }
            }
        }
    };
}

/// Declares the parameters of a path: `path!(LocationPath { location_id: LocationId });`.
#[macro_export]
macro_rules! path {
    ($(#[$doc:meta])* $vis:vis $name:ident { $($(#[$fdoc:meta])* $field:ident: $kind:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $vis struct $name { $($(#[$fdoc])* $vis $field: $kind),+ }
    };
}

/// Declares an answer: `answer!(LocationAnswer { location: Location });`.
#[macro_export]
macro_rules! answer {
    ($(#[$doc:meta])* $vis:vis $name:ident { $($(#[$fdoc:meta])* $field:ident: $kind:ty),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, serde::Serialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $vis struct $name { $($(#[$fdoc])* $vis $field: $kind),+ }
    };
}
