/* The machine: registers, window port, job lists. Without a DMA the processor moves all words
 * itself. */
#include "heddle.h"

#include <string.h>

#include "heddle_internal.h"
#include "heddle_regs.h"

#define UNKNOWN_ADDRESS 1u /* no address of the window port */

/* Lists in the order of an inference: begin, runs, end. */
static const uint8_t LISTS[] = {HEDDLE_IMAGE_KIND_BEGIN, HEDDLE_IMAGE_KIND_RUNS,
                                HEDDLE_IMAGE_KIND_END};
#define LIST_COUNT 3u

static uint32_t read_register(const heddle *device, uint32_t offset) {
  return device->platform.read32(device->platform.context, offset);
}

static void write_register(heddle *device, uint32_t offset, uint32_t word) {
  device->platform.write32(device->platform.context, offset, word);
}

/* Waits until bits of STATUS are low. */
static heddle_status wait_low(const heddle *device, uint32_t bits, heddle_status error) {
  for (uint32_t poll = 0; poll < HEDDLE_POLLS; poll++) {
    if ((read_register(device, HEDDLE_STATUS) & bits) == 0) return HEDDLE_OK;
  }
  return error;
}

/* The engine stops, errors are gone; memories keep what they have. */
static heddle_status reset_engine(heddle *device) {
  write_register(device, HEDDLE_CTRL, HEDDLE_CTRL_RESET_MASK);
  device->running = 0;
  device->port_address = UNKNOWN_ADDRESS;
  heddle_status status = wait_low(device, HEDDLE_STATUS_RESETTING_MASK, HEDDLE_E_RESET);
  uint32_t all = HEDDLE_IRQ_STATUS_DONE_MASK | HEDDLE_IRQ_STATUS_ERROR_MASK |
                 HEDDLE_IRQ_STATUS_BAD_ACCESS_MASK;
  write_register(device, HEDDLE_IRQ_ENABLE, 0);
  write_register(device, HEDDLE_IRQ_STATUS, all);
  return status;
}

/* Keeps the first error and stops the engine, so that buffers may go back to the caller. */
static heddle_status fail(heddle *device, heddle_status error) {
  if (error == HEDDLE_E_ENGINE) {
    device->engine_error = read_register(device, HEDDLE_ERROR);
    device->engine_pc = GET(read_register(device, HEDDLE_ERROR_PC), HEDDLE_ERROR_PC_PC);
  }
  (void)reset_engine(device);
  device->failed = error;
  return error;
}

/* Window port */

static heddle_status wait_port(const heddle *device) {
  return wait_low(device, HEDDLE_STATUS_PORT_BUSY_MASK, HEDDLE_E_PORT);
}

/* Goes to an address, unless the machine has gone there by itself. */
static heddle_status seek(heddle *device, uint32_t address) {
  heddle_status status = wait_port(device);
  if (status == HEDDLE_OK && device->port_address != address)
    write_register(device, HEDDLE_PORT_ADDR, address);
  device->port_address = address + 8u;
  return status;
}

static heddle_status write_word(heddle *device, uint32_t address, const uint32_t word[2]) {
  heddle_status status = seek(device, address);
  if (status != HEDDLE_OK) return status;
  write_register(device, HEDDLE_PORT_WLO, word[0]);
  write_register(device, HEDDLE_PORT_WHI, word[1]);
  return HEDDLE_OK;
}

static heddle_status read_word(heddle *device, uint32_t address, uint8_t *memory) {
  heddle_status status = seek(device, address);
  if (status != HEDDLE_OK) return status;
  write_register(device, HEDDLE_PORT_CTRL, HEDDLE_PORT_CTRL_READ_MASK);
  status = wait_port(device);
  heddle_put32(memory, read_register(device, HEDDLE_PORT_RLO));
  heddle_put32(memory + 4, read_register(device, HEDDLE_PORT_RHI));
  return status;
}

/* LOAD and STORE */

/* First address of a memory at the window port, bytes from place to place, and to the next
 * partition, row or column. */
typedef struct window {
  uint32_t base, place, partition;
} window;

static window window_of(const heddle *device, uint32_t space) {
  static const window buffer = {HEDDLE_WINDOW_BUFFER}, columns = {HEDDLE_WINDOW_COLUMNS},
                      rows = {HEDDLE_WINDOW_ROWS};
  static const window tables = {HEDDLE_WINDOW_TABLES}, program = {HEDDLE_WINDOW_PROGRAM},
                      pairs = {HEDDLE_WINDOW_PAIRS};
  static const window weights = {HEDDLE_WINDOW_WEIGHTS}, commands = {HEDDLE_WINDOW_COMMANDS};
  switch (space) {
    case HEDDLE_SPACE_COLUMNS:
      return columns;
    case HEDDLE_SPACE_ROWS:
      return rows;
    case HEDDLE_SPACE_TABLES:
      return tables;
    case HEDDLE_SPACE_PROGRAM:
      return HAS(device->machine.caps, HEDDLE_CAPS_PROGRAM_BANKS) ? pairs : program;
    case HEDDLE_SPACE_WEIGHTS:
      return weights;
    case HEDDLE_SPACE_COMMANDS:
      return commands;
    default:
      return buffer;
  }
}

/* A place of a LOAD: one word, or two of column parameters and of a program that is written word by
 * word. */
static heddle_status load_place(heddle *device, uint32_t space, uint32_t address,
                                const uint8_t *memory) {
  uint32_t word[2] = {0, 0}, second[2] = {0, 0};
  if (memory == NULL) return write_word(device, address, word);
  word[0] = heddle_get32(memory);
  word[1] = heddle_get32(memory + 4);
  if (space == HEDDLE_SPACE_COLUMNS) {
    second[0] = heddle_get32(memory + 8);
    second[1] = heddle_get32(memory + 12);
  } else if (space == HEDDLE_SPACE_PROGRAM &&
             !HAS(device->machine.caps, HEDDLE_CAPS_PROGRAM_BANKS)) {
    second[0] = word[1];
    word[1] = 0;
  } else {
    return write_word(device, address, word);
  }
  heddle_status status = write_word(device, address, word);
  return status == HEDDLE_OK ? write_word(device, address + HEDDLE_WINDOW_SECOND, second) : status;
}

/* Where a loop is: address of the window port, and bytes of memory. */
typedef struct cursor {
  uint32_t address, memory;
} cursor;

/* Walks the three loops. `memory` is null for a fill. */
static heddle_status move(heddle *device, const heddle_transfer *own, uint8_t *memory,
                          int is_store) {
  window window = window_of(device, own->space);
  cursor step[3], z, y, x;
  for (int loop = 0; loop < 3; loop++) {
    step[loop].address =
        own->step[loop] * window.place + own->partition_step[loop] * window.partition;
    step[loop].memory = own->pitch[loop];
  }
  heddle_status status = wait_port(device);
  if (status != HEDDLE_OK) return status;
  write_register(device, HEDDLE_HOST_ZERO, own->zero);
  z.address = window.base + own->place * window.place + own->partition * window.partition;
  z.memory = own->offset;
  for (uint32_t k = own->count[2]; k > 0;
       k--, z.address += step[2].address, z.memory += step[2].memory) {
    y = z;
    for (uint32_t j = own->count[1]; j > 0;
         j--, y.address += step[1].address, y.memory += step[1].memory) {
      x = y;
      for (uint32_t i = own->count[0]; i > 0;
           i--, x.address += step[0].address, x.memory += step[0].memory) {
        uint8_t *at = memory == NULL ? NULL : memory + x.memory;
        status = is_store ? read_word(device, x.address, at)
                          : load_place(device, own->space, x.address, at);
        if (status != HEDDLE_OK) return status;
      }
    }
  }
  return wait_port(device);
}

static heddle_status transfer(heddle *device, const heddle_transfer *own, int is_store) {
  const heddle_net *net = device->net;
  uint8_t *memory = NULL, *region1 = NULL, *region2 = NULL;
  if (device->done < device->submitted) {
    /* LOADs only read their regions, and STOREs have no region 0. */
    memcpy(&region1, &device->inputs[device->done], sizeof region1);
    region2 = device->outputs[device->done];
  }
  if (own->fill == 0) {
    switch (own->region) {
      case 0:
        memcpy(&memory, &net->image, sizeof memory);
        break;
      case 1:
        memory = region1;
        break;
      case 2:
        memory = region2;
        break;
      default:
        memory = net->scratch;
        break;
    }
    if (memory == NULL) return HEDDLE_E_JOB_REGION;
  }
  return move(device, own, memory, is_store);
}

/* Jobs */

static heddle_status start(heddle *device, const uint8_t *job) {
  heddle_status status = wait_low(device, HEDDLE_STATUS_CLUSTER_BUSY_MASK, HEDDLE_E_CLUSTER);
  if (status != HEDDLE_OK) return status;
  write_register(device, HEDDLE_START_PC, WORD(job, 2));
  write_register(device, HEDDLE_IRQ_STATUS,
                 HEDDLE_IRQ_STATUS_DONE_MASK | HEDDLE_IRQ_STATUS_ERROR_MASK);
  write_register(device, HEDDLE_IRQ_ENABLE,
                 HEDDLE_IRQ_ENABLE_DONE_MASK | HEDDLE_IRQ_ENABLE_ERROR_MASK);
  if (device->platform.barrier != NULL) device->platform.barrier(device->platform.context);
  write_register(device, HEDDLE_CTRL, HEDDLE_CTRL_START_MASK);
  device->running = 1;
  device->limit = WORD(job, 3);
  return HEDDLE_OK;
}

/* What a run has come to. */
static heddle_status look(heddle *device) {
  uint32_t status = read_register(device, HEDDLE_STATUS);
  if (HAS(status, HEDDLE_STATUS_RUNNING)) {
    int is_late = device->limit != 0 && read_register(device, HEDDLE_CYCLES) > device->limit;
    return is_late ? HEDDLE_E_RUN_LIMIT : HEDDLE_BUSY;
  }
  if (HAS(status, HEDDLE_STATUS_ERROR)) return HEDDLE_E_ENGINE;
  if (!HAS(status, HEDDLE_STATUS_DONE)) return HEDDLE_E_START;
  write_register(device, HEDDLE_IRQ_ENABLE, 0);
  device->running = 0;
  return HEDDLE_OK;
}

/* A job when no program runs. Loads and stores are done when it returns, so there is nothing more
 * to wait for. */
static heddle_status do_job(heddle *device, const uint8_t *job) {
  heddle_transfer own;
  uint32_t type;
  heddle_status status = heddle_job(job, &type, &own);
  if (status != HEDDLE_OK) return status;
  switch (type) {
    case HEDDLE_JOB_IS_RUN:
      return start(device, job);
    case HEDDLE_JOB_IS_LOAD:
      return transfer(device, &own, 0);
    case HEDDLE_JOB_IS_STORE:
      return transfer(device, &own, 1);
    default:
      return HEDDLE_OK;
  }
}

/* Whether the machine has refused an access since the last look. */
static heddle_status check_accesses(const heddle *device) {
  int refused = HAS(read_register(device, HEDDLE_IRQ_STATUS), HEDDLE_IRQ_STATUS_BAD_ACCESS);
  return refused ? HEDDLE_E_ACCESS : HEDDLE_OK;
}

static heddle_status run_once(heddle *device) {
  heddle_status status = HEDDLE_OK;
  uint32_t count = heddle_entries(device->net, HEDDLE_IMAGE_KIND_ONCE);
  for (uint32_t index = 0; index < count && status == HEDDLE_OK; index++) {
    status = do_job(device, heddle_entry(device->net, HEDDLE_IMAGE_KIND_ONCE, index));
  }
  if (status == HEDDLE_OK) status = check_accesses(device);
  return status == HEDDLE_OK ? HEDDLE_OK : fail(device, status);
}

/* Calls */

static uintptr_t number_of(const void *place) { return (uintptr_t)place; }

static int is_pool(const heddle_pool *pool) {
  uintptr_t begin = number_of(pool->begin);
  return begin != 0 && begin % HEDDLE_PAGE == 0 && pool->bytes % HEDDLE_PAGE == 0 &&
         pool->bytes <= UINTPTR_MAX - begin;
}

static heddle_status check_buffer(const heddle_pool *pool, const void *buffer, size_t bytes) {
  uintptr_t begin = number_of(buffer), from = number_of(pool->begin);
  size_t lines = (bytes + HEDDLE_LINE - 1u) / HEDDLE_LINE * HEDDLE_LINE;
  if (buffer == NULL) return HEDDLE_E_NULL;
  if (begin % HEDDLE_LINE != 0) return HEDDLE_E_ALIGNMENT;
  if (begin < from || begin - from > pool->bytes || lines < bytes ||
      lines > pool->bytes - (begin - from)) {
    return HEDDLE_E_FOREIGN_BUFFER;
  }
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
  if (read_register(device, HEDDLE_ID) != HEDDLE_ID_VALUE_RESET) return HEDDLE_E_ID;
  uint32_t version = read_register(device, HEDDLE_VERSION);
  if (GET(version, HEDDLE_VERSION_MAJOR) != HEDDLE_VERSION_MAJOR_RESET) return HEDDLE_E_VERSION;
  device->machine.config = read_register(device, HEDDLE_CONFIG);
  device->machine.shape = read_register(device, HEDDLE_SHAPE);
  device->machine.caps = read_register(device, HEDDLE_CAPS);
  return reset_engine(device);
}

heddle_status heddle_load(heddle *device, heddle_net *net, const void *image, size_t bytes,
                          void *scratch) {
  heddle_net checked;
  if (device == NULL || net == NULL) return HEDDLE_E_NULL;
  if (device->failed != HEDDLE_OK) return device->failed;
  if (device->done < device->submitted) return HEDDLE_E_OPEN;
  heddle_status status = check_buffer(&device->read_only, image, bytes);
  if (status == HEDDLE_OK)
    status = heddle_check(&checked, image, bytes, &device->machine, &device->place);
  if (status == HEDDLE_OK && checked.scratch_bytes > 0) {
    status = check_buffer(&device->read_write, scratch, checked.scratch_bytes);
  }
  if (status != HEDDLE_OK) return status;
  checked.scratch = scratch;
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
  for (uint32_t index = 0; index < count; index++) {
    heddle_status status = check_buffer(&device->read_only, inputs[index], net->input_bytes);
    if (status == HEDDLE_OK)
      status = check_buffer(&device->read_write, outputs[index], net->output_bytes);
    if (status != HEDDLE_OK) return status;
  }
  device->inputs = inputs;
  device->outputs = outputs;
  device->submitted = count;
  device->done = device->list = device->entry = 0;
  return HEDDLE_OK;
}

heddle_status heddle_poll(heddle *device) {
  if (device == NULL) return HEDDLE_E_NULL;
  if (device->failed != HEDDLE_OK) return device->failed;
  while (device->done < device->submitted) {
    heddle_status status = device->running ? look(device) : HEDDLE_OK;
    if (status == HEDDLE_BUSY) return HEDDLE_BUSY;
    if (status == HEDDLE_OK && device->entry < heddle_entries(device->net, LISTS[device->list])) {
      status = do_job(device, heddle_entry(device->net, LISTS[device->list], device->entry++));
    } else if (status == HEDDLE_OK) {
      device->entry = 0;
      device->list = (device->list + 1u) % LIST_COUNT;
      if (device->list == 0) status = check_accesses(device);
      if (device->list == 0 && status == HEDDLE_OK) device->done++;
    }
    if (status != HEDDLE_OK) return fail(device, status);
  }
  return HEDDLE_OK;
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
  uint32_t last = HEDDLE_SLICE7_WRITES;
  if (first < HEDDLE_STALL_SUMS || first > last || first % 4u != 0) return HEDDLE_E_COUNTER;
  if (count > (last - first) / 4u + 1u) return HEDDLE_E_COUNTER;
  for (uint32_t at = 0; at < count; at++) counters[at] = read_register(device, first + 4u * at);
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
