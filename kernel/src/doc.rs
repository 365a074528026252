//! Documentation of a module, as its struct has it.

/// Doc comments of a struct and its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceDoc {
    /// Source file from the folder that holds the package.
    pub file: String,
    /// Rust type without its path and generics.
    pub item: String,
    /// Lines of the doc comment of the struct.
    pub lines: Vec<String>,
    /// Doc comments of the fields, each joined to one line; members of bundles as `field$member`.
    pub fields: Vec<(String, String)>,
}

/// A struct whose doc comments are the documentation of a module; made by `#[module]`.
pub trait Documented {
    /// The doc comments.
    fn source_doc() -> SourceDoc;
}

/// The path of a source file from the folder that contains its package: the same wherever the
/// package lies. `file` is what `file!()` gives: relative to the workspace, or absolute.
pub fn source_path(package: &str, file: &str) -> String {
    let (package, file) = (package.replace('\\', "/"), file.replace('\\', "/"));
    let Some((above, _)) = package.rsplit_once('/') else {
        return file;
    };
    // Of an absolute path all of `above` is cut, of a relative one what the workspace shares.
    let starts = std::iter::once(0).chain(above.match_indices('/').map(|(at, _)| at + 1));
    for start in starts {
        let rest = file.strip_prefix(&above[start..]);
        if let Some(rest) = rest.and_then(|rest| rest.strip_prefix('/')) {
            return rest.to_string();
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_path_begins_with_the_package_wherever_it_lies() {
        let want = "hdl/src/post/mod.rs";
        for (package, file) in [
            ("/home/a/heddle/hdl", "hdl/src/post/mod.rs"),
            ("/home/a/heddle/hdl", "/home/a/heddle/hdl/src/post/mod.rs"),
            ("/home/a/soc/ip/heddle/hdl", "ip/heddle/hdl/src/post/mod.rs"),
        ] {
            assert_eq!(source_path(package, file), want, "{package}");
        }
        assert_eq!(source_path("/home/a/soc", "src/lib.rs"), "src/lib.rs");
    }
}
