/* DMA and job ring of the model: entries are taken one at a time, loads and stores are done some
 * steps later, in their order. */
#include <string.h>

#include "device.h"
#include "dram.h"
#include "image.h"

enum { Q_BASE_LO = 0x54, Q_SIZE = 0x5C, Q_TAIL = 0x60, AXI_ATTR = 0x6C, TIMEOUT = 0x70 };
enum { REGION = 0x80, WINDOW = 0xC0, WINDOW_END = 0x100, FIRST_COUNTER = 0x180 };
enum { QUEUE_ON = 16, LOCKED = 256 };
enum { BUS = 9, REACH = 10, TIMED_OUT = 12, REFUSED = 14 };
enum { OF_LOAD = 4, OF_STORE = 5, OF_JOBS = 6 };
enum { TRANSFER_STEPS = 3, RUN_STEPS = 5 };

static uint32_t *word_at(device *own, uint32_t offset) { return &own->dma.words[offset / 4]; }

static uint64_t address_at(device *own, uint32_t offset) {
  return *word_at(own, offset) | (uint64_t)*word_at(own, offset + 4) << 32;
}

void device_add_dma(device *own) {
  own->has_dma = 1;
  own->caps |= 1u | 36u << 8;
  own->dma.is_empty = 1;
  *word_at(own, Q_SIZE) = 1;
  *word_at(own, AXI_ATTR) = 0x1234; /* of someone before */
  *word_at(own, TIMEOUT) = 3;
  for (uint32_t offset = WINDOW; offset < WINDOW_END; offset += 16) {
    *word_at(own, offset + 4) = 0x0FFFFFFF;
    *word_at(own, offset + 8) = 3;
  }
}

static int moves(const device *own) { return own->dma.load_count + own->dma.store_count > 0; }

static int is_empty(device *own) { return own->dma.head == *word_at(own, Q_TAIL) && !moves(own); }

void dma_reset(device *own) {
  own->dma.head = own->dma.fences = own->dma.load_count = own->dma.store_count = 0;
  own->dma.run_limit = own->dma.error_word = own->dma.error_place = 0;
  own->dma.error_address = 0;
  own->dma.control &= LOCKED;
  own->dma.is_empty = 1;
  *word_at(own, Q_TAIL) = 0;
  memset(own->dma.counters, 0, sizeof own->dma.counters);
}

void dma_error(device *own, uint32_t code, uint32_t source, uint64_t address, uint32_t index) {
  if (own->error) return;
  own->error = 1;
  own->happened |= 2;
  own->running = 0;
  own->dma.error_word = code | source << 8 | (code == BUS ? 2u << 12 : 0);
  own->dma.error_place = index << 16;
  own->dma.error_address = address;
  own->dma.control &= LOCKED;
  own->dma.load_count = own->dma.store_count = 0;
}

uint32_t dma_status(const device *own) {
  const dma *unit = &own->dma;
  return unit->is_empty << 3 | (unit->hung > 0 ? 16u : 0) | (unit->load_count > 0 ? 256u : 0) |
         (unit->store_count > 0 ? 512u : 0) | unit->load_count << 20 | unit->store_count << 24;
}

static int is_open(device *own, uint64_t address, uint32_t permission) {
  uint64_t page = address >> 12;
  for (uint32_t offset = WINDOW; offset < WINDOW_END; offset += 16) {
    int is_in = *word_at(own, offset) <= page && page <= *word_at(own, offset + 4);
    if (is_in && (*word_at(own, offset + 8) & permission)) return 1;
  }
  return 0;
}

/* The word at an address; null behind an error. */
static uint8_t *reach(device *own, uint64_t address, uint32_t permission, uint32_t source,
                      uint32_t index) {
  uint8_t *word = dram_at(address);
  if (!is_open(own, address, permission)) {
    dma_error(own, REACH, source, address, index);
  } else if (word == NULL || address % 8 != 0) {
    dma_error(own, BUS, source, address, index);
  } else {
    return word;
  }
  return NULL;
}

/* The address on the host port of a place; `part`: partition, row or column. */
static uint32_t port_of(const device *own, uint32_t space, uint32_t at, uint32_t part) {
  const uint32_t regions[] = {6, 4, 7, 5, 2, 0, 0, 0, 3, 3};
  uint32_t base = regions[space] << 29 | part << 21;
  if (space == 1 || (space == 4 && !own->banks)) at *= 2;
  return base | (space >= 8 ? (space == 8) * 8u : at << 3);
}

static void move_place(device *own, const command *of, uint32_t at, uint32_t part,
                       uint64_t address, int is_store) {
  uint32_t space = of->words[1] & 15, is_fill = of->words[1] >> 7 & 1;
  uint32_t zero = of->words[1] >> 16 & 255, port = port_of(own, space, at, part), word[2] = {0, 0};
  uint32_t source = is_store ? OF_STORE : OF_LOAD;
  own->dma.counters[is_store]++;
  if (is_fill) {
    device_put(own, port, 0, 0, 0);
    return;
  }
  for (uint32_t half = 0; half < (space == 1 ? 2u : 1u); half++, address += 8, port += 8) {
    uint8_t *memory = reach(own, address, is_store ? 2 : 1, source, of->index);
    if (memory == NULL) return;
    if (is_store) {
      device_get(own, port, zero, word);
      put32(memory, word[0]);
      put32(memory + 4, word[1]);
      dram_written(address);
      continue;
    }
    word[0] = get32(memory);
    word[1] = get32(memory + 4);
    if (space == 4 && !own->banks) {
      device_put(own, port, word[0], 0, 0);
      device_put(own, port + 8, word[1], 0, 0);
    } else {
      device_put(own, port, word[0], word[1], zero);
    }
  }
}

static void transfer(device *own, const command *of, int is_store) {
  const uint32_t *words = of->words;
  uint32_t space = words[1] & 15, along = words[1] >> 8 & 3;
  uint32_t counts[3] = {words[4] & 0x1FFF, words[5] & 0xFFFF, words[7] & 0xFFFF};
  uint32_t steps[3] = {words[4] >> 16, words[5] >> 16, words[7] >> 16};
  for (uint32_t z = 0; z <= counts[2]; z++) {
    for (uint32_t y = 0; y <= counts[1]; y++) {
      for (uint32_t x = 0; x <= counts[0] && !own->error; x++) {
        const uint32_t turns[4] = {0, x, y, z};
        uint32_t at = (words[3] & 0xFFFF) + y * steps[1] + z * steps[2];
        uint32_t part = (words[3] >> 16) + turns[along];
        uint64_t address = of->base + words[2] + (uint64_t)y * words[6] + (uint64_t)z * words[8];
        if (space == 1) {
          part += x;
          address += 16 * x;
        } else {
          at += x * steps[0];
          address += 8 * x;
        }
        move_place(own, of, at, part, address, is_store);
      }
    }
  }
}

static void drop_first(command *queue, uint32_t *count) {
  memmove(queue, queue + 1, (QUEUE - 1) * sizeof *queue);
  --*count;
}

/* The first of the commands goes on; on a bus that hangs none does. */
static void move(device *own) {
  dma *unit = &own->dma;
  if (unit->hangs > 0 && moves(own)) {
    if (--unit->hangs > 0) return;
    unit->hung = unit->holds;
    dma_error(own, TIMED_OUT, OF_LOAD, unit->loads[0].base, unit->loads[0].index);
    return;
  }
  for (int is_store = 0; is_store < 2; is_store++) {
    command *queue = is_store ? unit->stores : unit->loads, first = queue[0];
    uint32_t *count = is_store ? &unit->store_count : &unit->load_count;
    if (*count == 0 || --queue[0].left > 0) continue;
    drop_first(queue, count);
    transfer(own, &first, is_store);
    if (own->error) return;
  }
}

static void note(device *own, char what) {
  dma *unit = &own->dma;
  unit->counters[10]++;
  unit->head = (unit->head + 1) & ((1u << *word_at(own, Q_SIZE)) - 1);
  unit->trace[unit->taken++ % TRACE] = what;
}

static void add_command(device *own, const uint8_t *entry, command *queue, uint32_t *count) {
  command *made = &queue[(*count)++];
  for (uint32_t at = 0; at < 9; at++) made->words[at] = get32(entry + 4 * at);
  made->left = TRANSFER_STEPS;
  made->index = own->dma.head;
  made->base = address_at(own, REGION + 8 * (made->words[1] >> 4 & 3));
}

static void set_regions(device *own, const uint8_t *entry, uint32_t set) {
  for (uint32_t region = 0; region < 4; region++) {
    if ((set >> region & 1) == 0) continue;
    *word_at(own, REGION + 8 * region) = get32(entry + 4 + 8 * region);
    *word_at(own, REGION + 4 + 8 * region) = get32(entry + 8 + 8 * region);
  }
}

static void start_run(device *own, const uint8_t *entry) {
  own->dma.run_index = own->dma.head;
  own->dma.run_limit = get32(entry + 12);
  own->pc = get32(entry + 8);
  own->cycles = own->done = 0;
  own->starts++;
  own->running = RUN_STEPS;
}

/* Whether the entry has to wait. */
static int waits(const device *own, const uint8_t *entry) {
  const dma *unit = &own->dma;
  uint32_t first = get32(entry), type = first & 255, space = get32(entry + 4) & 15;
  int of_cluster = type == 2 && space >= 8, is_fence = type == 5;
  if ((first >> 16 & 1 || type == 1 || is_fence || of_cluster) && own->running) return 1;
  if ((first >> 17 & 1 || is_fence) && unit->load_count > 0) return 1;
  if ((first >> 18 & 1 || is_fence) && unit->store_count > 0) return 1;
  return (type == 2 && unit->load_count == QUEUE) || (type == 3 && unit->store_count == QUEUE);
}

/* The next entry, if it need not wait. */
static void take(device *own) {
  dma *unit = &own->dma;
  uint64_t place = address_at(own, Q_BASE_LO) + 64 * unit->head;
  uint8_t *entry = reach(own, place, 1, OF_JOBS, unit->head);
  if (entry == NULL || waits(own, entry)) return;
  uint32_t first = get32(entry), type = first & 255;
  if (unit->fault_at != 0 && --unit->fault_at == 0) {
    dma_error(own, unit->fault_code, unit->fault_code == REFUSED ? OF_JOBS : OF_LOAD, place,
              unit->head);
    return;
  }
  switch (type) {
    case 1:
      start_run(own, entry);
      break;
    case 2:
      add_command(own, entry, unit->loads, &unit->load_count);
      break;
    case 3:
      add_command(own, entry, unit->stores, &unit->store_count);
      break;
    case 4:
      set_regions(own, entry, first >> 20 & 15);
      break;
    case 5:
      unit->fences++;
      if (first & 256) own->happened |= 1;
      break;
    default:
      if (type == 0) break;
      dma_error(own, REFUSED, OF_JOBS, 0, unit->head);
      return;
  }
  uint32_t set = first >> 20 & 15;
  note(own, type != 4 ? ".RLS?F"[type] : set == 2 ? 'i' : set == 4 ? 'o' : 'g');
}

void dma_step(device *own) {
  dma *unit = &own->dma;
  if (unit->hung > 0 && unit->hung != UINT32_MAX) unit->hung--;
  move(own);
  if ((unit->control & QUEUE_ON) && !unit->stalls && unit->head != *word_at(own, Q_TAIL)) take(own);
  if (!unit->is_empty && is_empty(own)) own->happened |= 4;
  unit->is_empty = (uint32_t)is_empty(own);
}

int dma_read(device *own, uint32_t offset, uint32_t *word) {
  dma *unit = &own->dma;
  if (offset == 0x14) {
    *word = unit->control;
  } else if (offset == 0x24 || offset == 0x28) {
    *word = (uint32_t)(unit->error_address >> (offset == 0x28 ? 32 : 0));
  } else if (offset == 0x64) {
    dma_step(own);
    *word = unit->head;
  } else if (offset == 0x68) {
    dma_step(own);
    *word = unit->fences;
  } else if (offset >= FIRST_COUNTER && offset <= FIRST_COUNTER + 40) {
    *word = unit->counters[(offset - FIRST_COUNTER) / 4];
  } else if ((offset >= Q_BASE_LO && offset <= TIMEOUT) ||
             (offset >= REGION && offset < WINDOW_END && offset % 16 != 12)) {
    *word = *word_at(own, offset);
  } else {
    return 0;
  }
  return 1;
}

/* Whether a register may be written now. */
static int is_time(device *own, uint32_t offset, uint32_t word) {
  dma *unit = &own->dma;
  int is_on = (unit->control & QUEUE_ON) != 0, is_locked = (unit->control & LOCKED) != 0;
  int is_window = offset >= WINDOW && offset < WINDOW_END;
  if ((is_window || offset == AXI_ATTR) && is_locked) return 0;
  if (offset == Q_TAIL) return word < 1u << *word_at(own, Q_SIZE) && !own->refuses;
  if (offset == Q_SIZE) return !is_on && word >= 1 && word <= 10;
  return !is_on && !(offset >= 0x6C && moves(own));
}

int dma_write(device *own, uint32_t offset, uint32_t word) {
  dma *unit = &own->dma;
  if (offset == 0x14 && (word & 3) == 0) {
    if ((word & QUEUE_ON) && (own->error || unit->hung > 0)) {
      device_refuse(own);
    } else {
      unit->control = (word & (QUEUE_ON | LOCKED)) | (unit->control & LOCKED);
    }
    return 1;
  }
  int is_known = (offset >= Q_BASE_LO && offset <= TIMEOUT && offset != 0x64 && offset != 0x68) ||
                 (offset >= REGION && offset < WINDOW) ||
                 (offset >= WINDOW && offset < WINDOW_END && offset % 16 != 12);
  if (!is_known) return 0;
  if (is_time(own, offset, word)) {
    *word_at(own, offset) = word;
    if (offset == Q_TAIL) unit->is_empty = (uint32_t)is_empty(own);
  } else {
    device_refuse(own);
  }
  return 1;
}
