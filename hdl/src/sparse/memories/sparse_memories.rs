//! The memory cluster.

use super::{FeatureMemory, Interconnect, MemoriesShape, StreamJoin};
use crate::sparse::waves::{MemoryOrder, RouteWord};
use heddle_kernel::prelude::*;

/// Feature-map memories and their ways to units. Without networks memory i has unit i alone: its entries go there, the results of the unit
/// come from there. With them lists of memories go to other units or memories, and results of units too.
///
/// Words of all streams are as in `net`; results say by their bit for whom they are where units have a network.
///
/// # Timing
/// Orders and words as in [`FeatureMemory`], networks as in [`Interconnect`]. With a network of units, words for units take one more clock.
#[module(shape: MemoriesShape)]
pub struct SparseMemories {
    /// There is an order.
    pub order_valid_i: Signal<In, Bit>,
    /// It is taken.
    pub order_ready_o: Signal<Out, Bit>,
    /// The order.
    pub order_i: MemoryOrder<In>,
    /// A word of a route of the network of memories.
    pub memory_route_i: [RouteWord<In>; memory_nets],
    /// It is taken.
    pub memory_route_ready_o: [Signal<Out, Bit>; memory_nets],
    /// A word of a route of the network of units.
    pub unit_route_i: [RouteWord<In>; unit_nets],
    /// It is taken.
    pub unit_route_ready_o: [Signal<Out, Bit>; unit_nets],
    /// A word from outside, for a memory.
    pub load_valid_i: [Signal<In, Bit>; memories],
    /// It is taken.
    pub load_ready_o: [Signal<Out, Bit>; memories],
    /// The word.
    pub load_word_i: [[Signal<In, Bits<9>>; 4]; memories],
    /// A word of a memory for outside.
    pub out_valid_o: [Signal<Out, Bit>; memories],
    /// It is taken.
    pub out_ready_i: [Signal<In, Bit>; memories],
    /// The word.
    pub out_word_o: [[Signal<Out, Bits<9>>; 4]; memories],
    /// A word for a unit.
    pub unit_valid_o: [Signal<Out, Bit>; units],
    /// It is taken.
    pub unit_ready_i: [Signal<In, Bit>; units],
    /// The word.
    pub unit_word_o: [[Signal<Out, Bits<9>>; 4]; units],
    /// A word of results of a unit.
    pub result_valid_i: [Signal<In, Bit>; units],
    /// It is taken.
    pub result_ready_o: [Signal<Out, Bit>; units],
    /// The word.
    pub result_word_i: [[Signal<In, Bits<9>>; 4]; units],
    /// A set of a memory is in use.
    pub busy_o: [[Signal<Out, Bit>; 2]; memories],
    /// Words that the networks have taken, of memories and of units; 0 without them.
    pub transfers_o: [Signal<Out, Bits<32>>; 2],
    /// Results of a unit that are not zero, since the reset.
    pub result_count: [OutReg<Bits<32>>; units],
    /// Until a reset: a set was full, an order was wrong, a word was meant for a unit or a memory that is not there.
    pub error: [OutRegEn<Bit>; 3],
    #[new(FeatureMemory::new(entry_max, shape.layout, memory_nets))]
    memory: [FeatureMemory; memories],
    #[new(Interconnect::new(memories, memories, units, shape.memory_network.expect("there is one")))]
    memory_net: [Interconnect; memory_nets],
    #[new(Interconnect::new(units, memories, units, shape.unit_network.expect("there is one")))]
    unit_net: [Interconnect; unit_nets],
    join: [StreamJoin; units * unit_nets],
    named: [Signal<Local, Bit>; memories],
    /// What memories have for a unit.
    fed: [Signal<Local, Bit>; units],
    fed_ready: [Signal<Local, Bit>; units],
    fed_word: [[Signal<Local, Bits<9>>; 4]; units],
    /// Errors of the memories below.
    full: [Signal<Local, Bit>; memories + 1],
    wrong: [Signal<Local, Bit>; memories + 1],
    /// The order names one of the memories below.
    known: [Signal<Local, Bit>; memories + 1],
    /// A network has dropped a word.
    stray: [Signal<Local, Bit>; 2],
    /// Feature-map memories.
    _memories: Param<'m'>,
    /// Units, at most as many.
    _units: Param<'u'>,
    /// Entries of a set, a power of two.
    _entry_max: Param<'d'>,
    #[new(usize::from(shape.memory_network.is_some()))]
    _memory_nets: usize,
    #[new(usize::from(shape.unit_network.is_some()))]
    _unit_nets: usize,
    /// Network of memories: 0 none, 1 to the next port, 2 Benes network.
    #[new(shape.memory_network.map_or(0, |kind| kind as usize + 1))]
    _memory_network: Feature<"mn">,
    /// Network of units.
    #[new(shape.unit_network.map_or(0, |kind| kind as usize + 1))]
    _unit_network: Feature<"un">,
    /// Buffers: 0 two of each set, 1 the same, for inputs and results, 2 one of both sets for values and one for indices, 3 one of each set.
    #[new(shape.layout as usize)]
    _layout: Feature<"l">,
}

#[kernel]
impl SparseMemories {
    fn update(&mut self) {
        self.orders();
        self.outside();
        if self._memory_nets > 0 {
            self.memories();
        } else {
            self.bound_memories();
        }
        if self._unit_nets > 0 {
            self.units();
        } else {
            self.bound_units();
        }
        self.counts();
        self.errors();
    }

    fn orders(&mut self) {
        self.known[0] = false;
        for i in 0..self._memories {
            self.named[i] = self.order_valid_i & (self.order_i.memory == i.to_bits::<6>());
            self.known[i + 1] = self.known[i] | self.named[i];
        }
        self.order_ready_o = self.rst_n & !self.known[self._memories];
        for i in 0..self._memories {
            self.memory[i].order_valid_i = self.named[i];
            self.memory[i].order_set_i = self.order_i.set;
            self.memory[i].order_job_i = self.order_i.job;
            self.memory[i].order_append_i = self.order_i.append;
            if self.named[i] {
                self.order_ready_o = self.memory[i].order_ready_o;
            }
            self.busy_o[i].follow(&self.memory[i].busy_o);
        }
    }

    fn outside(&mut self) {
        for i in 0..self._memories {
            self.memory[i].load_valid_i = self.load_valid_i[i];
            self.memory[i].load_word_i.follow(&self.load_word_i[i]);
            self.load_ready_o[i] = self.memory[i].load_ready_o;
            self.out_valid_o[i] = self.memory[i].out_valid_o;
            self.out_word_o[i].follow(&self.memory[i].out_word_o);
            self.memory[i].out_ready_i = self.out_ready_i[i];
        }
    }

    /// Each memory has its unit.
    fn bound_memories(&mut self) {
        self.transfers_o[0] = 0.into();
        self.stray[0] = false;
        for i in 0..self._units {
            self.fed[i] = self.memory[i].unit_valid_o;
            self.fed_word[i].follow(&self.memory[i].unit_word_o);
            self.memory[i].unit_ready_i = self.fed_ready[i];
        }
    }

    /// Memories reach units and memories.
    fn memories(&mut self) {
        for n in 0..self._memory_nets {
            self.memory_net[n].route_i.follow(&self.memory_route_i[n]);
            self.memory_route_ready_o[n] = self.memory_net[n].route_ready_o;
            self.transfers_o[0] = self.memory_net[n].transfers_o;
            self.stray[0] = self.memory_net[n].stray_o;
            for i in 0..self._memories {
                self.memory_net[n].valid_i[i] = self.memory[i].unit_valid_o;
                self.memory_net[n].word_i[i].follow(&self.memory[i].unit_word_o);
                self.memory[i].unit_ready_i = self.memory_net[n].ready_o[i];
                self.memory[i].copy_valid_i[n] = self.memory_net[n].memory_valid_o[i];
                self.memory[i].copy_word_i[n].follow(&self.memory_net[n].memory_word_o[i]);
                self.memory_net[n].memory_ready_i[i] = self.memory[i].copy_ready_o[n];
            }
            for i in 0..self._units {
                self.fed[i] = self.memory_net[n].unit_valid_o[i];
                self.fed_word[i].follow(&self.memory_net[n].unit_word_o[i]);
                self.memory_net[n].unit_ready_i[i] = self.fed_ready[i];
            }
        }
    }

    /// Each unit has its memory.
    fn bound_units(&mut self) {
        self.transfers_o[1] = 0.into();
        self.stray[1] = false;
        for i in 0..self._units {
            self.memory[i].result_valid_i = self.result_valid_i[i];
            self.memory[i].result_word_i.follow(&self.result_word_i[i]);
            self.result_ready_o[i] = self.memory[i].result_ready_o;
            self.unit_valid_o[i] = self.fed[i];
            self.unit_word_o[i].follow(&self.fed_word[i]);
            self.fed_ready[i] = self.unit_ready_i[i];
        }
        for i in self._units..self._memories {
            self.memory[i].result_valid_i = false;
            for k in 0..4 {
                self.memory[i].result_word_i[k] = 0.into();
            }
        }
    }

    /// Units reach memories and units.
    fn units(&mut self) {
        for n in 0..self._unit_nets {
            self.unit_net[n].route_i.follow(&self.unit_route_i[n]);
            self.unit_route_ready_o[n] = self.unit_net[n].route_ready_o;
            self.transfers_o[1] = self.unit_net[n].transfers_o;
            self.stray[1] = self.unit_net[n].stray_o;
            self.unit_net[n].valid_i.follow(&self.result_valid_i);
            self.unit_net[n].word_i.follow(&self.result_word_i);
            self.result_ready_o.follow(&self.unit_net[n].ready_o);
            for i in 0..self._units {
                self.join[i].valid_i[0] = self.unit_net[n].unit_valid_o[i];
                self.join[i].word_i[0].follow(&self.unit_net[n].unit_word_o[i]);
                self.unit_net[n].unit_ready_i[i] = self.join[i].ready_o[0];
                self.join[i].valid_i[1] = self.fed[i];
                self.join[i].word_i[1].follow(&self.fed_word[i]);
                self.fed_ready[i] = self.join[i].ready_o[1];
                self.unit_valid_o[i] = self.join[i].valid_o;
                self.unit_word_o[i].follow(&self.join[i].word_o);
                self.join[i].ready_i = self.unit_ready_i[i];
            }
            for i in 0..self._memories {
                self.memory[i].result_valid_i = self.unit_net[n].memory_valid_o[i];
                self.memory[i]
                    .result_word_i
                    .follow(&self.unit_net[n].memory_word_o[i]);
                self.unit_net[n].memory_ready_i[i] = self.memory[i].result_ready_o;
            }
        }
    }

    /// A host reads how many results each unit has, and sends those of one to another.
    fn counts(&mut self) {
        for i in 0..self._units {
            self.result_count[i] = self.result_count[i];
            if self.result_valid_i[i] & self.result_ready_o[i] & self.result_word_i[i][0].any() {
                self.result_count[i] = self.result_count[i] + 1;
            }
        }
    }

    fn errors(&mut self) {
        self.full[0] = false;
        self.wrong[0] = self.order_valid_i & !self.known[self._memories];
        for i in 0..self._memories {
            self.full[i + 1] = self.full[i] | self.memory[i].full_o;
            self.wrong[i + 1] = self.wrong[i] | self.memory[i].wrong_o;
        }
        self.error[0].load(self.full[self._memories], true);
        self.error[1].load(self.wrong[self._memories], true);
        self.error[2].load(self.stray[0] | self.stray[1], true);
    }
}
