//! Which unit takes which partition.

use super::axis::Cell;
use super::error::{PlanError, check};
use super::fold::Fold;
use super::plan::Plan;

/// Gives each partition a unit of its own, so that all of them together are as near to their units as can be (FSA-22).
///
/// `distances` has a row for each partition: how far each unit is from where the partition is stored now, in any measure. If the nearest
/// units of all partitions differ, each one has its nearest. There are as many units as partitions, or more.
///
/// # Errors
/// There is no partition or more than 256, a row has another number of units than the first one, or there are fewer units than partitions
/// or more than 256.
pub fn assign(distances: &[Vec<u32>]) -> Result<Vec<u32>, PlanError> {
    let partitions = distances.len();
    check("partitions", count(partitions), 1..=256)?;
    let units = distances[0].len();
    check("units", count(units), count(partitions)..=256)?;
    for row in distances {
        check(
            "units of a partition",
            count(row.len()),
            count(units)..=count(units),
        )?;
    }
    let mut matching = Matching::new(distances, units);
    (0..partitions).for_each(|partition| matching.add(partition));
    let mut assigned = vec![0; partitions];
    for (unit, partition) in (0..).zip(&matching.partition_of) {
        if let Some(partition) = partition {
            assigned[*partition] = unit;
        }
    }
    Ok(assigned)
}

impl Plan {
    /// The plan with each cell in the unit that is nearest to where it is stored, as [`assign`] has it: how far the units are from each cell,
    /// units counted modulo the cells.
    ///
    /// # Errors
    /// There is not one distance for each cell and each unit.
    pub fn near(self, distances: &[Vec<u32>]) -> Result<Self, PlanError> {
        let cells = i64::from(self.split.cells());
        check(
            "cells of the distances",
            distances.len() as i64,
            cells..=cells,
        )?;
        check(
            "units of the distances",
            distances[0].len() as i64,
            cells..=cells,
        )?;
        let mut places = vec![0; cells as usize];
        for (cell, unit) in (0..).zip(assign(distances)?) {
            places[unit as usize] = cell;
        }
        Ok(Self { places, ..self })
    }

    /// Rows and columns that a unit has of a fold.
    pub fn cell_of<'a>(&self, unit: u32, fold: &'a Fold) -> &'a [Cell; 2] {
        let place = self.places[(unit % self.split.cells()) as usize];
        &fold.cells[place as usize]
    }
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// The Hungarian method: prices of units and of partitions, under which a pair of the matching costs nothing and no pair less.
struct Matching<'a> {
    distances: &'a [Vec<u32>],
    partition_of: Vec<Option<usize>>,
    price_of_unit: Vec<i64>,
    price_of_partition: Vec<i64>,
}

impl<'a> Matching<'a> {
    fn new(distances: &'a [Vec<u32>], units: usize) -> Self {
        Self {
            distances,
            partition_of: vec![None; units],
            price_of_unit: vec![0; units],
            price_of_partition: vec![0; distances.len()],
        }
    }

    fn cost(&self, partition: usize, unit: usize) -> i64 {
        i64::from(self.distances[partition][unit])
            - self.price_of_partition[partition]
            - self.price_of_unit[unit]
    }

    /// Adds a partition along the cheapest path of pairs that change.
    fn add(&mut self, partition: usize) {
        let units = self.partition_of.len();
        let mut least = vec![i64::MAX; units];
        let mut before = vec![None; units];
        let mut reached = Vec::new();
        let mut at = (partition, None);
        let free = loop {
            let open = (0..units).filter(|unit| !reached.contains(unit));
            for unit in open.clone() {
                let cost = self.cost(at.0, unit);
                if cost < least[unit] {
                    (least[unit], before[unit]) = (cost, at.1);
                }
            }
            let nearest = open.min_by_key(|unit| least[*unit]);
            let nearest = nearest.expect("there are as many units as partitions");
            self.pay(partition, &reached, &mut least, nearest);
            reached.push(nearest);
            match self.partition_of[nearest] {
                Some(other) => at = (other, Some(nearest)),
                None => break nearest,
            }
        };
        let mut unit = free;
        while let Some(from) = before[unit] {
            self.partition_of[unit] = self.partition_of[from];
            unit = from;
        }
        self.partition_of[unit] = Some(partition);
    }

    /// Changes prices so that the nearest unit costs nothing.
    fn pay(&mut self, partition: usize, reached: &[usize], least: &mut [i64], nearest: usize) {
        let price = least[nearest];
        self.price_of_partition[partition] += price;
        for unit in reached {
            let own = self.partition_of[*unit].expect("the path goes on from there");
            self.price_of_partition[own] += price;
            self.price_of_unit[*unit] -= price;
        }
        for (unit, least) in least.iter_mut().enumerate() {
            if !reached.contains(&unit) {
                *least -= price;
            }
        }
    }
}
