/* What an image must be, before anything of it is used: docs/image.md. */
#include <string.h>

#include "heddle_internal.h"
#include "heddle_regs.h"

#define ALIGN 64u

static uint32_t crc32(const uint8_t *bytes, uint32_t count) {
  /* Four bits at a time: 64 bytes of table. */
  static const uint32_t table[16] = {0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu,
                                     0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
                                     0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu,
                                     0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu};
  uint32_t crc = ~0u;
  for (uint32_t at = 0; at < count; at++) {
    crc ^= bytes[at];
    crc = crc >> 4 ^ table[crc & 15u];
    crc = crc >> 4 ^ table[crc & 15u];
  }
  return ~crc;
}

#define RESERVED(record, kind)                            \
  heddle_are_zero((record) + HEDDLE_IMAGE_##kind##_ZEROS, \
                  HEDDLE_IMAGE_##kind##_SIZE - HEDDLE_IMAGE_##kind##_ZEROS)

static heddle_status check_header(heddle_net *net, size_t bytes, const heddle_machine *machine) {
  const uint8_t *header = net->image;
  size_t letters = sizeof HEDDLE_IMAGE_MAGIC - 1u;
  NEED(memcmp(header, HEDDLE_IMAGE_MAGIC, bytes < letters ? bytes : letters) == 0, HEDDLE_E_MAGIC);
  NEED(bytes >= HEDDLE_IMAGE_HEADER_SIZE, HEDDLE_E_TORN);
  NEED(heddle_get32(header + HEDDLE_IMAGE_HEADER_VERSION) == HEDDLE_IMAGE_FORMAT, HEDDLE_E_FORMAT);
  uint32_t crc = heddle_get32(header + HEDDLE_IMAGE_HEADER_CRC);
  NEED(crc == crc32(header, HEDDLE_IMAGE_HEADER_CRC), HEDDLE_E_HEADER_CRC);
  uint32_t zeros = HEDDLE_IMAGE_HEADER_CRC - HEDDLE_IMAGE_HEADER_ZEROS;
  NEED(heddle_are_zero(header + HEDDLE_IMAGE_HEADER_ZEROS, zeros), HEDDLE_E_HEADER);
  uint64_t said = heddle_get64(header + HEDDLE_IMAGE_HEADER_FILE_BYTES);
  NEED(said <= bytes, HEDDLE_E_TORN);
  NEED(said == bytes && bytes <= HEDDLE_IMAGE_BYTES_MAX, HEDDLE_E_BYTES);
  net->bytes = (uint32_t)bytes;
  NEED(heddle_get32(header + HEDDLE_IMAGE_HEADER_SHAPE) == machine->shape, HEDDLE_E_SHAPE);
  NEED(heddle_get32(header + HEDDLE_IMAGE_HEADER_CONFIG) == machine->config, HEDDLE_E_CONFIG);
  uint32_t needed = heddle_get32(header + HEDDLE_IMAGE_HEADER_CAPS);
  uint32_t known = HEDDLE_CAPS_DMA_MASK | HEDDLE_CAPS_PROGRAM_DMA_MASK |
                   HEDDLE_CAPS_PROGRAM_BANKS_MASK | HEDDLE_CAPS_CLUSTER_MASK;
  NEED((needed & ~(machine->caps & known)) == 0, HEDDLE_E_CAPS);
  NEED(heddle_get32(header + HEDDLE_IMAGE_HEADER_RING_ENTRIES) <= HEDDLE_IMAGE_RING_MAX,
       HEDDLE_E_RING);
  uint64_t scratch = heddle_get64(header + HEDDLE_IMAGE_HEADER_SCRATCH_BYTES);
  uint64_t work = heddle_get64(header + HEDDLE_IMAGE_HEADER_WORK_BYTES);
  NEED(scratch <= HEDDLE_IMAGE_BYTES_MAX && work <= HEDDLE_IMAGE_BYTES_MAX, HEDDLE_E_HEADER);
  net->scratch_bytes = (uint32_t)scratch;
  net->work_bytes = (uint32_t)work;
  return HEDDLE_OK;
}

/* From the end of a section to the begin of the next one: zeros within the file. */
static int is_gap(const heddle_net *net, uint32_t from, uint32_t to) {
  return to <= net->bytes && heddle_are_zero(net->image + from, to - from);
}

static heddle_status check_sections(heddle_net *net, uint32_t *place) {
  static const uint8_t each[HEDDLE_IMAGE_KINDS] = {HEDDLE_IMAGE_ENTRY_BYTES};
  uint32_t count = heddle_get32(net->image + HEDDLE_IMAGE_HEADER_SECTIONS), found = 0;
  *place = count;
  NEED(count <= (net->bytes - HEDDLE_IMAGE_HEADER_SIZE) / HEDDLE_IMAGE_SECTION_SIZE,
       HEDDLE_E_SECTION);
  uint32_t next = HEDDLE_IMAGE_HEADER_SIZE + count * HEDDLE_IMAGE_SECTION_SIZE;
  for (*place = 0; *place < count; ++*place) {
    const uint8_t *record =
        net->image + HEDDLE_IMAGE_HEADER_SIZE + *place * HEDDLE_IMAGE_SECTION_SIZE;
    uint32_t begin = heddle_up(next, ALIGN),
             kind = heddle_get32(record + HEDDLE_IMAGE_SECTION_KIND);
    uint64_t bytes = heddle_get64(record + HEDDLE_IMAGE_SECTION_BYTES);
    NEED(RESERVED(record, SECTION) && is_gap(net, next, begin), HEDDLE_E_SECTION);
    NEED(heddle_get64(record + HEDDLE_IMAGE_SECTION_OFFSET) == begin, HEDDLE_E_SECTION);
    NEED(bytes <= net->bytes - begin, HEDDLE_E_SECTION);
    next = begin + (uint32_t)bytes;
    if (kind >= HEDDLE_IMAGE_KINDS || each[kind] == 0) continue;
    uint32_t entries = heddle_get32(record + HEDDLE_IMAGE_SECTION_ENTRIES);
    NEED((found >> kind & 1u) == 0, HEDDLE_E_SECTION);
    NEED(kind == HEDDLE_IMAGE_KIND_STRINGS || (uint64_t)entries * each[kind] == bytes,
         HEDDLE_E_SECTION);
    uint32_t crc = heddle_get32(record + HEDDLE_IMAGE_SECTION_CRC);
    NEED(crc == crc32(net->image + begin, (uint32_t)bytes), HEDDLE_E_SECTION_CRC);
    found |= 1u << kind;
    net->sections[kind].offset = begin;
    net->sections[kind].entries = entries;
    if (kind == HEDDLE_IMAGE_KIND_STRINGS) {
      for (uint32_t at = 0; at < bytes; at++) entries -= net->image[begin + at] == 0;
      NEED(entries == 0 && (bytes == 0 || net->image[next - 1u] == 0), HEDDLE_E_TEXT);
      /* Of texts the bytes are of use. */
      net->sections[kind].entries = (uint32_t)bytes;
    }
  }
  NEED(heddle_up(next, ALIGN) == net->bytes && is_gap(net, next, net->bytes), HEDDLE_E_SECTION);
  for (uint32_t kind = 0; kind < HEDDLE_IMAGE_KINDS; kind++) {
    NEED(each[kind] == 0 || (found >> kind & 1u) == 1u, HEDDLE_E_SECTION);
  }
  return HEDDLE_OK;
}

uint32_t heddle_element_bytes(const uint8_t *tensor) {
  uint32_t type = TENSOR(tensor, TYPE);
  return type == HEDDLE_IMAGE_TYPE_INT32 || type == HEDDLE_IMAGE_TYPE_FLOAT32 ? 4u : 1u;
}

/* 0: none, or too many. */
uint32_t heddle_elements(const uint8_t *tensor) {
  uint64_t elements = 1;
  for (uint32_t at = 0; at < TENSOR(tensor, RANK); at++) {
    elements *= heddle_get32(tensor + HEDDLE_IMAGE_TENSOR_EXTENTS + 4u * at);
    if (elements > HEDDLE_IMAGE_BYTES_MAX) return 0;
  }
  return (uint32_t)elements;
}

static const char *text_of(const heddle_net *net, const uint8_t *tensor) {
  return (const char *)heddle_entry(net, HEDDLE_IMAGE_KIND_STRINGS, TENSOR(tensor, NAME));
}

/* The first entry of the tensor of which this one is a part. */
uint32_t heddle_first_of(const heddle_net *net, uint32_t index) {
  const uint8_t *own = heddle_tensor_at(net, index);
  uint32_t first = 0;
  for (;; first++) {
    const uint8_t *other = heddle_tensor_at(net, first);
    int alike = TENSOR(other, REGION) == TENSOR(own, REGION) &&
                strcmp(text_of(net, other), text_of(net, own)) == 0;
    if (first == index || alike) return first;
  }
}

static int is_zero_point(uint32_t type, int32_t zero) {
  switch (type) {
    case HEDDLE_IMAGE_TYPE_INT8:
      return zero >= INT8_MIN && zero <= INT8_MAX;
    case HEDDLE_IMAGE_TYPE_UINT8:
      return zero >= 0 && zero <= UINT8_MAX;
    default:
      return zero == 0;
  }
}

/* Fields of their own ranges. */
static int are_fields(const heddle_net *net, const uint8_t *own) {
  uint32_t name = TENSOR(own, NAME), texts = heddle_entries(net, HEDDLE_IMAGE_KIND_STRINGS);
  uint32_t rank = TENSOR(own, RANK), loops = TENSOR(own, LOOPS), region = TENSOR(own, REGION);
  uint32_t infinite = 0x7F800000u;
  const uint8_t *walks = own + HEDDLE_IMAGE_TENSOR_WALKS;
  return RESERVED(own, TENSOR) && name < texts && *text_of(net, own) != 0 &&
         (name == 0 || text_of(net, own)[-1] == 0) && TENSOR(own, FLAGS) <= 3u &&
         TENSOR(own, TYPE) <= HEDDLE_IMAGE_TYPE_FLOAT32 &&
         (region == 1u || region == 2u || region == HEDDLE_IMAGE_WORK) &&
         TENSOR(own, SCALE) < infinite &&
         is_zero_point(TENSOR(own, TYPE), (int32_t)TENSOR(own, ZERO_POINT)) &&
         TENSOR(own, PADDING) <= UINT8_MAX && rank - 1u < HEDDLE_IMAGE_LOOPS &&
         loops - 1u < HEDDLE_IMAGE_LOOPS &&
         heddle_are_zero(own + HEDDLE_IMAGE_TENSOR_EXTENTS + 4u * rank,
                         4u * (HEDDLE_IMAGE_LOOPS - rank)) &&
         heddle_are_zero(walks + 12u * loops, 12u * (HEDDLE_IMAGE_LOOPS - loops)) &&
         heddle_elements(own) > 0;
}

/* Turns of all loops, which stay in the bytes of an entry and in the elements of the user; 0 if
 * they do not. */
static uint64_t turns_of(const uint8_t *own, uint64_t bytes) {
  uint64_t turns = 1, memory = 0, user = TENSOR(own, FIRST);
  const uint8_t *walk = own + HEDDLE_IMAGE_TENSOR_WALKS;
  for (uint32_t at = 0; at < TENSOR(own, LOOPS); at++, walk += 12) {
    uint32_t count = heddle_get32(walk);
    if (count == 0) return 0;
    turns *= count;
    memory += (uint64_t)(count - 1u) * heddle_get32(walk + 4);
    user += (uint64_t)(count - 1u) * heddle_get32(walk + 8);
    if (turns > HEDDLE_IMAGE_BYTES_MAX || memory > HEDDLE_IMAGE_BYTES_MAX ||
        user > HEDDLE_IMAGE_BYTES_MAX)
      return 0;
  }
  /* What the user gives stays where it is. */
  int is_given = TENSOR(own, REGION) == HEDDLE_IMAGE_WORK && (TENSOR(own, FLAGS) & 1u) == 1u;
  int has_room = is_given ? bytes == 0 : memory + heddle_element_bytes(own) <= bytes;
  return has_room && user < heddle_elements(own) ? turns : 0;
}

static heddle_status check_tensors(heddle_net *net, uint32_t *place) {
  uint32_t ends[HEDDLE_IMAGE_WORK + 1u] = {0},
                                    count = heddle_entries(net, HEDDLE_IMAGE_KIND_TENSORS);
  for (*place = 0; *place < count; ++*place) {
    const uint8_t *own = heddle_tensor_at(net, *place);
    NEED(are_fields(net, own), HEDDLE_E_TENSOR);
    uint64_t offset = heddle_get64(own + HEDDLE_IMAGE_TENSOR_OFFSET),
             bytes = heddle_get64(own + HEDDLE_IMAGE_TENSOR_BYTES);
    uint32_t region = TENSOR(own, REGION),
             most = region == HEDDLE_IMAGE_WORK ? net->work_bytes : HEDDLE_IMAGE_BYTES_MAX;
    NEED(offset <= most && bytes <= most - offset && offset >= ends[region], HEDDLE_E_TENSOR);
    NEED(turns_of(own, bytes) > 0, HEDDLE_E_TENSOR);
    ends[region] = (uint32_t)(offset + bytes);
  }
  /* Parts of a tensor differ in their places alone, and together have all elements. */
  for (*place = 0; *place < count; ++*place) {
    const uint8_t *own = heddle_tensor_at(net, *place);
    uint64_t turns = 0;
    uint32_t first = heddle_first_of(net, *place);
    for (uint32_t index = first; index < count; index++) {
      const uint8_t *part = heddle_tensor_at(net, index);
      if (heddle_first_of(net, index) != first) continue;
      NEED(memcmp(part + HEDDLE_IMAGE_TENSOR_FLAGS, own + HEDDLE_IMAGE_TENSOR_FLAGS,
                  HEDDLE_IMAGE_TENSOR_OFFSET - HEDDLE_IMAGE_TENSOR_FLAGS) == 0 &&
               memcmp(part + HEDDLE_IMAGE_TENSOR_SCALE, own + HEDDLE_IMAGE_TENSOR_SCALE,
                      HEDDLE_IMAGE_TENSOR_LOOPS - HEDDLE_IMAGE_TENSOR_SCALE) == 0,
           HEDDLE_E_TENSOR);
      turns += turns_of(part, heddle_get64(part + HEDDLE_IMAGE_TENSOR_BYTES));
    }
    NEED(turns == heddle_elements(own), HEDDLE_E_TENSOR);
  }
  net->input_bytes = ends[1];
  net->output_bytes = ends[2];
  return HEDDLE_OK;
}

/* Bytes at the begin of the work bytes in front of its tensors. */
static uint32_t free_bytes(const heddle_net *net) {
  for (uint32_t index = 0; index < heddle_entries(net, HEDDLE_IMAGE_KIND_TENSORS); index++) {
    const uint8_t *tensor = heddle_tensor_at(net, index);
    if (TENSOR(tensor, REGION) == HEDDLE_IMAGE_WORK) return TENSOR(tensor, OFFSET);
  }
  return net->work_bytes;
}

static int is_byte(uint32_t type) {
  return type == HEDDLE_IMAGE_TYPE_INT8 || type == HEDDLE_IMAGE_TYPE_UINT8;
}

static int are_types(uint32_t operation, uint32_t source, uint32_t made) {
  switch (operation) {
    case HEDDLE_IMAGE_QUANTIZE:
    case HEDDLE_IMAGE_QUANTIZE_EVEN:
      return source == HEDDLE_IMAGE_TYPE_FLOAT32 && is_byte(made);
    case HEDDLE_IMAGE_DEQUANTIZE:
      return is_byte(source) && made == HEDDLE_IMAGE_TYPE_FLOAT32;
    case HEDDLE_IMAGE_SOFTMAX:
      return is_byte(source) && is_byte(made);
    case HEDDLE_IMAGE_ARG_MAX:
      return is_byte(source) && made == HEDDLE_IMAGE_TYPE_INT32;
    default:
      return 0;
  }
}

/* What is made before it is read: inputs of what the user gives, the rest of outputs and of one
 * another. */
static int is_made(const heddle_net *net, uint32_t index) {
  const uint8_t *end = heddle_entry(net, HEDDLE_IMAGE_KIND_ENDS, index);
  const uint8_t *source = heddle_tensor_at(net, END(end, SOURCE)),
                *made = heddle_tensor_at(net, END(end, DESTINATION));
  if (TENSOR(made, REGION) == 1u) return (TENSOR(source, FLAGS) & 1u) == 1u;
  if (TENSOR(made, REGION) == 2u || TENSOR(source, REGION) != HEDDLE_IMAGE_WORK) {
    return TENSOR(made, REGION) == HEDDLE_IMAGE_WORK && TENSOR(source, REGION) == 2u;
  }
  for (uint32_t before = 0; before < index; before++) {
    if (END(heddle_entry(net, HEDDLE_IMAGE_KIND_ENDS, before), DESTINATION) == END(end, SOURCE))
      return 1;
  }
  return 0;
}

/* Outputs in the work bytes are made by an end. */
static heddle_status check_outputs(const heddle_net *net, uint32_t *place) {
  uint32_t ends = heddle_entries(net, HEDDLE_IMAGE_KIND_ENDS);
  for (*place = 0; *place < heddle_entries(net, HEDDLE_IMAGE_KIND_TENSORS); ++*place) {
    const uint8_t *own = heddle_tensor_at(net, *place);
    if (TENSOR(own, REGION) != HEDDLE_IMAGE_WORK || (TENSOR(own, FLAGS) & 2u) == 0) continue;
    uint32_t first = heddle_first_of(net, *place), at = 0;
    while (at < ends && END(heddle_entry(net, HEDDLE_IMAGE_KIND_ENDS, at), DESTINATION) != first)
      at++;
    NEED(at < ends, HEDDLE_E_TENSOR);
  }
  return HEDDLE_OK;
}

static heddle_status check_ends(const heddle_net *net, uint32_t *place) {
  uint32_t tensors = heddle_entries(net, HEDDLE_IMAGE_KIND_TENSORS);
  for (*place = 0; *place < heddle_entries(net, HEDDLE_IMAGE_KIND_ENDS); ++*place) {
    const uint8_t *end = heddle_entry(net, HEDDLE_IMAGE_KIND_ENDS, *place);
    uint32_t operation = END(end, OPERATION),
             numbers[2] = {END(end, SOURCE), END(end, DESTINATION)};
    NEED(RESERVED(end, END), HEDDLE_E_END);
    for (int at = 0; at < 2; at++) {
      NEED(numbers[at] < tensors && heddle_first_of(net, numbers[at]) == numbers[at], HEDDLE_E_END);
      const uint8_t *tensor = heddle_tensor_at(net, numbers[at]);
      uint64_t bytes = (uint64_t)heddle_elements(tensor) * heddle_element_bytes(tensor);
      NEED(TENSOR(tensor, REGION) == HEDDLE_IMAGE_WORK || bytes <= free_bytes(net), HEDDLE_E_END);
    }
    const uint8_t *source = heddle_tensor_at(net, numbers[0]),
                  *made = heddle_tensor_at(net, numbers[1]);
    uint32_t rows = END(end, ROWS), length = END(end, LENGTH), stride = END(end, STRIDE);
    NEED(rows > 0 && length > 0 && stride > 0 && rows % stride == 0, HEDDLE_E_END);
    NEED((uint64_t)rows * length == heddle_elements(source), HEDDLE_E_END);
    NEED(heddle_elements(made) == (operation == HEDDLE_IMAGE_ARG_MAX ? rows : rows * length),
         HEDDLE_E_END);
    NEED(are_types(operation, TENSOR(source, TYPE), TENSOR(made, TYPE)) && is_made(net, *place),
         HEDDLE_E_END);
    uint32_t is_softmax = operation == HEDDLE_IMAGE_SOFTMAX;
    NEED(END(end, MULTIPLIER) <= is_softmax * (uint32_t)INT32_MAX &&
             END(end, SHIFT) <= is_softmax * 30u,
         HEDDLE_E_END);
  }
  return HEDDLE_OK;
}

heddle_status heddle_check(heddle_net *net, const void *image, size_t bytes,
                           const heddle_machine *machine, uint32_t *place) {
  static const uint8_t lists[] = {HEDDLE_IMAGE_KIND_ONCE, HEDDLE_IMAGE_KIND_BEGIN,
                                  HEDDLE_IMAGE_KIND_RUNS, HEDDLE_IMAGE_KIND_END};
  uint32_t regions = 1u | 1u << 3, entries = 0;
  memset(net, 0, sizeof *net);
  net->image = image;
  *place = 0;
  TRY(check_header(net, bytes, machine));
  TRY(check_sections(net, place));
  TRY(check_tensors(net, place));
  TRY(check_ends(net, place));
  TRY(check_outputs(net, place));
  for (int list = 0; list < 4; list++) {
    TRY(heddle_check_jobs(net, lists[list], machine, &regions, place));
    if (list > 0) entries += 2u * heddle_entries(net, lists[list]);
  }
  *place = 0;
  uint32_t once = heddle_entries(net, HEDDLE_IMAGE_KIND_ONCE);
  NEED(heddle_get32(net->image + HEDDLE_IMAGE_HEADER_RING_ENTRIES) ==
           (once > entries ? once : entries),
       HEDDLE_E_RING);
  return HEDDLE_OK;
}
