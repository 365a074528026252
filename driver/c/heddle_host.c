/* Tensors of the user: packed, unpacked, and what the host computes of them. */
#include <string.h>

#include "heddle_internal.h"

/* Places of the elements of an entry: bytes from its first element on in memory, and element of the
 * user. */
typedef struct places {
  const uint8_t *walks;
  uint32_t loops, turn[HEDDLE_IMAGE_LOOPS];
  uint32_t memory, user;
  int ended;
} places;

static places places_of(const uint8_t *tensor) {
  places all = {0};
  all.walks = tensor + HEDDLE_IMAGE_TENSOR_WALKS;
  all.loops = TENSOR(tensor, LOOPS);
  all.user = TENSOR(tensor, FIRST);
  return all;
}

static void next_place(places *all) {
  for (uint32_t loop = all->loops; loop-- > 0;) {
    const uint8_t *walk = all->walks + 12u * loop;
    uint32_t memory = heddle_get32(walk + 4), user = heddle_get32(walk + 8);
    if (++all->turn[loop] < heddle_get32(walk)) {
      all->memory += memory;
      all->user += user;
      return;
    }
    all->turn[loop] = 0;
    all->memory -= (heddle_get32(walk) - 1u) * memory;
    all->user -= (heddle_get32(walk) - 1u) * user;
  }
  all->ended = 1;
}

/* One entry of a tensor: from the user into a region. */
static void scatter(const uint8_t *tensor, const uint8_t *user, uint8_t *region) {
  uint32_t size = heddle_element_bytes(tensor);
  uint8_t *own = region + TENSOR(tensor, OFFSET);
  memset(own, (int)TENSOR(tensor, PADDING), TENSOR(tensor, BYTES));
  for (places at = places_of(tensor); !at.ended; next_place(&at)) {
    memcpy(own + at.memory, user + at.user * size, size);
  }
}

/* All entries of a tensor: from a region to the user. */
static void gather(const heddle_net *net, uint32_t first, const uint8_t *region, uint8_t *user) {
  for (uint32_t index = first; index < heddle_entries(net, HEDDLE_IMAGE_KIND_TENSORS); index++) {
    const uint8_t *tensor = heddle_tensor_at(net, index);
    if (heddle_first_of(net, index) != first) continue;
    uint32_t size = heddle_element_bytes(tensor);
    const uint8_t *own = region + TENSOR(tensor, OFFSET);
    for (places at = places_of(tensor); !at.ended; next_place(&at)) {
      memcpy(user + at.user * size, own + at.memory, size);
    }
  }
}

/* Softmax in fixed point, bit for bit that of TensorFlow Lite's reference kernels. */

static int32_t saturated(int64_t a) {
  return a > INT32_MAX ? INT32_MAX : a < INT32_MIN ? INT32_MIN : (int32_t)a;
}

/* Upper half of twice the product, to the nearest, halves upwards. */
static int32_t high_product(int32_t a, int32_t b) {
  int64_t half = (int64_t)1 << 30, product = (int64_t)a * b;
  return saturated((product + (product < 0 ? 1 - half : half)) / ((int64_t)1 << 31));
}

/* a / 2^bits of an a from 0 on, to the nearest, halves upwards. */
static int32_t divided(int32_t a, uint32_t bits) {
  return (int32_t)(((int64_t)a + ((int64_t)1 << (bits - 1u))) >> bits);
}

/* e^a in 31 bits, a from -31 to 0 in steps of 2^-26. */
static int32_t exponential(int32_t a) {
  /* e^(-1/4), e^(-1/2), and so on to e^(-16). */
  static const int32_t powers[7] = {1672461947, 1302514674, 790015084, 290630308,
                                    39332535,   720401,     242};
  const int32_t quarter = 1 << 24;
  if (a == 0) return INT32_MAX;
  /* a is a part from -1/4 on, less some quarters; four terms of the series of the part. */
  int32_t part = (a & (quarter - 1)) - quarter, quarters = (part - a) / quarter;
  int32_t x = part * 32 + (1 << 28), square = high_product(x, x);
  int32_t cube = high_product(square, x), fourth = high_product(square, square);
  int32_t rest = divided(high_product(divided(fourth, 2) + cube, 715827883) + square, 1);
  int32_t found = saturated((int64_t)1895147668 + high_product(1895147668, x + rest));
  for (int bit = 0; bit < 7; bit++) {
    if ((quarters >> bit & 1) != 0) found = high_product(found, powers[bit]);
  }
  return found;
}

/* 1 / sum = share / 2^31 / 2^bits, the sum with 12 bits in front of the point and at least 1. */
static int32_t reciprocal(uint32_t sum, uint32_t *bits) {
  uint32_t zeros = 0;
  while ((sum << zeros & 0x80000000u) == 0) zeros++;
  int64_t one = (int64_t)1 << 31, fraction = (int64_t)(sum << zeros) - one;
  int32_t half = (int32_t)((fraction + one) / 2);
  /* Newton's steps from 48/17 - 32/17 half, with 2 bits in front of the point. */
  int32_t found = 1515870810 + high_product(half, -1010580540);
  for (int step = 0; step < 3; step++) {
    int32_t missing = (1 << 29) - high_product(half, found);
    found += saturated((int64_t)high_product(found, missing) * 4);
  }
  *bits = zeros < 12u ? 12u - zeros : 0;
  return saturated((int64_t)found * 2);
}

/* Elements without a sign are moved by 128. */
static int32_t value_of(const uint8_t *place, uint8_t moved) {
  int32_t byte = *place ^ moved;
  return byte < 128 ? byte : byte - 256;
}

static uint8_t moved_by(const uint8_t *tensor) {
  return TENSOR(tensor, TYPE) == HEDDLE_IMAGE_TYPE_UINT8 ? 0x80 : 0;
}

/* A row of an operation. */
typedef struct row {
  const uint8_t *source;
  uint8_t *made;
  uint8_t moved_source, moved_made;
  uint32_t length, stride;
} row;

static int32_t largest_of(const row *own, uint32_t *place) {
  int32_t largest = INT32_MIN;
  for (uint32_t at = 0; at < own->length; at++) {
    int32_t value = value_of(own->source + at * own->stride, own->moved_source);
    if (value <= largest) continue;
    largest = value;
    *place = at;
  }
  return largest;
}

/* The exponential of an element; -1: its difference to the largest has no place in 5 bits. */
static int32_t power_of(const row *own, uint32_t at, int32_t largest, const uint8_t *end) {
  int32_t difference = value_of(own->source + at * own->stride, own->moved_source) - largest;
  uint32_t shift = END(end, SHIFT);
  if (difference < -(int32_t)((31u << 26) >> shift)) return -1;
  return exponential(high_product((int32_t)((int64_t)difference * ((int64_t)1 << shift)),
                                  (int32_t)END(end, MULTIPLIER)));
}

static void softmax(const row *own, const uint8_t *end) {
  uint32_t place = 0, bits;
  int64_t sum = 0;
  int32_t largest = largest_of(own, &place);
  for (uint32_t at = 0; at < own->length; at++) {
    int32_t power = power_of(own, at, largest, end);
    if (power >= 0) sum += divided(power, 12);
  }
  int32_t share = reciprocal((uint32_t)saturated(sum), &bits);
  for (uint32_t at = 0; at < own->length; at++) {
    int32_t power = power_of(own, at, largest, end);
    int32_t found = power < 0 ? -128 : divided(high_product(share, power), 23u + bits) - 128;
    own->made[at * own->stride] = (uint8_t)((uint8_t)(found > 127 ? 127 : found) ^ own->moved_made);
  }
}

/* Rows of SOFTMAX and ARG_MAX. */
static void make_rows(const uint8_t *end, const uint8_t *tensors[2], const uint8_t *source,
                      uint8_t *made) {
  uint32_t length = END(end, LENGTH), stride = END(end, STRIDE), first = 0, inner = 0;
  for (uint32_t number = 0; number < END(end, ROWS); number++) {
    row own = {source + first + inner,
               made + first + inner,
               moved_by(tensors[0]),
               moved_by(tensors[1]),
               length,
               stride};
    if (END(end, OPERATION) == HEDDLE_IMAGE_SOFTMAX) {
      softmax(&own, end);
    } else {
      uint32_t place = 0;
      (void)largest_of(&own, &place);
      memcpy(made + 4u * number, &place, sizeof place);
    }
    if (++inner < stride) continue;
    inner = 0;
    first += length * stride;
  }
}

static float scale_of(const uint8_t *tensor) {
  float scale;
  uint32_t bits = TENSOR(tensor, SCALE);
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

/* Real values to steps: to the nearest, halves away from zero or to the even step. What is no number
 * becomes 0. */
static void quantize(const uint8_t *tensor, int to_even, const uint8_t *source, uint8_t *made) {
  int32_t zero = (int32_t)TENSOR(tensor, ZERO_POINT), low = moved_by(tensor) != 0 ? 0 : -128;
  float scale = scale_of(tensor);
  for (uint32_t at = 0; at < heddle_elements(tensor); at++) {
    float value;
    memcpy(&value, source + 4u * at, sizeof value);
    /* Volatile: registers of x87 have more bits, and rounding twice is another number. Steps beyond
     * 1,024 are limits with any zero point; a float of that size is exact. */
    volatile float quotient = value / scale;
    float steps = quotient;
    int32_t found = 0;
    if (steps > 1024.0f) {
      found = low + 255;
    } else if (steps < -1024.0f) {
      found = low;
    } else if (steps >= -1024.0f) {
      int32_t whole = (int32_t)steps;
      float rest = steps - (float)whole;
      int stays = to_even && whole % 2 == 0 && (rest == 0.5f || rest == -0.5f);
      found = whole + (stays ? 0 : (rest >= 0.5f) - (rest <= -0.5f)) + zero;
      found = found < low ? low : found > low + 255 ? low + 255 : found;
    }
    made[at] = (uint8_t)found;
  }
}

static void dequantize(const uint8_t *tensor, const uint8_t *source, uint8_t *made) {
  int32_t zero = (int32_t)TENSOR(tensor, ZERO_POINT);
  float scale = scale_of(tensor);
  for (uint32_t at = 0; at < heddle_elements(tensor); at++) {
    int32_t step = moved_by(tensor) != 0 ? source[at] : value_of(source + at, 0);
    float value = (float)(step - zero) * scale;
    memcpy(made + 4u * at, &value, sizeof value);
  }
}

static void make(const heddle_net *net, const uint8_t *end, const uint8_t *source, uint8_t *made) {
  const uint8_t *tensors[2] = {heddle_tensor_at(net, END(end, SOURCE)),
                               heddle_tensor_at(net, END(end, DESTINATION))};
  switch (END(end, OPERATION)) {
    case HEDDLE_IMAGE_QUANTIZE:
    case HEDDLE_IMAGE_QUANTIZE_EVEN:
      quantize(tensors[1], END(end, OPERATION) == HEDDLE_IMAGE_QUANTIZE_EVEN, source, made);
      break;
    case HEDDLE_IMAGE_DEQUANTIZE:
      dequantize(tensors[0], source, made);
      break;
    default:
      make_rows(end, tensors, source, made);
      break;
  }
}

/* The entry of input or output `number`; the number of entries behind the last one. */
static uint32_t find(const heddle_net *net, heddle_role role, uint32_t number) {
  uint32_t count = heddle_entries(net, HEDDLE_IMAGE_KIND_TENSORS);
  for (uint32_t index = 0; index < count; index++) {
    int has_role = (TENSOR(heddle_tensor_at(net, index), FLAGS) & (uint32_t)role) != 0;
    if (has_role && heddle_first_of(net, index) == index && number-- == 0) return index;
  }
  return count;
}

/* The number of an input or output, or as many as there are. */
static uint32_t number_of(const heddle_net *net, heddle_role role, uint32_t index) {
  uint32_t number = 0;
  while (find(net, role, number) < index) number++;
  return number;
}

heddle_status heddle_tensor(const heddle_net *net, heddle_role role, uint32_t number,
                            heddle_tensor_info *info) {
  if (net == NULL || info == NULL) return HEDDLE_E_NULL;
  uint32_t index = find(net, role, number);
  if (index == heddle_entries(net, HEDDLE_IMAGE_KIND_TENSORS)) return HEDDLE_E_TENSORS;
  const uint8_t *tensor = heddle_tensor_at(net, index);
  info->name = (const char *)heddle_entry(net, HEDDLE_IMAGE_KIND_STRINGS, TENSOR(tensor, NAME));
  info->type = (heddle_type)TENSOR(tensor, TYPE);
  info->rank = TENSOR(tensor, RANK);
  for (uint32_t at = 0; at < HEDDLE_IMAGE_LOOPS; at++) {
    info->extents[at] = heddle_get32(tensor + HEDDLE_IMAGE_TENSOR_EXTENTS + 4u * at);
  }
  info->bytes = heddle_elements(tensor) * heddle_element_bytes(tensor);
  info->scale = scale_of(tensor);
  info->zero_point = (int32_t)TENSOR(tensor, ZERO_POINT);
  return HEDDLE_OK;
}

static heddle_status check_user(const heddle_net *net, heddle_role role, uint32_t count,
                                const void *work) {
  if (net->work_bytes > 0 && work == NULL) return HEDDLE_E_NULL;
  int is_all = find(net, role, count) == heddle_entries(net, HEDDLE_IMAGE_KIND_TENSORS);
  int is_last =
      count == 0 || find(net, role, count - 1u) < heddle_entries(net, HEDDLE_IMAGE_KIND_TENSORS);
  return is_all && is_last ? HEDDLE_OK : HEDDLE_E_TENSORS;
}

/* All entries of a tensor of region 1. */
static void pack(const heddle_net *net, uint32_t first, const uint8_t *user, uint8_t *buffer) {
  for (uint32_t index = first; index < heddle_entries(net, HEDDLE_IMAGE_KIND_TENSORS); index++) {
    const uint8_t *tensor = heddle_tensor_at(net, index);
    if (TENSOR(tensor, REGION) == 1u && heddle_first_of(net, index) == first)
      scatter(tensor, user, buffer);
  }
}

heddle_status heddle_pack(const heddle_net *net, const void *const *tensors, uint32_t count,
                          void *buffer, void *work) {
  if (net == NULL || (tensors == NULL && count > 0) || buffer == NULL) return HEDDLE_E_NULL;
  heddle_status status = check_user(net, HEDDLE_INPUT, count, work);
  for (uint32_t number = 0; status == HEDDLE_OK && number < count; number++) {
    if (tensors[number] == NULL) status = HEDDLE_E_NULL;
  }
  if (status != HEDDLE_OK) return status;
  for (uint32_t number = 0; number < count; number++) {
    uint32_t index = find(net, HEDDLE_INPUT, number);
    pack(net, index, tensors[number], buffer);
  }
  for (uint32_t at = 0; at < heddle_entries(net, HEDDLE_IMAGE_KIND_ENDS); at++) {
    const uint8_t *end = heddle_entry(net, HEDDLE_IMAGE_KIND_ENDS, at);
    if (TENSOR(heddle_tensor_at(net, END(end, DESTINATION)), REGION) != 1u) continue;
    make(net, end, tensors[number_of(net, HEDDLE_INPUT, END(end, SOURCE))], work);
    pack(net, END(end, DESTINATION), work, buffer);
  }
  return HEDDLE_OK;
}

/* Where the elements of a tensor of the work bytes lie: with the user, if it is an output. */
static uint8_t *place_of(const heddle_net *net, uint32_t index, void *const *tensors,
                         uint8_t *work) {
  const uint8_t *tensor = heddle_tensor_at(net, index);
  if ((TENSOR(tensor, FLAGS) & (uint32_t)HEDDLE_OUTPUT) == 0) return work + TENSOR(tensor, OFFSET);
  return tensors[number_of(net, HEDDLE_OUTPUT, index)];
}

heddle_status heddle_unpack(const heddle_net *net, const void *buffer, void *const *tensors,
                            uint32_t count, void *work) {
  if (net == NULL || (tensors == NULL && count > 0) || buffer == NULL) return HEDDLE_E_NULL;
  heddle_status status = check_user(net, HEDDLE_OUTPUT, count, work);
  for (uint32_t number = 0; status == HEDDLE_OK && number < count; number++) {
    if (tensors[number] == NULL) status = HEDDLE_E_NULL;
  }
  if (status != HEDDLE_OK) return status;
  for (uint32_t number = 0; number < count; number++) {
    uint32_t index = find(net, HEDDLE_OUTPUT, number);
    if (TENSOR(heddle_tensor_at(net, index), REGION) == 2u)
      gather(net, index, buffer, tensors[number]);
  }
  for (uint32_t at = 0; at < heddle_entries(net, HEDDLE_IMAGE_KIND_ENDS); at++) {
    const uint8_t *end = heddle_entry(net, HEDDLE_IMAGE_KIND_ENDS, at);
    uint32_t source = END(end, SOURCE), destination = END(end, DESTINATION);
    if (TENSOR(heddle_tensor_at(net, destination), REGION) == 1u) continue;
    const uint8_t *values = work;
    if (TENSOR(heddle_tensor_at(net, source), REGION) == 2u) {
      gather(net, source, buffer, work);
    } else {
      values = place_of(net, source, tensors, work);
    }
    make(net, end, values, place_of(net, destination, tensors, work));
  }
  return HEDDLE_OK;
}
