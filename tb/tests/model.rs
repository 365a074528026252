//! Hand-written Verilog through Verilator: port widths, clocks, waves and error messages.

use std::path::Path;

use heddle_tb::verilate::{
    Options, Port, Sources, Trace, VerilateError, Verilator, XInitial, build_shared,
};
use heddle_tb::{Model, ModelError};

const WIDTHS: [u32; 13] = [1, 7, 8, 9, 16, 17, 32, 33, 64, 65, 96, 100, 256];

/// Registers its inputs, one pair of ports per width, and inverts them.
fn widths_sources() -> Sources {
    let mut ports = vec![Port::input("clk", 1)];
    let mut list = "  input wire clk".to_string();
    let mut body = String::new();
    for w in WIDTHS {
        ports.push(Port::input(format!("d{w}_i"), w));
        ports.push(Port::output(format!("q{w}_o"), w));
        ports.push(Port::output(format!("n{w}_o"), w));
        let top = w - 1;
        list += &format!(",\n  input wire [{top}:0] d{w}_i");
        list += &format!(",\n  output reg [{top}:0] q{w}_o");
        list += &format!(",\n  output wire [{top}:0] n{w}_o");
        body += &format!("  assign n{w}_o = ~d{w}_i;\n");
        body += &format!("  always @(posedge clk) q{w}_o <= d{w}_i;\n");
    }
    Sources {
        top: "widths".into(),
        files: vec![(
            "widths.v".into(),
            format!("module widths (\n{list}\n);\n{body}endmodule\n"),
        )],
        ports,
    }
}

const COUNTER: &str = "
module counter (
  input wire clk,
  input wire rst_n,
  input wire [7:0] step_i,
  output reg [31:0] count_o,
  output wire [39:0] wide_o,
  output wire odd_o
);
  assign odd_o = count_o[0] ^ step_i[0];
  assign wide_o = {8'd1, count_o};
  always @(posedge clk) begin
    if (!rst_n) count_o <= 32'd0;
    else count_o <= count_o + {24'd0, step_i};
  end
endmodule
";

fn load(sources: &Sources, options: &Options) -> Model {
    Model::load(&build_shared(sources, options).unwrap()).unwrap()
}

fn counter(trace: Trace) -> Model {
    let options = Options {
        trace,
        ..Options::default()
    };
    let mut model = load(&Sources::single("counter", COUNTER), &options);
    let rst_n = model.port("rst_n").unwrap();
    let step = model.port("step_i").unwrap();
    model.clock();
    model.set(rst_n, 1);
    model.set(step, 1);
    model
}

#[test]
fn ports_of_every_storage_class_carry_all_their_bits() {
    let mut model = load(&widths_sources(), &Options::default());
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 32) as u32
    };
    for _ in 0..200 {
        for width in WIDTHS {
            let [d, q, n] = ["d", "q", "n"].map(|p| {
                let suffix = if p == "d" { "i" } else { "o" };
                model.port(&format!("{p}{width}_{suffix}")).unwrap()
            });
            let count = width.div_ceil(32) as usize;
            let mut words: Vec<u32> = (0..count).map(|_| random()).collect();
            model.set_words(d, &words);
            let spare = 32 * count as u32 - width;
            *words.last_mut().unwrap() &= u32::MAX >> spare;
            model.eval();
            let mut inverted = vec![0; count];
            model.get_words(n, &mut inverted);
            for (a, b) in words.iter().zip(&mut inverted) {
                *b = !*b;
                if std::ptr::eq(a, words.last().unwrap()) {
                    *b &= u32::MAX >> spare;
                }
            }
            assert_eq!(inverted, words, "{width}");
            model.clock();
            let mut seen = vec![0; count];
            model.get_words(q, &mut seen);
            assert_eq!(seen, words, "{width}");
            if width <= 64 {
                let value = words
                    .iter()
                    .rev()
                    .fold(0u64, |v, w| (v << 32) | u64::from(*w));
                assert_eq!(model.get(q), value, "{width}");
                model.set(d, !0);
                assert_eq!(model.get(d), u64::MAX >> (64 - width), "{width}");
            }
            for lsb in (0..width).step_by(5) {
                let part = 5.min(width - lsb);
                let value = u64::from(random());
                model.set_bits(d, lsb, part, value);
                let expected = value & ((1 << part) - 1);
                assert_eq!(model.get_bits(d, lsb, part), expected, "{width} {lsb}");
            }
        }
    }
}

#[test]
fn clocks_and_run_until_count_cycles() {
    let mut model = counter(Trace::None);
    let count = model.port("count_o").unwrap();
    let wide = model.port("wide_o").unwrap();
    let odd = model.port("odd_o").unwrap();
    assert_eq!(model.get(count), 0);
    model.clock();
    assert_eq!(model.get(count), 1);
    model.cycles(9);
    assert_eq!(model.get(count), 10);
    assert_eq!(model.run_until(count, 110, 1000), Some(100));
    assert_eq!(model.get(count), 110);
    // The port has the value already: the search begins with the next cycle.
    assert_eq!(model.run_until(count, 110, 50), None);
    assert_eq!(model.get(count), 160);
    assert_eq!(model.run_until(wide, (1 << 32) | 200, 1000), Some(40));
    assert_eq!(model.run_until(odd, 0, 3), Some(1));
    assert_eq!(model.run_until(odd, 2, 3), None);
    assert_eq!(model.run_until(odd, 1, 0), None);
}

/// Writes two waves, the second one after a pause without, and returns their contents.
/// Names its place when it stops, so that Verilator keeps a scope for it.
#[test]
fn two_models_of_a_thread_end_in_any_order() {
    let text = "module stops (input wire clk, input wire d_i);
  always @(posedge clk) if (d_i) begin $display(\"%m\"); $stop; end
endmodule\n";
    let sources = Sources {
        top: "stops".into(),
        files: vec![("stops.v".into(), text.into())],
        ports: vec![Port::input("clk", 1), Port::input("d_i", 1)],
    };
    let mut first = load(&sources, &Options::default());
    let mut second = load(&sources, &Options::default());
    for (model, clocks) in [(&mut first, 2), (&mut second, 1)] {
        let input = model.port("d_i").unwrap();
        model.set(input, 1);
        model.cycles(clocks);
        assert_eq!(model.take_stops(), clocks);
    }
    drop(second);
    drop(first);
}

fn waves(trace: Trace) -> [Vec<u8>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = |n: u32| folder.path().join(format!("{n}.{}", trace.extension()));
    let mut model = counter(trace);
    model.trace_open(&path(1)).unwrap();
    model.cycles(20);
    model.trace_close();
    model.cycles(20);
    model.trace_open(&path(2)).unwrap();
    let count = model.port("count_o").unwrap();
    model.run_until(count, 45, 100).unwrap();
    drop(model);
    [1, 2].map(|n| std::fs::read(path(n)).unwrap())
}

#[test]
fn vcd_contains_signals_and_all_edges() {
    let [first, second] = waves(Trace::Vcd).map(|bytes| String::from_utf8(bytes).unwrap());
    for text in [&first, &second] {
        for signal in ["clk", "rst_n", "step_i [7:0]", "count_o [31:0]", "odd_o"] {
            assert!(
                text.contains(&format!(" {signal} $end")),
                "{signal}:\n{text}"
            );
        }
        assert!(text.contains("$scope module counter $end"));
        let words: Vec<&str> = text.split_whitespace().take(40).collect();
        let scale = words.iter().position(|w| *w == "$timescale").unwrap();
        assert_eq!(words[scale + 1], "1ns");
    }
    let times = |text: &str| -> Vec<u64> {
        let lines = text.lines().filter_map(|l| l.strip_prefix('#'));
        lines.map(|t| t.parse().unwrap()).collect()
    };
    // One reset cycle before; 20 cycles of 10 ns with two edges each, and the end.
    let expected: Vec<u64> = (0..=40).map(|edge| 10 + 5 * edge).collect();
    assert_eq!(times(&first), expected);
    let expected: Vec<u64> = (0..=10).map(|edge| 410 + 5 * edge).collect();
    assert_eq!(times(&second), expected);
    // 45 = 0b101101
    assert!(second.contains("b00000000000000000000000000101101 "));
}

#[test]
fn fst_is_written() {
    for bytes in waves(Trace::Fst) {
        // Block type 0 (header), 329 bytes long, as every FST file begins.
        assert_eq!(&bytes[..9], [0, 0, 0, 0, 0, 0, 0, 1, 0x49]);
        assert!(bytes.len() > 400, "{}", bytes.len());
    }
}

#[test]
fn wave_errors_are_explained() {
    let mut model = counter(Trace::None);
    let message = model
        .trace_open(Path::new("x.vcd"))
        .unwrap_err()
        .to_string();
    assert_eq!(
        message,
        "counter was built without waves, expected trace option vcd or fst"
    );
    let mut model = counter(Trace::Vcd);
    let error = model.trace_open(Path::new("/no/such/folder/x.vcd"));
    let message = error.unwrap_err().to_string();
    assert!(
        message.starts_with("cannot write wave /no/such/folder/x.vcd: No such file"),
        "{message}"
    );
    model.cycles(3);
}

#[test]
fn unknown_port_lists_the_known_ones() {
    let model = counter(Trace::None);
    let error = model.port("cuont_o").unwrap_err();
    let ModelError::UnknownPort { known, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(known.split(", ").count(), 6);
    let message = error.to_string();
    assert!(message.starts_with("counter has no port cuont_o, expected one of "));
    assert!(message.contains("count_o"), "{message}");
}

#[test]
#[should_panic(expected = "count_o is an output, expected an input")]
fn outputs_cannot_be_driven() {
    let mut model = counter(Trace::None);
    let count = model.port("count_o").unwrap();
    model.set(count, 1);
}

#[test]
#[should_panic(expected = "inverter has no input clk")]
fn a_module_without_clock_cannot_be_clocked() {
    let text =
        "module inverter (input wire a_i, output wire y_o);\n  assign y_o = ~a_i;\nendmodule\n";
    let mut model = load(&Sources::single("inverter", text), &Options::default());
    let y = model.port("y_o").unwrap();
    assert_eq!(model.get(y), 1);
    model.clock();
}

#[test]
fn syntax_error_shows_the_message_of_verilator() {
    let text = "module broken (input wire a_i);\n  assign y = ;\nendmodule\n";
    let error = build_shared(&Sources::single("broken", text), &Options::default()).unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("verilator failed for broken:\n"),
        "{message}"
    );
    assert!(message.contains("broken.v:2:"), "{message}");
    assert!(message.contains("syntax error"), "{message}");
    assert_eq!(error.exit_code(), 1);
}

#[test]
fn wrong_port_table_is_refused() {
    let mut sources = Sources::single("counter", COUNTER);
    sources.ports = vec![Port::input("clk", 1), Port::output("count_o", 31)];
    let error = build_shared(&sources, &Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "port count_o of counter is 32-bit output in Verilog, the port table says 31-bit output"
    );
}

#[test]
fn missing_verilator_names_the_setup_script() {
    let error = Verilator::at(Path::new("/no/such/verilator"), None).unwrap_err();
    assert!(matches!(error, VerilateError::MissingVerilator { .. }));
    assert!(error.to_string().ends_with("run scripts/setup.sh"));
    assert_eq!(error.exit_code(), 2);
}

#[test]
fn file_that_is_no_library_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.so");
    std::fs::write(&path, "no library").unwrap();
    let message = Model::load(&path).err().unwrap().to_string();
    assert!(message.starts_with("cannot load model "), "{message}");
}

#[test]
fn cache_is_shared_and_depends_on_text_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        cache: Some(folder.path().to_path_buf()),
        ..Options::default()
    };
    let sources = Sources::single("counter", COUNTER);
    // Four builders at once, as in a test run with four processes.
    let paths: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| build_shared(&sources, &options).unwrap()))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(paths.iter().all(|path| *path == paths[0]));
    let modified = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    let before = modified(&paths[0]);
    assert_eq!(build_shared(&sources, &options).unwrap(), paths[0]);
    assert_eq!(modified(&paths[0]), before);

    let other_text = Sources::single("counter", COUNTER.replace("8'd1", "8'd2"));
    let other_options = Options {
        x_initial: XInitial::Unique,
        ..options.clone()
    };
    assert_ne!(build_shared(&other_text, &options).unwrap(), paths[0]);
    let unique = build_shared(&sources, &other_options).unwrap();
    assert_ne!(unique, paths[0]);
    // Only finished files are left.
    let names = std::fs::read_dir(folder.path()).unwrap();
    let names: Vec<_> = names.map(|e| e.unwrap().file_name()).collect();
    assert!(
        names.iter().all(|n| !n.to_string_lossy().starts_with('.')),
        "{names:?}"
    );

    let before_reset = |seed| {
        let mut model = Model::load_with(&unique, seed).unwrap();
        let count = model.port("count_o").unwrap();
        model.eval();
        model.get(count)
    };
    assert_eq!(before_reset(None), 0);
    assert_eq!(before_reset(Some(7)), before_reset(Some(7)));
    assert_ne!(before_reset(Some(7)), before_reset(Some(8)));
}
