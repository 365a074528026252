//! The tables of a .tflite file that are read here, each with a verifier.
//!
//! Fields are numbered as in the published schema; those that nobody reads are left out. A field has no value where the
//! file leaves it at its default.

use flatbuffers::{
    Follow, ForwardsUOffset, InvalidFlatbuffer, Table, TableVerifier, Vector, Verifiable, Verifier,
};

/// How the position of a field in a virtual table follows from its number.
const fn place(number: u16) -> u16 {
    4 + 2 * number
}

/// A table, and how its fields are verified: those listed, and what `$more` adds to the verifier.
macro_rules! table {
    ($(#[$doc:meta])* $name:ident<$a:lifetime> { $($field:ident = $number:literal: $kind:ty,)* } $(with $more:expr)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name<$a>(#[allow(dead_code, reason = "a table without fields reads none")] Table<$a>);

        impl<$a> Follow<$a> for $name<$a> {
            type Inner = Self;
            unsafe fn follow(buffer: &$a [u8], place: usize) -> Self {
                // SAFETY: the caller says that a table lies at this place.
                $name(unsafe { Table::new(buffer, place) })
            }
        }

        impl<$a> Verifiable for $name<$a> {
            fn run_verifier(verifier: &mut Verifier<'_, '_>, at: usize) -> Result<(), InvalidFlatbuffer> {
                let table = verifier.visit_table(at)?;
                $(let table = table.visit_field::<$kind>(stringify!($field), place($number), false)?;)*
                $(let table = $more(table)?;)?
                table.finish();
                Ok(())
            }
        }

        impl<$a> $name<$a> {
            $(pub fn $field(&self) -> Option<<$kind as Follow<$a>>::Inner> {
                // SAFETY: the verifier has seen a field of this type here, or none.
                unsafe { self.0.get::<$kind>(place($number), None) }
            })*
        }
    };
}

/// Tables of options, each with the numbers of its types in the union; and all their verifiers, with these numbers.
macro_rules! options {
    ($($(#[$doc:meta])* $name:ident $types:tt { $($field:ident = $number:literal: $kind:ty,)* })+) => {
        $(table! {
            $(#[$doc])*
            $name<'a> { $($field = $number: $kind,)* }
        }

        impl<'a> Options<'a> for $name<'a> {
            const TYPES: &'static [u8] = &$types;
        })+

        static VERIFIERS: &[(&[u8], Verify)] = &[$(verifier::<$name<'_>>(),)+];
    };
}

type Text<'a> = ForwardsUOffset<&'a str>;
type List<'a, T> = ForwardsUOffset<Vector<'a, T>>;
type Tables<'a, T> = List<'a, ForwardsUOffset<T>>;

/// A list of int64 at any place: some writers do not align it, and nobody reads it as a slice.
pub struct Longs;

impl<'a> Follow<'a> for Longs {
    type Inner = Vector<'a, i64>;
    unsafe fn follow(buffer: &'a [u8], place: usize) -> Self::Inner {
        // SAFETY: the verifier has seen the length and as many numbers; each is copied when it is read.
        unsafe { Vector::follow(buffer, place) }
    }
}

impl Verifiable for Longs {
    fn run_verifier(verifier: &mut Verifier<'_, '_>, at: usize) -> Result<(), InvalidFlatbuffer> {
        let length = verifier.get_uoffset(at)? as usize;
        let bytes = length.saturating_mul(size_of::<i64>());
        verifier.range_in_buffer(at.saturating_add(size_of::<u32>()), bytes)
    }
}

table! {
    /// The root.
    Model<'a> {
        operator_codes = 1: Tables<'a, OperatorCode<'a>>,
        subgraphs = 2: Tables<'a, SubGraph<'a>>,
        buffers = 4: Tables<'a, Buffer<'a>>,
    }
}

table! {
    /// What an operator is. Codes up to 127 are in the first field, all of them in the last one.
    OperatorCode<'a> {
        deprecated_builtin_code = 0: i8,
        custom_code = 1: Text<'a>,
        version = 2: i32,
        builtin_code = 3: i32,
    }
}

table! {
    /// A graph of tensors and operators.
    SubGraph<'a> {
        tensors = 0: Tables<'a, Tensor<'a>>,
        inputs = 1: List<'a, i32>,
        outputs = 2: List<'a, i32>,
        operators = 3: Tables<'a, Operator<'a>>,
    }
}

table! {
    /// A tensor. In `shape_signature` sizes that are not known are -1.
    Tensor<'a> {
        shape = 0: List<'a, i32>,
        element = 1: i8,
        buffer = 2: u32,
        name = 3: Text<'a>,
        quantization = 4: ForwardsUOffset<Quantization<'a>>,
        is_variable = 5: bool,
        sparsity = 6: ForwardsUOffset<Sparsity<'a>>,
        shape_signature = 7: List<'a, i32>,
    }
}

table! {
    /// Scales and zero points, one or as many as the dimension has places.
    Quantization<'a> {
        scale = 2: List<'a, f32>,
        zero_point = 3: ForwardsUOffset<Longs>,
        dimension = 6: i32,
    }
}

table! {
    /// Data that leaves out zeros: seen, not read.
    Sparsity<'a> {
    }
}

table! {
    /// The bytes of a constant. From `offset` on they lie behind the tables, in files of more than 2 GiB.
    Buffer<'a> {
        data = 0: List<'a, u8>,
        offset = 1: u64,
    }
}

table! {
    /// An operator. Its options are a table of the type that `options_type` says.
    Operator<'a> {
        opcode_index = 0: u32,
        inputs = 1: List<'a, i32>,
        outputs = 2: List<'a, i32>,
        options_type = 3: u8,
    }
    with visit_options
}

/// Fields of the options: their type, and their table.
const OPTIONS_TYPE: u16 = place(3);
const OPTIONS: u16 = place(4);

/// Options of a type that nobody reads are not looked at. A type without a table stands for the defaults, as a table without a type for
/// none.
fn visit_options<'ver, 'opts, 'buf>(
    mut table: TableVerifier<'ver, 'opts, 'buf>,
) -> Result<TableVerifier<'ver, 'opts, 'buf>, InvalidFlatbuffer> {
    let (Some(kind), Some(at)) = (table.deref(OPTIONS_TYPE)?, table.deref(OPTIONS)?) else {
        return Ok(table);
    };
    let kind = table.verifier().get_u8(kind)?;
    let verify = VERIFIERS.iter().find(|(types, _)| types.contains(&kind));
    if let Some((_, verify)) = verify {
        verify(table.verifier(), at)?;
    }
    Ok(table)
}

type Verify = fn(&mut Verifier<'_, '_>, usize) -> Result<(), InvalidFlatbuffer>;

const fn verifier<'a, T: Options<'a> + Verifiable>() -> (&'static [u8], Verify) {
    (T::TYPES, |verifier, at| {
        verifier.verify_union_variant::<ForwardsUOffset<T>>("options", at)
    })
}

/// A table of options.
pub trait Options<'a>: Follow<'a> + 'a {
    /// Numbers of its types in the union.
    const TYPES: &'static [u8];
}

impl<'a> Operator<'a> {
    /// The options, if they are of this type.
    pub fn options<T: Options<'a>>(&self) -> Option<T::Inner> {
        let kind = self.options_type()?;
        if !T::TYPES.contains(&kind) {
            return None;
        }
        // SAFETY: `visit_options` has seen a table of this type.
        unsafe { self.0.get::<ForwardsUOffset<T>>(OPTIONS, None) }
    }
}

options! {
    /// Conv2DOptions.
    Convolution [1] {
        padding = 0: i8,
        stride_w = 1: i32,
        stride_h = 2: i32,
        activation = 3: i8,
        dilation_w = 4: i32,
        dilation_h = 5: i32,
    }
    /// DepthwiseConv2DOptions.
    Depthwise [2] {
        padding = 0: i8,
        stride_w = 1: i32,
        stride_h = 2: i32,
        activation = 4: i8,
        dilation_w = 5: i32,
        dilation_h = 6: i32,
    }
    /// TransposeConvOptions.
    TransposeConvolution [49] {
        padding = 0: i8,
        stride_w = 1: i32,
        stride_h = 2: i32,
        activation = 3: i8,
    }
    /// Pool2DOptions.
    Pool [5] {
        padding = 0: i8,
        stride_w = 1: i32,
        stride_h = 2: i32,
        filter_w = 3: i32,
        filter_h = 4: i32,
        activation = 5: i8,
    }
    /// What FullyConnectedOptions, AddOptions, MulOptions and SubOptions begin with.
    Simple [8, 11, 21, 28] {
        activation = 0: i8,
    }
    /// SoftmaxOptions with beta, LeakyReluOptions with alpha.
    Factor [9, 75] {
        factor = 0: f32,
    }
    /// GeluOptions.
    Gelu [116] {
        approximate = 0: bool,
    }
    /// ConcatenationOptions.
    Concatenation [10] {
        axis = 0: i32,
        activation = 1: i8,
    }
    /// StridedSliceOptions: masks, a bit for each dimension.
    StridedSlice [32] {
        begin_mask = 0: i32,
        end_mask = 1: i32,
        ellipsis_mask = 2: i32,
        new_axis_mask = 3: i32,
        shrink_axis_mask = 4: i32,
        offset = 5: bool,
    }
    /// ResizeBilinearOptions, whose first fields nobody uses.
    Bilinear [15] {
        align_corners = 2: bool,
        half_pixel_centers = 3: bool,
    }
    /// ResizeNearestNeighborOptions with align_corners and half_pixel_centers, BatchMatMulOptions with adj_x and adj_y.
    Two [74, 101] {
        first = 0: bool,
        second = 1: bool,
    }
    /// GatherOptions.
    Gather [23] {
        axis = 0: i32,
        batch_dimensions = 1: i32,
    }
    /// MirrorPadOptions: 0 leaves the outermost places out, 1 does not.
    Mirror [77] {
        mode = 0: i8,
    }
    /// SpaceToDepthOptions, DepthToSpaceOptions.
    Block [19, 94] {
        side = 0: i32,
    }
    /// PackOptions, UnpackOptions.
    Pack [59, 64] {
        axis = 1: i32,
    }
    /// CallOnceOptions.
    CallOnce [103] {
        graph = 0: i32,
    }
    /// VarHandleOptions.
    VarHandle [111] {
        container = 0: Text<'a>,
        name = 1: Text<'a>,
    }
    /// ReducerOptions.
    Reducer [27] {
        keeps = 0: bool,
    }
}
