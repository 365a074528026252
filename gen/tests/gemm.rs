//! The array that keeps weights or sums and every variant of the GEMM core in other people's tools,
//! where they are installed.

use crate::linters::printed;
use heddle_gen::Design;
use heddle_hdl::array::DualArray;
use heddle_hdl::blocks::gemm::{Gemm, GemmShape};
use heddle_kernel::prelude::*;

/// Prints a block into a folder of its own and lints it.
#[track_caller]
fn clean(name: &str, block: &dyn Block) -> Design {
    let design = printed::emitted(name, block);
    printed::clean(&format!("gemm_{name}"), &design);
    design
}

fn shape(rows: usize, cols: usize, change: impl Fn(&mut GemmShape)) -> GemmShape {
    let mut shape = GemmShape::new(rows, cols);
    change(&mut shape);
    shape
}

#[test]
fn arrays_of_every_proportion_are_clean() {
    for (rows, cols) in [(1, 1), (1, 5), (5, 1), (8, 8)] {
        clean(&format!("array_{rows}x{cols}"), &DualArray::new(rows, cols));
    }
}

#[test]
fn cores_with_a_memory_for_each_row_are_clean() {
    for (rows, cols) in [(1, 1), (3, 2), (2, 5)] {
        let small = |s: &mut GemmShape| {
            s.operand_bytes = 64;
            s.weight_words = 16;
            s.results = 16;
        };
        let name = format!("skew_{rows}x{cols}");
        clean(&name, &Gemm::<16>::new(&shape(rows, cols, small)));
    }
    let every = |s: &mut GemmShape| {
        s.unit.taps = 8;
        s.unit.running = true;
        s.unit.expand = true;
        s.unit.address_bits = 32;
        s.store_each = true;
    };
    let each = |s: &mut GemmShape| s.store_each = true;
    clean("each_1x1", &Gemm::<16>::new(&shape(1, 1, each)));
    clean("each_3x2", &Gemm::<16>::new(&shape(3, 2, each)));
    clean("every_option", &Gemm::<32>::new(&shape(4, 4, every)));
    let broadcast = |s: &mut GemmShape| s.unit.broadcast = true;
    clean("broadcast", &Gemm::<16>::new(&shape(4, 3, broadcast)));
    clean("broadcast_1x1", &Gemm::<16>::new(&shape(1, 1, broadcast)));
}

#[test]
fn cores_with_banks_are_clean() {
    for (banks, merge, bytes) in [(2, true, 4096), (4, false, 64), (16, true, 65536)] {
        let banked = |s: &mut GemmShape| {
            s.unit.broadcast = true;
            s.unit.address_bits = 24;
            (s.banks, s.merge, s.operand_bytes) = (banks, merge, bytes);
            s.store_each = merge;
        };
        let name = format!("banks_{banks}");
        clean(&name, &Gemm::<24>::new(&shape(4, 2, banked)));
    }
}

/// Multiplications written in the text of a module.
fn products(text: &str) -> usize {
    let code = text.lines().map(|l| l.split("//").next().unwrap_or(l));
    code.filter(|l| l.trim_start().starts_with("assign") && l.contains(" * "))
        .count()
}

#[proves("SGCR-30")]
#[test]
fn the_cells_of_the_array_alone_multiply() {
    let design = clean("usual", &Gemm::<16>::new(&GemmShape::new(8, 8)));
    for (file, text) in design.verilog() {
        let want = usize::from(file.starts_with("heddle_dual_pe_"));
        assert_eq!(products(&text), want, "{file}");
    }
}
