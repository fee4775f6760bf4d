//! Boxes in the rows of a list, which all belong to one form beside it.

use maud::{Markup, html};

use super::{Form, disclosure};
use crate::words::Strings;

/// What is done with the rows of a list that are ticked.
pub(crate) struct Ticks<'f> {
    form: Option<Form<'f>>,
    /// The field that holds the ids.
    field: &'static str,
    words: Strings,
    /// The ids that were ticked on the page before.
    brought: String,
}

impl<'f> Ticks<'f> {
    /// Boxes of a form; none for who may not send it.
    pub(crate) fn new(form: Option<Form<'f>>, field: &'static str, words: Strings) -> Self {
        let form = form.map(|form| form.with_label(field, words.tick()));
        Self { form, field, words, brought: String::new() }
    }

    /// With these ids ticked already, separated by commas.
    pub(crate) fn bringing(self, ids: &str) -> Self {
        Self { brought: ids.to_owned(), ..self }
    }

    /// The box of a row, by what screen readers call it.
    pub(crate) fn tick(&self, id: &str, name: &str) -> Markup {
        let Some(form) = &self.form else { return Markup::default() };
        html! {
            input
                type="checkbox"
                name=(self.field)
                value=(id)
                form=(form.id())
                aria-label=(name)
                checked[form.was_ticked(self.field, id) || self.brought.split(',').any(|own| own == id)];
        }
    }

    /// The form, folded up, with a box that ticks all where script runs.
    pub(crate) fn act(self, title: &str, button: &str) -> Markup {
        match self.form.is_some() {
            true => disclosure(title, self.content(button)),
            false => Markup::default(),
        }
    }

    /// The same unfolded, for who came to do it.
    pub(crate) fn act_now(self, title: &str, button: &str) -> Markup {
        html! { section.card { h2 { (title) } (self.content(button)) } }
    }

    fn content(self, button: &str) -> Markup {
        let Some(form) = self.form else { return Markup::default() };
        html! {
            p.scripted {
                label.check {
                    input type="checkbox" data-ticks=(form.id());
                    span { (self.words.tick_all()) }
                }
            }
            (form.send(button))
        }
    }
}
