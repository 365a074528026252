#!/usr/bin/env bash
# Generates a preset twice, as equal input gives equal bytes, and lints it.
# Usage: scripts/preset.sh [--no-lint] NAME
# HEDDLE names the heddle binary (default: target/release). On a build server every linter must run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() { echo "preset: $*" >&2; exit 2; }
with_lint=yes
[[ "${1:-}" != --no-lint ]] || { with_lint=no; shift; }
[[ $# -eq 1 && -f "configs/$1.json" ]] || die "usage: scripts/preset.sh [--no-lint] NAME"
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-target}/release/heddle}"
command -v "$heddle" >/dev/null || die "$heddle not found: run cargo build --release"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

for name in first again; do
  "$heddle" gen -c "configs/$1.json" -o "$scratch/$name" >/dev/null
done
diff --recursive "$scratch/first" "$scratch/again"
[[ $with_lint == no ]] || "$heddle" lint ${CI:+--all} "$scratch/first"
