/* What the files of the driver share. */
#ifndef HEDDLE_INTERNAL_H
#define HEDDLE_INTERNAL_H

#include "heddle.h"
#include "heddle_image.h"

/* A field of a word. */
#define GET(word, field) (((word)&field##_MASK) >> field##_SHIFT)
#define HAS(word, field) (((word)&field##_MASK) != 0u)

/* Leaves the function with an error unless something holds. */
#define NEED(holds, error)        \
  do {                            \
    if (!(holds)) return (error); \
  } while (0)
/* Leaves it with the error of a call, if there is one. */
#define TRY(call)                             \
  do {                                        \
    heddle_status status_ = (call);           \
    if (status_ != HEDDLE_OK) return status_; \
  } while (0)

/* The image is little endian, the processor may be anything. */
static inline uint32_t heddle_get32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t heddle_get64(const uint8_t *at) {
  return (uint64_t)heddle_get32(at) | (uint64_t)heddle_get32(at + 4) << 32;
}

static inline void heddle_put32(uint8_t *at, uint32_t word) {
  for (int byte = 0; byte < 4; byte++) at[byte] = (uint8_t)(word >> 8 * byte);
}

static inline uint32_t heddle_up(uint32_t bytes, uint32_t multiple) {
  return (bytes + multiple - 1u) / multiple * multiple;
}

static inline int heddle_are_zero(const uint8_t *bytes, uint32_t count) {
  for (uint32_t at = 0; at < count; at++) {
    if (bytes[at] != 0) return 0;
  }
  return 1;
}

/* Entry of a section. */
static inline const uint8_t *heddle_entry(const heddle_net *net, uint32_t kind, uint32_t index) {
  static const uint8_t bytes[] = {HEDDLE_IMAGE_ENTRY_BYTES};
  return net->image + net->sections[kind].offset + index * bytes[kind];
}

static inline uint32_t heddle_entries(const heddle_net *net, uint32_t kind) {
  return net->sections[kind].entries;
}

static inline const uint8_t *heddle_tensor_at(const heddle_net *net, uint32_t index) {
  return heddle_entry(net, HEDDLE_IMAGE_KIND_TENSORS, index);
}

/* A field of a record of 32 bits. */
#define TENSOR(record, field) heddle_get32((record) + HEDDLE_IMAGE_TENSOR_##field)
#define END(record, field) heddle_get32((record) + HEDDLE_IMAGE_END_##field)

uint32_t heddle_first_of(const heddle_net *net, uint32_t index);
uint32_t heddle_elements(const uint8_t *tensor);
uint32_t heddle_element_bytes(const uint8_t *tensor);

/* A word of a job. */
#define WORD(job, number) heddle_get32((job) + 4u * (number))

/* Words that a LOAD or a STORE moves; loops X, Y, Z. */
typedef struct heddle_transfer {
  uint32_t space, region, fill, zero;
  uint32_t offset, place, partition;
  uint32_t count[3], step[3], partition_step[3], pitch[3];
} heddle_transfer;

/* Type of a job; HEDDLE_E_JOB if it is none. */
heddle_status heddle_job(const uint8_t *job, uint32_t *type, heddle_transfer *transfer);

/* Everything that can be wrong with a list. `regions`: those that are set, before and behind it. */
heddle_status heddle_check_jobs(const heddle_net *net, uint32_t kind, const heddle_machine *machine,
                                uint32_t *regions, uint32_t *place);

/* Everything that can be wrong with an image. */
heddle_status heddle_check(heddle_net *net, const void *image, size_t bytes,
                           const heddle_machine *machine, uint32_t *place);

#endif
