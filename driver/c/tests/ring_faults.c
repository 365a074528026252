/* A ring on which something goes wrong: at every entry, on a bus that hangs. Behind heddle_reset
 * everything is right. */
#include "bench.h"

enum { EACH = 7 };

static const void *inputs[AT_ONCE];
static void *outputs[AT_ONCE];

/* Five inferences that fail, or some that do. */
static void fails(heddle_status wanted, const char *what) {
  for (uint32_t at = 0; at < AT_ONCE; at++) {
    inputs[at] = input + 64 * at;
    outputs[at] = output + 64 * at;
    memset(outputs[at], 0xCC, 64);
  }
  expect(heddle_submit(&driver, &net, inputs, outputs, AT_ONCE), HEDDLE_OK, "submit");
  expect(heddle_wait(&driver, LIMIT), wanted, what);
  CHECK((machine.dma.control & 16) == 0 && machine.running == 0 && machine.enabled == 0,
        "%s: the machine rests", what);
  for (uint32_t at = 0; at < AT_ONCE; at++) {
    CHECK(memcmp(outputs[at], dram_at(DRAM_SECOND + HEDDLE_PAGE + 64 * at), 64) == 0,
          "%s: the processor sees output %u", what, at);
  }
}

/* Fences in front of entry `index` of five inferences: iLR. iLoSFR. iLoSFR. iLoSFR. iLoSFR. oSF */
static uint32_t fences_before(uint32_t index) {
  return index <= 4 ? 0 : index == 5 * EACH ? 5 : (index - 4 + 2) / EACH;
}

static void check_every_entry(void) {
  static const struct {
    uint32_t code;
    heddle_status wanted;
  } codes[] = {{9, HEDDLE_E_BUS},      {10, HEDDLE_E_WINDOW},  {11, HEDDLE_E_ENGINE},
               {12, HEDDLE_E_TIMEOUT}, {14, HEDDLE_E_REFUSED}, {3, HEDDLE_E_ENGINE}};
  unsigned tried = 0;
  for (size_t at = 0; at < sizeof codes / sizeof *codes; at++) {
    for (uint32_t entry = 0; entry < 5 * EACH; entry++, tried++) {
      begin();
      uint32_t index = (10 + entry) % 16;
      machine.dma.fault_at = entry + 1;
      machine.dma.fault_code = codes[at].code;
      fails(codes[at].wanted, "an error in the middle");
      CHECK(driver.done == fences_before(entry), "entry %u: %u are done", entry, driver.done);
      CHECK((driver.engine_error & 255) == codes[at].code && driver.engine_pc == 0 &&
                driver.engine_index == index &&
                driver.engine_address == DRAM_FIRST + ROOM + 64 * index,
            "entry %u: what and where", entry);
      recovers();
      infer(AT_ONCE);
    }
    /* In jobs that run once. */
    begin();
    machine.dma.fault_at = 4;
    machine.dma.fault_code = codes[at].code;
    expect(load_image(bytes_of_sample()), codes[at].wanted, "an error while loading");
    expect(load_image(bytes_of_sample()), codes[at].wanted, "the error stays");
    expect(heddle_ring(&driver, ring, 4), codes[at].wanted, "the error stays");
    recovers();
  }
  CHECK(tried == 6 * 5 * EACH, "%u errors", tried);
}

/* Windows that someone else has changed: a page in front of one, a page behind one, no page. */
static void check_foreign_windows(void) {
  static const struct {
    uint32_t offset, word;
    uint64_t address;
  } rows[] = {{0xC4, (uint32_t)(DRAM_FIRST >> 12) + 7, DRAM_FIRST + ROOM},
              {0xD0, (uint32_t)(DRAM_SECOND >> 12) + 2, DRAM_SECOND + HEDDLE_PAGE},
              {0xC8, 0, DRAM_FIRST + ROOM}};
  for (size_t at = 0; at < sizeof rows / sizeof *rows; at++) {
    begin();
    uint32_t *word = &machine.dma.words[rows[at].offset / 4], before = *word;
    *word = rows[at].word;
    fails(HEDDLE_E_WINDOW, "a window that is too small");
    CHECK(driver.engine_address - rows[at].address < 16 * 64, "row %u", (unsigned)at);
    *word = before;
    recovers();
  }
}

static void check_hung_bus(void) {
  /* Late answers: buffers come back when all are in. */
  begin();
  machine.dma.hangs = 20;
  machine.dma.holds = 500;
  fails(HEDDLE_E_TIMEOUT, "a bus that answers late");
  CHECK(machine.dma.hung == 0, "nothing is owed any more");
  recovers();
  /* None ever. */
  machine.dma.hangs = 20;
  machine.dma.holds = UINT32_MAX;
  fails(HEDDLE_E_HUNG, "a bus that never answers");
  expect(heddle_poll(&driver), HEDDLE_E_HUNG, "the error stays");
  expect(heddle_reset(&driver), HEDDLE_E_HUNG, "reset on a bus that hangs");
  expect(open_driver(), HEDDLE_E_HUNG, "open on a bus that hangs");
  machine.dma.hung = 0;
  begin();
  infer(AT_ONCE);
  /* The limit of the wait is reached while the bus hangs. */
  machine.dma.hangs = UINT32_MAX;
  machine.clock_step = 10000;
  fails(HEDDLE_E_LIMIT, "a limit on a bus that hangs");
  machine.dma.hangs = 0;
  recovers();
}

static void check_standing_queue(void) {
  begin();
  machine.dma.stalls = 1;
  expect(load_image(bytes_of_sample()), HEDDLE_E_QUEUE, "a ring that stands still");
  machine.dma.stalls = 0;
  recovers();
}

void check_ring_faults(void) {
  with_dma = 1;
  ring_log = 4;
  check_every_entry();
  check_foreign_windows();
  check_hung_bus();
  check_standing_queue();
}
