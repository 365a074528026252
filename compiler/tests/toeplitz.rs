//! Depthwise layers that make two rows at a time, on the instruction-level machine.

use std::collections::BTreeMap;

use heddle_arch::network::{LayerKind, Network};
use heddle_arch::params::Params;
use heddle_compiler::{Mapping, Options, Program, RowOrder, compile, compile_with};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::support::depthwise::random_depthwise_network;
use crate::support::{Size, check, mapped, random_image, share_multipliers};

fn random_params(rng: &mut ChaCha8Rng) -> Params {
    let rows = [2, 4, 6, 8, 16][rng.random_range(0..5)];
    let more = |rng: &mut ChaCha8Rng| match rng.random_bool(0.6) {
        true => 0,
        false => rng.random_range(0..4),
    };
    let size = Size {
        rows: rows + more(rng),
        cols: rows + more(rng),
        loops: rng.random_range(3..=6),
        banks: 4,
        words_per_bank: 2048,
        depth: 16 << rng.random_range(0..4),
        pooling: rng.random_bool(0.5),
    };
    let mut params = size.params();
    params.state_buffer.row_offsets = 256;
    share_multipliers(&mut params, rng);
    params
}

fn count_events(
    events: &mut BTreeMap<&'static str, u32>,
    network: &Network,
    params: &Params,
    program: &Program,
) {
    let mut event = |name, happened: bool| *events.entry(name).or_insert(0) += u32::from(happened);
    for (layer, plan) in network.layers.iter().zip(&program.layers) {
        let order = |tensor: usize| program.tensors[tensor].order;
        let orders: Vec<RowOrder> = layer.inputs.iter().map(|i| order(i.tensor)).collect();
        let output = order(plan.output);
        if plan.choice.mapping == Mapping::Toeplitz {
            event("stride", layer.stride[0] > 1);
            event("dilation of columns", layer.dilation[1] > 1);
            event("odd height", layer.output.height % 2 == 1);
            event("even height", layer.output.height % 2 == 0);
            event("no halo above", layer.padding.top == 0);
            event(
                "halo of many rows",
                layer.padding.top.max(layer.padding.bottom) > 2,
            );
            event("several groups", layer.input.channels > params.lanes());
            event("several pixel tiles", {
                let pixels = layer.output.height.div_ceil(2) * layer.output.width;
                pixels > params.results_buffer.depth
            });
            event("last layer", plan.output == network.layers.len());
            continue;
        }
        let adds = layer.kind == LayerKind::WeightedSum;
        let any = |order| orders.contains(&order);
        event(
            "split rows of all channels of a pixel",
            !adds && any(RowOrder::Split),
        );
        event("paired rows read, split rows written", {
            !adds && any(RowOrder::Paired) && output == RowOrder::Split
        });
        event("paired rows read, plain rows written", {
            !adds && any(RowOrder::Paired) && output == RowOrder::Plain
        });
        event("sum of plain and split rows", {
            adds && any(RowOrder::Plain) && any(RowOrder::Split)
        });
        event("sum of paired and split rows", {
            adds && any(RowOrder::Paired) && any(RowOrder::Split)
        });
        event("split rows of flattened taps", {
            plan.choice.mapping == Mapping::Flattened && output == RowOrder::Split
        });
        event("split rows of a convolution", {
            plan.choice.mapping == Mapping::Channel
                && layer.kernel[0] > 1
                && output == RowOrder::Split
        });
    }
    event("more rows", params.array.rows > params.array.cols);
    event("more columns", params.array.rows < params.array.cols);
}

#[test]
fn pairs_of_rows_give_the_golden_outputs() {
    let mut events = BTreeMap::new();
    let (mut paired, mut faster) = (0, 0);
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let params = random_params(&mut rng);
        let blocks = rng.random_range(1..=3);
        let network = random_depthwise_network(&mut rng, blocks, params.lanes());
        let place = format!("seed {seed}, {:?}", params.array);
        let Ok(program) = compile_with(&network, &params, mapped(Mapping::Toeplitz)) else {
            continue;
        };
        let of_layers = program.layers.iter();
        let layers = of_layers.filter(|plan| plan.choice.mapping == Mapping::Toeplitz);
        if layers.clone().count() == 0 {
            continue;
        }
        paired += 1;
        let images = [(); 2].map(|()| random_image(&mut rng, &network));
        check(&program, &network, &params, &images, &place);
        count_events(&mut events, &network, &params, &program);
        let read = Program::from_json(&program.to_json(&params), &params).unwrap();
        assert_eq!(read.tensors, program.tensors, "{place}");
        assert_eq!(read.layers, program.layers, "{place}");
        // What is chosen is never slower, and in one run the outputs are the same.
        let cycles = |program: &Program| program.runs.iter().map(|run| run.cycles).sum::<u64>();
        let chosen = compile(&network, &params).unwrap();
        let diagonal = compile_with(&network, &params, mapped(Mapping::Channel)).unwrap();
        assert!(cycles(&chosen) <= cycles(&program), "{place}");
        faster += u32::from(cycles(&program) < cycles(&diagonal));
        let whole = Options {
            whole: true,
            ..mapped(Mapping::Toeplitz)
        };
        let whole = compile_with(&network, &params, whole).unwrap();
        check(&whole, &network, &params, &images[..1], &place);
    }
    println!("{paired} networks, {faster} faster; {events:?}");
    assert!(paired > 100, "only {paired} networks with pairs of rows");
    assert!(faster > 50, "only {faster} are faster");
    for (name, count) in events {
        assert!(count > 0, "{name} never happened");
    }
}
