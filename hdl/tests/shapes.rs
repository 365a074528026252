//! Sizes and options of blocks, from a configuration.

mod post {
    use heddle_arch::params::Post;
    use heddle_hdl::post::PostOptions;

    #[test]
    fn latencies_are_those_of_the_document() {
        for (pooling, median, activations, left_shift, dual_scale, columns_per_multiplier) in [
            (false, 0, 0, false, false, 1),
            (true, 0, 0, false, true, 1),
            (true, 9, 0, false, false, 2),
            (false, 0, 1, false, false, 1),
            (false, 0, 0, true, false, 1),
            (true, 4, 8, true, true, 4),
        ] {
            let post = Post {
                pooling,
                product: false,
                median,
                activations,
                left_shift,
                dual_scale,
                columns_per_multiplier,
            };
            let options = PostOptions {
                pooling,
                product: false,
                median: median as usize,
                activations: activations as usize,
                left_shift,
                dual_scale,
                columns_per_multiplier: columns_per_multiplier as usize,
                announces: false,
            };
            assert_eq!(options.extra(), post.extra_cycles() as usize, "{post:?}");
        }
    }
}

mod gemm {
    use heddle_arch::Params;
    use heddle_arch::params::{Offsets, Spread};
    use heddle_hdl::blocks::gemm::GemmShape;
    use heddle_hdl::blocks::offsets::OffsetShape;

    fn tiny(offsets: Option<Offsets>) -> Params {
        let text = include_str!("../../configs/tiny.json");
        let mut params = Params::from_json(text).expect("a preset");
        (params.array.rows, params.array.cols) = (3, 5);
        params.offsets = offsets;
        params
    }

    #[test]
    fn a_configuration_without_a_section_gives_the_usual_core() {
        let shape = GemmShape::of(&tiny(None));
        shape.check(16);
        assert_eq!(shape, GemmShape::new(3, 5));
    }

    #[test]
    fn a_configuration_gives_every_option() {
        let section = Offsets {
            spread: Spread::Broadcast,
            banks: 8,
            merge: false,
            operand_bytes: 128,
            weight_words: 32,
            results: 64,
            store_each: true,
            ..Offsets::default()
        };
        let shape = GemmShape::of(&tiny(Some(section)));
        shape.check(16);
        let unit = OffsetShape {
            broadcast: true,
            ..OffsetShape::new(3, 5)
        };
        let want = GemmShape {
            unit,
            banks: 8,
            merge: false,
            operand_bytes: 128,
            weight_words: 32,
            results: 64,
            store_each: true,
        };
        assert_eq!(shape, want);
    }

    #[test]
    #[should_panic(expected = "banks is 4, allowed 0, or 2, 4, 8 or 16 for rows that read at once")]
    fn banks_need_rows_that_read_at_once() {
        let mut shape = GemmShape::new(2, 2);
        shape.banks = 4;
        shape.check(16);
    }

    #[test]
    #[should_panic(
        expected = "results is 16, allowed at least the rows, which store each iteration"
    )]
    fn each_row_needs_room_for_a_sum_to_store_it_in_each_iteration() {
        let mut shape = GemmShape::new(17, 2);
        (shape.results, shape.store_each) = (16, true);
        shape.check(16);
    }
}

mod offsets {
    use heddle_arch::Params;
    use heddle_arch::params::{Index, Offsets, Spread};
    use heddle_hdl::blocks::offsets::OffsetShape;

    fn tiny(offsets: Option<Offsets>) -> Params {
        let text = include_str!("../../configs/tiny.json");
        let mut params = Params::from_json(text).expect("a preset");
        (params.array.rows, params.array.cols) = (3, 5);
        params.offsets = offsets;
        params
    }

    #[test]
    fn a_configuration_without_a_section_gives_the_usual_unit() {
        let shape = OffsetShape::of(&tiny(None));
        shape.check(16);
        assert_eq!(shape, OffsetShape::new(3, 5));
    }

    #[test]
    fn a_configuration_gives_every_option() {
        let section = Offsets {
            rows: Some(7),
            cols: Some(9),
            address_bits: 24,
            bases: 32,
            offsets: 64,
            taps: 8,
            spread: Spread::Broadcast,
            running: true,
            index: Index::Before,
            prefetch: true,
            expand: true,
            ..Offsets::default()
        };
        let shape = OffsetShape {
            rows: 7,
            cols: 9,
            address_bits: 24,
            bases: 32,
            offsets: 64,
            taps: 8,
            broadcast: true,
            running: true,
            before: true,
            prefetch: true,
            expand: true,
        };
        assert_eq!(shape.kept(), 5, "32 bases in tiles of 7");
        shape.check(24);
        assert_eq!(OffsetShape::of(&tiny(Some(section))), shape);
    }

    #[test]
    #[should_panic(expected = "bases is 100, allowed a power of two from 16 to 65536")]
    fn a_table_of_any_size_is_refused() {
        let mut shape = OffsetShape::new(2, 2);
        shape.bases = 100;
        shape.check(16);
    }

    #[test]
    #[should_panic(expected = "address_bits is 16, allowed 24, for which the module is built")]
    fn a_shape_of_another_width_is_refused() {
        OffsetShape::new(2, 2).check(24);
    }
}

mod sliced {
    use heddle_arch::params;
    use heddle_hdl::sliced::{MaskPlace, Network, SlicedShape};

    #[test]
    fn a_new_shape_is_the_usual_memory() {
        let shape = SlicedShape::new(16, vec![2, 2, 4]);
        shape.check();
        assert_eq!(
            (shape.units, shape.word_bits(), shape.first_units()),
            (8, 64, 2)
        );
        assert_eq!(shape.write_thresholds(), [0, 2, 4]);
        assert_eq!(shape.mask_to_data(), 1);
    }

    #[test]
    fn a_configuration_gives_every_option() {
        let mut slices = params::Slices::new(8, 4, vec![7, 3, 6]);
        assert_eq!(SlicedShape::of(16, &slices).access_threshold, 7);
        slices.mask = params::MaskPlace::Hybrid;
        slices.network = params::PackNetwork::Split;
        slices.end = params::PackEnd::Right;
        slices.read_order = params::ReadOrder::InTurn;
        slices.latency = 5;
        slices.write_threshold = 2;
        slices.read_threshold = 1;
        let shape = SlicedShape {
            unit_bits: 4,
            mask: MaskPlace::Hybrid,
            network: Network::Split,
            right: true,
            write_threshold: 2,
            read_threshold: 1,
            access_threshold: 3,
            in_turn: true,
            latency: 5,
            ..SlicedShape::new(16, vec![7, 3, 6])
        };
        assert_eq!(SlicedShape::of(16, &slices), shape);
        slices = params::Slices::new(8, 8, vec![4, 4]);
        slices.write = params::SliceWrite::Exact;
        slices.network = params::PackNetwork::Half;
        slices.access_threshold = Some(2);
        let shape = SlicedShape {
            exact: true,
            network: Network::Half,
            access_threshold: 2,
            latency: 5,
            ..SlicedShape::new(32, vec![4, 4])
        };
        assert_eq!(SlicedShape::of(32, &slices), shape);
        slices.plain = true;
        assert_eq!(SlicedShape::of(32, &slices).slices(), 1);
    }

    #[test]
    fn a_hybrid_row_loses_units_to_its_mask() {
        let mut shape = SlicedShape::new(16, vec![4, 2, 2]);
        shape.mask = MaskPlace::Hybrid;
        shape.access_threshold = shape.first_units();
        shape.check();
        assert_eq!(shape.write_thresholds(), [0, 3, 3]);
    }

    #[test]
    fn distances_are_those_of_the_table() {
        let mut shape = SlicedShape::new(16, vec![4, 4]);
        for (latency, distance) in (2..8).zip([1, 2, 2, 2, 3, 3]) {
            shape.latency = latency;
            assert_eq!(shape.distance(), distance);
            let all = shape.input_stages() + 1 + shape.mask_stages() + shape.mask_to_data();
            assert_eq!(all + shape.output_stages(), latency);
        }
    }
}
