/* The conformance list: what a driver must do with a machine, with images, and with everything that
 * is wrong.
 *
 * Usage: conformance VECTORS    (written by vectors.py)
 */
#include "bench.h"

static uint8_t *pages(void) {
  uint8_t *memory = malloc(POOL + HEDDLE_PAGE);
  return memory + (HEDDLE_PAGE - (uintptr_t)memory % HEDDLE_PAGE);
}

/* Machines without and with a DMA, rings of some sizes: the same bytes. */
static const struct {
  int with_dma;
  uint32_t ring_log;
} MODES[] = {{0, 0}, {1, 0}, {1, 4}, {1, 5}, {1, 10}};

int main(int count, char **arguments) {
  CHECK(count == 2, "usage: conformance VECTORS");
  read_only = pages();
  read_write = pages();
  pools[0].begin = image = read_only;
  pools[1].begin = read_write;
  pools[0].bytes = pools[1].bytes = POOL;
  input = read_only + IMAGE_BYTES;
  ring = read_only + ROOM;
  output = read_write + HEDDLE_PAGE;
  for (size_t mode = 0; mode < sizeof MODES / sizeof *MODES; mode++) {
    with_dma = MODES[mode].with_dma;
    ring_log = MODES[mode].ring_log;
    check_runs();
    check_information();
    check_bad_images();
    check_bad_calls();
    check_faults();
    if (ring_log == 0) check_vectors(arguments[1]);
    check_random(2000);
  }
  check_ring();
  check_ring_faults();
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
