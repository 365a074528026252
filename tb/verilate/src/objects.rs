use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cache;
use crate::error::{VerilateError, io_error};
use crate::options::Options;
use crate::sources::{Sources, check_identifier};
use crate::translate::Builder;

/// Objects of several designs that can be linked into one program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Linkable {
    /// Object files, each once.
    pub objects: Vec<PathBuf>,
    /// Name of each design and the C function that returns its function table.
    pub designs: Vec<(String, String)>,
    /// Names of the designs that were not up to date.
    pub rebuilt: Vec<String>,
}

/// Builds named designs as objects in `folder`, for build scripts.
///
/// A design is built again only if its text, the options or a tool changed. Equal module names in
/// different designs do not clash. The Verilator run-time library is shared by all.
///
/// # Errors
/// Everything in [`VerilateError`]; `LinkedBlock` if the options name hierarchical blocks.
pub fn build_objects(
    designs: &[(String, Sources)],
    options: &Options,
    folder: &Path,
) -> Result<Linkable, VerilateError> {
    if let Some(block) = options.hier_blocks.first() {
        return Err(VerilateError::LinkedBlock {
            block: block.clone(),
        });
    }
    let mut names = BTreeSet::new();
    for (name, _) in designs {
        check_identifier("design name", name)?;
        if !names.insert(name) {
            return Err(VerilateError::DuplicateDesign { name: name.clone() });
        }
    }
    let options = Options {
        cache: Some(folder.to_path_buf()),
        ..options.clone()
    };
    let builder = Builder::new(&options)?;
    let mut linkable = Linkable::default();
    let mut objects = BTreeSet::new();
    for (name, sources) in designs {
        let symbol = format!("heddle_model_{name}");
        let key = builder.key(sources, &symbol);
        let design_folder = folder.join(name);
        let stamp = design_folder.join("stamp");
        let known = up_to_date(&stamp, &key);
        let paths = match known {
            Some(paths) => paths,
            None => {
                if design_folder.exists() {
                    fs::remove_dir_all(&design_folder)
                        .map_err(io_error("remove", &design_folder))?;
                }
                cache::create_folder(&design_folder)?;
                // The hash keeps class names apart: `a` with module `b_c`, `a_b` with module `c`.
                let class = format!("V{name}_{}", &key[..8]);
                let paths = builder.objects(sources, &class, &symbol, &design_folder)?;
                write_stamp(&stamp, &key, &paths)?;
                linkable.rebuilt.push(name.clone());
                paths
            }
        };
        objects.extend(paths);
        linkable.designs.push((name.clone(), symbol));
    }
    linkable.objects = objects.into_iter().collect();
    Ok(linkable)
}

/// The objects listed in the stamp, if it has this key and they all exist.
fn up_to_date(stamp: &Path, key: &str) -> Option<Vec<PathBuf>> {
    let text = fs::read_to_string(stamp).ok()?;
    let mut lines = text.lines();
    if lines.next() != Some(key) {
        return None;
    }
    let paths: Vec<PathBuf> = lines.map(PathBuf::from).collect();
    paths.iter().all(|p| p.is_file()).then_some(paths)
}

fn write_stamp(stamp: &Path, key: &str, objects: &[PathBuf]) -> Result<(), VerilateError> {
    let mut text = format!("{key}\n");
    for path in objects {
        text += &format!("{}\n", path.display());
    }
    cache::write(stamp, &text)
}
