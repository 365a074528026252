/* What the parts of the conformance list share: a machine, its driver, a sample image. */
#ifndef BENCH_H
#define BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../heddle.h"
#include "device.h"
#include "dram.h"
#include "image.h"

/* Bytes of a pool, of buffers in it, and of what lies in front of the ring. */
enum { POOL = DRAM_BYTES, ROOM = 8 * HEDDLE_PAGE, LIMIT = 1000000, AT_ONCE = 5 };

/* How the list runs: on a machine with a DMA, with a ring of 2^ring_log entries (0: none). */
extern int with_dma;
extern uint32_t ring_log;

extern uint8_t *read_only, *read_write, *ring;
extern heddle_pool pools[2];
extern uint8_t *image, *input, *output;
extern device machine;
extern heddle driver;
extern heddle_net net;
extern int seen[HEDDLE_STATUSES];
extern unsigned checks;

#define CHECK(holds, ...)                                         \
  do {                                                            \
    checks++;                                                     \
    if (!(holds)) {                                               \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #holds); \
      fprintf(stderr, __VA_ARGS__);                               \
      fprintf(stderr, "\n");                                      \
      exit(1);                                                    \
    }                                                             \
  } while (0)

/* A status as it must be; that it was seen is remembered. */
void expect(heddle_status found, heddle_status wanted, const char *what);
heddle_platform platform(void);
void new_machine(void);
/* Opens the machine, and gives the driver its ring. */
heddle_status open_driver(void);
/* Every space, loops in all directions, tensors in parts, an operation behind the run. */
builder sample(void);
/* The same with a segment that is loaded between two runs, and a tensor that waits in the scratch. */
builder sample_in_segments(void);
uint32_t bytes_of_sample(void);
heddle_status load_image(uint32_t bytes);
/* A new machine with the sample. */
void begin(void);
/* Memories without what the sample needs; then heddle_reset, and all must be right. */
void recovers(void);
/* All memories as the sample's jobs that run once leave them. */
void check_memories(void);
/* Up to AT_ONCE inferences in one call, with all bytes as they must be. */
void infer(uint32_t count);

void check_runs(void);
void check_information(void);
void check_bad_images(void);
void check_random(unsigned count);
void check_bad_calls(void);
void check_faults(void);
void check_vectors(const char *path);
void check_ring(void);
void check_ring_faults(void);

#endif
