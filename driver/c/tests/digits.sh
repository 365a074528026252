#!/usr/bin/env bash
# 20 digits from one image through the C driver, on the emitted Verilog of edge_axi under Verilator.
# Usage: driver/c/tests/digits.sh HEDDLE FOLDER    the folder gets gen, digits.hdi, and the bytes of inputs and outputs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

die() { echo "digits: $*" >&2; exit 2; }
[[ $# -eq 2 && -d "$2" ]] || die "usage: driver/c/tests/digits.sh HEDDLE FOLDER"
heddle="$1" work="$2" config=configs/edge_axi.json
[[ -d "$work/gen" ]] || "$heddle" gen -c "$config" -o "$work/gen" >/dev/null
"$heddle" compile models/digits.json -c "$config" --whole --image "$work/digits.hdi" >/dev/null
"$heddle" sim -c "$config" -m models/digits.json --images 20 --json >"$work/sim.json"
python3 driver/c/tests/digits.py models/digits.json "$work/sim.json" "$work/inputs" "$work/outputs"
for file in driver/c/*.c; do
  gcc -std=c99 -I "$work/gen" -O2 -c -o "$work/$(basename "$file" .c).o" "$file"
done
verilator --cc --exe --build -j 2 --top-module heddle_system_edge_axi --prefix System --Mdir "$work/system" \
  -y "$work/gen" -f "$work/gen/filelist.f" -CFLAGS "-I$work/gen" -o system \
  "$PWD/driver/c/tests/system.cpp" "$work"/*.o >"$work/verilator.log" 2>&1 || { cat "$work/verilator.log" >&2; exit 1; }
"$work/system/system" "$work/digits.hdi" "$work/inputs" "$work/outputs"
