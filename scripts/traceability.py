#!/usr/bin/env python3
"""Writes docs/traceability.md: every requirement of docs/requirements.csv and the tests that prove it.

A test proves the requirements its name begins with: `ttu_028_ttu_029_wrap_is_exact` proves TTU-028
and TTU-029. Usage: scripts/traceability.py [--check]
--check writes nothing and exits with 1 when the file is stale. A test that names an unknown
requirement exits with 2.
"""

import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "docs/requirements.csv"
OUTPUT = ROOT / "docs/traceability.md"
FAMILIES = {
    "TTU": "Tensor traversal",
    "SGCR": "Compiled representation",
    "SPM": "Sparse memory",
    "PET": "PE array and transpose",
    "FSA": "Flexible sparse accelerator",
}
NOT_SOURCES = {"target", "build", ".venv", ".git"}
TEST = re.compile(r"((?:^[ \t]*#\[[^\n]*\]\s*)+)(?:pub\s+)?(?:async\s+)?fn\s+(\w+)", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*//.*$", re.MULTILINE)
ID = re.compile(rf"({'|'.join(FAMILIES).lower()})_(x?\d+)(?:_|$)")


def die(message):
    print(f"traceability: {message}", file=sys.stderr)
    sys.exit(2)


def key(family, number):
    """TTU-07 and TTU-007 are one requirement."""
    digits = number.lower().lstrip("x")
    return family.upper(), number.lower().startswith("x"), int(digits)


def read_requirements():
    with REQUIREMENTS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {key(*row["id"].split("-")): row for row in rows}


def leading_ids(name):
    """The keys at the start of a test name."""
    found, position = [], 0
    while match := ID.match(name, position):
        found.append(key(*match.groups()))
        position = match.end()
    return found


def rust_files():
    for path in sorted(ROOT.rglob("*.rs")):
        relative = path.relative_to(ROOT)
        if not NOT_SOURCES.intersection(relative.parts):
            yield path, relative.as_posix()


def find_tests(requirements):
    """Requirement key -> sorted list of (file, test name)."""
    tests = {}
    for path, relative in rust_files():
        text = COMMENT.sub("", path.read_text(encoding="utf-8"))
        for attributes, name in TEST.findall(text):
            if "#[test]" not in attributes or "#[ignore" in attributes:
                continue
            for identifier in leading_ids(name):
                if identifier not in requirements:
                    die(f"{relative}: {name} names a requirement that is not in {REQUIREMENTS.name}")
                tests.setdefault(identifier, []).append((relative, name))
    return tests


def cell(text):
    return text.replace("|", "\\|")


def summary_row(title, requirements, tests):
    counts = []
    for kind in ("core", "variant"):
        members = [k for k, row in requirements.items() if row["kind"] == kind]
        counts.append(f"{sum(k in tests for k in members)} of {len(members)}")
    return f"| {title} | {counts[0]} | {counts[1]} |"


def render(requirements, tests):
    groups = {
        family: {k: row for k, row in requirements.items() if k[0] == family}
        for family in FAMILIES
    }
    lines = [
        "# Traceability",
        "",
        "Written by `scripts/traceability.py` from `docs/requirements.csv` and the names of the tests.",
        "A test proves the requirements its name begins with; `open` means that no test does.",
        "",
        "| proved by a test | core | variant |",
        "|---|---|---|",
    ]
    for family, title in FAMILIES.items():
        lines.append(summary_row(f"{title} ({family})", groups[family], tests))
    lines.append(summary_row("All", requirements, tests))
    for family, title in FAMILIES.items():
        lines += ["", f"## {title}", "", "| ID | kind | requirement | tests |", "|---|---|---|---|"]
        for identifier, row in groups[family].items():
            proofs = "<br>".join(f"`{path}` `{name}`" for path, name in tests.get(identifier, []))
            lines.append(f"| {row['id']} | {row['kind']} | {cell(row['title'])} | {proofs or 'open'} |")
    return "\n".join(lines) + "\n"


def main():
    arguments = sys.argv[1:]
    if arguments not in ([], ["--check"]):
        die("usage: scripts/traceability.py [--check]")
    requirements = read_requirements()
    tests = find_tests(requirements)
    text = render(requirements, tests)
    if not arguments:
        OUTPUT.write_text(text, encoding="utf-8")
        print(f"{len(tests)} of {len(requirements)} requirements are proved by a test")
    elif not OUTPUT.exists() or OUTPUT.read_text(encoding="utf-8") != text:
        print("traceability: docs/traceability.md is stale: run scripts/traceability.py", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
