#!/usr/bin/env bash
# Checks traversal_unit.sv for one emitted stand-alone traversal unit, for any words in the first 20
# clocks. scripts/formal.sh calls it. Arguments, report and exit codes as check.sh.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
mode="$1" folder="$2" name="$(basename "$2")"
scratch="$(mktemp -d)"
trap 'cat "$scratch/report" >&3; rm -rf "$scratch"' EXIT
exec 3>&1 >"$scratch/report" 2>&1

die() { echo "formal: $name: $*"; exit 2; }
unit="$(jq --exit-status --raw-output .top "$folder/manifest.json")"
mapfile -t files < <(sed "s|^|$folder/|" "$folder/filelist.f")
yosys -q -p "read_verilog ${files[*]}; rename $unit traversal_dut
  read_verilog -formal -sv $here/traversal_unit.sv; prep -flatten -nordff -top traversal_unit
  memory_map; async2sync; dffunmap; setundef -undriven -anyseq; techmap
  opt -fast -nodffe -nosdff; abc -g AND -fast; opt_clean
  tee -q -o $scratch/names select -list t:\$assert; write_aiger -zinit -I -B $scratch/unit.aig" \
  >"$scratch/log" 2>&1 || { cat "$scratch/log"; die "yosys failed"; }
mapfile -t names < <(sed 's|.*/||' "$scratch/names")
diff <(sed --quiet 's/.*[ )]\([a-z_]*\): assert.*/\1/p' "$here/traversal_unit.sv" | sort) \
  <(printf '%s\n' "${names[@]}" | sort) || die "yosys has other assertions than the sources"

[[ "$mode" == prove || " ${names[*]} " == *" ${3:-} "* ]] || die "no property ${3:-}"

# The reach_ ones must be violated, the others must hold
failed=0
for index in "${!names[@]}"; do
  property="${names[index]}" depth=20 begin="${EPOCHREALTIME/./}"
  [[ "$mode" == prove || "$property" == "${3:-}" ]] || continue
  [[ "$property" != reach_* ]] || depth=32
  log="$(yosys-abc -c "read_aiger $scratch/unit.aig; fold; cone -s -O $index; bmc3 -F $depth")"
  verdict="UNDECIDED"
  [[ "$log" != *"No output asserted in $depth frames"* ]] || verdict="held for $depth clocks"
  [[ ! "$log" =~ 'was asserted in frame '([0-9]+) ]] || verdict="violated in clock ${BASH_REMATCH[1]}"
  expected=held
  [[ "$mode" == prove && "$property" != reach_* ]] || expected=violated
  [[ "$verdict" == "$expected "* ]] || { failed=1; verdict+=", WRONG"; }
  printf '%-13s %-18s %s in %d ms\n' "$name" "$property" "$verdict" \
    $(((${EPOCHREALTIME/./} - begin) / 1000))
done
exit "$failed"
