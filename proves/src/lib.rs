//! `#[proves("TTU-003", "TTU-028")]` above `#[test]`: the requirements of `docs/requirements.csv` that a test proves.
//!
//! The test stays as it is. `scripts/traceability.py` reads the attribute and writes `docs/traceability.md`; what the
//! compiler refuses here cannot be counted there.

mod check;

use proc_macro::TokenStream;

/// Says which requirements a test proves.
///
/// ```no_run
/// # use heddle_proves::proves;
/// #[proves("TTU-003", "PET-X2")]
/// #[test]
/// fn every_register_can_be_written_alone() {}
/// ```
///
/// # Errors
/// Does not compile with a requirement that is not in the list, with none, with one twice, or where no `#[test]` follows.
///
/// ```compile_fail
/// # use heddle_proves::proves;
/// #[proves("TTU-3")]
/// #[test]
/// fn every_register_can_be_written_alone() {}
/// ```
///
/// ```compile_fail
/// # use heddle_proves::proves;
/// #[proves("TTU-003")]
/// struct Registers;
/// ```
#[proc_macro_attribute]
pub fn proves(requirements: TokenStream, item: TokenStream) -> TokenStream {
    match check::requirements(&texts(&requirements)).and_then(|()| check::item(&texts(&item))) {
        Ok(()) => item,
        Err(message) => {
            let error = format!("compile_error!({message:?});");
            let mut both: TokenStream = error.parse().expect("a call of a macro");
            both.extend(item);
            both
        }
    }
}

/// The tokens as they are written, a group being one.
fn texts(tokens: &TokenStream) -> Vec<String> {
    tokens.clone().into_iter().map(|t| t.to_string()).collect()
}
