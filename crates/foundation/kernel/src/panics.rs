//! Catching panics: work that panics has failed, and its caller continues.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Once,
    task::Poll,
};

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs a closure; a panic becomes its message and place.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    remember_places();
    let outer = CATCHING.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    outcome.map_err(|panic| {
        let place = PLACE.take();
        let at = if place.is_empty() { "" } else { " at " };
        format!("panicked{at}{place}: {}", panic_message(&*panic))
    })
}

/// Runs a future to its end; a panic becomes its message and place.
pub async fn caught_async<F: Future>(work: F) -> Result<F::Output, String> {
    let mut work = pin!(work);
    std::future::poll_fn(|cx| match caught(|| work.as_mut().poll(cx)) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
        Err(panic) => Poll::Ready(Err(panic)),
    })
    .await
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Keeps the place of a caught panic for its log entry, instead of printing it.
fn remember_places() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if CATCHING.get() {
                let place = info.location().map(ToString::to_string).unwrap_or_default();
                PLACE.replace(place);
            } else {
                usual(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Waker};

    use super::*;

    #[test]
    fn a_panic_is_logged_and_work_continues() {
        let output = caught(|| -> u8 { panic!("no {}", "luck") }).unwrap_err();
        assert!(output.starts_with("panicked at ") && output.contains("panics.rs"), "{output}");
        assert!(output.ends_with(": no luck"), "{output}");
        assert_eq!(caught(|| 7), Ok(7));
    }

    #[test]
    fn a_panicking_future_returns_its_message() {
        let cx = &mut Context::from_waker(Waker::noop());
        let mut broken = pin!(caught_async(async { panic!("midway") }));
        let Poll::Ready(Err::<(), _>(output)) = broken.as_mut().poll(cx) else { panic!("goes on") };
        assert!(output.ends_with(": midway"), "{output}");
        let mut whole = pin!(caught_async(async { 7 }));
        assert_eq!(whole.as_mut().poll(cx), Poll::Ready(Ok(7)));
    }
}
