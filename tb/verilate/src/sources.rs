use sha2::{Digest, Sha256};

use crate::error::VerilateError;

/// One port of the top module, as a plain vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Port {
    /// Name in Verilog.
    pub name: String,
    /// Width in bits of the whole (packed) vector, at least 1.
    pub width: u32,
    /// Direction as seen from the module.
    pub output: bool,
}

impl Port {
    /// An input port.
    pub fn input(name: impl Into<String>, width: u32) -> Self {
        Self {
            name: name.into(),
            width,
            output: false,
        }
    }

    /// An output port.
    pub fn output(name: impl Into<String>, width: u32) -> Self {
        Self {
            name: name.into(),
            width,
            output: true,
        }
    }

    /// `32-bit output`, for messages.
    pub(crate) fn describe(&self) -> String {
        let direction = if self.output { "output" } else { "input" };
        format!("{}-bit {direction}", self.width)
    }
}

/// The Verilog text of one design.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// Name of the top module.
    pub top: String,
    /// File names (without folder) and contents, leaves first.
    pub files: Vec<(String, String)>,
    /// All ports of the top module in declaration order. Empty: taken from the text.
    pub ports: Vec<Port>,
}

impl Sources {
    /// One file, ports taken from the text.
    pub fn single(top: impl Into<String>, text: impl Into<String>) -> Self {
        let top = top.into();
        Self {
            files: vec![(format!("{top}.v"), text.into())],
            top,
            ports: Vec::new(),
        }
    }

    /// The modules below the top one whose names begin with `prefix`, of designs with a file for every
    /// module.
    #[must_use]
    pub fn modules(&self, prefix: &str) -> Vec<String> {
        let modules = self.files.iter().filter_map(|(name, _)| {
            let module = name.strip_suffix(".v")?;
            (module.starts_with(prefix) && module != self.top).then(|| module.to_string())
        });
        modules.collect()
    }

    /// # Errors
    /// `BadName` if the top module or a file has a name that cannot be used as a file name.
    pub(crate) fn check(&self) -> Result<(), VerilateError> {
        check_identifier("top module", &self.top)?;
        for (name, _) in &self.files {
            let legal = name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c));
            if !legal || name.is_empty() || name.starts_with(['.', '-']) {
                return Err(VerilateError::BadName {
                    what: "file name",
                    found: name.clone(),
                    extra: ", dots and dashes inside",
                });
            }
        }
        Ok(())
    }

    /// Feeds everything that decides the model into a hash.
    pub(crate) fn hash_into(&self, hash: &mut Sha256) {
        hash_str(hash, &self.top);
        for (name, text) in &self.files {
            hash_str(hash, name);
            hash_str(hash, text);
        }
        for port in &self.ports {
            hash_str(hash, &port.name);
            hash_str(hash, &port.describe());
        }
    }
}

/// Adds a text with its length, so that neighbouring texts cannot run into each other.
pub(crate) fn hash_str(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

/// The hash as 64 hexadecimal digits.
pub(crate) fn hash_hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
}

/// # Errors
/// `BadName` unless the text is a Verilog and C++ identifier.
pub(crate) fn check_identifier(what: &'static str, name: &str) -> Result<(), VerilateError> {
    let legal = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if legal && name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Ok(());
    }
    Err(VerilateError::BadName {
        what,
        found: name.to_string(),
        extra: ", starting with a letter",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_depends_on_every_part() {
        let base = Sources {
            top: "a".into(),
            files: vec![("a.v".into(), "x".into())],
            ports: vec![Port::input("clk", 1)],
        };
        let digest = |s: &Sources| {
            let mut hash = Sha256::new();
            s.hash_into(&mut hash);
            hash_hex(hash)
        };
        let mut variants = vec![base.clone(); 4];
        variants[0].top = "b".into();
        variants[1].files[0] = ("a.vx".into(), String::new());
        variants[2].files[0].1 = "y".into();
        variants[3].ports[0].output = true;
        for variant in &variants {
            assert_ne!(digest(variant), digest(&base));
        }
        assert_eq!(digest(&base.clone()), digest(&base));
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        let mut sources = Sources::single("a", "module a; endmodule");
        assert!(sources.check().is_ok());
        for name in ["../a.v", "", "-f", ".a"] {
            sources.files[0].0 = name.into();
            let message = sources.check().unwrap_err().to_string();
            assert!(message.starts_with("file name is "), "{message}");
        }
        sources = Sources::single("1a", "");
        let message = sources.check().unwrap_err().to_string();
        assert_eq!(
            message,
            "top module is \"1a\", expected letters, digits and underscores, starting with a letter"
        );
    }
}
