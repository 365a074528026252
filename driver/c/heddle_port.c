/* Jobs that the processor carries out: words go over the window port, programs are started. */
#include <string.h>

#include "heddle_internal.h"
#include "heddle_regs.h"

static heddle_status wait_port(const heddle *device) {
  return heddle_low(device, HEDDLE_STATUS_PORT_BUSY_MASK, HEDDLE_E_PORT);
}

/* Goes to an address, unless the machine has gone there by itself. */
static heddle_status seek(heddle *device, uint32_t address) {
  heddle_status status = wait_port(device);
  if (status == HEDDLE_OK && device->port_address != address)
    heddle_write(device, HEDDLE_PORT_ADDR, address);
  device->port_address = address + 8u;
  return status;
}

static heddle_status write_word(heddle *device, uint32_t address, const uint32_t word[2]) {
  heddle_status status = seek(device, address);
  if (status != HEDDLE_OK) return status;
  heddle_write(device, HEDDLE_PORT_WLO, word[0]);
  heddle_write(device, HEDDLE_PORT_WHI, word[1]);
  return HEDDLE_OK;
}

static heddle_status read_word(heddle *device, uint32_t address, uint8_t *memory) {
  heddle_status status = seek(device, address);
  if (status != HEDDLE_OK) return status;
  heddle_write(device, HEDDLE_PORT_CTRL, HEDDLE_PORT_CTRL_READ_MASK);
  status = wait_port(device);
  heddle_put32(memory, heddle_read(device, HEDDLE_PORT_RLO));
  heddle_put32(memory + 4, heddle_read(device, HEDDLE_PORT_RHI));
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
  heddle_write(device, HEDDLE_HOST_ZERO, own->zero);
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
  heddle_status status = heddle_low(device, HEDDLE_STATUS_CLUSTER_BUSY_MASK, HEDDLE_E_CLUSTER);
  if (status != HEDDLE_OK) return status;
  heddle_write(device, HEDDLE_START_PC, WORD(job, 2));
  heddle_write(device, HEDDLE_IRQ_STATUS,
                 HEDDLE_IRQ_STATUS_DONE_MASK | HEDDLE_IRQ_STATUS_ERROR_MASK);
  heddle_write(device, HEDDLE_IRQ_ENABLE,
                 HEDDLE_IRQ_ENABLE_DONE_MASK | HEDDLE_IRQ_ENABLE_ERROR_MASK);
  if (device->platform.barrier != NULL) device->platform.barrier(device->platform.context);
  heddle_write(device, HEDDLE_CTRL, HEDDLE_CTRL_START_MASK);
  device->running = 1;
  device->limit = WORD(job, 3);
  return HEDDLE_OK;
}

/* What a run has come to. */
static heddle_status look(heddle *device) {
  uint32_t status = heddle_read(device, HEDDLE_STATUS);
  if (HAS(status, HEDDLE_STATUS_RUNNING)) {
    int is_late = device->limit != 0 && heddle_read(device, HEDDLE_CYCLES) > device->limit;
    return is_late ? HEDDLE_E_RUN_LIMIT : HEDDLE_BUSY;
  }
  if (HAS(status, HEDDLE_STATUS_ERROR)) return HEDDLE_E_ENGINE;
  if (!HAS(status, HEDDLE_STATUS_DONE)) return HEDDLE_E_START;
  heddle_write(device, HEDDLE_IRQ_ENABLE, 0);
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

heddle_status heddle_port_once(heddle *device) {
  uint32_t count = heddle_entries(device->net, HEDDLE_IMAGE_KIND_ONCE);
  for (uint32_t index = 0; index < count; index++)
    TRY(do_job(device, heddle_entry(device->net, HEDDLE_IMAGE_KIND_ONCE, index)));
  return heddle_accesses(device);
}

/* The list behind one that is done; behind the last one the inference is done. */
static heddle_status next_list(heddle *device) {
  device->entry = 0;
  switch (device->list) {
    case HEDDLE_IMAGE_KIND_BEGIN:
      device->list = HEDDLE_IMAGE_KIND_RUNS;
      return HEDDLE_OK;
    case HEDDLE_IMAGE_KIND_RUNS:
      device->list = HEDDLE_IMAGE_KIND_END;
      return HEDDLE_OK;
    default:
      device->list = HEDDLE_IMAGE_KIND_BEGIN;
      TRY(heddle_accesses(device));
      device->done++;
      return HEDDLE_OK;
  }
}

heddle_status heddle_port_poll(heddle *device) {
  while (device->done < device->submitted) {
    if (device->running) TRY(look(device));
    if (device->entry < heddle_entries(device->net, device->list)) {
      TRY(do_job(device, heddle_entry(device->net, device->list, device->entry++)));
    } else {
      TRY(next_list(device));
    }
  }
  return HEDDLE_OK;
}
