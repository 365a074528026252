# What the scripts of proofs begin with; they source it. Gives root, heddle (the binary), scratch (a folder that is removed at the end), die, file_of.
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

# file_of FOLDER NAME: the file of the first module with this name, which parameters and a hash may follow
file_of() {
  local file
  for file in "$1"/heddle_*.v; do
    [[ ! "${file##*/}" =~ ^heddle_($2)(_[a-z]+[0-9]+)*_[0-9a-f]{8}\.v$ ]] || { echo "$file"; return; }
  done
  die "$1 has no module $2"
}
