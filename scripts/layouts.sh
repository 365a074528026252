#!/usr/bin/env bash
# Runs the digits network on configs/edge.json with other slices of the state buffer: every output
# and counter must be that of the golden models, which know the same network for all of them.
# Usage: scripts/layouts.sh [NAME...]    HEDDLE names the heddle binary (default: target/release).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

die() { echo "layouts: $*" >&2; exit 2; }
command -v jq >/dev/null || die "jq not found: run scripts/setup.sh"
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-$root/target}/release/heddle}"
command -v "$heddle" >/dev/null || die "$heddle not found: run cargo build --release"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

layouts=(
  'reference {"widths": [4, 4]}'
  'plain {"widths": [4, 4], "plain": true}'
  'field {"widths": [4, 4], "mask": "field"}'
  'hybrid {"widths": [4, 4], "mask": "hybrid"}'
  'half {"widths": [5, 3], "network": "half"}'
  'split {"widths": [2, 2, 4], "network": "split", "write": "exact"}'
  'right {"widths": [2, 2, 4], "end": "right"}'
  'nibbles {"unit_bits": 4, "widths": [8, 8]}'
  'pairs {"unit_bits": 16, "widths": [2, 2], "access_threshold": 1}'
)
for name in "$@"; do
  [[ " ${layouts[*]%% *} " == *" $name "* ]] || die "no layout $name, expected one of ${layouts[*]%% *}"
done
for layout in "${layouts[@]}"; do
  name="${layout%% *}"
  [[ $# -eq 0 || " $* " == *" $name "* ]] || continue
  jq --argjson slices "${layout#* }" '.state_buffer.slices = {word_bytes: 8} + $slices' \
    "$root/configs/edge.json" >"$scratch/$name.json"
  "$heddle" cosim -c "$scratch/$name.json" -m "$root/models/digits.json" --images 1 \
    >"$scratch/report" || { cat "$scratch/report" >&2; exit 1; }
  printf '%-10s %s, %s\n' "$name" "$(awk '/^total/ { print $3 " cycles" }' "$scratch/report")" \
    "$(tail -n 1 "$scratch/report")"
done
