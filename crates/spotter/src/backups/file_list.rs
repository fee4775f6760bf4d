//! The list of uploaded files of a set: a line for each, with its digest, its size and its key.

use std::collections::BTreeMap;

/// A file as it was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CopiedFile {
    /// Size in bytes.
    pub(super) size: u64,
    /// SHA-256 in hexadecimal digits.
    pub(super) sha256: String,
}

/// Files by their keys; `None` where the bytes were not there.
pub(super) type FileList = BTreeMap<String, Option<CopiedFile>>;

/// The text of a list.
pub(super) fn written(list: &FileList) -> String {
    let line = |(key, file): (&String, &Option<CopiedFile>)| match file {
        Some(CopiedFile { size, sha256 }) => format!("{sha256} {size} {key}\n"),
        None => format!("missing 0 {key}\n"),
    };
    list.iter().map(line).collect()
}

/// Reads a list; lines that are none are left out.
pub(super) fn read(text: &str) -> FileList {
    let line = |line: &str| {
        let mut parts = line.splitn(3, ' ');
        let (sha256, size, key) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?);
        let file = (sha256 != "missing").then(|| CopiedFile { size, sha256: sha256.to_owned() });
        Some((key.to_owned(), file))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let file = CopiedFile { size: 7, sha256: "ab".repeat(32) };
        let list = FileList::from([("a/b c".to_owned(), Some(file)), ("a/gone".to_owned(), None)]);
        assert_eq!(read(&written(&list)), list);
        assert_eq!(read("nonsense\n1 x y\n"), FileList::new());
    }
}
