use std::path::Path;

use crate::cache;
use crate::error::VerilateError;
use crate::sources::{Sources, check_identifier};
use crate::tool::Verilator;

/// Name of the control file, which lies beside the folder of the Verilog texts.
const CONTROL_FILE: &str = "blocks.vlt";

/// The modules that Verilator translates once, however often they stand in the design.
pub(crate) struct Blocks<'a> {
    names: &'a [String],
}

impl<'a> Blocks<'a> {
    /// # Errors
    /// `BadName` or `NoBlock` unless every name is a module below the top.
    pub(crate) fn new(names: &'a [String], sources: &Sources) -> Result<Self, VerilateError> {
        for name in names {
            check_identifier("hierarchical block", name)?;
            if *name == sources.top || !sources.files.iter().any(|(_, text)| defines(text, name)) {
                return Err(VerilateError::NoBlock {
                    block: name.clone(),
                    top: sources.top.clone(),
                });
            }
        }
        Ok(Self { names })
    }

    /// Writes the control file and returns Verilator's arguments; none for a flat design.
    pub(crate) fn arguments(&self, folder: &Path) -> Result<Vec<String>, VerilateError> {
        let Some(text) = control_text(self.names) else {
            return Ok(Vec::new());
        };
        cache::write(&folder.join(CONTROL_FILE), &text)?;
        Ok(vec!["--hierarchical".into(), format!("../{CONTROL_FILE}")])
    }

    /// What Verilator's own make rules read from the environment. They call the script
    /// `verilator`, which needs Perl and is not part of every installation: name the program.
    pub(crate) fn make_flags(tool: &Verilator) -> String {
        let program = tool.program.display().to_string();
        format!("VM_HIER_VERILATOR={}", program.replace(' ', "\\ "))
    }

    /// Names of the blocks.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.names.iter().map(String::as_str)
    }
}

/// Verilator's control file for these blocks; none for a flat design.
pub(crate) fn control_text(names: &[String]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let line = |name| format!("hier_block -module \"{name}\"\n");
    let lines: String = names.iter().map(line).collect();
    Some(format!("`verilator_config\n{lines}"))
}

/// True if a line of the text begins the module.
fn defines(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let rest = line.trim_start().strip_prefix("module ");
        let rest = rest.and_then(|rest| rest.trim_start().strip_prefix(name));
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_file_names_every_block() {
        let names = ["a".to_string(), "b_c".to_string()];
        let expected = "`verilator_config\nhier_block -module \"a\"\nhier_block -module \"b_c\"\n";
        assert_eq!(control_text(&names).as_deref(), Some(expected));
        assert_eq!(control_text(&[]), None);
    }

    #[test]
    fn a_block_is_a_module_below_the_top() {
        let sources = Sources::single("a", "module a;\n  bb u ();\nendmodule\nmodule bb (\n);\n");
        let check = |name: &str| {
            let names = [name.to_string()];
            let result = Blocks::new(&names, &sources);
            result.map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(check("bb"), Ok(()));
        for name in ["a", "b", "bbb"] {
            let expected = format!("hierarchical block {name} is no module below a");
            assert_eq!(check(name), Err(expected));
        }
        let message = check("b\" x").unwrap_err();
        assert!(message.starts_with("hierarchical block is "), "{message}");
    }
}
