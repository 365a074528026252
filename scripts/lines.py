#!/usr/bin/env python3
"""Lines of Rust by crate, without blanks and comment lines, of commits: prints a Markdown table.

Usage: scripts/lines.py [COMMIT...]    default: HEAD
"""

import collections
import io
import subprocess
import sys
import tarfile

PARTS = ["src", "tests", "examples"]


def count(commit):
    """Lines by crate and part."""
    archive = subprocess.run(["git", "archive", commit], check=True, capture_output=True).stdout
    lines = collections.Counter()
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            if not member.isfile() or not member.name.endswith(".rs"):
                continue
            path = member.name.split("/")
            part = next((name for name in path if name in PARTS), "src")
            text = files.extractfile(member).read().decode()
            code = [line.strip() for line in text.splitlines()]
            lines[path[0], part] += sum(bool(line) and not line.startswith("//") for line in code)
    return lines


def main():
    commits = sys.argv[1:] or ["HEAD"]
    counts = [count(commit) for commit in commits]
    rows = sorted({key for lines in counts for key in lines})
    print("| crate | part |" + "".join(f" {commit} |" for commit in commits))
    print("|---|---|" + "---:|" * len(commits))
    for crate, part in rows:
        print(f"| {crate} | {part} |" + "".join(f" {lines[crate, part]:,} |" for lines in counts))
    print("| all | |" + "".join(f" {sum(lines.values()):,} |" for lines in counts))


if __name__ == "__main__":
    main()
