//! The clocked results buffer whose stored sums enter the array at the top.

use super::{ResultSlot, raised};
use crate::delay::DelayLine;

/// One position of the sums wave, at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SumSlot {
    /// The slot starts from a stored sum.
    pub read: bool,
    /// Results bank.
    pub bank: bool,
    /// Address within the bank.
    pub address: u16,
}

/// Inputs of one column in one clock cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct PsumInputs {
    /// Sums wave.
    pub top: SumSlot,
    /// Results wave; a valid slot takes the array's sum, its flags `add` and `sum_enable` do not matter.
    pub foot: ResultSlot,
    /// Sum of the array for the foot's slot of the cycle before.
    pub sum: i32,
}

/// Outputs of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PsumColumnOutputs {
    /// Sums wave for the next column.
    pub next_top: SumSlot,
    /// Results wave for the next column.
    pub next_foot: ResultSlot,
    /// First partial sum of the top's slot of two cycles ago; none if the sum was written while it was read.
    pub psum: Option<i32>,
    /// Result of the foot's slot of two cycles ago; none where the hardware may drive anything.
    pub acc: Option<i32>,
}

/// One column: two banks of sums, read at the top and written at the foot.
#[derive(Debug, Clone)]
pub struct PsumColumnModel {
    banks: [Vec<i32>; 2],
    tops: DelayLine<SumSlot>,
    feet: DelayLine<ResultSlot>,
    psums: DelayLine<Option<i32>>,
    results: DelayLine<Option<i32>>,
}

impl PsumColumnModel {
    /// A column with two banks of `depth` sums. They start at zero here; in the hardware they are
    /// undefined until written.
    pub fn new(depth: usize) -> Self {
        let mut psums = DelayLine::new(2);
        // Registers behind a reset hold what empty slots give.
        psums.shift(Some(0));
        psums.shift(Some(0));
        Self {
            banks: [vec![0; depth], vec![0; depth]],
            tops: DelayLine::new(1),
            feet: DelayLine::new(1),
            psums,
            results: DelayLine::new(1),
        }
    }

    /// One clock cycle: returns the outputs of this cycle, then takes the clock edge.
    ///
    /// # Panics
    /// If the address of a slot that reads or is valid lies outside the bank.
    pub fn step(&mut self, inputs: &PsumInputs) -> PsumColumnOutputs {
        let place = |bank: bool, address: u16| (usize::from(bank), usize::from(address));
        let foot = self.feet.shift(inputs.foot);
        let written = (foot.valid && foot.write).then(|| place(foot.bank, foot.address));
        let top = inputs.top;
        let read = top.read.then(|| place(top.bank, top.address));
        let psum = match read {
            None => Some(0),
            Some(_) if read == written => None,
            Some((bank, address)) => Some(self.banks[bank][address]),
        };
        let sum = match foot.raised {
            true => raised(inputs.sum),
            false => inputs.sum,
        };
        if let Some((bank, address)) = written {
            self.banks[bank][address] = sum;
        }
        PsumColumnOutputs {
            next_top: self.tops.shift(top),
            next_foot: foot,
            psum: self.psums.shift(psum),
            acc: self.results.shift(foot.valid.then_some(sum)),
        }
    }
}

/// First partial sums and results of all columns in one clock cycle.
pub type PsumBufferOutputs = (Vec<Option<i32>>, Vec<Option<i32>>);

/// The chain of columns.
#[derive(Debug, Clone)]
pub struct PsumBufferModel {
    columns: Vec<PsumColumnModel>,
}

impl PsumBufferModel {
    /// `cols` columns with two banks of `depth` sums each.
    pub fn new(cols: usize, depth: usize) -> Self {
        Self {
            columns: vec![PsumColumnModel::new(depth); cols],
        }
    }

    /// One clock cycle with the slots that enter the first column and the sums of all columns: returns
    /// what each column gives to the top and to post, then takes the clock edge.
    ///
    /// # Panics
    /// If `sums` does not have one entry per column.
    pub fn step(&mut self, top: &SumSlot, foot: &ResultSlot, sums: &[i32]) -> PsumBufferOutputs {
        assert_eq!(sums.len(), self.columns.len(), "one sum per column");
        let (mut top, mut foot) = (*top, *foot);
        let columns = self.columns.iter_mut().zip(sums);
        columns
            .map(|(column, &sum)| {
                let outputs = column.step(&PsumInputs { top, foot, sum });
                (top, foot) = (outputs.next_top, outputs.next_foot);
                (outputs.psum, outputs.acc)
            })
            .unzip()
    }
}
