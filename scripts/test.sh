#!/usr/bin/env bash
# Runs every check of the repository, two at a time, and prints what took how long.
# Usage: scripts/test.sh [--all]
# --all adds what is slow: tests whose names end in _slow, longer random runs, every planted fault
# of the tests, of the proofs and of scripts/mutants, the lint of huge.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "$*" in
  "") exec scripts/checks.py test ;;
  --all) exec scripts/checks.py all ;;
  *) echo "test: usage: scripts/test.sh [--all]" >&2; exit 2 ;;
esac
