//! Modules that Verilator translates once: the same values in the same clocks as the flat model.

use crate::rtl::OrPanic;
use heddle_tb::verilate::{Options, Sources, Trace, XInitial, build_shared};
use heddle_tb::{Model, PortId};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A memory, a wide register and a way straight through.
const LINK: &str = "
module link (
  input wire clk, input wire rst_n, input wire write_i, input wire [3:0] addr_i,
  input wire [99:0] d_i, input wire [8:0] fast_i,
  output reg [99:0] q_o, output wire [8:0] fast_o
);
  reg [99:0] mem[0:15];
  assign fast_o = fast_i ^ q_o[8:0];
  always @(posedge clk) begin
    if (write_i) mem[addr_i] <= d_i;
    if (!rst_n) q_o <= 100'd0;
    else q_o <= mem[addr_i] + {d_i[98:0], 1'b1};
  end
endmodule
";

/// Adds up what comes from the links; its reset is asynchronous.
const SUM: &str = "
module sum (input wire clk, input wire rst_n, input wire [8:0] d_i, output reg [39:0] q_o);
  always @(posedge clk or negedge rst_n)
    if (!rst_n) q_o <= 40'd0;
    else q_o <= {q_o[38:0], q_o[39]} + {31'd0, d_i};
endmodule
";

const CHAIN: &str = "
module chain (
  input wire clk, input wire rst_n, input wire write_i, input wire [3:0] addr_i,
  input wire [99:0] d_i, input wire [8:0] fast_i,
  output wire [99:0] q_o, output wire [39:0] sum_o, output wire [39:0] same_o
);
  wire [99:0] a, b;
  wire [8:0] fa, fb, fc;
  link u_a (.clk(clk), .rst_n(rst_n), .write_i(write_i), .addr_i(addr_i), .d_i(d_i),
            .fast_i(fast_i), .q_o(a), .fast_o(fa));
  link u_b (.clk(clk), .rst_n(rst_n), .write_i(write_i), .addr_i(addr_i), .d_i(a),
            .fast_i(fa), .q_o(b), .fast_o(fb));
  link u_c (.clk(clk), .rst_n(rst_n), .write_i(a[0]), .addr_i(b[3:0]), .d_i(b),
            .fast_i(fb), .q_o(q_o), .fast_o(fc));
  sum u_sum (.clk(clk), .rst_n(rst_n), .d_i(fc), .q_o(sum_o));
  sum u_same (.clk(clk), .rst_n(rst_n), .d_i(fc), .q_o(same_o));
endmodule
";

fn sources() -> Sources {
    Sources {
        top: "chain".into(),
        files: [("link.v", LINK), ("sum.v", SUM), ("chain.v", CHAIN)]
            .map(|(name, text)| (name.to_string(), text.to_string()))
            .to_vec(),
        ports: Vec::new(),
    }
}

fn options(blocks: &[&str]) -> Options {
    Options {
        hier_blocks: blocks.iter().map(ToString::to_string).collect(),
        ..Options::default()
    }
}

fn load(options: &Options, seed: Option<u32>) -> Model {
    let library = build_shared(&sources(), options).or_panic();
    Model::load_with(&library, seed).unwrap()
}

fn random_inputs(rng: &mut ChaCha8Rng) -> [u32; 8] {
    let mut words: [u32; 8] = rng.random();
    // The reset is rare.
    words[0] = u32::from(words[0] >= 1 << 28);
    words
}

fn drive(model: &mut Model, inputs: &[u32; 8]) {
    for (name, value) in ["rst_n", "write_i", "addr_i", "fast_i"].iter().zip(inputs) {
        let port = model.port(name).unwrap();
        model.set(port, u64::from(*value));
    }
    let port = model.port("d_i").unwrap();
    model.set_words(port, &inputs[4..]);
}

fn outputs(model: &Model) -> Vec<u32> {
    let ports: Vec<(PortId, u32)> = model
        .ports()
        .filter(|(_, _, _, output)| *output)
        .map(|(port, _, width, _)| (port, width))
        .collect();
    let values = ports.into_iter().map(|(port, width)| {
        let mut words = vec![0; width.div_ceil(32) as usize];
        model.get_words(port, &mut words);
        words
    });
    values.flatten().collect()
}

#[test]
fn blocks_and_the_flat_model_agree_in_every_clock() {
    let mut flat = load(&options(&[]), None);
    let mut one = load(&options(&["link"]), None);
    let mut both = load(&options(&["link", "sum"]), None);
    for seed in 1..=3 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut sums = std::collections::BTreeSet::new();
        for clock in 0..2000 {
            let inputs = random_inputs(&mut rng);
            let place = format!("seed {seed}, clock {clock}");
            for model in [&mut flat, &mut one, &mut both] {
                drive(model, &inputs);
                model.eval();
            }
            assert_eq!(outputs(&one), outputs(&flat), "{place}, before the edge");
            assert_eq!(outputs(&both), outputs(&flat), "{place}, before the edge");
            for model in [&mut flat, &mut one, &mut both] {
                model.clock();
            }
            assert_eq!(outputs(&one), outputs(&flat), "{place}");
            assert_eq!(outputs(&both), outputs(&flat), "{place}");
            sums.insert(flat.get(flat.port("sum_o").unwrap()));
        }
        assert!(sums.len() > 1500, "seed {seed}: {} sums", sums.len());
    }
}

#[test]
fn models_with_blocks_are_independent_and_may_change_threads() {
    let options = options(&["link", "sum"]);
    let inputs = [1, 1, 3, 5, 7, 9, 11, 1];
    let mut expected = load(&options, None);
    drive(&mut expected, &inputs);
    expected.cycles(40);
    let first = load(&options, None);
    let mut other = load(&options, None);
    other.cycles(17);
    let first = std::thread::spawn(move || {
        let mut first = first;
        drive(&mut first, &inputs);
        first.cycles(30);
        first
    });
    let mut first = first.join().unwrap();
    drop(other);
    first.cycles(10);
    assert_eq!(outputs(&first), outputs(&expected));
}

#[test]
fn memories_of_blocks_start_with_bits_of_the_seed() {
    let options = Options {
        x_initial: XInitial::Unique,
        ..options(&["link", "sum"])
    };
    let seen = |seed: Option<u32>| {
        let mut model = load(&options, seed);
        drive(&mut model, &[0; 8]);
        model.cycles(2);
        drive(&mut model, &[1, 0, 2, 0, 0, 0, 0, 0]);
        model.cycles(3);
        outputs(&model)
    };
    // Without a seed the memories hold zeros.
    assert_eq!(seen(None)[0], 7);
    let [a, b] = [1, 2].map(|seed| seen(Some(seed)));
    assert_ne!(a, b);
    assert_eq!(a, seen(Some(1)));
    // The three links do not begin alike, or the sum of three equal words would be known.
    let mut model = load(&options, Some(1));
    drive(&mut model, &[1, 0, 2, 0, 0, 0, 0, 0]);
    model.cycles(1);
    assert_ne!(outputs(&model)[0], 1);
}

/// Runs with waves, the second one after a pause without, and gives their bytes.
fn waves(trace: Trace, blocks: &[&str]) -> [Vec<u8>; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = |n: u32| folder.path().join(format!("{n}.{}", trace.extension()));
    let options = Options {
        trace,
        ..options(blocks)
    };
    let mut model = load(&options, None);
    drive(&mut model, &[0; 8]);
    model.cycles(2);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    model.trace_open(&path(1)).unwrap();
    for _ in 0..20 {
        drive(&mut model, &random_inputs(&mut rng));
        model.clock();
    }
    model.trace_close();
    model.cycles(5);
    model.trace_open(&path(2)).unwrap();
    model.cycles(10);
    drop(model);
    [1, 2].map(|n| std::fs::read(path(n)).unwrap())
}

/// Each signal of a VCD by its scope and name, with all its changes: time and value.
fn changes(text: &str) -> std::collections::BTreeMap<String, Vec<(u64, String)>> {
    let (mut scopes, mut time) = (Vec::new(), 0);
    let mut names = std::collections::BTreeMap::<String, Vec<String>>::new();
    let mut found = std::collections::BTreeMap::<String, Vec<(u64, String)>>::new();
    // A port of a block is declared twice, by its instance and by itself.
    let mut change = |time: u64, names: &[String], value: &str| {
        for name in names {
            let (list, change) = (found.entry(name.clone()).or_default(), (time, value.into()));
            if list.last() != Some(&change) {
                list.push(change);
            }
        }
    };
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["$scope", _, name, ..] => scopes.push((*name).to_string()),
            ["$upscope", ..] => _ = scopes.pop(),
            ["$var", _, _, code, name, ..] => {
                let path = format!("{}.{name}", scopes.join("."));
                names.entry((*code).to_string()).or_default().push(path);
            }
            [word] if word.starts_with('#') => time = word[1..].parse().unwrap(),
            [value, code] if value.starts_with('b') => change(time, &names[*code], &value[1..]),
            [word] if word.starts_with(['0', '1']) => change(time, &names[&word[1..]], &word[..1]),
            _ => {}
        }
    }
    found
}

#[test]
fn waves_of_blocks_hold_their_signals() {
    let text = |bytes: Vec<u8>| changes(&String::from_utf8(bytes).unwrap());
    let flat = waves(Trace::Vcd, &[]).map(text);
    let blocks = waves(Trace::Vcd, &["link", "sum"]).map(text);
    for (flat, blocks) in flat.iter().zip(&blocks) {
        for (name, changes) in flat {
            // The inside of a block is a scope of its own; Verilator shows that of the first instance.
            let shown = match name.strip_prefix("TOP.chain.u_a.mem") {
                Some(index) => blocks.get(&format!("TOP.chain.u_a.link.mem{index}")),
                None if name.contains(".mem[") => continue,
                None => blocks.get(name),
            };
            assert_eq!(shown, Some(changes), "{name}");
        }
    }
    assert!(flat[0]["TOP.sum_o"].len() > 10);
    assert!(flat[0].contains_key("TOP.chain.u_a.mem[3]"));
}

#[test]
fn fst_with_blocks_is_written() {
    let [flat, blocks] = [&[][..], &["link", "sum"]].map(|blocks| waves(Trace::Fst, blocks));
    for (flat, blocks) in flat.iter().zip(&blocks) {
        assert_eq!(blocks[..9], [0, 0, 0, 0, 0, 0, 0, 1, 0x49]);
        assert!(2 * blocks.len() > flat.len(), "{}", blocks.len());
    }
}

#[test]
fn blocks_that_are_not_there_are_refused() {
    let refused = |name: &str, message: &str| {
        let error = build_shared(&sources(), &options(&[name])).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(error.exit_code(), 2);
    };
    for name in ["chain", "lin", "link_x"] {
        refused(
            name,
            &format!("hierarchical block {name} is no module below chain"),
        );
    }
    refused(
        "link\"",
        "hierarchical block is \"link\\\"\", expected letters, digits and underscores, \
        starting with a letter",
    );
    // In the text, but without an instance.
    let mut unused = sources();
    unused.files.push((
        "spare.v".into(),
        LINK.replace("module link", "module spare"),
    ));
    let error = build_shared(&unused, &options(&["link", "spare"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "hierarchical block spare is no module below chain"
    );
}

#[test]
fn errors_in_a_block_show_the_message_of_verilator() {
    let mut broken = sources();
    broken.files[0].1 = LINK.replace("d_i[98:0]", "nothing[98:0]");
    let error = build_shared(&broken, &options(&["link"])).unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("verilator failed for chain:\n"),
        "{message}"
    );
    assert!(message.contains("link.v:12:"), "{message}");
    assert!(message.contains("'nothing'"), "{message}");
    assert_eq!(error.exit_code(), 1);
}

#[test]
fn the_cache_tells_models_with_other_blocks_apart() {
    let paths: Vec<_> = [&[][..], &["link"], &["link", "sum"], &["link"]]
        .map(|blocks| build_shared(&sources(), &options(blocks)).unwrap())
        .into_iter()
        .collect();
    let different: std::collections::BTreeSet<_> = paths.iter().collect();
    assert_eq!(different.len(), 3);
    assert_eq!(paths[1], paths[3]);
}
