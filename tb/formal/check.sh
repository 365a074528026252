#!/usr/bin/env bash
# Checks the properties of this folder for one emitted traversal engine. scripts/formal.sh calls it.
# Usage: tb/formal/check.sh prove FOLDER           proves all, and shows that each can be tried
#        tb/formal/check.sh break FOLDER PROPERTY  shows that this engine violates PROPERTY
# Prints its report in one piece. Exit code 1: it is not so, 2: it could not be run.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
mode="$1" folder="$2" name="$(basename "$2")"
scratch="$(mktemp -d)"
trap 'cat "$scratch/report" >&3; rm -rf "$scratch"' EXIT
exec 3>&1 >"$scratch/report" 2>&1

die() { echo "formal: $name: $*"; exit 2; }
unit="$(jq --exit-status --raw-output .top "$folder/manifest.json")"
parameter() {
  jq --exit-status --arg unit "$unit" --arg name "$1" \
    '.modules[] | select(.name == $unit).parameters[$name]' "$folder/manifest.json"
}
mapfile -t files < <(sed "s|^|$folder/|" "$folder/filelist.f")
sizes=''
for size in Loops W A Double Trips; do sizes+=" -set $size $(parameter "$size")"; done

# Trips are not used by the count
counts=no
[[ "$mode ${3:-}" != 'break count' && "$mode $(parameter Trips)" != 'prove 0' ]] || counts=yes

# Assertions of the sources, less those of options that this engine does not have
absent=(-e '^$')
[[ "$(parameter Double)" != 0 ]] || absent+=(-e '^double' -e '^reach_double')
[[ "$(parameter Trips)" != 0 ]] || absent+=(-e '^reach_trips')
sed --quiet 's/.*[ )]\([a-z_]*\): assert.*/\1/p' "$here"/traversal_{properties,reach}.sv |
  grep --invert-match "${absent[@]}" | sort >"$scratch/expected"

# A script for yosys. The files it writes: the invariants, which prove each other; all others, with the
# invariants assumed or left out; and every one made false, to see whether it is ever tried.
gates="memory_map; async2sync; dffunmap; setundef -undriven -anyseq; techmap
  opt -fast -nodffe -nosdff; abc -g AND -fast; opt_clean; design -save"
write() {  # NAME COMMANDS: of the assertions left, and their order
  echo "design -load traversal_properties; select -set inv t:\$assert */inv_* %i
    select -set reach t:\$assert */*reach_* %i; select -set plain t:\$assert @inv %d @reach %d
    $2; opt_clean; tee -q -o $scratch/$1.names select -list t:\$assert
    write_aiger -zinit -I -B $scratch/$1.aig"
}
{
  echo "read_verilog ${files[*]}; rename $unit traversal_dut
    read_verilog -formal -sv $here/traversal_model.sv $here/traversal_properties.sv
    read_verilog -formal -sv $here/traversal_reach.sv $here/traversal_count.sv; design -save all
    chparam$sizes traversal_properties; prep -flatten -nordff -top traversal_properties
    $gates traversal_properties; tee -q -o $scratch/found select -list t:\$assert"
  case "$mode" in
    break) write plain 'chformal -assert -remove @inv @reach' ;;
    prove)
      write inv 'chformal -assert -remove @plain @reach'
      write plain 'chformal -assert -remove @reach; chformal -assert -assert2assume @inv'
      write reach "chformal -assert -remove @inv; cd traversal_properties$(
        grep --invert-match -e '^inv_' -e '^reach_' "$scratch/expected" |
          sed "s/.*/; connect -port & A 1'0/" | tr --delete '\n'); cd"
      ;;
    *) die "unknown mode $mode" ;;
  esac
  if [[ "$counts" == yes ]]; then
    echo "design -load all; prep -flatten -nordff -top traversal_count; $gates traversal_count
      write_aiger -zinit -I -B $scratch/count.aig"
  fi
} >"$scratch/run.ys"
yosys -q -s "$scratch/run.ys" >"$scratch/log" 2>&1 || { cat "$scratch/log"; die "yosys failed"; }
# Equal assertions become one, and one may be lost
diff "$scratch/expected" <(sed 's/.*[/.]//' "$scratch/found" | sort) ||
  die "yosys has other assertions than the sources"

failed=0
begin="${EPOCHREALTIME/./}"
abc() { log="$(yosys-abc -c "read_aiger $scratch/$1.aig; fold; $2")"; }
report() {  # PROPERTY VERDICT: with the time since the last one
  local now="${EPOCHREALTIME/./}"
  printf '%-13s %-18s %s in %d ms\n' "$name" "$1" "$2" $(((now - begin) / 1000))
  begin="$now"
}
outputs() { sed 's/.*[/.]//' "$scratch/$1.names"; }
prove() {  # PROPERTY FILE COMMANDS DEPTH STEP: clocks from the initial state, then induction from any
  local verdict=proved
  abc "$2" "$3; strash; bmc3 -F $4; ind -F $5 -C 9999999 -T 120"
  [[ "$log" == *"No output asserted in $4 frames"* && "$log" == *'Networks are equivalent'* ]] ||
    verdict=FAILED failed=1
  report "$1" "$verdict"
}
index=0

if [[ "$mode" == break ]]; then
  if [[ "$3" == count ]]; then
    abc count 'bmc3 -F 40'
  else
    index="$(outputs plain | grep --line-number --line-regexp "$3" | cut --delimiter : --fields 1)"
    abc plain "cone -s -O $((index - 1)); bmc3 -F 24"
  fi
  [[ "$log" =~ 'was asserted in frame '([0-9]+) ]] || { report "$3" 'NOT violated'; exit 1; }
  report "$3" "violated in clock ${BASH_REMATCH[1]}"
  exit
fi

# The invariants are inductive over one clock, the properties over up to 4
prove 'inv_*' inv orpos 3 2
for property in $(outputs plain); do
  prove "$property" plain "cone -s -O $((index++))" 6 5
done
if [[ "$counts" == yes ]]; then
  verdict='held for 40 clocks'
  abc count 'orpos; strash; bmc3 -F 40'
  [[ "$log" == *'No output asserted in 40 frames'* ]] || verdict=FAILED failed=1
  report count "$verdict"
fi
index=0 latest=0
for property in $(outputs reach); do
  abc reach "cone -s -O $((index++)); bmc3 -F 24"
  if [[ "$log" =~ 'was asserted in frame '([0-9]+) ]]; then
    latest=$((BASH_REMATCH[1] > latest ? BASH_REMATCH[1] : latest))
  else
    failed=1
    report "$property" 'NEVER TRIED'
  fi
done
report reach "$index tried, the last in clock $latest"
exit "$failed"
