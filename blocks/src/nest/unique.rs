//! Whether all iterations of all rows have addresses of their own (TTU-020).

use super::fault::{NestError, Refusal};
use super::plan::{Plan, RowPlan};

/// Most addresses that are compared.
const ADDRESSES_MAX: u128 = 1 << 24;

impl Plan {
    /// Checks that no two iterations have the same address. Attached rows, which walk the same
    /// addresses each time, count once.
    ///
    /// # Errors
    /// [`Refusal::Duplicate`] with the first address that comes twice and the two iterations;
    /// [`Refusal::TooMany`] beyond 2^24 addresses.
    pub fn check_unique(&self) -> Result<(), NestError> {
        let counts = self.rows.iter().map(RowPlan::addresses);
        let total = { counts }.try_fold(0u128, |sum, count| sum.checked_add(count?));
        if total.is_none_or(|total| total > ADDRESSES_MAX) {
            let total = total.map_or("more than 2^128".to_string(), |total| total.to_string());
            let message = format!(
                "nest has {total} addresses, at most {ADDRESSES_MAX} are checked for being unique"
            );
            return Err(NestError::new(None, Refusal::TooMany, message));
        }
        // (address, position in the order of the rows)
        let mut all: Vec<(u32, u32)> = Vec::new();
        for plan in &self.rows {
            plan.each(|address| all.push((address, all.len() as u32)));
        }
        all.sort_unstable();
        let twice = all.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        let Some(pair) = twice.min_by_key(|pair| pair[1].1) else {
            return Ok(());
        };
        let (address, first, second) = (pair[0].0, self.find(pair[0].1), self.find(pair[1].1));
        let message = format!(
            "{} and {} have the same address {address}",
            first.1, second.1
        );
        let place = second.0.used.place;
        Err(NestError::new(place, Refusal::Duplicate, message))
    }

    /// The row and the description of the iteration at this position.
    fn find(&self, position: u32) -> (&RowPlan, String) {
        let mut left = u128::from(position);
        for plan in &self.rows {
            let count = plan.addresses().unwrap_or(u128::MAX);
            if left < count {
                return (plan, plan.iteration(left));
            }
            left -= count;
        }
        unreachable!("positions lie inside the rows")
    }
}

impl RowPlan {
    /// Calls with every address in order.
    fn each(&self, mut call: impl FnMut(u32)) {
        let mut turns = vec![0u64; self.columns.len()];
        let mut address = self.base + self.columns.iter().map(|c| c.initial).sum::<i128>();
        loop {
            call(address as u32);
            let mut column = 0;
            loop {
                let Some(values) = self.columns.get(column) else {
                    return;
                };
                turns[column] += 1;
                if turns[column] < values.trips {
                    address += values.step;
                    break;
                }
                turns[column] = 0;
                address -= values.step * i128::from(values.trips - 1);
                column += 1;
            }
        }
    }

    /// The element of an iteration, such as `V[3][0] (i = 3, k = 0)`.
    fn iteration(&self, position: u128) -> String {
        let mut left = position;
        let mut values = Vec::new();
        for plan in &self.loops {
            let turn = (left % u128::from(plan.trips)) as i64;
            left /= u128::from(plan.trips);
            values.push((plan.index.as_str(), plan.start + plan.step * turn));
        }
        values.reverse();
        let mut text = self.used.array.clone();
        for subscript in &self.used.subscripts {
            let terms = values
                .iter()
                .map(|(index, v)| subscript.coefficient(index) * v);
            text += &format!("[{}]", subscript.constant + terms.sum::<i64>());
        }
        let values: Vec<String> = values
            .iter()
            .map(|(index, v)| format!("{index} = {v}"))
            .collect();
        match values.is_empty() {
            true => text,
            false => format!("{text} ({})", values.join(", ")),
        }
    }
}
