#!/usr/bin/env bash
# An image in segments for a small machine, its Verilog, inputs as float32, and the outputs that `heddle sim` has of the network without an image. With a DMA
# the programs of the image also load and store tensors in bands.
# Usage: driver/c/tests/pieces.sh HEDDLE FOLDER NAME COUNT    NAME: edge_axi or edge_dma; COUNT: inferences
# The folder gets gen, pieces.hdi, and the bytes of inputs and outputs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

die() { echo "pieces: $*" >&2; exit 2; }
[[ $# -eq 4 && -d "$2" ]] || die "usage: driver/c/tests/pieces.sh HEDDLE FOLDER NAME COUNT"
heddle="$1" work="$2" name="$3" count="$4"
config="$work/config.json" net=import/tests/data/float_ends.tflite image="$work/pieces.hdi"
tiles=2 wanted=segments
[[ "$name" != edge_dma ]] || { tiles=1; wanted="segments and bands"; }
python3 - "configs/$name.json" "$tiles" >"$config" <<'PY'
import json, pathlib, sys
config = json.loads(pathlib.Path(sys.argv[1]).read_text())
config["array"] = {"rows": 4, "cols": 4}
config["state_buffer"]["words_per_bank"] = 64
config["column_tiles"], config["program"]["words"] = int(sys.argv[2]), 256
print(json.dumps(config))
PY
"$heddle" gen -c "$config" -o "$work/gen" >/dev/null
"$heddle" compile "$net" -c "$config" --whole --image "$image" >/dev/null
"$heddle" image info "$image" --json >"$work/info.json"
found="$(python3 - "$work/info.json" <<'PY'
import json, pathlib, sys
info = json.loads(pathlib.Path(sys.argv[1]).read_text())
runs = next(list["entries"] for list in info["sections"] if list["name"] == "runs")
print("segments" * (runs > 10) + " and bands" * (info["program_loads"] > 0 and info["scratch_bytes"] > 0))
PY
)"
[[ "$found" == "$wanted" ]] || die "the image for $name has $found, expected $wanted"
python3 driver/c/tests/ends.py inputs "$count" 8x8x2 "$work/inputs.npy" "$work/inputs"
"$heddle" sim -c "$config" -m "$net" --inputs "$work/inputs.npy" --outputs "$work/outputs.npz" >/dev/null
python3 driver/c/tests/ends.py outputs "$work/info.json" "$work/outputs.npz" "$work/outputs"
echo "$wanted"
