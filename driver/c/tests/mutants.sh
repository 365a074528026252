#!/usr/bin/env bash
# Plants the faults of mutants.txt, and of that of the driver in Python, in a copy of the drivers, one after the other; their conformance lists must
# find each.
# Usage: driver/c/tests/mutants.sh    HEDDLE names a heddle binary that is there already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

die() { echo "mutants: $*" >&2; exit 2; }
[[ $# -eq 0 ]] || die "usage: driver/c/tests/mutants.sh"
heddle="${HEDDLE:-${CARGO_TARGET_DIR:-target}/debug/heddle}"
command -v "$heddle" >/dev/null || die "$heddle not found: cargo build --package heddle-cli"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$heddle" gen -c configs/edge_dma.json -o "$work/gen" >/dev/null
python3 driver/c/tests/vectors.py >"$work/vectors.txt"
cp -r driver/c driver/python "$work"
flags=(-std=c99 -w -I "$work/gen")
gcc "${flags[@]}" -O2 -shared -fPIC -o "$work/model.so" driver/python/tests/model.c driver/c/*.c driver/c/tests/{bench,device,dma,dram,image}.c

passes() {  # LANGUAGE: whether the list passes on the copy
  if [[ "$1" == python ]]; then
    timeout 120 python3 "$work/python/tests/conformance.py" "$work/gen" "$work/model.so" "$work/vectors.txt" >/dev/null 2>&1
    return
  fi
  gcc "${flags[@]}" -O1 -fsanitize=address,undefined -fno-sanitize-recover -o "$work/list" "$work"/c/*.c "$work"/c/tests/*.c || die "does not compile"
  timeout 120 "$work/list" "$work/vectors.txt" >/dev/null 2>&1
}

planted=0 alive=0
for language in c python; do
  passes "$language" || die "$language: the list fails without a fault"
  while read -r key rest; do
    case "$key" in
      file) file="$language/$rest" ;;
      -) old="$rest" ;;
      +)
        # Texts may go over several lines: white space counts as one space.
        python3 - "$work/$file" "$old" "$rest" <<'PY' || die "$file has \"$old\" not once"
import pathlib, re, sys
path, old, new = sys.argv[1:]
text, count = re.subn(r"\s+".join(map(re.escape, old.split())), lambda _: new, pathlib.Path(path).read_text())
pathlib.Path(path).write_text(text)
sys.exit(count != 1)
PY
        planted=$((planted + 1))
        if passes "$language"; then
          alive=$((alive + 1))
          echo "mutants: $file: nobody sees \"$rest\" in place of \"$old\"" >&2
        fi
        cp "driver/$file" "$work/$file"
        ;;
    esac
  done <"driver/$language/tests/mutants.txt"
done
echo "$planted faults, $alive not found"
[[ "$alive" == 0 ]]
