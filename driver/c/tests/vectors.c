/* What the host computes, against the reference in Python. */
#include "bench.h"

static uint32_t bytes_from(const char *text, uint8_t *bytes) {
  uint32_t count = 0;
  unsigned byte;
  for (; sscanf(text + 2 * count, "%2x", &byte) == 1; count++) bytes[count] = (uint8_t)byte;
  return count;
}

void check_vectors(const char *path) {
  FILE *file = fopen(path, "r");
  unsigned words[10], found[6] = {0};
  static char texts[2][8192];
  static uint8_t given[4096], wanted[4096], made[4096], work[8192];
  CHECK(file != NULL, "%s", path);
  new_machine();
  expect(open_driver(), HEDDLE_OK, "open");
  while (fscanf(file, "%u %u %u %u %u %u %u %u %u %u %8191s %8191s", &words[0], &words[1],
                &words[2], &words[3], &words[4], &words[5], &words[6], &words[7], &words[8],
                &words[9], texts[0], texts[1]) == 12) {
    uint32_t operation = words[0], count = words[3] * words[4], is_input = operation == 1 || operation == 5;
    uint32_t made_count = operation == 4 ? words[3] : count,
             size = operation == 2 || operation == 4 ? 4 : 1;
    uint32_t source_size = is_input ? 4 : 1, front = is_input ? count : (count + 7) / 8 * 8;
    uint32_t zero = words[9], bytes = bytes_from(texts[0], given),
             made_bytes = bytes_from(texts[1], wanted);
    tensor source = {"source",
                     is_input,
                     words[1],
                     is_input ? 4 : 2,
                     is_input ? front : 0,
                     is_input ? 0 : bytes,
                     0,
                     0,
                     0,
                     1,
                     {count},
                     1,
                     {{count, source_size, 1}},
                     0};
    tensor result = {"made",
                     is_input ? 0 : 2,
                     words[2],
                     is_input ? 1 : 4,
                     is_input ? 0 : front,
                     made_bytes,
                     0,
                     0,
                     0,
                     1,
                     {made_count},
                     1,
                     {{made_count, size, 1}},
                     0};
    tensor *scaled = is_input ? &result : &source;
    scaled->scale = words[8];
    scaled->zero = zero;
    builder own;
    memset(&own, 0, sizeof own);
    add_tensor(&own, &source);
    add_tensor(&own, &result);
    uint32_t end[8] = {operation, 0, 1, words[3], words[4], words[5], words[6], words[7]};
    add_end(&own, end);
    own.work = front + (is_input ? 0 : made_bytes);
    expect(load_image(build(&own, image)), HEDDLE_OK, "load");
    const void *users[] = {given};
    void *results[] = {made};
    heddle_status status = is_input ? heddle_pack(&net, users, 1, made, work)
                                    : heddle_unpack(&net, given, results, 1, work);
    expect(status, HEDDLE_OK, "operation");
    for (uint32_t at = 0; at < made_bytes; at++) {
      CHECK(made[at] == wanted[at], "operation %u, case %u, byte %u: %u, expected %u", operation,
            found[operation], at, made[at], wanted[at]);
    }
    found[operation]++;
  }
  fclose(file);
  for (int operation = 1; operation < 6; operation++)
    CHECK(found[operation] >= 20, "%u cases", found[operation]);
}
