use crate::{Model, ModelError};

include!(concat!(env!("OUT_DIR"), "/linked.rs"));

/// A model of a design of the table in `designs/mod.rs`, linked in by the build script.
///
/// # Errors
/// `UnknownDesign`.
pub fn linked_model(name: &str) -> Result<Model, ModelError> {
    let Some((_, function)) = LINKED.iter().find(|(n, _)| *n == name) else {
        return Err(ModelError::UnknownDesign {
            name: name.to_string(),
            known: linked_designs().collect::<Vec<_>>().join(", "),
        });
    };
    // SAFETY: the function and its table are part of this program.
    unsafe { Model::from_api(function(), None) }
}

/// Names of all linked designs.
pub fn linked_designs() -> impl Iterator<Item = &'static str> {
    LINKED.iter().map(|(name, _)| *name)
}
