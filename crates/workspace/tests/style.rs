//! Style rules of the code: names, lengths of files, and import cycles. Listed exceptions are older than their rule,
//! and may only shrink.

#![expect(clippy::unwrap_used, reason = "a test that cannot read the sources fails")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Every Rust file of the workspace, by its path from the root.
fn sources() -> BTreeMap<String, String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }
    let root = root();
    let mut found = Vec::new();
    walk(&root.join("crates"), &mut found);
    let name = |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
    found.into_iter().map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Words that tell a new reader nothing as the name of a type, function or module.
const VAGUE: &[&str] = &[
    "asked",
    "asking",
    "by_itself",
    "calling",
    "chase",
    "chasing",
    "enter",
    "fate",
    "figured",
    "figures",
    "foresee",
    "foreseen",
    "happens",
    "hear",
    "heard",
    "lead",
    "led",
    "made",
    "making",
    "meant",
    "named",
    "patience",
    "said",
    "saying",
    "see_to",
    "seek",
    "settle",
    "settling",
    "shown",
    "sought",
    "spell",
    "standing",
    "sure",
    "taken",
    "tell",
    "told",
    "trace",
    "turn",
    "turning",
    "ways",
    "whom",
    "wish",
    "wishes",
];

fn declared(line: &str) -> Option<&str> {
    let mut words =
        line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let is_keyword =
        |word: &str| matches!(word, "fn" | "struct" | "enum" | "trait" | "type" | "mod" | "static");
    let is_modifier = |word: &str| {
        matches!(
            word,
            "pub" | "crate" | "super" | "async" | "const" | "unsafe" | "in" | "self" | "pages"
        )
    };
    // A constant is in capitals, be it behind `const` or in a table of statements.
    let is_constant = |word: &str| {
        line.contains(" = ") && word.bytes().all(|c| c.is_ascii_uppercase() || c == b'_')
    };
    let first = words.find(|word| !is_modifier(word))?;
    if is_keyword(first) { words.next() } else { Some(first).filter(|word| is_constant(word)) }
}

/// A name in snake case: `SlotQuery` is `slot_query`, as is `SLOT_QUERY`.
fn snake(name: &str) -> String {
    if !name.contains(|c: char| c.is_lowercase()) {
        return name.to_lowercase();
    }
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[test]
fn names_say_what_they_name() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in sources() {
        for line in text.lines() {
            let Some(name) = declared(line) else { continue };
            if VAGUE.contains(&snake(name).as_str()) {
                found.entry(path.clone()).or_default().push(name.to_owned());
            }
        }
    }
    assert!(found.is_empty(), "names that say nothing: {found:?}");
}

/// The product's own code: its tests and benchmarks are read beside it, not searched.
fn product() -> impl Iterator<Item = (String, String)> {
    let folders = ["foundation", "platform", "domains", "adapters", "spotter/src"];
    let is_own =
        move |path: &str| folders.iter().any(|own| path.starts_with(&format!("crates/{own}/")));
    sources().into_iter().filter(move |(path, _)| is_own(path))
}

#[test]
fn public_types_have_names_of_their_own() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in product() {
        for line in text.lines().map(str::trim_start) {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            if let ["pub", "struct" | "enum" | "trait" | "type", name, ..] = words[..] {
                found.entry(name.to_owned()).or_default().push(path.clone());
            }
        }
    }
    // Types that macros declare have no name of their own.
    found.remove("");
    found.retain(|_, paths| paths.len() > 1);
    assert!(found.is_empty(), "one name, several types: {found:?}");
}

/// Types around another value, which a participle describes: a stream that is limited, a text that is localized.
const ADJECTIVES: &[&str] = &["Limited", "Localized", "Seeded", "Stored", "Timed"];

#[test]
fn types_are_nouns() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in product() {
        for line in text.lines().filter(|line| !line.trim_start().starts_with("type ")) {
            let Some(name) = declared(line) else { continue };
            let is_one_word = name.starts_with(char::is_uppercase) && !snake(name).contains('_');
            let is_participle = name.ends_with("ed") && !ADJECTIVES.contains(&name);
            if is_one_word && is_participle && name.contains(char::is_lowercase) {
                found.entry(path.clone()).or_default().push(name.to_owned());
            }
        }
    }
    assert!(found.is_empty(), "participles as names of types: {found:?}");
}

/// The most columns of a line, as in `rustfmt.toml`, which leaves templates as they are.
const COLUMNS: usize = 100;

/// Texts of this length may exceed a line.
const LONG_TEXT: usize = 40;

#[test]
fn templates_are_as_narrow_as_other_code() {
    let mut wide = Vec::new();
    for (path, text) in sources() {
        if !text.contains("html! {") {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            let has_long_text =
                line.contains("r##") || line.split('"').any(|part| part.len() > LONG_TEXT);
            if line.chars().count() > COLUMNS && !is_comment && !has_long_text {
                wide.push(format!("{path}:{}", number + 1));
            }
        }
    }
    assert!(wide.is_empty(), "wider than {COLUMNS} columns: {wide:#?}");
}

/// The most lines of a file.
const LINES: usize = 500;

/// Tables, which are as long as what they list.
const TABLES: &[&str] =
    &["crates/adapters/html/src/words/table.rs", "crates/adapters/html/src/words/modules.rs"];

#[test]
fn files_are_chapters() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        let is_table = TABLES.contains(&path.as_str());
        assert!(is_table || lines <= LINES, "{path} has {lines} lines of {LINES}");
    }
}

/// The most files of a crate that import each other in a circle.
const CIRCLE: usize = 6;

/// Larger circles, by crate.
const CIRCLES: &[(&str, usize)] =
    &[("calendar", 15), ("contract", 20), ("billing", 26), ("http", 10), ("training", 17)];

/// The modules that a file imports from its own crate, as paths from `src`.
fn imports(text: &str, here: &str, files: &BTreeSet<String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut note = |path: &[String]| {
        // The longest beginning of a path that is a file.
        for end in (1..=path.len()).rev() {
            let own = path[..end].join("/");
            for file in [format!("{own}.rs"), format!("{own}/mod.rs")] {
                if files.contains(&file) && file != here {
                    found.insert(file);
                    return;
                }
            }
        }
    };
    let is_path_start = |at: usize| {
        !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ':'))
    };
    let module: Vec<String> = here
        .trim_end_matches(".rs")
        .split('/')
        .filter(|part| !matches!(*part, "mod" | "lib" | "main"))
        .map(str::to_owned)
        .collect();
    // What a folder shows of its files: `pub use env::Env` in its `mod.rs`.
    for (at, _) in text.match_indices("use ").filter(|(at, _)| is_path_start(*at)) {
        let path = &text[at + 4..];
        let child: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let own = module.iter().map(|part| format!("{part}/")).collect::<String>() + &child;
        if files.contains(&format!("{own}.rs")) || files.contains(&format!("{own}/mod.rs")) {
            expand(path, &mut module.clone(), &mut note);
        }
    }
    for (at, _) in text.match_indices("crate::").filter(|(at, _)| is_path_start(*at)) {
        expand(&text[at + 7..], &mut Vec::new(), &mut note);
    }
    for (at, _) in text.match_indices("super::").filter(|(at, _)| is_path_start(*at)) {
        let mut parent = module.clone();
        parent.pop();
        expand(&text[at + 7..], &mut parent, &mut note);
    }
    found
}

/// Every path of an import, with its braces taken apart.
fn expand<'t>(
    mut text: &'t str,
    prefix: &mut Vec<String>,
    note: &mut impl FnMut(&[String]),
) -> &'t str {
    let depth = prefix.len();
    loop {
        let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        text = &text[word.len()..];
        if !word.is_empty() {
            prefix.push(word);
        }
        if let Some(rest) = text.strip_prefix("::") {
            text = rest;
            continue;
        }
        if let Some(rest) = text.strip_prefix('{') {
            text = rest;
            loop {
                text = text.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
                if let Some(rest) = text.strip_prefix('}') {
                    text = rest;
                    break;
                }
                let before = text.len();
                text = expand(text, prefix, note);
                if text.len() == before {
                    break;
                }
            }
        } else {
            note(prefix);
        }
        prefix.truncate(depth);
        return text;
    }
}

/// The largest set of files that reach each other.
fn largest_circle(edges: &BTreeMap<String, BTreeSet<String>>) -> usize {
    let reach = |from: &String| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            for to in edges.get(file).into_iter().flatten() {
                if seen.insert(to.clone()) {
                    next.push(to);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<_, _> = edges.keys().map(|file| (file, reach(file))).collect();
    let circle = |file: &String| {
        reached[file]
            .iter()
            .filter(|to| reached.get(to).is_some_and(|back| back.contains(file)))
            .count()
    };
    edges.keys().map(circle).max().unwrap_or(0)
}

/// The file that a file is a part of: `booking.rs` with `booking/policy.rs` is one chapter.
fn chapter(file: &str, files: &BTreeSet<String>) -> String {
    let whole = file.rsplit_once('/').map(|(folder, _)| format!("{folder}.rs"));
    match whole.filter(|whole| files.contains(whole)) {
        Some(whole) => chapter(&whole, files),
        None => file.to_owned(),
    }
}

#[test]
fn circles_of_files_only_shrink() {
    let mut crates: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for (path, text) in sources() {
        if let Some((name, file)) = path.split_once("/src/") {
            let name = name.rsplit('/').next().unwrap();
            // Tests of rules stand below them, and may use what they like.
            // A link in a comment leads a reader, and no data.
            let code: String = text
                .split("#[cfg(test)]")
                .next()
                .unwrap_or_default()
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .flat_map(|line| [line, "\n"])
                .collect();
            crates.entry(name.to_owned()).or_default().insert(file.to_owned(), code);
        }
    }
    let listed: BTreeMap<_, _> = CIRCLES.iter().copied().collect();
    let mut found = BTreeMap::new();
    for (name, files) in &crates {
        let names: BTreeSet<_> = files.keys().cloned().collect();
        let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (file, text) in files {
            let chapter = chapter(file, &names);
            let imported = imports(text, file, &names);
            let imported = imported.iter().map(|file| self::chapter(file, &names));
            let others = imported.filter(|file| *file != chapter).collect::<Vec<_>>();
            edges.entry(chapter).or_default().extend(others);
        }
        found.insert(name.as_str(), largest_circle(&edges));
    }
    let over: Vec<_> = found
        .iter()
        .filter(|(name, size)| **size > listed.get(*name).copied().unwrap_or(CIRCLE))
        .collect();
    assert!(over.is_empty(), "larger circles than listed: {over:?}");
    let less: Vec<_> = listed
        .iter()
        .filter(|(name, size)| found[*name] < **size)
        .map(|(name, _)| (name, found[name]))
        .collect();
    assert!(less.is_empty(), "the list says more than there is: {less:?}");
}

/// The texts of the sentences of a file, each in English, Dutch and German.
fn sentences(text: &str) -> Vec<String> {
    let Some((_, table)) = text.split_once("phrases! {") else { return Vec::new() };
    let table = table.split("\n}").next().unwrap_or_default();
    // The English of pages comes after the three languages.
    let is_text =
        |line: &&str| !["///", "page "].iter().any(|head| line.trim_start().starts_with(head));
    let code = table.lines().filter(is_text);
    let mut texts = Vec::new();
    for line in code {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once('"') {
            let end = after.find('"').unwrap_or(after.len());
            texts.push(after[..end].to_owned());
            rest = after.get(end + 1..).unwrap_or_default();
        }
    }
    texts
}

/// German words of the informal address, which nothing uses.
const INFORMAL: &[&str] = &[
    "du", "Du", "dein", "Dein", "deine", "Deine", "deinen", "deinem", "deiner", "Deiner", "dich",
    "dir",
];

#[test]
fn texts_use_one_form_of_address() {
    let mut count = 0;
    for (path, text) in
        sources().iter().filter(|(path, _)| path.contains("/src/") && !path.ends_with("/phrase.rs"))
    {
        let texts = sentences(text);
        assert_eq!(texts.len() % 3, 0, "{path}");
        for texts in texts.chunks(3) {
            count += 1;
            let has = |text: &str, words: &[&str]| {
                text.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word))
            };
            assert!(!has(&texts[1], &["u", "U", "uw", "Uw", "uzelf"]), "{path}: {}", texts[1]);
            assert!(!has(&texts[2], INFORMAL), "{path}: {}", texts[2]);
        }
    }
    assert!(count > 500, "{count}");
}

/// The files that the architecture leads to are there.
#[test]
fn files_of_the_architecture_exist() {
    let text = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let files: BTreeSet<String> = sources().into_keys().collect();
    let mut count = 0;
    for name in text.split('`').skip(1).step_by(2).filter(|name| name.contains("/src/")) {
        count += 1;
        let found = files.iter().any(|file| {
            file.ends_with(&format!("/{name}"))
                || file.contains(&format!("/{}/", name.trim_end_matches('/')))
        });
        assert!(found, "docs/ARCHITECTURE.md names {name}");
    }
    assert!(count > 20, "{count}");
}

/// What guides print in bold without a full stop is written on a page: `**Settings → Locations**`.
#[test]
fn guides_name_what_pages_say() {
    let root = root();
    let words = fs::read_to_string(root.join("crates/adapters/html/src/words/table.rs")).unwrap();
    for guide in ["OWNERS", "COACHES", "INTEGRATORS"] {
        let text = fs::read_to_string(root.join(format!("docs/guides/{guide}.md"))).unwrap();
        let bold = text.split("**").skip(1).step_by(2).filter(|bold| !bold.ends_with('.'));
        let wrong: Vec<&str> = bold
            .flat_map(|bold| bold.split(" → "))
            .filter(|label| !words.contains(&format!(" \"{label}\"")))
            .collect();
        assert!(wrong.is_empty(), "{guide} names what no page says: {wrong:?}");
    }
}
