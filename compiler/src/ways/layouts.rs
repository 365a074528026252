//! How tensors of planes lie, before they have addresses.

use std::cell::OnceCell;
use std::rc::Rc;

use heddle_network::{Network, Padding, Shape};

use crate::ir::Lowered;
use crate::layout::{Footprint, PixelOrder, TensorPlan};
use crate::product::{Flattening, WeightPlan};

/// The layout of a tensor before it has an address.
#[derive(Debug, Clone)]
pub(crate) struct TensorLayout {
    planes: Vec<Vec<u32>>,
    order: PixelOrder,
    pub footprint: Footprint,
    written: OnceCell<Rc<[bool]>>,
}

impl TensorLayout {
    /// Layout of the input or of a layer's output, whose readers have these weights.
    pub fn of(
        graph: &Lowered,
        tensor: usize,
        weights: &[Option<Rc<WeightPlan>>],
        order: PixelOrder,
        lanes: u32,
    ) -> Self {
        let readers = graph.readers[tensor].iter();
        let mut plans = readers.filter_map(|&reader| weights[reader].as_ref());
        match plans.find_map(|plan| plan.reduction.flattening()) {
            Some(flattening) => flattened(graph, tensor, &flattening),
            None => by_channel(graph, tensor, weights, order, lanes),
        }
    }

    /// Of a tensor that the host alone has.
    pub fn none() -> Self {
        Self {
            planes: Vec::new(),
            order: PixelOrder::Plain,
            footprint: Footprint::none(),
            written: OnceCell::new(),
        }
    }

    /// Of a part of this tensor, from a channel and a row on.
    pub fn part(&self, shape: Shape, first: [u32; 2], lanes: u32) -> Self {
        let planes = self.order.planes(shape.channels, lanes);
        let most = planes.iter().map(Vec::len).max().unwrap_or(1) as u32;
        let [channel, row] = first;
        let [down, _] = self.order.steps();
        let written = self.order.written([shape.height, shape.width]);
        Self {
            planes,
            order: self.order,
            footprint: self
                .footprint
                .part([channel / lanes, row / down], most, &written),
            written: OnceCell::new(),
        }
    }

    /// For each word of the region: it holds elements.
    pub fn written(&self) -> &Rc<[bool]> {
        let written = || self.footprint.written().into();
        self.written.get_or_init(written)
    }

    /// Words that hold elements, in all partitions.
    pub fn words(&self) -> u64 {
        let words = self.written().iter().filter(|written| **written);
        words.count() as u64 * self.partitions() as u64
    }

    /// Partitions that have planes of it, at most.
    pub fn partitions(&self) -> usize {
        self.planes.len()
    }

    /// The tensor at an address; it must end inside a partition.
    pub fn at(&self, network: &Network, tensor: usize, base: u32) -> TensorPlan {
        let (shape, zero_point) = network.tensor(tensor);
        let name = network.tensor_name(tensor);
        let planes = (self.planes.clone(), self.order);
        TensorPlan::place(name, shape, zero_point, planes, &self.footprint, base)
    }
}

/// The halo that all layers together want which read a tensor.
fn padding(graph: &Lowered, tensor: usize) -> Padding {
    let readers = graph.readers[tensor].iter();
    readers.fold(Padding::default(), |all, &reader| {
        let padding = graph.network.layers[reader].padding;
        Padding {
            top: all.top.max(padding.top),
            bottom: all.bottom.max(padding.bottom),
            left: all.left.max(padding.left),
            right: all.right.max(padding.right),
        }
    })
}

/// Layout of a tensor whose reader has its taps laid over the rows: in every partition that needs it.
fn flattened(graph: &Lowered, tensor: usize, flattening: &Flattening) -> TensorLayout {
    let rows = 0..flattening.rows;
    let planes: Vec<Vec<u32>> = rows.map(|row| flattening.channels(row)).collect();
    let most = planes.iter().map(Vec::len).max().unwrap_or(1);
    let (shape, _) = graph.network.tensor(tensor);
    let footprint = Footprint::of(shape, padding(graph, tensor), most as u32);
    let slack = flattening.slack(footprint.distances());
    TensorLayout {
        planes,
        order: PixelOrder::Plain,
        footprint: footprint.with_slack(slack),
        written: OnceCell::new(),
    }
}

/// Layout of a tensor with each pixel of a channel in one partition.
fn by_channel(
    graph: &Lowered,
    tensor: usize,
    weights: &[Option<Rc<WeightPlan>>],
    order: PixelOrder,
    lanes: u32,
) -> TensorLayout {
    let (shape, _) = graph.network.tensor(tensor);
    let planes = order.planes(shape.channels, lanes);
    let most = planes.iter().map(Vec::len).max().unwrap_or(1) as u32;
    let padding = match order {
        PixelOrder::Plain => padding(graph, tensor),
        _ => padding_apart(graph, tensor, weights),
    };
    let size = [shape.height, shape.width];
    let written = order.written(size);
    let footprint = Footprint::of_planes(order.plane_size(size), padding, most, &written);
    // The loop over K tiles has a step that the offsets take back.
    let distances = footprint.distances();
    let readers = graph.readers[tensor].iter();
    let slack = readers
        .filter_map(|&reader| weights[reader].as_ref()?.slack(distances))
        .max();
    let footprint = footprint.with_slack(slack.unwrap_or(0));
    TensorLayout {
        planes,
        order,
        footprint,
        written: OnceCell::new(),
    }
}

/// The halo of planes of phases, counted in their rows and columns: zeros below the last row are there where another phase has one more.
fn padding_apart(graph: &Lowered, tensor: usize, weights: &[Option<Rc<WeightPlan>>]) -> Padding {
    let readers = graph.readers[tensor].iter();
    let around = readers.filter_map(|&reader| {
        let plan = weights[reader].as_ref()?;
        plan.reduction.around(&graph.network.layers[reader])
    });
    around.fold(Padding::default(), |all, [rows, cols]| Padding {
        top: all.top.max(rows[0]),
        bottom: all.bottom.max(rows[1]),
        left: all.left.max(cols[0]),
        right: all.right.max(cols[1]),
    })
}
