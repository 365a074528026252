#!/usr/bin/env bash
# Proves the properties of tb/formal/sliced_*.sv for emitted sliced memories of 8 units of 4 bits:
# packing and unpacking for every word, and the whole memory with any traffic for some clocks.
# Usage: scripts/formal_sliced.sh [FOLDER...]
# FOLDER: Verilog of a sliced memory; without one, the variants listed here are emitted.
# HEDDLE names the heddle binary (default: target/release). See docs/formal.md.
set -euo pipefail
# shellcheck source=tb/formal/tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tb/formal/tools.sh"

# Clocks checked: the reset, reads in up to four clocks from the first write on, and their latency.
clocks() {
  jq '.top as $top | .modules[] | select(.name == $top).parameters
    | 5 + .Latency + (.InTurn // 0) * ((.Slices // 1) - 1)' "$1/manifest.json"
}
variants=(
  'full {"widths": [4, 4], "latency": 2}'
  'exact {"widths": [5, 3], "write": "exact", "network": "half", "access_threshold": 3, "latency": 5}'
  'turn {"widths": [2, 2, 4], "network": "split", "read_order": "in_turn", "latency": 3}'
  'thresholds {"widths": [4, 4], "write_threshold": 2, "read_threshold": 1, "latency": 6}'
  'field {"widths": [4, 4], "mask": "field", "latency": 4}'
  'late {"widths": [4, 4], "mask": "field", "write_threshold": 2, "read_threshold": 1, "latency": 7}'
  'hybrid {"widths": [5, 3], "mask": "hybrid", "end": "right", "latency": 7}'
  'plain {"widths": [4, 4], "plain": true, "latency": 2}'
)

folders=("$@")
if [[ $# -eq 0 ]]; then
  for variant in "${variants[@]}"; do
    folder="$scratch/${variant%% *}"
    jq --argjson slices "${variant#* }" \
      '.sliced = {words: 16, slices: ({word_bytes: 4, unit_bits: 4} + $slices)}' \
      "$root/configs/tiny.json" >"$folder.json"
    "$heddle" gen -c "$folder.json" --top sliced -o "$folder" >/dev/null
    folders+=("$folder")
  done
fi

# The macros of the properties, from the parameters of the top module.
macros() {
  jq --exit-status --raw-output '.top as $top | (.modules[] | select(.name == $top).parameters) as $p
    | ($top | if test("_plain_") then 3 elif test("_hybrid_") then 2 elif test("_field_") then 1
      else 0 end) as $kind
    | ($p.Slices // 1) as $slices
    | [if $kind == 3 then 8 else range($slices) | $p["Width\(.)"] end] as $widths
    | (if $kind == 2 then $widths[0] - 2 else $widths[0] end) as $first
    | [range($slices) | if . == 0 then $p.WriteThreshold // 0
        elif . == 1 or $kind == 2 then [$p.AccessThreshold, $p.WriteThreshold] | max
        else [([$widths[range(.)]] | add), $p.WriteThreshold] | max end] as $thresholds
    | def nibbles: [to_entries[] | .value * pow(16; .key)] | add;
      {UNITS: 8, BITS: 4, SLICES: $slices, KIND: $kind, FIRST_UNITS: $first,
       LATENCY: $p.Latency, IN_TURN: ($p.InTurn // 0), EXACT: ($p.Exact // 0),
       WIDTHS: ($widths | nibbles), THRESHOLDS: ($thresholds | nibbles),
       WRITE_THRESHOLD: ($p.WriteThreshold // 0), READ_THRESHOLD: ($p.ReadThreshold // 0),
       MOVES: ([.modules[] | select(.name | test("_sliced_pack_")).inputs.move_i]
         | last // 1)}
    | to_entries[] | "-D\(.key)=\(.value)"' "$1/manifest.json" | tr '\n' ' '
}

# prove KIND FOLDER: prints held or FAILED; the log is in $scratch/log.
prove() {
  local files defines top packer modules='' steps
  mapfile -t files < <(sed "s|^|$2/|" "$2/filelist.f")
  defines="$(macros "$2")"
  top="$(jq --raw-output .top "$2/manifest.json")"
  if [[ "$1" == pair ]]; then
    packer="$(file_of "$2" 'sliced_(packed|writer)')"
    modules="rename $(instance "$packer" route) route_dut
      rename $(instance "$packer" pack) pack_dut
      rename $(instance "$(file_of "$2" sliced_restore)" unpack) unpack_dut
      rename $(instance "$packer" write_select) select_dut"
    steps='orpos; strash; sat'
  else
    modules="rename $top sliced_dut"
    steps="fold; orpos; strash; bmc3 -F $(clocks "$2") -T 300"
  fi
  # Registers without reset and memories start with any content.
  yosys -q -p "read_verilog ${files[*]}
    $modules
    read_verilog -formal -sv $defines $root/tb/formal/sliced_$1.sv
    prep -flatten -nordff -top sliced_$1; select -assert-min 3 t:\$assert
    memory_map; async2sync; dffunmap; setundef -undriven -anyseq; techmap
    opt -fast -nodffe -nosdff; abc -g AND -fast; opt_clean
    write_aiger -zinit -I -B $scratch/property.aig" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; die "yosys failed"; }
  yosys-abc -c "read_aiger $scratch/property.aig; $steps" >"$scratch/log"
  if grep --quiet "No output asserted in $(clocks "$2") frames\|^UNSATISFIABLE" "$scratch/log"; then
    echo held
  else
    echo FAILED
  fi
}

# instance FILE NAME: the module of an instance.
instance() {
  sed --quiet "s/^ *\(heddle_[a-z0-9_]*\) u_$2 (.*/\1/p" "$1"
}

failed=0
check() {
  local expected="$1" text="$2" begin="$EPOCHREALTIME" verdict
  verdict="$(prove "$3" "$4")"
  if [[ "$verdict" != "$expected" ]]; then
    failed=1
    tail -n 3 "$scratch/log"
    text+=", EXPECTED $expected"
  fi
  printf '%-40s %s in %d ms\n' "$text" "$verdict" \
    $((${EPOCHREALTIME/./} / 1000 - ${begin/./} / 1000))
}

for folder in "${folders[@]}"; do
  name="$(basename "$folder")"
  [[ "$(jq .top "$folder/manifest.json")" == *_plain_* ]] ||
    check held "$name, any word" pair "$folder"
  check held "$name, $(clocks "$folder") clocks" memory "$folder"
done

# broken FOLDER MODULE FROM TO: a copy with a fault.
broken() {
  local file copy="$scratch/broken"
  rm -rf "$copy"
  cp -r "$1" "$copy"
  file="$(file_of "$copy" "sliced_$2")"
  sed -i "s/$3/$4/" "$file"
  ! cmp --silent "$file" "$1/$(basename "$file")" || die "$file has no $3"
}

# The properties can fail.
if [[ $# -eq 0 || "$(basename "$1")" == full ]]; then
  full="${folders[0]}"
  broken "$full" route 'move_o\[0\] = rest_0_0' "move_o[0] = 1'b0"
  check FAILED "full, a move stuck" pair "$scratch/broken"
  broken "$full" select "above_1_2 = .*;" "above_1_2 = 1'b1;"
  check FAILED "full, a threshold too low" pair "$scratch/broken"
  broken "$full" data 'if (take) bypass_q' "if (1'b0) bypass_q"
  check FAILED "full, no bypass" memory "$scratch/broken"
  broken "$full" row 'meet_q ? bypass_q' "1'b0 ? bypass_q"
  check FAILED "full, a stale mask" memory "$scratch/broken"
  broken "$full" data 'read_i \& named_i' 'read_i'
  check FAILED "full, reads that no mask names" memory "$scratch/broken"
fi
exit "$failed"
