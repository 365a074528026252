#!/usr/bin/env bash
# Proves the properties of tb/formal for emitted traversal engines of 2 rows and 2 loops, for all
# inputs and all times, and of a stand-alone unit of 1 row and 1 loop for its first clocks.
# Usage: scripts/formal.sh [--all|--mutants]
#        scripts/formal.sh system   what stands around the engine: formal_system.sh, formal_dma.sh
# Proves the form with both options and the one without; --all: those with one of them too.
# --mutants: shows instead that each property fails for an engine with a fault of tb/formal/mutants.txt.
# HEDDLE names the heddle binary (default: target/release). See docs/formal.md.
set -euo pipefail
# shellcheck source=tb/formal/tools.sh
source "$(dirname "${BASH_SOURCE[0]}")/../tb/formal/tools.sh"
case "$*" in
  system) "$root/scripts/formal_system.sh"; exec "$root/scripts/formal_dma.sh" ;;
  "") forms=(double_trips single) ;;
  --all | --mutants) forms=(double_trips double single_trips single) ;;
  *) die "usage: scripts/formal.sh [--all|--mutants|system]" ;;
esac

emit() {  # NAME TOP SIZE DOUBLE TRIPS
  jq ".traversal = {rows: $3, loops: $3, offset_bits: 16, address_bits: 16, unit: {
    double_buffer: $4, trips: $5, attach: false, sum_stages: 1}}" \
    "$root/configs/tiny.json" >"$scratch/small.json"
  "$heddle" gen -c "$scratch/small.json" --top "$2" -o "$scratch/$1" >/dev/null
}
emit double_trips traversal_engine 2 true true
emit double traversal_engine 2 true false
emit single_trips traversal_engine 2 false true
emit single traversal_engine 2 false false
emit unit traversal 1 false false

# Two at a time
if [[ "$*" != --mutants ]]; then
  printf 'check.sh prove %q\n' "${forms[@]/#/$scratch/}"
  printf 'unit.sh prove %q\n' "$scratch/unit"
else
  list="$root/tb/formal/mutants.txt" count=0
  spared="$(comm -23 <(sed --quiet 's/.*[ )]\([a-z_]*\): assert.*/\1/p' \
    "$root"/tb/formal/traversal_{properties,count,unit}.sv |
    sed '/^inv_/d; /^reach_/d' | sort --unique) \
    <(cut --delimiter ' ' --fields 1 "$list" | sort --unique))"
  [[ -z "$spared" ]] || die "$list has no fault for ${spared//$'\n'/, }"
  sed '/^#/d' "$list" | while read -r property form module fault; do
    mutant="$scratch/$((count += 1))-$form-$module"
    cp -r "$scratch/$form" "$mutant"
    file="$(file_of "$mutant" "traversal_$module")"
    sed -i "$fault" "$file"
    ! cmp -s "$file" "$scratch/$form/$(basename "$file")" ||
      die "$list: $module has nothing to change for $fault"
    check=check.sh
    [[ "$form" != unit ]] || check=unit.sh
    printf '%s break %q %q\n' "$check" "$mutant" "$property"
  done
fi >"$scratch/jobs"
cd "$root/tb/formal"
sed 's|^|./|' "$scratch/jobs" | xargs --max-procs 2 --max-lines=1 env || exit 1
