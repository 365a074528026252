//! The clocked way from values and weights to the sums of a tile.

use heddle_arch::params::TileKind;

use super::rounds::{self, TileItem, TileProduct};

/// Sizes of a tile unit.
#[derive(Debug, Clone, Copy)]
pub struct TileSizes {
    /// What becomes of products of one sum.
    pub kind: TileKind,
    /// Products of a round.
    pub lanes: usize,
    /// Rows and columns of a tile and of a kernel.
    pub kernel: usize,
    /// Weights of a round, at most.
    pub weights: usize,
    /// Words of the memory of sums.
    pub words: usize,
    /// Rows and columns of the register bank, which the kind `window` has in its place.
    pub bank: (usize, usize),
}

impl TileSizes {
    /// Rows of sums of a tile, and columns.
    pub fn side(&self) -> usize {
        2 * self.kernel - 1
    }

    /// Products of one sum are added: there are none if a round has one weight.
    fn adds(&self) -> bool {
        self.kind == TileKind::Select && self.weights.min(self.lanes) > 1
    }
}

/// How products are formed.
#[derive(Debug, Clone, Copy)]
pub struct TileSettings {
    /// Rows and columns of the kernel.
    pub kernel: (usize, usize),
    /// Weights of a round.
    pub limit: usize,
    /// Of new products of one sum the earlier ones wait.
    pub earlier_waits: bool,
}

/// What a stream brings in a clock.
#[derive(Debug, Clone, Default)]
pub struct TileBeat {
    /// Values, or weights.
    pub items: Vec<TileItem>,
    /// They end the channel.
    pub last: bool,
    /// The channel ends the tile; only with values.
    pub tile_last: bool,
}

/// Inputs in one clock cycle.
#[derive(Debug, Clone)]
pub struct ScatterInputs {
    /// How products are formed.
    pub settings: TileSettings,
    /// Values are offered.
    pub values: Option<TileBeat>,
    /// Weights are offered.
    pub weights: Option<TileBeat>,
    /// Channels may be taken.
    pub go: bool,
    /// The sums move down by one, and this is the last one.
    pub shift: Option<i32>,
}

/// Outputs in one clock cycle.
#[derive(Debug, Clone)]
pub struct ScatterOutputs {
    /// Values would be taken.
    pub value_ready: bool,
    /// Weights would be taken.
    pub weight_ready: bool,
    /// A channel is taken.
    pub take: bool,
    /// A channel ends.
    pub ends: bool,
    /// It is the last one of its tile.
    pub tile_ends: bool,
    /// Products have not found their sums.
    pub busy: bool,
    /// The sums, row by row.
    pub sums: Vec<i32>,
    /// Numbers of value and weight of the pairs that are multiplied.
    pub issued: Vec<(usize, usize)>,
    /// Products that wait.
    pub queue: Vec<TileProduct>,
    /// Products that are added to sums.
    pub added: Vec<TileProduct>,
    /// The matrix that is added, and where.
    pub matrix: Option<Matrix>,
}

/// Products of a tile, row by row, and the row and column of the sums where they begin.
pub type Matrix = (Vec<i32>, (usize, usize));

/// Items of the next channel.
#[derive(Debug, Clone, Default)]
struct Slots {
    items: Vec<TileItem>,
    full: bool,
    tile_last: bool,
}

impl Slots {
    fn load(&mut self, beat: Option<&TileBeat>) {
        if let Some(beat) = beat.filter(|_| !self.full) {
            self.items.extend(&beat.items);
            self.full = beat.last;
            self.tile_last = beat.tile_last;
        }
    }
}

/// The channel in use.
#[derive(Debug, Clone)]
struct Channel {
    values: Vec<TileItem>,
    weights: Vec<TileItem>,
    tile_last: bool,
    /// Pairs that have been multiplied.
    at: usize,
}

/// Multiplies channels, and adds products to sums.
#[derive(Debug, Clone)]
pub struct ScatterModel {
    sizes: TileSizes,
    values: Slots,
    weights: Slots,
    channel: Option<Channel>,
    queue: Vec<TileProduct>,
    merged: Vec<TileProduct>,
    sorted: Vec<TileProduct>,
    selected: Vec<TileProduct>,
    matrix: Option<Matrix>,
    sums: Vec<i32>,
}

impl ScatterModel {
    /// A unit whose sums are 0; in the hardware they are undefined until loaded.
    pub fn new(sizes: TileSizes) -> Self {
        Self {
            sizes,
            values: Slots::default(),
            weights: Slots::default(),
            channel: None,
            queue: Vec::new(),
            merged: Vec::new(),
            sorted: Vec::new(),
            selected: Vec::new(),
            matrix: None,
            sums: vec![0; sizes.side() * sizes.side()],
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &ScatterInputs) -> ScatterOutputs {
        let issued = self.issue(&inputs.settings);
        let channel = self.channel.as_ref();
        let ends = channel.is_some_and(|channel| {
            channel.at + issued.len() == channel.values.len() * channel.weights.len()
        });
        let tile_ends = ends && channel.is_some_and(|channel| channel.tile_last);
        let full = self.values.full && self.weights.full;
        let take = inputs.go && full && (channel.is_none() || ends && !tile_ends);
        let stages = [&self.queue, &self.merged, &self.sorted, &self.selected];
        let outputs = ScatterOutputs {
            value_ready: !self.values.full,
            weight_ready: !self.weights.full,
            take,
            ends,
            tile_ends,
            busy: self.matrix.is_some() || stages.iter().any(|stage| !stage.is_empty()),
            sums: self.sums.clone(),
            issued,
            queue: self.queue.clone(),
            added: match self.sizes.adds() {
                true => self.selected.clone(),
                false => self.merged.clone(),
            },
            matrix: self.matrix.take(),
        };
        self.add(&outputs.added);
        if let Some(matrix) = &outputs.matrix {
            self.add_matrix(matrix);
        }
        if let Some(last) = inputs.shift {
            self.sums.remove(0);
            self.sums.push(last);
        }
        match self.sizes.kind {
            TileKind::Window => self.multiply(&inputs.settings, &outputs.issued),
            _ => self.merge(&inputs.settings, &outputs.issued),
        }
        self.channels(&outputs);
        self.values.load(inputs.values.as_ref());
        self.weights.load(inputs.weights.as_ref());
        if take {
            self.values = Slots::default();
            self.weights = Slots::default();
        }
        outputs
    }

    fn issue(&self, settings: &TileSettings) -> Vec<(usize, usize)> {
        let limit = match self.sizes.kind {
            TileKind::Window | TileKind::Indexed => 1,
            _ => settings.limit.min(self.sizes.weights),
        };
        let room = self.sizes.lanes - self.queue.len();
        self.channel.as_ref().map_or_else(Vec::new, |channel| {
            let (values, weights) = (channel.values.len(), channel.weights.len());
            rounds::issue(channel.at, room, limit, values, weights)
        })
    }

    fn add(&mut self, products: &[TileProduct]) {
        for product in products {
            let (row, col) = product.place;
            let sum = &mut self.sums[row * self.sizes.side() + col];
            *sum = sum.wrapping_add(product.value);
        }
    }

    fn add_matrix(&mut self, (matrix, (row, col)): &Matrix) {
        let kernel = self.sizes.kernel;
        for (at, product) in matrix.iter().enumerate() {
            let (row, col) = (row + at / kernel, col + at % kernel);
            let sum = &mut self.sums[row * self.sizes.side() + col];
            *sum = sum.wrapping_add(*product);
        }
    }

    /// All products of a round are of one weight.
    fn multiply(&mut self, settings: &TileSettings, issued: &[(usize, usize)]) {
        let channel = self.channel.as_ref().zip(issued.first());
        self.matrix = channel.map(|(channel, (_, weight))| {
            let weight = &channel.weights[*weight];
            let values: Vec<_> = issued.iter().map(|pair| channel.values[pair.0]).collect();
            let matrix = rounds::matrix(&values, weight, self.sizes.kernel);
            (matrix, rounds::window(weight, settings.kernel))
        });
    }

    /// Products go on by one stage, each kind in its way.
    fn merge(&mut self, settings: &TileSettings, issued: &[(usize, usize)]) {
        let product = |(value, weight): &(usize, usize)| {
            let channel = self.channel.as_ref().expect("pairs are of a channel");
            let weight = &channel.weights[*weight];
            rounds::product(&channel.values[*value], weight, settings.kernel)
        };
        let new = issued.iter().map(product).collect();
        let limit = 1 + usize::from(self.sizes.adds());
        if self.sizes.adds() {
            let mut lanes: Vec<_> = self.sorted.drain(..).map(Some).collect();
            lanes.resize(self.sizes.lanes, None);
            let selected = rounds::select(&lanes).into_iter();
            self.selected = selected.filter_map(|(_, product)| product).collect();
            self.sorted = std::mem::take(&mut self.merged);
            self.sorted.sort_by_key(|product| product.place);
        }
        self.merged = rounds::merge(&mut self.queue, new, limit, settings.earlier_waits);
    }

    /// The channel goes on, ends, or another one is taken.
    fn channels(&mut self, outputs: &ScatterOutputs) {
        if let Some(channel) = &mut self.channel {
            channel.at += outputs.issued.len();
        }
        if outputs.ends {
            self.channel = None;
        }
        if outputs.take {
            self.channel = Some(Channel {
                values: std::mem::take(&mut self.values.items),
                weights: std::mem::take(&mut self.weights.items),
                tile_last: self.values.tile_last,
                at: 0,
            });
        }
    }
}
