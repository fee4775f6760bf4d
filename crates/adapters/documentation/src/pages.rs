//! The pages: which file each is, and who reads it.

use std::sync::LazyLock;

use crate::render::{PageContent, render};

/// Who reads a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    Owner,
    Coach,
    Integrator,
    Operator,
    Contributor,
}

impl Reader {
    /// In the order of the sidebar.
    pub(crate) const ALL: [Self; 5] =
        [Self::Owner, Self::Coach, Self::Integrator, Self::Operator, Self::Contributor];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Owner => "Owners",
            Self::Coach => "Coaches",
            Self::Integrator => "Integrators",
            Self::Operator => "Operators",
            Self::Contributor => "Contributors",
        }
    }

    /// What they come for, in a line.
    pub(crate) fn purpose(self) -> &'static str {
        match self {
            Self::Owner => "Set the business up, let strangers in, understand the money.",
            Self::Coach => "Your day, your clients, and what they entrust to you.",
            Self::Integrator => "The API, webhooks, libraries and assistants.",
            Self::Operator => "Install, watch, back up and upgrade.",
            Self::Contributor => "How the program is built, and how to change it.",
        }
    }
}

/// A page of the site.
pub(crate) struct Page {
    /// Its part of the address.
    pub(crate) name: &'static str,
    /// The file, from the root of the source.
    #[cfg(test)]
    file: &'static str,
    pub(crate) reader: Reader,
    content: LazyLock<PageContent>,
}

impl Page {
    pub(crate) fn address(&self) -> String {
        format!("/docs/{}", self.name)
    }

    pub(crate) fn content(&self) -> &PageContent {
        &self.content
    }
}

/// The page of a file of the source, if the site has it.
pub(crate) fn of_file(file: &str) -> Option<&'static str> {
    FILES.iter().find(|(own, _)| *own == file).map(|(_, name)| *name)
}

macro_rules! pages {
    ($($reader:ident { $($name:literal $file:literal)+ })+) => {
        /// Every file with its page, for links.
        const FILES: &[(&str, &str)] = &[$($(($file, $name)),+),+];

        /// Every page, in the order of the sidebar.
        pub(crate) static PAGES: [Page; FILES.len()] = [$($(Page {
            name: $name,
            #[cfg(test)]
            file: $file,
            reader: Reader::$reader,
            content: LazyLock::new(|| render($file, include_str!(concat!("../../../../", $file)))),
        }),+),+];
    };
}

pages! {
    Owner {
        "owners" "docs/guides/OWNERS.md"
        "privacy" "docs/PRIVACY.md"
    }
    Coach {
        "coaches" "docs/guides/COACHES.md"
    }
    Integrator {
        "integrators" "docs/guides/INTEGRATORS.md"
        "libraries" "sdk/README.md"
        "typescript" "sdk/typescript/README.md"
        "python" "sdk/python/README.md"
        "webhooks" "docs/WEBHOOKS.md"
        "assistants" "docs/MCP.md"
        "calendar" "docs/CALENDAR.md"
        "finance" "docs/FINANCE.md"
        "site" "docs/SITE.md"
        "workouts" "docs/WORKOUTS.md"
        "progress" "docs/PROGRESS.md"
        "forms" "docs/FORMS.md"
        "conversations" "docs/CONVERSATIONS.md"
        "access-control" "docs/ACCESS-CONTROL.md"
        "reports" "docs/REPORTS.md"
        "n8n" "sdk/n8n/README.md"
        "api-design" "docs/API-DESIGN.md"
    }
    Operator {
        "operations" "docs/OPERATIONS.md"
        "scaling" "docs/SCALING.md"
        "benchmark" "docs/BENCHMARK.md"
    }
    Contributor {
        "readme" "README.md"
        "contributing" "CONTRIBUTING.md"
        "architecture" "docs/ARCHITECTURE.md"
        "permissions" "docs/ACCESS.md"
        "changelog" "CHANGELOG.md"
    }
}

/// Pictures of pages, by their names.
pub(crate) const PICTURES: &[(&str, &[u8])] = &[
    ("today.png", include_bytes!("../../../../docs/pictures/today.png")),
    ("calendar.png", include_bytes!("../../../../docs/pictures/calendar.png")),
    ("client.png", include_bytes!("../../../../docs/pictures/client.png")),
    ("site.png", include_bytes!("../../../../docs/pictures/site.png")),
    ("timetable.png", include_bytes!("../../../../docs/pictures/timetable.png")),
];

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::*;

    /// The places that a page's HTML leads to.
    fn links(html: &str) -> impl Iterator<Item = &str> {
        let places = [" href=\"", " src=\""].map(|mark| html.split(mark).skip(1));
        places.into_iter().flatten().map(|rest| rest.split('"').next().unwrap())
    }

    #[test]
    fn links_lead_to_pages_sections_and_pictures_that_are_there() {
        let of_reference = ["/docs", "/docs/api", "/docs/app"];
        for page in &PAGES {
            for link in links(&page.content().html) {
                if link.starts_with("https://") || link.starts_with("http://127.0.0.1") {
                    continue;
                }
                let (place, section) = link.split_once('#').unwrap_or((link, ""));
                let known = match place.strip_prefix("/docs/pictures/") {
                    Some(name) => PICTURES.iter().any(|(own, _)| *own == name),
                    None => {
                        of_reference.contains(&place)
                            || PAGES.iter().any(|own| own.address() == place || place.is_empty())
                    }
                };
                assert!(known, "{}: {link}", page.file);
                let target = PAGES.iter().find(|own| own.address() == place).unwrap_or(page);
                let sections = &target.content().sections;
                let found = section.is_empty() || sections.iter().any(|own| own.anchor == section);
                assert!(found, "{}: {link}", page.file);
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_a_page() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        for folder in ["docs", "docs/guides"] {
            for entry in std::fs::read_dir(root.join(folder)).unwrap().flatten() {
                let name = entry.file_name().into_string().unwrap();
                let is_known = of_file(&format!("{folder}/{name}")).is_some();
                assert!(!name.ends_with(".md") || is_known, "{folder}/{name} has no page");
            }
        }
        let names: BTreeSet<_> = PAGES.iter().map(|page| page.name).collect();
        assert_eq!(names.len(), PAGES.len());
    }

    #[test]
    fn every_page_has_a_title_and_every_reader_a_page() {
        for page in &PAGES {
            assert!(!page.content().title.is_empty(), "{}", page.file);
            assert!(page.content().html.starts_with("<h1"), "{}", page.file);
        }
        for reader in Reader::ALL {
            assert!(PAGES.iter().any(|page| page.reader == reader));
        }
    }
}
