#include "image.h"

#include <assert.h>
#include <string.h>

#include "device.h"

static const int ORDER[] = {PROGRAM, BUFFER, PARAMETERS, CLUSTER, TENSORS, ONCE,
                            BEGIN,   RUNS,   END_JOBS,   ENDS,    TEXTS};
static const uint32_t EACH[KINDS] = {0, 8, 8, 8, 160, 64, 64, 64, 64, 64, 1, 8};
enum { COUNT = 11 };

uint32_t get32(const uint8_t *at) {
  return at[0] + 256u * at[1] + 65536u * at[2] + 16777216u * at[3];
}

void put32(uint8_t *at, uint32_t word) {
  for (int byte = 0; byte < 4; byte++) at[byte] = (uint8_t)(word >> 8 * byte);
}

uint32_t crc_of(const uint8_t *bytes, uint32_t count) {
  uint32_t crc = 0xFFFFFFFF;
  for (uint32_t at = 0; at < count; at++) {
    crc ^= bytes[at];
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return crc ^ 0xFFFFFFFF;
}

uint8_t *add(builder *own, int kind, uint32_t bytes) {
  assert(own->size[kind] + bytes <= sizeof own->content[kind]);
  uint8_t *place = own->content[kind] + own->size[kind];
  own->size[kind] += bytes;
  return place;
}

void add_word(builder *own, int kind, uint32_t low, uint32_t high) {
  uint8_t *place = add(own, kind, 8);
  put32(place, low);
  put32(place + 4, high);
}

void add_job(builder *own, int kind, const uint32_t words[9]) {
  uint8_t *place = add(own, kind, 64);
  for (int at = 0; at < 9; at++) put32(place + 4 * at, words[at]);
}

static uint32_t text(builder *own, const char *name) {
  uint32_t bytes = (uint32_t)strlen(name) + 1, at = own->size[TEXTS];
  memcpy(add(own, TEXTS, bytes), name, bytes);
  return at;
}

void add_tensor(builder *own, const tensor *from) {
  uint8_t *place = add(own, TENSORS, 160);
  put32(place, text(own, from->name));
  put32(place + 4, from->flags);
  put32(place + 8, from->type);
  put32(place + 12, from->region);
  put32(place + 16, from->offset);
  put32(place + 24, from->bytes);
  put32(place + 32, from->scale);
  put32(place + 36, from->zero);
  put32(place + 40, from->padding);
  put32(place + 44, from->rank);
  for (int at = 0; at < 6; at++) put32(place + 48 + 4 * at, from->extents[at]);
  put32(place + 72, from->loops);
  for (int at = 0; at < 18; at++) put32(place + 76 + 4 * at, from->walks[at / 3][at % 3]);
  put32(place + 148, from->first);
}

void add_end(builder *own, const uint32_t words[8]) {
  uint8_t *place = add(own, ENDS, 64);
  for (int at = 0; at < 8; at++) put32(place + 4 * at, words[at]);
}

static uint32_t up(uint32_t bytes) { return (bytes + 63) & ~63u; }

static uint32_t first_byte(const builder *own) { return up(64 + 32 * (COUNT + own->with_unknown)); }

uint32_t offset_of(const builder *own, int kind) {
  uint32_t at = first_byte(own);
  for (int index = 0; ORDER[index] != kind; index++) at = up(at + own->size[ORDER[index]]);
  return at;
}

static uint32_t jobs(const builder *own, int kind) { return own->size[kind] / 64; }

uint32_t build(const builder *own, uint8_t *file) {
  uint32_t at = first_byte(own), once = jobs(own, ONCE);
  uint32_t twice = 2 * (jobs(own, BEGIN) + jobs(own, RUNS) + jobs(own, END_JOBS));
  memset(file, 0, IMAGE_BYTES);
  for (uint32_t index = 0; index < COUNT + own->with_unknown; index++) {
    int kind = index < COUNT ? ORDER[index] : 0;
    uint8_t *record = file + 64 + 32 * index;
    uint32_t bytes = kind == 0 ? 8 : own->size[kind], entries = kind == 0 ? 1 : bytes / EACH[kind];
    if (kind == TEXTS) {
      entries = 0;
      for (uint32_t byte = 0; byte < bytes; byte++) entries += own->content[kind][byte] == 0;
    }
    assert(at + bytes <= IMAGE_BYTES);
    put32(record, kind == 0 ? 99 : (uint32_t)kind);
    put32(record + 4, entries);
    put32(record + 8, at);
    put32(record + 16, bytes);
    memcpy(file + at, own->content[kind], bytes);
    at = up(at + bytes);
  }
  memcpy(file, "HEDLIMG1", 8);
  put32(file + 8, at);
  put32(file + 16, 1);
  put32(file + 20, CONFIG);
  put32(file + 24, COLUMNS << 16 | ROWS);
  put32(file + 28, own->size[CLUSTER] > 0 ? 8 : 0);
  put32(file + 32, COUNT + own->with_unknown);
  put32(file + 36, once > twice ? once : twice);
  put32(file + 40, own->scratch);
  put32(file + 48, own->work);
  seal(file);
  return at;
}

uint8_t *section_of(uint8_t *file, uint32_t kind) {
  uint8_t *record = file + 64;
  while (get32(record) != kind) record += 32;
  return record;
}

void seal(uint8_t *file) {
  for (uint32_t index = 0; index < COUNT; index++) {
    uint8_t *record = file + 64 + 32 * index;
    uint32_t at = get32(record + 8), bytes = get32(record + 16);
    if (at <= IMAGE_BYTES && bytes <= IMAGE_BYTES - at)
      put32(record + 24, crc_of(file + at, bytes));
  }
  put32(file + 60, crc_of(file, 60));
}
