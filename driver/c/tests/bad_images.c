/* Images that must be refused with nothing written. */
#include "bench.h"

typedef struct fault {
  const char *what;
  uint32_t kind, entry, byte, word; /* kind 0: header; 100 + kind: its record */
  heddle_status wanted;
  int with_wrong_crc;
} fault;

enum { RECORD = 100, FLOAT_INFINITE = 0x7F800000 };

static const fault FAULTS[] = {
    {"magic", 0, 0, 0, 0x4C444558, HEDDLE_E_MAGIC, 0},
    {"version", 0, 0, 16, 2, HEDDLE_E_FORMAT, 0},
    {"header, damaged", 0, 0, 40, 64, HEDDLE_E_HEADER_CRC, 1},
    {"header, checksum", 0, 0, 60, 0, HEDDLE_E_HEADER_CRC, 1},
    {"reserved bytes of the header", 0, 0, 56, 1, HEDDLE_E_HEADER, 0},
    {"scratch bytes", 0, 0, 44, 1, HEDDLE_E_HEADER, 0},
    {"work bytes", 0, 0, 52, 1, HEDDLE_E_HEADER, 0},
    {"file bytes, more than there are", 0, 0, 8, 1 << 20, HEDDLE_E_TORN, 0},
    {"file bytes, fewer", 0, 0, 8, 1024, HEDDLE_E_BYTES, 0},
    {"CONFIG", 0, 0, 20, CONFIG + 1, HEDDLE_E_CONFIG, 0},
    {"SHAPE", 0, 0, 24, 3 << 16 | 2, HEDDLE_E_SHAPE, 0},
    {"CAPS that the machine lacks", 0, 0, 28, 2 + 8, HEDDLE_E_CAPS, 0},
    {"CAPS that are none", 0, 0, 28, 16 + 8, HEDDLE_E_CAPS, 0},
    {"sections, more than the file has room for", 0, 0, 32, 0x10000000, HEDDLE_E_SECTION, 0},
    {"sections, one fewer", 0, 0, 32, 10, HEDDLE_E_SECTION, 0},
    {"ring entries, too many", 0, 0, 36, 1024, HEDDLE_E_RING, 0},
    {"ring entries, others than the lists have", 0, 0, 36, 13, HEDDLE_E_RING, 0},
    {"scratch that nobody gives", 0, 0, 40, 64, HEDDLE_E_NULL, 0},
    {"section, another kind", RECORD + PROGRAM, 0, 0, 77, HEDDLE_E_SECTION, 0},
    {"section, twice", RECORD + PROGRAM, 0, 0, BUFFER, HEDDLE_E_SECTION, 0},
    {"section, number of entries", RECORD + BUFFER, 0, 4, 31, HEDDLE_E_SECTION, 0},
    {"section, offset", RECORD + BUFFER, 0, 8, 448, HEDDLE_E_SECTION, 0},
    {"section, offset beyond the file", RECORD + BUFFER, 0, 12, 1, HEDDLE_E_SECTION, 0},
    {"section, bytes beyond the file", RECORD + TEXTS, 0, 16, 1 << 20, HEDDLE_E_SECTION, 0},
    {"section, bytes of 2^32", RECORD + TEXTS, 0, 20, 1, HEDDLE_E_SECTION, 0},
    {"section, reserved", RECORD + TEXTS, 0, 28, 1, HEDDLE_E_SECTION, 0},
    {"section, checksum", RECORD + PROGRAM, 0, 24, 1, HEDDLE_E_SECTION_CRC, 1},
    {"section, a damaged word", BUFFER, 3, 4, 1, HEDDLE_E_SECTION_CRC, 1},
    {"section, a damaged job", RUNS, 0, 8, 3, HEDDLE_E_SECTION_CRC, 1},
    {"byte between sections", PROGRAM, 4, 0, 1, HEDDLE_E_SECTION, 0},
    {"text without an end", TEXTS, 11, 0, 0x41414100, HEDDLE_E_TEXT, 0},
    {"number of texts", RECORD + TEXTS, 0, 4, 5, HEDDLE_E_TEXT, 0},
    {"tensor, name beyond the texts", TENSORS, 0, 0, 999, HEDDLE_E_TENSOR, 0},
    {"tensor, name within a text", TENSORS, 0, 0, 1, HEDDLE_E_TENSOR, 0},
    {"tensor, flags", TENSORS, 0, 4, 5, HEDDLE_E_TENSOR, 0},
    {"tensor, type", TENSORS, 0, 8, 4, HEDDLE_E_TENSOR, 0},
    {"tensor, region", TENSORS, 0, 12, 3, HEDDLE_E_TENSOR, 0},
    {"tensor, offset of 2^32", TENSORS, 0, 20, 1, HEDDLE_E_TENSOR, 0},
    {"tensor, place before that of the one before", TENSORS, 1, 16, 15, HEDDLE_E_TENSOR, 0},
    {"tensor, fewer bytes than its loops", TENSORS, 1, 24, 14, HEDDLE_E_TENSOR, 0},
    {"tensor, bytes of 2^32", TENSORS, 1, 28, 1, HEDDLE_E_TENSOR, 0},
    {"tensor, no scale", TENSORS, 2, 32, FLOAT_INFINITE, HEDDLE_E_TENSOR, 0},
    {"tensor, zero point", TENSORS, 2, 36, 128, HEDDLE_E_TENSOR, 0},
    {"tensor, zero point of int32", TENSORS, 3, 36, 1, HEDDLE_E_TENSOR, 0},
    {"tensor, padding", TENSORS, 2, 40, 256, HEDDLE_E_TENSOR, 0},
    {"tensor, rank 0", TENSORS, 2, 44, 0, HEDDLE_E_TENSOR, 0},
    {"tensor, rank 7", TENSORS, 2, 44, 7, HEDDLE_E_TENSOR, 0},
    {"tensor, extent 0", TENSORS, 2, 48, 0, HEDDLE_E_TENSOR, 0},
    {"tensor, extent of 2^31", TENSORS, 2, 48, 0x80000000, HEDDLE_E_TENSOR, 0},
    {"tensor, extent behind the rank", TENSORS, 2, 68, 1, HEDDLE_E_TENSOR, 0},
    {"tensor, no loop", TENSORS, 2, 72, 0, HEDDLE_E_TENSOR, 0},
    {"tensor, seven loops", TENSORS, 2, 72, 7, HEDDLE_E_TENSOR, 0},
    {"tensor, loop of no turn", TENSORS, 2, 76, 0, HEDDLE_E_TENSOR, 0},
    {"tensor, loop beyond its bytes", TENSORS, 2, 80, 2, HEDDLE_E_TENSOR, 0},
    {"tensor, loop beyond its elements", TENSORS, 2, 84, 2, HEDDLE_E_TENSOR, 0},
    {"tensor, loop behind the last", TENSORS, 2, 88, 1, HEDDLE_E_TENSOR, 0},
    {"tensor, too few elements", TENSORS, 2, 76, 31, HEDDLE_E_TENSOR, 0},
    {"tensor, begin beyond its elements", TENSORS, 1, 148, 8, HEDDLE_E_TENSOR, 0},
    {"tensor, reserved", TENSORS, 1, 156, 1, HEDDLE_E_TENSOR, 0},
    {"tensor, parts that are not alike", TENSORS, 1, 32, 0x3F800000, HEDDLE_E_TENSOR, 0},
    {"tensor, parts of another type", TENSORS, 1, 8, 1, HEDDLE_E_TENSOR, 0},
    {"tensor, beyond the work bytes", TENSORS, 3, 16, 36, HEDDLE_E_TENSOR, 0},
    {"end, operation", ENDS, 0, 0, 6, HEDDLE_E_END, 0},
    {"end, operation of other types", ENDS, 0, 0, 3, HEDDLE_E_END, 0},
    {"end, source", ENDS, 0, 4, 4, HEDDLE_E_END, 0},
    {"end, a second part", ENDS, 0, 4, 1, HEDDLE_E_END, 0},
    {"end, a source that nobody makes", ENDS, 0, 4, 0, HEDDLE_E_END, 0},
    {"end, destination in the outputs", ENDS, 0, 8, 2, HEDDLE_E_END, 0},
    {"end, rows", ENDS, 0, 12, 16, HEDDLE_E_END, 0},
    {"end, no row", ENDS, 0, 12, 0, HEDDLE_E_END, 0},
    {"end, length", ENDS, 0, 16, 5, HEDDLE_E_END, 0},
    {"end, stride 0", ENDS, 0, 20, 0, HEDDLE_E_END, 0},
    {"end, stride that is no part of the rows", ENDS, 0, 20, 3, HEDDLE_E_END, 0},
    {"end, multiplier", ENDS, 0, 24, 1, HEDDLE_E_END, 0},
    {"end, shift", ENDS, 0, 28, 1, HEDDLE_E_END, 0},
    {"end, reserved", ENDS, 0, 60, 1, HEDDLE_E_END, 0},
    {"end, no work bytes in front", TENSORS, 3, 16, 31, HEDDLE_E_END, 0},
    {"job, type", ONCE, 0, 0, 6, HEDDLE_E_JOB, 0},
    {"job, reserved bit of word 0", ONCE, 0, 0, 2 | 1 << 10, HEDDLE_E_JOB, 0},
    {"job, interrupt of a LOAD", ONCE, 0, 0, 2 | 1 << 8, HEDDLE_E_JOB, 0},
    {"job, keep of a LOAD", ONCE, 0, 0, 2 | 1 << 9, HEDDLE_E_JOB, 0},
    {"job, regions of a LOAD", ONCE, 0, 0, 2 | 1 << 20, HEDDLE_E_JOB, 0},
    {"job, word behind a LOAD", ONCE, 0, 36, 1, HEDDLE_E_JOB, 0},
    {"job, word 15", RUNS, 0, 60, 1, HEDDLE_E_JOB, 0},
    {"job, word behind a NOP", RUNS, 1, 4, 1, HEDDLE_E_JOB, 0},
    {"job, reserved bit of a start", RUNS, 0, 8, 1 << 16, HEDDLE_E_JOB, 0},
    {"job, space", ONCE, 0, 4, 5, HEDDLE_E_JOB, 0},
    {"job, reserved bit of the space", ONCE, 0, 4, 4 | 1 << 6, HEDDLE_E_JOB, 0},
    {"job, fill of another space", ONCE, 0, 4, 4 | 1 << 7, HEDDLE_E_JOB, 0},
    {"job, zero point of another space", ONCE, 0, 4, 4 | 1 << 16, HEDDLE_E_JOB, 0},
    {"job, loop of partitions of another space", ONCE, 0, 4, 4 | 1 << 8, HEDDLE_E_JOB, 0},
    {"job, offset", ONCE, 0, 8, 452, HEDDLE_E_JOB, 0},
    {"job, reserved bit of a place", ONCE, 0, 12, 1 << 15, HEDDLE_E_JOB, 0},
    {"job, place of a stream", ONCE, 8, 12, 1, HEDDLE_E_JOB, 0},
    {"job, reserved bit of loop X", ONCE, 0, 16, 1 << 13 | 3, HEDDLE_E_JOB, 0},
    {"job, reserved bit of loop Y", ONCE, 0, 20, 1u << 29, HEDDLE_E_JOB, 0},
    {"job, pitch of loop Y", ONCE, 1, 24, 36, HEDDLE_E_JOB, 0},
    {"job, pitch of loop Z", ONCE, 1, 32, 4, HEDDLE_E_JOB, 0},
    {"job, step of a stream", ONCE, 8, 16, 1 << 16 | 1, HEDDLE_E_JOB, 0},
    {"job, step of columns", ONCE, 5, 16, 2 << 16 | 1, HEDDLE_E_JOB, 0},
    {"job, third loop of columns", ONCE, 5, 28, 1, HEDDLE_E_JOB, 0},
    {"job, fill with an offset", ONCE, 3, 8, 8, HEDDLE_E_JOB, 0},
    {"job, fill with a pitch", ONCE, 3, 24, 8, HEDDLE_E_JOB, 0},
    {"job, fill with a region", ONCE, 3, 4, 1 << 7 | 3 << 8 | 1 << 4, HEDDLE_E_JOB, 0},
    {"job, fill with a zero point", ONCE, 3, 4, 1 << 7 | 3 << 8 | 1 << 16, HEDDLE_E_JOB, 0},
    {"job, STORE of another space", END_JOBS, 1, 4, 2 << 4 | 2, HEDDLE_E_JOB, 0},
    {"job, STORE of zeros", END_JOBS, 1, 4, 1 << 7, HEDDLE_E_JOB, 0},
    {"job, address of a region that is not set", BEGIN, 0, 4, 8, HEDDLE_E_JOB, 0},
    {"job, address of a region", BEGIN, 0, 12, 4, HEDDLE_E_JOB, 0},
    {"job, region 3 beside a program", BEGIN, 0, 0, 4 | 10 << 20, HEDDLE_E_JOB, 0},
    {"job, CONFIG", RUNS, 0, 4, CONFIG + 1, HEDDLE_E_JOB_CONFIG, 0},
    {"job, LOAD beyond the file", ONCE, 1, 32, 1 << 20, HEDDLE_E_JOB_MEMORY, 0},
    {"job, LOAD beyond the inputs", BEGIN, 1, 24, 24, HEDDLE_E_JOB_MEMORY, 0},
    {"job, STORE beyond the outputs", END_JOBS, 1, 8, 8, HEDDLE_E_JOB_MEMORY, 0},
    {"job, STORE into the file", END_JOBS, 1, 4, 2 << 8, HEDDLE_E_JOB_MEMORY, 0},
    {"job, LOAD beyond the scratch", ONCE, 1, 4, 3 << 8 | 3 << 4, HEDDLE_E_JOB_MEMORY, 0},
    {"job, more words than the machine has", ONCE, 3, 28, 0xFFFF, HEDDLE_E_JOB_PLACE, 0},
    {"job, word of a partition", ONCE, 1, 12, 21, HEDDLE_E_JOB_PLACE, 0},
    {"job, partition", ONCE, 1, 28, 2, HEDDLE_E_JOB_PLACE, 0},
    {"job, column", ONCE, 5, 16, 1 << 16 | 2, HEDDLE_E_JOB_PLACE, 0},
    {"job, column tile", ONCE, 5, 12, 1, HEDDLE_E_JOB_PLACE, 0},
    {"job, row", ONCE, 6, 12, 1 << 16, HEDDLE_E_JOB_PLACE, 0},
    {"job, entry of a row table", ONCE, 6, 12, 253, HEDDLE_E_JOB_PLACE, 0},
    {"job, entry of a table", ONCE, 7, 12, 2041, HEDDLE_E_JOB_PLACE, 0},
    {"job, program", ONCE, 0, 12, 29, HEDDLE_E_JOB_PLACE, 0},
    {"job, start", RUNS, 0, 8, 64, HEDDLE_E_JOB_PLACE, 0},
    {"job, region 1 before it is set", BEGIN, 0, 0, 4, HEDDLE_E_JOB_REGION, 0},
    {"job, region 2 before it is set", BEGIN, 1, 4, 2 << 4 | 2 << 8, HEDDLE_E_JOB_REGION, 0},
    {"job, region 1 in jobs that run once", ONCE, 1, 4, 1 << 4, HEDDLE_E_JOB_REGION, 0},
};

static void poke(const fault *own) {
  static const uint32_t each[KINDS] = {0, 8, 8, 8, 160, 64, 64, 64, 64, 64, 1, 8};
  uint8_t *at = image;
  if (own->kind >= RECORD) {
    at = section_of(image, own->kind - RECORD);
  } else if (own->kind > 0) {
    at = image + get32(section_of(image, own->kind) + 8) + own->entry * each[own->kind];
  }
  if (own->with_wrong_crc) seal(image);
  put32(at + own->byte, own->word);
  if (!own->with_wrong_crc) seal(image);
}

/* A load that must be refused with nothing written. */
static void refuse(uint32_t bytes, heddle_status wanted, const char *what) {
  uint32_t writes = machine.writes;
  expect(load_image(bytes), wanted, what);
  CHECK(machine.writes == writes, "%s: %u writes", what, machine.writes - writes);
}

/* A section twice beside all others, and operations that read what nobody has made. */
static void check_order(void) {
  builder own = sample();
  own.with_unknown = 1;
  uint32_t bytes = build(&own, image);
  put32(section_of(image, 99), PROGRAM);
  put32(image + 64 + 32 * 11 + 24, crc_of((const uint8_t *)"\0\0\0\0\0\0\0", 8));
  put32(image + 60, crc_of(image, 60));
  refuse(bytes, HEDDLE_E_SECTION, "program, twice");
  own = sample();
  tensor shares = {"shares", 0, 0, 4, 64, 32, 0, 0, 0, 1, {32}, 1, {{32, 1, 1}}, 0};
  tensor place = {"place", 2, 2, 4, 96, 32, 0, 0, 0, 1, {8}, 1, {{8, 4, 1}}, 0};
  uint32_t softmax[8] = {3, 2, 4, 4, 8, 1, 1 << 30, 20}, largest[8] = {4, 4, 5, 8, 4, 8, 0, 0};
  add_tensor(&own, &shares);
  add_tensor(&own, &place);
  own.work = 128;
  builder other = own;
  add_end(&own, softmax);
  add_end(&own, largest);
  expect(load_image(build(&own, image)), HEDDLE_OK, "shares, then their largest");
  /* The elements of a row are alike, so are their shares; the rows grow. */
  int8_t out[32];
  int32_t best[8], first[8];
  uint8_t work[128];
  void *tensors[] = {out, best, first};
  for (uint32_t at = 0; at < 32; at++) output[at] = (uint8_t)(at / 8 * 9);
  expect(heddle_unpack(&net, output, tensors, 3, work), HEDDLE_OK, "unpack");
  for (uint32_t at = 0; at < 8; at++) {
    CHECK(best[at] == 3 && first[at] == 0, "largest of column %u", at);
  }
  add_end(&other, largest);
  add_end(&other, softmax);
  refuse(build(&other, image), HEDDLE_E_END, "the largest, then shares");
  own = sample();
  add_tensor(&own, &place);
  own.work = 128;
  refuse(build(&own, image), HEDDLE_E_TENSOR, "an output that no end makes");
  tensor real = {"real", 1, 3, 4, 64, 0, 0, 0, 0, 1, {8}, 1, {{8, 4, 1}}, 0};
  own = sample();
  add_tensor(&own, &real);
  expect(load_image(build(&own, image)), HEDDLE_OK, "an input that lies with the user");
  real.bytes = 32;
  own = sample();
  own.work = 128;
  add_tensor(&own, &real);
  refuse(build(&own, image), HEDDLE_E_TENSOR, "an input with work bytes of its own");
}

void check_bad_images(void) {
  new_machine();
  expect(open_driver(), HEDDLE_OK, "open");
  uint32_t bytes = bytes_of_sample();
  for (size_t at = 0; at < sizeof FAULTS / sizeof *FAULTS; at++) {
    bytes = bytes_of_sample();
    poke(&FAULTS[at]);
    refuse(bytes, FAULTS[at].wanted, FAULTS[at].what);
  }
  CHECK(sizeof FAULTS / sizeof *FAULTS > 120, "the list is long");
  /* Torn at every byte, a longer file, nothing at all. */
  for (uint32_t length = 0; length < bytes; length++) {
    bytes_of_sample();
    refuse(length, HEDDLE_E_TORN, "torn");
  }
  refuse(bytes + 64, HEDDLE_E_BYTES, "behind the end of the image");
  memset(image, 0, IMAGE_BYTES);
  refuse(bytes, HEDDLE_E_MAGIC, "zeros");
  /* A fill that would take days. */
  bytes_of_sample();
  uint8_t *fill = image + get32(section_of(image, ONCE) + 8) + 4 * 64;
  put32(fill + 16, 255);
  put32(fill + 20, 0xFFFF);
  put32(fill + 28, 1);
  seal(image);
  refuse(bytes, HEDDLE_E_JOB_MEMORY, "more words than an image can have");
  /* A damaged bit anywhere. */
  for (uint32_t bit = 0; bit < 8 * bytes; bit += 7) {
    uint32_t writes = machine.writes;
    (void)bytes_of_sample();
    image[bit / 8] ^= (uint8_t)(1u << bit % 8);
    CHECK(load_image(bytes) > HEDDLE_BUSY && machine.writes == writes, "bit %u", bit);
  }
  check_order();
  /* A machine without the cluster; jobs for it that the header does not tell of. */
  new_machine();
  machine.caps &= ~8u;
  expect(open_driver(), HEDDLE_OK, "open");
  bytes = bytes_of_sample();
  refuse(bytes, HEDDLE_E_CAPS, "image for a cluster");
  put32(image + 28, 0);
  seal(image);
  refuse(bytes, HEDDLE_E_JOB_PLACE, "job for a cluster");
}

/* Images with a random word: refused with nothing written, or run within their buffers (the
 * sanitizers see). */
void check_random(unsigned count) {
  uint32_t seed = 7, accepted = 0, refused = 0;
  for (unsigned turn = 0; turn < count; turn++) {
    uint32_t bytes = bytes_of_sample();
    for (int change = 0; change < 2; change++) {
      seed = seed * 1664525u + 1013904223u;
      uint32_t at = 64 + (seed >> 8) % (bytes - 64), kind = seed % 3;
      seed = seed * 1664525u + 1013904223u;
      image[at] = (uint8_t)(kind == 0 ? seed >> 16 : image[at] ^ 1u << (seed >> 16) % 8);
    }
    seal(image);
    new_machine();
    expect(open_driver(), HEDDLE_OK, "open");
    uint32_t writes = machine.writes;
    if (heddle_load(&driver, &net, image, bytes, NULL) != HEDDLE_OK) {
      refused += machine.writes == writes;
      continue;
    }
    if (net.input_bytes > ROOM - IMAGE_BYTES || net.output_bytes > ROOM || net.work_bytes > ROOM) continue;
    heddle_tensor_info info;
    uint32_t inputs = 0, outputs = 0;
    void *user[8], *results[8];
    const void *given[8];
    for (; heddle_tensor(&net, HEDDLE_INPUT, inputs, &info) == HEDDLE_OK; inputs++)
      given[inputs] = user[inputs] = calloc(1, info.bytes);
    for (; heddle_tensor(&net, HEDDLE_OUTPUT, outputs, &info) == HEDDLE_OK; outputs++)
      results[outputs] = calloc(1, info.bytes);
    uint8_t *work = malloc(net.work_bytes + 1), *in = read_only + ROOM - net.input_bytes,
            *out = read_write + POOL - net.output_bytes;
    memset(work, 0, net.work_bytes + 1);
    const void *ins[] = {in};
    void *outs[] = {out};
    expect(heddle_pack(&net, given, inputs, in, work), HEDDLE_OK, "pack");
    expect(heddle_submit(&driver, &net, ins, outs, 1), HEDDLE_OK, "submit");
    heddle_status status = heddle_wait(&driver, LIMIT);
    CHECK(status == HEDDLE_OK || status == HEDDLE_E_RUN_LIMIT, "turn %u: %s", turn,
          heddle_error_text(status));
    expect(heddle_unpack(&net, out, results, outputs, work), HEDDLE_OK, "unpack");
    while (inputs > 0) free(user[--inputs]);
    while (outputs > 0) free(results[--outputs]);
    free(work);
    accepted++;
  }
  CHECK(accepted > count / 20 && refused > count / 4, "%u accepted, %u refused", accepted, refused);
}
