#!/usr/bin/env python3
"""Reads component.xml of a machine from stdin and prints what Vivado would find in it, as JSON.

Registers are read by PeakRDL-ipxact, which knows nothing of Heddle, and printed as read_rdl.py does. Elements must stand in the order
of IP-XACT 1685-2009. cli/tests/component.rs compares the rest with the Verilog as Yosys reads it.
"""

import json
import sys
import tempfile
from xml.etree import ElementTree

from peakrdl_ipxact import IPXACTImporter
from systemrdl import RDLCompiler
from systemrdl.node import RegNode

from read_rdl import entry

SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"
# Elements that may stand in an element, in their order; those of others are not looked at.
ORDER = {
    "component": "vendor library name version busInterfaces addressSpaces memoryMaps model fileSets description vendorExtensions",
    "busInterface": "name busType abstractionType master slave portMaps parameters",
    "portMap": "logicalPort physicalPort",
    "parameter": "name value",
    "addressSpace": "name range width",
    "memoryMap": "name addressBlock",
    "addressBlock": "name baseAddress range width usage register",
    "register": "name description addressOffset size reset field",
    "field": "name description bitOffset bitWidth access modifiedWriteValue",
    "model": "views ports",
    "view": "name envIdentifier language modelName fileSetRef",
    "port": "name wire",
    "wire": "direction vector",
    "vector": "left right",
    "fileSet": "name file",
    "file": "name fileType",
}


def tag(element):
    return element.tag.removeprefix(SPIRIT)


def text(element, path):
    found = element.find("/".join(SPIRIT + name for name in path.split("/")))
    return None if found is None else found.text


def all_of(element, name):
    return element.iter(SPIRIT + name)


def check(element):
    """Whether all elements stand where they may."""
    order = ORDER.get(tag(element), "").split()
    places = [order.index(tag(child)) for child in element] if order else []
    if places != sorted(places):
        sys.exit(f"{tag(element)}: {[tag(child) for child in element]} do not stand in their order")
    for child in element:
        check(child)


def registers(xml):
    compiler = RDLCompiler()
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(xml)
        file.flush()
        IPXACTImporter(compiler).import_file(file.name)
    root = compiler.elaborate().top
    return [entry(node) for node in root.descendants(unroll=True) if isinstance(node, RegNode)]


def interface(element):
    """What it is, what it stands for, its parameters and ports."""
    kinds = [element.find(SPIRIT + name).attrib for name in ("busType", "abstractionType")]
    names = [":".join(kind[SPIRIT + key] for key in ("vendor", "library", "name", "version")) for kind in kinds]
    mode = next(child for child in element if tag(child) in ("master", "slave"))
    references = [value for child in mode for value in child.attrib.values()]
    return {
        "kinds": names,
        "mode": " ".join([tag(mode), *references]),
        "parameters": [[text(own, "name"), text(own, "value")] for own in all_of(element, "parameter")],
        "ports": [[text(own, "logicalPort/name"), text(own, "physicalPort/name")] for own in all_of(element, "portMap")],
    }


def main():
    xml = sys.stdin.read()
    component = ElementTree.fromstring(xml)
    check(component)
    print(json.dumps({
        "name": text(component, "name"),
        "registers": registers(xml),
        "interfaces": {text(own, "name"): interface(own) for own in all_of(component, "busInterface")},
        "spaces": {text(own, "name"): [int(text(own, "range")), int(text(own, "width"))]
                   for own in (*all_of(component, "addressSpace"), *all_of(component, "addressBlock"))},
        "ports": {text(own, "name"): [text(own, "wire/direction"), 1 + int(text(own, "wire/vector/left") or 0)]
                  for own in all_of(component, "port")},
        "models": sorted({text(own, "modelName") for own in all_of(component, "view")}),
        "files": [text(own, "name") for own in all_of(component, "file")],
    }))


if __name__ == "__main__":
    main()
