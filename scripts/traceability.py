#!/usr/bin/env python3
"""Writes docs/traceability.md: every requirement of docs/requirements.csv and the tests that prove it.

A test proves the requirements above it: #[proves("TTU-028", "TTU-029")]. One whose name ends in _slow runs with
scripts/test.sh --all alone and is counted apart. Usage: scripts/traceability.py [--check]
--check writes nothing and exits with 1 when the file is stale. Exits with 2: an unknown requirement, an attribute that
stands on no test that runs, a test in a file that no test program reads, one whose name begins with a requirement, a
core requirement whose tests are all slow.
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
# Why a requirement is open, where something of it exists.
OPEN = {
    "PET-X2": "a pass writes zeros to the places of the other portions",
    "TTU-035": "no option of the unit: a bench alone has a generator with multipliers",
}
NOT_SOURCES = {"target", "build", ".venv", ".git"}
# rustfmt breaks long lists of requirements, and no other attributes.
TEST = re.compile(
    r"((?:^[ \t]*#\[(?:proves\([^)]*\)|[^\n]*)\]\s*)+)(?:pub\s+)?(?:async\s+)?fn\s+(\w+)", re.MULTILINE
)
PROVES = re.compile(r"#!?\[[^\]]*\bproves\s*\(([^)]*)\)")
COMMENT = re.compile(r"^[ \t]*//.*$", re.MULTILINE)
NAMED = re.compile(rf"({'|'.join(FAMILIES).lower()})_x?\d+(_|$)")


def die(message):
    print(f"traceability: {message}", file=sys.stderr)
    sys.exit(2)


def read_requirements():
    with REQUIREMENTS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["id"]: row for row in rows}


def rust_files():
    for path in sorted(ROOT.rglob("*.rs")):
        relative = path.relative_to(ROOT)
        if not NOT_SOURCES.intersection(relative.parts):
            yield path, relative.as_posix()


def is_read(path):
    """Whether the module above declares a file of a folder `tests`; all of them are one program."""
    if "tests" not in path.relative_to(ROOT).parts[:-1] or path.name == "main.rs":
        return True
    module = path.parent if path.name == "mod.rs" else path.with_suffix("")
    above = module.parent / ("main.rs" if module.parent.name == "tests" else "mod.rs")
    return re.search(rf"^(pub )?mod {module.name};", above.read_text(encoding="utf-8"), re.MULTILINE)


def find_tests(requirements):
    """ID -> sorted list of (file, test name, whether it runs only with a switch)."""
    tests = {}
    for path, relative in rust_files():
        text = COMMENT.sub("", path.read_text(encoding="utf-8"))
        lists = 0
        for attributes, name in TEST.findall(text):
            if "#[test]" not in attributes or "#[ignore" in attributes:
                continue
            if not is_read(path):
                die(f"{relative}: no mod line reads it")
            if NAMED.match(name):
                die(f"{relative}: {name} begins with a requirement, expected it in #[proves(...)]")
            proved = PROVES.findall(attributes)
            lists += len(proved)
            for identifier in re.findall(r'"([^"]*)"', "".join(proved)):
                if identifier not in requirements:
                    die(f"{relative}: {name} proves {identifier}, which is not in {REQUIREMENTS.name}")
                tests.setdefault(identifier, []).append((relative, name, name.endswith("_slow")))
        if lists != len(PROVES.findall(text)):
            die(f"{relative}: a #[proves(...)] stands on no test that runs, expected #[test] and fn below it")
    return tests


def cell(text):
    return text.replace("|", "\\|")


def always(proofs):
    return any(not gated for _, _, gated in proofs)


def summary_row(title, requirements, tests):
    counts = []
    for kind in ("core", "variant"):
        members = [k for k, row in requirements.items() if row["kind"] == kind]
        counts.append(f"{sum(k in tests and always(tests[k]) for k in members)} of {len(members)}")
    slow = sum(k in tests and not always(tests[k]) for k in requirements)
    return f"| {title} | {counts[0]} | {counts[1]} | {slow} |"


def render(requirements, tests):
    groups = {
        family: {k: row for k, row in requirements.items() if k.startswith(f"{family}-")}
        for family in FAMILIES
    }
    lines = [
        "# Traceability",
        "",
        "Written by `scripts/traceability.py` from `docs/requirements.csv` and the tests.",
        "A test proves the requirements of its `#[proves(...)]`; `open` means that no test does.",
        "Tests whose names end in `_slow` run with `scripts/test.sh --all`.",
        "",
        "| proved by a test | core | variant | by slow tests alone |",
        "|---|---|---|---|",
    ]
    for family, title in FAMILIES.items():
        lines.append(summary_row(f"{title} ({family})", groups[family], tests))
    lines.append(summary_row("All", requirements, tests))
    for family, title in FAMILIES.items():
        lines += ["", f"## {title}", "", "| ID | kind | requirement | tests |", "|---|---|---|---|"]
        for identifier, row in groups[family].items():
            proofs = "<br>".join(
                f"`{path}` `{name}`" + (" *slow*" if gated else "")
                for path, name, gated in tests.get(identifier, [])
            )
            reason = f"open: {OPEN[identifier]}" if identifier in OPEN else "open"
            lines.append(f"| {identifier} | {row['kind']} | {cell(row['title'])} | {proofs or reason} |")
    return "\n".join(lines) + "\n"


def main():
    arguments = sys.argv[1:]
    if arguments not in ([], ["--check"]):
        die("usage: scripts/traceability.py [--check]")
    requirements = read_requirements()
    tests = find_tests(requirements)
    for identifier, proofs in tests.items():
        if identifier in OPEN:
            die(f"{identifier} has a test and a reason to be open")
        if requirements[identifier]["kind"] == "core" and not always(proofs):
            die(f"{identifier} is core, and its tests run only with a switch")
    text = render(requirements, tests)
    if not arguments:
        OUTPUT.write_text(text, encoding="utf-8")
        print(f"{len(tests)} of {len(requirements)} requirements are proved by a test")
    elif not OUTPUT.exists() or OUTPUT.read_text(encoding="utf-8") != text:
        print("traceability: docs/traceability.md is stale: run scripts/traceability.py", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
