#!/usr/bin/env bash
# Lists the SHA-256 of every Verilog file of the presets and of the configurations of same_verilog.txt,
# of every module on its own, of both styles and of all four resets: what must not change when
# only the source of the hardware does. With two programs, says which files differ; names of modules do not matter.
# Usage: scripts/same_verilog.sh HEDDLE [OTHER_HEDDLE]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() { echo "same_verilog: $*" >&2; exit 2; }
[[ $# -eq 1 || $# -eq 2 ]] || die "usage: scripts/same_verilog.sh HEDDLE [OTHER_HEDDLE]"
for program in "$@"; do command -v "$program" >/dev/null || die "$program not found"; done
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

mapfile -t modules < <("$1" gen -c configs/tiny.json --top '?' -o "$scratch/none" 2>&1 |
  sed 's/.*expected one of //; s/ ([^)]*)//g; s/, /\n/g')

alone=(traversal traversal_table sliced sliced_counters offsets gemm)  # not parts of the machine

# One line for each run of `heddle gen`: a name, the configuration, options.
runs() {
  local preset name filter module
  for preset in configs/*.json; do echo "$(basename "$preset" .json) $preset"; done
  echo "large_loops configs/large.json --style loops"
  while read -r name filter; do
    jq "$filter" configs/tiny.json >"$scratch/$name.json"
    echo "$name $scratch/$name.json"
    for module in "${alone[@]}"; do echo "$name.$module $scratch/$name.json --top $module"; done
    echo "$name.loops $scratch/$name.json --style loops"
  done < <(sed '/^#/d' scripts/same_verilog.txt)
  for module in "${modules[@]}"; do
    echo "tiny.$module configs/tiny.json --top $module"
    echo "ar.$module configs/tiny.json --top $module --reset async"
    jq '.reset.level = "high"' configs/tiny.json >"$scratch/high.json"
    echo "rh.$module $scratch/high.json --top $module"
    echo "arh.$module $scratch/high.json --top $module --reset async"
  done
}

# Sums of the files of one run, with and without comments.
sums() {  # HEDDLE NAME CONFIG OPTION...
  local out="$scratch/out.$2.$BASHPID"
  "$1" gen -c "${@:3}" -o "$out" >/dev/null || { echo "$2: not generated"; return; }
  scripts/modules.py "$out" | sed --unbuffered "s/^/$2 /"  # lines of two runs stay whole
  rm -rf "$out"
}

list() {  # HEDDLE
  local run
  while read -r -a run; do
    while [[ "$(jobs -r | wc --lines)" -ge 2 ]]; do wait -n; done
    sums "$1" "${run[@]}" &
  done <"$scratch/runs" | sort
  wait
}
runs >"$scratch/runs"
list "$1" >"$scratch/first"
[[ $# -eq 2 ]] || { cat "$scratch/first"; exit 0; }
list "$2" >"$scratch/second"
text() { cut --delimiter ' ' --fields 1-3 "$1"; }
echo "$(wc --lines <"$scratch/first") files," \
  "$(diff "$scratch/first" "$scratch/second" | grep --count '^<' || true) differ in comments or text"
diff <(text "$scratch/first") <(text "$scratch/second") || die "text outside comments differs"
