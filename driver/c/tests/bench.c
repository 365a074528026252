/* The sample image, what its jobs must leave in the machine, and what its inferences must give. */
#include "bench.h"

enum { ADDED = 0x17 }; /* what the program adds to each byte */

int with_dma;
uint32_t ring_log;
uint8_t *read_only, *read_write, *ring;
heddle_pool pools[2];
uint8_t *image, *input, *output;
device machine;
heddle driver;
heddle_net net;
int seen[HEDDLE_STATUSES];
unsigned checks;

void expect(heddle_status found, heddle_status wanted, const char *what) {
  seen[found] = 1;
  CHECK(found == wanted, "%s: is \"%s\", expected \"%s\"", what, heddle_error_text(found),
        heddle_error_text(wanted));
}

heddle_platform platform(void) {
  heddle_platform hooks = {0};
  hooks.context = &machine;
  hooks.read32 = device_read;
  hooks.write32 = device_write;
  hooks.now = device_now;
  if (ring_log == 0) return hooks;
  hooks.barrier = dram_barrier;
  hooks.cache_clean = dram_clean;
  hooks.cache_invalidate = dram_invalidate;
  hooks.to_bus = dram_to_bus;
  return hooks;
}

void new_machine(void) {
  device_init(&machine);
  if (with_dma) device_add_dma(&machine);
  dram_init(read_only, read_write);
}

heddle_status open_driver(void) {
  heddle_platform hooks = platform();
  heddle_status status = heddle_open(&driver, &hooks, &pools[0], &pools[1]);
  return status != HEDDLE_OK || ring_log == 0 ? status : heddle_ring(&driver, ring, ring_log);
}

static uint32_t word_of(uint32_t number, uint32_t half) {
  return number * 0x01030507u + half * 0x11111111u + 0x20u;
}

static uint32_t place(uint32_t at, uint32_t part) { return part << 16 | at; }

static uint32_t turns(uint32_t count, uint32_t step) { return step << 16 | (count - 1); }

static void load(builder *own, int list, uint32_t access, uint32_t offset, uint32_t first,
                 uint32_t x, uint32_t y, uint32_t pitch_y, uint32_t z, uint32_t pitch_z) {
  uint32_t words[9] = {2, access, offset, first, x, y, pitch_y, z, pitch_z};
  add_job(own, list, words);
}

builder sample(void) {
  builder own;
  memset(&own, 0, sizeof own);
  for (uint32_t at = 0; at < 4; at++) add_word(&own, PROGRAM, word_of(at, 0), word_of(at, 1));
  own.content[PROGRAM][8] = ADDED; /* word 2, where the run begins */
  for (uint32_t at = 0; at < 32; at++) add_word(&own, BUFFER, word_of(at, 2), word_of(at, 3));
  for (uint32_t at = 0; at < 32; at++) add_word(&own, PARAMETERS, word_of(at, 4), word_of(at, 5));
  for (uint32_t at = 0; at < 5; at++) add_word(&own, CLUSTER, word_of(at, 6), word_of(at, 7));
  uint32_t words = offset_of(&own, BUFFER), tables = offset_of(&own, PARAMETERS),
           once = turns(1, 0);
  load(&own, ONCE, 4, offset_of(&own, PROGRAM), 1 - 1, turns(4, 1), once, 0, once, 0);
  /* Words 12 to 15 and 20 to 23 of both partitions. */
  load(&own, ONCE, 3 << 8, words, place(12, 0), turns(4, 1), turns(2, 8), 32, turns(2, 0), 64);
  /* Words 16 and 18 of both partitions in one loop of rows, from memory with gaps; zero point 5. */
  load(&own, ONCE, 2 << 8 | 5 << 16, words + 128, place(16, 0), turns(1, 0), turns(2, 2), 24, once,
       0);
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
  uint32_t store[9] = {3 | 1 << 16,
                       2 << 4 | 2 << 8 | 0x80 << 16,
                       0,
                       place(8, 0),
                       turns(2, 1),
                       turns(2, 0),
                       16,
                       once,
                       0};
  add_job(&own, BEGIN, to_input);
  load(&own, BEGIN, 1 << 4 | 2 << 8 | 0x80 << 16, 0, place(4, 0), turns(2, 1), turns(2, 0), 16,
       once, 0);
  own.content[BEGIN][64 + 2] = 1; /* waits for the program, which reads what it writes */
  add_job(&own, RUNS, run);
  add_job(&own, RUNS, nothing);
  add_job(&own, END_JOBS, to_output);
  add_job(&own, END_JOBS, store);
  add_job(&own, END_JOBS, fence);
  /* Rows 0, 2 and rows 1, 3 of 4 x 7 elements, each row in 8 bytes. */
  tensor even = {"in", 1, 0, 1, 0, 16, 0x3F000000, 3, 0x55, 2, {4, 7}, 2, {{2, 8, 14}, {7, 1, 1}},
                 0};
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

builder sample_in_segments(void) {
  builder own = sample();
  uint32_t program = offset_of(&own, PROGRAM);
  /* The program that runs first adds another number; the file has the right one in word 4. */
  own.content[PROGRAM][16] = own.content[PROGRAM][8];
  own.content[PROGRAM][8] = 0x55;
  const uint32_t load[9] = {2 | 1 << 16, 4, program + 16, 1, 0, 0, 0, 0, 0};
  const uint32_t run[9] = {1 | 1 << 17, CONFIG, 2, 0};
  const uint32_t keep[9] = {3 | 1 << 16, 3 << 4 | 2 << 8, 0, 8, 1 << 16 | 1, 1, 16, 0, 0};
  const uint32_t back[9] = {2 | 1 << 18, 3 << 4 | 2 << 8, 0, 20, 1 << 16 | 1, 1, 16, 0, 0};
  add_job(&own, RUNS, load);
  add_job(&own, RUNS, run);
  add_job(&own, RUNS, keep);
  add_job(&own, RUNS, back);
  uint8_t *store = own.content[END_JOBS] + 64;
  put32(store, get32(store) | 1 << 17);
  put32(store + 12, 20);
  own.scratch = 32;
  return own;
}

uint32_t bytes_of_sample(void) {
  builder own = sample();
  return build(&own, image);
}

heddle_status load_image(uint32_t bytes) { return heddle_load(&driver, &net, image, bytes, NULL); }

void begin(void) {
  new_machine();
  expect(open_driver(), HEDDLE_OK, "open");
  expect(load_image(bytes_of_sample()), HEDDLE_OK, "load");
}

/* A word of the state buffer as it must be: two halves of the file, less the zero point. */
static void check_word(uint32_t part, uint32_t at, uint32_t number, uint32_t zero) {
  for (uint32_t byte = 0; byte < 8; byte++) {
    uint8_t wanted = (uint8_t)((word_of(number, 2 + byte / 4) >> 8 * (byte % 4)) - zero);
    CHECK(machine.buffer[part][at][byte] == wanted, "partition %u, word %u, byte %u", part, at,
          byte);
  }
}

void check_memories(void) {
  for (uint32_t at = 0; at < 8; at++) {
    uint32_t wanted = at == 2 ? (word_of(1, 0) & 0xFFFFFF00u) | ADDED : word_of(at / 2, at % 2);
    CHECK(machine.program[at] == wanted, "program word %u", at);
  }
  CHECK(machine.program[8] == 0xEEEEEEEE, "the program goes no further");
  for (uint32_t part = 0; part < 2; part++) {
    for (uint32_t at = 0; at < 8; at++)
      check_word(part, at < 4 ? 12 + at : 16 + at, 8 * part + at, 0);
    for (uint32_t at = 24; at < 32; at++) {
      uint32_t filled = at % 2 == 0 || (part == 1 && at < 29);
      CHECK(machine.buffer[part][at][7] == (filled ? 0 : 0xEE), "fill of word %u", at);
    }
    CHECK(machine.buffer[part][11][0] == 0xEE || machine.starts > 0, "words between stay");
    for (uint32_t tile = 0; tile < 2; tile++) {
      const uint32_t *own = machine.parameters[part][tile];
      uint32_t number = 4 * tile + 2 * part;
      CHECK(own[0] == word_of(number, 4), "bias of column %u", part);
      CHECK(own[1] == word_of(number + 1, 4) && own[2] == word_of(number + 1, 5),
            "scale of column %u", part);
    }
    for (uint32_t at = 0; at < 4; at++) {
      CHECK(machine.rows[part][3 + at] == word_of(8 + 4 * part + at, 4), "row table %u, entry %u",
            part, at);
    }
  }
  /* Place 16 of partition 0 and, a turn further, place 18 of partition 1. */
  check_word(0, 16, 16, 5);
  check_word(1, 18, 19, 5);
  CHECK(machine.buffer[0][18][0] == 0xEE && machine.buffer[1][16][0] == 0xEE,
        "the loop goes to the next partition");
  for (uint32_t at = 0; at < 8; at++) {
    CHECK(machine.tables[256 + 5 + at] == (word_of(16 + at, 4) & 255), "activation table, byte %u",
          at);
  }
  CHECK(machine.command_count % 2 == 0 && machine.weight_count % 3 == 0, "words of the cluster");
  for (uint32_t at = 0; at < 2; at++)
    CHECK(machine.commands[at] == word_of(at, 6), "command %u", at);
  for (uint32_t at = 0; at < 3; at++) {
    CHECK(machine.weights[at][0] == word_of(2 + at, 6) &&
              machine.weights[at][1] == word_of(2 + at, 7),
          "weights %u", at);
  }
}

static void fill_user(int8_t user[28], uint32_t seed) {
  for (uint32_t at = 0; at < 28; at++) user[at] = (int8_t)(seed * 31 + at * 37);
}

void infer(uint32_t count) {
  const void *inputs[AT_ONCE] = {NULL};
  void *outputs[AT_ONCE] = {NULL};
  int8_t user[AT_ONCE][28];
  uint8_t work[64];
  for (uint32_t at = 0; at < count; at++) {
    const void *tensors[1] = {user[at]};
    uint8_t *buffer = input + 64 * at;
    fill_user(user[at], at + machine.starts);
    memset(buffer, 0xAA, 64);
    expect(heddle_pack(&net, tensors, 1, buffer, work), HEDDLE_OK, "pack");
    inputs[at] = buffer;
    outputs[at] = output + 64 * at;
    memset(outputs[at], 0xCC, 64);
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
        CHECK(row < best[column] ? other < largest : other <= largest, "largest of column %d",
              column);
      }
    }
  }
}
