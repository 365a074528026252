//! The advice for people and as JSON.

use std::collections::BTreeSet;

use heddle_arch::params::{MaskPlace, PackNetwork, Slices};
use heddle_blocks::slices::{self, Population, Ranked};
use serde_json::{Value, json};

use super::{Advice, Words};
use crate::{output, rows};

/// The advice as JSON; bits are those of one access.
pub(super) fn json(advice: &Advice) -> Value {
    let layouts: Vec<Value> = advice
        .ranked
        .iter()
        .map(|ranked| layout(advice, ranked))
        .collect();
    let parts: Vec<Value> = advice
        .source
        .parts
        .iter()
        .filter(|part| !part.name.is_empty())
        .map(|part| json!({ "name": part.name, "populations": histograms(&part.populations) }))
        .collect();
    let recommended = advice.recommended();
    let mut summary = json!({
        "words": advice.words(),
        "word_bytes": advice.source.word_bytes,
        "plain_bits": advice.source.word_bytes * 8,
        "populations": histograms(&advice.populations),
        "tensors": parts,
        "configured": advice.source.configured.as_ref().map(|slices| {
            json!({ "slices": slices, "bits": configured_bits(advice, slices) })
        }),
        "target": advice.target,
        "layouts": layouts,
        "recommended": {
            "slices": recommended.map_or_else(|| plain(advice), |ranked| ranked.slices.clone()),
            "bits": recommended.map_or(f64::from(advice.source.word_bytes * 8), |ranked| {
                bits(advice, ranked)
            }),
        },
    });
    if let Some(rows) = &advice.source.rows {
        rows::add_json(rows, &mut summary);
    }
    summary
}

fn layout(advice: &Advice, ranked: &Ranked) -> Value {
    let slices = &ranked.slices;
    let mut value = json!({
        "unit_bits": slices.unit_bits,
        "widths": slices.widths,
        "mask": slices.mask,
        "networks": networks(slices),
        "bits": bits(advice, ranked),
        "saving": saving(advice, bits(advice, ranked)),
        "break_even": ranked.break_even,
    });
    if advice.target.is_some() {
        value["meets_target"] = advice.reaches_target(ranked).into();
    }
    value
}

fn histograms(populations: &[Population]) -> Vec<Value> {
    let histogram = |population: &Population| {
        json!({
            "unit_bits": population.unit_bits(),
            "zero_share": population.zero_share(),
            "words": population.words(),
        })
    };
    populations.iter().map(histogram).collect()
}

/// Tensors, histogram, layouts and the recommendation.
pub(super) fn text(advice: &Advice, all: bool) -> String {
    let source = &advice.source;
    let mut text = format!(
        "{}: {} words of {} bytes\n\n",
        source.title,
        advice.words(),
        source.word_bytes
    );
    if let Some(rows) = &source.rows {
        text += &format!(
            "as with --mapping channel, where each word lies once:\n\n{}\n",
            rows::text(rows)
        );
    }
    if source.parts.len() > 1 {
        text += &(tensors(advice) + "\n");
    }
    text += &(histogram(&advice.populations) + "\n");
    text += &layouts(advice, all);
    text + "\n" + &recommendation(advice)
}

/// The layout that is recommended for all words and the best one for each tensor.
fn tensors(advice: &Advice) -> String {
    let word_bytes = advice.source.word_bytes;
    let mut heading: Vec<String> = vec!["tensor".into(), "words".into()];
    heading.extend((advice.populations.iter()).map(|p| format!("zero, {} bits", p.unit_bits())));
    heading.extend(["advised".into(), "best".into(), "layout".into()]);
    let mut rows = vec![heading];
    let total = Words {
        name: "total".into(),
        populations: advice.populations.clone(),
    };
    for part in advice.source.parts.iter().chain([&total]) {
        let words = part.populations.first().map_or(0, Population::total);
        let per_word = |total_bits: u64| format!("{:.2}", ratio(total_bits, words));
        let mut row = vec![part.name.clone(), words.to_string()];
        row.extend(part.populations.iter().map(|p| percent(p.zero_share())));
        let advised = match advice.recommended() {
            Some(ranked) => of(&part.populations, &ranked.slices).unwrap_or(0),
            None => words * u64::from(word_bytes) * 8,
        };
        let best = slices::best(word_bytes, &part.populations);
        row.push(per_word(advised));
        if let Some(best) = best {
            row.extend([per_word(best.total_bits), name(&best.slices)]);
        }
        rows.push(row);
    }
    output::table(&rows)
}

/// One line for each number of non-zero units, one column for each unit size.
fn histogram(populations: &[Population]) -> String {
    let mut heading = vec!["non-zero units".to_string()];
    heading.extend(
        populations
            .iter()
            .map(|p| format!("{} bits", p.unit_bits())),
    );
    let mut rows = vec![heading];
    let longest = populations.iter().map(|p| p.words().len()).max();
    for count in 0..longest.unwrap_or(0) {
        let cell = |population: &Population| match population.words().get(count) {
            Some(words) => percent(ratio(*words, population.total())),
            None => String::new(),
        };
        let mut row = vec![count.to_string()];
        row.extend(populations.iter().map(cell));
        rows.push(row);
    }
    output::table(&rows)
}

fn layouts(advice: &Advice, all: bool) -> String {
    let plain_bits = f64::from(advice.source.word_bytes * 8);
    let row = |name: String, bits: f64, break_even: Option<f64>, networks: String| {
        vec![
            name,
            format!("{bits:.2}"),
            percent(saving(advice, bits)),
            break_even.map_or("-".to_string(), percent),
            networks,
        ]
    };
    let mut rows = vec![
        ["layout", "bits", "saving", "break-even", "networks"]
            .map(String::from)
            .to_vec(),
    ];
    rows.push(row("plain".into(), plain_bits, None, String::new()));
    if let Some(slices) = &advice.source.configured {
        if let Some(bits) = configured_bits(advice, slices) {
            let name = format!("configuration: {}", name(slices));
            let networks = networks_text(slices);
            rows.push(row(name, bits, slices::break_even(slices), networks));
        }
    }
    let shown = shown(advice, all);
    for ranked in &shown {
        rows.push(row(
            name(&ranked.slices),
            bits(advice, ranked),
            ranked.break_even,
            networks_text(&ranked.slices),
        ));
    }
    let what = match advice.target {
        Some(target) => format!("{} layouts save at least {target} %", shown.len()),
        None if all => format!("{} layouts", shown.len()),
        None => format!(
            "{} layouts, the best of each unit size, place of the mask and number of slices \
             (--all lists all)",
            advice.ranked.len()
        ),
    };
    format!(
        "{what}\nbits: of one access; break-even: zero units above which a layout saves, if they \
         are independent\n\n{}",
        output::table(&rows)
    )
}

/// The layouts of the table: all, those that reach the target, or the best one of each kind.
fn shown(advice: &Advice, all: bool) -> Vec<&Ranked> {
    let mut kinds = BTreeSet::new();
    let mut first_of_kind = |ranked: &Ranked| {
        let slices = &ranked.slices;
        kinds.insert((slices.unit_bits, slices.mask, slices.widths.len()))
    };
    (advice.ranked.iter())
        .filter(|ranked| match advice.target {
            Some(_) => advice.reaches_target(ranked),
            None => all || first_of_kind(ranked),
        })
        .collect()
}

fn recommendation(advice: &Advice) -> String {
    let Some(best) = advice.recommended() else {
        let fragment = fragment(&plain(advice));
        return format!("recommended: plain, no layout saves\n\"slices\": {fragment}\n");
    };
    let slices = &best.slices;
    format!(
        "recommended: {}, saves {}\n\"slices\": {}\n",
        name(slices),
        percent(saving(advice, bits(advice, best))),
        fragment(slices)
    )
}

/// The slices as a fragment of a configuration, without the options that have their defaults.
fn fragment(slices: &Slices) -> String {
    let value = json!(slices);
    let default = json!(Slices::new(slices.word_bytes, 8, slices.widths.clone()));
    let kept = |name: &str| {
        matches!(name, "word_bytes" | "widths") || value.get(name) != default.get(name)
    };
    let fields: Vec<String> = ["word_bytes", "unit_bits", "widths", "mask", "plain"]
        .into_iter()
        .filter(|name| kept(name))
        .map(|name| format!("\"{name}\": {}", value[name]).replace(',', ", "))
        .collect();
    format!("{{ {} }}", fields.join(", "))
}

/// A plain memory of these words; its slices are those of the coarsest mask.
fn plain(advice: &Advice) -> Slices {
    let word_bytes = advice.source.word_bytes;
    let coarsest = advice.populations.iter().map(Population::unit_bits).max();
    let unit_bits = coarsest.unwrap_or(8);
    let half = word_bytes * 8 / unit_bits / 2;
    Slices {
        plain: true,
        ..Slices::new(word_bytes, unit_bits, vec![half, half])
    }
}

/// Such as "slice [3, 5] of 8 bits".
fn name(slices: &Slices) -> String {
    if slices.plain {
        return "plain".to_string();
    }
    let place = match slices.mask {
        MaskPlace::Slice => "slice",
        MaskPlace::Field => "field",
        MaskPlace::Hybrid => "hybrid",
    };
    format!("{place} {:?} of {} bits", slices.widths, slices.unit_bits)
}

fn networks(slices: &Slices) -> Vec<PackNetwork> {
    let all = PackNetwork::ALL.into_iter();
    all.filter(|network| slices.allows(*network)).collect()
}

fn networks_text(slices: &Slices) -> String {
    let names = networks(slices).into_iter().map(|network| match network {
        PackNetwork::Full => "full",
        PackNetwork::Half => "half",
        PackNetwork::Split => "split",
    });
    names.collect::<Vec<_>>().join(" ")
}

/// Bits of one access; `None` if the words were not counted with units of this size.
fn configured_bits(advice: &Advice, slices: &Slices) -> Option<f64> {
    let total = of(&advice.populations, slices)?;
    Some(ratio(total, advice.words()))
}

/// Bits of one access to each word.
fn of(populations: &[Population], slices: &Slices) -> Option<u64> {
    let mut same = populations
        .iter()
        .filter(|p| p.unit_bits() == slices.unit_bits);
    same.next().map(|population| population.total_bits(slices))
}

fn bits(advice: &Advice, ranked: &Ranked) -> f64 {
    ratio(ranked.total_bits, advice.words())
}

fn saving(advice: &Advice, bits: f64) -> f64 {
    1.0 - bits / f64::from(advice.source.word_bytes * 8)
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
