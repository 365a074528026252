#!/usr/bin/env bash
# Proves the transpose of the PE array for emitted Verilog: with an identity matrix streamed past any
# weights, element t of column c lands in partition base + c at byte N + t, once, and nothing else is written
# (tb/formal/transpose.sv). Then shows that faults violate the properties.
# Usage: scripts/formal_array.sh
# HEDDLE names the heddle binary (default: target/release). See docs/formal.md.
set -euo pipefail
# shellcheck source=tb/formal/tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tb/formal/tools.sh"
[[ $# -eq 0 ]] || die "usage: scripts/formal_array.sh"

modules=(pe_array results_buffer post drain_place)
duts=(array_dut results_dut post_dut drain_dut)

emit() {  # NAME ROWS COLS STEP: one folder with the files of all modules, their tops in NAME/tops
  local module folder="$scratch/$1"
  mkdir "$folder"
  jq ".array = {rows: $2, cols: $3} | .results_buffer.depth = 16 | .column_tiles = 2" \
    "$root/configs/tiny.json" >"$scratch/config.json"
  for module in "${modules[@]}"; do
    "$heddle" gen -c "$scratch/config.json" --top "$module" -o "$folder/gen" >/dev/null
    jq --raw-output .top "$folder/gen/manifest.json" >>"$folder/tops"
    cp "$folder"/gen/*.v "$folder"
    rm -r "$folder/gen"
  done
  echo "-DROWS=$2 -DCOLS=$3 -DSTEP=$4" >"$folder/sizes"
}

# write FOLDER: FOLDER/transpose.aig and the names of its assertions in their order
write() {
  local renames='' index tops
  mapfile -t tops <"$1/tops"
  for index in "${!duts[@]}"; do renames+="; rename ${tops[index]} ${duts[index]}"; done
  # Registers without reset and memories start with any content.
  yosys -q -p "read_verilog $1/*.v$renames
    read_verilog -formal -sv $(cat "$1/sizes") $root/tb/formal/transpose.sv
    prep -flatten -nordff -top transpose; memory_map; async2sync; dffunmap
    setundef -undriven -anyseq; techmap; aigmap
    tee -q -o $1/names select -list t:\$assert; write_aiger -zinit -I -B $1/transpose.aig" \
    >"$1/log" 2>&1 || { cat "$1/log" >&2; die "yosys failed"; }
  sed -i 's|.*/||' "$1/names"
  diff <(sed --quiet 's/.* \([a-z_]*\): assert.*/\1/p' "$root/tb/formal/transpose.sv" | sort) \
    <(sort "$1/names") >&2 || die "yosys has other assertions than the sources"
}

# The pass ends within this number of clocks, and reach_end shows it.
clocks=40
# check FOLDER PROPERTY: held or violated
check() {
  local index log
  index="$(grep --line-number --line-regexp "$2" "$1/names" | cut --delimiter : --fields 1)"
  log="$(yosys-abc -c "read_aiger $1/transpose.aig; fold; cone -s -O $((index - 1)); bmc3 -F $clocks")"
  if [[ "$log" == *"No output asserted in $clocks frames"* ]]; then
    echo held
  elif [[ "$log" == *'was asserted in frame'* ]]; then
    echo violated
  else
    echo UNDECIDED
  fi
}

failed=0
report() {  # NAME FOLDER PROPERTY EXPECTED
  local verdict begin="${EPOCHREALTIME/./}"
  verdict="$(check "$2" "$3")"
  [[ "$verdict" == "$4" ]] || { failed=1; verdict+=", EXPECTED $4"; }
  printf '%-34s %-12s %s in %d ms\n' "$1" "$3" "$verdict" $(((${EPOCHREALTIME/./} - begin) / 1000))
}

emit 3x2 3 2 1
emit 4x2 4 2 2
for size in 3x2 4x2; do
  write "$scratch/$size"
  for property in partitions elements arrives; do report "$size" "$scratch/$size" "$property" held; done
  report "$size" "$scratch/$size" reach_end violated
done

# broken WHAT MODULE SED PROPERTY: the property is violated by this fault
broken() {
  local file folder="$scratch/broken"
  rm -rf "$folder"
  cp -r "$scratch/3x2" "$folder"
  file="$(file_of "$folder" "$2")"
  sed -i "$3" "$file"
  ! cmp --silent "$file" "$scratch/3x2/$(basename "$file")" || die "$file has nothing to change for $3"
  write "$folder"
  report "3x2, $1" "$folder" "$4" violated
}
broken 'swap keeps the old weight' pe 's/active_q <= shadow_q/active_q <= active_q/' elements
broken 'zero operand not gated' pe "s/product_q <= 17'd0/product_q <= mul_product/" elements
broken 'rotation leaves a word behind' drain_rotate_r3_s1 \
  's/valid_o\[0\] = valid_i\[2\]/valid_o[0] = valid_i[0]/' partitions
broken 'last word stays' pack_issue 's/complete_q <= valid_i & flush_i/complete_q <= valid_i/' arrives
exit "$failed"
