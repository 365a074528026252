#!/usr/bin/env python3
"""The conformance list of the driver in Python, on the device model of the driver in C; what the host computes is held against the same vectors.

Usage: driver/python/tests/conformance.py FOLDER LIBRARY VECTORS
FOLDER: that of `heddle gen`; LIBRARY: driver/python/tests/model.c with the model; VECTORS: what driver/c/tests/vectors.py prints.
"""

import asyncio
import ctypes
import itertools
import pathlib
import struct
import sys
import zlib

sys.path += [sys.argv[1], str(pathlib.Path(__file__).resolve().parents[1])]
import heddle
import heddle_ends
import heddle_regs as regs
import heddle_ring

FIRST, SECOND, POOL = 0x40003000, 0xA00000000, 40 * 4096
ADDED = 0x17  # what the program of the sample adds to each byte
EACH = 7  # jobs of an inference of the sample
ORDER = ["", "iLR.oSF", "iLR.iLoSFR.oSF", "iLR.iLoSFR.iLoSFR.oSF", "iLR.iLoSFR.iLoSFR.iLoSFR.oSF", "iLR.iLoSFR.iLoSFR.iLoSFR.iLoSFR.oSF"]
model = ctypes.CDLL(sys.argv[2])
model.model_memory.restype, model.model_memory.argtypes = ctypes.c_void_p, [ctypes.c_uint64]
model.model_trace.restype = ctypes.c_char_p
model.model_read.restype = ctypes.c_uint32
heddle.POLLS = 2000
checks = 0


def check(holds, what):
    global checks
    checks += 1
    assert holds, what


class Port:
    async def read(self, offset):
        return model.model_read(offset)

    async def write(self, offset, *words):
        for at, word in enumerate(words):
            model.model_write(offset + 4 * at, ctypes.c_uint32(word))

    missed = 0  # interrupts that did not come

    async def wait_irq(self):
        Port.missed += not model.model_wait()


class Ram:
    def read(self, address, size):
        return ctypes.string_at(model.model_memory(address), size) if size else b""

    def write(self, address, data):
        ctypes.memmove(model.model_memory(address), bytes(data), len(data))


def sample(make=model.model_sample):
    file = ctypes.create_string_buffer(16384)
    size = make(file)
    return file.raw[:size]


def new_machine(dma, ring_log=None):
    model.model_new(dma)
    memory = None if ring_log is None else heddle.Memory(Ram(), (FIRST, POOL), (SECOND, POOL), ring_log)
    return heddle.Machine(Port(), memory)


def fails(call, text):
    """A call that must raise an error with this text."""
    try:
        asyncio.run(call)
    except heddle.HeddleError as error:
        check(text in str(error), f"is {error}, expected {text}")
        return
    check(False, f"expected {text}")


def user(seed):
    return bytes((seed * 31 + at * 37) & 255 for at in range(28))


def right(machine, count, seed):
    """Inferences with all bytes as they must be: rows of seven elements in eight bytes, even rows first."""
    inputs = [user(seed + at) for at in range(count)]
    results = asyncio.run(machine.infer_all([{"in": own} for own in inputs]))
    check(len(results) == count, f"{len(results)} results")
    for given, found in zip(inputs, results):
        rows = [given[7 * row :][:7] + b"\x55" for row in (0, 2, 1, 3)]
        out = bytes(byte + ADDED & 255 for byte in b"".join(rows))
        check(found["out"] == out, f"out is {found['out'].hex()}, expected {out.hex()}")
        signed = struct.unpack("32b", out)
        best = [max(range(4), key=lambda row: (signed[8 * row + column], -row)) for column in range(8)]
        check(found["best"] == struct.pack("<8i", *best), "the largest of each column")


def check_runs():
    for dma, log in [(0, None), (0, 4), (1, None), *((1, log) for log in range(4, 11))]:
        machine = new_machine(dma, log)
        asyncio.run(machine.load(sample()))
        has_ring = bool(dma and log)
        check((model.model_trace() != b"") == has_ring, "the ring alone, or the window port alone")
        for turn in range(2):
            for count in range(6):
                right(machine, count, 7 * turn)
                check(model.model_trace().decode() == (ORDER[count] if has_ring else ""), f"order of {count} inferences")
            asyncio.run(machine.reset())
            model.model_trace()
        counters = asyncio.run(machine.counters(regs.STALL_SUMS, 26))
        check(counters[0] == regs.STALL_SUMS and len(counters) == 26, "counters")
        if has_ring:
            check(asyncio.run(machine.counters(regs.JOBS, 1))[0] > 0, "counters of the DMA")
        fails(machine.counters(regs.JOBS, 2), "no 2 counters")
    check(Port.missed == 0, f"{Port.missed} interrupts did not come")


def check_segments():
    """A segment that is loaded between two runs, and a tensor that waits in the scratch."""
    for dma, log in [(0, None), (1, None), (1, 6), (1, 10)]:
        machine = new_machine(dma, log)
        asyncio.run(machine.load(sample(model.model_segments)))
        for count in range(6):
            if log:
                place = machine.ring.places["scratch"][0]
                check(SECOND <= place <= SECOND + POOL - 64, "the scratch lies in the second pool")
                Ram().write(place, b"\xc3" * 64)
            right(machine, count, count)
            if log and count:
                found = Ram().read(place, 64)
                check(found[:32] != b"\xc3" * 32 and found[32:] == b"\xc3" * 32, "the scratch was written, and nothing behind it")


def check_program_loads():
    """Programs that load and store need regions, which the jobs of a ring set."""
    file = bytearray(sample())
    file[28] |= 2
    struct.pack_into("<I", file, 60, zlib.crc32(file[:60]))
    for log in (None, 4):
        machine = new_machine(1, log)
        fails(machine.load(bytes(file)), "lacks something")
        model.model_program_loads()
        if log:
            asyncio.run(machine.load(bytes(file)))
            right(machine, 2, 1)
        else:
            fails(machine.load(bytes(file)), "need a ring")
            check(model.model_writes() == 0, "nothing was written")


def check_places():
    """No buffer shares a line with another one, and what is written lies in the pool that may be written."""
    for log, image_bytes, (given, made), scratch, count in itertools.product((1, 4, 10), (64, 4096, 5000), ((8, 8), (72, 64), (640, 1000)), (0, 8, 4096), (1, 2, 5)):
        memory = heddle.Memory(None, (FIRST, 64 * 4096), (SECOND, 64 * 4096), log)
        region = lambda self, number, given=given, made=made: bytes((given, made)[number - 1])
        net = type("Net", (), dict(data=bytes(image_bytes), scratch_bytes=scratch, region=region))()
        places = memory.place(net, count)
        sizes = dict(image=image_bytes, inputs=given, scratch=scratch, outputs=made)
        lines = [(memory.ring, 64 << log, FIRST)]
        lines += [(place, -(-size // 64) * 64, SECOND if name in ("scratch", "outputs") else FIRST) for name, size in sizes.items() for place in places[name]]
        check([len(places[name]) for name in sizes] == [1, count, 1, count], "so many places")
        check(all(pool <= place and place + size <= pool + 64 * 4096 and place % 64 == 0 for place, size, pool in lines), f"in their pools: {lines}")
        lines.sort()
        check(all(place + size <= following[0] for (place, size, _), following in zip(lines, lines[1:])), f"clear of each other: {lines}")


def check_faults():
    codes = {9: "BUS", 10: "WINDOW", 11: "DMA_LOCAL", 12: "TIMEOUT", 14: "JOB", 3: "docs/isa.md"}
    for code, text in codes.items():
        for entry in range(5 * EACH):
            machine = new_machine(1, 4)
            asyncio.run(machine.load(sample()))
            model.model_fault(entry + 1, code, 0, 0)
            inputs = [{"in": user(at)} for at in range(5)]
            fails(machine.infer_all(inputs), text)
            check(not model.model_read(regs.CTRL) & regs.CTRL_QUEUE_MASK, "the machine rests")
            fails(machine.infer_all(inputs), f"entry {(10 + entry) % 16} of the ring")
            fails(machine.load(sample()), text)
            asyncio.run(machine.reset())
            right(machine, 5, entry)
    machine = new_machine(1, 4)
    model.model_fault(4, 9, 0, 0)
    fails(machine.load(sample()), "BUS")
    asyncio.run(machine.reset())
    right(machine, 3, 1)
    # A bus that answers late, and one that never does.
    model.model_fault(0, 0, 20, 500)
    fails(machine.infer({"in": user(1)}), "TIMEOUT")
    check(not model.model_read(regs.STATUS) & regs.STATUS_HUNG_MASK, "nothing is owed any more")
    asyncio.run(machine.reset())
    model.model_fault(0, 0, 20, 0xFFFFFFFF)
    fails(machine.infer({"in": user(1)}), "the reset does not end")
    fails(machine.reset(), "for ever")
    model.model_fault(0, 0, 0, 0)
    asyncio.run(machine.reset())
    right(machine, 5, 1)
    model.model_stall(1)
    fails(machine.infer({"in": user(1)}), "stands still")
    model.model_stall(0)
    asyncio.run(machine.reset())
    right(machine, 5, 1)


def check_memory():
    first, second, last = FIRST >> 12, SECOND >> 12, POOL // 4096 - 1
    machine = new_machine(1, 4)
    asyncio.run(machine.load(sample()))
    found = [model.model_read(regs.WINDOW0_BASE + 16 * window + 4 * word) for window in range(4) for word in range(3)]
    check(found[:6] == [first, first + last, 1, second, second + last, 3] and found[8] == found[11] == 0, f"windows {found}")
    # Locked windows, of which none, one too short, one too open.
    for offset, word, wanted in [(0, 0, ""), (0xC4, first + last + 1, ""), (0xC0, first + 1, "locked"), (0xC4, first + last - 1, "locked"), (0xC8, 0, "locked"),
                                 (0xC8, 3, "locked"), (0xD0, second + 1, "locked"), (0xD4, second, "locked"), (0xD8, 1, "locked"), (0xD8, 2, "locked")]:
        machine = new_machine(1, 4)
        for window, words in enumerate([(first, first + last, 1), (second, second + last, 3), (0, 0, 0), (5, 9, 3)]):
            for at, own in enumerate(words):
                model.model_lock(regs.WINDOW0_BASE + 16 * window + 4 * at, own)
        if offset:
            model.model_lock(offset, word)
        if wanted:
            fails(machine.load(sample()), wanted)
        else:
            asyncio.run(machine.load(sample()))
            right(machine, 3, 1)
    make = lambda *arguments: heddle.Memory(Ram(), *arguments)
    for arguments, text in [
        (((FIRST + 64, POOL), (SECOND, POOL)), "whole pages"), (((FIRST, POOL), (SECOND, 100)), "whole pages"), (((FIRST, POOL), (FIRST + POOL - 4096, POOL)), "overlap"),
        (((FIRST, POOL), (SECOND, POOL), 0), "2^0 entries"), (((FIRST, POOL), (SECOND, POOL), 11), "2^11 entries"),
    ]:
        try:
            make(*arguments)
            check(False, text)
        except heddle.HeddleError as error:
            check(text in str(error), str(error))
    for memory, text in [
        (make((FIRST, POOL), (SECOND, POOL), 3), "the ring has 8 entries"), (make((FIRST, 4096), (SECOND, POOL), 6), "are needed"),
        (make((FIRST, POOL), (SECOND * 2, POOL), 4), "36 address bits"),
    ]:
        model.model_new(1)
        fails(heddle.Machine(Port(), memory).load(sample()), text)


def check_images():
    """Torn at every byte, and with a damaged bit: refused with nothing written."""
    machine, file = new_machine(1, 4), sample()
    for size in range(0, len(file), 5):
        fails(machine.load(file[:size]), "")
    for bit in range(0, 8 * len(file), 97):
        damaged = bytearray(file)
        damaged[bit // 8] ^= 1 << bit % 8
        fails(machine.load(bytes(damaged)), "")
    fails(machine.infer({"in": user(1)}), "no image is loaded")
    check(model.model_writes() == 0, "nothing was written")
    asyncio.run(machine.load(file))
    fails(machine.infer({}), "input in is missing")
    fails(machine.infer({"in": bytes(27)}), "27 bytes, expected 28")
    right(machine, 2, 3)


def changed(file, changes):
    """An image with other first words of jobs, (kind of list, index, word), and with checksums that fit."""
    file = bytearray(file)
    for kind, index, word in changes:
        record = next(at for at in range(64, len(file), 32) if struct.unpack_from("<I", file, at)[0] == kind)
        begin, size = struct.unpack_from("<QQ", file, record + 8)
        struct.pack_into("<I", file, begin + 64 * index, word)
        struct.pack_into("<I", file, record + 24, zlib.crc32(file[begin : begin + size]))
    return bytes(file)


def check_fences():
    (_, runs, end), fence = heddle_ring.LISTS, 5
    for changes in ([(end, 2, 0)], [(runs, 1, fence)], [(end, 2, 0), (runs, 1, fence)]):
        machine = new_machine(1, 4)
        fails(machine.load(changed(sample(), changes)), "their only FENCE")
        check(model.model_writes() == 0, "nothing was written")
        machine = new_machine(1)
        asyncio.run(machine.load(changed(sample(), changes)))
        right(machine, 2, 1)


def check_order():
    """A *begin* that writes what *end* reads is not put in front of it."""
    words = lambda kind, place, part: (kind, 0, 0, part << 16 | place, 1 << 16 | 1, 0, 0, 0, 0) + (0,) * 7
    for loads, stores, wanted in [([(2, 4, 0)], [(3, 8, 0)], True), ([(2, 7, 0)], [(3, 8, 0)], False), ([(2, 7, 1)], [(3, 8, 0)], True),
                                  ([(2, 1, 0), (2, 9, 0)], [(3, 20, 0), (3, 8, 0)], False), ([(2, 10, 0)], [(3, 8, 0)], True)]:
        jobs = {heddle_ring.LISTS[0]: [words(*own) for own in loads], heddle_ring.LISTS[2]: [words(*own) for own in stores]}
        net = type("Net", (), {"jobs": lambda self, kind: jobs[kind]})()
        check(heddle_ring.overlaps(net) == wanted, f"{loads} and {stores}")
    check([len(heddle_ring.order(4, holds)) for holds in (True, False)] == [12, 12], "three lists of each")
    check(heddle_ring.order(2, False)[3] == (heddle_ring.LISTS[0], 1), "one after another")


def check_ends(path):
    found = {}
    for line in pathlib.Path(path).read_text().splitlines():
        *numbers, given, wanted = line.split()
        operation, source_kind, made_kind, rows, length, stride, multiplier, shift, scale, zero = map(int, numbers)
        scale, zero = struct.unpack("<fi", struct.pack("<II", scale, zero))
        end = type("End", (), dict(operation=operation, rows=rows, length=length, stride=stride, multiplier=multiplier, shift=shift))
        source, made = (type("Tensor", (), dict(kind=kind, scale=scale, zero_point=zero)) for kind in (source_kind, made_kind))
        result = heddle_ends.compute(end, source, made, bytes.fromhex(given))
        check(result == bytes.fromhex(wanted), f"operation {operation}: {result.hex()}, expected {wanted}")
        found[operation] = found.get(operation, 0) + 1
    check(sorted(found) == [1, 2, 3, 4, 5] and min(found.values()) >= 20, f"cases {found}")


check_runs()
check_segments()
check_program_loads()
check_places()
check_faults()
check_memory()
check_images()
check_fences()
check_order()
check_ends(sys.argv[3])
print(f"{checks} checks")
