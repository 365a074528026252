"""Image files (docs/image.md): sections, tensors, and the buffers of an inference."""

import itertools
import struct
import zlib

import heddle_ends
import heddle_image as image


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
        self.rest = bytearray(data[size + get("SECTIONS") * image.IMAGE_SECTION_SIZE :])
        self.shape, self.scratch_bytes = get("SHAPE"), get("SCRATCH_BYTES", "Q")
        for index in range(get("SECTIONS")):
            self.add_section(data, size + index * image.IMAGE_SECTION_SIZE)
        need(not any(self.rest), "bytes between sections are not 0")
        known = [kind for kind, each in enumerate(image.IMAGE_ENTRY_BYTES) if each]
        need(sorted(self.sections) == known, f"has sections {sorted(self.sections)}, expected {known}")
        self.tensors = [Tensor(entry, self) for entry in self.entries(image.IMAGE_KIND_TENSORS)]
        self.ends = [End(entry) for entry in self.entries(image.IMAGE_KIND_ENDS)]
        for end in self.ends:
            need(end.operation in range(1, 6), f"unknown operation {end.operation}")
            need(max(end.source, end.made) < len(self.tensors), "an operation of no tensor")

    def add_section(self, data, at):
        get = lambda name, kind="I": number(data, at + getattr(image, f"IMAGE_SECTION_{name}"), kind)
        begin, length = get("OFFSET", "Q"), get("BYTES", "Q")
        part, first = data[begin : begin + length], len(data) - len(self.rest)
        need(begin >= first and get("ZEROS") == 0, "a section does not lie where it must")
        self.rest[begin - first : begin - first + len(part)] = bytes(len(part))
        if get("KIND") >= image.IMAGE_KINDS:
            return
        each = image.IMAGE_ENTRY_BYTES[get("KIND")]
        need(get("KIND") not in self.sections, f"section {get('KIND')} is there twice")
        need(len(part) == length and zlib.crc32(part) == get("CRC"), f"damaged section {get('KIND')}")
        entries = length // each if each > 1 else part.count(0)
        need(get("ENTRIES") == entries, f"section {get('KIND')} has {entries} entries, not {get('ENTRIES')}")
        self.sections[get("KIND")] = [part[i : i + each] for i in range(0, length, each)] if each > 1 else part

    def entries(self, kind):
        return self.sections.get(kind, ())

    def jobs(self, *kinds):
        """Words of the jobs of some lists."""
        return [struct.unpack("<16I", entry) for kind in kinds for entry in self.entries(kind)]

    def region(self, number):
        """An empty region, as large as its tensors."""
        ends = [own.offset + own.bytes for own in self.tensors if own.region == number]
        return bytearray(max(ends, default=0) + 7 & ~7)

    def parts(self, index):
        """All entries of a tensor."""
        own = self.tensors[index]
        return [part for part in self.tensors if (part.name, part.region) == (own.name, own.region)]

    def firsts(self, holds):
        """(index, first entry) of the tensors for which something holds."""
        for index, own in enumerate(self.tensors):
            if holds(own) and self.parts(index)[0] is own:
                yield index, own

    def made(self, values, of_inputs):
        """Adds what ends make to the bytes of tensors, by index."""
        for end in self.ends:
            source, made = self.tensors[end.source], self.tensors[end.made]
            if (made.region == 1) == of_inputs:
                values[end.made] = heddle_ends.compute(end, source, made, values[end.source])
        return values

    def pack(self, inputs):
        """Region 1 of an inference, of the bytes of the user's tensors by name."""
        region, values = self.region(1), {}
        for index, own in self.firsts(lambda own: own.is_input):
            need(own.name in inputs, f"input {own.name} is missing")
            need(len(inputs[own.name]) == own.total, f"{own.name} has {len(inputs[own.name])} bytes, expected {own.total}")
            values[index] = inputs[own.name]
        for index, user in self.made(values, True).items():
            for part in self.parts(index):
                if part.region == 1:
                    part.pack(user, region)
        return region

    def unpack(self, region):
        """Outputs of the network by name, of region 2."""
        values = {}
        for index, own in self.firsts(lambda own: own.region == 2):
            values[index] = bytearray(own.total)
            for part in self.parts(index):
                part.unpack(region, values[index])
        self.made(values, False)
        return {own.name: bytes(values[index]) for index, own in self.firsts(lambda own: own.is_output)}


class End:
    """An operation of the host."""

    def __init__(self, entry):
        get = lambda name: number(entry, getattr(image, f"IMAGE_END_{name}"))
        self.operation, self.source, self.made = get("OPERATION"), get("SOURCE"), get("DESTINATION")
        self.rows, self.length, self.stride = get("ROWS"), get("LENGTH"), get("STRIDE")
        self.multiplier, self.shift = get("MULTIPLIER"), get("SHIFT")


class Tensor:
    """An entry: a part of a tensor of the user."""

    def __init__(self, entry, net):
        get = lambda name, kind="I": number(entry, getattr(image, f"IMAGE_TENSOR_{name}"), kind)
        texts = net.entries(image.IMAGE_KIND_STRINGS)
        self.name = texts[get("NAME") : texts.index(0, get("NAME"))].decode()
        self.region, self.padding, self.first = get("REGION"), get("PADDING"), get("FIRST")
        self.is_input, self.is_output = bool(get("FLAGS") & 1), bool(get("FLAGS") & 2)
        self.offset, self.bytes = get("OFFSET", "Q"), get("BYTES", "Q")
        self.kind, self.scale, self.zero_point = get("TYPE"), get("SCALE", "f"), get("ZERO_POINT", "i")
        self.size = 4 if self.kind in (image.IMAGE_TYPE_INT32, image.IMAGE_TYPE_FLOAT32) else 1
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
        region[self.offset : self.offset + self.bytes] = bytes([self.padding]) * self.bytes
        for to, at in self.places():
            region[to : to + self.size] = user[at : at + self.size]

    def unpack(self, region, user):
        for at, to in self.places():
            user[to : to + self.size] = region[at : at + self.size]
