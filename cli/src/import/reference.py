"""Runs a model in the program it was made for. `heddle import --check` gives it to an interpreter with a folder:
request.json says what to run, inputs.npz has the images; outputs.npz gets the tensors, by their place in the request."""

import json
import pathlib
import sys

PACKAGE_IS_MISSING = 3


def main(folder):
    request = json.loads((folder / "request.json").read_text())
    images = numpy.load(folder / "inputs.npz")["input"]
    runs = [list(made) for made in REFERENCES[request["format"]](request, images)]
    arrays = {}
    for place, tensors in enumerate(zip(*runs)):
        if all(tensor is not None and tensor.dtype in (numpy.int8, numpy.uint8) for tensor in tensors):
            arrays[str(place)] = numpy.stack([tensor.reshape(-1) for tensor in tensors])
    numpy.savez(folder / "outputs.npz", **arrays)


def tflite(request, images):
    """Without delegates and optimised kernels."""
    interpreter = litert.Interpreter(
        model_path=request["model"],
        experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF,
        experimental_preserve_all_tensors=True,
    )
    interpreter.allocate_tensors()
    [given] = interpreter.get_input_details()
    for image in images:
        values = as_input(request, image, numpy.dtype(given["dtype"]))
        interpreter.set_tensor(given["index"], values.reshape(given["shape"]))
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
    [given] = session.get_inputs()
    dtype = {"tensor(float)": "float32", "tensor(uint8)": "uint8", "tensor(int8)": "int8"}[given.type]
    shape = [size if isinstance(size, int) else 1 for size in given.shape]
    for image in images:
        values = as_input(request, image, numpy.dtype(dtype)).reshape(shape)
        found = dict(zip(wanted, session.run(wanted, {given.name: values})))
        yield [found.get(name) for name in names]


def as_input(request, image, dtype):
    """The bytes of an image in the type of the model's input."""
    if dtype == numpy.float32:
        real = (image.astype(numpy.float64) - request["zero_point"]) * request["scale"]
        return real.astype(numpy.float32)
    if dtype != image.dtype:
        return (image ^ numpy.array(-128).astype(image.dtype)).view(dtype)
    return image


REFERENCES = {"tflite": tflite, "onnx": onnx_file}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    try:
        import numpy

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
