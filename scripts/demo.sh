#!/usr/bin/env bash
# Generates the edge configuration, lints it and runs 20 handwritten digits through its Verilog.
# Usage: scripts/demo.sh    HEDDLE names a heddle binary that is there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ $# -eq 0 ]] || { echo "demo: usage: scripts/demo.sh" >&2; exit 2; }
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-target}/release/heddle}"

show() {
  echo
  echo "\$ $*"
  "$@"
}

scripts/setup.sh
export CARGO_NET_OFFLINE=true
[[ -n "${HEDDLE:-}" ]] || show cargo build --release --quiet --package heddle-cli
show "$heddle" gen -c configs/edge.json -o build/edge
show "$heddle" lint build/edge
show "$heddle" cosim -c configs/edge.json -m models/digits.json --images 20
