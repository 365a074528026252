//! How tensors of planes lie, before they have addresses.

use heddle_arch::network::{Network, Padding, Shape};

use crate::ir::readers;
use crate::layout::{Footprint, RowOrder, TensorPlan};
use crate::product::{Flattening, WeightPlan};

/// The layout of a tensor before it has an address.
#[derive(Debug, Clone)]
pub(crate) struct TensorLayout {
    planes: Vec<Vec<u32>>,
    order: RowOrder,
    pub footprint: Footprint,
}

impl TensorLayout {
    /// Layout of the input or of a layer's output, whose readers have these weights.
    pub fn of(
        network: &Network,
        tensor: usize,
        weights: &[Option<WeightPlan>],
        order: RowOrder,
        lanes: u32,
    ) -> Self {
        let plans = || readers(network, tensor).filter_map(|reader| weights[reader].as_ref());
        match plans().find_map(|plan| plan.flattening) {
            Some(flattening) => flattened(network, tensor, &flattening),
            None => by_channel(network, tensor, weights, order, lanes),
        }
    }

    /// The tensor at an address; it must end inside a partition.
    pub fn at(&self, network: &Network, tensor: usize, base: u32) -> TensorPlan {
        let (shape, zero_point) = network.tensor(tensor);
        let name = network.tensor_name(tensor);
        let planes = (self.planes.clone(), self.order);
        TensorPlan::place(name, shape, zero_point, planes, self.footprint, base)
    }
}

/// The halo that all layers together want which read a tensor.
fn padding(network: &Network, tensor: usize) -> Padding {
    readers(network, tensor).fold(Padding::default(), |all, reader| {
        let padding = network.layers[reader].padding;
        Padding {
            top: all.top.max(padding.top),
            bottom: all.bottom.max(padding.bottom),
            left: all.left.max(padding.left),
            right: all.right.max(padding.right),
        }
    })
}

/// Layout of a tensor whose reader has its taps laid over the rows: in every partition that needs it.
fn flattened(network: &Network, tensor: usize, flattening: &Flattening) -> TensorLayout {
    let rows = 0..flattening.rows;
    let planes: Vec<Vec<u32>> = rows.map(|row| flattening.channels(row)).collect();
    let most = planes.iter().map(Vec::len).max().unwrap_or(1);
    let (shape, _) = network.tensor(tensor);
    let footprint = Footprint::of(shape, padding(network, tensor), most as u32);
    let slack = flattening.slack(footprint.distances());
    TensorLayout {
        planes,
        order: RowOrder::Plain,
        footprint: footprint.with_slack(slack),
    }
}

/// Layout of a tensor with each row of a channel in one partition.
fn by_channel(
    network: &Network,
    tensor: usize,
    weights: &[Option<WeightPlan>],
    order: RowOrder,
    lanes: u32,
) -> TensorLayout {
    let (shape, _) = network.tensor(tensor);
    let planes = order.planes(shape.channels, lanes);
    let most = planes.iter().map(Vec::len).max().unwrap_or(1) as u32;
    let padding = padding(network, tensor);
    let halves = Shape {
        height: order.plane_height(shape.height),
        ..shape
    };
    let footprint = match order {
        RowOrder::Plain => Footprint::of(shape, padding, most),
        RowOrder::Split => {
            let halos = readers(network, tensor).filter_map(|reader| {
                let pairs = weights[reader].as_ref()?.pairs?;
                Some(pairs.halo(&network.layers[reader]))
            });
            // Halos above and below are counted in rows of the planes.
            let sides = Padding {
                top: 0,
                bottom: 0,
                ..padding
            };
            let padding = halos.fold(sides, |all, (top, bottom)| Padding {
                top: all.top.max(top),
                bottom: all.bottom.max(bottom),
                ..all
            });
            // The zeros below the last row are there where an odd row is missing.
            Footprint::of(halves, padding, most).with_odd_height(shape.height / 2)
        }
        RowOrder::Paired => Footprint::of(halves, padding, most),
    };
    TensorLayout {
        planes,
        order,
        footprint,
    }
}
