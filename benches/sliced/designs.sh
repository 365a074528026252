#!/usr/bin/env bash
# Writes the Verilog of every memory that benches/sliced.md synthesises.
# Usage: benches/sliced/designs.sh FOLDER    HEDDLE names the heddle binary (default: target/release).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
folder="${1:?usage: benches/sliced/designs.sh FOLDER}"
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-$root/target}/release/heddle}"
mkdir -p "$folder"

memory() {  # NAME SLICES
  jq ".sliced = {words: 1024, slices: ({word_bytes: 8, widths: [4, 4]} + $2)}" \
    "$root/configs/tiny.json" >"$folder/$1.json"
  "$heddle" gen --top sliced -c "$folder/$1.json" -o "$folder/$1" >/dev/null
}
for latency in 2 3 4 5 6 7; do
  memory "slice_l$latency" "{latency: $latency}"
  memory "plain_l$latency" "{latency: $latency, plain: true}"
done
for latency in 2 6 7; do
  memory "field_l$latency" "{latency: $latency, mask: \"field\"}"
  memory "hybrid_l$latency" "{latency: $latency, mask: \"hybrid\"}"
done
memory exact_l2 '{write: "exact"}'
memory in_turn_l2 '{read_order: "in_turn"}'
memory slices_2_2_4_l2 '{widths: [2, 2, 4]}'
for network in full half split; do
  memory "memory_u8_$network" "{network: \"$network\"}"
  memory "memory_u16_$network" "{network: \"$network\", word_bytes: 16, widths: [8, 8]}"
done
