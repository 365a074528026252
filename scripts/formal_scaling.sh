#!/usr/bin/env bash
# Proves the scaling of sums for emitted Verilog: the rounding shift for all values, shifts and bounds, and the
# whole pipeline for all sums with several scales (tb/formal/scaling.sv). Then shows that faults are found.
# Usage: scripts/formal_scaling.sh
# HEDDLE names the heddle binary (default: target/release). See docs/formal.md.
set -euo pipefail
# shellcheck source=tb/formal/tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tb/formal/tools.sh"
[[ $# -eq 0 ]] || die "usage: scripts/formal_scaling.sh"
"$heddle" gen -c "$root/configs/tiny.json" --top post -o "$scratch/gen" >/dev/null
declare -A module
module[rounding]="$(basename "$(file_of "$scratch/gen" rounding_shift)" .v)"
module[scaling]="$(basename "$(file_of "$scratch/gen" requantise)" .v)"

failed=0
# report TEXT EXPECTED FOLDER TOP [MACRO...]: proves the assertion of a top module for 12 clocks
report() {
  local verdict log text="$1" expected="$2" folder="$3" top="$4" begin="${EPOCHREALTIME/./}"
  # Registers without reset start with any content.
  yosys -q -p "read_verilog $folder/*.v; rename ${module[$top]} ${top}_dut
    read_verilog -formal -sv ${*:5} $root/tb/formal/scaling.sv
    prep -flatten -nordff -top $top; select -assert-count 1 t:\$assert; async2sync; dffunmap
    setundef -undriven -anyseq; techmap; opt -fast -nodffe -nosdff; abc -g AND -fast; opt_clean
    write_aiger -zinit -I -B $scratch/property.aig" >"$scratch/log" 2>&1 ||
    { cat "$scratch/log" >&2; die "yosys failed"; }
  log="$(yosys-abc -c "read_aiger $scratch/property.aig; fold; bmc3 -F 12")"
  case "$log" in
    *'No output asserted in 12 frames'*) verdict=held ;;
    *'was asserted in frame'*) verdict=violated ;;
    *) verdict=UNDECIDED ;;
  esac
  [[ "$verdict" == "$expected" ]] || { failed=1; verdict+=", EXPECTED $expected"; }
  printf '%-48s %s in %d ms\n' "$text" "$verdict" $(((${EPOCHREALTIME/./} - begin) / 1000))
}

report 'rounding, every shift' held "$scratch/gen" rounding -DMULTIPLIER=0
report 'scaling, 2^30, every shift' held "$scratch/gen" scaling "-DMULTIPLIER=31'h40000000"
# Multiplier, places to the left and to the right
for scale in '7fffffff 0 12' '5a5a5a5b 3 0' '40000001 0 0'; do
  read -r multiplier left right <<<"$scale"
  report "scaling, $multiplier, left $left, right $right" held "$scratch/gen" scaling \
    "-DMULTIPLIER=31'h$multiplier" "-DSHIFT=10'd$((left << 5 | right))"
done

# broken MODULE SED TOP [MACRO...]: the assertion is violated by this fault
broken() {
  local file
  rm -rf "$scratch/broken"
  cp -r "$scratch/gen" "$scratch/broken"
  file="$(file_of "$scratch/broken" "$1")"
  sed -i "$2" "$file"
  ! cmp --silent "$file" "$scratch/gen/$(basename "$file")" || die "$1 has nothing to change for $2"
  report "$1, $2" violated "$scratch/broken" "${@:3}"
}
for lost in '!twice_i | (' 'below_16 | (' 'coarse_below_q | (' 'below_4 | (' 'below_2 | ('; do
  broken rounding_shift "s/= $lost/= (/" rounding -DMULTIPLIER=0
done
broken requantise 's/!single_i & /!single_i | /' scaling "-DMULTIPLIER=31'h40000000"
broken saturating_shift 's/value_i\[31:15\]/value_i[31:16]/' scaling "-DMULTIPLIER=31'h40000000"
broken high_multiply 's/product_ll_q};/17'\''d0};/' scaling "-DMULTIPLIER=31'h5a5a5a5b" "-DSHIFT=10'd5"
exit "$failed"
