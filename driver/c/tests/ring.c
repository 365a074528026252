/* What only a machine with a DMA has: windows, a ring, jobs in their order. */
#include "bench.h"

static uint32_t at_register(uint32_t offset) { return machine.dma.words[offset / 4]; }

static void set_register(uint32_t offset, uint32_t word) { machine.dma.words[offset / 4] = word; }

static void load_builder(const builder *own, uint8_t *scratch) {
  expect(heddle_load(&driver, &net, image, build(own, image), scratch), HEDDLE_OK, "load");
}

/* Inferences, and what the machine has taken for them. */
static void takes(uint32_t count, const char *wanted) {
  memset(&machine.dma.trace, 0, sizeof machine.dma.trace);
  machine.dma.taken = 0;
  infer(count);
  CHECK(strcmp(machine.dma.trace, wanted) == 0, "%u inferences are %s, expected %s", count,
        machine.dma.trace, wanted);
}

/* Rings of all sizes that hold two inferences, filled again and again. */
static void check_order(void) {
  static const char *const ORDER[] = {"", "iLR.oSF", "iLR.iLoSFR.oSF", "iLR.iLoSFR.iLoSFR.oSF",
                                      "iLR.iLoSFR.iLoSFR.iLoSFR.oSF",
                                      "iLR.iLoSFR.iLoSFR.iLoSFR.iLoSFR.oSF"};
  for (ring_log = 4; ring_log <= 10; ring_log++) {
    begin();
    check_memories();
    CHECK(net.overlaps, "inputs and outputs have places of their own");
    for (uint32_t count = 1; count <= AT_ONCE; count++) takes(count, ORDER[count]);
    driver.platform.wait_irq = device_wait_irq;
    uint32_t before = machine.time;
    for (uint32_t turn = 0; turn < 60 * AT_ONCE; turn++) {
      machine.early = turn / AT_ONCE % 12; /* polls at other times */
      infer(1 + turn % AT_ONCE);
    }
    CHECK(machine.time - before < LIMIT / 20, "no event is lost: %u ticks", machine.time - before);
    CHECK(machine.interrupts >= 100 && machine.enabled == 0, "%u interrupts", machine.interrupts);
    expect(heddle_reset(&driver), HEDDLE_OK, "reset");
    for (uint32_t count = 1; count <= AT_ONCE; count++) takes(count, ORDER[count]);
    CHECK(machine.happened % 16 / 8 == 0, "no access was refused");
  }
  ring_log = 4;
}

/* More jobs that run once than the ring has entries. */
static void check_long_once(void) {
  begin();
  builder own = sample();
  const uint32_t fill[9] = {2, 1 << 7, 0, 1 << 16 | 25, 0, 0, 0, 0, 0};
  for (int more = 0; more < 40; more++) add_job(&own, ONCE, fill);
  machine.dma.taken = 0;
  load_builder(&own, NULL);
  CHECK(machine.dma.taken == 50, "%u jobs", machine.dma.taken);
  check_memories();
  infer(AT_ONCE);
}

/* The input has no place of its own: an output leaves before the next input comes. */
static void check_meeting(void) {
  begin();
  builder own = sample();
  const uint32_t fill[9] = {2, 1 << 7, 0, 1 << 16 | 9, 0, 0, 0, 0, 0};
  add_job(&own, BEGIN, fill);
  ring_log = 5;
  expect(heddle_ring(&driver, ring, ring_log), HEDDLE_OK, "ring");
  load_builder(&own, NULL);
  CHECK(!net.overlaps, "they meet");
  takes(3, "iLLR.oSFiLLR.oSFiLLR.oSF");
  ring_log = 4;
}

static void check_segments(void) {
  builder own = sample_in_segments();
  uint8_t *scratch = read_write + 8 * HEDDLE_PAGE;
  ring_log = 6;
  begin();
  load_builder(&own, scratch);
  for (uint32_t count = 1; count <= AT_ONCE; count++) {
    memset(scratch, 0xC3, 64);
    infer(count);
    CHECK(memcmp(scratch, dram_at(DRAM_SECOND + 8 * HEDDLE_PAGE), 64) == 0 && scratch[0] != 0xC3,
          "the processor sees the scratch");
  }
  ring_log = 4;
}

static void check_windows(void) {
  begin();
  uint32_t first = (uint32_t)(DRAM_FIRST >> 12), second = (uint32_t)(DRAM_SECOND >> 12);
  uint32_t last = DRAM_BYTES / DRAM_PAGE - 1;
  CHECK(at_register(0xC0) == first && at_register(0xC4) == first + last && at_register(0xC8) == 1,
        "the first pool is read");
  CHECK(at_register(0xD0) == second && at_register(0xD4) == second + last &&
            at_register(0xD8) == 3,
        "the second pool is read and written");
  CHECK(at_register(0xE8) == 0 && at_register(0xF8) == 0, "windows of others are closed");
  CHECK(at_register(0x6C) == 0x2002 && at_register(0x70) == 20, "attributes and time-out");
  CHECK(at_register(0x58) == 0 && at_register(0x54) == DRAM_FIRST + ROOM, "place of the ring");
  /* Without to_bus the DMA reaches nothing. */
  heddle_platform hooks = platform();
  hooks.to_bus = NULL;
  new_machine();
  expect(heddle_open(&driver, &hooks, &pools[0], &pools[1]), HEDDLE_OK, "open");
  for (uint32_t offset = 0xC8; offset < 0x100; offset += 16)
    CHECK(at_register(offset) == 0, "window at %x", offset);
  expect(heddle_ring(&driver, ring, ring_log), HEDDLE_E_HOOK, "ring without to_bus");
}

/* A machine whose windows someone has locked: as they must be, but for one word. */
static void lock(uint32_t offset, uint32_t word) {
  uint32_t first = (uint32_t)(DRAM_FIRST >> 12), second = (uint32_t)(DRAM_SECOND >> 12);
  uint32_t last = DRAM_BYTES / DRAM_PAGE - 1;
  const uint32_t windows[] = {second, second + last, 3, 0, 5, 9, 3, 0, 0, 0, 0, 0, first,
                              first + last, 1, 0};
  new_machine();
  for (uint32_t at = 0; at < 16; at++) set_register(0xC0 + 4 * at, windows[at]);
  if (offset != 0) set_register(offset, word);
  machine.dma.control = 256;
}

static void check_lock(void) {
  uint32_t first = (uint32_t)(DRAM_FIRST >> 12), second = (uint32_t)(DRAM_SECOND >> 12);
  uint32_t last = DRAM_BYTES / DRAM_PAGE - 1;
  const struct {
    uint32_t offset, word;
    heddle_status wanted;
  } rows[] = {{0, 0, HEDDLE_OK},
              {0xF0, first - 1, HEDDLE_OK}, /* larger than the pool */
              {0xF4, first + last + 1, HEDDLE_OK},
              {0xF0, first + 1, HEDDLE_E_LOCK},
              {0xF4, first + last - 1, HEDDLE_E_LOCK},
              {0xF8, 0, HEDDLE_E_LOCK},
              {0xF8, 3, HEDDLE_E_LOCK}, /* the DMA may write the ring */
              {0xD4, first, HEDDLE_E_LOCK},
              {0xC0, second + 1, HEDDLE_E_LOCK},
              {0xC4, second + last - 1, HEDDLE_E_LOCK},
              {0xC8, 1, HEDDLE_E_LOCK},
              {0xC8, 2, HEDDLE_E_LOCK}};
  for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
    lock(rows[at].offset, rows[at].word);
    expect(open_driver(), rows[at].wanted, "locked windows");
    CHECK(machine.happened % 16 / 8 == 0 && at_register(0x6C) == 0x1234,
          "row %u: locked registers are not written", (unsigned)at);
    if (rows[at].wanted != HEDDLE_OK) continue;
    expect(load_image(bytes_of_sample()), HEDDLE_OK, "load");
    infer(3);
  }
}

static void check_buses(void) {
  static const uint64_t bad[][2] = {{DRAM_FIRST + 64, DRAM_SECOND},
                                    {DRAM_FIRST, DRAM_SECOND << 1},
                                    {DRAM_FIRST, (UINT64_C(1) << 36) - DRAM_PAGE},
                                    {DRAM_FIRST, DRAM_FIRST + DRAM_BYTES - DRAM_PAGE}};
  for (size_t at = 0; at < sizeof bad / sizeof *bad; at++) {
    memcpy(dram_places, bad[at], sizeof dram_places);
    new_machine();
    expect(open_driver(), HEDDLE_E_TO_BUS, "places of the pools");
    CHECK(machine.writes == 0, "nothing was written");
  }
  dram_places[0] = DRAM_FIRST;
  dram_places[1] = (UINT64_C(1) << 36) - DRAM_BYTES;
  begin();
  infer(2);
  dram_places[1] = DRAM_SECOND;
  dram_scattered = 1;
  new_machine();
  expect(open_driver(), HEDDLE_E_TO_BUS, "pages that are not one piece");
  dram_scattered = 0;
  heddle_pool elsewhere = {NULL, HEDDLE_PAGE};
  uint8_t *memory = malloc(2 * HEDDLE_PAGE);
  elsewhere.begin = memory + (HEDDLE_PAGE - (uintptr_t)memory % HEDDLE_PAGE);
  heddle_platform hooks = platform();
  expect(heddle_open(&driver, &hooks, &pools[0], &elsewhere), HEDDLE_E_TO_BUS,
         "a pool that the DMA does not know");
  free(memory);
}

static void check_calls(void) {
  begin();
  uint32_t writes = machine.writes;
  expect(heddle_ring(NULL, ring, 4), HEDDLE_E_NULL, "no machine");
  expect(heddle_ring(&driver, ring + 32, 4), HEDDLE_E_ALIGNMENT, "ring within a line");
  expect(heddle_ring(&driver, read_write, 4), HEDDLE_E_FOREIGN_BUFFER, "ring in the other pool");
  expect(heddle_ring(&driver, read_only + POOL - 15 * 64, 4), HEDDLE_E_FOREIGN_BUFFER,
         "ring behind its pool");
  expect(load_image(bytes_of_sample()), HEDDLE_OK, "load");
  const void *first[] = {ring}, *last[] = {ring + 15 * 64}, *clear[] = {ring - 64};
  void *of_all[] = {output};
  writes = machine.writes;
  expect(heddle_submit(&driver, &net, first, of_all, 1), HEDDLE_E_OVERLAP, "input in the ring");
  expect(heddle_submit(&driver, &net, last, of_all, 1), HEDDLE_E_OVERLAP, "input at its end");
  CHECK(machine.writes == writes, "nothing was written");
  expect(heddle_submit(&driver, &net, clear, of_all, 1), HEDDLE_OK, "input in front of the ring");
  expect(heddle_wait(&driver, LIMIT), HEDDLE_OK, "wait");
  /* The image may lie in no entry of the ring, and up to its begin. */
  uint32_t size = bytes_of_sample();
  for (uint32_t line = 0; line < 2; line++) {
    uint8_t *place = read_only + size - 64 * line;
    expect(heddle_ring(&driver, place, 4), HEDDLE_OK, "ring behind the image");
    expect(load_image(size), line == 0 ? HEDDLE_OK : HEDDLE_E_OVERLAP, "image up to the ring");
  }
  expect(heddle_ring(&driver, ring, 4), HEDDLE_OK, "ring");
  expect(load_image(size), HEDDLE_OK, "load");
  writes = machine.writes;
  expect(heddle_ring(&driver, ring, 0), HEDDLE_E_RING_SIZE, "one entry");
  expect(heddle_ring(&driver, ring, 11), HEDDLE_E_RING_SIZE, "2,048 entries");
  CHECK(machine.writes == writes, "nothing was written");
  const void *inputs[] = {input};
  void *outputs[] = {output};
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_OK, "submit");
  expect(heddle_ring(&driver, ring, 4), HEDDLE_E_OPEN, "ring while an inference is under way");
  expect(heddle_wait(&driver, LIMIT), HEDDLE_OK, "wait");
  expect(heddle_ring(&driver, read_only + POOL - 16 * 64, 4), HEDDLE_OK, "at the end of its pool");
  expect(heddle_submit(&driver, &net, inputs, outputs, 1), HEDDLE_E_NET, "another ring");
  expect(load_image(bytes_of_sample()), HEDDLE_OK, "load");
  infer(AT_ONCE);
  /* Two inferences have 14 entries, and one stays free. */
  expect(heddle_ring(&driver, ring, 3), HEDDLE_OK, "a small ring");
  writes = machine.writes;
  expect(load_image(bytes_of_sample()), HEDDLE_E_RING, "two inferences in eight entries");
  expect(heddle_ring(&driver, ring, 4), HEDDLE_OK, "ring");
  builder own = sample();
  put32(own.content[END_JOBS] + 2 * 64, 0);
  uint32_t bytes = build(&own, image);
  writes = machine.writes;
  expect(load_image(bytes), HEDDLE_E_FENCE, "no fence");
  own = sample();
  put32(own.content[RUNS] + 64, 5);
  expect(load_image(build(&own, image)), HEDDLE_E_FENCE, "two fences");
  own = sample();
  put32(own.content[END_JOBS] + 2 * 64, 0);
  put32(own.content[RUNS] + 64, 5);
  expect(load_image(build(&own, image)), HEDDLE_E_FENCE, "a fence that is not the last job");
  CHECK(machine.writes == writes, "nothing was written");
  /* The ring off: the same bytes over the window port. */
  expect(heddle_ring(&driver, NULL, 0), HEDDLE_OK, "no ring");
  expect(load_image(bytes_of_sample()), HEDDLE_OK, "load");
  uint32_t taken = machine.dma.taken;
  infer(AT_ONCE);
  CHECK(machine.dma.taken == taken && machine.seeks > 0, "no job was taken");
  with_dma = 0;
  ring_log = 0;
  begin();
  expect(heddle_ring(&driver, ring, 4), HEDDLE_E_DMA, "a machine without a DMA");
  infer(1);
  with_dma = 1;
  ring_log = 4;
}

void check_ring(void) {
  with_dma = 1;
  ring_log = 4;
  check_order();
  check_long_once();
  check_meeting();
  check_segments();
  check_windows();
  check_lock();
  check_buses();
  check_calls();
}
