//! The clocked traversal engine as seen at its ports.

use heddle_arch::traverse::{EndTest, RowKind, Run};

use super::unit_walk::{UnitElement, UnitLoop, UnitRow, UnitWalk};

/// Sizes and options of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineShape {
    /// Rows.
    pub rows: usize,
    /// Loops of a row.
    pub loops: usize,
    /// Bits of an offset.
    pub offset_bits: u32,
    /// Bits of an address.
    pub address_bits: u32,
    /// Two sets of registers.
    pub double: bool,
    /// Register stages of an address: that of its terms and those of their sum.
    pub stages: usize,
    /// An address that is not taken at once is kept beside the stages, which move on meanwhile.
    pub keep: bool,
}

/// One configuration write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigWrite {
    /// V, held until an end is written (selector 0).
    Initial(u32),
    /// X, held until an end is written (selector 1).
    Step(u32),
    /// Y of a loop; writes V and X of that loop too (selector 2).
    End {
        /// Row; ignored if it does not exist.
        row: usize,
        /// Column, 0 = innermost; ignored if it does not exist.
        column: usize,
        /// What the end means.
        test: EndTest,
        /// Y.
        end: u32,
    },
    /// Base of a row; lists the row, unless it is listed (selector 3).
    Base {
        /// Row; ignored if it does not exist.
        row: usize,
        /// Base address.
        base: u32,
        /// Kind of the row.
        kind: RowKind,
        /// Loop of the tensor that it belongs to.
        attach: Option<usize>,
        /// End test of its loops.
        test: EndTest,
    },
}

/// Inputs of one clock cycle.
#[derive(Debug, Clone, Default)]
pub struct TraversalInputs {
    /// Stops a running traversal.
    pub stop: bool,
    /// Clears the registers that are written.
    pub clear: bool,
    /// Configuration write of this cycle.
    pub write: Option<ConfigWrite>,
    /// Starts the traversal (ignored while `cfg_ready` is low).
    pub start: bool,
    /// The base is not added.
    pub offset_only: bool,
    /// No step is taken while high.
    pub pause: bool,
    /// The consumer takes the address.
    pub ready: bool,
}

/// Outputs of one clock cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraversalOutputs {
    /// The element on the output, if valid. The other outputs mean nothing without it.
    pub element: Option<UnitElement>,
    /// Started and not all addresses accepted.
    pub busy: bool,
    /// Registers may be written and a start is taken.
    pub cfg_ready: bool,
    /// The first address of a traversal is formed in the next cycle, if not paused.
    pub load: bool,
}

/// The engine. Load at t: first address at t + 1 + stages, then one per clock.
#[derive(Debug, Clone)]
pub struct TraversalModel {
    shape: EngineShape,
    initial: u64,
    step: u64,
    loops: Vec<Vec<UnitLoop>>,
    /// Listed rows in their order; their loops are in `loops`.
    listed: Vec<UnitRow>,
    walk: Option<UnitWalk>,
    /// Next element of the walk.
    next: Option<UnitElement>,
    /// Elements on their way, the output last.
    stages: Vec<Option<UnitElement>>,
    /// The element that was not taken when it left them.
    kept: Option<UnitElement>,
    /// A start waits; it does so without bases.
    pending: Option<bool>,
}

impl TraversalModel {
    /// An engine after reset: all registers zero, no row listed.
    pub fn new(shape: EngineShape) -> Self {
        Self {
            shape,
            initial: 0,
            step: 0,
            loops: vec![vec![UnitLoop::default(); shape.loops]; shape.rows],
            listed: Vec::new(),
            walk: None,
            next: None,
            stages: vec![None; shape.stages],
            kept: None,
            pending: None,
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    pub fn step(&mut self, inputs: &TraversalInputs) -> TraversalOutputs {
        let running = self.next.is_some();
        let waiting = self.kept.is_some() || self.stages.iter().any(Option::is_some);
        let busy = running || waiting || self.pending.is_some();
        let element = self.kept.clone().or(self.stages.last().cloned().flatten());
        let room = match self.shape.keep {
            true => self.kept.is_none(),
            false => element.is_none() || inputs.ready,
        };
        if self.shape.keep {
            self.kept = element.clone().filter(|_| !inputs.ready && !inputs.stop);
        }
        let steps = running && room && !inputs.pause;
        let finish = steps && self.next.as_ref().is_some_and(|e| e.end);
        let start = inputs.start && !self.listed.is_empty();
        let wanted = self.pending.or(start.then_some(inputs.offset_only));
        let free = if self.shape.double {
            !running || finish
        } else {
            !busy
        };
        let load = wanted.filter(|_| free && !inputs.stop);
        let outputs = TraversalOutputs {
            element,
            busy,
            cfg_ready: if self.shape.double {
                self.pending.is_none()
            } else {
                !busy
            },
            load: load.is_some(),
        };

        if room {
            self.stages.rotate_right(1);
            self.stages[0] = None;
        }
        if steps {
            self.stages[0] = self.next.take();
            self.next = self.walk.as_mut().and_then(Iterator::next);
        }
        if let Some(offset_only) = load {
            self.load(offset_only);
        }
        self.pending = wanted.filter(|_| self.shape.double && load.is_none() && !inputs.stop);
        if inputs.stop {
            self.stages.fill(None);
            self.walk = None;
            self.next = None;
        }
        if let Some(write) = inputs.write {
            self.write(write);
        }
        if inputs.clear {
            self.loops = vec![vec![UnitLoop::default(); self.shape.loops]; self.shape.rows];
            self.listed.clear();
        }
        outputs
    }

    fn load(&mut self, offset_only: bool) {
        let mut rows = self.listed.clone();
        for row in &mut rows {
            row.loops.clone_from(&self.loops[row.number]);
        }
        let run = Run {
            offset_only,
            ..Run::default()
        };
        let (w, a) = (self.shape.offset_bits, self.shape.address_bits);
        let mut walk = UnitWalk::new(rows, run, w, a);
        self.next = walk.next();
        self.walk = Some(walk);
    }

    fn write(&mut self, write: ConfigWrite) {
        let offset = |value: u32| u64::from(value) & (u64::MAX >> (64 - self.shape.offset_bits));
        match write {
            ConfigWrite::Initial(value) => self.initial = offset(value),
            ConfigWrite::Step(value) => self.step = offset(value),
            ConfigWrite::End {
                row,
                column,
                test,
                end,
            } => {
                let mut end = offset(end);
                if test == EndTest::Trips {
                    end = end.max(1);
                }
                let (initial, step) = (self.initial, self.step);
                if let Some(l) = self.loops.get_mut(row).and_then(|r| r.get_mut(column)) {
                    *l = UnitLoop {
                        initial,
                        step,
                        end: Some(end),
                    };
                }
            }
            ConfigWrite::Base {
                row,
                base,
                kind,
                attach,
                test,
            } => {
                if row >= self.shape.rows {
                    return;
                }
                let base = u64::from(base) & (u64::MAX >> (64 - self.shape.address_bits));
                match self.listed.iter_mut().find(|r| r.number == row) {
                    // Kind and attachment are those of the list, which holds the row already.
                    Some(listed) => {
                        listed.base = base;
                        listed.test = test;
                    }
                    None => self.listed.push(UnitRow {
                        number: row,
                        kind,
                        attach,
                        test,
                        base,
                        loops: Vec::new(),
                    }),
                }
            }
        }
    }
}
