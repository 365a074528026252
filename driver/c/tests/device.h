/* A machine of 2 x 2 behind the registers of docs/registers.md, with numbers of its own. device.c
 * has the engine and the window port, dma.c the DMA and its job ring. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdint.h>

enum { ROWS = 2, COLUMNS = 2, WORDS = 32, TILES = 2, PROGRAM_WORDS = 64, CONFIG = 0x1234ABCD };

/* A LOAD or STORE of the ring that is under way. */
typedef struct command {
  uint32_t words[9], left, index;
  uint64_t base;
} command;

enum { QUEUE = 4, TRACE = 256 };

/* Of a machine with a DMA. */
typedef struct dma {
  /* What goes wrong: from the entry on of which so many are taken; the bus owes answers for so many
   * steps. */
  uint32_t fault_at, fault_code, hangs, holds, stalls;
  /* Registers by their place, head, fences, progress. */
  uint32_t words[64], control, head, fences, counters[11], hung;
  uint32_t error_word, error_place;
  uint64_t error_address;
  command loads[QUEUE], stores[QUEUE];
  uint32_t load_count, store_count, run_index, run_limit, is_empty, taken;
  char trace[TRACE + 1]; /* what was taken; i, o, g: regions of input, output, others */
} dma;

typedef struct device {
  uint32_t id, version, config, shape, caps;
  /* What goes wrong. */
  int port_hangs, reset_hangs, cluster_hangs, never_starts, never_ends, refuses;
  uint32_t error_code, clock_step;
  uint32_t early; /* so many times device_wait_irq returns behind some ticks */
  /* Registers. */
  uint32_t happened, enabled, pc, zero, address, low, word[2], cycles;
  uint32_t busy, resetting, running, done, error;
  /* Memories. */
  uint8_t buffer[ROWS][WORDS][8];
  uint32_t parameters[COLUMNS][TILES][3], rows[ROWS][256], tables[2048], program[PROGRAM_WORDS];
  uint32_t commands[8], weights[8][2], command_count, weight_count;
  /* What happened. */
  uint32_t writes, changes, starts, resets, interrupts, seeks, time, reads;
  int banks; /* the program lies in banks */
  int has_dma;
  dma dma;
} device;

void device_init(device *own);
void device_add_dma(device *own);
/* A word at an address of the host port. */
void device_put(device *own, uint32_t address, uint32_t low, uint32_t high, uint32_t zero);
void device_get(const device *own, uint32_t address, uint32_t zero, uint32_t word[2]);
void device_refuse(device *own);
/* The registers of the DMA; 0: there is none at this place. */
int dma_read(device *own, uint32_t offset, uint32_t *word);
int dma_write(device *own, uint32_t offset, uint32_t word);
uint32_t dma_status(const device *own);
void dma_reset(device *own);
void dma_error(device *own, uint32_t code, uint32_t source, uint64_t address, uint32_t index);
/* Some time passes. */
void dma_step(device *own);
uint32_t device_read(void *own, uint32_t offset);
void device_write(void *own, uint32_t offset, uint32_t word);
uint32_t device_now(void *own);
void device_wait_irq(void *own, uint32_t ticks);

#endif
