#!/usr/bin/env bash
# Plants the faults of mutants.txt in a copy of the driver, one after the other; the conformance list must find each.
# Usage: driver/c/tests/mutants.sh GEN VECTORS    GEN: what heddle gen has written, VECTORS: what vectors.py prints
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

die() { echo "mutants: $*" >&2; exit 2; }
[[ $# -eq 2 && -d "$1" && -f "$2" ]] || die "usage: driver/c/tests/mutants.sh GEN VECTORS"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir "$work/tests"
cp "$here"/*.[ch] "$work/tests"

passes() {  # whether the list passes on the copy
  gcc -std=c99 -w -O1 -fsanitize=address,undefined -fno-sanitize-recover -I "$1" -o "$work/list" "$work"/*.c "$work"/tests/*.c ||
    die "does not compile"
  timeout 120 "$work/list" "$2" >/dev/null 2>&1
}

cp "$here"/../*.[ch] "$work"
passes "$1" "$2" || die "the list fails without a fault"
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
      if passes "$1" "$2"; then
        alive=$((alive + 1))
        echo "mutants: $file: nobody sees \"$rest\" in place of \"$old\"" >&2
      fi
      ;;
  esac
done <"$here/mutants.txt"
echo "$planted faults, $alive not found"
[[ "$alive" == 0 ]]
