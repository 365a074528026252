#!/usr/bin/env bash
# Conformance list of the driver in Python, on the device model of the driver in C; then images in pieces on the emitted Verilog of machines without and with a DMA.
# Usage: driver/python/test.sh    HEDDLE names a heddle binary that is there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

die() { echo "driver in Python: $*" >&2; exit 2; }
[[ $# -eq 0 ]] || die "usage: driver/python/test.sh"
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-target}/debug/heddle}"
command -v "$heddle" >/dev/null || die "$heddle not found: cargo build --package heddle-cli"
command -v gcc >/dev/null || die "gcc not found: run scripts/setup.sh"
[[ -x .venv/bin/python ]] || die ".venv not found: run scripts/setup.sh"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$heddle" gen -c configs/edge_dma.json -o "$work/gen" >/dev/null
python3 driver/c/tests/vectors.py >"$work/vectors.txt"
gcc -std=c99 -O2 -shared -fPIC -I "$work/gen" -o "$work/model.so" driver/python/tests/model.c driver/c/*.c driver/c/tests/{bench,device,dma,dram,image}.c
python3 driver/python/tests/conformance.py "$work/gen" "$work/model.so" "$work/vectors.txt"
for name in edge_axi edge_dma; do
  own="$work/$name"
  mkdir "$own"
  found="$(driver/c/tests/pieces.sh "$(command -v "$heddle")" "$own" "$name" 3)"
  .venv/bin/python driver/python/tests/digits.py "$own/gen" "$own/pieces.hdi" "$own/inputs" "$own/outputs" >"$own/log" 2>&1 || { cat "$own/log" >&2; exit 1; }
  echo "$name, $found: $(grep 'inferences are right' "$own/log")"
done
