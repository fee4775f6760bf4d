//! A browser without script: follows links, fills in forms, keeps its cookies.

use std::collections::BTreeMap;

use crate::{App, PASSWORD};

/// A browser with its cookies.
pub struct Browser {
    http: reqwest::Client,
    base: String,
    cookies: BTreeMap<String, String>,
}

/// A page as it was received.
#[derive(Debug)]
pub struct Page {
    /// The HTTP status.
    pub status: u16,
    /// The `Location` header; empty without one.
    pub location: String,
    /// The HTML.
    pub text: String,
    /// The headers.
    pub headers: reqwest::header::HeaderMap,
}

/// A form on a page.
#[derive(Clone, Debug)]
pub struct Form {
    /// The path that it is sent to.
    pub action: String,
    /// The submitted values if nobody types anything.
    pub fields: Vec<(String, String)>,
}

impl Form {
    /// The same with something typed into a field.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(own, _)| own != name);
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The value of a field; `None` without the field.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// The value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let at = tag.find(&format!(" {name}=\""))?;
    let value = tag[at..].split('"').nth(1)?;
    let plain = value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
    Some(plain.replace("&amp;", "&"))
}

/// The tags of a kind in a text, each with the text after it.
fn tags<'t>(text: &'t str, kind: &str) -> Vec<(&'t str, &'t str)> {
    let opening = format!("<{kind}");
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(&opening) {
        let tag = &rest[at..];
        let end = tag.find('>').unwrap_or(tag.len() - 1);
        let is_own = tag[opening.len()..].starts_with([' ', '>']);
        if is_own {
            found.push((&tag[..end], &tag[end + 1..]));
        }
        rest = &rest[at + opening.len()..];
    }
    found
}

impl Page {
    /// The main content of the page, without the parts of every page.
    pub fn main(&self) -> &str {
        // A refused form begins with the reasons.
        let main = self.text.split("summary of-form").nth(1).or(self.text.split("<main").nth(1));
        let main = main.unwrap_or(&self.text);
        main.split("</main>").next().unwrap_or(main)
    }

    /// The addresses of all links.
    pub fn links(&self) -> Vec<String> {
        tags(&self.text, "a").into_iter().filter_map(|(tag, _)| attribute(tag, "href")).collect()
    }

    /// All forms of the page.
    pub fn forms(&self) -> Vec<Form> {
        let read = |(tag, rest): (&str, &str)| {
            let inside = rest.split("</form>").next().unwrap_or_default();
            let mut fields = Vec::new();
            for (input, _) in tags(inside, "input") {
                let kind = attribute(input, "type").unwrap_or_default();
                let off =
                    matches!(kind.as_str(), "checkbox" | "radio") && !input.contains(" checked");
                if let (Some(name), false) = (attribute(input, "name"), off) {
                    fields.push((name, attribute(input, "value").unwrap_or_default()));
                }
            }
            for (area, after) in tags(inside, "textarea") {
                let text = after.split("</textarea>").next().unwrap_or_default();
                fields.push((attribute(area, "name").unwrap_or_default(), text.to_owned()));
            }
            for (select, after) in tags(inside, "select") {
                let options = after.split("</select>").next().unwrap_or_default();
                let options = tags(options, "option");
                let chosen = options.iter().find(|(tag, _)| tag.contains(" selected"));
                let chosen =
                    chosen.or(options.first()).and_then(|(tag, _)| attribute(tag, "value"));
                fields.push((
                    attribute(select, "name").unwrap_or_default(),
                    chosen.unwrap_or_default(),
                ));
            }
            Form { action: attribute(tag, "action").unwrap_or_default(), fields }
        };
        tags(&self.text, "form").into_iter().map(read).collect()
    }

    /// The form of an operation.
    #[track_caller]
    pub fn form(&self, operation: &str) -> Form {
        let found = self.forms().into_iter().find(|form| form.field("-do") == Some(operation));
        found.unwrap_or_else(|| panic!("no form of {operation} in\n{}", self.main()))
    }

    /// Asserts that the page contains a text.
    #[track_caller]
    pub fn shows(self, what: &str) -> Self {
        assert!(self.text.contains(what), "{what} is not in\n{} {}", self.status, self.main());
        self
    }

    /// Asserts the status.
    #[track_caller]
    pub fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{} {}", self.location, self.main());
        self
    }

    /// Asserts that the page redirects to a location.
    #[track_caller]
    pub fn leads_to(self, location: &str) -> Self {
        assert_eq!((self.status, &*self.location), (303, location), "{}", self.main());
        self
    }
}

/// A browser's media type for a file with this name.
fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("pdf") => "application/pdf",
        Some("jpg") => "image/jpeg",
        Some("csv") => "text/csv",
        _ => "application/octet-stream",
    }
}

impl Browser {
    /// A browser that is not signed in, on the app's server.
    pub fn new(app: &App) -> Self {
        Self::at(&app.server.base)
    }

    /// The same on the server at an address.
    pub fn at(base: &str) -> Self {
        let none = reqwest::redirect::Policy::none();
        let http = reqwest::Client::builder().no_proxy().redirect(none).build().unwrap();
        Self { http, base: base.to_owned(), cookies: BTreeMap::new() }
    }

    /// A signed-in browser.
    pub async fn of(app: &App, email: &str) -> Self {
        let mut browser = Self::new(app);
        let page = browser.get("/sign-in").await.is(200);
        let form = page.forms().remove(0).with("email", email).with("password", PASSWORD);
        let answer = browser.send(form).await;
        assert_eq!(answer.status, 303, "{}", answer.main());
        assert!(browser.cookies.contains_key("spotter"), "{answer:?}");
        browser
    }

    /// The value of a cookie.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get(name).map(String::as_str)
    }

    /// Sets a cookie.
    pub fn set_cookie(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }

    async fn take(&mut self, request: reqwest::RequestBuilder) -> Page {
        let cookies: Vec<_> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let response = request.header("cookie", cookies.join("; ")).send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        for set in headers.get_all("set-cookie") {
            let pair = set.to_str().unwrap().split(';').next().unwrap().to_owned();
            let (name, value) = pair.split_once('=').unwrap();
            match value {
                "" => self.cookies.remove(name),
                value => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        let location = headers.get("location").map(|value| value.to_str().unwrap().to_owned());
        let text = response.text().await.unwrap();
        Page { status, location: location.unwrap_or_default(), text, headers }
    }

    /// Requests a page.
    pub async fn get(&mut self, path: &str) -> Page {
        let request = self.http.get(format!("{}{path}", self.base));
        self.take(request).await
    }

    /// Sends a form as a page of this product does.
    pub async fn send(&mut self, form: Form) -> Page {
        self.send_from(form, "same-origin").await
    }

    /// Sends a form from a page of a site with this relation (`Sec-Fetch-Site`).
    pub async fn send_from(&mut self, form: Form, site: &str) -> Page {
        let request = self.http.post(format!("{}{}", self.base, form.action));
        let request = request.header("sec-fetch-site", site).form(&form.fields);
        self.take(request).await
    }

    /// Sends these bytes as a form, as no browser does.
    pub async fn send_raw(&mut self, path: &str, body: &'static str) -> Page {
        let request = self.http.post(format!("{}{path}", self.base));
        let request = request.header("sec-fetch-site", "same-origin");
        let kind = "application/x-www-form-urlencoded";
        self.take(request.header("content-type", kind).body(body)).await
    }

    /// Sends a form that brings a file.
    pub async fn send_file(&mut self, form: Form, field: &str, name: &str, bytes: Vec<u8>) -> Page {
        let between = "----a-line-that-no-file-has";
        let mut body = Vec::new();
        for (own, value) in form.fields.iter().filter(|(own, _)| own != field) {
            let part = format!(
                "--{between}\r\nContent-Disposition: form-data; name=\"{own}\"\r\n\r\n{value}\r\n"
            );
            body.extend(part.into_bytes());
        }
        let head = format!(
            "--{between}\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\
             Content-Type: {}\r\n\r\n",
            kind_of(name)
        );
        body.extend(head.into_bytes());
        body.extend(bytes);
        body.extend(format!("\r\n--{between}--\r\n").into_bytes());
        let request = self.http.post(format!("{}{}", self.base, form.action));
        let kind = format!("multipart/form-data; boundary={between}");
        let request = request.header("sec-fetch-site", "same-origin").header("content-type", kind);
        self.take(request.body(body)).await
    }

    /// Sends a form, and follows its redirect.
    pub async fn act(&mut self, form: Form) -> Page {
        let answer = self.send(form).await;
        assert_eq!(answer.status, 303, "{}", answer.main());
        self.get(&answer.location).await.is(200)
    }
}
