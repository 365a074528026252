//! A memory that two machines share: in a clock each channel belongs to one of them.

use std::collections::VecDeque;

use crate::system::ring::bench::Bench;

/// Who goes in a clock; where both ask they take turns.
#[derive(Default)]
pub struct Interconnect {
    last: [usize; 5],
    /// Machines in the order of their addresses of writes, whose beats have not all come.
    writers: VecDeque<usize>,
}

const CHANNELS: [&str; 5] = ["ar", "aw", "w", "r", "b"];
const W: usize = 2;
const R: usize = 3;

impl Interconnect {
    /// Gives the channels of the coming clock away.
    pub fn grant(&mut self, benches: &mut [Bench; 2]) {
        for (channel, name) in CHANNELS.iter().enumerate() {
            let asks = [0, 1].map(|own: usize| {
                let bench = &benches[own];
                match channel {
                    W => self.writers.front() == Some(&own),
                    R.. => {
                        let offers =
                            |bench: &Bench| bench.bus.offers(bench.dut.cycle())[channel - R];
                        let (stands, waits) = offers(bench);
                        // A beat that stands keeps the channel.
                        !stands && waits && !offers(&benches[1 - own]).0
                    }
                    _ => bench.dut.get(&format!("m_axi_{name}valid")) == 1,
                }
            });
            let turn = if asks == [true; 2] {
                1 - self.last[channel]
            } else {
                usize::from(asks[1])
            };
            for (own, bench) in benches.iter_mut().enumerate() {
                bench.bus.grant[channel] = asks[own] && own == turn;
            }
            if asks[turn] {
                self.last[channel] = turn;
            }
        }
    }

    /// Looks at what was taken in a clock, before its edge.
    pub fn look(&mut self, benches: &[Bench; 2]) {
        let takes = |bench: &Bench, channel: &str| {
            ["valid", "ready"]
                .iter()
                .all(|pin| bench.dut.get(&format!("m_axi_{channel}{pin}")) == 1)
        };
        for (own, bench) in benches.iter().enumerate() {
            if takes(bench, "w") && bench.dut.get("m_axi_wlast") == 1 {
                assert_eq!(self.writers.pop_front(), Some(own), "a beat out of turn");
            }
            if takes(bench, "aw") {
                self.writers.push_back(own);
            }
        }
    }
}
