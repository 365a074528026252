#!/usr/bin/env bash
# Shows that two generated folders hold the same hardware, module by module: Yosys proves the outputs, the next
# values of registers and what each child is given, with the children cut out. Names of modules do not matter.
# Usage: scripts/equal.sh BEFORE AFTER
set -euo pipefail

die() { echo "equal: $*" >&2; exit 2; }
[[ $# == 2 ]] || die 'usage: scripts/equal.sh BEFORE AFTER'
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

cut() {  # FOLDER MODULE NAME: the module alone, its children as ports
  echo "read_verilog $1/*.v; hierarchy -top $2; proc; opt_clean
    expose -evert $2/c:u_* $2/c:*.u_*; rename $2 $3; opt_clean $3; design -stash $3"
}

pairs="$("$(dirname "${BASH_SOURCE[0]}")/modules.py" "$1" "$2")"
shown=0 same=0 failed=0
while read -r before module text; do
  if [[ "$before" == - ]]; then echo "$module: only in $2"; ((++failed)); continue; fi
  if [[ "$module" == - ]]; then echo "$before: only in $1"; continue; fi
  if [[ "$text" == children ]]; then echo "$before, $module: other modules inside"; ((++failed)); continue; fi
  if [[ "$text" == same ]]; then ((++same)); continue; fi
  if timeout 600 yosys -q -l "$log" -p "$(cut "$1" "$before" before)
    $(cut "$2" "$module" after)
    design -copy-from before -as before before; design -copy-from after -as after after
    equiv_make before after both; hierarchy -top both
    equiv_struct both; equiv_simple both; equiv_induct both; equiv_status -assert both" </dev/null >/dev/null 2>&1; then
    ((++shown))
  else
    echo "$before, $module: not shown ($(grep --max-count 1 --ignore-case 'error' "$log" || echo 'out of time'))"
    ((++failed))
  fi
done <<<"$pairs"
echo "$shown modules proved equal, $same with the same text, $failed not shown"
[[ "$failed" == 0 ]]
