//! The API description: whole, a snapshot, and kept with the operations table.

use spotter_areas::operations;
use spotter_contract::Surface;

use crate::harness::described::DOCUMENT;

/// The description as it is reviewed. A change of contract is seen in its diff: write it anew with
/// `cargo run -- openapi > docs/openapi.json`.
#[test]
fn the_snapshot_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let kept = std::fs::read_to_string(path).unwrap();
    let now = format!("{:#}\n", *DOCUMENT);
    assert!(
        kept == now,
        "docs/openapi.json is not what the binary prints: cargo run -- openapi > docs/openapi.json"
    );
}

#[test]
fn every_operation_is_described() {
    let mut ids = std::collections::BTreeSet::new();
    for operation in operations() {
        assert!(ids.insert(operation.id), "{} stands twice", operation.id);
        assert!(!operation.summary.is_empty() && !operation.tag.is_empty(), "{operation:?}");
        let mut schemas = schemars::SchemaGenerator::default();
        let arguments = operation.arguments(&mut schemas);
        let declared = arguments
            .path
            .map_or(0, |path| path.get("properties").unwrap().as_object().unwrap().len());
        assert_eq!(declared, operation.path.matches('{').count(), "{operation:?}");
        if operation.surface == Surface::Public {
            let described =
                &DOCUMENT["paths"][operation.path][operation.method.name().to_lowercase()];
            assert_eq!(described["operationId"], operation.id);
        }
    }
}

#[test]
fn bodies_are_closed() {
    for (path, methods) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            if let Some(name) = schema["$ref"].as_str() {
                let schema = DOCUMENT.pointer(&name[1..]).unwrap();
                assert_eq!(schema["additionalProperties"], false, "{method} {path}");
            }
        }
    }
}
