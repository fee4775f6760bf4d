//! What stands on every page of a test environment.

use maud::{Markup, html};
use spotter_http::State;
use spotter_kernel::secret::EnvironmentMode;

use crate::words::Strings;

/// The notice, with what else is said there; nothing on pages of the real environment.
pub(crate) fn test_notice(state: &State, t: Strings, more: Markup) -> Markup {
    html! {
        @if state.env.mode == EnvironmentMode::Test {
            div.notice.warn role="note" {
                (t.in_test_environment()) " " (more)
                a href="/test/leave" data-hx-boost="false" { (t.leave_test_environment()) }
            }
        }
    }
}
