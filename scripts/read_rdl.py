#!/usr/bin/env python3
"""Reads SystemRDL from stdin and prints its registers as JSON: name, offset, value after reset, fields with bits, access and value.

With systemrdl-compiler, which knows nothing of Heddle: arch/tests/registers.rs compares what it finds with the table.
"""

import json
import sys
import tempfile

from systemrdl import RDLCompiler
from systemrdl.rdltypes import AccessType, OnWriteType


def access(field):
    """What software does with a field."""
    sw, on_write = field.get_property("sw"), field.get_property("onwrite")
    kinds = {
        (AccessType.r, None, False): "RO",
        (AccessType.rw, None, False): "RW",
        (AccessType.w, None, True): "W1",
        # IP-XACT has no word for a pulse.
        (AccessType.w, None, False): "W1",
        (AccessType.rw, OnWriteType.woclr, False): "W1C",
    }
    return kinds.get((sw, on_write, field.get_property("singlepulse")), f"{sw} {on_write}")


def entry(register):
    """A register with its fields, lowest first."""
    fields = [
        {
            "name": field.inst_name,
            "lsb": field.lsb,
            "width": field.width,
            "access": access(field),
            "reset": field.get_property("reset"),
        }
        for field in sorted(register.fields(), key=lambda field: field.lsb)
    ]
    word = sum(field["reset"] << field["lsb"] for field in fields)
    return {"name": register.inst_name, "offset": register.absolute_address, "reset": word, "fields": fields}


def main():
    """Prints all registers in the order of their addresses."""
    compiler = RDLCompiler()
    with tempfile.NamedTemporaryFile("w", suffix=".rdl") as file:
        file.write(sys.stdin.read())
        file.flush()
        compiler.compile_file(file.name)
        top = compiler.elaborate().top
    registers = [entry(register) for register in top.registers(unroll=True)]
    print(json.dumps({"name": top.inst_name, "registers": registers}))


if __name__ == "__main__":
    main()
