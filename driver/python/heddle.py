"""Runs images on a machine with a register port (docs/driver.md): through the job ring of its DMA, or over the window port.

    machine = heddle.Machine(port)                   # port: async read(offset), write(offset, *words) from there on, wait_irq()
    machine = heddle.Machine(port, heddle.Memory(ram, (0x1000, 0x8000), (0x9000, 0x1000)))  # where it has a DMA: through the ring
    await machine.load(pathlib.Path("net.hdi").read_bytes())
    outputs = await machine.infer({"input": bytes})  # bytes of the user's tensors, in the order of the network's file
    outputs = await machine.infer_all([inputs, ...]) # a ring has the next input come while a program runs

Needs heddle_regs.py of `heddle gen` beside it. Behind an error all calls give it until `reset` succeeds.
"""

import itertools
import struct

import heddle_image as image
import heddle_regs as regs
from heddle_net import HeddleError, Image, field, need
from heddle_ring import LISTS, Memory, Ring

__all__ = ["HeddleError", "Image", "Machine", "Memory"]
POLLS = 1 << 20  # no wait is without an end


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

    def __init__(self, port, memory=None):
        self.port, self.memory, self.ring, self.failed = port, memory, None, None
        self.image, self.regions, self.address, self.caps = None, {}, None, 0

    async def load(self, data):
        """Checks an image, then runs the jobs that run once."""
        self.need_sound()
        read, net = self.port.read, Image(data)
        need(await read(regs.ID) == regs.ID_VALUE_RESET, "no machine: wrong ID")
        need(field(await read(regs.VERSION), "VERSION_MAJOR", regs) == regs.VERSION_MAJOR_RESET, "other major version")
        need(await read(regs.CONFIG) == net.config, f"made for machine {net.config:#010x}")
        need(await read(regs.SHAPE) == net.shape, f"made for an array {net.shape:#x}")
        self.caps = await read(regs.CAPS)
        need(net.caps & ~self.caps == 0, "the machine lacks something")
        has_ring = self.memory is not None and bool(self.caps & regs.CAPS_DMA_MASK)
        ring = Ring(self.port, self.memory, POLLS) if has_ring else None
        # The window port does not set regions for programs.
        need(ring or not net.caps & regs.CAPS_PROGRAM_DMA_MASK, "programs of the image load or store: they need a ring")
        if ring:
            ring.check(net)
        self.image, self.ring = net, ring
        await self.reset()

    async def infer(self, inputs):
        """Outputs of the network, by name, of its inputs."""
        return (await self.infer_all([inputs]))[0]

    async def infer_all(self, inputs):
        """The same of several inferences; through a ring they overlap."""
        self.need_sound()
        need(self.image is not None, "no image is loaded")
        packed = [self.image.pack(own) for own in inputs]
        run = self.ring.infer if self.ring else self.walk
        return [self.image.unpack(region) for region in await self.guard(run(packed))] if packed else []

    async def reset(self):
        """Clears an error, and runs the jobs that run once again."""
        self.failed = None
        await self.guard(self.begin())

    async def counters(self, first, count):
        """`count` counters from register `first` on."""
        last = regs.JOBS if self.caps & regs.CAPS_DMA_MASK else regs.SLICE7_WRITES
        need(regs.STALL_SUMS <= first <= last - 4 * (count - 1) and first % 4 == 0, f"no {count} counters at {first:#x}")
        return [await self.port.read(first + 4 * at) for at in range(count)]

    def need_sound(self):
        if self.failed:
            raise self.failed

    async def guard(self, call):
        """Behind an error the machine is stopped, and only a reset goes on."""
        try:
            return await call
        except HeddleError as error:
            self.failed = error
            try:
                await self.stop()
            except HeddleError as still:
                self.failed = HeddleError(f"{error}; and the reset does not end: {still}")
            raise self.failed

    async def stop(self):
        """Nothing is under way behind it."""
        await self.port.write(regs.CTRL, regs.CTRL_RESET_MASK)
        has_dma = bool(self.caps & regs.CAPS_DMA_MASK)
        await self.low(regs.STATUS_RESETTING_MASK | (regs.STATUS_HUNG_MASK if has_dma else 0))
        events = regs.IRQ_STATUS_DONE_MASK | regs.IRQ_STATUS_ERROR_MASK | regs.IRQ_STATUS_BAD_ACCESS_MASK
        await self.port.write(regs.IRQ_ENABLE, 0)
        await self.port.write(regs.IRQ_STATUS, events | (regs.IRQ_STATUS_QUEUE_EMPTY_MASK if has_dma else 0))
        self.address = None

    async def begin(self):
        await self.stop()
        if self.image is None:
            return
        self.regions = {0: self.image.data, 3: bytearray(self.image.scratch_bytes)}
        if self.ring:
            await self.ring.windows(self.caps)
            await self.ring.begin(self.image)
        else:
            await self.jobs(image.IMAGE_KIND_ONCE)

    async def walk(self, inputs):
        """Regions 2 of inferences, of their regions 1, over the window port."""
        outputs = []
        for own in inputs:
            self.regions |= {1: own, 2: self.image.region(2)}
            for kind in LISTS:
                await self.jobs(kind)
            outputs.append(self.regions[2])
        need(not await self.port.read(regs.IRQ_STATUS) & regs.IRQ_STATUS_BAD_ACCESS_MASK, "an access was refused")
        return outputs

    async def jobs(self, kind):
        for words in self.image.jobs(kind):
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
