"""Jobs through the ring of a machine with a DMA (docs/driver.md): windows, the ring, and what is done."""

import struct

import heddle_image as image
import heddle_regs as regs
from heddle_net import HeddleError, field, need

JOB = image.JOB_SIZE
PAGE, LINE = 4096, 64
LISTS = image.IMAGE_KIND_BEGIN, image.IMAGE_KIND_RUNS, image.IMAGE_KIND_END
STATES = {
    image.ERROR_IS_BUS: "BUS: the bus refused a burst",
    image.ERROR_IS_WINDOW: "WINDOW: a burst went beyond the windows",
    image.ERROR_IS_DMA_LOCAL: "DMA_LOCAL: a job moves words beyond a memory of the machine",
    image.ERROR_IS_TIMEOUT: "TIMEOUT: the bus did not answer, or a run has taken more clocks than its limit",
    image.ERROR_IS_JOB: "JOB: the machine refused a job",
}


class Memory:
    """What the DMA may reach: `ram` has read(address, bytes) and write(address, data), as AxiRam of cocotbext-axi has.

    `read_only` and `read_write` are (address, bytes) of whole pages; the ring has 2^ring_log entries.
    """

    def __init__(self, ram, read_only, read_write, ring_log=6):
        self.ram, self.pools, self.entries = ram, (read_only, read_write), 1 << ring_log
        need(1 <= ring_log <= 10, f"the ring has 2^{ring_log} entries, expected 2^1 to 2^10")
        for begin, size in self.pools:
            need(size > 0 and begin % PAGE == 0 and size % PAGE == 0, f"pool {begin:#x} is not made of whole pages")
        need(read_only[0] + read_only[1] <= read_write[0] or read_write[0] + read_write[1] <= read_only[0], "the pools overlap")
        self.ring = read_only[0]

    def place(self, net, count):
        """Addresses of the image, of `count` inputs and outputs, and of the scratch."""
        places, ends = {}, [self.ring + JOB * self.entries, self.pools[1][0]]
        for name, pool, sizes in (
            ("image", 0, [len(net.data)]),
            ("inputs", 0, [len(net.region(1))] * count),
            ("scratch", 1, [net.scratch_bytes]),
            ("outputs", 1, [len(net.region(2))] * count),
        ):
            places[name] = []
            for size in sizes:
                places[name].append(ends[pool])
                ends[pool] += size + LINE - 1 & -LINE
        for (begin, size), end in zip(self.pools, ends):
            need(end <= begin + size, f"pool {begin:#x} has {size} bytes, {end - begin} are needed")
        return places


def order(count, overlaps):
    """(list, inference) in the order of the ring: the next input comes in front of the output."""
    begin, runs, end = LISTS
    if not overlaps:
        return [(kind, inference) for inference in range(count) for kind in LISTS]
    steps = [(begin, 0)]
    for inference in range(count):
        steps.append((runs, inference))
        steps += [(begin, inference + 1)] if inference + 1 < count else []
        steps.append((end, inference))
    return steps


def box(words):
    """First and last place, first and last partition of a transfer of the state buffer; None of any other job."""
    if field(words[0], "JOB_TYPE") not in (image.JOB_IS_LOAD, image.JOB_IS_STORE) or field(words[1], "TRANSFER_SPACE") != image.SPACE_BUFFER:
        return None
    place, part = field(words[3], "BUFFER_PLACE_INDEX"), field(words[3], "BUFFER_PLACE_PARTITION")
    turns = [(field(words[4], "LOOP_X_COUNT"), field(words[4], "LOOP_X_STEP"))]
    turns += [(field(words[at], "LOOP_OUTER_COUNT"), field(words[at], "LOOP_OUTER_STEP")) for at in (5, 7)]
    along = field(words[1], "TRANSFER_PARTITIONS")
    return (
        place,
        place + sum(count * step for count, step in turns),
        part,
        part + (turns[along - 1][0] if along else 0),
    )


def overlaps(net):
    """Whether no LOAD of *begin* may write what a STORE of *end* reads."""
    loads = [box(words) for words in net.jobs(LISTS[0])]
    stores = [box(words) for words in net.jobs(LISTS[2])]
    meets = lambda a, b: a and b and a[0] <= b[1] and b[0] <= a[1] and a[2] <= b[3] and b[2] <= a[3]
    return not any(meets(load, store) for load in loads for store in stores)


class Ring:
    """The ring of a machine whose memory is known."""

    def __init__(self, port, memory, polls):
        self.port, self.memory, self.polls = port, memory, polls
        self.tail = self.fences = 0

    def check(self, net):
        self.memory.place(net, 1)
        kinds = [field(words[0], "JOB_TYPE") for words in net.jobs(*LISTS)]
        need(2 * len(kinds) < self.memory.entries, f"two inferences have {2 * len(kinds)} jobs, the ring has {self.memory.entries} entries")
        fences = kinds.count(image.JOB_IS_FENCE)
        need(fences == 1 and kinds[-1] == image.JOB_IS_FENCE, "the jobs of an inference do not end with their only FENCE")

    async def windows(self, caps):
        """Behind a reset: each pool is a window, the others are closed; with LOCK they must be so already."""
        bits = field(caps, "CAPS_ADDRESS_BITS", regs)
        pages = [(begin // PAGE, (begin + size) // PAGE - 1) for begin, size in self.memory.pools]
        for _, last in pages:
            need((last * PAGE + PAGE - 1) >> bits == 0, f"page {last:#x} lies beyond {bits} address bits")
        if await self.port.read(regs.CTRL) & regs.CTRL_LOCK_MASK:
            await self.check_windows(pages)
            return
        permissions = [regs.WINDOW_CTRL_READ_MASK, regs.WINDOW_CTRL_READ_MASK | regs.WINDOW_CTRL_WRITE_MASK, 0, 0]
        for window, allowed in enumerate(permissions):
            at = window * (regs.WINDOW1_BASE - regs.WINDOW0_BASE)
            await self.port.write(regs.WINDOW0_CTRL + at, 0)
            if allowed:
                await self.port.write(regs.WINDOW0_BASE + at, *pages[window])
                await self.port.write(regs.WINDOW0_CTRL + at, allowed)

    async def check_windows(self, pages):
        found = [False, False]
        for window in range(4):
            at = window * (regs.WINDOW1_BASE - regs.WINDOW0_BASE)
            base, limit, allowed = [await self.port.read(own + at) for own in (regs.WINDOW0_BASE, regs.WINDOW0_LIMIT, regs.WINDOW0_CTRL)]
            reads, writes = allowed & regs.WINDOW_CTRL_READ_MASK, allowed & regs.WINDOW_CTRL_WRITE_MASK
            need(not writes or pages[0][1] < base or limit < pages[0][0], "the windows are locked, and one lets the DMA write the read-only pool")
            found[0] |= bool(reads) and base <= pages[0][0] and pages[0][1] <= limit
            found[1] |= bool(reads and writes) and base <= pages[1][0] and pages[1][1] <= limit
        need(all(found), "the windows are locked, and are not those of the pools")

    async def begin(self, net):
        """Behind a reset: the ring is empty and on; then the jobs that run once."""
        self.net, self.overlaps, self.places = net, overlaps(net), self.memory.place(net, 1)
        self.memory.ram.write(self.places["image"][0], net.data)
        self.tail = 0
        await self.address(regs.Q_BASE_LO, regs.Q_BASE_HI, self.memory.ring)
        await self.port.write(regs.Q_SIZE, self.memory.entries.bit_length() - 1 << regs.Q_SIZE_LOG_SHIFT)
        await self.address(regs.REGION0_LO, regs.REGION0_HI, self.places["image"][0])
        await self.address(regs.REGION3_LO, regs.REGION3_HI, self.places["scratch"][0])
        await self.port.write(regs.CTRL, regs.CTRL_QUEUE_MASK)
        await self.pass_through([(words, None) for words in net.jobs(image.IMAGE_KIND_ONCE)])

    async def address(self, low, high, address):
        await self.port.write(low, address & 0xFFFFFFFF)
        await self.port.write(high, address >> 32)

    async def infer(self, inputs):
        """Regions 2 of inferences, of their regions 1."""
        places = self.places = self.memory.place(self.net, len(inputs))
        for place, data in zip(places["inputs"], inputs):
            self.memory.ram.write(place, bytes(data))
        steps = order(len(inputs), self.overlaps)
        self.fences, wanted = await self.port.read(regs.Q_SEQ), len(inputs)
        await self.pass_through([(words, inference) for kind, inference in steps for words in self.net.jobs(kind)])
        passed = await self.port.read(regs.Q_SEQ) - self.fences & 0xFFFFFFFF
        need(passed == wanted, f"{passed} fences were passed, expected {wanted}")
        size = len(self.net.region(2))
        return [bytes(self.memory.ram.read(place, size)) for place in places["outputs"]]

    def entry(self, words, inference):
        """Bytes of a job: REGIONS gets its addresses."""
        words = list(words)
        if field(words[0], "JOB_TYPE") == image.JOB_IS_REGIONS:
            own = 0 if inference is None else inference
            places = self.places["image"][0], self.places["inputs"][own], self.places["outputs"][own], self.places["scratch"][0]
            for region, place in enumerate(places):
                if field(words[0], "JOB_REGIONS") >> region & 1:
                    words[1 + 2 * region], words[2 + 2 * region] = place & 0xFFFFFFFF, place >> 32
        return struct.pack("<16I", *words)

    async def fill(self, jobs):
        """Puts jobs into the ring until it is full; one entry stays free. Gives those that are left."""
        mask, first = self.memory.entries - 1, self.tail
        head = field(await self.port.read(regs.Q_HEAD), "Q_HEAD_INDEX", regs) & mask
        while jobs and self.tail + 1 & mask != head:
            self.memory.ram.write(self.memory.ring + JOB * self.tail, self.entry(*jobs[0]))
            self.tail, jobs = self.tail + 1 & mask, jobs[1:]
        if self.tail != first:
            await self.port.write(regs.Q_TAIL, self.tail)
        return jobs

    async def pass_through(self, jobs):
        """Waits until all jobs were taken and nothing of them is open."""
        events = regs.IRQ_STATUS_DONE_MASK | regs.IRQ_STATUS_ERROR_MASK | regs.IRQ_STATUS_QUEUE_EMPTY_MASK
        jobs, before, still = await self.fill(jobs), None, 0
        while still < self.polls:
            # Events are cleared first: what comes behind that is seen now, or raises the interrupt again.
            await self.port.write(regs.IRQ_STATUS, events & ~regs.IRQ_STATUS_ERROR_MASK)
            await self.port.write(regs.IRQ_ENABLE, events)
            status = await self.port.read(regs.STATUS)
            if status & regs.STATUS_ERROR_MASK:
                raise HeddleError(await self.error())
            if not jobs and status & regs.STATUS_QUEUE_EMPTY_MASK:
                await self.port.write(regs.IRQ_ENABLE, 0)
                need(not await self.port.read(regs.IRQ_STATUS) & regs.IRQ_STATUS_BAD_ACCESS_MASK, "an access was refused")
                return
            progress = await self.port.read(regs.LOAD_WORDS), await self.port.read(regs.JOBS), await self.port.read(regs.Q_SEQ)
            still, before = still + 1 if progress == before else 0, progress
            left = await self.fill(jobs)
            if len(left) == len(jobs):
                await self.port.wait_irq()
            jobs = left
        raise HeddleError("the job ring stands still")

    async def error(self):
        error, place = await self.port.read(regs.ERROR), await self.port.read(regs.ERROR_PC)
        address = await self.port.read(regs.ERROR_ADDR_LO) | await self.port.read(regs.ERROR_ADDR_HI) << 32
        name = STATES.get(field(error, "ERROR_CODE", regs), "see docs/isa.md")
        index, pc = field(place, "ERROR_PC_INDEX", regs), field(place, "ERROR_PC_PC", regs)
        return f"ERROR is {error:#x}, {name}; entry {index} of the ring, program word {pc}, address {address:#x}"
