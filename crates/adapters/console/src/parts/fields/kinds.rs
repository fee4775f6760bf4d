//! Form fields by kind, each with its label, value and error.

use maud::{Markup, html};
use spotter_kernel::{Phrase, money::Currency};

use super::{Form, Upload};
use crate::{
    body,
    field_kind::FieldKind,
    parts::{format::JsonFields, lists::table},
    rules::ConsoleRule,
};

/// One of the fields of a row.
pub(crate) struct Cell<'c> {
    /// Its place in the body.
    pub(crate) place: String,
    /// Display name.
    pub(crate) label: &'c str,
    /// Which keys a phone shows for it: `numeric`, `decimal` or `text`.
    pub(crate) keys: &'static str,
    /// Its initial value without data.
    pub(crate) usual: &'static str,
}

/// A row of a table of choices.
pub(crate) struct ChoiceRow {
    /// Its place in the body.
    pub(crate) place: String,
    /// What it is called.
    pub(crate) label: String,
    /// The cell between its name and its choice.
    pub(crate) before: Markup,
    /// The cell behind its choice.
    pub(crate) after: Markup,
}

impl Cell<'_> {
    /// Its place without the suffix of its kind.
    fn field(&self) -> &str {
        unmarked(&self.place)
    }
}

/// A field's place without the suffix of its kind.
pub(super) fn unmarked(place: &str) -> &str {
    FieldKind::split(place).0
}

impl Form<'_> {
    fn input(&mut self, kind: &str, place: &str, label: &str, help: &str, complete: Option<&str>) {
        let name = unmarked(place);
        let schema = body::plain(self.place(name));
        let bound = |word: &str| schema[word].as_i64().or(schema[word].as_f64().map(|n| n as i64));
        let (longest, least, most) = (bound("maxLength"), bound("minimum"), bound("maximum"));
        let is_number = kind == "number";
        let step = (is_number && !body::is_kind(schema, "integer")).then_some("any");
        self.holds(place, self.value(place));
        let control = html! {
            input
                type=(kind)
                id=(self.input_id(name))
                name=(place)
                value=(self.value(place))
                maxlength=[longest.filter(|_| !is_number)]
                min=[least.filter(|_| is_number)]
                max=[most.filter(|_| is_number)]
                step=[step]
                required[self.is_required(name)]
                autocomplete=[complete]
                aria-invalid=[self.mistake(name).map(|_| "true")]
                aria-describedby=[self.described(name, help)];
        };
        self.labelled(name, label, help, control);
    }

    /// A line of text, or a number if the schema says so.
    pub(crate) fn text(mut self, name: &str, label: &str) -> Self {
        let schema = self.place(name);
        let is_number = body::is_kind(schema, "integer") || body::is_kind(schema, "number");
        let kind = match (is_number, body::plain(schema)["format"].as_str()) {
            (true, _) => "number",
            (_, Some("email")) => "email",
            (_, Some("date")) => "date",
            (_, Some("uri")) => "url",
            _ => "text",
        };
        self.input(kind, name, label, "", None);
        self
    }

    /// A list as a line of text, its items separated by commas.
    pub(crate) fn list<'i>(
        mut self,
        name: &str,
        label: &str,
        help: &str,
        items: impl IntoIterator<Item = &'i str>,
    ) -> Self {
        let place = FieldKind::List.name_of(name);
        let value = match self.typed.is_some() {
            true => self.value(&place),
            false => items.into_iter().collect::<Vec<_>>().join(", "),
        };
        let control = html! {
            input
                type="text"
                id=(self.input_id(name))
                name=(place)
                value=(value)
                aria-invalid=[self.mistake(name).map(|_| "true")]
                aria-describedby=[self.described(name, help)];
        };
        self.labelled(name, label, help, control);
        self
    }

    /// The value of a text field: numbers with the language's decimal sign.
    fn decimal(&self, place: &str) -> String {
        let value = self.value(place);
        match self.typed.is_none() && body::is_kind(self.place(unmarked(place)), "number") {
            true => self.strings.pointed(&value),
            false => value,
        }
    }

    /// Fields beside each other, as in a row of a table.
    pub(crate) fn row(mut self, name: &str, cells: &[Cell<'_>]) -> Self {
        let wrong: Vec<_> = cells.iter().filter_map(|cell| self.mistake(cell.field())).collect();
        let row = html! {
            fieldset.field {
                legend { (name) }
                div.cells {
                    @for cell in cells {
                        @let Cell { place, label, keys, usual } = cell;
                        @let value = Some(self.decimal(place)).filter(|value| !value.is_empty());
                        label {
                            span.quiet { (label) }
                            input
                                type="text"
                                inputmode=(keys)
                                id=(self.input_id(cell.field()))
                                name=(place)
                                value=(value.as_deref().unwrap_or(usual))
                                aria-invalid=[self.mistake(cell.field()).map(|_| "true")];
                        }
                    }
                }
                @for mistake in wrong { p.mistake { (mistake) } }
            }
        };
        for cell in cells {
            self.holds(&cell.place, self.decimal(&cell.place));
        }
        let labels =
            cells.iter().map(|cell| (cell.field().to_owned(), format!("{name}, {}", cell.label)));
        self.labels.extend(labels);
        self.fields.push(row);
        self
    }

    /// The same with a word of help.
    pub(crate) fn helped(mut self, name: &str, label: &str, help: &str) -> Self {
        let is_number = body::is_kind(self.place(name), "integer");
        self.input(if is_number { "number" } else { "text" }, name, label, help, None);
        self
    }

    /// An address. It is written whole: what has no field is sent as it is.
    pub(crate) fn address(self, place: &str) -> Self {
        let t = self.strings;
        let at = |part: &str| format!("{place}.{part}");
        let region = self.value(&at("region"));
        self.text(&at("line1"), t.street())
            .text(&at("line2"), t.street_more())
            .text(&at("postalCode"), t.postal_code())
            .text(&at("city"), t.city())
            .unchanged_hidden(&at("region"), &region)
            .helped(&at("country"), t.country(), t.country_help())
    }

    /// A field of a kind that browsers know.
    pub(crate) fn of_type(mut self, kind: &str, name: &str, label: &str, complete: &str) -> Self {
        self.input(kind, name, label, "", Some(complete));
        self
    }

    /// A text file, sent with its name.
    pub(crate) fn file(mut self, name: &str, label: &str, help: &str, accept: &str) -> Self {
        self.file = true;
        let control = html! {
            input
                type="file"
                id=(self.input_id(name))
                name=(name)
                accept=(accept)
                required[self.is_required(name)]
                aria-invalid=[self.mistake(name).map(|_| "true")]
                aria-describedby=[self.described(name, help)];
        };
        self.labelled(name, label, help, control);
        self
    }

    /// A file that is stored: its id is sent at this place of the body. Photos are re-encoded.
    pub(crate) fn upload(mut self, name: &str, label: &str, sent: Upload) -> Self {
        self.file = true;
        let help = match sent {
            Upload::Photo | Upload::Picture => self.strings.photo_help(),
            Upload::File | Upload::Answer => self.strings.file_help(),
        };
        let control = html! {
            input
                type="file"
                id=(self.input_id(name))
                name=(sent.kind().name_of(name))
                accept=(sent.accepts())
                required[self.is_required(name)]
                aria-invalid=[self.mistake(name).map(|_| "true")]
                aria-describedby=[self.described(name, help)];
        };
        self.labelled(name, label, help, control);
        self
    }

    /// The same form, if its other content has file inputs.
    pub(crate) fn with_files(mut self) -> Self {
        self.file = true;
        self
    }

    /// A long text.
    pub(crate) fn area(self, name: &str, label: &str) -> Self {
        self.area_helped(name, label, "")
    }

    /// The same with a word of help.
    pub(crate) fn area_helped(mut self, name: &str, label: &str, help: &str) -> Self {
        let longest = body::plain(self.place(name))["maxLength"].as_i64();
        self.holds(name, self.value(name));
        let control = html! {
            textarea
                id=(self.input_id(name))
                name=(name)
                rows="4"
                maxlength=[longest]
                required[self.is_required(name)]
                aria-invalid=[self.mistake(name).map(|_| "true")]
                aria-describedby=[self.described(name, help)]
                data-draft=[self.draft.as_deref()]
            {
                (self.value(name))
            }
        };
        self.labelled(name, label, help, control);
        self
    }

    /// An amount of the company's currency, as people write it.
    pub(crate) fn money(mut self, name: &str, label: &str) -> Self {
        let (currency, money) = (self.currency.clone(), FieldKind::Money.name_of(name));
        // Operations report amounts in minor units.
        if let (Some((field, answer)), Some(known)) = (&mut self.wrong, Currency::parse(&currency))
            && field == name
        {
            let figures: Vec<i64> =
                answer.split(' ').filter_map(|word| word.parse().ok()).collect();
            let written = |amount: i64| self.strings.pointed(&known.decimal(amount));
            if let [min, max] = figures.as_slice() {
                let (min, max, currency) = (written(*min), written(*max), currency.clone());
                let rule = ConsoleRule::AmountOutOfRange { min, max, currency };
                *answer = Phrase::from(rule).text(self.strings.0).to_owned();
            } else if let [only] = figures.as_slice() {
                let (minor, written) = (only.to_string(), written(*only));
                *answer = answer.replace(&minor, &format!("{written} {currency}"));
            }
        }
        let typed = self.typed.is_some();
        let amount = match typed {
            true => self.value(&money),
            false => match (self.value(name).parse(), Currency::parse(&currency)) {
                (Ok(amount), Some(known)) => known.decimal(amount),
                _ => String::new(),
            },
        };
        self.holds(&money, &*amount);
        let control = html! {
            span.amount {
                span aria-hidden="true" { (currency) }
                input
                    type="text"
                    inputmode="decimal"
                    id=(self.input_id(name))
                    name=(money)
                    value=(amount)
                    required[self.is_required(name)]
                    aria-invalid=[self.mistake(name).map(|_| "true")]
                    aria-describedby=[self.described(name, "")];
            }
        };
        self.labelled(name, label, "", control);
        self
    }

    /// A date with a time in the company's time zone. A proposed value is sent unless [`unchanged`](Self::unchanged).
    pub(crate) fn moment(mut self, name: &str, label: &str, local: &str) -> Self {
        let marked = FieldKind::LocalTime.name_of(name);
        let value = if self.typed.is_some() { self.value(&marked) } else { local.to_owned() };
        let control = html! {
            input
                type="datetime-local"
                id=(self.input_id(name))
                name=(marked)
                value=(value)
                required[self.is_required(name)]
                aria-invalid=[self.mistake(name).map(|_| "true")]
                aria-describedby=[self.described(name, "")];
        };
        self.labelled(name, label, "", control);
        self
    }

    /// The control that chooses one of several.
    fn select<V: AsRef<str>, L: AsRef<str>>(
        &mut self,
        place: &str,
        options: &[(V, L)],
        label: Option<&str>,
    ) -> Markup {
        let name = unmarked(place);
        let (value, required) = (self.value(place), self.is_required(name));
        let is_known = options.iter().any(|(own, _)| own.as_ref() == value);
        self.holds(place, if is_known { &*value } else { "" });
        html! {
            select
                id=(self.input_id(name))
                name=(place)
                required[required]
                aria-label=[label]
                aria-invalid=[self.mistake(name).map(|_| "true")]
                aria-describedby=[self.described(name, "")]
            {
                @if !required || !is_known {
                    option value="" { (if required { self.choose } else { "–" }) }
                }
                @for (own, label) in options {
                    option value=(own.as_ref()) selected[own.as_ref() == value] { (label.as_ref()) }
                }
            }
        }
    }

    /// One of several.
    pub(crate) fn choice<V: AsRef<str>, L: AsRef<str>>(
        mut self,
        name: &str,
        label: &str,
        options: &[(V, L)],
    ) -> Self {
        let control = self.select(name, options, None);
        self.labelled(unmarked(name), label, "", control);
        self
    }

    /// A table in whose rows one of the same options is chosen each: what a row is called, its other cells before the
    /// choice and after it.
    pub(crate) fn choices<V: AsRef<str>, L: AsRef<str>>(
        mut self,
        title: &str,
        columns: [&str; 4],
        rows: Vec<ChoiceRow>,
        options: &[(V, L)],
    ) -> Self {
        let mut lines = Vec::new();
        for ChoiceRow { place, label, before, after } in rows {
            let control = self.select(&place, options, Some(&label));
            let wrong = self.mistake(&place).map(str::to_owned);
            let id = self.input_id(&place);
            self.labels.push((place, label.clone()));
            lines.push(vec![
                html! { b { (label) } },
                before,
                html! {
                    (control)
                    @if let Some(wrong) = wrong { p.mistake #{ (id) "-wrong" } { (wrong) } }
                },
                after,
            ]);
        }
        self.fields.push(table(title, &columns, lines));
        self
    }

    /// Any of several.
    pub(crate) fn any<V: AsRef<str>, L: AsRef<str>>(
        mut self,
        name: &str,
        label: &str,
        options: &[(V, L)],
    ) -> Self {
        let (values, mistake) = (self.values(name), self.mistake(name).map(str::to_owned));
        self.labels.push((name.to_owned(), label.to_owned()));
        self.holds(name, "");
        for (own, _) in
            options.iter().filter(|(own, _)| values.iter().any(|value| value == own.as_ref()))
        {
            self.holds(name, own.as_ref());
        }
        let (needed, id) = (self.required_mark(name), self.input_id(name));
        self.fields.push(html! {
            fieldset.field id=(id) tabindex="-1" {
                legend { (label) (needed) }
                // An empty value means that none is chosen.
                input type="hidden" name=(name) value="";
                div.any {
                    @for (own, label) in options {
                        label.check {
                            input
                                type="checkbox"
                                name=(name)
                                value=(own.as_ref())
                                checked[values.iter().any(|value| value == own.as_ref())];
                            span { (label.as_ref()) }
                        }
                    }
                }
                @if let Some(mistake) = mistake { p.mistake { (mistake) } }
            }
        });
        self
    }

    /// Something that is so or not.
    pub(crate) fn check(mut self, name: &str, label: &str) -> Self {
        let on = match self.typed {
            Some(typed) => typed.iter().any(|(own, value)| own == name && value == "true"),
            None => self.record.is_some_and(|record| record.is(name)),
        };
        self.fields.push(html! {
            label.check.field {
                input type="checkbox" name=(name) value="true" checked[on];
                span { (label) }
            }
        });
        let flag = FieldKind::Flag.name_of(name);
        self.holds(&flag, "");
        if on {
            self.holds(name, "true");
        }
        self.hidden.push((flag, String::new()));
        self
    }
}
