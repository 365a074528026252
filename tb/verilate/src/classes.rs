use crate::error::VerilateError;

/// The C++ files of a verilated design, from `V<top>_classes.mk`, the interface that is stable
/// across Verilator versions. Names have no folder and no extension.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Classes {
    /// Generated files that run in every evaluation.
    pub fast: Vec<String>,
    /// Generated files that run once.
    pub slow: Vec<String>,
    /// Files of the run-time library.
    pub global: Vec<String>,
}

impl Classes {
    /// Reads the make fragment.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, VerilateError> {
        let mut classes = Self::default();
        let joined = text.replace("\\\n", " ");
        for line in joined.lines() {
            let Some((variable, words)) = line.split_once("+=") else {
                continue;
            };
            let list = match variable.trim() {
                "VM_CLASSES_FAST" | "VM_SUPPORT_FAST" => &mut classes.fast,
                "VM_CLASSES_SLOW" | "VM_SUPPORT_SLOW" => &mut classes.slow,
                "VM_GLOBAL_FAST" | "VM_GLOBAL_SLOW" => &mut classes.global,
                _ => continue,
            };
            list.extend(words.split_whitespace().map(str::to_string));
        }
        expect_some(&classes.fast, file, "VM_CLASSES_FAST")?;
        Ok(classes)
    }

    /// The same for a whole design, which names the run-time library; its blocks do not.
    pub(crate) fn parse_design(file: &str, text: &str) -> Result<Self, VerilateError> {
        let classes = Self::parse(file, text)?;
        expect_some(&classes.global, file, "VM_GLOBAL_FAST")?;
        Ok(classes)
    }
}

fn expect_some(list: &[String], file: &str, what: &'static str) -> Result<(), VerilateError> {
    if !list.is_empty() {
        return Ok(());
    }
    Err(VerilateError::BadClasses {
        file: file.to_string(),
        what,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# comment\nVM_TRACE = 1\nVM_CLASSES_FAST += \\\n\tVa \\\n\tVa_x__0 \\\n\n\
        VM_CLASSES_SLOW += \\\n\tVa_Slow \\\n\nVM_SUPPORT_FAST += \\\n\n\
        VM_SUPPORT_SLOW += \\\n\tVa__Syms \\\n\nVM_GLOBAL_FAST += \\\n\tverilated \\\n\
        \tverilated_threads \\\n\n";

    #[test]
    fn lists_are_joined_over_backslashes() {
        let classes = Classes::parse_design("Va_classes.mk", TEXT).unwrap();
        assert_eq!(classes.fast, ["Va", "Va_x__0"]);
        assert_eq!(classes.slow, ["Va_Slow", "Va__Syms"]);
        assert_eq!(classes.global, ["verilated", "verilated_threads"]);
    }

    #[test]
    fn a_fragment_without_run_time_library_is_refused() {
        let text = TEXT.replace("VM_GLOBAL_FAST", "VM_OTHER");
        assert!(Classes::parse("Va_classes.mk", &text).is_ok());
        let message = Classes::parse_design("Va_classes.mk", &text).unwrap_err();
        assert_eq!(
            message.to_string(),
            "Va_classes.mk lists no VM_GLOBAL_FAST, expected the make fragment of Verilator 5"
        );
    }
}
