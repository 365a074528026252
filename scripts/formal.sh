#!/usr/bin/env bash
# Proves the properties of tb/formal for an emitted traversal unit, for all inputs and all times.
# Usage: scripts/formal.sh [FOLDER]
# FOLDER: Verilog of a traversal unit; without it one of 2 rows, 2 loops and 16 bits is emitted.
# HEDDLE names the heddle binary (default: target/release).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

die() { echo "formal: $*" >&2; exit 2; }
[[ $# -le 1 ]] || die "usage: scripts/formal.sh [FOLDER]"
for tool in yosys yosys-abc jq; do
  command -v "$tool" >/dev/null || die "$tool not found: run scripts/setup.sh"
done
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-$root/target}/release/heddle}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

folder="${1:-$scratch/verilog}"
if [[ $# -eq 0 ]]; then
  command -v "$heddle" >/dev/null || die "$heddle not found: run cargo build --release"
  jq '.traversal = {rows: 2, loops: 2, offset_bits: 16, address_bits: 16}' \
    "$root/configs/tiny.json" >"$scratch/small.json"
  "$heddle" gen -c "$scratch/small.json" --top traversal -o "$folder" >/dev/null
fi
unit="$(jq --exit-status --raw-output .top "$folder/manifest.json")"
sizes="$(jq --exit-status --raw-output --arg unit "$unit" '.modules[] | select(.name == $unit)
  .parameters | to_entries[] | "-set \(.key) \(.value)"' "$folder/manifest.json" | tr '\n' ' ')"
mapfile -t files < <(sed "s|^|$folder/|" "$folder/filelist.f")

mapfile -t properties < <(sed --quiet 's/.*[ )]\([a-z_]*\): assert.*/\1/p' \
  "$root/tb/formal/traversal_properties.sv")
[[ ${#properties[@]} -gt 0 ]] || die "no property in tb/formal/traversal_properties.sv"
# Equal registers of unit and model are found only if they are equal from the first clock on. All
# other properties hold from any state, after one clock of reset.
for property in "${properties[@]}"; do
  start=''
  [[ "$property" != model_* ]] || start='setundef -init -zero'
  echo "design -load unit
    select -assert-count 1 t:\$assert traversal_properties/$property %i
    select -set others t:\$assert traversal_properties/$property %d
    chformal -assert -remove @others; opt_clean; $start
    techmap; opt -fast -nodffe -nosdff; abc -g AND -fast; opt_clean
    write_aiger -zinit -I -B $scratch/$property.aig"
done >"$scratch/properties.ys"
yosys -q -p "read_verilog ${files[*]}; rename $unit traversal_dut
  read_verilog -formal -sv $root/tb/formal/traversal_properties.sv $root/tb/formal/traversal_model.sv
  chparam $sizes traversal_properties; prep -flatten -nordff -top traversal_properties
  async2sync; dffunmap; design -save unit; script $scratch/properties.ys" >"$scratch/log" 2>&1 ||
  { cat "$scratch/log" >&2; die "yosys failed"; }

failed=0
for property in "${properties[@]}"; do
  begin="$EPOCHREALTIME"
  yosys-abc -c "read_aiger $scratch/$property.aig; fold; strash; scorr -C 100000; pdr -T 60" \
    >"$scratch/log"
  verdict=proved
  [[ "$(<"$scratch/log")" == *"Property proved."* ]] || verdict=FAILED failed=1
  [[ "$verdict" == proved ]] || tail -n 2 "$scratch/log"
  printf '%-20s %s in %d ms\n' "$property" "$verdict" $((${EPOCHREALTIME/./} / 1000 - ${begin/./} / 1000))
done
exit "$failed"
