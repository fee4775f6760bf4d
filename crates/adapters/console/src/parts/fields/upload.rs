//! Files that a form brings.

use spotter_company::uploads::MediaType;

use crate::field_kind::FieldKind;

/// What a file is sent as.
#[derive(Clone, Copy)]
pub(crate) enum Upload {
    /// Whatever people send each other.
    File,
    /// A progress photo.
    Photo,
    /// A picture of the public site.
    Picture,
    /// What a question is answered with.
    Answer,
}

impl Upload {
    /// The kind of its field.
    pub(crate) const fn kind(self) -> FieldKind {
        match self {
            Self::File => FieldKind::File,
            Self::Photo => FieldKind::Photo,
            Self::Picture => FieldKind::Picture,
            Self::Answer => FieldKind::Answer,
        }
    }

    /// What a browser offers to choose.
    pub(crate) fn accepts(self) -> String {
        let pictures = [MediaType::Jpeg, MediaType::Png, MediaType::Webp];
        let kinds = if matches!(self, Self::Photo | Self::Picture) {
            &pictures[..]
        } else {
            MediaType::ALL
        };
        kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>().join(",")
    }
}
