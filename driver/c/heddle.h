/* Driver of a Heddle machine with a register port: runs images of `heddle compile --image`, through
 * the job ring of its DMA or through its window port.
 *
 * C99, no malloc, no library but string.h. docs/driver.md has the calls in their order. All state
 * is in `heddle` and `heddle_net`, which the caller owns; two machines are two of them. A machine
 * is driven by one thread at a time.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Buffers begin at a multiple of so many bytes and have the rest up to the next one to themselves:
 * at least a cache line. */
#ifndef HEDDLE_LINE
#define HEDDLE_LINE 64u
#endif
/* Reads of STATUS that a wait for the window port, the cluster or a reset may take, and reads of
 * `now` that give one value. */
#ifndef HEDDLE_POLLS
#define HEDDLE_POLLS 100000u
#endif
#define HEDDLE_PAGE 4096u

/* What can go wrong: a name and what `heddle_error_text` says. */
#define HEDDLE_ERRORS(X)                                                                         \
  /* The platform and its machine */                                                             \
  X(HEDDLE_E_HOOK, "read32, write32 or now of the platform is null, or to_bus with a ring")      \
  X(HEDDLE_E_POOL, "a pool is not made of whole pages, or the pools overlap")                    \
  X(HEDDLE_E_ID, "ID is not that of a Heddle register port")                                     \
  X(HEDDLE_E_VERSION, "the register map has another major version")                              \
  X(HEDDLE_E_TO_BUS,                                                                             \
    "a pool is not one piece of whole pages for the DMA, or the pools overlap there")            \
  X(HEDDLE_E_LOCK, "the windows are locked, and are not those of the pools")                     \
  /* The image; nothing was written */                                                           \
  X(HEDDLE_E_ALIGNMENT, "a buffer does not begin at a multiple of HEDDLE_LINE")                  \
  X(HEDDLE_E_FOREIGN_BUFFER, "a buffer does not lie in its pool up to the end of its last line") \
  X(HEDDLE_E_OVERLAP, "a buffer lies in the ring, the image, the scratch or another output")      \
  X(HEDDLE_E_MAGIC, "the file is no image")                                                      \
  X(HEDDLE_E_TORN, "the image is longer than what there is of it")                               \
  X(HEDDLE_E_BYTES, "the image is shorter than the file, or too large")                          \
  X(HEDDLE_E_FORMAT, "the image has another version of the format")                              \
  X(HEDDLE_E_HEADER_CRC, "the checksum of the header is wrong")                                  \
  X(HEDDLE_E_HEADER, "a field of the header has a value that no image has")                      \
  X(HEDDLE_E_SECTION, "a section does not lie where it must, or is missing")                     \
  X(HEDDLE_E_SECTION_CRC, "the checksum of a section is wrong")                                  \
  X(HEDDLE_E_CONFIG, "the image was made for a machine with another CONFIG")                     \
  X(HEDDLE_E_SHAPE, "the image was made for a machine with another SHAPE")                       \
  X(HEDDLE_E_CAPS, "the image needs what CAPS of the machine lacks")                             \
  X(HEDDLE_E_TEXT, "the texts do not end with a 0 each")                                         \
  X(HEDDLE_E_TENSOR, "a tensor has a field with a value that no image has")                      \
  X(HEDDLE_E_END, "an operation of the host has a field with a value that no image has")         \
  X(HEDDLE_E_JOB, "a job has an unknown type, a reserved bit or a bad field")                    \
  X(HEDDLE_E_JOB_CONFIG, "a RUN is for a machine with another CONFIG")                           \
  X(HEDDLE_E_JOB_MEMORY, "a job moves bytes beyond its region of memory")                        \
  X(HEDDLE_E_JOB_PLACE, "a job moves words beyond a memory of the machine")                      \
  X(HEDDLE_E_JOB_REGION, "a job uses a region before it is set")                                 \
  X(HEDDLE_E_RING,                                                                               \
    "two inferences have more jobs than the ring, or the lists others than the header says")     \
  X(HEDDLE_E_NO_RING, "programs of the image load or store, and the driver has no ring")         \
  X(HEDDLE_E_FENCE, "the jobs of an inference do not end with their only FENCE")                 \
  /* Calls */                                                                                    \
  X(HEDDLE_E_NET, "the network is not the one that was loaded")                                  \
  X(HEDDLE_E_OPEN, "the inferences of the call before are not done")                             \
  X(HEDDLE_E_NULL, "a pointer is null")                                                          \
  X(HEDDLE_E_TENSORS, "the network has another number of inputs or outputs")                     \
  X(HEDDLE_E_COUNTER, "no counter is there")                                                     \
  X(HEDDLE_E_DMA, "the machine has no DMA")                                                      \
  X(HEDDLE_E_RING_SIZE, "a ring has not 2^1 to 2^10 entries")                                    \
  /* Runs; only heddle_reset clears these */                                                     \
  X(HEDDLE_E_LIMIT, "the limit of the wait was reached")                                         \
  X(HEDDLE_E_RUN_LIMIT, "a run has taken more clocks than its limit")                            \
  X(HEDDLE_E_ENGINE, "the engine stopped with an error: engine_error and engine_pc")             \
  X(HEDDLE_E_BUS, "the bus refused a burst: engine_error and engine_address")                    \
  X(HEDDLE_E_WINDOW, "a burst went beyond the windows: engine_address")                          \
  X(HEDDLE_E_TIMEOUT, "the bus did not answer: engine_address")                                  \
  X(HEDDLE_E_REFUSED, "the machine refused a job: engine_index")                                 \
  X(HEDDLE_E_QUEUE, "the job ring stands still")                                                 \
  X(HEDDLE_E_START, "a program did not start, or did not end with HALT")                         \
  X(HEDDLE_E_PORT, "the window port stays busy")                                                 \
  X(HEDDLE_E_CLUSTER, "the sparse cluster stays busy")                                           \
  X(HEDDLE_E_RESET, "the reset does not end")                                                    \
  X(HEDDLE_E_HUNG, "the bus owes answers: buffers must not be used")                             \
  X(HEDDLE_E_ACCESS, "the machine refused a register access")                                    \
  X(HEDDLE_E_CLOCK, "now of the platform stands still")

typedef enum heddle_status {
  HEDDLE_OK,
  HEDDLE_BUSY, /* inferences are under way */
#define HEDDLE_NAME(name, text) name,
  HEDDLE_ERRORS(HEDDLE_NAME)
#undef HEDDLE_NAME
      HEDDLE_STATUSES
} heddle_status;

/* What the platform gives. */
typedef struct heddle_platform {
  void *context; /* first argument of all hooks */
  uint32_t (*read32)(void *context, uint32_t offset);
  void (*write32)(void *context, uint32_t offset, uint32_t word);
  uint32_t (*now)(void *context); /* ticks of a clock that never stands still; may wrap */
  /* May be null: returns when irq_o is high, or after so many ticks, or earlier. */
  void (*wait_irq)(void *context, uint32_t ticks);
  /* May be null: all accesses of before are done before those of after. */
  void (*barrier)(void *context);
  /* For a ring; write what the cache has to memory, and forget what it has. May be null where the
   * DMA sees what the processor sees. */
  void (*cache_clean)(void *context, const void *begin, size_t bytes);
  void (*cache_invalidate)(void *context, void *begin, size_t bytes);
  /* For a ring: 1 and the address by which the DMA knows a place of a pool, 0 if there is none. */
  int (*to_bus)(void *context, const void *place, uint64_t *address);
} heddle_platform;

/* Whole pages. */
typedef struct heddle_pool {
  void *begin;
  size_t bytes;
} heddle_pool;

/* What an image must be made for. */
typedef struct heddle_machine {
  uint32_t config, shape, caps;
} heddle_machine;

/* An image that was checked. */
typedef struct heddle_net {
  const uint8_t *image;
  uint8_t *scratch;
  uint32_t bytes;
  /* Bytes of a buffer for the inputs and for the outputs of an inference, up to the end of the last
   * line. */
  uint32_t input_bytes, output_bytes;
  uint32_t work_bytes; /* what heddle_pack and heddle_unpack need beside them */
  uint32_t scratch_bytes;
  int overlaps; /* the next input may come before the output has left */
  struct {
    uint32_t offset, entries;
  } sections[12]; /* by kind */
} heddle_net;

/* A machine. Fields may be read, not written. */
typedef struct heddle {
  heddle_platform platform;
  heddle_pool read_only, read_write;
  heddle_machine machine;
  heddle_status failed; /* the error that heddle_reset clears */
  uint32_t place; /* behind an error of an image: index of its section, tensor, operation or job */
  /* ERROR, ERROR_PC and ERROR_ADDR behind an error of a run */
  uint32_t engine_error, engine_pc, engine_index;
  uint64_t engine_address;
  uint32_t done; /* inferences that are done, of those submitted */

  const heddle_net *net;
  const void *const *inputs;
  void *const *outputs;
  uint32_t submitted;
  uint32_t list, entry; /* the next job: kind of its list, 0 behind the last */
  /* With a ring */
  uint64_t read_only_bus, read_write_bus; /* addresses of the pools */
  uint8_t *ring;                          /* null: jobs go over the window port */
  uint32_t ring_entries, ring_tail;
  uint32_t inference; /* that of the next job */
  uint32_t fences;    /* Q_SEQ when they were submitted */
  /* Without */
  int running;
  uint32_t limit;        /* clocks of the run, 0: none */
  uint32_t port_address; /* PORT_ADDR, if it is known */
} heddle;

typedef enum heddle_role { HEDDLE_INPUT = 1, HEDDLE_OUTPUT = 2 } heddle_role;
typedef enum heddle_type { HEDDLE_INT8, HEDDLE_UINT8, HEDDLE_INT32, HEDDLE_FLOAT32 } heddle_type;

/* A tensor of the user: elements without gaps, the last extent innermost, in the order of the
 * network's file. */
typedef struct heddle_tensor_info {
  const char *name;
  heddle_type type;
  uint32_t rank, extents[6];
  uint32_t bytes;
  float scale; /* real value of a step, 0: not known */
  int32_t zero_point;
} heddle_tensor_info;

/* Finds the machine, resets it and keeps a copy of the platform. Images, inputs and the ring lie in
 * `read_only`, outputs and scratch in `read_write`: the DMA may reach nothing else. */
heddle_status heddle_open(heddle *device, const heddle_platform *platform,
                          const heddle_pool *read_only, const heddle_pool *read_write);

/* Gives the driver of a machine with a DMA a ring of 2^log_entries jobs, 64 bytes each, in
 * `read_only`; null takes it away. Load a network behind it. Without a ring the processor moves all
 * words through the window port. */
heddle_status heddle_ring(heddle *device, void *ring, uint32_t log_entries);

/* Checks an image, and when nothing is wrong runs the jobs that run once. `scratch` may be null if
 * the image needs none. The image stays where it is and as it is as long as the network is used. */
heddle_status heddle_load(heddle *device, heddle_net *net, const void *image, size_t bytes,
                          void *scratch);

/* Input or output `number`; HEDDLE_E_TENSORS behind the last one. */
heddle_status heddle_tensor(const heddle_net *net, heddle_role role, uint32_t number,
                            heddle_tensor_info *info);

/* Makes the input buffer of an inference from `count` tensors of the user, and takes those of the
 * user from an output buffer. `work` has work_bytes of the network and may be null if these are 0.
 */
heddle_status heddle_pack(const heddle_net *net, const void *const *tensors, uint32_t count,
                          void *buffer, void *work);
heddle_status heddle_unpack(const heddle_net *net, const void *buffer, void *const *tensors,
                            uint32_t count, void *work);

/* Takes `count` inferences. The two lists and their buffers belong to the driver until heddle_poll
 * or heddle_wait says something other than HEDDLE_BUSY. */
heddle_status heddle_submit(heddle *device, const heddle_net *net, const void *const *inputs,
                            void *const *outputs, uint32_t count);

/* Goes on with what was submitted, and does not wait for a program: HEDDLE_BUSY while there is more
 * to do. */
heddle_status heddle_poll(heddle *device);

/* Polls until all is done, for at most so many ticks of `now`. At the limit the machine is reset:
 * HEDDLE_E_LIMIT. */
heddle_status heddle_wait(heddle *device, uint32_t limit);

/* Drops what was submitted, clears an error and runs the jobs that run once again. */
heddle_status heddle_reset(heddle *device);

/* Reads `count` counters from register `first` of heddle_regs.h on. */
heddle_status heddle_counters(const heddle *device, uint32_t first, uint32_t count,
                              uint32_t *counters);

const char *heddle_error_text(heddle_status status);

#ifdef __cplusplus
}
#endif
#endif
