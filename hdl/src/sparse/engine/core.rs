//! The cluster and what joins it to the machine.

use super::{ClusterOrder, ClusterState, SlotQueue, SumSkew};
use crate::array::BiasWrite;
use crate::buffer::RowFeed;
use crate::sparse::{DrainOut, SparseCluster, SparseShape};
use heddle_kernel::prelude::*;

/// The sparse cluster as an engine of the machine: commands wait in a queue, maps come from the operands of the array, sums go to the columns of
/// post-processing.
///
/// # Timing
/// `order_i.command` in cycle T: the cluster may take the word in T+3. Sums that `state_o.leaves` announces in T are on `sum_o` of
/// column c in T + c + 1.
#[module(name = "sparse_engine", shape: SparseShape)]
pub struct SparseEngine {
    /// What the control half asks for.
    #[new(ClusterOrder::new(shape.shown()))]
    pub order_i: ClusterOrder<In>,
    /// What it is told.
    #[new(ClusterState::new(shape.shown()))]
    pub state_o: ClusterState<Out>,
    /// Operands of the rows of the array.
    pub ports_i: [RowFeed<In>; load_lanes],
    /// A bias of a column, as the columns get it.
    pub bias_i: BiasWrite<In>,
    /// The column takes a sum of the cluster.
    pub takes_o: [Signal<Out, Bit>; lanes],
    /// The sum.
    pub sum_o: [Signal<Out, Bits<32>>; lanes],
    #[new(SparseCluster::new(shape))]
    cluster: SparseCluster,
    #[new(DrainOut::new(64, 1, 1))]
    commands: DrainOut,
    #[new(SlotQueue::new(load_lanes))]
    slots: SlotQueue,
    #[new(SumSkew::new(lanes))]
    skew: SumSkew,
    /// Words of commands that are here.
    held: Reg<Bits<7>>,
    busy: Reg<Bit>,
    takes: Signal<Local, Bit>,
    /// Lanes of a unit: columns of the array.
    _lanes: Param<'g'>,
    /// Words of weights.
    _words: Param<'w'>,
    /// Lists of weights.
    _lists: Param<'l'>,
    /// Words of sums.
    _sums: Param<'d'>,
    /// Entries that are written in a clock.
    _entries: Param<'e'>,
    /// Sets of entries.
    _sets: Param<'s'>,
    /// Entries of a set.
    _entry_max: Param<'n'>,
    /// Units.
    _units: Param<'u'>,
    /// Lanes of a map: rows of the array.
    _load_lanes: Param<'r'>,
    /// Groups with parameters: column tiles.
    _tiles: Param<'t'>,
}

#[kernel]
impl SparseEngine {
    fn update(&mut self) {
        self.commands();
        self.streams();
        self.sums();
        self.state();
    }

    /// Words wait until the head takes them.
    fn commands(&mut self) {
        self.commands.send_i = self.order_i.command;
        self.commands.valid_i = self.order_i.command;
        self.commands.last_i = false;
        self.commands.data_i[0] = self.order_i.word;
        self.cluster.cmd_valid_i = self.commands.out_valid_o;
        self.cluster.cmd_data_i = self.commands.out_data_o[0];
        self.commands.out_ready_i = self.cluster.cmd_ready_o;
        self.takes = self.commands.out_valid_o & self.cluster.cmd_ready_o;
        self.held = self.held;
        if self.order_i.command & !self.takes {
            self.held = self.held + 1;
        }
        if !self.order_i.command & self.takes {
            self.held = self.held - 1;
        }
    }

    fn streams(&mut self) {
        self.slots.sends_i = self.order_i.sends;
        self.slots.ports_i.follow(&self.ports_i);
        self.cluster.map_valid_i = self.slots.map_valid_o;
        self.cluster.map_data_i.follow(&self.slots.map_data_o);
        self.slots.map_ready_i = self.cluster.map_ready_o;
        self.cluster.weight_valid_i = self.order_i.weight;
        self.cluster.weight_data_i.follow(&self.order_i.weights);
        self.cluster.out_ready_i = true;
    }

    fn sums(&mut self) {
        for k in 0..1 {
            self.cluster.bias_i[k].valid = self.bias_i.valid;
            self.cluster.bias_i[k].tile = self.bias_i.tile.get_bits::<8>(0);
            self.cluster.bias_i[k].lane = self.bias_i.column.get_bits::<5>(0);
            self.cluster.bias_i[k].number = 0.into();
            self.cluster.bias_i[k].data = self.bias_i.data;
            self.skew.leaves_i = self.cluster.leaves_o[k];
            self.state_o.leaves = self.cluster.leaves_o[k];
            self.state_o.event = self.cluster.event_o[k];
        }
        self.skew.sum_i.follow(&self.cluster.sum_o);
        self.takes_o.follow(&self.skew.takes_o);
        self.sum_o.follow(&self.skew.sum_o);
    }

    fn state(&mut self) {
        self.state_o.takes_command =
            !self.held.get_bit(6) & !(self.held.get_bit(5) & self.held.get_bit(4));
        self.state_o.takes_slot = self.slots.room_o;
        self.state_o.takes_weight = self.cluster.weight_ready_o;
        self.busy = !self.cluster.idle_o | self.commands.busy_o | self.slots.busy_o;
        self.state_o.busy = self.busy;
        self.state_o.error = self.cluster.error_o;
        self.cluster.count_i.follow(&self.order_i.counter);
        self.state_o.count.follow(&self.cluster.count_o);
    }
}
