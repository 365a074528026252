#!/usr/bin/env bash
# Lints the peers of the traversal unit (benches/traversal) and of the offset unit (benches/offsets),
# and checks them against nested loops. Usage: scripts/peer.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../benches"

die() { echo "peer: $*" >&2; exit 2; }
[[ $# -eq 0 ]] || die "usage: scripts/peer.sh"
for tool in iverilog vvp verilator; do
  command -v "$tool" >/dev/null || die "$tool not found: run scripts/setup.sh"
done
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# Usage: check FOLDER TOP BENCH PARAMETER=VALUE...
check() {
  local folder="$1" top="$2" bench="$3" verdict
  shift 3
  mapfile -t files < <(find "$folder" -name '*.v' ! -name '*_tb.v' | sort)
  verilator --lint-only -Wall "${@/#/-G}" --top-module "$top" "${files[@]}"
  iverilog -g2005 -Wall -o "$scratch/peer" -s "$top" "${@/#/-P$top.}" "${files[@]}"
  iverilog -g2005 -o "$scratch/bench" -s "$bench" "${@/#/-P$bench.}" "${files[@]}" \
    "$folder/$bench.v"
  verdict="$(vvp -n "$scratch/bench")"
  echo "$top, $*: $verdict"
  [[ "$verdict" == PASS ]] || exit 1
}

for size in "1 1 16" "1 4 32" "3 3 24" "3 4 24" "8 8 32"; do
  read -r rows loops width <<<"$size"
  check traversal multiplier_unit multiplier_generator_tb "Rows=$rows" "Loops=$loops" "W=$width"
done
for size in "2 16 10" "8 16 10" "16 16 10" "5 24 12"; do
  read -r rows width sizes <<<"$size"
  for multiply in 0 1; do
    check offsets im2col im2col_tb "Rows=$rows" "A=$width" "D=$sizes" "Multiply=$multiply"
  done
done
