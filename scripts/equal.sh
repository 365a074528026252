#!/usr/bin/env bash
# Shows that two generated folders hold the same hardware, module by module: Yosys proves the outputs, the next
# values of registers and what each child is given, with the children cut out.
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

shown=0 same=0 failed=0
for file in "$2"/*.v; do
  module="$(basename "$file" .v)"
  [[ "$module" != heddle_ram_1r1w ]] || continue
  if [[ ! -f "$1/$module.v" ]]; then echo "$module: only in $2"; ((++failed)); continue; fi
  if cmp --silent "$1/$module.v" "$file"; then ((++same)); continue; fi
  if timeout 600 yosys -q -l "$log" -p "$(cut "$1" "$module" before)
    $(cut "$2" "$module" after)
    design -copy-from before -as before before; design -copy-from after -as after after
    equiv_make before after both; hierarchy -top both
    equiv_struct both; equiv_simple both; equiv_induct both; equiv_status -assert both" >/dev/null 2>&1; then
    ((++shown))
  else
    echo "$module: not shown ($(grep --max-count 1 --ignore-case 'error' "$log" || echo 'out of time'))"
    ((++failed))
  fi
done
echo "$shown modules proved equal, $same with the same text, $failed not shown"
[[ "$failed" == 0 ]]
