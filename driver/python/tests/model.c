/* The machine of the conformance list of the driver in C, for that of the driver in Python. */
#include "../../c/tests/bench.h"

void model_new(int dma) {
  if (read_only == NULL) {
    read_only = calloc(1, POOL);
    read_write = calloc(1, POOL);
  }
  with_dma = dma;
  new_machine();
}

uint32_t model_sample(uint8_t *file) {
  builder own = sample();
  return build(&own, file);
}

uint32_t model_segments(uint8_t *file) {
  builder own = sample_in_segments();
  return build(&own, file);
}

uint32_t model_read(uint32_t offset) { return device_read(&machine, offset); }
void model_write(uint32_t offset, uint32_t word) { device_write(&machine, offset, word); }

/* Whether the interrupt came. */
int model_wait(void) {
  device_wait_irq(&machine, 2000);
  return (machine.happened & machine.enabled) != 0;
}

uint32_t model_writes(void) { return machine.writes; }

void model_fault(uint32_t at, uint32_t code, uint32_t hangs, uint32_t holds) {
  machine.dma.fault_at = at;
  machine.dma.fault_code = code;
  machine.dma.hangs = hangs;
  machine.dma.holds = holds;
  if (holds == 0) machine.dma.hung = 0;
}

/* Programs of the machine can load and store. */
void model_program_loads(void) { machine.caps |= 2; }

void model_stall(uint32_t stalls) { machine.dma.stalls = stalls; }

void model_lock(uint32_t offset, uint32_t word) {
  machine.dma.words[offset / 4] = word;
  machine.dma.control |= 256;
}

/* What was taken since the last call. */
const char *model_trace(void) {
  static char trace[TRACE + 1];
  memcpy(trace, machine.dma.trace, sizeof trace);
  memset(machine.dma.trace, 0, sizeof machine.dma.trace);
  machine.dma.taken = 0;
  return trace;
}

uint8_t *model_memory(uint64_t address) { return dram_at(address); }
