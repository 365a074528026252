#!/usr/bin/env python3
"""Writes the figures of ARCHITECTURE.md about the structure of the sources, and names what stands against them.

Usage: scripts/structure.py [--check]
  --check  fails if a figure of the page is another one, or exceeds its limit
Figures: functions of `compiler` that take a network and give a program; circles of files that import each other in `compiler/src`, tests
apart; files that ask what kind a layer is (scripts/asks_kind.py).
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE, SOURCE = ROOT / "ARCHITECTURE.md", ROOT / "compiler/src"
BEGIN, END = "<!-- structure -->", "<!-- end of structure -->"
ITEM = r"^(?:pub(?:\([a-z]+\))? )?(?:const |unsafe )*(?:struct|enum|fn|type|const|trait|static|mod) (?:mut )?(\w+)"


def code(path):
    """A source without tests and comments."""
    text = path.read_text().split("#[cfg(test)]\nmod tests")[0]
    return re.sub(r"//[^\n]*", "", text)


def names(tree, prefix=()):
    """Paths of a use tree: a::{b, c::d} gives a::b and a::c::d."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    path = (*prefix, *[part.strip() for part in head.split("::") if part.strip()])
    if not brace:
        yield tuple(part.split(" as ")[0] for part in path)
        return
    depth, piece = 0, ""
    for character in rest.rsplit("}", 1)[0] + ",":
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            if piece.strip():
                yield from names(piece, path)
            piece = ""
        else:
            piece += character


class Sources:
    def __init__(self):
        self.text = {self.module(path): code(path) for path in SOURCE.rglob("*.rs")}
        self.items = {module: set(re.findall(ITEM, text, re.MULTILINE)) for module, text in self.text.items()}

    @staticmethod
    def module(path):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        return () if parts == ("lib",) else parts

    def uses(self, module):
        """Absolute paths of what a module uses of this crate."""
        for tree in re.findall(r"^\s*(?:pub(?:\([a-z]+\))? )?use ([^;]+);", self.text[module], re.MULTILINE):
            for path in names(tree):
                base = module
                if path[0] == "crate":
                    yield path[1:]
                    continue
                while path and path[0] in ("self", "super"):
                    base = base[:-1] if path[0] == "super" else base
                    path = path[1:]
                if base != module or (module + path[:1]) in self.text:
                    yield base + path

    def home(self, path, seen=()):
        """The file that defines what a path names."""
        module = max((path[:end] for end in range(len(path) + 1) if path[:end] in self.text), key=len)
        rest = path[len(module):]
        if not rest or rest[0] in self.items[module] or path in seen:
            return module
        found = [use for use in self.uses(module) if use and use[-1] == rest[0] and use != path]
        return self.home(found[0], (*seen, path)) if found else module

    def circles(self):
        """Groups of files that import each other."""
        after = {module: {self.home(use) for use in self.uses(module)} - {module, ()} for module in self.text if module}
        reach = {module: set() for module in after}
        for module in after:
            waiting = [module]
            while waiting:
                for other in after[waiting.pop()] - reach[module]:
                    reach[module].add(other)
                    waiting.append(other)
        groups = {frozenset(other for other in reach[module] if module in reach[other]) for module in after if module in reach[module]}
        return sorted(sorted("/".join(module) + ".rs" for module in group) for group in groups)


def entries():
    """Public functions at the top of the compiler that make a program of a network."""
    text = code(SOURCE / "lib.rs")
    return re.findall(r"^pub fn (\w+)[^{]*network: &[^{]*\{", text, re.MULTILINE)


def main():
    circles, found = Sources().circles(), entries()
    asked = subprocess.run([ROOT / "scripts/asks_kind.py"], capture_output=True, text=True, check=True, cwd=ROOT).stdout.splitlines()[:-1]
    for circle in circles:
        print("circle:", ", ".join(circle))
    print("entries:", ", ".join(found))
    print("ask what kind a layer is:", ", ".join(asked))
    table = f"""{BEGIN}
| figure | now | at most |
|---|---:|---:|
| public entries of `compiler` for networks | {len(found)} | 1 |
| circles of files in `compiler/src` | {len(circles)} | 0 |
| files outside `network/src/ops` and `import/src/ops` that ask what kind a layer is | {len(asked)} | 10 |
{END}"""
    text = PAGE.read_text()
    written = re.sub(f"{BEGIN}.*{END}", lambda _: table, text, flags=re.DOTALL)
    if sys.argv[1:] == ["--check"]:
        if written != text:
            sys.exit("structure: ARCHITECTURE.md has other figures: run scripts/structure.py")
        if len(found) > 1 or circles or len(asked) > 10:
            sys.exit("structure: a figure exceeds its limit")
    else:
        PAGE.write_text(written)


if __name__ == "__main__":
    main()
