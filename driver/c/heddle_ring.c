/* Jobs that the DMA carries out: they are put into a ring, and fences tell what is done. */
#include <string.h>

#include "heddle_internal.h"
#include "heddle_regs.h"

#define PATIENCE_LOG_MAX 24u /* of a time-out; no end counts as this one */
#define WINDOWS 4u
#define TO_NEXT_WINDOW (HEDDLE_WINDOW1_BASE - HEDDLE_WINDOW0_BASE)

uint32_t heddle_patience(const heddle *device) {
  if (!HAS(device->machine.caps, HEDDLE_CAPS_DMA)) return HEDDLE_POLLS;
  /* A bus that hangs is noticed, and a reset ends, when the time-out is over. */
  uint32_t log = GET(heddle_read(device, HEDDLE_TIMEOUT), HEDDLE_TIMEOUT_LOG);
  return HEDDLE_POLLS + (2u << (log - 1u < PATIENCE_LOG_MAX ? log : PATIENCE_LOG_MAX));
}

/* Pools and windows */

static heddle_status map_pool(const heddle *device, const heddle_pool *pool, uint64_t *bus) {
  const heddle_platform *platform = &device->platform;
  uint32_t bits = GET(device->machine.caps, HEDDLE_CAPS_ADDRESS_BITS);
  *bus = 0;
  for (size_t at = 0; at < pool->bytes; at += HEDDLE_PAGE) {
    const uint8_t *page = (const uint8_t *)pool->begin + at;
    uint64_t found = 0;
    NEED(platform->to_bus(platform->context, page, &found) != 0, HEDDLE_E_TO_BUS);
    if (at == 0) *bus = found;
    uint64_t last = found + (HEDDLE_PAGE - 1u);
    NEED(found == *bus + at && found % HEDDLE_PAGE == 0, HEDDLE_E_TO_BUS);
    NEED(last > found && (bits >= 64u || last >> bits == 0), HEDDLE_E_TO_BUS);
  }
  return HEDDLE_OK;
}

heddle_status heddle_map(heddle *device) {
  const heddle_pool *read_only = &device->read_only, *read_write = &device->read_write;
  TRY(map_pool(device, read_only, &device->read_only_bus));
  TRY(map_pool(device, read_write, &device->read_write_bus));
  NEED(device->read_only_bus + read_only->bytes <= device->read_write_bus ||
           device->read_write_bus + read_write->bytes <= device->read_only_bus ||
           read_only->bytes == 0 || read_write->bytes == 0,
       HEDDLE_E_TO_BUS);
  return HEDDLE_OK;
}

/* First and last page. */
typedef struct pages {
  uint32_t first, last;
} pages;

static pages pages_of(uint64_t bus, size_t bytes) {
  pages own = {(uint32_t)(bus / HEDDLE_PAGE), (uint32_t)((bus + bytes - 1u) / HEDDLE_PAGE)};
  return own;
}

/* Windows that someone has locked: each pool lies in one, and none lets the DMA write what it only
 * reads. */
static heddle_status check_windows(const heddle *device, const pages *read_only,
                                   const pages *read_write) {
  int found[2] = {device->read_only.bytes == 0, device->read_write.bytes == 0};
  for (uint32_t at = 0; at < WINDOWS * TO_NEXT_WINDOW; at += TO_NEXT_WINDOW) {
    uint32_t allowed = heddle_read(device, HEDDLE_WINDOW0_CTRL + at);
    uint32_t base = heddle_read(device, HEDDLE_WINDOW0_BASE + at);
    uint32_t limit = heddle_read(device, HEDDLE_WINDOW0_LIMIT + at);
    int writes = HAS(allowed, HEDDLE_WINDOW_CTRL_WRITE);
    if (writes && device->read_only.bytes > 0)
      NEED(read_only->last < base || limit < read_only->first, HEDDLE_E_LOCK);
    if (!HAS(allowed, HEDDLE_WINDOW_CTRL_READ)) continue;
    if (base <= read_only->first && read_only->last <= limit) found[0] = 1;
    if (writes && base <= read_write->first && read_write->last <= limit) found[1] = 1;
  }
  return found[0] && found[1] ? HEDDLE_OK : HEDDLE_E_LOCK;
}

static void put_window(heddle *device, uint32_t number, const pages *own, uint32_t allowed) {
  uint32_t at = number * TO_NEXT_WINDOW;
  heddle_write(device, HEDDLE_WINDOW0_CTRL + at, 0);
  if (allowed == 0) return;
  heddle_write(device, HEDDLE_WINDOW0_BASE + at, own->first);
  heddle_write(device, HEDDLE_WINDOW0_LIMIT + at, own->last);
  heddle_write(device, HEDDLE_WINDOW0_CTRL + at, allowed);
}

/* The two pools are what the DMA may reach; without to_bus that is nothing. */
heddle_status heddle_windows(heddle *device) {
  uint32_t reads = HEDDLE_WINDOW_CTRL_READ_MASK, none = 0;
  uint32_t is_mapped = device->platform.to_bus != NULL;
  pages read_only = pages_of(device->read_only_bus, device->read_only.bytes);
  pages read_write = pages_of(device->read_write_bus, device->read_write.bytes);
  heddle_write(device, HEDDLE_TIMEOUT, HEDDLE_TIMEOUT_LOG_RESET << HEDDLE_TIMEOUT_LOG_SHIFT);
  if (HAS(heddle_read(device, HEDDLE_CTRL), HEDDLE_CTRL_LOCK))
    return is_mapped ? check_windows(device, &read_only, &read_write) : HEDDLE_OK;
  for (uint32_t number = 2; number < WINDOWS; number++)
    put_window(device, number, &read_only, none);
  put_window(device, 0, &read_only, is_mapped && device->read_only.bytes > 0 ? reads : none);
  put_window(
      device, 1, &read_write,
      is_mapped && device->read_write.bytes > 0 ? reads | HEDDLE_WINDOW_CTRL_WRITE_MASK : none);
  heddle_write(device, HEDDLE_AXI_ATTR,
               HEDDLE_AXI_ATTR_ARCACHE_RESET << HEDDLE_AXI_ATTR_ARCACHE_SHIFT |
                   HEDDLE_AXI_ATTR_AWCACHE_RESET << HEDDLE_AXI_ATTR_AWCACHE_SHIFT);
  return heddle_accesses(device);
}

/* Caches: whole lines, which check_buffer has seen to. */

static void clean(const heddle *device, const void *begin, size_t bytes) {
  const heddle_platform *platform = &device->platform;
  if (platform->cache_clean != NULL && bytes > 0)
    platform->cache_clean(platform->context, begin, bytes);
}

static void invalidate(const heddle *device, void *begin, size_t bytes) {
  const heddle_platform *platform = &device->platform;
  if (platform->cache_invalidate != NULL && bytes > 0)
    platform->cache_invalidate(platform->context, begin, bytes);
}

static void invalidate_scratch(const heddle *device) {
  invalidate(device, device->net->scratch, heddle_up(device->net->scratch_bytes, HEDDLE_LINE));
}

/* Jobs */

heddle_status heddle_ring_holds(const heddle *device, const heddle_net *net) {
  static const uint32_t kinds[] = {HEDDLE_IMAGE_KIND_BEGIN, HEDDLE_IMAGE_KIND_RUNS,
                                   HEDDLE_IMAGE_KIND_END};
  uint32_t entries = 0, fences = 0, is_last = 0;
  for (int list = 0; list < 3; list++) {
    for (uint32_t at = 0; at < heddle_entries(net, kinds[list]); at++, entries++) {
      const uint8_t *job = heddle_entry(net, kinds[list], at);
      is_last = GET(WORD(job, 0), HEDDLE_JOB_TYPE) == HEDDLE_JOB_IS_FENCE;
      fences += is_last;
    }
  }
  NEED(2u * entries < device->ring_entries, HEDDLE_E_RING);
  NEED(fences == 1u && is_last, HEDDLE_E_FENCE);
  return HEDDLE_OK;
}

static uint64_t bus_of(const heddle_pool *pool, uint64_t bus, const void *place) {
  return bus + (uint64_t)((uintptr_t)place - (uintptr_t)pool->begin);
}

/* Address of a region for the inference of the next job, 0 if there is none. */
static uint64_t region_of(const heddle *device, uint32_t region) {
  int is_written = region >= 2u, is_of_user = region == 1u || region == 2u;
  const void *place = is_written ? (const void *)device->net->scratch : device->net->image;
  if (is_of_user && device->list == HEDDLE_IMAGE_KIND_ONCE) return 0;
  if (region == 1u) place = device->inputs[device->inference];
  if (region == 2u) place = device->outputs[device->inference];
  if (place == NULL) return 0;
  return is_written ? bus_of(&device->read_write, device->read_write_bus, place)
                    : bus_of(&device->read_only, device->read_only_bus, place);
}

/* The list behind one that is written. The next *begin* goes in front of *end*: its input comes
 * while the program runs. */
static uint32_t next_list(heddle *device) {
  int is_last = device->inference + 1u == device->submitted, overlaps = device->net->overlaps;
  switch (device->list) {
    case HEDDLE_IMAGE_KIND_BEGIN:
      if (!overlaps || device->inference == 0) return HEDDLE_IMAGE_KIND_RUNS;
      device->inference--;
      return HEDDLE_IMAGE_KIND_END;
    case HEDDLE_IMAGE_KIND_RUNS:
      if (!overlaps || is_last) return HEDDLE_IMAGE_KIND_END;
      device->inference++;
      return HEDDLE_IMAGE_KIND_BEGIN;
    case HEDDLE_IMAGE_KIND_END:
      if (is_last) return 0;
      device->inference++;
      return overlaps ? HEDDLE_IMAGE_KIND_RUNS : HEDDLE_IMAGE_KIND_BEGIN;
    default:
      return 0;
  }
}

/* The next job; null behind the last. */
static const uint8_t *next_job(heddle *device) {
  while (device->list != 0) {
    if (device->entry < heddle_entries(device->net, device->list))
      return heddle_entry(device->net, device->list, device->entry++);
    device->entry = 0;
    device->list = next_list(device);
  }
  return NULL;
}

static void put_job(const heddle *device, uint8_t *entry, const uint8_t *job) {
  memcpy(entry, job, HEDDLE_JOB_SIZE);
  if (GET(WORD(job, 0), HEDDLE_JOB_TYPE) != HEDDLE_JOB_IS_REGIONS) return;
  for (uint32_t region = 0; region < HEDDLE_IMAGE_REGIONS; region++) {
    if ((GET(WORD(job, 0), HEDDLE_JOB_REGIONS) >> region & 1u) == 0) continue;
    uint64_t address = region_of(device, region);
    heddle_put32(entry + 4u + 8u * region, (uint32_t)address);
    heddle_put32(entry + 8u + 8u * region, (uint32_t)(address >> 32));
  }
}

/* Puts jobs into the ring until it is full; one entry stays free. */
static void fill(heddle *device) {
  if (device->list == 0) return;
  uint32_t mask = device->ring_entries - 1u, tail = device->ring_tail, first = tail;
  uint32_t head = GET(heddle_read(device, HEDDLE_Q_HEAD), HEDDLE_Q_HEAD_INDEX) & mask;
  const uint8_t *job;
  while (((tail + 1u) & mask) != head && (job = next_job(device)) != NULL) {
    put_job(device, device->ring + tail * HEDDLE_JOB_SIZE, job);
    tail = (tail + 1u) & mask;
  }
  if (tail == first) return;
  uint32_t end = tail > first ? tail : device->ring_entries;
  clean(device, device->ring + first * HEDDLE_JOB_SIZE, (end - first) * HEDDLE_JOB_SIZE);
  if (tail < first) clean(device, device->ring, tail * HEDDLE_JOB_SIZE);
  if (device->platform.barrier != NULL) device->platform.barrier(device->platform.context);
  device->ring_tail = tail;
  heddle_write(device, HEDDLE_Q_TAIL, tail);
}

static void put_address(heddle *device, uint32_t low, uint32_t high, uint64_t address) {
  heddle_write(device, low, (uint32_t)address);
  heddle_write(device, high, (uint32_t)(address >> 32));
}

/* The ring behind a reset: empty, and on. */
static void begin(heddle *device) {
  uint32_t log = 0;
  while (1u << log < device->ring_entries) log++;
  device->ring_tail = device->entry = device->inference = 0;
  put_address(device, HEDDLE_Q_BASE_LO, HEDDLE_Q_BASE_HI,
              bus_of(&device->read_only, device->read_only_bus, device->ring));
  heddle_write(device, HEDDLE_Q_SIZE, log << HEDDLE_Q_SIZE_LOG_SHIFT);
  put_address(device, HEDDLE_REGION0_LO, HEDDLE_REGION0_HI, region_of(device, 0));
  put_address(device, HEDDLE_REGION3_LO, HEDDLE_REGION3_HI, region_of(device, 3));
  heddle_write(device, HEDDLE_CTRL, HEDDLE_CTRL_QUEUE_MASK);
}

heddle_status heddle_ring_once(heddle *device) {
  device->list = HEDDLE_IMAGE_KIND_ONCE;
  clean(device, device->net->image, heddle_up(device->net->bytes, HEDDLE_LINE));
  invalidate_scratch(device);
  begin(device);
  uint32_t polls = heddle_patience(device), before = 0, still = 0;
  while (still < polls) {
    fill(device);
    uint32_t status = heddle_read(device, HEDDLE_STATUS);
    NEED(!HAS(status, HEDDLE_STATUS_ERROR), HEDDLE_E_ENGINE);
    TRY(heddle_accesses(device));
    if (device->list == 0 && HAS(status, HEDDLE_STATUS_QUEUE_EMPTY)) {
      invalidate_scratch(device);
      return HEDDLE_OK;
    }
    /* A load of an entry may take longer than all waits. */
    uint32_t now = heddle_read(device, HEDDLE_LOAD_WORDS) + heddle_read(device, HEDDLE_JOBS);
    still = now == before ? still + 1u : 0;
    before = now;
  }
  return HEDDLE_E_QUEUE;
}

void heddle_ring_submit(heddle *device) {
  const heddle_net *net = device->net;
  for (uint32_t at = 0; at < device->submitted; at++) {
    clean(device, device->inputs[at], net->input_bytes);
    invalidate(device, device->outputs[at], net->output_bytes);
  }
  invalidate_scratch(device);
  device->inference = 0;
  device->fences = heddle_read(device, HEDDLE_Q_SEQ);
  heddle_write(device, HEDDLE_IRQ_STATUS,
               HEDDLE_IRQ_STATUS_DONE_MASK | HEDDLE_IRQ_STATUS_QUEUE_EMPTY_MASK);
  heddle_write(device, HEDDLE_IRQ_ENABLE,
               HEDDLE_IRQ_ENABLE_DONE_MASK | HEDDLE_IRQ_ENABLE_ERROR_MASK |
                   HEDDLE_IRQ_ENABLE_QUEUE_EMPTY_MASK);
  fill(device);
}

heddle_status heddle_ring_poll(heddle *device) {
  /* Events are cleared first: what comes behind that is seen now, or raises the interrupt again. */
  heddle_write(device, HEDDLE_IRQ_STATUS,
               HEDDLE_IRQ_STATUS_DONE_MASK | HEDDLE_IRQ_STATUS_QUEUE_EMPTY_MASK);
  uint32_t passed = heddle_read(device, HEDDLE_Q_SEQ) - device->fences;
  for (; device->done < passed && device->done < device->submitted; device->done++)
    invalidate(device, device->outputs[device->done], device->net->output_bytes);
  NEED(!HAS(heddle_read(device, HEDDLE_STATUS), HEDDLE_STATUS_ERROR), HEDDLE_E_ENGINE);
  TRY(heddle_accesses(device));
  if (device->done < device->submitted) {
    fill(device);
    return HEDDLE_BUSY;
  }
  heddle_write(device, HEDDLE_IRQ_ENABLE, 0);
  invalidate_scratch(device);
  return HEDDLE_OK;
}

void heddle_ring_give_back(heddle *device) {
  for (uint32_t at = device->done; at < device->submitted; at++)
    invalidate(device, device->outputs[at], device->net->output_bytes);
  if (device->net != NULL) invalidate_scratch(device);
}
