/* The calls. What they have the machine do goes over the window port (heddle_port.c), or through
 * the ring of its DMA (heddle_ring.c). */
#include "heddle.h"

#include <string.h>

#include "heddle_internal.h"
#include "heddle_regs.h"

#define RING_LOG_MAX 10u
#define UNKNOWN_ADDRESS 1u /* no address of the window port */

static int has_dma(const heddle *device) { return HAS(device->machine.caps, HEDDLE_CAPS_DMA); }

heddle_status heddle_low(const heddle *device, uint32_t bits, heddle_status error) {
  uint32_t polls = 1;
  for (uint32_t poll = 0; poll < polls; poll++) {
    if ((heddle_read(device, HEDDLE_STATUS) & bits) == 0) return HEDDLE_OK;
    if (poll == 0) polls = heddle_patience(device);
  }
  return error;
}

heddle_status heddle_accesses(const heddle *device) {
  int refused = HAS(heddle_read(device, HEDDLE_IRQ_STATUS), HEDDLE_IRQ_STATUS_BAD_ACCESS);
  return refused ? HEDDLE_E_ACCESS : HEDDLE_OK;
}

/* The engine stops, errors are gone; memories keep what they have. Nothing of a DMA is under way
 * behind it. */
static heddle_status reset_engine(heddle *device) {
  heddle_write(device, HEDDLE_CTRL, HEDDLE_CTRL_RESET_MASK);
  device->running = 0;
  device->port_address = UNKNOWN_ADDRESS;
  heddle_status status = heddle_low(device, HEDDLE_STATUS_RESETTING_MASK, HEDDLE_E_RESET);
  if (status == HEDDLE_OK && has_dma(device))
    status = heddle_low(device, HEDDLE_STATUS_HUNG_MASK, HEDDLE_E_HUNG);
  uint32_t all = HEDDLE_IRQ_STATUS_DONE_MASK | HEDDLE_IRQ_STATUS_ERROR_MASK |
                 HEDDLE_IRQ_STATUS_BAD_ACCESS_MASK;
  if (has_dma(device)) all |= HEDDLE_IRQ_STATUS_QUEUE_EMPTY_MASK;
  heddle_write(device, HEDDLE_IRQ_ENABLE, 0);
  heddle_write(device, HEDDLE_IRQ_STATUS, all);
  return status;
}

/* What the machine says of an error. */
static heddle_status error_of(heddle *device) {
  uint32_t place = heddle_read(device, HEDDLE_ERROR_PC);
  device->engine_error = heddle_read(device, HEDDLE_ERROR);
  device->engine_pc = GET(place, HEDDLE_ERROR_PC_PC);
  if (!has_dma(device)) return HEDDLE_E_ENGINE;
  device->engine_index = GET(place, HEDDLE_ERROR_PC_INDEX);
  device->engine_address = heddle_read(device, HEDDLE_ERROR_ADDR_HI);
  device->engine_address = device->engine_address << 32 | heddle_read(device, HEDDLE_ERROR_ADDR_LO);
  switch (GET(device->engine_error, HEDDLE_ERROR_CODE)) {
    case HEDDLE_ERROR_IS_BUS:
      return HEDDLE_E_BUS;
    case HEDDLE_ERROR_IS_WINDOW:
      return HEDDLE_E_WINDOW;
    case HEDDLE_ERROR_IS_TIMEOUT:
      return GET(device->engine_error, HEDDLE_ERROR_SOURCE) == HEDDLE_SOURCE_IS_JOBS
                 ? HEDDLE_E_RUN_LIMIT
                 : HEDDLE_E_TIMEOUT;
    case HEDDLE_ERROR_IS_JOB:
      return HEDDLE_E_REFUSED;
    default:
      return HEDDLE_E_ENGINE;
  }
}

/* Keeps the first error and stops the engine, so that buffers may go back to the caller. If that
 * does not succeed, it is the error. */
static heddle_status fail(heddle *device, heddle_status error) {
  if (error == HEDDLE_E_ENGINE) error = error_of(device);
  heddle_status status = reset_engine(device);
  if (device->ring != NULL) heddle_ring_give_back(device);
  device->failed = status == HEDDLE_OK ? error : status;
  return device->failed;
}

static heddle_status run_once(heddle *device) {
  heddle_status status =
      device->ring != NULL ? heddle_ring_once(device) : heddle_port_once(device);
  return status == HEDDLE_OK ? HEDDLE_OK : fail(device, status);
}

static uintptr_t number_of(const void *place) { return (uintptr_t)place; }

static int is_pool(const heddle_pool *pool) {
  uintptr_t begin = number_of(pool->begin);
  return begin != 0 && begin % HEDDLE_PAGE == 0 && pool->bytes % HEDDLE_PAGE == 0 &&
         pool->bytes <= UINTPTR_MAX - begin;
}

static size_t lines_of(size_t bytes) {
  return (bytes + HEDDLE_LINE - 1u) / HEDDLE_LINE * HEDDLE_LINE;
}

static heddle_status check_buffer(const heddle_pool *pool, const void *buffer, size_t bytes) {
  uintptr_t begin = number_of(buffer), from = number_of(pool->begin);
  size_t lines = lines_of(bytes);
  if (buffer == NULL) return HEDDLE_E_NULL;
  if (begin % HEDDLE_LINE != 0) return HEDDLE_E_ALIGNMENT;
  if (begin < from || begin - from > pool->bytes || lines < bytes ||
      lines > pool->bytes - (begin - from)) {
    return HEDDLE_E_FOREIGN_BUFFER;
  }
  return HEDDLE_OK;
}

/* Whether two buffers, each in its pool, have a line in common. */
static int meet(const void *a, size_t bytes_of_a, const void *b, size_t bytes_of_b) {
  uintptr_t first = number_of(a), second = number_of(b);
  return bytes_of_a > 0 && bytes_of_b > 0 && first < second + lines_of(bytes_of_b) &&
         second < first + lines_of(bytes_of_a);
}

static int is_in_ring(const heddle *device, const void *buffer, size_t bytes) {
  return meet(buffer, bytes, device->ring, (size_t)HEDDLE_JOB_SIZE * device->ring_entries);
}

/* The buffers of inference `index`. `end` is that of the outputs before it: one behind them meets
 * none of them, any other is compared with each. */
static heddle_status check_buffers(const heddle *device, const heddle_net *net, const void *input,
                                   void *const *outputs, uint32_t index, uintptr_t *end) {
  const void *output = outputs[index];
  uint32_t bytes = net->output_bytes;
  TRY(check_buffer(&device->read_only, input, net->input_bytes));
  TRY(check_buffer(&device->read_write, output, bytes));
  NEED(!is_in_ring(device, input, net->input_bytes), HEDDLE_E_OVERLAP);
  NEED(!meet(input, net->input_bytes, net->image, net->bytes), HEDDLE_E_OVERLAP);
  NEED(!meet(output, bytes, net->scratch, net->scratch_bytes), HEDDLE_E_OVERLAP);
  for (uint32_t before = 0; number_of(output) < *end && before < index; before++)
    NEED(!meet(output, bytes, outputs[before], bytes), HEDDLE_E_OVERLAP);
  if (number_of(output) + bytes > *end) *end = number_of(output) + bytes;
  return HEDDLE_OK;
}

heddle_status heddle_open(heddle *device, const heddle_platform *platform,
                          const heddle_pool *read_only, const heddle_pool *read_write) {
  if (device == NULL || platform == NULL || read_only == NULL || read_write == NULL)
    return HEDDLE_E_NULL;
  if (platform->read32 == NULL || platform->write32 == NULL || platform->now == NULL)
    return HEDDLE_E_HOOK;
  if (!is_pool(read_only) || !is_pool(read_write)) return HEDDLE_E_POOL;
  uintptr_t ro = number_of(read_only->begin), rw = number_of(read_write->begin);
  if (ro < rw + read_write->bytes && rw < ro + read_only->bytes) return HEDDLE_E_POOL;
  memset(device, 0, sizeof *device);
  device->platform = *platform;
  device->read_only = *read_only;
  device->read_write = *read_write;
  if (heddle_read(device, HEDDLE_ID) != HEDDLE_ID_VALUE_RESET) return HEDDLE_E_ID;
  uint32_t version = heddle_read(device, HEDDLE_VERSION);
  if (GET(version, HEDDLE_VERSION_MAJOR) != HEDDLE_VERSION_MAJOR_RESET) return HEDDLE_E_VERSION;
  device->machine.config = heddle_read(device, HEDDLE_CONFIG);
  device->machine.shape = heddle_read(device, HEDDLE_SHAPE);
  device->machine.caps = heddle_read(device, HEDDLE_CAPS);
  if (!has_dma(device)) return reset_engine(device);
  if (platform->to_bus != NULL) TRY(heddle_map(device));
  TRY(reset_engine(device));
  return heddle_windows(device);
}

heddle_status heddle_ring(heddle *device, void *ring, uint32_t log_entries) {
  NEED(device != NULL, HEDDLE_E_NULL);
  NEED(device->failed == HEDDLE_OK, device->failed);
  NEED(device->done == device->submitted, HEDDLE_E_OPEN);
  if (ring != NULL) {
    NEED(has_dma(device), HEDDLE_E_DMA);
    NEED(device->platform.to_bus != NULL, HEDDLE_E_HOOK);
    NEED(log_entries - 1u < RING_LOG_MAX, HEDDLE_E_RING_SIZE);
    NEED(number_of(ring) % HEDDLE_JOB_SIZE == 0, HEDDLE_E_ALIGNMENT);
    TRY(check_buffer(&device->read_only, ring, (size_t)HEDDLE_JOB_SIZE << log_entries));
  }
  device->net = NULL;
  device->ring = ring;
  device->ring_entries = ring != NULL ? 1u << log_entries : 0;
  device->failed = reset_engine(device);
  return device->failed;
}

heddle_status heddle_load(heddle *device, heddle_net *net, const void *image, size_t bytes,
                          void *scratch) {
  heddle_net checked;
  if (device == NULL || net == NULL) return HEDDLE_E_NULL;
  if (device->failed != HEDDLE_OK) return device->failed;
  if (device->done < device->submitted) return HEDDLE_E_OPEN;
  heddle_status status = check_buffer(&device->read_only, image, bytes);
  if (status == HEDDLE_OK && is_in_ring(device, image, bytes)) status = HEDDLE_E_OVERLAP;
  if (status == HEDDLE_OK)
    status = heddle_check(&checked, image, bytes, &device->machine, &device->place);
  if (status == HEDDLE_OK && checked.scratch_bytes > 0) {
    status = check_buffer(&device->read_write, scratch, checked.scratch_bytes);
  }
  if (status == HEDDLE_OK && device->ring != NULL) status = heddle_ring_holds(device, &checked);
  /* The window port does not set regions for programs. */
  if (status == HEDDLE_OK && device->ring == NULL &&
      HAS(heddle_get32(checked.image + HEDDLE_IMAGE_HEADER_CAPS), HEDDLE_CAPS_PROGRAM_DMA)) {
    status = HEDDLE_E_NO_RING;
  }
  /* The ring begins anew. */
  if (status == HEDDLE_OK && device->ring != NULL) status = device->failed = reset_engine(device);
  if (status != HEDDLE_OK) return status;
  checked.scratch = scratch;
  checked.overlaps = !heddle_lists_meet(&checked);
  checked.input_bytes = heddle_up(checked.input_bytes, HEDDLE_LINE);
  checked.output_bytes = heddle_up(checked.output_bytes, HEDDLE_LINE);
  *net = checked;
  device->net = net;
  return run_once(device);
}

heddle_status heddle_submit(heddle *device, const heddle_net *net, const void *const *inputs,
                            void *const *outputs, uint32_t count) {
  if (device == NULL || net == NULL || inputs == NULL || outputs == NULL) return HEDDLE_E_NULL;
  if (device->failed != HEDDLE_OK) return device->failed;
  if (net != device->net) return HEDDLE_E_NET;
  if (device->done < device->submitted) return HEDDLE_E_OPEN;
  uintptr_t end = 0;
  for (uint32_t index = 0; index < count; index++)
    TRY(check_buffers(device, net, inputs[index], outputs, index, &end));
  device->inputs = inputs;
  device->outputs = outputs;
  device->submitted = count;
  device->done = device->entry = 0;
  device->list = HEDDLE_IMAGE_KIND_BEGIN;
  if (device->ring != NULL && count > 0) heddle_ring_submit(device);
  return HEDDLE_OK;
}

heddle_status heddle_poll(heddle *device) {
  if (device == NULL) return HEDDLE_E_NULL;
  if (device->failed != HEDDLE_OK) return device->failed;
  if (device->done == device->submitted) return HEDDLE_OK;
  heddle_status status =
      device->ring != NULL ? heddle_ring_poll(device) : heddle_port_poll(device);
  return status > HEDDLE_BUSY ? fail(device, status) : status;
}

heddle_status heddle_wait(heddle *device, uint32_t limit) {
  if (device == NULL) return HEDDLE_E_NULL;
  const heddle_platform *platform = &device->platform;
  uint32_t began = platform->now(platform->context), before = began, same = 0;
  for (;;) {
    heddle_status status = heddle_poll(device);
    if (status != HEDDLE_BUSY) return status;
    uint32_t now = platform->now(platform->context);
    if (now - began >= limit) return fail(device, HEDDLE_E_LIMIT);
    same = now == before ? same + 1u : 0;
    before = now;
    if (same >= HEDDLE_POLLS) return fail(device, HEDDLE_E_CLOCK);
    if (platform->wait_irq != NULL) platform->wait_irq(platform->context, limit - (now - began));
  }
}

heddle_status heddle_reset(heddle *device) {
  if (device == NULL) return HEDDLE_E_NULL;
  device->submitted = device->done = 0;
  device->failed = reset_engine(device);
  if (device->failed != HEDDLE_OK || device->net == NULL) return device->failed;
  return run_once(device);
}

heddle_status heddle_counters(const heddle *device, uint32_t first, uint32_t count,
                              uint32_t *counters) {
  if (device == NULL || counters == NULL) return HEDDLE_E_NULL;
  uint32_t last = has_dma(device) ? HEDDLE_JOBS : HEDDLE_SLICE7_WRITES;
  if (first < HEDDLE_STALL_SUMS || first > last || first % 4u != 0) return HEDDLE_E_COUNTER;
  if (count > (last - first) / 4u + 1u) return HEDDLE_E_COUNTER;
  for (uint32_t at = 0; at < count; at++) counters[at] = heddle_read(device, first + 4u * at);
  return HEDDLE_OK;
}

const char *heddle_error_text(heddle_status status) {
  static const char *const texts[] = {"done", "inferences are under way",
#define TEXT(name, text) text,
                                      HEDDLE_ERRORS(TEXT)
#undef TEXT
  };
  return (uint32_t)status < HEDDLE_STATUSES ? texts[status] : "no status of this driver";
}
