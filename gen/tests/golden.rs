//! Whole modules against files that open in an editor. `HEDDLE_BLESS=1` rewrites them.

use crate::common::cells::{Grid, Row};
use crate::common::counts::Counts;
use crate::common::fifo::Fifo;
use crate::common::lanes::Lanes;
use crate::common::machine::Machine;
use crate::common::operators::Operators;
use crate::common::print;
use crate::linters::printed;
use heddle_arch::Params;
use heddle_gen::{Design, Module};
use std::path::Path;

#[track_caller]
fn check(design: &Design) {
    compare(&design.modules.iter().collect::<Vec<_>>(), "golden");
}

#[track_caller]
fn compare(modules: &[&Module], folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(folder);
    for module in modules {
        // The files stand under the names without hashes, so that their history can be read.
        let stem = module
            .name
            .rsplit_once('_')
            .filter(|(_, hash)| hash.len() == 8);
        let stem = stem.map_or(module.name.as_str(), |(stem, _)| stem);
        let file = folder.join(format!("{stem}.v"));
        if std::env::var_os("HEDDLE_BLESS").is_some() {
            std::fs::create_dir_all(&folder).expect("the folder can be made");
            std::fs::write(&file, &module.text).expect("the file can be written");
        }
        let golden = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            golden == module.text,
            "{} differs:\n{}",
            file.display(),
            module.text
        );
    }
}

#[test]
fn row_of_cells() {
    check(&print(&Row::new(4)));
}

#[test]
fn grid_of_cells() {
    check(&print(&Grid::new(3, 4)));
}

#[test]
fn state_machine() {
    check(&print(&Machine::default()));
}

#[test]
fn operators() {
    check(&print(&Operators::default()));
}

#[test]
fn fifo_with_memory() {
    check(&print(&Fifo::new(4)));
}

#[test]
fn register_arrays() {
    check(&print(&Lanes::new(4)));
}

#[test]
fn elements_that_feed_each_other() {
    check(&print(&Counts::new(4)));
}

/// What a user of the usual machine opens first.
#[test]
fn eleven_modules_of_the_edge_machine() {
    let edge = Params::from_json(include_str!("../../configs/edge.json")).expect("legal");
    let design = printed::of_catalog("top", &edge);
    let items = "Top Control Sequencer TraversalEngine Partition Writer Store Pe ResultColumn PostLane StateBuffer";
    let named = |item: &str| {
        let mut modules = design.modules.iter();
        let found = modules.find(|module| module.source.ends_with(&format!(", {item}")));
        found.unwrap_or_else(|| panic!("no module {item}"))
    };
    let modules: Vec<&Module> = items.split(' ').map(named).collect();
    compare(&modules, "golden/edge");
    // A file that nothing is compared with says what was once true.
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/edge");
    assert_eq!(files.read_dir().expect("a folder").count(), modules.len());
}
