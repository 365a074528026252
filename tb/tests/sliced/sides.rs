//! Emitted memories side by side. The memory cells are replaced by cells that check the rules of
//! `heddle_ram_1r1w.v` and of docs/sliced.md, and show nonsense when they were not read.

use crate::beside::Part;
use crate::rtl::emitted;
use heddle_hdl::sliced::{
    MaskPlace as HardwarePlace, Network as HardwareNetwork, PlainMemory, Sliced, SlicedField,
    SlicedHybrid, SlicedShape,
};
use heddle_sim::sliced::{MaskPlace, Network, SliceLayout};
use heddle_tb::verilate::Sources;

/// The memory cells of the test.
const CELLS: &str = include_str!("cells.sv");

/// Ports of all memories.
const SHARED: &str = "  input wire wen_i,
  input wire [12:0] waddr_i,
  input wire ren_i,
  input wire [12:0] raddr_i,
";

/// One memory.
pub type Side = crate::beside::Side<SliceLayout>;

/// Sides with their Verilog.
pub type Design = crate::beside::Design<SliceLayout>;

/// Emits all sides. Requests are shared, words are not.
pub fn design(sides: Vec<Side>) -> Design {
    Design::new(sides, "sliced_sides", SHARED, part)
}

/// The same for the hardware.
pub fn shape(layout: &SliceLayout) -> SlicedShape {
    SlicedShape {
        words: layout.words,
        units: layout.units,
        unit_bits: layout.unit_bits,
        widths: layout.widths.clone(),
        mask: match layout.mask {
            MaskPlace::Slice => HardwarePlace::Slice,
            MaskPlace::Field => HardwarePlace::Field,
            MaskPlace::Hybrid => HardwarePlace::Hybrid,
        },
        network: network(layout.network),
        exact: layout.exact,
        right: layout.right,
        write_threshold: layout.write_threshold,
        read_threshold: layout.read_threshold,
        access_threshold: layout.access_threshold,
        in_turn: layout.in_turn,
        latency: layout.latency,
        plain: layout.plain,
        bypass: layout.bypass,
    }
}

/// The same for the hardware.
pub fn network(network: Network) -> HardwareNetwork {
    match network {
        Network::Full => HardwareNetwork::Full,
        Network::Half => HardwareNetwork::Half,
        Network::Split => HardwareNetwork::Split,
    }
}

fn memory(layout: &SliceLayout) -> Sources {
    fn of<const UB: usize>(layout: &SliceLayout) -> Sources {
        let shape = shape(layout);
        match layout.mask {
            _ if layout.plain => emitted(PlainMemory::<UB>::new(shape)),
            MaskPlace::Slice => emitted(Sliced::<UB>::new(shape)),
            MaskPlace::Field => emitted(SlicedField::<UB>::new(shape)),
            MaskPlace::Hybrid => emitted(SlicedHybrid::<UB>::new(shape)),
        }
    }
    match layout.unit_bits {
        4 => of::<4>(layout),
        8 => of::<8>(layout),
        16 => of::<16>(layout),
        _ => of::<32>(layout),
    }
}

/// Modules and ports of a side.
fn part(side: &Side) -> Part {
    let (name, layout) = (&side.name, &side.options);
    let mut part = side.part(&memory(layout), CELLS, checked_slice);
    let (bits, units, slices) = (layout.word_bits(), layout.units, layout.slices());
    part.ports = format!(
        "  input wire [{bits}-1:0] {name}_wdata_i,
  output wire {name}_rvalid_o,
  output wire [{bits}-1:0] {name}_rdata_o,
  output wire [{units}-1:0] {name}_rmask_o,
  output wire {name}_mask_ren_o,
  output wire {name}_mask_wen_o,
  output wire [{slices}-1:0] {name}_slice_ren_o,
  output wire [{slices}-1:0] {name}_slice_wen_o,
  output wire [{units}-1:0] {name}_lane_wen_o,
  output wire [63:0] {name}_broken_o,
"
    );
    let list = "wdata_i rvalid_o rdata_o rmask_o mask_ren_o mask_wen_o slice_ren_o slice_wen_o \
                lane_wen_o";
    let pins: Vec<String> = list
        .split_whitespace()
        .map(|port| format!(".{port}({name}_{port})"))
        .collect();
    part.body = format!(
        "  {} u_{name} (.clk, .rst_n, .wen_i, .waddr_i, .ren_i, .raddr_i, {});
  assign {name}_broken_o = {{{name}_heddle_rules::meets, {name}_heddle_rules::moves + {name}_idle}};
",
        part.top,
        pins.join(", ")
    );
    part.body += &idle_monitor(name, layout);
    part
}

/// Counts the cycles in which packing moved though no word with a non-zero unit had come.
fn idle_monitor(name: &str, layout: &SliceLayout) -> String {
    let bits = layout.word_bits();
    if layout.plain {
        return format!("  wire [31:0] {name}_idle = 32'd0;\n");
    }
    // Registers between the ports and the inputs of the packing network.
    let (unit, stages) = match (layout.mask, layout.latency) {
        (MaskPlace::Slice, latency) => {
            let registers = [latency >= 3, latency >= 5, latency >= 6];
            (
                "u_writer.u_pack",
                registers.iter().filter(|is_there| **is_there).count(),
            )
        }
        (_, latency) => ("u_request.u_pack", usize::from(latency >= 5)),
    };
    format!(
        "  reg [{bits}-1:0] {name}_packed_q;
  reg [3:0] {name}_dense_q;
  reg [31:0] {name}_idle;
  wire [4:0] {name}_dense = {{{name}_dense_q, wen_i && {name}_wdata_i != 0}};
  always @(posedge clk) begin
    {name}_packed_q <= u_{name}.{unit}.packed_o;
    {name}_dense_q <= {name}_dense[3:0];
    if (u_{name}.{unit}.packed_o != {name}_packed_q && !{name}_dense[{stages}])
      {name}_idle <= {name}_idle + 1;
  end
"
    )
}

/// The text of a data slice with memory cells that see when the slice is accessed.
fn checked_slice(file: &str, text: &str) -> String {
    if !file.starts_with("heddle_sliced_data_") {
        return text.into();
    }
    let cells = [
        ("heddle_ram_1r1w #(", "heddle_slice_cell #("),
        ("heddle_ram_1r1w_lanes #(", "heddle_slice_lanes #("),
    ];
    let found = cells.into_iter().find(|(cell, _)| text.contains(cell));
    let (cell, checked) = found.expect("a data slice has a memory");
    assert!(text.contains(".rdata_o("));
    text.replace(cell, checked).replace(
        ".rdata_o(",
        ".read_i(slice_ren_o), .write_i(slice_wen_o), .rdata_o(",
    )
}
