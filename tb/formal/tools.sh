# What the scripts of proofs begin with; they source it. Gives root, heddle (the binary), scratch (a folder that is removed at the end), die.
# shellcheck shell=bash disable=SC2034
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"

die() { echo "formal: $*" >&2; exit 2; }
for tool in yosys yosys-abc jq; do
  command -v "$tool" >/dev/null || die "$tool not found: run scripts/setup.sh"
done
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-$root/target}/release/heddle}"
command -v "$heddle" >/dev/null || die "$heddle not found: run cargo build --release"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
