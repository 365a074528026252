//! Units for nests, and the addresses that rows give.
use heddle_arch::traverse::{Command, Row, Run, UnitShape};
use heddle_blocks::nest::Nest;
use heddle_sim::traversal::UnitModel;

/// 8 rows of 8 loops, 32 bits, all options.
pub fn unit() -> UnitShape {
    UnitShape {
        rows: 8,
        loops: 8,
        offset_bits: 32,
        address_bits: 32,
        equality: true,
        trips: true,
        attach: true,
        group_setup: false,
    }
}

/// (row, address) of a record in their order, through its words and the golden model, which must
/// take them.
pub fn addresses(rows: &[Row], unit: &UnitShape) -> Vec<(u8, u64)> {
    let command = Command::Traverse {
        run: Run::default(),
        rows: rows.to_vec(),
    };
    let execution = UnitModel::new(*unit).execute(&command.encode());
    assert_eq!(execution.stop, None, "{command}");
    let elements = execution.elements.iter();
    elements.map(|e| (e.row as u8, e.address)).collect()
}

/// Asserts that a unit refuses nests; a row is the kind of refusal, the nest and the message.
#[track_caller]
pub fn refused(unit: &UnitShape, rows: &[&str]) {
    for row in rows {
        let text = row.split(" | ").nth(1).expect("a nest");
        let result = Nest::parse(text).and_then(|nest| nest.compile(unit));
        let error = result.err().unwrap_or_else(|| panic!("{text:?} is taken"));
        assert_eq!(format!("{:?} | {text} | {error}", error.refusal), *row);
    }
}
