//! Loop style: one module with loops over the cells of a grid, equal to the structural text.

use crate::common::grids::{Columns, Picker, TwoWidths};
use crate::linters;
use crate::linters::printed::write;
use heddle_gen::{Design, EmitOptions, Reset, ResetLevel, TextStyle, emit};
use heddle_hdl::array::{PeArray, PeRow};
use rust_hdl_core::prelude::Block;

/// Registers of a cell and its product, with their bits.
const VALUES: [(&str, usize); 8] = [
    ("x_q", 9),
    ("nz_q", 1),
    ("swap_q", 1),
    ("shadow_q", 8),
    ("active_q", 8),
    ("product_q", 17),
    ("psum_q", 32),
    ("mul_product", 17),
];

fn options(style: TextStyle) -> EmitOptions {
    EmitOptions {
        configuration: "test".into(),
        style,
        ..EmitOptions::default()
    }
}

fn print(block: &dyn Block, options: &EmitOptions) -> Design {
    emit(block, options).expect("the block is legal")
}

/// The name that the flattened structural text has for a value of a cell.
fn value_of(row: usize, col: usize, rows: usize, cols: usize, name: &str) -> String {
    // A single instance is not in a loop.
    let one = |kind: &str, at: usize, of: usize| match of {
        1 => format!("u_{kind}"),
        _ => format!("gen_{kind}[{at}].u_{kind}"),
    };
    let (row, col) = (one("row", row, rows), one("pe", col, cols));
    format!("\\{row}.{col}.{name}")
}

/// The values of all cells as vectors, as the loops have them: the last cell in front.
fn joined(rows: usize, cols: usize) -> String {
    let mut script = String::new();
    for (name, bits) in VALUES {
        let mut parts = Vec::new();
        for (row, col) in (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))) {
            let long = value_of(row, col, rows, cols, name);
            let short = format!("{name}_{row}_{col}");
            script += &format!("rename {long} {short}\n");
            parts.insert(0, short);
        }
        let bits = rows * cols * bits;
        script += &format!("add -wire {name} {bits}\n");
        script += &format!("connect -set {name} {}\n", parts.join(","));
    }
    script
}

/// Is the text of the loops, changed by `change`, equal to the structural text for all inputs and
/// times? Registers are paired; from equal registers and inputs follow equal outputs and equal next
/// registers. `None` without Yosys.
fn is_equal(rows: usize, cols: usize, name: &str, change: (&str, &str)) -> Option<bool> {
    let yosys = linters::program("yosys")?;
    let array = PeArray::new(rows, cols);
    let gold = print(&array, &options(TextStyle::Structural));
    let mut gate = print(&array, &options(TextStyle::Loops));
    assert_eq!(gate.modules.len(), 1, "one module holds the whole array");
    let text = &mut gate.modules[0].text;
    assert!(text.contains(change.0), "no {:?} in\n{text}", change.0);
    *text = text.replace(change.0, change.1);
    let load = |design: &Design, part: &str, extra: &str| {
        let folder = write(&format!("loops_{name}_{part}"), design);
        let files: Vec<String> = { design.verilog().into_iter() }
            .map(|(file, _)| folder.join(file).display().to_string())
            .collect();
        let (files, top) = (files.join(" "), &design.top);
        format!(
            "read_verilog {files}\nhierarchy -check -top {top}\nproc\nflatten\n\
             cd {top}\n{extra}cd ..\nrename {top} {part}\ndesign -stash {part}\n"
        )
    };
    let script = load(&gold, "gold", &joined(rows, cols))
        + &load(&gate, "gate", "")
        + "design -copy-from gold -as gold gold\n\
           design -copy-from gate -as gate gate\n\
           expose -evert-dff -shared gold gate\n\
           miter -equiv -flatten -make_outputs gold gate miter\n\
           hierarchy -top miter\n\
           select -assert-none miter/t:$dff*\n\
           opt -full\n\
           sat -verify -prove trigger 0 miter\n";
    let folder = write(&format!("loops_{name}_proof"), &gate);
    std::fs::write(folder.join("proof.ys"), script).expect("the script can be written");
    let (success, text) = yosys.run(&folder, &["-q", "-s", "proof.ys"]);
    let differs = text.contains("proof did fail");
    assert_ne!(success, differs, "{text}");
    Some(success)
}

#[test]
fn loops_equal_the_structural_text() {
    for (rows, cols) in [(1, 1), (1, 4), (5, 1), (2, 3), (3, 2), (4, 4), (2, 10)] {
        let name = format!("{rows}x{cols}");
        let verdict = is_equal(rows, cols, &name, ("", ""));
        assert_ne!(verdict, Some(false), "{name} differs");
    }
}

#[test]
fn a_fault_in_a_loop_is_found() {
    for (n, change) in [
        // An operand from the wrong cell, the wrong row, the flag of another cell, a lost reset.
        (
            "x_q[27*m+9*n+:9] <= x[36*m+9*n+:9]",
            "x_q[27*m+9*n+:9] <= x[36*m+9*n+9+:9]",
        ),
        ("x_i[9*m+:9]", "x_i[8:0]"),
        ("if (nz[4*m+n])", "if (nz[4*m])"),
        ("swap_q <= 6'd0", "swap_q <= swap_q"),
        ("if (shift_i[m])", "if (shift_i[n])"),
        (
            "$signed(active_q[24*m+8*n+:8])",
            "$signed(shadow_q[24*m+8*n+:8])",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let verdict = is_equal(2, 3, &format!("fault_{n}"), change);
        assert_ne!(verdict, Some(true), "{change:?} is not found");
    }
}

#[test]
fn loops_are_clean_in_every_tool() {
    let clean = |name: &str, design: &Design| {
        for (file, text) in design.verilog() {
            assert!(
                text.is_ascii() && text.lines().all(|l| l.len() <= 100),
                "{file}"
            );
        }
        let folder = write(&format!("loops_lint_{name}"), design);
        let files: Vec<String> = design.verilog().into_iter().map(|f| f.0).collect();
        linters::lint(&folder, &design.top, &files);
    };
    let loops = options(TextStyle::Loops);
    for (rows, cols) in [(1, 1), (1, 3), (3, 1), (3, 10), (16, 16)] {
        clean(
            &format!("{rows}x{cols}"),
            &print(&PeArray::new(rows, cols), &loops),
        );
    }
    // Yosys takes minutes for a large grid of loops; beyond the 64 Kbit of a number only lint is of
    // interest.
    let large = print(&PeArray::new(70, 66), &loops);
    let folder = write("loops_lint_large", &large);
    if let Some(verilator) = linters::program("verilator") {
        let file = format!("{}.v", large.top);
        verilator.check(
            &folder,
            &["--lint-only", "-Wall", "--top-module", &large.top, &file],
        );
    }
    clean("row", &print(&PeRow::new(12), &loops));
    let resets = EmitOptions {
        reset: Reset::Async,
        reset_level: ResetLevel::High,
        ..loops
    };
    clean("resets", &print(&PeArray::new(3, 10), &resets));
}

#[test]
fn the_text_does_not_grow_with_the_grid() {
    let assignments = |rows, cols| {
        let design = print(&PeArray::new(rows, cols), &options(TextStyle::Loops));
        let text = &design.modules[0].text;
        let lines = text.lines().filter(|line| !line.starts_with("//"));
        lines
            .filter(|line| line.contains(" = ") || line.contains(" <= "))
            .count()
    };
    assert_eq!(assignments(8, 8), assignments(64, 64));
}

/// Operands and sums enter at the edges; all other cells take them from their neighbours.
#[proves("PET-76")]
#[test]
fn inner_cells_take_data_from_other_cells_only() {
    let design = print(&PeArray::new(3, 4), &options(TextStyle::Structural));
    let text = |name: &str| {
        let mut modules = design.modules.iter();
        let found = modules.find(|module| module.name.starts_with(name));
        &found.expect("printed").text
    };
    let row = text("heddle_pe_row_c4_");
    for connection in [
        ".x_i    (x[9*i+:9])",
        ".x_o    (x[9*i+9+:9])",
        ".nz_i   (nz[i])",
        ".nz_o   (nz[i+1])",
        ".swap_i (swap[i])",
        ".swap_o (swap[i+1])",
        ".w_i    (w[8*i+:8])",
        ".w_o    (w[8*i+64+:8])",
    ] {
        assert!(row.contains(connection), "no {connection} in\n{row}");
    }
    // Apart from the cells only the left edge, or the weight word, drives these vectors.
    let driven: Vec<&str> = { row.lines().map(str::trim) }
        .filter(|line| line.starts_with("assign "))
        .filter(|line| !line.contains("unused_bits"))
        .collect();
    let edge = [
        "assign x[8:0] = x_i;",
        "assign nz[0] = nz_i;",
        "assign swap[0] = swap_i;",
        "assign w[63:0] = w_i;",
    ];
    assert_eq!(driven, edge);
    let array = text("heddle_pe_array_r3_c4_");
    for connection in [
        ".psum_i (psum[128*i+:128])",
        ".psum_o (psum[128*i+128+:128])",
    ] {
        assert!(array.contains(connection), "no {connection} in\n{array}");
    }
    assert!(array.contains("assign psum[127:0] = psum_i;"), "{array}");
}

/// The elements of a chain are as wide as in the cell they come from.
#[test]
fn cells_of_two_widths_keep_their_own_chains() {
    let design = print(&TwoWidths::default(), &options(TextStyle::Loops));
    let files: Vec<String> = design.verilog().into_iter().map(|f| f.0).collect();
    linters::lint(&write("loops_widths", &design), &design.top, &files);
    let text = &design.top_module().text;
    for declared in ["reg [15:0] sum_2;", "reg [47:0] wide_sum_2;"] {
        assert!(text.contains(declared), "no {declared} in\n{text}");
    }
}

#[test]
fn a_bit_that_a_signal_selects_is_printed() {
    let design = print(&Picker::default(), &options(TextStyle::Loops));
    let text = &design.top_module().text;
    assert!(text.contains("x_i[at_i]"), "{text}");
}

/// The columns are not one array: each is fed by a net of its own.
#[test]
fn cells_behind_a_chain_are_refused() {
    let printed = emit(&Columns::default(), &options(TextStyle::Loops));
    let error = printed.expect_err("refused").to_string();
    assert!(error.contains("cell, irregular instances"), "{error}");
}
