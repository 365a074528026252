"""Runs images on a machine with a register port (docs/image.md, docs/registers.md): the jobs of an image, walked over the window port.

    machine = heddle.Machine(port)                  # port: async read(offset), write(offset, *words) from there on, wait_irq()
    await machine.load(pathlib.Path("net.hdi").read_bytes())
    outputs = await machine.infer({"input": bytes})  # bytes of the user's tensors, in the order of the network's file

Needs heddle_regs.py of `heddle gen` beside it. Images whose host computes something (section `ends`) are for the driver in C.
"""

import itertools
import struct
import zlib

import heddle_image as image
import heddle_regs as regs

POLLS = 1 << 20  # no wait is without an end


class HeddleError(Exception):
    """What is wrong with an image or a machine."""


def need(holds, text):
    if not holds:
        raise HeddleError(text)


def field(word, name, of=image):
    return (word & getattr(of, name + "_MASK")) >> getattr(of, name + "_SHIFT")


def number(data, at, kind="I"):
    return struct.unpack_from("<" + kind, data, at)[0]


class Image:
    """The sections of a file, which is checked."""

    def __init__(self, data):
        get = lambda name, kind="I": number(data, getattr(image, f"IMAGE_HEADER_{name}"), kind)
        size = image.IMAGE_HEADER_SIZE
        need(len(data) > size and data[:8] == image.IMAGE_MAGIC.encode(), "no image")
        need(get("CRC") == zlib.crc32(data[: image.IMAGE_HEADER_CRC]), "damaged header")
        need(get("VERSION") == image.IMAGE_FORMAT, f"version {get('VERSION')}, expected {image.IMAGE_FORMAT}")
        need(get("FILE_BYTES", "Q") == len(data), f"{len(data)} bytes, expected {get('FILE_BYTES', 'Q')}")
        self.data, self.config, self.caps, self.sections = data, get("CONFIG"), get("CAPS"), {}
        for index in range(get("SECTIONS")):
            self.add_section(data, size + index * image.IMAGE_SECTION_SIZE)
        need(not self.entries(image.IMAGE_KIND_ENDS), "has layers of the host: use the driver in C")
        self.tensors = [Tensor(entry, self) for entry in self.entries(image.IMAGE_KIND_TENSORS)]

    def add_section(self, data, at):
        get = lambda name, kind="I": number(data, at + getattr(image, f"IMAGE_SECTION_{name}"), kind)
        if get("KIND") >= image.IMAGE_KINDS:
            return
        begin, length, each = get("OFFSET", "Q"), get("BYTES", "Q"), image.IMAGE_ENTRY_BYTES[get("KIND")]
        part = data[begin : begin + length]
        need(len(part) == length and zlib.crc32(part) == get("CRC"), f"damaged section {get('KIND')}")
        self.sections[get("KIND")] = [part[i : i + each] for i in range(0, length, each)] if each > 1 else part

    def entries(self, kind):
        return self.sections.get(kind, ())

    def region(self, number):
        """An empty region, as large as its tensors."""
        ends = [own.offset + own.bytes for own in self.tensors if own.region == number]
        return bytearray(max(ends, default=0) + 7 & ~7)


class Tensor:
    """An entry: a part of a tensor of the user."""

    def __init__(self, entry, net):
        get = lambda name, kind="I": number(entry, getattr(image, f"IMAGE_TENSOR_{name}"), kind)
        texts = net.entries(image.IMAGE_KIND_STRINGS)
        self.name = texts[get("NAME") : texts.index(0, get("NAME"))].decode()
        self.region, self.padding, self.first = get("REGION"), get("PADDING"), get("FIRST")
        self.offset, self.bytes = get("OFFSET", "Q"), get("BYTES", "Q")
        self.size = 4 if get("TYPE") in (image.IMAGE_TYPE_INT32, image.IMAGE_TYPE_FLOAT32) else 1
        walks = struct.iter_unpack("<3I", entry[image.IMAGE_TENSOR_WALKS : image.IMAGE_TENSOR_FIRST])
        self.walks = list(itertools.islice(walks, get("LOOPS")))
        self.total = self.size
        for extent in struct.unpack_from(f"<{get('RANK')}I", entry, image.IMAGE_TENSOR_EXTENTS):
            self.total *= extent

    def places(self):
        """(in the region, in the user's tensor) of each element, in bytes."""
        for turns in itertools.product(*(range(walk[0]) for walk in self.walks)):
            memory = sum(turn * walk[1] for turn, walk in zip(turns, self.walks))
            user = self.first + sum(turn * walk[2] for turn, walk in zip(turns, self.walks))
            yield self.offset + memory, user * self.size

    def pack(self, user, region):
        need(len(user) == self.total, f"{self.name} has {len(user)} bytes, expected {self.total}")
        region[self.offset : self.offset + self.bytes] = bytes([self.padding]) * self.bytes
        for to, at in self.places():
            region[to : to + self.size] = user[at : at + self.size]

    def unpack(self, region, user):
        for at, to in self.places():
            user[to : to + self.size] = region[at : at + self.size]


class Transfer:
    """A LOAD or STORE: (address of the window port, byte of memory) of each of its places."""

    PLACES = {  # names of the window and of the fields of word 3: place, and partition, row or column
        image.SPACE_BUFFER: ("WINDOW_BUFFER", "BUFFER_PLACE_INDEX", "BUFFER_PLACE_PARTITION"),
        image.SPACE_COLUMNS: ("WINDOW_COLUMNS", "COLUMN_PLACE_TILE", "COLUMN_PLACE_COLUMN"),
        image.SPACE_ROWS: ("WINDOW_ROWS", "ROW_PLACE_ENTRY", "ROW_PLACE_ROW"),
        image.SPACE_TABLES: ("WINDOW_TABLES", "TABLE_PLACE_ENTRY", None),
        image.SPACE_PROGRAM: ("WINDOW_PROGRAM", "PROGRAM_PLACE_PAIR", None),
        image.SPACE_WEIGHTS: ("WINDOW_WEIGHTS", None, None),
        image.SPACE_COMMANDS: ("WINDOW_COMMANDS", None, None),
    }

    def __init__(self, words):
        self.space, self.region = field(words[1], "TRANSFER_SPACE"), field(words[1], "TRANSFER_REGION")
        self.fill, self.zero = field(words[1], "TRANSFER_FILL"), field(words[1], "TRANSFER_ZERO")
        need(self.space in self.PLACES, f"unknown space {self.space}")
        self.offset, self.place = words[2], words[3]
        self.counts = [field(words[4], "LOOP_X_COUNT"), *(field(words[at], "LOOP_OUTER_COUNT") for at in (5, 7))]
        self.steps = [field(words[4], "LOOP_X_STEP"), *(field(words[at], "LOOP_OUTER_STEP") for at in (5, 7))]
        self.pitches = [8, words[6], words[8]]
        self.across = [loop + 1 == field(words[1], "TRANSFER_PARTITIONS") for loop in range(3)]
        if self.space == image.SPACE_COLUMNS:  # X walks columns
            self.steps[0], self.across[0], self.pitches[0] = 0, True, 16

    def walk(self, in_banks):
        window, *names = self.PLACES[self.space]
        base, *steps = getattr(image, "WINDOW_PAIRS" if in_banks and self.space == image.SPACE_PROGRAM else window)
        base += sum(field(self.place, name) * step for name, step in zip(names, steps) if name)
        for z, y, x in itertools.product(*(range(count + 1) for count in reversed(self.counts))):
            place = sum(turn * step for turn, step in zip((x, y, z), self.steps))
            across = sum(turn for turn, goes in zip((x, y, z), self.across) if goes)
            memory = self.offset + sum(turn * pitch for turn, pitch in zip((x, y, z), self.pitches))
            yield base + place * steps[0] + across * steps[1], memory


class Machine:
    """A machine behind its registers."""

    def __init__(self, port):
        self.port, self.image, self.regions, self.address, self.caps = port, None, {}, None, 0

    async def load(self, data):
        """Checks an image, then runs the jobs that run once."""
        read, net = self.port.read, Image(data)
        need(await read(regs.ID) == regs.ID_VALUE_RESET, "no machine: wrong ID")
        need(field(await read(regs.VERSION), "VERSION_MAJOR", regs) == regs.VERSION_MAJOR_RESET, "other major version")
        need(await read(regs.CONFIG) == net.config, f"made for machine {net.config:#010x}")
        self.caps = await read(regs.CAPS)
        need(net.caps & ~self.caps == 0, "the machine lacks something")
        await self.port.write(regs.CTRL, regs.CTRL_RESET_MASK)
        await self.low(regs.STATUS_RESETTING_MASK)
        await self.port.write(regs.IRQ_STATUS, regs.IRQ_STATUS_DONE_MASK | regs.IRQ_STATUS_ERROR_MASK | regs.IRQ_STATUS_BAD_ACCESS_MASK)
        self.image, self.address = net, None
        self.regions = {0: data, 1: net.region(1), 2: net.region(2)}
        await self.jobs(image.IMAGE_KIND_ONCE)

    async def infer(self, inputs):
        """Outputs of the network, by name, of its inputs."""
        outputs = {own.name: bytearray(own.total) for own in self.image.tensors if own.region == 2}
        for own in self.image.tensors:
            if own.region == 1:
                own.pack(inputs[own.name], self.regions[1])
        for kind in (image.IMAGE_KIND_BEGIN, image.IMAGE_KIND_RUNS, image.IMAGE_KIND_END):
            await self.jobs(kind)
        for own in self.image.tensors:
            if own.region == 2:
                own.unpack(self.regions[2], outputs[own.name])
        need(not await self.port.read(regs.IRQ_STATUS) & regs.IRQ_STATUS_BAD_ACCESS_MASK, "an access was refused")
        return outputs

    async def jobs(self, kind):
        for entry in self.image.entries(kind):
            words = struct.unpack("<16I", entry)
            kind = field(words[0], "JOB_TYPE")
            if kind == image.JOB_IS_RUN:
                await self.run(field(words[2], "JOB_START_PC"))
            elif kind == image.JOB_IS_LOAD:
                await self.load_words(Transfer(words))
            elif kind == image.JOB_IS_STORE:
                await self.store_words(Transfer(words))
            else:  # regions are fixed, and nothing is under way behind a job
                need(kind in (image.JOB_IS_NOP, image.JOB_IS_REGIONS, image.JOB_IS_FENCE), f"unknown job {kind}")

    async def run(self, pc):
        await self.low(regs.STATUS_CLUSTER_BUSY_MASK)
        await self.port.write(regs.START_PC, pc)
        events = regs.IRQ_STATUS_DONE_MASK | regs.IRQ_STATUS_ERROR_MASK
        await self.port.write(regs.IRQ_STATUS, events)
        await self.port.write(regs.IRQ_ENABLE, events)
        await self.port.write(regs.CTRL, regs.CTRL_START_MASK)
        await self.port.wait_irq()
        await self.port.write(regs.IRQ_ENABLE, 0)
        status = await self.low(regs.STATUS_RUNNING_MASK)
        if status & regs.STATUS_ERROR_MASK:
            code, place = await self.port.read(regs.ERROR), await self.port.read(regs.ERROR_PC)
            raise HeddleError(f"ERROR is {code:#x} at word {place}, see docs/isa.md")
        need(status & regs.STATUS_DONE_MASK, f"STATUS is {status:#x}")

    async def load_words(self, own):
        in_banks = bool(self.caps & regs.CAPS_PROGRAM_BANKS_MASK)
        has_two = own.space == image.SPACE_COLUMNS or (own.space == image.SPACE_PROGRAM and not in_banks)
        await self.port.write(regs.HOST_ZERO, own.zero)
        for address, memory in own.walk(in_banks):
            low, high = (0, 0) if own.fill else struct.unpack_from("<2I", self.regions[own.region], memory)
            if not has_two:
                await self.put(address, low, high)
                continue
            pairs = (low, 0, high, 0) if own.space == image.SPACE_PROGRAM else (low, high, *struct.unpack_from("<2I", self.regions[own.region], memory + 8))
            await self.put(address, *pairs[:2])
            await self.put(address + image.WINDOW_SECOND, *pairs[2:])
        await self.low(regs.STATUS_PORT_BUSY_MASK)

    async def store_words(self, own):
        await self.port.write(regs.HOST_ZERO, own.zero)
        for address, memory in own.walk(False):
            await self.seek(address)
            await self.port.write(regs.PORT_CTRL, regs.PORT_CTRL_READ_MASK)
            await self.low(regs.STATUS_PORT_BUSY_MASK)
            word = await self.port.read(regs.PORT_RLO), await self.port.read(regs.PORT_RHI)
            struct.pack_into("<2I", self.regions[own.region], memory, *word)

    async def put(self, address, low, high):
        await self.seek(address)
        await self.port.write(regs.PORT_WLO, low, high)

    async def seek(self, address):
        """The machine goes on to the next word by itself."""
        await self.low(regs.STATUS_PORT_BUSY_MASK)
        if self.address != address:
            await self.port.write(regs.PORT_ADDR, address)
        self.address = address + 8

    async def low(self, bits):
        """Waits until bits of STATUS are low, and gives it."""
        for _ in range(POLLS):
            status = await self.port.read(regs.STATUS)
            if not status & bits:
                return status
        raise HeddleError(f"STATUS is {status:#x} for ever")
