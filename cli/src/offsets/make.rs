//! Tables from a shape.

use std::path::Path;

use heddle_arch::offsets::{Request, Tables};
use heddle_arch::{ConfigErrors, Fault};
use heddle_blocks::offsets::size::sizes;
use heddle_blocks::offsets::{generate, group_origin};
use serde_json::{Map, Value, json};

use super::{check_unit, counts};
use crate::args::{LayoutArg, MakeArgs, PadArg, ShapeArgs};
use crate::failure::{BAD_INPUT, Failure};
use crate::{input, output, replace};

/// Largest SHAPE file.
const SHAPE_BYTES_MAX: u64 = 1 << 20;

/// Runs the command.
pub(super) fn run(args: &MakeArgs) -> Result<(), Failure> {
    replace::check(&args.output, replace::TABLES)?;
    let (request, tables) = match &args.shape {
        Some(path) if args.options == ShapeArgs::default() => from_file(path)?,
        Some(path) => {
            let path = path.display();
            let message = format!("{path}: options of a shape are given as well, expected one");
            return Err(Failure::new(message));
        }
        None => from_options(&args.options)?,
    };
    if let Some(config) = &args.config {
        let params = input::read_config(config)?;
        check_unit(&tables, &params).map_err(|errors| Failure::in_file(config, &errors))?;
    }
    let bytes = tables.to_bytes().map_err(|errors| options(&errors))?;
    replace::write(&args.output, replace::TABLES, &bytes)?;
    let groups = request.convolution.as_ref().map_or(1, |conv| conv.groups);
    let origins: Vec<u64> = (0..groups)
        .map(|group| group_origin(&request, group))
        .collect();
    let sizes = sizes(&request, &tables);
    if args.json {
        return output::print_json(&json!({
            "output": args.output.display().to_string(),
            "bytes": bytes.len(),
            "rows": sizes.rows,
            "taps": sizes.taps,
            "pixels": tables.pixels,
            "outputs": tables.outputs,
            "tensor_bytes": request.tensor_bytes(),
            "matrix_entries": sizes.matrix_entries,
            "base_bits": sizes.base_bits,
            "offset_bits": sizes.offset_bits,
            "group_origins": origins,
        }));
    }
    let mut text = format!(
        "wrote {} to {}, {} bytes\n",
        counts(&tables),
        args.output.display(),
        bytes.len()
    );
    text += &format!(
        "{} entries stand for {} of a matrix; the tensor has {} bytes\n",
        sizes.entries,
        sizes.matrix_entries,
        request.tensor_bytes()
    );
    if groups > 1 {
        text += &format!(
            "{groups} groups of {} outputs: add {} bytes to the origin of the tensor for each\n",
            tables.outputs, origins[1]
        );
    }
    output::print(&text)
}

fn from_file(path: &Path) -> Result<(Request, Tables), Failure> {
    let text = input::read_text(path, "shape", SHAPE_BYTES_MAX)?;
    let refused = |errors: ConfigErrors| Failure::in_file(path, &errors);
    let request = Request::from_json(&text).map_err(refused)?;
    let tables = generate(&request).map_err(refused)?;
    Ok((request, tables))
}

fn from_options(args: &ShapeArgs) -> Result<(Request, Tables), Failure> {
    let document = document(args);
    let kinds = ["convolution", "fully_connected", "matrix"];
    let found: Vec<&str> = (kinds.into_iter())
        .filter(|kind| document.contains_key(*kind))
        .collect();
    if found.len() != 1 {
        let found = match found.is_empty() {
            true => "no shape".to_string(),
            false => format!("options of {}", found.join(" and ")),
        };
        return Err(Failure::new(format!(
            "{found} given, expected a SHAPE file, or the options of one convolution (--kernel), \
             fully connected layer (--inputs) or matrix product (--rows)"
        )));
    }
    let text = Value::Object(document).to_string();
    let request = Request::from_json(&text).map_err(|errors| options(&errors))?;
    let tables = generate(&request).map_err(|errors| options(&errors))?;
    Ok((request, tables))
}

/// The options as a SHAPE document. Options that are not given are not there.
fn document(args: &ShapeArgs) -> Map<String, Value> {
    let padding = args.padding.map(|[top, bottom, left, right]| {
        json!({ "top": top, "bottom": bottom, "left": left, "right": right })
    });
    let pad = args.pad.map(|pad| match pad {
        PadArg::Border => "border",
        PadArg::Mask => "mask",
    });
    let layout = args.layout.map(|layout| match layout {
        LayoutArg::Nchw => "nchw",
        LayoutArg::Cnhw => "cnhw",
        LayoutArg::Nhwc => "nhwc",
        LayoutArg::NchwVector => "nchw_vector",
    });
    let set = |flag: bool| flag.then_some(true);
    let mut convolution = given(vec![
        ("channels", json!(args.channels)),
        ("height", json!(args.height)),
        ("width", json!(args.width)),
        ("kernel", json!(args.kernel)),
        ("stride", json!(args.stride)),
        ("dilation", json!(args.dilation)),
        ("groups", json!(args.groups)),
        ("padding", json!(padding)),
        ("pad", json!(pad)),
        ("layout", json!(layout)),
        ("vector", json!(args.vector)),
    ]);
    let mut layer = given(vec![("inputs", json!(args.inputs))]);
    let mut matrix = given(vec![
        ("rows", json!(args.rows)),
        ("depth", json!(args.depth)),
        ("leading", json!(args.leading)),
        ("transposed", json!(set(args.transposed))),
    ]);
    let mut document = given(vec![
        ("element_bytes", json!(args.element_bytes)),
        ("unit_shift", json!(args.unit_shift)),
        ("running", json!(set(args.running))),
        ("reuse_order", json!(set(args.reuse_order))),
        ("weight_base", json!(args.weight_base)),
    ]);
    let sections = [
        ("convolution", &mut convolution),
        ("fully_connected", &mut layer),
        ("matrix", &mut matrix),
    ];
    for (name, section) in sections {
        if section.is_empty() {
            continue;
        }
        section.extend(given(vec![
            ("outputs", json!(args.outputs)),
            ("images", json!(args.images)),
        ]));
        document.insert(name.to_string(), Value::Object(section.clone()));
    }
    document
}

fn given(fields: Vec<(&str, Value)>) -> Map<String, Value> {
    let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
    fields
        .map(|(name, value)| (name.to_string(), value))
        .collect()
}

/// Faults of fields as those of the options of the same name.
fn options(errors: &ConfigErrors) -> Failure {
    let line = |fault: &Fault| {
        let kinds = ["convolution.", "fully_connected.", "matrix."];
        let field = kinds
            .iter()
            .find_map(|kind| fault.field.strip_prefix(kind))
            .unwrap_or(&fault.field);
        let option = field.replace('.', " ").replace('_', "-");
        match fault.message.strip_prefix(&fault.field) {
            Some(rest) if !field.is_empty() => format!("--{option}{rest}"),
            _ => fault.message.clone(),
        }
    };
    Failure {
        code: BAD_INPUT,
        lines: errors.faults().iter().map(line).collect(),
    }
}
