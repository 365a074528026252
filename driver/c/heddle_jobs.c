/* Jobs of an image: what their words say, and what a machine must have for them. */
#include <string.h>

#include "heddle_internal.h"
#include "heddle_regs.h"

/* A word has no bit that is in no field. */
#define IN(word, fields) (((word) & ~HEDDLE_##fields##_USED) == 0)

static int place_of(heddle_transfer *out, uint32_t word) {
  switch (out->space) {
    case HEDDLE_SPACE_BUFFER:
      out->place = GET(word, HEDDLE_BUFFER_PLACE_INDEX);
      out->partition = GET(word, HEDDLE_BUFFER_PLACE_PARTITION);
      return IN(word, BUFFER_PLACE);
    case HEDDLE_SPACE_COLUMNS:
      out->place = GET(word, HEDDLE_COLUMN_PLACE_TILE);
      out->partition = GET(word, HEDDLE_COLUMN_PLACE_COLUMN);
      return IN(word, COLUMN_PLACE);
    case HEDDLE_SPACE_ROWS:
      out->place = GET(word, HEDDLE_ROW_PLACE_ENTRY);
      out->partition = GET(word, HEDDLE_ROW_PLACE_ROW);
      return IN(word, ROW_PLACE);
    case HEDDLE_SPACE_TABLES:
      out->place = GET(word, HEDDLE_TABLE_PLACE_ENTRY);
      return IN(word, TABLE_PLACE);
    case HEDDLE_SPACE_PROGRAM:
      out->place = GET(word, HEDDLE_PROGRAM_PLACE_PAIR);
      return IN(word, PROGRAM_PLACE);
    case HEDDLE_SPACE_WEIGHTS:
    case HEDDLE_SPACE_COMMANDS:
      return IN(word, STREAM_PLACE);
    default:
      return 0;
  }
}

/* Words 1 to 8 of a LOAD or a STORE; 0 if a field is wrong. */
static int transfer_of(heddle_transfer *out, const uint8_t *job) {
  uint32_t access = WORD(job, 1), x = WORD(job, 4), along = GET(access, HEDDLE_TRANSFER_PARTITIONS);
  memset(out, 0, sizeof *out);
  out->space = GET(access, HEDDLE_TRANSFER_SPACE);
  out->region = GET(access, HEDDLE_TRANSFER_REGION);
  out->fill = GET(access, HEDDLE_TRANSFER_FILL);
  out->zero = GET(access, HEDDLE_TRANSFER_ZERO);
  out->offset = WORD(job, 2);
  if (!IN(access, TRANSFER) || !IN(x, LOOP_X) || !place_of(out, WORD(job, 3))) return 0;
  out->count[0] = GET(x, HEDDLE_LOOP_X_COUNT) + 1u;
  out->step[0] = GET(x, HEDDLE_LOOP_X_STEP);
  out->pitch[0] = out->fill != 0 ? 0 : 8u;
  for (uint32_t loop = 1; loop < 3; loop++) {
    uint32_t word = WORD(job, 3 + 2 * loop);
    if (!IN(word, LOOP_OUTER)) return 0;
    out->count[loop] = GET(word, HEDDLE_LOOP_OUTER_COUNT) + 1u;
    out->step[loop] = GET(word, HEDDLE_LOOP_OUTER_STEP);
    out->pitch[loop] = WORD(job, 4 + 2 * loop);
  }
  if (along > 0) out->partition_step[along - 1u] = 1;
  int is_buffer = out->space == HEDDLE_SPACE_BUFFER,
      has_rows = is_buffer || out->space == HEDDLE_SPACE_ROWS;
  int is_stream = out->space == HEDDLE_SPACE_WEIGHTS || out->space == HEDDLE_SPACE_COMMANDS;
  uint32_t memory = out->offset | out->pitch[1] | out->pitch[2];
  if ((!is_buffer && (out->fill | out->zero) != 0) || (!has_rows && along != 0) || memory % 8u != 0)
    return 0;
  if (is_stream && (out->step[0] | out->step[1] | out->step[2]) != 0) return 0;
  if (out->fill != 0 && (memory | out->region | out->zero) != 0) return 0;
  if (out->space == HEDDLE_SPACE_COLUMNS) {
    if (out->step[0] != 1 || out->count[2] != 1) return 0;
    out->step[0] = 0; /* X walks columns, which are what partitions are elsewhere */
    out->partition_step[0] = 1;
    out->pitch[0] = 16;
  }
  return 1;
}

/* Addresses of a REGIONS entry, in place of which the driver takes its own. Programs use regions 0
 * and 3. */
static int are_regions(const uint8_t *job) {
  uint32_t first = WORD(job, 0), set = GET(first, HEDDLE_JOB_REGIONS);
  for (uint32_t region = 0; region < HEDDLE_IMAGE_REGIONS; region++) {
    uint32_t low = WORD(job, 1 + 2 * region), high = WORD(job, 2 + 2 * region);
    if ((set >> region & 1u) == 0 ? (low | high) != 0 : low % 8u != 0) return 0;
  }
  return (set & 9u) == 0 || HAS(first, HEDDLE_JOB_WAIT_PROGRAM);
}

heddle_status heddle_job(const uint8_t *job, uint32_t *type, heddle_transfer *transfer) {
  uint32_t first = WORD(job, 0), used = 1;
  *type = GET(first, HEDDLE_JOB_TYPE);
  NEED(IN(first, JOB), HEDDLE_E_JOB);
  NEED(!HAS(first, HEDDLE_JOB_INTERRUPT) || *type == HEDDLE_JOB_IS_FENCE, HEDDLE_E_JOB);
  NEED(!HAS(first, HEDDLE_JOB_KEEP) || *type == HEDDLE_JOB_IS_RUN, HEDDLE_E_JOB);
  NEED(!HAS(first, HEDDLE_JOB_REGIONS) || *type == HEDDLE_JOB_IS_REGIONS, HEDDLE_E_JOB);
  switch (*type) {
    case HEDDLE_JOB_IS_NOP:
    case HEDDLE_JOB_IS_FENCE:
      break;
    case HEDDLE_JOB_IS_RUN:
      used = 4;
      NEED(IN(WORD(job, 2), JOB_START), HEDDLE_E_JOB);
      break;
    case HEDDLE_JOB_IS_REGIONS:
      used = 1 + 2 * HEDDLE_IMAGE_REGIONS;
      NEED(are_regions(job), HEDDLE_E_JOB);
      break;
    case HEDDLE_JOB_IS_LOAD:
    case HEDDLE_JOB_IS_STORE:
      used = 9;
      NEED(transfer_of(transfer, job), HEDDLE_E_JOB);
      NEED(*type == HEDDLE_JOB_IS_LOAD ||
               (transfer->space == HEDDLE_SPACE_BUFFER && transfer->fill == 0),
           HEDDLE_E_JOB);
      break;
    default:
      return HEDDLE_E_JOB;
  }
  NEED(heddle_are_zero(job + 4u * used, HEDDLE_JOB_SIZE - 4u * used), HEDDLE_E_JOB);
  return HEDDLE_OK;
}

/* The last place and partition of a transfer. */
static void last_of(const heddle_transfer *own, uint64_t *place, uint64_t *partition) {
  *place = own->place;
  *partition = own->partition;
  for (int loop = 0; loop < 3; loop++) {
    *place += (uint64_t)(own->count[loop] - 1u) * own->step[loop];
    *partition += (uint64_t)(own->count[loop] - 1u) * own->partition_step[loop];
  }
}

/* Places and partitions that a memory has; tables of rows and activations have as many as the
 * fields say. */
static heddle_status check_places(const heddle_transfer *own, const heddle_machine *machine) {
  uint32_t caps = machine->caps, places = UINT32_MAX,
           partitions = GET(machine->shape, HEDDLE_SHAPE_ROWS);
  switch (own->space) {
    case HEDDLE_SPACE_BUFFER:
      places = 1u << (GET(caps, HEDDLE_CAPS_BANKS) + GET(caps, HEDDLE_CAPS_BANK_WORDS));
      break;
    case HEDDLE_SPACE_COLUMNS:
      places = 1u << GET(caps, HEDDLE_CAPS_COLUMN_TILES);
      partitions = GET(machine->shape, HEDDLE_SHAPE_COLUMNS);
      break;
    case HEDDLE_SPACE_ROWS:
      places = 1u + (HEDDLE_ROW_PLACE_ENTRY_MASK >> HEDDLE_ROW_PLACE_ENTRY_SHIFT);
      break;
    case HEDDLE_SPACE_TABLES:
      places = 1u + (HEDDLE_TABLE_PLACE_ENTRY_MASK >> HEDDLE_TABLE_PLACE_ENTRY_SHIFT);
      break;
    case HEDDLE_SPACE_PROGRAM:
      places = 1u << (GET(caps, HEDDLE_CAPS_PROGRAM_WORDS) + 3u);
      break;
    default:
      NEED(HAS(caps, HEDDLE_CAPS_CLUSTER), HEDDLE_E_JOB_PLACE);
  }
  uint64_t place, partition;
  last_of(own, &place, &partition);
  NEED(place < places && partition < partitions, HEDDLE_E_JOB_PLACE);
  return HEDDLE_OK;
}

static heddle_status check_memory(const heddle_net *net, const heddle_transfer *own,
                                  uint32_t regions) {
  const uint32_t rooms[] = {net->bytes, net->input_bytes, net->output_bytes, net->scratch_bytes};
  uint64_t words = (uint64_t)own->count[0] * own->count[1] * own->count[2];
  NEED(words <= HEDDLE_IMAGE_WORDS_MAX, HEDDLE_E_JOB_MEMORY);
  if (own->fill != 0) return HEDDLE_OK;
  NEED((regions >> own->region & 1u) == 1u, HEDDLE_E_JOB_REGION);
  uint64_t end = (uint64_t)own->offset + own->pitch[0];
  for (int loop = 0; loop < 3; loop++) end += (uint64_t)(own->count[loop] - 1u) * own->pitch[loop];
  NEED(end <= rooms[own->region], HEDDLE_E_JOB_MEMORY);
  return HEDDLE_OK;
}

heddle_status heddle_check_jobs(const heddle_net *net, uint32_t kind, const heddle_machine *machine,
                                uint32_t *regions, uint32_t *place) {
  for (*place = 0; *place < heddle_entries(net, kind); ++*place) {
    const uint8_t *job = heddle_entry(net, kind, *place);
    heddle_transfer transfer;
    uint32_t type;
    TRY(heddle_job(job, &type, &transfer));
    if (type == HEDDLE_JOB_IS_REGIONS) *regions |= GET(WORD(job, 0), HEDDLE_JOB_REGIONS);
    if (type == HEDDLE_JOB_IS_RUN) {
      NEED(WORD(job, 1) == 0 || WORD(job, 1) == machine->config, HEDDLE_E_JOB_CONFIG);
      uint32_t words = 16u << GET(machine->caps, HEDDLE_CAPS_PROGRAM_WORDS);
      NEED(WORD(job, 2) < words && kind != HEDDLE_IMAGE_KIND_ONCE, HEDDLE_E_JOB_PLACE);
    }
    if (type != HEDDLE_JOB_IS_LOAD && type != HEDDLE_JOB_IS_STORE) continue;
    NEED(type == HEDDLE_JOB_IS_LOAD || transfer.region != 0, HEDDLE_E_JOB_MEMORY);
    TRY(check_places(&transfer, machine));
    TRY(check_memory(net, &transfer, *regions));
  }
  return HEDDLE_OK;
}

/* A transfer of the state buffer, of this type. */
static int is_move(const uint8_t *job, uint32_t wanted, heddle_transfer *own) {
  uint32_t type;
  return heddle_job(job, &type, own) == HEDDLE_OK && type == wanted &&
         own->space == HEDDLE_SPACE_BUFFER;
}

/* Boxes of words and partitions around two transfers. */
static int do_meet(const heddle_transfer *one, const heddle_transfer *other) {
  uint64_t places[2], partitions[2];
  last_of(one, &places[0], &partitions[0]);
  last_of(other, &places[1], &partitions[1]);
  return one->place <= places[1] && other->place <= places[0] && one->partition <= partitions[1] &&
         other->partition <= partitions[0];
}

int heddle_lists_meet(const heddle_net *net) {
  heddle_transfer load, store;
  for (uint32_t at = 0; at < heddle_entries(net, HEDDLE_IMAGE_KIND_END); at++) {
    if (!is_move(heddle_entry(net, HEDDLE_IMAGE_KIND_END, at), HEDDLE_JOB_IS_STORE, &store))
      continue;
    for (uint32_t other = 0; other < heddle_entries(net, HEDDLE_IMAGE_KIND_BEGIN); other++) {
      const uint8_t *job = heddle_entry(net, HEDDLE_IMAGE_KIND_BEGIN, other);
      if (is_move(job, HEDDLE_JOB_IS_LOAD, &load) && do_meet(&load, &store)) return 1;
    }
  }
  return 0;
}
