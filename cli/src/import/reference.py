"""Runs a model in the program it was made for. `heddle import --check` gives it to an interpreter with a folder:
request.json says what to run, inputs.npz has the images of each input, by its place; outputs.npz gets the tensors, by their place in the request."""

import json
import pathlib
import sys

PACKAGE_IS_MISSING = 3


def main(folder):
    request = json.loads((folder / "request.json").read_text())
    arrays = numpy.load(folder / "inputs.npz")
    images = zip(*(arrays[str(place)] for place in range(len(request["inputs"]))))
    runs = [list(made) for made in REFERENCES[request["format"]](request, images)]
    arrays = {}
    for place, tensors in enumerate(zip(*runs)):
        if all(tensor is not None and tensor.dtype in KEPT for tensor in tensors):
            # All images of a batch are the same one.
            kept = numpy.stack([tensor.reshape(request["batch"], -1)[0] for tensor in tensors])
            arrays[str(place)] = kept.astype(KEPT[kept.dtype])
    numpy.savez(folder / "outputs.npz", **arrays)


def tflite(request, images):
    """Without delegates and optimised kernels."""
    interpreter = litert.Interpreter(
        model_path=request["model"],
        experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF,
        experimental_preserve_all_tensors=True,
    )
    interpreter.allocate_tensors()
    for image in images:
        for given in interpreter.get_input_details():
            values = as_input(request, image, given["name"], numpy.dtype(given["dtype"]), given["shape"])
            interpreter.set_tensor(given["index"], values)
        interpreter.invoke()
        yield [interpreter.get_tensor(tensor["index"]) for tensor in request["tensors"]]


def onnx_file(request, images):
    """Without optimisations."""
    model = onnx.load(request["model"])
    quantised = {node.input[0]: node.output[0] for node in model.graph.node if node.op_type == "QuantizeLinear"}
    made = {name for node in model.graph.node for name in node.output}
    names = [quantised.get(tensor["name"], tensor["name"]) for tensor in request["tensors"]]
    wanted = sorted(made.intersection(names))
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in wanted)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    types = {"tensor(float)": "float32", "tensor(uint8)": "uint8", "tensor(int8)": "int8"}
    for image in images:
        values = {}
        for given in session.get_inputs():
            shape = [size if isinstance(size, int) else 1 for size in given.shape]
            values[given.name] = as_input(request, image, given.name, numpy.dtype(types[given.type]), shape)
        found = dict(zip(wanted, session.run(wanted, values)))
        yield [found.get(name) for name in names]


def as_input(request, image, name, dtype, shape):
    """What an image has for an input of the model; zeros if no output of the network needs it."""
    for given, part in zip(request["inputs"], image):
        if given["name"] == name:
            return numpy.resize(as_type(given, part, dtype), shape)
    return numpy.zeros(shape, dtype)


def as_type(given, values, dtype):
    if dtype == numpy.float32:
        real = (values.astype(numpy.float64) - given["zero_point"]) * given["scale"]
        return real.astype(numpy.float32)
    if dtype != values.dtype:
        return (values ^ numpy.array(-128).astype(values.dtype)).view(dtype)
    return values


REFERENCES = {"tflite": tflite, "onnx": onnx_file}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    try:
        import numpy

        # Types of tensors that are compared, and as what they are written; places have 4 bytes in a network.
        KEPT = {numpy.dtype(kind): kind for kind in ("int8", "uint8", "int32")} | {numpy.dtype("int64"): "int32"}
        if sys.argv[2] == "tflite":
            import ai_edge_litert
            from ai_edge_litert import interpreter as litert

            print("ai_edge_litert", ai_edge_litert.__version__)
        else:
            import onnx
            import onnxruntime

            print("onnxruntime", onnxruntime.__version__)
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(PACKAGE_IS_MISSING)
    main(folder)
