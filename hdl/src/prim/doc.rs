//! Reads the documentation of a block from its own source text.

/// Documentation of one struct: its doc comment and those of its fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceDoc {
    /// Source file from the root of the repository.
    pub file: String,
    /// Rust type without its path and generics.
    pub item: String,
    /// Lines of the doc comment of the struct.
    pub lines: Vec<String>,
    /// Doc comments of the fields, each joined to one line.
    pub fields: Vec<(String, String)>,
}

impl SourceDoc {
    /// Finds the struct named by `type_name` in `text` and takes its doc comments.
    /// A struct that is not in the text (made by a macro) has no documentation.
    pub fn extract(file: &str, text: &str, type_name: &str) -> Self {
        let path = type_name.split('<').next().unwrap_or(type_name);
        let item = path.rsplit("::").next().unwrap_or(path).to_string();
        let mut doc = Self {
            file: file.replace('\\', "/"),
            item,
            ..Self::default()
        };
        let mut pending: Vec<String> = Vec::new();
        let mut inside = false;
        for line in text.lines() {
            let line = line.trim();
            if let Some(comment) = line.strip_prefix("///") {
                let comment = comment.strip_prefix(' ').unwrap_or(comment);
                pending.push(comment.trim_end().to_string());
            } else if inside {
                if line.starts_with('}') {
                    break;
                }
                if let Some(name) = field_name(line) {
                    let text = std::mem::take(&mut pending).join(" ");
                    if !text.is_empty() {
                        doc.fields.push((name.to_string(), text));
                    }
                }
            } else if is_struct(line, &doc.item) {
                doc.lines = std::mem::take(&mut pending);
                inside = line.ends_with('{');
                if !inside {
                    inside = !line.ends_with(';');
                }
            } else if !line.starts_with("#[") && !line.starts_with("//") {
                pending.clear();
            }
        }
        doc
    }
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

/// The path of `other`, which is named relative to `file`.
pub fn beside(file: &str, other: &str) -> String {
    let file = file.replace('\\', "/");
    let mut path: Vec<&str> = file.split('/').collect();
    path.pop();
    for part in other.split('/') {
        match part {
            ".." => _ = path.pop(),
            part => path.push(part),
        }
    }
    path.join("/")
}

/// Is this line the head of the struct `item`?
fn is_struct(line: &str, item: &str) -> bool {
    let Some(at) = line.find("struct ") else {
        return false;
    };
    let before = line[..at].trim();
    let rest = &line[at + "struct ".len()..];
    (before.is_empty() || before.starts_with("pub"))
        && rest
            .strip_prefix(item)
            .is_some_and(|r| !r.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// Name of the field that a line declares.
fn field_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let (name, _) = line.split_once(':')?;
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (plain && !name.is_empty()).then_some(name)
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

    #[test]
    fn beside_follows_the_folders() {
        assert_eq!(beside("src/lib.rs", "lib.rs"), "src/lib.rs");
        let want = "/a/hdl/src/control/unit.rs";
        assert_eq!(
            beside("/a/hdl/src/control/unit/logic.rs", "../unit.rs"),
            want
        );
    }

    const TEXT: &str = "
/// Another.
struct CellRow;
/// One cell.
///
/// # Timing
/// None.
#[derive(LogicBlock)]
pub struct Cell<const N: usize> {
    // Data
    /// Operand,
    /// signed.
    pub x_i: Signal<In, Bits<N>>,
    w: Reg<Bits<N>>,
}
";

    #[test]
    fn finds_struct_and_fields() {
        let doc = SourceDoc::extract("hdl/src/cell.rs", TEXT, "a::b::Cell<4>");
        assert_eq!(doc.item, "Cell");
        assert_eq!(doc.lines, ["One cell.", "", "# Timing", "None."]);
        assert_eq!(doc.fields, [("x_i".into(), "Operand, signed.".into())]);
    }

    #[test]
    fn unknown_struct_has_no_documentation() {
        let doc = SourceDoc::extract("hdl/src/cell.rs", TEXT, "a::b::Missing");
        assert!(doc.lines.is_empty() && doc.fields.is_empty());
    }
}
