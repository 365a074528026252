#!/usr/bin/env bash
# Compiles many networks on many configurations and compares programs, refusals, messages and cycles with the table
# benches/programs.csv: what must not change when only the source of the compiler does.
# Usage: scripts/same_programs.sh [--sample] [--slow] [--only TEXT] [--jobs N] [--accept [NAME...] | --record FILE]
#   --sample  75 quick programs of all kinds; else 2,770, of which --slow has two that take minutes
#   --accept  rewrites the table, and lists changed programs in benches/compile.md; only NAMEs may be 1 % slower
#   --record  writes another table and compares nothing
# HEDDLE names the heddle binary (default: target/release/heddle). The networks of benches/networks.md are compiled if
# scripts/networks.py has made them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

heddle="${HEDDLE:-target/release/heddle}"
command -v "$heddle" >/dev/null || {
  echo "same_programs: $heddle not found: cargo build --release --package heddle-cli" >&2
  exit 2
}
exec env HEDDLE="$(realpath "$(command -v "$heddle")")" PYTHONDONTWRITEBYTECODE=1 python3 scripts/same_programs.py "$@"
