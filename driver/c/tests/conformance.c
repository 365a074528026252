/* The conformance list: what a driver must do with a machine, with images, and with everything that is wrong.
 *
 * Usage: conformance VECTORS    (written by vectors.py)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../heddle.h"
#include "device.h"
#include "image.h"

enum { POOL = 8 * HEDDLE_PAGE, INPUT = 64, OUTPUT = 64, LIMIT = 1000000, ADDED = 0x17 };

static uint8_t *read_only, *read_write;
static heddle_pool pools[2];
static uint8_t *image, *input, *output, *scratch;
static device machine;
static heddle driver;
static heddle_net net;
static int seen[HEDDLE_STATUSES];
static unsigned checks;

#define CHECK(holds, ...) \
  do { \
    checks++; \
    if (!(holds)) { \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #holds); \
      fprintf(stderr, __VA_ARGS__); \
      fprintf(stderr, "\n"); \
      exit(1); \
    } \
  } while (0)

static void expect(heddle_status found, heddle_status wanted, const char *what) {
  seen[found] = 1;
  CHECK(found == wanted, "%s: is \"%s\", expected \"%s\"", what, heddle_error_text(found), heddle_error_text(wanted));
}

static heddle_platform platform(void) {
  heddle_platform hooks = {0};
  hooks.context = &machine;
  hooks.read32 = device_read;
  hooks.write32 = device_write;
  hooks.now = device_now;
  return hooks;
}

static heddle_status open_driver(void) {
  heddle_platform hooks = platform();
  return heddle_open(&driver, &hooks, &pools[0], &pools[1]);
}

/* The sample: every space, loops in all directions, tensors in parts, an operation behind the run. */

static uint32_t word_of(uint32_t number, uint32_t half) { return number * 0x01030507u + half * 0x11111111u + 0x20u; }

static uint32_t place(uint32_t at, uint32_t part) { return part << 16 | at; }

static uint32_t turns(uint32_t count, uint32_t step) { return step << 16 | (count - 1); }

static void load(builder *own, int list, uint32_t access, uint32_t offset, uint32_t first, uint32_t x, uint32_t y,
                 uint32_t pitch_y, uint32_t z, uint32_t pitch_z) {
  uint32_t words[9] = {2, access, offset, first, x, y, pitch_y, z, pitch_z};
  add_job(own, list, words);
}

static builder sample(void) {
  builder own;
  memset(&own, 0, sizeof own);
  for (uint32_t at = 0; at < 4; at++) add_word(&own, PROGRAM, word_of(at, 0), word_of(at, 1));
  own.content[PROGRAM][8] = ADDED; /* word 2, where the run begins */
  for (uint32_t at = 0; at < 32; at++) add_word(&own, BUFFER, word_of(at, 2), word_of(at, 3));
  for (uint32_t at = 0; at < 32; at++) add_word(&own, PARAMETERS, word_of(at, 4), word_of(at, 5));
  for (uint32_t at = 0; at < 5; at++) add_word(&own, CLUSTER, word_of(at, 6), word_of(at, 7));
  uint32_t words = offset_of(&own, BUFFER), tables = offset_of(&own, PARAMETERS), once = turns(1, 0);
  load(&own, ONCE, 4, offset_of(&own, PROGRAM), 1 - 1, turns(4, 1), once, 0, once, 0);
  /* Words 12 to 15 and 20 to 23 of both partitions. */
  load(&own, ONCE, 3 << 8, words, place(12, 0), turns(4, 1), turns(2, 8), 32, turns(2, 0), 64);
  /* Words 16 and 18 of both partitions in one loop of rows, from memory with gaps; zero point 5. */
  load(&own, ONCE, 2 << 8 | 5 << 16, words + 128, place(16, 0), turns(1, 0), turns(2, 2), 24, once, 0);
  /* Zeros in words 24, 26, 28, 30 of both partitions, then in 25 and 27 of the second. */
  load(&own, ONCE, 1 << 7 | 3 << 8, 0, place(24, 0), turns(2, 2), turns(2, 4), 0, turns(2, 0), 0);
  load(&own, ONCE, 1 << 7, 0, place(25, 1), turns(2, 2), once, 0, once, 0);
  load(&own, ONCE, 1, tables, place(0, 0), turns(2, 1), turns(2, 1), 32, once, 0);
  load(&own, ONCE, 2 | 2 << 8, tables + 64, place(3, 0), turns(4, 1), turns(2, 0), 32, once, 0);
  load(&own, ONCE, 3, tables + 128, 256 + 5, turns(8, 1), once, 0, once, 0);
  load(&own, ONCE, 9, offset_of(&own, CLUSTER), 0, turns(2, 0), once, 0, once, 0);
  load(&own, ONCE, 8, offset_of(&own, CLUSTER) + 16, 0, turns(3, 0), once, 0, once, 0);
  uint32_t to_input[9] = {4 | 2 << 20}, to_output[9] = {4 | 4 << 20 | 1 << 16};
  uint32_t run[9] = {1 | 1 << 17, CONFIG, 2, 50000}, fence[9] = {5 | 1 << 8}, nothing[9] = {0};
  uint32_t store[9] = {3 | 1 << 16, 2 << 4 | 2 << 8 | 0x80 << 16, 0, place(8, 0), turns(2, 1), turns(2, 0), 16, once, 0};
  add_job(&own, BEGIN, to_input);
  load(&own, BEGIN, 1 << 4 | 2 << 8 | 0x80 << 16, 0, place(4, 0), turns(2, 1), turns(2, 0), 16, once, 0);
  add_job(&own, RUNS, run);
  add_job(&own, RUNS, nothing);
  add_job(&own, END_JOBS, to_output);
  add_job(&own, END_JOBS, store);
  add_job(&own, END_JOBS, fence);
  /* Rows 0, 2 and rows 1, 3 of 4 x 7 elements, each row in 8 bytes. */
  tensor even = {"in", 1, 0, 1, 0, 16, 0x3F000000, 3, 0x55, 2, {4, 7}, 2, {{2, 8, 14}, {7, 1, 1}}, 0};
  tensor odd = even;
  odd.offset = 16;
  odd.first = 7;
  tensor out = {"out", 2, 0, 2, 0, 32, 0x3F800000, 0, 0, 2, {4, 8}, 1, {{32, 1, 1}}, 0};
  tensor best = {"best", 2, 2, 4, 32, 32, 0, 0, 0, 1, {8}, 1, {{8, 4, 1}}, 0};
  add_tensor(&own, &even);
  add_tensor(&own, &odd);
  add_tensor(&own, &out);
  add_tensor(&own, &best);
  uint32_t largest[8] = {4, 2, 3, 8, 4, 8, 0, 0};
  add_end(&own, largest);
  own.work = 64;
  return own;
}

static uint32_t bytes_of_sample(void) {
  builder own = sample();
  return build(&own, image);
}

static heddle_status load_image(uint32_t bytes) { return heddle_load(&driver, &net, image, bytes, scratch); }

static void begin(void) {
  device_init(&machine);
  expect(open_driver(), HEDDLE_OK, "open");
  expect(load_image(bytes_of_sample()), HEDDLE_OK, "load");
}

/* A word of the state buffer as it must be: two halves of the file, less the zero point. */
static void check_word(uint32_t part, uint32_t at, uint32_t number, uint32_t zero) {
  for (uint32_t byte = 0; byte < 8; byte++) {
    uint8_t wanted = (uint8_t)((word_of(number, 2 + byte / 4) >> 8 * (byte % 4)) - zero);
    CHECK(machine.buffer[part][at][byte] == wanted, "partition %u, word %u, byte %u", part, at, byte);
  }
}

static void check_memories(void) {
  for (uint32_t at = 0; at < 8; at++) {
    uint32_t wanted = at == 2 ? (word_of(1, 0) & 0xFFFFFF00u) | ADDED : word_of(at / 2, at % 2);
    CHECK(machine.program[at] == wanted, "program word %u", at);
  }
  CHECK(machine.program[8] == 0xEEEEEEEE, "the program goes no further");
  for (uint32_t part = 0; part < 2; part++) {
    for (uint32_t at = 0; at < 8; at++) check_word(part, at < 4 ? 12 + at : 16 + at, 8 * part + at, 0);
    for (uint32_t at = 24; at < 32; at++) {
      uint32_t filled = at % 2 == 0 || (part == 1 && at < 29);
      CHECK(machine.buffer[part][at][7] == (filled ? 0 : 0xEE), "fill of word %u", at);
    }
    CHECK(machine.buffer[part][11][0] == 0xEE || machine.starts > 0, "words between stay");
    for (uint32_t tile = 0; tile < 2; tile++) {
      const uint32_t *own = machine.parameters[part][tile];
      uint32_t number = 4 * tile + 2 * part;
      CHECK(own[0] == word_of(number, 4), "bias of column %u", part);
      CHECK(own[1] == word_of(number + 1, 4) && own[2] == word_of(number + 1, 5), "scale of column %u", part);
    }
    for (uint32_t at = 0; at < 4; at++) {
      CHECK(machine.rows[part][3 + at] == word_of(8 + 4 * part + at, 4), "row table %u, entry %u", part, at);
    }
  }
  /* Place 16 of partition 0 and, a turn further, place 18 of partition 1. */
  check_word(0, 16, 16, 5);
  check_word(1, 18, 19, 5);
  CHECK(machine.buffer[0][18][0] == 0xEE && machine.buffer[1][16][0] == 0xEE, "the loop goes to the next partition");
  for (uint32_t at = 0; at < 8; at++) {
    CHECK(machine.tables[256 + 5 + at] == (word_of(16 + at, 4) & 255), "activation table, byte %u", at);
  }
  CHECK(machine.command_count % 2 == 0 && machine.weight_count % 3 == 0, "words of the cluster");
  for (uint32_t at = 0; at < 2; at++) CHECK(machine.commands[at] == word_of(at, 6), "command %u", at);
  for (uint32_t at = 0; at < 3; at++) {
    CHECK(machine.weights[at][0] == word_of(2 + at, 6) && machine.weights[at][1] == word_of(2 + at, 7), "weights %u", at);
  }
}

static void fill_user(int8_t user[28], uint32_t seed) {
  for (uint32_t at = 0; at < 28; at++) user[at] = (int8_t)(seed * 31 + at * 37);
}

/* `count` inferences in one call, with all bytes as they must be. */
static void infer(uint32_t count) {
  const void *inputs[4] = {NULL};
  void *outputs[4] = {NULL};
  int8_t user[4][28];
  uint8_t work[64];
  for (uint32_t at = 0; at < count; at++) {
    const void *tensors[1] = {user[at]};
    uint8_t *buffer = input + 64 * at;
    fill_user(user[at], at + machine.starts);
    memset(buffer, 0xAA, 64);
    expect(heddle_pack(&net, tensors, 1, buffer, work), HEDDLE_OK, "pack");
    inputs[at] = buffer;
    outputs[at] = output + 64 * at;
  }
  expect(heddle_submit(&driver, &net, inputs, outputs, count), HEDDLE_OK, "submit");
  expect(heddle_wait(&driver, LIMIT), HEDDLE_OK, "wait");
  CHECK(driver.done == count, "%u are done", driver.done);
  for (uint32_t at = 0; at < count; at++) {
    const uint8_t *packed = inputs[at];
    int8_t out[32];
    int32_t best[8];
    void *tensors[2] = {out, best};
    expect(heddle_unpack(&net, outputs[at], tensors, 2, work), HEDDLE_OK, "unpack");
    for (uint32_t byte = 0; byte < 32; byte++) {
      uint32_t row = 2 * (byte / 8 % 2) + byte / 16, column = byte % 8;
      uint8_t own = column == 7 ? 0x55 : (uint8_t)user[at][7 * row + column];
      CHECK(packed[byte] == own, "packed byte %u", byte);
      CHECK((uint8_t)out[byte] == (uint8_t)(own + ADDED), "byte %u of inference %u", byte, at);
    }
    CHECK(packed[32] == 0xAA, "the buffer ends");
    for (int32_t column = 0; column < 8; column++) {
      for (int32_t row = 0; row < 4; row++) {
        int8_t largest = out[8 * best[column] + column], other = out[8 * row + column];
        CHECK(row < best[column] ? other < largest : other <= largest, "largest of column %d", column);
      }
    }
  }
}

static void check_runs(void) {
  begin();
  check_memories();
  CHECK(net.input_bytes == 64 && net.output_bytes == 64 && net.work_bytes == 64, "whole lines");
  infer(1);
  infer(3);
  CHECK(machine.starts == 4, "%u starts", machine.starts);
  expect(heddle_poll(&driver), HEDDLE_OK, "poll behind the end");
  check_memories();
  /* With an interrupt the processor looks at no register while the program runs. */
  driver.platform.wait_irq = device_wait_irq;
  infer(2);
  CHECK(machine.irq_waits == 2 && machine.enabled == 0, "%u waits", machine.irq_waits);
  expect(heddle_reset(&driver), HEDDLE_OK, "reset");
  infer(1);
  /* Poll by poll. */
  const void *inputs[] = {input};
  void *outputs[] = {output};
  driver.platform.wait_irq = NULL;
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_OK, "submit");
  expect(heddle_poll(&driver), HEDDLE_BUSY, "poll");
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_E_OPEN, "submit while one is under way");
  expect(load_image(bytes_of_sample()), HEDDLE_E_OPEN, "load while one is under way");
  unsigned polls = 0;
  while (heddle_poll(&driver) == HEDDLE_BUSY) polls++;
  CHECK(polls == 4, "%u polls", polls);
  CHECK(machine.happened % 16 / 8 == 0, "no access was refused");
  /* A program in banks of the state buffer; a section of a kind that nobody knows. */
  device_init(&machine);
  machine.banks = 1;
  machine.caps |= 4;
  expect(open_driver(), HEDDLE_OK, "open");
  builder own = sample();
  own.with_unknown = 1;
  expect(load_image(build(&own, image)), HEDDLE_OK, "load with a section that nobody knows");
  check_memories();
  infer(2);
}

static void check_information(void) {
  heddle_tensor_info info;
  uint32_t counters[30];
  begin();
  expect(heddle_tensor(&net, HEDDLE_INPUT, 0, &info), HEDDLE_OK, "input 0");
  CHECK(strcmp(info.name, "in") == 0 && info.type == HEDDLE_INT8 && info.rank == 2, "%s", info.name);
  CHECK(info.extents[0] == 4 && info.extents[1] == 7 && info.extents[2] == 0 && info.bytes == 28, "extents");
  CHECK(info.scale == 0.5f && info.zero_point == 3, "scale %f", (double)info.scale);
  expect(heddle_tensor(&net, HEDDLE_OUTPUT, 1, &info), HEDDLE_OK, "output 1");
  CHECK(strcmp(info.name, "best") == 0 && info.type == HEDDLE_INT32 && info.bytes == 32, "%s", info.name);
  expect(heddle_tensor(&net, HEDDLE_INPUT, 1, &info), HEDDLE_E_TENSORS, "input 1");
  expect(heddle_tensor(&net, HEDDLE_OUTPUT, 2, &info), HEDDLE_E_TENSORS, "output 2");
  expect(heddle_counters(&driver, 0x118, 26, counters), HEDDLE_OK, "counters");
  CHECK(counters[0] == 0x118 && counters[2] == 0 && counters[25] == 0x17C, "all of them");
  expect(heddle_counters(&driver, 0x114, 1, counters), HEDDLE_E_COUNTER, "no counter");
  expect(heddle_counters(&driver, 0x119, 1, counters), HEDDLE_E_COUNTER, "between two");
  expect(heddle_counters(&driver, 0x17C, 2, counters), HEDDLE_E_COUNTER, "behind the last one");
  CHECK(machine.happened == 0, "no access was refused");
}

/* Bad input */

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
    {"CAPS that the machine lacks", 0, 0, 28, 9, HEDDLE_E_CAPS, 0},
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
    {"end, operation", ENDS, 0, 0, 5, HEDDLE_E_END, 0},
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

static void check_bad_images(void) {
  device_init(&machine);
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
  put32(fill + 16, 8191);
  put32(fill + 20, 0xFFFF);
  seal(image);
  refuse(bytes, HEDDLE_E_JOB_MEMORY, "more words than an image can have");
  /* A damaged bit anywhere. */
  for (uint32_t bit = 0; bit < 8 * bytes; bit += 7) {
    uint32_t writes = machine.writes;
    bytes_of_sample();
    image[bit / 8] ^= (uint8_t)(1u << bit % 8);
    CHECK(load_image(bytes) > HEDDLE_BUSY && machine.writes == writes, "bit %u", bit);
  }
  /* A machine without the cluster; jobs for it that the header does not tell of. */
  device_init(&machine);
  machine.caps &= ~8u;
  expect(open_driver(), HEDDLE_OK, "open");
  bytes = bytes_of_sample();
  refuse(bytes, HEDDLE_E_CAPS, "image for a cluster");
  put32(image + 28, 0);
  seal(image);
  refuse(bytes, HEDDLE_E_JOB_PLACE, "job for a cluster");
}

static void check_bad_calls(void) {
  heddle_platform hooks = platform();
  heddle_pool bad = pools[0];
  device_init(&machine);
  hooks.read32 = NULL;
  expect(heddle_open(&driver, &hooks, &pools[0], &pools[1]), HEDDLE_E_HOOK, "no read32");
  hooks = platform();
  hooks.now = NULL;
  expect(heddle_open(&driver, &hooks, &pools[0], &pools[1]), HEDDLE_E_HOOK, "no clock");
  hooks = platform();
  expect(heddle_open(&driver, NULL, &pools[0], &pools[1]), HEDDLE_E_NULL, "no platform");
  bad.begin = read_only + 64;
  expect(heddle_open(&driver, &hooks, &bad, &pools[1]), HEDDLE_E_POOL, "begin of a pool");
  bad = pools[0];
  bad.bytes -= 64;
  expect(heddle_open(&driver, &hooks, &bad, &pools[1]), HEDDLE_E_POOL, "end of a pool");
  expect(heddle_open(&driver, &hooks, &pools[0], &pools[0]), HEDDLE_E_POOL, "one pool for all");
  CHECK(machine.writes == 0 && machine.reads == 0, "no register was touched");
  machine.id++;
  expect(open_driver(), HEDDLE_E_ID, "ID");
  device_init(&machine);
  machine.version = 0x00020000;
  expect(open_driver(), HEDDLE_E_VERSION, "major version");
  CHECK(machine.writes == 0, "nothing was written");
  begin();
  uint32_t bytes = bytes_of_sample();
  expect(heddle_load(&driver, &net, NULL, bytes, scratch), HEDDLE_E_NULL, "no image");
  expect(heddle_load(&driver, &net, image + 4, bytes, scratch), HEDDLE_E_ALIGNMENT, "image within a line");
  expect(heddle_load(&driver, &net, read_write, bytes, scratch), HEDDLE_E_FOREIGN_BUFFER, "image in the other pool");
  builder own = sample();
  own.scratch = 128;
  bytes = build(&own, image);
  expect(heddle_load(&driver, &net, image, bytes, read_only), HEDDLE_E_FOREIGN_BUFFER, "scratch in the other pool");
  expect(heddle_load(&driver, &net, image, bytes, read_write + 8), HEDDLE_E_ALIGNMENT, "scratch within a line");
  expect(heddle_load(&driver, &net, image, bytes, read_write), HEDDLE_OK, "scratch");
  const void *inputs[] = {input};
  void *outputs[] = {output};
  uint8_t work[64], out[32];
  int32_t best[8];
  const heddle_net other = net;
  uint32_t writes = machine.writes;
  expect(heddle_submit(&driver, &other, inputs, outputs, 1), HEDDLE_E_NET, "another network");
  expect(heddle_submit(&driver, NULL, inputs, outputs, 1), HEDDLE_E_NULL, "no network");
  inputs[0] = NULL;
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_E_NULL, "no input");
  inputs[0] = input + 8;
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_E_ALIGNMENT, "input within a line");
  inputs[0] = read_only + POOL;
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_E_FOREIGN_BUFFER, "input behind its pool");
  inputs[0] = input;
  outputs[0] = input;
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_E_FOREIGN_BUFFER, "output in the other pool");
  outputs[0] = read_write + POOL - 64;
  expect(heddle_submit(&driver, &net, inputs, outputs, 0), HEDDLE_OK, "no inference");
  expect(heddle_poll(&driver), HEDDLE_OK, "nothing to do");
  CHECK(machine.writes == writes, "nothing was written");
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_OK, "output up to the end of its pool");
  expect(heddle_wait(&driver, LIMIT), HEDDLE_OK, "wait");
  void *tensors[] = {out, best, out};
  const void *given[] = {out, out};
  expect(heddle_pack(&net, given, 2, input, work), HEDDLE_E_TENSORS, "too many inputs");
  expect(heddle_pack(&net, given, 0, input, work), HEDDLE_E_TENSORS, "too few inputs");
  expect(heddle_unpack(&net, output, tensors, 3, work), HEDDLE_E_TENSORS, "too many outputs");
  expect(heddle_unpack(&net, output, tensors, 1, work), HEDDLE_E_TENSORS, "too few outputs");
  expect(heddle_unpack(&net, output, tensors, 2, NULL), HEDDLE_E_NULL, "no work bytes");
  tensors[1] = NULL;
  expect(heddle_unpack(&net, output, tensors, 2, work), HEDDLE_E_NULL, "no tensor");
}

/* A fault during inferences: an error of its own, the machine at rest, and all right again after heddle_reset. */
static void fails(heddle_status wanted, uint32_t limit, const char *what) {
  const void *inputs[] = {input, input};
  void *outputs[] = {output, output};
  uint32_t resets = machine.resets;
  expect(heddle_submit(&driver, &net, inputs, outputs, 2), HEDDLE_OK, "submit");
  expect(heddle_wait(&driver, limit), wanted, what);
  CHECK(machine.resets > resets && machine.running == 0 && machine.enabled == 0, "%s: the machine rests", what);
  uint32_t starts = machine.starts;
  expect(heddle_poll(&driver), wanted, "the error stays");
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), wanted, "the error stays");
  expect(load_image(bytes_of_sample()), wanted, "the error stays");
  CHECK(machine.starts == starts, "%s: nothing more is started", what);
}

static void recovers(void) {
  uint32_t never = 0;
  machine.port_hangs = machine.reset_hangs = machine.cluster_hangs = machine.never_starts = machine.never_ends = 0;
  machine.refuses = 0;
  machine.error_code = never;
  machine.clock_step = 1;
  memset(machine.program, 0xEE, sizeof machine.program);
  memset(machine.buffer, 0xEE, sizeof machine.buffer);
  memset(machine.tables, 0xEE, sizeof machine.tables);
  machine.command_count = machine.weight_count = 0;
  expect(heddle_reset(&driver), HEDDLE_OK, "reset");
  check_memories();
  infer(2);
}

static void check_faults(void) {
  begin();
  machine.never_ends = 1;
  machine.clock_step = 100;
  fails(HEDDLE_E_LIMIT, 5000, "a run that is longer than the limit");
  recovers();
  machine.never_ends = 1;
  fails(HEDDLE_E_RUN_LIMIT, LIMIT, "a run with more clocks than its limit");
  recovers();
  builder own = sample();
  put32(own.content[RUNS] + 12, 0);
  expect(load_image(build(&own, image)), HEDDLE_OK, "load");
  machine.never_ends = 1;
  machine.clock_step = 0;
  fails(HEDDLE_E_CLOCK, LIMIT, "a clock that stands still");
  expect(heddle_reset(&driver), HEDDLE_OK, "reset");
  expect(load_image(bytes_of_sample()), HEDDLE_OK, "load");
  recovers();
  machine.error_code = 3;
  fails(HEDDLE_E_ENGINE, LIMIT, "an error of the engine");
  CHECK((driver.engine_error & 255) == 3 && driver.engine_error >> 8 == 3 && driver.engine_pc == 17, "what and where");
  recovers();
  machine.never_starts = 1;
  fails(HEDDLE_E_START, LIMIT, "a program that does not start");
  recovers();
  machine.port_hangs = 1;
  fails(HEDDLE_E_PORT, LIMIT, "a window port that stays busy");
  recovers();
  machine.cluster_hangs = 1;
  fails(HEDDLE_E_CLUSTER, LIMIT, "a cluster that stays busy");
  recovers();
  machine.refuses = 1;
  fails(HEDDLE_E_ACCESS, LIMIT, "refused accesses");
  expect(heddle_reset(&driver), HEDDLE_E_ACCESS, "refused accesses of jobs that run once");
  recovers();
  machine.reset_hangs = 1;
  expect(heddle_reset(&driver), HEDDLE_E_RESET, "a reset that does not end");
  expect(heddle_poll(&driver), HEDDLE_E_RESET, "the error stays");
  recovers();
  /* Nothing answers: all bits are high. */
  machine.port_hangs = machine.reset_hangs = machine.never_ends = 1;
  expect(open_driver(), HEDDLE_E_RESET, "open");
}

/* What the host computes, against the reference in Python. */

static uint32_t bytes_from(const char *text, uint8_t *bytes) {
  uint32_t count = 0;
  unsigned byte;
  for (; sscanf(text + 2 * count, "%2x", &byte) == 1; count++) bytes[count] = (uint8_t)byte;
  return count;
}

static void check_vectors(const char *path) {
  FILE *file = fopen(path, "r");
  unsigned words[10], found[5] = {0};
  static char texts[2][8192];
  static uint8_t given[4096], wanted[4096], made[4096], work[8192];
  CHECK(file != NULL, "%s", path);
  device_init(&machine);
  expect(open_driver(), HEDDLE_OK, "open");
  while (fscanf(file, "%u %u %u %u %u %u %u %u %u %u %8191s %8191s", &words[0], &words[1], &words[2], &words[3], &words[4],
                &words[5], &words[6], &words[7], &words[8], &words[9], texts[0], texts[1]) == 12) {
    uint32_t operation = words[0], count = words[3] * words[4], is_input = operation == 1;
    uint32_t made_count = operation == 4 ? words[3] : count, size = operation == 2 || operation == 4 ? 4 : 1;
    uint32_t source_size = is_input ? 4 : 1, front = is_input ? count : (count + 7) / 8 * 8;
    uint32_t zero = words[9], bytes = bytes_from(texts[0], given), made_bytes = bytes_from(texts[1], wanted);
    tensor source = {"source", is_input, words[1], is_input ? 4 : 2, is_input ? front : 0, bytes, 0, 0, 0,
                     1, {count}, 1, {{count, source_size, 1}}, 0};
    tensor result = {"made", is_input ? 0 : 2, words[2], is_input ? 1 : 4, is_input ? 0 : front, made_bytes, 0, 0, 0,
                     1, {made_count}, 1, {{made_count, size, 1}}, 0};
    tensor *scaled = is_input ? &result : &source;
    scaled->scale = words[8];
    scaled->zero = zero;
    builder own;
    memset(&own, 0, sizeof own);
    add_tensor(&own, &source);
    add_tensor(&own, &result);
    uint32_t end[8] = {operation, 0, 1, words[3], words[4], words[5], words[6], words[7]};
    add_end(&own, end);
    own.work = front + (is_input ? bytes : made_bytes);
    expect(load_image(build(&own, image)), HEDDLE_OK, "load");
    const void *users[] = {given};
    void *results[] = {made};
    heddle_status status = is_input ? heddle_pack(&net, users, 1, made, work) : heddle_unpack(&net, given, results, 1, work);
    expect(status, HEDDLE_OK, "operation");
    for (uint32_t at = 0; at < made_bytes; at++) {
      CHECK(made[at] == wanted[at], "operation %u, case %u, byte %u: %u, expected %u", operation, found[operation], at,
            made[at], wanted[at]);
    }
    found[operation]++;
  }
  fclose(file);
  for (int operation = 1; operation < 5; operation++) CHECK(found[operation] >= 20, "%u cases", found[operation]);
}

/* Images with a random word: refused with nothing written, or run within their buffers (the sanitizers see). */
static void check_random(unsigned count) {
  uint32_t seed = 7, accepted = 0, refused = 0;
  for (unsigned turn = 0; turn < count; turn++) {
    uint32_t bytes = bytes_of_sample();
    for (int change = 0; change < 2; change++) {
      seed = seed * 1664525u + 1013904223u;
      uint32_t at = 64 + (seed >> 8) % (bytes - 64), kind = seed % 3;
      seed = seed * 1664525u + 1013904223u;
      image[at] = kind == 0 ? (uint8_t)(seed >> 16) : image[at] ^ (uint8_t)(1u << (seed >> 16) % 8);
    }
    seal(image);
    device_init(&machine);
    expect(open_driver(), HEDDLE_OK, "open");
    uint32_t writes = machine.writes;
    if (heddle_load(&driver, &net, image, bytes, scratch) != HEDDLE_OK) {
      refused += machine.writes == writes;
      continue;
    }
    if (net.input_bytes > POOL || net.output_bytes > POOL || net.work_bytes > POOL) continue;
    heddle_tensor_info info;
    uint32_t inputs = 0, outputs = 0;
    void *user[8], *results[8];
    const void *given[8];
    for (; heddle_tensor(&net, HEDDLE_INPUT, inputs, &info) == HEDDLE_OK; inputs++) given[inputs] = user[inputs] = calloc(1, info.bytes);
    for (; heddle_tensor(&net, HEDDLE_OUTPUT, outputs, &info) == HEDDLE_OK; outputs++) results[outputs] = calloc(1, info.bytes);
    uint8_t *work = malloc(net.work_bytes + 1), *in = read_only + POOL - net.input_bytes, *out = read_write + POOL - net.output_bytes;
    memset(work, 0, net.work_bytes + 1);
    const void *ins[] = {in};
    void *outs[] = {out};
    expect(heddle_pack(&net, given, inputs, in, work), HEDDLE_OK, "pack");
    expect(heddle_submit(&driver, &net, ins, outs, 1), HEDDLE_OK, "submit");
    heddle_status status = heddle_wait(&driver, LIMIT);
    CHECK(status == HEDDLE_OK || status == HEDDLE_E_RUN_LIMIT, "turn %u: %s", turn, heddle_error_text(status));
    expect(heddle_unpack(&net, out, results, outputs, work), HEDDLE_OK, "unpack");
    while (inputs > 0) free(user[--inputs]);
    while (outputs > 0) free(results[--outputs]);
    free(work);
    accepted++;
  }
  CHECK(accepted > count / 20 && refused > count / 4, "%u accepted, %u refused", accepted, refused);
}

static uint8_t *pages(void) {
  uint8_t *memory = malloc(POOL + HEDDLE_PAGE);
  return memory + (HEDDLE_PAGE - (uintptr_t)memory % HEDDLE_PAGE);
}

int main(int count, char **arguments) {
  CHECK(count == 2, "usage: conformance VECTORS");
  read_only = pages();
  read_write = pages();
  pools[0].begin = image = read_only;
  pools[1].begin = read_write;
  pools[0].bytes = pools[1].bytes = POOL;
  input = read_only + IMAGE_BYTES;
  output = read_write + HEDDLE_PAGE;
  scratch = NULL;
  check_runs();
  check_information();
  check_bad_images();
  check_bad_calls();
  check_faults();
  check_vectors(arguments[1]);
  check_random(2000);
  for (int status = 0; status < HEDDLE_STATUSES; status++) {
    const char *text = heddle_error_text((heddle_status)status);
    CHECK(seen[status] && text[0] != 0, "never seen: %s", text);
    for (int other = 0; other < status; other++) {
      CHECK(strcmp(heddle_error_text((heddle_status)other), text) != 0, "twice: %s", text);
    }
  }
  printf("%u checks, %d answers\n", checks, (int)HEDDLE_STATUSES);
  return 0;
}
