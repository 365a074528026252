//! Rules by which maps are sparse or dense.

/// An engine of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Engine {
    /// The array.
    #[default]
    Dense,
    /// The sparse cluster.
    Sparse,
}

impl Engine {
    /// Name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Dense => "dense",
            Engine::Sparse => "sparse",
        }
    }
}

/// The engine of a layer, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineChoice {
    /// The engine.
    pub engine: Engine,
    /// Why.
    pub reason: String,
}

/// Which engines layers may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EnginePolicy {
    /// The array alone.
    #[default]
    Dense,
    /// The cluster for all layers that it can do.
    Sparse,
    /// What the rule says.
    Auto,
}

/// When the input of a layer is sparse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rule {
    /// The cluster takes fewer cycles.
    #[default]
    Cycles,
    /// There are more zeros than others.
    Majority,
    /// At least so many percent are zeros.
    Threshold(u32),
    /// There are more zeros than this.
    Count(u64),
}

/// What a user asks of the engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct EngineOptions {
    /// Which ones.
    pub policy: EnginePolicy,
    /// How they are chosen.
    pub rule: Rule,
}

/// Zeros of a map, such as the sum over some images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Zeros {
    /// Elements that are zero.
    pub zeros: u64,
    /// All elements.
    pub elements: u64,
    /// Images.
    pub images: u64,
}

impl Zeros {
    /// Share of the elements that are not zero.
    #[must_use]
    pub fn density(&self) -> f64 {
        1.0 - self.zeros as f64 / self.elements.max(1) as f64
    }
}

/// The engine for a map by a rule that looks at nothing but its zeros; none by cycles, which depend on the layer. Where a rule names both
/// sides without the border between them, the border is dense.
#[must_use]
pub fn classify(map: Zeros, rule: Rule) -> Option<Engine> {
    let Zeros {
        zeros,
        elements,
        images,
    } = map;
    let wide = u128::from;
    let is_sparse = match rule {
        Rule::Cycles => return None,
        Rule::Majority => wide(zeros) > wide(elements) - wide(zeros),
        Rule::Threshold(percent) => wide(zeros) * 100 >= wide(elements) * u128::from(percent),
        Rule::Count(count) => wide(zeros) > wide(count) * wide(images),
    };
    Some(match is_sparse {
        true => Engine::Sparse,
        false => Engine::Dense,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(zeros: u64, rule: Rule) -> Option<Engine> {
        let elements = 1000;
        let one = Zeros {
            zeros,
            elements,
            images: 1,
        };
        // The sum over images is judged as their mean.
        let many = Zeros {
            zeros: 7 * zeros,
            elements: 7 * elements,
            images: 7,
        };
        assert_eq!(classify(one, rule), classify(many, rule));
        classify(one, rule)
    }

    const DENSE: Option<Engine> = Some(Engine::Dense);
    const SPARSE: Option<Engine> = Some(Engine::Sparse);

    #[proves("FSA-16")]
    #[test]
    fn a_map_with_80_percent_of_zeros_is_sparse_by_each_rule() {
        for rule in [Rule::Majority, Rule::Threshold(80), Rule::Count(799)] {
            assert_eq!(of(800, rule), SPARSE, "{rule:?}");
            assert_eq!(of(400, rule), DENSE, "{rule:?}");
        }
        assert_eq!(of(800, Rule::Cycles), None);
    }

    #[proves("FSA-18")]
    #[test]
    fn at_the_border_of_each_rule_one_zero_decides() {
        let borders = [
            (Rule::Majority, 500, [DENSE, DENSE, SPARSE]),
            (Rule::Threshold(80), 800, [DENSE, SPARSE, SPARSE]),
            (Rule::Threshold(1), 10, [DENSE, SPARSE, SPARSE]),
            (Rule::Threshold(50), 500, [DENSE, SPARSE, SPARSE]),
            (Rule::Count(300), 300, [DENSE, DENSE, SPARSE]),
            (Rule::Count(1), 1, [DENSE, DENSE, SPARSE]),
        ];
        for (rule, border, expected) in borders {
            let found = [border - 1, border, border + 1].map(|zeros| of(zeros, rule));
            assert_eq!(found, expected, "{rule:?}");
        }
        assert_eq!(of(0, Rule::Threshold(0)), SPARSE, "all maps");
        assert_eq!(of(1000, Rule::Threshold(100)), SPARSE);
        assert_eq!(of(999, Rule::Threshold(100)), DENSE);
    }
}
