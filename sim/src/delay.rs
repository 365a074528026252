//! A line of registers: what the models use wherever the documents say "n cycles later".

use std::collections::VecDeque;

/// Delays values by a fixed number of clock cycles. All registers start with `T::default()`.
#[derive(Debug, Clone)]
pub struct DelayLine<T> {
    stages: VecDeque<T>,
}

impl<T: Clone + Default> DelayLine<T> {
    /// A line of `cycles` registers; 0 cycles is a wire.
    pub fn new(cycles: usize) -> Self {
        Self {
            stages: std::iter::repeat_n(T::default(), cycles).collect(),
        }
    }

    /// What leaves in this cycle, of a line of at least one register.
    pub fn front(&self) -> &T {
        self.stages.front().expect("there is a register")
    }

    /// One clock cycle: takes this cycle's value and returns the value of `cycles` cycles ago.
    pub fn shift(&mut self, value: T) -> T {
        self.stages.push_back(value);
        self.stages
            .pop_front()
            .expect("the line holds at least the value just pushed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_leaves_after_the_given_number_of_cycles() {
        let mut line = DelayLine::new(2);
        let seen: Vec<u32> = (1..=5).map(|v| line.shift(v)).collect();
        assert_eq!(seen, [0, 0, 1, 2, 3]);
        assert_eq!(DelayLine::new(0).shift(7), 7);
    }
}
