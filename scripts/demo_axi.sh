#!/usr/bin/env bash
# Runs 20 handwritten digits from one image on the registers of edge_axi: through the driver in C, then through that in Python with cocotb, in two halves at a time.
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
# Icarus is slow: two simulations take half of the digits each.
halves=(1 2)
for half in "${halves[@]}"; do
  for kind in inputs outputs; do
    split --number="$half/2" "$work/$kind" >"$work/$kind.$half"
  done
  .venv/bin/python driver/python/tests/digits.py "$work/gen" "$work/digits.hdi" "$work/inputs.$half" "$work/outputs.$half" \
    >"$work/cocotb.$half.log" 2>&1 &
  jobs[half]=$!
done
for half in "${halves[@]}"; do
  wait "${jobs[half]}" || { cat "$work/cocotb.$half.log" >&2; exit 1; }
  echo "Python: $(grep 'inferences are right' "$work/cocotb.$half.log")"
done
