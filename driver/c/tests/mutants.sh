#!/usr/bin/env bash
# Plants the faults of mutants.txt in a copy of the driver, one after the other; the conformance list must find each.
# Usage: driver/c/tests/mutants.sh    HEDDLE names a heddle binary that is there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
here="$PWD/driver/c/tests"

die() { echo "mutants: $*" >&2; exit 2; }
[[ $# -eq 0 ]] || die "usage: driver/c/tests/mutants.sh"
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-target}/debug/heddle}"
command -v "$heddle" >/dev/null || die "$heddle not found: cargo build --package heddle-cli"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$heddle" gen -c configs/edge_axi.json -o "$work/gen" >/dev/null
python3 "$here/vectors.py" >"$work/vectors.txt"
mkdir "$work/tests"
cp "$here"/*.[ch] "$work/tests"

passes() {  # whether the list passes on the copy
  gcc -std=c99 -w -O1 -fsanitize=address,undefined -fno-sanitize-recover -I "$work/gen" -o "$work/list" "$work"/*.c "$work"/tests/*.c ||
    die "does not compile"
  timeout 120 "$work/list" "$work/vectors.txt" >/dev/null 2>&1
}

cp "$here"/../*.[ch] "$work"
passes || die "the list fails without a fault"
planted=0 alive=0
while read -r key rest; do
  case "$key" in
    file) file="$rest" ;;
    -) old="$rest" ;;
    +)
      cp "$here"/../*.[ch] "$work"
      # Texts may go over several lines: white space counts as one space.
      python3 - "$work/$file" "$old" "$rest" <<'PY' || die "$file has \"$old\" not once"
import pathlib, re, sys
path, old, new = sys.argv[1:]
text, count = re.subn(r"\s+".join(map(re.escape, old.split())), lambda _: new, pathlib.Path(path).read_text())
pathlib.Path(path).write_text(text)
sys.exit(count != 1)
PY
      planted=$((planted + 1))
      if passes; then
        alive=$((alive + 1))
        echo "mutants: $file: nobody sees \"$rest\" in place of \"$old\"" >&2
      fi
      ;;
  esac
done <"$here/mutants.txt"
echo "$planted faults, $alive not found"
[[ "$alive" == 0 ]]
