// What a simulation cannot do without: it ends with a message.
#ifndef NEED_H
#define NEED_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

#include "../heddle.h"

using Bytes = std::vector<uint8_t>;

inline void Need(bool holds, const char *what) {
  if (holds) return;
  std::fprintf(stderr, "system: %s\n", what);
  std::exit(1);
}

inline void Need(heddle_status status, const char *call) {
  if (status == HEDDLE_OK) return;
  std::fprintf(stderr, "system: %s: %s\n", call, heddle_error_text(status));
  std::exit(1);
}

inline Bytes Read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  Need(static_cast<bool>(file), path);
  return Bytes(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

#endif
