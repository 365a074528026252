#!/usr/bin/env python3
"""Fills the figures of README.md from the pages that other scripts write, and checks what README.md says.

Usage: scripts/readme.py [--check]
  --check  writes nothing, and exits with 1 if a figure is not that of its page
Both exit with 1 if README.md has too many words, if a link or a path leads nowhere, or if `heddle --help` does not
know a command or an option. HEDDLE names the heddle binary (default: target/release); without one the commands
are not checked.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
WORDS = 900
HEDDLE = os.environ.get("HEDDLE") or str(ROOT / "target/release/heddle")
PAGES = [path for pattern in ("*.md", "docs/*.md", "benches/*.md", "models/*/*.md") for path in sorted(ROOT.glob(pattern))]
# Pages whose commands are held against the help.
COMMANDS = ["README.md", "docs/blocks.md", "docs/commands.md", "docs/configurations.md", "docs/verilog.md"]
NETWORKS = {"ResNet-8": "ResNet-8", "DS-CNN": "DS-CNN", "MobileNetV1 0.25": "MobileNetV1 0.25, 96 x 96"}
# Machine, its row in docs/synthesis.md, its table in benches/networks.md.
MACHINES = [
    ("`edge`, 8 x 8", "`edge`", None),
    ("`tflite` with 8 x 8", None, "tflite, 8 x 8"),
    ("`default`, 16 x 16", "`default`", None),
    ("`tflite`, 16 x 16", "`tflite`", "tflite"),
]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def minutes(seconds):
    return [str(-(-int(seconds) // 60))]


def always(core, cores, variant, variants):
    return [str(int(core) + int(variant)), str(int(cores) + int(variants))]


# Words of README.md with {} for a figure, the page with the figure, where it stands there, and what is made of it.
FIGURES = [
    ("every check that CI runs: {} minutes", "benches/checks.md", r"^\| all \| (\d+) \|", minutes),
    ("[Rust](https://rustup.rs) {} or newer", "Cargo.toml", r'^rust-version = "(.+)"', None),
    ("builds its model: {} s for 4 x 4", "benches/cosim.md", r"^\| 4 x 4, .*? \| (\d+) s \|", None),
    ("{} s for `tflite`", "benches/cosim.md", r"^\| `tflite` \| (\d+) s \|", None),
    ("Yosys {} and nextpnr, speed grade {}", "docs/synthesis.md", r"^Yosys (\S+) \((?:.|\n)*? speed grade (\d+)", None),
    ("{} of {} [requirements]", "docs/traceability.md", r"^\| All \| (\d+) of (\d+) \| (\d+) of (\d+) \|", always),
]


def cells(page, marker, name):
    """Columns of the row that begins with a name, of the table after a marker."""
    rows = read(page).partition(f"<!-- {marker} -->")[2].partition("\n<!-- ")[0].strip().splitlines()
    table = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    for row in table:
        if row[0] == name:
            return dict(zip(table[0], row))
    sys.exit(f"readme: {page} has no row {name}")


def machines():
    heads = ["machine", "LUT4", "clock", *NETWORKS.values()]
    rows = [heads, ["---", *["---:"] * (len(heads) - 1)]]
    for name, synthesis, networks in MACHINES:
        made = cells("docs/synthesis.md", "scripts/synthesis.py writes machines", synthesis) if synthesis else {}
        clock = made.get("MHz", "-")
        row = [name, made.get("LUT4", "-"), clock if clock == "-" else f"{clock} MHz"]
        row += [cells("benches/networks.md", networks, network)["cycles"] if networks else "-" for network in NETWORKS]
        rows.append([f"{int(cell):,}" if cell.isdigit() else cell for cell in row])
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines[1] = lines[1].replace(" ", "")
    return "\n".join(lines)


def filled(text):
    """The page with all its figures, and those that it lacks."""
    lacks = []
    begin, end = "<!-- machines -->\n", "<!-- end of machines -->"
    head, found, rest = text.partition(begin)
    _, ended, rest = rest.partition(end)
    if not (found and ended):
        return text, [f"README.md has no lines {begin.strip()} and {end.strip()}"]
    text = f"{head}{begin}{machines()}\n{end}{rest}"
    for words, page, where, made in FIGURES:
        source = re.search(where, read(page), re.MULTILINE)
        pattern = re.escape(words).replace(r"\{\}", r"[\d.,]*\d")
        if not source or not re.search(pattern, text):
            lacks.append(f"{page} has no {where}" if not source else f"README.md has no words {words!r}")
            continue
        figures = made(*source.groups()) if made else source.groups()
        text = re.sub(pattern, lambda _: words.format(*figures), text)
    return text, lacks


def anchors(path):
    """What the headings of a page are called in links."""
    heads = re.findall(r"^#+ (.*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def broken_links():
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`\n]*`", "`", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            file, _, anchor = link.partition("#")
            target = page.parent / file if file else page
            if "://" in link or (target.exists() and (not anchor or anchor in anchors(target))):
                continue
            yield f"{page.relative_to(ROOT)}: {link} leads nowhere"
    for path in re.findall(r"[\s`](?:\./)?((?:configs|docs|examples|scripts)/[\w./-]*\w)", read("README.md")):
        if not (ROOT / path).exists():
            yield f"README.md: {path} is not there"


def help_of(*command):
    done = subprocess.run([HEDDLE, *command, "--help"], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def subcommands(text):
    return re.findall(r"^  ([a-z]+) ", text.partition("\nCommands:\n")[2].partition("\nOptions:\n")[0], re.MULTILINE)


def wrong_commands():
    """Commands and options that the help does not have, and commands that docs/commands.md does not have."""
    helps = {name: help_of(name) for name in subcommands(help_of()) if name != "help"}
    for name, text in list(helps.items()):
        helps[name] += "".join(help_of(name, part) for part in subcommands(text) if part != "help")
    if not helps:
        yield f"{HEDDLE} --help lists no commands"
    told = set()
    for page in COMMANDS:
        command = None
        for line in read(page).splitlines():
            # Further lines of a command stand below its options.
            begins = re.match(r"    heddle +(\S+)", line)
            command = begins[1] if begins else command if line.startswith("      ") else None
            named = [(command, line)] if command else re.findall(r"`heddle ([a-z]+)([^`]*)`", line)
            for name, rest in named:
                if name not in helps:
                    yield f"{page}: no command heddle {name}"
                    continue
                told |= {name} if page == "docs/commands.md" else set()
                for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest):
                    if not re.search(rf"{option}(?![\w-])", helps[name]):
                        yield f"{page}: heddle {name} has no {option}"
    for name in helps.keys() - told:
        yield f"docs/commands.md: heddle {name} is missing"


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit("usage: scripts/readme.py [--check]")
    before = read("README.md")
    after, faults = filled(before)
    if sys.argv[1:]:
        old, new = before.splitlines(), after.splitlines()
        faults += [f"README.md says: {line}" for line in old if line not in new]
        faults += [f"its pages say: {line}" for line in new if line not in old]
    else:
        README.write_text(after, encoding="utf-8")
    if (words := len(after.split())) >= WORDS:
        faults.append(f"README.md has {words} words, expected less than {WORDS}")
    faults += broken_links()
    if shutil.which(HEDDLE):
        faults += wrong_commands()
    else:
        print(f"readme: {HEDDLE} is not there: commands are not checked")
    for fault in faults:
        print(f"readme: {fault}", file=sys.stderr)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
