/* Writes images for tests, with the numbers of docs/image.md written out. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdint.h>

enum {
  PROGRAM = 1,
  BUFFER = 2,
  PARAMETERS = 3,
  TENSORS = 4,
  ONCE = 5,
  BEGIN = 6,
  RUNS = 7,
  END_JOBS = 8,
  ENDS = 9
};
enum { TEXTS = 10, CLUSTER = 11, KINDS = 12, IMAGE_BYTES = 16384 };

typedef struct builder {
  uint8_t content[KINDS][4096];
  uint32_t size[KINDS];
  uint32_t scratch, work, with_unknown;
} builder;

typedef struct tensor {
  const char *name;
  uint32_t flags, type, region, offset, bytes, scale, zero, padding, rank, extents[6], loops,
      walks[6][3], first;
} tensor;

uint32_t get32(const uint8_t *at);
void put32(uint8_t *at, uint32_t word);
uint32_t crc_of(const uint8_t *bytes, uint32_t count);
uint8_t *add(builder *own, int kind, uint32_t bytes);
void add_word(builder *own, int kind, uint32_t low, uint32_t high);
void add_job(builder *own, int kind, const uint32_t words[9]);
void add_tensor(builder *own, const tensor *from);
void add_end(builder *own, const uint32_t words[8]);
/* File offset of a section of words; those before it must be there. */
uint32_t offset_of(const builder *own, int kind);
uint32_t build(const builder *own, uint8_t *file);
/* Record of a section, and new checksums behind a change. */
uint8_t *section_of(uint8_t *file, uint32_t kind);
void seal(uint8_t *file);

#endif
