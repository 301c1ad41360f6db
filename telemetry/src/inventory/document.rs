//! From texts to objects with a known kind.

use serde_json::Value;

use crate::inventory::{ImportError, MAX_OBJECTS, shown};

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Node,
    Instance,
    NodePool,
    Pod,
    Slice,
    Workload,
    TpuVm,
    QueuedResource,
    SubBlock,
    /// Something of a cluster that has nothing to say about chips.
    Other,
}

/// One object and the file that it came from.
pub(super) struct Object {
    pub(super) kind: Kind,
    pub(super) file: String,
    pub(super) value: Value,
}

/// All objects of all files, sorted so that neither the order of files nor of lists shows.
pub(super) fn objects(files: &[(&str, &str)]) -> Result<Vec<Object>, ImportError> {
    let mut objects = Vec::new();
    for (file, text) in files {
        let found = file_objects(&shown(file), text)?;
        objects.extend(found);
        if objects.len() > MAX_OBJECTS {
            let what = format!("there are more than {MAX_OBJECTS} objects");
            return Err(error(file, None, what, "Export fewer namespaces or pools at a time."));
        }
    }
    objects.sort_by_cached_key(|object| {
        (object.kind, name_of(&object.value), object.file.clone(), object.value.to_string())
    });
    Ok(objects)
}

/// The name that a cluster object or a cloud resource carries.
pub(super) fn name_of(value: &Value) -> String {
    let name = value.pointer("/metadata/name").or_else(|| value.get("name"));
    name.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn file_objects(file: &str, text: &str) -> Result<Vec<Object>, ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(error(file, None, "the file is empty".to_owned(), "Export the list once more."));
    }
    let value: Value = serde_json::from_str(text).map_err(|cause| broken(file, text, &cause))?;
    let items = match value {
        Value::Array(items) => items,
        Value::Object(mut map) => match ["items", "nodes", "nodePools"].into_iter().find_map(|key| map.remove(key)) {
            Some(Value::Array(items)) => items,
            Some(Value::Null) => Vec::new(),
            Some(_) | None => vec![Value::Object(map)],
        },
        _ => return Err(unknown(file)),
    };
    let objects: Vec<Object> = items
        .into_iter()
        .filter_map(|value| Some(Object { kind: kind_of(&value)?, file: file.to_owned(), value }))
        .collect();
    if objects.is_empty() && !text.contains("items") && text.trim() != "[]" { Err(unknown(file)) } else { Ok(objects) }
}

/// `None` for something that no list of this sort holds.
fn kind_of(value: &Value) -> Option<Kind> {
    let has = |key| value.get(key).is_some();
    match value.get("kind").and_then(Value::as_str) {
        Some("Node") => Some(Kind::Node),
        Some("Pod") => Some(Kind::Pod),
        Some("Slice") => Some(Kind::Slice),
        Some("Workload") => Some(Kind::Workload),
        Some("compute#reservationSubBlock") => Some(Kind::SubBlock),
        Some("compute#instance") => Some(Kind::Instance),
        Some(_) => Some(Kind::Other),
        None if has("acceleratorConfig") || has("acceleratorType") => Some(Kind::TpuVm),
        None if value.pointer("/config/machineType").is_some() => Some(Kind::NodePool),
        None if value.pointer("/tpu/nodeSpec").is_some() => Some(Kind::QueuedResource),
        None => None,
    }
}

fn broken(file: &str, text: &str, cause: &serde_json::Error) -> ImportError {
    let message = cause.to_string();
    let what = message.split(" at line ").next().unwrap_or(&message).to_owned();
    let hint = match cause.classify() {
        serde_json::error::Category::Eof => "The file is cut off; export it once more.",
        _ if text.starts_with("apiVersion") || text.starts_with("---") => "This looks like YAML; export with -o json.",
        _ if text.starts_with("NAME") => "This looks like the table for people; export with -o json.",
        _ => "Export the list once more, with -o json or --format json.",
    };
    error(file, Some((cause.line(), cause.column())), what, hint)
}

fn unknown(file: &str) -> ImportError {
    let hint = "Known are nodes, pods and slices of a cluster, node pools, instances, TPU VMs, queued resources and reservation \
                sub-blocks.";
    error(file, None, "this is JSON, but no inventory that is known here".to_owned(), hint)
}

fn error(file: &str, at: Option<(usize, usize)>, what: String, hint: &str) -> ImportError {
    let (line, column) = at.unzip();
    ImportError { file: shown(file), line, column, what, hint: hint.to_owned() }
}
