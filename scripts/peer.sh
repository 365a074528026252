#!/usr/bin/env bash
# Checks the peer of the traversal unit (benches/traversal) against nested loops, and lints it.
# Usage: scripts/peer.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../benches/traversal"

die() { echo "peer: $*" >&2; exit 2; }
[[ $# -eq 0 ]] || die "usage: scripts/peer.sh"
for tool in iverilog vvp verilator; do
  command -v "$tool" >/dev/null || die "$tool not found: run scripts/setup.sh"
done
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

bench=multiplier_generator_tb
for size in "1 1 16" "1 4 32" "3 3 24" "3 4 24" "8 8 32"; do
  read -r rows loops width <<<"$size"
  verilator --lint-only -Wall "-GRows=$rows" "-GLoops=$loops" "-GW=$width" \
    --top-module multiplier_unit multiplier_unit.v multiplier_generator.v
  iverilog -g2005 -o "$scratch/bench" -s "$bench" "-P$bench.Rows=$rows" "-P$bench.Loops=$loops" \
    "-P$bench.W=$width" multiplier_generator.v multiplier_unit.v "$bench.v"
  verdict="$(vvp -n "$scratch/bench")"
  echo "$rows rows, $loops loops, $width bits: $verdict"
  [[ "$verdict" == PASS ]] || exit 1
done
