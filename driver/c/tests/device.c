#include "device.h"

#include <string.h>

enum {
  PORT_BUSY = 1 << 10,
  CLUSTER_BUSY = 1 << 6,
  RESETTING = 1 << 5,
  ERROR = 4,
  DONE = 2,
  RUNNING = 1
};
enum { RUN_POLLS = 5, PORT_POLLS = 1, RESET_POLLS = 3 };

void device_init(device *own) {
  memset(own, 0, sizeof *own);
  own->id = 0x48454402;
  own->version = 0x00010007;
  own->config = CONFIG;
  own->shape = COLUMNS << 16 | ROWS;
  /* A cluster; banks 2, words of a bank 16, column tiles 2, program words 64. */
  own->caps = 8u | 1u << 16 | 4u << 20 | 1u << 24 | 2u << 28;
  own->clock_step = 1;
  memset(own->buffer, 0xEE, sizeof own->buffer);
  memset(own->parameters, 0xEE, sizeof own->parameters);
  memset(own->rows, 0xEE, sizeof own->rows);
  memset(own->tables, 0xEE, sizeof own->tables);
  memset(own->program, 0xEE, sizeof own->program);
}

void device_refuse(device *own) { own->happened |= 8; }

/* The program: words 8 to 11 of a partition become words 4 to 7 plus a byte of the first
 * instruction. */
static void run(device *own) {
  for (int row = 0; row < ROWS; row++) {
    for (int at = 0; at < 32; at++) {
      own->buffer[row][8 + at / 8][at % 8] =
          (uint8_t)(own->buffer[row][4 + at / 8][at % 8] + own->program[own->pc % PROGRAM_WORDS]);
    }
  }
}

static void change(device *own, uint32_t *place, uint32_t word) {
  *place = word;
  own->changes++;
}

void device_put(device *own, uint32_t address, uint32_t low, uint32_t high, uint32_t zero) {
  uint32_t region = address >> 30, second = address >> 29 & 1;
  uint32_t part = address >> 21 & 255, at = address >> 3;
  if (region == 1 && second) {
    if (at & 1) {
      if (own->weight_count < 8)
        own->weights[own->weight_count][0] = low, own->weights[own->weight_count][1] = high;
      own->weight_count++;
    } else {
      if (own->command_count < 8) own->commands[own->command_count] = low;
      own->command_count++;
    }
    own->changes++;
  } else if (region == 1 && own->banks) {
    at &= 0x7FFF;
    if (at < PROGRAM_WORDS / 2)
      change(own, &own->program[2 * at], low), change(own, &own->program[2 * at + 1], high);
  } else if (region == 1) {
    at &= 0xFFFF;
    if (at < PROGRAM_WORDS) change(own, &own->program[at], low);
  } else if (region == 2 && second) {
    change(own, &own->tables[at & 2047], low & 255);
  } else if (region == 2) {
    uint32_t tile = at >> 1 & 1023;
    if (part >= COLUMNS || tile >= TILES) return;
    change(own, &own->parameters[part][tile][at & 1], low);
    if (at & 1) change(own, &own->parameters[part][tile][2], high);
  } else if (second) {
    if (part < ROWS) change(own, &own->rows[part][at & 255], low);
  } else if (part < ROWS && (at & 0x1FFF) < WORDS) {
    for (int byte = 0; byte < 8; byte++) {
      uint32_t half = byte < 4 ? low : high;
      own->buffer[part][at & 0x1FFF][byte] = (uint8_t)((half >> 8 * (byte & 3)) - zero);
    }
    own->changes++;
  }
}

static void port_write(device *own, uint32_t high) {
  uint32_t region = own->address >> 30, second = own->address >> 29 & 1;
  if (region == 0 || (own->running && (region != 3 || second))) {
    device_refuse(own);
    return;
  }
  own->busy = PORT_POLLS;
  device_put(own, own->address, own->low, high, own->zero);
  own->address += 8;
}

void device_get(const device *own, uint32_t address, uint32_t zero, uint32_t word[2]) {
  uint32_t part = address >> 21 & 255, at = address >> 3 & 0x1FFF;
  word[0] = word[1] = 0;
  if (address >> 29 != 6 || part >= ROWS || at >= WORDS) return;
  for (int byte = 0; byte < 8; byte++) {
    uint32_t value = (own->buffer[part][at][byte] + zero) & 255;
    word[byte / 4] |= value << 8 * (byte & 3);
  }
}

static void port_read(device *own) {
  device_get(own, own->address, own->zero, own->word);
  own->busy = PORT_POLLS;
  own->address += 8;
}

static void start(device *own) {
  if (own->running || own->error || own->dma.control & 16) {
    device_refuse(own);
    return;
  }
  own->starts++;
  own->cycles = own->done = own->dma.run_limit = 0;
  if (!own->never_starts) own->running = RUN_POLLS;
}

static void pass(device *own) {
  if (own->has_dma) dma_step(own);
  if (own->running == 0) return;
  own->cycles += 100;
  if (own->dma.run_limit != 0 && own->cycles > own->dma.run_limit) {
    dma_error(own, 12, 6, 0, own->dma.run_index);
    return;
  }
  if (own->never_ends || --own->running > 0) return;
  if (own->error_code != 0) {
    dma_error(own, own->error_code, 3, 0, own->dma.run_index);
    own->dma.error_place |= 17;
  } else {
    run(own);
    own->done = 1;
    if ((own->dma.control & 16) == 0) own->happened |= 1;
  }
}

static uint32_t status(device *own) {
  uint32_t word = (own->running ? RUNNING : 0) | (own->done ? DONE : 0) | (own->error ? ERROR : 0);
  word |= (own->busy || own->port_hangs ? PORT_BUSY : 0) |
          (own->resetting || own->reset_hangs ? RESETTING : 0);
  word |= own->cluster_hangs ? CLUSTER_BUSY : 0;
  if (own->has_dma) word |= dma_status(own);
  if (own->busy) own->busy--;
  if (own->resetting) own->resetting--;
  pass(own);
  return word;
}

uint32_t device_read(void *context, uint32_t offset) {
  device *own = context;
  uint32_t word;
  own->reads++;
  if (own->has_dma && dma_read(own, offset, &word)) return word;
  switch (offset) {
    case 0x00:
      return own->id;
    case 0x04:
      return own->version;
    case 0x08:
      return own->config;
    case 0x0C:
      return own->shape;
    case 0x10:
      return own->caps;
    case 0x18:
      return status(own);
    case 0x1C:
      return own->dma.error_word;
    case 0x20:
      return own->dma.error_place;
    case 0x2C:
      return own->happened;
    case 0x30:
      return own->enabled;
    case 0x34:
      return own->pc;
    case 0x38:
      return own->zero;
    case 0x3C:
      return own->address;
    case 0x44:
      return own->low;
    case 0x4C:
      return own->word[0];
    case 0x50:
      return own->word[1];
    case 0x120:
      return own->cycles;
    default:
      if (offset >= 0x118 && offset <= 0x17C && offset % 4 == 0) return offset;
      device_refuse(own);
      return 0;
  }
}

void device_write(void *context, uint32_t offset, uint32_t word) {
  device *own = context;
  own->writes++;
  if (own->resetting && offset != 0x2C && offset != 0x30) {
    device_refuse(own);
    return;
  }
  if (offset >= 0x3C && offset <= 0x48 && (own->busy || own->refuses)) {
    device_refuse(own);
    return;
  }
  if (own->has_dma && dma_write(own, offset, word)) return;
  switch (offset) {
    case 0x14:
      if (word & 2) {
        dma_reset(own);
        own->running = own->done = own->error = own->busy = 0;
        own->resetting = RESET_POLLS;
        own->resets++;
      } else if (word & 1) {
        start(own);
      }
      break;
    case 0x2C:
      own->happened &= ~word;
      break;
    case 0x30:
      own->enabled = word & (own->has_dma ? 15 : 11);
      break;
    case 0x34:
      own->pc = word & 0xFFFF;
      break;
    case 0x38:
      own->zero = word & 255;
      break;
    case 0x3C:
      own->address = word;
      own->seeks++;
      break;
    case 0x40:
      if (word & 1) port_read(own);
      break;
    case 0x44:
      own->low = word;
      break;
    case 0x48:
      port_write(own, word);
      break;
    default:
      device_refuse(own);
  }
}

uint32_t device_now(void *context) {
  device *own = context;
  return own->time += own->clock_step;
}

void device_wait_irq(void *context, uint32_t ticks) {
  device *own = context;
  if (own->early > 0 && own->early--) ticks = 1 + (own->reads * 2654435761u >> 28) % 6;
  for (; ticks > 0 && (own->happened & own->enabled) == 0; ticks--) {
    own->time++;
    pass(own);
  }
  own->interrupts += (own->happened & own->enabled) != 0;
}
