//! What a module tells the emitter of itself, shown on a row of the array.

use heddle_hdl::array::PeRow;
use heddle_kernel::prelude::*;

#[test]
fn a_module_carries_its_parameters_and_doc_comments() {
    let meta = Meta::from_timing(PeRow::new(4).timing()).expect("it is a module");
    assert_eq!(
        (meta.name.as_str(), meta.item.as_str()),
        ("pe_row", "PeRow")
    );
    assert_eq!(meta.source, "hdl/src/array/pe_row.rs");
    assert!(meta.is_grid());
    let cols = meta.params.iter().find(|param| param.name == "cols");
    let cols = cols.map(|p| (p.flag.as_str(), p.value, p.doc.as_str()));
    assert_eq!(cols, Some(("c", 4, "columns")));
    let first =
        "One row of cells: operands move to the right, sums pass through from top to bottom.";
    assert_eq!(meta.doc[0], first);
    let doc_of = |field: &str| {
        let found = meta.fields.iter().find(|(name, _)| name == field);
        found.map(|f| f.1.as_str())
    };
    assert_eq!(doc_of("psum_i"), Some("Sums from above, one per column."));
    assert_eq!(doc_of("ports_i$w"), Some("Weight word."));
}
