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

/* Registers. */
static inline uint32_t heddle_read(const heddle *device, uint32_t offset) {
  return device->platform.read32(device->platform.context, offset);
}

static inline void heddle_write(heddle *device, uint32_t offset, uint32_t word) {
  device->platform.write32(device->platform.context, offset, word);
}

/* Waits until bits of STATUS are low. */
heddle_status heddle_low(const heddle *device, uint32_t bits, heddle_status error);
/* Whether the machine has refused an access since the last reset. */
heddle_status heddle_accesses(const heddle *device);

/* Over the window port: the jobs that run once; what was submitted. */
heddle_status heddle_port_once(heddle *device);
heddle_status heddle_port_poll(heddle *device);

/* Through the ring. Addresses of the pools; windows behind a reset; whether a ring is large enough
 * for a network; jobs that run once, behind a reset; inferences; what was not done is the caller's
 * again. */
heddle_status heddle_map(heddle *device);
heddle_status heddle_windows(heddle *device);
heddle_status heddle_ring_holds(const heddle *device, const heddle_net *net);
heddle_status heddle_ring_once(heddle *device);
void heddle_ring_submit(heddle *device);
heddle_status heddle_ring_poll(heddle *device);
void heddle_ring_give_back(heddle *device);
/* Reads of STATUS for which a machine may stand still. */
uint32_t heddle_patience(const heddle *device);

/* Words that a LOAD or a STORE moves; loops X, Y, Z. */
typedef struct heddle_transfer {
  uint32_t space, region, fill, zero;
  uint32_t offset, place, partition;
  uint32_t count[3], step[3], partition_step[3], pitch[3];
} heddle_transfer;

/* Type of a job; HEDDLE_E_JOB if it is none. */
heddle_status heddle_job(const uint8_t *job, uint32_t *type, heddle_transfer *transfer);

/* Whether LOADs of *begin* may write what STOREs of *end* read. */
int heddle_lists_meet(const heddle_net *net);

/* Everything that can be wrong with a list. `regions`: those that are set, before and behind it. */
heddle_status heddle_check_jobs(const heddle_net *net, uint32_t kind, const heddle_machine *machine,
                                uint32_t *regions, uint32_t *place);

/* Everything that can be wrong with an image. */
heddle_status heddle_check(heddle_net *net, const void *image, size_t bytes,
                           const heddle_machine *machine, uint32_t *place);

#endif
