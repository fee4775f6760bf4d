//! From Markdown to HTML: headings can be led to, links lead within the site, wide tables scroll.

use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::pages;

/// A page as it is served.
pub(crate) struct PageContent {
    pub(crate) title: String,
    pub(crate) html: String,
    pub(crate) sections: Vec<Section>,
}

/// A heading and what stands below it.
pub(crate) struct Section {
    pub(crate) heading: String,
    pub(crate) anchor: String,
    pub(crate) level: HeadingLevel,
    /// The words below, for search.
    pub(crate) text: String,
}

/// Renders a file of the source.
pub(crate) fn render(file: &str, source: &str) -> PageContent {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut sections: Vec<Section> = Vec::new();
    let mut events = Vec::new();
    let mut parser = Parser::new_ext(source, options);
    let mut dropped = 0;
    while let Some(event) = parser.next() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let inside: Vec<_> =
                    parser.by_ref().take_while(|own| !is_end_of_heading(own)).collect();
                let heading: String = inside.iter().filter_map(text_of).collect();
                let anchor = anchor(&heading, &sections);
                let mark = if level == HeadingLevel::H1 {
                    String::new()
                } else {
                    format!(
                        " <a class=\"mark\" href=\"#{anchor}\" aria-label=\"Link to this section\">#</a>"
                    )
                };
                events.push(Event::Html(format!("<{level} id=\"{anchor}\">").into()));
                events.extend(inside);
                events.push(Event::Html(format!("{mark}</{level}>\n").into()));
                sections.push(Section { heading, anchor, level, text: String::new() });
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                match site_address(file, &dest_url) {
                    Some(dest_url) => events.push(Event::Start(Tag::Link {
                        link_type,
                        dest_url: dest_url.into(),
                        title,
                        id,
                    })),
                    // Files that the site does not have are named, not linked.
                    None => dropped += 1,
                }
            }
            Event::End(TagEnd::Link) if dropped > 0 => dropped -= 1,
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url: CowStr<'_> =
                    site_address(file, &dest_url).map_or(dest_url, CowStr::from);
                events.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            Event::Start(Tag::Table(columns)) => {
                events.push(Event::Html(
                    "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\">"
                        .into(),
                ));
                events.push(Event::Start(Tag::Table(columns)));
            }
            Event::End(TagEnd::Table) => {
                events.push(Event::End(TagEnd::Table));
                events.push(Event::Html("</div>".into()));
            }
            other => {
                if let (Some(text), Some(section)) = (text_of(&other), sections.last_mut()) {
                    section.text.push_str(text);
                    section.text.push(' ');
                }
                events.push(other);
            }
        }
    }
    let mut page = String::new();
    html::push_html(&mut page, events.into_iter());
    let title = sections.first().map(|section| section.heading.clone()).unwrap_or_default();
    PageContent { title, html: page, sections }
}

fn is_end_of_heading(event: &Event<'_>) -> bool {
    matches!(event, Event::End(TagEnd::Heading(_)))
}

fn text_of<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    match event {
        Event::Text(text) | Event::Code(text) => Some(text),
        Event::SoftBreak | Event::HardBreak => Some(" "),
        _ => None,
    }
}

/// The anchor of a heading, as GitHub makes it, so that links in files lead to the same place on both.
fn anchor(heading: &str, before: &[Section]) -> String {
    let heading = heading.to_lowercase();
    let kept = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    });
    let anchor: String = kept.collect();
    let numbered = (1..).map(|n| format!("{anchor}-{n}"));
    let is_new = |own: &String| before.iter().all(|section| section.anchor != *own);
    std::iter::once(anchor.clone()).chain(numbered).find(is_new).unwrap_or(anchor.clone())
}

/// Where a link of a file leads on the site; nothing if the site does not have it.
fn site_address(file: &str, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with('#') || link.starts_with('/') {
        return Some(link.to_owned());
    }
    let (path, section) =
        link.split_once('#').map_or((link, ""), |(path, section)| (path, section));
    let path = resolved(file, path);
    if let Some(name) = path.strip_prefix("docs/pictures/") {
        return Some(format!("/docs/pictures/{name}"));
    }
    let name = pages::of_file(&path)?;
    Some(match section {
        "" => format!("/docs/{name}"),
        section => format!("/docs/{name}#{section}"),
    })
}

/// A path beside a file, from the root of the source.
fn resolved(file: &str, path: &str) -> String {
    let mut found = PathBuf::new();
    let beside = Path::new(file).parent().unwrap_or(Path::new("")).join(path);
    for part in beside.components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::Normal(name) => found.push(name),
            _ => {}
        }
    }
    found.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_links_and_tables_are_the_sites_own() {
        let source = "# Title\n\nSee [money](FINANCE.md#stripe), [code](../crates/x.rs) and [us](#two-words).\n\n## Two words\n\n\
            ![Day](pictures/today.png)\n\n## Two words\n\n| a | b |\n|---|---|\n| 1 | `2` |\n";
        let page = render("docs/X.md", source);
        assert_eq!(page.title, "Title");
        let anchors: Vec<_> = page.sections.iter().map(|section| section.anchor.as_str()).collect();
        assert_eq!(anchors, ["title", "two-words", "two-words-1"]);
        assert!(page.html.contains("<a href=\"/docs/finance#stripe\">money</a>, code and"));
        assert!(page.html.contains("<img src=\"/docs/pictures/today.png\" alt=\"Day\""));
        assert!(page.html.contains("aria-label=\"Table\"><table>"));
        assert_eq!(page.sections[2].text.trim(), "a b 1 2");
    }
}
