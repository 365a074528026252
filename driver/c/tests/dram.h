/* Memory behind the cache of a processor. The device sees what the processor has written behind a
 * clean and a barrier; the processor sees what the device has written behind an invalidate. A line
 * that the processor has written and not cleaned goes to memory at the worst time: over what the
 * device has written there. */
#ifndef DRAM_H
#define DRAM_H

#include <stddef.h>
#include <stdint.h>

enum { DRAM_LINE = 64, DRAM_PAGE = 4096, DRAM_BYTES = 40 * DRAM_PAGE, DRAM_POOLS = 2 };

/* First bus address of the first pool; the second one lies beyond 32 bits. */
#define DRAM_FIRST UINT64_C(0x0000000040003000)
#define DRAM_SECOND UINT64_C(0x0000000A00000000)

extern int dram_scattered; /* the pages of the second pool are not one piece */
extern uint64_t dram_places[DRAM_POOLS];

/* Pools of DRAM_BYTES each; memory has nothing of them yet. */
void dram_init(uint8_t *first, uint8_t *second);
/* A word of memory, null if there is none. */
uint8_t *dram_at(uint64_t address);
/* Behind a word that the device has written. */
void dram_written(uint64_t address);

void dram_clean(void *context, const void *begin, size_t bytes);
void dram_invalidate(void *context, void *begin, size_t bytes);
void dram_barrier(void *context);
int dram_to_bus(void *context, const void *place, uint64_t *address);

#endif
