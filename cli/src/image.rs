//! `heddle image`: what an image holds, and whether it is one for a configuration; `heddle sim --image`.

mod simulate;

use std::path::Path;

use heddle_arch::image::{BYTES_MAX, Image, Kind, Tensor};
use serde_json::{Value, json};

use crate::args::{ImageArgs, ImageCommand};
use crate::failure::Failure;
use crate::{input, output};
pub use simulate::{Prepared, prepared, simulate, write_outputs};

/// Runs the command.
pub fn run(args: &ImageArgs) -> Result<(), Failure> {
    match &args.command {
        ImageCommand::Info { image, json } => {
            let (bytes, found) = read(image)?;
            match json {
                true => output::print_json(&summary(&found, bytes.len())),
                false => output::print(&text(&found, bytes.len())),
            }
        }
        ImageCommand::Check {
            image,
            config,
            json,
        } => check(image, config.as_deref(), *json),
    }
}

/// Bytes of a file and the image that they are.
fn read(path: &Path) -> Result<(Vec<u8>, Image), Failure> {
    let bytes = input::read_bytes(path, "image", BYTES_MAX)?;
    let image = Image::from_bytes(&bytes);
    let image = image.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    Ok((bytes, image))
}

fn check(path: &Path, config: Option<&Path>, as_json: bool) -> Result<(), Failure> {
    let params = config.map(input::read_config).transpose()?;
    let (_, image) = read(path)?;
    if let Some(params) = &params {
        let fits = image.check_machine(params);
        fits.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    }
    let machine = params.map(|params| params.name);
    if as_json {
        return output::print_json(&json!({ "ok": path.display().to_string(), "config": machine }));
    }
    let fits = machine.map_or(String::new(), |name| format!(", for {name}"));
    output::print(&format!("{}: ok{fits}\n", path.display()))
}

/// Names and numbers of the header.
fn header(image: &Image, bytes: usize) -> Vec<(&'static str, String)> {
    let [rows, columns] = image.shape;
    let by_programs = match image.program_loads().len() {
        0 => String::new(),
        loads => format!(
            ", {} of them by {loads} LOADs of programs",
            by_programs(image)
        ),
    };
    vec![
        ("file", format!("{bytes} bytes")),
        ("config", format!("0x{:08x}", image.config)),
        ("array", format!("{rows} x {columns}")),
        ("caps", format!("0x{:x}", image.caps)),
        ("ring", format!("{} entries", image.ring_entries())),
        ("once", format!("{} words", image.words_of(Kind::Once))),
        (
            "loads",
            format!(
                "{} words for an inference{by_programs}",
                image.loaded_words()
            ),
        ),
        ("scratch", format!("{} bytes", image.scratch_bytes)),
        ("work", format!("{} bytes", image.work_bytes)),
        ("input", format!("{} bytes", image.region_bytes(1))),
        ("output", format!("{} bytes", image.region_bytes(2))),
    ]
}

/// Words that programs load for an inference.
fn by_programs(image: &Image) -> u64 {
    let jobs = [Kind::Begin, Kind::Runs].map(|kind| image.words_of(kind));
    image.loaded_words() - jobs.iter().sum::<u64>()
}

fn text(image: &Image, bytes: usize) -> String {
    let mut text = String::new();
    for (name, value) in header(image, bytes) {
        text += &format!("{name:8} {value}\n");
    }
    let heading = ["section", "entries"].map(str::to_string).to_vec();
    let mut rows = vec![heading];
    for (kind, words) in Kind::DATA.iter().zip(&image.data) {
        rows.push(vec![kind.name().to_string(), words.len().to_string()]);
    }
    for (kind, jobs) in image.lists() {
        rows.push(vec![kind.name().to_string(), jobs.len().to_string()]);
    }
    text += &format!("\n{}", output::table(&rows));
    let heading = [
        "tensor", "use", "type", "extents", "region", "offset", "bytes",
    ];
    let mut rows = vec![heading.map(str::to_string).to_vec()];
    rows.extend(image.tensors.iter().map(|tensor| {
        let extents: Vec<String> = tensor.extents.iter().map(u32::to_string).collect();
        vec![
            tensor.name.clone(),
            usage(tensor).to_string(),
            tensor.element.name().to_string(),
            extents.join(" x "),
            tensor.region.to_string(),
            tensor.offset.to_string(),
            tensor.bytes.to_string(),
        ]
    }));
    text += &format!("\n{}", output::table(&rows));
    for end in &image.ends {
        let name = |index: u32| &image.tensors[index as usize].name;
        text += &format!(
            "{}: {} to {}, {} rows of {}\n",
            end.operation.name(),
            name(end.source),
            name(end.destination),
            end.rows,
            end.length
        );
    }
    text
}

fn usage(tensor: &Tensor) -> &'static str {
    match (tensor.input, tensor.output) {
        (true, false) => "input",
        (false, true) => "output",
        (true, true) => "both",
        (false, false) => "host",
    }
}

fn summary(image: &Image, bytes: usize) -> Value {
    let words = Kind::DATA.iter().zip(&image.data);
    let words = words.map(|(kind, words)| json!({ "name": kind.name(), "entries": words.len() }));
    let lists = image.lists().into_iter();
    let lists = lists.map(|(kind, jobs)| json!({ "name": kind.name(), "entries": jobs.len() }));
    let tensors = image.tensors.iter().map(|tensor| {
        json!({
            "name": tensor.name, "use": usage(tensor), "type": tensor.element.name(),
            "extents": tensor.extents, "scale": tensor.scale, "zero_point": tensor.zero_point,
            "region": tensor.region, "offset": tensor.offset, "bytes": tensor.bytes,
        })
    });
    let ends = image.ends.iter().map(|end| {
        json!({
            "operation": end.operation.name(), "source": end.source,
            "destination": end.destination, "rows": end.rows, "length": end.length,
        })
    });
    json!({
        "bytes": bytes,
        "config": image.config,
        "shape": image.shape,
        "caps": image.caps,
        "ring_entries": image.ring_entries(),
        "once_words": image.words_of(Kind::Once), "loaded_words": image.loaded_words(),
        "program_loads": image.program_loads().len(), "program_loaded_words": by_programs(image),
        "scratch_bytes": image.scratch_bytes,
        "work_bytes": image.work_bytes,
        "input_bytes": image.region_bytes(1),
        "output_bytes": image.region_bytes(2),
        "sections": words.chain(lists).collect::<Vec<_>>(),
        "tensors": tensors.collect::<Vec<_>>(),
        "ends": ends.collect::<Vec<_>>(),
    })
}
