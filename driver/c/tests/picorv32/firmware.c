/* From reset to scores on a PicoRV32: the driver, the ring and the interrupt of the machine. */
#include "../../heddle.h"
#include "soc.h"

#define MACHINE (1u << 3) /* its line */
#define TIMER (1u << 0)
#define LIMIT 1000000u

/* Lines of the last interrupt: the handler sets it. */
volatile uint32_t interrupt;

static soc_user *const user = (soc_user *)SOC_USER;
static heddle device;
static heddle_net net;

static uint32_t read32(void *port, uint32_t at) { return *(volatile uint32_t *)((char *)port + at); }
static void write32(void *port, uint32_t at, uint32_t word) { *(volatile uint32_t *)((char *)port + at) = word; }

static uint32_t now(void *port) {
  uint32_t cycles;
  (void)port;
  __asm__ volatile(".option push\n.option arch, +zicsr\nrdcycle %0\n.option pop" : "=r"(cycles));
  return cycles;
}

static void allow(uint32_t lines) { __asm__ volatile(".insn r 0x0B, 0, 3, x0, %0, x0" ::"r"(~lines) : "memory"); }
static void set_timer(uint32_t ticks) { __asm__ volatile(".insn r 0x0B, 0, 5, x0, %0, x0" ::"r"(ticks)); }

static void wait_irq(void *port, uint32_t ticks) {
  (void)port;
  if (ticks == 0) return;
  interrupt = 0;
  set_timer(ticks);
  allow(MACHINE | TIMER);
  while (interrupt == 0) {
  }
  set_timer(0);
  if (interrupt & MACHINE) user->interrupts++;
}

static int to_bus(void *port, const void *place, uint64_t *address) {
  (void)port;
  *address = (uintptr_t)place;
  return 1;
}

static heddle_status classify(void) {
  heddle_platform platform = {0};
  platform.context = (void *)SOC_REGISTERS;
  platform.read32 = read32;
  platform.write32 = write32;
  platform.now = now;
  platform.wait_irq = wait_irq;
  platform.to_bus = to_bus;
  heddle_pool in = {(void *)SOC_POOL_IN, SOC_POOL_IN_BYTES}, out = {(void *)SOC_POOL_OUT, SOC_POOL_OUT_BYTES};
  uint8_t *input = (uint8_t *)SOC_IMAGE + (user->image_bytes + HEDDLE_LINE - 1) / HEDDLE_LINE * HEDDLE_LINE;
  uint8_t *output = out.begin;
  const void *inputs[SOC_IMAGES];
  void *outputs[SOC_IMAGES];

  heddle_status status = heddle_open(&device, &platform, &in, &out);
  user->opened = now(NULL);
  if (status == HEDDLE_OK) status = heddle_ring(&device, in.begin, 6);
  if (status == HEDDLE_OK) status = heddle_load(&device, &net, (void *)SOC_IMAGE, user->image_bytes, NULL);
  user->loaded = now(NULL);
  for (uint32_t at = 0; at < SOC_IMAGES && status == HEDDLE_OK; at++) {
    const void *picture = user->pictures[at];
    inputs[at] = input + at * net.input_bytes;
    outputs[at] = output + at * net.output_bytes;
    status = heddle_pack(&net, &picture, 1, (void *)inputs[at], NULL);
  }
  user->submitted = now(NULL);
  if (status == HEDDLE_OK) status = heddle_submit(&device, &net, inputs, outputs, SOC_IMAGES);
  if (status == HEDDLE_OK) status = heddle_wait(&device, LIMIT);
  for (uint32_t at = 0; at < SOC_IMAGES && status == HEDDLE_OK; at++) {
    void *scores = user->scores[at];
    status = heddle_unpack(&net, outputs[at], &scores, 1, NULL);
  }
  user->done = now(NULL);
  return status;
}

int main(void) {
  heddle_status status = classify();
  return status == HEDDLE_OK ? 0 : (int)(uintptr_t)heddle_error_text(status);
}
