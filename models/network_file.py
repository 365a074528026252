"""Writing of network files (models/*.json): one line per array, keys in a fixed order."""

import json

INPUT_KEYS = ("channels", "height", "width", "zero_point", "scale")
LAYER_KEYS = (
    "kind",
    "name",
    "inputs",
    "output_channels",
    "output_features",
    "kernel",
    "stride",
    "dilation",
    "groups",
    "padding",
    "transposed",
    "permutation",
    "batch",
    "element_bytes",
    "weights",
    "factors",
    "bias",
    "multiplier",
    "shift",
    "rounding",
    "output_zero_point",
    "activation_min",
    "activation_max",
    "output_scale",
)


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def layer_text(layer):
    unknown = set(layer) - set(LAYER_KEYS)
    assert not unknown, f"unknown layer fields: {sorted(unknown)}"
    fields = [f'   "{key}": {compact(layer[key])}' for key in LAYER_KEYS if key in layer]
    return "  {\n" + ",\n".join(fields) + "\n  }"


def write_network(network, path):
    """Writes a network so that equal networks give equal bytes."""
    source = {key: network["input"][key] for key in INPUT_KEYS}
    images = ",\n".join(f"   {compact(image)}" for image in network["test"]["images"])
    layers = ",\n".join(layer_text(layer) for layer in network["layers"])
    path.write_text(
        "{\n"
        f' "format": {compact(network["format"])},\n'
        f' "name": {compact(network["name"])},\n'
        f' "input": {compact(source)},\n'
        f' "layers": [\n{layers}\n ],\n'
        ' "test": {\n'
        f'  "images": [\n{images}\n  ],\n'
        f'  "labels": {compact(network["test"]["labels"])}\n'
        " }\n}\n"
    )
