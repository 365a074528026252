//! Programs as files: JSON with words in hexadecimal, guarded by a checksum.
//!
//! A file belongs to one network and to machines of one shape; whoever reads it says which machine there is. A
//! file that was cut off or changed is refused as a whole.

mod error;
mod form;
mod limit;
mod load;
mod machine;
mod read;
mod runs;
mod write;

use heddle_arch::params::Params;
use schemars::generate::SchemaSettings;

use crate::emit::Program;
pub use error::FileError;
use form::{Content, ProgramFile};

/// Name and version of the format.
const FORMAT: &str = "heddle-program-4";

/// The version before: it does not say where the program lies, which is in a memory of its own then.
const FORMAT_3: &str = "heddle-program-3";

impl Program {
    /// The program as a file for machines of this shape.
    #[must_use]
    pub fn to_json(&self, params: &Params) -> String {
        let program = write::content(self, params);
        let file = ProgramFile {
            format: FORMAT.to_string(),
            crc: format!("{:08x}", checksum(&program)),
            program,
        };
        let text = serde_json::to_string_pretty(&file).expect("a program is JSON");
        text + "\n"
    }

    /// Reads a file. It has no schedule: that is not needed to run it.
    ///
    /// # Errors
    /// [`FileError`]
    pub fn from_json(text: &str, params: &Params) -> Result<Self, FileError> {
        let file: ProgramFile = serde_json::from_str(text).map_err(|error| FileError::Form {
            line: error.line(),
            message: error.to_string(),
        })?;
        let wrong = |field: &str, found: &str, expected: &str| FileError::Value {
            field: field.to_string(),
            found: format!("{found:?}"),
            expected: expected.to_string(),
        };
        if ![FORMAT, FORMAT_3].contains(&file.format.as_str()) {
            let expected = format!("{FORMAT} or {FORMAT_3}: compile the network again");
            return Err(wrong("format", &file.format, &expected));
        }
        let found = u32::from_str_radix(&file.crc, 16);
        let found = found.map_err(|_| wrong("crc", &file.crc, "eight hexadecimal digits"))?;
        let expected = checksum(&file.program);
        if found != expected {
            return Err(FileError::Checksum { found, expected });
        }
        let told = file.program.machine.program_memory.is_some();
        if told != (file.format == FORMAT) {
            let expected = format!("one in {FORMAT} and none in {FORMAT_3}");
            let found = if told { "there" } else { "none" };
            return Err(wrong("machine.program_memory", found, &expected));
        }
        file.program.machine.check(params)?;
        read::content(file.program, params)
    }
}

/// JSON schema of a program file.
#[must_use]
pub fn program_schema() -> serde_json::Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings
        .into_generator()
        .into_root_schema_for::<ProgramFile>()
        .into()
}

/// CRC-32 of the content as compact JSON.
fn checksum(content: &Content) -> u32 {
    let text = serde_json::to_vec(content).expect("a program is JSON");
    crc32fast::hash(&text)
}
