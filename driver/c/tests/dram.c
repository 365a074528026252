#include "dram.h"

#include <assert.h>
#include <string.h>

typedef struct pool {
  uint8_t *host; /* what the processor sees */
  uint8_t memory[DRAM_BYTES];
  uint8_t same[DRAM_BYTES];                 /* what the processor saw when a line was not dirty */
  uint8_t cleaned[DRAM_BYTES / DRAM_LINE]; /* on its way to memory */
} pool;

static pool pools[DRAM_POOLS];
int dram_scattered;
uint64_t dram_places[DRAM_POOLS] = {DRAM_FIRST, DRAM_SECOND};

void dram_init(uint8_t *first, uint8_t *second) {
  pools[0].host = first;
  pools[1].host = second;
  for (int at = 0; at < DRAM_POOLS; at++) {
    memset(pools[at].memory, 0x5A, DRAM_BYTES);
    memset(pools[at].cleaned, 0, sizeof pools[at].cleaned);
    memcpy(pools[at].same, pools[at].host, DRAM_BYTES);
  }
}

/* The pool of an address, and the byte in it. */
static pool *pool_of(uint64_t address, size_t *byte) {
  for (int at = 0; at < DRAM_POOLS; at++) {
    if (address < dram_places[at] || address - dram_places[at] >= DRAM_BYTES) continue;
    *byte = (size_t)(address - dram_places[at]);
    return &pools[at];
  }
  return NULL;
}

uint8_t *dram_at(uint64_t address) {
  size_t byte;
  pool *own = pool_of(address, &byte);
  return own == NULL ? NULL : own->memory + byte;
}

void dram_written(uint64_t address) {
  size_t byte;
  pool *own = pool_of(address, &byte);
  byte -= byte % DRAM_LINE;
  if (memcmp(own->host + byte, own->same + byte, DRAM_LINE) == 0) return;
  memcpy(own->memory + byte, own->host + byte, DRAM_LINE);
  memcpy(own->same + byte, own->host + byte, DRAM_LINE);
}

/* The pool of a range of lines, and its first byte there. */
static pool *lines_of(const void *begin, size_t bytes, size_t *first) {
  for (int at = 0; at < DRAM_POOLS; at++) {
    uintptr_t from = (uintptr_t)pools[at].host, place = (uintptr_t)begin;
    if (place < from || place - from >= DRAM_BYTES) continue;
    *first = place - from;
    assert(*first % DRAM_LINE == 0 && bytes % DRAM_LINE == 0 && bytes <= DRAM_BYTES - *first);
    return &pools[at];
  }
  assert(0);
  return NULL;
}

void dram_clean(void *context, const void *begin, size_t bytes) {
  size_t first;
  pool *own = lines_of(begin, bytes, &first);
  (void)context;
  memset(own->cleaned + first / DRAM_LINE, 1, bytes / DRAM_LINE);
}

void dram_barrier(void *context) {
  (void)context;
  for (int at = 0; at < DRAM_POOLS; at++) {
    pool *own = &pools[at];
    for (size_t line = 0; line < DRAM_BYTES / DRAM_LINE; line++) {
      if (!own->cleaned[line]) continue;
      own->cleaned[line] = 0;
      memcpy(own->memory + line * DRAM_LINE, own->host + line * DRAM_LINE, DRAM_LINE);
      memcpy(own->same + line * DRAM_LINE, own->host + line * DRAM_LINE, DRAM_LINE);
    }
  }
}

void dram_invalidate(void *context, void *begin, size_t bytes) {
  size_t first;
  pool *own = lines_of(begin, bytes, &first);
  (void)context;
  memcpy(own->host + first, own->memory + first, bytes);
  memcpy(own->same + first, own->memory + first, bytes);
}

int dram_to_bus(void *context, const void *place, uint64_t *address) {
  (void)context;
  for (int at = 0; at < DRAM_POOLS; at++) {
    uintptr_t from = (uintptr_t)pools[at].host, own = (uintptr_t)place;
    if (own < from || own - from >= DRAM_BYTES) continue;
    *address = dram_places[at] + (own - from);
    if (dram_scattered && at == 1 && own - from >= DRAM_PAGE) *address += DRAM_PAGE;
    return 1;
  }
  return 0;
}
