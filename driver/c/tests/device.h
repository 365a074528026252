/* A machine of 2 x 2 behind the registers of docs/registers.md, with numbers of its own. */
#ifndef DEVICE_H
#define DEVICE_H

#include <stdint.h>

enum { ROWS = 2, COLUMNS = 2, WORDS = 32, TILES = 2, PROGRAM_WORDS = 64, CONFIG = 0x1234ABCD };

typedef struct device {
  uint32_t id, version, config, shape, caps;
  /* What goes wrong. */
  int port_hangs, reset_hangs, cluster_hangs, never_starts, never_ends, refuses;
  uint32_t error_code, clock_step;
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
} device;

void device_init(device *own);
uint32_t device_read(void *own, uint32_t offset);
void device_write(void *own, uint32_t offset, uint32_t word);
uint32_t device_now(void *own);
void device_wait_irq(void *own, uint32_t ticks);

#endif
