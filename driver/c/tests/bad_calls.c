/* Calls that must be refused, and machines that fail. */
#include "bench.h"

/* Buffers that would be written while something else is there. The scratch has two lines. */
static void check_overlaps(void) {
  uint8_t *scratch = read_write + HEDDLE_PAGE;
  builder own = sample();
  own.scratch = 128;
  begin();
  uint32_t bytes = build(&own, image), lines = bytes / 64 * 64;
  expect(heddle_load(&driver, &net, image, bytes, scratch), HEDDLE_OK, "load");
  uint8_t *first = scratch - 64, *second = scratch + 128;
  const struct {
    const uint8_t *input;
    uint8_t *outputs[3];
    heddle_status wanted;
  } rows[] = {{input, {first, second, second + 64}, HEDDLE_OK},
              {input, {second + 64, first, second}, HEDDLE_OK},
              {input, {second, scratch, first}, HEDDLE_E_OVERLAP},
              {input, {second, first, scratch + 64}, HEDDLE_E_OVERLAP},
              {input, {second, second, first}, HEDDLE_E_OVERLAP},
              {input, {first, second, second}, HEDDLE_E_OVERLAP},
              {input, {second, first, second}, HEDDLE_E_OVERLAP},
              {input, {first, second + 64, first}, HEDDLE_E_OVERLAP},
              {input, {second, second + 64, second}, HEDDLE_E_OVERLAP},
              {image, {first, second, second + 64}, HEDDLE_E_OVERLAP},
              {image + lines - 64, {first, second, second + 64}, HEDDLE_E_OVERLAP},
              {image + lines, {first, second, second + 64}, HEDDLE_OK}};
  CHECK(lines == bytes, "the image ends with a line");
  for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
    const void *inputs[] = {rows[at].input, rows[at].input, rows[at].input};
    void *outputs[3];
    uint32_t writes = machine.writes;
    memcpy(outputs, rows[at].outputs, sizeof outputs);
    expect(heddle_submit(&driver, &net, inputs, outputs, 3), rows[at].wanted, "buffers");
    CHECK(rows[at].wanted == HEDDLE_OK || machine.writes == writes, "nothing was written");
    if (rows[at].wanted == HEDDLE_OK) expect(heddle_wait(&driver, LIMIT), HEDDLE_OK, "wait");
  }
}

/* Programs that load and store need regions, which the jobs of a ring set. */
static void check_program_loads(void) {
  new_machine();
  machine.caps |= 2;
  expect(open_driver(), HEDDLE_OK, "open");
  uint32_t bytes = bytes_of_sample();
  put32(image + 28, get32(image + 28) | 2);
  seal(image);
  uint32_t writes = machine.writes;
  expect(load_image(bytes), ring_log == 0 ? HEDDLE_E_NO_RING : HEDDLE_OK, "programs that load");
  CHECK(ring_log > 0 || machine.writes == writes, "nothing was written");
}

void check_bad_calls(void) {
  heddle_platform hooks = platform();
  heddle_pool bad = pools[0];
  new_machine();
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
  bad.begin = read_only + POOL - HEDDLE_PAGE;
  bad.bytes = POOL;
  expect(heddle_open(&driver, &hooks, &pools[0], &bad), HEDDLE_E_POOL, "pools with a common page");
  CHECK(machine.writes == 0 && machine.reads == 0, "no register was touched");
  machine.id++;
  expect(open_driver(), HEDDLE_E_ID, "ID");
  new_machine();
  machine.version = 0x00020000;
  expect(open_driver(), HEDDLE_E_VERSION, "major version");
  CHECK(machine.writes == 0, "nothing was written");
  begin();
  uint32_t bytes = bytes_of_sample();
  expect(heddle_load(&driver, &net, NULL, bytes, NULL), HEDDLE_E_NULL, "no image");
  expect(heddle_load(&driver, &net, image + 4, bytes, NULL), HEDDLE_E_ALIGNMENT,
         "image within a line");
  expect(heddle_load(&driver, &net, read_write, bytes, NULL), HEDDLE_E_FOREIGN_BUFFER,
         "image in the other pool");
  builder own = sample();
  own.scratch = 128;
  bytes = build(&own, image);
  expect(heddle_load(&driver, &net, image, bytes, read_only), HEDDLE_E_FOREIGN_BUFFER,
         "scratch in the other pool");
  expect(heddle_load(&driver, &net, image, bytes, read_write + 8), HEDDLE_E_ALIGNMENT,
         "scratch within a line");
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
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_E_ALIGNMENT,
         "input within a line");
  inputs[0] = read_only + POOL;
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_E_FOREIGN_BUFFER,
         "input behind its pool");
  inputs[0] = input;
  outputs[0] = input;
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_E_FOREIGN_BUFFER,
         "output in the other pool");
  outputs[0] = read_write + POOL - 64;
  expect(heddle_submit(&driver, &net, inputs, outputs, 0), HEDDLE_OK, "no inference");
  expect(heddle_poll(&driver), HEDDLE_OK, "nothing to do");
  CHECK(machine.writes == writes, "nothing was written");
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_OK,
         "output up to the end of its pool");
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
  check_overlaps();
  check_program_loads();
}

/* A fault during inferences: an error of its own, the machine at rest, and all right again after
 * heddle_reset. */
static void fails(heddle_status wanted, uint32_t limit, const char *what) {
  const void *inputs[] = {input, input};
  void *outputs[] = {output, output + 64};
  uint32_t resets = machine.resets;
  expect(heddle_submit(&driver, &net, inputs, outputs, 2), HEDDLE_OK, "submit");
  expect(heddle_wait(&driver, limit), wanted, what);
  CHECK(machine.resets > resets && machine.running == 0 && machine.enabled == 0,
        "%s: the machine rests", what);
  uint32_t starts = machine.starts;
  expect(heddle_poll(&driver), wanted, "the error stays");
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), wanted, "the error stays");
  expect(load_image(bytes_of_sample()), wanted, "the error stays");
  CHECK(machine.starts == starts, "%s: nothing more is started", what);
}

void recovers(void) {
  uint32_t never = 0;
  machine.port_hangs = machine.reset_hangs = machine.cluster_hangs = machine.never_starts =
      machine.never_ends = 0;
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

/* What only a processor that does the jobs itself meets. */
static void check_port_faults(void) {
  machine.never_starts = 1;
  fails(HEDDLE_E_START, LIMIT, "a program that does not start");
  recovers();
  machine.port_hangs = 1;
  fails(HEDDLE_E_PORT, LIMIT, "a window port that stays busy");
  recovers();
  machine.cluster_hangs = 1;
  fails(HEDDLE_E_CLUSTER, LIMIT, "a cluster that stays busy");
  recovers();
}

void check_faults(void) {
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
  CHECK((driver.engine_error & 255) == 3 && driver.engine_error >> 8 == 3 && driver.engine_pc == 17,
        "what and where");
  recovers();
  if (ring_log == 0) check_port_faults();
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
