//! The layers of `benches/workloads`.

use std::path::Path;

use heddle_blocks::offsets::{Convolution, Pad, Request, Sides, Tables, generate};

/// A network of `benches/workloads`.
pub struct Network {
    /// Name of its file.
    pub name: &'static str,
    /// Its layers.
    pub layers: Vec<Layer>,
}

/// A layer as one GEMM for each group.
pub struct Layer {
    pub name: String,
    pub request: Request,
    /// Tables of every group.
    pub tables: Tables,
    /// Times that the tables are walked: depthwise layers run once for each channel.
    pub groups: u64,
}

/// What a line of a shape file says.
struct Line<'a> {
    name: &'a str,
    numbers: [u32; 7],
}

/// Multiply-accumulates, those of them in depthwise layers, and weights as the README of the shape
/// files has them.
const FACTS: [(&str, [u64; 3]); 3] = [
    ("resnet8", [12_501_632, 0, 77_360]),
    ("dscnn", [2_656_768, 288_000, 22_016]),
    ("autoencoder", [264_192, 0, 264_192]),
];

/// All networks.
///
/// # Errors
/// What is wrong with which file or line, or figures that differ from those of the README.
pub fn networks() -> Result<Vec<Network>, String> {
    FACTS
        .into_iter()
        .map(|(name, facts)| {
            let network = read(name)?;
            let found = network.facts();
            match found == facts {
                true => Ok(network),
                false => Err(format!("{name} has {found:?}, expected {facts:?}")),
            }
        })
        .collect()
}

fn read(name: &'static str) -> Result<Network, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/workloads");
    let file = format!("{name}.csv");
    let text =
        std::fs::read_to_string(folder.join(&file)).map_err(|error| format!("{file}: {error}"))?;
    let lines = text.lines().enumerate().skip(1);
    let layers = lines.map(|(at, line)| {
        let layer = Line::parse(line).and_then(|line| line.layer());
        layer.map_err(|fault| format!("{file}:{}: {fault}", at + 1))
    });
    Ok(Network {
        name,
        layers: layers.collect::<Result<_, _>>()?,
    })
}

impl<'a> Line<'a> {
    fn parse(line: &'a str) -> Result<Line<'a>, String> {
        let mut fields = line.trim_end_matches(',').split(',');
        let name = fields.next().unwrap_or_default();
        let numbers: Vec<u32> = fields
            .map(|field| field.parse().map_err(|_| format!("{field} is no number")))
            .collect::<Result<_, _>>()?;
        let found = numbers.len();
        let numbers = numbers
            .try_into()
            .map_err(|_| format!("{found} numbers, expected 7"))?;
        Ok(Line { name, numbers })
    }

    fn layer(&self) -> Result<Layer, String> {
        let [height, width, rows, columns, channels, filters, stride] = self.numbers;
        let depthwise = self.name.starts_with("DP_");
        let groups = if depthwise { channels } else { 1 };
        let convolution = Convolution {
            channels,
            height,
            width,
            outputs: filters * groups,
            images: 1,
            kernel: [rows, columns],
            stride: [stride, stride],
            dilation: [1, 1],
            groups,
            padding: Sides::default(),
            pad: Pad::Border,
            layout: Default::default(),
            vector: 1,
        };
        let request = bytes(convolution);
        Ok(Layer {
            name: self.name.to_string(),
            tables: generate(&request).map_err(|errors| errors.to_string())?,
            request,
            groups: groups.into(),
        })
    }
}

/// Plain tables for elements of one byte.
pub fn bytes(convolution: Convolution) -> Request {
    Request {
        convolution: Some(convolution),
        fully_connected: None,
        matrix: None,
        element_bytes: 1,
        unit_shift: 0,
        running: false,
        reuse_order: false,
        weight_base: None,
    }
}

impl Network {
    fn facts(&self) -> [u64; 3] {
        let mut facts = [0; 3];
        for layer in &self.layers {
            let macs = layer.groups * layer.rows() * layer.taps() * layer.outputs();
            facts[0] += macs;
            facts[1] += if layer.groups > 1 { macs } else { 0 };
            facts[2] += layer.groups * layer.taps() * layer.outputs();
        }
        facts
    }
}

impl Layer {
    /// GEMM rows, T.
    pub fn rows(&self) -> u64 {
        self.tables.bases.len() as u64
    }

    /// Taps, K.
    pub fn taps(&self) -> u64 {
        self.tables.offsets.len() as u64
    }

    /// Output channels of a group, N.
    pub fn outputs(&self) -> u64 {
        self.tables.outputs.into()
    }

    /// The tensor is the matrix already: a filter of one element at every place.
    pub fn is_matrix(&self) -> bool {
        let convolution = self.request.convolution.as_ref();
        convolution.is_some_and(|c| c.kernel == [1, 1] && (c.stride == [1, 1] || self.rows() == 1))
    }
}
