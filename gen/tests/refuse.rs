//! Broken blocks are refused, with the path of the block and the name of the signal.

use heddle_gen::{EmitOptions, emit};
use heddle_kernel::prelude::*;

#[track_caller]
fn refused(block: &dyn Block, message: &str) {
    match emit(block, &EmitOptions::default()) {
        Ok(design) => panic!("not refused:\n{}", design.top_module().text),
        Err(e) => assert_eq!(e.to_string(), message),
    }
}

/// A block of a few signals with a kernel.
macro_rules! broken {
    ($name:ident, { $($field:ident : $ty:ty),* $(,)? }, $($kernel:tt)*) => {
        #[derive(LogicBlock)]
        #[allow(dead_code)]
        struct $name { $($field: $ty),* }
        impl Default for $name {
            fn default() -> Self {
                Self { $($field: Make::make()),* }
            }
        }
        impl Logic for $name {
            $($kernel)*
            fn timing(&self) -> Vec<TimingInfo> {
                let meta = Meta::module("broken").doc("A broken module.");
                meta$(.port(stringify!($field), "A signal."))*.into_timing()
            }
        }
    };
}

/// Default values, with arrays of four elements.
trait Make {
    fn make() -> Self;
}

impl<D: Direction, T: Synth> Make for Signal<D, T> {
    fn make() -> Self {
        Self::default()
    }
}

impl<T: Make> Make for Vec<T> {
    fn make() -> Self {
        (0..4).map(|_| T::make()).collect()
    }
}

impl<T: Synth> Make for Reg<T> {
    fn make() -> Self {
        Self::default()
    }
}

type In1 = Signal<In, Bit>;
type Out1 = Signal<Out, Bit>;
type In8 = Signal<In, Bits<8>>;
type Out8 = Signal<Out, Bits<8>>;
type Local8 = Signal<Local, Bits<8>>;

broken!(Latch, { c_i: In1, x_i: In8, y_o: Out8 },
#[hdl_gen]
fn update(&mut self) {
    if self.c_i.val() {
        self.y_o.next = self.x_i.val();
    }
});

broken!(LatchInArray, { c_i: In1, x_i: In8, y_o: Vec<Out8> },
#[hdl_gen]
fn update(&mut self) {
    for i in 0..4 {
        self.y_o[i].next = 0.into();
    }
    self.y_o[2].next = self.x_i.val();
    if self.c_i.val() {
        self.y_o[3].next = self.x_i.val();
    }
});

#[test]
fn no_latch_with_a_default() {
    let design = emit(&LatchInArray::default(), &EmitOptions::default()).expect("legal");
    assert!(design.top_module().text.contains("c_i ? x_i : 8'd0"));
}

broken!(LatchInMatch, { s_i: Signal<In, Bits<2>>, x_i: In8, y_o: Out8 },
#[hdl_gen]
fn update(&mut self) {
    match self.s_i.val().index() {
        0 => { self.y_o.next = self.x_i.val(); }
        1 => { self.y_o.next = 0.into(); }
        _ => {}
    }
});

broken!(Loop, { y_o: Out1, a: Vec<Signal<Local, Bit>> },
#[hdl_gen]
fn update(&mut self) {
    self.a[0].next = self.a[1].val();
    self.a[1].next = !self.a[0].val();
    self.a[2].next = false;
    self.a[3].next = false;
    self.y_o.next = self.a[1].val() | self.a[2].val() | self.a[3].val();
});

/// Passes its input on.
#[derive(LogicBlock, Default)]
struct Pass {
    x_i: In8,
    y_o: Out8,
}

impl Logic for Pass {
    #[hdl_gen]
    fn update(&mut self) {
        self.y_o.next = self.x_i.val() + 1;
    }
    fn timing(&self) -> Vec<TimingInfo> {
        let meta = Meta::module("pass").doc("Adds 1.");
        meta.port("x_i", "Operand.")
            .port("y_o", "Sum.")
            .into_timing()
    }
}

impl Make for Pass {
    fn make() -> Self {
        Self::default()
    }
}

broken!(LoopThroughChildren, { y_o: Out8, pass: Vec<Pass>, wire_of: Vec<Local8> },
#[hdl_gen]
fn update(&mut self) {
    for i in 0..4 {
        self.wire_of[i].next = self.pass[i].y_o.val();
    }
    for i in 1..4 {
        self.pass[i].x_i.next = self.wire_of[i - 1].val();
    }
    self.pass[0].x_i.next = self.wire_of[3].val();
    self.y_o.next = self.wire_of[3].val();
});

#[test]
fn loop_across_child_instances() {
    let design = emit(&LoopThroughChildren::default(), &EmitOptions::default());
    let message = design.expect_err("a ring of adders is a loop").to_string();
    assert!(
        message.starts_with("top: combinational loop through "),
        "{message}"
    );
}

broken!(TwoDrivers, { x_i: In8, z_i: In8, y_o: Out8 },
#[hdl_gen]
fn update(&mut self) {
    self.y_o.next = self.x_i.val();
    self.y_o.next = self.z_i.val();
});

broken!(DrivesInput, { x_i: Vec<In8>, y_o: Out8 },
#[hdl_gen]
fn update(&mut self) {
    for k in 0..4 {
        self.x_i[k].next = 0.into();
    }
    self.y_o.next = self.x_i[0].val();
});

broken!(DrivesChildOutput, { y_o: Out8, pass: Pass },
#[hdl_gen]
fn update(&mut self) {
    self.pass.x_i.next = 0.into();
    self.pass.y_o.next = 0.into();
    self.y_o.next = self.pass.y_o.val();
});

broken!(Undriven, { x_i: In8, y_o: Vec<Out8> },
#[hdl_gen]
fn update(&mut self) {
    for i in 0..3 {
        self.y_o[i].next = self.x_i.val();
    }
});

broken!(UndrivenChild, { y_o: Vec<Out8>, pass: Vec<Pass> },
#[hdl_gen]
fn update(&mut self) {
    for i in 0..4 {
        self.y_o[i].next = self.pass[i].y_o.val();
    }
    for i in 1..4 {
        self.pass[i].x_i.next = 0.into();
    }
});

broken!(Reserved, { table: In8, y_o: Out8 },
#[hdl_gen]
fn update(&mut self) {
    self.y_o.next = self.table.val();
});

/// A signal and a parameter of one name.
#[derive(LogicBlock, Default)]
struct Shadowed {
    x: In8,
    y: Out8,
    loops: Local8,
    _loops: usize,
}

impl Logic for Shadowed {
    #[hdl_gen]
    fn update(&mut self) {
        self.loops.next = self.x.val();
        self.y.next = self.loops.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        let this = self;
        Meta::module("broken")
            .param("loops", "n", this._loops, "loops")
            .into_timing()
    }
}

#[test]
fn signal_with_the_name_of_a_parameter() {
    let mut block = Shadowed::default();
    block.connect_all();
    refused(
        &block,
        "top: signal loops has the name of a parameter, rename one of them",
    );
}

/// Uses a field that is not a parameter.
#[derive(LogicBlock, Default)]
struct UnknownName {
    x_i: Vec<In8>,
    y_o: Out8,
    _last: usize,
}

impl Logic for UnknownName {
    #[hdl_gen]
    fn update(&mut self) {
        self.y_o.next = self.x_i[self._last].val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        Meta::module("broken").into_timing()
    }
}

#[test]
fn unknown_name() {
    let mut block = UnknownName::default();
    block.x_i.push(Signal::default());
    let message = "top: unknown name _last in x_i[_last], \
                   expected a signal, loop variable or parameter";
    refused(&block, message);
}

broken!(UnknownWidth, { x_i: Signal<In, Bits<4>>, y_o: Out1 },
#[hdl_gen]
fn update(&mut self) {
    for i in 0..4usize {
        self.y_o.next = (i.to_bits::<4>() + 1).any() & self.x_i.val().any();
    }
});

broken!(Outside, { x_i: Vec<In8>, y_o: Vec<Out8> },
#[hdl_gen]
fn update(&mut self) {
    for i in 0..4usize {
        self.y_o[i].next = self.x_i[i + 1].val();
    }
});

/// A block that is no module.
#[derive(LogicBlock, Default)]
struct Anonymous {
    x_i: In8,
    y_o: Out8,
}

impl Logic for Anonymous {
    #[hdl_gen]
    fn update(&mut self) {
        self.y_o.next = self.x_i.val();
    }
}

/// A top that holds another one of its name.
#[derive(LogicBlock, Default)]
struct Clash {
    x_i: In8,
    y_o: Out8,
    pass: Pass,
    other: Other,
}

/// A top of the same name.
#[derive(LogicBlock, Default)]
struct Other {
    x_i: In8,
    y_o: Out8,
}

impl Logic for Other {
    #[hdl_gen]
    fn update(&mut self) {
        self.y_o.next = self.x_i.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        top("clash")
    }
}

fn top(name: &str) -> Vec<TimingInfo> {
    let meta = Meta::module(name).top().doc("Passes its input on.");
    meta.port("x_i", "Input.")
        .port("y_o", "Output.")
        .into_timing()
}

impl Logic for Clash {
    #[hdl_gen]
    fn update(&mut self) {
        self.pass.x_i.next = self.x_i.val();
        self.other.x_i.next = self.pass.y_o.val();
        self.y_o.next = self.other.y_o.val();
    }
    fn timing(&self) -> Vec<TimingInfo> {
        top("clash")
    }
}

broken!(GatedClock, { clk: Signal<In, Clock>, rst_n: In1, x_i: In1, y_o: Out1, clk_of: Signal<Local, Clock>, r: Reg<Bit> },
#[hdl_gen]
fn update(&mut self) {
    self.clk_of.next = self.clk.val();
    self.r.clk.next = self.clk_of.val();
    self.r.rst_n.next = self.rst_n.val();
    self.r.d_i.next = self.x_i.val();
    self.y_o.next = self.r.q_o.val();
});

broken!(ReadTooEarly, { c_i: In1, x_i: In8, y_o: Out8, z_o: Out8, t: Local8 },
#[hdl_gen]
fn update(&mut self) {
    self.y_o.next = 0.into();
    self.z_o.next = 0.into();
    if self.c_i.val() {
        self.y_o.next = self.t.val();
        self.z_o.next = self.x_i.val();
    }
    self.t.next = 0.into();
    if self.c_i.val() {
        self.t.next = self.x_i.val();
        self.z_o.next = self.t.val();
    }
});

/// A command of two fields.
#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
pub struct Command {
    op: Bits<4>,
    addr: Bits<12>,
}

broken!(Fields, { cmd_i: Signal<In, Command>, cmd_o: Signal<Out, Command>, addr_o: Signal<Out, Bits<12>> },
#[hdl_gen]
fn update(&mut self) {
    self.addr_o.next = self.cmd_i.val().addr;
    self.cmd_o.next.op = self.cmd_i.val().op;
    self.cmd_o.next.addr = self.cmd_i.val().addr + 1;
});

#[test]
fn members_of_structs_are_slices() {
    let design = emit(&Fields::default(), &EmitOptions::default()).expect("legal");
    let text = &design.top_module().text;
    for line in [
        "assign addr_o = cmd_i[15:4];",
        "cmd_o[3:0] = cmd_i[3:0];",
        "cmd_o[15:4] = cmd_i[15:4] + 12'd1;",
    ] {
        assert!(text.contains(line), "{line}:\n{text}");
    }
}

/// A port that says nothing of itself.
#[module(combinational)]
struct SilentPort {
    x_i: Signal<In, Bit>,
}

#[kernel]
impl SilentPort {
    fn update(&mut self) {}
}

#[module(combinational)]
struct Silent {
    /// A signal.
    x_i: Signal<In, Bit>,
}

#[kernel]
impl Silent {
    fn update(&mut self) {}
}

#[test]
fn modules_and_ports_without_a_description() {
    let module = "top: module has no description, add a doc comment to the struct";
    refused(&Silent::default(), module);
    let port = "top: port x_i has no description, add a doc comment to its field";
    refused(&SilentPort::default(), port);
}

#[test]
fn broken_blocks_are_refused() {
    /// A block of default values.
    #[track_caller]
    fn of<B: Block + Default>(message: &str) {
        refused(&B::default(), message);
    }
    let latch = "top: y_o is not driven on every path (latch), give it a value before the first if";
    of::<Latch>(latch);
    of::<LatchInMatch>(latch);
    of::<Loop>("top: combinational loop through a[1]");
    of::<TwoDrivers>("top: y_o has two drivers");
    of::<DrivesInput>("top: x_i[k] is driven, but it is an input here");
    of::<DrivesChildOutput>("top: pass.y_o is driven, but it is an input here");
    of::<Undriven>("top: y_o[3] is not driven");
    of::<UndrivenChild>("top: pass[0].x_i is not driven");
    of::<Reserved>("top: name table is a reserved word of Verilog, SystemVerilog or VHDL");
    of::<UnknownWidth>("top: width of i + 1 is unknown, add a cast");
    of::<Outside>("top: index of x_i[i+1] is 4, expected less than 4");
    of::<Anonymous>("top: block is no module, write #[module] above its struct");
    of::<Clash>(
        "top: module name heddle_clash stands for two different texts, expected one: another name of the \
         configuration gives others",
    );
    of::<GatedClock>("top: clock of register r is not an input of the module");
    of::<ReadTooEarly>("top: t is read before it is written, move its assignments up");
}
