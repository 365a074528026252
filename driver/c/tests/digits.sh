#!/usr/bin/env bash
# 20 digits from one image through the C driver, on the emitted Verilog of a machine under Verilator: through the ring where it has a DMA.
# Usage: driver/c/tests/digits.sh HEDDLE FOLDER [NAME]    NAME: of a configuration in configs, by default edge_axi
# The folder gets gen, digits.hdi, and the bytes of inputs and outputs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

die() { echo "digits: $*" >&2; exit 2; }
[[ ($# -eq 2 || $# -eq 3) && -d "$2" ]] || die "usage: driver/c/tests/digits.sh HEDDLE FOLDER [NAME]"
heddle="$1" work="$2" name="${3:-edge_axi}"
config="configs/$name.json"
[[ -d "$work/gen" ]] || "$heddle" gen -c "$config" -o "$work/gen" >/dev/null
"$heddle" compile models/digits.json -c "$config" --whole --image "$work/digits.hdi" >/dev/null
"$heddle" sim -c "$config" -m models/digits.json --images 20 --json >"$work/sim.json"
python3 driver/c/tests/digits.py models/digits.json "$work/sim.json" "$work/inputs" "$work/outputs"
driver/c/tests/verilate.sh "$work" "$name"
"$work/system/system" "$work/digits.hdi" "$work/inputs" "$work/outputs"
[[ -f "$work/page.o" ]] || exit 0
# The first picture and the digit that the network sees in it.
head -c 64 "$work/inputs" >"$work/picture"
told="$("$work/system/system" "$work")"
wanted="digit $(python3 -c 'import sys; b = open(sys.argv[1], "rb").read(10); print(max(range(10), key=lambda i: (b[i] ^ 128)))' "$work/outputs")"
[[ "$told" == "$wanted" ]] || die "docs/system.md prints '$told', expected '$wanted'"
echo "docs/system.md: $told"
