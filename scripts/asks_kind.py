#!/usr/bin/env python3
"""Files that ask what kind a layer is, outside the files of the operators: prints them and how many there are.

A file asks by the type, or by a predicate about one kind. Tests and examples do not count; of a file neither does what follows
`#[cfg(test)]`. Usage: scripts/asks_kind.py [COMMIT]    default: the working tree
"""

import re
import subprocess
import sys

OPERATORS = ("network/src/ops/", "import/src/ops/")
ASKS = re.compile(r"\b(LayerKind|KindFile)::[A-Z]|\bWork::(Product|Permutation|Bytes)\b|\.is_of_planes\(\)|\.is_input\(")


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def sources(commit):
    """Names of the sources, and what gives their text."""
    names = git("ls-tree", "-r", "--name-only", commit) if commit else git("ls-files", "-co", "--exclude-standard")
    for name in names.splitlines():
        parts = name.split("/")
        if name.endswith(".rs") and not {"tests", "examples", "benches"} & set(parts) and not name.startswith(OPERATORS):
            yield name, git("show", f"{commit}:{name}") if commit else open(name, encoding="utf-8").read()


def main():
    commit = sys.argv[1] if len(sys.argv) > 1 else None
    asking = []
    for name, text in sources(commit):
        code = [line for line in text.split("#[cfg(test)]")[0].splitlines() if not line.lstrip().startswith("//")]
        if any(ASKS.search(line) for line in code):
            asking.append(name)
    print(*asking, sep="\n")
    print(f"{len(asking)} files ask what kind a layer is")


if __name__ == "__main__":
    main()
