#!/usr/bin/env bash
# Plants the one-line faults of scripts/mutants in a copy of the sources, one after the other, and says
# which tests turn red. A fault that no test of its package sees is a hole. A list has for each fault: the file,
# the package and words of the names of the tests that run first, a text that the file has once (-), and the
# text that takes its place (+).
# Usage: scripts/mutants.sh [--all | --only TEXT | LIST] [--shard I/N], or scripts/mutants.sh --places
# By default every eighth fault; --only TEXT: those whose file or new text has TEXT; LIST: those of scripts/mutants/LIST.txt;
# --shard I/N: every N-th of them from the I-th on, counted from 1. The tests named with a fault run first, then the whole package.
# --places: plants none, only looks whether every text is there once.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

die() { echo "mutants: $*" >&2; exit 2; }
every=8 only='' asked='' shard=1 shards=1 plants=1
while [[ $# -gt 0 ]]; do
  case "$1" in
    --all) every=1; shift ;;
    --places) plants=0; shift ;;
    --only) every=1 only="${2:?}"; shift 2 ;;
    --shard) [[ "${2:?}" =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] || die "--shard is $2, expected I/N"
      shard="${BASH_REMATCH[1]}" shards="${BASH_REMATCH[2]}"; shift 2 ;;
    *) [[ "$1" =~ ^[a-z_]+$ && -f "$root/scripts/mutants/$1.txt" ]] ||
        die "usage: scripts/mutants.sh [--all | --only TEXT | LIST] [--shard I/N], or scripts/mutants.sh --places"
      every=1 asked="$1"; shift ;;
  esac
done

# Every fault must have its place, whether it is planted or not.
cd "$root"
files=() packages=() filters=() olds=() news=() lists=()
while read -r key rest; do
  case "$key" in
    list) list="$(basename "$rest" .txt)" ;;
    file) files+=("$rest") lists+=("$list") ;;
    test) packages+=("${rest%% *}") filters+=("${rest#* }") ;;
    -) olds+=("$rest") ;;
    +) news+=("$rest") ;;
    '' | '#'*) ;;
    *) die "scripts/mutants: $key is not file, test, - or +" ;;
  esac
done < <(for list in scripts/mutants/*.txt; do echo "list $list"; cat "$list"; done)
for i in "${!files[@]}"; do
  text="$(<"${files[i]}")"
  rest="${text//"${olds[i]}"/}"
  count=$(((${#text} - ${#rest}) / ${#olds[i]}))
  [[ "$count" == 1 ]] || die "${files[i]} has \"${olds[i]}\" $count times, expected once"
done
[[ "$plants" == 1 ]] || { echo "${#files[@]} places of faults"; exit 0; }

# The copy stays where it is, so that little is built anew next time.
work="${CARGO_TARGET_DIR:-$root/target}/mutants"
export CARGO_TARGET_DIR="$work/target" CARGO_INCREMENTAL=0
mkdir -p "$work"
[[ -d "$work/tree" ]] || git clone --quiet --shared --no-checkout "$root" "$work/tree"
commit="$(git -C "$root" stash create)"  # the tracked files as they are
git -C "$work/tree" checkout --quiet --force --detach "${commit:-$(git -C "$root" rev-parse HEAD)}"
cd "$work/tree"

run() {  # PACKAGE [FILTER...]: prints what failed
  local log
  if log="$(timeout 1800 cargo test --quiet --no-fail-fast --package "$1" -- "${@:2}" 2>&1)"; then return; fi
  grep --quiet '^test result: \|has overflowed its stack' <<<"$log" || { echo 'does not compile, or hangs'; return; }
  sed --quiet 's/^\(test \)\?\([a-z0-9_:]*\) \(---\|\.\.\.\) FAILED$/\2/p' <<<"$log" | sort --unique | paste --serial --delimiters ' '
}

planted=0 green=0
for i in "${!files[@]}"; do
  [[ $((i % every)) == 0 && "${files[i]} ${news[i]}" == *"$only"* ]] || continue
  [[ -z "$asked" || "${lists[i]}" == "$asked" ]] || continue
  ((planted++ % shards == shard - 1)) || continue
  begin="$SECONDS" file="${files[i]}"
  text="$(<"$file")"
  printf '%s\n' "${text/"${olds[i]}"/"${news[i]}"}" >"$file"
  read -ra names <<<"${filters[i]}"
  red="$(run "${packages[i]}" "${names[@]}")"
  [[ -n "$red" ]] || red="$(run "${packages[i]}")"
  git checkout --quiet -- "$file"
  [[ -n "$red" ]] || { red='NO TEST'; ((++green)); }
  printf '%s: %s\n  -> %s\n  red: %s (%d s)\n' "$file" "${olds[i]}" "${news[i]}" "$red" $((SECONDS - begin))
done
echo "$green of the faults planted here are seen by no test"
[[ "$green" == 0 ]]
