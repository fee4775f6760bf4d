//! Tests of the rules.

use super::disposition;

#[test]
fn names_of_files_cannot_end_their_header() {
    assert_eq!(disposition("a.pdf"), "attachment; filename=\"a.pdf\"");
    assert_eq!(
        disposition("é \"x\";\r\n.pdf"),
        "attachment; filename*=UTF-8''%C3%A9%20%22x%22%3B%0D%0A.pdf"
    );
}
