#!/usr/bin/env bash
# Proves the properties of tb/formal for an emitted traversal engine, for all inputs and all times.
# Usage: scripts/formal.sh [FOLDER]
# FOLDER: Verilog of an engine; without it the one of the machine with 2 rows and 2 loops is emitted.
# HEDDLE names the heddle binary (default: target/release). See docs/formal.md.
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
  jq '.traversal = {rows: 2, loops: 2, offset_bits: 16, address_bits: 16, unit: {
    double_buffer: false, trips: false, attach: false, sum_stages: 1}}' \
    "$root/configs/tiny.json" >"$scratch/small.json"
  "$heddle" gen -c "$scratch/small.json" --top traversal_engine -o "$folder" >/dev/null
fi
unit="$(jq --exit-status --raw-output .top "$folder/manifest.json")"
sizes="$(jq --exit-status --raw-output --arg unit "$unit" '.modules[] | select(.name == $unit)
  .parameters | {Loops, W, A, Double, Trips} | to_entries[] | "-set \(.key) \(.value)"' \
  "$folder/manifest.json" | tr '\n' ' ')"
mapfile -t files < <(sed "s|^|$folder/|" "$folder/filelist.f")
mapfile -t properties < <(sed --quiet 's/.*[ )]\([a-z_]*\): assert.*/\1/p' \
  "$root/tb/formal/traversal_properties.sv" | sed '/^inv_/d')

# The invariants prove each other, then each property is proved from them.
for property in 'inv_*' "${properties[@]}" count; do
  top=traversal_properties others="select -set inv t:\$assert traversal_properties/inv_* %i
    chformal -assert -assert2assume @inv"
  [[ "$property" != inv_* ]] || others=''
  [[ "$property" != count ]] || top=traversal_count others=''
  echo "design -load $top
    select -assert-min 1 t:\$assert $top/$property %i
    $others
    select -set others t:\$assert $top/$property %d
    chformal -assert -remove @others; opt_clean; write_aiger -zinit -I -B $scratch/${property%_\*}.aig"
done >"$scratch/properties.ys"
prepare="memory_map; async2sync; dffunmap; setundef -undriven -anyseq; techmap
  opt -fast -nodffe -nosdff; abc -g AND -fast; opt_clean; design -save"
yosys -q -p "read_verilog ${files[*]}; rename $unit traversal_dut
  read_verilog -formal -sv $root/tb/formal/traversal_model.sv $root/tb/formal/traversal_properties.sv
  read_verilog -formal -sv $root/tb/formal/traversal_count.sv; design -save all
  chparam $sizes traversal_properties; prep -flatten -nordff -top traversal_properties
  $prepare traversal_properties; design -load all; prep -flatten -nordff -top traversal_count
  $prepare traversal_count; script $scratch/properties.ys" >"$scratch/log" 2>&1 ||
  { cat "$scratch/log" >&2; die "yosys failed"; }

failed=0
for property in inv "${properties[@]}" count; do
  begin="$EPOCHREALTIME"
  # The first clocks from the initial state, and induction over up to 4 clocks from any state.
  depth=6 step='ind -F 5 -C 9999999 -T 120' verdict=proved
  # The invariants are one-step inductive; the clocks checked from reset cover the depth allowed.
  [[ "$property" != inv ]] || { depth=3 step='ind -F 2 -C 9999999 -T 120'; }
  [[ "$property" != count ]] || { depth=40 step='' verdict='held for 40 clocks'; }
  yosys-abc -c "read_aiger $scratch/$property.aig; fold; orpos; strash; bmc3 -F $depth; $step" \
    >"$scratch/log"
  log="$(<"$scratch/log")"
  [[ "$log" == *"No output asserted in $depth frames"* ]] || verdict=FAILED
  [[ "$property" == count || "$log" == *"Networks are equivalent"* ]] || verdict=FAILED
  [[ "$verdict" != FAILED ]] || { failed=1; tail -n 2 "$scratch/log"; }
  printf '%-20s %s in %d ms\n' "$property" "$verdict" $((${EPOCHREALTIME/./} / 1000 - ${begin/./} / 1000))
done
exit "$failed"
