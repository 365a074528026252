#!/usr/bin/env bash
# The checks for every edit: format, clippy, unit and golden tests, one co-simulation; prints what
# took how long. Usage: scripts/check.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ $# -eq 0 ]] || { echo "check: usage: scripts/check.sh" >&2; exit 2; }
exec scripts/checks.py edit
