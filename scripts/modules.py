#!/usr/bin/env python3
"""Lists the modules of a folder that heddle gen has written, whatever their names are.

Usage: scripts/modules.py FOLDER        of each module its type and parameters, its hash without comments and with them
       scripts/modules.py BEFORE AFTER  the modules of two folders in pairs, - where there is none: their names, then
                                        same, other or children (it has other modules inside) for their text
Names of modules in texts count as their types in Rust and their parameters that are not 0: a new option that is off
and a file of Rust that moves change nothing. Modules that share these have a hash of their text as well.
"""

import collections
import hashlib
import json
import pathlib
import re
import sys


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def bare(text):
    """Without comments and line breaks: a long name breaks a line."""
    return " ".join(re.sub("//.*", "", text).split())


def kind(module):
    """Type and parameters of a module of a manifest."""
    parameters = sorted(f"{name}={value}" for name, value in module["parameters"].items() if value)
    return f"{module['source'].split(', ')[-1]}({','.join(parameters)})"


def modules(folder):
    """Name, kind, text without comments, text, and instances of each module; leaves first, as in the manifest."""
    listed = {m["name"]: kind(m) for m in json.loads(pathlib.Path(folder, "manifest.json").read_text())["modules"]}
    listed |= {file.stem: file.stem for file in pathlib.Path(folder).glob("*.v") if file.stem not in listed}
    several = collections.Counter(listed.values())
    keys = {}
    for name, key in listed.items():
        # The key of a memory names the place of the memory.
        text = re.sub(r'(\.Key +\(")\w*"', r'\1"', pathlib.Path(folder, f"{name}.v").read_text())
        inside = set(re.findall(r"^ *(\w+)\s+(u_\w+)\s+\($", text, re.MULTILINE))
        keys[name] = key
        text = re.sub(r"\w+", lambda word: keys.get(word[0], word[0]), text)
        if several[key] > 1:
            keys[name] += f":{digest(bare(text))}"
        yield name, key, bare(text), text, inside


def pairs(before, after):
    before, after, paired = list(modules(before)), list(modules(after)), []
    for wanted in (slice(1, 4), slice(1, 3), slice(1, 2)):  # all equal, but comments, type and parameters
        for new in after[:]:
            old = next((old for old in before if old[wanted] == new[wanted]), None)
            if old:
                before.remove(old)
                after.remove(new)
                paired.append((old, new))
    names = {old[0]: new[0] for old, new in paired}
    for old, new in paired:
        if {(names.get(module, module), instance) for module, instance in old[4]} != new[4]:
            yield old[0], new[0], "children"
        else:
            yield old[0], new[0], "same" if old[2] == new[2] else "other"
    yield from ((old[0], "-", "other") for old in before)
    yield from (("-", new[0], "other") for new in after)


if len(sys.argv) == 3:
    for pair in pairs(*sys.argv[1:]):
        print(*pair)
elif len(sys.argv) == 2:
    for _, key, plain, text, _ in modules(sys.argv[1]):
        print(key, digest(plain), digest(text))
else:
    sys.exit(__doc__)
